"""What was hidden long enough to be erased."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TypeVar

from msgspec import Struct, convert, to_builtins

from commonplace.index import HiddenPlace, Index
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, Journal, parse_json_line
from commonplace.storage.tombstones import random_salt
from commonplace.storage.workspace import QUEUE_PATH, parse_document
from commonplace.sync import FORGOTTEN_OP, artifact_name, detail_of, split_reason
from commonplace.upkeep.forget.erasure import TextMatcher, describe_texts, without_texts

DAY_CHARS, NEVER = len("YYYY-MM-DD"), "9999-12-31"
Kept = TypeVar("Kept", bound=Struct)


class DueTexts(Struct, frozen=True):
    """The places of texts that are to be erased; `next_day` is the day on which more are, empty if none are hidden."""

    places: tuple[HiddenPlace, ...] = ()
    next_day: str = ""


def find_due(index: Index, journal: Journal, now: str, days: int) -> DueTexts:
    """What was hidden so many days ago, or, with 0, what was erased and came back with another device or a backup."""
    hidden = _hidden_places(index)
    if not hidden:
        return DueTexts()
    hidden_since: dict[str, str] = {}
    for reading in journal.read_batches("ledger"):
        for line in (entry.fields for entry in reading.entries if entry.fields.get("op") == FORGOTTEN_OP):
            since = "" if line.get("erased") else line["ts"][:DAY_CHARS]
            for record_id in line.get("records") or ():
                hidden_since[record_id] = min(since, hidden_since.get(record_id, since))
    due_days = {
        one: "" if not since else (date.fromisoformat(since) + timedelta(days)).isoformat() if days else NEVER
        for one, since in hidden_since.items()
    }
    today = now[:DAY_CHARS]
    due = tuple(place for place in hidden if due_days.get(place.id, "") <= today)
    return DueTexts(
        due, min((day for place in hidden if today < (day := due_days.get(place.id, "")) < NEVER), default="")
    )


def describe_places(
    root: str, places: Sequence[HiddenPlace], returned: Iterable[tuple[str, str]], salt: str
) -> TextMatcher:
    """The texts at some places, to be erased, and what came back elsewhere: names of artifacts, and texts."""
    by_path: dict[str, list[HiddenPlace]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    named = [*((place.id, "") for place in places), *returned]
    for path, own in by_path.items():
        named += _read_texts(path, files.read_file(root, path), own)
    names = dict.fromkeys(name for name, _text in named if name)
    return describe_texts([text for _name, text in named if text], (), names, salt)


def find_hidden(index: Index, journal: Journal, references: Sequence[str]) -> tuple[HiddenPlace, ...]:
    """The places of what is hidden, by its ids or the id of a ledger line that hid it; none unless each has one."""
    entries = (entry.fields for reading in journal.read_batches("ledger") for entry in reading.entries)
    records = {line["id"]: line["records"] for line in entries if line.get("op") == FORGOTTEN_OP}
    ids = [frozenset(records.get(one, (one,))) for one in references]
    places = tuple(place for place in _hidden_places(index) if any(place.id in own for own in ids))
    return () if any(own.isdisjoint(place.id for place in places) for own in ids) else places


def match_hidden(root: str, index: Index) -> TextMatcher | None:
    """What recognises the texts that are hidden and still in a file; None if there are none."""
    places = _hidden_places(index)
    return describe_places(root, places, (), random_salt()) if places else None


def without_hidden(root: str, index: Index, shown: Kept) -> Kept:
    """A Struct without the texts that are hidden."""
    matcher = match_hidden(root, index)
    return convert(without_texts(to_builtins(shown), matcher), type(shown)) if matcher else shown


def _hidden_places(index: Index) -> tuple[HiddenPlace, ...]:
    """The places of what is hidden, but of items of the queue whose reason alone is: it only quotes others."""
    reasons = {one for one, parts in index.hidden_sentences().items() if all(part == part[:1] * 2 for part in parts)}
    return tuple(one for one in index.hidden_places() if one.path != QUEUE_PATH or one.id not in reasons)


def _read_texts(path: str, data: bytes, places: list[HiddenPlace]) -> list[tuple[str, str]]:
    """The texts at some places of a file, of captures with the names of their artifacts: of records, else the lines
    themselves."""
    lines = data.split(b"\n")
    starts = {place.first_line for place in places if place.first_line <= len(lines)}
    if path.startswith(JOURNAL_FOLDER):
        read = (parse_json_line(lines[number - 1]) for number in sorted(starts))
        captures = (fields for fields in read if isinstance(fields, dict))
        return [(artifact_name(detail_of(fields)), str(fields.get("text") or "")) for fields in captures]
    records = [record for record in parse_document(path, data).records if record.source.line_start in starts]
    titles = starts - {record.source.line_start for record in records}
    texts = [split_reason(record)[0] for record in records]
    texts += (lines[number - 1].decode("utf-8", "replace").lstrip("# ") for number in sorted(titles))
    return [("", text) for text in texts]
