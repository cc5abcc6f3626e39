"""The grammar as a table: which kinds of words in a row are a time, and what stretch they mean.

A pattern is a row of kinds of words; `?` marks one that may be missing, `name:kind` gives a word's value another name.
`floats` says what the time repeats in when its year, month, week or day is not said (`whole`: it has no meaning but
inside another time, like `early` or `first week`), `alone` how much company it needs to be taken for a time (`weak` as
its word says, `governed` a preposition, `never` another time), and `absolute` that the clock does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.when import dates, hours, span
from commonplace.when.feasts import feast
from commonplace.when.nouns import Direction, Values
from commonplace.when.span import DAY, Clock, Stretch

Make = Callable[[Values, Clock], Stretch | None]
Floats = Literal["", "year", "month", "week", "day", "whole"]
Alone = Literal["yes", "weak", "governed", "never"]


SOME = "2-5"  # how many days `the last days` are


class Rule(Struct, frozen=True):
    """One line of the grammar."""

    pattern: str
    make: Make
    floats: Floats = ""
    alone: Alone = "yes"
    absolute: bool = False


class Node(Struct):
    """A place in the tree of all patterns: what may follow, under which name, and the pattern that ends here."""

    after: dict[str, list[tuple[str, Node]]]
    pattern: str = ""


@cache
def tree() -> Node:
    """All patterns of times by their kinds of words, first to last."""
    return grown(rule.pattern for rule in RULES)


def grown(patterns: Iterable[str]) -> Node:
    """Patterns as a tree of the kinds of words in them."""
    root = Node({})
    for pattern in patterns:
        for variant in _variants(pattern.split()):
            node = root
            for item in variant:
                node = _child(node, item)
            node.pattern = pattern
    return root


def _variants(items: list[str]) -> list[list[str]]:
    variants: list[list[str]] = [[]]
    for item in items:
        longer = [[*variant, item.rstrip("?")] for variant in variants]
        variants = longer + variants if item.endswith("?") else longer
    return variants


def _child(node: Node, item: str) -> Node:
    name, _, kind = item.rpartition(":")
    branches = node.after.setdefault(kind, [])
    for known, child in branches:
        if known == (name or kind):
            return child
    child = Node({})
    branches.append((name or kind, child))
    return child


def _offset(v: Values, clock: Clock) -> Stretch:
    return span.period("day", clock.now, int(v["offset"]))


def _shifted(v: Values, clock: Clock) -> Stretch | None:
    unit, shift = v["unit"], int(v.get("shift") or v.get("lap") or 0)
    if unit == "hour" and shift == -1:
        return span.rolling(clock.now, -1, unit)
    return None if unit in ("minute", "hour", "day") else span.period(unit, clock.now, shift)


def _this(v: Values, clock: Clock) -> Stretch:
    return span.period(v["unit"], clock.now)


def _shifted_weekday(v: Values, clock: Clock) -> Stretch:
    number, shift = int(v["weekday"]), int(v["shift"])
    if shift == 0:
        return _lap_weekday({"weekday": v["weekday"], "lap": "0"}, clock)
    direction: Direction = "past" if shift < 0 else "future"
    tomorrow = clock.today + (DAY if shift > 0 else -DAY)
    near = span.weekday(Clock(clock.now, tomorrow, direction), number).start
    return span.days(near + 7 * (shift + (1 if shift < 0 else -1)) * DAY, 1)


def _lap_weekday(v: Values, clock: Clock) -> Stretch:
    week = span.period("week", clock.now, int(v["lap"]))
    return span.days(week.start + (int(v["weekday"]) - 1) * DAY, 1)


def _shifted_yearly(v: Values, clock: Clock) -> Stretch | None:
    """`Last May` is over, `next May` has not begun, `this May` is this year's."""
    make = _season_of if "season" in v else _feast_of if "holiday" in v else _month_of
    shift = int(v["shift"])
    if shift == 0:
        return make(v, clock.now.year)
    years = range(clock.now.year, clock.now.year - 3, -1) if shift < 0 else range(clock.now.year, clock.now.year + 3)
    found = (make(v, year) for year in years)
    fitting = [s for s in found if (s.end <= clock.today if shift < 0 else s.start > clock.today)]
    return fitting[abs(shift) - 1]


