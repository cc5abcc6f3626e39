"""Check of permissions: what the system keeps is for its owner only."""

from __future__ import annotations

import os
import stat

from commonplace.check.subject import Subject
from commonplace.model import Problem

STATE = ".memory"


def permissions(subject: Subject) -> list[Problem]:
    """Nothing below `.memory` can be read or written by group or others."""
    found = []
    for folder, _folders, names in os.walk(os.path.join(subject.root, STATE)):
        for path in (folder, *(os.path.join(folder, name) for name in sorted(names))):
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if mode & 0o077:
                relative = os.path.relpath(path, subject.root)
                message = f"others can get at it (mode {mode:04o})"
                found.append(Problem("open-permissions", message, relative, hint=f"chmod go= {relative}"))
    return found
