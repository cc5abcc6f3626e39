"""The grammar of time expressions as a table: patterns of kinds of words, and the span that each resolves to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.language.when import calendar
from commonplace.language.when.calendar import DAY, HOUR, Clock, Direction, TimeSpan
from commonplace.language.when.tokenizer import SPACED_HYPHEN

SlotValues = dict[str, str]  # what the words of a time say, by their kinds
RuleResolver = Callable[[SlotValues, Clock], TimeSpan | None]
Repetition = Literal["", "year", "month", "week", "day", "whole"]
Standalone = Literal["yes", "weak", "governed", "never"]

SOME_DAYS = "2-5"  # how many days `the last days` are
MIN_MONTH_WRAP_DAYS = 17  # from the 30th to the 13th is a row over the end of a month, from the 20th to the 5th is none


class TimeRule(Struct, frozen=True):
    """One pattern of the grammar and its resolver. `repeats_in` is the span in which the time recurs, so that a time
    around it can select it; `standalone` says whether it is a time without one or without a preposition."""

    pattern: str
    resolve: RuleResolver
    repeats_in: Repetition = ""
    standalone: Standalone = "yes"
    absolute: bool = False


class PatternNode(Struct):
    """A node of the trie of patterns: its branches by kind, each with a slot name, and the pattern that ends here."""

    branches: dict[str, list[tuple[str, PatternNode]]]
    pattern: str = ""


@cache
def time_pattern_tree() -> PatternNode:
    """Return the trie of all patterns of times."""
    return build_pattern_tree(rule.pattern for rule in RULES)


def build_pattern_tree(patterns: Iterable[str]) -> PatternNode:
    """Return patterns as a trie over the kinds of words; `kind?` may be missing, `name:kind` fills the slot `name`."""
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
    for slot, child in branches:
        if slot == (name or kind):
            return child
    child = PatternNode({})
    branches.append((name or kind, child))
    return child


def _resolve_shifted_unit(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    unit, shift = slots["unit"], int(slots.get("shift") or slots.get("lap") or 0)
    if unit == "hour" and shift == -1:
        return calendar.rolling_span(clock.now, -1, unit)
    return None if unit in ("minute", "hour", "day") else calendar.unit_span(unit, clock.now, shift)


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
    """`Last May` is over, `next May` has not begun, `this May` is of this year; one word may say last summer."""
    if "gone" in slots:
        kind, _, value = slots["gone"].partition(" ")
        slots = {kind: value, "shift": "-1"}
    make = _season_of_year if "season" in slots else _holiday_of_year if "holiday" in slots else _month_of_year
    shift, this_year = int(slots["shift"]), clock.now.year
    if shift == 0:
        return make(slots, this_year)
    found = [make(slots, this_year + (years if shift > 0 else -years)) for years in range(3)]
    fitting = [span for span in found if (span.end <= clock.today if shift < 0 else span.start > clock.today)]
    return fitting[abs(shift) - 1]


def _resolve_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    if slots["unit"] == "half":  # `a week and a half ago`
        return None
    return calendar.unit_at_distance(clock.now, -int(slots["num"]), slots["unit"])


def _resolve_units_ago_to_the_day(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`A week ago yesterday`, `heute vor einem Jahr`: to the day."""
    if slots["unit"] in ("minute", "hour", "half"):
        return _resolve_units_ago(slots, clock)
    day = clock.today + int(slots["offset"]) * DAY
    return calendar.day_before_units(day, int(slots["num"]), slots["unit"])


def _resolve_fixed_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan:
    unit, _, count = slots["back"].partition("-")
    return calendar.unit_at_distance(clock.now, -int(count or 1), unit)


def _resolve_few_units_ago(slots: SlotValues, clock: Clock) -> TimeSpan:
    fewest, most = (slots.get("few") or slots["lately"]).split("-")
    return calendar.uncounted_units_ago(clock.now, int(fewest), int(most), slots.get("unit", "day"))


