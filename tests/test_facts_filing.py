"""Under which category claims are filed, what is too unsure to keep, and in which language a short text is read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from bench import weights
from bench.extraction import extract_doubtful
from commonplace.extract import classifier, extract_claims
from commonplace.extract.claims import Statement
from commonplace.extract.classifier import statement_features
from commonplace.extract.statements import choose_rule_language

NOW = "2025-11-27T09:40"
FLAT = {"": dict.fromkeys(("fact", "tool", "plan", "none"), "bias:0")}


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Weights of a test's own, and the stored ones again behind it."""
    monkeypatch.setattr(classifier, "load_claim_weights", classifier.load_claim_weights)
    weights.replace_weights(FLAT)
    yield
    classifier.weights_by_feature.cache_clear()


def filed(text: str, speaker: str = "", *, doubtful: bool = False) -> list[str]:
    return [
        claim.category for claim in (extract_doubtful if doubtful else extract_claims)(text, speaker=speaker, now=NOW)
    ]


def test_the_weights_decide_under_which_category_a_claim_is_filed(weighed: None) -> None:
    text = "The staging DB listens on port 6432."
    weights.replace_weights(FLAT | {"en": {"fact": ".port:60"}})
    assert filed(text, doubtful=True) == ["tool"]
    assert filed(text) == ["fact"]
    assert [claim.claim_type for claim in extract_claims(text)] == ["attribute"]
    weights.replace_weights(FLAT | {"en": {"plan": ".port:60"}})
    assert [claim.claim_type for claim in extract_claims(text)] == ["commitment"]


def test_what_could_be_of_two_categories_is_not_kept(weighed: None) -> None:
    assert filed("The staging DB listens on port 6432.") == []


def test_what_somebody_asks_to_remember_is_kept_however_unsure(weighed: None) -> None:
    text = "Remember that the staging DB listens on port 6432."
    assert len(filed(text)) == 1
    weights.replace_weights(FLAT | {"en": {"none": ".port:60"}})
    assert len(filed(text)) == 1


def test_words_that_speak_for_nothing_keep_nothing(weighed: None) -> None:
    weights.replace_weights(FLAT | {"en": {"none": ".port:60"}})
    assert filed("The staging DB listens on port 6432.") == []


def test_a_statement_that_no_rule_reads_is_kept_where_its_words_are_sure(weighed: None) -> None:
    text = "Zwei Leute zeichnen jede Bestellung ab."
    weights.replace_weights(FLAT | {"de": {"plan": ".bestellung:9"}})
    assert filed(text) == []
    weights.replace_weights(FLAT | {"de": {"plan": ".bestellung:60"}})
    assert filed(text, doubtful=True) == []
    assert filed(text) == ["plan"]
    assert [claim.claim_type for claim in extract_claims(text)] == ["commitment"]


def test_what_a_named_person_chats_must_be_read_by_a_rule(weighed: None) -> None:
    weights.replace_weights(FLAT | {"de": {"plan": ".bestellung:60"}})
    assert filed("Zwei Leute zeichnen jede Bestellung ab.", "Peter") == []


@pytest.mark.parametrize(
    "text", ["Zeichnen zwei Leute jede Bestellung ab?", "2025-01-04 10:11:12 Bestellung 7 abgelegt"]
)
def test_no_question_and_no_output_is_kept_for_its_words(weighed: None, text: str) -> None:
    weights.replace_weights(FLAT | {"de": {"plan": ".bestellung:60"}, "en": {"plan": ".bestellung:60"}})
    assert filed(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "drwxr-xr-x 6 dev dev 4096 Mar 3 11:20 src",
        "const PORT = 4000; // never change",
        "64 bytes from 192.0.2.17: icmp_seq=0 ttl=57 time=11.8 ms",
        "Warning: the port 8080 moved to 9090",
    ],
)
def test_what_a_program_prints_is_no_claim(text: str) -> None:
    assert filed(text, doubtful=True) == []


def test_a_feature_belongs_to_its_language() -> None:
    said = Statement("Der Port ist 6432", "der port ist 6432", 0)
    shown = statement_features(said, None, "", "de")
    assert {"de.port", "de.#", "sign=tech", "digit", "unread"} <= set(shown)
    assert weights.split_feature_language("de.port") == ("de", ".port")
    assert weights.split_feature_language("read=attribute/tool") == ("", "read=attribute/tool")
    assert not [feature for feature in shown if " " in feature]


@pytest.mark.slow
def test_training_is_deterministic_and_learns_what_the_labels_say(weighed: None) -> None:
    seen = [weights.Example(["en.port", "digit"], "tool"), weights.Example(["en.friday", "digit"], "plan")] * 400
    table = weights.train(seen)
    assert table == weights.train(seen)
    weights.replace_weights(weights.stored(table))
    assert classifier.category_probabilities(["en.port"])["tool"] > classifier.MIN_CATEGORY_PROBABILITY
    assert classifier.category_probabilities(["en.friday"])["plan"] > classifier.MIN_CATEGORY_PROBABILITY


def test_the_weights_are_not_read_before_they_are_needed() -> None:
    code = (
        "import sys, commonplace.extract; print([name for name in sys.modules if 'learned' in name or 'signs' in name])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Finalement on part sur Django plutôt que Symfony"),
        ("de", "Mein Bruder wohnt übrigens gar nicht mehr in Kiel, sondern in Flensburg"),
        ("de", "Verbindung zum Server getrennt"),
        ("es", "Llaves abajo"),
        ("en", 'He said "put me down for two tickets" but he says that every year'),
        ("en", "The port on the server is 6432"),
        ("ja", "Redis 7.2.4 (standalone) 待受ポート 6390、maxmemory 2gb"),
        ("zh", "redis 端口 6390"),
    ],
)
def test_a_short_text_is_read_in_its_language(language: str, text: str) -> None:
    assert choose_rule_language(text) == language


@pytest.mark.parametrize(
    "text", ["祖母の梅干しは三日干します", "友達の友達が島に住んでいます", "義父の三回忌は十一月です"]
)
def test_what_a_japanese_relative_has_is_not_their_name(text: str) -> None:
    assert "relation" not in [claim.claim_type for claim in extract_doubtful(text)]


def test_a_japanese_relative_is_known_by_name() -> None:
    assert ("relation", "美咲") in [(claim.claim_type, claim.value) for claim in extract_claims("妹の美咲は看護師です")]
