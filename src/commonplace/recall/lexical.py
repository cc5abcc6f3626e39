"""The lexical lane: BM25 over our own tokens, the true top k at any size.

What a record can gain from each word is bounded (the MaxScore idea: Turtle & Flood 1995), so only records that hold
enough of the words to reach a bar are looked at: the index finds them by a query of ands and ors, and they are scored
exactly from their stored tokens. The bar begins high and sinks until the k best exact scores stand above it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from heapq import heappush, heapreplace

from msgspec import Struct

from commonplace.index import All, Either, Filter, Index, Wanted, again, naming
from commonplace.text import Term

K1 = 0.6  # chat turns and notes are short: low saturation and weak length normalisation (dev halves of the bench sets)
B = 0.4
TITLE_WEIGHT = 0.35  # an occurrence in the titles above a line, against one in the line
LOWER = 0.7  # of the bar before, where too few records stand above it
STEP = 200  # records scored at once; where the bar rises by so much (RISE) in between, fewer are looked at
RISE = 1.05
FEW = 1_000  # records that a filter lets through, or favoured; so few are scored one by one, without reading every word
MANY_FORMS = 12  # of all words together; so many are looked up among the tokens of a text, fewer are looked for in it
MOST_FORMS = 4  # of one word; of more any two in one record are not looked for
NOTHING, ROUNDING = 1e-9, 1e-6
LIGHT = 0.25  # of the bar: words that weigh so little together may be repeated in what is passed over for its length
MOST_ORDERED = 6  # words; of more, lines are not read in order of their length: most of them hold some word again
BRANCHING = ((12, 2), (24, 1))  # of so many gains the bar is asked for to this depth


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
    living: tuple[str, ...]  # those that occur
    frequency: int
    weight: float
    idf: float  # ln(1 + (N - n + .5) / (n + .5)), Robertson & Zaragoza 2009, times the word's weight
    bound: float  # idf (K1 + 1): the most that one record can gain from this word


class Measure:
    """BM25 of single records against the words of a query that occur at all, rarest first."""

    def __init__(self, index: Index, terms: tuple[Term, ...]) -> None:
        self.words = _words(index, terms)
        self.records, tokens = index.size()
        self.average = max(tokens / max(self.records, 1), 1.0)
        self.base, self.slope = K1 * (1 - B), K1 * B / self.average  # K1 (1 - B + B length / average)
        self.total = sum(word.idf for word in self.words) or 1.0
        self.nothing = Measured(0.0, 0.0, (0,) * len(self.words))
        self.known: dict[int, Measured] = {}  # rows that the filter of this recall lets through, as far as looked at
        self.least = math.inf  # all rows that score so much are known
        self._patterns = [(place, form, f" {form} ") for place, word in enumerate(self.words) for form in word.living]
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            for form in word.living:
                self._places.setdefault(form, []).append(place)
        self._above: dict[str, list[int]] = {}  # what titles hold: many lines stand under the same

    def of(self, inside: str, above: str, length: int) -> Measured:
        """The match of a record by the tokens of its text and of the titles above it."""
        over = self._above.get(above)
        if over is None:
            over = self._above[above] = self._counts(above)
        own = self._counts(inside)
        if not own and not over:
            return self.nothing
        said = tuple(own) if own else self.nothing.counts
        counts = [count + TITLE_WEIGHT * more for count, more in zip(said, over, strict=True)] if over else said
        score = covered = 0.0
        norm = self.base + self.slope * length
        for word, count in zip(self.words, counts, strict=True):
            if count:
                score += word.bound * count / (count + norm)
                covered += word.idf
        return Measured(score, covered / self.total, said)

    def _counts(self, tokens: str) -> list[int]:
        """How often each word stands among the tokens; empty where none does."""
        counts: list[int] = []
        if len(self._patterns) > MANY_FORMS:
            for form in self._places.keys() & tokens.split():
                counts = counts or [0] * len(self.words)
                for place in self._places[form]:
                    counts[place] += tokens.count(f" {form} ")
            return counts
        for place, form, pattern in self._patterns:  # a word alone is sought faster than one between spaces
            if form in tokens and (found := tokens.count(pattern)):
                counts = counts or [0] * len(self.words)
                counts[place] += found
        return counts


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
) -> dict[int, Match]:
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
    return {row: Match(one.score, one.coverage) for row, one in found.exact.items() if one.score >= least}


def _is_narrow(only: Filter) -> bool:
    """Whether a filter may let through so little that it is quicker to read just that."""
    return only.scopes is not None or bool(only.since or only.until)


def search_among(
    index: Index, terms: tuple[Term, ...], only: Filter, rows: set[int], *, measure: Measure | None = None
) -> dict[int, Match]:
    """Exact scores of those of the rows that match; of very many, of as many that hold the rarest words as are few."""
    measure = measure or Measure(index, terms)
    if len(rows) > FEW:
        rows = _with_rarest(index, measure.words, rows)
    found = _Search(index, measure, only, Reach(k=1))
    found.complete(rows)
    return {row: Match(one.score, one.coverage) for row, one in found.exact.items()}


def _with_rarest(index: Index, words: list[Word], rows: set[int]) -> set[int]:
    few: set[int] = set()
    for form in (form for word in words for form in word.living):
        more = rows.intersection(index.matching(form))
        if len(few) + len(more) > FEW:
            break
        few |= more
    return few


class _Search:
    """One search under way: what is known exactly, and the bar that a record must reach."""

    def __init__(self, index: Index, measure: Measure, only: Filter, reach: Reach) -> None:
        self.index, self.measure, self.only, self.reach = index, measure, only, reach
        self.exact: dict[int, Measured] = {}
        self.best: list[float] = []  # a heap of the k best exact scores
        self.seen: set[int] = set()

    @property
    def bar(self) -> float:
        """The k-th best exact score; nothing is barred while fewer than k are known."""
        return self.best[0] if len(self.best) == self.reach.k else 0.0

    @property
    def floor(self) -> float:
        """What is not looked for, once there is enough."""
        return self.reach.share * max(self.best, default=0.0) if len(self.best) >= self.reach.enough else 0.0

    @property
    def enough(self) -> float:
        """What scores less is not wanted."""
        return max(self.bar, self.floor)

    def read(self) -> None:
        """Score every record that can be among those that are wanted."""
        gains = _Gains(self.measure, self.reach.named)
        need, below = min(gains.start, LOWER * self.measure.least or gains.start), gains.whole
        while need > 0:
            reached = self._read(gains, need, below)
            if self.enough >= reached:
                return
            below = reached
            need = max(self.enough, need * LOWER if need > gains.least else 0.0)

    def _read(self, gains: _Gains, need: float, below: float) -> float:
        """Score all that can gain `need` and more, where none that is unseen gains more than `below`.

        Returns the bar that was asked for in the end: it may rise.
        """
        rows, lengths = self._unseen(gains, need)
        at, longest = 0, gains.longest(need, below)
        while at < (end := bisect_right(lengths, longest(self.enough))):
            self.complete(rows[at : min(at + STEP, end)])
            at += STEP
            if at < end and self.enough > need * RISE:
                need = self.enough
                rows, lengths = self._unseen(gains, need)
                at, longest = 0, gains.longest(need, below)
        self.seen.update(rows)
        return need

    def _unseen(self, gains: _Gains, need: float) -> tuple[list[int], list[int]]:
        """Rows that can gain so much, and for each the length that it has at least; these ascend."""
        wanted = gains.reaching(need)
        rows = [row for row in self.index.matching(wanted) if row not in self.seen] if wanted else []
        if wanted is None or len(rows) <= STEP or len(self.measure.words) > MOST_ORDERED:
            return rows, [0] * len(rows)
        twice = gains.twice(need)
        first = set(self.index.matching(All((wanted, twice)))).intersection(rows) if twice.parts else set()
        others, lengths = self.index.by_length(row for row in rows if row not in first)
        return [*(row for row in rows if row in first), *others], [0] * len(first) + lengths

    def complete(self, rows: Iterable[int]) -> None:
        """Score those of the rows that the filter lets through, exactly."""
        asked, known = list(rows), self.measure.known
        self.seen.update(asked)
        for row, inside, above, length in self.index.stored([row for row in asked if row not in known], self.only):
            known[row] = self.measure.of(inside, above, length)
        best, exact, k = self.best, self.exact, self.reach.k
        for row in asked:
            found = known.get(row)
            if found is None or not found.score:
                continue
            exact[row] = found
            if len(best) < k:
                heappush(best, found.score)
            elif found.score > best[0]:
                heapreplace(best, found.score)


class _Gains:
    """What a record gains at the most by holding a word once, and by holding it again; the greatest first.

    At the most is where it is as short as can be. A longer one gains less from what it holds once; what it holds again
    and again it gains from as much.
    """

    def __init__(self, measure: Measure, named: tuple[str, ...]) -> None:
        self._named = Either(tuple(map(naming, named)))
        self._measure = measure
        self._shortest = 1 + measure.base + measure.slope
        gains: list[tuple[float, Wanted]] = []
        for word in measure.words:
            once = word.bound / self._shortest
            if len(word.living) > MOST_FORMS:
                gains.append((word.bound, Either(word.living)))
            else:
                gains += ((once, Either(word.living)), (word.bound - once, _again(word.living)))
        gains.sort(key=lambda gain: -gain[0])
        self._gains = [gain for gain, _wanted in gains]
        self._wanted = [wanted for _gain, wanted in gains]
        self._rest = [sum(self._gains[at:]) for at in range(len(gains) + 1)]
        self._depth = next((depth for most, depth in BRANCHING if len(gains) <= most), 0)
        self.start = sum(self._gains[:2])
        self.least = min(self._gains, default=0.0)
        self.whole = self._rest[0]

    def reaching(self, need: float) -> Wanted | None:
        """What records hold that can gain so much; now and then others hold it too. None: no record can."""
        if self._rest[0] < need:
            return None
        wanted = self._reaching(0, need - ROUNDING, self._depth)
        return All((self._named, wanted)) if self._named.parts else wanted

    def twice(self, need: float) -> Either:
        """What records hold that gain much by holding a word again; see `longest` for the others."""
        _light, heavy = self._split(need)
        return Either(
            tuple(_again(word.living) if len(word.living) <= MOST_FORMS else Either(word.living) for word in heavy)
        )

    def longest(self, need: float, below: float) -> Callable[[float], float]:
        """How long a record can be that reaches a bar, of those that gain no more than `below` and hold none of the
        words of `twice` again.

        It scores r · g + (1 - r) · l at the most, where g is what it would gain if it were as short as can be, l what
        the light words gain that it may hold again, and r what of a gain is left at its length.
        """
        light, _heavy = self._split(need)
        slack = sum(word.bound for word in light)
        most = self._most(below, light)
        measure, shortest = self._measure, self._shortest

        def within(bar: float) -> float:
            left = (bar - ROUNDING - slack) / (most - slack) if most > slack else 0.0
            return max((shortest / left - 1 - measure.base) / measure.slope, 0.0) if left > 0 else math.inf

        return within

    def _split(self, need: float) -> tuple[list[Word], list[Word]]:
        """The words that weigh so little that it matters little how often they stand in a record, and the others."""
        light: list[Word] = []
        slack = 0.0
        for word in sorted(self._measure.words, key=lambda word: word.bound):
            slack += word.bound
            if slack > LIGHT * need:
                break
            light.append(word)
        return light, [word for word in self._measure.words if word not in light]

    def _most(self, below: float, light: list[Word]) -> float:
        """The most that a record as short as can be gains, up to `below`, if it holds only light words again."""
        gains: list[float] = []
        for word in self._measure.words:
            few, once = len(word.living) <= MOST_FORMS, word.bound / self._shortest
            gains += ([once] if few else []) + ([word.bound - once if few else word.bound] if word in light else [])
        if len(self._measure.words) > MOST_ORDERED:
            return min(below, sum(gains))
        sums = [0.0]
        for gain in gains:
            sums += [whole for one in sums if (whole := one + gain) <= below]
        return max(sums)

    def _reaching(self, at: int, need: float, depth: int) -> Wanted:
        """The same for the gains from a place on, which are enough together."""
        parts: list[Wanted] = []
        while need > NOTHING and self._rest[at + 1] < need:  # without this one the others are too little
            parts.append(self._wanted[at])
            need -= self._gains[at]
            at += 1
        if need > NOTHING:
            parts.append(Either(tuple(self._options(at, need, depth))))
        return All(tuple(parts))

    def _options(self, at: int, need: float, depth: int) -> Iterable[Wanted]:
        """A record that reaches the bar holds one of these, the first of what it holds."""
        while self._rest[at] >= need:
            after = need - self._gains[at]
            if depth and after > NOTHING:
                if self._rest[at + 1] >= after:
                    yield All((self._wanted[at], self._reaching(at + 1, after, depth - 1)))
            else:
                yield self._wanted[at]
            at += 1


def _again(forms: tuple[str, ...]) -> Wanted:
    """A word more than once: one form that is repeated, or two forms of it."""
    pairs = [All((one, other)) for at, one in enumerate(forms) for other in forms[at + 1 :]]
    return Either((*map(again, forms), *pairs))


def _words(index: Index, terms: tuple[Term, ...]) -> list[Word]:
    """The query's words that occur at all, rarest first."""
    records, _tokens = index.size()
    found: list[Word] = []
    for term in terms:
        living = {form: count for form in term.forms if (count := index.frequency(form))}
        if living:
            frequency = max(living.values())
            idf = math.log(1 + (records - frequency + 0.5) / (frequency + 0.5)) * term.weight
            found.append(Word(term.forms, tuple(living), frequency, term.weight, idf, idf * (K1 + 1)))
    return sorted(found, key=lambda word: (word.frequency, word.forms))
