"""Hosts that use Commonplace as an MCP server: Codex, Cursor, and any client with the usual JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import json

from commonplace.bridges.hosts import config_edits
from commonplace.bridges.hosts.adapter import (
    SERVER_NAME,
    SERVER_POINTER,
    HostAdapter,
    find_server_trace,
    read_config_text,
    read_json_config,
)
from commonplace.bridges.hosts.config_edits import has_json_value
from commonplace.bridges.hosts.locations import build_launch_command, list_install_records
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding
from commonplace.bridges.hosts.probes import check_mcp_server, check_permissions, parse_server_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.shapes import Json
CODEX_TABLE = f"mcp_servers.{SERVER_NAME}"
CODEX_STARTUP_TIMEOUT_S = 30  # how long Codex waits for us; its own 10 s are short on a loaded machine


class McpClientHost(HostAdapter):
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
        root = read_json_config(target.path)
        return root is not None and all(has_json_value(root, want) for want in target.values)

    def read_entry(self, path: str) -> Any:
        """Our entry in a file; None if there is none."""
        values = find_server_trace(path).values
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
        yield from check_permissions(host, path)
        if entry.get("enabled") is False or entry.get("disabled") is True:
            yield self.finding("disabled", "the server is turned off", path=path, hint="switch it on in the host")
        words, ours = parse_server_command(entry), build_launch_command("mcp")
        if self.choice.project and words and words[: len(ours)] != ours:
            told = (
                "the configuration of this project starts Commonplace in another way than this installation; not tried"
            )
            hint = f"check it; `commonplace install {host}` writes the entry of this installation"
            yield self.finding("engine-not-tried", told, level="note", path=path, hint=hint)
            return
        yield from check_mcp_server(host, words, path)
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
        block = CODEX_TABLE if config_edits.BLOCK_BEGIN in read_config_text(path) else ""
        return (ConfigTarget(path, "toml", block=block, table=CODEX_TABLE),)

    def is_written(self, target: ConfigTarget) -> bool:
        """Whether the file says what our table says."""
        return config_edits.has_toml_block(read_config_text(target.path), target)

    def read_entry(self, path: str) -> Any:
        """Our table; None if there is none."""
        tables = config_edits.parse_toml(read_config_text(path), path).get("mcp_servers")
        return tables.get(SERVER_NAME) if isinstance(tables, dict) else None


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
        want = ConfigValue(SERVER_POINTER, {**self.entry_fields, **self.server_entry()})
        paths = () if self.render_printed() else self.config_paths()
        return tuple(ConfigTarget(path, "json", (want,), (SERVER_POINTER,)) for path in paths)

    def render_printed(self) -> str:
        """The JSON for a client that nobody named a file of."""
        whole = {"mcpServers": {SERVER_NAME: self.server_entry()}}
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
