"""Tokens to times: the longest row of words that the rules know, then times inside times (`Monday` in `last week`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from msgspec import Struct
from msgspec.structs import replace

from commonplace.when import span
from commonplace.when.lexicon import ALL, ENGLISH, Lexeme, Lexicon, lexicon
from commonplace.when.nouns import Values
from commonplace.when.rules import RULES, Alone, Floats, Node, Rule, tree
from commonplace.when.span import Clock, Stretch
from commonplace.when.tokens import Token, read

LONGEST_NEST = 4  # times in one another: early in the first week of May of last year
_FITS = {"year": "year", "month": "month", "week": "week", "day": "day"}
_MONTH, _YEAR, _HOUR = frozenset(("month",)), frozenset(("year",)), frozenset(("meridiem", "hourmark"))
_GLUE, _INSIDE = frozenset(("of", "the", "at", "comma", "join")), frozenset(("in", "on"))
_PLURAL = frozenset(("units",))
_NOT_ENGLISH = ("unit shift", "units shift", "num shift unit")  # `how many weeks last year`, `turned 30 last week`
_OF_NOW = ("sofar", "rest")  # the parts of a stretch that now divides
_BY_PATTERN = {rule.pattern: rule for rule in RULES}


# What may be the last of a stretch, and how the last is then called.
_LASTING = {
    "shift unit": "ord unit",
    "shift weekday": "ord weekday",
    "shift num unit": "ord num unit",
    "num shift unit": "ord num unit",
}


Make = Callable[[Clock], Stretch | None]
Match = tuple[int, str, Values, tuple[int, int]]  # its end, its pattern, and the languages and weakness of its words


class Time(Struct, frozen=True):
    """A time as read from the tokens `first` up to `last`, not yet set against a clock.

    `at` is what it means by the clock of its reader, `make` gives that by another; `weak` is that of its words;
    `absolute` times do not need the clock.
    """

    first: int
    last: int
    rule: Rule
    values: Values
    make: Make
    at: Stretch | None
    floats: Floats = ""
    alone: Alone = "yes"
    languages: int = ALL
    weak: int = 0
    absolute: bool = False


class Words:
    """A text as tokens, and the patterns that begin at each."""

    def __init__(self, text: str, book: Lexicon) -> None:
        self.text = text
        self.tokens: list[Token] = read(text, book)

    def lexemes(self, place: int) -> tuple[Lexeme, ...]:
        """What the token at a place can mean; nothing beyond the end."""
        return self.tokens[place].entry.lexemes if place < len(self.tokens) else ()

    def is_kind(self, place: int, kinds: Set[str]) -> bool:
        """Whether the token at a place can be of one of these kinds."""
        return 0 <= place < len(self.tokens) and not self.tokens[place].entry.kinds.isdisjoint(kinds)

    def matches(
        self, place: int, node: Node, values: Values | None = None, bits: tuple[int, int] = (ALL, 0)
    ) -> Iterator[Match]:
        """The patterns of a tree that the tokens from here on fit, with the values of their words."""
        if node.pattern:
            yield place, node.pattern, values or {}, bits
        for lexeme in self.lexemes(place):
            languages = bits[0] & lexeme.languages
            for name, child in node.after.get(lexeme.kind, ()) if languages else ():
                if child.pattern or self.is_kind(place + 1, child.after.keys()):
                    weak = (languages, max(bits[1], lexeme.weak))
                    yield from self.matches(place + 1, child, {**(values or {}), name: lexeme.value}, weak)


class Reader(Words):
    """A text with the times that begin at each of its tokens; `clock` decides which readings make sense."""

    def __init__(self, text: str, clock: Clock) -> None:
        super().__init__(text, lexicon())
        self.clock = clock
        self._bases_at: dict[int, tuple[Time, ...]] = {}
        self._stretches: dict[tuple[str, ...], Stretch | None] = {}
        self._times_at: dict[int, Time | None] = {}

    def time(self, place: int) -> Time | None:
        """The longest time that begins here, times around or inside it included."""
        if place not in self._times_at:
            found = (self._extended(base) for base in self._bases(place))
            useful = [time for time in found if time.alone != "never" and time.at and not self._is_cut(time)]
            self._times_at[place] = max(useful, key=lambda time: time.last, default=None)
        return self._times_at[place]

    def _is_cut(self, time: Time) -> bool:
        """Whether the words go on and mean another time or none: `29 February` of a year that has no such day; a row
        over the end of a month that ends in a number of something else, `Jan 31-2 pm`, `May 30 to 2 people`, or in a
        day of another."""
        if time.last == len(self.tokens) or self.tokens[time.last].start - self.tokens[time.last - 1].end > 1:
            return False
        values, after = time.values, self.tokens[time.last]
        if self.is_kind(time.last, _YEAR) and ("day" in values or "first" in values):
            return True
        if time.rule.pattern.endswith("last:day dot"):
            return self.is_kind(time.last, _MONTH)
        beyond = time.rule.pattern.endswith("last:day") and int(values["first"]) > int(values["last"])
        plain = after.word not in ("", "#") and not after.entry.lexemes
        return beyond and (self.is_kind(time.last, _HOUR) or (plain and "to" in values))

    def _bases(self, place: int) -> tuple[Time, ...]:
        """What the rules alone make of the tokens from here on, longest first."""
        known = self._bases_at.get(place)
        if known is None:
            found = self.matches(place, tree())
            times = (self._base((place, last), _BY_PATTERN[name], values, bits) for last, name, values, bits in found)
            sensible = (time for time in times if time.floats == "whole" or time.at is not None or _is_last_day(time))
            known = self._bases_at[place] = tuple(sorted(sensible, key=lambda time: -time.last))
        return known

    def _base(self, ends: tuple[int, int], rule: Rule, values: Values, bits: tuple[int, int]) -> Time:
        alone, made = _needs(rule, values, bits), _guarded(lambda clock: rule.make(values, clock))
        key = (rule.pattern, *values.values())
        if key not in self._stretches:
            self._stretches[key] = made(self.clock)
        return Time(*ends, rule, values, made, self._stretches[key], rule.floats, alone, *bits, rule.absolute)

    def _extended(self, time: Time) -> Time:
        for _ in range(LONGEST_NEST):
            longer = next(self._combinations(time), None)
            if longer is None:
                break
            time = longer
        return time

    def _combinations(self, time: Time) -> Iterator[Time]:
        place, glue = time.last, frozenset[str]()
        for _ in range(3):
            for other in self._bases(place):
                combined = self._combined(time, other, glue)
                if combined is not None:
                    yield combined
            found = {x.kind for x in self.lexemes(place) if x.kind in _GLUE or (x.kind == "rel" and x.value in _INSIDE)}
            if not found:
                return
            glue |= found
            place += 1

    def _combined(self, one: Time, other: Time, glue: frozenset[str]) -> Time | None:
        if not one.languages & other.languages or ("join" in glue and one.floats != "whole"):
            return None
        return (
            self._dated_weekday(one, other)
            or (self._around_day(one, other) or self._last_of(one, other) if "of" in glue or "rel" in glue else None)
            or self._inside(one, other)
            or self._inside(other, one)
        )

    def _inside(self, inner: Time, outer: Time) -> Time | None:
        """`Monday` inside `last week`, `May 3` inside `2024`, `early` inside `May`."""
        around = outer.at
        if not inner.floats or around is None or (inner.weak and outer.rule.pattern == "year" and outer.weak):
            return None
        if inner.floats != "whole" and (_FITS[inner.floats] != around.unit or outer.rule.pattern == "unit"):
            return None
        if outer.rule.pattern == "unit" and self.is_kind(outer.first, _PLURAL):
            return None  # `earlier on days with meetings`
        if inner.rule.pattern == "part" and not _has_part(inner, outer, around.unit):
            return None
        made = _made_inside(inner, outer)
        found = made(self.clock)
        return _joined(inner, outer, made, found) if found is not None else None

    def _dated_weekday(self, one: Time, other: Time) -> Time | None:
        """`Friday, Nov 27` is that day, whatever its weekday was."""
        if one.rule.pattern != "weekday" or other.floats not in ("", "year") or other.alone != "yes":
            return None
        day = other.at
        is_date = day is not None and day.unit == "day" and ("month" in other.rule.pattern or other.absolute)
        return replace(other, first=one.first, weak=0) if is_date else None

    def _around_day(self, one: Time, other: Time) -> Time | None:
        """`The week of May 5`."""
        day = other.at
        if one.rule.pattern != "unit" or day is None or day.unit != "day" or one.values["unit"] in ("minute", "hour"):
            return None

        def make(clock: Clock) -> Stretch | None:
            found = other.make(clock)
            return found and span.period(one.values["unit"], found.start)

        made = _guarded(make)
        return replace(other, first=one.first, make=made, at=made(self.clock))

    def _last_of(self, one: Time, other: Time) -> Time | None:
        """`The last week of May` is no week before this one."""
        kind = _LASTING.get(one.rule.pattern)
        if kind is None or one.values["shift"] != "-1":
            return None
        size = span.DAYS[one.values.get("unit", "week")] * int(one.values.get("num", 1))
        if other.at is None or span.DAYS[other.at.unit] <= size:
            return None
        values, bits = {**one.values, "ord": "-1"}, (one.languages, 0)
        return self._inside(self._base((one.first, one.last), _BY_PATTERN[kind], values, bits), other)


def _is_last_day(time: Time) -> bool:
    """`The last day` is none but of another time."""
    return time.rule.pattern in _LASTING and time.values.get("unit") == "day"


def _has_part(inner: Time, outer: Time, unit: str) -> bool:
    """`Early` in a week or more, `earlier` in a day or more; no `two days later`."""
    part = inner.values["part"]
    follows = part in _OF_NOW and outer.rule.pattern == "unit" and inner.first > outer.first
    return span.DAYS[unit] >= span.DAYS["day" if part in _OF_NOW else "week"] and not follows


def _needs(rule: Rule, values: Values, bits: tuple[int, int]) -> Alone:
    languages, weak = bits
    if rule.alone == "weak":
        return "governed" if weak else "yes"
    if rule.pattern == "weekday shift" and weak > 1:
        return "governed"  # `sat next to me`
    if rule.pattern == "shift month" and weak > 1 and values["shift"] == "0":
        return "governed"  # `this may be`
    if rule.pattern in _NOT_ENGLISH and languages == ENGLISH and abs(int(values["shift"])) < 2:
        return "never"
    return rule.alone


def _guarded(make: Make) -> Make:
    def guarded(clock: Clock) -> Stretch | None:
        try:
            return make(clock)
        except (ValueError, OverflowError):  # a day that no calendar has is not a time
            return None

    return guarded


def _made_inside(inner: Time, outer: Time) -> Make:
    def made(clock: Clock) -> Stretch | None:
        around = outer.make(clock)
        found = inner.make(clock.within(around)) if around else None
        return found if found and around and around.start < found.end and found.start < around.end else None

    return _guarded(made)


def _joined(inner: Time, outer: Time, made: Make, at: Stretch) -> Time:
    return Time(
        first=min(inner.first, outer.first),
        last=max(inner.last, outer.last),
        rule=inner.rule,
        values=inner.values,
        make=made,
        at=at,
        floats=outer.floats,
        alone="governed" if outer.floats and outer.alone == "governed" and inner.floats == "day" else "yes",
        languages=inner.languages & outer.languages,
        absolute=outer.absolute,
    )
