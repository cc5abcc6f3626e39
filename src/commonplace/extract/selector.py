"""Score sentences by what they show with small linear models, which `python -m bench.selection.train` trains."""

from __future__ import annotations

import os
import zlib
from base64 import b85decode
from functools import cache
from io import FileIO
from typing import Literal, cast

from msgspec import Struct, json

from commonplace.extract.features import Features
from commonplace.model import Category

WEIGHTS_PATH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "selector.json")
WORD_SIGN = "w:"
WORTH = "worth"
FORM_SCORE = 2.0  # in log odds, for the category that the form of a sentence shows: its words may outvote it


class LinearWeights(Struct, frozen=True):
    """The weights of one model: `bias`, those of features by name, and those of words by the CRC-32 of the word modulo
    their number, in units of `step`: signed bytes, deflated and in base 85."""

    bias: float
    named: dict[str, float]
    step: float
    words: str


def score_sentence(features: Features) -> float:
    """How much a sentence with these features is worth a line, in log odds."""
    return _score(features, *_load_models()[WORTH])


def find_category(features: Features, formed: Category | Literal[""] = "") -> Category:
    """The likeliest category of what somebody tells an agent, given the one that the form of the sentence shows;
    `fact` stands for all whose place is the log of a day."""
    scores = {name: _score(features, *model) for name, model in _load_models().items() if name != WORTH}
    if formed in scores:
        scores[formed] += FORM_SCORE
    return cast("Category", max(scores, key=scores.__getitem__))


def _score(features: Features, weights: LinearWeights, word_weights: memoryview) -> float:
    named, count, score, total = weights.named, len(word_weights), weights.bias, 0.0
    for name, value in features:
        if name.startswith(WORD_SIGN):
            total += word_weights[zlib.crc32(name.encode()) % count] * value
        else:
            score += named.get(name, 0.0) * value
    return score + weights.step * total


@cache
def _load_models() -> dict[str, tuple[LinearWeights, memoryview]]:
    with FileIO(WEIGHTS_PATH) as file:
        models = json.decode(file.readall(), type=dict[str, LinearWeights])
    return {name: (one, memoryview(zlib.decompress(b85decode(one.words))).cast("b")) for name, one in models.items()}
