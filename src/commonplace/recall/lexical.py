"""The lexical lane: BM25 over our own tokens, the true top k at any size.

Rare words are read first. What a record can still gain from the words not yet read is bounded, so reading stops as
soon as no unread record can reach the k best (the MaxScore idea: Turtle & Flood 1995); the scores of those in reach
are then completed from their stored tokens, best first.
"""

from __future__ import annotations

import math
from heapq import heappush, heapreplace, nlargest
from itertools import takewhile

from msgspec import Struct

from commonplace.index import Filter, Index
from commonplace.text import Term

K1 = 0.6  # chat turns and notes are short: low saturation and weak length normalisation (dev halves of the bench sets)
B = 0.4
TITLE_WEIGHT = 0.35  # an occurrence in the titles above a line, against one in the line
EXPENSIVE = 1_000  # postings; before reading more for one word, the best so far are completed to raise the bar
STEP = 64  # records completed at once; the bar rises in between
NOTHING = 1e-9
FEW = 1_000  # records of a stretch of time, or favoured; so few are scored one by one, without reading every word


class Match(Struct, frozen=True):
    """How a record matched: its BM25 score and the share of the query's weight (idf) that it covers."""

    score: float
    coverage: float


class Measured(Struct, frozen=True):
    """How a record matches, and how often each of the query's words stands in its text."""

    score: float
    coverage: float
    counts: tuple[int, ...]


class Word(Struct, frozen=True):
    """A word of the query that occurs: how it may be stored, in how many records it stands, what it weighs."""

    forms: tuple[str, ...]
    frequency: int
    weight: float
    idf: float  # ln(1 + (N - n + .5) / (n + .5)), Robertson & Zaragoza 2009, times the word's weight
    bound: float  # idf (K1 + 1): the most that one record can gain from this word
    patterns: tuple[str, ...]  # the forms as they stand in stored tokens


class Measure:
    """BM25 of single records against the words of a query that occur at all, rarest first."""

    def __init__(self, index: Index, terms: tuple[Term, ...]) -> None:
        self.words = _words(index, terms)
        self.records, tokens = index.size()
        self.average = max(tokens / max(self.records, 1), 1.0)
        self.base, self.slope = K1 * (1 - B), K1 * B / self.average  # K1 (1 - B + B length / average)
        self.total = sum(word.idf for word in self.words) or 1.0

    def of(self, inside: str, above: str, length: int) -> Measured:
        """The match of a record by the tokens of its text and of the titles above it."""
        score = covered = 0.0
        counts: list[int] = []
        for word in self.words:
            own = over = 0
            for pattern in word.patterns:
                own += inside.count(pattern)
                over += above.count(pattern)
            counts.append(own)
            count = own + TITLE_WEIGHT * over
            if count:
                score += word.bound * count / (count + self.base + self.slope * length)
                covered += word.idf
        return Measured(score, covered / self.total, tuple(counts))


def search(index: Index, terms: tuple[Term, ...], only: Filter, k: int) -> dict[int, Match]:
    """At least the k best rows (all that match, if fewer do) with exact scores, and some of those behind them."""
    found = _Search(index, Measure(index, terms), only, k)
    if only.since or only.until:
        few = index.count(only, FEW + 1)
        if len(few) <= FEW:
            return found.among(few)
    for number, word in enumerate(found.words):
        rest = sum(other.bound for other in found.words[number:])
        if word.frequency > EXPENSIVE:
            found.complete_best(rest)
        if found.bar > rest:
            break
        found.read(word)
    return found.complete()


def search_among(index: Index, terms: tuple[Term, ...], only: Filter, rows: set[int]) -> dict[int, Match]:
    """Exact scores of those of the rows that match; of very many, of as many that hold the rarest words as are few."""
    measure = Measure(index, terms)
    if len(rows) > FEW:
        rows = _with_rarest(index, measure.words, rows)
    return _Search(index, measure, only, 1).among(list(rows))


def _with_rarest(index: Index, words: list[Word], rows: set[int]) -> set[int]:
    few: set[int] = set()
    for form in (form for word in words for form in word.forms):
        more = index.occurrences(form, TITLE_WEIGHT).keys() & rows
        if len(few) + len(more) > FEW:
            break
        few |= more
    return few


