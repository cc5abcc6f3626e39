"""Every way this can fail, in one tree; the class builds its sentence and carries the exit code.

CommonplaceError (1)
├── WorkspaceNotFound, NotFound, LockBusy, WriteConflict, SuspiciousLoss, OutsideWorkspace, WorkspaceUnusable
├── NoReceipt, EmbedderUnavailable, ModelUnavailable, ExtraMissing, AlreadyServed, BackupDamaged
├── Interrupted
│   ├── Cancelled
│   └── DeadlinePassed
├── TooBusy, InternalError, Unreachable, BadHostFile
└── Misuse (2)
    ├── BadSettings
    └── BadArgument
"""

from __future__ import annotations

from collections.abc import Iterable
from errno import EACCES, EDQUOT, ENOSPC, EPERM, EROFS

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
    "not a directory": "move the file of that name, or choose another folder",
    "a file, not a folder": "name the folder that contains it, or another",
}
_LISTING_HINT_BY_NOUN = {  # where a person finds the names that there are, by what was looked for
    "record": "`commonplace recall --json` prints the ids of its hits",
    "record or file": "name an id, or PATH#L12 below the workspace, as `commonplace recall` prints them",
    "entity": "`commonplace entity` lists them",
    "file": "name a Markdown file by its path below the workspace",
    "tag": "`commonplace tags` lists them",
    "snapshot": "the newest is taken if none is named",
    "backup in": "`commonplace backup FOLDER` makes one",
    "receipt": "every `commonplace pack` leaves one; --receipt prints its id",
    "change": "`commonplace audit` lists them",
    "pending item": "`commonplace pending` lists them",
    "skill": "`commonplace skills` lists them",
    "session": "`commonplace session show` lists them",
    "line with the words of": "`commonplace recall` finds similar lines",
}


def closest_names(name: str, names: Iterable[str], count: int = 1, similarity: float = 0.6) -> tuple[str, ...]:
    """The names that are most similar to a wrong one, the most similar first."""
    from difflib import get_close_matches

    return tuple(get_close_matches(name, names, count, similarity))


class CommonplaceError(Exception):
    """The base of all errors: `code` for programs, `message` for people, `hint` with what to do next."""

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
    """No record, entity or receipt has this name; `suggestions` are similar names."""

    suggestions: tuple[str, ...] = ()

    def __init__(self, noun: str, name: str, suggestions: tuple[str, ...] = ()) -> None:
        hint = "did you mean " + " or ".join(suggestions) + "?" if suggestions else _LISTING_HINT_BY_NOUN.get(noun, "")
        super().__init__(f"no {noun} {name!r}", hint=hint)
        self.suggestions = suggestions


