"""Any exception as a CommonplaceError: operating system errors in words, bugs with their location."""

from __future__ import annotations

from errno import EDQUOT, ENOSPC

from commonplace.errors import CommonplaceError, InternalError, WorkspaceUnusable


def to_commonplace_error(error: Exception) -> CommonplaceError:
    """The exception as one of ours."""
    if isinstance(error, CommonplaceError):
        return error
    if isinstance(error, OSError):
        return _operating_system_error(error)
    return InternalError(
        f"{type(error).__name__}: {error}", hint=f"this is a bug in {_bug_location(error)}; please report it"
    )


def format_traceback(exc: BaseException) -> str:
    """The traceback as text, for the log."""
    from traceback import format_exception

    return "".join(format_exception(exc)).rstrip("\n")


def _operating_system_error(error: OSError) -> CommonplaceError:
    """What the operating system refused: a full disk, a folder that may not be written."""
    why = (error.strerror or str(error)).lower()
    if isinstance(error.filename, str):
        return WorkspaceUnusable(error.filename, why)
    if error.errno in (ENOSPC, EDQUOT):
        return CommonplaceError(f"the operating system refused: {why}", hint="make room on the disk, then repeat")
    return CommonplaceError(f"the operating system refused: {why}")


def _bug_location(error: Exception) -> str:
    from traceback import extract_tb

    at = extract_tb(error.__traceback__)[-1]
    return f"{at.filename.rpartition('/commonplace/')[2]} line {at.lineno}"
