"""The lanes of recall: each finds records in its own way and says how strongly it favours them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from heapq import nlargest

from msgspec import Struct, structs

from commonplace.index import Index
from commonplace.model import day_of
from commonplace.retrieval.recall.dialogue import (
    DIALOGUE_PARTS,
    DialogueScores,
    score_dialogues,
    score_proximity,
    score_single_turns,
)
from commonplace.retrieval.recall.entity_names import rows_on_entity_pages
from commonplace.retrieval.recall.lane_input import MAX_LANE_ROWS, MIN_SCORED, LaneInput, LaneResult, Strengths
from commonplace.retrieval.recall.lexical import Bm25Scorer, SearchLimits, search_bm25, search_bm25_among
from commonplace.retrieval.recall.query import ParsedQuery, Question
from commonplace.retrieval.recall.question_analysis import narrow_to_intent
from commonplace.retrieval.recall.time_lanes import event_lane, time_lane
from commonplace.retrieval.recall.vector_lane import measure_vectors, vector_lane
from commonplace.retrieval.shares import HALF, QUARTER, TENTH
from commonplace.storage.workspace import HOST_FILES

MAX_DIALOGUE_SEEDS = 100  # best matches from which dialogues are looked up
MIN_MATCH_SHARE = QUARTER  # of the best match: less is not searched for once as many match as will be scored
TIME_PROMISE = QUARTER  # of the best match: what a line of the time that is meant promises of its dialogue
VECTOR_PROMISE = 1.0  # of the best match, times its cosine: what a line alike promises of its dialogue
SEARCHED_NAME_STRENGTH = QUARTER  # of a name that is also searched as a word; of one that is not, it is 1
ORDER_MATCH_SHARE = HALF + TENTH  # of the best match's BM25: what matches less is of another sort
MAX_ORDERED_MATCHES = 200  # matches that are looked at for the last of them, the newest


class Lane(Struct, frozen=True):
    """A way to find records. `feeds` names the parts of the score that get its strengths; `measure` computes these
    again for all candidates once every lane has run. What a `per_turn` lane says of a turn is put together only when
    that turn is looked at. A `required` lane runs even if all that it feeds is switched off."""

    name: str
    search: Callable[[LaneInput], LaneResult]
    feeds: tuple[str, ...]
    measure: Callable[[LaneInput, Collection[int]], Strengths] | None = None
    per_turn: bool = False
    required: bool = False


def lexical_lane(lane_input: LaneInput) -> LaneResult:
    """Records that match by their words, with their BM25. If enough match by the words of the question itself, hyponyms
    (which very many lines have) are scored for these only."""
    parsed, scorer, depth = lane_input.parsed, lane_input.scorer, lane_input.depth
    limits = SearchLimits(k=max(depth, MAX_DIALOGUE_SEEDS), enough_matches=depth, min_share=MIN_MATCH_SHARE)
    own = tuple(term for term in parsed.terms if not term.is_hypernym)
    own_scorer = Bm25Scorer(lane_input.index, own) if len(own) < len(parsed.terms) else scorer
    matches = _match_terms(structs.replace(lane_input, scorer=own_scorer), limits)
    if own_scorer is not scorer and len(matches) >= MIN_SCORED:
        matches = search_bm25_among(lane_input.index, scorer, parsed.record_filter, set(matches))
    elif own_scorer is not scorer:
        matches = _match_terms(lane_input, limits)
    best_rows = tuple([_best_rows(lane_input, question) for question in parsed.questions])
    matches |= {row_id: scorer.scores[row_id] for rows in best_rows for row_id in rows}
    return LaneResult(matches | _match_earlier_values(lane_input), best_rows=best_rows)


def _best_rows(lane_input: LaneInput, question: Question) -> Collection[int]:
    """The rows that match one of several questions best, and have a name of it."""
    index, record_filter = lane_input.index, lane_input.parsed.record_filter
    limits = SearchLimits(k=1, entity_names=question.entity_names)
    scores = search_bm25(index, Bm25Scorer(index, question.terms), record_filter, limits)
    lane_input.scorer.score_rows(index, scores, record_filter)
    best = max(scores.values(), default=0.0)
    return [row_id for row_id, score in scores.items() if score == best]


def _match_earlier_values(lane_input: LaneInput) -> Strengths:
    """What holds now in place of lines that match, with their BM25: `where do I live?` finds `I moved to Bremen`."""
    index, scorer, record_filter = lane_input.index, lane_input.scorer, lane_input.parsed.record_filter
    current = {} if record_filter.history or lane_input.parsed.required_rows is not None else index.current_rows()
    if not current:
        return {}
    replaced = Bm25Scorer(index, lane_input.parsed.terms)  # it looks at rows that this filter hides
    earlier = search_bm25_among(index, replaced, structs.replace(record_filter, history=True), set(current))
    visible = index.token_counts({current[row_id] for row_id in earlier}, record_filter)
    scorer.score_rows(index, visible, record_filter)
    for row_id in earlier:
        if current[row_id] in visible:
            scorer.inherit(current[row_id], replaced, row_id)
    return {row_id: scorer.scores[row_id] for row_id in visible}


def _match_terms(lane_input: LaneInput, limits: SearchLimits) -> Strengths:
    """The BM25 of the best matches of all, and of the best of those that other lanes favour."""
    index, parsed, scorer = lane_input.index, lane_input.parsed, lane_input.scorer
    among = parsed.required_rows
    if among is None and lane_input.mentions.is_cut:
        among = lane_input.mentions.newest_rows(lane_input.depth)
    if among is not None:
        return search_bm25_among(index, scorer, parsed.record_filter, among)
    matches = search_bm25(index, scorer, parsed.record_filter, limits)
    if len(matches) < MIN_SCORED or parsed.intent == "about":
        return matches
    if parsed.entity_names:
        named = structs.replace(limits, entity_names=tuple(parsed.entity_names))
        matches |= search_bm25(index, scorer, parsed.record_filter, named)
    favoured = {*lane_input.time_strengths, *_newest_of_intent(lane_input), *host_rows(index, parsed)}
    return matches | search_bm25_among(index, scorer, parsed.record_filter, favoured) if favoured else matches


def host_rows(index: Index, parsed: ParsedQuery) -> list[int]:
    """The rows of the files that a host loads at each start: they are examined even where many others match better."""
    paths = () if "file" in parsed.disabled else sorted(index.files().keys() & set(HOST_FILES))
    return [row_id for path in paths for row_id in index.rows_of_file(path)]


def _newest_of_intent(lane_input: LaneInput) -> list[int]:
    """The newest records of the kind that the intent asks for."""
    only = narrow_to_intent(lane_input.parsed.record_filter, lane_input.parsed.intent)
    return [] if only is None else lane_input.index.newest_filtered_rows(only, MAX_LANE_ROWS)


def measure_lexical(lane_input: LaneInput, _row_ids: Collection[int]) -> Strengths:
    """BM25 divided by that of the best match."""
    best = max(lane_input.matches.values(), default=0.0) or 1.0
    return {row_id: score / best for row_id, score in lane_input.matches.items()}


def dialogue_lane(lane_input: LaneInput) -> LaneResult:
    """The turns of the dialogues around the matches found so far, with the BM25 of all turns that match."""
    matches, cosines = lane_input.matches, lane_input.results["vector"].strengths
    seeds = {*matches, *lane_input.time_strengths, *cosines}
    is_about = lane_input.parsed.intent == "about"
    lane_input.mentions.look_up(seeds, newest=lane_input.depth if is_about or len(matches) < MIN_SCORED else 0)
    scores = _read_dialogues(lane_input, cosines)
    lane_input.mentions.look_up(scores.positions.keys() - seeds)
    return LaneResult(matches | scores.matches(), dialogue_scores=scores)


def _read_dialogues(lane_input: LaneInput, cosines: Strengths) -> DialogueScores:
    index, parsed, scorer = lane_input.index, lane_input.parsed, lane_input.scorer
    if parsed.intent == "about" or not parsed.terms:
        return score_single_turns(index, scorer, (), parsed.record_filter)
    promise = _dialogue_seeds(lane_input, cosines)
    if parsed.disabled.issuperset(DIALOGUE_PARTS):
        scores = score_single_turns(index, scorer, promise, parsed.record_filter)
    else:
        scores = score_dialogues(index, scorer, promise, parsed.record_filter)
    return scores if parsed.required_rows is None else scores.restrict_to(parsed.required_rows)


def _dialogue_seeds(lane_input: LaneInput, cosines: Strengths) -> Strengths:
    """The rows from which dialogues are looked up: the best of the matches, the rows of the time that the query means
    and the nearest by vectors; and the best of those that mention an entity or are of the kind that it asks for."""
    matches = lane_input.matches
    best = max(matches.values(), default=1.0)
    promise = dict(matches)
    for strengths, weight in ((lane_input.time_strengths, TIME_PROMISE), (cosines, VECTOR_PROMISE)):
        added = {row_id: weight * best * strength for row_id, strength in strengths.items()}
        promise |= {row_id: promise.get(row_id, 0.0) + more for row_id, more in added.items()}
    if len(promise) <= MAX_DIALOGUE_SEEDS:
        return promise
    favoured = {row_id for row_id, _key, _role in lane_input.mentions.mentions}.union(_newest_of_intent(lane_input))
    best_favoured = {row_id: promise[row_id] for row_id in favoured & promise.keys()}
    return _most_promising_rows(lane_input.index, promise) | _most_promising_rows(lane_input.index, best_favoured)


def _most_promising_rows(index: Index, promise: Strengths) -> Strengths:
    """As many as dialogues are looked up from; of equals the newest, whose numbers differ after a rebuild."""
    if len(promise) <= MAX_DIALOGUE_SEEDS:
        return promise
    least = nlargest(MAX_DIALOGUE_SEEDS, promise.values())[-1]
    best = {row_id: value for row_id, value in promise.items() if value > least}
    equals = [row_id for row_id, value in promise.items() if value == least]
    return best | dict.fromkeys(index.newest_of_rows(equals, MAX_DIALOGUE_SEEDS - len(best)), least)


def proximity_lane(lane_input: LaneInput) -> LaneResult:
    """The turns in which words are close together that are close in the question, with a BM25 of such pairs."""
    return LaneResult(score_proximity(lane_input.scorer, lane_input.parsed.terms, lane_input.dialogue_scores))


def entity_lane(lane_input: LaneInput) -> LaneResult:
    """Records that name, or are spoken by, an entity of the query."""
    parsed = lane_input.parsed
    names, speakers = parsed.entity_names, parsed.speakers
    strengths = {key: 1.0 if name in speakers else SEARCHED_NAME_STRENGTH for key, name in names.items()}
    strengths_by_row: Strengths = {}
    for row_id, key, _role in lane_input.mentions.mentions:
        strengths_by_row[row_id] = max(strengths_by_row.get(row_id, 0.0), strengths[key])
    return LaneResult(strengths_by_row)


def kind_lane(lane_input: LaneInput) -> LaneResult:
    """Records of the kind that the query asks for: those that match, or the newest if none does or nothing else is
    asked for."""
    index, parsed, matches = lane_input.index, lane_input.parsed, lane_input.matches
    only = narrow_to_intent(parsed.record_filter, parsed.intent)
    if only is None:
        return LaneResult()
    newest = index.newest_filtered_rows(only, MAX_LANE_ROWS) if parsed.has_only_cues or not matches else []
    named = lane_input.results["entity"].strengths
    row_ids = set(index.token_counts(matches, only))
    row_ids.update(row_id for row_id in newest if row_id in named or not parsed.entity_names)
    return LaneResult(dict.fromkeys(row_ids, 1.0))


def overview_lane(lane_input: LaneInput) -> LaneResult:
    """All records about the entities of the query, from 1 down to .5: those that mention the most of the entities
    first, then their pages in order, the contacts, and the rest, newest first."""
    index, parsed = lane_input.index, lane_input.parsed
    if parsed.intent != "about":
        return LaneResult()
    names_by_row: dict[int, set[str]] = {}
    for row_id, key, _role in lane_input.mentions.mentions:
        names_by_row.setdefault(row_id, set()).add(parsed.entity_names[key])
    pages = dict.fromkeys(rows_on_entity_pages(index, parsed.entity_names))
    seen = index.token_counts(names_by_row.keys() | pages.keys(), parsed.record_filter).keys()
    cards = seen & lane_input.mentions.contacts()
    order = [row_id for row_id in pages if row_id in seen]
    order += index.newest_of_rows(cards - pages.keys(), MAX_LANE_ROWS)
    others = index.newest_of_rows(seen - cards - pages.keys(), MAX_LANE_ROWS)
    order += others
    order.sort(key=lambda row_id: -len(names_by_row.get(row_id, ())))
    count = len(order) + (MAX_LANE_ROWS - len(others) if lane_input.mentions.is_cut else 0)
    return LaneResult({row_id: 1 - place / (2 * count) for place, row_id in enumerate(order)})


def order_lane(lane_input: LaneInput) -> LaneResult:
    """The records that match nearly as well as the best: 1 for those of the last (or first) day, 1/2 for the next day,
    then 1/3, …"""
    index, matches, order = lane_input.index, lane_input.matches, lane_input.parsed.order
    if not order or not matches or lane_input.parsed.intent == "about":
        return LaneResult()
    bar = ORDER_MATCH_SHARE * max(matches.values())
    similar = [row_id for row_id, score in matches.items() if score >= bar]
    read = index.fetch(index.newest_of_rows(similar, MAX_ORDERED_MATCHES) if order == "last" else similar)
    times = {row_id: row.record.time or row.record.valid_from for row_id, row in read.items()}
    days = sorted({day_of(time) for time in times.values() if time}, reverse=order == "last")
    places = {day: place for place, day in enumerate(days, 1)}
    return LaneResult({row_id: 1 / places[day_of(time)] for row_id, time in times.items() if time})


LANES: tuple[Lane, ...] = (  # in the order in which they run: later ones build on the results of those before
    Lane("time", time_lane, ("time",)),
    Lane("event", event_lane, ("event",)),
    Lane("lexical", lexical_lane, ("lexical",), measure=measure_lexical, required=True),
    Lane("vector", vector_lane, ("vector",), measure=measure_vectors),
    Lane("dialogue", dialogue_lane, DIALOGUE_PARTS, per_turn=True, required=True),
    Lane("proximity", proximity_lane, ("close",), per_turn=True),
    Lane("entity", entity_lane, ("entity",)),
    Lane("kind", kind_lane, ("kind",)),
    Lane("about", overview_lane, ("about",)),
    Lane("order", order_lane, ("order",)),
)
TURN_PARTS = tuple(part for lane in LANES if lane.per_turn for part in lane.feeds)


def run_lanes(lane_input: LaneInput) -> None:
    """Run every lane that feeds a part of the score that is not switched off, and keep its result in the input."""
    for lane in LANES:
        off = lane_input.parsed.disabled.issuperset(lane.feeds) and not lane.required
        lane_input.results[lane.name] = LaneResult() if off else lane.search(lane_input)


def measure_candidates(lane_input: LaneInput) -> tuple[set[int], dict[str, Strengths]]:
    """The candidates, and by part of the score how strongly the lanes favour them. Where enough matches, what mentions
    an entity and matches in nothing has no chance, and may be very much."""
    parsed, matches = lane_input.parsed, lane_input.matches
    strengths = {lane.name: lane_input.results[lane.name].strengths for lane in LANES if not lane.per_turn}
    candidate_rows = set(matches).union(*(rows for name, rows in strengths.items() if name not in ("entity", "vector")))
    if len(matches) < MIN_SCORED:
        named = strengths["entity"].keys() - candidate_rows
        candidate_rows.update(lane_input.index.token_counts(named, parsed.record_filter))
    row_ids = candidate_rows if parsed.required_rows is None else candidate_rows & parsed.required_rows
    for lane in LANES:
        if lane.measure is not None:
            strengths[lane.name] = lane.measure(lane_input, row_ids)
    return row_ids | strengths["vector"].keys(), strengths
