"""The lexical lane: BM25 over our own tokens, the true top k at any size.

What a record can gain from each word is bounded (the MaxScore idea: Turtle & Flood 1995), so only records that hold
enough of the words to reach a bar are looked at: the index finds them by a query of ands and ors, and they are scored
exactly from their stored tokens. The bar begins high and sinks until the k best exact scores stand above it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from heapq import heappush, heapreplace
from itertools import compress, count, filterfalse, repeat
from operator import contains, neg

from msgspec import Struct

from commonplace.index import Filter, Index, Turn, Wanted, naming
from commonplace.recall.gains import ROUNDING, Gains, Norm, Word, likely
from commonplace.text import Term

K1 = 0.6  # chat turns and notes are short: low saturation and weak length normalisation (dev halves of the bench sets)
B = 0.5
TITLE_WEIGHT = 0.35  # an occurrence in the titles above a line, against one in the line
STEP = 100  # records scored at once; where the bar rises by so much (RISE) in between, fewer are looked at
RISE = 1.05
FEW = 1_000  # records that a filter lets through, or favoured; so few are scored one by one, without reading every word
MANY_FORMS = 12  # of all words together; so many are looked up among the tokens of a text, fewer are looked for in it
EXPECTED = 4  # words; of fewer the bar is not foreseen
SURE = 0.97  # of the bar that is foreseen
MANY = 1_000  # fewer are asked for where the bar has risen and more than one of so many records is yet to be scored
MOST_ORDERED = 6  # words; of more, lines are not read in order of their length: most of them hold some word again


Held = dict[int, int]  # how often a word of a query stands in a text, by the place of the word, in order
NONE: Held = {}


class Measure:
    """BM25 of single records against the words of a query that occur at all, rarest first."""

    def __init__(self, index: Index, terms: tuple[Term, ...]) -> None:
        self.words = _words(index, terms)
        self.records, tokens = index.said()
        self.average = max(tokens / max(self.records, 1), 1.0)
        self.norm = Norm(K1 * (1 - B), K1 * B / self.average)
        self.total = sum(word.idf for word in self.words) or 1.0
        self.known: set[int] = set()  # rows that were looked at under the filter of this recall
        self.scores: dict[int, float] = {}  # of those that match and that the filter lets through
        self.counts: list[dict[int, int]] = [{} for _ in self.words]  # for each word, how often it stands in a text
        self.least = math.inf  # all rows that score so much are known
        self._patterns = [(place, form, f" {form} ") for place, word in enumerate(self.words) for form in word.living]
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            for form in word.living:
                self._places.setdefault(form, []).append(place)
        self._above: dict[str, Held] = {}  # what titles hold: many lines stand under the same
        self._is_under_titles = False  # whether any of them holds a word
        self._under: dict[int, Held] = {}  # the same of the titles above a row

    def learn(self, index: Index, rows: Iterable[int], only: Filter) -> None:
        """Take in how each of the rows matches, as far as it is not known and the filter lets it through.

        Where it is known which rows hold a word, the others are not even read.
        """
        fresh = [row for row in rows if row not in self.known]
        if not fresh:
            return
        self.known.update(fresh)
        holders = index.holders(tuple(self._places), fresh)
        turns = index.turns(fresh if holders is None else set().union(*holders.values()), only)
        tokens = {turn.row: turn.tokens for turn in turns}
        base, slope = self.norm.base, self.norm.slope
        norms = {turn.row: base + slope * turn.length for turn in turns}
        scores: dict[int, float] = {}
        for word, known, found in zip(self.words, self.counts, self._counted(tokens, holders), strict=True):
            known |= found
            bound = word.bound
            for row, often in found.items():
                gain = bound * often / (often + norms[row])
                scores[row] = scores[row] + gain if row in scores else gain
        self.scores |= scores
        self._look_above(turns, norms)

    def coverage(self, row: int) -> float:
        """The share of the query's weight (idf) that a row has, in text or titles."""
        covered, over = 0.0, self._under.get(row, NONE)
        for place, word in enumerate(self.words):
            if row in self.counts[place] or place in over:
                covered += word.idf
        return covered / self.total

    def _counted(self, tokens: dict[int, str], holders: dict[str, list[int]] | None) -> list[dict[int, int]]:
        """For each word how often it stands in the texts, by row, as far as it does."""
        counts: list[dict[int, int]] = [{} for _ in self.words]
        if holders is None:
            for row, held in zip(tokens, self._held(list(tokens.values())), strict=True):
                for place, often in held.items():
                    counts[place][row] = often
            return counts
        for place, form, pattern in self._patterns:
            rows = list(filter(tokens.__contains__, holders[form]))
            found = dict(zip(rows, map(str.count, map(tokens.__getitem__, rows), repeat(pattern)), strict=True))
            if not all(found.values()):  # it stands in titles only
                found = {row: often for row, often in found.items() if often}
            before = counts[place]
            counts[place] = (
                before | {row: before.get(row, 0) + often for row, often in found.items()} if before else found
            )
        return counts

    def _look_above(self, turns: Iterable[Turn], norms: dict[int, float]) -> None:
        """Take in what the titles above the turns hold: it counts for less than what the turns hold."""
        above = self._above
        fresh = list({turn.context for turn in turns} - above.keys())
        every = " ".join(fresh)  # most often there is no word of the query in any of them
        held = self._held(fresh) if any(form in every for form in self._places) else [NONE] * len(fresh)
        above |= zip(fresh, held, strict=True)
        self._is_under_titles = self._is_under_titles or any(held)
        if not self._is_under_titles:
            return
        for turn in turns:
            if over := above[turn.context]:
                self._under[turn.row] = over
                self.scores[turn.row] = self._with_titles(turn.row, over, norms[turn.row])

    def _with_titles(self, row: int, over: Held, norm: float) -> float:
        score = 0.0
        for place, (word, counts) in enumerate(zip(self.words, self.counts, strict=True)):
            if often := counts.get(row, 0) + TITLE_WEIGHT * over.get(place, 0):
                score += word.bound * often / (often + norm)
        return score

    def _held(self, texts: Sequence[str]) -> list[Held]:
        """How often each word stands in each of the texts, which are given as tokens."""
        if len(self._patterns) > MANY_FORMS:
            return [self._held_of_many(tokens) for tokens in texts]
        held: list[Held] = [{} for _ in texts]
        for place, form, pattern in self._patterns:
            for at in compress(count(), map(contains, texts, repeat(form))):  # sooner than what stands between spaces
                if found := texts[at].count(pattern):
                    held[at][place] = held[at].get(place, 0) + found
        return held

    def _held_of_many(self, tokens: str) -> Held:
        held: Held = {}
        for form in self._places.keys() & tokens.split():
            for place in self._places[form]:
                held[place] = held.get(place, 0) + tokens.count(f" {form} ")
        return dict(sorted(held.items()))


