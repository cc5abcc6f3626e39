"""The lexical lane: BM25 over our own tokens, the true top k at any size.

Rare words are read first. What a record can still gain from the words not yet read is bounded, so reading stops as
soon as no unread record can reach the k best (the MaxScore idea: Turtle & Flood 1995); the scores of those in reach
are then completed from their stored tokens, best first.
"""

from __future__ import annotations

import math
from heapq import nlargest
from itertools import takewhile

from msgspec import Struct

from commonplace.index import Filter, Index
from commonplace.text import Term

K1 = 0.9  # chat turns and notes are short: low saturation and weak length normalisation (dev halves of the bench sets)
B = 0.4
TITLE_WEIGHT = 0.35  # an occurrence in the titles above a line, against one in the line
EXPENSIVE = 1_000  # postings; before reading more for one word, the best so far are completed to raise the bar
STEP = 64  # records completed at once; the bar rises in between
NOTHING = 1e-9
FEW = 1_000  # records in a stretch of time; so few are scored one by one instead of reading every word


class Match(Struct, frozen=True):
    """How a record matched: its BM25 score and the share of the query's weight (idf) that it covers."""

    score: float
    coverage: float


class _Word(Struct, frozen=True):
    forms: tuple[str, ...]
    frequency: int
    idf: float  # ln(1 + (N - n + .5) / (n + .5)), Robertson & Zaragoza 2009, times the word's weight

    @property
    def bound(self) -> float:
        """The most that one record can gain from this word."""
        return self.idf * (K1 + 1)


def search(index: Index, terms: tuple[Term, ...], only: Filter, k: int) -> dict[int, Match]:
    """At least the k best rows (all that match, if fewer do) with exact scores, and some of those behind them."""
    found = _Search(index, _words(index, terms), only, k)
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


class _Search:
    """One search under way: what was read, what is known exactly, and the bar that a record must reach."""

    def __init__(self, index: Index, words: list[_Word], only: Filter, k: int) -> None:
        self.index, self.words, self.only, self.k = index, words, only, k
        records, tokens = index.size()
        self.average = max(tokens / max(records, 1), 1.0)
        self.total = sum(word.idf for word in words) or 1.0
        self.unread = sum(word.bound for word in words)
        self.lengths: dict[int, int] = {}
        self.scores: dict[int, float] = {}  # from the words read so far
        self.covered: dict[int, float] = {}
        self.exact: dict[int, Match] = {}
        self.bar = 0.0  # the k-th best exact score; nothing is barred while fewer than k are known

    def read(self, word: _Word) -> None:
        """Take in every occurrence of a word in a record that the filter lets through."""
        counts: dict[int, float] = {}
        for form in word.forms:
            for row, column, _offset in self.index.postings(form):
                counts[row] = counts.get(row, 0.0) + (1.0 if column == "text" else TITLE_WEIGHT)
        self.lengths |= self.index.lengths(counts.keys() - self.lengths.keys(), self.only)
        scores, covered, lengths, gain, idf = self.scores, self.covered, self.lengths, self._gain, word.idf
        for row, count in counts.items():
            if row in lengths:
                scores[row] = scores.get(row, 0.0) + idf * gain(count, lengths[row])
                covered[row] = covered.get(row, 0.0) + idf
        self.unread -= word.bound

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
            return {row: Match(self.scores[row], self.covered[row] / self.total) for row in kept}
        for start in range(0, len(order), STEP):
            if self.scores[order[start]] + self.unread < self.bar:
                break
            self._complete(order[start : start + STEP])
        return self.exact

    def among(self, rows: list[int]) -> dict[int, Match]:
        """Exact scores of those of the rows that match."""
        self.lengths = self.index.lengths(rows, self.only)
        self._complete(list(self.lengths))
        return {row: match for row, match in self.exact.items() if match.score}

    def _complete(self, rows: list[int]) -> None:
        wanted = [row for row in rows if row not in self.exact]
        for row, (tokens, context) in self.index.tokens(wanted).items():
            self.exact[row] = self._match(tokens.split(" "), context.split(" "), self.lengths[row])
        if len(self.exact) >= self.k:
            self.bar = nlargest(self.k, (match.score for match in self.exact.values()))[-1]

    def _match(self, inside: list[str], above: list[str], length: int) -> Match:
        score = covered = 0.0
        for word in self.words:
            count = 0.0
            for form in word.forms:
                count += inside.count(form) + TITLE_WEIGHT * above.count(form)
            if count:
                score += word.idf * self._gain(count, length)
                covered += word.idf
        return Match(score, covered / self.total)

    def _gain(self, count: float, length: int) -> float:
        """BM25's share of the idf for so many occurrences in a text of so many tokens."""
        return count * (K1 + 1) / (count + K1 * (1 - B + B * length / self.average))


def _words(index: Index, terms: tuple[Term, ...]) -> list[_Word]:
    """The query's words that occur at all, rarest first."""
    records, _tokens = index.size()
    found: list[_Word] = []
    for term in terms:
        frequency = max((index.frequency(form) for form in term.forms), default=0)
        if frequency:
            idf = math.log(1 + (records - frequency + 0.5) / (frequency + 0.5)) * term.weight
            found.append(_Word(term.forms, frequency, idf))
    return sorted(found, key=lambda word: (word.frequency, word.forms))
