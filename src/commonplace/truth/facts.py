"""The facts of a subject on a day, as they were known on a day: values by key, intervals, sources; and their faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, groupby, permutations
from typing import Literal

from msgspec import Struct, structs

from commonplace.language.text import tokenize
from commonplace.model import TRUSTS, Record, Trust
from commonplace.truth.comparison import compare_statements
from commonplace.truth.relations import SaidOrder, is_said_later
from commonplace.truth.signatures import Statement

FactEnd = Literal["", "stated", "replaced", "retracted"]
FaultCode = Literal["overlap", "two-open", "ends-before-beginning", "conflict", "replaced"]
DAY_CHARS = len("2025-11-27")
MAX_GROUP_LINES = 64  # of one signature; what more lines share is a template of a log


class FactLine(Struct, frozen=True, gc=False):
    """A statement that gives a key of a subject a value, or says that one is over; its line, or what supports that,
    when it was said, and when it was struck through."""

    record: Record
    statement: Statement
    order: SaidOrder = SaidOrder()
    struck: str = ""

    @property
    def value_key(self) -> str:
        """The value as it is compared: its stems."""
        return " ".join(tokenize(self.statement.value, self.statement.language))

    @property
    def sort_key(self) -> tuple[str, ...]:
        """Its subject, key and scope, and then when it was said."""
        statement, order = self.statement, self.order
        said = order.time, order.path, f"{order.line:09}", self.record.id, self.value_key
        return statement.subject, statement.key, self.record.scope, *said


class Fact(Struct, frozen=True):
    """A value of a key of a subject and the days on which it held, ISO dates, empty where open.

    `until` is the last of these days if its line states it (`end`), else the first on which it no longer held;
    `ended_by` is the id of the line that says so. `support` counts the distinct lines and captures that state it.
    `sources` are its lines in the order in which they were said; the `time` of each is when that was. It `holds` on the
    day that was asked for.
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
    sources: tuple[Record, ...]
    holds: bool = True

    def holds_on(self, day: str) -> bool:
        """Whether it held on a day."""
        is_over = self.until and (self.until < day if self.end == "stated" else self.until <= day)
        return self.since <= day and not is_over


class SubjectFacts(Struct, frozen=True):
    """The facts of a name; the days that were asked for, empty where any; how many lines that name it were not read."""

    name: str
    as_of: str
    known_at: str
    facts: tuple[Fact, ...]
    unread: int = 0


