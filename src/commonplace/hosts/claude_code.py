"""The host Claude Code: the hooks of our plugin in its settings, our MCP server in its other file."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from typing import Any

from commonplace import files
from commonplace.errors import BadHostFile
from commonplace.hosts.checks import command_finding, mcp_findings, open_to_others, words_of
from commonplace.hosts.json5 import Node, parse
from commonplace.hosts.mcp_hosts import SERVER, notebook_findings, read_json, server
from commonplace.hosts.nouns import Choice, Finding, Places, Target, Want
from commonplace.hosts.shipment import shipped
from commonplace.hosts.steps import holds
from commonplace.hosts.whereabouts import command, workspace_of

HOST = "claude-code"
OURS = "commonplace hook claude-code"  # what each of our hooks runs
SHOWN = (("hooks",),)


def paths(_choice: Choice, where: Places) -> tuple[str, ...]:
    """The settings, which hold hooks, and the file that holds MCP servers."""
    return (f"{where.claude}/settings.json", where.claude_json)


def targets(choice: Choice, where: Places) -> tuple[Target, ...]:
    """Every hook of the plugin with this interpreter as its command, and the MCP server."""
    settings, others = paths(choice, where)
    hooks = tuple(
        Want(("hooks", event), group, element=True) for event, group in plugin_hooks(workspace_of(choice, where))
    )
    mcp = Want(SERVER, {"type": "stdio", **server(choice, where)})
    return (Target(settings, "json", hooks), Target(others, "json", (mcp,), (SERVER,)))


def traces(choice: Choice, where: Places) -> tuple[Target, ...]:
    """The hooks and the server that are ours by what they run, and by name."""
    settings, others = paths(choice, where)
    hooks = tuple(Want(("hooks", event), group, element=True) for event, group in _our_groups(read_json(settings)))
    root = read_json(others)
    entry = root.at(SERVER) if root is not None else None
    mcp = (Want(SERVER, entry.value()),) if entry is not None else ()
    return (Target(settings, "json", hooks), Target(others, "json", mcp, (SERVER,)))


def plugin_hooks(workspace: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The hooks as the plugin ships them, each as event and group, for this interpreter and this notebook.

    Its commands become lines for a shell, which every version of the host runs.
    """
    folder = shipped(HOST)
    defaults = _defaults(folder)
    said = parse(files.read(folder, "hooks/hooks.json").decode(), folder).value()
    for event, groups in said["hooks"].items():
        for group in groups:
            yield event, {**group, "hooks": [_hook(one, defaults, workspace) for one in group["hooks"]]}


def notes(choice: Choice, where: Places) -> tuple[str, ...]:
    """What the person should know before saying yes."""
    workspace = workspace_of(choice, where)
    missing = (
        () if os.path.isdir(workspace) else (f"it is not there yet: run `commonplace init {shlex.quote(workspace)}`",)
    )
    return (f"the notebook is {workspace}", *missing, "sessions that run already keep the hooks they began with")