def _month_of(v: Values, year: int) -> Stretch:
    return span.month(year, int(v.get("month") or v["monthnum"]))


def _season_of(v: Values, year: int) -> Stretch:
    return span.season(year, int(v["season"]))


def _feast_of(v: Values, year: int) -> Stretch:
    return feast(year, v["holiday"])


def _gone(v: Values, clock: Clock) -> Stretch | None:
    """One word for last summer or last Christmas."""
    kind, _, value = v["gone"].partition(" ")
    return _shifted_yearly({kind: value, "shift": "-1"}, clock)


def _ago(v: Values, clock: Clock) -> Stretch | None:
    if v["unit"] == "half":  # `a week and a half ago`
        return None
    return span.distant(clock.now, -int(v["num"]), v["unit"])


def _day_ago(v: Values, clock: Clock) -> Stretch | None:
    """`A week ago yesterday`, `heute vor einem Jahr`: to the day."""
    if v["unit"] in ("minute", "hour", "half"):
        return _ago(v, clock)
    return span.day_back(span.period("day", clock.now, int(v["offset"])).start, int(v["num"]), v["unit"])


def _back(v: Values, clock: Clock) -> Stretch:
    unit, _, count = v["back"].partition("-")
    return span.distant(clock.now, -int(count or 1), unit)


def _lately(v: Values, clock: Clock) -> Stretch:
    fewest, most = v["lately"].split("-")
    return span.uncounted(clock.now, int(fewest), int(most), "day")


def _ahead(v: Values, clock: Clock) -> Stretch:
    return span.distant(clock.now, int(v["num"]), v["unit"])


def _few_ago(v: Values, clock: Clock) -> Stretch:
    fewest, most = v["few"].split("-")
    return span.uncounted(clock.now, int(fewest), int(most), v["unit"])


def _weekdays_ago(v: Values, clock: Clock) -> Stretch:
    return _shifted_weekday({"weekday": v["weekdays"], "shift": f"-{v['num']}"}, clock)


def _seasons_ago(v: Values, clock: Clock) -> Stretch | None:
    """`Two summers ago`: of those that are over."""
    season = {"season": v["seasons"]}
    latest = _shifted_yearly({**season, "shift": "-1"}, clock)
    return latest and _season_of(season, latest.start.year + 1 - int(v["num"]))


def _rolling(v: Values, clock: Clock) -> Stretch | None:
    if v["unit"] == "weekend" and "num" not in v:
        return span.period("weekend", clock.now, -1)
    count = int(v.get("num") or v.get("few", "1").partition("-")[2] or 1)
    forward = int(v.get("shift") or -1) > 0
    vague = v["unit"] == "minute" and "num" not in v  # `a few last minute changes`
    return None if v.get("shift") == "0" or vague else span.rolling(clock.now, count if forward else -count, v["unit"])


def _rolling_some(v: Values, clock: Clock) -> Stretch | None:
    """`In den letzten Tagen`: as many as in `the last few days`."""
    return _rolling({**v, "unit": v["units"], "few": SOME}, clock)


