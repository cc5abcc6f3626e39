"""The bytes of a file as numbered lines, with the offset of each and what is wrong with the bytes."""

from __future__ import annotations

from itertools import accumulate

from msgspec import Struct

from commonplace.model import Problem, Source
from commonplace.workspace.ids import digest

BOM = b"\xef\xbb\xbf"
CR = 13


class Page(Struct):
    """A file in lines (from 0, a trailing CR kept); `starts` are their byte offsets, and one for after the last."""

    path: str
    data: bytes
    lines: list[str]
    starts: list[int]
    problems: list[Problem]

    def source(self, first: int, last: int) -> Source:
        """Where the lines `first` to `last` stand, with the digest of their bytes."""
        start, end = self.starts[first], self.starts[last + 1] - 1
        if end > start and self.data[end - 1] == CR:
            end -= 1
        return Source(self.path, first + 1, last + 1, start, end, digest(self.data[start:end]))

    def complain(self, code: str, message: str, line: int, hint: str = "") -> None:
        """Note a problem on the line with this index."""
        self.problems.append(Problem(code, message, self.path, line + 1, hint))


def read_page(path: str, data: bytes) -> Page:
    """Decode and split; whatever the bytes are, every one of them belongs to a line or to the byte order mark."""
    skipped = len(BOM) if data.startswith(BOM) else 0
    body = data[skipped:]
    page = Page(path, data, [], [], [])
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        text = body.decode("utf-8", "replace")
        page.complain("invalid-utf8", "bytes that are not UTF-8", body.count(b"\n", 0, error.start), "save as UTF-8")
    if b"\0" in body:
        page.complain("nul-byte", "a NUL byte", body.count(b"\n", 0, body.index(b"\0")), "is this a text file?")
    page.lines = text.split("\n")
    lengths = map(len, page.lines if text.isascii() else body.split(b"\n"))
    page.starts = list(accumulate(lengths, lambda offset, length: offset + length + 1, initial=skipped))
    return page
