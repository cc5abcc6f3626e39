"""Train the weights by which sentences are selected, and write them: `python -m bench.selection.train`.

Logistic regression by AdaGrad. Every set has the same weight, and an offset of its own in training only, because sets
differ in how much of them was labelled worth a line.
"""

from __future__ import annotations

import json
import math
import random
import sys
import zlib
from base64 import b85encode
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from bench.selection.data import (
    CATEGORY_SETS,
    OWN_SETS,
    SHARED_SETS,
    WEEKS,
    Sentence,
    asked,
    extraction,
    labelled,
    week,
    work_questions,
)
from commonplace.extract.features import Features, category_features, sentence_features
from commonplace.extract.selector import WEIGHTS_PATH, WORD_SIGN, WORTH
from commonplace.model import Category

WORD_BUCKETS, CATEGORY_BUCKETS = 1 << 14, 1 << 12
NAMED = 4_096  # places for features that are no words
ROUNDS, RATE, DECAY, SEED = 12, 0.15, 2e-5, 1
IN_LOG: Category = "fact"  # stands for plans, events and notes too
FILED: tuple[Category, ...] = ("preference", "person", "project", "decision", "tool", "lesson", "procedure", IN_LOG)
CATEGORY_ROUNDS, CATEGORY_RATE, CATEGORY_DECAY, WORDS_BEFORE_NAMED = 150, 0.05, 2e-4, 4.0
TO_AGENT_IMPORTANCE = 10.0  # of what was labelled as told to an agent, beside single statements and talk
TALK = ("locomo", "lme_s_mini", "chats", "lme_pool asked")
JUNK_SHARE = 0.5  # of the turns of the pool that no question is about
Row = tuple[Any, Any]  # the places and values of features


class Vectors:
    """Features as places in an array of weights: words by their hash, others as they come."""

    def __init__(self, buckets: int) -> None:
        self.buckets, self.names = buckets, dict[str, int]()

    def row(self, features: Features) -> Row:
        """The places and values of the features of a sentence."""
        places, values = [], []
        for name, value in features:
            is_word = name.startswith(WORD_SIGN)
            known = 0 if is_word else self.names.setdefault(name, len(self.names))
            places.append(zlib.crc32(name.encode()) % self.buckets if is_word else self.buckets + known)
            values.append(value)
        return np.array(places, dtype=np.int32), np.array(values)


def fit(vectors: list[Row], wanted: Sequence[bool], sources: Sequence[str], buckets: int) -> tuple[Any, float]:
    """The weights and the bias that tell the wanted rows."""
    counts = Counter(sources)
    importance = [len(sources) / (len(counts) * counts[source]) for source in sources]
    weights, squares = np.zeros(buckets + NAMED), np.full(buckets + NAMED, 1e-6)
    biases, bias_squares = defaultdict[str, float](float), defaultdict[str, float](lambda: 1e-6)
    order, lot = list(range(len(vectors))), random.Random(SEED)
    for _ in range(ROUNDS):
        lot.shuffle(order)
        for at in order:
            places, values = vectors[at]
            score = weights[places] @ values + biases[""] + biases[sources[at]]
            error = (1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) - wanted[at]) * importance[at]
            slope = error * values + DECAY * weights[places] * len(vectors) / 1000
            squares[places] += slope * slope
            weights[places] -= RATE * slope / np.sqrt(squares[places])
            for name in ("", sources[at]):
                bias_squares[name] += error * error
                biases[name] -= RATE * error / math.sqrt(bias_squares[name])
    return weights, biases[""]


def sentences() -> list[Sentence]:
    """All sentences to train with."""
    lot = random.Random(SEED)
    pool = (one for one in asked("lme_pool", work_questions("lme_pool")) if one.is_worth or lot.random() < JUNK_SHARE)
    wanted = work_questions("locomo")
    talk = (one for one in asked("locomo", wanted) if wanted({"ns": one.group}))
    weeks = chain(*map(week, WEEKS))
    return [*chain(*map(labelled, (*SHARED_SETS, *OWN_SETS))), *extraction(), *weeks, *talk, *pool]


