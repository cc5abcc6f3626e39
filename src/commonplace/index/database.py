"""Open, create, swap and close the SQLite file; a file that is missing, broken or of another version is built anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from urllib.parse import quote

import apsw

from commonplace import files
from commonplace.errors import CommonplaceError, LockBusy, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index.protocol import Index
from commonplace.index.schema import TABLES, VERSION
from commonplace.index.sql import BUSY_MS, Connection, failure, unusable
from commonplace.index.store import SqliteIndex

CACHE_KIB = 8_000  # of pages that a connection keeps; the system keeps the others, and they are read there as fast
SAFE_SQLITE = 3_053_000  # older ones can, rarely, corrupt a write-ahead log that several processes share
WAIT_S, TELL_S = 60.0, 2.0  # for another process that builds, and until it is said that this is waited for
BUILDING = "another process is building the index of this workspace; this waits for it, up to {:g} s"
ATTEMPTS = 3
MOST_IN_MEMORY = 512 << 20  # bytes of an index that cannot be kept
APPLICATION = 0x436D706C  # "Cmpl": the mark of our files in the header of SQLite
MARK = slice(68, 72)
HEADER = 100


def open_index(path: str, build: Callable[[Index], None], tell: Callable[[str], None] = lambda _words: None) -> Index:
    """The index at `path`; when there is none that can be used, `build` fills a new one, which is swapped in.

    `tell` is given words where another process builds it and that takes long. Where none can be kept, for want of room
    or of leave to write, it is one in memory. Raises LockBusy, WorkspaceUnusable.
    """
    try:
        return _kept(path, build, tell)
    except (OutsideWorkspace, WorkspaceUnusable) as error:
        if not error.is_unwritable:
            raise
        return _in_memory(path, build, why=error)


def _kept(path: str, build: Callable[[Index], None], tell: Callable[[str], None]) -> SqliteIndex:
    for _attempt in range(ATTEMPTS):
        index = _open(path)
        if index is not None:
            _sweep_away(path)
            return index
        with _alone(path, tell):
            index = _open(path)  # another process may have built it while we waited
            if index is not None:
                return index
            _build(path, build)
    raise WorkspaceUnusable(path, "the index could not be opened after it was built")


def look_again(path: str, index: Index, build: Callable[[Index], None]) -> Index:
    """The index at `path`, where it can be kept by now; else the one in memory, as it is."""
    from shutil import disk_usage

    folder = os.path.dirname(path) or "."
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "."
    try:
        if not os.access(folder, os.W_OK) or disk_usage(folder).free <= index.size_in_bytes():
            return index  # a build that fails would take the last room from others
        kept = _kept(path, build, lambda _words: None)
    except (LockBusy, OSError, OutsideWorkspace, WorkspaceUnusable):
        return index
    index.close()
    return kept


def rebuild(path: str, build: Callable[[Index], None]) -> None:
    """Build a new index beside the old one and swap it in; readers of the old one keep what they have open."""
    with files.lock(f"{path}.lock", WAIT_S):
        _build(path, build)


def _in_memory(path: str, build: Callable[[Index], None], why: CommonplaceError) -> SqliteIndex:
    """An index that ends with this process: a copy of the one at `path`, else one that is built."""
    copy = _copy(path)
    if copy is not None:
        return SqliteIndex(copy, path, _inode(path), why)
    connection = Connection(":memory:")
    connection.execute(f"pragma max_page_count = {MOST_IN_MEMORY // connection.pragma('page_size')}")
    index = SqliteIndex(connection, path, _inode(path), why)
    try:
        _create(connection)
        with index.transaction():
            build(index)
    except (apsw.Error, WorkspaceUnusable):
        connection.close()
        raise why from None  # there is no room for it here either
    connection.execute("pragma journal_mode = memory")
    return index


def _copy(path: str) -> Connection | None:
    """The index at `path` in memory; None where there is none that is whole without the log beside it."""
    address = (
        f"file:{quote(os.fsencode(os.path.abspath(path)))}?immutable=1"  # which needs no lock and no shared memory
    )
    try:
        before = _at(path)
        if before[0] > MOST_IN_MEMORY or _has_log(path):
            return None
        with closing(apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)) as kept:
            if not _is_usable(kept):
                return None
            copy = Connection(":memory:")
            with copy.backup("main", kept, "main") as copying:
                copying.step()
        if _has_log(path) or _at(path) != before:  # somebody who may write it did so meanwhile
            copy.close()
            return None
        return copy
    except (apsw.Error, OSError):
        return None


def _at(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino


def _has_log(path: str) -> bool:
    return os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal") > 0


@contextmanager
def _alone(path: str, tell: Callable[[str], None]) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(files.lock(f"{path}.lock", TELL_S))
        except LockBusy:
            tell(BUILDING.format(WAIT_S))
            held.enter_context(files.lock(f"{path}.lock", WAIT_S - TELL_S))
        yield


def is_same_file(path: str, inode: int) -> bool:
    """Whether the file at `path` is still the one that was opened. Raises WorkspaceUnusable."""
    return _inode(path) == inode


def _build(path: str, build: Callable[[Index], None]) -> None:
    if not _may_replace(path):
        raise WorkspaceUnusable(path, "there is a file that is no index of ours; name another place in `index.path`")
    for leftover in _left_by_the_killed(path):
        _remove(leftover)
    fresh = f"{path}.{os.getpid()}.building"
    try:
        files.make_private(fresh)
        connection = Connection(fresh)
        _create(connection)
        index = SqliteIndex(connection, fresh, _inode(fresh))
        with index.transaction():
            build(index)
        connection.execute(f"pragma journal_mode = {_journal_mode(apsw.SQLITE_VERSION_NUMBER)}")
        connection.close()
        files.flush(fresh)  # a name that a power cut keeps must not outlive what it names
        for leftover in (path, f"{path}-wal", f"{path}-shm"):  # the log of one file must never meet another
            _remove(leftover)
        os.rename(fresh, path)
        files.flush(os.path.dirname(path) or ".")  # nor must the one before it come back
    except (apsw.Error, OSError) as error:
        raise unusable(path, error) from error
    finally:
        for leftover in (fresh, f"{fresh}-wal", f"{fresh}-shm", f"{fresh}-journal"):
            _remove(leftover)


def _may_replace(path: str) -> bool:
    """Whether nothing is lost with the file at `path`: it stands where only ours do, or bears our mark, or is empty."""
    *_rest, above, folder, name = ["", "", *path.split("/")]
    if name == "index.sqlite" and (folder == ".memory" or above == "commonplace"):
        return True
    try:
        head = files.read(os.path.dirname(path) or ".", os.path.basename(path))[:HEADER]
    except NotFound:
        return True
    except OutsideWorkspace:
        return False
    return not head or head[MARK] == APPLICATION.to_bytes(4, "big")


def _left_by_the_killed(path: str) -> list[str]:
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except FileNotFoundError:
        return []
    return [f"{folder}/{one}" for one in names if one.startswith(f"{name}.") and ".building" in one]


def _sweep_away(path: str) -> None:
    """Remove what a builder that was killed has left; one that lives holds the lock."""
    if not _left_by_the_killed(path):
        return
    with suppress(LockBusy), files.lock(f"{path}.lock", 0):
        for leftover in _left_by_the_killed(path):
            _remove(leftover)


def _open(path: str) -> SqliteIndex | None:
    """The index at `path`, or None if there is none that can be used.

    One that was swapped while it was opened is not used either: the log beside it might be that of the new file.
    """
    inode = _inode(path)
    connection = _connect(path)
    if connection is not None and _inode(path) == inode:
        return SqliteIndex(connection, path, inode)
    if connection is not None:
        connection.close()
    return None


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise unusable(path, error) from error


def _connect(path: str) -> Connection | None:
    """An open connection, or None if the file is missing, not a database, broken, or of another version."""
    try:
        connection = Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except (apsw.CantOpenError, apsw.IOError):  # the latter of a pipe
        return None
    try:
        connection.set_busy_timeout(BUSY_MS)
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma cache_size = -{CACHE_KIB}")
        if _is_usable(connection):
            return connection
    except apsw.BusyError as error:
        raise failure(connection, error) from error
    except apsw.ReadOnlyError as error:
        raise unusable(path, error) from error
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, apsw.IOError, apsw.CantOpenError):
        pass  # doubt means rebuild: the caller builds a new file
    connection.close()
    return None


def _is_usable(connection: apsw.Connection) -> bool:
    """Whether it is ours, of this version, and has a page of every table: of a file that was cut, one may be gone."""
    if (connection.pragma("application_id"), connection.pragma("user_version")) != (APPLICATION, VERSION):
        return False
    tables = connection.execute("select name from sqlite_schema where type = 'table' and rootpage > 0").fetchall()
    present = ", ".join(f'exists (select 1 from "{name}")' for (name,) in tables)  # noqa: S608 - our own names
    connection.execute(f"select {present}, (select count(*) from meta)").fetchall()  # noqa: S608
    return True


def _create(connection: apsw.Connection) -> None:
    connection.execute("pragma journal_mode = off")  # a build that dies is thrown away whole
    connection.execute("pragma synchronous = off")
    for _purpose, statement in TABLES:
        connection.execute(statement)
    connection.pragma("application_id", APPLICATION)
    connection.pragma("user_version", VERSION)


def _journal_mode(sqlite: int) -> str:
    """Write-ahead log where the SQLite in use is safe with it, else the rollback journal."""
    return "wal" if sqlite >= SAFE_SQLITE else "delete"


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except FileNotFoundError:
        return
