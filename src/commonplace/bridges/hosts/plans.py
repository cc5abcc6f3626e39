"""The plan of an installation in the files of a host, its result, and the findings of a check."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Pointer = tuple[str, ...]
StepKind = Literal["made", "filled", "put", "added", "block"]
FindingLevel = Literal["problem", "note"]


class ConfigValue(Struct, frozen=True):
    """One value that a file shall hold: at these keys, or (`is_list_element`) in the list that is there.

    With `if_list_exists` only where that list exists already.
    """

    pointer: Pointer
    value: Any
    is_list_element: bool = False
    if_list_exists: bool = False


class ConfigTarget(Struct, frozen=True):
    """One file of a host and all that we want in it.

    `owned_pointers` are objects that are ours altogether once we made them; below `printable` values that are not ours
    may be printed. `block` is our part of a file of TOML or plain lines, `table` the name of its table.
    """

    path: str
    syntax: Literal["json", "block"] = "json"
    values: tuple[ConfigValue, ...] = ()
    owned_pointers: tuple[Pointer, ...] = ()
    printable: tuple[Pointer, ...] = ()
    block: str = ""
    table: str = ""


class ConfigStep(Struct, frozen=True):
    """One thing that was done, with what is needed to undo it.

    `made`: an object or list that was not there; `filled`: one that was empty, `before` is how; `put`: a value at the
    pointer, `before` is what stood there; `added`: an element of a list; `block`: the text `value` in a TOML file.
    """

    kind: StepKind
    pointer: Pointer
    value: Any = None
    before: str | None = None


class InstallRecord(Struct, frozen=True):
    """The record of one file that we changed, for undoing it: its digests before (empty: unknown) and after, the steps,
    the copy of the original, and the options that were chosen, for the next time."""

    host: str
    path: str
    before: str
    after: str
    backup: str
    steps: tuple[ConfigStep, ...]
    existed: bool = True
    slot: bool = False
    workspace: str = ""


class InstallChoice(Struct, frozen=True):
    """The options of an installation; of `slot` and `consolidate` None is what an earlier one chose."""

    host: str
    workspace: str = ""
    slot: bool | None = None
    consolidate: bool | None = None
    project: bool = False
    file: str = ""


class HostPaths(Struct, frozen=True):
    """The paths of host files, as the environment sets them."""

    home: str
    working_folder: str
    state_home: str
    openclaw_state: str
    openclaw_config: str
    openclaw_workspace: str
    claude: str
    claude_json: str
    codex: str
    workspace: str
    program_path: str = ""


class Finding(Struct, frozen=True):
    """One thing that `doctor` or a verification has to say: what, where, what to do."""

    host: str
    code: str
    message: str
    level: FindingLevel = "problem"
    path: str = ""
    hint: str = ""


class FileChange(Struct, frozen=True):
    """The planned change of a file; `after` is None if it is deleted, `before` if it does not exist yet."""

    path: str
    real_path: str
    before: bytes | None
    after: bytes | None
    steps: tuple[ConfigStep, ...] = ()
    diff: tuple[str, ...] = ()

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


class InstallPlan(Struct, frozen=True):
    """All that an installation or its undoing would do to one host, before anything is written."""

    choice: InstallChoice
    files: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    printed: str = ""

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to write."""
        return any(one.has_changes for one in self.files)


class InstallResult(Struct, frozen=True):
    """The result of an installation: the copies of the original files, and the findings of a check afterwards."""

    plan: InstallPlan
    backups: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
