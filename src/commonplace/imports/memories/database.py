"""Databases of other programs: SQLite files that are opened to be read, row by row, and never written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.files import named
from commonplace.imports.memories.nouns import aside
from commonplace.imports.nouns import SetAside

if TYPE_CHECKING:
    import apsw

MOST_VALUE_BYTES = 4 << 20
MAGIC = b"SQLite format 3\0"


class Row(Struct):
    """A row: its number, and the columns that were asked for as texts; one that is not there, or NULL, is empty."""

    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values.get(column, "")


class Database:
    """An open database: its tables with their columns, and their rows one by one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        found = connection.execute("select name from sqlite_schema where type = 'table' order by name").fetchall()
        self.tables: dict[str, tuple[str, ...]] = {str(name): self._columns(str(name)) for (name,) in found}

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table with these columns; a view is none."""
        return set(columns) <= set(self.tables.get(table, ()))

    def rows(
        self, table: str, need: Sequence[str], more: Sequence[str] = (), *, order: Sequence[str] = ()
    ) -> Iterator[Row | SetAside]:
        """The rows of a table; one in which a needed column is no readable text is set aside, and the rest go on.

        Where the file is damaged, the rows before that come, and what is behind is set aside as one. Raises BadArgument
        where there is no such table: the database is another memory's.
        """
        import apsw

        if table not in self.tables:
            raise BadArgument(f"this database has no table {table!r}", hint="leave out --format, or name another file")
        columns = [name for name in (*need, *more) if name in self.tables[table]]
        number = 0
        try:
            for number, *sizes_and_values in self._connection.execute(_query(table, columns, order)):
                yield _row(table, int(number or 0), dict(_pairs(columns, sizes_and_values)), need)
        except apsw.Error as error:
            yield aside(table, 0, f"the database cannot be read behind row {number}: {error}")

    def _columns(self, table: str) -> tuple[str, ...]:
        told = self._connection.execute(f"pragma table_info({_name(table)})").fetchall()
        return tuple(str(column[1]) for column in told)


@contextmanager
def opened(path: str) -> Iterator[Database]:
    """A database that is only read. Raises BadArgument for what is none, NotFound, OutsideWorkspace.

    A file beside which no log stands is read as one that nobody changes, so that nothing appears beside it.
    """
    import apsw

    with named(path):
        pass  # SQLite would wait for a pipe, and does not say why something cannot be opened
    calm = not any(os.path.exists(f"{path}{ending}") for ending in ("-wal", "-journal"))
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro{'&immutable=1' if calm else ''}"
    try:
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            _restrict(connection)
            database = Database(connection)
        except apsw.Error:
            connection.close()
            raise
    except (apsw.Error, UnicodeError) as error:
        hint = "if a program has it open, close that program, or name a copy (with its -wal file)"
        raise BadArgument(f"{path!r} cannot be read as a SQLite database: {error}", path=path, hint=hint) from None
    try:
        yield database
    finally:
        connection.close()


def _restrict(connection: apsw.Connection) -> None:
    """Nothing in the file may do anything: no functions of its schema, no writes."""
    import apsw

    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.execute("pragma query_only = on")
    connection.execute("pragma mmap_size = 0")


def _query(table: str, columns: Sequence[str], order: Sequence[str]) -> str:
    """Each column with its size, and as bytes: of one that is too long nothing is loaded."""
    shown = [f"octet_length({one}), iif(octet_length({one}) <= {MOST_VALUE_BYTES}, cast({one} as blob), null)"
             for one in map(_name, columns)]  # fmt: skip
    ordered = f" order by {', '.join(map(_name, order))}" if order else ""
    return f"select rowid, {', '.join(shown)} from {_name(table)}{ordered}"  # noqa: S608 - names are quoted


def _name(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _pairs(columns: Sequence[str], found: Sequence[object]) -> Iterator[tuple[str, tuple[int, bytes | None]]]:
    for at, column in enumerate(columns):
        size, value = found[2 * at], found[2 * at + 1]
        yield column, (int(str(size or 0)), value if isinstance(value, bytes) else None)


def _row(table: str, number: int, found: dict[str, tuple[int, bytes | None]], need: Sequence[str]) -> Row | SetAside:
    values = {}
    for column, (size, value) in found.items():
        if value is None and size and column in need:
            return aside(table, number, f"`{column}` has {size} bytes, more than {MOST_VALUE_BYTES}")
        try:
            values[column] = (value or b"").decode()
        except UnicodeDecodeError:
            if column in need:
                return aside(table, number, f"`{column}` is not UTF-8", (value or b"").decode("utf-8", "replace"))
            values[column] = (value or b"").decode("utf-8", "replace")
    return Row(number, values)
