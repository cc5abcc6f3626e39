"""One formula: relevance, the sum of what the lanes say, times bounded priors; every part is a named reason.

    score = (lexical + session + near + window + answers + close + entity + kind + time + event + vector + order)
        × absent × addressed × agent × answer × length × question × retells × speaker
        × confidence × ended × evidence × form × importance × recent × trust × limit

Each is a function of its name: what is added in the table `parts.PARTS`, the factors that say how a line fits the
question in `fit.FITS`, the priors in `priors.PRIORS`. A question for all that is known of an entity has `about` in
place of the first parts, and no factors: its order is that of reading. Reasons whose names end in `×` are factors, the
others are added.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache

from msgspec import Struct

from commonplace.model import Reason, Record
from commonplace.recall.fit import fits
from commonplace.recall.parts import PARTS, Strengths, counted
from commonplace.recall.priors import limit, priors
from commonplace.recall.understand import Understood

FACTOR = "×"  # reasons whose names end so scale a score; the others are added
DIGITS = 6  # behind the point, of a score and of each of its parts


class Relevance(Struct, frozen=True, gc=False):
    """What is said of a record, the parts that this adds up to, and how well it fits the question."""

    said: Strengths
    parts: tuple[float, ...]
    fits: tuple[float, ...]


class Formula:
    """The formula as it stands for one question: what is not switched off.

    With `fed` only these parts of relevance are reckoned: nothing tells of the others.
    """

    def __init__(self, asked: Understood, fed: Collection[str] = PARTS) -> None:
        self.asked = asked
        self._parts = {name: part for name, part in counted(PARTS, asked).items() if name in fed}
        self._fits, self._priors = fits(asked), priors(asked)
        self._factors = (*self._fits, *self._priors, "limit")
        self._known: dict[int, Relevance] = {}  # by the identity of what is said, which it keeps

    def relevance(self, said: Strengths) -> Relevance:
        """What is reckoned without the record; once for each, though it is asked for before and after that is read."""
        known = self._known.get(id(said))
        if known is None:
            asked = self.asked
            parts = tuple([part(said, asked) for part in self._parts.values()])
            known = Relevance(said, parts, tuple([factor(said, asked) for factor in self._fits.values()]))
            self._known[id(said)] = known
        return known

    def score(self, record: Record, found: Strengths) -> tuple[float, tuple[Reason, ...]]:
        """The score and its parts; parts without effect are left out."""
        asked, relevance = self.asked, self.relevance(found)
        added = relevance.parts
        known = [prior(record, asked) for prior in self._priors.values()]
        factors = (*relevance.fits, *known, limit(math.prod(known)))
        reasons = [Reason(name, round(value, DIGITS)) for name, value in zip(self._parts, added, strict=True) if value]
        reasons += [_factor(name, value) for name, value in zip(self._factors, factors, strict=True) if value != 1.0]
        return round(sum(added) * math.prod(factors), DIGITS), tuple(reasons)


@lru_cache(1_024)
def _factor(name: str, value: float) -> Reason:
    """The reason for a factor: many lines have the same."""
    return Reason(name + FACTOR, round(value, DIGITS))


def arithmetic(reasons: tuple[Reason, ...], total: float, made: Mapping[str, str] | None = None) -> list[str]:
    """A score as one adds and multiplies it on paper, a line for each part; `made` says how a part came about."""
    added = [one for one in reasons if not one.name.endswith(FACTOR)]
    factors = [one for one in reasons if one.name.endswith(FACTOR)]
    rows = [("+" if place else " ", one) for place, one in enumerate(added)]
    rows += [(FACTOR, one) for one in factors]
    lines = [_line(sign, one, (made or {}).get(one.name, "")) for sign, one in rows]
    return [*lines, _line("=", Reason("score", total), "")]


def _line(sign: str, reason: Reason, made: str) -> str:
    line = f"{sign} {reason.name.removesuffix(FACTOR):<12} {reason.value:.{DIGITS}f}"
    return f"{line} = {made}" if made else line
