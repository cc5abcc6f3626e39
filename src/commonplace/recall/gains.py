"""What a record can score at the most for holding words of a query: which ones can reach a bar, and how long they are.

The bounds are those of MaxScore (Turtle & Flood 1995), asked of the index as ands and ors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct

from commonplace.index import All, Either, Wanted, again, naming

NOTHING, ROUNDING = 1e-9, 1e-6
MOST_FORMS = 4  # of one word; of more any two in one record are not looked for
LIGHT = 0.25  # of the bar: of words that weigh so little together it does not matter how often a record holds them
MOST_SUMMED = 12  # gains; of more, not every sum is made
LOWER = 0.7  # of the bar before, where too few records stand above it
FEW_WORDS = 3  # of so many every sum that a record can gain is known
BRANCHING = ((6, 2), (40, 1))  # of so many words the bar is asked for to this depth
GRID = 500  # steps from nothing to all that words can gain
RAREST = 0.001  # of the records that are wanted: sums that fewer can be expected to gain are passed over
AT_ONCE = 10  # times the records that are wanted; where one sum more would let in so many, it is not taken in


Gain = tuple[float, Wanted]


class Word(Struct, frozen=True):
    """A word of the query that occurs: how it may be stored, in how many records it stands, what it weighs."""

    forms: tuple[str, ...]
    living: tuple[str, ...]  # those that occur
    frequency: int
    weight: float
    idf: float  # ln(1 + (N - n + .5) / (n + .5)), Robertson & Zaragoza 2009, times the word's weight
    bound: float  # idf (K1 + 1): the most that one record can gain from this word


class Norm(Struct, frozen=True):
    """What BM25 adds to the count of a word for the length of a record: K1 (1 - B + B length / average)."""

    base: float
    slope: float

    def of(self, length: float) -> float:
        """For so many tokens."""
        return self.base + self.slope * length


class Gains:
    """What a record gains at the most by holding a word once, and by holding it again.

    At the most is where it is as short as can be. A longer one gains less from what it holds once; what it holds again
    and again it gains from as much. Light words count as if they were held again wherever they are held.
    """

    def __init__(self, words: list[Word], norm: Norm, named: tuple[str, ...] = ()) -> None:
        self._named = Either(tuple(map(naming, named)))
        self._norm, self._shortest = norm, 1 + norm.of(1)
        self._words = sorted(words, key=lambda word: -word.bound)
        gains = sorted((gain for word in words for gain in self._of(word)), reverse=True)
        self.two = sum(gains[:2])
        self.least = gains[-1] if gains else 0.0
        self.whole = sum(gains)
        self._sums = self._every_sum() if len(words) <= FEW_WORDS else []

    def below(self, need: float) -> float:
        """What a record gains at the most that gains less than `need`."""
        return max([one for one in self._sums if one < need], default=0.0) if self._sums else need - ROUNDING

    def lower(self, need: float) -> float:
        """The bar to go on with where too few records reach this one; 0 where none gains less.

        Between two sums that records can gain no bar lets in more than the upper one.
        """
        lower = LOWER * need
        if not self._sums:
            return lower if need > self.least else 0.0
        return min(lower, self.below(need))

    def _every_sum(self) -> list[float]:
        """What records can gain together, of few words."""
        sums = {0.0}
        for word in self._words:
            sums = {one + more for one in sums for more in (0.0, self._once(word), word.bound)}
        return sorted(sums - {0.0})

    def _once(self, word: Word) -> float:
        return word.bound / self._shortest

    def _of(self, word: Word) -> tuple[float, ...]:
        """What a word gains once and again; both together, where the index does not know whether it is held again."""
        once = self._once(word)
        return (once, word.bound - once) if len(word.living) <= MOST_FORMS else (word.bound,)

    def reaching(self, need: float) -> Wanted | None:
        """What records hold that can gain so much; now and then others hold it too. None: no record can."""
        light, _heavy = self._split(need)
        once: list[Gain] = [
            (word.bound if word in light else self._once(word), Either(word.living)) for word in self._words
        ]
        ways = [way for way in (self._bearing(_reaching(once, need)), self.again(need)) if way]
        return Either(tuple(ways)) if ways else None

    def again(self, need: float) -> Wanted | None:
        """The same of the records that hold a heavy word again."""
        _light, heavy = self._split(need)
        held = [_again(word.living) for word in heavy]
        wanted = _reaching([(word.bound, Either(word.living)) for word in self._words], need) if held else None
        return self._bearing(All((Either(tuple(held)), wanted)) if wanted else None)

    def _bearing(self, wanted: Wanted | None) -> Wanted | None:
        return All((self._named, wanted)) if wanted and self._named.parts else wanted

    def by_length(self, need: float, below: float) -> Callable[[int], float]:
        """What a record of so many tokens scores at the most, of those that gain no more than `below` and hold no heavy
        word again.

        That is r · g + (1 - r) · l, where g is what it would gain if it were as short as can be, l what the light words
        gain, which it may hold again, and r what of a gain is left at its length.
        """
        light, heavy = self._split(need)
        slack = sum(word.bound for word in light)
        gains = [self._once(word) for word in heavy] + [gain for word in light for gain in self._of(word)]
        more = max(_most(gains, below) - slack, 0.0)
        return lambda length: slack + more * self._shortest / (1 + self._norm.of(length)) + ROUNDING

    def _split(self, need: float) -> tuple[list[Word], list[Word]]:
        """The light words, which weigh little or of which nobody knows whether they are held again; the heavy ones."""
        light: list[Word] = []
        slack = 0.0
        for word in reversed(self._words):
            slack += word.bound
            if slack > LIGHT * need:
                break
            light.append(word)
        light += [word for word in self._words if len(word.living) > MOST_FORMS and word not in light]
        return light, [word for word in self._words if word not in light]


def _most(gains: list[float], below: float) -> float:
    """The most that some of the gains are together, up to `below`."""
    if len(gains) > MOST_SUMMED:
        return min(below, sum(gains))
    sums = [0.0]
    for gain in gains:
        sums += [whole for one in sums if (whole := one + gain) <= below]
    return max(sums)


def _reaching(gains: list[Gain], need: float) -> Wanted | None:
    """What records hold that gain so much together; now and then others hold it too. None: no record can."""
    gains = sorted(gains, key=lambda gain: -gain[0])
    rest = [sum(gain for gain, _wanted in gains[at:]) for at in range(len(gains) + 1)]
    depth = next((depth for most, depth in BRANCHING if len(gains) <= most), 0)
    return _Tree(gains, rest).reaching(0, need - ROUNDING, depth) if rest[0] >= need - ROUNDING else None


class _Tree(Struct, frozen=True):
    """Gains, the greatest first, and what all from a place on are together."""

    gains: list[Gain]
    rest: list[float]

    def reaching(self, at: int, need: float, depth: int) -> Wanted:
        """What records hold that gain so much from a place on; asked for to a depth, below which one word is enough."""
        parts: list[Wanted] = []
        while need > NOTHING and self.rest[at + 1] < need:  # without this one the others are too little
            gain, wanted = self.gains[at]
            parts.append(wanted)
            need -= gain
            at += 1
        if need > NOTHING:
            parts.append(Either(tuple(self._options(at, need, depth))))
        return All(tuple(parts))

    def _options(self, at: int, need: float, depth: int) -> Iterable[Wanted]:
        """A record that reaches the bar holds one of these, the first of what it holds."""
        while self.rest[at] >= need:
            gain, wanted = self.gains[at]
            after = need - gain
            if not depth or after <= NOTHING:
                yield wanted
            elif self.rest[at + 1] >= after:
                yield All((wanted, self.reaching(at + 1, after, depth - 1)))
            at += 1


def _again(forms: tuple[str, ...]) -> Wanted:
    """A word more than once: one form that is repeated, or two forms of it."""
    pairs = [All((one, other)) for at, one in enumerate(forms) for other in forms[at + 1 :]]
    return Either((*map(again, forms), *pairs))


def likely(words: list[Word], records: int, average: float, best: float) -> float:
    """What so many of the best of all records can be expected to score, if words stand together by mere chance.

    `average` is what a word that is held once is divided by in a record of average length. Infinite where nothing can
    be said: where only sums that far too many records gain let in enough of them.
    """
    step = sum(word.bound for word in words) / average / GRID or 1.0
    expected = {0: float(records)}  # how many records gain so many steps
    for word in words:
        share, gain = min(word.frequency / records, 1.0), int(word.bound / average / step)
        held = {steps + gain: count * share for steps, count in expected.items() if count * share > RAREST * best}
        expected = {steps: count * (1 - share) for steps, count in expected.items()}
        for steps, count in held.items():
            expected[steps] = expected.get(steps, 0.0) + count
    found, least = 0.0, math.inf
    for steps in sorted(expected, reverse=True):
        found += expected[steps]
        if found > AT_ONCE * best:
            break
        least = steps * step
        if found >= best:
            break
    return least