def pack(weights: Any, bias: float, vectors: Vectors) -> dict[str, Any]:
    """The weights as they are stored."""
    words, named = weights[: vectors.buckets], weights[vectors.buckets :]
    step = float(np.abs(words).max()) / 127 or 1.0
    packed = zlib.compress(np.round(words / step).astype(np.int8).tobytes(), 9)
    known = {name: round(float(named[at]), 3) for name, at in sorted(vectors.names.items()) if abs(named[at]) >= 0.005}
    return {"bias": round(bias, 3), "named": known, "step": round(step, 5), "words": b85encode(packed).decode()}


def fit_categories(vectors: list[Row], wanted: Sequence[int], importance: Any, buckets: int) -> tuple[Any, Any]:
    """The weights and the biases of each category, by softmax regression with Adam."""
    table = np.zeros((len(vectors), buckets + NAMED + 1))
    for row, (places, values) in zip(table, vectors, strict=True):
        np.add.at(row, places, values * np.where(places < buckets, WORDS_BEFORE_NAMED, 1.0))
        row[-1] = 1.0
    table = table[:, used := table.any(axis=0)]
    weights, mean, square = (np.zeros((table.shape[1], len(FILED))) for _ in range(3))
    share, goal = (importance / importance.sum())[:, None], np.eye(len(FILED))[np.array(wanted)]
    for step in range(1, CATEGORY_ROUNDS + 1):
        odds = np.exp((scores := table @ weights) - scores.max(axis=1, keepdims=True))
        slope = table.T @ ((odds / odds.sum(axis=1, keepdims=True) - goal) * share) + CATEGORY_DECAY * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        weights -= CATEGORY_RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    whole = np.zeros((buckets + NAMED + 1, len(FILED)))
    whole[used] = weights
    whole[:buckets] *= WORDS_BEFORE_NAMED
    return whole[:-1], whole[-1]


def train(known: list[Sentence]) -> dict[str, Any]:
    """The stored models: what is worth a line, and of which category what is told to an agent is."""
    vectors = Vectors(WORD_BUCKETS)
    rows = [vectors.row(sentence_features(one.text, one.position)) for one in known]
    weights = fit(rows, [one.is_worth for one in known], [one.source for one in known], WORD_BUCKETS)
    return {WORTH: pack(*weights, vectors), **train_categories([*known, *chain(*map(labelled, CATEGORY_SETS))])}


def train_categories(known: Sequence[Sentence]) -> dict[str, Any]:
    """The models of the categories.

    What people say among themselves, and of their lives to an assistant, has nearly always a place in the log; what the
    extraction corpus calls a fact has one only if it does not last.
    """
    filed = [one for one in known if one.is_worth and (one.source in TALK or is_categorized(one))]
    vectors = Vectors(CATEGORY_BUCKETS)
    rows = [vectors.row(category_features(one.text)) for one in filed]
    wanted = [FILED.index(one.category if one.category in FILED else IN_LOG) for one in filed]
    single = ("extraction", *TALK)
    importance = np.array([1.0 if one.source in single else TO_AGENT_IMPORTANCE for one in filed])
    weights, biases = fit_categories(rows, wanted, importance, CATEGORY_BUCKETS)
    models = zip(FILED, weights.T, biases, strict=True)
    return {category: pack(of_category, float(bias), vectors) for category, of_category, bias in models}


def is_categorized(sentence: Sentence) -> bool:
    """Whether somebody labelled the category of a sentence, and it tells where the sentence belongs."""
    return sentence.category not in (("", "fact") if sentence.source == "extraction" else ("",))


def main() -> None:
    """Train on all sentences and store the weights."""
    known = sentences()
    Path(WEIGHTS_PATH).write_text(json.dumps(train(known), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(known):,} sentences, {sum(one.is_worth for one in known):,} worth a line", file=sys.stderr)


if __name__ == "__main__":
    main()
