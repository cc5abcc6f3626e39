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
from commonplace.extract.features import sentence_features
from commonplace.extract.selector import WEIGHTS_PATH, WORD_SIGN, WORTH

WORD_BUCKETS = 1 << 14
NAMED = 4_096  # places for features that are no words
ROUNDS, RATE, DECAY, SEED = 12, 0.15, 2e-5, 1
FILED = ("preference", "person", "project", "decision", "tool", "lesson", "procedure")
TALK = ("locomo", "lme_s_mini", "chats", "lme_pool asked")
JUNK_SHARE = 0.5  # of the turns of the pool that no question is about
Row = tuple[Any, Any]  # the places and values of features


class Vectors:
    """Features as places in an array of weights: words by their hash, others as they come."""

    def __init__(self, buckets: int) -> None:
        self.buckets, self.names = buckets, dict[str, int]()

    def row(self, sentence: Sentence) -> Row:
        """The places and values of the features of a sentence."""
        places, values = [], []
        for name, value in sentence_features(sentence.text, sentence.position):
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


def train(known: list[Sentence]) -> dict[str, Any]:
    """The stored models: what is worth a line, and of which category with a file of its own it is.

    What people say among themselves, and of their lives to an assistant, has nearly always a place in the log.
    """
    filed = [one for one in known if one.is_worth and (one.category or one.source in TALK)]
    models = {WORTH: _train(known, [one.is_worth for one in known], [one.source for one in known], WORD_BUCKETS)}
    for category in FILED:
        models[category] = _train(filed, [one.category == category for one in filed], [""] * len(filed), 1 << 11)
    return models


def _train(known: list[Sentence], wanted: list[bool], sources: list[str], buckets: int) -> dict[str, Any]:
    vectors = Vectors(buckets)
    return pack(*fit([vectors.row(one) for one in known], wanted, sources, buckets), vectors)


def main() -> None:
    """Train on all sentences and store the weights."""
    known = sentences()
    Path(WEIGHTS_PATH).write_text(json.dumps(train(known), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(known):,} sentences, {sum(one.is_worth for one in known):,} worth a line", file=sys.stderr)


if __name__ == "__main__":
    main()
