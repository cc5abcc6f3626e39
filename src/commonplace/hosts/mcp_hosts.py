"""Hosts that know us as an MCP server: Codex, Cursor, and any client that takes the usual JSON."""

from __future__ import annotations

import os
import shlex
from typing import Any

from msgspec import json

from commonplace import files
from commonplace.errors import BadHostFile
from commonplace.hosts import toml_block
from commonplace.hosts.checks import mcp_findings, open_to_others, words_of
from commonplace.hosts.json5 import Node, parse
from commonplace.hosts.nouns import Choice, Finding, Places, Pointer, Target, Want
from commonplace.hosts.records import records
from commonplace.hosts.steps import holds
from commonplace.hosts.whereabouts import command, workspace_of

NAME = "commonplace"
SERVER: Pointer = ("mcpServers", NAME)
TABLE = f"mcp_servers.{NAME}"
START_S = 30  # how long Codex waits for us; its own 10 s are short on a loaded machine


def server(choice: Choice, where: Places) -> dict[str, Any]:
    """How any MCP client starts us."""
    program, *words = command("mcp", "--workspace", workspace_of(choice, where))
    return {"command": program, "args": words}


def json_paths(choice: Choice, where: Places) -> tuple[str, ...]:
    """The file of Cursor or of the client that was named; without a name, all that we know of."""
    if choice.host == "cursor":
        return (f"{where.here if choice.project else where.home}/.cursor/mcp.json",)
    if choice.file:
        return (os.path.abspath(choice.file),)
    return tuple(one.path for one in records(where) if one.host == choice.host)


def json_targets(choice: Choice, where: Places) -> tuple[Target, ...]:
    """`mcpServers.commonplace` in the client's JSON."""
    kind = {"type": "stdio"} if choice.host == "cursor" else {}
    want = Want(SERVER, {**kind, **server(choice, where)})
    if choice.host == "generic-mcp" and not choice.file:
        return ()
    return tuple(Target(path, "json", (want,), (SERVER,)) for path in json_paths(choice, where))


def json_traces(choice: Choice, where: Places) -> tuple[Target, ...]:
    """What is ours by its name."""
    found = []
    for path in json_paths(choice, where):
        entry = (root.at(SERVER)) if (root := read_json(path)) is not None else None
        found.append(Target(path, "json", (Want(SERVER, entry.value()),) if entry is not None else (), (SERVER,)))
    return tuple(found)


def printed(choice: Choice, where: Places) -> str:
    """The JSON for a client that nobody named a file of."""
    if choice.file:
        return ""
    whole = {"mcpServers": {NAME: server(choice, where)}}
    return json.format(json.encode(whole), indent=2).decode()


def codex_paths(_choice: Choice, where: Places) -> tuple[str, ...]:
    """The one file that Codex reads."""
    return (f"{where.codex}/config.toml",)


def codex_targets(choice: Choice, where: Places) -> tuple[Target, ...]:
    """Our table in Codex's TOML."""
    block = toml_block.block_of(TABLE, {**server(choice, where), "startup_timeout_sec": START_S})
    return (Target(f"{where.codex}/config.toml", "toml", block=block, table=TABLE),)


def codex_traces(_choice: Choice, where: Places) -> tuple[Target, ...]:
    """Our table, if it is there."""
    (path,) = codex_paths(_choice, where)
    text = (files.read_foreign(path).data or b"").decode("utf-8", "replace")
    return (Target(path, "toml", block=TABLE if toml_block.BEGIN in text else "", table=TABLE),)


def notes(choice: Choice, where: Places) -> tuple[str, ...]:
    """What the person should know before saying yes."""
    workspace = workspace_of(choice, where)
    missing = (
        (f"it is not there yet: run `commonplace init {shlex.quote(workspace)}`",)
        if not os.path.isdir(workspace)
        else ()
    )
    return (f"the notebook is {workspace}", *missing)


def verify(choice: Choice, where: Places) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read what was written back."""
    verified, findings = [], []
    for target in codex_targets(choice, where) if choice.host == "codex" else json_targets(choice, where):
        if _is_held(target):
            verified.append(f"{target.path}: read back, it starts `{' '.join(command('mcp'))}`")
        else:
            findings.append(Finding(choice.host, "not-written", "our part is not there", path=target.path))
    return tuple(verified), tuple(findings)


def examine(choice: Choice, where: Places) -> tuple[Finding, ...]:
    """All that is wrong between an MCP client and us."""
    found: list[Finding] = []
    paths = codex_paths(choice, where) if choice.host == "codex" else json_paths(choice, where)
    for path in paths:
        try:
            found += _examined(choice, path)
        except BadHostFile as error:
            found.append(Finding(choice.host, "config-unreadable", error.message, path=path, hint=error.hint))
    if not paths:
        hint = f"run `commonplace doctor {choice.host} --file FILE`"
        found.append(Finding(choice.host, "not-installed", "no file of a client is known", "note", hint=hint))
    return tuple(found)


def read_json(path: str) -> Node | None:
    """A JSON file as values; None if it is not there, or blank. Raises BadHostFile."""
    text = (files.read_foreign(path).data or b"").decode("utf-8", "replace")
    return parse(text, path) if text.strip() else None


def notebook_findings(host: str, words: list[Any], path: str) -> list[Finding]:
    """Whether the notebook that a command names is there."""
    at = words.index("--workspace") + 1 if "--workspace" in words else len(words)
    folder = words[at] if at < len(words) else ""
    if not folder or os.path.isdir(folder):
        return []
    told = f"there is no notebook at {folder!r}"
    return [Finding(host, "workspace-missing", told, path=path, hint=f"run `commonplace init {shlex.quote(folder)}`")]


def _examined(choice: Choice, path: str) -> list[Finding]:
    host = choice.host
    if not os.path.isfile(path):
        told = "there is no configuration here"
        return [Finding(host, "config-missing", told, path=path, hint=f"run `commonplace install {host}`")]
    said = _said(host, path)
    if said is None:
        told = "the host does not know us"
        return [Finding(host, "not-installed", told, path=path, hint=f"run `commonplace install {host}`")]
    found = list(open_to_others(host, path))
    if said.get("enabled") is False or said.get("disabled") is True:
        found.append(
            Finding(host, "disabled", "our server is switched off", path=path, hint="switch it on in the host")
        )
    words, ours = words_of(said), command("mcp")
    if choice.project and words and words[: len(ours)] != ours:
        told = "a file of this project says how we are started, and not as this installation would: it was not tried"
        hint = f"look at it; `commonplace install {host}` writes ours"
        return [*found, Finding(host, "engine-not-tried", told, "note", path, hint)]
    found += mcp_findings(host, words, path)
    return found + notebook_findings(host, words, path)


def _said(host: str, path: str) -> dict[str, Any] | None:
    """What the client's configuration says of us."""
    if host == "codex":
        text = (files.read_foreign(path).data or b"").decode("utf-8", "replace")
        inner = toml_block.read(text, path).get("mcp_servers")
        said = inner.get(NAME) if isinstance(inner, dict) else None
    else:
        root = read_json(path)
        node = root.at(SERVER) if root is not None else None
        said = node.value() if node is not None else None
    return said if isinstance(said, dict) else None


def _is_held(target: Target) -> bool:
    if target.form == "toml":
        text = (files.read_foreign(target.path).data or b"").decode("utf-8", "replace")
        return toml_block.holds(text, target)
    root = read_json(target.path)
    return root is not None and all(holds(root, want) for want in target.wants)
