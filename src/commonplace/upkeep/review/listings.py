"""Two lists for a person: the tags of the workspace with their records, and the learnings that repeat."""

from __future__ import annotations

import re
from collections import Counter

from msgspec import Struct

from commonplace.errors import NotFound, closest_names
from commonplace.index import Filter, Index
from commonplace.language.text import fold_name, sanitize_line
from commonplace.model import Record
from commonplace.storage import files

MAX_SUGGESTIONS = 3


class Tag(Struct, frozen=True):
    """A tag in its most frequent spelling, the number of its records, and their files."""

    name: str
    records: int
    paths: tuple[str, ...]


def list_tags(index: Index) -> tuple[Tag, ...]:
    """All tags, ignoring case, most frequent first."""
    spellings: dict[str, Counter[str]] = {}
    paths: dict[str, dict[str, None]] = {}
    for tag, path, _row in index.tagged_rows():
        key = fold_name(tag)
        spellings.setdefault(key, Counter())[tag] += 1
        paths.setdefault(key, {})[path] = None
    order = sorted(spellings, key=lambda key: (-spellings[key].total(), key))
    found = ((spellings[key], paths[key]) for key in order)
    return tuple(Tag(words.most_common(1)[0][0], words.total(), tuple(sorted(at))) for words, at in found)


def find_tagged_records(index: Index, name: str, limit: int) -> tuple[Record, ...]:
    """The newest records with a tag, ignoring case. Raises NotFound, which names similar tags."""
    key = fold_name(name.removeprefix("#"))
    tagged = [(fold_name(tag), row_id) for tag, _path, row_id in index.tagged_rows()]
    row_ids = {row_id for tag, row_id in tagged if tag == key}
    if not row_ids:
        raise NotFound("tag", name, closest_names(key, sorted({tag for tag, _row in tagged}), MAX_SUGGESTIONS))
    newest = index.newest_of_rows(index.token_counts(row_ids, Filter(evidence="none")), limit)
    rows = index.fetch(newest)
    return tuple(rows[row_id].record for row_id in newest)


LEARNINGS_FOLDER = ".learnings"
LEARNINGS_FILES = ("ERRORS.md", "LEARNINGS.md", "FEATURE_REQUESTS.md")
MIN_REPEATS = 3
MAX_FILE_BYTES = 4_000_000


class Learning(Struct, frozen=True):
    """A line, how often it was written down, and its citations: `path#L12`."""

    text: str
    times: int
    citations: tuple[str, ...]

    @property
    def is_candidate(self) -> bool:
        """Whether it repeats often enough to be suggested as a lesson."""
        return self.times >= MIN_REPEATS


def read_learnings(root: str) -> tuple[Learning, ...]:
    """The lines of the three files, most repeated first; case, blanks, dates and list marks are ignored."""
    repeats: dict[str, list[tuple[str, str]]] = {}
    for path in (f"{LEARNINGS_FOLDER}/{name}" for name in LEARNINGS_FILES):
        text = (files.read_file_if_exists(root, path, MAX_FILE_BYTES) or b"").decode("utf-8", "replace")
        for number, words in enumerate((sanitize_line(one.strip().lstrip("-*+ ")) for one in text.split("\n")), 1):
            if words and not words.startswith(("#", ">", "<!--")):
                line = re.sub(r"^\[?\d{4}-\d\d-\d\d[T\d:]*\]?[:,]? *", "", words)
                key = " ".join(line.casefold().rstrip(" .!").split())
                repeats.setdefault(key, []).append((line, f"{path}#L{number}"))
    learnings = [Learning(same[0][0], len(same), tuple(cited for _line, cited in same)) for same in repeats.values()]
    return tuple(sorted(learnings, key=lambda one: (-one.times, one.citations[0])))
