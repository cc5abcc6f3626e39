"""Questions about times of small notebooks: one probe of the open list for each phenomenon in each language."""

from __future__ import annotations

import json

import pytest

from bench.acceptance.time_probes import DATA, OPEN, ask, passes
from commonplace import Memory
from commonplace.language.when import find_time_phrases
from commonplace.shapes import Json

PROBES = json.loads((DATA / OPEN).read_text(encoding="utf-8"))
SAMPLE = {(probe["language"], probe["phenomenon"]): probe for probe in reversed(PROBES)}
# A line without any day, one by whose day something is due, and a question for the next such day.
NAMED = ["en-03-core-file", "en-27-due-friday"]
# Of the last conversation: what leads to it, what it is about, what asks, whom it asks, and of several lines the last.
NAMED += ["de-25-worum", "de-29-klavier-frueher", "fr-28-ferry-ailleurs", "fr-26-logo", "fr-20-serre", "fr-25-livre"]
NAMED += ["de-24-ohne-thema", "de-30-faehre-frueher", "fr-23-portait", "de-28-logo"]
SAMPLE |= {(probe["id"],): probe for probe in PROBES if probe["id"] in NAMED}


@pytest.mark.parametrize("probe", [pytest.param(one, id=one["id"]) for one in SAMPLE.values()])
def test_the_expected_line_comes_first(probe: Json) -> None:
    hits = ask(probe)
    assert passes(probe, hits), hits


def test_a_probe_fails_where_a_wrong_line_comes_first() -> None:
    probe = {"first": "dentist", "within": ["plumber"], "absent": ["gym"]}
    assert passes(probe, ["the dentist", "the plumber"])
    assert not passes(probe, ["the plumber", "the dentist"])
    assert not passes(probe, ["the dentist"])
    assert not passes(probe, ["the dentist of the gym", "the plumber"])


@pytest.mark.parametrize(
    "written",
    [
        "was the July invoice paid?",
        "who writes the Q3 report?",
        "the July 2026 invoice",
        "Q3 report status",
        "who is in the Monday team?",
        "die Juli-Rechnung",
        "die Rechnung vom Juli",
        "la facture de juillet",
        "l'équipe du lundi",
        "le rapport du premier trimestre",
    ],
)
def test_a_time_that_names_a_thing_is_an_attribute(written: str) -> None:
    assert all(phrase.is_attribute for phrase in find_time_phrases(written, "2026-11-27"))


@pytest.mark.parametrize(
    "written",
    [
        "what happened in July?",
        "on Monday the team met",
        "call Ada Monday after lunch",
        "what did we do last July together?",
        "le message de lundi",
        "die Nachricht vom Montag",
        "le rendez-vous du 3 mars",
        "from July to September",
        "the end of July",
    ],
)
def test_a_time_of_an_event_is_no_attribute(written: str) -> None:
    assert [phrase.is_attribute for phrase in find_time_phrases(written, "2026-11-27")] == [False]


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("Termin am 17.4. um 8 Uhr", "2026-04-17"),
        ("Hochzeit: 17.4. in Gent", "2026-04-17"),
        ("rendez-vous le 17/4", "2026-04-17"),
        ("see you on 4/17", "2026-04-17"),
    ],
)
def test_a_date_in_figures_needs_no_year(written: str, day: str) -> None:
    (phrase,) = find_time_phrases(written, "2026-02-01", direction="future")
    assert phrase.interval.last_day == day


def test_a_time_between_two_words_for_around_ends_behind_the_second() -> None:
    written = "Was war um den 27. November herum?"
    (phrase,) = find_time_phrases(written, "2026-12-20")
    assert written[phrase.start : phrase.end] == "um den 27. November herum"


@pytest.mark.parametrize("written", ["läuft mit Version 3.11. gut", "Note 2/3", "1.2.3. und mehr"])
def test_other_figures_are_no_date(written: str) -> None:
    assert not find_time_phrases(written, "2026-02-01")


def test_a_date_without_its_year_is_kept_on_both_sides(memory: Memory) -> None:
    memory.retain("We repainted the fence on 28 December.", now="2026-01-05T09:00")
    for now in ("2026-01-20T09:00", "2026-12-27T09:00"):
        assert memory.recall("what was on 28 December?", now=now).hits
    assert memory.recall("what is tomorrow?", now="2026-12-27T09:00").hits
    assert not memory.recall("what is tomorrow?", now="2027-12-27T09:00").hits
