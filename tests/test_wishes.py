"""What an owner wishes to have forgotten is gone, and what stands near it stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.acceptance.wishes import observe
from commonplace import Memory
from commonplace.upkeep.forget import ForgetWish, select_records
from commonplace.upkeep.forget.mentions import (
    find_identifier_sentences,
    find_named_sentences,
    find_spellings,
    identifier_pattern,
)

NOW = "2026-11-05T10:00"


def message(text: str, session: str = "s1", actor: str = "owner") -> dict[str, str]:
    return {"ts": "2026-10-01T10:00", "actor": actor, "session": session, "text": text}


WISHES = [
    {
        "kind": "near_people",
        "setup": [
            message("Nora Feldt repairs the piano, her number is 555-0111. Nora Feldmann has the tuner, 555-0122."),
            message("feldt wants 90 euros an hour", "s2"),
        ],
        "lines": [{"path": "memory/semantic/contacts.md", "text": "Nora Feldmann lives in Cork Street."}],
        "action": {"verb": "forget", "entity": "Nora Feldt"},
        "questions": ["Who repairs the piano for how much?", "Where does Nora Feldmann live?"],
        "gone": ["555-0111", "90 euros"],
        "stays": ["Cork Street"],
    },
    {
        "kind": "purge_person",
        "setup": [
            message("My landlord Ilja Brandl lives in Kiel. My accountant is Ida Falk, her office is in Ghent."),
            message("Ilja sold the boat. He has a bad back.", "s2", "agent"),
        ],
        "lines": [],
        "action": {"verb": "forget", "entity": "Ilja"},
        "questions": ["Who sold the boat?", "Where does my landlord live?", "Where is the office of my accountant?"],
        "gone": ["Kiel", "the boat", "bad back"],
        "stays": ["Ghent"],
    },
    {
        "kind": "half_compound",
        "setup": [message("The gate is at the mill, and the gate code is 7714. The mill has a café.")],
        "lines": [],
        "action": {"verb": "replace", "containing": "gate is at the mill", "text": "The gate is at the mill."},
        "questions": ["What is the gate code?", "Where is the gate?"],
        "gone": ["7714"],
        "stays": ["at the mill"],
    },
    {
        "kind": "obfuscated",
        "setup": [
            message("The depot's number is +49 171 5550188."),
            message("for the sign: zero one seven one, five five five, zero one eight eight", "s2"),
            message("The other depot has 0171 5550189.", "s3"),
        ],
        "lines": [{"path": "memory/semantic/contacts.md", "text": "Depot: (0171) 555 01 88"}],
        "action": {"verb": "forget", "query": "+49 171 5550188"},
        "questions": ["What is the number of the depot?", "What is on the sign?"],
        "gone": ["5550188", "555 01 88", "one eight eight"],
        "stays": ["0171 5550189"],
    },
    {
        "kind": "supersede",
        "setup": [message("The bakery delivers at 6 in the morning.")],
        "lines": [],
        "action": {
            "verb": "replace",
            "containing": "delivers at 6",
            "text": "The bakery delivers at 7 in the evening.",
        },
        "questions": ["When does the bakery deliver?"],
        "gone": ["6 in the morning"],
        "stays": ["7 in the evening"],
    },
]


@pytest.mark.parametrize("wish", WISHES, ids=[str(wish["kind"]) for wish in WISHES])
def test_a_wish_takes_what_must_go_and_leaves_what_must_stay(wish: dict[str, object]) -> None:
    outcome = observe({**wish, "asked_at": NOW})
    assert (outcome["left"], outcome["missing"]) == ({}, [])


@pytest.mark.parametrize(
    ("name", "named", "other"),
    [
        ("Tom Reis", ["reis moved out", "T. Reis owes 20", "Reis's dog barks"], ["Tom from work", "the rice is done"]),
        ("Ada Keller", ["A. Keller owes 20"], ["T. Keller owes 20", "Keller owes 30"]),
        ("Mr Akin", ["Mr Akin called"], ["Mrs Akin called", "akins is a firm name"]),
        ("Lina Moor", ["the Moor was late", "Frau Moor called"], ["Lina Moorhead paid", "Lina is on the list"]),
        ("Bo Lund", ["Bo Lund sings"], ["Lund Bo dances", "Bo is a name", "Lund is a town"]),
        ("周敏", ["周敏来了", "我见过周敏"], ["周敏敏老师走了", "周敏敏在家"]),
        ("Hope", ["Hope paid for Hope", "we met Hope"], ["I hope it rains"]),
    ],
)
def test_a_name_is_found_by_the_part_that_nobody_else_has(name: str, named: list[str], other: list[str]) -> None:
    corpus = [*named, *other, f"We met {name} there.", "Tom Keller sings.", "Then Tom Keller sang."]
    spellings = find_spellings((name,), corpus)
    assert [one for one in named if not find_named_sentences(spellings, one)] == []
    assert [one for one in other if find_named_sentences(spellings, one)] == []


def test_a_sentence_that_is_unclear_without_the_one_before_concerns_the_same() -> None:
    spellings = find_spellings(("Ilja",), ())
    told = "Ilja left the boat here. He wants it back by May. The hut is closed in March. He is ill."
    assert "".join(find_named_sentences(spellings, told)) == "Ilja left the boat here. He wants it back by May. "


@pytest.mark.parametrize(
    ("identifier", "same", "other"),
    [
        ("K-QX 4417", ["kqx4417", "k qx 44 17", "K.QX-4417!"], ["K-QX 44171", "AK-QX 4417", "K-QX 4471"]),
        ("0160 5550123", ["+49 160 555 01 23", "0049 (0)160 5550123", "0160-5550123"], ["0160 5550132", "5550123"]),
        ("+44 20 5550 0199", ["020 5550 0199", "(020) 55500199"], ["021 5550 0199"]),
        (
            "mia.roth@post.example",
            ["mia.roth (at) post dot example", "MIA.ROTH@POST.EXAMPLE"],
            ["mia.rothe@post.example"],
        ),
        ("70 15 88", ["siebzig fünfzehn achtundachtzig, bitte für die Tür"], ["siebzig fünfzehn, bitte für die Tür"]),
    ],
)
def test_an_identifier_is_found_however_it_is_written(identifier: str, same: list[str], other: list[str]) -> None:
    pattern = identifier_pattern(identifier)
    assert pattern is not None
    assert [one for one in same if not find_identifier_sentences(pattern, one)] == []
    assert [one for one in other if find_identifier_sentences(pattern, one)] == []


@pytest.mark.parametrize("words", ["Tom plumber", "db1", "a@b"])
def test_ordinary_words_and_what_is_too_short_are_no_identifier(words: str) -> None:
    assert identifier_pattern(words) is None


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path)
    said = "Rosa Blum is my dentist, her practice is in Bern. My accountant is Ida Falk, her office is in Ghent."
    memory.capture(said, now="2026-11-01T10:00", session="s1")
    memory.consolidate(apply=True, now="2026-11-02T10:00")
    return memory


def test_a_line_about_something_else_stays_though_its_message_goes(memory: Memory) -> None:
    selected = select_records(memory.workspace.synced_index(), ForgetWish(entity="Rosa Blum"))
    texts = [one.record.text for one in selected]
    assert any("dentist" in text for text in texts)
    assert [text for text in texts if "Ghent" in text and "Rosa" not in text] == []
    captured = next(one for one in selected if one.record.is_evidence)
    assert captured.concerned.strip() == "Rosa Blum is my dentist, her practice is in Bern."
    by_id = captured.record.id
    whole = select_records(memory.workspace.synced_index(), ForgetWish((by_id,)))
    assert any("Ghent" in one.record.text and "Rosa" not in one.record.text for one in whole)


def test_what_replaces_a_message_replaces_the_lines_that_were_made_of_it_about_the_same(memory: Memory) -> None:
    captured = next(hit.record for hit in memory.recall("dentist", evidence="only", now=NOW).hits)
    memory.retain("Max Kern is my dentist.", supersedes=(captured.id,), now=NOW)
    texts = [hit.record.text for hit in memory.recall("Who is my dentist, and my accountant?", now=NOW).hits]
    assert sorted(texts) == ["Max Kern is my dentist.", "My accountant is Ida Falk, her office is in Ghent."]


def test_a_line_that_only_leaves_something_out_shows_no_earlier_value(memory: Memory) -> None:
    line = memory.retain("The flat has two keys, and the alarm code is 3321.", now=NOW).record
    assert line
    memory.retain("The flat has two keys.", supersedes=(line.id,), now=NOW)
    assert [hit.earlier for hit in memory.recall("How many keys has the flat?", now=NOW).hits[:1]] == [()]
    other = memory.retain("The flat has nine windows.", now=NOW).record
    assert other
    memory.retain("The flat has eight windows.", supersedes=(other.id,), now=NOW)
    assert memory.recall("How many windows has the flat?", now=NOW).hits[0].earlier
