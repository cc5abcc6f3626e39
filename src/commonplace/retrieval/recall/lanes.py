"""The other lanes (entity, kind, time, event, overview, vector), each of which scores records from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct, structs

from commonplace.index import Filter, Index
from commonplace.language import text
from commonplace.model import Interval, Query, Record
from commonplace.retrieval.recall.dialogue import QUESTION_MARKS, TurnScores
from commonplace.retrieval.recall.query import ParsedQuery, TimeWindow, rows_on_entity_pages
from commonplace.retrieval.recall.question_analysis import narrow_to_intent

Lane = dict[int, float]  # row -> strength

SEARCHED_NAME_STRENGTH = 0.3  # the strength of a name that is also searched as a word; of one that is not, it is 1
MAX_LANE_ROWS = 2_000  # records of one stretch of time, of one sort, or of one name, newest first
LOOKUP_BATCH = 100  # of these, where one that suits is enough
RING_RADII = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # how far to look around a moment, in reaches, until enough is found
WIDER_FACTOR = 2.0  # times as far as a stretch goes, where nothing is of it: to where a strength fades by e
MIN_RADIUS_DAYS = 3.0  # days
MINUTE_IN_DAYS = 1 / 1_440  # in days: the end of a record's time is its last minute
AFTER_PERIOD_DECAY, BEFORE_PERIOD_DECAY = (
    (0.9, 10.0),
    (0.6, 4.0),
)  # strength at the edge of a stretch, and days in which it fades by e
DAY_OFF_PENALTY = 0.04  # less for each day from that in the middle, where this is the likeliest: `two weeks ago`
OPEN_ENDED_STRENGTH = (
    0.3  # what holds in the time that is meant, and nobody knows since when or until when: it tells little of it
)


def entity_lane(parsed: ParsedQuery) -> Lane:
    """Records that name, or are spoken by, an entity that the query names."""
    if "entity" in parsed.disabled:
        return {}
    strengths = {
        key: 1.0 if said in parsed.speakers else SEARCHED_NAME_STRENGTH for key, said in parsed.entity_names.items()
    }
    found: Lane = {}
    for row_id, key, _role in parsed.mentions:
        found[row_id] = max(found.get(row_id, 0.0), strengths[key])
    return found


def newest_entity_rows(index: Index, parsed: ParsedQuery, at_most: int) -> set[int]:
    """The newest records that name, or are spoken by, whom the query names: so many of each strength.

    Beside them those of the sort that is asked for, where the query says nothing else.
    """
    spoken = [key for key, said in parsed.entity_names.items() if said in parsed.speakers]
    others = [key for key in parsed.entity_names if key not in spoken]
    row_ids = {
        row_id
        for keys in (spoken, others)
        if keys
        for row_id in index.newest_mentioning_rows(keys, parsed.record_filter, at_most)
    }
    only = narrow_to_intent(parsed.record_filter, parsed.intent)
    return (
        row_ids | set(index.newest_filtered_rows(only, MAX_LANE_ROWS))
        if parsed.has_only_cues and only is not None
        else row_ids
    )


def overview_lane(index: Index, parsed: ParsedQuery) -> Lane:
    """All that is known of what the query names, in the order of reading: from 1 down to .5.

    Of several names first what bears the most; then their pages as they stand, what the contacts say, and the rest,
    newest first.
    """
    if parsed.intent != "about":
        return {}
    bearing: dict[int, set[str]] = {}
    for row_id, key, _role in parsed.mentions:
        bearing.setdefault(row_id, set()).add(parsed.entity_names[key])
    pages = dict.fromkeys(rows_on_entity_pages(index, parsed.entity_names))
    person = structs.replace(parsed.record_filter, categories=("person",))
    seen = index.token_counts(bearing.keys() | pages.keys(), parsed.record_filter).keys()
    cards = seen & set(index.newest_filtered_rows(person, MAX_LANE_ROWS))
    order = [row_id for row_id in pages if row_id in seen]
    order += [
        *index.newest_of_rows(cards - pages.keys(), MAX_LANE_ROWS),
        *index.newest_of_rows(seen - cards - pages.keys(), MAX_LANE_ROWS),
    ]
    order.sort(key=lambda row: -len(bearing.get(row, ())))
    return {row_id: 1 - place / (2 * len(order)) for place, row_id in enumerate(order)}


def kind_lane(index: Index, parsed: ParsedQuery, matches: Collection[int], entity_matches: Lane) -> Lane:
    """Records of the sort that is asked for: those that match; the newest if nothing does or nothing more is said."""
    only = narrow_to_intent(parsed.record_filter, parsed.intent)
    if only is None or "kind" in parsed.disabled:
        return {}
    newest = index.newest_filtered_rows(only, MAX_LANE_ROWS) if parsed.has_only_cues or not matches else []
    row_ids = {
        *index.token_counts(matches, only),
        *(row_id for row_id in newest if row_id in entity_matches or not parsed.entity_names),
    }
    return dict.fromkeys(row_ids, 1.0)


def time_lane(index: Index, parsed: ParsedQuery, enough_rows: int) -> Lane:
    """Records of the time that the query means, or of the sessions: 1, or less away from the middle.

    Where nothing is of a stretch that is over, those written soon after it or right before it: a half, and what holds
    from some day on or until some day little; but only for a question of whose words any is known, for else it asks for
    that time alone.
    """
    if "time" in parsed.disabled:
        return {}
    names = parsed.sessions.names
    found: Lane = dict.fromkeys(
        index.rows_of_sessions(names, parsed.record_filter, MAX_LANE_ROWS) if names else (), 1.0
    )
    for window in parsed.time_windows:
        found = merge_lanes(
            found,
            _rows_around_moment(index, parsed, window, enough_rows)
            if window.is_centered
            else _rows_of_period(index, parsed, window),
        )
    return found


def _rows_around_moment(index: Index, parsed: ParsedQuery, window: TimeWindow, enough_rows: int) -> Lane:
    """What is near to a moment: no further than to where there is enough."""
    found: Lane = {}
    for interval, strength in _search_rings(window):
        row_ids = index.newest_filtered_rows(narrow_to_period(parsed.record_filter, interval), MAX_LANE_ROWS)
        found = dict.fromkeys(row_ids, strength) | found
        if len(row_ids) >= enough_rows:
            break
    return found


def _rows_of_period(index: Index, parsed: ParsedQuery, window: TimeWindow) -> Lane:
    """What is of a stretch, or else near to it."""
    found: Lane = {}
    for interval, strength in _search_rings(window):
        row_ids = index.newest_filtered_rows(narrow_to_period(parsed.record_filter, interval), MAX_LANE_ROWS)
        found = dict.fromkeys(row_ids, strength) | found
    is_over = "" < window.interval.end <= parsed.reference_time
    if not is_over or not _has_known_term(index, parsed):
        return found
    bounded = _bounded_period_filter(parsed, window.interval)
    if any(index.token_counts(row_ids[at : at + LOOKUP_BATCH], bounded) for at in range(0, len(row_ids), LOOKUP_BATCH)):
        return found
    # Where the newest all hold with an open end, there may be others.
    of_it = index.newest_filtered_rows(bounded, MAX_LANE_ROWS) if len(row_ids) == MAX_LANE_ROWS else []
    if of_it:
        return merge_lanes(found, dict.fromkeys(of_it, strength))
    beside = index.newest_filtered_rows(
        _bounded_period_filter(parsed, window_period(window, WIDER_FACTOR)), MAX_LANE_ROWS
    )
    return dict.fromkeys(row_ids, OPEN_ENDED_STRENGTH) | dict.fromkeys(beside, 1 / WIDER_FACTOR)


def _bounded_period_filter(parsed: ParsedQuery, period: Interval) -> Filter:
    """What is of a stretch by more than that it holds from some day before it on, or until some day after it."""
    return structs.replace(narrow_to_period(parsed.record_filter, period), bounded=True)


def _has_known_term(index: Index, parsed: ParsedQuery) -> bool:
    """Whether any record holds a word of the question."""
    return any(index.document_frequency(form) for term in parsed.terms for form in term.forms)


def merge_lanes(lane: Lane, other_lane: Lane) -> Lane:
    """What either lane says of rows, by what is more: of two times the nearer counts."""
    if not lane or not other_lane:
        return lane or other_lane
    return lane | {row_id: max(lane.get(row_id, 0.0), strength) for row_id, strength in other_lane.items()}


def min_time_strength(time_windows: tuple[TimeWindow, ...]) -> float:
    """What `time_proximity` says at the least of a record of the time that is meant; of what is but near to a stretch
    less."""
    return min((_search_rings(window)[-1][1] for window in time_windows), default=1.0)


def _search_rings(window: TimeWindow) -> list[tuple[Interval, float]]:
    """The stretches in which to look for what a window means, each within the next, and what they say of a record."""
    if window.is_centered:
        return [(window_period(window, times), 1 / (1 + place)) for place, times in enumerate(RING_RADII)]
    if not window.is_approximate:
        return [(window.interval, 1.0)]
    middle, half = _period_middle(window.interval)
    return [
        (Interval(_shift_minute(middle, -days - 0.5), _shift_minute(middle, days + 0.5)), 1 - DAY_OFF_PENALTY * days)
        for days in range(int(half) + 1)
    ]


def event_lane(index: Index, parsed: ParsedQuery) -> Lane:
    """Records whose text names a time that is meant, whenever they were written: the share of it that lies therein."""
    found: Lane = {}
    for window in () if "event" in parsed.disabled else parsed.time_windows:
        meant = window_period(window)
        for row_id, start, end in index.events_in(meant, parsed.record_filter, MAX_LANE_ROWS):
            inside = _days_between(max(start, meant.start or start), min(end, meant.end or end)) / _days_between(
                start, end
            )
            found[row_id] = max(found.get(row_id, 0.0), inside)
    return found


def narrow_to_period(record_filter: Filter, period: Interval) -> Filter:
    """The filter, narrowed to a stretch of time."""
    since, until = max(record_filter.since, period.start), min(record_filter.until or "9999", period.end or "9999")
    return structs.replace(record_filter, since=since, until=until)


def window_period(window: TimeWindow, times: float = 1.0) -> Interval:
    """The stretch that is meant; around a moment the whole days that count as near, or so many times as far.

    Twice as far around a stretch is to where what is told later, or before, has faded by e.
    """
    if not window.is_centered and times == 1.0:
        return window.interval
    if not window.is_centered:
        start, end = window.interval.start, window.interval.end
        before, later = (days * (times - 1) for _strength, days in (BEFORE_PERIOD_DECAY, AFTER_PERIOD_DECAY))
        return Interval(start and _shift_minute(start, -before), end and _shift_minute(end, later))
    middle, days = _period_middle(window.interval)
    first, last = _shift_minute(middle, -days * times), _shift_minute(middle, days * times)
    return Interval(first[:10], _shift_minute(last[:10], 1.0) if last else "")


def time_proximity(record: Record, time_windows: tuple[TimeWindow, ...]) -> float:
    """How near a record lies to the time that is meant, by when it was recorded or by when it holds.

    Inside a stretch 1; .9 e^(-days/10) after it (things are told after they happened), .6 e^(-days/4) before it.
    Around a moment e^(-days/reach), where the reach is half the stretch and three days at least.
    Where the day in the middle is the likeliest, .04 less for each day from there.
    Of what holds from a day on, or until a day, that day counts, and the rest of the time .3.
    """
    start, end = record.valid_from or record.valid_to, record.valid_to or record.valid_from
    spans = [(one, other) for one, other in ((record.time, record.time), (start, end)) if one]
    near = [_span_proximity(span, window) for span in spans for window in time_windows]
    if start and not (record.valid_from and record.valid_to):
        held = (record.valid_from or "0001-01-01", record.valid_to or "9999-12-31")
        near += [OPEN_ENDED_STRENGTH * _span_proximity(held, window) for window in time_windows]
    return max(near, default=0.0)


def _span_proximity(span: tuple[str, str], window: TimeWindow) -> float:
    span = first, last = _first_and_last_minute(*span)
    start, end = window.interval.start, window.interval.end
    if window.is_centered:
        middle, reach = _period_middle(window.interval)
        return math.exp(-max(_days_between(middle, first), _days_between(last, middle) - MINUTE_IN_DAYS, 0.0) / reach)
    if end and first >= end:
        return _decayed_strength(AFTER_PERIOD_DECAY, _days_between(end, first))
    if start and last < start:
        return _decayed_strength(BEFORE_PERIOD_DECAY, _days_between(last, start))
    return 1 - DAY_OFF_PENALTY * _days_from_middle(span, window.interval) if window.is_approximate else 1.0


def _days_from_middle(span: tuple[str, str], period: Interval) -> float:
    """Whole days from the day in the middle of what is meant."""
    first, last, middle = (minute[:10] for minute in (*span, _period_middle(period)[0]))
    return max(_days_between(middle, first), _days_between(last, middle), 0.0)


def _first_and_last_minute(first_day: str, last_day: str) -> tuple[str, str]:
    """The first and the last minute of a stretch that is given in days, months or years."""
    return first_day + "0000-01-01T00:00"[len(first_day) :], last_day + "9999-12-28T23:59"[len(last_day) :]


def _decayed_strength(decay: tuple[float, float], days: float) -> float:
    strength, fading = decay
    return strength * math.exp(-days / fading)


def _period_middle(period: Interval) -> tuple[str, float]:
    """The middle of a closed stretch, and how many days to either side count as near."""
    half = _days_between(period.start, period.end) / 2
    return _shift_minute(period.start, half), max(half, MIN_RADIUS_DAYS)


def _days_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / 86_400


def _shift_minute(minute: str, days: float) -> str:
    """A minute so many days on; empty, which is open, beyond the first and the last day of the calendar."""
    try:
        return (datetime.fromisoformat(minute) + timedelta(days=days)).isoformat(timespec="minutes")
    except OverflowError:
        return ""


MAX_NEAREST = 100  # lines that the lane finds by itself
BEFORE_WEIGHT, AFTER_WEIGHT, QUESTION_BEFORE_WEIGHT, DIALOGUE_BEST_WEIGHT = 0.1, 0.3, 0.3, 0.25
COMPARISON_PENALTY = (
    0.1  # less for the cosine to one of two things that are asked for: fewer words say less of what is meant
)
MIN_BEST_COSINE = 0.3  # where nothing is more alike than this, the best is not taken for alike


class VectorSpace(Protocol):
    """The vectors of a workspace, as one question sees them."""

    def nearest(self, index: Index, record_filter: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest that the filter lets through."""

    def cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""

    def whole_text_cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole, whatever its pieces say) of those of the rows that have a vector."""

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common, below 1."""


