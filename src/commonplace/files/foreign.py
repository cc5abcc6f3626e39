"""Files of other programs: read as they are, copied, replaced as a whole if nobody changed them since."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

from msgspec import Struct

from commonplace.errors import CommonplaceError, NotFound, OutsideWorkspace, WriteConflict
from commonplace.files.content import create, find, write_atomic
from commonplace.files.doing import left
from commonplace.files.paths import digest, explained, in_the_way, make_folders
from commonplace.files.swap import MOST_NAME, MovedOn

MOST_FOREIGN = 16_000_000  # bytes
MOVE = "nothing was changed; move it aside, or mend what is wrong with it, then repeat"
COPY = ".commonplace-"  # between the name of a file and the time of its copy


class Foreign(Struct, frozen=True):
    """A file of another program as it was seen: as it is named, where links lead, its bytes (None: it is not there)."""

    path: str
    real: str
    data: bytes | None

    @property
    def digest(self) -> str:
        """What its bytes are known by; empty for a file that is not there."""
        return "" if self.data is None else digest(self.data)


def read_foreign(path: str) -> Foreign:
    """A file of another program; links are followed, for people keep such files elsewhere. Raises OutsideWorkspace."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if not os.path.isdir(folder):
        return Foreign(path, real, None)
    try:
        return Foreign(path, real, find(folder, name, MOST_FOREIGN))
    except OutsideWorkspace as error:
        raise OutsideWorkspace(path, error.why, MOVE) from error


def write_foreign(seen: Foreign, data: bytes) -> Foreign:
    """Replace the file as a whole: it keeps its mode and owner, a link to it stays a link, a new one gets 0600.

    Returns what was read back. Raises WriteConflict, and leaves it alone, if it is not as it was `seen`.
    """
    _expect(seen)
    folder, name = os.path.split(seen.real)
    with explained(seen.path):
        try:
            make_folders(folder)
        except NotADirectoryError as error:
            raise in_the_way(seen.path) from error
    if seen.data is None:
        if not create(folder, name, data):
            raise WriteConflict(seen.path)
    else:
        try:
            write_atomic(folder, name, data, believed=seen.digest)
        except MovedOn:
            raise WriteConflict(seen.path) from None
    written = read_foreign(seen.path)
    if written.data != data:
        raise WriteConflict(seen.path, "somebody changed it at once after it was written")
    return written


def remove_foreign(seen: Foreign) -> None:
    """Remove a file that we made, if it is still as it was `seen`. Raises WriteConflict."""
    _expect(seen)
    if seen.data is not None:
        with explained(seen.path), suppress(FileNotFoundError):
            os.unlink(seen.real)


def back_up(seen: Foreign, stamp: str) -> str:
    """A copy of the file as it was seen, beside it, that only its owner can read; returns its path."""
    folder, name = os.path.split(seen.real)
    for number in range(1, 1000):
        copy = f"{name}{COPY}{stamp}{f'-{number}' if number > 1 else ''}"
        if create(folder, copy, seen.data or b""):
            return os.path.join(folder, copy)
    raise CommonplaceError(f"there are too many copies of {seen.path!r}", path=seen.path, hint="remove old ones")


def left_beside(path: str, *, remove: bool = False) -> tuple[str, ...]:
    """The paths of versions and copies of a file that a write of ours has left beside it where it was killed.

    They are hidden, and may hold all that the file holds. With `remove` those that are removed: one that somebody else
    saved stays.
    """
    folder, name = os.path.split(os.path.realpath(path))
    whose = f"{re.escape(name[:MOST_NAME])}|{re.escape((name + COPY)[:MOST_NAME])}[^.]*"
    hidden = re.compile(rf"\.(?:{whose})\.[0-9a-f]{{16}}(?:\.tmp|-[0-9a-f]{{16}}\.swap)")
    names = [one for one in kept_names(folder) if hidden.fullmatch(one)] if os.access(folder, os.R_OK) else []
    return tuple(os.path.join(folder, one) for one in left(folder, names, remove=remove)) if names else ()


def kept_names(folder: str) -> tuple[str, ...]:
    """The names of the files in a folder, sorted; empty if there is none."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def openness(path: str) -> str:
    """Who else than its owner may do what with a file or folder: `` (nobody), `read`, or `write`."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError as error:
        raise NotFound("file", path) from error
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "write"
    return "read" if mode & (stat.S_IRGRP | stat.S_IROTH) else ""


def _expect(seen: Foreign) -> None:
    now = read_foreign(seen.path)
    if (now.real, now.data) != (seen.real, seen.data):
        raise WriteConflict(seen.path)
