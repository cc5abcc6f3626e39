"""Hosts that use Commonplace as an MCP server: Claude Code, with hooks; Codex, Cursor, and any with the usual JSON."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec import json

from commonplace.bridges.hosts import adapter, config_edits, probes
from commonplace.bridges.hosts.config_edits import has_json_value
from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.locations import build_launch_command, find_plugin_folder, list_install_records
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding
from commonplace.shapes import Json
from commonplace.storage import files

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
        """Every hook, and the server."""
        settings, others = self.config_paths()
        mcp = ConfigValue(adapter.SERVER_POINTER, {"type": "stdio", **self.server_entry()})
        program = (
            (probes.find_program(CLAUDE_PROGRAM, self.host_paths) or CLAUDE_PROGRAM) if self.consolidates() else ""
        )
        hooks = _build_hook_target(settings, plugin_hooks(self.workspace, program))
        return (hooks, ConfigTarget(others, "json", (mcp,), (adapter.SERVER_POINTER,)))

    def traces(self) -> tuple[ConfigTarget, ...]:
        """The hooks and the server that are ours by what they run, and by name."""
        settings, others = self.config_paths()
        groups = _find_own_hook_groups(adapter.read_json_config(settings))
        return _build_hook_target(settings, groups), adapter.find_server_trace(others)

    def notes(self) -> tuple[str, ...]:
        """Notes to show before the user confirms."""
        notes = (*super().notes(), "running sessions keep the hooks that they started with")
        told = "each session that ends is handed to `claude -p`, without tools, which costs tokens of your account"
        return (*notes, told) if self.consolidates() else notes

    def consolidates(self) -> bool:
        """Whether sessions are consolidated at their end: as it was asked for, else as it is configured now."""
        if self.choice.consolidate is not None:
            return self.choice.consolidate
        root = adapter.read_json_config(self.config_paths()[0])
        return any(_find_option(words, CONSOLIDATE_OPTION) for words in _list_hook_commands(root))

    def examine_config(self, path: str) -> Iterator[Finding]:
        """All that is wrong in the settings, or with the server."""
        root = adapter.read_json_config(path)
        is_settings = path == self.config_paths()[0]
        yield from self._examine_settings(root, path) if is_settings else self._examine_server_entry(root, path)
        if root is not None:
            yield from probes.check_permissions(self.name, path)

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
        if len(ours) > len({(event, json.encode(group.get("matcher", ""))) for event, group in ours}):
            told = "the hooks are in the settings more than once"
            yield self.finding("duplicate", told, path=path, hint="leave one group of them for each event")
        off = root_node.member("disableAllHooks") if root_node is not None else None
        if off is not None and off.scalar is True:
            told = "all hooks are switched off"
            yield self.finding("disabled", told, path=path, hint="remove disableAllHooks")
        commands = _list_hook_commands(root_node)
        if commands:
            wrong = probes.check_command(self.name, commands[0], path)  # they differ in nothing that counts here
            yield from [wrong] if wrong is not None else self.check_workspace_folder(commands[0], path)
        for words in commands:
            if program := _find_option(words, CONSOLIDATE_OPTION):
                yield from self._examine_consolidation(program, _find_option(words, "--workspace"), path)

    def _examine_consolidation(self, program: str, workspace: str, path: str) -> Iterator[Finding]:
        if not probes.find_program(program, self.host_paths):
            told = f"sessions are to be consolidated at their end, and there is no program {program!r}"
            hint = f"put `{CLAUDE_PROGRAM}` on the PATH and {INSTALL_HINT}, or add --no-consolidate to it"
            yield self.finding("model-missing", told, path=path, hint=hint)
        yield from probes.check_last_consolidation(self.name, workspace)

    def _examine_server_entry(self, root_node: Json5Node | None, path: str) -> Iterator[Finding]:
        node = root_node.find(adapter.SERVER_POINTER) if root_node is not None else None
        said = node.value() if node is not None else None
        if not isinstance(said, dict):
            told = "the MCP server is not configured: hooks work, tools do not"
            yield self.finding("not-installed", told, level="note", path=path, hint=INSTALL_HINT)
            return
        yield from probes.check_mcp_server(self.name, probes.parse_server_command(said), path)


def plugin_hooks(workspace: str, model_program: str = "") -> Iterator[tuple[str, Json]]:
    """The hooks as the plugin ships them, each as event and group, for this interpreter and this notebook.

    Its commands become lines for a shell, which every version of the host runs. With a `model_program` the one at the
    end of a session lets it consolidate the session.
    """
    folder = find_plugin_folder(ClaudeCodeHost.name)
    manifest = parse_json5(files.read_file(folder, ".claude-plugin/plugin.json").decode(), folder).value()
    defaults = {name: one.get("default", "") for name, one in manifest.get("userConfig", {}).items()}
    said = parse_json5(files.read_file(folder, "hooks/hooks.json").decode(), folder).value()
    for event, groups in said["hooks"].items():
        more = (CONSOLIDATE_OPTION, model_program) if model_program and event == SESSION_END else ()
        words = (*more, "--workspace", workspace)
        for group in groups:
            yield event, {**group, "hooks": [_build_shell_hook(one, defaults, words) for one in group["hooks"]]}


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


def _list_hook_commands(root_node: Json5Node | None) -> list[list[str]]:
    """The commands of our hooks as words; one that no shell could read is empty."""
    lines = [run["command"] for _event, group in _find_own_hook_groups(root_node) for run in group["hooks"]]
    return [probes.split_shell_line(line) for line in lines]


def _find_option(words: list[str], option: str) -> str:
    """The value of an option among the words of a command; empty if it has none."""
    return words[words.index(option) + 1] if option in words[:-1] else ""


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

    def verify(self) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Check the entries that were written, by reading them back."""
        verified, findings = [], []
        for target in self.targets():
            if self.is_written(target):
                verified.append(f"{target.path}: read back, it starts `{' '.join(build_launch_command('mcp'))}`")
            else:
                findings.append(self.finding("not-written", "the entry is missing", path=target.path))
        return tuple(verified), tuple(findings)

    def is_written(self, target: ConfigTarget) -> bool:
        """Whether a file says what we want in it."""
        root = adapter.read_json_config(target.path)
        return root is not None and all(has_json_value(root, want) for want in target.values)

    def read_entry(self, path: str) -> Any:
        """Our entry in a file; None if there is none."""
        values = adapter.find_server_trace(path).values
        return values[0].value if values else None

    def examine_config(self, path: str) -> Iterator[Finding]:
        """Whether the entry is there, is switched on, and starts a server that answers."""
        host, install = self.name, f"run `commonplace install {self.name}`"
        if not os.path.isfile(path):
            yield self.finding("config-missing", "there is no configuration", path=path, hint=install)
            return
        entry = self.read_entry(path)
        if not isinstance(entry, dict):
            told = "Commonplace is not in the configuration of the host"
            yield self.finding("not-installed", told, path=path, hint=install)
            return
        yield from probes.check_permissions(host, path)
        if entry.get("enabled") is False or entry.get("disabled") is True:
            yield self.finding("disabled", "the server is turned off", path=path, hint="switch it on in the host")
        words, ours = probes.parse_server_command(entry), build_launch_command("mcp")
        if self.choice.project and words and words[: len(ours)] != ours:
            told = "the configuration of this project starts Commonplace otherwise than this installation; not tried"
            hint = f"check it; `commonplace install {host}` writes the entry of this installation"
            yield self.finding("engine-not-tried", told, level="note", path=path, hint=hint)
            return
        yield from probes.check_mcp_server(host, words, path)
        yield from self.check_workspace_folder(words, path)


