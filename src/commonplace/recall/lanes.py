"""The lanes beside the lexical one: each finds records in its own way and gives them a strength between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import datetime, timedelta

from msgspec import structs

from commonplace.index import Filter, Index
from commonplace.model import Interval, Record
from commonplace.recall.intents import narrowed
from commonplace.recall.names import rows_on_pages
from commonplace.recall.understand import Understood, Window

Lane = dict[int, float]  # row -> strength

NAMED_TOO = 0.3  # the strength of a name that is also searched as a word; of one that is not, it is 1
MOST_LOOKED_AT = 2_000  # records of one stretch of time, of one sort, or of one name, newest first
AT_ONCE = 100  # of these, where one that suits is enough
RINGS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # how far to look around a moment, in reaches, until enough is found
WIDER = 2.0  # times as far as a stretch goes, where nothing is of it: to where a strength fades by e
LEAST_REACH = 3.0  # days
A_MINUTE = 1 / 1_440  # in days: the end of a record's time is its last minute
TOLD_LATER, TOLD_BEFORE = (0.9, 10.0), (0.6, 4.0)  # strength at the edge of a stretch, and days in which it fades by e
OFF = 0.04  # less for each day from that in the middle, where this is the likeliest: `two weeks ago`
OPEN = 0.3  # what holds in the time that is meant, and nobody knows since when or until when: it tells little of it


def entity(asked: Understood) -> Lane:
    """Records that name, or are spoken by, an entity that the query names."""
    if "entity" in asked.without:
        return {}
    strengths = {key: 1.0 if said in asked.speakers else NAMED_TOO for key, said in asked.names.items()}
    found: Lane = {}
    for row, key, _role in asked.mentions:
        found[row] = max(found.get(row, 0.0), strengths[key])
    return found


def newest_named(index: Index, asked: Understood, at_most: int) -> set[int]:
    """The newest records that name, or are spoken by, whom the query names: so many of each strength.

    Beside them those of the sort that is asked for, where the query says nothing else.
    """
    spoken = [key for key, said in asked.names.items() if said in asked.speakers]
    others = [key for key in asked.names if key not in spoken]
    rows = {row for keys in (spoken, others) if keys for row in index.newest_naming(keys, asked.only, at_most)}
    only = narrowed(asked.only, asked.intent)
    return rows | set(index.count(only, MOST_LOOKED_AT)) if asked.bare and only is not None else rows


def about(index: Index, asked: Understood) -> Lane:
    """All that is known of what the query names, in the order of reading: from 1 down to .5.

    Of several names first what bears the most; then their pages as they stand, what the contacts say, and the rest,
    newest first.
    """
    if asked.intent != "about":
        return {}
    bearing: dict[int, set[str]] = {}
    for row, key, _role in asked.mentions:
        bearing.setdefault(row, set()).add(asked.names[key])
    pages = dict.fromkeys(rows_on_pages(index, asked.names))
    person = structs.replace(asked.only, categories=("person",))
    seen = index.lengths(bearing.keys() | pages.keys(), asked.only).keys()
    cards = seen & set(index.count(person, MOST_LOOKED_AT))
    order = [row for row in pages if row in seen]
    order += [
        *index.newest(cards - pages.keys(), MOST_LOOKED_AT),
        *index.newest(seen - cards - pages.keys(), MOST_LOOKED_AT),
    ]
    order.sort(key=lambda row: -len(bearing.get(row, ())))
    return {row: 1 - place / (2 * len(order)) for place, row in enumerate(order)}


def of_kind(index: Index, asked: Understood, matching: Collection[int], named: Lane) -> Lane:
    """Records of the sort that is asked for: those that match; the newest if nothing does or nothing more is said."""
    only = narrowed(asked.only, asked.intent)
    if only is None or "kind" in asked.without:
        return {}
    newest = index.count(only, MOST_LOOKED_AT) if asked.bare or not matching else []
    rows = {*index.lengths(matching, only), *(row for row in newest if row in named or not asked.names)}
    return dict.fromkeys(rows, 1.0)


def within(index: Index, asked: Understood, enough: int) -> Lane:
    """Records of the time that the query means, or of the sessions: 1, or less away from the middle.

    Where nothing is of a stretch that is over, those written soon after it or right before it: a half, and what holds
    from some day on or until some day little; but only for a question of whose words any is known, for else it asks for
    that time alone.
    """
    if "time" in asked.without:
        return {}
    names = asked.sessions.names
    found: Lane = dict.fromkeys(index.said_in(names, asked.only, MOST_LOOKED_AT) if names else (), 1.0)
    for window in asked.windows:
        found = nearer(found, _near(index, asked, window, enough) if window.near else _of(index, asked, window))
    return found


def _near(index: Index, asked: Understood, window: Window, enough: int) -> Lane:
    """What is near to a moment: no further than to where there is enough."""
    found: Lane = {}
    for stretch, strength in _rings(window):
        rows = index.count(inside(asked.only, stretch), MOST_LOOKED_AT)
        found = dict.fromkeys(rows, strength) | found
        if len(rows) >= enough:
            break
    return found


def _of(index: Index, asked: Understood, window: Window) -> Lane:
    """What is of a stretch, or else near to it."""
    found: Lane = {}
    for stretch, strength in _rings(window):
        rows = index.count(inside(asked.only, stretch), MOST_LOOKED_AT)
        found = dict.fromkeys(rows, strength) | found
    is_over = "" < window.interval.end <= asked.at
    if not is_over or not _is_known(index, asked):
        return found
    bounded = _bounded(asked, window.interval)
    if any(index.lengths(rows[at : at + AT_ONCE], bounded) for at in range(0, len(rows), AT_ONCE)):
        return found
    # Where the newest all hold with an open end, there may be others.
    of_it = index.count(bounded, MOST_LOOKED_AT) if len(rows) == MOST_LOOKED_AT else []
    if of_it:
        return nearer(found, dict.fromkeys(of_it, strength))
    beside = index.count(_bounded(asked, reach(window, WIDER)), MOST_LOOKED_AT)
    return dict.fromkeys(rows, OPEN) | dict.fromkeys(beside, 1 / WIDER)


def _bounded(asked: Understood, stretch: Interval) -> Filter:
    """What is of a stretch by more than that it holds from some day before it on, or until some day after it."""
    return structs.replace(inside(asked.only, stretch), bounded=True)


def _is_known(index: Index, asked: Understood) -> bool:
    """Whether any record holds a word of the question."""
    return any(index.frequency(form) for term in asked.terms for form in term.forms)


def nearer(one: Lane, other: Lane) -> Lane:
    """What either lane says of rows, by what is more: of two times the nearer counts."""
    if not one or not other:
        return one or other
    return one | {row: max(one.get(row, 0.0), strength) for row, strength in other.items()}


def least(windows: tuple[Window, ...]) -> float:
    """What `within` says at the least of a record of the time that is meant; of what is but near to a stretch less."""
    return min((_rings(window)[-1][1] for window in windows), default=1.0)


def _rings(window: Window) -> list[tuple[Interval, float]]:
    """The stretches in which to look for what a window means, each within the next, and what they say of a record."""
    if window.near:
        return [(reach(window, times), 1 / (1 + place)) for place, times in enumerate(RINGS)]
    if not window.about:
        return [(window.interval, 1.0)]
    middle, half = _middle(window.interval)
    return [
        (Interval(_shifted(middle, -days - 0.5), _shifted(middle, days + 0.5)), 1 - OFF * days)
        for days in range(int(half) + 1)
    ]


def event(index: Index, asked: Understood) -> Lane:
    """Records whose text names a time that is meant, whenever they were written: the share of it that lies therein."""
    found: Lane = {}
    for window in () if "event" in asked.without else asked.windows:
        meant = reach(window)
        for row, start, end in index.telling(meant, asked.only, MOST_LOOKED_AT):
            inside = _days(max(start, meant.start or start), min(end, meant.end or end)) / _days(start, end)
            found[row] = max(found.get(row, 0.0), inside)
    return found


def inside(only: Filter, stretch: Interval) -> Filter:
    """The filter, narrowed to a stretch of time."""
    since, until = max(only.since, stretch.start), min(only.until or "9999", stretch.end or "9999")
    return structs.replace(only, since=since, until=until)


def reach(window: Window, times: float = 1.0) -> Interval:
    """The stretch that is meant; around a moment the whole days that count as near, or so many times as far.

    Twice as far around a stretch is to where what is told later, or before, has faded by e.
    """
    if not window.near and times == 1.0:
        return window.interval
    if not window.near:
        start, end = window.interval.start, window.interval.end
        before, later = (days * (times - 1) for _strength, days in (TOLD_BEFORE, TOLD_LATER))
        return Interval(start and _shifted(start, -before), end and _shifted(end, later))
    middle, days = _middle(window.interval)
    first, last = _shifted(middle, -days * times), _shifted(middle, days * times)
    return Interval(first[:10], _shifted(last[:10], 1.0) if last else "")


def nearness(record: Record, windows: tuple[Window, ...]) -> float:
    """How near a record lies to the time that is meant, by when it was recorded or by when it holds.

    Inside a stretch 1; .9 e^(-days/10) after it (things are told after they happened), .6 e^(-days/4) before it.
    Around a moment e^(-days/reach), where the reach is half the stretch and three days at least.
    Where the day in the middle is the likeliest, .04 less for each day from there.
    Of what holds from a day on, or until a day, that day counts, and the rest of the time .3.
    """
    start, end = record.valid_from or record.valid_to, record.valid_to or record.valid_from
    spans = [(one, other) for one, other in ((record.time, record.time), (start, end)) if one]
    near = [_closeness(span, window) for span in spans for window in windows]
    if start and not (record.valid_from and record.valid_to):
        held = (record.valid_from or "0001-01-01", record.valid_to or "9999-12-31")
        near += [OPEN * _closeness(held, window) for window in windows]
    return max(near, default=0.0)


def _closeness(span: tuple[str, str], window: Window) -> float:
    span = first, last = _minutes(*span)
    start, end = window.interval.start, window.interval.end
    if window.near:
        middle, reach = _middle(window.interval)
        return math.exp(-max(_days(middle, first), _days(last, middle) - A_MINUTE, 0.0) / reach)
    if end and first >= end:
        return _faded(TOLD_LATER, _days(end, first))
    if start and last < start:
        return _faded(TOLD_BEFORE, _days(last, start))
    return 1 - OFF * _days_off(span, window.interval) if window.about else 1.0


def _days_off(span: tuple[str, str], meant: Interval) -> float:
    """Whole days from the day in the middle of what is meant."""
    first, last, middle = (minute[:10] for minute in (*span, _middle(meant)[0]))
    return max(_days(middle, first), _days(last, middle), 0.0)


def _minutes(first: str, last: str) -> tuple[str, str]:
    """The first and the last minute of a stretch that is given in days, months or years."""
    return first + "0000-01-01T00:00"[len(first) :], last + "9999-12-28T23:59"[len(last) :]


def _faded(edge: tuple[float, float], days: float) -> float:
    strength, fading = edge
    return strength * math.exp(-days / fading)


def _middle(stretch: Interval) -> tuple[str, float]:
    """The middle of a closed stretch, and how many days to either side count as near."""
    half = _days(stretch.start, stretch.end) / 2
    return _shifted(stretch.start, half), max(half, LEAST_REACH)


def _days(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / 86_400


def _shifted(minute: str, days: float) -> str:
    """A minute so many days on; empty, which is open, beyond the first and the last day of the calendar."""
    try:
        return (datetime.fromisoformat(minute) + timedelta(days=days)).isoformat(timespec="minutes")
    except OverflowError:
        return ""
