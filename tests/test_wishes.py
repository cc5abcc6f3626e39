"""What an owner wishes to have forgotten is gone, and what stands near it stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.acceptance.wishes import observe
from commonplace import Memory
from commonplace.language.text import split_sentences
from commonplace.storage.journal import Journal
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


def test_a_sentence_is_hidden_and_the_rest_of_its_message_stays_until_it_is_shown_again(memory: Memory) -> None:
    before = memory.dump()
    forgotten = memory.forget(entity="Rosa Blum", apply=True, now=NOW)
    captured = next(hit.record for hit in memory.recall("accountant", evidence="only", now=NOW).hits)
    assert captured.text == "… My accountant is Ida Falk, her office is in Ghent."
    assert not memory.recall("Who is my dentist?", now=NOW).hits
    hidden = memory.dump()
    memory.rebuild()
    assert memory.dump() == hidden
    memory.undo(forgotten.id)
    memory.sync()
    assert [line for line in memory.dump() if '"ledger"' not in line and '"explained"' not in line] == [
        line for line in before if '"ledger"' not in line and '"explained"' not in line
    ]


def test_two_sentences_of_a_message_are_hidden_one_after_the_other(memory: Memory) -> None:
    memory.capture("Ada Long paints. Bo Short sings. Cy Tall swims.", now=NOW, session="s2")
    memory.forget(entity="Bo Short", apply=True, now=NOW)
    memory.forget(entity="Ada Long", apply=True, now=NOW)
    texts = [hit.record.text for hit in memory.recall("Who swims?", now=NOW).hits]
    assert texts == ["… Cy Tall swims."]
    memory.forget(entity="Cy Tall", apply=True, now=NOW)
    assert not memory.recall("Who swims?", now=NOW).hits


def test_a_line_of_which_a_sentence_is_hidden_stays_so_when_its_file_changes(memory: Memory) -> None:
    notes = Path(memory.root, "memory/semantic/contacts.md")
    notes.write_text(
        "# Contacts\n\n- Ada Long paints. Bo Short sings. <!-- id: ada00001 -->\n- The choir meets in Ypres.\n",
        encoding="utf-8",
    )
    memory.forget(entity="Bo Short", apply=True, now=NOW)
    places = memory.workspace.synced_index().hidden_places()
    notes.write_text(notes.read_text(encoding="utf-8").replace("Ypres", "Mons"), encoding="utf-8")
    assert [hit.record.text for hit in memory.recall("Who paints?", now=NOW).hits] == ["Ada Long paints. …"]
    assert memory.workspace.synced_index().hidden_places() == places
    notes.write_text(notes.read_text(encoding="utf-8").replace("sings.", "sings. She sails."), encoding="utf-8")
    assert "sings" not in str([hit.record.text for hit in memory.recall("Who paints and sings?", now=NOW).hits])


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("bench 6. Ada Long has the other", ["bench 6. ", "Ada Long has the other"]),
        ("sold the boat. it was old", ["sold the boat. ", "it was old"]),
        ("sold the boat! it was old", ["sold the boat! ", "it was old"]),
        ("Der Termin ist am 3. Oktober bei Dr. Falk.", ["Der Termin ist am 3. Oktober bei Dr. Falk."]),
        ("Büro am Platz 3. Ada Long malt dort.", ["Büro am Platz 3. ", "Ada Long malt dort."]),
    ],
)
def test_sentences_written_in_haste_are_told_apart(text: str, sentences: list[str]) -> None:
    assert split_sentences(text, loosely=True) == sentences


def test_a_short_name_in_an_apposition_names_the_same_person() -> None:
    spellings = find_spellings(("Beatrix Holm",), ["Beatrix Holm, everyone says Bea, drives.", "Bea has a car."])
    assert find_named_sentences(spellings, "Bea has a car.")
    assert not find_named_sentences(spellings, "Ben has a car.")


ECHOES = [
    ("agent", "I told the guests: Fjellro / moose-kettle-88."),
    ("tool", "wifi guests connected with moose-kettle-88 to Fjellro"),
    ("owner", "the guests of the neighbours use heron-lamp-12"),
    ("owner", "Fjellro is the name of the hill behind the cabin"),
]


@pytest.fixture
def cabin(memory: Memory) -> Memory:
    notes = Path(memory.root, "memory/semantic/cabin.md")
    notes.write_text("# Cabin\n\n- Guests log on to Fjellro with moose-kettle-88.\n", encoding="utf-8")
    for actor, text in ECHOES:
        memory.capture(text, actor=actor, now="2026-11-03T10:00", session="s9")
    return memory


def stated(memory: Memory) -> str:
    return str([hit.record.text for hit in memory.recall("Fjellro guests moose-kettle-88", now=NOW).hits])


def test_what_states_the_old_value_is_replaced_with_it_and_comes_back_with_it(cabin: Memory) -> None:
    line = next(hit.record for hit in cabin.recall("Guests log on", now=NOW).hits if not hit.record.is_evidence)
    new = "Guests log on to Fjellro with lantern-orbit-51."
    kept = cabin.retain(new, supersedes=(line.id,), now=NOW)
    assert {one.record.text for one in kept.met if one.effect == "replaces"} == {text for _actor, text in ECHOES[:2]}
    assert "moose" not in stated(cabin)
    current = next(hit for hit in cabin.recall(new, now=NOW).hits if hit.record.text == new)
    assert (current.earlier[0].id, len(current.earlier)) == (line.id, 3)
    assert "heron-lamp-12" in str(cabin.recall("heron-lamp-12", now=NOW).hits)
    assert "name of the hill" in stated(cabin)
    log = Path(cabin.root, "memory/2026-11-05.md")
    log.write_text("# 2026-11-05\n", encoding="utf-8")
    assert stated(cabin).count("moose-kettle-88") == 3


def test_an_edited_line_supersedes_what_states_its_old_value(cabin: Memory) -> None:
    assert stated(cabin).count("moose-kettle-88") == 3
    notes = Path(cabin.root, "memory/semantic/cabin.md")
    text = notes.read_text(encoding="utf-8")
    notes.write_text(text.replace("moose-kettle-88", "lantern-orbit-51"), encoding="utf-8")
    cabin.sync()
    assert "moose" not in stated(cabin)
    assert "name of the hill" in stated(cabin)
    edited = cabin.dump()
    cabin.rebuild()
    assert cabin.dump() == edited
    notes.write_text(text, encoding="utf-8")
    assert stated(cabin).count("moose-kettle-88") == 3


def test_what_states_a_value_of_a_period_that_is_over_goes_when_a_line_says_what_followed(memory: Memory) -> None:
    first = "The covering dentist is Dr. Kolbe, at 4410 in Bern."
    memory.retain(first, valid="2026-07-01..2026-09-30", now="2026-07-02T09:00")
    rang = "I rang the covering dentist, Dr. Kolbe at 4410."
    memory.capture(rang, actor="agent", session="s1", now="2026-08-02T09:00")
    assert rang in str(memory.recall("covering dentist", now=NOW).hits)
    memory.retain("The dentist in Bern is Dr. Falk, at 4438.", valid="2026-10-01..", now=NOW)
    assert rang not in str(memory.recall("covering dentist", now=NOW).hits)


def test_an_edited_log_supersedes_nothing(cabin: Memory) -> None:
    log = Path(cabin.root, "memory/2026-11-04.md")
    log.write_text("# 2026-11-04\n\n- Guests log on to Fjellro with moose-kettle-88.\n", encoding="utf-8")
    cabin.sync()
    log.write_text("# 2026-11-04\n\n- Guests log on to Fjellro with lantern-orbit-51.\n", encoding="utf-8")
    assert stated(cabin).count("moose-kettle-88") == 3


def test_an_edit_that_comes_with_the_ledger_of_another_device_is_noted_there(cabin: Memory) -> None:
    cabin.sync()
    notes = Path(cabin.root, "memory/semantic/cabin.md")
    text = notes.read_text(encoding="utf-8")
    Journal(cabin.root, "phone").append({"op": "used", "ts": NOW, "records": ["abcd2"]}, "ledger")
    notes.write_text(text.replace("moose-kettle-88", "lantern-orbit-51"), encoding="utf-8")
    cabin.sync()
    ledgers = Path(cabin.root, ".memory/journal").glob("ledger-*.jsonl")
    assert not any(b'"op":"edited"' in path.read_bytes() for path in ledgers)
    assert stated(cabin).count("moose-kettle-88") == 2


def test_a_line_that_is_removed_supersedes_nothing(cabin: Memory) -> None:
    notes = Path(cabin.root, "memory/semantic/cabin.md")
    notes.write_text("# Cabin\n\n## Fjellro\n\n- Guests log on to Fjellro with moose-kettle-88.\n", encoding="utf-8")
    cabin.sync()
    notes.write_text("# Cabin\n\n## Fjellro\n", encoding="utf-8")  # a heading without lines is a record
    assert stated(cabin).count("moose-kettle-88") == 2


def test_a_number_or_an_ordinary_word_alone_is_no_value_of_the_same_thing(memory: Memory) -> None:
    line = memory.retain("Nils has football at 15:20 by the north gate.", now="2026-11-03T10:00").record
    assert line
    memory.capture("Nils has the dentist at 15:20, take him to the north gate.", now="2026-11-03T10:00")
    kept = memory.retain("Nils has football at 14:35 by the south gate.", supersedes=(line.id,), now=NOW)
    assert not [one for one in kept.met if one.record.is_evidence]