def verify(choice: Choice, where: Places) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read both files back."""
    verified, findings = [], []
    for target in targets(choice, where):
        root = read_json(target.path)
        missing = [want for want in target.wants if root is None or not holds(root, want)]
        findings += [
            Finding(HOST, "not-written", f"{'.'.join(one.pointer)} is not there", path=target.path) for one in missing
        ]
        verified += [] if missing else [f"{target.path}: read back, all {len(target.wants)} values are there"]
    return tuple(verified), tuple(findings)


def examine(choice: Choice, where: Places) -> tuple[Finding, ...]:
    """All that is wrong between Claude Code and us."""
    settings, others = paths(choice, where)
    found: list[Finding] = []
    for path, look in ((settings, _settings), (others, _servers)):
        try:
            root = read_json(path)
        except BadHostFile as error:
            found.append(Finding(HOST, "config-unreadable", error.message, path=path, hint=error.hint))
            continue
        found += look(root, path)
        found += open_to_others(HOST, path) if root is not None else ()
    return tuple(found)


def _settings(root: Node | None, path: str) -> Iterator[Finding]:
    again = "run `commonplace install claude-code`"
    ours = list(_our_groups(root))
    events = {event for event, _group in ours}
    missing = sorted({event for event, _group in plugin_hooks("")} - events)
    is_plugin = _is_plugin(root)
    if not events and not is_plugin:
        yield Finding(HOST, "not-installed", "no hook of ours is in the settings", path=path, hint=again)
    elif missing and not is_plugin:
        yield Finding(HOST, "hook-missing", f"no hook of ours for {', '.join(missing)}", path=path, hint=again)
    if events and is_plugin:
        told = "our hooks stand in the settings, and our plugin is enabled, too: both would answer"
        yield Finding(
            HOST, "duplicate", told, path=path, hint="`commonplace uninstall claude-code`, or disable the plugin"
        )
    if len(ours) > len({(event, json.dumps(group.get("matcher", ""))) for event, group in ours}):
        told = "our hooks stand in the settings more than once"
        yield Finding(HOST, "duplicate", told, path=path, hint="leave one group of them for each event")
    off = root.member("disableAllHooks") if root is not None else None
    if off is not None and off.scalar is True:
        yield Finding(HOST, "disabled", "all hooks are switched off", path=path, hint="take disableAllHooks out")
    lines = [one["command"] for _event, group in ours for one in group["hooks"]]
    if lines:
        words = _words(lines[0])  # they differ in nothing that counts here
        wrong = command_finding(HOST, words, path)
        yield from [wrong] if wrong is not None else notebook_findings(HOST, words, path)


def _servers(root: Node | None, path: str) -> Iterator[Finding]:
    node = root.at(SERVER) if root is not None else None
    said = node.value() if node is not None else None
    if not isinstance(said, dict):
        told = "the host does not know our MCP server: hooks work, tools do not"
        yield Finding(HOST, "not-installed", told, "note", path, "run `commonplace install claude-code`")
        return
    yield from mcp_findings(HOST, words_of(said), path)


def _our_groups(root: Node | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The groups of hooks in the settings that run our command: event and group."""
    hooks = root.member("hooks") if root is not None else None
    for event in hooks.items if hooks is not None and hooks.kind == "object" else ():
        for group in event.node.value() if event.node.kind == "array" else ():
            runs = group.get("hooks") if isinstance(group, dict) else None
            if isinstance(runs, list) and runs and all(map(_is_our_hook, runs)):
                yield event.key, group


def _is_our_hook(hook: Any) -> bool:
    said = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(said, str) and OURS in said


def _words(line: str) -> list[str]:
    """The words of a line for a shell; none if a quote in it is not closed."""
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _is_plugin(root: Node | None) -> bool:
    """Whether the settings enable our plugin, from whatever marketplace."""
    enabled = root.member("enabledPlugins") if root is not None else None
    items = enabled.items if enabled is not None else ()
    return any(item.key.partition("@")[0] == "commonplace" and item.node.scalar is True for item in items)


def _hook(hook: dict[str, Any], defaults: dict[str, str], workspace: str) -> dict[str, Any]:
    """One hook as a shell line that starts this interpreter."""
    words = [_filled(word, defaults) for word in hook.get("args", ())]
    line = shlex.join(command(*words, "--workspace", workspace))
    return {**{key: value for key, value in hook.items() if key != "args"}, "command": line}


def _filled(word: str, defaults: dict[str, str]) -> str:
    """A word with the defaults of the plugin's settings in it."""
    for name, value in defaults.items():
        word = word.replace(f"${{user_config.{name}}}", value)
    return word


def _defaults(folder: str) -> dict[str, str]:
    manifest = parse(files.read(folder, ".claude-plugin/plugin.json").decode(), folder).value()
    asked = manifest.get("userConfig", {})
    return {name: _as_word(one.get("default", "")) for name, one in asked.items()}


def _as_word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
