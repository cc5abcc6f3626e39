"""Stretches of the calendar: the day, week, month … around a moment, and those before and after it.

Weeks begin on Monday, seasons are those of meteorology in the northern hemisphere (spring is March to May).
What leaves the calendar (year 0, 31 February) raises ValueError or OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from commonplace.when.nouns import Direction

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
# Roughly how many days a unit has: its rank, and what `a few months ago` is counted by.
DAYS = {
    "minute": 0.0,
    "hour": 0.04,
    "part": 0.5,
    "day": 1,
    "weekend": 2,
    "feast": 3,
    "week": 7,
    "month": 30,
    "quarter": 91,
    "season": 92,
    "half": 182,
    "year": 365,
    "decade": 3652,
    "century": 36_525,
}
_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
LEAP_CYCLE = 8  # years between two 29 Februaries at most


class Stretch(Struct, frozen=True):
    """A half-open stretch and the unit that it was said in; `about` if it lies around the day that is meant."""

    start: datetime
    end: datetime
    unit: str
    about: bool = False


class Clock(Struct, frozen=True):
    """What a phrase is read against: `now` for `yesterday`, `anchor` and `direction` for a Tuesday of no week.

    `outer` is the stretch that was named around it: the May of `first week of May`.
    """

    now: datetime
    anchor: datetime
    direction: Direction = "past"
    outer: Stretch | None = None

    @property
    def today(self) -> datetime:
        """The midnight at which today began."""
        return midnight(self.now)

    def within(self, outer: Stretch) -> Clock:
        """The same clock for a time inside a stretch: the latest that begins before its end."""
        return replace(self, anchor=outer.end - MINUTE, direction="past", outer=outer)


def midnight(moment: datetime) -> datetime:
    """The start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def add_months(day: datetime, months: int) -> datetime:
    """The same day some months on, or the last of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    first = day.replace(year=year, month=month + 1, day=1)
    return first + DAY * (min(day.day, (_next_month(first) - first).days) - 1)


def _next_month(first: datetime) -> datetime:
    return (first + 31 * DAY).replace(day=1)


def period(unit: str, moment: datetime, shift: int = 0) -> Stretch:
    """The day, weekend, week, month, quarter, half, year or decade around a moment, or one that many units later."""
    day = midnight(moment)
    if unit in _MONTHS:
        size = _MONTHS[unit]
        year, month = divmod((day.year * 12 + day.month - 1) // size * size, 12)
        first = datetime(year, month + 1, 1)
        start = add_months(first, shift * size)
        return Stretch(start, add_months(start, size), unit)
    if unit in ("hour", "minute"):
        step = HOUR if unit == "hour" else MINUTE
        start = moment.replace(minute=0 if unit == "hour" else moment.minute, second=0, microsecond=0) + shift * step
        return Stretch(start, start + step, unit)
    if unit == "day":
        return Stretch(day + shift * DAY, day + (shift + 1) * DAY, unit)
    monday = day - DAY * day.weekday() + 7 * shift * DAY
    return Stretch(monday + 5 * DAY, monday + 7 * DAY, unit) if unit == "weekend" else days(monday, 7, "week")


def days(start: datetime, count: int, unit: str = "day") -> Stretch:
    """Some days from a midnight on."""
    return Stretch(start, start + count * DAY, unit)


def distant(now: datetime, count: int, unit: str) -> Stretch:
    """What `3 weeks ago` means (negative counts): as wide as its unit, the month or year as in the calendar."""
    if unit == "week":
        return replace(days(midnight(now) + (7 * count - 3) * DAY, 7, "week"), about=True)
    if unit == "hour":
        moment = now + count * HOUR
        return Stretch(moment - HOUR / 2, moment + HOUR / 2, unit)
    return period(unit, now, count)


def rolling(now: datetime, count: int, unit: str) -> Stretch:
    """The last (negative) or next so many units, today included."""
    if unit in ("hour", "minute"):
        step = HOUR if unit == "hour" else MINUTE
        moved = now + count * step
        return Stretch(min(now, moved), max(now, moved) + MINUTE, unit)
    today = midnight(now)
    moved = _moved(today, count, unit)
    return Stretch(min(today, moved), max(today, moved) + DAY, unit)


def day_back(day: datetime, count: int, unit: str) -> Stretch:
    """The day so many units before a day."""
    return days(midnight(_moved(day, -count, unit)), 1)


def beside(stretch: Stretch, count: int, unit: str) -> Stretch:
    """So many units right before (negative) or after a stretch."""
    edge = stretch.start if count < 0 else stretch.end
    moved = _moved(edge, count, unit)
    return Stretch(min(edge, moved), max(edge, moved), unit)


def _moved(moment: datetime, count: int, unit: str) -> datetime:
    if unit in _MONTHS:
        return add_months(moment, count * _MONTHS[unit])
    return moment + count * {"minute": MINUTE, "hour": HOUR}.get(unit, round(DAYS[unit]) * DAY)


def uncounted(now: datetime, fewest: int, most: int, unit: str) -> Stretch:
    """`A few days ago`: between so many units ago, both days included."""
    if unit in ("hour", "minute"):
        step = HOUR if unit == "hour" else MINUTE
        return Stretch(now - most * step, now - fewest * step, unit)
    size = round(DAYS[unit])
    today = midnight(now)
    return Stretch(today - most * size * DAY, today - (fewest * size - 1) * DAY, unit)


def yearly(clock: Clock, make: Callable[[int], Stretch]) -> Stretch | None:
    """What comes once a year: the latest that began by the anchor, or the first that ends after it."""
    year = clock.anchor.year
    past = clock.direction == "past"
    for candidate in range(year + 1, year - LEAP_CYCLE, -1) if past else range(year - 1, year + LEAP_CYCLE):
        found = _made(make, candidate)
        if found and (found.start <= clock.anchor if past else found.end > clock.anchor):
            return found
    return None


def _made(make: Callable[[int], Stretch], year: int) -> Stretch | None:
    try:
        return make(year)
    except (ValueError, OverflowError):  # 29 February of a year that has none
        return None


def date(year: int, month: int, day: int) -> Stretch:
    """One day."""
    return days(datetime(year, month, day), 1)


def month(year: int, number: int) -> Stretch:
    """One month."""
    return Stretch(datetime(year, number, 1), datetime(year + number // 12, number % 12 + 1, 1), "month")


def year(number: int) -> Stretch:
    """One year."""
    return period("year", datetime(number, 1, 1))


def decade(clock: Clock, first: int) -> Stretch | None:
    """Ten years by their first: 1990, or 90 for the latest such that has begun; the 1800s are a hundred.

    None for what begins no decade.
    """
    if first % 10 or 100 <= first < 1000:
        return None
    this = clock.now.year
    start = first if first >= 1000 else max(year for year in range(first % 100, this + 1, 100))
    if first % 100 == 0 and 1000 <= first < 2000:
        return Stretch(datetime(start, 1, 1), datetime(start + 100, 1, 1), "century")
    return Stretch(datetime(start, 1, 1), datetime(start + 10, 1, 1), "decade")


def season(year: int, number: int) -> Stretch:
    """1 spring to 4 winter; the winter of a year begins in its December."""
    start = datetime(year, 3 * number, 1)
    return Stretch(start, add_months(start, 3), "season")


def weekday(clock: Clock, number: int) -> Stretch:
    """Monday is 1: the latest up to the anchor's day, or the first from it on."""
    today = midnight(clock.anchor)
    if clock.direction == "past":
        return days(today - (today.isoweekday() - number) % 7 * DAY, 1)
    return days(today + (number - today.isoweekday()) % 7 * DAY, 1)


