"""Vectors of texts by text digest and model: a cache in a file of its own, which survives a rebuild."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress

import apsw
from msgspec import Struct

from commonplace.errors import WorkspaceUnusable
from commonplace.index import sql
from commonplace.storage import files

VECTOR_SCHEMA_VERSION = 2
VECTOR_APPLICATION_ID = 0x436D7056  # "CmpV"
VECTOR_TABLES = """
create table models (
    id integer primary key, name text not null, dimensions integer not null, baseline real not null,
    filled integer not null default 0, unique (name, dimensions)
);
create table texts (
    id integer primary key autoincrement, model integer not null, digest text not null, signs blob not null,
    unique (model, digest)
);
create table vectors (id integer primary key, vector blob not null);
create table drops (number integer not null); -- so many times something went: what others have read is stale
insert into drops values (0);
"""


class VectorModel(Struct, frozen=True):
    """A model that has vectors here: its name, how many numbers a vector has, the cosine of texts that have nothing in
    common, and whether every text had a vector once."""

    id: int
    name: str
    dimensions: int
    baseline: float
    is_complete: bool


class TextVectors(Struct, frozen=True):
    """The stored vectors of a text, concatenated: first that of the whole text, then those of its pieces. `digest` is
    its key, `signs` has one bit for each number, each vector padded; `vectors` are half-precision floats."""

    digest: str
    signs: bytes
    vectors: bytes


class VectorStore:
    """The cache on one connection; not to be shared between threads."""

    def __init__(self, path: str) -> None:
        """Open the cache at `path`; one that is missing, broken or of another version is made. Raises LockBusy."""
        self._db = _open_vector_cache(path)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def models(self) -> list[VectorModel]:
        """All models that have vectors here, those that are complete last, in the order in which they became it."""
        rows = sql.fetch_all(self._db, "select id, name, dimensions, baseline, filled from models order by filled, id")
        return [VectorModel(n, name, size, baseline, bool(filled)) for n, name, size, baseline, filled in rows]

    def get_or_add_model(self, name: str, dimensions: int, baseline: float = 0.0) -> VectorModel:
        """The model of this name and size, made if it is not there."""
        query = "insert or ignore into models (name, dimensions, baseline) values (?, ?, ?)"
        with self._transaction():
            self._db.execute(query, (name, dimensions, baseline))
        return next(one for one in self.models() if (one.name, one.dimensions) == (name, dimensions))

    def mark_complete(self, model: VectorModel) -> None:
        """Note that every text has a vector of this model."""
        with self._transaction():
            query = "update models set filled = 1 + (select max(filled) from models) where id = ?"
            self._db.execute(query, (model.id,))

    def state(self) -> tuple[int, int]:
        """A value that differs after every change of the cache, in whichever process."""
        return self._db.pragma("data_version"), self._db.total_changes()

    def drop_count(self) -> int:
        """The number of times that vectors were dropped; if it has changed, what was read before is stale."""
        return int(sql.fetch_value(self._db, "select number from drops"))

    def put_vectors(self, model: VectorModel, text_vectors: Sequence[TextVectors]) -> None:
        """Add vectors; a text that already has one keeps it."""
        with self._transaction():
            for one in text_vectors:
                row = (model.id, one.digest, one.signs)
                self._db.execute("insert or ignore into texts (model, digest, signs) values (?, ?, ?)", row)
                if self._db.changes():
                    number = self._db.last_insert_rowid()
                    self._db.execute("insert into vectors (id, vector) values (?, ?)", (number, one.vectors))

    def keep_only(self, digests: Collection[str]) -> int:
        """Drop the vectors, of every model, of all other texts; how many texts went."""
        gone = set(sql.fetch_column(self._db, "select distinct digest from texts")).difference(digests)
        if gone:
            with self._transaction():
                texts, asked = "from texts where digest in (select value from json_each(?))", (sql.json_strings(gone),)
                self._db.execute(f"delete from vectors where id in (select id {texts})", asked)  # noqa: S608 - constant
                self._db.execute(f"delete {texts}", asked)
                self._db.execute("update drops set number = number + 1")
        return len(gone)

    def compact(self) -> None:
        """Overwrite what was dropped: no free page of the file, nor its log, has it any more."""
        self._db.execute("vacuum")
        self._db.pragma("wal_checkpoint(truncate)")

    def list_digests(self, model: VectorModel) -> set[str]:
        """The texts that have a vector of this model."""
        return set(sql.fetch_column(self._db, "select digest from texts where model = ?", (model.id,)))

    def read_signs(self, model: VectorModel, after_id: int) -> list[tuple[int, str, bytes]]:
        """(number, digest, signs) of the model's texts with a greater number than `after_id`, in order."""
        query = "select id, digest, signs from texts where +model = ? and id > ? order by id"  # `+`: found by number
        return sql.fetch_all(self._db, query, (model.id, after_id))

    def read_vectors(self, text_ids: Collection[int]) -> list[tuple[int, bytes]]:
        """(number, vectors) of the texts of these numbers."""
        query = """select vectors.id, vector from json_each(?) as asked
            cross join vectors on vectors.id = asked.value"""
        return sql.fetch_all(self._db, query, (sql.json_integers(text_ids),))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with self._db:
                yield
        except sql.SQLITE_ERRORS as error:
            raise sql.translate_sqlite_error(self._db, error) from error


def _open_vector_cache(path: str) -> apsw.Connection:
    try:
        files.make_folders(os.path.dirname(path))
        for fresh in (False, True):
            if fresh or not os.path.exists(path):
                _create_vector_cache(path)
            connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
            connection.set_busy_timeout(sql.BUSY_MS)
            if _is_current_vector_cache(connection):
                return connection
            connection.close()
    except (apsw.Error, OSError) as error:
        raise sql.unusable_index_error(path, error) from error
    raise WorkspaceUnusable(path, "the cache of vectors could not be made")


def _create_vector_cache(path: str) -> None:
    """An empty cache in place of what cannot be used; nothing is lost that cannot be made again."""
    for leftover in (path, f"{path}-wal", f"{path}-shm", f"{path}-journal"):
        with suppress(FileNotFoundError):
            os.remove(leftover)
    files.create_private_file(path)
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    with connection:
        connection.execute(VECTOR_TABLES)
        connection.pragma("application_id", VECTOR_APPLICATION_ID)
        connection.pragma("user_version", VECTOR_SCHEMA_VERSION)
    connection.close()


def _is_current_vector_cache(connection: apsw.Connection) -> bool:
    try:
        connection.pragma("synchronous", "normal")
        marks = connection.pragma("application_id"), connection.pragma("user_version")
        return marks == (VECTOR_APPLICATION_ID, VECTOR_SCHEMA_VERSION)
    except (apsw.NotADBError, apsw.CorruptError):
        return False
