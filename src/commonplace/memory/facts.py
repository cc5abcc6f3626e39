"""The facts of a name on a day, and their faults: the lines of the index as statements with a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from commonplace import sync, truth
from commonplace.errors import NotFound, closest_names
from commonplace.index import AllOf, AnyOf, Filter, Index
from commonplace.language import text
from commonplace.memory.open_workspace import OpenWorkspace, find_records
from commonplace.memory.recall import resolve_query
from commonplace.model import VISIBLE_TRUSTS, Record
from commonplace.operations import parameters
from commonplace.retrieval import recall
from commonplace.upkeep import consolidate

MAX_FACT_ROWS = 1_000_000


def show_facts(workspace: OpenWorkspace, request: parameters.FactsRequest) -> truth.SubjectFacts:
    """The facts of a name: the values of its keys that hold today, or held at `as_of`, of what was recorded by
    `known_at`; with `all_values` those of any day. `my daughter Lena` is called Lena too;
    where nobody is, those of what is called after the name.

    Raises NotFound with similar names if no line names it, and BadArgument for a time that cannot be read.
    """
    from commonplace.extract.key_registry import packaged_registry

    query = resolve_query(workspace, request)
    as_of, known_at = (last_day(name, getattr(request, name), query.now) for name in ("as_of", "known_at"))
    with (index := workspace.synced_index()).snapshot():
        vocabulary = workspace.vocabulary(index)
        subject = truth.resolve_subject(request.name, "", vocabulary.names)
        # The rows that name the subject or an alias of it, and those that give it a value in words such as `I`.
        names = [name.split() for name in vocabulary.names.names_of(subject)] if subject else []
        named = [AllOf(tuple(AnyOf(text.stem_in_all_languages(word)) for word in words)) for words in names]
        keys = (vocabulary.registry or packaged_registry()).tables.keys
        signatures = [truth.key_signature(subject, key) for key in keys]
        keyed = [row for scope in ("", *index.scopes()) for row in index.rows_with_signatures(signatures, scope)]
        naming = index.matching_rows(AnyOf(tuple(named))) if named else []
        rows = {*naming, *keyed}
        if request.newest is not None and len(naming) > request.newest:
            rows = {*recall.select_newest_rows(index, naming, Filter(history=True), request.newest), *keyed}
        unread = len({*naming, *keyed}) - len(rows)
        if not rows:
            known = [*vocabulary.aliases, *(name for _key, name, _count in index.entities())]
            raise NotFound("facts of", request.name, closest_names(request.name, known, 3))
        record_filter = recall.build_record_filter(structs.replace(query, history=True, as_of="", known_at=""))
        lines = _read_lines(index, index.token_counts(rows, record_filter), vocabulary, query.now)
        lines = _select_keyed(index, _leave_out_later_writing(index, lines, known_at), known_at)
        own = [line for line in lines if f" {line.statement.subject}".endswith(f" {subject}")]
        lines = own or [line for line in lines if f"{line.statement.subject} ".startswith(f"{subject} ")]
        held_day = as_of or query.now[:10]
        valid_day = "" if request.all_values else held_day
        held_pairs = _held_pairs(index, [line.record for line in lines], known_at)
        facts = truth.facts_at(lines, valid_day, known_at, held_pairs)
        facts = tuple(structs.replace(fact, holds=fact.holds_on(held_day)) for fact in facts)
    return truth.SubjectFacts(text.sanitize_line(request.name), valid_day, known_at, facts, unread)


def lint_facts(workspace: OpenWorkspace, request: parameters.ClockRequest) -> tuple[truth.FactFault, ...]:
    """The faults of the facts of all subjects, lines that contradict each other of which neither is known to be newer,
    and lines that another one replaces without naming it."""
    now = workspace.resolve_now(request.now)
    with (index := workspace.synced_index()).snapshot():
        rows = index.filtered_rows(Filter(history=True, trusts=VISIBLE_TRUSTS), MAX_FACT_ROWS) or []
        lines = _read_lines(index, rows, workspace.vocabulary(index), now)
        held_pairs = _held_pairs(index, [line.record for line in lines])
        faults = truth.find_faults(_select_keyed(index, lines), held_pairs)
        return (*faults, *truth.find_conflicts(lines, held_pairs), *_find_replaced(index, rows))


def last_day(argument: str, time_text: str, now: str) -> str:
    """The last day of the time that an argument names; empty for none. Raises BadArgument."""
    interval = recall.parse_time_bound(argument, time_text, now)
    return (interval.last_day or interval.start[:10]) if interval else ""


def _read_lines(index: Index, row_ids: Iterable[int], vocabulary: truth.Vocabulary, now: str) -> list[truth.FactLine]:
    """The statements in these rows that assert something; a line that nothing says the age of was recorded today, and
    one that makes one statement holds on the days that its words state, where it has no annotation of them."""
    compared = [one.record for one in index.fetch(row_ids).values() if sync.is_compared(one.record)]
    words = {one.id: _doubtful_words(one) for one in compared}
    rejected = index.rejected_words({key for keys in words.values() for key in keys})
    records = [one for one in compared if rejected.isdisjoint(words[one.id])]
    captures = _find_captures(index, {source for record in records for source in record.sources})
    struck = index.struck_times([record.id for record in records])
    lines = []
    for record in records:
        statements = sync.read_record_statements(record, vocabulary)
        behind = [captures[source] for source in record.sources if source in captures]
        newest = max(behind, key=lambda one: (one.time, one.source.path, one.source.line_start), default=None)
        order = truth.said_order(record, newest)
        dated = structs.replace(record, recorded=record.recorded or now)
        if len(statements) == 1 and record.category != "event" and not (record.valid_from or record.valid_to):
            start, end = consolidate.validity_days(record.text, record.time)
            dated = structs.replace(dated, valid_from=start, valid_to=end)
        for statement in statements if len(statements) == 1 or not record.is_evidence else ():
            is_dated_past = statement.guard == "past" and (dated.valid_from or dated.valid_to)
            if not statement.guard or is_dated_past:
                lines.append(truth.FactLine(dated, statement, order, struck.get(record.id, "")))
    return lines


def _doubtful_words(record: Record) -> set[str]:
    """The digests of what a record says, as a person may have rejected it; none of a line that is the owner's."""
    if record.trust == "trusted" and not record.is_evidence:
        return set()
    sentences = text.split_sentences(record.text) if record.is_evidence else ()
    return set(map(consolidate.words_key, (record.text, *sentences)))


