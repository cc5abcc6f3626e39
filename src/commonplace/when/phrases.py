"""Times to phrases: what governs a time (`since`, `before`), what joins two of them, and what only looks like one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from commonplace.model import Interval
from commonplace.when import span
from commonplace.when.grammar import Reader, Time
from commonplace.when.lexicon import Lexeme
from commonplace.when.nouns import Direction, Relation, TimePhrase
from commonplace.when.span import DAY, Clock, Stretch

# How far `around` reaches on either side of what it governs.
MARGINS = {"minute": span.HOUR, "hour": 3 * span.HOUR, "part": DAY, "day": 3 * DAY, "weekend": 3 * DAY, "week": 3 * DAY}
WIDE_MARGIN, YEAR_MARGIN = 14 * DAY, 90 * DAY
_RELATIONS: dict[str, Relation] = {
    "in": "in",
    "on": "in",
    "from": "in",
    "since": "since",
    "until": "until",
    "by": "until",
    "before": "before",
    "after": "after",
    "around": "around",
}
# Which words make a time of what alone is none: `on sat`, but not `in sun`; `in april`, but not `by April`.
_GOVERNORS = {
    "weekday": "on since until before after",
    "month": "in since until before after around from",
    "year": "in since until by before after around from",
    "season": "in since until before after",
    "weekend": "in on since until before after around",
    "ordday": "on since until by before after around from",
    "half": "in since until before after from",
}


class Found(Struct, frozen=True):
    """A phrase over the tokens `first` up to `last`; `stated` says that it does not depend on the clock."""

    first: int
    last: int
    interval: Interval
    relation: Relation
    stated: bool = False


def reader(text: str, now: str, direction: Direction = "past") -> Reader:
    """A text read against a clock. Raises ValueError if `now` is no ISO date or minute."""
    moment = datetime.fromisoformat(now).replace(tzinfo=None, second=0, microsecond=0)
    return Reader(text, Clock(moment, moment, direction))


def phrases(reader: Reader) -> Iterator[TimePhrase]:
    """All phrases in order, none over another."""
    place = 0
    while place < len(reader.tokens):
        found = _phrase(reader, place) if reader.tokens[place].lexemes else None
        if found is None:
            place += 1
            continue
        if not _is_habit(reader, found.first):
            yield _cut(reader, found)
        place = found.last


def whole(reader: Reader) -> Found | None:
    """The phrase that takes up the text from end to end; what is weak in company will do alone."""
    found = _phrase(reader, 0, whole=True)
    return found if found and found.last == len(reader.tokens) else None


def _phrase(reader: Reader, place: int, *, whole: bool = False) -> Found | None:
    readings = [
        *_plain(reader, place, whole=whole),
        *_governed(reader, place, whole=whole),
        *_opened_ranges(reader, place),
        *_counted_from(reader, place),
    ]
    return max(readings, key=lambda found: found.last, default=None)


def _cut(reader: Reader, found: Found) -> TimePhrase:
    start, end = reader.tokens[found.first].start, reader.tokens[found.last - 1].end
    return TimePhrase(found.interval, start, end, reader.text[start:end], found.relation)


def _is_habit(reader: Reader, first: int) -> bool:
    return first > 0 and reader.is_kind(first - 1, "each")


def _plain(reader: Reader, place: int, *, whole: bool) -> Iterator[Found]:
    for time in _times(reader, place):
        if (time.alone == "yes" or whole) and _stands(reader, time, governed=whole):
            yield from _found(reader, place, time, "in")
            yield from _followed(reader, place, time)
        yield from _range(reader, place, time, opened="")


def _times(reader: Reader, place: int) -> Iterator[Time]:
    """The time that begins here or, where an article stands, behind it (`a` is a number too, and an article)."""
    for first in (place, place + 1) if reader.is_kind(place, "the") else (place,):
        time = reader.time(first)
        if time is not None:
            yield time


def _followed(reader: Reader, place: int, time: Time) -> Iterator[Found]:
    """Languages that put the preposition last."""
    for lexeme in reader.kinds(time.last):
        if lexeme.kind == "post" and lexeme.languages & time.languages:
            yield from _found(reader, place, replace(time, last=time.last + 1), _RELATIONS[lexeme.value])


def _governed(reader: Reader, place: int, *, whole: bool) -> Iterator[Found]:
    for lexeme in reader.kinds(place):
        if lexeme.kind != "rel":
            continue
        for time in _times(reader, place + 1):
            fits = lexeme.languages & time.languages and _governs(lexeme, time, whole=whole)
            if fits and _stands(reader, time, governed=lexeme.value != "around"):
                onward = lexeme.value == "from" and reader.is_kind(time.last, "onward")
                relation = "since" if onward else _RELATIONS[lexeme.value]
                yield from _found(reader, place, replace(time, last=time.last + onward), relation)


def _governs(lexeme: Lexeme, time: Time, *, whole: bool) -> bool:
    if time.alone == "yes" or whole:
        return True
    usual = time.rule.pattern != "year" or not time.weak
    return usual and lexeme.value in _GOVERNORS.get(time.rule.pattern, "in").split()


def _stands(reader: Reader, time: Time, *, governed: bool) -> bool:
    """Whether what follows lets it be a time: not `May Parker`, `march 3 days`, `the 2nd attempt`, `January 0000`."""
    if time.last == len(reader.tokens):
        return True
    last, after = reader.tokens[time.last - 1], reader.tokens[time.last]
    close = after.start - last.end <= 1
    plain = close and after.word not in ("", "#") and not after.lexemes
    if time.rule.pattern == "ordday" and time.alone == "governed":
        return not plain
    if last.word == "#" and "day" in time.values:
        held = governed or time.weak < 2 or not plain
        return held and not (close and reader.is_kind(time.last, "unit") and not reader.is_kind(time.last, "daymark"))
    if time.rule.pattern == "year":
        return governed or not plain
    if time.alone == "yes" and not time.weak:
        return not (time.rule.pattern == "month" and time.last - time.first == 1 and close and after.word == "#")
    return not (close and after.word == "#") and not (plain and _is_name(reader, time, after.start))


def _is_name(reader: Reader, time: Time, after: int) -> bool:
    return reader.text[reader.tokens[time.last - 1].start].isupper() and reader.text[after].isupper()


def _found(reader: Reader, first: int, time: Time, relation: Relation) -> Iterator[Found]:
    clock = reader.clock
    if relation == "until" and time.floats:
        clock = replace(clock, direction="future")  # `until Friday` looks ahead, `since Friday` back
    stretch = time.make(clock)
    interval = _interval(stretch, relation) if stretch else None
    if interval is not None:
        yield Found(first, time.last, interval, relation, time.absolute)


def _interval(stretch: Stretch, relation: Relation) -> Interval | None:
    start, end = _written(stretch.start), _written(stretch.end)
    if relation == "around":
        margin = _margin(stretch.unit)
        try:
            return Interval(_written(stretch.start - margin), _written(stretch.end + margin))
        except OverflowError:  # around the first or the last days of the calendar
            return None
    edges = {"since": (start, ""), "until": ("", end), "before": ("", start), "after": (end, "")}
    return Interval(*edges.get(relation, (start, end)))


def _margin(unit: str) -> timedelta:
    return MARGINS.get(unit, YEAR_MARGIN if unit == "year" else WIDE_MARGIN)


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")


def _opened_ranges(reader: Reader, place: int) -> Iterator[Found]:
    for lexeme in reader.kinds(place):
        if lexeme.kind in ("between", "from"):
            for time in _times(reader, place + 1):
                if lexeme.languages & time.languages:
                    yield from _range(reader, place, time, opened=lexeme.kind)


def _range(reader: Reader, first: int, one: Time, *, opened: str) -> Iterator[Found]:
    """`From X to Y`, `between X and Y`, `X – Y`: unopened only for two times of one size."""
    joints = ("to", "join", "and") if opened == "between" else ("to", "join")
    if not reader.is_kind(one.last, *joints):
        return
    for other in _times(reader, one.last + 1):
        if not one.languages & other.languages or not _stands(reader, other, governed=bool(opened)):
            continue
        ends = _ends(reader.clock, one, other) if opened or other.alone == "yes" else None
        if ends and (opened or (ends[0].unit == ends[1].unit and ends[0].start < ends[1].start)):
            interval = Interval(_written(ends[0].start), _written(ends[1].end))
            yield Found(first, other.last, interval, "in", other.absolute)


def _ends(clock: Clock, one: Time, other: Time) -> tuple[Stretch, Stretch] | None:
    """The two ends; the one that says no year or week takes it from the other."""
    last = other.make(clock)
    if last is None:
        return None
    first = one.make(replace(clock, anchor=last.start, direction="past") if one.floats else clock)
    if first is not None and first.start > last.start and other.floats:
        last = other.make(replace(clock, anchor=first.start, direction="future"))
    return (first, last) if first and last and first.start <= last.start and first.end <= last.end else None


def _counted_from(reader: Reader, place: int) -> Iterator[Found]:
    """`Two days before Nov 27`, `the week after May 5`."""
    counts = [int(lexeme.value) for lexeme in reader.kinds(place) if lexeme.kind == "num"]
    units = [lexeme.value for lexeme in reader.kinds(place + 1) if lexeme.kind == "unit"]
    count = counts[0] if counts else 1
    if not units or not (counts or reader.is_kind(place, "the")):
        return
    for lexeme in reader.kinds(place + 2):
        if lexeme.kind != "rel" or lexeme.value not in ("before", "after"):
            continue
        for time in _times(reader, place + 3):
            stretch = time.make(reader.clock) if time.alone == "yes" else None
            if stretch is not None:
                signed = count if lexeme.value == "after" else -count
                found = Found(place, time.last, Interval("", ""), "in", time.absolute)
                yield from _counted(found, stretch, (signed, units[0]))


def _counted(found: Found, stretch: Stretch, step: tuple[int, str]) -> Iterator[Found]:
    count, unit = step
    base = stretch.end - span.MINUTE if count > 0 else stretch.start
    try:
        there = span.distant(base, count, unit)
    except (ValueError, OverflowError):  # off the calendar
        return
    yield replace(found, interval=Interval(_written(there.start), _written(there.end)))
