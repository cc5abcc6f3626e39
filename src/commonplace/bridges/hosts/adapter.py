"""What every host has: its configuration files, what we want in them, and the checks after a write and at any time."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from typing import Any, ClassVar

from msgspec import structs

from commonplace.bridges.hosts.config_edits import find_value, has_json_value
from commonplace.bridges.hosts.json5 import parse_json5
from commonplace.bridges.hosts.locations import absolute_workspace, build_launch_command
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding, HostPaths, InstallChoice, Pointer
from commonplace.errors import BadHostFile
from commonplace.shapes import Json
from commonplace.storage import files

SERVER_NAME = "commonplace"
SERVER_POINTER: Pointer = ("mcpServers", SERVER_NAME)


class HostAdapter:
    """One host as an installation is chosen in it; a subclass for each kind of host says what differs."""

    name: ClassVar[str]
    tells_session_end: ClassVar[bool] = False
    workspace_advice = "run"  # before the command that makes a workspace

    def __init__(self, choice: InstallChoice, host_paths: HostPaths) -> None:
        self.choice, self.host_paths = choice, host_paths

    @property
    def workspace(self) -> str:
        """The absolute path of the notebook that was asked for, else of the default one."""
        return absolute_workspace(self.choice.workspace or self.host_paths.workspace)

    def config_paths(self) -> tuple[str, ...]:
        """The files that the host may have us in."""
        raise NotImplementedError

    def targets(self) -> tuple[ConfigTarget, ...]:
        """What we want in its files. Raises BadHostFile."""
        raise NotImplementedError

    def consolidates(self) -> bool:
        """Whether sessions are consolidated at their end: as it was asked for, else as it is configured now."""
        return bool(self.choice.consolidate)

    def traces(self) -> tuple[ConfigTarget, ...]:
        """What there is of us in its files, recognised by names. Raises BadHostFile."""
        return tuple(find_server_trace(path) for path in self.config_paths())

    def notes(self) -> tuple[str, ...]:
        """Notes to show before the user confirms."""
        workspace = self.workspace
        make = f"it is not there yet: {self.workspace_advice} `commonplace init {shlex.quote(workspace)}`"
        return (f"the workspace is {workspace}", *([] if os.path.isdir(workspace) else [make]))

    def render_printed(self) -> str:
        """The configuration to be added by hand; empty where we write it."""
        return ""

    def verify(self) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Read the files back: what is as it should be, in words, and a finding for each value that is not there."""
        verified, findings = [], []
        for target in self.targets():
            missing, count = self.missing_values(target), len(target.values)
            findings += [self.finding("not-written", f"{name} is not there", path=target.path) for name in missing]
            part = f"all {count} values are" if count > 1 else "our part is"
            verified += [] if missing else [f"{target.path}: read back, {part} there"]
        return tuple(verified), tuple(findings)

    def missing_values(self, target: ConfigTarget) -> list[str]:
        """The names of the values that a file does not have."""
        values = read_json_config(target.path)
        return [".".join(one.pointer) for one in target.values if not has_json_value(values, one)]

    def examine(self) -> tuple[Finding, ...]:
        """All that is wrong between the host and us."""
        found: list[Finding] = []
        for path in self.config_paths():
            try:
                found += (structs.replace(one, path=one.path or path) for one in self.examine_config(path))
            except BadHostFile as error:
                found.append(self.finding("config-unreadable", error.message, path=path, hint=error.hint))
        return tuple(found)

    def examine_config(self, path: str) -> Iterable[Finding]:
        """All that is wrong in one of its files. Raises BadHostFile."""
        raise NotImplementedError

    def finding(self, code: str, message: str, hint: str = "", **fields: Any) -> Finding:
        """Something to say about this host; `fields` as `Finding` has them."""
        return Finding(self.name, code, message, hint=hint, **fields)

    def server_entry(self) -> Json:
        """The configuration entry with which any MCP client starts us."""
        program, *words = build_launch_command("mcp", "--workspace", self.workspace)
        return {"command": program, "args": words}

    def check_workspace_folder(self, command: list[Any]) -> list[Finding]:
        """Whether the notebook that a command names is there."""
        folder = find_option(command, "--workspace")
        if not folder or os.path.isdir(folder):
            return []
        hint = f"run `commonplace init {shlex.quote(folder)}`"
        return [self.finding("workspace-missing", f"there is no workspace at {folder!r}", hint)]


def find_option(command: list[Any], option: str) -> str:
    """The value of an option of a command; empty if it has none."""
    return command[command.index(option) + 1] if option in command[:-1] else ""


def find_server_trace(path: str) -> ConfigTarget:
    """The server of our name in a JSON file."""
    entry = find_value(read_json_config(path), *SERVER_POINTER)
    values = (ConfigValue(SERVER_POINTER, entry),) if entry is not None else ()
    return ConfigTarget(path, "json", values, (SERVER_POINTER,))


def read_json_config(path: str) -> Json:
    """The values of a JSON file; none if it is not there, is blank, or has no object. Raises BadHostFile."""
    text = read_config_text(path)
    values = parse_json5(text, path).value() if text.strip() else {}
    return values if isinstance(values, dict) else {}


def read_config_text(path: str) -> str:
    """The text of a configuration; empty if it is not there."""
    return (files.read_foreign_file(path).data or b"").decode("utf-8", "replace")