def _select_keyed(index: Index, fact_lines: Sequence[truth.FactLine], known_at: str = "") -> list[truth.FactLine]:
    """Those of the lines that have a key, those of what the ledger says supports them, and what takes one back."""
    keyed = [line for line in fact_lines if line.statement.key]
    supports = index.supporting_sources([line.record.id for line in keyed], known_at)
    captures = _find_captures(index, {source for pairs in supports.values() for source, _time in pairs})
    supporting = [
        truth.FactLine(
            structs.replace(captures[source], recorded=time, scope=line.record.scope, sources=()),
            line.statement,
            truth.said_order(captures[source]),
        )
        for line in keyed
        for source, time in supports.get(line.record.id, ())
        if source in captures and not (line.statement.is_retraction or line.statement.guard)
    ]
    by_subject: defaultdict[str, list[truth.Statement]] = defaultdict(list)
    for line in keyed:
        by_subject[line.statement.subject].append(line.statement)
    retractions = [
        structs.replace(line, statement=structs.replace(line.statement, key=held.key, value=held.value))
        for line in fact_lines
        if line.statement.is_retraction and not line.statement.key
        for held in by_subject[line.statement.subject]
        if truth.compare_statements(line.statement, held).verdict == "replaces"
    ]
    return keyed + supporting + retractions


def _find_captures(index: Index, ids: Iterable[str]) -> dict[str, Record]:
    return {one.id: one for one in find_records(index, sorted(ids)) if one.is_evidence}


def _leave_out_later_writing(index: Index, fact_lines: Sequence[truth.FactLine], known_at: str) -> list[truth.FactLine]:
    """The lines without what was added to them after a day: what else they supersede, and their beginning with it."""
    late = index.late_supersessions([line.record.id for line in fact_lines], known_at) if known_at else frozenset()
    shown = []
    for line in fact_lines:
        record = line.record
        kept = tuple(one for one in record.supersedes if (record.id, one) not in late)
        if len(kept) < len(record.supersedes):
            start = "" if record.valid_from[:10] == line.order.time[:10] else record.valid_from
            line = structs.replace(line, record=structs.replace(record, supersedes=kept, valid_from=start))
        shown.append(line)
    return shown


def _held_pairs(index: Index, records: Sequence[Record], known_at: str = "") -> frozenset[frozenset[str]]:
    """The pairs of ids of records of which the ledger says, or said by the end of a day, that both hold."""
    rows = index.rows_with_ids({record.id for record in records})
    ids = {row_id: one.record.id for row_id, one in index.fetch(rows).items()}
    return frozenset(
        frozenset(ids[row_id] for row_id in pair) for pair in index.pairs_held(rows, known_at) if ids.keys() >= pair
    )


def _find_replaced(index: Index, row_ids: Iterable[int]) -> Iterator[truth.FactFault]:
    """What sync derives: lines that a later one replaces, which does not say so itself."""
    derived = {one for held in index.relations_of(tuple(row_ids)).values() for one in held.replaces}
    found = index.fetch({row for one in derived for row in (one.older, one.newer)})
    records = {row: one.record for row, one in found.items()}
    for one in sorted(derived, key=lambda one: one.order_key):
        newer, older = records[one.newer], records[one.older]
        if older.superseded_by and older.id not in newer.supersedes:
            change = f"{one.new_value} replaces {one.old_value}" if one.new_value else f"{one.old_value} is taken back"
            yield truth.FactFault("replaced", f"{change}, since {one.since or 'an unknown day'}", (newer, older))
