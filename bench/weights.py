"""Train the weights by which claims are filed, and estimate by cross-validation what they do on sentences not seen.

`python -m bench.weights` prints the estimate; with `--write` it trains on all and writes the stored weights.
"""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import exp
from operator import sub
from pathlib import Path
from typing import NamedTuple

from bench.extraction import LABELLED, Row, claims_of, figures, tally
from bench.extraction import overlap as shared
from commonplace.extract import classifier
from commonplace.extract.claims import ClaimDraft, Statement
from commonplace.extract.classifier import statement_features
from commonplace.extract.languages import LANGUAGES
from commonplace.extract.pipeline import draft_claims, may_hold_claim
from commonplace.extract.rendering import UtteranceContext, render_claim
from commonplace.extract.statements import choose_rule_language, split_statements
from commonplace.model import CATEGORIES

KNOWN, JUDGED = ("dev", "dev2", "filing"), "train"  # the held-out half is never read here
FOLDS, SEED, ROUNDS = 5, 20251121, 25
UNWRITABLE = frozenset('\\"')
WIDTH = 110  # characters of a written line
RATE, DECAY = 0.03, 2.0  # of the first step, and of the weights beside the loss
FEWEST, LARGEST = 3, 4050  # statements that show a feature; weights that are kept
WRITTEN = Path(__file__).parents[1] / "src/commonplace/data/languages/claim_weights.json"
LABELS = (*(category for category in CATEGORIES if category != "note"), classifier.NO_CLAIM)
Table = dict[str, list[float]]


class Example(NamedTuple):
    """A statement that may be a claim: what it shows, and the category in which it is labelled."""

    shown: list[str]
    label: str


def replace_weights(weights_by_language: dict[str, dict[str, str]]) -> None:
    """File by other weights from now on."""
    classifier.weights_by_feature.cache_clear()
    classifier.load_claim_weights = lambda: weights_by_language  # type: ignore[assignment, attr-defined]


def run() -> None:
    """Print the estimate on the rows that the rules have not seen, before and after; write the weights if asked."""
    known = [row for half in KNOWN for row in read(LABELLED / f"{half}.jsonl")]
    judged = read(LABELLED / f"{JUDGED}.jsonl")
    if "--write" in sys.argv:
        return write(train([example for row in known + judged for example in examples(row)]))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    others = [example for row in known if not row.get("near") for example in examples(row)]
    mixed = random.Random(SEED).sample(judged, len(judged))
    for fold in range(FOLDS):
        learnt = [example for at, row in enumerate(mixed) if at % FOLDS != fold for example in examples(row)]
        replace_weights(stored(train(others + learnt)))
        for row in mixed[fold::FOLDS]:
            for name in ("all", row["lang"]):
                counts[f"{name} after"] += tally(row)
                counts[f"{name} before"] += tally(row, claims_of(row, doubtful=True))
    for name in sorted(counts):
        print(f"  {name:10} {figures(counts[name])}")
    return None


