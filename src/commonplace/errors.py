"""Every way this can fail, in one tree; the class builds its sentence and carries the exit code.

CommonplaceError (1)
├── WorkspaceNotFound, NotFound, LockBusy, WriteConflict, SuspiciousLoss, OutsideWorkspace, WorkspaceUnusable
├── NoReceipt, EmbedderUnavailable, ExtraMissing, AlreadyServed
├── Interrupted
│   ├── Cancelled
│   └── DeadlinePassed
├── TooBusy, InternalError, Unreachable, BadHostFile
└── Misuse (2)
    ├── BadSettings
    └── BadArgument
"""

from __future__ import annotations

from errno import EACCES, EDQUOT, ENOSPC, EPERM, EROFS
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UNWRITABLE = frozenset({EACCES, EPERM, EROFS, ENOSPC, EDQUOT})  # what the system says for want of leave, or of room

_PERMISSION_HINT, _DISK_SPACE_HINT = "check the permissions of the folder", "make room on its disk, then repeat"
_HINT_BY_CAUSE = {  # about a file or folder, by a word in what is wrong with it
    "permission": _PERMISSION_HINT,
    "read-only": _PERMISSION_HINT,
    "readonly": _PERMISSION_HINT,
    "not a folder of yours": _PERMISSION_HINT,
    "space left": _DISK_SPACE_HINT,
    "quota": _DISK_SPACE_HINT,
    "disk is full": _DISK_SPACE_HINT,
    "not valid utf-8": "give the folder another name",
    "not a directory": "move aside what stands there in place of a folder, or name another place",
    "a file, and no folder": "name the folder in which it lies, or another",
}
_LISTING_HINT_BY_NOUN = {  # where a person finds the names that there are, by what was looked for
    "record": "`commonplace recall --json` tells the ids of what it finds",
    "record or file": "name an id, or PATH#L12 below the workspace, as `commonplace recall` prints them",
    "entity": "`commonplace entity` lists them",
    "tag": "`commonplace tags` lists them",
    "receipt": "every `commonplace pack` leaves one, and with --receipt says which",
    "change": "`commonplace audit` tells them",
    "pending item": "`commonplace pending` lists them",
    "skill": "`commonplace skills` lists them",
    "session": "`commonplace session show` lists them",
    "line with the words of": "`commonplace recall` finds what says the same in other words",
}


def closest_names(name: str, names: Iterable[str], count: int = 1, similarity: float = 0.6) -> tuple[str, ...]:
    """The names that are most like a wrong one, the most similar first."""
    from difflib import get_close_matches

    return tuple(get_close_matches(name, names, count, similarity))


