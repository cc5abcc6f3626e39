"""Scan files for what was erased, in every way in which bytes may hold a text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.shapes import iter_texts
from commonplace.storage import files
from commonplace.storage.journal import parse_json_line
from commonplace.upkeep.forget.matching import TextMatcher
from commonplace.upkeep.forget.views import decoded_views

MAX_SCANNED_BYTES = 1 << 30  # of one file
PRINTABLE_PATTERN = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ufffd]{3,}")


class RemainingText(Struct, frozen=True):
    """A file that still has an erased text, how it is encoded, and the line where that is plain (else 0)."""

    path: str
    view: str
    line: int = 0


class TextScan(Struct, frozen=True):
    """What a scan looked at, and what it found; `unread` are files that could not be read."""

    folders: tuple[str, ...]
    files: int
    bytes: int
    remaining: tuple[RemainingText, ...]
    unread: tuple[str, ...] = ()


def scan_folders(folders: tuple[str, ...], matcher: TextMatcher) -> TextScan:
    """Scan every plain file below folders; links are not followed."""
    remaining: list[RemainingText] = []
    unread: list[str] = []
    file_count = byte_count = 0
    for folder in folders:
        for path in files.walk_paths(folder):
            whole = os.path.join(folder, path)
            if path.endswith("/") or os.path.islink(whole) or not os.path.isfile(whole):
                continue
            try:
                data = files.read_file(folder, path, MAX_SCANNED_BYTES)
            except (NotFound, OutsideWorkspace):
                unread.append(whole)
                continue
            file_count, byte_count = file_count + 1, byte_count + len(data)
            remaining += (RemainingText(whole, view, line) for view, line in find_texts(path, data, matcher))
    return TextScan(folders, file_count, byte_count, tuple(remaining), tuple(unread))


def find_texts(path: str, data: bytes, matcher: TextMatcher) -> Iterator[tuple[str, int]]:
    """The views of a file that have an erased text, each once, with its first line where it is plain; and its name."""
    if matcher.match(path.replace("_", " ").replace("-", " ")):
        yield "name", 0
    views: set[str] = set()
    for view, part in decoded_views(data):
        if view not in views and (line := _matching_line(part, matcher)) >= 0:
            views.add(view)
            yield view, line if view == "plain" else 0


def _matching_line(data: bytes, matcher: TextMatcher) -> int:
    """The number of the first line that has an erased text; 0 where it runs over several lines, -1 if there is none."""
    runs: list[str] = []
    for number, raw_line in enumerate(data.split(b"\n"), 1):
        fields = parse_json_line(raw_line) if raw_line.startswith(b"{") else ""
        if isinstance(fields, str):
            runs += (texts := PRINTABLE_PATTERN.findall(raw_line.decode("utf-8", "replace")))
        if any(map(matcher.match, texts if isinstance(fields, str) else iter_texts(fields))):
            return number
    return 0 if matcher.contains(" ".join(runs)) else -1
