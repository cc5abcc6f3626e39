"""The host Claude Code: hooks in its settings, and the MCP server in its other file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from commonplace.bridges.hosts.adapter import SERVER_POINTER, HostAdapter, find_server_trace, read_json_config
from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.locations import build_launch_command, find_plugin_folder
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding
from commonplace.bridges.hosts.probes import check_command, check_mcp_server, check_permissions, parse_server_command
from commonplace.shapes import Json
from commonplace.storage import files

HOOK_COMMAND = "commonplace hook claude-code"  # what each of our hooks runs
INSTALL_HINT = "run `commonplace install claude-code`"


class ClaudeCodeHost(HostAdapter):
    """Claude Code: the hooks of the plugin with this interpreter as their command, and the MCP server."""

    name = "claude-code"

    def config_paths(self) -> tuple[str, ...]:
        """The settings, which hold hooks, and the file that holds MCP servers."""
        return (f"{self.host_paths.claude}/settings.json", self.host_paths.claude_json)

    def targets(self) -> tuple[ConfigTarget, ...]:
        """Every hook, and the server."""
        settings, others = self.config_paths()
        mcp = ConfigValue(SERVER_POINTER, {"type": "stdio", **self.server_entry()})
        hooks = _build_hook_target(settings, plugin_hooks(self.workspace))
        return (hooks, ConfigTarget(others, "json", (mcp,), (SERVER_POINTER,)))

    def traces(self) -> tuple[ConfigTarget, ...]:
        """The hooks and the server that are ours by what they run, and by name."""
        settings, others = self.config_paths()
        return (
            _build_hook_target(settings, _find_own_hook_groups(read_json_config(settings))),
            find_server_trace(others),
        )

    def notes(self) -> tuple[str, ...]:
        """Notes to show before the user confirms."""
        return (*super().notes(), "running sessions keep the hooks that they started with")

    def examine_config(self, path: str) -> Iterator[Finding]:
        """All that is wrong in the settings, or with the server."""
        root = read_json_config(path)
        is_settings = path == self.config_paths()[0]
        yield from self._examine_settings(root, path) if is_settings else self._examine_server_entry(root, path)
        if root is not None:
            yield from check_permissions(self.name, path)

    def _examine_settings(self, root_node: Json5Node | None, path: str) -> Iterator[Finding]:
        ours = list(_find_own_hook_groups(root_node))
        events = {event for event, _group in ours}
        missing = sorted({event for event, _group in plugin_hooks("")} - events)
        enabled = root_node.member("enabledPlugins") if root_node is not None else None
        items = enabled.items if enabled is not None else ()
        is_plugin = any(one.key.partition("@")[0] == "commonplace" and one.node.scalar is True for one in items)
        if not events and not is_plugin:
            told = "the settings have no hook of Commonplace"
            yield self.finding("not-installed", told, path=path, hint=INSTALL_HINT)
        elif missing and not is_plugin:
            told = f"the settings have no hook of Commonplace for {', '.join(missing)}"
            yield self.finding("hook-missing", told, path=path, hint=INSTALL_HINT)
        if events and is_plugin:
            told = "the hooks are in the settings and the plugin is enabled too, so every hook would run twice"
            hint = "`commonplace uninstall claude-code`, or disable the plugin"
            yield self.finding("duplicate", told, path=path, hint=hint)
        if len(ours) > len({(event, json.dumps(group.get("matcher", ""))) for event, group in ours}):
            told = "the hooks are in the settings more than once"
            yield self.finding("duplicate", told, path=path, hint="leave one group of them for each event")
        off = root_node.member("disableAllHooks") if root_node is not None else None
        if off is not None and off.scalar is True:
            told = "all hooks are switched off"
            yield self.finding("disabled", told, path=path, hint="remove disableAllHooks")
        lines = [one["command"] for _event, group in ours for one in group["hooks"]]
        if lines:
            try:
                words = shlex.split(lines[0])  # they differ in nothing that counts here
            except ValueError:  # a quote is not closed
                words = []
            wrong = check_command(self.name, words, path)
            yield from [wrong] if wrong is not None else self.check_workspace_folder(words, path)

    def _examine_server_entry(self, root_node: Json5Node | None, path: str) -> Iterator[Finding]:
        node = root_node.find(SERVER_POINTER) if root_node is not None else None
        said = node.value() if node is not None else None
        if not isinstance(said, dict):
            told = "the MCP server is not configured: hooks work, tools do not"
            yield self.finding("not-installed", told, level="note", path=path, hint=INSTALL_HINT)
            return
        yield from check_mcp_server(self.name, parse_server_command(said), path)


def plugin_hooks(workspace: str) -> Iterator[tuple[str, Json]]:
    """The hooks as the plugin ships them, each as event and group, for this interpreter and this notebook.

    Its commands become lines for a shell, which every version of the host runs.
    """
    folder = find_plugin_folder(ClaudeCodeHost.name)
    manifest = parse_json5(files.read_file(folder, ".claude-plugin/plugin.json").decode(), folder).value()
    defaults = {name: one.get("default", "") for name, one in manifest.get("userConfig", {}).items()}
    said = parse_json5(files.read_file(folder, "hooks/hooks.json").decode(), folder).value()
    for event, groups in said["hooks"].items():
        for group in groups:
            yield event, {**group, "hooks": [_build_shell_hook(one, defaults, workspace) for one in group["hooks"]]}


def _build_hook_target(path: str, hooks: Iterator[tuple[str, Json]]) -> ConfigTarget:
    values = (ConfigValue(("hooks", event), group, is_list_element=True) for event, group in hooks)
    return ConfigTarget(path, "json", tuple(values))


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
