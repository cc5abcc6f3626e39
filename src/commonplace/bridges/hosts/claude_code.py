"""The host Claude Code: hooks in its settings, and the MCP server in its other file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.locations import build_launch_command, find_plugin_folder, resolve_workspace
from commonplace.bridges.hosts.mcp_clients import (
    SERVER_POINTER,
    build_server_entry,
    check_workspace_folder,
    find_server_trace,
    list_workspace_notes,
    read_json_config,
    verify_json_targets,
)
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding, HostPaths, InstallChoice
from commonplace.bridges.hosts.probes import check_command, check_mcp_server, check_permissions, parse_server_command
from commonplace.errors import BadHostFile
from commonplace.shapes import Json
from commonplace.storage import files

CLAUDE_CODE_HOST = "claude-code"
HOOK_COMMAND = "commonplace hook claude-code"  # what each of our hooks runs
PRINTABLE_HOOKS = (("hooks",),)


def list_settings_paths(_choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """The settings, which hold hooks, and the file that holds MCP servers."""
    return (f"{host_paths.claude}/settings.json", host_paths.claude_json)


def build_hook_targets(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """Every hook of the plugin with this interpreter as its command, and the MCP server."""
    settings, others = list_settings_paths(choice, host_paths)
    hooks = tuple(
        ConfigValue(("hooks", event), group, is_list_element=True)
        for event, group in plugin_hooks(resolve_workspace(choice, host_paths))
    )
    mcp = ConfigValue(SERVER_POINTER, {"type": "stdio", **build_server_entry(choice, host_paths)})
    return (ConfigTarget(settings, "json", hooks), ConfigTarget(others, "json", (mcp,), (SERVER_POINTER,)))


def find_hook_traces(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """The hooks and the server that are ours by what they run, and by name."""
    settings, others = list_settings_paths(choice, host_paths)
    hooks = tuple(
        ConfigValue(("hooks", event), group, is_list_element=True)
        for event, group in _find_own_hook_groups(read_json_config(settings))
    )
    return (ConfigTarget(settings, "json", hooks), find_server_trace(others))


def plugin_hooks(workspace: str) -> Iterator[tuple[str, Json]]:
    """The hooks as the plugin ships them, each as event and group, for this interpreter and this notebook.

    Its commands become lines for a shell, which every version of the host runs.
    """
    folder = find_plugin_folder(CLAUDE_CODE_HOST)
    manifest = parse_json5(files.read_file(folder, ".claude-plugin/plugin.json").decode(), folder).value()
    defaults = {name: one.get("default", "") for name, one in manifest.get("userConfig", {}).items()}
    said = parse_json5(files.read_file(folder, "hooks/hooks.json").decode(), folder).value()
    for event, groups in said["hooks"].items():
        for group in groups:
            yield event, {**group, "hooks": [_build_shell_hook(one, defaults, workspace) for one in group["hooks"]]}


def list_hook_notes(choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """Notes to show before the user confirms."""
    return (*list_workspace_notes(choice, host_paths), "running sessions keep the hooks that they started with")


def verify_hooks(choice: InstallChoice, host_paths: HostPaths) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read both files back."""
    return verify_json_targets(CLAUDE_CODE_HOST, build_hook_targets(choice, host_paths))


def examine_hooks(choice: InstallChoice, host_paths: HostPaths) -> tuple[Finding, ...]:
    """All that is wrong between Claude Code and us."""
    settings, others = list_settings_paths(choice, host_paths)
    found: list[Finding] = []
    for path, look in ((settings, _examine_settings), (others, _examine_server_entry)):
        try:
            root = read_json_config(path)
        except BadHostFile as error:
            found.append(Finding(CLAUDE_CODE_HOST, "config-unreadable", error.message, path=path, hint=error.hint))
            continue
        found += look(root, path)
        found += check_permissions(CLAUDE_CODE_HOST, path) if root is not None else ()
    return tuple(found)


def _examine_settings(root_node: Json5Node | None, path: str) -> Iterator[Finding]:
    again = "run `commonplace install claude-code`"
    ours = list(_find_own_hook_groups(root_node))
    events = {event for event, _group in ours}
    missing = sorted({event for event, _group in plugin_hooks("")} - events)
    enabled = root_node.member("enabledPlugins") if root_node is not None else None
    items = enabled.items if enabled is not None else ()
    is_plugin = any(one.key.partition("@")[0] == "commonplace" and one.node.scalar is True for one in items)
    if not events and not is_plugin:
        told = "the settings have no hook of Commonplace"
        yield Finding(CLAUDE_CODE_HOST, "not-installed", told, path=path, hint=again)
    elif missing and not is_plugin:
        told = f"the settings have no hook of Commonplace for {', '.join(missing)}"
        yield Finding(CLAUDE_CODE_HOST, "hook-missing", told, path=path, hint=again)
    if events and is_plugin:
        told = "the hooks are in the settings and the plugin is enabled too, so every hook would run twice"
        hint = "`commonplace uninstall claude-code`, or disable the plugin"
        yield Finding(CLAUDE_CODE_HOST, "duplicate", told, path=path, hint=hint)
    if len(ours) > len({(event, json.dumps(group.get("matcher", ""))) for event, group in ours}):
        told = "the hooks are in the settings more than once"
        yield Finding(CLAUDE_CODE_HOST, "duplicate", told, path=path, hint="leave one group of them for each event")
    off = root_node.member("disableAllHooks") if root_node is not None else None
    if off is not None and off.scalar is True:
        told = "all hooks are switched off"
        yield Finding(CLAUDE_CODE_HOST, "disabled", told, path=path, hint="remove disableAllHooks")
    lines = [one["command"] for _event, group in ours for one in group["hooks"]]
    if lines:
        try:
            words = shlex.split(lines[0])  # they differ in nothing that counts here
        except ValueError:  # a quote is not closed
            words = []
        wrong = check_command(CLAUDE_CODE_HOST, words, path)
        yield from [wrong] if wrong is not None else check_workspace_folder(CLAUDE_CODE_HOST, words, path)


def _examine_server_entry(root_node: Json5Node | None, path: str) -> Iterator[Finding]:
    node = root_node.find(SERVER_POINTER) if root_node is not None else None
    said = node.value() if node is not None else None
    if not isinstance(said, dict):
        told = "the MCP server is not configured: hooks work, tools do not"
        yield Finding(CLAUDE_CODE_HOST, "not-installed", told, "note", path, "run `commonplace install claude-code`")
        return
    yield from check_mcp_server(CLAUDE_CODE_HOST, parse_server_command(said), path)


def _find_own_hook_groups(root_node: Json5Node | None) -> Iterator[tuple[str, Json]]:
    """The groups of hooks in the settings that run our command: event and group."""
    hooks = root_node.member("hooks") if root_node is not None else None
    for event in hooks.items if hooks is not None and hooks.kind == "object" else ():
        for group in event.node.value() if event.node.kind == "array" else ():
            runs = group.get("hooks") if isinstance(group, dict) else None
            runs = runs if isinstance(runs, list) else []
            commands = [run.get("command") if isinstance(run, dict) else None for run in runs]
            if commands and all(isinstance(one, str) and HOOK_COMMAND in one for one in commands):
                yield event.key, group


def _build_shell_hook(hook: Json, defaults: Json, workspace: str) -> Json:
    """One hook as a shell line that starts this interpreter."""
    words = hook.get("args", ())
    for name, value in defaults.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words = [word.replace(f"${{user_config.{name}}}", text) for word in words]
    line = shlex.join(build_launch_command(*words, "--workspace", workspace))
    return {**{key: value for key, value in hook.items() if key != "args"}, "command": line}
