"""The stages of a recall: parse the query, run the lanes, select candidates, score them, choose the hits.

Each stage leaves its result in a `RecallTrace`; the answer, `--explain` and `why-not` all read that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, structs

from commonplace.index import Index, IndexedRecord
from commonplace.language.text import detect_language
from commonplace.model import Hit, Hits, OtherValue, Query, Record, day_of
from commonplace.retrieval.recall import current_values
from commonplace.retrieval.recall.candidates import (
    NO_SIGNALS,
    CandidateSet,
    adjust_for_captures,
    combine_lanes,
    select_candidates,
    source_ids,
)
from commonplace.retrieval.recall.filters import build_record_filter
from commonplace.retrieval.recall.lane_input import MIN_SCORED, LaneInput, Signals, VectorSource, prepare_lanes
from commonplace.retrieval.recall.lanes import measure_candidates, run_lanes
from commonplace.retrieval.recall.query import FIRST_MINUTE, ParsedQuery, remove_phrases
from commonplace.retrieval.recall.score_policy import MAX_LISTED_NOTEBOOK
from commonplace.retrieval.recall.scoring import (
    MIN_CONFIDENCE,
    added_sum,
    estimate_confidence,
    query_coverage,
    raise_hit,
)
from commonplace.retrieval.shares import HALF, TENTH

# What lists records without a question.
LISTING_ARGUMENTS = ("kinds", "categories", "entities", "tags", "paths", "phrases", "since", "until")
HITS_PER_LEVEL = 10  # that are chosen from each further `MIN_SCORED` candidates
MAX_FIRST_LEVELS = 6  # from what the lanes find first; of more hits the rest comes from deeper lanes
DEPTH_FACTOR = 20  # times as many are searched for then
# Of its words: a hit with so many in better hits of the same captures is a duplicate.
REPEATED_WORD_SHARE = HALF + TENTH

MIN_EXACT_SHARE = 1 - 2 * TENTH  # of the sum and the score of the best exact match: what has less stays below it


class ScoredCandidate(Struct, frozen=True, gc=False):
    """A record that was scored in full: as the index has it, its signals, the hit that it is, and its level: among how
    many tens of hits it is considered for the first time."""

    indexed_record: IndexedRecord
    signals: Signals
    hit: Hit
    level: int = 0

    @property
    def row_id(self) -> int:
        """Its row in the index."""
        return self.indexed_record.row_id


class Choice(Struct, frozen=True):
    """The ranking, in which each thing is listed once; by row for each duplicate the better hits that it is a duplicate
    of; and by row of a hit the duplicates that it stands for."""

    ranked: list[ScoredCandidate]
    duplicates: dict[int, list[ScoredCandidate]]
    merged: dict[int, list[ScoredCandidate]]

    def merge_hit(self, candidate: ScoredCandidate, mark: Callable[[int, Hit], Hit] = lambda _row_id, hit: hit) -> Hit:
        """The hit that a ranked candidate is, with the duplicates that it stands for, each marked."""
        merged = self.merged.get(candidate.row_id)
        if not merged:
            return mark(candidate.row_id, candidate.hit)
        marked = current_values.share_marks([mark(one.row_id, one.hit) for one in (candidate, *merged)])
        other_hits = zip(merged, marked[1:], strict=True)
        others = tuple([hit for one, hit in other_hits if not is_repeated(one, [candidate])])
        return structs.replace(marked[0], repeated=tuple([one.hit.record.id for one in merged]), merged=others)


class RecallTrace(Struct, frozen=True):
    """The stages of a recall: the lanes with their results, the candidates with their signals, those that were read and
    scored in full, best first (`read_rows` counts those whose score is 0 too), and the choice of hits. `reordered` is
    the ranking in the order of a language model, empty if none gave one; `model_notes` say which, or why not.
    `unmatched` are the other records of a small notebook, which are listed last."""

    lane_input: LaneInput
    candidates: CandidateSet
    read_rows: frozenset[int]
    scored: list[ScoredCandidate]
    choice: Choice
    values: current_values.ValueOrder
    marked: dict[int, Hit] = {}
    reordered: tuple[ScoredCandidate, ...] = ()
    model_notes: tuple[str, ...] = ()
    unmatched: tuple[Hit, ...] = ()

    @property
    def query(self) -> Query:
        """The query."""
        return self.lane_input.query

    @property
    def parsed(self) -> ParsedQuery:
        """The query taken apart."""
        return self.lane_input.parsed

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader: about the query, lanes that could not work completely, and language models."""
        return self.parsed.notes + self.lane_notes + self.model_notes

    @property
    def lane_notes(self) -> tuple[str, ...]:
        """Those about lanes, which never quote the query."""
        return tuple(note for result in self.lane_input.results.values() for note in result.notes)

    @property
    def hits(self) -> Hits:
        """The answer: the k best hits, and those ranked below them. The confidence is that of the best by its score."""
        chosen, k = self.choice.ranked, self.query.k
        sure = 0.0
        if chosen:  # how likely the first hit answers; the order of what only a name or a time finds says nothing
            covered = match_coverage(self.lane_input, chosen[0].row_id)
            share = query_coverage(self.parsed, self.lane_input.scorer, covered, chosen[0].signals)
            compared = chosen[:1] if self.parsed.has_only_cues else chosen
            sure = estimate_confidence(share, [scored.hit.score for scored in compared])
        shown = self.ranking[: max(MIN_SCORED, 3 * k)]
        hits = tuple([self.marked.get(scored.row_id) or self.choice.merge_hit(scored) for scored in shown])
        rest, others = hits[k:], self.unmatched[: max(k - len(hits), 0)]
        return Hits(self.query, hits[:k], sure >= MIN_CONFIDENCE, self.notes, rest, sure, self.lane_notes, others)

    @property
    def ranking(self) -> Sequence[ScoredCandidate]:
        """The candidates in the order in which they are listed."""
        return self.reordered or self.choice.ranked

    def reorder(self, places: Sequence[int], k: int) -> RecallTrace:
        """The trace with its first hits in another order, of which k are listed: `places` are those in the ranking so
        far, from 0. Of the values of one thing the newest is first as before, and each hit has the rank that it had."""
        ranked = self.choice.ranked
        by_row = {ranked[place].row_id: ranked[place] for place in places}
        first = [by_row[row_id] for row_id in self.values.exchange_places(list(by_row))]
        ranks = {one.row_id: rank for rank, one in enumerate(ranked[: len(places)], 1)}
        marked = {row_id: structs.replace(self.marked[row_id], rules_rank=rank) for row_id, rank in ranks.items()}
        lane_input = structs.replace(self.lane_input, query=structs.replace(self.query, k=k))
        reordered = (*first, *ranked[len(places) :])
        return structs.replace(self, lane_input=lane_input, marked=self.marked | marked, reordered=reordered)

    def list_unmatched(self) -> RecallTrace:
        """The trace with the hits of a small notebook that nothing in the question found, the newest first, if fewer
        than k were found; of any notebook if there is no question but only filters. Headings, and what only repeats
        another, are left out."""
        index, parsed, query = self.lane_input.index, self.parsed, self.query
        if len(self.choice.ranked) >= query.k:
            return self
        is_listing = not query.text.strip() and any(getattr(query, name) for name in LISTING_ARGUMENTS)
        at_most = 2 * query.k if is_listing else MAX_LISTED_NOTEBOOK
        if is_listing and parsed.required_rows is None:
            rows = set(index.newest_filtered_rows(parsed.record_filter, at_most))
        elif is_listing:
            rows = set(index.token_counts(parsed.required_rows or (), parsed.record_filter))
        else:
            rows = set(index.filtered_rows(build_record_filter(query), MAX_LISTED_NOTEBOOK) or ())
            rows = rows if parsed.required_rows is None else rows & parsed.required_rows
        rows -= {one.row_id for one in self.scored}
        found = index.fetch(index.newest_of_rows(rows, at_most))
        lines = [one for one in found.values() if one.record.form != "heading"]
        others = [ScoredCandidate(one, NO_SIGNALS, Hit(one.record, 0.0)) for one in lines]
        ranked = deduplicate_candidates([*self.scored, *others], detect_language(self.query.question)).ranked
        shown = {one.row_id for one in ranked}
        today = day_of(parsed.reference_time)
        values = current_values.order_values(index, found, parsed.record_filter, today=today, past=parsed.past)
        hits = [values.mark_hit(index, one.row_id, one.hit) for one in others if one.row_id in shown]
        return structs.replace(self, unmatched=tuple(hits))

    def retrace(self, **changes: Any) -> RecallTrace:
        """The trace of the same recall with other arguments, which are fields of `Query`."""
        query = structs.replace(self.query, **changes)
        return trace_recall(self.lane_input.index, query, self.lane_input.languages, vectors=self.lane_input.vectors)


def recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    return trace_recall(index, query, languages, vectors=vectors).hits


def trace_recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> RecallTrace:
    """The same recall with the result of each stage; where the lanes were cut off and fewer than k hits are left, they
    are run again for more, which rank below. Raises BadArgument for unreadable times."""
    lane_input = prepare_lanes(index, query, languages, vectors)
    trace = _trace_pass(lane_input, MAX_FIRST_LEVELS)
    levels = MAX_FIRST_LEVELS
    while len(trace.choice.ranked) < query.k and len(trace.candidates) >= lane_input.depth:
        depth = DEPTH_FACTOR * lane_input.depth
        lane_input = structs.replace(prepare_lanes(index, query, languages, vectors), depth=depth)
        deeper = _trace_pass(lane_input, depth // HITS_PER_LEVEL, trace, levels)
        levels += depth // HITS_PER_LEVEL
        trace = structs.replace(deeper, lane_input=trace.lane_input)
    later = _lift_later_turns(trace)
    mark = partial(trace.values.mark_hit, index)
    marked = {one.row_id: trace.choice.merge_hit(one, mark) for one in trace.choice.ranked[: query.k]}
    marked |= {row: structs.replace(marked[row], later=value) for row, value in later.items() if row in marked}
    return structs.replace(trace, marked=marked)


def _lift_later_turns(trace: RecallTrace) -> dict[int, OtherValue]:
    """Lift each of the first ten hits that is a turn with a newer number right above those with older ones; returns
    the newer value by the row of each older turn."""
    ranked, lane_input = trace.choice.ranked, trace.lane_input
    units = current_values.asked_units(trace.parsed, trace.query.question)
    if not units:
        return {}
    first = ranked[:HITS_PER_LEVEL]
    rows = [one.row_id for one in first]
    hits = [trace.choice.merge_hit(one) for one in first]
    later = current_values.find_later_values(hits, trace.parsed, units, lambda at: match_coverage(lane_input, rows[at]))
    for older, (newer, _value) in sorted(later.items()):
        place, newer_place = rows.index(first[older].row_id), rows.index(first[newer].row_id)
        if newer_place > place:
            rows.insert(place, rows.pop(newer_place))
    by_row = {one.row_id: one for one in first}
    ranked[:HITS_PER_LEVEL] = [by_row[row_id] for row_id in rows]
    return {first[older].row_id: value for older, (_newer, value) in later.items()}


def _trace_pass(
    lane_input: LaneInput, max_levels: int, earlier_trace: RecallTrace | None = None, first_level: int = 0
) -> RecallTrace:
    """One run of the lanes, and as many levels of candidates as the hits need; those of an earlier pass come first."""
    index, k = lane_input.index, lane_input.query.k
    run_lanes(lane_input)
    candidates = gather_candidates(lane_input)
    earlier, rows = (earlier_trace.scored, earlier_trace.read_rows) if earlier_trace else ([], frozenset[int]())
    language = detect_language(lane_input.query.question)
    wanted = min(max(-(-k // HITS_PER_LEVEL), 1), max_levels)
    exact = set[int]() if earlier_trace else _exact_matches(lane_input, candidates)
    best = max(map(lane_input.scorer.scores.__getitem__, exact), default=0.0)
    best_rows = [row for row in exact if lane_input.scorer.scores[row] == best]
    best_rows = index.newest_of_rows(best_rows, 1) if len(best_rows) > 1 else best_rows
    answers = lane_input.results["lexical"].best_rows
    best_rows += [row_id for rows in answers for row_id in index.newest_of_rows(rows, 1) if row_id in candidates]
    while True:
        levels = select_candidates(index, candidates, wanted * MIN_SCORED, rows) | dict.fromkeys(best_rows, 0)
        rows_by_id = index.fetch(levels.keys())
        adjust_for_captures(index, candidates, rows_by_id, lambda row_id: match_coverage(lane_input, row_id))
        scored = score_candidates(rows_by_id, candidates, {row: level + first_level for row, level in levels.items()})
        if earlier:
            scored = sorted([*earlier, *scored], key=_rank_key)
        else:
            scored = _raise_exact_match(_raise_best_of_questions(scored, answers), exact)
        parsed, records = lane_input.parsed, {one.row_id: one.indexed_record for one in scored}
        today = day_of(parsed.reference_time)
        values = current_values.order_values(index, records, parsed.record_filter, today=today, past=parsed.past)
        choice = deduplicate_candidates(scored, language, values)
        if len(choice.ranked) >= k or wanted == max_levels or len(levels) + len(rows) >= len(candidates):
            return RecallTrace(lane_input, candidates, rows.union(rows_by_id), scored, choice, values)
        wanted = min(2 * wanted, max_levels)


def _exact_matches(lane_input: LaneInput, candidates: CandidateSet) -> set[int]:
    """The candidates with all words of the question that occur and are not light, and a name of it."""
    parsed, rows = lane_input.parsed, lane_input.scorer.rows_with_every_word() & candidates.keys()
    return rows & lane_input.results["entity"].strengths.keys() if parsed.entity_names else rows


def _raise_exact_match(scored: list[ScoredCandidate], exact_rows: set[int]) -> list[ScoredCandidate]:
    """The candidates, the best exact match above those that have less than .8 of its sum and of its score, which only
    their factors lift above it: by a factor of its own."""
    place = next((at for at, one in enumerate(scored) if one.row_id in exact_rows), 0) if exact_rows else 0
    exact = scored[place] if place else None
    least = MIN_EXACT_SHARE * min(exact.hit.score, added_sum(exact.hit.reasons)) if exact else 0.0
    lifted = next((one.hit.score for one in scored[:place] if added_sum(one.hit.reasons) < least), 0.0)
    if exact is None or not lifted:
        return scored
    raised = structs.replace(exact, hit=raise_hit(exact.hit, lifted))
    return sorted([*scored[:place], raised, *scored[place + 1 :]], key=_rank_key)


def _raise_best_of_questions(
    scored: list[ScoredCandidate], best_rows: tuple[Collection[int], ...]
) -> list[ScoredCandidate]:
    """The candidates, the best line of each of several questions above all others but the best one."""
    firsts = [next((one.row_id for one in scored if one.row_id in rows), 0) for rows in best_rows]
    bar = max([one.hit.score for one in scored if firsts and one.row_id not in firsts][1:], default=0.0)
    below = [one for one in scored if one.row_id in firsts and one.hit.score <= bar]
    raised = {one.row_id: structs.replace(one, hit=raise_hit(one.hit, bar)) for one in below}
    return sorted([raised.get(one.row_id, one) for one in scored], key=_rank_key) if raised else scored


def gather_candidates(lane_input: LaneInput) -> CandidateSet:
    """The rows that the lanes found and that the filters let through."""
    row_ids, strengths = measure_candidates(lane_input)
    return CandidateSet(
        lane_input.parsed,
        combine_lanes(row_ids, strengths),
        dialogue_scores=lane_input.dialogue_scores,
        proximity=lane_input.results["proximity"].strengths,
        speaker_rows=lane_input.mentions.speaker_rows(),
    )


def score_candidates(
    rows_by_id: dict[int, IndexedRecord], candidates: CandidateSet, levels: dict[int, int]
) -> list[ScoredCandidate]:
    """The records with a score, best first; ties by path and line, so that equal files rank equally."""
    scored: list[ScoredCandidate] = []
    for row_id, indexed_record in rows_by_id.items():
        signals = candidates.complete(indexed_record)
        total, reasons = candidates.formula.score(indexed_record.record, signals)
        if total > 0 and not (candidates.parsed.time_windows and _is_date_heading(indexed_record.record)):
            hit = Hit(indexed_record.record, total, reasons)
            scored.append(ScoredCandidate(indexed_record, signals, hit, levels[row_id]))
    scored.sort(key=_rank_key)
    return scored


def _is_date_heading(record: Record) -> bool:
    """Whether a heading has nothing but a date."""
    if record.form != "heading":
        return False
    from commonplace.language.when import find_time_phrases

    rest = remove_phrases(record.text, find_time_phrases(record.text, record.time or FIRST_MINUTE))
    return not any(map(str.isalnum, rest))


def deduplicate_candidates(
    scored: list[ScoredCandidate], language: str = "en", values: current_values.ValueOrder = current_values.NO_ORDER
) -> Choice:
    """The ranking in which each thing is listed once, ten hits of each level after the other, so that the first ten do
    not depend on how many more are looked at. Of the `values` of one thing the one that holds takes the first place."""
    choice, deduplicator = Choice([], {}, {}), _Deduplicator(language)
    waiting = scored
    for level in sorted({candidate.level for candidate in scored}):
        above = [candidate for candidate in waiting if candidate.level > level]
        reached = _exchange_places([candidate for candidate in waiting if candidate.level <= level], values)
        for candidate in reached:
            if len(choice.ranked) >= HITS_PER_LEVEL * (level + 1):
                above.append(candidate)
            else:
                deduplicator.add(candidate, choice, level)
        waiting = sorted(above, key=_rank_key)
    for candidate in _exchange_places(waiting, values):
        deduplicator.add(candidate, choice, candidate.level)
    return choice


def _exchange_places(candidates: list[ScoredCandidate], values: current_values.ValueOrder) -> list[ScoredCandidate]:
    if not values.chains:
        return candidates
    by_row = {candidate.row_id: candidate for candidate in candidates}
    return [by_row[row_id] for row_id in values.exchange_places(list(by_row))]


class _Deduplicator:
    """The things that were ranked so far, by the captures that they rest on and by their words."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._by_source: dict[str, list[ScoredCandidate]] = {}
        self._by_words: dict[tuple[str, ...], list[ScoredCandidate]] = {}
        self._levels: dict[int, int] = {}

    def add(self, candidate: ScoredCandidate, choice: Choice, level: int) -> None:
        """Rank a candidate, or merge it with what says the same."""
        sources = source_ids(candidate.hit.record)
        better: list[ScoredCandidate] = []
        if not self._by_source.keys().isdisjoint(sources):
            better = list({one.row_id: one for source in sources for one in self._by_source.get(source, ())}.values())
        same = better if better and (self._is_retold(candidate, sources) or is_repeated(candidate, better)) else []
        if not same and candidate.hit.record.is_evidence:
            words = candidate.indexed_record.tokens.split()
            alike = self._by_words.setdefault(current_values.content_tokens(words, self._language) or tuple(words), [])
            same = [one for one in alike if current_values.is_same_content(one.hit.record, candidate.hit.record)][:1]
            alike += [] if same else [candidate]
        if not same:
            choice.ranked.append(candidate)
            self._levels[candidate.row_id] = level
            for source in sources:
                self._by_source.setdefault(source, []).append(candidate)
            return
        choice.duplicates[candidate.row_id] = same
        if candidate.level <= self._levels[same[0].row_id]:  # else it is listed only where more hits are asked for
            choice.merged.setdefault(same[0].row_id, []).append(candidate)

    def _is_retold(self, candidate: ScoredCandidate, sources: tuple[str, ...]) -> bool:
        """Whether it is a capture that a better record retells, or a record all of whose captures are better."""
        if candidate.hit.record.is_evidence:
            return sources[0] in self._by_source
        captures = (any(one.hit.record.is_evidence for one in self._by_source.get(source, ())) for source in sources)
        return bool(sources) and all(captures)


def is_repeated(candidate: ScoredCandidate, better: list[ScoredCandidate]) -> bool:
    """Whether most words of a candidate occur in the others."""
    repeated = set[str]().union(*(one.indexed_record.tokens.split() for one in better))
    words = candidate.indexed_record.tokens.split() if repeated else ()
    return bool(repeated) and sum(word in repeated for word in words) >= REPEATED_WORD_SHARE * len(words)


def _rank_key(candidate: ScoredCandidate) -> tuple[float, str, int, int, str]:
    hit, source = candidate.hit, candidate.hit.record.source
    return -hit.score, source.path, source.line_start, source.byte_start, hit.record.id


def match_coverage(lane_input: LaneInput, row_id: int) -> float:
    """The share of the question's weight that a record has by its words, if it matched."""
    return lane_input.scorer.coverage(row_id) if row_id in lane_input.matches else 0.0
