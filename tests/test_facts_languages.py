"""What German, French, Spanish, Chinese and Japanese sentences of many kinds say, and which of them say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.extraction import extract_doubtful
from commonplace.extract import extract_claims

NOW = "2025-11-27T09:40"
FOLDER = Path(__file__).parent / "data" / "extraction" / "sentences"
ROWS = [
    (path.stem, *line.split(" | ", 1))
    for path in sorted(FOLDER.glob("*.txt"))
    for line in path.read_text("utf-8").strip().split("\n")
]
STATED = [row for row in ROWS if row[1] != "none"]


@pytest.mark.parametrize(("language", "category", "sentence"), STATED)
def test_a_sentence_is_read_as_what_it_says(language: str, category: str, sentence: str) -> None:
    found = extract_doubtful(sentence, speaker="Peter", now=NOW, language=language)
    assert category in [claim.category for claim in found]
    assert {claim.category for claim in found} <= {category, "person"}


def test_the_stored_weights_keep_what_the_rules_read_rightly() -> None:
    """Of the sentences by which the rules are tested; none goes where it does not belong."""
    found = [
        (category, {claim.category for claim in extract_claims(text, speaker="Peter", now=NOW, language=language)})
        for language, category, text in STATED
    ]
    assert all(filed <= {category, "person"} for category, filed in found)
    assert sum(category in filed for category, filed in found) > 0.85 * len(found)


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, text) for language, what, text in ROWS if what == "none"]
)
def test_what_passes_asks_supposes_or_orders_is_no_claim(language: str, sentence: str) -> None:
    assert extract_doubtful(sentence, speaker="Peter", now=NOW, language=language) == ()
