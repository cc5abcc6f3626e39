"""Hosts that use Commonplace as an MCP server: Claude Code, with hooks; Codex, Cursor, and any with the usual JSON."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec import json

from commonplace.bridges.hosts import adapter, config_edits, probes
from commonplace.bridges.hosts.config_edits import find_value
from commonplace.bridges.hosts.locations import build_launch_command, find_plugin_folder, list_install_records
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding
from commonplace.shapes import Json

HOOK_COMMAND = "commonplace hook claude-code"  # what each of our hooks runs
CLAUDE_PROGRAM, CONSOLIDATE_OPTION, SESSION_END = "claude", "--consolidate", "SessionEnd"
INSTALL_HINT = "run `commonplace install claude-code`"
CODEX_TABLE = f"mcp_servers.{adapter.SERVER_NAME}"
CODEX_STARTUP_TIMEOUT_S = 30  # how long Codex waits for us; its own 10 s are short on a loaded machine


class ClaudeCodeHost(adapter.HostAdapter):
    """Claude Code: the hooks of the plugin with this interpreter as their command, and the MCP server."""

    name = "claude-code"
    tells_session_end = True

    def config_paths(self) -> tuple[str, ...]:
        """The settings, which hold hooks, and the file that holds MCP servers."""
        return (f"{self.host_paths.claude}/settings.json", self.host_paths.claude_json)

    def targets(self) -> tuple[ConfigTarget, ...]:
        settings, others = self.config_paths()
        mcp = ConfigValue(adapter.SERVER_POINTER, {"type": "stdio", **self.server_entry()})
        program = probes.find_program(CLAUDE_PROGRAM, self.host_paths) or CLAUDE_PROGRAM
        hooks = _build_hook_target(settings, plugin_hooks(self.workspace, program if self.consolidates() else ""))
        return (hooks, ConfigTarget(others, "json", (mcp,), (adapter.SERVER_POINTER,)))

    def traces(self) -> tuple[ConfigTarget, ...]:
        """The hooks and the server that are ours by what they run, and by name."""
        settings, others = self.config_paths()
        groups = _find_own_hook_groups(adapter.read_json_config(settings))
        return _build_hook_target(settings, groups), adapter.find_server_trace(others)

    def notes(self) -> tuple[str, ...]:
        notes = (*super().notes(), "running sessions keep the hooks that they started with")
        told = "each session that ends is handed to `claude -p`, without tools, which costs tokens of your account"
        return (*notes, told) if self.consolidates() else notes

    def consolidates(self) -> bool:
        if self.choice.consolidate is not None:
            return self.choice.consolidate
        settings = adapter.read_json_config(self.config_paths()[0])
        return any(adapter.find_option(words, CONSOLIDATE_OPTION) for words in _list_hook_commands(settings))

    def examine_config(self, path: str) -> Iterator[Finding]:
        """All that is wrong in the settings, or with the server."""
        values = adapter.read_json_config(path)
        is_settings = path == self.config_paths()[0]
        yield from self._examine_settings(values) if is_settings else self._examine_server_entry(values)
        if os.path.isfile(path):
            yield from probes.check_permissions(self.name, path)

    def _examine_settings(self, settings: Json) -> Iterator[Finding]:
        ours = list(_find_own_hook_groups(settings))
        events = {event for event, _group in ours}
        missing = sorted({event for event, _group in plugin_hooks("")} - events)
        plugins = settings.get("enabledPlugins")
        enabled = [name for name, is_on in plugins.items() if is_on is True] if isinstance(plugins, dict) else []
        is_plugin = any(name.partition("@")[0] == "commonplace" for name in enabled)
        if not events and not is_plugin:
            yield self.finding("not-installed", "the settings have no hook of Commonplace", INSTALL_HINT)
        elif missing and not is_plugin:
            told = f"the settings have no hook of Commonplace for {', '.join(missing)}"
            yield self.finding("hook-missing", told, INSTALL_HINT)
        if events and is_plugin:
            told = "the hooks are in the settings and the plugin is enabled too, so every hook would run twice"
            yield self.finding("duplicate", told, "`commonplace uninstall claude-code`, or disable the plugin")
        if len(ours) > len({(event, json.encode(group.get("matcher", ""))) for event, group in ours}):
            told = "the hooks are in the settings more than once"
            yield self.finding("duplicate", told, "leave one group of them for each event")
        if settings.get("disableAllHooks") is True:
            yield self.finding("disabled", "all hooks are switched off", "remove disableAllHooks")
        commands = _list_hook_commands(settings)
        if commands:
            wrong = probes.check_command(self.name, commands[0])  # they differ in nothing that counts here
            yield from [wrong] if wrong is not None else self.check_workspace_folder(commands[0])
        for words in commands:
            if program := adapter.find_option(words, CONSOLIDATE_OPTION):
                yield from self._examine_consolidation(program, adapter.find_option(words, "--workspace"))

    def _examine_consolidation(self, program: str, workspace: str) -> Iterator[Finding]:
        if not probes.find_program(program, self.host_paths):
            told = f"sessions are to be consolidated at their end, and there is no program {program!r}"
            hint = f"put `{CLAUDE_PROGRAM}` on the PATH and {INSTALL_HINT}, or add --no-consolidate to it"
            yield self.finding("model-missing", told, hint)
        yield from probes.check_last_consolidation(self.name, workspace)

    def _examine_server_entry(self, json_value: Json) -> Iterator[Finding]:
        entry = find_value(json_value, *adapter.SERVER_POINTER)
        if isinstance(entry, dict):
            yield from probes.check_mcp_server(self.name, probes.parse_server_command(entry))
        else:
            told = "the MCP server is not configured: hooks work, tools do not"
            yield self.finding("not-installed", told, INSTALL_HINT, level="note")


def plugin_hooks(workspace: str, model_program: str = "") -> Iterator[tuple[str, Json]]:
    """The hooks as the plugin ships them, each as event and group, for this interpreter and this notebook.

    Its commands become lines for a shell. With a `model_program` the end of a session consolidates it.
    """
    folder = find_plugin_folder(ClaudeCodeHost.name)
    manifest = adapter.read_json_config(f"{folder}/.claude-plugin/plugin.json")
    defaults = {name: one.get("default", "") for name, one in manifest.get("userConfig", {}).items()}
    for event, groups in adapter.read_json_config(f"{folder}/hooks/hooks.json").get("hooks", {}).items():
        more = (CONSOLIDATE_OPTION, model_program) if model_program and event == SESSION_END else ()
        words = (*more, "--workspace", workspace)
        for group in groups:
            yield event, {**group, "hooks": [_build_shell_hook(one, defaults, words) for one in group["hooks"]]}


def _build_hook_target(path: str, hooks: Iterator[tuple[str, Json]]) -> ConfigTarget:
    values = (ConfigValue(("hooks", event), group, is_list_element=True) for event, group in hooks)
    return ConfigTarget(path, "json", tuple(values))


def _find_own_hook_groups(settings: Json) -> Iterator[tuple[str, Json]]:
    """The groups of hooks in the settings that run our command: event and group."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            runs = find_value(group, "hooks")
            commands = [find_value(run, "command") for run in runs] if isinstance(runs, list) else []
            if commands and all(isinstance(one, str) and HOOK_COMMAND in one for one in commands):
                yield event, group