class VectorSource(Struct, frozen=True):
    """How recall uses vectors: when (`mode`, and below how many lines that words find), and where it gets them.

    `ask` takes questions, each with its texts, whose vectors are averaged, and gives what lines are compared with for
    each of them, and what the reader should know; it gives no space at all where there can be none now.
    """

    mode: str
    min_primary_results: int
    ask: Callable[[Index, tuple[tuple[str, ...], ...]], tuple[tuple[VectorSpace, ...], tuple[str, ...]]]


class ComparisonSpace(Struct, frozen=True):
    """A space in which a line is near to the question, or to one of two things that are asked for."""

    question_space: VectorSpace
    side_spaces: tuple[VectorSpace, ...]

    def nearest(self, index: Index, record_filter: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest to the whole and to each side."""
        return self._max_cosines(
            [one.nearest(index, record_filter, k) for one in (self.question_space, *self.side_spaces)]
        )

    def cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""
        return self._max_cosines([one.cosines(index, row_ids) for one in (self.question_space, *self.side_spaces)])

    def whole_text_cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole) of those of the rows that have a vector."""
        return self._max_cosines(
            [one.whole_text_cosines(index, row_ids) for one in (self.question_space, *self.side_spaces)]
        )

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common."""
        return self.question_space.baseline()

    def _max_cosines(self, cosines_by_space: list[dict[int, float]]) -> dict[int, float]:
        less = COMPARISON_PENALTY * (1 - self.baseline())
        greatest = dict(cosines_by_space[0])
        for side in cosines_by_space[1:]:
            greatest |= {
                row_id: cosine - less for row_id, cosine in side.items() if cosine - less > greatest.get(row_id, -1.0)
            }
        return greatest


class VectorLane(Struct, frozen=True):
    """The lane for one question: the rows it found with their cosines; without a space it says nothing."""

    index: Index | None = None
    space: VectorSpace | None = None
    cosines: dict[int, float] = {}
    notes: tuple[str, ...] = ()

    def add_notes(self, parsed: ParsedQuery) -> ParsedQuery:
        """The query as understood, with what the reader should know of vectors."""
        return structs.replace(parsed, notes=(*parsed.notes, *self.notes)) if self.notes else parsed

    def strengths(self, other_rows: Collection[int], dialogue_scores: Mapping[int, TurnScores]) -> dict[int, float]:
        """What this lane says of the rows it found, of the turns around, and of what other lanes found."""
        if self.index is None or self.space is None:
            return {}
        row_ids = {*other_rows, *dialogue_scores, *self.cosines}
        baseline = self.space.baseline()
        own = _above_baseline(self.space.cosines(self.index, row_ids), baseline)
        whole = _above_baseline(self.space.whole_text_cosines(self.index, dialogue_scores.keys()), baseline)
        return dict.fromkeys(self.cosines, 0.0) | _vector_strengths(own, whole, dialogue_scores)


NO_VECTORS = VectorLane()


def vector_lane(
    index: Index, query: Query, parsed: ParsedQuery, vectors: VectorSource | None, *, match_count: int
) -> VectorLane:
    """The lane for a question for which words find so many lines (`match_count`). What is missing is a note."""
    if vectors is None or vectors.mode == "none" or parsed.intent == "about" or not query.text.strip():
        return NO_VECTORS
    if "vector" in parsed.disabled:
        return NO_VECTORS
    if vectors.mode == "fallback" and match_count >= vectors.min_primary_results:
        return NO_VECTORS
    questions = (_question_texts(query.text, parsed), *((side.text,) for side in parsed.comparison))
    spaces, notes = vectors.ask(index, questions)
    if not spaces:
        return VectorLane(notes=notes)
    space = ComparisonSpace(spaces[0], spaces[1:]) if len(spaces) > 1 else spaces[0]
    found = space.nearest(index, parsed.record_filter, MAX_NEAREST)
    if parsed.entity_rows is not None:
        found = {row_id: cosine for row_id, cosine in found.items() if row_id in parsed.entity_rows}
    return VectorLane(index, space, found, notes)


def _question_texts(query_text: str, parsed: ParsedQuery) -> tuple[str, ...]:
    """What is embedded for a question."""
    names = {word for name in parsed.speakers for word in text.name_key(name).split()}
    words = [word for word in query_text.split() if text.name_key(word) not in names]
    return (query_text, " ".join(words)) if words and len(words) < len(query_text.split()) else (query_text,)


def _above_baseline(cosines: dict[int, float], baseline: float) -> dict[int, float]:
    return {row_id: max((cosine - baseline) / (1 - baseline), 0.0) for row_id, cosine in cosines.items()}


def _vector_strengths(
    line_cosines: dict[int, float], whole_text_cosines: dict[int, float], dialogue_scores: Mapping[int, TurnScores]
) -> dict[int, float]:
    """The strength of each row; see the formula above."""
    most = max(MIN_BEST_COSINE, *line_cosines.values()) if line_cosines else MIN_BEST_COSINE
    best: dict[tuple[int, ...], float] = {}
    strengths: dict[int, float] = {}
    for row_id, near in line_cosines.items():
        strengths[row_id] = near / most
        one = dialogue_scores.get(row_id)
        if one is None or not one.dialogue_weight:
            continue
        if one.dialogue_rows not in best:
            best[one.dialogue_rows] = max(whole_text_cosines.get(other, 0.0) for other in one.dialogue_rows)
        before = one.dialogue_rows[one.position - 1] if one.position else 0
        after = one.dialogue_rows[one.position + 1] if one.position + 1 < len(one.dialogue_rows) else 0
        asks = before in dialogue_scores and any(sign in dialogue_scores[before].turn.text for sign in QUESTION_MARKS)
        beside = (BEFORE_WEIGHT + QUESTION_BEFORE_WEIGHT * asks) * whole_text_cosines.get(
            before, 0.0
        ) + AFTER_WEIGHT * whole_text_cosines.get(after, 0.0)
        strengths[row_id] += one.dialogue_weight * (beside + DIALOGUE_BEST_WEIGHT * best[one.dialogue_rows]) / most
    return strengths
