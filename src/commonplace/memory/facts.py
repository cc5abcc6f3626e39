"""The facts of a name on a day, and their faults: the lines of the index as statements with a key."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import NotFound, closest_names
from commonplace.extract import packaged_registry
from commonplace.index import AllOf, AnyOf, Filter
from commonplace.language import text
from commonplace.memory.open_workspace import find_records
from commonplace.memory.recall import resolve_query
from commonplace.model import VISIBLE_TRUSTS, Record
from commonplace.retrieval.recall import build_record_filter, parse_time_bound
from commonplace.sync import is_compared, read_record_statements
from commonplace.truth import (
    FactLine,
    SubjectFacts,
    compare_statements,
    facts_at,
    find_faults,
    key_signature,
    make_fault,
    said_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commonplace.index import Index
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.operations import parameters
    from commonplace.truth import FactFault, SaidOrder, Statement, Vocabulary
MAX_FACT_ROWS = 1_000_000


def show_facts(workspace: OpenWorkspace, request: parameters.FactsRequest) -> SubjectFacts:
    """The facts of a name: the values of its keys that hold today, or held at `as_of`, of what was recorded by
    `known_at`; with `all_values` those of any day. Where the name has none, those of what is called after it.

    Raises NotFound with similar names if no line names it, and BadArgument for a time that cannot be read.
    """
    query = resolve_query(workspace, request)
    as_of, known_at = (last_day(name, getattr(request, name), query.now) for name in ("as_of", "known_at"))
    with (index := workspace.synced_index()).snapshot():
        vocabulary = workspace.vocabulary()
        subject = vocabulary.names.resolve(request.name)
        rows = _find_rows(index, subject, vocabulary)
        if not rows:
            known = [name for _key, name, _count in index.entities()]
            raise NotFound("facts of", request.name, closest_names(request.name, known, 3))
        record_filter = build_record_filter(structs.replace(query, history=True, as_of="", known_at=""))
        lines = read_fact_lines(index, index.token_counts(rows, record_filter), vocabulary, query.now)
        own = [line for line in lines if line.subject == subject]
        lines = own or [line for line in lines if f"{line.subject} ".startswith(f"{subject} ")]
        valid_day = "" if request.all_values else as_of or query.now[:10]
        facts = facts_at(lines, valid_day, known_at, _held_pairs(index, lines))
    return SubjectFacts(text.sanitize_line(request.name), valid_day, known_at, facts)


def lint_facts(workspace: OpenWorkspace, request: parameters.ClockRequest) -> tuple[FactFault, ...]:
    """The faults of the facts of all subjects, and lines that another one replaces without naming it."""
    now = workspace.resolve_now(request.now)
    with (index := workspace.synced_index()).snapshot():
        rows = index.filtered_rows(Filter(history=True, trusts=VISIBLE_TRUSTS), MAX_FACT_ROWS) or []
        lines = read_fact_lines(index, rows, workspace.vocabulary(), now)
        return (*find_faults(lines, _held_pairs(index, lines)), *_find_replaced(index, rows))


def last_day(argument: str, time_text: str, now: str) -> str:
    """The last day of the time that an argument names; empty for none. Raises BadArgument."""
    interval = parse_time_bound(argument, time_text, now)
    if interval is None or not interval.end:
        return interval.start[:10] if interval else ""
    return (datetime.fromisoformat(interval.end) - timedelta(minutes=1)).isoformat()[:10]


def _find_rows(index: Index, subject: str, vocabulary: Vocabulary) -> set[int]:
    """The rows that name a subject or an alias of it, and those that give it a value in words such as `I`."""
    named = [
        AllOf(tuple(AnyOf(text.stem_in_all_languages(word)) for word in name.split()))
        for name in vocabulary.names.names_of(subject)
    ]
    rows = {*index.matching_rows(AnyOf(tuple(named)))} if subject else set()
    keys = (vocabulary.registry or packaged_registry()).tables.keys
    signatures = [key_signature(subject, key) for key in keys]
    return rows.union(row for scope in ("", *index.scopes()) for row in index.rows_with_signatures(signatures, scope))


def read_fact_lines(index: Index, row_ids: Iterable[int], vocabulary: Vocabulary, now: str) -> list[FactLine]:
    """The statements with a key in these rows, those of what the ledger says supports them, and what takes one back.

    A line that nothing says the age of was recorded today.
    """
    records = [one.record for one in index.fetch(row_ids).values() if is_compared(one.record)]
    supports = index.supporting_sources([record.id for record in records])
    sources = {source for record in records for source in record.sources}
    sources |= {source for pairs in supports.values() for source, _time in pairs}
    captures = {one.id: one for one in find_records(index, sorted(sources)) if one.is_evidence}
    keyed: list[tuple[FactLine, Statement]] = []
    retractions: list[tuple[FactLine, Statement]] = []
    for record in records:
        statements = read_record_statements(record, vocabulary)
        if record.is_evidence and len(statements) != 1:
            continue
        behind = [captures[source] for source in record.sources if source in captures]
        order = said_order(record, max(behind, key=_capture_place, default=None), record.recorded)
        dated = structs.replace(record, recorded=record.recorded or now)
        for statement in statements:
            line = _make_line(statement, dated, order)
            if statement.guard and not (line.is_past and (record.valid_from or record.valid_to)):
                continue
            if statement.key:
                keyed.append((line, statement))
                supporting = () if line.is_retraction or line.is_past else supports.get(record.id, ())
                for capture, time in ((captures[name], time) for name, time in supporting if name in captures):
                    said_again = structs.replace(capture, recorded=time, scope=record.scope, sources=())
                    keyed.append((structs.replace(line, record=said_again, order=said_order(capture)), statement))
            elif statement.is_retraction:
                retractions.append((line, statement))
    return [line for line, _statement in keyed] + [
        structs.replace(line, key=held.key, value=held.value, value_key=held.value_key)
        for line, statement in retractions
        for held, said in keyed
        if held.subject == line.subject and compare_statements(statement, said).verdict == "replaces"
    ]


def _capture_place(capture: Record) -> tuple[str, str, int]:
    return capture.time, capture.source.path, capture.source.line_start


def _make_line(statement: Statement, record: Record, order: SaidOrder) -> FactLine:
    return FactLine(
        record,
        statement.subject,
        statement.key,
        statement.value,
        " ".join(text.tokenize(statement.value, statement.language)),
        order,
        statement.is_single_valued,
        statement.is_retraction,
        statement.guard == "past",
        statement.is_event,
        statement.given_up,
    )


def _held_pairs(index: Index, lines: Sequence[FactLine]) -> frozenset[frozenset[str]]:
    """The pairs of ids of lines of which the ledger says that both hold."""
    rows = index.rows_with_ids({line.record.id for line in lines})
    ids = {row_id: one.record.id for row_id, one in index.fetch(rows).items()}
    return frozenset(frozenset(ids[row_id] for row_id in pair) for pair in index.pairs_held(rows) if ids.keys() >= pair)


def _find_replaced(index: Index, row_ids: Iterable[int]) -> tuple[FactFault, ...]:
    """What sync derives: lines that a later one replaces, which does not say so itself."""
    relations = index.relations_of(tuple(row_ids))
    rows = {row_id for held in relations.values() for one in held.replaces for row_id in (one.older, one.newer)}
    records = {row_id: one.record for row_id, one in index.fetch(rows).items()}
    found = []
    for one in sorted({one for held in relations.values() for one in held.replaces}, key=lambda one: one.order_key):
        newer, older = records[one.newer], records[one.older]
        if older.superseded_by and older.id not in newer.supersedes:
            change = f"replaced by {one.new_value!r}" if one.new_value else "taken back"
            message = f"{one.old_value!r} is {change} since {one.since or 'an unknown day'} ({one.reason})"
            found.append(make_fault("replaced", message, [newer, older]))
    return tuple(found)