class FactFault(Struct, frozen=True):
    """A fault of the facts of a subject, or a line that another one replaces without saying so, with its lines."""

    code: FaultCode
    message: str
    records: tuple[Record, ...]
    subject: str = ""
    key: str = ""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The ids of its lines."""
        return tuple(record.id for record in self.records)

    @property
    def citations(self) -> tuple[str, ...]:
        """Where its lines stand."""
        return tuple(record.source.location for record in self.records)


class _ValueRun:
    """The lines that state one value until it ends, and its end so far."""

    def __init__(self, line: FactLine, since: str) -> None:
        self.lines, self.value_key = [line], line.value_key
        self.since, self.until, self.end, self.ended_by = since, "", "", ""

    @property
    def trust(self) -> int:
        return max(TRUSTS.index(line.record.trust) for line in self.lines)

    def goes_on(self, day: str) -> bool:
        """Whether it had not ended before a day; what is stated to end later can still be replaced before."""
        return not self.until or self.until > day

    def finish(self, until: str, end: FactEnd, ended_by: str) -> None:
        self.until, self.end, self.ended_by = until[:DAY_CHARS], end, ended_by

    def to_fact(self) -> Fact:
        line, records = self.lines[-1], [one.record for one in self.lines]
        return Fact(
            *(line.statement.subject, line.statement.key, line.statement.value, line.record.scope),
            *(TRUSTS[self.trust], self.since, self.until, self.end, self.ended_by),  # type: ignore[arg-type]
            line.statement.is_single_valued,
            len({source for record in records for source in record.sources or (record.id,)}),
            tuple(structs.replace(one.record, time=one.order.time, superseded_by="") for one in self.lines),
        )


def facts_at(
    lines: Iterable[FactLine], valid_day: str = "", known_day: str = "", held_pairs: Collection[frozenset[str]] = ()
) -> tuple[Fact, ...]:
    """The facts that held on `valid_day`, of what was recorded by `known_day`; of any day where these are empty.

    A value begins at its stated start, else when it was said; the first value of a key is open to the past. It ends
    where a later value of a single-valued key begins that is trusted as much, at its stated end or a retraction.
    `held_pairs` are the ids of lines of which neither ends the other.
    """
    recorded = [line for line in lines if not known_day or line.record.recorded[:DAY_CHARS] <= known_day]
    for at, line in enumerate(recorded):
        if line.struck[:DAY_CHARS] > known_day > "":  # as it was before it was struck through
            record = structs.replace(line.record, valid_to="", text=line.record.text.replace("~~", ""))
            recorded[at] = structs.replace(line, record=record)
    retold = {source for line in recorded for source in line.record.sources}
    ordered = sorted((line for line in recorded if line.record.id not in retold), key=lambda line: line.sort_key)
    groups = (list(group) for _key, group in groupby(ordered, lambda line: line.sort_key[:3]))
    facts = [run.to_fact() for group in groups for run in _read_runs(group, held_pairs)]
    return tuple(fact for fact in facts if not valid_day or fact.holds_on(valid_day))


def _read_runs(lines: Sequence[FactLine], held_pairs: Collection[frozenset[str]]) -> list[_ValueRun]:
    """The values of one key in the order in which they were said, after those of a past that is over."""
    runs: list[_ValueRun] = []
    past: list[_ValueRun] = []
    for line in lines:
        record, said = line.record, "" if line.order.is_latest else line.order.time[:DAY_CHARS]
        stated = record.valid_from[:DAY_CHARS]
        if line.statement.guard == "past":
            past.append(_ValueRun(line, stated))
            past[-1].finish(record.valid_to or said, "stated", record.id)
            continue
        for run in runs:
            if run.goes_on(stated or said) and _ends_run(line, run, held_pairs):
                run.finish(stated or said, "retracted" if line.statement.is_retraction else "replaced", record.id)
        if line.statement.is_retraction:
            continue
        current = next((run for run in runs if run.value_key == line.value_key and run.goes_on(stated or said)), None)
        if current is None:
            earlier = [run for run in runs if run.trust >= TRUSTS.index(record.trust)]
            is_first = not any(run.lines[0].order.time and not run.lines[0].order.is_latest for run in earlier)
            is_open = is_first or bool(record.valid_to and record.valid_to < said)
            runs.append(current := _ValueRun(line, stated or ("" if is_open else said)))
        elif current.lines[-1].record.id != record.id:  # whose sentences may say it twice
            current.lines.append(line)
        if record.valid_to:
            current.finish(record.valid_to, "stated", record.id)
    return past + runs


def _ends_run(line: FactLine, value_run: _ValueRun, held_pairs: Collection[frozenset[str]]) -> bool:
    """Whether a line says that a value is over."""
    record, statement, ids = line.record, line.statement, {one.record.id for one in value_run.lines}
    if statement.is_event or TRUSTS.index(record.trust) < value_run.trust:
        return False
    if any(frozenset((record.id, other)) in held_pairs for other in ids):
        return False
    if not all(is_said_later(line.order, one.order) for one in value_run.lines):
        return False
    is_named = not ids.isdisjoint(record.supersedes)
    if statement.is_talk and not is_named:
        return compare_statements(statement, value_run.lines[-1].statement).verdict == "replaces"
    gives_up = bool(statement.given_up) and set(value_run.value_key.split()) <= set(statement.given_up)
    if statement.is_retraction:
        return line.value_key in ("", value_run.value_key) or gives_up
    replaces = statement.is_single_valued or gives_up or is_named
    return replaces and line.value_key != value_run.value_key


def find_faults(lines: Sequence[FactLine], held_pairs: Collection[frozenset[str]] = ()) -> tuple[FactFault, ...]:
    """The faults of facts by subject and key: intervals that end before they begin, and two values of one single-valued
    key on one day, of which neither is the other with less detail."""
    records = {line.record.id: line.record for line in lines}
    faults: list[FactFault] = []

    def add_fault(code: FaultCode, message: str, fact: Fact, *ids: str) -> None:
        lines_of_fault = tuple(records[one] for one in dict.fromkeys(ids))
        faults.append(FactFault(code, message, lines_of_fault, fact.subject, fact.key))

    known = facts_at(lines, held_pairs=held_pairs)
    for _key, group in groupby(known, lambda fact: (fact.subject, fact.key, fact.scope)):
        facts = list(group)
        for fact in facts:
            if fact.until and fact.until < fact.since:
                message = f"{fact.value} ends on {fact.until}, before it begins on {fact.since}"
                add_fault("ends-before-beginning", message, fact, fact.sources[-1].id, fact.ended_by)
        for fact, other in combinations([fact for fact in facts if fact.is_single_valued], 2):
            words, other_words = (set(tokenize(one.value)) for one in (fact, other))
            ids, both = (fact.sources[-1].id, other.sources[0].id), f"{fact.value} and {other.value}"
            if words <= other_words or other_words <= words:
                continue
            if not fact.until and not other.until:
                add_fault("two-open", f"{both} both hold, but only one can", fact, *ids)
            stated = [(records[one].valid_from, records[one].valid_to) for one in ids]
            if all(map(any, stated)) and max(one for one, _ in stated) <= min(end or "9999" for _, end in stated):
                add_fault("overlap", f"{both} are said to hold on the same days", fact, *ids)
    return tuple(sorted(faults, key=lambda fault: (fault.subject, fault.key, fault.code, fault.message)))


def find_conflicts(lines: Iterable[FactLine], held_pairs: Collection[frozenset[str]]) -> Iterator[FactFault]:
    """Pairs of written lines of which the later one contradicts the other and does not end it, or would end it if it
    were known to be later; values of one single-valued key are faults of its facts."""
    groups: defaultdict[tuple[str, int], list[FactLine]] = defaultdict(list)
    for line in lines:
        if not (line.record.is_evidence or line.record.superseded_by or line.statement.guard):
            for signature in line.statement.signatures:
                groups[line.record.scope, signature].append(line)
    compared: set[tuple[str, str]] = set()
    for group in (group for group in groups.values() if len(group) <= MAX_GROUP_LINES):
        for new, old in permutations(group, 2):
            ids, is_keyed = (new.record.id, old.record.id), new.statement.key == old.statement.key != ""
            is_passed = ids in compared or frozenset(ids) in held_pairs or is_said_later(old.order, new.order)
            if is_passed or ids[0] == ids[1] or (is_keyed and new.statement.is_single_valued):
                continue
            compared.add(ids)
            is_later = is_said_later(new.order, old.order)
            verdict = compare_statements(new.statement, old.statement).verdict
            is_less_trusted = TRUSTS.index(new.record.trust) < TRUSTS.index(old.record.trust)
            if verdict == "conflicts" or (verdict == "replaces" and (is_less_trusted or not is_later)):
                compared.add(ids[::-1])
                reason = "is trusted less" if is_less_trusted else "is newer" if is_later else "may be older or newer"
                message = f"two lines contradict each other; the first {reason}"
                yield FactFault("conflict", message, (new.record, old.record))
