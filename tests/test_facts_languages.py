"""What German, French, Spanish, Chinese and Japanese sentences of many kinds say, and which of them say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.extract import extract_claims, extract_triples

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
    found = extract_claims(sentence, speaker="Peter", now=NOW, language=language, include_uncertain=True)
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
    ("before", "after", "attribute"),
    [
        ("Der Port der Wiki-Datenbank ist 5440.", "Die Wiki-Datenbank läuft jetzt auf Port 5441.", "port"),
        ("Die Handynummer von Jonas ist 0176 555 12.", "Die Handynummer von Jonas lautet 0176 999.", "phone"),
        ("L'anniversaire d'Hugo, c'est le 9 mai.", "L'anniversaire d'Hugo est le 10 mai.", "birthday"),
        ("El servidor de pruebas escucha en el puerto 2525.", "El puerto del servidor de pruebas es 2526.", "port"),
        ("El cumpleaños de Lucas es el 8 de abril.", "El cumpleaños de Lucas es el 9 de abril.", "birthday"),
        ("小刘的生日是八月九号。", "小刘的生日是八月十号。", "birthday"),
        ("测试数据库的端口是3306。", "测试数据库端口改成3307了。", "port"),
        ("テストサーバーのポートは9000です。", "テストサーバーはポート9001で動いています。", "port"),
        ("木村さんの誕生日は8月9日です。", "木村さんの誕生日は8月10日です。", "birthday"),
    ],
)
def test_two_values_of_the_same_thing_have_one_key(before: str, after: str, attribute: str) -> None:
    (entity, name, old), *_ = extract_triples(before)
    assert name == attribute
    assert [key[:2] for key in extract_triples(after)] == [(entity, name)]
    assert old not in [key[2] for key in extract_triples(after)]


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, text) for language, what, text in ROWS if what == "none"]
)
def test_what_passes_asks_supposes_or_orders_is_no_claim(language: str, sentence: str) -> None:
    assert extract_claims(sentence, speaker="Peter", now=NOW, language=language, include_uncertain=True) == ()