def third(outer: Stretch, part: str) -> Stretch:
    """Early, mid or late: by the tenths of a month, the thirds of anything else."""
    if outer.unit == "month":
        cuts = [outer.start, outer.start + 10 * DAY, outer.start + 20 * DAY, outer.end]
    elif outer.unit in _MONTHS or outer.unit == "season":
        size = _MONTHS.get(outer.unit, 3) // 3
        cuts = [add_months(outer.start, step * size) for step in range(3)] + [outer.end]
    else:
        size = (outer.end - outer.start).days
        cuts = [outer.start + round(size * step / 3) * DAY for step in range(3)] + [outer.end]
    place = ("early", "mid", "late").index(part)
    return Stretch(cuts[place], cuts[place + 1], "part")


def nth(outer: Stretch, number: int, unit: str) -> Stretch | None:
    """The first (1), second … or last (-1) week, day, month … of a stretch; None if it has no such."""
    if unit == "half":
        return _half(outer, number)
    if unit in ("month", "quarter"):
        at = outer.start if number > 0 else outer.end - MINUTE
        found = period(unit, at, number - 1 if number > 0 else number + 1)
    else:
        size = {"week": 7, "day": 1}.get(unit, 0) * DAY
        start = outer.start + (number - 1) * size if number > 0 else outer.end + number * size
        found = Stretch(start, start + size, unit) if size else nth_weekend(outer, number)
    inside = outer.start <= found.start < outer.end and found.start < found.end
    return replace(found, end=min(found.end, outer.end)) if inside else None


def nth_row(outer: Stretch, number: int, count: int, unit: str) -> Stretch | None:
    """So many weeks, days, months … at the start (1) or the end (-1) of a stretch; None if it has not as many."""
    ends = (nth(outer, number, unit), nth(outer, number * count, unit)) if abs(number) == 1 and count else ()
    if not ends or None in ends:
        return None
    first, last = sorted((end.start, end.end) for end in ends if end)
    return Stretch(first[0], last[1], unit)


def nth_weekend(outer: Stretch, number: int) -> Stretch:
    """The weekends of a stretch are those whose Saturday lies in it."""
    saturday = nth_weekday(outer, number, 6)
    return days(saturday.start, 2, "weekend")


def nth_weekday(outer: Stretch, number: int, which: int) -> Stretch:
    """The first, second … or last (-1) Monday … of a stretch."""
    if number > 0:
        first = weekday(Clock(outer.start, outer.start, "future"), which).start
        return days(first + 7 * (number - 1) * DAY, 1)
    last = weekday(Clock(outer.start, outer.end - MINUTE), which).start
    return days(last + 7 * (number + 1) * DAY, 1)


def _half(outer: Stretch, number: int) -> Stretch | None:
    if abs(number) > 2:
        return None
    if outer.unit in ("year", "half"):
        middle = add_months(outer.start, _MONTHS[outer.unit] // 2)
    else:
        middle = outer.start + (outer.end - outer.start).days // 2 * DAY
    first = number in (1, -2)
    return Stretch(outer.start if first else middle, middle if first else outer.end, "half")
