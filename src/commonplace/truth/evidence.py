"""What a line rests on: the first source that changed, and how sure an opinion is by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from commonplace.index import Filter, Index
from commonplace.lazy import lazy_pattern
from commonplace.model import CAPTURE_PREFIX, TRUSTS, Record
from commonplace.storage.workspace import ID_ALPHABET, is_valid_id

DERIVED_ID_CHARS = 12  # of a line without an `id:`
FIRST_CONFIDENCE = 0.8  # of an opinion that was kept without a `c=`, as of what is extracted
FIRST_WEIGHT = 4  # days of evidence that outweigh what was believed at first; each further day moves belief by less
REVIEW_QUEUE_PATH = "memory/pending.md"
MAX_QUEUE_LINES = 200  # of the last lines of the queue
ANY_RECORD = Filter()
# How a line of the queue names what it contradicts (`upkeep/consolidate/file_edits.py`)
_AGAINST = lazy_pattern(r"\[against ([a-z0-9, -]+)\]$")


class ChangedSource(Struct, frozen=True):
    """A source that changed: its id, what supersedes it (empty if it was removed), and the source that rests on it."""

    id: str
    superseded_by: str
    through: str


def names_record(source: str) -> bool:
    """Whether a source names a capture or a record, and no file, address or other thing."""
    if source.startswith(CAPTURE_PREFIX):
        return True
    is_derived = len(source) == DERIVED_ID_CHARS and set(source) <= set(ID_ALPHABET)
    return is_valid_id(source) and (is_derived or any(map(str.isdigit, source)))


def find_changed_source(record: Record, index: Index) -> ChangedSource | None:
    """The first source of a record that changed, or that rests on one that did; None if all are as they were. What the
    line itself, or another source of it, supersedes is no change: the line knows what replaced it."""
    visited = {record.id}
    pending = [(record, source, source) for source in record.sources]
    for line, source_id, through in pending:
        source = index.find(source_id)
        if source is None:  # where there are no captures, the journals are elsewhere
            is_gone = index.capture_count() > 0 and not index.find_captured_keys((source_id,))
            if is_gone if source_id.startswith(CAPTURE_PREFIX) else names_record(source_id):
                return ChangedSource(source_id, "", through)
            continue
        if source.superseded_by and source.superseded_by not in (line.id, *line.sources):
            return ChangedSource(source_id, source.superseded_by, through)
        if source.id not in visited:
            visited.add(source.id)
            pending += [(source, one, through) for one in source.sources]
    return None


def derive_confidence(first: float, days_for: int, days_against: int) -> float:
    """(4 · first + days for) / (4 + days for + days against), to two places."""
    return round((FIRST_WEIGHT * first + days_for) / (FIRST_WEIGHT + days_for + days_against), 2)


def derive_beliefs(index: Index, records: Sequence[Record]) -> tuple[Record, ...]:
    """The records; opinions that rest on something, or that something speaks for or against, with what is believed.

    For an opinion speak the days, after the first, of its sources and of those that the ledger says support it; against
    it, the days of what claims to replace it and does not, and of what waits for review. What is trusted less than the
    opinion, or belongs to another scope, does not count.
    """
    opinions = [one.id for one in records if one.kind == "opinion" and not one.is_evidence]
    if not opinions:
        return tuple(records)
    supporting, disputing = index.supporting_sources(opinions), find_disputes(index, opinions)
    derived = []
    for record in records:
        sources = [*record.sources, *(source for source, _time in supporting.get(record.id, ()))]
        disputes = [line for line in disputing.get(record.id, ()) if line.id != record.superseded_by]
        if record.id in opinions and (sources or disputes or record.confidence is not None):
            days = _days_of(_trusted_as(record, map(index.find, sources)))
            said = min(_days_of(map(index.find, record.sources)), default=record.time[:10])
            against = set()
            for line in _trusted_as(record, disputes):
                against |= _days_of(map(index.find, line.sources)) or _days_of([line])
            days_for, days_against = len(days - {said}), len(against)
            first = FIRST_CONFIDENCE if record.confidence is None else record.confidence
            believed = derive_confidence(first, days_for, days_against)
            record = structs.replace(record, believed=believed, days_for=days_for, days_against=days_against)
        derived.append(record)
    return tuple(derived)


def describe_belief(record: Record) -> str:
    """`believed 0.84 = (4 × 0.8 + 1) / (4 + 1 + 0): 1 day for it, 0 against`; empty without evidence."""
    days_for, days_against = record.days_for, record.days_against
    if record.believed is None or not (days_for or days_against):
        return ""
    first = FIRST_CONFIDENCE if record.confidence is None else record.confidence
    formula = f"({FIRST_WEIGHT} × {first:g} + {days_for}) / ({FIRST_WEIGHT} + {days_for} + {days_against})"
    days = "day" if days_for == 1 else "days"
    return f"believed {record.believed:g} = {formula}: {days_for} {days} for it, {days_against} against"


def find_disputes(
    index: Index, record_ids: Sequence[str], record_filter: Filter = ANY_RECORD
) -> dict[str, list[Record]]:
    """The records that contradict others, by their ids: those that claim to replace them, then pending items."""
    disputes: defaultdict[str, list[Record]] = defaultdict(list)
    pairs = index.supersession_claims(record_ids, record_filter)
    rows = index.fetch({row_id for _id, row_id in pairs})
    for record_id, row_id in pairs:
        disputes[record_id].append(rows[row_id].record)
    newest = index.rows_of_file(REVIEW_QUEUE_PATH)[-MAX_QUEUE_LINES:]
    for pending in index.fetch(index.token_counts(newest, record_filter)).values():
        against = _AGAINST.search(pending.record.text)
        for record_id in against[1].split(", ") if against else ():
            disputes[record_id].append(pending.record)
    return disputes


def _trusted_as(record: Record, others: Iterable[Record | None]) -> list[Record]:
    """Those of the others that are in the scope of a record and trusted no less."""
    least = TRUSTS.index(record.trust)
    return [one for one in others if one and one.scope == record.scope and TRUSTS.index(one.trust) >= least]


def _days_of(records: Iterable[Record | None]) -> set[str]:
    """The days of those records that are there and have one."""
    return {one.time[:10] for one in records if one and one.time}