class CommonplaceError(Exception):
    """Base of all: `code` for machines, `message` for people, `hint` says what to do next."""

    exit_code = 1

    def __init__(self, message: str, *, path: str = "", line: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.path, self.line, self.hint = message, path, line, hint

    @property
    def code(self) -> str:
        """The class name in kebab-case: `write-conflict`."""
        return self.code_of()

    @classmethod
    def code_of(cls) -> str:
        """The code of every error of this class."""
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("-")


class WorkspaceNotFound(CommonplaceError):
    """The folder does not exist."""

    def __init__(self, path: str, hint: str = "run `commonplace init` there, or pass --workspace") -> None:
        super().__init__(f"no workspace at {path!r}", path=path, hint=hint)


class WorkspaceUnusable(CommonplaceError):
    """The folder or its `.memory` cannot be read or written.

    `is_unwritable`: for want of leave, or of room.
    """

    def __init__(self, path: str, why: str, *, is_unwritable: bool = False) -> None:
        super().__init__(f"cannot use {path!r}: {why}", path=path, hint=_hint_for_cause(why))
        self.is_unwritable = is_unwritable


class NotFound(CommonplaceError):
    """No record, entity or receipt answers to this name; `suggestions` are names that do."""

    suggestions: tuple[str, ...] = ()

    def __init__(self, noun: str, name: str, suggestions: tuple[str, ...] = ()) -> None:
        hint = "did you mean " + " or ".join(suggestions) + "?" if suggestions else _LISTING_HINT_BY_NOUN.get(noun, "")
        super().__init__(f"no {noun} {name!r}", hint=hint)
        self.suggestions = suggestions


class LockBusy(CommonplaceError):
    """Another process held the lock for longer than we wait."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(f"{path!r} stayed locked for {seconds:g} s", path=path, hint="try again")


class WriteConflict(CommonplaceError):
    """The bytes to be changed are not those that the caller read."""

    def __init__(self, path: str, why: str = "it changed since it was read", line: int = 0) -> None:
        super().__init__(f"{path!r} was left as it is: {why}", path=path, line=line, hint="read it again and repeat")


class SuspiciousLoss(CommonplaceError):
    """Far more records are gone than anything in the ledger explains."""

    def __init__(self, missing_count: int, record_count: int) -> None:
        super().__init__(
            f"{missing_count} of {record_count} records are gone from the files; the index was left as it is",
            hint="is the folder mounted? if the loss is meant, run `commonplace sync --force`",
        )


class OutsideWorkspace(CommonplaceError):
    """A path that leaves the workspace, or is not a plain file.

    `is_unwritable`: for want of leave, or of room.
    """

    def __init__(
        self, path: str, why: str = "it is outside the workspace", hint: str = "", *, is_unwritable: bool = False
    ) -> None:
        super().__init__(f"{path!r} is not read or written: {why}", path=path, hint=_hint_for_cause(why) or hint)
        self.why, self.is_unwritable = why, is_unwritable


class NoReceipt(CommonplaceError):
    """A pack leaves its receipt before it is given, and that could not be written."""

    def __init__(self, why: CommonplaceError) -> None:
        hint = f"{why.hint}{why.hint and ', or '}ask with `recall`, which needs none"
        super().__init__(f"no pack without its receipt: {why.message}", path=why.path, hint=hint)


class EmbedderUnavailable(CommonplaceError):
    """Texts cannot be turned into vectors now: a package, a file or the endpoint is missing, or answers nonsense."""


class ExtraMissing(CommonplaceError):
    """A command needs packages that are installed only when they are asked for."""

    def __init__(self, command: str, extra: str) -> None:
        super().__init__(
            f"`{command}` needs packages that are not installed", hint=f"run `pip install 'commonplace[{extra}]'`"
        )


class Interrupted(CommonplaceError):
    """What was being read was broken off."""


class Cancelled(Interrupted):
    """Who asked does not want the answer any more."""


class DeadlinePassed(Interrupted):
    """The answer was not there in time; what is written meanwhile is written."""


class TooBusy(CommonplaceError):
    """More is waiting already than is taken on."""

    def __init__(self, why: str) -> None:
        super().__init__(f"this was not taken on: {why}", hint="ask again when answers have come")


class Unreachable(CommonplaceError):
    """Nobody answers at the other end."""


class InternalError(CommonplaceError):
    """A bug: the message names the exception, the hint its place."""


class BadHostFile(CommonplaceError):
    """The configuration of a host is not what it should be, or holds what we cannot edit; it was left alone."""


class AlreadyServed(CommonplaceError):
    """A daemon serves this workspace already."""

    def __init__(self, socket: str) -> None:
        super().__init__(
            f"a daemon serves this workspace already, at {socket!r}",
            path=socket,
            hint="`commonplace service` says what it does; stop it before you start another",
        )


class Misuse(CommonplaceError):
    """The caller asked for something that makes no sense."""

    exit_code = 2


class BadArgument(Misuse):
    """An argument is off; the message says which and what would do."""


class BadSettings(Misuse):
    """`commonplace.toml` has problems; all are reported together."""

    problems: tuple[str, ...] = ()

    def __init__(self, path: str, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join((f"{path} has {len(problems)} problem(s):", *problems)), path=path)
        self.problems = problems


def _hint_for_cause(why: str) -> str:
    return next((told for word, told in _HINT_BY_CAUSE.items() if word in why.lower()), "")
