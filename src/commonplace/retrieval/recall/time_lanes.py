"""The lanes of time: records of the period that a query means, by when they were written, are valid, or mention."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import structs

from commonplace.index import EVERY_YEAR, Filter
from commonplace.model import Interval, Record, day_of
from commonplace.retrieval.recall.lane_input import MAX_LANE_ROWS, LaneInput, LaneResult, Strengths, merge_strengths
from commonplace.retrieval.recall.query import ParsedQuery, TimeWindow
from commonplace.retrieval.shares import HALF, QUARTER

RING_RADII = (0.0, QUARTER, HALF, 1.0, 2.0, 1 / QUARTER)  # reaches to look around a moment, until enough is found
MIN_RADIUS_DAYS = 3.0  # days
RANK_STEP = 1e-6  # by which a more important record of a time is stronger, so that the most important are read
MINUTE_IN_DAYS = 1 / 1_440  # in days: the end of a record's time is its last minute
# Strength at the edge of a stretch, and days in which it fades by e.
AFTER_PERIOD_DECAY, BEFORE_PERIOD_DECAY = (0.9, 10.0), (0.6, 4.0)
DAY_OFF_PENALTY = 0.04  # less for each day from that in the middle, where this is the likeliest: `two weeks ago`
OPEN_ENDED_STRENGTH = 0.3  # what holds in the time that is meant, with an open beginning or end: it tells little of it


def time_lane(lane_input: LaneInput) -> LaneResult:
    """Records of the time that the query means, or of the sessions: 1, or less away from the middle."""
    parsed, names = lane_input.parsed, lane_input.parsed.sessions.names
    rows = lane_input.index.rows_of_sessions(names, parsed.record_filter, MAX_LANE_ROWS) if names else ()
    strengths: Strengths = dict.fromkeys(rows, 1.0)
    for window in parsed.time_windows:
        strengths = merge_strengths(strengths, _rows_of_window(lane_input, window))
    return LaneResult(strengths)


def _rows_of_window(lane_input: LaneInput, window: TimeWindow) -> Strengths:
    """Records of a period; those near to a moment no further than to where there are enough."""
    index, parsed = lane_input.index, lane_input.parsed
    by_importance = parsed.is_period_only and not window.is_centered
    strengths: Strengths = {}
    for interval, strength in _search_rings(window):
        period = narrow_to_period(parsed.record_filter, interval)
        row_ids = index.newest_filtered_rows(period, MAX_LANE_ROWS, by_importance=by_importance)
        strengths = dict.fromkeys(row_ids, strength) | strengths
        if window.is_centered and len(row_ids) >= lane_input.depth:
            break
    if by_importance:
        return {row_id: strengths[row_id] + place * RANK_STEP for place, row_id in enumerate(reversed(row_ids))}
    return strengths


def min_time_strength(time_windows: tuple[TimeWindow, ...]) -> float:
    """The least that `time_proximity` returns for a record within the period; less means that it is only near."""
    return min((_search_rings(window)[-1][1] for window in time_windows), default=1.0)


def _search_rings(window: TimeWindow) -> list[tuple[Interval, float]]:
    """The periods to search for a window, each within the next, with the strength of records in them."""
    if window.is_centered:
        return [(window_period(window, times), 1 / (1 + place)) for place, times in enumerate(RING_RADII)]
    if not window.is_approximate:
        return [(window.interval, 1.0)]
    middle, half = _period_middle(window.interval)
    return [
        (Interval(_shift_minute(middle, -days - HALF), _shift_minute(middle, days + HALF)), 1 - DAY_OFF_PENALTY * days)
        for days in range(int(half) + 1)
    ]


def event_lane(lane_input: LaneInput) -> LaneResult:
    """Records whose text names a time within the period, whenever they were written: the share of that time in it."""
    shares: Strengths = {}
    for period in _event_periods(lane_input.parsed):
        for row_id, start, end in lane_input.index.events_in(period, lane_input.parsed.record_filter, MAX_LANE_ROWS):
            inside = _days_between(max(start, period.start or start), min(end, period.end or end))
            shares[row_id] = max(shares.get(row_id, 0.0), inside / _days_between(start, end))
    return LaneResult(shares)


def _event_periods(parsed: ParsedQuery) -> Iterator[Interval]:
    """The periods of a query with those of the other year it may mean, and where lines without any year have them: in
    `EVERY_YEAR`, also of a period over the end of a year, if it is within a year of now."""
    year, now = int(parsed.reference_time[:4]), parsed.reference_time
    for window in parsed.time_windows:
        for period in (
            window_period(window),
            window.other and window_period(structs.replace(window, interval=window.other)),
        ):
            if not period:
                continue
            yield period
            start, end = period.start, period.end
            is_near = f"{year - 1:04}{now[4:]}" < end and start < f"{year + 1:04}{now[4:]}"
            if start and is_near and end <= f"{int(start[:4]) + 1:04}{start[4:]}":
                years = int(end[:4]) - int(start[:4])
                for first in range(int(EVERY_YEAR) - years, int(EVERY_YEAR) + 1):
                    yield Interval(f"{first:04}{start[4:]}", f"{first + years:04}{end[4:]}")


def narrow_to_period(record_filter: Filter, period: Interval) -> Filter:
    """The filter, narrowed to a period."""
    since, until = max(record_filter.since, period.start), min(record_filter.until or "9999", period.end or "9999")
    return structs.replace(record_filter, since=since, until=until)


def window_period(window: TimeWindow, times: float = 1.0) -> Interval:
    """The period of a window; around a moment the whole days that count as near, or this many times as far."""
    if not window.is_centered:
        return window.interval
    middle, days = _period_middle(window.interval)
    first, last = _shift_minute(middle, -days * times), _shift_minute(middle, days * times)
    return Interval(day_of(first), _shift_minute(day_of(last), 1.0) if last else "")


def time_proximity(record: Record, time_windows: tuple[TimeWindow, ...]) -> float:
    """The proximity of a record to the requested time, by when it was recorded or when it is valid.

    1 inside a stretch, fading after it (things are told after they happened) and faster before it; around a moment
    e^(-days/reach). Of what holds from a day on, or until a day, that day counts, and the rest of the time .3.
    """
    start, end = record.valid_from or record.valid_to, record.valid_to or record.valid_from
    spans = [(one, other) for one, other in ((record.time, record.time), (start, end)) if one]
    proximities = [_span_proximity(span, window) for span in spans for window in time_windows]
    if start and not (record.valid_from and record.valid_to):
        open_span = (record.valid_from or "0001-01-01", record.valid_to or "9999-12-31")
        proximities += [OPEN_ENDED_STRENGTH * _span_proximity(open_span, window) for window in time_windows]
    return max(proximities, default=0.0)


def _span_proximity(span: tuple[str, str], window: TimeWindow) -> float:
    # The first and the last minute of a stretch that is given in days, months or years.
    first, last = span[0] + "0000-01-01T00:00"[len(span[0]) :], span[1] + "9999-12-28T23:59"[len(span[1]) :]
    start, end = window.interval.start, window.interval.end
    if window.is_centered:
        middle, reach = _period_middle(window.interval)
        return math.exp(-max(_days_between(middle, first), _days_between(last, middle) - MINUTE_IN_DAYS, 0.0) / reach)
    if end and first >= end:
        return _decayed_strength(AFTER_PERIOD_DECAY, _days_between(end, first))
    if start and last < start:
        return _decayed_strength(BEFORE_PERIOD_DECAY, _days_between(last, start))
    if not window.is_approximate:
        return 1.0
    first_day, last_day, middle_day = map(day_of, (first, last, _period_middle(window.interval)[0]))
    days = max(_days_between(middle_day, first_day), _days_between(last_day, middle_day), 0.0)
    return 1 - DAY_OFF_PENALTY * days


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
