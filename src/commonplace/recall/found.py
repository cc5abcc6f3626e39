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
        gain = VECTOR * self.vectors[row] if row in self.vectors else 0.0
        one = self.around.get(row)
        if one is None:
            return gain
        lent = one.session + one.near + one.window + one.answers + CLOSE * self.close.get(row, 0.0)
        return gain + lent / self._best

    def _put_together(self, row: int) -> Strengths:
        said, one = self.plain.get(row, NOTHING), self.around.get(row)
        if row in self.vectors:
            said = structs.replace(said, vector=self.vectors[row])
        if one is None:
            return said
        return structs.replace(
            said,
            session=one.session / self._best,
            near=one.near / self._best,
            window=one.window / self._best,
            answers=one.answers / self._best,
            close=self.close.get(row, 0.0) / self._best,
            speaks=float(row in self.by_the_named),
            length=fullness(one.turn.length),
            asks=float(one.between and asks(one.turn.text)),
            by_agent=float(is_by_agent(one.turn.speaker, one.turn.actor)),
            holds=float(may_hold(one.turn.text, self.asked.answer)),
        )


class _Worth(Struct, frozen=True):
    """How strong a row is: in all, by the time that is meant before the factors, and without that."""

    strength: float
    by_time: float
    untimed: float


class _Scale:
    """Weighs what is said of rows; rows of which the same is said weigh the same."""

    def __init__(self, asked: Understood) -> None:
        self._asked, self._parts, self._factors = asked, counted(PARTS, asked), counted(FITS, asked)
        self._known: dict[int, _Worth] = {}  # by identity

    def of(self, said: Strengths) -> _Worth:
        """The worth of what is said."""
        worth = self._known.get(id(said))
        if worth is None:
            asked = self._asked
            fits = prod([factor(said, asked) for factor in self._factors])
            by_time = max(said.time, EVENT * said.event)
            strength = sum([part(said, asked) for part in self._parts]) * fits
            worth = self._known[id(said)] = _Worth(strength, by_time, strength - TIME * by_time * fits)
        return worth


def candidates(index: Index, asked: Understood, found: Found, depth: int) -> set[int]:
    """The rows to be scored in full: the strongest, and the strongest of the time that is meant."""
    scale = _Scale(asked)
    untimed, timed = _Ranking(depth), _Ranking(depth)
    fits = [most(asked, speaks=speaks) for speaks in (False, True)]
    nothing = scale.of(NOTHING)
    for row in found:
        said = found.plain.get(row)
        worth = scale.of(said) if said else nothing
        if row in found.around or row in found.vectors:
            factor = fits[row in found.by_the_named]
            bound = (worth.untimed + found.added(row) + ROUNDING) * factor
            untimed.bounds[row] = bound
            if worth.by_time:
                timed.bounds[row] = bound + TIME * worth.by_time * factor
        else:
            untimed.known[row] = worth.untimed
            if worth.by_time:
                timed.known[row] = worth.strength
    return untimed.strongest(index, lambda row: scale.of(found[row]).untimed) | timed.strongest(
        index, lambda row: scale.of(found[row]).strength
    )


class _Ranking:
    """Rows of which it is known how strong they are, and others of which it is known how strong they are at most."""

    def __init__(self, depth: int) -> None:
        self.known: dict[int, float] = {}
        self.bounds: dict[int, float] = {}
        self._depth = depth

    def strongest(self, index: Index, exact: Callable[[int], float]) -> set[int]:
        """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
        self._look(exact)
        known, depth = self.known, self._depth
        if len(known) <= depth:
            return set(known)
        bar = nlargest(depth, known.values())[-1]
        above = {row for row, strength in known.items() if strength > bar}
        equal = [row for row, strength in known.items() if strength == bar]
        return above | set(index.newest(equal, depth - len(above)))

    def _look(self, exact: Callable[[int], float]) -> None:
        """Make exact what may be among the strongest."""
        best = nlargest(self._depth, self.known.values())
        heapify(best)
        for row in sorted(self.bounds, key=self.bounds.__getitem__, reverse=True):
            if len(best) == self._depth and self.bounds[row] < best[0]:
                return
            self.known[row] = strength = exact(row)
            if len(best) < self._depth:
                heappush(best, strength)
            else:
                heappushpop(best, strength)