class _Search:
    """One search under way: what was read, what is known exactly, and the bar that a record must reach."""

    def __init__(self, index: Index, measure: Measure, only: Filter, k: int) -> None:
        self.index, self.measure, self.words, self.only, self.k = index, measure, measure.words, only, k
        self.unread = sum(word.bound for word in self.words)
        self.lengths: dict[int, int] = {}
        self.scores: dict[int, float] = {}  # from the words read so far
        self.counts: list[tuple[Word, dict[int, float]]] = []  # occurrences of the words read so far
        self.whole = False  # whether `lengths` holds all that is visible
        self.exact: dict[int, Match] = {}
        self.best: list[float] = []  # a heap of the k best exact scores

    @property
    def bar(self) -> float:
        """The k-th best exact score; nothing is barred while fewer than k are known."""
        return self.best[0] if len(self.best) == self.k else 0.0

    def read(self, word: Word) -> None:
        """Take in every occurrence of a word in a record that the filter lets through."""
        counts = self.index.occurrences(word.forms[0], TITLE_WEIGHT)
        for form in word.forms[1:]:
            for row, count in self.index.occurrences(form, TITLE_WEIGHT).items():
                counts[row] = counts.get(row, 0.0) + count
        self._measure(counts)
        scores, lengths = self.scores, self.lengths
        base, slope, most = self.measure.base, self.measure.slope, word.bound
        for row, count in counts.items():
            if row in lengths:
                scores[row] = scores.get(row, 0.0) + most * count / (count + base + slope * lengths[row])
        self.counts.append((word, counts))
        self.unread -= word.bound

    def _measure(self, counts: dict[int, float]) -> None:
        """The lengths of these rows: those of all that is visible at once, where that is cheaper."""
        if self.whole:
            return
        fresh = counts.keys() - self.lengths.keys()
        visible = self.index.visible(self.only, len(fresh))
        self.whole = visible is not None
        self.lengths = self.lengths | self.index.lengths(fresh, self.only) if visible is None else visible

    def complete_best(self, rest: float) -> None:
        """Raise the bar by the exact scores of the k best so far, where that can help."""
        if len(self.scores) >= self.k and self.bar <= rest:
            self._complete(nlargest(self.k, self.scores, key=self.scores.__getitem__))

    def complete(self) -> dict[int, Match]:
        """Exact scores of all that can be among the k best; equals of the k-th are kept."""
        order = sorted(self.scores, key=self.scores.__getitem__, reverse=True)
        if self.unread < NOTHING:
            least = self.scores[order[self.k - 1]] if len(order) >= self.k else 0.0
            kept = takewhile(lambda row: self.scores[row] >= least, order)
            return {row: Match(self.scores[row], self._covered(row) / self.measure.total) for row in kept}
        for start in range(0, len(order), STEP):
            if self.scores[order[start]] + self.unread < self.bar:
                break
            self._complete(order[start : start + STEP])
        return self.exact

    def _covered(self, row: int) -> float:
        return sum(word.idf for word, counts in self.counts if row in counts)

    def among(self, rows: list[int]) -> dict[int, Match]:
        """Exact scores of those of the rows that match."""
        self.lengths = self.index.lengths(rows, self.only)
        self._complete(list(self.lengths))
        return {row: match for row, match in self.exact.items() if match.score}

    def _complete(self, rows: list[int]) -> None:
        wanted = [row for row in rows if row not in self.exact]
        for row, (inside, above) in self.index.tokens(wanted).items():
            found = self.measure.of(inside, above, self.lengths[row])
            match = self.exact[row] = Match(found.score, found.coverage)
            if len(self.best) < self.k:
                heappush(self.best, match.score)
            elif match.score > self.best[0]:
                heapreplace(self.best, match.score)


def _words(index: Index, terms: tuple[Term, ...]) -> list[Word]:
    """The query's words that occur at all, rarest first."""
    records, _tokens = index.size()
    found: list[Word] = []
    for term in terms:
        frequency = max((index.frequency(form) for form in term.forms), default=0)
        if frequency:
            idf = math.log(1 + (records - frequency + 0.5) / (frequency + 0.5)) * term.weight
            patterns = tuple(f" {form} " for form in term.forms)
            found.append(Word(term.forms, frequency, term.weight, idf, idf * (K1 + 1), patterns))
    return sorted(found, key=lambda word: (word.frequency, word.forms))
