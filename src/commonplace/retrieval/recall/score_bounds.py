"""Upper bounds of BM25 scores: which records can reach a threshold, and the index query that finds them (MaxScore)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct

from commonplace.index import AllOf, AnyOf, TokenQuery, name_marker, repeated_token_marker
from commonplace.retrieval.shares import HALF, QUARTER

EPSILON, ROUNDING = 1e-9, 1e-6
MAX_PAIRED_FORMS = 4  # of one word; of more any two in one record are not looked for
# Of the bar: of words that weigh so little together it does not matter how often a record holds them.
LIGHT_SHARE = QUARTER
MAX_SUMMED_GAINS = 12  # gains; of more, not every sum is made
THRESHOLD_DECAY = 0.7  # of the bar before, where too few records stand above it
BRANCHING_DEPTHS = ((6, 2), (40, 1))  # of so many words the bar is asked for to this depth


GainClause = tuple[float, TokenQuery]


def inverse_frequency(count: float, frequency: float) -> float:
    """The idf of BM25, ln(1 + (N - n + .5) / (n + .5)), of a term in n of N texts (Robertson & Zaragoza 2009)."""
    return math.log(1 + (count - frequency + HALF) / (frequency + HALF))


class IndexedTerm(Struct, frozen=True):
    """A word of the query that occurs in the index: its stored forms, the number of records that contain it, and its
    weight."""

    forms: tuple[str, ...]
    occurring_forms: tuple[str, ...]  # those that occur
    frequency: int
    weight: float
    idf: float  # `inverse_frequency` times the word's weight
    max_gain: float  # idf (K1 + 1): the most that one record can gain from this word


class LengthNorm(Struct, frozen=True):
    """The effect of a record's length in BM25, added to the count of a word: K1 (1 - B + B length / average)."""

    base: float
    slope: float

    def at_length(self, length: float) -> float:
        """For so many tokens."""
        return self.base + self.slope * length


class ScoreBounds:
    """What a record gains at the most by holding a word once (where it is as short as can be), and by holding it again.
    Light words count as if they were held again wherever they are held."""

    def __init__(
        self, indexed_terms: list[IndexedTerm], length_norm: LengthNorm, entity_names: tuple[str, ...] = ()
    ) -> None:
        self._entity_clause = AnyOf(tuple(map(name_marker, entity_names)))
        self._length_norm, self._min_divisor = length_norm, 1 + length_norm.at_length(1)
        self._terms = sorted(indexed_terms, key=lambda word: -word.max_gain)
        gains = sorted((gain for word in indexed_terms for gain in self._term_gains(word)), reverse=True)
        self.two_term_bound = sum(gains[:2])
        self.smallest_gain = gains[-1] if gains else 0.0
        self.total_bound = sum(gains)

    def lower_threshold(self, threshold: float) -> float:
        """The bar to go on with where too few records reach this one; 0 if none gains less."""
        return THRESHOLD_DECAY * threshold if threshold > self.smallest_gain else 0.0

    def _single_gain(self, term: IndexedTerm) -> float:
        return term.max_gain / self._min_divisor

    def _term_gains(self, term: IndexedTerm) -> tuple[float, ...]:
        """What a word gains once and again; both together, where the index does not know whether it is held again."""
        once = self._single_gain(term)
        return (once, term.max_gain - once) if len(term.occurring_forms) <= MAX_PAIRED_FORMS else (term.max_gain,)

    def query_reaching(self, threshold: float) -> TokenQuery | None:
        """What records hold that can gain so much; now and then others hold it too. None: no record can."""
        light, _heavy = self._split_light_heavy(threshold)
        once: list[GainClause] = [
            (word.max_gain if word in light else self._single_gain(word), AnyOf(word.occurring_forms))
            for word in self._terms
        ]
        clauses = self._restrict_to_entities(_query_for_sum(once, threshold)), self.query_repeated(threshold)
        possible = tuple(way for way in clauses if way)
        return AnyOf(possible) if possible else None

    def query_repeated(self, threshold: float) -> TokenQuery | None:
        """The same of the records that hold a heavy word again."""
        _light, heavy = self._split_light_heavy(threshold)
        if not heavy:
            return None
        repeated = AnyOf(tuple(_repeated_term_query(word.occurring_forms) for word in heavy))
        reaching = _query_for_sum([(word.max_gain, AnyOf(word.occurring_forms)) for word in self._terms], threshold)
        return self._restrict_to_entities(AllOf((repeated, reaching)) if reaching else None)

    def _restrict_to_entities(self, token_query: TokenQuery | None) -> TokenQuery | None:
        return AllOf((self._entity_clause, token_query)) if token_query and self._entity_clause.parts else token_query

    def bound_by_length(self, threshold: float, upper_bound: float) -> Callable[[int], float]:
        """What a record of this many tokens scores at the most, of those that gain no more than `upper_bound` and hold
        no heavy word again: r · g + (1 - r) · l, where g is what it would gain if it were as short as can be, l what
        the light words gain, and r what of a gain is left at its length."""
        light, heavy = self._split_light_heavy(threshold)
        slack = sum(word.max_gain for word in light)
        gains = [self._single_gain(word) for word in heavy]
        gains += [gain for word in light for gain in self._term_gains(word)]
        more = max(_max_sum_below(gains, upper_bound) - slack, 0.0)
        return lambda length: slack + more * self._min_divisor / (1 + self._length_norm.at_length(length)) + ROUNDING

    def _split_light_heavy(self, threshold: float) -> tuple[list[IndexedTerm], list[IndexedTerm]]:
        """The light words, which weigh little or for which repetition is unknown, and the heavy ones."""
        light: list[IndexedTerm] = []
        slack = 0.0
        for word in reversed(self._terms):
            slack += word.max_gain
            if slack > LIGHT_SHARE * threshold:
                break
            light.append(word)
        light += [word for word in self._terms if len(word.occurring_forms) > MAX_PAIRED_FORMS and word not in light]
        return light, [word for word in self._terms if word not in light]


