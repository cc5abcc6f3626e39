"""What was hidden long enough to be erased, and what came back although it was forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TypeVar

from msgspec import Struct, convert, to_builtins

from commonplace.index import HiddenPlace, Index
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, Journal, parse_json_line
from commonplace.storage.tombstones import SALT_BYTES
from commonplace.storage.workspace import parse_document
from commonplace.sync import FORGOTTEN_OP, find_forgotten_places
from commonplace.upkeep.forget.erasure import without_texts
from commonplace.upkeep.forget.matching import TextMatcher, describe_texts

DAY_CHARS = len("YYYY-MM-DD")
Kept = TypeVar("Kept", bound=Struct)


class DueTexts(Struct, frozen=True):
    """The places of texts that are to be erased; `next_day` is the day on which more are, empty if none are hidden."""

    places: tuple[HiddenPlace, ...] = ()
    next_day: str = ""


def find_due(index: Index, journal: Journal, now: str, days: int) -> DueTexts:
    """What was hidden so many days ago, or, with 0, what was erased and came back with another device or a backup."""
    hidden = index.hidden_places()
    if not hidden:
        return DueTexts()
    hidden_since: dict[str, str] = {}
    for reading in journal.read_batches("ledger"):
        for line in (entry.fields for entry in reading.entries if entry.fields.get("op") == FORGOTTEN_OP):
            since = "" if line.get("erased") else line["ts"][:DAY_CHARS]
            for record_id in line.get("records") or ():
                hidden_since[record_id] = min(since, hidden_since.get(record_id, since))
    due_days = {one: _day_after(since, days) if since else "" for one, since in hidden_since.items()}
    is_kept = {one for one, since in hidden_since.items() if since and not days}
    due = tuple(place for place in hidden if place.id not in is_kept and due_days.get(place.id, "") <= now[:DAY_CHARS])
    later = [due_days[one.id] for one in hidden if one not in due and one.id not in is_kept and one.id in due_days]
    return DueTexts(due, min(later, default=""))


def find_returned(root: str, index: Index, max_bytes: int) -> tuple[HiddenPlace, ...]:
    """The lines of journals and Markdown that have a tombstone."""
    found = find_forgotten_places(root, index.files(), max_bytes)
    return tuple(HiddenPlace(one.path, one.line, one.line, one.id) for one in found)


def describe_places(root: str, places: Sequence[HiddenPlace], salt: bytes, max_bytes: int) -> TextMatcher:
    """The texts at some places, to be erased."""
    by_path: dict[str, list[HiddenPlace]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    texts = [
        text for path, own in by_path.items() for text in _read_texts(path, files.read_file(root, path, max_bytes), own)
    ]
    return describe_texts(texts, (), dict.fromkeys(place.id for place in places if place.id), salt)


def match_hidden(root: str, index: Index) -> TextMatcher | None:
    """What recognises the texts that are hidden and still in a file; None if there are none."""
    places = index.hidden_places()
    return describe_places(root, places, bytes(SALT_BYTES), files.MAX_FILE_BYTES) if places else None


def without_hidden(root: str, index: Index, shown: Kept) -> Kept:
    """A Struct without the texts that are hidden."""
    matcher = match_hidden(root, index)
    return convert(without_texts(to_builtins(shown), matcher), type(shown)) if matcher else shown


def _read_texts(path: str, data: bytes, places: list[HiddenPlace]) -> list[str]:
    """The texts at some places of a file: of captures, of records, else the lines themselves."""
    lines = data.split(b"\n")
    if path.startswith(JOURNAL_FOLDER):
        read = (parse_json_line(lines[place.first_line - 1]) for place in places if place.first_line <= len(lines))
        return [str(fields.get("text") or "") for fields in read if isinstance(fields, dict)]
    starts = {place.first_line for place in places}
    records = [record for record in parse_document(path, data).records if record.source.line_start in starts]
    rest = starts - {record.source.line_start for record in records}
    titles = [
        lines[number - 1].decode("utf-8", "replace").lstrip("# ") for number in sorted(rest) if number <= len(lines)
    ]
    return [record.text for record in records] + titles


def _day_after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()
