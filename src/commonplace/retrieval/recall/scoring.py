"""The score of a record as a sum of parts times bounded factors, and the confidence of the first hit.

    score = (lexical + session + near + answers + close + entity + kind + time + event + vector + order)
        × addressed × agent × answer × length × retells × speaker
        × confidence × ended × evidence × file × form × importance × recent × trust × limit × exact

    confidence = 1 / (1 + e^(4.5 - 6.7 · √(covered · lead)))

What is added is in the table `SCORE_PARTS`, the factors that say how a line fits the question in `ANSWER_FEATURES`, the
priors in `PRIORS`. The confidence is a logistic regression with one variable (Platt 1999), fitted on one half of the
questions of LoCoMo and LongMemEval, each asked of a notebook that holds the labelled answer and of one that does not;
`python -m bench confidence` prints how well it does on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from math import log1p, prod

from msgspec import Struct, structs

from commonplace.model import Hit, Reason, Record
from commonplace.retrieval.recall.lane_input import EVENT_SHARE, Signals
from commonplace.retrieval.recall.lexical import Bm25Scorer
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import is_agent_name
from commonplace.retrieval.recall.score_policy import HARDLY_LOWERED, POLICY, PRIORS, ScorePart, Weigh
from commonplace.retrieval.recall.time_lanes import min_time_strength
from commonplace.retrieval.shares import HALF, QUARTER, TENTH

TIME_WEIGHT = 1.2
UNMATCHED_WEIGHT = TENTH  # what an entity or a sort that is asked for finds by itself; what matches, it doubles
KIND_ALONE_WEIGHT = 1.0  # the same for a sort if nothing else is asked for
NAME_ONLY_WEIGHT = QUARTER  # what only says a name, beside what is about its bearer, at least half


SPEAKER_BOOST = 1 - 2 * TENTH  # what the speaker who is asked about said himself
AGENT_WEIGHT, ASKED_AGENT_WEIGHT = HALF - TENTH, 1 + 2 * TENTH  # what an assistant said, and where it is asked for
# Of an answer: a time where it is asked when, a number where it is asked how many, a name where who or where.
ANSWER_BOOST = PROXIMITY_WEIGHT = ORDER_WEIGHT = 3 * TENTH
ADDRESSED_PENALTY = 2 * TENTH  # what one person asks another, and so says of nobody
LENGTH_BOOST = HALF  # a line of fifty words and more, beside one of none


def _lexical_part(signals: Signals, parsed: ParsedQuery) -> float:
    """In a question for everything about an entity, lines that only have its name count for less."""
    if parsed.intent == "about":
        return 0.0 if signals.about else NAME_ONLY_WEIGHT * signals.lexical
    return signals.lexical


def _entity_part(signals: Signals, parsed: ParsedQuery) -> float:
    """What its bearer said has the factor `speaker` besides."""
    if parsed.intent == "about":
        return 0.0
    return signals.entity * (UNMATCHED_WEIGHT if signals.speaks else signals.lexical + UNMATCHED_WEIGHT)


def _kind_part(signals: Signals, parsed: ParsedQuery) -> float:
    return signals.kind * (signals.lexical + (KIND_ALONE_WEIGHT if parsed.has_only_cues else UNMATCHED_WEIGHT))


def _vector_part(signals: Signals, parsed: ParsedQuery) -> float:
    return 0.0 if parsed.intent == "about" else (1 - HALF * signals.asks) * signals.vector


SCORE_PARTS: dict[str, ScorePart] = {
    "about": POLICY["about"],
    "lexical": ScorePart(
        "as found: the words of the question, BM25 over that of the best match (Robertson & Zaragoza 2009).",
        _lexical_part,
    ),
    "session": ScorePart(
        "as found: the dialogue as a whole, .5 of its own BM25 and .1 of its best line, over the best match's.",
        lambda signals, _parsed: signals.session,
    ),
    "near": ScorePart(
        "as found: .1, .2 and .1 of the BM25 of each line one, two and three turns away, over the best match's.",
        lambda signals, _parsed: signals.near,
    ),
    "answers": ScorePart(
        "as found: .75 of the BM25 of a question of somebody else right before, over the best match's.",
        lambda signals, _parsed: signals.answers,
    ),
    "close": ScorePart(
        ".3 · close: pairs of words that stand together, over the best match's BM25 (Metzler & Croft 2005).",
        lambda signals, _parsed: PROXIMITY_WEIGHT * signals.close,
    ),
    "entity": ScorePart(
        "entity · (lexical + .1), or entity · .1 for what its bearer said: a name doubles what matches.", _entity_part
    ),
    "kind": ScorePart(
        "kind · (lexical + .1), or kind · (lexical + 1) if nothing else is asked for: the sort that is asked for.",
        _kind_part,
    ),
    "time": ScorePart(
        "1.2 · time: how near the record lies to the time that is meant.",
        lambda signals, _parsed: TIME_WEIGHT * signals.time,
    ),
    "event": ScorePart(
        "1.2 · (.8 · event - time), what the time that a line tells of gains on when it was written; never below 0.",
        lambda signals, _parsed: max(TIME_WEIGHT * (EVENT_SHARE * signals.event - signals.time), 0.0),
    ),
    "vector": ScorePart(
        "(1 - .5 · asks) · vector: how near the line comes to the question in meaning; half if it asks.",
        _vector_part,
    ),
    "order": ScorePart(
        ".3 · order · lexical: of what matches alike the last, or the first, where that is asked for.",
        lambda signals, _parsed: ORDER_WEIGHT * signals.order * signals.lexical,
    ),
}


def _agent_feature(signals: Signals, parsed: ParsedQuery) -> float:
    if not signals.by_agent:
        return 1.0
    return ASKED_AGENT_WEIGHT if parsed.asks_about_agent else AGENT_WEIGHT


ANSWER_FEATURES: dict[str, ScorePart] = {
    "addressed": ScorePart(
        "1 - .2 · addresses: who is asked about has the words of the question only where he asks or says `you`.",
        lambda signals, _parsed: 1 - ADDRESSED_PENALTY * signals.addresses,
    ),
    "agent": ScorePart(
        ".4 for what an assistant said, for people ask for what they said themselves; 1.2 if it is asked what it said.",
        _agent_feature,
    ),
    "answer": ScorePart(
        "1 + .3 · holds: a line with a time where it is asked when, a number for how many, a name for who and where.",
        lambda signals, _parsed: 1 + ANSWER_BOOST * signals.holds,
    ),
    "length": ScorePart(
        "1 + .5 · length: a line that says more; length = min(ln(1 + tokens) / 4, 1).",
        lambda signals, _parsed: 1 + LENGTH_BOOST * signals.length,
    ),
    "retells": POLICY["retells"],
    "speaker": ScorePart(
        "1 + .8 · speaks: what was said by a speaker whom the question names.",
        lambda signals, _parsed: 1 + SPEAKER_BOOST * signals.speaks,
    ),
}


def enabled_parts(table: dict[str, ScorePart], parsed: ParsedQuery) -> dict[str, Weigh]:
    """The functions of the parts of a table that are not switched off."""
    return {name: part.weigh for name, part in table.items() if name not in parsed.disabled}


def enabled_answer_features(parsed: ParsedQuery) -> dict[str, Weigh]:
    """The factors that are not switched off; a question for all that is known of a name, or of a time, has none."""
    return {} if parsed.intent == "about" or parsed.is_period_only else enabled_parts(ANSWER_FEATURES, parsed)


def max_feature_product(parsed: ParsedQuery, *, speaks: bool) -> float:
    """What the factors come to at the most for a line of which nothing is known but whether `speaks` holds of it."""
    holds = float(parsed.answer_type != "any")
    best = Signals(speaks=float(speaks), length=1.0, holds=holds, by_agent=parsed.asks_about_agent)
    return prod(factor(best, parsed) for factor in enabled_parts(ANSWER_FEATURES, parsed).values())


def length_share(parsed: ParsedQuery, token_count: int) -> float:
    """What is left of the most that the factors come to, for a line of this many tokens."""
    return 1.0 if "length" in parsed.disabled else (1 + LENGTH_BOOST * log_length(token_count)) / (1 + LENGTH_BOOST)


def unanswered_share(parsed: ParsedQuery) -> float:
    """What is left of the most that the factors come to, for a line that does not hold such an answer as is asked
    for."""
    return 1.0 if parsed.answer_type == "any" or "answer" in parsed.disabled else 1 / (1 + ANSWER_BOOST)


def log_length(token_count: int) -> float:
    """The factor for the length of a line: min(ln(1 + tokens) / 4, 1)."""
    return min(log1p(token_count) / 4, 1.0)


def is_by_agent(speaker: str, actor: str) -> bool:
    """Whether an assistant said a line, by the name in a log or by who was captured."""
    return actor == "agent" or is_agent_name(speaker)


MAX_PRIOR_CHANGE = 0.3
# All priors together: they reorder near-ties and bury nothing.
MIN_PRIOR_PRODUCT, MAX_PRIOR_PRODUCT = 1 - MAX_PRIOR_CHANGE, 1 + MAX_PRIOR_CHANGE


def enabled_priors(parsed: ParsedQuery) -> dict[str, Weigh]:
    """The priors that are not switched off; a question for all that is known of a name has none."""
    return {} if parsed.intent == "about" else enabled_parts(PRIORS, parsed)


def prior_limit(product: float) -> float:
    """The product of the priors brought back to .7 … 1.3, over that product; it is a promise, and always kept."""
    return min(max(product, MIN_PRIOR_PRODUCT), MAX_PRIOR_PRODUCT) / product


FACTOR_SIGN = "×"  # reasons whose names end so scale a score; the others are added
SCORE_DIGITS = 6  # behind the point, of a score and of each of its parts


class Relevance(Struct, frozen=True, gc=False):
    """The relevance of a record: its signals, the sum of its parts, and how well it fits the form of the question."""

    signals: Signals
    parts: tuple[float, ...]
    features: tuple[float, ...]


class ScoreFormula:
    """The formula for one question: the parts and factors that are not switched off, of the parts those of
    `part_names`."""

    def __init__(self, parsed: ParsedQuery, part_names: Collection[str] = SCORE_PARTS) -> None:
        self.parsed = parsed
        self._parts = {name: part for name, part in enabled_parts(SCORE_PARTS, parsed).items() if name in part_names}
        self._answer_features, self._priors = enabled_answer_features(parsed), enabled_priors(parsed)
        self._factors = (*self._answer_features, *self._priors, "limit")
        self._relevance_cache: dict[int, Relevance] = {}  # by the identity of what is said, which it keeps

    def relevance(self, signals: Signals) -> Relevance:
        """What is reckoned without the record; once for each, though it is asked for before and after that is read."""
        relevance = self._relevance_cache.get(id(signals))
        if relevance is None:
            parsed = self.parsed
            parts = tuple([part(signals, parsed) for part in self._parts.values()])
            features = tuple([feature(signals, parsed) for feature in self._answer_features.values()])
            relevance = Relevance(signals, parts, features)
            self._relevance_cache[id(signals)] = relevance
        return relevance

    def score(self, record: Record, signals: Signals) -> tuple[float, tuple[Reason, ...]]:
        """The score and its parts; parts without effect are left out."""
        parsed, relevance = self.parsed, self.relevance(signals)
        added = relevance.parts
        priors = [prior(record, parsed) for prior in self._priors.values()]
        factors = (*relevance.features, *priors, prior_limit(math.prod(priors)))
        reasons = [Reason(name, round(it, SCORE_DIGITS)) for name, it in zip(self._parts, added, strict=True) if it]
        reasons += [_factor_reason(name, it) for name, it in zip(self._factors, factors, strict=True) if it != 1]
        return round(sum(added) * math.prod(factors), SCORE_DIGITS), tuple(reasons)


@lru_cache
def _factor_reason(name: str, factor: float) -> Reason:
    """The reason for a factor: many lines have the same."""
    return Reason(name + FACTOR_SIGN, round(factor, SCORE_DIGITS))


def added_sum(reasons: tuple[Reason, ...]) -> float:
    """What a score is before its factors."""
    return sum([one.value for one in reasons if not one.name.endswith(FACTOR_SIGN)])


def raise_hit(hit: Hit, score: float) -> Hit:
    """The best line that has every word asked for, put above the score of those that only factors lift above it, or the
    best line of one of several questions, put above all others but the best one."""
    factor = round(score / hit.score / HARDLY_LOWERED, SCORE_DIGITS)
    reasons = (*hit.reasons, Reason("exact" + FACTOR_SIGN, factor))
    return structs.replace(hit, score=round(hit.score * factor, SCORE_DIGITS), reasons=reasons)


def format_arithmetic(reasons: tuple[Reason, ...], total: float) -> list[str]:
    """A score as one adds and multiplies it on paper, a line for each part."""
    added = [one for one in reasons if not one.name.endswith(FACTOR_SIGN)]
    factors = [one for one in reasons if one.name.endswith(FACTOR_SIGN)]
    rows = [("+" if place else " ", one) for place, one in enumerate(added)]
    rows += [*((FACTOR_SIGN, one) for one in factors), ("=", Reason("score", total))]
    return [f"{sign} {one.name.removesuffix(FACTOR_SIGN):<12} {one.value:.{SCORE_DIGITS}f}" for sign, one in rows]


MIN_CONFIDENCE = 0.12  # reached by 9 in 10 of the right first hits, and by half of the others
OFFSET, SLOPE = -4.5, 6.7
COMPARED_HITS = 9  # hits behind the first that it is measured by
MISSING_HIT_SHARE = HALF  # of the first hit's score: what a hit that is missing counts
CONFIDENCE_DIGITS = 3  # behind the point


def estimate_confidence(coverage: float, scores: Sequence[float]) -> float:
    """The probability, from 0 to 1, that the first hit answers the question, estimated from the share of the question
    that it covers and from the scores of all hits, best first. 0 if there is no hit."""
    if not scores:
        return 0.0
    return round(1 / (1 + math.exp(-OFFSET - SLOPE * math.sqrt(coverage * score_lead(scores)))), CONFIDENCE_DIGITS)


def score_lead(scores: Sequence[float]) -> float:
    """By how much the first of some scores, best first, exceeds the next nine: 0 where all are equal, at most 1."""
    behind = scores[1 : 1 + COMPARED_HITS]
    mean = (sum(behind) + MISSING_HIT_SHARE * scores[0] * (COMPARED_HITS - len(behind))) / COMPARED_HITS
    return max(0.0, 1 - mean / scores[0])


def query_coverage(parsed: ParsedQuery, scorer: Bm25Scorer, coverage: float, signals: Signals) -> float:
    """How far a record covers a question, 0 to 1: √share · known², the share of its weight that the words of the record
    have (`coverage`), and that of the words that any record has, without which the answer is not there.

    Of nothing but names, times and intents: 1 if the record was found by what they name, else 0; what was written near
    to a stretch that is meant is not of it.
    """
    is_cued = bool(signals.entity or signals.kind or signals.about or signals.event)
    is_cued = is_cued or signals.time >= min_time_strength(parsed.time_windows)
    if parsed.has_only_cues and (is_cued or parsed.entity_names):
        return float(is_cued)
    return math.sqrt(coverage) * known_share(parsed, scorer) ** 2


def known_share(parsed: ParsedQuery, scorer: Bm25Scorer) -> float:
    """The share of the weight of a question that the words have which any record has."""
    occurring = {word.forms for word in scorer.terms}
    unknown_weight = sum(term.weight for term in parsed.terms if term.forms not in occurring)
    return scorer.total_idf / (scorer.total_idf + unknown_weight * math.log(2 * scorer.record_count + 2))
