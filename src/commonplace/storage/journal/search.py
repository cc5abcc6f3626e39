"""Find the lines of JSON Lines files that contain some bytes, without decoding the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import entries


class MatchingLine(Struct, frozen=True):
    """A whole line with its file and its 1-based number."""

    path: str
    line_number: int
    raw_line: bytes


def find_lines(root: str, paths: Iterable[str], needles: Sequence[bytes]) -> Iterator[MatchingLine | Problem]:
    """The lines that contain any of `needles`, in the order of files and lines; what cannot be read is a problem."""
    for path in paths:
        try:
            data = files.read_file(root, path)
        except (NotFound, OutsideWorkspace) as error:
            yield Problem("unreadable", error.message, path)
            continue
        present = [needle for needle in needles if needle in data]
        *raw_lines, _torn = data.split(b"\n") if present else [b""]
        for number, raw_line in enumerate(raw_lines, 1):
            if any(needle in raw_line for needle in present):
                yield MatchingLine(path, number, raw_line)


def read_ledger_lines(root: str, beginnings: Sequence[str]) -> Iterator[Json | Problem]:
    """The lines of the ledger in which an id or another text begins with one of these; what cannot be read is a
    problem."""
    needles = [f'"{text}'.encode("utf-8", "replace") for text in beginnings]
    paths = [f"{entries.JOURNAL_FOLDER}/{name}" for name in entries.list_stream_sizes(root, "ledger")]
    for line in find_lines(root, paths, needles):
        if isinstance(line, Problem):
            yield line
            continue
        entry = entries.decode_journal_line(line.raw_line, line.path, line.line_number)
        if isinstance(entry, Problem):
            yield entry
        elif not entries.is_stub(entry.fields):
            yield entry.fields
