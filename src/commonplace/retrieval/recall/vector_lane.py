"""The lane of vectors: the records nearest to a question in meaning, and what their dialogues add."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from commonplace.index import Dialogue
from commonplace.language import text
from commonplace.retrieval.recall.dialogue import QUESTION_MARKS, DialogueShape
from commonplace.retrieval.recall.lane_input import LaneInput, LaneResult, Strengths
from commonplace.retrieval.recall.query import ParsedQuery

MAX_NEAREST = 100  # lines that the lane finds by itself
BEFORE_WEIGHT, AFTER_WEIGHT, QUESTION_BEFORE_WEIGHT, DIALOGUE_BEST_WEIGHT = 0.1, 0.3, 0.3, 0.25
MIN_BEST_COSINE = 0.3  # where nothing is more alike than this, the best is not taken for alike


def vector_lane(lane_input: LaneInput) -> LaneResult:
    """The records nearest to the question, with their cosines, or a note why there are none; in the mode `fallback`
    only for a question for which words find few lines."""
    vectors, parsed, query_text = lane_input.vectors, lane_input.parsed, lane_input.query.text
    if vectors is None or vectors.mode == "none" or parsed.intent == "about" or not query_text.strip():
        return LaneResult()
    if vectors.mode == "fallback" and len(lane_input.matches) >= vectors.min_primary_results:
        return LaneResult()
    space, notes = vectors.ask(lane_input.index, _question_texts(query_text, parsed))
    if space is None:
        return LaneResult(notes=notes)
    nearest = space.nearest(lane_input.index, parsed.record_filter, MAX_NEAREST)
    if parsed.entity_rows is not None:
        nearest = {row_id: cosine for row_id, cosine in nearest.items() if row_id in parsed.entity_rows}
    return LaneResult(nearest, notes, space=space)


def measure_vectors(lane_input: LaneInput, row_ids: Collection[int]) -> Strengths:
    """The similarity of the rows, the turns that were read and the nearest records to the question; 1 is the best."""
    result = lane_input.results["vector"]
    if result.space is None:
        return {}
    index, dialogue_scores, baseline = lane_input.index, lane_input.dialogue_scores, result.space.baseline()
    turn_rows = set(dialogue_scores)
    cosines, whole = result.space.cosines(index, turn_rows.union(row_ids, result.strengths))
    turns = {row_id: cosine for row_id, cosine in whole.items() if row_id in turn_rows}
    strengths = _vector_strengths(
        _above_baseline(cosines, baseline), _above_baseline(turns, baseline), dialogue_scores.dialogues
    )
    return dict.fromkeys(result.strengths, 0.0) | strengths


def _question_texts(query_text: str, parsed: ParsedQuery) -> tuple[str, ...]:
    """The texts that are embedded for a question."""
    names = {word for name in parsed.speakers for word in text.name_key(name).split()}
    words = [word for word in query_text.split() if text.name_key(word) not in names]
    return (query_text, " ".join(words)) if words and len(words) < len(query_text.split()) else (query_text,)


def _above_baseline(cosines: Strengths, baseline: float) -> Strengths:
    return {row_id: max((cosine - baseline) / (1 - baseline), 0.0) for row_id, cosine in cosines.items()}


def _vector_strengths(
    line_cosines: Strengths, turn_cosines: Strengths, dialogues: Iterable[tuple[DialogueShape, Dialogue]]
) -> Strengths:
    """The strength of each row that has a vector, over the best of them; `turn_cosines` are of whole texts."""
    most = max(MIN_BEST_COSINE, *line_cosines.values()) if line_cosines else MIN_BEST_COSINE
    strengths = {row_id: cosine / most for row_id, cosine in line_cosines.items()}
    for shape, dialogue in dialogues:
        cosines = [turn_cosines.get(row_id, 0.0) for row_id in shape.rows]
        best = max(cosines, default=0.0)
        if not shape.weight or not best:
            continue
        for row_id, before, turn, after in zip(
            shape.rows, (0.0, *cosines), (None, *dialogue.turns), (*cosines[1:], 0.0), strict=False
        ):
            if row_id in turn_cosines:
                asks = before > 0 and turn is not None and any(sign in turn.text for sign in QUESTION_MARKS)
                around = (BEFORE_WEIGHT + QUESTION_BEFORE_WEIGHT * asks) * before + AFTER_WEIGHT * after
                strengths[row_id] += shape.weight * (around + DIALOGUE_BEST_WEIGHT * best) / most
    return strengths
