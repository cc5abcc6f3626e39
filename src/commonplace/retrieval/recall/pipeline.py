"""The stages of a recall: parse the query, run the lanes, select candidates, score them, choose the hits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain

from msgspec import Struct, structs

from commonplace.index import Index, IndexedRecord
from commonplace.model import Hit, Hits, Query
from commonplace.retrieval.recall import dialogue, lanes
from commonplace.retrieval.recall.candidates import (
    CandidateSet,
    adjust_for_captures,
    combine_lanes,
    complete_signals,
    rows_by_named_speakers,
    select_candidates,
)
from commonplace.retrieval.recall.dialogue import DialogueScores, score_dialogues, score_proximity, score_single_turns
from commonplace.retrieval.recall.lanes import Lane, VectorSource, vector_lane
from commonplace.retrieval.recall.lexical import Bm25Scorer, SearchLimits, search_bm25, search_bm25_among
from commonplace.retrieval.recall.lookup import find_entity_records, list_timeline
from commonplace.retrieval.recall.query import ParsedQuery, build_record_filter, parse_query
from commonplace.retrieval.recall.question_analysis import narrow_to_intent, temporal_order_lane
from commonplace.retrieval.recall.scoring import EVENT_SHARE, MIN_CONFIDENCE, estimate_confidence, query_coverage

__all__ = [
    "RecallTrace",
    "build_record_filter",
    "complete_signals",
    "deduplicate_hits",
    "find_entity_records",
    "list_timeline",
    "recall",
    "rows_by_named_speakers",
    "trace_recall",
]

MIN_SCORED = 30  # records scored in full, at least; three times k where that is more
MAX_DIALOGUE_SEEDS = 100  # best matches from which dialogues are looked up
MIN_MATCH_SHARE = (
    0.25  # of the best match: what matches worse is not looked for once as many are found as will be scored
)
TIME_PROMISE = 0.3  # of the best match: what a line of the time that is meant promises of its dialogue
COMPARISON_WEIGHT = 0.7  # of the best match: what matches best of one of two things that are asked for
VECTOR_PROMISE = 1.0  # of the best match, times its cosine: what a line alike promises of its dialogue
REPEATED_WORD_SHARE = (
    0.6  # of its words; what shares a source with a better hit and says no more than this besides is told
)


class RecallTrace(Struct, frozen=True):
    """A recall before hits are chosen: the query taken apart, its words and the BM25 of the records that matched, what
    the lanes say of those they found, and those that were scored in full, best first."""

    parsed: ParsedQuery
    scorer: Bm25Scorer
    matches: dict[int, float]
    candidates: CandidateSet
    rows_by_id: dict[int, IndexedRecord]
    scored_hits: list[tuple[int, Hit]]

    def coverage(self, row_id: int) -> float:
        """The share of the question's weight that a record has, if it matched."""
        return _match_coverage(self.scorer, self.matches, row_id)


class TimeLanes(Struct, frozen=True):
    """The records of the time that is meant: those written then, or holding, and those that tell of it."""

    record_time: Lane
    event_time: Lane

    def combined(self) -> Lane:
        """Both, by what is stronger."""
        return lanes.merge_lanes(
            self.record_time, {row_id: EVENT_SHARE * strength for row_id, strength in self.event_time.items()}
        )


def recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    trace = trace_recall(index, query, languages, vectors=vectors)
    ranked = deduplicate_hits(trace.scored_hits, trace.rows_by_id)
    hits = tuple(hit for _row, hit in ranked[: query.k])
    rest = tuple(hit for _row, hit in ranked[query.k : _scoring_depth(query)])
    sure = _first_hit_confidence(trace, ranked)
    return Hits(query, hits, sure >= MIN_CONFIDENCE, trace.parsed.notes, rest, sure)


def trace_recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> RecallTrace:
    """All of a recall but the choice of hits. Raises BadArgument for unreadable times."""
    parsed = parse_query(index, query, languages)
    depth = _scoring_depth(query)
    times = TimeLanes(lanes.time_lane(index, parsed, depth), lanes.event_lane(index, parsed))
    timed = times.combined()
    scorer = Bm25Scorer(index, parsed.terms)
    matches = _match_with_hyponyms(
        index,
        parsed,
        timed,
        SearchLimits(k=max(depth, MAX_DIALOGUE_SEEDS), enough_matches=depth, min_share=MIN_MATCH_SHARE),
        scorer=scorer,
    )
    alike = vector_lane(index, query, parsed, vectors, match_count=len(matches))
    seen = chain(matches, timed, alike.cosines)
    parsed = _add_mentions(index, parsed, seen, newest=depth if len(matches) < MIN_SCORED else 0)
    dialogue_scores = _expand_dialogues(index, parsed, matches, timed, vector_cosines=alike.cosines, scorer=scorer)
    others = dialogue_scores.positions.keys() - matches.keys() - timed.keys() - alike.cosines.keys()
    parsed = _add_mentions(index, parsed, others)
    matches |= dialogue_scores.matches()
    close = {} if "close" in parsed.disabled else score_proximity(scorer, parsed.terms, dialogue_scores)
    said = _collect_lanes(index, parsed, matches, times)
    row_ids = _candidate_rows(index, parsed, said)
    said["vector"] = alike.strengths(row_ids, dialogue_scores)
    candidates = CandidateSet(parsed, combine_lanes(row_ids | said["vector"].keys(), said), dialogue_scores, close)
    read = index.fetch(select_candidates(index, parsed, candidates, depth))
    covers = partial(_match_coverage, scorer, matches)
    candidates |= adjust_for_captures(index, candidates, read, formula=candidates.formula, coverage=covers)
    return RecallTrace(alike.add_notes(parsed), scorer, matches, candidates, read, _rank_candidates(read, candidates))


