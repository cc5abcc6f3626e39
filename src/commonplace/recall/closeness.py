"""Words that stand together in the question and stand together in a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from commonplace.recall.dialogue import Around
from commonplace.recall.lexical import Measure
from commonplace.text import Term

APART_ASKED, APART_SAID = 3, 4  # words from one to the other, at most
K1, B = 1.2, 0.75

Pair = tuple[int, int]  # places in the measure's words


def closeness(measure: Measure, terms: Iterable[Term], around: Around) -> dict[int, float]:
    """For each row a BM25 of pairs: two words not further apart in the line than they nearly are in the question.

    A pair counts as a term of its own (Metzler & Croft 2005, unordered window): k occurrences gain
    idf k (K1 + 1) / (k + K1 (1 - B + B length / average)), where n rows of those looked at hold the pair.
    """
    number = {form: place for place, word in enumerate(measure.words) for form in word.forms}  # of two words the latter
    patterns = [
        [f" {form} " for form in word.living if number[form] == place] for place, word in enumerate(measure.words)
    ]
    pairs = _pairs(measure, terms)
    near: dict[Pair, dict[int, int]] = {}
    lengths: dict[int, int] = {}
    said: dict[tuple[int, int], list[int]] = {}
    for pair in pairs:
        found = near[pair] = {}
        for row in measure.counts[pair[0]].keys() & measure.counts[pair[1]].keys() & around.places.keys():
            turn = around.turn(row)
            for word in pair:
                if (row, word) not in said:
                    said[row, word] = _places(patterns[word], turn.tokens)
            lengths[row] = turn.length
            count = sum([abs(a - b) <= APART_SAID for a in said[row, pair[0]] for b in said[row, pair[1]]])
            if count:
                found[row] = count
    gained: dict[int, float] = {}
    for rows in near.values():
        idf = math.log(1 + (measure.records - len(rows) + 0.5) / (len(rows) + 0.5)) if rows else 0.0
        for row, count in rows.items():
            norm = K1 * (1 - B + B * lengths[row] / measure.average)
            gained[row] = gained.get(row, 0.0) + idf * count * (K1 + 1) / (count + norm)
    return gained


def _pairs(measure: Measure, terms: Iterable[Term]) -> list[Pair]:
    """Pairs of words not far apart in the question, each once, by their places in the measure."""
    number = {word.forms: place for place, word in enumerate(measure.words)}
    order = [number[term.forms] for term in terms if term.forms in number]
    pairs = {
        (min(a, b), max(a, b)) for at, a in enumerate(order) for b in order[at + 1 : at + 1 + APART_ASKED] if a != b
    }
    return sorted(pairs)


def _places(patterns: Sequence[str], tokens: str) -> list[int]:
    """Where a word of the query stands among the tokens, each of which stands between two spaces of its own."""
    found: list[int] = []
    for pattern in patterns:
        spaces, before, at = 0, 0, tokens.find(pattern)
        while at >= 0:
            spaces += tokens.count(" ", before, at)
            found.append(spaces // 2)
            before, at = at, tokens.find(pattern, at + 1)
    return found
