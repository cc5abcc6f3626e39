"""Hosts that use Commonplace as an MCP server: Codex, Cursor, and any client with the usual JSON."""

from __future__ import annotations

import os
import shlex
from typing import Any

from msgspec import json

from commonplace.bridges.hosts import config_edits
from commonplace.bridges.hosts.config_edits import has_json_value
from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.locations import build_launch_command, list_install_records, resolve_workspace
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding, HostPaths, InstallChoice, Pointer
from commonplace.bridges.hosts.probes import check_mcp_server, check_permissions, parse_server_command
from commonplace.errors import BadHostFile
from commonplace.shapes import Json
from commonplace.storage import files

SERVER_NAME = "commonplace"
SERVER_POINTER: Pointer = ("mcpServers", SERVER_NAME)
CODEX_TABLE = f"mcp_servers.{SERVER_NAME}"
CODEX_STARTUP_TIMEOUT_S = 30  # how long Codex waits for us; its own 10 s are short on a loaded machine


def build_server_entry(choice: InstallChoice, host_paths: HostPaths) -> Json:
    """The configuration entry with which any MCP client starts us."""
    program, *words = build_launch_command("mcp", "--workspace", resolve_workspace(choice, host_paths))
    return {"command": program, "args": words}


def json_paths(choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """The file of Cursor or of the client that was named; without a name, all that we know of."""
    if choice.host == "cursor":
        return (f"{host_paths.working_folder if choice.project else host_paths.home}/.cursor/mcp.json",)
    if choice.file:
        return (os.path.abspath(choice.file),)
    return tuple(one.path for one in list_install_records(host_paths) if one.host == choice.host)


def json_targets(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """`mcpServers.commonplace` in the client's JSON."""
    kind = {"type": "stdio"} if choice.host == "cursor" else {}
    want = ConfigValue(SERVER_POINTER, {**kind, **build_server_entry(choice, host_paths)})
    if choice.host == "generic-mcp" and not choice.file:
        return ()
    return tuple(ConfigTarget(path, "json", (want,), (SERVER_POINTER,)) for path in json_paths(choice, host_paths))


def json_traces(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """The entries that are ours, recognised by their names."""
    return tuple(find_server_trace(path) for path in json_paths(choice, host_paths))


def find_server_trace(path: str) -> ConfigTarget:
    """The server of our name in a JSON file."""
    root = read_json_config(path)
    entry = root.find(SERVER_POINTER) if root is not None else None
    values = (ConfigValue(SERVER_POINTER, entry.value()),) if entry is not None else ()
    return ConfigTarget(path, "json", values, (SERVER_POINTER,))


def render_server_json(choice: InstallChoice, host_paths: HostPaths) -> str:
    """The JSON for a client that nobody named a file of."""
    if choice.file:
        return ""
    whole = {"mcpServers": {SERVER_NAME: build_server_entry(choice, host_paths)}}
    return json.format(json.encode(whole), indent=2).decode()


def codex_paths(_choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """The one file that Codex reads."""
    return (f"{host_paths.codex}/config.toml",)


def codex_targets(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """Our table in Codex's TOML."""
    block = config_edits.render_toml_block(
        CODEX_TABLE, {**build_server_entry(choice, host_paths), "startup_timeout_sec": CODEX_STARTUP_TIMEOUT_S}
    )
    return (ConfigTarget(f"{host_paths.codex}/config.toml", "toml", block=block, table=CODEX_TABLE),)


def codex_traces(_choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """Our table, if it is there."""
    (path,) = codex_paths(_choice, host_paths)
    block = CODEX_TABLE if config_edits.BLOCK_BEGIN in _read_config_text(path) else ""
    return (ConfigTarget(path, "toml", block=block, table=CODEX_TABLE),)


def list_workspace_notes(choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """Notes to show before the user confirms."""
    workspace = resolve_workspace(choice, host_paths)
    notes = (f"the workspace is {workspace}", f"it is not there yet: run `commonplace init {shlex.quote(workspace)}`")
    return notes[:1] if os.path.isdir(workspace) else notes


def verify_server_entries(choice: InstallChoice, host_paths: HostPaths) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Check the entries that were written, by reading them back."""
    verified, findings = [], []
    for target in codex_targets(choice, host_paths) if choice.host == "codex" else json_targets(choice, host_paths):
        if target.syntax == "toml":
            is_written = config_edits.has_toml_block(_read_config_text(target.path), target)
        else:
            root = read_json_config(target.path)
            is_written = root is not None and all(has_json_value(root, want) for want in target.values)
        if is_written:
            verified.append(f"{target.path}: read back, it starts `{' '.join(build_launch_command('mcp'))}`")
        else:
            findings.append(Finding(choice.host, "not-written", "the entry is missing", path=target.path))
    return tuple(verified), tuple(findings)


def verify_json_targets(host: str, targets: tuple[ConfigTarget, ...]) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read the files back: what is as it should be, in words, and a finding for each value that is not there."""
    verified, findings = [], []
    for target in targets:
        root = read_json_config(target.path)
        missing = [".".join(want.pointer) for want in target.values if root is None or not has_json_value(root, want)]
        findings += [Finding(host, "not-written", f"{name} is not there", path=target.path) for name in missing]
        verified += [] if missing else [f"{target.path}: read back, all {len(target.values)} values are there"]
    return tuple(verified), tuple(findings)


def examine_mcp_client(choice: InstallChoice, host_paths: HostPaths) -> tuple[Finding, ...]:
    """All that is wrong between an MCP client and us."""
    found: list[Finding] = []
    paths = codex_paths(choice, host_paths) if choice.host == "codex" else json_paths(choice, host_paths)
    for path in paths:
        try:
            found += _examine_config_file(choice, path)
        except BadHostFile as error:
            found.append(Finding(choice.host, "config-unreadable", error.message, path=path, hint=error.hint))
    if not paths:
        hint = f"run `commonplace doctor {choice.host} --file FILE`"
        found.append(Finding(choice.host, "not-installed", "no file of a client is known", "note", hint=hint))
    return tuple(found)


def read_json_config(path: str) -> Json5Node | None:
    """A JSON file as values; None if it is not there, or blank. Raises BadHostFile."""
    text = _read_config_text(path)
    return parse_json5(text, path) if text.strip() else None


def _read_config_text(path: str) -> str:
    return (files.read_foreign_file(path).data or b"").decode("utf-8", "replace")


def check_workspace_folder(host: str, command: list[Any], path: str) -> list[Finding]:
    """Whether the notebook that a command names is there."""
    at = command.index("--workspace") + 1 if "--workspace" in command else len(command)
    folder = command[at] if at < len(command) else ""
    if not folder or os.path.isdir(folder):
        return []
    told = f"there is no workspace at {folder!r}"
    return [Finding(host, "workspace-missing", told, path=path, hint=f"run `commonplace init {shlex.quote(folder)}`")]


def _examine_config_file(choice: InstallChoice, path: str) -> list[Finding]:
    host = choice.host
    if not os.path.isfile(path):
        told = "there is no configuration"
        return [Finding(host, "config-missing", told, path=path, hint=f"run `commonplace install {host}`")]
    if host == "codex":
        tables = config_edits.parse_toml(_read_config_text(path), path).get("mcp_servers")
        said = tables.get(SERVER_NAME) if isinstance(tables, dict) else None
    else:
        values = find_server_trace(path).values
        said = values[0].value if values else None
    if not isinstance(said, dict):
        told = "Commonplace is not in the configuration of the host"
        return [Finding(host, "not-installed", told, path=path, hint=f"run `commonplace install {host}`")]
    found = list(check_permissions(host, path))
    if said.get("enabled") is False or said.get("disabled") is True:
        told = "the server is turned off"
        found.append(Finding(host, "disabled", told, path=path, hint="switch it on in the host"))
    words, ours = parse_server_command(said), build_launch_command("mcp")
    if choice.project and words and words[: len(ours)] != ours:
        told = "the configuration of this project starts Commonplace in another way than this installation; not tried"
        hint = f"check it; `commonplace install {host}` writes the entry of this installation"
        return [*found, Finding(host, "engine-not-tried", told, "note", path, hint)]
    found += check_mcp_server(host, words, path)
    return found + check_workspace_folder(host, words, path)
