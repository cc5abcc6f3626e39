"""Whom or what a line is about, of what category it is, when it holds, and what goes to the core."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.extract.candidates import Candidate
from commonplace.model import Capture
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate import ClaimRecord, claims
from commonplace.upkeep.consolidate.claims import Passage, make_claim
from tests.support.claim_grammar import hear, keep, lines_of, markdown, texts

CORE, PREFERENCES = "MEMORY.md", "memory/semantic/preferences.md"


def made(text: str, speaker: str = "", **known: str) -> ClaimRecord:
    """The claim of a message of one sentence."""
    capture = Capture(
        id="obs:1", ts="2025-11-10T09:00", text=text, type="message", actor="owner", origin="trusted", detail={"speaker": speaker}
    )  # fmt: skip
    return make_claim(Passage(capture, Candidate((0, len(text)), **known)), "Owner", Vocabulary())


@pytest.mark.parametrize(
    ("text", "owner", "peter"),
    [
        ("I work at the town library.", "", "Peter"), ("We sold the van.", "", "Peter"), ("Ich bin Lehrer.", "", "Peter"),
        ("My sister Ana works at Novartis.", "Ana", "Ana"), ("Meine Schwester Ruth schwimmt.", "Ruth", "Ruth"),
        ("我妹妹小美在医院工作。", "小美", "小美"), ("The roof of the shed leaks.", "", ""), ("It rains in Bern.", "", ""),
        ("Grafana runs on port 3000.", "Grafana", "Grafana"), ("The van of Kim is at /srv/van.", "", ""),
        ("The staging server listens on port 6432.", "staging server", "staging server"), ("Thanks to all.", "", ""),
        ("My printer listens on port 9100.", "", "Peter"), ("The door of the old shed is green.", "", ""),
    ],
)  # fmt: skip
def test_a_line_is_about_the_named_speaker_a_named_relative_or_its_subject(text: str, owner: str, peter: str) -> None:
    for speaker, entity in (("", owner), ("Peter", peter)):
        claim = made(text, speaker)
        assert (claim.entity, claim.entities) == (entity, (entity,) if entity else ())


def test_the_person_whom_a_cue_introduces_is_whom_the_line_is_about() -> None:
    text = "Our landlord handles all repairs, ask Brunner."
    assert (made(text, "Peter").entity, made(text, "Peter").category) == ("Peter", "fact")
    named = made(text, "Peter", name="Brunner")
    assert (named.entity, named.category) == ("Brunner", "person")
    assert made(text, "Peter", name="Brunner", category="procedure").category == "procedure"


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("my mum can't climb stairs any more", "Mum"), ("祖母は耳が遠い", "祖母"), ("Tim is in the Dublin office.", "Tim"),
        ("somebody new sits at the desk", ""),
    ],
)  # fmt: skip
def test_a_line_about_a_person_stands_below_a_name_or_a_relation(text: str, entity: str) -> None:
    assert made(text, category="person").entity == entity


@pytest.mark.parametrize(
    ("formed", "likely", "category"),
    [
        ("preference", "person", "person"), ("preference", "preference", "preference"), ("preference", "fact", "fact"),
        ("event", "tool", "event"), ("", "tool", "tool"), ("", "fact", "fact"),
    ],
)  # fmt: skip
def test_a_line_told_to_an_agent_is_of_the_likeliest_category_and_else_has_no_attribute_of_its_form(
    formed: str, likely: str, category: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "find_category", lambda _features, _formed: likely)
    instruction = made("The lamp glows in the hall.", category=formed, attribute="instruction")
    assert instruction.category == category
    assert instruction.attribute == ("instruction" if category == formed else "")
    assert made("The lamp glows in the hall.", category=formed, attribute="allergy").attribute == "allergy"


def test_a_category_that_another_memory_gives_is_not_chosen_anew() -> None:
    told = {"import": {"system": "memoria", "distilled": True, "category": "preference"}}
    text = "The metrics server is at metrics.orchard.test, port 9321."
    capture = Capture(
        id="obs:1", ts="2025-11-10T09:00", text=text, type="message", actor="owner", origin="trusted", detail=told
    )
    (claim,) = claims.propose_claims((capture,))
    assert (claim.category, made(text, category="preference").category) == ("preference", "tool")


def test_what_has_its_place_in_the_log_is_a_plan_or_an_event_by_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "find_category", lambda _features, _formed: "fact")
    assert made("My sister Ana swims on 4 December 2025.").category == "plan"
    assert made("My sister Ana swam on 4 December 2024.").category == "event"
    monkeypatch.setattr(claims, "find_category", lambda _features, _formed: "tool")
    assert made("My sister Ana swims on 4 December 2025.").category == "tool"


@pytest.mark.parametrize(
    ("text", "category", "kind"),
    [
        ("I moved house yesterday.", "event", "experience"), ("The fair was on 4 October 2025.", "event", "experience"),
        ("The fair starts on 4 December 2025.", "plan", "world"), ("We meet Kim next month.", "plan", "world"),
        ("I have my exam on Friday.", "fact", "world"), ("The roof of the shed leaks.", "fact", "world"),
        ("I love the old harbour in the evening.", "preference", "opinion"), ("My port is 3000.", "fact", "world"),
        ("Ana loves the old harbour in the evening.", "fact", "world"), ("Grafana runs on port 3000.", "tool", "world"),
        ("Grafana runs on a small port.", "fact", "world"), ("My sister Ana swims.", "person", "world"),
        ("I live in Bern since last year.", "fact", "world"), ("Gestern ist mein Fahrrad gestohlen worden.", "event", "experience"),
    ],
)  # fmt: skip
def test_a_line_of_talk_without_a_cue_is_of_the_category_that_its_words_and_times_are_sure_of(
    text: str, category: str, kind: str
) -> None:
    assert (made(text, "Peter").category, made(text, "Peter").kind) == (category, kind)
    assert made(text, "Peter", category="lesson").category == "lesson"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I have lived in Bern since March 2021.", ("2021-03-01", "")),
        ("The lease runs until 31 May 2026.", ("", "2026-05-31")),
        ("Ich wohne seit März 2021 in Bern.", ("2021-03-01", "")),
        ("Der Vertrag läuft bis 31. Mai 2026.", ("", "2026-05-31")),
        ("J'habite à Lyon depuis mars 2021.", ("2021-03-01", "")),
        ("Vivo en Sevilla desde marzo de 2021.", ("2021-03-01", "")),
        ("2021年3月からベルンに住んでいます。", ("2021-03-01", "")),
        ("Ana's birthday is on 4 May.", ("", "")),
        ("The roof of the shed leaks.", ("", "")),
        ("I moved house since yesterday.", ("2025-11-09", "")),
    ],
)
def test_a_line_holds_since_or_until_the_day_that_it_names(text: str, days: tuple[str, str]) -> None:
    claim = made(text, category="fact")
    assert (claim.valid_from, claim.valid_to) == days
    event = made(text, category="event")
    assert (event.valid_from, event.valid_to) == ("", "")


# The core.

ASKED = ["Remember that the lift is out of service on Sundays.", "I'm allergic to hazelnuts.", "Never deploy on Fridays."]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "memory").mkdir()
    return Memory.open(tmp_path)


def test_what_must_always_be_known_goes_to_the_core_and_can_be_taken_back(memory: Memory) -> None:
    for minute, text in enumerate((*ASKED, "We decided to use SQLite because it needs no server.")):
        hear(memory, text, ts=f"2025-11-10T09:0{minute}")
    run = keep(memory)
    assert [one.text for one in lines_of(memory, CORE, "Remembered")] == ASKED
    assert "SQLite" in markdown(memory.root)["memory/semantic/decisions.md"].decode()
    assert [text for text in texts(memory) if text in ASKED] == ASKED
    assert not memory.check().problems
    keep(memory)
    assert len(lines_of(memory, CORE, "Remembered")) == 3
    for change in reversed(run.changes):
        memory.undo(change)
    assert not set(ASKED) & set(texts(memory))


@pytest.mark.parametrize("known", [{"scope": "boat"}, {"origin": "unknown"}])
def test_what_holds_in_one_project_or_is_not_surely_the_owners_is_not_for_the_core(
    known: dict[str, str], memory: Memory
) -> None:
    hear(memory, ASKED[2], **known)
    keep(memory)
    assert CORE not in markdown(memory.root)
    assert ASKED[2] in texts(memory)


def test_what_is_to_be_remembered_goes_to_the_core_whatever_its_category(memory: Memory) -> None:
    hear(memory, "Remember that our plumber is Mr Whitlock, 07700 900551.")
    keep(memory)
    assert "Mr Whitlock" in markdown(memory.root)[CORE].decode()


def test_the_core_takes_no_more_than_sixty_lines(memory: Memory) -> None:
    full = "# Agent Memory\n\n## Remembered\n\n" + "".join(f"- Line {at} is here.\n" for at in range(55))
    Path(memory.root, CORE).write_text(full)
    for minute, food in enumerate(("hazelnuts", "lupins", "mustard")):
        hear(memory, f"I'm allergic to {food}.", ts=f"2025-11-10T09:0{minute}")
    keep(memory)
    files = markdown(memory.root)
    assert files[CORE].count(b"\n") == 60
    assert b"hazelnuts" in files[CORE]
    assert b"lupins" in files[PREFERENCES]
    assert b"mustard" in files[PREFERENCES]