def _year(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001 - every rule is called with both
    return span.year(int(v["year"]))


def _shifted_year(v: Values, clock: Clock) -> Stretch:
    return span.period("year", clock.now, int(v["yearshift"]))


def _month(v: Values, clock: Clock) -> Stretch | None:
    return span.yearly(clock, lambda year: _month_of(v, year))


def _season(v: Values, clock: Clock) -> Stretch | None:
    return span.yearly(clock, lambda year: _season_of(v, year))


def _quarter(v: Values, clock: Clock) -> Stretch | None:
    return span.yearly(clock, lambda year: span.period("quarter", datetime(year, 3 * int(v["quarter"]) - 2, 1)))


def _holiday(v: Values, clock: Clock) -> Stretch | None:
    return span.yearly(clock, lambda year: _feast_of(v, year))


def _winter(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001 - every rule is called with both
    """`Winter 2023/24`: the season that begins in the first of both years."""
    return _season_of(v, int(v["years"]))


def _half(v: Values, clock: Clock) -> Stretch | None:
    return span.yearly(clock, lambda year: span.period("half", datetime(year, 6 * int(v["half"]) - 5, 1)))


def _date(v: Values, clock: Clock) -> Stretch | None:
    number = int(v.get("month") or v["monthnum"])
    return span.yearly(clock, lambda year: span.date(year, number, int(v["day"])))


def _weekday(v: Values, clock: Clock) -> Stretch:
    return span.weekday(clock, int(v["weekday"]))


def _weekend(v: Values, clock: Clock) -> Stretch:  # noqa: ARG001 - every rule is called with both
    this = span.period("weekend", clock.anchor)
    if clock.direction == "past":
        return this if this.start <= clock.anchor else span.period("weekend", clock.anchor, -1)
    return this


def _day_of_month(v: Values, clock: Clock) -> Stretch | None:
    """`The 3rd`: of the latest month that has one not after the anchor, or the first not before it."""
    day, first = int(v["ordday"]), span.period("month", clock.anchor).start
    step = -1 if clock.direction == "past" else 1
    for months in range(3):
        start = span.add_months(first, step * months)
        found = start + (day - 1) * DAY
        fits = found <= clock.anchor if step < 0 else found + DAY > clock.anchor
        if found.month == start.month and fits:
            return span.days(found, 1)
    return None


def _part(v: Values, clock: Clock) -> Stretch | None:
    outer, now = clock.outer, clock.now
    if outer is None or v["part"] not in ("sofar", "rest"):
        return outer and span.third(outer, v["part"])
    if v["part"] == "sofar":
        return Stretch(outer.start, min(outer.end, now + span.MINUTE), "part") if outer.start <= now else None
    return Stretch(max(outer.start, now), outer.end, "part")


def _part_of_year(v: Values, clock: Clock) -> Stretch | None:
    """`去年年底`."""
    return span.third(_shifted_year(v, clock), v["part"]) if v["unit"] == "year" else None


def _nth(v: Values, clock: Clock) -> Stretch | None:
    number, unit = int(v["ord"]), v["unit"]
    if clock.outer is None or (unit != "half" and span.DAYS[unit] >= span.DAYS[clock.outer.unit]):
        return None
    return span.nth(clock.outer, number, unit)


def _nth_quarter(v: Values, clock: Clock) -> Stretch | None:
    """The third quarter of a year that goes without saying, or the first half, week … of a named stretch."""
    if clock.outer:
        return _nth(v, clock)
    return _quarter({"quarter": v["ord"]}, clock) if v["unit"] == "quarter" else None


def _nth_row(v: Values, clock: Clock) -> Stretch | None:
    return span.nth_row(clock.outer, int(v["ord"]), int(v["num"]), v["unit"]) if clock.outer else None


def _nth_weekday(v: Values, clock: Clock) -> Stretch | None:
    return span.nth_weekday(clock.outer, int(v["ord"]), int(v["weekday"])) if clock.outer else None


RULES: tuple[Rule, ...] = (
    Rule("offset", _offset),
    Rule("night", hours.night),
    Rule("hours", hours.part_of_day),
    Rule("shift unit", _shifted),
    Rule("unit shift", _shifted),
    Rule("lap unit", _shifted),
    Rule("shift weekday", _shifted_weekday),
    Rule("weekday shift", _shifted_weekday),
    Rule("lap weekday", _lap_weekday),
    Rule("shift daypart", hours.shifted_part),
    Rule("shift month", _shifted_yearly),
    Rule("month shift", _shifted_yearly),
    Rule("shift season", _shifted_yearly),
    Rule("season shift", _shifted_yearly),
    Rule("shift holiday", _shifted_yearly),
    Rule("holiday shift", _shifted_yearly),
    Rule("gone", _gone),
    Rule("lately", _lately),
    Rule("num unit ago", _ago),
    Rule("num unit ago offset", _day_ago),
    Rule("offset num unit ago", _day_ago),
    Rule("offset agopre num unit ago?", _day_ago),
    Rule("agopre num unit offset", _day_ago),
    Rule("agopre num unit ago?", _ago),
    Rule("back", _back),
    Rule("few unit ago", _few_ago),
    Rule("agopre few unit ago?", _few_ago),
    Rule("num weekdays ago", _weekdays_ago),
    Rule("num seasons ago", _seasons_ago),
    Rule("aheadpre num unit", _ahead),
    Rule("num unit ahead", _ahead),
    Rule("sincepre num unit", _rolling),
    Rule("past unit", _rolling),
    Rule("past num unit", _rolling),
    Rule("past few unit", _rolling),
    Rule("num past unit", _rolling),
    Rule("past units", _rolling_some),
    Rule("shift units", _rolling_some),
    Rule("units shift", _rolling_some),
    Rule("shift num unit", _rolling),
    Rule("num shift unit", _rolling),
    Rule("shift few unit", _rolling),
    Rule("few shift unit", _rolling),
    Rule("stamp", dates.stamp, absolute=True),
    Rule("week", dates.iso_week, absolute=True),
    Rule("yearmonth", dates.iso_month, absolute=True),
    Rule("year", _year, alone="governed", absolute=True),
    Rule("yearword year", _year, absolute=True),
    Rule("year yearmark", _year, absolute=True),
    Rule("yearshift", _shifted_year),
    Rule("yearshift unit part", _part_of_year),
    Rule("era num yearmark", dates.era, absolute=True),
    Rule("the part? join? num decadeplural", dates.decade),
    Rule("part? join? num decadeplural", dates.long_decade),
    Rule("num join? decademark", dates.decade),
    Rule("decadeword num", dates.decade),
    Rule("the part? join? decades", dates.decade),
    Rule("decade", dates.decade, alone="governed"),
    Rule("month", _month, floats="year", alone="weak"),
    Rule("monthnum monthmark", _month, floats="year"),
    Rule("quarter", _quarter, floats="year"),
    Rule("half", _half, floats="year", alone="weak"),
    Rule("season years", _winter, absolute=True),
    Rule("season", _season, floats="year", alone="weak"),
    Rule("holiday", _holiday, floats="year", alone="weak"),
    Rule("weekword num", dates.week_of_year, floats="year"),
    Rule("month the? day", _date, floats="year"),
    Rule("day of? the? dot? month", _date, floats="year"),
    Rule("monthnum monthmark day daymark", _date, floats="year"),
    Rule("monthnum monthmark first:day daymark? to last:day daymark post?", dates.row, floats="year"),
    Rule("monthnum monthmark first:day daymark? join last:day daymark", dates.row, floats="year"),
    Rule("month first:day join last:day", dates.row, floats="year"),
    Rule("month first:day to last:day", dates.row, floats="year"),
    Rule("first:day dot month to last:day dot", dates.row, floats="year"),
    Rule("between the? first:day dot? and the? last:day of? dot? month", dates.row_up_to, floats="year"),
    Rule("between month the? first:day and the? last:day", dates.row, floats="year"),
    Rule("first:day dot? join last:day of? dot? month", dates.row_up_to, floats="year"),
    Rule("first:day dot? to the? last:day of? dot? month", dates.row_up_to, floats="year"),
    Rule("weekday", _weekday, floats="week", alone="weak"),
    Rule("weekdaypart", hours.part_of_weekday, floats="week"),
    Rule("weekend", _weekend, floats="week", alone="weak"),
    Rule("ordday", _day_of_month, floats="month", alone="governed"),
    Rule("daypart", hours.part, floats="day", alone="never"),
    Rule("clock meridiem?", hours.clock_time, floats="day", alone="never"),
    Rule("clock hourmark", hours.clock_time, floats="day", alone="never"),
    Rule("num meridiem", hours.clock_time, floats="day", alone="never"),
    Rule("num hourmark", hours.clock_time, floats="day", alone="never"),
    Rule("daypart num hourmark", hours.clock_time, floats="day", alone="never"),
    Rule("part", _part, floats="whole", alone="never"),
    Rule("ord unit", _nth_quarter, floats="whole"),
    Rule("ordmark ord:num unit", _nth_quarter, floats="whole"),
    Rule("ord:day dot unit", _nth_quarter, floats="whole"),
    Rule("ord num unit", _nth_row, floats="whole", alone="never"),
    Rule("num ord unit", _nth_row, floats="whole", alone="never"),
    Rule("ord weekday", _nth_weekday, floats="whole", alone="never"),
    Rule("unit", _this, alone="never"),
)
