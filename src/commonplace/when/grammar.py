"""Tokens to times: the longest row of words that the rules know, then times inside times (`Monday` in `last week`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from commonplace.when import span
from commonplace.when.lexicon import ALL, Lexeme
from commonplace.when.rules import RULES, Alone, Floats, Node, Rule, Values, tree
from commonplace.when.span import Clock, Stretch
from commonplace.when.tokens import Token, read

LONGEST_NEST = 4  # times in one another: early in the first week of May of last year
_FITS = {"year": "year", "month": "month", "week": "week", "day": "day"}
_GLUE = frozenset(("of", "the", "comma", "rel", "join"))
_BY_PATTERN = {rule.pattern: rule for rule in RULES}


class Time(Struct, frozen=True):
    """A time as read from the tokens `first` up to `last`, not yet set against a clock.

    `weak` is that of its words; `absolute` times do not need the clock.
    """

    first: int
    last: int
    rule: Rule
    values: Values
    make: Callable[[Clock], Stretch | None]
    floats: Floats = ""
    alone: Alone = "yes"
    languages: int = ALL
    weak: int = 0
    absolute: bool = False


class Reader:
    """A text as tokens, and the times that begin at each; `clock` decides which readings make sense."""

    def __init__(self, text: str, clock: Clock) -> None:
        self.text, self.clock = text, clock
        self.tokens: list[Token] = read(text)
        self._known: dict[int, tuple[Time, ...]] = {}

    def kinds(self, place: int) -> Iterator[Lexeme]:
        """What the token at a place can mean; nothing beyond the end."""
        return iter(self.tokens[place].lexemes if place < len(self.tokens) else ())

    def is_kind(self, place: int, *kinds: str) -> bool:
        """Whether the token at a place can be of one of these kinds."""
        return any(lexeme.kind in kinds for lexeme in self.kinds(place))

    def time(self, place: int) -> Time | None:
        """The longest time that begins here, times around or inside it included."""
        best: Time | None = None
        for base in self._bases(place):
            found = self._extended(base)
            useful = found.alone != "never" and found.make(self.clock) is not None
            if useful and (best is None or found.last > best.last):
                best = found
        return best

    def _bases(self, place: int) -> tuple[Time, ...]:
        """What the rules alone make of the tokens from here on, longest first."""
        known = self._known.get(place)
        if known is None:
            matches = self._matches(place, tree(), {}, (ALL, 0))
            times = (_time(place, last, rule, (values, *bits)) for last, rule, values, bits in matches)
            sensible = (t for t in times if t.floats == "whole" or t.make(self.clock) is not None)
            known = self._known[place] = tuple(sorted(sensible, key=lambda t: -t.last))
        return known

    def _matches(
        self, place: int, node: Node, values: Values, bits: tuple[int, int]
    ) -> Iterator[tuple[int, Rule, Values, tuple[int, int]]]:
        if node.rule is not None:
            yield place, node.rule, values, bits
        for lexeme in self.kinds(place):
            languages = bits[0] & lexeme.languages
            for name, child in node.after.get(lexeme.kind, ()) if languages else ():
                weak = (languages, max(bits[1], lexeme.weak))
                yield from self._matches(place + 1, child, {**values, name: lexeme.value}, weak)

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
            if not self.is_kind(place, *_GLUE):
                return
            glue |= {lexeme.kind for lexeme in self.kinds(place)}
            place += 1

    def _combined(self, one: Time, other: Time, glue: frozenset[str]) -> Time | None:
        if not one.languages & other.languages or ("join" in glue and one.floats != "whole"):
            return None
        return (
            self._dated_weekday(one, other)
            or (self._around_day(one, other) or self._last_of(one, other) if "of" in glue or "rel" in glue else None)
            or self._inside(one, other)
            or (self._inside(other, one) if "of" not in glue or "the" not in glue else None)
        )

    def _inside(self, inner: Time, outer: Time) -> Time | None:
        """`Monday` inside `last week`, `May 3` inside `2024`, `early` inside `May`."""
        around = outer.make(self.clock)
        if not inner.floats or around is None or (inner.weak and outer.rule.pattern == "year" and outer.weak):
            return None
        if inner.floats != "whole" and (_FITS[inner.floats] != around.unit or outer.rule.pattern == "unit"):
            return None
        if inner.rule.pattern == "part" and span.DAYS[around.unit] < span.DAYS["week"]:
            return None
        made = _made_inside(inner, outer)
        return _joined(inner, outer, made) if made(self.clock) is not None else None

    def _dated_weekday(self, one: Time, other: Time) -> Time | None:
        """`Friday, Nov 27` is that day, whatever its weekday was."""
        if one.rule.pattern != "weekday" or other.floats not in ("", "year") or other.alone != "yes":
            return None
        day = other.make(self.clock)
        is_date = day is not None and day.unit == "day" and ("month" in other.rule.pattern or other.absolute)
        return replace(other, first=one.first, weak=0) if is_date else None

    def _around_day(self, one: Time, other: Time) -> Time | None:
        """`The week of May 5`."""
        day = other.make(self.clock)
        if one.rule.pattern != "unit" or day is None or day.unit != "day" or one.values["unit"] in ("day", "hour"):
            return None

        def make(clock: Clock) -> Stretch | None:
            found = other.make(clock)
            return found and span.period(one.values["unit"], found.start)

        return replace(other, first=one.first, make=_guarded(make))

    def _last_of(self, one: Time, other: Time) -> Time | None:
        """`The last week of May` is no week before this one."""
        if one.rule.pattern not in ("shift the? unit", "shift weekday") or one.values["shift"] != "-1":
            return None
        kind = one.rule.pattern.rpartition(" ")[2]
        around = other.make(self.clock)
        size = span.DAYS[one.values["unit"] if kind == "unit" else "week"]
        if around is None or span.DAYS[around.unit] <= size:
            return None
        last = _time(one.first, one.last, _BY_PATTERN[f"ord {kind}"], ({**one.values, "ord": "-1"}, one.languages, 0))
        return self._inside(last, other)


def _time(first: int, last: int, rule: Rule, read: tuple[Values, int, int]) -> Time:
    values, languages, weak = read
    made = _guarded(lambda clock: rule.make(values, clock))
    return Time(
        first, last, rule, values, made, rule.floats, _needs(rule, values, weak), languages, weak, rule.absolute
    )


def _needs(rule: Rule, values: Values, weak: int) -> Alone:
    if rule.alone == "weak":
        return "governed" if weak else "yes"
    if rule.pattern == "ord unit" and values["unit"] != "quarter":
        return "never"
    return rule.alone


def _guarded(make: Callable[[Clock], Stretch | None]) -> Callable[[Clock], Stretch | None]:
    def guarded(clock: Clock) -> Stretch | None:
        try:
            return make(clock)
        except (ValueError, OverflowError):  # a day that no calendar has is not a time
            return None

    return guarded


def _made_inside(inner: Time, outer: Time) -> Callable[[Clock], Stretch | None]:
    def made(clock: Clock) -> Stretch | None:
        around = outer.make(clock)
        found = inner.make(clock.within(around)) if around else None
        return found if found and around and around.start <= found.start < around.end else None

    return _guarded(made)


def _joined(inner: Time, outer: Time, made: Callable[[Clock], Stretch | None]) -> Time:
    return Time(
        first=min(inner.first, outer.first),
        last=max(inner.last, outer.last),
        rule=inner.rule,
        values=inner.values,
        make=made,
        floats=outer.floats,
        alone="governed" if outer.floats and outer.alone == "governed" and inner.floats == "day" else "yes",
        languages=inner.languages & outer.languages,
        absolute=outer.absolute,
    )