def _resolve_seasons_ago(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`Two summers ago`: of those that are over."""
    season = {"season": slots["seasons"]}
    latest = _resolve_shifted_yearly({**season, "shift": "-1"}, clock)
    return latest and _season_of_year(season, latest.start.year + 1 - int(slots["num"]))


def _resolve_rolling(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`The past two weeks`, `the next few days`; uncounted, `in den letzten Tagen`, as many as `the last few days`."""
    if "units" in slots:
        slots = {**slots, "unit": slots["units"], "few": SOME_DAYS}
    if slots["unit"] == "weekend" and "num" not in slots:
        return calendar.unit_span("weekend", clock.now, -1)
    count = int(slots.get("num") or slots.get("few", "1").partition("-")[2] or 1)
    forward = int(slots.get("shift") or -1) > 0
    if slots.get("shift") == "0" or (slots["unit"] == "minute" and "num" not in slots):  # `a few last minute changes`
        return None
    return calendar.rolling_span(clock.now, count if forward else -count, slots["unit"])


def _resolve_timestamp(slots: SlotValues, _: Clock) -> TimeSpan:
    """`2025-06-10`, and with a time behind it that minute."""
    date, _separator, time = slots["stamp"].replace("/", "-").replace("T", " ").partition(" ")
    year, month, day = map(int, date.split("-"))
    if not time:
        return calendar.day_span(year, month, day)
    return calendar.unit_span("minute", datetime(year, month, day, int(time[:2]), int(time[3:5])))


def _resolve_iso_month(slots: SlotValues, _: Clock) -> TimeSpan | None:
    year, number = (int(part) for part in slots["yearmonth"].split("-"))
    return calendar.month_span(year, number) if 1900 <= year < 2100 else None


def _resolve_year(slots: SlotValues, _: Clock) -> TimeSpan:
    return calendar.year_span(int(slots["year"]))


def _resolve_shifted_year(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`去年`, `去年年底`."""
    year = calendar.unit_span("year", clock.now, int(slots["yearshift"]))
    if "part" not in slots:
        return year
    return calendar.third_of_span(year, slots["part"]) if slots["unit"] == "year" else None


def _resolve_decade(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`The 90s`, `the late 1970s`, `九十年代`."""
    whole = calendar.decade_span(clock, int(slots.get("decade") or slots.get("decades") or slots["num"]))
    return calendar.third_of_span(whole, slots["part"]) if whole and "part" in slots else whole


def _yearly(span_of_year: Callable[[SlotValues, int], TimeSpan]) -> RuleResolver:
    """Return a resolver of what comes once a year: its span in the year that fits the clock."""
    return lambda slots, clock: calendar.nearest_yearly_span(clock, lambda year: span_of_year(slots, year))


def _month_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.month_span(year, int(slots.get("month") or slots["monthnum"]))


def _season_of_year(slots: SlotValues, year: int) -> TimeSpan:
    start = datetime(year, 3 * int(slots["season"]), 1)  # the winter of a year begins in its December
    return TimeSpan(start, calendar.add_months(start, 3), "season")


def _holiday_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.holiday_span(year, slots["holiday"])


def _quarter_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.unit_span("quarter", datetime(year, 3 * int(slots["quarter"]) - 2, 1))


def _iso_week(year: int, number: str) -> TimeSpan:
    return calendar.consecutive_days(datetime.fromisocalendar(year, int(number), 1), 7, "week")


def _day_of_year(slots: SlotValues, year: int) -> TimeSpan:
    return calendar.day_span(year, int(slots.get("month") or slots["monthnum"]), int(slots["day"]))


def _resolve_day_range(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`Nov 27-30`; `Dec 30-2` ends in the month after."""
    return _yearly(lambda slots, year: _day_range_span(slots, year, 1))(slots, clock) if _is_day_range(slots) else None


def _resolve_day_range_to(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """Resolve ranges of days such as `27-30 Nov`; `30-2 January` begins in the month before."""
    if not _is_day_range(slots):
        return None
    if int(slots["first"]) > int(slots["last"]) and clock.outer:
        return _day_range_span(slots, clock.outer.start.year, -1)
    return _yearly(lambda slots, year: _day_range_span(slots, year, -1))(slots, clock)


def _is_day_range(slots: SlotValues) -> bool:
    """Return whether the days are a range, also over the end of a month; not `Jan 28 - 2 people came`."""
    first, last = int(slots["first"]), int(slots["last"])
    return first < last or (first - last >= MIN_MONTH_WRAP_DAYS and slots.get("join") != SPACED_HYPHEN)


def _day_range_span(slots: SlotValues, year: int, month_step: int) -> TimeSpan:
    """Return the days from the first to the last; if that is smaller, one is in the adjacent month."""
    month = datetime(year, int(slots.get("month") or slots["monthnum"]), 1)
    first, last = int(slots["first"]), int(slots["last"])
    beside = calendar.add_months(month, month_step) if first > last else month
    begin, end = (month, beside) if month_step > 0 else (beside, month)
    return TimeSpan(begin.replace(day=first), end.replace(day=last) + DAY, "day")


def _resolve_weekend(_: SlotValues, clock: Clock) -> TimeSpan:
    this = calendar.unit_span("weekend", clock.anchor)
    is_past = clock.direction == "future" or this.start <= clock.anchor
    return this if is_past else calendar.unit_span("weekend", clock.anchor, -1)


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


def _resolve_weekday_of_month(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """`Saturday the 17th`: of this month or a neighbouring one, where its 17th is a Saturday."""
    this_month = calendar.unit_span("month", clock.anchor).start
    for months in (0, -1, 1) if clock.direction == "past" else (0, 1, -1):
        start = calendar.add_months(this_month, months)
        found = start + (int(slots["day"]) - 1) * DAY
        if found.month == start.month and found.isoweekday() == int(slots["weekday"]):
            return calendar.consecutive_days(found, 1)
    return None


def _resolve_clock_time(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """The hour that begins at a time of day; `3 pm` and `下午三点` are after noon."""
    hour, _, minute = (slots.get("clock") or slots["num"]).partition(":")
    half = slots.get("meridiem") or ("12" if int(slots.get("daypart", "0-").partition("-")[0]) >= 12 else "")
    moment = timedelta(hours=int(hour) % 12 + int(half) if half else int(hour), minutes=int(minute or 0))
    start = calendar.midnight(clock.anchor) + moment
    return TimeSpan(start, start + HOUR, "hour") if moment < DAY and not (half and int(hour) > 12) else None


def _resolve_daypart(slots: SlotValues, clock: Clock) -> TimeSpan:
    """`今朝`, `stamattina`: a part of a day so many days from today; `Montagabend`: of a weekday."""
    number, _, hours = (slots.get("hours") or slots["weekdaypart"]).partition(" ")
    is_weekday = "weekdaypart" in slots
    day = calendar.nearest_weekday(clock, int(number)).start if is_weekday else clock.today + int(number) * DAY
    return _hours_span(hours, day)


def _hours_span(hour_range: str, day: datetime) -> TimeSpan:
    first, last = (int(hour) for hour in hour_range.split("-"))
    return TimeSpan(day + first * HOUR, day + last * HOUR, "part")


def _resolve_part(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    outer, now = clock.outer, clock.now
    if outer is None or slots["part"] not in ("sofar", "rest"):
        return outer and calendar.third_of_span(outer, slots["part"])
    if slots["part"] == "sofar":
        return TimeSpan(outer.start, min(outer.end, now + calendar.MINUTE), "part") if outer.start <= now else None
    return TimeSpan(max(outer.start, now), outer.end, "part")


def _resolve_nth_unit(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    """The first half, week … of an enclosing span; without one the third quarter of a year."""
    unit, days = slots["unit"], calendar.DAYS_BY_UNIT
    if clock.outer is None:
        return _yearly(_quarter_of_year)({"quarter": slots["ord"]}, clock) if unit == "quarter" else None
    is_smaller = unit == "half" or days[unit] < days[clock.outer.unit]
    return calendar.nth_unit(clock.outer, int(slots["ord"]), unit) if is_smaller else None


def _resolve_nth_units(slots: SlotValues, clock: Clock) -> TimeSpan | None:
    count = int(slots["num"])
    return clock.outer and calendar.nth_unit_row(clock.outer, int(slots["ord"]), count, slots["unit"])


def _rules(
    resolve: RuleResolver,
    *patterns: str,
    repeats_in: Repetition = "",
    standalone: Standalone = "yes",
    absolute: bool = False,
) -> tuple[TimeRule, ...]:
    return tuple(TimeRule(pattern, resolve, repeats_in, standalone, absolute) for pattern in patterns)


# In the order in which they are tried.
RULES: tuple[TimeRule, ...] = (
    *_rules(lambda slots, clock: calendar.unit_span("day", clock.now, int(slots["offset"])), "offset"),
    *_rules(lambda slots, clock: _hours_span("18-30", clock.today + int(slots["night"]) * DAY), "night"),
    *_rules(_resolve_daypart, "hours"),
    *_rules(_resolve_shifted_unit, "shift unit", "unit shift", "lap unit"),
    *_rules(_resolve_shifted_weekday, "shift weekday", "weekday shift"),
    *_rules(_resolve_weekday_of_week, "lap weekday"),
    *_rules(
        lambda slots, clock: _hours_span(slots["daypart"], clock.today + int(slots["shift"]) * DAY), "shift daypart"
    ),
    *_rules(_resolve_shifted_yearly, "shift month", "month shift", "shift season", "season shift"),
    *_rules(_resolve_shifted_yearly, "shift holiday", "holiday shift", "gone"),
    *_rules(_resolve_few_units_ago, "lately"),
    *_rules(_resolve_units_ago, "num unit ago"),
    *_rules(_resolve_units_ago_to_the_day, "num unit ago offset", "offset num unit ago"),
    *_rules(_resolve_units_ago_to_the_day, "offset agopre num unit ago?", "agopre num unit offset"),
    *_rules(_resolve_units_ago, "agopre num unit ago?"),
    *_rules(_resolve_fixed_units_ago, "back"),
    *_rules(_resolve_few_units_ago, "few unit ago", "agopre few unit ago?"),
    *_rules(
        lambda slots, clock: _resolve_shifted_weekday(
            {"weekday": slots["weekdays"], "shift": f"-{slots['num']}"}, clock
        ),
        "num weekdays ago",
    ),
    *_rules(_resolve_seasons_ago, "num seasons ago"),
    *_rules(
        lambda slots, clock: calendar.unit_at_distance(clock.now, int(slots["num"]), slots["unit"]),
        "aheadpre num unit",
        "num unit ahead",
    ),
    *_rules(_resolve_rolling, "sincepre num unit", "past unit", "past num unit", "past few unit", "num past unit"),
    *_rules(_resolve_rolling, "past units", "shift units", "units shift", "shift num unit", "num shift unit"),
    *_rules(_resolve_rolling, "shift few unit", "few shift unit"),
    *_rules(_resolve_timestamp, "stamp", absolute=True),
    *_rules(lambda slots, _: _iso_week(int(slots["week"][:4]), slots["week"][-2:]), "week", absolute=True),
    *_rules(_resolve_iso_month, "yearmonth", absolute=True),
    *_rules(_resolve_year, "year", standalone="governed", absolute=True),
    *_rules(_resolve_year, "yearword year", "year yearmark", absolute=True),
    *_rules(_resolve_shifted_year, "yearshift", "yearshift unit part"),
    *_rules(
        lambda slots, _: calendar.year_span(int(slots["era"]) + int(slots["num"])), "era num yearmark", absolute=True
    ),
    *_rules(_resolve_decade, "the part? join? num decadeplural"),
    *_rules(  # `1970s` without an article; `30s` may be seconds, or an age
        lambda slots, clock: _resolve_decade(slots, clock) if len(slots["num"]) == 4 else None,
        "part? join? num decadeplural",
    ),
    *_rules(_resolve_decade, "num join? decademark", "decadeword num", "the part? join? decades"),
    *_rules(_resolve_decade, "decade", standalone="governed"),
    *_rules(_yearly(_month_of_year), "month", repeats_in="year", standalone="weak"),
    *_rules(_yearly(_month_of_year), "monthnum monthmark", repeats_in="year"),
    *_rules(_yearly(_quarter_of_year), "quarter", repeats_in="year"),
    *_rules(
        _yearly(lambda slots, year: calendar.unit_span("half", datetime(year, 6 * int(slots["half"]) - 5, 1))),
        "half",
        repeats_in="year",
        standalone="weak",
    ),
    *_rules(lambda slots, _: _season_of_year(slots, int(slots["years"])), "season years", absolute=True),
    *_rules(_yearly(_season_of_year), "season", repeats_in="year", standalone="weak"),
    *_rules(_yearly(_holiday_of_year), "holiday", repeats_in="year", standalone="weak"),
    *_rules(_yearly(lambda slots, year: _iso_week(year, slots["num"])), "weekword num", repeats_in="year"),
    *_rules(_yearly(_day_of_year), "month the? day", "day of? the? dot? month", repeats_in="year"),
    *_rules(_yearly(_day_of_year), "monthnum monthmark day daymark", repeats_in="year"),
    *_rules(
        _yearly(lambda slots, year: calendar.day_span(year, *map(int, slots["daymonth"].split("-")))),
        "daymonth",
        repeats_in="year",
        standalone="weak",
    ),
    *_rules(
        _resolve_day_range,
        "monthnum monthmark first:day daymark? to last:day daymark post?",
        "monthnum monthmark first:day daymark? join last:day daymark",
        "month first:day join last:day",
        "month first:day to last:day",
        "first:day dot month to last:day dot",
        repeats_in="year",
    ),
    *_rules(_resolve_day_range_to, "between the? first:day dot? and the? last:day of? dot? month", repeats_in="year"),
    *_rules(_resolve_day_range, "between month the? first:day and the? last:day", repeats_in="year"),
    *_rules(
        _resolve_day_range_to,
        "first:day dot? join last:day of? dot? month",
        "first:day dot? to the? last:day of? dot? month",
        repeats_in="year",
    ),
    *_rules(
        lambda slots, clock: calendar.nearest_weekday(clock, int(slots["weekday"])),
        "weekday",
        repeats_in="week",
        standalone="weak",
    ),
    *_rules(_resolve_weekday_of_month, "weekday the? day dot?"),
    *_rules(_resolve_daypart, "weekdaypart", repeats_in="week"),
    *_rules(_resolve_weekend, "weekend", repeats_in="week", standalone="weak"),
    *_rules(_resolve_day_of_month, "ordday", repeats_in="month", standalone="governed"),
    *_rules(
        lambda slots, clock: _hours_span(slots["daypart"], calendar.midnight(clock.anchor)),
        "daypart",
        repeats_in="day",
        standalone="never",
    ),
    *_rules(
        _resolve_clock_time,
        "clock meridiem?",
        "clock hourmark",
        "num meridiem",
        "num hourmark",
        "daypart num hourmark",
        repeats_in="day",
        standalone="never",
    ),
    *_rules(_resolve_part, "part", repeats_in="whole", standalone="never"),
    *_rules(_resolve_nth_unit, "ord unit", "ordmark ord:num unit", "ord:day dot unit", repeats_in="whole"),
    *_rules(_resolve_nth_units, "ord num unit", "num ord unit", repeats_in="whole", standalone="never"),
    *_rules(
        lambda slots, clock: (
            clock.outer and calendar.nth_weekday(clock.outer, int(slots["ord"]), int(slots["weekday"]))
        ),
        "ord weekday",
        repeats_in="whole",
        standalone="never",
    ),
    *_rules(lambda slots, clock: calendar.unit_span(slots["unit"], clock.now), "unit", standalone="never"),
)