def _list_hook_commands(settings: Json) -> list[list[str]]:
    """The commands of our hooks as words; one that no shell could read is empty."""
    lines = [run["command"] for _event, group in _find_own_hook_groups(settings) for run in group["hooks"]]
    return [probes.split_shell_line(line) for line in lines]


def _build_shell_hook(hook: Json, defaults: Json, more_words: tuple[str, ...]) -> Json:
    """One hook as a shell line that starts this interpreter."""
    words = hook.get("args", ())
    for name, value in defaults.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words = [word.replace(f"${{user_config.{name}}}", text) for word in words]
    line = shlex.join(build_launch_command(*words, *more_words))
    return {**{key: value for key, value in hook.items() if key != "args"}, "command": line}


class McpClientHost(adapter.HostAdapter):
    """A client that starts our MCP server."""

    def read_entry(self, path: str) -> Any:
        """Our entry in a file; None if there is none."""
        return find_value(adapter.read_json_config(path), *adapter.SERVER_POINTER)

    def examine_config(self, path: str) -> Iterator[Finding]:
        """Whether the entry is there, is switched on, and starts a server that answers."""
        host, install = self.name, f"run `commonplace install {self.name}`"
        if not os.path.isfile(path):
            yield self.finding("config-missing", "there is no configuration", install)
            return
        entry = self.read_entry(path)
        if not isinstance(entry, dict):
            yield self.finding("not-installed", "Commonplace is not in the configuration of the host", install)
            return
        yield from probes.check_permissions(host, path)
        if entry.get("enabled") is False or entry.get("disabled") is True:
            yield self.finding("disabled", "the server is turned off", "switch it on in the host")
        words, ours = probes.parse_server_command(entry), build_launch_command("mcp")
        if self.choice.project and words and words[: len(ours)] != ours:
            told = "the configuration of this project starts Commonplace otherwise than this installation; not tried"
            hint = f"check it; `commonplace install {host}` writes the entry of this installation"
            yield self.finding("engine-not-tried", told, hint, level="note")
            return
        yield from probes.check_mcp_server(host, words)
        yield from self.check_workspace_folder(words)


