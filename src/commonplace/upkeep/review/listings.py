"""Two lists for a person: the tags of the notebook with their records, and the learnings that repeat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from commonplace.errors import NotFound
from commonplace.index import Filter, Index
from commonplace.language.text import fold_name, sanitize_line
from commonplace.model import Record
from commonplace.storage import files

MAX_SUGGESTIONS = 3


class Tag(Struct, frozen=True):
    """A tag as it is written most often, the records that bear it, and the files in which they stand."""

    name: str
    records: int
    paths: tuple[str, ...]


def list_tags(index: Index) -> tuple[Tag, ...]:
    """Every tag, case aside, most borne first."""
    spelled: dict[str, Counter[str]] = {}
    paths: dict[str, dict[str, None]] = {}
    for tag, path in index.tagged_paths():
        key = fold_name(tag)
        spelled.setdefault(key, Counter())[tag] += 1
        paths.setdefault(key, {})[path] = None
    order = sorted(spelled, key=lambda key: (-spelled[key].total(), key))
    return tuple(
        Tag(spelled[key].most_common(1)[0][0], spelled[key].total(), tuple(sorted(paths[key]))) for key in order
    )


def find_tagged_records(index: Index, name: str, limit: int) -> tuple[Record, ...]:
    """The newest records that bear a tag, case aside. Raises NotFound, which names tags that are near."""
    wanted = fold_name(name.removeprefix("#"))
    written = {tag for tag, _path in index.tagged_paths()}
    row_ids = {row_id for tag in written if fold_name(tag) == wanted for row_id in index.rows_with_tag(tag)}
    if not row_ids:
        import difflib

        raise NotFound(
            "tag", name, tuple(difflib.get_close_matches(wanted, sorted(set(map(fold_name, written))), MAX_SUGGESTIONS))
        )
    newest = index.newest_of_rows(index.token_counts(row_ids, Filter(evidence="none")), limit)
    found = index.fetch(newest)
    return tuple(found[row_id].record for row_id in newest)


LEARNINGS_FOLDER = ".learnings"
LEARNINGS_FILES = ("ERRORS.md", "LEARNINGS.md", "FEATURE_REQUESTS.md")
MIN_REPEATS = 3
MAX_FILE_BYTES = 4_000_000


class Learning(Struct, frozen=True):
    """A line, how often it was written down, and where first: `path#L12`."""

    text: str
    times: int
    citations: tuple[str, ...]

    @property
    def is_candidate(self) -> bool:
        """Whether it repeats often enough to be proposed as a lesson."""
        return self.times >= MIN_REPEATS


def read_learnings(root: str) -> tuple[Learning, ...]:
    """The lines of the three files, most repeated first; case, blanks, dates and list marks aside."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in LEARNINGS_FILES:
        path = f"{LEARNINGS_FOLDER}/{name}"
        data = files.read_file_if_exists(root, path, MAX_FILE_BYTES)
        for number, line in _read_learning_lines(data or b""):
            found.setdefault(_normalize_learning(line), []).append((line, f"{path}#L{number}"))
    every = [Learning(said[0][0], len(said), tuple(cited for _line, cited in said)) for said in found.values()]
    return tuple(sorted(every, key=lambda one: (-one.times, one.citations[0])))


def _read_learning_lines(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        said = sanitize_line(line.strip().lstrip("-*+ "))
        if said and not said.startswith(("#", ">", "<!--")):
            yield number, re.sub(r"^\[?\d{4}-\d\d-\d\d[T\d:]*\]?[:,]? *", "", said)


def _normalize_learning(line: str) -> str:
    return " ".join(line.casefold().rstrip(" .!").split())
