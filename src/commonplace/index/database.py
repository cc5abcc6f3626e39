"""Open, build, replace and close the SQLite file of the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from urllib.parse import quote
from zlib import crc32

import apsw

from commonplace.errors import CommonplaceError, LockBusy, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import sql
from commonplace.index.protocol import Index
from commonplace.index.store import SqliteIndex
from commonplace.storage import files

CACHE_KIB = 8_000  # of pages that a connection keeps; the system keeps the others, and they are read there as fast
SAFE_SQLITE_VERSION = 3_053_000  # older ones can, rarely, corrupt a write-ahead log that several processes share
BUILD_WAIT_S, REPORT_AFTER_S = 60.0, 2.0  # for another process that builds; until it is said that this is waited for
BUILDING_MESSAGE = "another process is building the index of this workspace; this waits for it, up to {:g} s"
OPEN_ATTEMPTS = 3
MAX_IN_MEMORY_BYTES = 512 << 20  # bytes of an index that cannot be kept
INDEX_APPLICATION_ID = 0x436D706C  # "Cmpl": the mark of our files in the header of SQLite
APPLICATION_ID_BYTES = slice(68, 72)
HEADER_BYTES = 100


def open_index(path: str, build: Callable[[Index], None], report: Callable[[str], None] = lambda _words: None) -> Index:
    """The index at `path`; if there is no usable one, `build` fills a new one, which is swapped in.

    `report` is given words where another process builds it and that takes long. Where none can be kept, for want of
    room or of leave to write, it is one in memory. Raises LockBusy, WorkspaceUnusable.
    """
    try:
        return _open_on_disk(path, build, report)
    except (OutsideWorkspace, WorkspaceUnusable) as error:
        if not error.is_unwritable:
            raise
        return _open_in_memory(path, build, cause=error)


def _open_on_disk(path: str, build: Callable[[Index], None], report: Callable[[str], None]) -> SqliteIndex:
    for _attempt in range(OPEN_ATTEMPTS):
        index = _open_existing(path)
        if index is not None:
            if _list_abandoned_builds(path):  # left by a builder that was killed; one that lives holds the lock
                with suppress(LockBusy), files.hold_file_lock(f"{path}.lock", 0):
                    _remove_abandoned_builds(path)
            return index
        with _hold_build_lock(path, report):
            index = _open_existing(path)  # another process may have built it while we waited
            if index is not None:
                return index
            _build_and_replace(path, build)
    raise WorkspaceUnusable(path, "the index could not be opened after it was built")


def retry_on_disk(path: str, index: Index, build: Callable[[Index], None]) -> Index:
    """The index stored at `path` if that is possible now; otherwise the given index in memory, unchanged."""
    from shutil import disk_usage

    folder = os.path.dirname(path) or "."
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "."
    try:
        if not os.access(folder, os.W_OK) or disk_usage(folder).free <= index.size_in_bytes():
            return index  # a build that fails would take the last room from others
        kept = _open_on_disk(path, build, lambda _words: None)
    except (LockBusy, OSError, OutsideWorkspace, WorkspaceUnusable):
        return index
    index.close()
    return kept


def rebuild_index(path: str, build: Callable[[Index], None]) -> None:
    """Build a new index beside the old one and swap it in; readers of the old one keep what they have open."""
    with files.hold_file_lock(f"{path}.lock", BUILD_WAIT_S):
        _build_and_replace(path, build)


def _open_in_memory(path: str, build: Callable[[Index], None], cause: CommonplaceError) -> SqliteIndex:
    """An index that ends with this process: a copy of the one at `path`, else one that is built."""
    copy = _copy_to_memory(path)
    if copy is not None:
        return SqliteIndex(copy, path, _index_inode(path), cause)
    connection = sql.InterruptibleConnection(":memory:")
    connection.execute(f"pragma max_page_count = {MAX_IN_MEMORY_BYTES // connection.pragma('page_size')}")
    index = SqliteIndex(connection, path, _index_inode(path), cause)
    try:
        _create_tables(connection)
        with index.transaction():
            build(index)
    except (apsw.Error, WorkspaceUnusable):
        connection.close()
        raise cause from None  # there is no room for it here either
    connection.execute("pragma journal_mode = memory")
    return index


def _copy_to_memory(path: str) -> sql.InterruptibleConnection | None:
    """The index at `path` in memory; None if it is not complete without its write-ahead log."""
    # Immutable: which needs no lock and no shared memory.
    address = f"file:{quote(os.fsencode(os.path.abspath(path)))}?immutable=1"
    try:
        before = _file_stamp(path)
        if before[0] > MAX_IN_MEMORY_BYTES or _has_write_ahead_log(path):
            return None
        with closing(apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)) as kept:
            if not _is_current_index(kept):
                return None
            copy = sql.InterruptibleConnection(":memory:")
            with copy.backup("main", kept, "main") as copying:
                copying.step()
        if _has_write_ahead_log(path) or _file_stamp(path) != before:  # somebody who may write it did so meanwhile
            copy.close()
            return None
        return copy
    except (apsw.Error, OSError):
        return None


def _file_stamp(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino


def _has_write_ahead_log(path: str) -> bool:
    return os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal") > 0


@contextmanager
def _hold_build_lock(path: str, report: Callable[[str], None]) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(files.hold_file_lock(f"{path}.lock", REPORT_AFTER_S))
        except LockBusy:
            report(BUILDING_MESSAGE.format(BUILD_WAIT_S))
            held.enter_context(files.hold_file_lock(f"{path}.lock", BUILD_WAIT_S - REPORT_AFTER_S))
        yield


def is_same_index_file(path: str, inode: int) -> bool:
    """Whether the file at `path` is still the one that was opened. Raises WorkspaceUnusable."""
    return _index_inode(path) == inode


def _build_and_replace(path: str, build: Callable[[Index], None]) -> None:
    if not _is_replaceable(path):
        raise WorkspaceUnusable(path, "the file there is not an index of Commonplace; set another path in `index.path`")
    _remove_abandoned_builds(path)
    fresh = f"{path}.{os.getpid()}.building"
    try:
        files.create_private_file(fresh)
        connection = sql.InterruptibleConnection(fresh)
        _create_tables(connection)
        index = SqliteIndex(connection, fresh, _index_inode(fresh))
        with index.transaction():
            build(index)
        index.set_meta("schema", _schema_checksum(connection))
        journal_mode = "wal" if apsw.SQLITE_VERSION_NUMBER >= SAFE_SQLITE_VERSION else "delete"
        connection.execute(f"pragma journal_mode = {journal_mode}")
        connection.close()
        files.fsync_path(fresh)  # a name that a power cut keeps must not outlive what it names
        for leftover in (path, f"{path}-wal", f"{path}-shm"):  # the log of one file must never meet another
            _remove_if_present(leftover)
        os.rename(fresh, path)
        files.fsync_path(os.path.dirname(path) or ".")  # nor must the one before it come back
    except (apsw.Error, OSError) as error:
        raise sql.unusable_index_error(path, error) from error
    finally:
        for leftover in (fresh, f"{fresh}-wal", f"{fresh}-shm", f"{fresh}-journal"):
            _remove_if_present(leftover)


def _is_replaceable(path: str) -> bool:
    """Whether the file at `path` can be replaced without loss: it is where only ours are, has our mark, or is empty."""
    *_rest, above, folder, name = ["", "", *path.split("/")]
    if name == "index.sqlite" and (folder == ".memory" or above == "commonplace"):
        return True
    try:
        head = files.read_file(os.path.dirname(path) or ".", os.path.basename(path))[:HEADER_BYTES]
    except NotFound:
        return True
    except OutsideWorkspace:
        return False
    return not head or head[APPLICATION_ID_BYTES] == INDEX_APPLICATION_ID.to_bytes(4, "big")


def _list_abandoned_builds(path: str) -> list[str]:
    folder, name = os.path.split(path)
    leftovers = (one for one in files.list_folder_names(folder or ".") if one.startswith(f"{name}."))
    return [f"{folder}/{one}" for one in leftovers if ".building" in one]


def _remove_abandoned_builds(path: str) -> None:
    for leftover in _list_abandoned_builds(path):
        _remove_if_present(leftover)


def _open_existing(path: str) -> SqliteIndex | None:
    """The index at `path`; None if there is no usable one, or it was swapped while it was opened: the log beside it
    might be that of the new file."""
    inode = _index_inode(path)
    connection = _connect_if_usable(path)
    if connection is not None and _index_inode(path) == inode:
        return SqliteIndex(connection, path, inode)
    if connection is not None:
        connection.close()
    return None


def _index_inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise sql.unusable_index_error(path, error) from error


def _connect_if_usable(path: str) -> sql.InterruptibleConnection | None:
    """An open connection, or None if the file is missing, not a database, broken, or of another version."""
    try:
        connection = sql.InterruptibleConnection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except (apsw.CantOpenError, apsw.IOError):  # the latter of a pipe
        return None
    try:
        connection.set_busy_timeout(sql.BUSY_MS)
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma cache_size = -{CACHE_KIB}")
        if _is_current_index(connection):
            return connection
    except apsw.BusyError as error:
        raise sql.translate_sqlite_error(connection, error) from error
    except apsw.ReadOnlyError as error:
        raise sql.unusable_index_error(path, error) from error
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, apsw.IOError, apsw.CantOpenError):
        pass  # doubt means rebuild: the caller builds a new file
    connection.close()
    return None


def _is_current_index(connection: apsw.Connection) -> bool:
    """Whether the file is an index of ours, of this version, with a page for every table (a truncated file may lack
    some) and with the schema that it was built with."""
    if (
        connection.pragma("application_id") != INDEX_APPLICATION_ID
        or connection.pragma("user_version") != sql.SCHEMA_VERSION
    ):
        return False
    tables = connection.execute("select name from sqlite_schema where type = 'table' and rootpage > 0").fetchall()
    present = ", ".join(f'exists (select 1 from "{name}")' for (name,) in tables)  # noqa: S608 - our own names
    connection.execute(f"select {present}, (select count(*) from meta)").fetchall()  # noqa: S608
    stored = connection.execute("select value from meta where key = 'schema'").fetchall()
    return stored == [(_schema_checksum(connection),)]


def _schema_checksum(connection: apsw.Connection) -> str:
    """A checksum of the tables and columns as SQLite has them: a damaged name would fail at every later query."""
    rows = connection.execute("select sql from sqlite_schema order by rowid").fetchall()
    return f"{crc32(repr(rows).encode()):08x}"


def _create_tables(connection: apsw.Connection) -> None:
    connection.execute("pragma journal_mode = off")  # a build that dies is thrown away whole
    connection.execute("pragma synchronous = off")
    for _purpose, statement in sql.TABLES:
        connection.execute(statement)
    connection.pragma("application_id", INDEX_APPLICATION_ID)
    connection.pragma("user_version", sql.SCHEMA_VERSION)


def _remove_if_present(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