class CodexHost(McpClientHost):
    """Codex: our table in its TOML."""

    name = "codex"

    def config_paths(self) -> tuple[str, ...]:
        return (f"{self.host_paths.codex}/config.toml",)

    def targets(self) -> tuple[ConfigTarget, ...]:
        block = config_edits.render_toml_block(CODEX_TABLE, self.server_entry())
        return tuple(ConfigTarget(path, "block", block=block, table=CODEX_TABLE) for path in self.config_paths())

    def traces(self) -> tuple[ConfigTarget, ...]:
        (path,) = self.config_paths()
        block = CODEX_TABLE if config_edits.BLOCK_BEGIN in adapter.read_config_text(path) else ""
        return (ConfigTarget(path, "block", block=block, table=CODEX_TABLE),)

    def server_entry(self) -> Json:
        """The entry of any client, and how long to wait."""
        return {**super().server_entry(), "startup_timeout_sec": CODEX_STARTUP_TIMEOUT_S}

    def missing_values(self, target: ConfigTarget) -> list[str]:
        """Our table, if the file does not say what it says."""
        return [] if self.read_entry(target.path) == self.server_entry() else [CODEX_TABLE]

    def read_entry(self, path: str) -> Any:
        """Our table; None if there is none."""
        return find_value(config_edits.parse_toml(adapter.read_config_text(path), path), *CODEX_TABLE.split("."))


class GenericMcpHost(McpClientHost):
    """Any client with `mcpServers` in a JSON file; without the name of a file the entry is printed."""

    name = "generic-mcp"
    entry_fields: ClassVar[Json] = {}

    def config_paths(self) -> tuple[str, ...]:
        """The file that was named; without a name, all that we know of."""
        if self.choice.file:
            return (os.path.abspath(self.choice.file),)
        return tuple(one.path for one in list_install_records(self.host_paths) if one.host == self.name)

    def targets(self) -> tuple[ConfigTarget, ...]:
        """`mcpServers.commonplace` in the file that was named."""
        want = ConfigValue(adapter.SERVER_POINTER, {**self.entry_fields, **self.server_entry()})
        paths = () if self.render_printed() else self.config_paths()
        return tuple(ConfigTarget(path, "json", (want,), (adapter.SERVER_POINTER,)) for path in paths)

    def render_printed(self) -> str:
        """The JSON for a client that nobody named a file of."""
        whole = {"mcpServers": {adapter.SERVER_NAME: self.server_entry()}}
        is_written = self.choice.file or self.name != GenericMcpHost.name
        return "" if is_written else json.format(json.encode(whole), indent=2).decode()

    def examine(self) -> tuple[Finding, ...]:
        """All that is wrong in the files that are known; a note if none is."""
        if self.config_paths():
            return super().examine()
        hint = f"run `commonplace doctor {self.name} --file FILE`"
        return (self.finding("not-installed", "no file of a client is known", level="note", hint=hint),)


class CursorHost(GenericMcpHost):
    """Cursor: the same in a file of the user, or of the project in the working folder."""

    name = "cursor"
    entry_fields: ClassVar[Json] = {"type": "stdio"}

    def config_paths(self) -> tuple[str, ...]:
        folder = self.host_paths.working_folder if self.choice.project else self.host_paths.home
        return (f"{folder}/.cursor/mcp.json",)
