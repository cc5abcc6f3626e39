"""Times to phrases: what governs a time (`since`, `before`), what joins two of them, and what only looks like one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from commonplace.model import Interval
from commonplace.when import span
from commonplace.when.grammar import Reader, Time
from commonplace.when.lexicon import ENGLISH, Lexeme
from commonplace.when.nouns import Direction, Relation, TimePhrase
from commonplace.when.rules import tree
from commonplace.when.span import DAY, Clock, Stretch

# How far `around` reaches on either side of what it governs.
MARGINS = {
    "minute": span.HOUR,
    "hour": 3 * span.HOUR,
    "part": DAY,
    "day": 3 * DAY,
    "weekend": 3 * DAY,
    "feast": 3 * DAY,
    "week": 3 * DAY,
}
WIDE_MARGIN, YEAR_MARGIN = 14 * DAY, 90 * DAY
SOME = 5  # how many days are `the days before`
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
    "holiday": "in on since until by before after around from",
    "weekend": "in on since until before after around",
    "ordday": "on since until by before after around from",
    "half": "in since until before after from",
}
_THE, _ONWARD, _UNIT, _WEEKDAY = (frozenset((x,)) for x in ("the", "onward", "unit", "weekday"))
_FEASTS, _FIGURE = frozenset(("holiday", "gone")), frozenset(("num",))
_NAMES = _FEASTS | {"decade", "decades", "decadeplural", "decademark", "decadeword"}
_GOVERNING = frozenset(("rel", "between", "from"))
_DAYMARK, _JOINTS, _ALL_JOINTS = frozenset(("daymark",)), frozenset(("to", "join")), frozenset(("to", "join", "and"))


class Found(Struct, frozen=True):
    """A phrase over the tokens `first` up to `last`.

    `stated` says that it does not depend on the clock, `named` that it goes by the name of a holiday or a decade,
    `about` that the interval lies around the day that is meant.
    """

    first: int
    last: int
    interval: Interval
    relation: Relation
    stated: bool = False
    named: bool = False
    about: bool = False


def reader(text: str, now: str, direction: Direction = "past") -> Reader:
    """A text read against a clock. Raises ValueError if `now` is no ISO date or minute."""
    moment = datetime.fromisoformat(now).replace(tzinfo=None, second=0, microsecond=0)
    return Reader(text, Clock(moment, moment, direction))


def phrases(reader: Reader) -> Iterator[TimePhrase]:
    """All phrases in order, none over another."""
    place = 0
    while place < len(reader.tokens):
        found = _phrase(reader, place)
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


@cache
def _openers() -> frozenset[str]:
    return frozenset((*tree().after, "rel", "between", "from", "the"))


def _phrase(reader: Reader, place: int, *, whole: bool = False) -> Found | None:
    """The longest phrase that begins here."""
    if not reader.is_kind(place, _openers()):
        return None
    readings = [*_plain(reader, place, whole=whole), *_row_beside(reader, place), *_counted_from(reader, place)]
    if reader.is_kind(place, _GOVERNING):
        readings += [*_governed(reader, place, whole=whole), *_opened_ranges(reader, place)]
    return max(readings, key=lambda found: found.last, default=None)


def _is_habit(reader: Reader, first: int) -> bool:
    """`Every Monday`, `on a Sunday`, `the fifth Monday` of a month that has four."""
    of_weekdays = reader.is_kind(first, _WEEKDAY)
    before = reader.lexemes(first - 1) if first else ()
    return any(of_weekdays if x.kind == "ord" or x.value == "weekday" else x.kind == "each" for x in before)


def _cut(reader: Reader, found: Found) -> TimePhrase:
    start, end = reader.tokens[found.first].start, reader.tokens[found.last - 1].end
    name = _name(reader, found) if found.named else ""
    phrase = reader.text[start:end]
    return TimePhrase(found.interval, start, end, phrase, found.relation, name, found.about, found.stated)


def _name(reader: Reader, found: Found) -> str:
    """The words of a phrase that are its name; a figure belongs to that of a decade: `90s`, `années 80`."""
    spans: list[str] = []
    for place in range(found.first, found.last):
        if not reader.is_kind(place, _NAMES):
            continue
        first, last = place, place
        if not reader.is_kind(place, _FEASTS):
            first -= place > found.first and reader.is_kind(place - 1, _FIGURE)
            last += place + 1 < found.last and reader.is_kind(place + 1, _FIGURE)
        spans.append(reader.text[reader.tokens[first].start : reader.tokens[last].end])
    return " ".join(spans)


def _plain(reader: Reader, place: int, *, whole: bool) -> Iterator[Found]:
    for time in _times(reader, place):
        if (time.alone == "yes" or whole or _is_named(reader, place, time)) and _stands(reader, time, governed=whole):
            yield from _found(reader, place, time, "in")
            yield from _followed(reader, place, time)
        yield from _range(reader, place, time, opened="")


def _is_named(reader: Reader, place: int, time: Time) -> bool:
    """`The May report`: a month between an article and what belongs to it; no verb stands there, `the march` may."""
    if time.rule.pattern != "month" or time.first == place or time.weak > 2 or time.last >= len(reader.tokens):
        return False
    after = reader.tokens[time.last]
    return after.word not in ("", "#") and not after.entry.lexemes


def _times(reader: Reader, place: int) -> Iterator[Time]:
    """The time that begins here or, where an article stands, behind it (`a` is a number too, and an article)."""
    time = reader.time(place)
    if time is not None:
        yield time
    article = sum(x.languages for x in reader.lexemes(place) if x.kind == "the")
    time = reader.time(place + 1) if article else None
    if time is not None and time.languages & article:
        yield time


def _is_of_name(time: Time) -> bool:
    return not _NAMES.isdisjoint(time.rule.pattern.split())


def _followed(reader: Reader, place: int, time: Time) -> Iterator[Found]:
    """Languages that put the preposition last."""
    for lexeme in reader.lexemes(time.last):
        if lexeme.kind == "post" and lexeme.languages & time.languages:
            yield from _found(reader, place, replace(time, last=time.last + 1), _RELATIONS[lexeme.value])


def _governed(reader: Reader, place: int, *, whole: bool) -> Iterator[Found]:
    for lexeme in reader.lexemes(place):
        for time in _times(reader, place + 1) if lexeme.kind == "rel" else ():
            shared = lexeme.languages & time.languages
            time = replace(time, languages=shared)
            if (
                shared
                and _governs(lexeme, time, whole=whole)
                and _stands(reader, time, governed=lexeme.value != "around")
            ):
                onward = lexeme.value == "from" and "first" not in time.values and reader.is_kind(time.last, _ONWARD)
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
    plain = close and after.word not in ("", "#") and not after.entry.lexemes
    pattern = time.rule.pattern
    if pattern == "ordday" and time.alone == "governed":
        return not plain
    if last.word == "#" and "day" in time.values:
        counted = close and reader.is_kind(time.last, _UNIT) and not reader.is_kind(time.last, _DAYMARK)
        return (governed or time.weak < 2 or not plain) and not counted
    if pattern == "year":
        return governed or not plain
    if pattern == "month" and time.last - time.first == 1 and close and after.word == "#":
        return False
    named = time.weak and time.languages & ENGLISH  # German writes every noun with a capital
    return not (named and plain and _is_name(reader, last.start, after.start))


def _is_name(reader: Reader, first: int, second: int) -> bool:
    return reader.text[first].isupper() and reader.text[second].isupper()


def _found(reader: Reader, first: int, time: Time, relation: Relation) -> Iterator[Found]:
    stretch = time.at
    if relation == "until" and time.floats:  # `until Friday` looks ahead, `since Friday` back
        stretch = time.make(replace(reader.clock, direction="future"))
    interval = _interval(stretch, relation) if stretch else None
    if stretch is not None and interval is not None:
        about = stretch.about and relation == "in"
        yield Found(first, time.last, interval, relation, time.absolute, _is_of_name(time), about)


def _interval(stretch: Stretch, relation: Relation) -> Interval | None:
    if relation == "around":
        return _around(stretch)
    start, end = _written(stretch.start), _written(stretch.end)
    edges = {"since": (start, ""), "until": ("", end), "before": ("", start), "after": (end, "")}
    return Interval(*edges.get(relation, (start, end)))


def _around(stretch: Stretch) -> Interval | None:
    margin = MARGINS.get(stretch.unit, YEAR_MARGIN if stretch.unit in ("year", "decade") else WIDE_MARGIN)
    try:
        return Interval(_written(stretch.start - margin), _written(stretch.end + margin))
    except OverflowError:  # beyond the first or the last day of the calendar
        return None


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")


def _opened_ranges(reader: Reader, place: int) -> Iterator[Found]:
    for lexeme in reader.lexemes(place):
        for time in _times(reader, place + 1) if lexeme.kind in ("between", "from") else ():
            if lexeme.languages & time.languages:
                yield from _range(reader, place, time, opened=lexeme.kind)


def _range(reader: Reader, first: int, one: Time, *, opened: str) -> Iterator[Found]:
    """`From X to Y`, `between X and Y`, `X – Y`: unopened only for two times of one size."""
    if not reader.is_kind(one.last, _ALL_JOINTS if opened == "between" else _JOINTS):
        return
    for other in _times(reader, one.last + 1):
        fits = one.languages & other.languages and (opened or other.alone == "yes")
        ends = _ends(reader.clock, one, other) if fits and _stands(reader, other, governed=bool(opened)) else None
        if ends and (opened or (ends[0].unit == ends[1].unit and ends[0].start < ends[1].start)):
            interval = Interval(_written(ends[0].start), _written(ends[1].end))
            stated = other.absolute and (one.absolute or one.floats == "year")
            yield Found(first, other.last, interval, "in", stated, _is_of_name(one) or _is_of_name(other))


def _ends(clock: Clock, one: Time, other: Time) -> tuple[Stretch, Stretch] | None:
    """The two ends; the one that says no year or week takes it from the other."""
    first, last = one.at, other.at
    if first is None or last is None:
        return None
    if one.floats:
        first = one.make(replace(clock, anchor=last.start, direction="past"))
    elif other.floats:
        last = other.make(replace(clock, anchor=first.start, direction="future"))
    return (first, last) if first and last and first.start <= last.start and first.end <= last.end else None


def _counted_from(reader: Reader, place: int) -> Iterator[Found]:
    """`Two days before Nov 27`, `the week after May 5`, `the Friday before that day`."""
    first = place + 1 if reader.is_kind(place, _THE) else place
    counts = [int(x.value) for x in reader.lexemes(place) if x.kind == "num"]
    if reader.is_kind(place + 1, _UNIT) and (counts or first > place):
        first = place + 1
    elif not reader.is_kind(first, _WEEKDAY):
        return
    step = next(x for x in reader.lexemes(first) if x.kind in ("unit", "weekday"))
    for time, at, sign in _beside(reader, first + 1):
        count = sign * (counts[0] if counts else 1)
        yield from _reached(place, time, partial(_counted, at, count, step))


def _row_beside(reader: Reader, place: int) -> Iterator[Found]:
    """`The two weeks before Easter`, `the days after May 5`: up to there, from there on."""
    if not reader.is_kind(place, _THE):
        return
    counts = [int(x.value) for x in reader.lexemes(place + 1) if x.kind == "num"]
    first = place + 2 if counts else place + 1
    units = [x.value for x in reader.lexemes(first) if x.kind == ("unit" if counts else "units")]
    for time, at, sign in _beside(reader, first + 1) if units else ():
        count = sign * (counts[0] if counts else SOME)
        yield from _reached(place, time, partial(span.beside, at, count, units[0]))


def _beside(reader: Reader, place: int) -> Iterator[tuple[Time, Stretch, int]]:
    """The times that a `before` (-1) or `after` (1) here leads to."""
    for lexeme in reader.lexemes(place):
        sign = {"rel before": -1, "rel after": 1}.get(f"{lexeme.kind} {lexeme.value}", 0)
        for time in _times(reader, place + 1) if sign else ():
            if time.at is not None and (time.alone == "yes" or _governs(lexeme, time, whole=False)):
                yield time, time.at, sign


def _reached(place: int, time: Time, make: Callable[[], Stretch]) -> Iterator[Found]:
    try:
        there = make()
    except (ValueError, OverflowError):  # beyond the first or the last day of the calendar
        return
    yield Found(
        place, time.last, Interval(_written(there.start), _written(there.end)), "in", time.absolute, _is_of_name(time)
    )


def _counted(at: Stretch, count: int, step: Lexeme) -> Stretch:
    base = at.end - span.MINUTE if count > 0 else at.start
    return _weekday_from(at, count, step) if step.kind == "weekday" else span.distant(base, count, step.value)


def _weekday_from(stretch: Stretch, count: int, step: Lexeme) -> Stretch:
    if count < 0:
        return span.weekday(Clock(stretch.start, stretch.start - DAY), int(step.value))
    return span.weekday(Clock(stretch.end, stretch.end, "future"), int(step.value))
