"""The grammar of time expressions as a table: patterns of words, and the span of time that each resolves to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.language.when import calendar
from commonplace.language.when.calendar import DAY, Clock, TimeSpan, holiday_span
from commonplace.language.when.types import Direction, SlotValues

RuleResolver = Callable[[SlotValues, Clock], TimeSpan | None]
Repetition = Literal["", "year", "month", "week", "day", "whole"]
Standalone = Literal["yes", "weak", "governed", "never"]


SOME_DAYS = "2-5"  # how many days `the last days` are


class TimeRule(Struct, frozen=True):
    """One line of the grammar."""

    pattern: str
    resolve: RuleResolver
    repeats_in: Repetition = ""
    standalone: Standalone = "yes"
    absolute: bool = False


class PatternNode(Struct):
    """A place in the tree of all patterns: what may follow, under which name, and the pattern that ends here."""

    branches: dict[str, list[tuple[str, PatternNode]]]
    pattern: str = ""


@cache
def time_pattern_tree() -> PatternNode:
    """All patterns of times by their kinds of words, first to last."""
    return build_pattern_tree(rule.pattern for rule in RULES)


def build_pattern_tree(patterns: Iterable[str]) -> PatternNode:
    """Patterns as a tree of the kinds of words in them."""
    root = PatternNode({})
    for pattern in patterns:
        for variant in _expand_optional_items(pattern.split()):
            node = root
            for item in variant:
                node = _pattern_child(node, item)
            node.pattern = pattern
    return root


def _expand_optional_items(items: list[str]) -> list[list[str]]:
    variants: list[list[str]] = [[]]
    for item in items:
        longer = [[*variant, item.rstrip("?")] for variant in variants]
        variants = longer + variants if item.endswith("?") else longer
    return variants


def _pattern_child(node: PatternNode, item: str) -> PatternNode:
    name, _, kind = item.rpartition(":")
    branches = node.branches.setdefault(kind, [])
    for known, child in branches:
        if known == (name or kind):
            return child
    child = PatternNode({})
    branches.append((name or kind, child))
    return child


def _resolve_day_offset(slots: SlotValues, clock: Clock) -> TimeSpan:
    return calendar.unit_span("day", clock.now, int(slots["offset"]))


def _resolve_shifted_unit(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    unit, shift = slots["unit"], int(slots.get("shift") or slots.get("lap") or 0)
    if unit == "hour" and shift == -1:
        return calendar.rolling_span(clock.now, -1, unit)
    return None if unit in ("minute", "hour", "day") else calendar.unit_span(unit, clock.now, shift)


def _resolve_current_unit(slots: SlotValues, clock: Clock) -> TimeSpan:
    return calendar.unit_span(slots["unit"], clock.now)


def _resolve_shifted_weekday(slots: SlotValues, clock: Clock) -> TimeSpan:
    number, shift = int(slots["weekday"]), int(slots["shift"])
    if shift == 0:
        return _resolve_weekday_of_week({"weekday": slots["weekday"], "lap": "0"}, clock)
    direction: Direction = "past" if shift < 0 else "future"
    tomorrow = clock.today + (DAY if shift > 0 else -DAY)
    near = calendar.nearest_weekday(Clock(clock.now, tomorrow, direction), number).start
    return calendar.consecutive_days(near + 7 * (shift + (1 if shift < 0 else -1)) * DAY, 1)


def _resolve_weekday_of_week(slots: SlotValues, clock: Clock) -> TimeSpan:
    week = calendar.unit_span("week", clock.now, int(slots["lap"]))
    return calendar.consecutive_days(week.start + (int(slots["weekday"]) - 1) * DAY, 1)


def _resolve_shifted_yearly(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`Last May` is over, `next May` has not begun, `this May` is this year's."""
    make = _season_of_year if "season" in slots else _holiday_of_year if "holiday" in slots else _month_of_year
    shift = int(slots["shift"])
    if shift == 0:
        return make(slots, clock.now.year)
    years = range(clock.now.year, clock.now.year - 3, -1) if shift < 0 else range(clock.now.year, clock.now.year + 3)
    found = (make(slots, year) for year in years)
    fitting = [s for s in found if (s.end <= clock.today if shift < 0 else s.start > clock.today)]
    return fitting[abs(shift) - 1]


def _month_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.month_span(year, int(slots.get("month") or slots["monthnum"]))


def _season_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.season_span(year, int(slots["season"]))


def _holiday_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return holiday_span(year, slots["holiday"])


