"""In talk only a number with its unit and a cue of change ends what was said before, on every path by which a line ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.acceptance.measuring import all_records
from commonplace import Memory
from commonplace.truth import is_written_statement

HOME, HOTEL = "I live in Kansas City.", "I live in a Hilton in Chicago now."
SHORT, LONG = "My commute takes 35 minutes by bus.", "It rained. My commute now takes 55 minutes by bus."


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "memory").mkdir()
    (tmp_path / "USER.md").write_text("- Name: Mara\n")
    return Memory.open(tmp_path)


def say(memory: Memory, *texts: str) -> list[str]:
    """Capture a message a month from January on; the ids."""
    return [
        memory.capture(text, ts=f"2025-0{month}-03T09:00", now=f"2025-0{month}-03T09:00", session=str(month)).id
        for month, text in enumerate(texts, 1)
    ]


def ended(memory: Memory, *ids: str) -> list[str]:
    """The texts of the lines, and of the captures named, that something supersedes or that are over."""
    index = memory.workspace.synced_index()
    lines = [one for one in all_records(memory) if "/episodes/" not in one.source.path]
    named = [record for one in ids if (record := index.find(one)) is not None]
    return [record.text for record in (*lines, *named) if record.superseded_by or record.valid_to]


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        (SHORT, LONG, True),
        (SHORT, "It rained. My commute takes 55 minutes by bus.", False),  # no cue
        (SHORT, "Now it rained. My commute takes 55 minutes by bus.", False),  # in another clause
        ("Our choir has 12 members.", "Good news: our choir now has 15 members.", True),
        ("Our choir meets at 12.", "Good news: our choir now meets at 15.", False),  # no unit
        (HOME, HOTEL, False),
        ("I work as a hypnotist.", "I work as a software engineer now.", False),
        ("J'habite à Lyon.", "J'habite maintenant à Lille.", False),
        ("Ich wohne in Ulm.", "Ich wohne jetzt in Bonn.", False),
        ("Vivo en Sevilla.", "Ahora vivo en Cádiz.", False),  # a verb that may be of the first person
        ("我住在北京。", "我现在住在上海。", False),
        ("The gate stands on pier 4.", "The gate stands on pier 5 now.", True),  # as one would write it down
    ],
)
def test_a_capture_ends_an_earlier_one(memory: Memory, old: str, new: str, ends: bool) -> None:
    assert ended(memory, *say(memory, old, new)) == [old] * ends
    assert memory.dump() == memory.workspace.dump_rebuilt_index()


@pytest.mark.parametrize(("old", "new", "ends"), [(SHORT, LONG.partition(". ")[2], True), (HOME, HOTEL, False)])
@pytest.mark.parametrize("months", [(1, 2), (2, 1)])
def test_a_line_that_was_made_of_talk_ends_another_at_sync(
    memory: Memory, old: str, new: str, ends: bool, months: tuple[int, int]
) -> None:
    texts = dict(zip(months, (old, new), strict=True))
    first, second = say(memory, "Hello there, you.", "And hello again, you.")
    for month, source in ((1, first), (2, second)):
        line = f"- {texts[month]} <!-- from: {source} -->\n"
        Path(memory.root, f"memory/2025-0{month}-04.md").write_text(line)
    assert ended(memory) == ([old] if ends and months == (1, 2) else [])


@pytest.mark.parametrize("is_late", [False, True])
def test_consolidation_ends_no_home_by_what_was_said_in_talk(memory: Memory, is_late: bool) -> None:
    messages = [(HOME, "2025-01-03T09:00"), (HOTEL, "2025-02-03T09:00")]
    for number, (text, time) in enumerate(reversed(messages) if is_late else messages):
        memory.capture(text, ts=time, now=f"2025-03-0{number + 1}T09:00", session=time)
        memory.consolidate(apply=True, now=f"2025-03-0{number + 1}T10:00")
    assert not ended(memory)
    assert not memory.pending()


@pytest.mark.parametrize("method", ["retain", "log"])
def test_a_correction_that_somebody_writes_ends_a_line_that_was_made_of_talk(memory: Memory, method: str) -> None:
    say(memory, HOME)
    memory.consolidate(apply=True, now="2025-01-04T09:00")
    (line,) = [one for one in all_records(memory) if one.sources and "/episodes/" not in one.source.path]
    getattr(memory, method)("No, I live in Berlin now.", now="2025-02-03T09:00")
    assert line.text in ended(memory)


def test_facts_of_talk_hold_side_by_side_until_somebody_says_what_changed(memory: Memory) -> None:
    for day, text in zip((3, 4), say(memory, "Hello there, you.", "And hello again, you."), strict=True):
        place = ("Bern", "Basel")[day - 3]
        Path(memory.root, f"memory/2025-01-0{day}.md").write_text(f"- Mara lives in {place}. <!-- from: {text} -->\n")
    facts = memory.facts("Mara", now="2025-06-01T09:00", all_values=True).facts
    assert {(fact.value, fact.until) for fact in facts} == {("Bern", ""), ("Basel", "")}


@pytest.mark.parametrize(
    ("message", "is_written"),
    [
        ("The staging database listens on 6543.", True),
        ("Die Datenbank hört auf 6543.", True),
        ("Mara lives in Bern.", True),
        ("Does the staging database listen on 6543?", False),
        ("The database is down. It listens on 6543.", False),
        ("Our database listens on 6543.", False),
        ("I'm in Bern.", False),
        ("J'habite à Lyon.", False),
        ("À Lyon j'habite seule.", False),
        ("Ma sœur habite à Lyon.", False),
        ("J-pop was created in Japan.", True),
        ("Tu-95 was developed by Tupolev.", True),
        ("Mia Yim lives in Seoul.", True),
        ("Queen Victoria I was born in London.", True),
        ("Joseph I is buried in Vienna.", True),
        ("The architect of the Palau is Domènech i Montaner.", True),
        ("We Will Rock You was recorded in London.", True),
        ("Yesterday I was in London.", False),
        ("In London I am happy.", False),
        ("Ana and I live in London.", False),
        ("My Toyota Corolla is blue.", False),
        ("My Volvo is in the garage.", False),
        ("Mein Server hört auf Port 80.", False),
        ("The US has a new president.", True),
        ("The company of Jack Ma is large.", True),
        ("In winter I live in Bern.", False),
        ("Я живу в Москве.", False),
        ("Jag bor i Lund.", False),
        ("Ik woon in Gent.", False),
        ("Vivo en Madrid.", False),
        ("我住在北京。", False),
    ],
)
def test_what_is_said_of_others_in_one_sentence_is_as_one_would_write_it_down(message: str, is_written: bool) -> None:
    assert is_written_statement(message) == is_written
