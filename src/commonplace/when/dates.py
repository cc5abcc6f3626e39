"""Times that are figures: dates, weeks and years by their numbers, decades."""

from __future__ import annotations

from datetime import datetime

from commonplace.when import span
from commonplace.when.nouns import Values
from commonplace.when.span import Clock, Stretch
from commonplace.when.tokens import APART

LEAST_BACK = 17  # from the 30th to the 13th is a row over the end of a month, from the 20th to the 5th is none


def stamp(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001
    """`2025-06-10`, and with a time behind it that minute."""
    written = v["stamp"].replace("/", "-").replace("T", " ")
    day, _, hours = written.partition(" ")
    year, number, first = (int(part) for part in day.split("-"))
    if not hours:
        return span.date(year, number, first)
    return span.period("minute", datetime(year, number, first, int(hours[:2]), int(hours[3:5])))


def iso_week(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001
    """`2024-W05`."""
    return span.days(datetime.fromisocalendar(int(v["week"][:4]), int(v["week"][-2:]), 1), 7, "week")


def iso_month(v: Values, clock: Clock) -> Stretch | None:  # noqa: ARG001
    """`2024-05`."""
    year, number = (int(part) for part in v["yearmonth"].split("-"))
    return span.month(year, number) if 1900 <= year < 2100 else None


def row(v: Values, clock: Clock) -> Stretch | None:
    """`Nov 27-30`; `Dec 30-2` ends in the month after."""
    return span.yearly(clock, lambda year: _days(v, year, 1)) if _is_row(v) else None


def row_up_to(v: Values, clock: Clock) -> Stretch | None:
    """`27-30 Nov`; `30-2 January` begins in the month before."""
    if int(v["first"]) > int(v["last"]) and clock.outer:
        return _days(v, clock.outer.start.year, -1) if _is_row(v) else None
    return span.yearly(clock, lambda year: _days(v, year, -1)) if _is_row(v) else None


def week_of_year(v: Values, clock: Clock) -> Stretch | None:
    """`KW 23`."""
    number = int(v["num"])
    return span.yearly(clock, lambda year: span.days(datetime.fromisocalendar(year, number, 1), 7, "week"))


def decade(v: Values, clock: Clock) -> Stretch | None:
    """`The 90s`, `the late 1970s`, `九十年代`."""
    whole = span.decade(clock, int(v.get("decade") or v.get("decades") or v["num"]))
    return span.third(whole, v["part"]) if whole and "part" in v else whole


def long_decade(v: Values, clock: Clock) -> Stretch | None:
    """`1970s` without an article; `30s` may be seconds, or an age."""
    return decade(v, clock) if len(v["num"]) == 4 else None


def era(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001
    """`令和6年`: years of a reign, by the year before its first."""
    return span.year(int(v["era"]) + int(v["num"]))


def _is_row(v: Values) -> bool:
    """Whether the days follow each other, over the end of a month by a few days; `Jan 28 - 2 people came` is none."""
    first, last = int(v["first"]), int(v["last"])
    return first < last or (first - last >= LEAST_BACK and v.get("join") != APART)


def _days(v: Values, year: int, beyond: int) -> Stretch:
    """From the first day to the last; where that is the smaller, one of them lies in the month beside."""
    month = datetime(year, int(v.get("month") or v["monthnum"]), 1)
    first, last = int(v["first"]), int(v["last"])
    beside = span.add_months(month, beyond) if first > last else month
    begin, end = (month, beside) if beyond > 0 else (beside, month)
    return Stretch(span.date(begin.year, begin.month, first).start, span.date(end.year, end.month, last).end, "day")
