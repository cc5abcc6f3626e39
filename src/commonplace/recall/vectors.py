"""The vector lane, where one is configured: lines near the question in meaning, and lines among such lines.

The question is measured as it stands and, where it names who speaks, without that name, for who speaks does not say so;
the mean of both vectors counts. With c for the cosine of a line to it, less that of texts that have nothing in common
and over 1 less that (so that a model whose cosines are all high is treated like others), s for the same of the sentence
of the line that comes nearest, or c where that is more, and m for the greatest s of all lines, but at least .3,

    vector = (s + share · (.1 · c of the line before + .3 · c of the line after + .25 · the best c of its dialogue
                           + .3 · c of the line before, if there is a question in it)) / m

where a dialogue of 12 turns has no share, one of 15 and more all of it. Lines without a vector have none of this.
Where two things are asked for, each is measured too: the cosine of a line is the greatest of that to the question and,
less .1, those to either. The weights were fitted on the dev half of LoCoMo, leaving one conversation out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from msgspec import Struct, structs

from commonplace import text
from commonplace.index import Filter, Index
from commonplace.model import Query
from commonplace.recall.dialogue import ASKING, Heard
from commonplace.recall.understand import Understood

NEAREST = 100  # lines that the lane finds by itself
BEFORE, AFTER, ASKED, WHOLE = 0.1, 0.3, 0.3, 0.25
SIDE = 0.1  # less for the cosine to one of two things that are asked for: fewer words say less of what is meant
LEAST = 0.3  # where nothing is more alike than this, the best is not taken for alike


class Space(Protocol):
    """The vectors of a workspace, as one question sees them."""

    def nearest(self, index: Index, only: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest that the filter lets through."""

    def cosines(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""

    def wholes(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole, whatever its pieces say) of those of the rows that have a vector."""

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common, below 1."""


class Vectors(Struct, frozen=True):
    """How recall uses vectors: when (`mode`, and below how many lines that words find), and where it gets them.

    `ask` takes questions, each with its texts, whose vectors are averaged, and gives what lines are compared with for
    each of them, and what the reader should know; it gives no space at all where there can be none now.
    """

    mode: str
    min_primary_results: int
    ask: Callable[[Index, tuple[tuple[str, ...], ...]], tuple[tuple[Space, ...], tuple[str, ...]]]


class Either(Struct, frozen=True):
    """A space in which a line is near to the question, or to one of two things that are asked for."""

    whole: Space
    sides: tuple[Space, ...]

    def nearest(self, index: Index, only: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest to the whole and to each side."""
        return self._greatest([one.nearest(index, only, k) for one in (self.whole, *self.sides)])

    def cosines(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""
        return self._greatest([one.cosines(index, rows) for one in (self.whole, *self.sides)])

    def wholes(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole) of those of the rows that have a vector."""
        return self._greatest([one.wholes(index, rows) for one in (self.whole, *self.sides)])

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common."""
        return self.whole.baseline()

    def _greatest(self, found: list[dict[int, float]]) -> dict[int, float]:
        less = SIDE * (1 - self.baseline())
        greatest = dict(found[0])
        for side in found[1:]:
            greatest |= {row: cosine - less for row, cosine in side.items() if cosine - less > greatest.get(row, -1.0)}
        return greatest


class VectorLane(Struct, frozen=True):
    """The lane for one question: the rows it found with their cosines; without a space it says nothing."""

    index: Index | None = None
    space: Space | None = None
    found: dict[int, float] = {}
    notes: tuple[str, ...] = ()

    def noted(self, asked: Understood) -> Understood:
        """The query as understood, with what the reader should know of vectors."""
        return structs.replace(asked, notes=(*asked.notes, *self.notes)) if self.notes else asked

    def strengths(self, others: Collection[int], around: Mapping[int, Heard]) -> dict[int, float]:
        """What this lane says of the rows it found, of the turns around, and of what other lanes found."""
        if self.index is None or self.space is None:
            return {}
        rows = {*others, *around, *self.found}
        baseline = self.space.baseline()
        own = _over(self.space.cosines(self.index, rows), baseline)
        whole = _over(self.space.wholes(self.index, around.keys()), baseline)
        return dict.fromkeys(self.found, 0.0) | _strengths(own, whole, around)


NO_VECTORS = VectorLane()


def lane(index: Index, query: Query, asked: Understood, vectors: Vectors | None, *, matches: int) -> VectorLane:
    """The lane for a question for which words find so many lines (`matches`). What is missing is a note."""
    if vectors is None or vectors.mode == "none" or asked.intent == "about" or not query.text.strip():
        return NO_VECTORS
    if "vector" in asked.without:
        return NO_VECTORS
    if vectors.mode == "fallback" and matches >= vectors.min_primary_results:
        return NO_VECTORS
    questions = (_texts(query.text, asked), *((side.text,) for side in asked.sides))
    spaces, notes = vectors.ask(index, questions)
    if not spaces:
        return VectorLane(notes=notes)
    space = Either(spaces[0], spaces[1:]) if len(spaces) > 1 else spaces[0]
    found = space.nearest(index, asked.only, NEAREST)
    if asked.among is not None:
        found = {row: cosine for row, cosine in found.items() if row in asked.among}
    return VectorLane(index, space, found, notes)


def _texts(written: str, asked: Understood) -> tuple[str, ...]:
    """What is embedded for a question."""
    names = {word for name in asked.speakers for word in text.name_key(name).split()}
    words = [word for word in written.split() if text.name_key(word) not in names]
    return (written, " ".join(words)) if words and len(words) < len(written.split()) else (written,)


def _over(cosines: dict[int, float], baseline: float) -> dict[int, float]:
    return {row: max((cosine - baseline) / (1 - baseline), 0.0) for row, cosine in cosines.items()}


def _strengths(own: dict[int, float], whole: dict[int, float], around: Mapping[int, Heard]) -> dict[int, float]:
    """The strength of each row; see the formula above."""
    most = max(LEAST, *own.values()) if own else LEAST
    best: dict[tuple[int, ...], float] = {}
    strengths: dict[int, float] = {}
    for row, near in own.items():
        strengths[row] = near / most
        one = around.get(row)
        if one is None or not one.share:
            continue
        if one.rows not in best:
            best[one.rows] = max(whole.get(other, 0.0) for other in one.rows)
        before = one.rows[one.place - 1] if one.place else 0
        after = one.rows[one.place + 1] if one.place + 1 < len(one.rows) else 0
        asks = before in around and any(sign in around[before].turn.text for sign in ASKING)
        beside = (BEFORE + ASKED * asks) * whole.get(before, 0.0) + AFTER * whole.get(after, 0.0)
        strengths[row] += one.share * (beside + WHOLE * best[one.rows]) / most
    return strengths
