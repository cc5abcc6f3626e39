"""Diagnose why a line is not among the hits: what each stage of recall and each filter did with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace, closest_names
from commonplace.index import Index, IndexedRecord
from commonplace.language.text import QueryTerm, fold_name, sanitize_line
from commonplace.model import Hit, Reason, Record
from commonplace.retrieval.recall.candidates import source_ids
from commonplace.retrieval.recall.citations import parse_line_reference
from commonplace.retrieval.recall.explain import Counterfactual, find_counterfactuals
from commonplace.retrieval.recall.filters import RecallArguments, diagnose_filters
from commonplace.retrieval.recall.lookup import find_cited
from commonplace.retrieval.recall.pipeline import Choice, RecallTrace, ScoredCandidate, is_repeated
from commonplace.retrieval.recall.scoring import SCORE_PARTS
from commonplace.retrieval.shares import MAX_EXCERPT_CHARS
from commonplace.storage.workspace import SKIPPED_FOLDERS

RETRY_DEPTHS = (100, 1_000)  # how many hits to ask for until the line is among those that are scored
MAX_LISTED_WORDS = 12  # of a line that shares none

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

    `arguments` let it through the `filter` that stopped it; `reasons` are strengths or the parts of the score.
    """

    name: StageName
    passed: bool
    says: str
    filter: str = ""
    arguments: RecallArguments = {}
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
        """The first stage that the line did not pass; empty if it is shown."""
        return "" if self.rank else next((stage.name for stage in self.stages if not stage.passed), "")


def why_not(trace: RecallTrace, reference: str, *, read: ReadFile) -> WhyNot:
    """The result of a recall for the line at `PATH#L12`, or for a record or capture by its id; a line that a filter
    stops is followed on as if it were let through. Writes nothing. Raises BadArgument."""
    index, query = trace.lane_input.index, trace.query
    record, says = _locate_record(index, read, reference)
    located = Stage("index", record is not None, says)
    if record is None:
        return WhyNot(query.text, reference, None, (located,), notes=trace.notes)
    row_id = index.row_of_record(record.id)
    indexed_record = index.fetch([row_id])[row_id]
    rejections = diagnose_filters(index, query, indexed_record)
    filters = [Stage("filter", False, one.message, one.name, one.arguments) for one in rejections]
    opening = {name: value for one in rejections for name, value in one.arguments.items()}
    opened = trace.retrace(**opening) if opening else trace
    diagnosis = _LineDiagnosis(opened, indexed_record)
    stages = (located, *(filters or [Stage("filter", True, "every filter lets it through")]), *diagnosis.stages())
    shown = 0 if rejections else diagnosis.shown_rank
    notes = tuple(dict.fromkeys((*trace.notes, *opened.notes)))
    changes: tuple[Counterfactual, ...] = ()
    if not shown:
        changes = find_counterfactuals(trace, record, unblocked_query=opened.query, rank=diagnosis.rank)
    return WhyNot(query.text, reference, record, stages, shown, changes, notes)


class _LineDiagnosis:
    """A line's way through a recall whose filters let it through; repeated at greater depth until it is scored."""

    def __init__(self, trace: RecallTrace, indexed_record: IndexedRecord) -> None:
        self.indexed_record, self.row_id = indexed_record, indexed_record.row_id
        self.first_trace = self.trace = trace
        for depth in RETRY_DEPTHS:
            if self.row_id not in self.trace.read_rows and depth > trace.query.k:
                self.trace = trace.retrace(k=depth)
        ranked = self.trace.choice.ranked
        self.rank = next((rank for rank, scored in enumerate(ranked, 1) if scored.row_id == self.row_id), 0)
        self.shown_rank = self.rank if self.trace is self.first_trace and self.rank <= trace.query.k else 0

    def stages(self) -> list[Stage]:
        """From the words to the rank; what follows the stage at which nothing is left is not explained."""
        stages = [_match_stage(self.trace, self.indexed_record), self._lane_stage()]
        if not stages[-1].passed:
            return stages
        scored = next((scored for scored in self.trace.scored if scored.row_id == self.row_id), None)
        if scored is not None:
            stages.append(self._duplicate_stage(scored))
        return stages if not stages[-1].passed else [*stages, self._rank_stage(scored)]

    def _lane_stage(self) -> Stage:
        scored = next((one for one in self.trace.scored if one.row_id == self.row_id), None)
        signals = scored.signals if scored else self.trace.candidates.get(self.row_id)
        if signals is None:
            tokens = {*self.indexed_record.tokens.split(), *self.indexed_record.context.split()}
            better = len(self.trace.lane_input.matches)
            says = "nothing in the question leads to it, by words, names, times, kind or the lines around it"
            if any(tokens.intersection(term.forms) for term in self.trace.parsed.terms):
                says = f"{better} lines match the words better, and nothing else in the question leads to it"
            return Stage("lanes", False, says)
        values = structs.asdict(signals)
        strengths = tuple(Reason(n, round(v, 6)) for n, v in values.items() if v and n in SCORE_PARTS)
        names = ", ".join(f"{one.name} {one.value:.3f}" for one in strengths)
        if not strengths:
            return Stage("lanes", False, "nothing in the question leads to it")
        return Stage("lanes", True, f"found by {names}", reasons=strengths)

    def _duplicate_stage(self, scored: ScoredCandidate) -> Stage:
        """Whether better hits that rest on the same captures have most of its words."""
        repeating = hits_repeating(scored, self.trace.choice)
        if not repeating:
            return Stage("told", True, "no better hit says the same")
        hit, ranked_rows = repeating[0].hit, [one.row_id for one in self.trace.choice.ranked]
        rank = ranked_rows.index(repeating[0].row_id) + 1
        has_same_source = not set(source_ids(hit.record)).isdisjoint(source_ids(scored.hit.record))
        how = "says the same and has the same source" if has_same_source else "says the same"
        how = how if hit.record.is_evidence else "was made from the same source"
        others = f" and {len(repeating) - 1} more" if len(repeating) > 1 else ""
        shown = f"{hit.record.source.location}, {how} and is better{others}: {_shorten_line(hit.record.text)}"
        return Stage("told", False, f"hit {rank}, {shown}", reasons=scored.hit.reasons, beside=_compared_hit(rank, hit))

    def _rank_stage(self, scored: ScoredCandidate | None) -> Stage:
        k, read_count = self.first_trace.query.k, len(self.trace.read_rows)
        if scored is None:
            is_read = self.row_id in self.trace.read_rows
            weak = "its score is 0" if is_read else f"{read_count} that were found are stronger"
            return Stage("rank", False, weak)
        says = f"rank {self.rank} with {scored.hit.score:.3f}; the first {k} are shown"
        if self.shown_rank:
            return Stage("rank", True, says, reasons=scored.hit.reasons)
        hits = self.first_trace.choice.ranked[:k]
        last_hit = _compared_hit(len(hits), hits[-1].hit) if hits else None
        return Stage("rank", False, says, reasons=scored.hit.reasons, beside=last_hit)


