"""Two statements are compared: one slot that differs, cues of change, and what asserts nothing."""

from __future__ import annotations

import pytest

from commonplace.truth import Comparison, LineContext, Verdict, compare_statements, read_statements

ORDER: tuple[Verdict, ...] = ("replaces", "conflicts", "twins", "enriches", "same", "independent")


def compare(old: str, new: str, language: str = "en", *, is_talk: bool = False) -> Comparison:
    """The strongest relation between the statements of two lines; twins and replacements share a signature."""
    context = LineContext(language=language, speaker="Mara", is_talk=is_talk)
    pairs = [(n, o) for n in read_statements(new, context) for o in read_statements(old, context)]
    results = [(ORDER.index(c.verdict), n, o, c) for n, o in pairs for c in [compare_statements(n, o)]]
    _, first, second, best = min(results, key=lambda row: row[0])
    if best.slot and best.reason.startswith("slot"):
        assert set(first.signatures) & set(second.signatures)
    return best


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The staging database listens on port 5433.", "No, the staging database listens on 6543.", "en"),
        ("The reporting service is on 5433.", "The reporting service is on 6543 now, not 5433.", "en"),
        ("The dashboards read from DuckDB.", "The dashboards read from Postgres instead of DuckDB.", "en"),
        ("The retry limit is 3.", "The retry limit was raised from 3 to 5.", "en"),
        ("Omar drives a Polo.", "Omar doesn't drive a Polo any more.", "en"),
        ("Hope Brenner works at Allianz.", "Hope Brenner works at Siemens now.", "en"),
        ("Die Sicherung startet um 2 Uhr.", "Merk dir, dass die Sicherung um 4 Uhr startet.", "de"),
        ("Claire travaille chez Renault.", "Claire travaille maintenant chez Airbus.", "fr"),
        ("Los informes usan DuckDB.", "Los informes usan Postgres en lugar de DuckDB.", "es"),
        ("测试数据库的端口是5433。", "不对，测试数据库的端口是6543。", "zh"),
        ("佐藤さんはソニーで働いています。", "佐藤さんは今は任天堂で働いています。", "ja"),
    ],
)
def test_a_cue_of_change_makes_a_replacement_of_one_slot_that_differs(old: str, new: str, language: str) -> None:
    assert compare(old, new, language).verdict == "replaces"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The front door is painted green.", "The front door is painted blue."),
        ("Kofi's sport is rugby.", "Kofi's sport is rugby union."),
        ("Nadia's sport is association football.", "Nadia's sport is football."),
        ("The head of support is Priya Rao.", "The head of support is Jonas Thiele."),
        ("The cleaner comes on Tuesdays.", "The cleaner comes on Fridays."),
    ],
)
def test_one_slot_that_differs_without_a_cue_makes_twins(old: str, new: str) -> None:
    assert compare(old, new).verdict == "twins"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging database listens on 5433.", "Does the staging database listen on 6543 now?"),
        ("The staging database listens on 5433.", 'The wiki says: "The staging database now listens on 6543."'),
        ("The API gateway runs on port 8080.", "The API gateway used to run on port 9090."),
        ("The gym closes at 22.", "The gym would close at 23 if the council agreed."),
        ("We use Postgres for billing.", "We use Redis for queues."),
        ("I am vegetarian.", "My sister is vegan now."),
        ("I work at Bosch.", "Priya, Jonas and I work at the food bank now."),
    ],
)
def test_what_asserts_nothing_or_is_of_another_is_independent(old: str, new: str) -> None:
    assert compare(old, new).verdict == "independent"
