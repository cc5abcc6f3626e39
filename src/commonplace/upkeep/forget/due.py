"""What was hidden long enough to be erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from commonplace.index import HiddenPlace, Index
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, Journal, parse_json_line
from commonplace.storage.workspace import parse_document
from commonplace.sync import FORGOTTEN_OP
from commonplace.upkeep.forget.matching import TextMatcher, describe_texts

DAY_CHARS, NEVER = len("YYYY-MM-DD"), "9999-12-31"


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
    due_days = {
        one: "" if not since else (date.fromisoformat(since) + timedelta(days)).isoformat() if days else NEVER
        for one, since in hidden_since.items()
    }
    today = now[:DAY_CHARS]
    due = tuple(place for place in hidden if due_days.get(place.id, "") <= today)
    return DueTexts(
        due, min((day for place in hidden if today < (day := due_days.get(place.id, "")) < NEVER), default="")
    )


def describe_places(root: str, places: Sequence[HiddenPlace], max_bytes: int, salt: bytes) -> TextMatcher:
    """The texts at some places, to be erased."""
    by_path: dict[str, list[HiddenPlace]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    datas = ((path, files.read_file(root, path, max_bytes), own) for path, own in by_path.items())
    texts = [text for path, data, own in datas for text in _read_texts(path, data, own)]
    return describe_texts(texts, (), dict.fromkeys(place.id for place in places if place.id), salt)


def _read_texts(path: str, data: bytes, places: list[HiddenPlace]) -> list[str]:
    """The texts at some places of a file: of captures, of records, else the lines themselves."""
    lines = data.split(b"\n")
    starts = {place.first_line for place in places if place.first_line <= len(lines)}
    if path.startswith(JOURNAL_FOLDER):
        read = (parse_json_line(lines[number - 1]) for number in sorted(starts))
        return [str(fields.get("text") or "") for fields in read if isinstance(fields, dict)]
    records = [record for record in parse_document(path, data).records if record.source.line_start in starts]
    titles = starts - {record.source.line_start for record in records}
    return [record.text for record in records] + [
        lines[number - 1].decode("utf-8", "replace").lstrip("# ") for number in sorted(titles)
    ]