def hits_repeating(scored: ScoredCandidate, choice: Choice) -> list[ScoredCandidate]:
    """The better hits that make a candidate a duplicate: the best that has most of its words, or else all that have so
    together; none if it is no duplicate."""
    better = choice.duplicates.get(scored.row_id, [])
    return next(([one] for one in better if is_repeated(scored, [one])), better)


def _compared_hit(rank: int, hit: Hit) -> ComparedHit:
    return ComparedHit(hit.record.id, hit.record.source.location, rank, hit.score, hit.reasons)


def _match_stage(trace: RecallTrace, indexed_record: IndexedRecord) -> Stage:
    """Which words of the question stand in the line, which do not, and what comes nearest to those."""
    index, parsed = trace.lane_input.index, trace.parsed
    if not parsed.terms:
        return Stage("words", True, "the question has no words to search for, only names, times or a kind")
    inside, above = set(indexed_record.tokens.split()), set(indexed_record.context.split())
    own = _matched_terms(parsed.terms, inside)
    titled = {word: how for word, how in _matched_terms(parsed.terms, above).items() if word not in own}
    asked_for = [term for term in reversed(parsed.terms) if not term.is_hypernym]
    missing = {term.word: term for term in asked_for if term.word not in own and term.word not in titled}
    # The words of the line as written, folded, each once, without signs at their edges.
    edges = ".,;:!?\"'()[]{}<>*-_~`@#|"
    words = (word.strip(edges) for word in fold_name(sanitize_line(indexed_record.record.text)).split(" "))
    written = list(dict.fromkeys(word for word in words if word))
    parts = [f"shares {', '.join(own.values())}"] if own else ["shares no word with the question"]
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
    matched: dict[str, str] = {}
    for term in terms:
        if forms := tokens.intersection(term.forms):
            as_is = term == first[term.word] and not term.is_hypernym
            matched.setdefault(term.word, term.word if as_is else f"{term.word} (read as {', '.join(sorted(forms))})")
    return matched


def _missing_term_note(index: Index, term: QueryTerm, line_words: list[str]) -> str:
    similar = closest_names(fold_name(term.word), line_words)
    notes = [f"nearest: {similar[0]}"] if similar else []
    notes += [] if any(map(index.document_frequency, term.forms)) else ["in no record at all"]
    return term.word + (f" ({'; '.join(notes)})" if notes else "")


def _shorten_line(text: str) -> str:
    line = sanitize_line(text).strip()
    return line if len(line) <= MAX_EXCERPT_CHARS else f"{line[: MAX_EXCERPT_CHARS - 1]}…"


def _locate_record(index: Index, read: ReadFile, reference: str) -> tuple[Record | None, str]:
    """The record that is meant, and which it is; without one, why there is none."""
    cited = find_cited(index, reference)
    if len(cited) > 1:
        return None, f"{reference!r} may be any of {', '.join(record.id for record in cited)}"
    if cited:
        return cited[0], _identify_record(cited[0])
    path, line, _last = (reference, 0, 0) if reference in index.stamps() else parse_line_reference(reference)
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
    return f"{what} {record.id}, {record.source.location}: {_shorten_line(record.text)}"


def _unindexed_file_reason(index: Index, read: ReadFile, path: str) -> str:
    """The reason why a file is not in the index, or a note that there is no such file."""
    try:
        read(path)
    except NotFound:
        similar = closest_names(path, [*index.stamps()], 2)
        hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
        return f"not indexed: no record and no file is called {path}{hint}"
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
        return f"files in {folder} are not read"
    if not path.lower().endswith(".md"):
        return "only names that end in .md are read"
    return "the setting `ignore` names it, or it is newer than the index (`commonplace sync`)"


def _unrecorded_line_reason(read: ReadFile, path: str, line_number: int, records: list[Record]) -> str:
    """The reason why there is no record on a line of an indexed file."""
    lines = read(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if line_number > len(lines):
        return f"no such line: {path} has {len(lines)}"
    says = _shorten_line(lines[line_number - 1])
    reason = f"line {line_number} is no record: {says!r}" if says else f"line {line_number} is empty"
    by_distance = sorted(records, key=lambda one: (abs(one.source.line_start - line_number), one.source.line_start))
    where = f"the nearest is at {by_distance[0].source.location}" if records else f"{path} contains no records"
    return f"{reason}; {where}"
