"""Opens SQLite files of other programs read-only, and reads their tables row by row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct

from commonplace.capture.imports.events import NoEvent, ParseFailure, SetAside, StreamPosition
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryItem, locate_memory, reject_item
from commonplace.errors import BadArgument
from commonplace.storage.files import open_user_file

if TYPE_CHECKING:
    import apsw
MAX_VALUE_BYTES = 4 << 20
SQLITE_MAGIC = b"SQLite format 3\0"


class TableRow(Struct):
    """A row: its number, and its columns as texts; one that the table lacks, or NULL, is empty."""

    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values.get(column, "")

    def memory_fields(self, fields: str) -> dict[str, Any]:
        """Fields of an ImportedMemory by their names, or by `name:column`; one without a time has none."""
        pairs = (field.partition(":") for field in fields.split())
        values: dict[str, Any] = {name: self[column or name] for name, _colon, column in pairs}
        return values | {"time": values.get("time") or None}


class ForeignDatabase:
    """An open database: its tables with their columns, and their rows one by one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        found = connection.execute("select name from sqlite_schema where type = 'table' order by name").fetchall()
        self.tables: dict[str, tuple[str, ...]] = {}
        for (name,) in found:
            columns = connection.execute(f"pragma table_info({_quote_identifier(str(name))})").fetchall()
            self.tables[str(name)] = tuple(str(column[1]) for column in columns)

    def has_columns(self, table: str, *columns: str) -> bool:
        """Whether there is a table (not a view) of this name with these columns."""
        return set(columns) <= set(self.tables.get(table, ()))

    def read_memories(
        self,
        table: str,
        required_columns: Sequence[str],
        optional_columns: Sequence[str],
        convert: Callable[[TableRow], ImportedMemory | NoEvent | ParseFailure],
    ) -> Iterator[MemoryItem]:
        """The memories that `convert` makes of each row of a table, located by the table and the row's number."""
        for row in self.read_rows(table, required_columns, optional_columns):
            if isinstance(row, TableRow):
                yield locate_memory(convert(row), table, StreamPosition(0, row.number))
            else:
                yield row

    def read_rows(
        self,
        table: str,
        required_columns: Sequence[str],
        optional_columns: Sequence[str] = (),
        *,
        order: Sequence[str] = (),
    ) -> Iterator[TableRow | SetAside]:
        """The rows of a table; one in which a required column is too long or no UTF-8 is set aside, as one also all
        that is behind a place where the file is damaged. Raises BadArgument where there is no such table."""
        import apsw

        if table not in self.tables:
            raise BadArgument(f"this database has no table {table!r}", hint="leave out --format, or name another file")
        columns = [name for name in (*required_columns, *optional_columns) if name in self.tables[table]]
        number = 0
        try:
            for number, *sizes_and_values in self._connection.execute(_build_select(table, columns, order)):
                pairs = zip(sizes_and_values[::2], sizes_and_values[1::2], strict=True)
                row = dict(zip(columns, pairs, strict=True))
                yield _decode_row(table, int(number or 0), row, required_columns)
        except apsw.Error as error:
            yield reject_item(table, 0, f"the database cannot be read after row {number}: {error}")


@contextmanager
def open_foreign_database(path: str) -> Iterator[ForeignDatabase]:
    """A database that is only read; without a log beside it as immutable, so that nothing appears there. Raises
    BadArgument if it is not one, NotFound, OutsideWorkspace."""
    import apsw

    with open_user_file(path):
        pass  # SQLite would wait for a pipe, and does not say why something cannot be opened
    immutable = not any(os.path.exists(f"{path}{ending}") for ending in ("-wal", "-journal"))
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro{'&immutable=1' if immutable else ''}"
    with ExitStack() as stack:
        try:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            connection = stack.enter_context(closing(apsw.Connection(uri, flags=flags)))
            # Nothing in the file may do anything: no functions of its schema, no writes.
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.execute("pragma query_only = on")
            connection.execute("pragma mmap_size = 0")
            database = ForeignDatabase(connection)
        except (apsw.Error, UnicodeError) as error:
            hint = "if a program has it open, close that program, or name a copy (with its -wal file)"
            message = f"{path!r} cannot be read as a SQLite database: {error}"
            raise BadArgument(message, path=path, hint=hint) from None
        yield database


def _build_select(table: str, columns: Sequence[str], order: Sequence[str]) -> str:
    """Each column with its size, and as bytes: of one that is too long nothing is loaded."""
    shown = [f"octet_length({one}), iif(octet_length({one}) <= {MAX_VALUE_BYTES}, cast({one} as blob), null)"
             for one in map(_quote_identifier, columns)]  # fmt: skip
    ordered = f" order by {', '.join(map(_quote_identifier, order))}" if order else ""
    return f"select rowid, {', '.join(shown)} from {_quote_identifier(table)}{ordered}"  # noqa: S608 - names are quoted


def _quote_identifier(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _decode_row(
    table: str, row_number: int, sized_values: dict[str, tuple[Any, Any]], required_columns: Sequence[str]
) -> TableRow | SetAside:
    values = {}
    for column, (size, value) in sized_values.items():
        if value is None and size and column in required_columns:
            return reject_item(table, row_number, f"`{column}` has {size} bytes, more than {MAX_VALUE_BYTES}")
        values[column] = text = (value or b"").decode("utf-8", "replace")
        if column in required_columns and "\ufffd" in text and text.encode() != value:
            return reject_item(table, row_number, f"`{column}` is not UTF-8", text)
    return TableRow(row_number, values)
