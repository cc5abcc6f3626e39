"""Precision, recall and junk rate of extraction on labelled sentences, and what it makes of real conversations."""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from commonplace.extract import Claim, extract_claims, pipeline

LABELLED = Path(__file__).parents[1] / "tests/data/extraction"
SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[2] / "shared"))
SAMPLES, SEED = 30, 20251127
Row = dict[str, Any]


def run() -> None:
    """Print the figures of each labelled half that is there, then of the LoCoMo conversations."""
    for half in ("dev", "dev2", "heldout"):
        path = LABELLED / f"{half}.jsonl"
        if path.is_file():
            report(half, [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()])
    corpus = SHARED / "bench/locomo/corpus.jsonl.gz"
    if corpus.is_file():
        conversations(corpus, samples="--samples" in sys.argv)


def report(half: str, rows: list[Row]) -> None:
    """One line per language and one for all: precision, recall and the share of claims on sentences that hold none.

    A claim is found right if it rests on at least half of the words on which a labelled one rests (or the other way
    round, where that is shorter); behind that, how many are filed in the labelled category as well.
    """
    print(f"{half}: {len(rows)} texts, {sum(map(len, (row['gold'] for row in rows)))} labelled claims")
    for language in ("all", *sorted({row["lang"] for row in rows})):
        counts = Counter[str]()
        for row in rows:
            if language in ("all", row["lang"]):
                counts += tally(row)
        print(f"  {language:4} {figures(counts)}")


def figures(counts: Counter[str]) -> str:
    """The counts as precision, recall and junk rate."""
    claims, gold = counts["claims"], counts["gold"]
    precision, recall, junk = (
        counts["right"] / max(claims, 1),
        counts["right"] / max(gold, 1),
        counts["junk"] / max(claims, 1),
    )
    found = f"precision {counts['found'] / max(claims, 1):.3f}  recall {counts['hit'] / max(gold, 1):.3f}"
    strict = f"in the labelled category {precision:.3f} {recall:.3f}"
    return f"{found}  junk {junk:.3f}  {strict}  ({counts['right']} of {claims}, {gold} wanted)"


def tally(row: Row, claims: tuple[Claim, ...] | None = None) -> Counter[str]:
    """Claims, gold claims, those of each that meet (`found`, `hit`), those that do in the labelled category (`right`),
    and junk, of one labelled text."""
    claims = claims_of(row) if claims is None else claims
    met = [
        {at for at, gold in enumerate(row["gold"]) if overlap(claim.span, gold, row["text"]) >= 0.5} for claim in claims
    ]
    counts = Counter({"claims": len(claims), "gold": len(row["gold"]), "right": sum(matched(claims, row).values())})
    counts["junk"] = 0 if row["gold"] else len(claims)
    counts["found"] = sum(map(bool, met))
    counts["hit"] = len(set[int]().union(*met))
    return counts


def claims_of(row: Row, *, doubtful: bool = False) -> tuple[Claim, ...]:
    """What is extracted from a labelled text; tools' and assistants' texts have no speaker to tell of."""
    speaker = "" if row["speaker"] in ("tool", "assistant") else row["speaker"]
    extract = extract_doubtful if doubtful else extract_claims
    return extract(row["text"], speaker=speaker, now=row["now"] or "")


def extract_doubtful(text: str, **known: str) -> tuple[Claim, ...]:
    """What the rules read, as they file it, sure or not."""
    with mock.patch.object(pipeline, "draft_certain_claims", pipeline.draft_claims):
        return extract_claims(text, **known)


def matched(claims: Iterable[Claim], row: Row) -> dict[int, int]:
    """For each claim, 1 if a labelled claim of its category, not yet used, shares half of the shorter of the two."""
    free = list(row["gold"])
    right: dict[int, int] = {}
    for number, claim in enumerate(claims):
        fits = [
            gold
            for gold in free
            if gold["category"] == claim.category and overlap(claim.span, gold, row["text"]) >= 0.5
        ]
        best = max(fits, key=lambda gold: overlap(claim.span, gold, row["text"]), default=None)
        right[number] = int(best is not None)
        if best is not None:
            free.remove(best)
    return right


def overlap(span: tuple[int, int], gold: Row, text: str) -> float:
    """The shared share of the shorter of two stretches; a quotation that is not in the text shares nothing."""
    start = text.find(gold["quote"])
    if start < 0:
        return 0.0
    shared = min(span[1], start + len(gold["quote"])) - max(span[0], start)
    return max(shared, 0) / max(1, min(span[1] - span[0], len(gold["quote"])))


def conversations(corpus: Path, *, samples: bool) -> None:
    """Claims per hundred turns of the conversations, the pace, and with `--samples` some to read."""
    turns = list(_turns(corpus))
    begun = time.perf_counter()
    made = [
        (turn, claim)
        for turn in turns
        for claim in extract_claims(turn["text"], speaker=turn["speaker"], now=turn["timestamp"][:16])
    ]
    seconds = time.perf_counter() - begun
    sorts = Counter(claim.claim_type for _, claim in made)
    share, pace = 100 * len(made) / len(turns), len(turns) / seconds
    print(f"locomo: {len(turns)} turns, {share:.1f} claims per 100, {pace:.0f} turns/s")
    print("  " + ", ".join(f"{sort} {number}" for sort, number in sorts.most_common()))
    for turn, claim in random.Random(SEED).sample(made, SAMPLES) if samples else ():
        triple = f"{claim.entity}|{claim.attribute}|{claim.value}"
        print(f"  {turn['id']} {claim.claim_type}/{claim.category} [{triple}] {claim.text}")


def _turns(corpus: Path) -> Iterator[Row]:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    run()