class CodexHost(McpClientHost):
    """Codex: our table in its TOML."""

    name = "codex"

    def config_paths(self) -> tuple[str, ...]:
        """The one file that it reads."""
        return (f"{self.host_paths.codex}/config.toml",)

    def targets(self) -> tuple[ConfigTarget, ...]:
        """Our table."""
        entry = {**self.server_entry(), "startup_timeout_sec": CODEX_STARTUP_TIMEOUT_S}
        block = config_edits.render_toml_block(CODEX_TABLE, entry)
        return tuple(ConfigTarget(path, "toml", block=block, table=CODEX_TABLE) for path in self.config_paths())

    def traces(self) -> tuple[ConfigTarget, ...]:
        """Our table, if it is there."""
        (path,) = self.config_paths()
        block = CODEX_TABLE if config_edits.BLOCK_BEGIN in adapter.read_config_text(path) else ""
        return (ConfigTarget(path, "toml", block=block, table=CODEX_TABLE),)

    def is_written(self, target: ConfigTarget) -> bool:
        """Whether the file says what our table says."""
        return config_edits.has_toml_block(adapter.read_config_text(target.path), target)

    def read_entry(self, path: str) -> Any:
        """Our table; None if there is none."""
        tables = config_edits.parse_toml(adapter.read_config_text(path), path).get("mcp_servers")
        return tables.get(adapter.SERVER_NAME) if isinstance(tables, dict) else None


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
        return "" if self.choice.file else json.format(json.encode(whole), indent=2).decode()

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
        """The file of the user or of the project."""
        folder = self.host_paths.working_folder if self.choice.project else self.host_paths.home
        return (f"{folder}/.cursor/mcp.json",)

    def render_printed(self) -> str:
        """Nothing: we write the file."""
        return ""
