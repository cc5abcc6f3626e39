"""Records for packs, and a stand-in for a tokenizer."""

from __future__ import annotations

import re

from commonplace.model import Record, Source

NOW = "2026-01-02T03:04"
PIECE = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> int:
    """A stand-in for a tokenizer: words and signs."""
    return len(PIECE.findall(text))


def a_record(record_id: str, text: str, path: str = "memory/notes.md", **more: object) -> Record:
    line = sum(map(ord, record_id)) % 900 + 1
    return Record(record_id, text, Source(path, line, line, 0, len(text), "d"), **more)


ESSAY = a_record(
    "essay",
    "The morning was slow. Everyone slept until nine.\nPeter flew home to Lisbon on the late plane. "
    "Nobody cooked. We ate bread and olives. Peter had left his passport in the riad. The evening was quiet.",
    heading=("Trip",),
)