def _match_coverage(scorer: Bm25Scorer, matches: dict[int, float], row_id: int) -> float:
    return scorer.coverage(row_id) if row_id in matches else 0.0


def _scoring_depth(query: Query) -> int:
    return max(MIN_SCORED, 3 * query.k)


def _match_with_hyponyms(
    index: Index, parsed: ParsedQuery, time_lane: Lane, limits: SearchLimits, *, scorer: Bm25Scorer
) -> dict[int, float]:
    """How records match, with what is of the sorts that are named; where enough match by the words of the question
    itself, only these are searched for, since what is of a sort stands in very many lines."""
    own = tuple(term for term in parsed.terms if not term.is_hypernym)
    if len(own) < len(parsed.terms):
        narrow = structs.replace(parsed, terms=own)
        found = _match_terms(index, narrow, time_lane, limits, scorer=Bm25Scorer(index, own))
        if len(found) >= MIN_SCORED:
            return search_bm25_among(index, parsed.terms, parsed.record_filter, set(found), scorer=scorer)
    return _match_terms(index, parsed, time_lane, limits, scorer=scorer)


def _match_terms(
    index: Index, parsed: ParsedQuery, time_lane: Lane, limits: SearchLimits, *, scorer: Bm25Scorer
) -> dict[int, float]:
    """How records match by their words: the best of all, and the best of those that other lanes favour."""
    if parsed.entity_rows is not None:
        return search_bm25_among(index, parsed.terms, parsed.record_filter, parsed.entity_rows, scorer=scorer)
    matches = search_bm25(index, parsed.terms, parsed.record_filter, limits, scorer=scorer)
    if len(matches) < MIN_SCORED or parsed.intent == "about":
        return matches
    favoured = set(time_lane)
    only = narrow_to_intent(parsed.record_filter, parsed.intent)
    if only is not None:
        favoured.update(index.newest_filtered_rows(only, lanes.MAX_LANE_ROWS))
    if parsed.entity_names:
        named = structs.replace(limits, entity_names=tuple(parsed.entity_names))
        matches |= search_bm25(index, parsed.terms, parsed.record_filter, named, scorer=scorer)
    return (
        matches | search_bm25_among(index, parsed.terms, parsed.record_filter, favoured, scorer=scorer)
        if favoured
        else matches
    )


def _add_mentions(index: Index, parsed: ParsedQuery, row_ids: Iterable[int], *, newest: int = 0) -> ParsedQuery:
    """What of the rows bears a name of the query, beside what is known already; and so many of the newest that do.

    Who asks for all that is known of somebody gets all of it.
    """
    if not parsed.entity_names or (parsed.mentions and parsed.intent == "about"):
        return parsed
    if parsed.intent == "about":
        return structs.replace(parsed, mentions=index.mentions(tuple(parsed.entity_names)))
    wanted = set(row_ids)
    if newest:
        wanted |= lanes.newest_entity_rows(index, parsed, newest)
    return structs.replace(
        parsed, mentions=parsed.mentions + index.mentions_in_rows(tuple(parsed.entity_names), wanted)
    )


def _expand_dialogues(
    index: Index,
    parsed: ParsedQuery,
    matches: dict[int, float],
    time_lane: Lane,
    *,
    vector_cosines: Lane,
    scorer: Bm25Scorer,
) -> DialogueScores:
    """The best matches, what is of the time that is meant or alike, and the dialogues around them, as the filter
    allows."""
    if parsed.intent == "about" or not parsed.terms:
        return score_single_turns(index, scorer, (), parsed.record_filter)
    best = max(matches.values(), default=1.0)
    in_order = sorted(matches)  # of equals the first, in whatever order they were read
    promise = {row_id: matches[row_id] for row_id in in_order}
    promise |= {row_id: promise.get(row_id, 0.0) + TIME_PROMISE * best * near for row_id, near in time_lane.items()}
    promise |= {
        row_id: promise.get(row_id, 0.0) + VECTOR_PROMISE * best * cosine for row_id, cosine in vector_cosines.items()
    }
    favoured = promise.keys() & {row_id for row_id, _key, _role in parsed.mentions}
    if (only := narrow_to_intent(parsed.record_filter, parsed.intent)) is not None:
        favoured |= promise.keys() & set(index.newest_filtered_rows(only, lanes.MAX_LANE_ROWS))
    if len(promise) > MAX_DIALOGUE_SEEDS:
        order = sorted(promise, key=promise.__getitem__, reverse=True)
        best_favoured = [row_id for row_id in order if row_id in favoured] if favoured else []
        promise = {
            row_id: promise[row_id] for row_id in {*order[:MAX_DIALOGUE_SEEDS], *best_favoured[:MAX_DIALOGUE_SEEDS]}
        }
    if parsed.disabled.issuperset(dialogue.DIALOGUE_PARTS):
        found = score_single_turns(index, scorer, promise, parsed.record_filter)
    else:
        found = score_dialogues(index, scorer, promise, parsed.record_filter, speaker_tokens=parsed.speaker_tokens)
    return found if parsed.entity_rows is None else found.restrict_to(parsed.entity_rows)


