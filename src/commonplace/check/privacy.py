"""Check of permissions: what the system keeps is for its owner only."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator

from commonplace.check.subject import Subject
from commonplace.model import Problem

STATE = ".memory"
INDEX_FILES = ("", "-wal", "-shm", ".lock")


def permissions(subject: Subject) -> list[Problem]:
    """Nothing below `.memory`, nor an index elsewhere, can be read or written by group or others."""
    found = []
    for path in dict.fromkeys(_paths(subject)):
        mode = _mode(path)
        if mode & 0o077:
            inside = path.startswith(f"{subject.root}/")
            shown = os.path.relpath(path, subject.root) if inside else path
            readable = os.fsencode(shown).decode("utf-8", "backslashreplace")
            message = f"others can get at it (mode {mode:04o})"
            found.append(Problem("open-permissions", message, readable, hint=f"chmod go= {shlex.quote(readable)}"))
    return found


def _paths(subject: Subject) -> Iterator[str]:
    for folder, _folders, names in os.walk(os.path.join(subject.root, STATE)):
        yield folder
        yield from (os.path.join(folder, name) for name in sorted(names))
    if subject.index_path:
        yield from (subject.index_path + ending for ending in INDEX_FILES)


def _mode(path: str) -> int:
    """The permissions; none for a link, whose own say nothing, and for what is gone by now."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return 0
    return 0 if stat.S_ISLNK(status.st_mode) else stat.S_IMODE(status.st_mode)
