"""The filters of recall in one table: what each asks of the index, what lets a record through, and how it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct, structs

from commonplace.errors import BadArgument, closest_names
from commonplace.index import Filter, Index, IndexedRecord, Replacement, RowRelations
from commonplace.language import when
from commonplace.model import Interval, Query, Record, day_of
from commonplace.retrieval.recall.entity_names import resolve_required_entities
from commonplace.retrieval.recall.required_rows import REQUIRED_ARGUMENTS, find_required_rows
from commonplace.storage.workspace import QUEUE_PATH

RecallArguments = dict[str, Any]  # fields of `Query` and their values


class RecallFilter(Struct, frozen=True):
    """A filter of recall, which reads `arguments` of the query and sets `conditions` of the index's `Filter`. `relax`
    yields changes of the query that may let a record through, the smallest first. Raises BadArgument for an unreadable
    time."""

    arguments: tuple[str, ...]
    conditions: Callable[[Query], dict[str, Any]]
    relax: Callable[[Query, Record], Iterator[RecallArguments]]
    message: Callable[[Index, Query, Record], str]

    def passes(self, index: Index, query: Query, indexed_record: IndexedRecord) -> bool:
        """Whether this filter by itself lets a record through."""
        if not (conditions := self.conditions(query)):
            alone = structs.replace(query, **{name: () for name in REQUIRED_ARGUMENTS if name != self.arguments[0]})
            required = find_required_rows(index, alone, resolve_required_entities(index, alone.entities)[0])
            return required is None or indexed_record.row_id in required
        evidence = "only" if indexed_record.record.is_evidence else "none"
        only = Filter(**{"history": True, "evidence": evidence, **conditions})
        return indexed_record.row_id in index.token_counts([indexed_record.row_id], only)


class FilterRejection(Struct, frozen=True):
    """A filter that stops a record: what it says, and the arguments of recall that let the record through."""

    name: str
    message: str
    arguments: RecallArguments


def build_record_filter(query: Query) -> Filter:
    """The hard filter of a query. Raises BadArgument for a time that cannot be read."""
    conditions: dict[str, Any] = {}
    for recall_filter in FILTERS.values():
        conditions |= recall_filter.conditions(query)
    return Filter(**conditions)


def diagnose_filters(index: Index, query: Query, indexed_record: IndexedRecord) -> tuple[FilterRejection, ...]:
    """Every filter that stops the record, each by itself."""
    record = indexed_record.record
    rejections: list[FilterRejection] = []
    for name, recall_filter in FILTERS.items():
        if recall_filter.passes(index, query, indexed_record):
            continue
        changes = (
            change
            for change in recall_filter.relax(query, record)
            if recall_filter.passes(index, structs.replace(query, **change), indexed_record)
        )
        shown_name = "retold" if name == "evidence" and query.evidence == "auto" else name
        rejections.append(FilterRejection(shown_name, recall_filter.message(index, query, record), next(changes, {})))
    return tuple(rejections)


def parse_time_bound(argument: str, time_text: str, now: str) -> Interval | None:
    """The time that an argument names, None where it is empty. Raises BadArgument if it cannot be read."""
    if not time_text:
        return None
    interval = when.resolve_interval(time_text, now)
    if interval is None:
        message = f"{argument}: cannot read {time_text!r} as a time"
        raise BadArgument(message, hint="say 2025-11-27, `last week`, `3 days ago` …")
    return interval


def _scope_message(_index: Index, query: Query, record: Record) -> str:
    seen = f"{query.scope!r} and shared records" if query.scope else "only shared records"
    seen = seen if query.shared else f"only {query.scope!r}"
    similar = similar_scope(query.scope, [record.scope]) if query.scope else ""
    return f"scope: it is of {record.scope!r}{f' (nearly {query.scope!r})' if similar else ''}; visible are {seen}"


def similar_scope(scope: str, others: Iterable[str]) -> str:
    """The most similar of the other scopes, apart from punctuation and case; empty if none is similar."""
    folded = {_fold_scope(name): name for name in others}
    similar = closest_names(_fold_scope(scope), folded)
    return folded[similar[0]] if similar else ""


def _fold_scope(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _relax_trust(query: Query, record: Record) -> Iterator[RecallArguments]:
    trust = tuple(dict.fromkeys((*query.trust, record.trust)))
    yield {"trust": trust}
    yield {"trust": tuple(dict.fromkeys((*trust, "untrusted")))}


def _parse_end(argument: str, time_text: str, now: str) -> str:
    """The end of the time that an argument names, its start if it is open; empty without one."""
    bound = parse_time_bound(argument, time_text, now)
    return (bound.end or bound.start) if bound else ""


def _time_conditions(query: Query) -> dict[str, Any]:
    since = parse_time_bound("since", query.since, query.now)
    return {"since": since.start if since else "", "until": _parse_end("until", query.until, query.now)}


def _relax_time(_query: Query, record: Record) -> Iterator[RecallArguments]:
    first, last = record.time or record.valid_from, record.time or record.valid_to or record.valid_from
    since, until = day_of(first or last), day_of(last or first)
    if since:
        yield from ({"since": since}, {"until": until}, {"since": since, "until": until})
    yield from ({"since": ""}, {"until": ""}, {"since": "", "until": ""})


def _known_at_conditions(query: Query) -> dict[str, Any]:
    """Nothing is recorded later than now, also what no ledger line says the age of."""
    end = _parse_end("known_at", query.known_at, query.now)
    return {"known_at": end if end <= query.now else ""}


def _relax_point(argument: str) -> Callable[[Query, Record], Iterator[RecallArguments]]:
    return lambda _query, record: iter([{argument: "", **({"history": True} if record.superseded_by else {})}])


def _as_of_message(index: Index, query: Query, record: Record) -> str:
    return f"as of: it is of {_describe_record_time(record)}, and did not hold {query.as_of}" + (
        f"; it is superseded{_superseding_note(index, record)}" if record.superseded_by else ""
    )


def _known_at_message(index: Index, query: Query, record: Record) -> str:
    later = f", or superseded{_superseding_note(index, record)}" if record.superseded_by else ""
    return f"known at: it was recorded {record.recorded or 'at an unknown time'}, not by {query.known_at}{later}"


def _describe_record_time(record: Record) -> str:
    validity = f"{record.valid_from or '…'} to {record.valid_to or '…'}" if record.valid_from or record.valid_to else ""
    return " and holds ".join(part for part in (record.time, validity) if part) or "no time"


def _superseding_note(index: Index, record: Record) -> str:
    if not record.superseded_by:
        return ""
    row_id, by = index.row_of_record(record.id), index.row_of_record(record.superseded_by)
    relations = index.relations_of([row_id]).get(row_id, RowRelations())
    derived = next((one for one in relations.replaced_by if one.newer == by), None)
    later = index.find(record.superseded_by)
    why = _replacement_reason(derived) if derived else "that record names it in `supersedes`"
    return f" by {record.superseded_by}" + (f", {later.source.location}, because {why}" if later else "")


def _replacement_reason(replacement: Replacement) -> str:
    """Why a record replaces another, as derived: the two values, and what makes the later one count."""
    if replacement.new_value and replacement.old_value:
        name = replacement.reason.partition("key:")[2].replace("_", " ")
        values = f"its {name or 'value'} is {replacement.new_value!r} instead of {replacement.old_value!r}"
    else:
        values = "it says that this is over"
    return f"{values} since {replacement.since}" if replacement.since else values


def _evidence_message(index: Index, query: Query, record: Record) -> str:
    if query.evidence != "auto":
        return f"evidence: it is a {'capture' if record.is_evidence else 'record'}; captures: {query.evidence}"
    captures = [one.source.location for one in map(index.find, record.sources) if one is not None and one.is_evidence]
    return "retold: it repeats captures that are found themselves" + (f": {', '.join(captures)}" if captures else "")


def _drop_argument(argument: str, _query: Query, _record: Record) -> Iterator[RecallArguments]:
    yield {argument: ()}


def _required_message(argument: str, says: str) -> Callable[[Index, Query, Record], str]:
    return lambda _index, query, _record: f"{says} {', '.join(getattr(query, argument))}"


# By the name that `why-not` shows. Sequences are copied: who calls from Python may give lists. `around` is no filter.
FILTERS: dict[str, RecallFilter] = {
    "scope": RecallFilter(
        ("scope", "all_scopes", "shared"),
        lambda query: {"scopes": query.scopes},
        lambda _query, record: iter([{"scope": record.scope}]),
        _scope_message,
    ),
    "trust": RecallFilter(
        ("trust",),
        # A query that lets nothing untrusted through takes of captures only those that are trusted.
        lambda query: {"trusts": tuple(query.trust), "vouched": "untrusted" not in query.trust},
        _relax_trust,
        lambda _index, query, record: f"trust: it is {record.trust}; let through are {', '.join(query.trust)}",
    ),
    "kind": RecallFilter(
        ("kinds",),
        lambda query: {"kinds": tuple(query.kinds)},
        lambda query, record: iter([{"kinds": (*query.kinds, record.kind)}]),
        lambda _index, query, record: f"kind: it is {record.kind}; asked for is {', '.join(query.kinds)}",
    ),
    "category": RecallFilter(
        ("categories",),
        lambda query: {"categories": tuple(query.categories)},
        lambda query, record: iter([{"categories": (*query.categories, record.category)}]),
        lambda _index, query, record: f"category: it is {record.category}; asked for is {', '.join(query.categories)}",
    ),
    "time": RecallFilter(
        ("since", "until"),
        _time_conditions,
        _relax_time,
        lambda _index, query, record: (
            f"time: it is of {_describe_record_time(record)}; asked for is {query.since or '…'} to {query.until or '…'}"
        ),
    ),
    "as-of": RecallFilter(
        ("as_of",),
        lambda query: {"as_of": _parse_end("as_of", query.as_of, query.now)},
        _relax_point("as_of"),
        _as_of_message,
    ),
    "known-at": RecallFilter(
        ("known_at",),
        _known_at_conditions,
        _relax_point("known_at"),
        _known_at_message,
    ),
    "superseded": RecallFilter(
        ("history",),
        # At a time of `as_of` or `known_at`, what was replaced by then is decided there.
        lambda query: {"history": query.history or bool(query.as_of or _known_at_conditions(query)["known_at"])},
        lambda _query, _record: iter([{"history": True}]),
        lambda index, _query, record: f"superseded: replaced{_superseding_note(index, record)}",
    ),
    "evidence": RecallFilter(
        ("evidence",),
        lambda query: {"evidence": query.evidence},
        lambda _query, _record: iter([{"evidence": "auto"}, {"evidence": "none"}]),
        _evidence_message,
    ),
    **{
        name: RecallFilter(
            (argument,),
            lambda _query: {},
            partial(_drop_argument, argument),
            _required_message(argument, f"{name}: {says}"),
        )
        for name, argument, says in (
            ("entity", "entities", "it does not name"),
            ("tag", "tags", "it does not have"),
            ("path", "paths", "it is not in"),
            ("phrase", "phrases", "it does not say"),
        )
    },
    "waits": RecallFilter(  # behind `path`, whose relaxed argument it narrows
        ("paths",),
        lambda query: {"decided": not any("pending" in path.casefold() for path in query.paths)},
        lambda query, _record: iter([{"paths": (*query.paths, QUEUE_PATH)}]),
        lambda _index, _query, _record: "waits for review: decide it in Review",
    ),
}