class LockBusy(CommonplaceError):
    """Another process held the lock for too long."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(f"{path!r} was locked for more than {seconds:g} s", path=path, hint="try again")


class WriteConflict(CommonplaceError):
    """The file has changed since it was read."""

    def __init__(self, path: str, why: str = "it changed since it was read", line: int = 0) -> None:
        super().__init__(f"{path!r} was not changed: {why}", path=path, line=line, hint="read it again and repeat")


class SuspiciousLoss(CommonplaceError):
    """Far more records, or captures, are missing than the ledger explains."""

    def __init__(self, missing_count: int, record_count: int, noun: str = "records", where: str = "the files") -> None:
        super().__init__(
            f"{missing_count} of {record_count} {noun} are missing from {where}; the index was not changed",
            hint="check that the folder is mounted; if the loss is intended, run `commonplace sync --force`",
        )


class OutsideWorkspace(CommonplaceError):
    """The path leads out of the workspace, or is not a regular file.

    `is_unwritable`: for want of leave, or of room.
    """

    def __init__(
        self, path: str, why: str = "it is outside the workspace", hint: str = "", *, is_unwritable: bool = False
    ) -> None:
        super().__init__(f"{path!r} cannot be used: {why}", path=path, hint=_hint_for_cause(why) or hint)
        self.why, self.is_unwritable = why, is_unwritable


class NoReceipt(CommonplaceError):
    """The receipt of a pack could not be written, so no pack is returned."""

    def __init__(self, why: CommonplaceError) -> None:
        hint = f"{why.hint}{why.hint and ', or '}use `recall`, which needs no receipt"
        super().__init__(
            f"no pack was built, because its receipt could not be written: {why.message}", path=why.path, hint=hint
        )


class EmbedderUnavailable(CommonplaceError):
    """No vectors can be computed now: a package, a file or the endpoint is missing, or returns invalid data."""


class ModelUnavailable(CommonplaceError):
    """A language model gives no answer now: it is missing, late or refuses, or the limit of the day is reached."""


class ExtraMissing(CommonplaceError):
    """The command needs optional packages that are not installed."""

    def __init__(self, command: str, extra: str) -> None:
        super().__init__(
            f"`{command}` needs packages that are not installed",
            hint=f"install the extra `{extra}`: in the clone, `pipx install --force '.[{extra}]'`",
        )


class BackupDamaged(CommonplaceError):
    """A file of a backup, or an archive, is not as it was written."""

    def __init__(
        self, path: str, why: str, hint: str = "`commonplace backup --verify` lists all that is damaged"
    ) -> None:
        super().__init__(f"{path!r} is damaged: {why}", path=path, hint=hint)
        self.why = why


class Interrupted(CommonplaceError):
    """Reading was interrupted."""


class Cancelled(Interrupted):
    """The request was cancelled."""


class DeadlinePassed(Interrupted):
    """The deadline passed before the answer; a write that has started is completed."""


class TooBusy(CommonplaceError):
    """Too many requests are waiting."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the request was refused: {why}", hint="repeat it when earlier requests have been answered")


class Unreachable(CommonplaceError):
    """The other process does not answer."""


class InternalError(CommonplaceError):
    """A bug: the message names the exception, the hint its place."""


class BadHostFile(CommonplaceError):
    """The configuration of a host is invalid or cannot be edited; it was not changed."""


class AlreadyServed(CommonplaceError):
    """A daemon already serves this workspace."""

    def __init__(self, socket: str) -> None:
        super().__init__(
            f"a daemon already serves this workspace, at {socket!r}",
            path=socket,
            hint="`commonplace service` shows its state; stop it before you start another",
        )


class Misuse(CommonplaceError):
    """The request is invalid."""

    exit_code = 2


class BadArgument(Misuse):
    """An argument is invalid; the message says which, and what is valid."""


class BadSettings(Misuse):
    """`commonplace.toml` has problems; all are reported together."""

    problems: tuple[str, ...] = ()

    def __init__(self, path: str, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join((f"{path} has {len(problems)} problem(s):", *problems)), path=path)
        self.problems = problems


def _hint_for_cause(why: str) -> str:
    return next((told for word, told in _HINT_BY_CAUSE.items() if word in why.lower()), "")


def to_commonplace_error(error: Exception) -> CommonplaceError:
    """The exception as one of ours: operating system errors in words, bugs with their location."""
    if isinstance(error, CommonplaceError):
        return error
    if isinstance(error, OSError):
        why = (error.strerror or str(error)).lower()
        if isinstance(error.filename, str):
            return WorkspaceUnusable(error.filename, why)
        hint = "make room on the disk, then repeat" if error.errno in (ENOSPC, EDQUOT) else ""
        return CommonplaceError(f"the operating system refused: {why}", hint=hint)
    from traceback import extract_tb

    at = extract_tb(error.__traceback__)[-1]
    location = f"{at.filename.rpartition('/commonplace/')[2]} line {at.lineno}"
    return InternalError(f"{type(error).__name__}: {error}", hint=f"this is a bug in {location}; please report it")


def format_traceback(exc: BaseException) -> str:
    """The traceback as text, for the log."""
    from traceback import format_exception

    return "".join(format_exception(exc)).rstrip("\n")
