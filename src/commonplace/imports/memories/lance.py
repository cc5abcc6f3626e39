"""memory-lancedb's folder of tables, read batch by batch where the package `lancedb` is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.errors import BadArgument
from commonplace.imports.memories.exports import lance_row, read_lancedb
from commonplace.imports.memories.nouns import Memory, Place
from commonplace.imports.nouns import Blank, SetAside, Spot

TABLE = "memories"
BATCH = 500  # rows
LEFT_OUT = "vector"
OTHERWISE = "`pip install lancedb`, or export the rows: `openclaw ltm list > memories.json`, and import that file"
Item = Memory | SetAside | Blank


def read(place: Place) -> Iterator[Item]:
    """The rows of the table, or of an export of it. Raises BadArgument."""
    if not place.is_folder:
        yield from read_lancedb(place)
        return
    for at, row in enumerate(_rows(place.path), 1):
        yield lance_row(row, Spot(0, at))


def _rows(folder: str) -> Iterator[dict[str, Any]]:
    try:
        import lancedb
    except ImportError:
        message = "a folder of LanceDB tables cannot be read without the package `lancedb`"
        raise BadArgument(message, path=folder, hint=OTHERWISE) from None
    try:
        table = lancedb.connect(folder).open_table(TABLE)
        columns = [name for name in table.schema.names if name != LEFT_OUT]
        for batch in table.search().select(columns).limit(None).to_batches(BATCH):
            yield from batch.to_pylist()
    except (ValueError, OSError, RuntimeError) as error:
        said = str(error).partition("\n")[0][:200]
        raise BadArgument(
            f"{folder!r} holds no readable table {TABLE!r}: {said}", path=folder, hint=OTHERWISE
        ) from None
