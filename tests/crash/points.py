"""Every call by which a command changes the disk, its own and SQLite's, is counted, recorded, failed or is its last.

`install` replaces functions of `os` and the file system layer of SQLite in the process that calls it, for good.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

import apsw

from commonplace.storage.files import atomic_replace
from crash.orders import Trip
from crash.recorder import Recorder

HALVED = ("write", "sqlite-write")  # not `pwrite`: what lies in one page is written at once or not at all
FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
FULL = (errno.ENOSPC, errno.EDQUOT)

# Which calls an error can come from; a disk that is full still lets go of things. What goes wrong inside SQLite is tried
# from outside, see `traced`, for an exception out of a layer in Python goes another way than an error code.
FAILING: dict[int, tuple[str, ...]] = {
    errno.ENOSPC: ("open-new", "write", "pwrite", "fsync", "mkdir", "link", "rename", "exchange", "sqlite-open"),
    errno.EDQUOT: ("open-new", "write", "pwrite", "fsync", "mkdir", "sqlite-open"),
    errno.EIO: (
        *("open", "open-new", "write", "pwrite", "fsync", "mkdir", "link", "rename", "exchange", "unlink", "ftruncate"),
        "sqlite-open",
    ),
    errno.EMFILE: ("open", "open-new", "read-open", "sqlite-open"),
    errno.EROFS: ("open", "open-new", "mkdir", "link", "rename", "exchange", "unlink", "sqlite-open"),
}


class Points:
    """The calls of one process so far: their names, and what is to happen at one of them."""

    def __init__(self, trip: Trip | None, recorder: Recorder | None = None) -> None:
        self.trip, self.recorder = trip, recorder
        self.names: list[str] = []
        self._of_this_name = -1

    def meet(self, name: str, call: Callable[[], Any], fail: Callable[[int], Exception], half: Any = None) -> Any:
        """One call: it happens, it fails, or the process dies before, in the middle of or after it."""
        self.names.append(name)
        trip = self.trip
        if trip is None or not self._is_met(trip, name):
            return call()
        if trip.way.startswith("kill"):
            if trip.way == "kill-after":
                call()
            elif trip.way == "kill-half" and half:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        if trip.way == "fail-on" and name not in FAILING[trip.errno]:
            return call()
        if trip.way == "fail-half" and half:
            half()
        raise fail(trip.errno)

    def _is_met(self, trip: Trip, name: str) -> bool:
        self._of_this_name += name == trip.name
        if self._of_this_name < trip.at:
            return False
        return trip.way == "fail-on" or (name == trip.name and self._of_this_name == trip.at)

    def record(self, kind: str, *said: Any) -> None:
        """Tell the recorder, if there is one, what has just happened."""
        if self.recorder is not None:
            getattr(self.recorder, kind)(*said)


def install(points: Points) -> None:
    """From now on every call goes through `points`."""
    for name, wrap in WRAPPED.items():
        setattr(os, name, partial(wrap, points, getattr(os, name)))
    atomic_replace.exchange_names = partial(_exchange, points, atomic_replace.exchange_names)
    atomic_replace.rename_without_replacing = partial(_rename_new, points, atomic_replace.rename_without_replacing)
    Shim.points = points
    apsw.set_default_vfs(Shim.layer.name)


def _failed(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _open(points: Points, real: Any, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    call = partial(real, path, flags, mode, dir_fd=dir_fd)
    if not flags & FOR_WRITING:
        return int(points.meet("read-open", call, _failed))
    is_new = not _exists(path, dir_fd)
    descriptor = int(points.meet("open-new" if is_new else "open", call, _failed))
    if is_new:
        points.record("created", path, dir_fd, descriptor)
    return descriptor


def _exists(path: Any, dir_fd: int | None) -> bool:
    try:
        os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except OSError:
        return False
    return True


def _write(points: Points, real: Any, descriptor: int, data: Any) -> int:
    before = os.fstat(descriptor).st_size if points.recorder else 0
    half = memoryview(data)[: len(data) // 2]
    written = int(points.meet("write", partial(real, descriptor, data), _failed, partial(real, descriptor, half)))
    points.record("written", descriptor, before, bytes(memoryview(data)[:written]))
    return written


def _pwrite(points: Points, real: Any, descriptor: int, data: bytes, offset: int) -> int:
    written = int(points.meet("pwrite", partial(real, descriptor, data, offset), _failed))
    points.record("written", descriptor, offset, data[:written])
    return written


def _fsync(points: Points, real: Any, descriptor: int) -> None:
    points.meet("fsync", partial(real, descriptor), _failed)
    points.record("synced", descriptor)


def _ftruncate(points: Points, real: Any, descriptor: int, size: int) -> None:
    points.meet("ftruncate", partial(real, descriptor, size), _failed)
    points.record("cut", descriptor, size)


def _rename(points: Points, real: Any, old: Any, new: Any, **where: int | None) -> None:
    points.meet("rename", partial(real, old, new, **where), _failed)
    points.record("renamed", old, where.get("src_dir_fd"), new, where.get("dst_dir_fd"))


def _exchange(points: Points, real: Any, folder: int, one: str, other: str) -> bool:
    done = bool(points.meet("exchange", partial(real, folder, one, other), _failed))
    if done:
        points.record("exchanged", one, folder, other, folder)
    return done


def _rename_new(points: Points, real: Any, here: int, name: str, there: int, new: str) -> bool | None:
    done: bool | None = points.meet("rename", partial(real, here, name, there, new), _failed)
    if done:
        points.record("renamed", name, here, new, there)
    return done


def _link(points: Points, real: Any, old: Any, new: Any, **where: Any) -> None:
    points.meet("link", partial(real, old, new, **where), _failed)
    points.record("linked", old, where.get("src_dir_fd"), new, where.get("dst_dir_fd"))


def _unlink(points: Points, real: Any, path: Any, *, dir_fd: int | None = None) -> None:
    points.meet("unlink", partial(real, path, dir_fd=dir_fd), _failed)
    points.record("unlinked", path, dir_fd)


def _mkdir(points: Points, real: Any, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
    points.meet("mkdir", partial(real, path, mode, dir_fd=dir_fd), _failed)
    points.record("made", path, dir_fd)


WRAPPED: dict[str, Callable[..., Any]] = {
    "open": _open,
    "write": _write,
    "pwrite": _pwrite,
    "fsync": _fsync,
    "fdatasync": _fsync,
    "ftruncate": _ftruncate,
    "rename": _rename,
    "replace": _rename,
    "link": _link,
    "unlink": _unlink,
    "remove": _unlink,
    "mkdir": _mkdir,
}


def _sqlite_failed(number: int) -> Exception:
    """What SQLite makes of an error of the system."""
    return apsw.exception_for(apsw.SQLITE_FULL if number in FULL else apsw.SQLITE_IOERR)


def _sqlite_shut(_number: int) -> Exception:
    return apsw.exception_for(apsw.SQLITE_CANTOPEN)


class _File(apsw.VFSFile):
    """A file of SQLite."""

    def __init__(self, name: Any, flags: list[int]) -> None:
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - a name of SQLite
        write = super().xWrite
        points, half = Shim.points, data[: len(data) // 2]
        points.meet("sqlite-write", partial(write, data, offset), _sqlite_failed, partial(write, half, offset))
        points.record("written_at", self.path, offset, bytes(data))

    def xSync(self, flags: int) -> None:  # noqa: N802 - a name of SQLite
        Shim.points.meet("sqlite-sync", partial(super().xSync, flags), _sqlite_failed)
        Shim.points.record("synced_at", self.path)

    def xTruncate(self, size: int) -> None:  # noqa: N802 - a name of SQLite
        Shim.points.meet("sqlite-truncate", partial(super().xTruncate, size), _sqlite_failed)
        Shim.points.record("cut_at", self.path, size)


class _Layer(apsw.VFS):
    """The file system as SQLite sees it."""

    name = "crash"

    def __init__(self) -> None:
        super().__init__(self.name, "unix")

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802 - a name of SQLite
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        is_new = path is not None and bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and not os.path.exists(path)
        if path is None or not (is_new or os.path.exists(path)):
            return _File(name, flags)  # of no name, or a question whether it is there
        file: _File = Shim.points.meet("sqlite-open", partial(_File, name, flags), _sqlite_shut)
        if is_new:
            Shim.points.record("created_at", path)
        return file

    def xDelete(self, path: str, sync: bool) -> None:  # noqa: N802 - a name of SQLite
        is_there = os.path.exists(path)
        delete = partial(super().xDelete, path, sync)
        if not is_there:
            return delete()
        Shim.points.meet("sqlite-delete", delete, _sqlite_failed)
        return Shim.points.record("unlinked", path, None)


class Shim:
    """The one layer of this process and the points it goes through."""

    layer = _Layer()
    points = Points(None)
