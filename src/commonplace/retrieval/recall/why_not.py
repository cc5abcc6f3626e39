"""Diagnose why a line is not among the hits: what each stage of recall and each filter did with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.index import Filter, Index, IndexedRecord
from commonplace.language.text import QueryTerm, fold_name, sanitize_line
from commonplace.model import Hit, Query, Reason, Record
from commonplace.retrieval.recall.explain import Counterfactual, find_counterfactuals
from commonplace.retrieval.recall.lanes import VectorSource
from commonplace.retrieval.recall.pipeline import RecallTrace, deduplicate_hits, trace_recall
from commonplace.retrieval.recall.query import ParsedQuery, build_record_filter, parse_query
from commonplace.storage.workspace.sweep import SKIPPED_FOLDERS

RecallArguments = dict[str, Any]
FilterPart = Callable[
    [Filter, Filter], Filter
]  # (open to all, that of the query) -> that of the query in one part only

FILTER_PARTS: dict[str, FilterPart] = {
    "scope": lambda opened, only: structs.replace(opened, scopes=only.scopes),
    "trust": lambda opened, only: structs.replace(opened, trusts=only.trusts, vouched=only.vouched),
    "kind": lambda opened, only: structs.replace(opened, kinds=only.kinds),
    "category": lambda opened, only: structs.replace(opened, categories=only.categories),
    "time": lambda opened, only: structs.replace(opened, since=only.since, until=only.until),
    "as-of": lambda opened, only: structs.replace(opened, as_of=only.as_of),
    "superseded": lambda opened, only: structs.replace(opened, history=only.history or bool(only.as_of)),
    "evidence": lambda opened, only: structs.replace(opened, evidence=only.evidence),
}


class FilterRejection(Struct, frozen=True):
    """A filter that stops a record: what it says, and the arguments of recall that let the record through."""

    name: str
    message: str
    arguments: RecallArguments


def diagnose_filters(index: Index, query: Query, row_id: int, parsed: ParsedQuery) -> tuple[FilterRejection, ...]:
    """Every filter that stops the record, each by itself."""
    record = index.fetch([row_id])[row_id].record
    blocks: list[FilterRejection] = []
    for name, part in FILTER_PARTS.items():
        if _passes_filter(index, row_id, part(_unrestricted_filter(record), parsed.record_filter)):
            continue
        tried = (
            (one, build_record_filter(structs.replace(query, **one)))
            for one in _relaxing_arguments(name, query, record)
        )
        choices = next(
            (
                one
                for one, record_filter in tried
                if _passes_filter(index, row_id, part(_unrestricted_filter(record), record_filter))
            ),
            {},
        )
        retold = name == "evidence" and query.evidence == "auto"
        blocks.append(
            FilterRejection("retold" if retold else name, _rejection_message(index, name, query, record), choices)
        )
    if parsed.entity_rows is not None and row_id not in parsed.entity_rows:
        names = ", ".join(query.entities)
        blocks.append(FilterRejection("entity", f"entity: it does not bear {names}", {"entities": ()}))
    return tuple(blocks)


def _unrestricted_filter(record: Record) -> Filter:
    """The filter that lets a record through whatever it is."""
    return Filter(history=True, evidence="only" if record.is_evidence else "none")


def _passes_filter(index: Index, row_id: int, record_filter: Filter) -> bool:
    return row_id in index.token_counts([row_id], record_filter)


def _relaxing_arguments(filter_name: str, query: Query, record: Record) -> Iterator[RecallArguments]:
    """Changes of the query that may let the record through this filter, the smallest first."""
    if filter_name == "scope":
        yield {"scope": record.scope}
    elif filter_name == "trust":
        trust = tuple(dict.fromkeys((*query.trust, record.trust)))
        yield {"trust": trust}
        yield {"trust": tuple(dict.fromkeys((*trust, "untrusted")))}
    elif filter_name == "kind":
        yield {"kinds": (*query.kinds, record.kind)}
    elif filter_name == "category":
        yield {"categories": (*query.categories, record.category)}
    elif filter_name == "time":
        since, until = _record_day_range(record)
        yield from ({"since": since}, {"until": until}, {"since": since, "until": until}) if since else ()
        yield from ({"since": ""}, {"until": ""}, {"since": "", "until": ""})
    elif filter_name == "as-of":
        yield {"as_of": "", "history": True} if record.superseded_by else {"as_of": ""}
    elif filter_name == "superseded":
        yield {"history": True}
    else:
        yield from ({"evidence": "auto"}, {"evidence": "none"})


def _record_day_range(record: Record) -> tuple[str, str]:
    """The first and last day of a record."""
    first, last = record.time or record.valid_from, record.time or record.valid_to or record.valid_from
    return (first or last)[:10], (last or first)[:10]


def _rejection_message(index: Index, filter_name: str, query: Query, record: Record) -> str:
    if filter_name == "scope":
        return (
            f"scope: it is of {record.scope!r}{_similar_scope_note(query.scope, record.scope)}"
            f"; seen are {_describe_visible_scopes(query)}"
        )
    if filter_name == "trust":
        return f"trust: it is {record.trust}; let through are {', '.join(query.trust)}"
    if filter_name == "kind":
        return f"kind: it is {record.kind}; asked for is {', '.join(query.kinds)}"
    if filter_name == "category":
        return f"category: it is {record.category}; asked for is {', '.join(query.categories)}"
    if filter_name == "time":
        return (
            f"time: it is of {_describe_record_time(record)}; asked for is {query.since or '…'} to {query.until or '…'}"
        )
    if filter_name == "as-of":
        return (
            f"as of: it is of {_describe_record_time(record)}, and was not known or did not hold {query.as_of}"
            f"{_superseding_note(index, record)}"
        )
    if filter_name == "superseded":
        return f"superseded{_superseding_note(index, record)}"
    if query.evidence == "auto":
        return f"retold: it repeats captures that are found themselves{_list_repeated_captures(index, record)}"
    return f"evidence: it is a {'capture' if record.is_evidence else 'record'}; captures: {query.evidence}"


def _describe_visible_scopes(query: Query) -> str:
    return f"{query.scope!r} and what is shared" if query.scope else "only what is shared"


def _similar_scope_note(query_scope: str, record_scope: str) -> str:
    """A word where two scopes are the same but for signs and case, or nearly."""
    import difflib

    one, other = ("".join(c for c in name.casefold() if c.isalnum()) for name in (query_scope, record_scope))
    return f" (nearly {query_scope!r})" if one and difflib.SequenceMatcher(None, one, other).ratio() >= 0.7 else ""


def _describe_record_time(record: Record) -> str:
    held = f"{record.valid_from or '…'} to {record.valid_to or '…'}" if record.valid_from or record.valid_to else ""
    return " and holds ".join(part for part in (record.time, held) if part) or "no time"


def _superseding_note(index: Index, record: Record) -> str:
    if not record.superseded_by:
        return ""
    later = index.find(record.superseded_by)
    return f" by {record.superseded_by}" + (f", {later.source.citation}" if later else "")


def _list_repeated_captures(index: Index, record: Record) -> str:
    said = [one.source.citation for one in map(index.find, record.sources) if one is not None and one.is_evidence]
    return f": {', '.join(said)}" if said else ""


RETRY_DEPTHS = (100, 1_000)  # how many hits to ask for until the line is among those that are scored
MAX_LINE_DIGITS = 18  # of two line numbers
MAX_LISTED_WORDS = 12  # of a line that shares none
WORD_SIMILARITY = 0.6  # how alike the nearest word must be to be named, as difflib measures it
FEATURE_SIGNALS = (
    "length",
    "speaks",
    "asks",
    "addresses",
    "absent",
    "by_agent",
    "holds",
    "retells",
    "stands",
)  # strengths that find nothing by themselves
MAX_EXCERPT_CHARS = 80  # characters of a line that are told

StageName = Literal["index", "filter", "words", "lanes", "told", "rank", "pack"]
ReadFile = Callable[[str], bytes]


class ComparedHit(Struct, frozen=True):
    """The hit that a line is compared with: that which tells it already, or the last that was shown."""

    record_id: str
    citation: str
    rank: int
    score: float
    reasons: tuple[Reason, ...] = ()


class Stage(Struct, frozen=True):
    """What one stage did with the line. `passed` is false where the line was lost, or lost a chance.

    `filter` names the filter, `arguments` the argument of recall that lets the line through; `reasons` are strengths or
    the parts of the score; `beside` is the hit to compare with.
    """

    name: StageName
    passed: bool
    says: str
    filter: str = ""
    arguments: dict[str, Any] = {}
    reasons: tuple[Reason, ...] = ()
    beside: ComparedHit | None = None


class WhyNot(Struct, frozen=True):
    """The whole explanation: stages in order and the changes that were tried and show the line, the smallest first."""

    query: str
    reference: str
    record: Record | None
    stages: tuple[Stage, ...]
    rank: int = 0  # among the hits, 0 if it is not there
    changes: tuple[Counterfactual, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lost_at(self) -> str:
        """The first stage that the line did not pass; empty where it is shown."""
        return "" if self.rank else next((stage.name for stage in self.stages if not stage.passed), "")


def why_not(
    index: Index,
    query: Query,
    reference: str,
    *,
    read: ReadFile,
    languages: tuple[str, ...] = ("en",),
    vectors: VectorSource | None = None,
) -> WhyNot:
    """What happened to the line at `PATH#L12`, or to the record or capture of an id. Reads only.

    A line that a filter stops is followed on as if it were let through. Raises BadArgument.
    """
    with index.snapshot():
        parsed = parse_query(index, query, languages)
        record, says = _locate_record(index, read, reference)
        found = Stage("index", record is not None, says)
        if record is None:
            return WhyNot(query.text, reference, None, (found,), notes=parsed.notes)
        row_id = index.row_of_record(record.id)
        blocks = diagnose_filters(index, query, row_id, parsed)
        opened = structs.replace(query, **{name: value for one in blocks for name, value in one.arguments.items()})
        filters = [Stage("filter", False, one.message, one.name, one.arguments) for one in blocks]
        means = partial(trace_recall, languages=languages, vectors=vectors)
        course = _LineDiagnosis(index, opened, row_id, means)
        stages = (found, *(filters or [Stage("filter", True, "every filter lets it through")]), *course.stages())
        shown = 0 if blocks else course.shown_rank
        notes = tuple(dict.fromkeys((*parsed.notes, *course.first_trace.parsed.notes)))
        if shown:
            return WhyNot(query.text, reference, record, stages, shown, (), notes)
        changes = find_counterfactuals(
            index, query, record, unblocked_query=opened, rank=course.rank, languages=languages, vectors=vectors
        )
        return WhyNot(query.text, reference, record, stages, shown, changes, notes)


class _LineDiagnosis:
    """A line's way through a recall whose filters let it through; repeated at greater depth until it is scored."""

    def __init__(
        self, index: Index, query: Query, row_id: int, run_trace: Callable[[Index, Query], RecallTrace]
    ) -> None:
        self.index, self.query, self.row = index, query, row_id
        self.indexed_record = index.fetch([row_id])[row_id]
        self.first_trace = self.trace = run_trace(index, query)
        for deeper in RETRY_DEPTHS:
            if row_id in self.trace.rows_by_id or deeper <= query.k:
                continue
            self.trace = run_trace(index, structs.replace(query, k=deeper))
        self.ranked_hits = deduplicate_hits(self.trace.scored_hits, self.trace.rows_by_id)
        self.rank = next((place for place, (other, _hit) in enumerate(self.ranked_hits, 1) if other == row_id), 0)
        self.shown_rank = self.rank if self.trace is self.first_trace and self.rank <= query.k else 0

    def stages(self) -> list[Stage]:
        """From the words to the rank; what follows the stage at which nothing is left is not told."""
        stages = [_match_stage(self.index, self.trace.parsed, self.indexed_record), self._lane_stage()]
        if not stages[-1].passed:
            return stages
        mine = self._scored_hit()
        told = [self._duplicate_stage(mine)] if mine else []
        return [*stages, *told, *([] if told and not told[0].passed else [self._rank_stage(mine)])]

    def _lane_stage(self) -> Stage:
        found = self.trace.candidates.get(self.row)
        if found is None:
            return Stage("lanes", False, _no_lane_message(self.trace, self.indexed_record))
        told = structs.asdict(found)
        strengths = tuple(Reason(n, round(v, 6)) for n, v in told.items() if v and n not in FEATURE_SIGNALS)
        names = ", ".join(f"{one.name} {one.value:.3f}" for one in strengths)
        if not strengths:
            return Stage("lanes", False, "no lane says anything of it")
        return Stage("lanes", True, f"found by {names}", reasons=strengths)

    def _duplicate_stage(self, own_hit: Hit) -> Stage:
        """Whether a better hit has the same source and says the same already."""
        sources = _source_record_ids(own_hit.record)
        for place, (_row, hit) in enumerate(() if self.rank else self.ranked_hits, 1):
            if sources & _source_record_ids(hit.record):
                said = "tells the same of the same source" if hit.record.is_evidence else "was made of the same source"
                return Stage(
                    "told",
                    False,
                    f"hit {place}, {hit.record.source.citation}, {said} and is better: "
                    f"{_shorten_line(hit.record.text)}",
                    reasons=own_hit.reasons,
                    beside=_compared_hit(place, hit),
                )
        return Stage("told", True, "no better hit tells it already")

    def _rank_stage(self, own_hit: Hit | None) -> Stage:
        k, scored = self.query.k, len(self.trace.rows_by_id)
        if own_hit is None:
            weak = "its score is 0" if self.row in self.trace.rows_by_id else f"{scored} that were found are stronger"
            return Stage("rank", False, weak)
        says = f"rank {self.rank} with {own_hit.score:.3f}; k is {k}"
        if self.shown_rank:
            return Stage("rank", True, says, reasons=own_hit.reasons)
        shown = deduplicate_hits(self.first_trace.scored_hits, self.first_trace.rows_by_id)[:k]
        beside = _compared_hit(len(shown), shown[-1][1]) if shown else None
        return Stage("rank", False, says, reasons=own_hit.reasons, beside=beside)

    def _scored_hit(self) -> Hit | None:
        return next((hit for row_id, hit in self.trace.scored_hits if row_id == self.row), None)


