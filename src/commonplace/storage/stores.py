"""The one list of the places below `.memory` where something is kept, and what erasing a text does in each."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

StoreKind = Literal[
    "chain",  # JSON lines, each linked to the one before: an erased line becomes a stub
    "lines",  # JSON lines, or other lines: an erased one goes
    "values",  # a JSON document: an erased value goes
    "whole",  # a file that has an erased text in it goes
    "cache",  # made anew from the other files
    "digests",  # holds no text
    "machine",  # the same, and belongs to one machine: it is not copied
]
STATE_FOLDER = ".memory"
TOMBSTONE_PREFIX = f"{STATE_FOLDER}/tombstones-"
STORES: dict[str, StoreKind] = {  # by the beginning of the path
    ".memory/.gitignore": "digests",
    ".memory/artifacts": "whole",
    ".memory/backups.json": "machine",
    ".memory/buffer-rotation.json": "whole",
    ".memory/changes": "whole",
    ".memory/doing": "machine",
    ".memory/failed-consolidation.json": "whole",
    ".memory/forgotten": "digests",
    ".memory/golden.json": "values",
    ".memory/index.sqlite": "cache",
    ".memory/journal": "chain",
    ".memory/key": "machine",
    ".memory/locks": "machine",
    ".memory/masked": "machine",
    ".memory/model-cache": "whole",
    ".memory/models-usage.json": "machine",
    ".memory/off-record.json": "digests",
    ".memory/receipts": "chain",
    ".memory/schedule.json": "digests",
    ".memory/sessions": "values",
    ".memory/set-aside": "lines",
    TOMBSTONE_PREFIX: "digests",
    ".memory/turns": "values",
    ".memory/vectors.sqlite": "cache",
}


class ErasableFile(Struct, frozen=True):
    """A file of the workspace, and what erasing a text does in it; `text` is a file of the person."""

    path: str
    kind: StoreKind | Literal["text"]


def classify_file(path: str) -> ErasableFile:
    """The file with what erasing does in it; an unknown one below `.memory` loses the lines that have the text."""
    if not path.startswith(f"{STATE_FOLDER}/"):
        return ErasableFile(path, "text")
    return ErasableFile(path, next((kind for start, kind in STORES.items() if path.startswith(start)), "lines"))
