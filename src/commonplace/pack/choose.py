"""Choose lines for the room there is: what they promise for what they cost, not by rank alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

STEEP = 3.5  # a hit of half the best score answers one eleventh as often (LoCoMo and LongMemEval, dev halves)
FLOOR = 15  # tokens added to every cost, so that a short line does not beat a better one by its shortness alone
COVER = 0.5  # what a line is worth more that has all words of the question which no line has yet
AGAIN = 0.1  # of what a line promises is left where the captures that it rests on are told


class Offer(Struct, frozen=True):
    """A form of a line that may be taken: the place of its hit, where it stands, what it promises (0..1), which words
    asked for it has, what it rests on, and the form that may follow in its stead."""

    place: int
    source: str
    promise: float
    holds: frozenset[str] = frozenset()
    rests_on: frozenset[str] = frozenset()
    body: str = ""
    fuller: Offer | None = None


def promise(score: float, best: float) -> float:
    """How likely a hit is what is looked for, against the best: `(score / best) ** STEEP`."""
    return max(score / best, 0.0) ** STEEP if best > 0 else 1.0


def nothing_more(_offer: Offer) -> Sequence[Offer]:
    """Nothing comes into the choice with an offer."""
    return ()


def choose(
    offers: Sequence[Offer],
    wanted: frozenset[str],
    cost: Callable[[Offer], int],
    take: Callable[[Offer], bool],
    *,
    after: Callable[[Offer], Sequence[Offer]] = nothing_more,
) -> None:
    """Offer lines to `take` one after another: the best hit, then always the one of most worth for its cost.

    `cost` is what an offer would add as things stand, which only lines of the same source change; `take` says whether
    it took it; `after` gives what comes into the choice once one was taken, beside its fuller form.
    """
    left = _Left(wanted, cost)
    left.put(offers)
    best = offers[0] if offers else None
    while best:
        left.drop(best)
        if take(best):
            left.change(best)
            left.put((*((best.fuller,) if best.fuller else ()), *after(best)))
        best = left.best()


class _Left:
    """Offers that are left and what each is worth for its cost, weighed anew where something of that changed."""

    def __init__(self, wanted: frozenset[str], cost: Callable[[Offer], int]) -> None:
        self._cost, self._many, self._still = cost, max(len(wanted), 1), set(wanted)
        self._told: set[str] = set()
        self._offers: dict[int, Offer] = {}  # by the place of their hit, which has one offer at a time
        self._worth: dict[int, tuple[float, int]] = {}
        self._changed: set[int] = set()

    def put(self, offers: Sequence[Offer]) -> None:
        """Let offers into the choice."""
        for one in offers:
            self._offers[one.place] = one
            self._changed.add(one.place)

    def drop(self, one: Offer) -> None:
        """Take an offer out of the choice."""
        del self._offers[one.place]
        self._worth.pop(one.place, None)
        self._changed.discard(one.place)

    def change(self, best: Offer) -> None:
        """Once an offer was taken, lines of its source cost something else; its words and grounds are new no longer."""
        known = best.holds & self._still
        self._still -= known
        self._told |= best.rests_on
        for place, one in self._offers.items():
            if one.source == best.source or not (
                known.isdisjoint(one.holds) and best.rests_on.isdisjoint(one.rests_on)
            ):
                self._changed.add(place)

    def best(self) -> Offer | None:
        """The offer worth most for its cost, of equals the better hit; None if none is left."""
        for place in self._changed:
            one = self._offers[place]
            fresh = len(one.holds & self._still) / self._many
            again = AGAIN if one.rests_on and one.rests_on <= self._told else 1.0
            worth = one.promise * again * (1 + COVER * fresh)
            self._worth[place] = worth / (max(self._cost(one), 0) + FLOOR), -place
        self._changed.clear()
        return self._offers[max(self._worth, key=self._worth.__getitem__)] if self._worth else None