class Reach(Struct, frozen=True, kw_only=True):
    """How far a search goes: to the `k` best and their equals, but once it has `enough`, to nothing that scores less
    than `share` of the best. Where there are `named`, folded names, only what bears one of them is looked at.
    """

    k: int
    enough: int = 0
    share: float = 0.0
    named: tuple[str, ...] = ()


def search(
    index: Index, terms: tuple[Term, ...], only: Filter, reach: Reach, *, measure: Measure | None = None
) -> dict[int, float]:
    """The best rows with exact scores; all that match, if they are fewer than `reach` asks for.

    A `measure` of the same terms remembers what was looked at under this filter, and where a search for whatever it
    lets through has ended: one for what bears a name goes on from there.
    """
    found = _Search(index, measure or Measure(index, terms), only, reach)
    few = index.few(only, FEW) if found.measure.records > FEW and not reach.named and _is_narrow(only) else None
    if few is None:
        found.read()
    else:
        found.complete(few)
    least = found.enough
    if not reach.named:
        found.measure.least = least
    return {row: score for row, score in found.exact.items() if score >= least}


def _is_narrow(only: Filter) -> bool:
    """Whether a filter may let through so little that it is quicker to read just that."""
    return only.scopes is not None or bool(only.since or only.until)


def search_among(
    index: Index, terms: tuple[Term, ...], only: Filter, rows: set[int], *, measure: Measure | None = None
) -> dict[int, float]:
    """Exact scores of those of the rows that match; of very many, of as many that hold the rarest words as are few."""
    measure = measure or Measure(index, terms)
    if len(rows) > FEW:
        rows = _with_rarest(index, measure.words, rows)
    found = _Search(index, measure, only, Reach(k=1))
    found.complete(rows)
    return {**found.exact}


def _with_rarest(index: Index, words: list[Word], rows: set[int]) -> set[int]:
    few: set[int] = set()
    for form in (form for word in words for form in word.living):
        more = index.matching_among(form, rows)
        if len(few) + len(more) > FEW:
            break
        few |= more
    return few