def _max_sum_below(gains: list[float], upper_bound: float) -> float:
    """The most that some of the gains are together, up to `upper_bound`."""
    if len(gains) > MAX_SUMMED_GAINS:
        return min(upper_bound, sum(gains))
    sums = [0.0]
    for gain in gains:
        sums += [whole for one in sums if (whole := one + gain) <= upper_bound]
    return max(sums)


def _query_for_sum(clauses: list[GainClause], threshold: float) -> TokenQuery | None:
    """What records hold that gain so much together; now and then others hold it too. None: no record can."""
    clauses = sorted(clauses, key=lambda gain: -gain[0])
    rest = [sum(gain for gain, _wanted in clauses[at:]) for at in range(len(clauses) + 1)]
    depth = next((depth for most, depth in BRANCHING_DEPTHS if len(clauses) <= most), 0)
    least = threshold - ROUNDING
    return _ClauseTree(clauses, rest).build_query(0, least, depth) if rest[0] >= least else None


class _ClauseTree(Struct, frozen=True):
    """Gains, the greatest first, and what all from a place on are together."""

    clauses: list[GainClause]
    remaining_sums: list[float]

    def build_query(self, position: int, threshold: float, depth: int) -> TokenQuery:
        """The condition of records that gain `threshold` from a position on; below `depth` one word is enough."""
        parts: list[TokenQuery] = []
        # Without this one the others are too little.
        while threshold > EPSILON and self.remaining_sums[position + 1] < threshold:
            gain, clause = self.clauses[position]
            parts.append(clause)
            threshold -= gain
            position += 1
        if threshold > EPSILON:
            parts.append(AnyOf(tuple(self._alternatives(position, threshold, depth))))
        return AllOf(tuple(parts))

    def _alternatives(self, position: int, threshold: float, depth: int) -> Iterable[TokenQuery]:
        """A record that reaches the bar holds one of these, the first of what it holds."""
        while self.remaining_sums[position] >= threshold:
            gain, clause = self.clauses[position]
            after = threshold - gain
            if not depth or after <= EPSILON:
                yield clause
            elif self.remaining_sums[position + 1] >= after:
                yield AllOf((clause, self.build_query(position + 1, after, depth - 1)))
            position += 1


def _repeated_term_query(forms: tuple[str, ...]) -> TokenQuery:
    """A word more than once: one form that is repeated, or two forms of it."""
    pairs = [AllOf((one, other)) for at, one in enumerate(forms) for other in forms[at + 1 :]]
    return AnyOf((*map(repeated_token_marker, forms), *pairs))