def _resolve_latest_past(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """One word for last summer or last Christmas."""
    kind, _, value = slots["gone"].partition(" ")
    return _resolve_shifted_yearly({kind: value, "shift": "-1"}, clock)


def _resolve_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    if slots["unit"] == "half":  # `a week and a half ago`
        return None
    return calendar.unit_at_distance(clock.now, -int(slots["num"]), slots["unit"])


def _resolve_units_ago_to_the_day(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`A week ago yesterday`, `heute vor einem Jahr`: to the day."""
    if slots["unit"] in ("minute", "hour", "half"):
        return _resolve_units_ago(slots, clock)
    return calendar.day_before_units(
        calendar.unit_span("day", clock.now, int(slots["offset"])).start, int(slots["num"]), slots["unit"]
    )


def _resolve_fixed_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan:
    unit, _, count = slots["back"].partition("-")
    return calendar.unit_at_distance(clock.now, -int(count or 1), unit)


def _resolve_lately(slots: SlotValues, clock: Clock) -> TimeSpan:
    fewest, most = slots["lately"].split("-")
    return calendar.uncounted_units_ago(clock.now, int(fewest), int(most), "day")


def _resolve_units_ahead(slots: SlotValues, clock: Clock) -> TimeSpan:
    return calendar.unit_at_distance(clock.now, int(slots["num"]), slots["unit"])


def _resolve_few_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan:
    fewest, most = slots["few"].split("-")
    return calendar.uncounted_units_ago(clock.now, int(fewest), int(most), slots["unit"])


def _resolve_weekdays_ago(slots: SlotValues, clock: Clock) -> TimeSpan:
    return _resolve_shifted_weekday({"weekday": slots["weekdays"], "shift": f"-{slots['num']}"}, clock)


def _resolve_seasons_ago(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`Two summers ago`: of those that are over."""
    season = {"season": slots["seasons"]}
    latest = _resolve_shifted_yearly({**season, "shift": "-1"}, clock)
    return latest and _season_of_year(season, latest.start.year + 1 - int(slots["num"]))


def _resolve_rolling(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    if slots["unit"] == "weekend" and "num" not in slots:
        return calendar.unit_span("weekend", clock.now, -1)
    count = int(slots.get("num") or slots.get("few", "1").partition("-")[2] or 1)
    forward = int(slots.get("shift") or -1) > 0
    vague = slots["unit"] == "minute" and "num" not in slots  # `a few last minute changes`
    return (
        None
        if slots.get("shift") == "0" or vague
        else calendar.rolling_span(clock.now, count if forward else -count, slots["unit"])
    )


def _resolve_rolling_uncounted(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`In den letzten Tagen`: as many as in `the last few days`."""
    return _resolve_rolling({**slots, "unit": slots["units"], "few": SOME_DAYS}, clock)


def _resolve_year(slots: SlotValues, clock: Clock) -> TimeSpan:  # noqa: ARG001 - every rule is called with both
    return calendar.year_span(int(slots["year"]))


def _resolve_shifted_year(slots: SlotValues, clock: Clock) -> TimeSpan:
    return calendar.unit_span("year", clock.now, int(slots["yearshift"]))


def _resolve_month(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nearest_yearly_span(clock, lambda year: _month_of_year(slots, year))


def _resolve_season(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nearest_yearly_span(clock, lambda year: _season_of_year(slots, year))


def _resolve_quarter(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nearest_yearly_span(
        clock, lambda year: calendar.unit_span("quarter", datetime(year, 3 * int(slots["quarter"]) - 2, 1))
    )


def _resolve_holiday(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nearest_yearly_span(clock, lambda year: _holiday_of_year(slots, year))


def _resolve_season_over_new_year(slots: SlotValues, clock: Clock) -> TimeSpan:  # noqa: ARG001 - every rule is called with both
    """`Winter 2023/24`: the season that begins in the first of both years."""
    return _season_of_year(slots, int(slots["years"]))


def _resolve_half_year(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nearest_yearly_span(
        clock, lambda year: calendar.unit_span("half", datetime(year, 6 * int(slots["half"]) - 5, 1))
    )


def _resolve_month_day(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    number = int(slots.get("month") or slots["monthnum"])
    return calendar.nearest_yearly_span(clock, lambda year: calendar.day_span(year, number, int(slots["day"])))


def _resolve_weekday(slots: SlotValues, clock: Clock) -> TimeSpan:
    return calendar.nearest_weekday(clock, int(slots["weekday"]))


def _resolve_weekend(slots: SlotValues, clock: Clock) -> TimeSpan:  # noqa: ARG001 - every rule is called with both
    this = calendar.unit_span("weekend", clock.anchor)
    if clock.direction == "past":
        return this if this.start <= clock.anchor else calendar.unit_span("weekend", clock.anchor, -1)
    return this


def _resolve_day_of_month(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`The 3rd`: of the latest month that has one not after the anchor, or the first not before it."""
    day, first = int(slots["ordday"]), calendar.unit_span("month", clock.anchor).start
    step = -1 if clock.direction == "past" else 1
    for months in range(3):
        start = calendar.add_months(first, step * months)
        found = start + (day - 1) * DAY
        fits = found <= clock.anchor if step < 0 else found + DAY > clock.anchor
        if found.month == start.month and fits:
            return calendar.consecutive_days(found, 1)
    return None


def _resolve_part(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    outer, now = clock.outer, clock.now
    if outer is None or slots["part"] not in ("sofar", "rest"):
        return outer and calendar.third_of_span(outer, slots["part"])
    if slots["part"] == "sofar":
        return TimeSpan(outer.start, min(outer.end, now + calendar.MINUTE), "part") if outer.start <= now else None
    return TimeSpan(max(outer.start, now), outer.end, "part")


def _resolve_part_of_year(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`去年年底`."""
    return (
        calendar.third_of_span(_resolve_shifted_year(slots, clock), slots["part"]) if slots["unit"] == "year" else None
    )


def _resolve_nth_unit(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    number, unit = int(slots["ord"]), slots["unit"]
    if clock.outer is None or (
        unit != "half" and calendar.DAYS_BY_UNIT[unit] >= calendar.DAYS_BY_UNIT[clock.outer.unit]
    ):
        return None
    return calendar.nth_unit(clock.outer, number, unit)


def _resolve_nth_quarter_or_unit(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """The third quarter of a year that goes without saying, or the first half, week … of a named stretch."""
    if clock.outer:
        return _resolve_nth_unit(slots, clock)
    return _resolve_quarter({"quarter": slots["ord"]}, clock) if slots["unit"] == "quarter" else None


def _resolve_nth_units(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return (
        calendar.nth_unit_row(clock.outer, int(slots["ord"]), int(slots["num"]), slots["unit"]) if clock.outer else None
    )


def _resolve_nth_weekday(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    return calendar.nth_weekday(clock.outer, int(slots["ord"]), int(slots["weekday"])) if clock.outer else None


RULES: tuple[TimeRule, ...] = (
    TimeRule("offset", _resolve_day_offset),
    TimeRule("night", calendar.resolve_night),
    TimeRule("hours", calendar.resolve_offset_daypart),
    TimeRule("shift unit", _resolve_shifted_unit),
    TimeRule("unit shift", _resolve_shifted_unit),
    TimeRule("lap unit", _resolve_shifted_unit),
    TimeRule("shift weekday", _resolve_shifted_weekday),
    TimeRule("weekday shift", _resolve_shifted_weekday),
    TimeRule("lap weekday", _resolve_weekday_of_week),
    TimeRule("shift daypart", calendar.resolve_shifted_daypart),
    TimeRule("shift month", _resolve_shifted_yearly),
    TimeRule("month shift", _resolve_shifted_yearly),
    TimeRule("shift season", _resolve_shifted_yearly),
    TimeRule("season shift", _resolve_shifted_yearly),
    TimeRule("shift holiday", _resolve_shifted_yearly),
    TimeRule("holiday shift", _resolve_shifted_yearly),
    TimeRule("gone", _resolve_latest_past),
    TimeRule("lately", _resolve_lately),
    TimeRule("num unit ago", _resolve_units_ago),
    TimeRule("num unit ago offset", _resolve_units_ago_to_the_day),
    TimeRule("offset num unit ago", _resolve_units_ago_to_the_day),
    TimeRule("offset agopre num unit ago?", _resolve_units_ago_to_the_day),
    TimeRule("agopre num unit offset", _resolve_units_ago_to_the_day),
    TimeRule("agopre num unit ago?", _resolve_units_ago),
    TimeRule("back", _resolve_fixed_units_ago),
    TimeRule("few unit ago", _resolve_few_units_ago),
    TimeRule("agopre few unit ago?", _resolve_few_units_ago),
    TimeRule("num weekdays ago", _resolve_weekdays_ago),
    TimeRule("num seasons ago", _resolve_seasons_ago),
    TimeRule("aheadpre num unit", _resolve_units_ahead),
    TimeRule("num unit ahead", _resolve_units_ahead),
    TimeRule("sincepre num unit", _resolve_rolling),
    TimeRule("past unit", _resolve_rolling),
    TimeRule("past num unit", _resolve_rolling),
    TimeRule("past few unit", _resolve_rolling),
    TimeRule("num past unit", _resolve_rolling),
    TimeRule("past units", _resolve_rolling_uncounted),
    TimeRule("shift units", _resolve_rolling_uncounted),
    TimeRule("units shift", _resolve_rolling_uncounted),
    TimeRule("shift num unit", _resolve_rolling),
    TimeRule("num shift unit", _resolve_rolling),
    TimeRule("shift few unit", _resolve_rolling),
    TimeRule("few shift unit", _resolve_rolling),
    TimeRule("stamp", calendar.resolve_timestamp, absolute=True),
    TimeRule("week", calendar.resolve_iso_week, absolute=True),
    TimeRule("yearmonth", calendar.resolve_iso_month, absolute=True),
    TimeRule("year", _resolve_year, standalone="governed", absolute=True),
    TimeRule("yearword year", _resolve_year, absolute=True),
    TimeRule("year yearmark", _resolve_year, absolute=True),
    TimeRule("yearshift", _resolve_shifted_year),
    TimeRule("yearshift unit part", _resolve_part_of_year),
    TimeRule("era num yearmark", calendar.resolve_era_year, absolute=True),
    TimeRule("the part? join? num decadeplural", calendar.resolve_decade),
    TimeRule("part? join? num decadeplural", calendar.resolve_full_decade),
    TimeRule("num join? decademark", calendar.resolve_decade),
    TimeRule("decadeword num", calendar.resolve_decade),
    TimeRule("the part? join? decades", calendar.resolve_decade),
    TimeRule("decade", calendar.resolve_decade, standalone="governed"),
    TimeRule("month", _resolve_month, repeats_in="year", standalone="weak"),
    TimeRule("monthnum monthmark", _resolve_month, repeats_in="year"),
    TimeRule("quarter", _resolve_quarter, repeats_in="year"),
    TimeRule("half", _resolve_half_year, repeats_in="year", standalone="weak"),
    TimeRule("season years", _resolve_season_over_new_year, absolute=True),
    TimeRule("season", _resolve_season, repeats_in="year", standalone="weak"),
    TimeRule("holiday", _resolve_holiday, repeats_in="year", standalone="weak"),
    TimeRule("weekword num", calendar.resolve_week_of_year, repeats_in="year"),
    TimeRule("month the? day", _resolve_month_day, repeats_in="year"),
    TimeRule("day of? the? dot? month", _resolve_month_day, repeats_in="year"),
    TimeRule("monthnum monthmark day daymark", _resolve_month_day, repeats_in="year"),
    TimeRule(
        "monthnum monthmark first:day daymark? to last:day daymark post?", calendar.resolve_day_range, repeats_in="year"
    ),
    TimeRule(
        "monthnum monthmark first:day daymark? join last:day daymark", calendar.resolve_day_range, repeats_in="year"
    ),
    TimeRule("month first:day join last:day", calendar.resolve_day_range, repeats_in="year"),
    TimeRule("month first:day to last:day", calendar.resolve_day_range, repeats_in="year"),
    TimeRule("first:day dot month to last:day dot", calendar.resolve_day_range, repeats_in="year"),
    TimeRule(
        "between the? first:day dot? and the? last:day of? dot? month", calendar.resolve_day_range_to, repeats_in="year"
    ),
    TimeRule("between month the? first:day and the? last:day", calendar.resolve_day_range, repeats_in="year"),
    TimeRule("first:day dot? join last:day of? dot? month", calendar.resolve_day_range_to, repeats_in="year"),
    TimeRule("first:day dot? to the? last:day of? dot? month", calendar.resolve_day_range_to, repeats_in="year"),
    TimeRule("weekday", _resolve_weekday, repeats_in="week", standalone="weak"),
    TimeRule("weekdaypart", calendar.resolve_weekday_daypart, repeats_in="week"),
    TimeRule("weekend", _resolve_weekend, repeats_in="week", standalone="weak"),
    TimeRule("ordday", _resolve_day_of_month, repeats_in="month", standalone="governed"),
    TimeRule("daypart", calendar.resolve_daypart, repeats_in="day", standalone="never"),
    TimeRule("clock meridiem?", calendar.resolve_clock_time, repeats_in="day", standalone="never"),
    TimeRule("clock hourmark", calendar.resolve_clock_time, repeats_in="day", standalone="never"),
    TimeRule("num meridiem", calendar.resolve_clock_time, repeats_in="day", standalone="never"),
    TimeRule("num hourmark", calendar.resolve_clock_time, repeats_in="day", standalone="never"),
    TimeRule("daypart num hourmark", calendar.resolve_clock_time, repeats_in="day", standalone="never"),
    TimeRule("part", _resolve_part, repeats_in="whole", standalone="never"),
    TimeRule("ord unit", _resolve_nth_quarter_or_unit, repeats_in="whole"),
    TimeRule("ordmark ord:num unit", _resolve_nth_quarter_or_unit, repeats_in="whole"),
    TimeRule("ord:day dot unit", _resolve_nth_quarter_or_unit, repeats_in="whole"),
    TimeRule("ord num unit", _resolve_nth_units, repeats_in="whole", standalone="never"),
    TimeRule("num ord unit", _resolve_nth_units, repeats_in="whole", standalone="never"),
    TimeRule("ord weekday", _resolve_nth_weekday, repeats_in="whole", standalone="never"),
    TimeRule("unit", _resolve_current_unit, standalone="never"),
)
