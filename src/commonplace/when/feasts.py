"""Holidays: the days of a year that have a name.

`12-24/3` is three days from 24 December on, `easter-2/4` four from the second day before Easter Sunday on, `11#4#4+1`
the day after the fourth Thursday of November.
"""

from __future__ import annotations

from datetime import datetime

from commonplace.when import span
from commonplace.when.span import DAY, Stretch


def feast(year: int, written: str) -> Stretch:
    """The days of a holiday in a year. Raises ValueError for a day that the calendar lacks."""
    begins, _, count = written.partition("/")
    days = int(count or 1)
    return span.days(_first(year, begins), days, "day" if days == 1 else "feast")


def _first(year: int, begins: str) -> datetime:
    if begins.startswith("easter"):
        return easter(year) + int(begins.removeprefix("easter") or 0) * DAY
    if "#" in begins:
        month, number, weekday = begins.split("#")
        which, _, later = weekday.partition("+")
        return span.nth_weekday(span.month(year, int(month)), int(number), int(which)).start + int(later or 0) * DAY
    month, _, day = begins.partition("-")
    return datetime(year, int(month), int(day))


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar, by the method of Butcher's Ecclesiastical Calendar (1876)."""
    century, rest = divmod(year, 100)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * (year % 19) + century - century // 4 - moon + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (year % 19 + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return datetime(year, month, day + 1)
