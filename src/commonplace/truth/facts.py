"""The facts of a subject on a day, as they were known on a day: values by key, intervals, sources; and their faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, groupby
from typing import Literal

from msgspec import Struct

from commonplace.model import TRUSTS, Record, Trust
from commonplace.truth.order import SaidOrder, is_said_later

FactEnd = Literal["", "stated", "replaced", "retracted"]
FaultCode = Literal["overlap", "two-open", "ends-before-beginning", "replaced"]
DAY_CHARS = len("2025-11-27")


class FactLine(Struct, frozen=True, gc=False):
    """A statement of a line that gives a key of a subject a value, or says that one is over.

    `value_key` is the value as it is compared: its stems. `given_up` are the stems of what it says is over. A line that
    `is_past` speaks of a time that is over, and an event may end nothing. What supports a line according to the ledger
    is a line of its own.
    """

    record: Record
    subject: str
    key: str
    value: str
    value_key: str
    order: SaidOrder = SaidOrder()
    is_single_valued: bool = False
    is_retraction: bool = False
    is_past: bool = False
    is_event: bool = False
    given_up: tuple[str, ...] = ()


class FactSource(Struct, frozen=True):
    """A line that states a value: the time when it was said, when it was written down, and what it is based on."""

    id: str
    citation: str
    text: str
    time: str
    recorded: str
    trust: Trust
    sources: tuple[str, ...] = ()


class Fact(Struct, frozen=True):
    """A value of a key of a subject and the days on which it held, ISO dates, empty where open.

    `until` is the last of these days if its line states it (`end`), else the first on which it no longer held;
    `ended_by` is the id of the line that says so. `support` counts the distinct lines and captures that state it.
    """

    subject: str
    key: str
    value: str
    scope: str
    trust: Trust
    since: str
    until: str
    end: FactEnd
    ended_by: str
    is_single_valued: bool
    support: int
    sources: tuple[FactSource, ...]

    def holds_on(self, day: str) -> bool:
        """Whether it held on a day."""
        is_over = self.until and (self.until < day if self.end == "stated" else self.until <= day)
        return self.since <= day and not is_over


class SubjectFacts(Struct, frozen=True):
    """The facts of a name; the days that were asked for, empty where any."""

    name: str
    as_of: str
    known_at: str
    facts: tuple[Fact, ...]


class FactFault(Struct, frozen=True):
    """Something that is wrong with facts, or a line that another one replaces without saying so; with the ids and the
    citations of its lines."""

    code: FaultCode
    subject: str
    key: str
    message: str
    records: tuple[str, ...]
    citations: tuple[str, ...]


class _Value:
    """A value while the lines of its key are read in order: the lines that state it, and its end so far."""

    def __init__(self, line: FactLine, since: str) -> None:
        self.lines, self.since = [line], since
        self.until, self.end, self.ended_by = "", "", ""
        self.trust = TRUSTS.index(line.record.trust)
        self.is_dated = bool(line.order.time) and not line.order.is_latest

    def runs_on(self, day: str) -> bool:
        """Whether it had not ended before a day; what is stated to end later can still be replaced before."""
        return not self.until or self.until > day

    def finish(self, until: str, end: FactEnd, ended_by: str) -> None:
        """End it on a day."""
        self.until, self.end, self.ended_by = until[:DAY_CHARS], end, ended_by


def facts_at(
    lines: Iterable[FactLine],
    valid_day: str = "",
    known_day: str = "",
    held_pairs: Collection[frozenset[str]] = (),
) -> tuple[Fact, ...]:
    """The facts that held on `valid_day`, of what was recorded by `known_day`; of any day where these are empty.

    A value begins at its stated start, else when it was said; the first value of a key is open to the past. It ends
    where a later value of a single-valued key begins that is trusted as much, at its stated end or a retraction.
    `held_pairs` are the ids of lines of which neither ends the other.
    """
    known = [line for line in lines if _is_recorded_by(line.record.recorded, known_day)]
    retold = {source for line in known for source in line.record.sources}
    ordered = sorted((line for line in known if line.record.id not in retold), key=_sort_key)
    return tuple(
        fact
        for _key, group in groupby(ordered, _group_key)
        for value in _read_values(list(group), held_pairs)
        if (fact := _make_fact(value)) and (not valid_day or fact.holds_on(valid_day))
    )


def _is_recorded_by(recorded: str, known_day: str) -> bool:
    return not known_day or recorded[:DAY_CHARS] <= known_day


def _group_key(line: FactLine) -> tuple[str, str, str]:
    return line.subject, line.key, line.record.scope


def _sort_key(line: FactLine) -> tuple[object, ...]:
    order = line.order
    return *_group_key(line), order.time, order.path, order.line, line.record.id, line.value_key


def _read_values(lines: Sequence[FactLine], held_pairs: Collection[frozenset[str]]) -> list[_Value]:
    """The values of one key in the order in which they were said."""
    values: list[_Value] = []
    past: list[_Value] = []
    for line in lines:
        record, said = line.record, "" if line.order.is_latest else line.order.time[:DAY_CHARS]
        if line.is_past:
            past.append(_Value(line, record.valid_from[:DAY_CHARS]))
            past[-1].finish(record.valid_to or said, "stated", record.id)
            continue
        begin = record.valid_from[:DAY_CHARS] or said
        for value in values:
            if value.runs_on(begin) and _ends_value(line, value, held_pairs):
                value.finish(begin, "retracted" if line.is_retraction else "replaced", record.id)
        if line.is_retraction:
            continue
        trust = TRUSTS.index(record.trust)
        current = next((one for one in values if one.lines[0].value_key == line.value_key and one.runs_on(begin)), None)
        if current:
            if current.lines[-1].record.id != record.id:  # whose sentences may say it twice
                current.lines.append(line)
            current.trust = max(current.trust, trust)
        else:
            is_first = not any(one.trust >= trust and one.is_dated for one in values)
            is_open = is_first or bool(record.valid_to and record.valid_to < said)
            current = _Value(line, record.valid_from[:DAY_CHARS] or ("" if is_open else said))
            values.append(current)
        if record.valid_to:
            current.finish(record.valid_to, "stated", record.id)
    return past + values


def _ends_value(line: FactLine, value: _Value, held_pairs: Collection[frozenset[str]]) -> bool:
    """Whether a line says that a value is over."""
    record, ids = line.record, {one.record.id for one in value.lines}
    if line.is_event or TRUSTS.index(record.trust) < value.trust:
        return False
    if any(frozenset((record.id, other)) in held_pairs for other in ids):
        return False
    if not all(is_said_later(line.order, one.order) for one in value.lines):
        return False
    value_key = value.lines[0].value_key
    gives_up = bool(line.given_up) and set(value_key.split()) <= set(line.given_up)
    if line.is_retraction:
        return line.value_key in ("", value_key) or gives_up
    if line.value_key == value_key:
        return False
    return line.is_single_valued or gives_up or not ids.isdisjoint(record.supersedes)


def _make_fact(value: _Value) -> Fact:
    line = value.lines[-1]
    evidence = {source for one in value.lines for source in one.record.sources or (one.record.id,)}
    return Fact(
        line.subject,
        line.key,
        line.value,
        line.record.scope,
        TRUSTS[value.trust],
        value.since,
        value.until,
        value.end,  # type: ignore[arg-type]
        value.ended_by,
        line.is_single_valued,
        len(evidence),
        tuple(
            FactSource(
                one.record.id,
                one.record.source.citation,
                one.record.text,
                one.order.time,
                one.record.recorded,
                one.record.trust,
                one.record.sources,
            )
            for one in value.lines
        ),
    )


def find_faults(lines: Sequence[FactLine], held_pairs: Collection[frozenset[str]] = ()) -> tuple[FactFault, ...]:
    """The faults of the facts of any subjects, by subject and key: intervals that end before they begin, two values of
    one single-valued key on one day."""
    faults: list[FactFault] = []
    records = {line.record.id: line.record for line in lines}
    facts = facts_at(lines, held_pairs=held_pairs)
    for fact in facts:
        if fact.until and fact.until < fact.since:
            message = f"{fact.value!r} ends on {fact.until}, before it begins on {fact.since}"
            ids = tuple(dict.fromkeys((fact.sources[-1].id, fact.ended_by)))
            faults.append(make_fault("ends-before-beginning", message, [records[one] for one in ids], fact))
    for _key, group in groupby(facts, lambda fact: (fact.subject, fact.key, fact.scope)):
        for fact, other in combinations([fact for fact in group if fact.is_single_valued], 2):
            pair = [records[fact.sources[-1].id], records[other.sources[0].id]]
            shown = f"{fact.value!r} and {other.value!r}"
            if not fact.until and not other.until:
                faults.append(make_fault("two-open", f"{shown} both hold", pair, fact))
            elif fact.value != other.value and _do_overlap(*pair):
                faults.append(make_fault("overlap", f"{shown} are said to hold on the same days", pair, fact))
    return tuple(sorted(faults, key=lambda fault: (fault.subject, fault.key, fault.code, fault.records)))


def make_fault(code: FaultCode, message: str, records: Sequence[Record], fact: Fact | None = None) -> FactFault:
    """A fault of these records, and of the key of a fact if it is known."""
    subject, key = (fact.subject, fact.key) if fact else ("", "")
    ids, citations = tuple(one.id for one in records), tuple(one.source.citation for one in records)
    return FactFault(code, subject, key, message, ids, citations)


def _do_overlap(record: Record, other: Record) -> bool:
    """Whether the intervals that two lines state have a day in common."""
    if not (record.valid_from or record.valid_to) or not (other.valid_from or other.valid_to):
        return False
    first, last = max(record.valid_from, other.valid_from), min(record.valid_to or "9999", other.valid_to or "9999")
    return first <= last