def read(path: Path) -> list[Row]:
    """The rows of a file; a line that is still being written is left out."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.endswith("}")]


def examples(row: Row) -> list[Example]:
    """What the rules read in a text, and the statements that they do not, each with the label that it meets."""
    speaker = "" if row["speaker"] in ("tool", "assistant") else row["speaker"]
    language, found = choose_rule_language(row["text"]), []
    for said in split_statements(row["text"], language):
        read = [draft for draft in draft_claims(said, speaker, language) if draft.claim_type != "relation"]
        for draft in read or ([None] if may_hold_claim(said, language) else []):
            label = _label(row, said, draft, UtteranceContext(speaker, row["now"] or "", language))
            found.append(Example(statement_features(said, draft, speaker, language), label))
    return found


def train(seen: list[Example]) -> Table:
    """The weights of a multinomial logistic regression by stochastic gradient descent, the largest of them, in tenths.

    The loss is that of all statements and half of `DECAY` times the squared weights; steps shrink to nothing.
    """
    counts = Counter(feature for example in seen for feature in example.shown)
    kept = {feature for feature, count in counts.items() if count >= FEWEST and not set(feature) & UNWRITABLE}
    table: Table = {feature: [0.0] * len(LABELS) for feature in sorted(kept | {classifier.BIAS})}
    ready = [([*filter(kept.__contains__, shown), classifier.BIAS], LABELS.index(label)) for shown, label in seen]
    order = random.Random(SEED)
    for turn in range(ROUNDS):
        order.shuffle(ready)
        rate = RATE * (1 - turn / ROUNDS)
        for example in ready:
            _step(table, example, rate)
        for row in table.values():
            row[:] = [weight * (1 - rate * DECAY) for weight in row]
    return _largest(table)


def split_feature_language(feature: str) -> tuple[str, str]:
    """The language of a feature, empty for what all share, and the rest."""
    own = feature[2:3] in (".", "^", "$") and feature[:2] in LANGUAGES
    return (feature[:2], feature[2:]) if own else ("", feature)


def stored(table: Table) -> dict[str, dict[str, str]]:
    """The weights as they are stored: for what all languages share (`""`) and each language, a string per category."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for feature, row in table.items():
        language, rest = split_feature_language(feature)
        for label, weight in zip(LABELS, row, strict=True):
            if weight or feature == classifier.BIAS:
                found[language][label].append(f"{rest}:{weight:.0f}")
    return {language: {label: " ".join(line) for label, line in lines.items()} for language, lines in found.items()}


def write(table: Table) -> None:
    """Write the weights: what all languages share, English, then the others, each category on lines of equal width."""
    found = stored(table)
    lines = {
        language: {category: _wrapped(line.split()) for category, line in found[language].items()}
        for language in ("", "en", "de", "es", "fr", "ja", "zh")
    }
    WRITTEN.write_text(json.dumps(lines, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _step(table: Table, example: tuple[list[str], int], rate: float) -> None:
    shown, label = example
    rows = [table[feature] for feature in shown]
    scores = [sum(column) for column in zip(*rows, strict=True)]
    most = max(scores)
    heights = [exp(score - most) for score in scores]
    whole = sum(heights)
    errors = [rate * height / whole for height in heights]
    errors[label] -= rate
    for row in rows:
        row[:] = map(sub, row, errors)


def _largest(table: Table) -> Table:
    """The weights in tenths, rounded; but for the largest in size, none."""
    sizes = sorted((abs(weight) for row in table.values() for weight in row), reverse=True)
    least = max(sizes[:LARGEST][-1], 0.05)
    kept: Table = {}
    for feature, row in table.items():
        least_here = 0 if feature == classifier.BIAS else least
        tenths = [
            float(round(weight * classifier.WEIGHT_SCALE)) if abs(weight) >= least_here else 0.0 for weight in row
        ]
        if any(tenths):
            kept[feature] = tenths
    return kept


def _label(row: Row, said: Statement, draft: ClaimDraft | None, told: UtteranceContext) -> str:
    """The category of the labelled claim that a draft, or a statement no rule reads, meets best."""
    span = render_claim(draft, said, told).span if draft else (said.start, said.start + len(said.text))
    met = [
        (gold["sort"] != "relation", shared(span, gold, row["text"]), -at, gold["category"])
        for at, gold in enumerate(row["gold"])
        if shared(span, gold, row["text"]) >= 0.5
    ]
    return str(max(met)[-1]) if met else classifier.NO_CLAIM


def _wrapped(entries: Iterable[str]) -> list[str]:
    lines = [""]
    for entry in entries:
        if _width(lines[-1] + entry) > WIDTH:
            lines.append("")
        lines[-1] += f"{entry} "
    return [line.rstrip() for line in lines]


def _width(text: str) -> int:
    """Columns: a character of Chinese or Japanese takes two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


if __name__ == "__main__":
    run()
