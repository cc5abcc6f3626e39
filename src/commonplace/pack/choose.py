"""Choose lines for the room there is: what they promise for what they cost, not by rank alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

STEEP = 4.0  # a hit of half the best score answers one sixteenth as often (LoCoMo and LongMemEval, dev halves)
FLOOR = 30  # tokens added to every cost, so that a short line does not beat a better one by its shortness alone
COVER = 0.5  # what a line is worth more that has all words of the question which no line has yet


class Offer(Struct, frozen=True):
    """A form of a line that may be taken: the place of its hit, where it stands, what it promises (0..1), which words
    asked for it has, and the form that may follow in its stead."""

    place: int
    source: str
    promise: float
    holds: frozenset[str] = frozenset()
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
    left = list(offers)
    costs: dict[tuple[int, str], int] = {}
    still = set(wanted)

    def density(one: Offer) -> tuple[float, int]:
        known = one.place, one.body
        if known not in costs:
            costs[known] = max(cost(one), 0)
        fresh = len(one.holds & still) / max(len(wanted), 1)
        return one.promise * (1 + COVER * fresh) / (costs[known] + FLOOR), -one.place

    best = left[0] if left else None
    while best:
        left.remove(best)
        if take(best):
            still -= best.holds
            left += (*((best.fuller,) if best.fuller else ()), *after(best))
            for one in left:
                if one.source == best.source:
                    costs.pop((one.place, one.body), None)
        best = max(left, key=density, default=None)
