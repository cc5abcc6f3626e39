"""Calendar arithmetic: spans of days, weeks, months, years, seasons and holidays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Direction = Literal["past", "future"]
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
# Roughly how many days a unit has: its rank, and what `a few months ago` is counted by.
DAYS_BY_UNIT = {
    "minute": 0.0, "hour": 0.04, "part": 0.5, "day": 1, "weekend": 2, "feast": 3, "week": 7, "month": 30,
    "quarter": 91, "season": 92, "half": 182, "year": 365, "decade": 3652, "century": 36_525,
}  # fmt: skip
_CLOCK_UNITS = {"minute": MINUTE, "hour": HOUR}
_MONTHS_BY_UNIT = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
LEAP_CYCLE_YEARS = 8  # years between two 29 Februaries at most


class TimeSpan(Struct, frozen=True):
    """A half-open span of time and its unit; `about` if it is approximate, around the day that is meant."""

    start: datetime
    end: datetime
    unit: str
    about: bool = False


class Clock(Struct, frozen=True):
    """The times against which a phrase is resolved: `now` for `yesterday`, `anchor` and `direction` for a Tuesday
    without a week; `outer` is the enclosing span: the May of `first week of May`."""

    now: datetime
    anchor: datetime
    direction: Direction = "past"
    outer: TimeSpan | None = None

    @property
    def today(self) -> datetime:
        """The midnight at which today began."""
        return midnight(self.now)

    def within(self, outer: TimeSpan) -> Clock:
        """Return the clock for a time inside a span: the latest that begins before its end."""
        return replace(self, anchor=outer.end - MINUTE, direction="past", outer=outer)


def midnight(moment: datetime) -> datetime:
    """Return the start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def add_months(day: datetime, months: int) -> datetime:
    """Return the same day some months later, or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    first = day.replace(year=year, month=month + 1, day=1)
    last = (first + 31 * DAY).replace(day=1) - DAY
    return first + DAY * (min(day.day, last.day) - 1)


def unit_span(unit: str, moment: datetime, shift: int = 0) -> TimeSpan:
    """Return the day, weekend, week, month, quarter, half, year or decade of a moment, or one so many units later."""
    day = midnight(moment)
    if unit in _MONTHS_BY_UNIT:
        size = _MONTHS_BY_UNIT[unit]
        year, month = divmod((day.year * 12 + day.month - 1) // size * size, 12)
        first = datetime(year, month + 1, 1)
        start = add_months(first, shift * size)
        return TimeSpan(start, add_months(start, size), unit)
    if unit in _CLOCK_UNITS:
        step = _CLOCK_UNITS[unit]
        start = moment.replace(minute=0 if unit == "hour" else moment.minute, second=0, microsecond=0) + shift * step
        return TimeSpan(start, start + step, unit)
    if unit == "day":
        return TimeSpan(day + shift * DAY, day + (shift + 1) * DAY, unit)
    monday = day - DAY * day.weekday() + 7 * shift * DAY
    return (
        TimeSpan(monday + 5 * DAY, monday + 7 * DAY, unit) if unit == "weekend" else consecutive_days(monday, 7, "week")
    )


def consecutive_days(start: datetime, count: int, unit: str = "day") -> TimeSpan:
    """Return some days from a midnight on."""
    return TimeSpan(start, start + count * DAY, unit)


def unit_at_distance(reference: datetime, count: int, unit: str) -> TimeSpan:
    """Return what `3 weeks ago` means (negative counts): one unit long; months and years as in the calendar."""
    if unit == "week":
        return replace(consecutive_days(midnight(reference) + (7 * count - 3) * DAY, 7, "week"), about=True)
    if unit == "hour":
        moment = reference + count * HOUR
        return TimeSpan(moment - HOUR / 2, moment + HOUR / 2, unit)
    return unit_span(unit, reference, count)


def rolling_span(reference: datetime, count: int, unit: str) -> TimeSpan:
    """Return the last (negative) or next so many units, today included."""
    start, margin = (reference, MINUTE) if unit in _CLOCK_UNITS else (midnight(reference), DAY)
    moved = _shift_moment(start, count, unit)
    return TimeSpan(min(start, moved), max(start, moved) + margin, unit)


def day_before_units(day: datetime, count: int, unit: str) -> TimeSpan:
    """Return the day so many units before a day."""
    return consecutive_days(midnight(_shift_moment(day, -count, unit)), 1)


def adjacent_units(time_span: TimeSpan, count: int, unit: str) -> TimeSpan:
    """Return so many units right before (negative) or after a span."""
    edge = time_span.start if count < 0 else time_span.end
    moved = _shift_moment(edge, count, unit)
    return TimeSpan(min(edge, moved), max(edge, moved), unit)


def _shift_moment(moment: datetime, count: int, unit: str) -> datetime:
    if unit in _MONTHS_BY_UNIT:
        return add_months(moment, count * _MONTHS_BY_UNIT[unit])
    return moment + count * _CLOCK_UNITS.get(unit, round(DAYS_BY_UNIT[unit]) * DAY)


def uncounted_units_ago(reference: datetime, fewest: int, greatest: int, unit: str) -> TimeSpan:
    """Return what `a few days ago` means: between so many units ago, both days included."""
    if unit in _CLOCK_UNITS:
        step = _CLOCK_UNITS[unit]
        return TimeSpan(reference - greatest * step, reference - fewest * step, unit)
    size = round(DAYS_BY_UNIT[unit])
    today = midnight(reference)
    return TimeSpan(today - greatest * size * DAY, today - (fewest * size - 1) * DAY, unit)


def nearest_yearly_span(clock: Clock, span_of_year: Callable[[int], TimeSpan]) -> TimeSpan | None:
    """Return a yearly span: the latest that began by the anchor, or the first that ends after it."""
    year = clock.anchor.year
    past = clock.direction == "past"
    for candidate in range(year + 1, year - LEAP_CYCLE_YEARS, -1) if past else range(year - 1, year + LEAP_CYCLE_YEARS):
        try:
            found = span_of_year(candidate)
        except (ValueError, OverflowError):  # 29 February of a year that has none
            continue
        if found.start <= clock.anchor if past else found.end > clock.anchor:
            return found
    return None


def day_span(year: int, month: int, day: int) -> TimeSpan:
    """Return one day."""
    return consecutive_days(datetime(year, month, day), 1)


def month_span(year: int, number: int) -> TimeSpan:
    """Return one month."""
    return TimeSpan(datetime(year, number, 1), datetime(year + number // 12, number % 12 + 1, 1), "month")


def year_span(number: int) -> TimeSpan:
    """Return one year."""
    return unit_span("year", datetime(number, 1, 1))


def decade_span(clock: Clock, first_year: int) -> TimeSpan | None:
    """Return the decade of its first year: 1990, or 90 for the latest that has begun; the 1800s are a century. None if
    the year begins no decade."""
    if first_year % 10 or 100 <= first_year < 1000:
        return None
    this = clock.now.year
    start = first_year if first_year >= 1000 else max(year for year in range(first_year % 100, this + 1, 100))
    if first_year % 100 == 0 and 1000 <= first_year < 2000:
        return TimeSpan(datetime(start, 1, 1), datetime(start + 100, 1, 1), "century")
    return TimeSpan(datetime(start, 1, 1), datetime(start + 10, 1, 1), "decade")


def nearest_weekday(clock: Clock, number: int) -> TimeSpan:
    """Return the latest weekday (Monday is 1) up to the day of the anchor, or the first from it on."""
    today = midnight(clock.anchor)
    days = number - today.isoweekday()
    return consecutive_days(today + (-(-days % 7) if clock.direction == "past" else days % 7) * DAY, 1)


def third_of_span(outer: TimeSpan, part: str) -> TimeSpan:
    """Return the early, mid or late part: of a month by days 10 and 20, of anything else by thirds."""
    if outer.unit == "month":
        cuts = [outer.start, outer.start + 10 * DAY, outer.start + 20 * DAY, outer.end]
    elif outer.unit in _MONTHS_BY_UNIT or outer.unit == "season":
        size = _MONTHS_BY_UNIT.get(outer.unit, 3) // 3
        cuts = [add_months(outer.start, step * size) for step in range(3)] + [outer.end]
    else:
        size = (outer.end - outer.start).days
        cuts = [outer.start + round(size * step / 3) * DAY for step in range(3)] + [outer.end]
    place = ("early", "mid", "late").index(part)
    return TimeSpan(cuts[place], cuts[place + 1], "part")


def nth_unit(outer: TimeSpan, number: int, unit: str) -> TimeSpan | None:
    """Return the first (1), second … or last (-1) week, day, month … of a span; None if it has no such."""
    if unit == "half":
        return _half_of_span(outer, number)
    if unit in ("month", "quarter"):
        at = outer.start if number > 0 else outer.end - MINUTE
        found = unit_span(unit, at, number - 1 if number > 0 else number + 1)
    else:
        size = {"week": 7, "day": 1}.get(unit, 0) * DAY
        start = outer.start + (number - 1) * size if number > 0 else outer.end + number * size
        found = TimeSpan(start, start + size, unit)
        if not size:  # the weekends of a span are those whose Saturday is in it
            found = consecutive_days(nth_weekday(outer, number, 6).start, 2, "weekend")
    inside = outer.start <= found.start < outer.end and found.start < found.end
    return replace(found, end=min(found.end, outer.end)) if inside else None


def nth_unit_row(outer: TimeSpan, number: int, count: int, unit: str) -> TimeSpan | None:
    """Return so many weeks, days … at the start (1) or the end (-1) of a span; None if it has fewer."""
    ends = (nth_unit(outer, number, unit), nth_unit(outer, number * count, unit)) if abs(number) == 1 and count else ()
    if not ends or None in ends:
        return None
    first, last = sorted((end.start, end.end) for end in ends if end)
    return TimeSpan(first[0], last[1], unit)


def nth_weekday(outer: TimeSpan, number: int, which: int) -> TimeSpan:
    """Return the first, second … or last (-1) Monday … of a span."""
    if number > 0:
        first = nearest_weekday(Clock(outer.start, outer.start, "future"), which).start
        return consecutive_days(first + 7 * (number - 1) * DAY, 1)
    last = nearest_weekday(Clock(outer.start, outer.end - MINUTE), which).start
    return consecutive_days(last + 7 * (number + 1) * DAY, 1)


def _half_of_span(outer: TimeSpan, number: int) -> TimeSpan | None:
    if abs(number) > 2:
        return None
    if outer.unit in ("year", "half"):
        middle = add_months(outer.start, _MONTHS_BY_UNIT[outer.unit] // 2)
    else:
        middle = outer.start + (outer.end - outer.start).days // 2 * DAY
    first = number in (1, -2)
    return TimeSpan(outer.start if first else middle, middle if first else outer.end, "half")


def holiday_span(year: int, holiday_rule: str) -> TimeSpan:
    """Return the days of a holiday in a year, by a rule: `12-24`, `easter-2` or `11#4#4+1` (the day after the fourth
    Thursday of November), with `/3` for three days. Raises ValueError for a day that the calendar lacks."""
    begins, _, count = holiday_rule.partition("/")
    if begins.startswith("easter"):
        start = easter_sunday(year) + int(begins.removeprefix("easter") or 0) * DAY
    elif "#" in begins:
        month, number, weekday = begins.split("#")
        which, _, later = weekday.partition("+")
        start = nth_weekday(month_span(year, int(month)), int(number), int(which)).start + int(later or 0) * DAY
    else:
        month, _, day = begins.partition("-")
        start = datetime(year, int(month), int(day))
    days = int(count or 1)
    return consecutive_days(start, days, "day" if days == 1 else "feast")


def easter_sunday(year: int) -> datetime:
    """Return Easter Sunday of the Gregorian calendar, by the method of Butcher's Ecclesiastical Calendar (1876)."""
    century, rest = divmod(year, 100)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * (year % 19) + century - century // 4 - moon + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (year % 19 + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return datetime(year, month, day + 1)
