"""Make time phrases of times: prepositions (`since`, `before`), ranges, distances, and what only looks like a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from commonplace.language.text import all_function_words
from commonplace.language.when import calendar
from commonplace.language.when.calendar import DAY, Clock, Direction, TimeSpan
from commonplace.language.when.parser import TimeExpression, TimeParser
from commonplace.language.when.rules import Repetition, time_pattern_tree
from commonplace.language.when.tokenizer import ENGLISH_BIT, Lexeme
from commonplace.model import Interval

Relation = Literal["in", "through", "since", "until", "before", "after", "around"]
# How far `around` reaches on either side.
MARGIN_BY_UNIT = {"minute": calendar.HOUR, "hour": 3 * calendar.HOUR, "part": DAY}
MARGIN_BY_UNIT |= dict.fromkeys(("day", "weekend", "feast", "week"), 3 * DAY)
WIDE_MARGIN, YEAR_MARGIN = 14 * DAY, 90 * DAY
UNCOUNTED_DAYS = 5  # how many days are `the days before`
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
# Prepositions that make a time of an ambiguous word: `on sat`, but not `in sun`; `in april`, but not `by April`.
_GOVERNORS = {
    "weekday": "on since until before after",
    "month": "in since until before after around from",
    "year": "in since until by before after around from",
    "season": "in since until before after",
    "holiday": "in on since until by before after around from",
    "weekend": "in on since until before after around",
    "ordday": "on since until by before after around from",
    "daymonth": "on since until by before after around from",
    "half": "in since until before after from",
}
_ARTICLE_KIND, _ONWARD_KIND, _UNIT_KIND, _WEEKDAY_KIND = (frozenset((x,)) for x in ("the", "onward", "unit", "weekday"))
_HOLIDAY_KINDS, _FIGURE_KIND = frozenset(("holiday", "gone")), frozenset(("num",))
_NAMED_TIME_KINDS = _HOLIDAY_KINDS | {"decade", "decades", "decadeplural", "decademark", "decadeword"}
_GOVERNING_KINDS = frozenset(("rel", "between", "from"))
_OF_KIND, _EACH_KIND, _JOIN_KIND = (frozenset((x,)) for x in ("of", "each", "join"))
_ATTRIBUTE_KINDS = frozenset(("month", "weekday", "quarter", "half", "season", "year", "holiday", "ord", "unit"))
_OWNERS = frozenset(("my", "our", "your", "his", "her", "their"))
_LOOKS: dict[Relation, Direction] = {"until": "future", "since": "past"}  # whatever the clock says
_OPPOSITES: dict[Direction, Direction] = {"past": "future", "future": "past"}
_DAYMARK_KIND, _RANGE_JOINTS = frozenset(("daymark",)), frozenset(("to", "join"))
_BETWEEN_JOINTS = _RANGE_JOINTS | {"and"}


class TimePhrase(Struct, frozen=True):
    """A time in a text: `phrase` is `text[start:end]`, with its preposition (`since`, `in`).

    `name` is `Christmas` in `last Christmas`, `90s` in `the early 90s`: lines about it use that name too, whenever they
    were written, so its words are worth searching for. Most times have none. `about`: the interval is approximate,
    since `two weeks ago` need not be fourteen days. `stated`: it does not depend on the clock, as `May 2023` does not.
    `named` is the period without the preposition: of `since May` May. Where the year, month or
    week is not said, it `repeats_in` that, and `other` is the nearest such time on the other side of the clock.
    `is_attribute`: it names a thing, as in `the July
    invoice`, and is not when something happened.
    """

    interval: Interval
    start: int
    end: int
    phrase: str
    relation: Relation
    named: Interval
    name: str = ""
    about: bool = False
    stated: bool = False
    repeats_in: Repetition = ""
    other: Interval | None = None
    is_attribute: bool = False


class PhraseCandidate(Struct, frozen=True):
    """A phrase over the tokens `first` up to `last`; the other fields as in `TimePhrase`."""

    first: int
    last: int
    interval: Interval
    relation: Relation = "in"
    stated: bool = False
    has_name: bool = False
    about: bool = False
    named: Interval | None = None
    repeats_in: Repetition = ""
    other: Interval | None = None


FIRST_DAY = "0001-01-01"


def open_parser(text: str, now: str, direction: Direction = "past") -> TimeParser:
    """Return a parser of a text; a year or month stands for its first day. Raises ValueError if `now` is none of these,
    nor an ISO date or minute."""
    moment = datetime.fromisoformat(now + FIRST_DAY[len(now) :]).replace(tzinfo=None, second=0, microsecond=0)
    return TimeParser(text, Clock(moment, moment, direction))


def iter_phrases(reader: TimeParser) -> Iterator[TimePhrase]:
    """Yield all phrases in order; they do not overlap."""
    place = 0
    while place < len(reader.tokens):
        found = _longest_phrase(reader, place)
        if found is None:
            place += 1
            continue
        if not _is_recurring(reader, found.first):
            start, end = reader.tokens[found.first].start, reader.tokens[found.last - 1].end
            named, name = found.named or found.interval, _phrase_name(reader, found) if found.has_name else ""
            written = reader.text[start:end]
            yield TimePhrase(
                *(found.interval, start, end, written, found.relation, named, name, found.about, found.stated),
                found.repeats_in,
                found.other,
                _is_attribute(reader, found),
            )
        place = found.last


def parse_full_text(reader: TimeParser) -> PhraseCandidate | None:
    """Return the phrase that spans the whole text, or None; ambiguous words need no context here."""
    found = _longest_phrase(reader, 0, is_full_text=True)
    return found if found and found.last == len(reader.tokens) else None


@cache
def _phrase_start_kinds() -> frozenset[str]:
    return frozenset((*time_pattern_tree().branches, "rel", "between", "from", "the"))


def _longest_phrase(reader: TimeParser, index: int, *, is_full_text: bool = False) -> PhraseCandidate | None:
    """Return the longest phrase that begins here."""
    if not reader.is_kind(index, _phrase_start_kinds()):
        return None
    readings = [
        *_ungoverned_phrases(reader, index, is_full_text=is_full_text),
        *_adjacent_unit_phrases(reader, index),
        *_distance_phrases(reader, index),
    ]
    if reader.is_kind(index, _GOVERNING_KINDS):
        readings += _preposition_phrases(reader, index, is_full_text=is_full_text)
        for lexeme in reader.lexemes_at(index):
            for time in _times_at(reader, index + 1) if lexeme.kind in ("between", "from") else ():
                if lexeme.languages & time.languages:
                    readings += _range_phrases(reader, index, time, opened=lexeme.kind)
    return max(readings, key=lambda found: found.last, default=None)


def _is_recurring(reader: TimeParser, first: int) -> bool:
    """Return whether it recurs: `every Monday`, `on a Sunday`, `the fifth Monday` of a month that has four."""
    of_weekdays = reader.is_kind(first, _WEEKDAY_KIND)
    before = reader.lexemes_at(first - 1) if first else ()
    return any(of_weekdays if x.kind == "ord" or x.value == "weekday" else x.kind == "each" for x in before)


def _is_attribute(reader: TimeParser, candidate: PhraseCandidate) -> bool:
    """Return whether names of times name a thing: `the July invoice`, `Juli-Rechnung`, `facture de juillet`; of
    weekdays only with an article, for `call Ada Monday night` tells when."""
    first = last = candidate.last - 1
    if not reader.is_kind(last, _ATTRIBUTE_KINDS):
        return False
    while first > candidate.first and reader.is_kind(first - 1, _ATTRIBUTE_KINDS):
        first -= 1
    before, after, is_weekday = first - 1, last + 1, reader.is_kind(last, _WEEKDAY_KIND)
    if reader.is_kind(after, _JOIN_KIND) and reader.is_plain_word(after + 1, gap=0):
        return reader.tokens[after].start == reader.tokens[last].end
    if reader.is_kind(before, _EACH_KIND if is_weekday else _OF_KIND) and _is_content_word(reader, before - 1):
        return True
    if not _is_content_word(reader, after) or not any(x.languages & ENGLISH_BIT for x in reader.lexemes_at(last)):
        return False
    is_definite = before >= 0 and (reader.is_kind(before, _ARTICLE_KIND) or reader.tokens[before].word in _OWNERS)
    return is_definite or (first == candidate.first and not is_weekday)


def _is_content_word(reader: TimeParser, index: int) -> bool:
    return reader.is_plain_word(index) and reader.tokens[index].word not in all_function_words()


def _phrase_name(reader: TimeParser, candidate: PhraseCandidate) -> str:
    """Return the words of a phrase that are its name, with the figure of a decade: `90s`, `années 80`."""
    spans: list[str] = []
    for place in range(candidate.first, candidate.last):
        if not reader.is_kind(place, _NAMED_TIME_KINDS):
            continue
        first, last = place, place
        if not reader.is_kind(place, _HOLIDAY_KINDS):
            first -= place > candidate.first and reader.is_kind(place - 1, _FIGURE_KIND)
            last += place + 1 < candidate.last and reader.is_kind(place + 1, _FIGURE_KIND)
        spans.append(reader.text[reader.tokens[first].start : reader.tokens[last].end])
    return " ".join(spans)


def _ungoverned_phrases(reader: TimeParser, index: int, *, is_full_text: bool) -> Iterator[PhraseCandidate]:
    for time in _times_at(reader, index):
        is_alone = time.standalone == "yes" or is_full_text or _is_attributive_month(reader, index, time)
        if is_alone and _is_time_in_context(reader, time, governed=is_full_text):
            yield from _relation_candidates(reader, index, time, "in")
            for lexeme in reader.lexemes_at(time.last):  # of languages with postpositions
                if lexeme.kind == "post" and lexeme.languages & time.languages:
                    after = replace(time, last=time.last + 1)
                    yield from _relation_candidates(reader, index, after, _RELATIONS[lexeme.value])
        yield from _range_phrases(reader, index, time, opened="")


def _is_attributive_month(reader: TimeParser, index: int, time: TimeExpression) -> bool:
    """Return whether a month is an attribute, as in `the May report`; in `the march` it may be a noun."""
    if time.rule.pattern != "month" or time.first == index or time.weak > 2 or time.last >= len(reader.tokens):
        return False
    return reader.is_plain_word(time.last, gap=None)


def _times_at(reader: TimeParser, index: int) -> Iterator[TimeExpression]:
    """Yield the time that begins here, and the one after an article (`a` is a number too, and an article)."""
    time = reader.longest_time(index)
    if time is not None:
        yield time
    article = sum(x.languages for x in reader.lexemes_at(index) if x.kind == "the")
    time = reader.longest_time(index + 1) if article else None
    if time is not None and time.languages & article:
        yield time


def _is_named_time(time: TimeExpression) -> bool:
    return not _NAMED_TIME_KINDS.isdisjoint(time.rule.pattern.split())


def _preposition_phrases(reader: TimeParser, index: int, *, is_full_text: bool) -> Iterator[PhraseCandidate]:
    for lexeme in reader.lexemes_at(index):
        for time in _times_at(reader, index + 1) if lexeme.kind == "rel" else ():
            shared = lexeme.languages & time.languages
            time = replace(time, languages=shared)
            fits = shared and _preposition_fits(lexeme, time, is_full_text=is_full_text)
            if fits and _is_time_in_context(reader, time, governed=lexeme.value != "around"):
                is_from = lexeme.value == "from" and "first" not in time.values
                onward = is_from and reader.is_kind(time.last, _ONWARD_KIND)
                relation = "since" if onward else _RELATIONS[lexeme.value]
                closed = any(  # `um den 27. herum`
                    (after.kind, after.value) == ("post", lexeme.value) and after.languages & shared
                    for after in reader.lexemes_at(time.last)
                )
                last = time.last + (onward or closed)
                yield from _relation_candidates(reader, index, replace(time, last=last), relation, onward=onward)


def _preposition_fits(lexeme: Lexeme, time: TimeExpression, *, is_full_text: bool) -> bool:
    if time.standalone == "yes" or is_full_text:
        return True
    usual = time.rule.pattern != "year" or not time.weak
    return usual and lexeme.value in _GOVERNORS.get(time.rule.pattern, "in").split()


def _is_time_in_context(reader: TimeParser, time: TimeExpression, *, governed: bool) -> bool:
    """Whether the next token permits a time: not `May Parker`, `march 3 days`, `the 2nd attempt`, `January 0000`."""
    if time.last == len(reader.tokens):
        return True
    last, after = reader.tokens[time.last - 1], reader.tokens[time.last]
    close, plain = after.start - last.end <= 1, reader.is_plain_word(time.last)
    pattern = time.rule.pattern
    if pattern == "ordday" and time.standalone == "governed":
        return not plain
    if last.word == "#" and "day" in time.values:
        counted = close and reader.is_kind(time.last, _UNIT_KIND) and not reader.is_kind(time.last, _DAYMARK_KIND)
        return (governed or time.weak < 2 or not plain) and not counted
    if pattern == "year":
        return governed or not plain
    if pattern == "month" and time.last - time.first == 1 and close and after.word == "#":
        return False
    named = time.weak and time.languages & ENGLISH_BIT  # German writes every noun with a capital
    return not (named and plain and reader.text[last.start].isupper() and reader.text[after.start].isupper())


def _relation_candidates(
    reader: TimeParser, first: int, time: TimeExpression, relation: Relation, *, onward: bool = False
) -> Iterator[PhraseCandidate]:
    stretch, other, direction = time.at, None, reader.clock.direction
    if time.repeats_in and relation in _LOOKS and not onward:  # `from Friday on` may look ahead
        direction = _LOOKS[relation]
        stretch = time.make(replace(reader.clock, direction=direction))
    interval = _relation_interval(stretch, relation) if stretch else None
    if stretch is not None and interval is not None:
        if time.repeats_in:
            beside = time.make(replace(reader.clock, direction=_OPPOSITES[direction]))
            other = _to_interval(beside.start, beside.end) if beside else None
        about = stretch.about and relation == "in"
        named, has_name = _to_interval(stretch.start, stretch.end), _is_named_time(time)
        yield PhraseCandidate(
            first, time.last, interval, relation, time.absolute, has_name, about, named, time.repeats_in, other
        )


def _relation_interval(time_span: TimeSpan, relation: Relation) -> Interval | None:
    if relation == "around":
        widest = YEAR_MARGIN if time_span.unit in ("year", "decade") else WIDE_MARGIN
        margin = MARGIN_BY_UNIT.get(time_span.unit, widest)
        try:
            return _to_interval(time_span.start - margin, time_span.end + margin)
        except OverflowError:  # beyond the first or the last day of the calendar
            return None
    interval = _to_interval(time_span.start, time_span.end)
    start, end = interval.start, interval.end
    edges = {"since": (start, ""), "until": ("", end), "before": ("", start), "after": (end, "")}
    return Interval(*edges[relation]) if relation in edges else interval


def _to_interval(start: datetime, end: datetime) -> Interval:
    return Interval(start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes"))


def _range_phrases(reader: TimeParser, first: int, left: TimeExpression, *, opened: str) -> Iterator[PhraseCandidate]:
    """Yield `from X to Y`, `between X and Y`, and `X – Y` for two times of one unit."""
    if not reader.is_kind(left.last, _BETWEEN_JOINTS if opened == "between" else _RANGE_JOINTS):
        return
    for other in _times_at(reader, left.last + 1):
        fits = left.languages & other.languages and (opened or other.standalone == "yes")
        ends = (
            _resolve_range_ends(reader.clock, left, other)
            if fits and _is_time_in_context(reader, other, governed=bool(opened))
            else None
        )
        if ends and (opened or (ends[0].unit == ends[1].unit and ends[0].start < ends[1].start)):
            interval = _to_interval(ends[0].start, ends[1].end)
            stated = other.absolute and (left.absolute or left.repeats_in == "year")
            has_name = _is_named_time(left) or _is_named_time(other)
            yield PhraseCandidate(first, other.last, interval, "through", stated, has_name)


def _resolve_range_ends(clock: Clock, left: TimeExpression, right: TimeExpression) -> tuple[TimeSpan, TimeSpan] | None:
    """Return both ends; an end without year or week takes it from the other."""
    first, last = left.at, right.at
    if first is None or last is None:
        return None
    if left.repeats_in:
        first = left.make(replace(clock, anchor=last.start, direction="past"))
    elif right.repeats_in:
        last = right.make(replace(clock, anchor=first.start, direction="future"))
    return (first, last) if first and last and first.start <= last.start and first.end <= last.end else None


def _distance_phrases(reader: TimeParser, index: int) -> Iterator[PhraseCandidate]:
    """Yield `two days before Nov 27`, `the week after May 5`, `the Friday before that day`."""
    first = index + 1 if reader.is_kind(index, _ARTICLE_KIND) else index
    counts = [int(x.value) for x in reader.lexemes_at(index) if x.kind == "num"]
    if reader.is_kind(index + 1, _UNIT_KIND) and (counts or first > index):
        first = index + 1
    elif not reader.is_kind(first, _WEEKDAY_KIND):
        return
    step = next(x for x in reader.lexemes_at(first) if x.kind in ("unit", "weekday"))
    for time, at, sign in _reference_times(reader, first + 1):
        count = sign * (counts[0] if counts else 1)
        yield from _candidate_at(index, time, partial(_span_at_distance, at, count, step))


def _adjacent_unit_phrases(reader: TimeParser, index: int) -> Iterator[PhraseCandidate]:
    """Yield `the two weeks before Easter`, `the days after May 5`: up to there, from there on."""
    if not reader.is_kind(index, _ARTICLE_KIND):
        return
    counts = [int(x.value) for x in reader.lexemes_at(index + 1) if x.kind == "num"]
    first = index + 2 if counts else index + 1
    units = [x.value for x in reader.lexemes_at(first) if x.kind == ("unit" if counts else "units")]
    for time, at, sign in _reference_times(reader, first + 1) if units else ():
        count = sign * (counts[0] if counts else UNCOUNTED_DAYS)
        yield from _candidate_at(index, time, partial(calendar.adjacent_units, at, count, units[0]))


def _reference_times(reader: TimeParser, index: int) -> Iterator[tuple[TimeExpression, TimeSpan, int]]:
    """Yield the times that a `before` (-1) or `after` (1) here governs."""
    for lexeme in reader.lexemes_at(index):
        sign = {"rel before": -1, "rel after": 1}.get(f"{lexeme.kind} {lexeme.value}", 0)
        for time in _times_at(reader, index + 1) if sign else ():
            if time.at is not None and (
                time.standalone == "yes" or _preposition_fits(lexeme, time, is_full_text=False)
            ):
                yield time, time.at, sign


def _candidate_at(index: int, time: TimeExpression, make: Callable[[], TimeSpan]) -> Iterator[PhraseCandidate]:
    try:
        there = make()
    except (ValueError, OverflowError):  # beyond the first or the last day of the calendar
        return
    interval = _to_interval(there.start, there.end)
    yield PhraseCandidate(index, time.last, interval, "in", time.absolute, _is_named_time(time))


def _span_at_distance(at: TimeSpan, count: int, step: Lexeme) -> TimeSpan:
    if step.kind == "unit":
        return calendar.unit_at_distance(at.end - calendar.MINUTE if count > 0 else at.start, count, step.value)
    clock = Clock(at.end, at.end, "future") if count > 0 else Clock(at.start, at.start - DAY)
    return calendar.nearest_weekday(clock, int(step.value))
