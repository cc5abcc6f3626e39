"""How likely the first hit answers the question: one calibrated number, from what it covers and by how much it leads.

    confidence = 1 / (1 + e^(4.4 - 7.3 · √(covered · lead)))

`covered` is the share of the weight of the question's words (idf) that stands in the hit; a word that no record has
weighs as much as one in no record would, ln(2 N + 2) of N records. `lead` is 1 less the mean score of the second to
the tenth hit over the score of the first; a hit that is missing counts as half of the first, which is about the mean.

This is a logistic regression with one variable (Platt 1999). Its constants were fitted on one half of the questions of
LoCoMo and LongMemEval, each asked of a notebook that holds the labelled answer and of one that does not, both alike
often; right is a first hit that is labelled. `python -m bench confidence` prints how well it does on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from commonplace.recall.lanes import least
from commonplace.recall.lexical import Measure
from commonplace.recall.parts import Strengths
from commonplace.recall.understand import Understood

CONFIDENT = 0.3  # reached by 7 in 10 of the right first hits, and by 1 in 7 of the first hits where no answer is there
OFFSET, SLOPE = -4.4, 7.3
BEHIND = 9  # hits behind the first that it is measured by
MISSING = 0.5  # of the first hit's score: what a hit that is missing counts
DIGITS = 3  # behind the point


def confidence(covered: float, scores: Sequence[float]) -> float:
    """From 0 to 1: how likely the first hit answers, by the share of the question that it covers and by the scores of
    all hits, best first. 0 where there is none."""
    if not scores:
        return 0.0
    return round(1 / (1 + math.exp(-OFFSET - SLOPE * math.sqrt(covered * lead(scores)))), DIGITS)


def lead(scores: Sequence[float]) -> float:
    """By how much the first of some scores, best first, exceeds the next nine: 0 where all are equal, at most 1."""
    behind = scores[1 : 1 + BEHIND]
    mean = (sum(behind) + MISSING * scores[0] * (BEHIND - len(behind))) / BEHIND
    return max(0.0, 1 - mean / scores[0])


def covered(asked: Understood, measure: Measure, coverage: float, found: Strengths) -> float:
    """The share of the question's weight that a record has, of which it covers so much (`coverage`) by its words; words
    that no record has at all count against it.

    Of nothing but names, times and intents: 1 if the record was found by what they name, else 0; what was written near
    to a stretch that is meant is not of it. Of a time that lines may say in words, as `last Christmas`, it is those.
    """
    as_asked = bool(found.entity or found.kind or found.about or found.time >= least(asked.windows))
    if asked.bare and (as_asked or asked.names):
        return float(as_asked)
    known = {word.forms for word in measure.words}
    unknown = sum(term.weight for term in asked.terms if term.forms not in known)
    return coverage * measure.total / (measure.total + unknown * math.log(2 * measure.records + 2))