class _Search:
    """One search under way: what is known exactly, and the bar that a record must reach."""

    def __init__(self, index: Index, measure: Measure, only: Filter, reach: Reach) -> None:
        self.index, self.measure, self.only, self.reach = index, measure, only, reach
        self.exact: dict[int, float] = {}
        self.best: list[float] = []  # a heap of the k best exact scores
        self.top = 0.0  # the best of all
        self.seen: set[int] = set()

    @property
    def bar(self) -> float:
        """The k-th best exact score; nothing is barred while fewer than k are known."""
        return self.best[0] if len(self.best) == self.reach.k else 0.0

    @property
    def floor(self) -> float:
        """What is not looked for, once there is enough."""
        return self.reach.share * self.top if len(self.best) >= self.reach.enough else 0.0

    @property
    def enough(self) -> float:
        """What scores less is not wanted."""
        return max(self.bar, self.floor)

    def read(self) -> None:
        """Score every record that can be among those that are wanted."""
        gains = Gains(self.measure.words, self.measure.norm, self.reach.named)
        below, expected = gains.whole, self._expected(gains)
        need = self._first(gains, expected)
        while need > 0:
            reached = self._read(gains, need, below)
            below = gains.below(reached)
            if self.enough >= min(reached, below + ROUNDING):
                return
            need = max(self.enough, expected if expected < need else gains.lower(need))

    def _expected(self, gains: Gains) -> float:
        """Where the bar can be expected; infinite where that is not known, as of few words, which make few sums."""
        words, records = self.measure.words, self.measure.records
        if len(words) < EXPECTED:
            return math.inf
        bearing = sum(map(self.index.frequency, map(naming, self.reach.named))) if self.reach.named else records
        return max(SURE * likely(words, records, 1 + K1, self.reach.k * records / max(bearing, 1)), gains.least)

    def _first(self, gains: Gains, expected: float) -> float:
        """The bar to begin with: so high that few reach it, for the best of those tells what is not looked for."""
        if self.measure.least < math.inf:  # what reaches that is known already
            return min(gains.two, self.measure.least, expected)
        return max(gains.two, gains.whole / 2, expected) if expected < math.inf else gains.two

    def _read(self, gains: Gains, need: float, below: float) -> float:
        """Score all that can gain `need` and more, where none that is unseen gains more than `below`.

        Returns the bar that was asked for in the end: it may rise.
        """
        rows, most = self._unseen(gains, need, below)
        at = 0
        while at < (end := bisect_right(most, -self.enough, key=neg)):
            self.complete(rows[at : min(at + STEP, end)])
            at += STEP
            if (end - at) * MANY > self.measure.records and self.enough > need * RISE:
                need = self.enough
                rows, most = self._unseen(gains, need, below)
                at = 0
        self.seen.update(rows)
        return need

    def _unseen(self, gains: Gains, need: float, below: float) -> tuple[list[int], list[float]]:
        """Rows that can gain so much, and for each what it can score at the most; these descend."""
        rows = self._matching(gains.reaching(need))
        if len(rows) <= STEP or len(self.measure.words) > MOST_ORDERED:
            return rows, [math.inf] * len(rows)
        again = set(self._matching(gains.again(need)))
        others, lengths = self.index.by_length(filterfalse(again.__contains__, rows))
        scores = gains.by_length(need, below)
        most = {length: scores(length) for length in set(lengths)}
        return [*again, *others], [math.inf] * len(again) + [most[length] for length in lengths]

    def _matching(self, wanted: Wanted | None) -> list[int]:
        return list(filterfalse(self.seen.__contains__, self.index.matching(wanted))) if wanted else []

    def complete(self, rows: Iterable[int]) -> None:
        """Score those of the rows that the filter lets through, exactly."""
        asked = list(rows)
        self.seen.update(asked)
        self.measure.learn(self.index, asked, self.only)
        scores, best, k = self.measure.scores, self.best, self.reach.k
        found = {row: scores[row] for row in asked if row in scores}
        self.exact |= found
        self.top = max(self.top, max(found.values(), default=0.0))
        for score in found.values():
            if len(best) < k:
                heappush(best, score)
            elif score > best[0]:
                heapreplace(best, score)


def _words(index: Index, terms: tuple[Term, ...]) -> list[Word]:
    """The query's words that occur at all, rarest first."""
    records, _tokens = index.said()
    found: list[Word] = []
    for term in terms:
        living = {form: count for form in term.forms if (count := index.frequency(form))}
        if living:
            frequency = max(living.values())
            idf = math.log(1 + (records - frequency + 0.5) / (frequency + 0.5)) * term.weight
            found.append(Word(term.forms, tuple(living), frequency, term.weight, idf, idf * (K1 + 1)))
    return sorted(found, key=lambda word: (word.frequency, word.forms))