def _collect_lanes(
    index: Index, parsed: ParsedQuery, matches: dict[int, float], time_lanes: TimeLanes
) -> dict[str, Lane]:
    """What each lane says of what it found, by the name of its strength."""
    best = max(matches.values(), default=0.0) or 1.0
    named = lanes.entity_lane(parsed)
    return {
        "lexical": {row_id: score / best for row_id, score in matches.items()}
        | _score_comparison_sides(index, parsed, matches, best),
        "entity": named,
        "kind": lanes.kind_lane(index, parsed, matches, named),
        "time": time_lanes.record_time,
        "event": time_lanes.event_time,
        "about": lanes.overview_lane(index, parsed),
        "order": {} if parsed.intent == "about" else temporal_order_lane(index, parsed.order, matches),
    }


def _score_comparison_sides(index: Index, parsed: ParsedQuery, matches: dict[int, float], best_score: float) -> Lane:
    """How what matched matches one of two things that are asked for, where that is more than it matches the whole."""
    found: Lane = {}
    for side in parsed.comparison:
        scores = search_bm25_among(index, side.terms, parsed.record_filter, set(matches))
        most = max(scores.values(), default=0.0) or 1.0
        found = lanes.merge_lanes(found, {row_id: COMPARISON_WEIGHT * score / most for row_id, score in scores.items()})
    return {row_id: strength for row_id, strength in found.items() if strength * best_score > matches[row_id]}


def _candidate_rows(index: Index, parsed: ParsedQuery, lanes_by_name: dict[str, Lane]) -> set[int]:
    """The rows that the lanes found and the filters let through.

    Where enough matches, what bears a name and matches in nothing has no chance, and may be very much.
    """
    found = {row_id for name, lane in lanes_by_name.items() if name != "entity" for row_id in lane}
    if len(lanes_by_name["lexical"]) < MIN_SCORED:
        found.update(index.token_counts(lanes_by_name["entity"].keys() - found, parsed.record_filter))
    return found if parsed.entity_rows is None else found & parsed.entity_rows


def _rank_candidates(rows_by_id: dict[int, IndexedRecord], candidates: CandidateSet) -> list[tuple[int, Hit]]:
    """Hits by score; ties by path and line, so that equal files rank equally."""
    ranked: list[tuple[int, Hit]] = []
    parsed, by_the_named, formula = candidates.parsed, candidates.speaker_rows, candidates.formula
    for row_id, indexed_record in rows_by_id.items():
        total, reasons = formula.score(
            indexed_record.record, complete_signals(indexed_record, candidates[row_id], parsed, by_the_named)
        )
        if total > 0:
            ranked.append((row_id, Hit(indexed_record.record, total, reasons)))
    ranked.sort(key=lambda pair: _hit_sort_key(pair[1]))
    return ranked


def deduplicate_hits(ranked: list[tuple[int, Hit]], rows_by_id: dict[int, IndexedRecord]) -> list[tuple[int, Hit]]:
    """The ranking less what a better hit tells already: the capture that it names as its source, and what else was
    made of that capture and says hardly more."""
    told: dict[str, set[str]] = {}
    kept: list[tuple[int, Hit]] = []
    for row_id, hit in ranked:
        sources = (hit.record.id,) if hit.record.is_evidence else hit.record.sources
        if not sources:
            kept.append((row_id, hit))
            continue
        words = rows_by_id[row_id].tokens.split()
        known = set().union(*(told.get(source, ()) for source in sources))
        if known and sum(word in known for word in words) >= REPEATED_WORD_SHARE * len(words):
            continue
        for source in sources:
            told.setdefault(source, set()).update(words)
        kept.append((row_id, hit))
    return kept


def _hit_sort_key(hit: Hit) -> tuple[float, str, int, int, str]:
    source = hit.record.source
    return -hit.score, source.path, source.line_start, source.byte_start, hit.record.id


def _first_hit_confidence(trace: RecallTrace, ranked: list[tuple[int, Hit]]) -> float:
    """How likely the first hit answers; the order of what was found by nothing but a name or a time says nothing."""
    if not ranked:
        return 0.0
    row_id = ranked[0][0]
    share = query_coverage(trace.parsed, trace.scorer, trace.coverage(row_id), trace.candidates[row_id])
    return estimate_confidence(
        share, [hit.score for _row, hit in (ranked[:1] if trace.parsed.has_only_cues else ranked)]
    )
