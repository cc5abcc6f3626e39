"""The search syntax for people: filters and exact phrases among the words of a search.

    search = (filter | phrase | word)*
    filter = ("path" | "tag" | "entity" | "kind" | "before" | "after") ":" (VALUE | '"' VALUE '"')
    phrase = '"' WORDS '"'

A filter stands behind a blank, has none behind its colon, and a value that means something; all else is words.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from commonplace.index import Index
from commonplace.language import text, when
from commonplace.lazy import lazy_pattern
from commonplace.model import CATEGORIES, KINDS, SearchFilters
from commonplace.retrieval.recall.entity_names import find_declared_aliases
from commonplace.retrieval.recall.required_rows import matches_path

_PART = lazy_pattern(
    r"""(?<!\S)(?:(?P<name>path|tag|entity|kind|before|after):(?:["“](?P<quoted>[^"“”]+)["”]|(?P<value>[^\s"“”]+))"""
    r"""|["“](?P<phrase>[^"“”]+)["”])(?=[\s.,;:!?)]|$)"""
)
_TRAILING_SIGNS = ".,;:!?)"

Arguments = dict[str, str]  # of a recall, and the value of each


def has_search_syntax(written: str) -> bool:
    """Whether a text may have filters or phrases."""
    return _PART.search(written) is not None


def parse_search(written: str, understand: Callable[[str, str], Arguments]) -> SearchFilters:
    """Take a search apart. `understand` takes the name of a filter and its value, and returns the arguments that they
    are, none for a value that means nothing: that stays among the words. So do the words of phrases."""
    filters: dict[str, Any] = {}
    left, end = "", 0
    for part in _PART.finditer(written):
        if part["phrase"]:
            found = {"phrases": part["phrase"].strip()} if any(map(str.isalnum, part["phrase"])) else {}
        else:
            value = part["quoted"] or part["value"]
            bare = value.rstrip(_TRAILING_SIGNS)
            found = (understand(part["name"], bare) if bare else {}) or understand(part["name"], value.strip())
            if found:
                left, end = left + written[end : part.start()], part.end()
        for name, value in found.items():
            filters[name] = (*filters.get(name, ()), value)
    since, until = filters.pop("since", ("",)), filters.pop("until", ("",))
    words = " ".join((left + written[end:]).split()) if end else written
    return SearchFilters(words, since=max(since), until=min(until), **filters)


def read_search(index: Index, written: str, now: str) -> SearchFilters:
    """Take a search apart by what there is: files, tags, names of entities, kinds and categories; times are read
    against `now`."""

    def understand(name: str, value: str) -> Arguments:
        return _READERS[name](index, value, now)

    return parse_search(written, understand)


def _read_path(index: Index, value: str, _now: str) -> Arguments:
    is_known = value.strip("/") and any(matches_path(path, value) for path in index.stamps())
    return {"paths": value} if is_known else {}


def _read_tag(index: Index, value: str, _now: str) -> Arguments:
    tag = value.removeprefix("#")
    is_known = text.name_key(tag) in map(text.name_key, index.tags())
    return {"tags": tag} if tag and is_known else {}


def _read_entity(index: Index, value: str, _now: str) -> Arguments:
    key = text.name_key(value)
    is_known = key and (index.existing_name_keys((key,)) or find_declared_aliases(index, (key,)))
    return {"entities": value} if is_known else {}


def _read_kind(_index: Index, value: str, _now: str) -> Arguments:
    return {"kinds": value} if value in KINDS else {"categories": value} if value in CATEGORIES else {}


def _read_before(_index: Index, value: str, now: str) -> Arguments:
    """Up to the minute before the time begins."""
    interval = when.resolve_interval(value, now)
    if interval is None or interval.start <= "0001-01-02":
        return {}
    last = datetime.fromisoformat(interval.start) - timedelta(minutes=1)
    return {"until": last.isoformat(timespec="minutes")}


def _read_after(_index: Index, value: str, now: str) -> Arguments:
    """From the minute on at which the time is over."""
    interval = when.resolve_interval(value, now)
    return {"since": interval.end} if interval is not None and interval.end else {}


_READERS: dict[str, Callable[[Index, str, str], Arguments]] = {
    "path": _read_path,
    "tag": _read_tag,
    "entity": _read_entity,
    "kind": _read_kind,
    "before": _read_before,
    "after": _read_after,
}