def _compared_hit(rank: int, hit: Hit) -> ComparedHit:
    return ComparedHit(hit.record.id, hit.record.source.citation, rank, hit.score, hit.reasons)


def _match_stage(index: Index, parsed: ParsedQuery, indexed_record: IndexedRecord) -> Stage:
    """Which words of the question stand in the line, which do not, and what comes nearest to those."""
    if not parsed.terms:
        return Stage(
            "words", True, "the question has no words to look for: only names, times or what sort is asked for"
        )
    inside, above = set(indexed_record.tokens.split()), set(indexed_record.context.split())
    own = _matched_terms(parsed.terms, inside)
    titled = {word: how for word, how in _matched_terms(parsed.terms, above).items() if word not in own}
    asked_for = [term for term in reversed(parsed.terms) if not term.is_hypernym]
    missing = {term.word: term for term in asked_for if term.word not in own and term.word not in titled}
    written = _line_words(indexed_record.record)
    parts = [f"shares {', '.join(own.values())}"] if own else ["shares no stem with the question"]
    parts += [f"in the titles above it: {', '.join(titled.values())}"] if titled else []
    lacking = [_missing_term_note(index, term, written) for term in reversed(missing.values())]
    parts += [f"not in the line: {', '.join(lacking)}"] if lacking else []
    parts += [] if own or titled else [f"the line's words: {', '.join(written[:MAX_LISTED_WORDS])}"]
    return Stage("words", bool(own or titled), "; ".join(parts))


