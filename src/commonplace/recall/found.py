"""What the lanes say of all that they found, and which of it is to be scored in full.

For one question some hundreds of turns are looked at of which few can be among the strongest. So what is said of a turn
is put together only where a bound, which is quicker to reckon, does not tell that it is too weak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from heapq import heapify, heappush, heappushpop, nlargest
from math import prod

from msgspec import Struct, structs

from commonplace.index import Index
from commonplace.recall.dialogue import Heard, best_of
from commonplace.recall.fit import FITS, fullness, is_by_agent, most
from commonplace.recall.intents import may_hold
from commonplace.recall.lanes import Lane
from commonplace.recall.parts import CLOSE, EVENT, PARTS, TIME, VECTOR, Strengths, counted
from commonplace.recall.reading import speaking
from commonplace.recall.understand import Understood
from commonplace.text import asks

NOTHING = Strengths()
ROUNDING = 1e-9  # a bound is raised by so much, for it is reckoned in another order than what it bounds


class Found(Mapping[int, Strengths]):
    """By row what the lanes say of it.

    Most lanes are in `plain`; `around` has the turns that were measured, `close` a BM25 of words that stand together in
    them, `vectors` what the vector lane says.
    """

    def __init__(
        self, asked: Understood, plain: dict[int, Strengths], around: dict[int, Heard], *, close: Lane, vectors: Lane
    ) -> None:
        self.asked, self.plain, self.around, self.close, self.vectors = asked, plain, around, close, vectors
        self.by_the_named = speaking(asked)
        self._best = best_of(around.values())
        self._rows = plain.keys() | around.keys() | vectors.keys()
        self._whole: dict[int, Strengths] = {}

    def __getitem__(self, row: int) -> Strengths:
        if row not in self._whole:
            if row not in self._rows:
                raise KeyError(row)
            self._whole[row] = self._put_together(row)
        return self._whole[row]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __or__(self, changed: dict[int, Strengths]) -> Found:
        """The same, but for these rows."""
        other = copy(self)
        other._whole = self._whole | changed
        return other

    def added(self, row: int) -> float:
        """What relevance gains, at the most, from what is not in `plain`."""
        one = self.around.get(row)
        gain = VECTOR * self.vectors.get(row, 0.0)
        if one is None:
            return gain
        lent = one.around
        near = lent.session + lent.near + lent.window + lent.answers
        return gain + (near + CLOSE * self.close.get(row, 0.0)) / self._best

    def _put_together(self, row: int) -> Strengths:
        said, one = self.plain.get(row, NOTHING), self.around.get(row)
        if row in self.vectors:
            said = structs.replace(said, vector=self.vectors[row])
        if one is None:
            return said
        return structs.replace(
            said,
            session=one.around.session / self._best,
            near=one.around.near / self._best,
            window=one.around.window / self._best,
            answers=one.around.answers / self._best,
            close=self.close.get(row, 0.0) / self._best,
            speaks=float(row in self.by_the_named),
            length=fullness(one.turn.length),
            asks=float(one.between and asks(one.turn.text)),
            by_agent=float(is_by_agent(one.turn.speaker, one.turn.actor)),
            holds=float(may_hold(one.turn.text, self.asked.answer)),
        )


class Worth(Struct, frozen=True):
    """How strong a row is: in all, by the time that is meant before the factors, and without that."""

    strength: float
    by_time: float
    untimed: float


class _Scale:
    """Weighs rows, and says what they can weigh at the most."""

    def __init__(self, asked: Understood, found: Found) -> None:
        self._asked, self._found = asked, found
        self._parts, self._factors = counted(PARTS, asked), counted(FITS, asked)
        self._most = {speaks: most(asked, speaks=speaks) for speaks in (False, True)}
        self._known: dict[int, Worth] = {}  # by identity: of many rows the lanes say the same

    def worth(self, row: int) -> Worth:
        """Of a row with all that is said of it."""
        return self.of(self._found[row])

    def of(self, said: Strengths) -> Worth:
        """Of what is said."""
        worth = self._known.get(id(said))
        if worth is None:
            asked = self._asked
            fits = prod([factor(said, asked) for factor in self._factors])
            by_time = max(said.time, EVENT * said.event)
            strength = sum([part(said, asked) for part in self._parts]) * fits
            worth = self._known[id(said)] = Worth(strength, by_time, strength - TIME * by_time * fits)
        return worth

    def bound(self, row: int) -> Worth:
        """Not less than `worth`, without a look at what the row says."""
        plain = self.of(self._found.plain.get(row, NOTHING))
        fits = self._most[row in self._found.by_the_named]
        untimed = (plain.untimed + self._found.added(row) + ROUNDING) * fits
        return Worth(untimed + TIME * plain.by_time * fits, plain.by_time, untimed)


def candidates(index: Index, asked: Understood, found: Found, depth: int) -> set[int]:
    """The rows to be scored in full: the strongest, and the strongest of the time that is meant."""
    scale = _Scale(asked, found)
    known = {row: scale.of(said) for row, said in found.plain.items() if row not in found.around}
    if found.vectors:
        known = {row: worth for row, worth in known.items() if row not in found.vectors}
    bounds = {row: scale.bound(row) for row in (*found.around, *(found.vectors.keys() - found.around.keys()))}
    untimed = _reaching(
        {row: worth.untimed for row, worth in known.items()},
        {row: bound.untimed for row, bound in bounds.items()},
        depth,
        lambda row: scale.worth(row).untimed,
    )
    timed = _reaching(
        {row: worth.strength for row, worth in known.items() if worth.by_time},
        {row: bound.strength for row, bound in bounds.items() if bound.by_time},
        depth,
        lambda row: scale.worth(row).strength,
    )
    return _strongest(index, untimed, depth) | _strongest(index, timed, depth)


def _reaching(
    known: dict[int, float], bounds: dict[int, float], depth: int, exact: Callable[[int], float]
) -> dict[int, float]:
    """What is known, and what of the rest may be among the `depth` strongest, exactly."""
    best = nlargest(depth, known.values())
    heapify(best)
    for row in sorted(bounds, key=bounds.__getitem__, reverse=True):
        if len(best) == depth and bounds[row] < best[0]:
            break
        known[row] = exact(row)
        if len(best) < depth:
            heappush(best, known[row])
        else:
            heappushpop(best, known[row])
    return known


def _strongest(index: Index, strengths: dict[int, float], depth: int) -> set[int]:
    """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
    if len(strengths) <= depth:
        return set(strengths)
    bar = sorted(strengths.values(), reverse=True)[depth - 1]
    above = {row for row, strength in strengths.items() if strength > bar}
    equal = [row for row, strength in strengths.items() if strength == bar]
    return above | set(index.newest(equal, depth - len(above)))
