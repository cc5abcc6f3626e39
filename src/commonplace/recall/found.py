"""What the lanes say of all that they found, and which of it is to be scored in full.

For one question some hundreds of turns are looked at of which few can be among the strongest. So what is said of a turn
is put together only where a bound, which is quicker to reckon, does not tell that it is too weak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from heapq import heappush, heappushpop
from itertools import repeat
from math import prod

from msgspec import Struct, structs

from commonplace.index import Index
from commonplace.recall.dialogue import PARTS as LENT
from commonplace.recall.dialogue import Around, Heard
from commonplace.recall.fit import fullness, is_by_agent, most, share
from commonplace.recall.intents import may_hold
from commonplace.recall.lanes import Lane
from commonplace.recall.parts import CLOSE, EVENT, PARTS, TIME, Strengths, counted
from commonplace.recall.reading import speaking
from commonplace.recall.score import Formula
from commonplace.recall.understand import Understood
from commonplace.text import addresses, asks

NOTHING = Strengths()
BY_TURN = (*LENT, "close")  # parts that are fed by what is known of turns only
BY_RECORD = ("kind", "time")  # and those that are fed by a record once it is read
ROUNDING = 1e-9  # a bound is raised by so much, for it is reckoned in another order than what it bounds


class Plain(Struct, frozen=True):
    """What the lanes say of rows by themselves, and which parts of relevance that can feed."""

    rows: dict[int, Strengths]
    parts: tuple[str, ...]


def by_lane(rows: Iterable[int], lanes: dict[str, Lane]) -> Plain:
    """What the lanes say of the rows; there is one value for all rows of which they say the same."""
    telling = {name: lane for name, lane in lanes.items() if lane}
    if not telling:
        return Plain(dict.fromkeys(rows, NOTHING), ())
    order = list(rows)
    strengths = list(zip(*(map(lane.get, order, repeat(0.0)) for lane in telling.values()), strict=True))
    # thousands of lines of a month are alike
    made = {said: Strengths(**dict(zip(telling, said, strict=True))) for said in set(strengths)}
    return Plain(dict(zip(order, map(made.__getitem__, strengths), strict=True)), tuple(telling))


class Found(Mapping[int, Strengths]):
    """By row what is said of it by the lanes (`plain`), by the dialogue of a turn (`around`), and by words that stand
    together in it (`close`)."""

    def __init__(self, asked: Understood, plain: Plain, around: Around, close: Lane) -> None:
        self.asked, self.plain, self.around, self.close = asked, plain, around, close
        self.best = max(around.matches().values(), default=0.0) or 1.0  # by which the lexical lane is measured
        self.by_the_named = speaking(asked)
        self.formula = Formula(asked, (*plain.parts, *BY_TURN, *BY_RECORD))
        self._whole: dict[int, Strengths] = {}
        self._forms = {form for term in asked.terms for form in term.forms}

    def __getitem__(self, row: int) -> Strengths:
        if row not in self._whole:
            if row not in self:
                raise KeyError(row)
            self._whole[row] = self._put_together(row)
        return self._whole[row]

    def __contains__(self, row: object) -> bool:
        return row in self.plain.rows or row in self.around.places

    def __iter__(self) -> Iterator[int]:
        return iter(self.plain.rows.keys() | self.around.places.keys())

    def __len__(self) -> int:
        return len(self.plain.rows.keys() | self.around.places.keys())

    def __or__(self, changed: dict[int, Strengths]) -> Found:
        """The same, but for these rows."""
        other = copy(self)
        other._whole = self._whole | changed
        return other

    def added(self, rows: Iterable[int]) -> dict[int, float]:
        """What the relevance of turns gains, at the most, by what is not in `plain`."""
        turns, close, best = list(rows), self.close, self.best
        lent = zip(turns, self.around.lent(turns), strict=True)
        return {row: (more + CLOSE * close.get(row, 0.0)) / best + ROUNDING for row, more in lent}

    def _put_together(self, row: int) -> Strengths:
        said = self.plain.rows.get(row, NOTHING)
        if row not in self.around.places:
            return said
        one = self.around[row]
        turn, speaks = one.turn, row in self.by_the_named
        return structs.replace(
            said,
            session=one.session / self.best,
            near=one.near / self.best,
            window=one.window / self.best,
            answers=one.answers / self.best,
            close=self.close.get(row, 0.0) / self.best,
            speaks=float(speaks),
            length=fullness(turn.length),
            absent=one.absent,
            addresses=float(speaks and self._addresses(one)),
            asks=float(one.between and asks(turn.text)),
            by_agent=float(is_by_agent(turn.speaker, turn.actor)),
            holds=float(self.asked.answer != "any" and may_hold(turn.text, self.asked.answer)),
        )

    def _addresses(self, one: Heard) -> bool:
        """Whether a turn in talk between people has of the question but what it says to another, unasked for."""
        if self.asked.of_advice or not (one.between and one.holds):
            return False
        return addresses(one.turn.text, one.turn.tokens.split(), self._forms)


class _Worth(Struct, frozen=True, gc=False):
    """How strong a row is: in all, by the time that is meant before the factors, and without that."""

    strength: float
    by_time: float
    untimed: float


WORTHLESS = _Worth(0.0, 0.0, 0.0)


class _Scale:
    """Weighs what is said of rows."""

    def __init__(self, asked: Understood, found: Found) -> None:
        self._asked, self._found, self._formula = asked, found, found.formula
        self._plain_parts = [part for name, part in counted(PARTS, asked).items() if name in found.plain.parts]

    def plain(self, rows: dict[int, Strengths]) -> dict[int, _Worth]:
        """The worth of what the lanes say by themselves, which no factor touches."""
        made: dict[int, _Worth] = {}  # by identity: of many rows the lanes say the same
        for said in dict(zip(map(id, rows.values()), rows.values(), strict=True)).values():
            by_time = max(said.time, EVENT * said.event)
            strength = sum([part(said, self._asked) for part in self._plain_parts])
            made[id(said)] = _Worth(strength, by_time, strength - TIME * by_time)
        return dict(zip(rows, map(made.__getitem__, map(id, rows.values())), strict=True))

    def share(self, row: int) -> float:
        """What is left of the most that a turn can be worth, when its length is known."""
        return share(self._asked, self._found.around.turn(row).length)

    def strength(self, row: int) -> float:
        """The worth of a row."""
        return self._weighed(self._found[row])[0]

    def untimed(self, row: int) -> float:
        """The worth of a row without the time that is meant."""
        said = self._found[row]
        strength, fits = self._weighed(said)
        return strength - TIME * max(said.time, EVENT * said.event) * fits

    def _weighed(self, said: Strengths) -> tuple[float, float]:
        relevance = self._formula.relevance(said)
        fits = prod(relevance.fits)
        return sum(relevance.parts) * fits, fits


def candidates(index: Index, asked: Understood, found: Found, depth: int) -> set[int]:
    """The rows to be scored in full: the strongest, and the strongest of the time that is meant.

    What a dialogue can add to its turns is asked of all of them at once, before turns that nothing else tells of are
    looked at one by one.
    """
    scale = _Scale(asked, found)
    untimed, timed = (_Ranking(depth, exact, scale.share) for exact in (scale.untimed, scale.strength))
    worths, there, named = scale.plain(found.plain.rows), found.around.places, found.by_the_named
    untimed.known = {row: worth.untimed for row, worth in worths.items() if row not in there}
    timed.known = {row: worth.strength for row, worth in worths.items() if worth.by_time and row not in there}
    factors = [most(asked, speaks=speaks) for speaks in (False, True)]
    told = worths.keys() | found.close.keys()
    for row, added in found.added(told & there.keys()).items():
        factor, worth = factors[row in named], worths.get(row, WORTHLESS)
        untimed.bounds[row] = bound = (worth.untimed + added) * factor
        if worth.by_time:
            timed.bounds[row] = bound + TIME * worth.by_time * factor
    bar = untimed.look()
    for added, rows in found.around.together():
        if (added / found.best + ROUNDING) * factors[not named.isdisjoint(rows)] >= bar:
            others = found.added(row for row in rows if row in there and row not in told)
            untimed.bounds |= {row: more * factors[row in named] for row, more in others.items()}
    return untimed.strongest(index) | timed.strongest(index)


class _Ranking:
    """Rows of which it is known how strong they are, and others of which it is known how strong they are at most."""

    def __init__(self, depth: int, exact: Callable[[int], float], share: Callable[[int], float]) -> None:
        self.known: dict[int, float] = {}
        self.bounds: dict[int, float] = {}
        self._depth, self._exact, self._share = depth, exact, share

    def strongest(self, index: Index) -> set[int]:
        """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
        bar = self.look()
        if len(self.known) <= self._depth:
            return set(self.known)
        above = {row for row, strength in self.known.items() if strength > bar}
        equal = [row for row, strength in self.known.items() if strength == bar]
        room = self._depth - len(above)
        return above | set(equal if len(equal) <= room else index.newest(equal, room))

    def look(self) -> float:
        """Make exact what may be among the strongest; how strong the last of these is, 0 as long as there are fewer."""
        best = sorted(self.known.values())[-self._depth :]  # a heap, for it ascends
        bounds, self.bounds = self.bounds, {}
        for row in sorted(bounds, key=bounds.__getitem__, reverse=True):
            if len(best) == self._depth and (bound := bounds[row]) * self._share(row) < best[0]:
                if bound < best[0]:
                    break
                continue
            self.known[row] = strength = self._exact(row)
            if len(best) < self._depth:
                heappush(best, strength)
            else:
                heappushpop(best, strength)
        return best[0] if len(best) == self._depth else 0.0
