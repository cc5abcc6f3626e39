"""Find the lines of JSON Lines files that contain some bytes, without decoding the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.journal.entries import BATCH_BYTES


class MatchingLine(Struct, frozen=True):
    """A whole line with its file and its 1-based number."""

    path: str
    line_number: int
    raw_line: bytes


def find_lines(
    root: str, paths: Iterable[str], needles: Sequence[bytes], batch_bytes: int = BATCH_BYTES
) -> Iterator[MatchingLine | Problem]:
    """The lines that contain any of `needles`, which have no newline, in the order of files and lines; a file that
    cannot be read is a problem. Files are read in batches of about `batch_bytes` bytes."""
    for path in paths:
        try:
            yield from _find_lines_in_file(root, path, needles, batch_bytes)
        except (NotFound, OutsideWorkspace) as error:
            yield Problem("unreadable", error.message, path)


def _find_lines_in_file(root: str, path: str, needles: Sequence[bytes], batch_bytes: int) -> Iterator[MatchingLine]:
    offset, line_count, size = 0, 0, batch_bytes
    while data := files.read_range(root, path, offset, size):
        end = data.rfind(b"\n") + 1
        if not end and len(data) < size:
            return  # a torn last line
        if not end:
            size *= 2  # a line longer than a batch
            continue
        present = [needle for needle in needles if needle in data]  # one by one is faster than all in one pattern
        pattern = re.compile(b"|".join(map(re.escape, present)))
        start, number = 0, line_count
        while present and (match := pattern.search(data, start, end)):
            number += data.count(b"\n", start, match.start())
            first, start = data.rfind(b"\n", 0, match.start()) + 1, data.index(b"\n", match.end()) + 1
            number += 1
            yield MatchingLine(path, number, data[first : start - 1])
        line_count += data.count(b"\n", 0, end)
        offset += end
