"""Lessons that repeat: what stands in `.learnings/` three times and more is a candidate for a home of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from commonplace import files
from commonplace.text import one_line

FOLDER = ".learnings"
FILES = ("ERRORS.md", "LEARNINGS.md", "FEATURE_REQUESTS.md")
REPEATS = 3
MOST_BYTES = 4_000_000


class Learning(Struct, frozen=True):
    """A line, how often it was written down, and where first: `path#L12`."""

    text: str
    times: int
    citations: tuple[str, ...]

    @property
    def is_candidate(self) -> bool:
        """Whether it repeats often enough to be proposed as a lesson."""
        return self.times >= REPEATS


def learnings(root: str) -> tuple[Learning, ...]:
    """The lines of the three files, most repeated first; case, blanks, dates and list marks aside."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in FILES:
        path = f"{FOLDER}/{name}"
        data = files.find(root, path, MOST_BYTES)
        for number, line in _entries(data or b""):
            found.setdefault(_same(line), []).append((line, f"{path}#L{number}"))
    every = [Learning(said[0][0], len(said), tuple(cited for _line, cited in said)) for said in found.values()]
    return tuple(sorted(every, key=lambda one: (-one.times, one.citations[0])))


def _entries(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        said = one_line(line.strip().lstrip("-*+ "))
        if said and not said.startswith(("#", ">", "<!--")):
            yield number, re.sub(r"^\[?\d{4}-\d\d-\d\d[T\d:]*\]?[:,]? *", "", said)


def _same(line: str) -> str:
    return " ".join(line.casefold().rstrip(" .!").split())
