"""Parse tokens into times: the longest matching pattern, then times inside times (`Monday` in `last week`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from msgspec import Struct
from msgspec.structs import replace

from commonplace.language.when import calendar, rules, tokenizer
from commonplace.language.when.calendar import Clock, TimeSpan

MAX_NESTED_TIMES = 4  # times in one another: early in the first week of May of last year
_OUTER_UNIT = {"year": "year", "month": "month", "week": "week", "day": "day"}
_MONTH_KIND, _YEAR_KIND, _HOUR_KINDS = frozenset(("month",)), frozenset(("year",)), frozenset(("meridiem", "hourmark"))
_GLUE_KINDS, _CONTAINING_PREPOSITIONS = frozenset(("of", "the", "at", "comma", "join")), frozenset(("in", "on"))
_PLURAL_UNIT_KIND = frozenset(("units",))
_NON_ENGLISH_PATTERNS = ("unit shift", "units shift", "num shift unit")  # `how many weeks last year`
_PARTS_SPLIT_BY_NOW = ("sofar", "rest")  # the parts before and after now
_RULES_BY_PATTERN = {rule.pattern: rule for rule in rules.RULES}
# Patterns of what may be the last of a span, and the patterns of that.
_LAST_OF_PATTERNS = {
    "shift unit": "ord unit",
    "shift weekday": "ord weekday",
    "shift num unit": "ord num unit",
    "num shift unit": "ord num unit",
}

ClockResolver = Callable[[Clock], TimeSpan | None]
PatternMatch = tuple[
    int, str, rules.SlotValues, tuple[int, int]
]  # end, pattern, slots, languages and weakness of its words


class TimeExpression(Struct, frozen=True):
    """A time parsed from the tokens `first` up to `last`.

    `at` is its span by the clock of the parser, `make` resolves it by another clock; `weak` is the weakness of its
    words; `absolute` times do not depend on the clock.
    """

    first: int
    last: int
    rule: rules.TimeRule
    values: rules.SlotValues
    make: ClockResolver
    at: TimeSpan | None
    repeats_in: rules.Repetition = ""
    standalone: rules.Standalone = "yes"
    languages: int = tokenizer.ALL_LANGUAGES
    weak: int = 0
    absolute: bool = False


class TokenizedText:
    """A text as tokens, and the patterns that match at each."""

    def __init__(self, text: str, lexicon: tokenizer.TimeLexicon) -> None:
        self.text = text
        self.tokens: list[tokenizer.TimeToken] = tokenizer.tokenize_times(text, lexicon)

    def lexemes_at(self, index: int) -> tuple[tokenizer.Lexeme, ...]:
        """Return the meanings of a token; none beyond the end."""
        return self.tokens[index].entry.lexemes if index < len(self.tokens) else ()

    def is_kind(self, index: int, kinds: Set[str]) -> bool:
        """Return whether a token can be of one of these kinds."""
        return 0 <= index < len(self.tokens) and not self.tokens[index].entry.kinds.isdisjoint(kinds)

    def is_plain_word(self, index: int, *, gap: int | None = 1) -> bool:
        """Return whether a token is a word that means no time, at most `gap` characters behind the one before."""
        if not 0 <= index < len(self.tokens):
            return False
        token = self.tokens[index]
        is_near = gap is None or not index or token.start - self.tokens[index - 1].end <= gap
        return is_near and token.word not in ("", "#") and not token.entry.lexemes

    def match_patterns(
        self,
        index: int,
        node: rules.PatternNode,
        slots: rules.SlotValues | None = None,
        bits: tuple[int, int] = (tokenizer.ALL_LANGUAGES, 0),
    ) -> Iterator[PatternMatch]:
        """Yield the patterns of a tree that match the tokens from here on, with the values of their slots."""
        if node.pattern:
            yield index, node.pattern, slots or {}, bits
        for lexeme in self.lexemes_at(index):
            languages = bits[0] & lexeme.languages
            for name, child in node.branches.get(lexeme.kind, ()) if languages else ():
                if child.pattern or self.is_kind(index + 1, child.branches.keys()):
                    weak = (languages, max(bits[1], lexeme.weak))
                    yield from self.match_patterns(index + 1, child, {**(slots or {}), name: lexeme.value}, weak)


class TimeParser(TokenizedText):
    """A text with the times that begin at each of its tokens; `clock` decides which readings are possible."""

    def __init__(self, text: str, clock: Clock) -> None:
        super().__init__(text, tokenizer.load_time_lexicon())
        self.clock = clock
        self._base_times_at: dict[int, tuple[TimeExpression, ...]] = {}
        self._span_cache: dict[tuple[str, ...], TimeSpan | None] = {}
        self._times_at: dict[int, TimeExpression | None] = {}

    def longest_time(self, index: int) -> TimeExpression | None:
        """Return the longest time that begins here, enclosing and enclosed times included."""
        if index not in self._times_at:
            found = (self._extend_time(base) for base in self._base_times(index))
            useful = [time for time in found if time.standalone != "never" and time.at and not self._is_cut_off(time)]
            self._times_at[index] = max(useful, key=lambda time: time.last, default=None)
        return self._times_at[index]

    def _is_cut_off(self, time: TimeExpression) -> bool:
        """Return whether the next token makes it another time or none: `29 February` of a year without that day; a
        range over the end of a month before a number of something else (`Jan 31-2 pm`, `May 30 to 2 people`) or in
        another month."""
        if time.last == len(self.tokens) or self.tokens[time.last].start - self.tokens[time.last - 1].end > 1:
            return False
        values = time.values
        if self.is_kind(time.last, _YEAR_KIND) and ("day" in values or "first" in values):
            return True
        if time.rule.pattern.endswith("last:day dot"):
            return self.is_kind(time.last, _MONTH_KIND)
        beyond = time.rule.pattern.endswith("last:day") and int(values["first"]) > int(values["last"])
        plain = self.is_plain_word(time.last) and "to" in values
        return beyond and (self.is_kind(time.last, _HOUR_KINDS) or plain)

    def _base_times(self, index: int) -> tuple[TimeExpression, ...]:
        """Return the times that single rules match from here on, longest first."""
        if index not in self._base_times_at:
            times = [
                self._make_base_time((index, last), _RULES_BY_PATTERN[name], values, bits)
                for last, name, values, bits in self.match_patterns(index, rules.time_pattern_tree())
            ]
            # Only as a part of another time: `the last day`, and parts of anything.
            lasts = [
                time for time in times if time.rule.pattern in _LAST_OF_PATTERNS and time.values.get("unit") == "day"
            ]
            times = [time for time in times if time.repeats_in == "whole" or time.at is not None or time in lasts]
            self._base_times_at[index] = tuple(sorted(times, key=lambda time: -time.last))
        return self._base_times_at[index]

    def _make_base_time(
        self, ends: tuple[int, int], rule: rules.TimeRule, slots: rules.SlotValues, bits: tuple[int, int]
    ) -> TimeExpression:
        alone = _required_context(rule, slots, bits)
        made = _none_if_off_calendar(lambda clock: rule.resolve(slots, clock))
        key = (rule.pattern, *slots.values())
        if key not in self._span_cache:
            self._span_cache[key] = made(self.clock)
        return TimeExpression(
            *ends, rule, slots, made, self._span_cache[key], rule.repeats_in, alone, *bits, rule.absolute
        )

    def _extend_time(self, time: TimeExpression) -> TimeExpression:
        for _ in range(MAX_NESTED_TIMES):
            longer = next(self._iter_combinations(time), None)
            if longer is None:
                break
            time = longer
        return time

    def _iter_combinations(self, time: TimeExpression) -> Iterator[TimeExpression]:
        place, glue = time.last, frozenset[str]()
        for _ in range(3):
            for other in self._base_times(place):
                combined = self._combine_times(time, other, glue)
                if combined is not None:
                    yield combined
            found = {
                x.kind
                for x in self.lexemes_at(place)
                if x.kind in _GLUE_KINDS or (x.kind == "rel" and x.value in _CONTAINING_PREPOSITIONS)
            }
            if not found:
                return
            glue |= found
            place += 1

    def _combine_times(
        self, left: TimeExpression, right: TimeExpression, glue: frozenset[str]
    ) -> TimeExpression | None:
        if not left.languages & right.languages or ("join" in glue and left.repeats_in != "whole"):
            return None
        combined = self._combine_weekday_and_date(left, right)
        if combined is None and ("of" in glue or "rel" in glue):
            combined = self._unit_containing_day(left, right) or self._last_unit_of(left, right)
        return combined or self._nest_time(left, right) or self._nest_time(right, left)

    def _nest_time(self, inner: TimeExpression, outer: TimeExpression) -> TimeExpression | None:
        """Return `Monday` inside `last week`, `May 3` inside `2024`, `early` inside `May`."""
        outer_span = outer.at
        if not inner.repeats_in or outer_span is None or (inner.weak and outer.rule.pattern == "year" and outer.weak):
            return None
        if inner.repeats_in != "whole" and (
            _OUTER_UNIT[inner.repeats_in] != outer_span.unit or outer.rule.pattern == "unit"
        ):
            return None
        if outer.rule.pattern == "unit" and self.is_kind(outer.first, _PLURAL_UNIT_KIND):
            return None  # `earlier on days with meetings`
        if inner.rule.pattern == "part" and not _is_divisible_by_part(inner, outer, outer_span.unit):
            return None
        made = _nested_resolver(inner, outer)
        found = made(self.clock)
        if found is None:
            return None
        is_governed = outer.repeats_in and outer.standalone == "governed" and inner.repeats_in == "day"
        alone: rules.Standalone = "governed" if is_governed else "yes"
        first, last = min(inner.first, outer.first), max(inner.last, outer.last)
        languages = inner.languages & outer.languages
        rule = outer.rule if is_governed else inner.rule
        joined = replace(outer, first=first, last=last, rule=rule, values=inner.values, make=made, at=found)
        return replace(joined, standalone=alone, languages=languages, weak=0)

    def _combine_weekday_and_date(self, left: TimeExpression, right: TimeExpression) -> TimeExpression | None:
        """Return the date of `Friday, Nov 27`, whatever weekday it was."""
        if left.rule.pattern != "weekday" or right.repeats_in not in ("", "year") or right.standalone != "yes":
            return None
        day = right.at
        is_date = day is not None and day.unit == "day" and ("month" in right.rule.pattern or right.absolute)
        return replace(right, first=left.first, weak=0) if is_date else None

    def _unit_containing_day(self, left: TimeExpression, right: TimeExpression) -> TimeExpression | None:
        """Return `the week of May 5`; not `30 years on May 5`."""
        day = right.at if not self.is_kind(left.first, _PLURAL_UNIT_KIND) else None
        if left.rule.pattern != "unit" or day is None or day.unit != "day" or left.values["unit"] in ("minute", "hour"):
            return None

        def make(clock: Clock) -> TimeSpan | None:
            found = right.make(clock)
            return found and calendar.unit_span(left.values["unit"], found.start)

        made = _none_if_off_calendar(make)
        return replace(right, first=left.first, make=made, at=made(self.clock))

    def _last_unit_of(self, left: TimeExpression, right: TimeExpression) -> TimeExpression | None:
        """Return the last unit of a period, such as `the last week of May`, which is not the week before this one."""
        kind = _LAST_OF_PATTERNS.get(left.rule.pattern)
        if kind is None or left.values["shift"] != "-1":
            return None
        size = calendar.DAYS_BY_UNIT[left.values.get("unit", "week")] * int(left.values.get("num", 1))
        if right.at is None or calendar.DAYS_BY_UNIT[right.at.unit] <= size:
            return None
        ends, values, bits = (left.first, left.last), {**left.values, "ord": "-1"}, (left.languages, 0)
        return self._nest_time(self._make_base_time(ends, _RULES_BY_PATTERN[kind], values, bits), right)


def _is_divisible_by_part(inner: TimeExpression, outer: TimeExpression, unit: str) -> bool:
    """Return whether a part applies: `early` to a week or more, `earlier` to a day or more; not `two days later`."""
    part = inner.values["part"]
    follows = part in _PARTS_SPLIT_BY_NOW and outer.rule.pattern == "unit" and inner.first > outer.first
    least = calendar.DAYS_BY_UNIT["day" if part in _PARTS_SPLIT_BY_NOW else "week"]
    return calendar.DAYS_BY_UNIT[unit] >= least and not follows


def _required_context(rule: rules.TimeRule, slots: rules.SlotValues, bits: tuple[int, int]) -> rules.Standalone:
    languages, weak = bits
    if rule.standalone == "weak":
        return "governed" if weak else "yes"
    if rule.pattern == "weekday shift" and weak > 1:
        return "governed"  # `sat next to me`
    if rule.pattern == "shift month" and weak > 1 and slots["shift"] == "0":
        return "governed"  # `this may be`
    if rule.pattern in _NON_ENGLISH_PATTERNS and languages == tokenizer.ENGLISH_BIT and abs(int(slots["shift"])) < 2:
        return "never"
    return rule.standalone


def _none_if_off_calendar(resolver: ClockResolver) -> ClockResolver:
    def guarded(clock: Clock) -> TimeSpan | None:
        try:
            return resolver(clock)
        except (ValueError, OverflowError):  # a day that no calendar has is not a time
            return None

    return guarded


def _nested_resolver(inner: TimeExpression, outer: TimeExpression) -> ClockResolver:
    def made(clock: Clock) -> TimeSpan | None:
        outer_span = outer.make(clock)
        found = inner.make(clock.within(outer_span)) if outer_span else None
        return found if found and outer_span and outer_span.start < found.end and found.start < outer_span.end else None

    return _none_if_off_calendar(made)