def _matched_terms(terms: tuple[QueryTerm, ...], tokens: set[str]) -> dict[str, str]:
    """The words of the question that stand among the tokens, each with what it was read as where it occurs nowhere."""
    first: dict[str, QueryTerm] = {}
    for term in terms:
        first.setdefault(term.word, term)
    found: dict[str, str] = {}
    for term in terms:
        if forms := tokens.intersection(term.forms):
            as_is = term == first[term.word] and not term.is_hypernym
            found.setdefault(term.word, term.word if as_is else f"{term.word} (read as {', '.join(sorted(forms))})")
    return found


def _missing_term_note(index: Index, term: QueryTerm, line_words: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(fold_name(term.word), line_words, 1, WORD_SIMILARITY)
    notes = [f"nearest: {near[0]}"] if near else []
    notes += [] if any(map(index.document_frequency, term.forms)) else ["in no record at all"]
    return term.word + (f" ({'; '.join(notes)})" if notes else "")


def _line_words(record: Record) -> list[str]:
    """The words of a line as written, folded, each once, without signs at their edges."""
    words = (word.strip(".,;:!?\"'()[]{}<>*-_~`@#|") for word in fold_name(sanitize_line(record.text)).split(" "))
    return list(dict.fromkeys(word for word in words if word))


def _no_lane_message(trace: RecallTrace, indexed_record: IndexedRecord) -> str:
    tokens = {*indexed_record.tokens.split(), *indexed_record.context.split()}
    if any(tokens.intersection(term.forms) for term in trace.parsed.terms):
        return (
            f"no lane found it: {len(trace.matches)} records match better by their words, and nothing else favours it"
        )
    return "no lane found it: not by words, names, times, its sort, nor what was said around it"


def _source_record_ids(record: Record) -> set[str]:
    return {record.id} if record.is_evidence else set(record.sources)


def _shorten_line(text: str) -> str:
    said = sanitize_line(text).strip()
    return said if len(said) <= MAX_EXCERPT_CHARS else f"{said[: MAX_EXCERPT_CHARS - 1]}…"


def _locate_record(index: Index, read: ReadFile, reference: str) -> tuple[Record | None, str]:
    """The record that is meant, and which it is; without one, why there is none."""
    found = index.find(reference)
    if found is not None:
        return found, _identify_record(found)
    path, line = _parse_line_reference(index, reference)
    records = [indexed_record.record for indexed_record in index.fetch(index.rows_of_file(path)).values()]
    whole = next((one for one in index.problems() if one.path == path and not one.line), None)
    if not records and whole is not None:
        return None, f"not indexed: {path}: {whole.message}"
    if not records and path not in index.stamps():
        return None, _unindexed_file_reason(index, read, path)
    if not line:
        raise BadArgument(f"{path!r} is a whole file", hint="name a line of it: PATH#L12")
    here = [one for one in records if one.source.line_start <= line <= one.source.line_end]
    here.sort(key=lambda one: (one.source.line_end - one.source.line_start, one.source.byte_start, one.id))
    return (here[0], _identify_record(here[0])) if here else (None, _unrecorded_line_reason(read, path, line, records))


def _identify_record(record: Record) -> str:
    what = "capture" if record.is_evidence else "record"
    return f"{what} {record.id}, {record.source.citation}: {_shorten_line(record.text)}"


def _parse_line_reference(index: Index, reference: str) -> tuple[str, int]:
    """Path and line; a line of 0 is none."""
    path, _, lines = reference.rpartition("#L")
    if not path or reference in index.stamps():
        return reference, 0
    first = lines.partition("-")[0]
    if not (first.isascii() and first.isdecimal() and len(first) <= MAX_LINE_DIGITS and int(first)):
        raise BadArgument(f"cannot read the line of {reference!r}", hint="say PATH#L12")
    return path, int(first)


def _unindexed_file_reason(index: Index, read: ReadFile, path: str) -> str:
    """Why a file is not in the index, or that there is none."""
    import difflib

    try:
        read(path)
    except NotFound:
        near = difflib.get_close_matches(path, [*index.stamps()], 2)
        return f"not indexed: no record and no file is called {path}" + (
            f"; did you mean {' or '.join(near)}?" if near else ""
        )
    except OutsideWorkspace as error:
        return f"not indexed: {error.message}"
    return f"not indexed: {path} is passed over: {_skipped_path_reason(path)}"


def _skipped_path_reason(path: str) -> str:
    parts = path.split("/")
    hidden = next((part for part in parts if part.startswith(".")), "")
    if hidden:
        return f"names that begin with a dot, like {hidden}, are not read"
    folder = next((part for part in parts if part in SKIPPED_FOLDERS), "")
    if folder:
        return f"what lies in {folder} is not read"
    if not path.lower().endswith(".md"):
        return "only names that end in .md are read"
    return "the setting `ignore` names it, or it is newer than the index (`commonplace sync`)"


def _unrecorded_line_reason(read: ReadFile, path: str, line_number: int, records: list[Record]) -> str:
    """Why there is no record on a line of a file that is indexed."""
    lines = read(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if line_number > len(lines):
        return f"no such line: {path} has {len(lines)}"
    says = _shorten_line(lines[line_number - 1])
    what = f"line {line_number} is no record: {says!r}" if says else f"line {line_number} is empty"
    near = min(records, key=lambda one: (abs(one.source.line_start - line_number), one.source.line_start), default=None)
    return f"{what}; the nearest is at {near.source.citation}" if near else f"{what}; {path} holds no record at all"
