"""The lane of vectors: the records nearest to a question in meaning."""

from __future__ import annotations

from collections.abc import Collection

from commonplace.language import text
from commonplace.retrieval.recall.lane_input import LaneInput, LaneResult, Strengths
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.scoring import known_share
from commonplace.retrieval.shares import HALF, TENTH

MAX_NEAREST = 100  # lines that the lane finds by itself
MIN_BEST_COSINE = 0.3  # where nothing is more alike than this, the best is not taken for alike
# Of the weight of a question's words: where the best match has less, the vectors count by the square of how much less.
ENOUGH_MATCHED, LEAST_MATCHED = HALF, TENTH
BESIDE_TIMES = HALF  # the best strength where records of the time, or the last or first, are asked for


def vector_lane(lane_input: LaneInput) -> LaneResult:
    """The records nearest to the question, with their cosines, or a note why there are none; in the mode `fallback`
    only for a question for which words find few lines."""
    vectors, parsed, query_text = lane_input.vectors, lane_input.parsed, lane_input.query.question
    if vectors is None or vectors.mode == "none" or not query_text.strip():
        return LaneResult()
    if parsed.intent == "about" or parsed.is_period_only:  # other lanes find all that is asked for
        return LaneResult()
    if vectors.mode == "fallback" and len(lane_input.matches) >= vectors.min_primary_results:
        return LaneResult()
    space, notes = vectors.ask(lane_input.index, _question_texts(query_text, parsed))
    if space is None:
        return LaneResult(notes=notes)
    nearest = space.nearest(lane_input.index, parsed.record_filter, MAX_NEAREST)
    if parsed.required_rows is not None:
        nearest = {row_id: cosine for row_id, cosine in nearest.items() if row_id in parsed.required_rows}
    return LaneResult(nearest, notes, space=space)


def measure_vectors(lane_input: LaneInput, row_ids: Collection[int]) -> Strengths:
    """The similarity of the rows and the nearest records to the question. 1 is the best where words find enough of it;
    more where they find less, so that the order of the vectors leads, and half where a time or an order is asked for
    that has records."""
    result = lane_input.results["vector"]
    if result.space is None:
        return {}
    baseline = result.space.baseline()
    cosines = result.space.cosines(lane_input.index, {*row_ids, *result.strengths})
    above = {row_id: max((cosine - baseline) / (1 - baseline), 0.0) for row_id, cosine in cosines.items()}
    most = max(MIN_BEST_COSINE, *above.values()) if above else MIN_BEST_COSINE
    best = BESIDE_TIMES if lane_input.time_strengths or lane_input.parsed.order else _best_strength(lane_input)
    return dict.fromkeys(result.strengths, 0.0) | {row_id: best * cosine / most for row_id, cosine in above.items()}


def _best_strength(lane_input: LaneInput) -> float:
    scorer, matches = lane_input.scorer, lane_input.matches
    best = max(matches, key=matches.__getitem__, default=0)
    matched = known_share(lane_input.parsed, scorer) * scorer.coverage(best) if best else 0.0
    return (ENOUGH_MATCHED / min(max(matched, LEAST_MATCHED), ENOUGH_MATCHED)) ** 2


def _question_texts(query_text: str, parsed: ParsedQuery) -> tuple[str, ...]:
    """The texts that are embedded for a question."""
    names = {word for name in parsed.speakers for word in text.name_key(name).split()}
    words = [word for word in query_text.split() if text.name_key(word) not in names]
    return (query_text, " ".join(words)) if words and len(words) < len(query_text.split()) else (query_text,)
