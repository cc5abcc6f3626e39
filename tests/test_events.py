"""Times that lines tell of: which are kept, that lines are found by them, and how much they count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.index import EVERY_YEAR
from commonplace.index.store import SqliteIndex
from commonplace.model import Record, Source
from commonplace.retrieval.recall.scoring import EVENT_SHARE, TIME_WEIGHT
from commonplace.sync.index_entries import MAX_CHARS_READ, MAX_TIMES_PER_LINE, find_event_times

NOW = "2025-11-30T09:00"
LISBON = "We went to Lisbon last weekend."


pytestmark = pytest.mark.usefixtures("calm")


def record(text: str, time: str = "2024-05-10T09:00", **fields: Any) -> Record:
    return Record("r", text, Source("memory/2024-05-10.md", 1, 1, 0, 1, "0"), time=time, **fields)


def days(text: str, **fields: Any) -> list[tuple[str, str]]:
    return [(start[:10], end[:10]) for start, end in find_event_times(record(text, **fields))]


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        (LISBON, [("2024-05-04", "2024-05-06")]),
        ("Rain. The roof was mended in March 2023. More rain.", [("2023-03-01", "2023-04-01")]),
        ("In 2019 we moved.", [("2019-01-01", "2020-01-01")]),
        ("Letztes Wochenende waren wir in Lissabon.", [("2024-05-04", "2024-05-06")]),
        ("Today it rained.", []),
        ("We left on 2024-05-10.", []),
        ("We have lived here since May 2023.", []),
        ("From March 2019 to May 2023 we lived in Rome.", []),
        ("It was sold for 40 euros.", []),
        ("x" * MAX_CHARS_READ + ". " + LISBON, []),
    ],
)
def test_the_closed_times_that_a_line_tells_of_are_kept(text: str, stretches: list[tuple[str, str]]) -> None:
    assert days(text) == stretches


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        (LISBON, []),
        ("In May we moved, on Friday we rested.", [(f"{EVERY_YEAR}-05-01", f"{EVERY_YEAR}-06-01")]),
        ("Decision (2023-05-02): slate.", [("2023-05-02", "2023-05-03")]),
        (
            "Gekauft am 3.8.2021, repariert im März.",
            [("2021-08-03", "2021-08-04"), (f"{EVERY_YEAR}-03-01", f"{EVERY_YEAR}-04-01")],
        ),
        ("Christmas 2023 was quiet.", [("2023-12-24", "2023-12-27")]),
        ("We have lived here since May 2023.", []),
    ],
)
def test_a_line_without_a_date_tells_of_times_that_need_none(text: str, stretches: list[tuple[str, str]]) -> None:
    assert days(text, time="") == stretches


@pytest.mark.parametrize(
    "text",
    [
        "Return the book by May 15, 2026.",
        "Das Buch leihe ich bis 15. Mai 2026.",
        "Le livre est à moi jusqu'au 15 mai 2026.",
    ],
)
def test_a_line_tells_of_the_day_by_which_something_is_due(text: str) -> None:
    assert days(text) == [("2026-05-15", "2026-05-16")]
    assert days(text, category="plan") == [("2026-05-15", "2026-05-16")]


def test_a_plan_means_what_is_to_come() -> None:
    assert days("Paint the shed on Friday, May 17.", category="plan") == [("2024-05-17", "2024-05-18")]
    assert days("Paint the shed in June.", category="plan") == [("2024-06-01", "2024-07-01")]
    assert days("We painted the shed in June.") == [("2023-06-01", "2023-07-01"), ("2024-06-01", "2024-07-01")]


def test_of_many_times_the_first_are_kept_each_once() -> None:
    years = range(2010, 2011 + MAX_TIMES_PER_LINE)
    kept = days("In May 2010, " + ", ".join(f"in May {year}" for year in years) + ".")
    assert [start for start, _end in kept] == [f"{year}-05-01" for year in years][:MAX_TIMES_PER_LINE]


def ask(memory: Memory, question: str, **choices: object) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, now=NOW, **choices).hits]


def log(memory: Memory, day: str, *lines: str) -> Path:
    path = Path(memory.root, f"memory/{day}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text("## Retain\n" + "".join(f"- W {line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_page_without_a_date_is_found_by_the_time_that_it_names(memory: Memory) -> None:
    Path(memory.root, "Bike.md").write_text("- Bought on 2022-06-18 for 2,149 euros.\n- Chain replaced in May.\n")
    log(memory, "2022-06-20", "We bought a red lamp.")
    assert ask(memory, "what did I buy in June 2022?")[:2] == [
        "We bought a red lamp.",
        "Bought on 2022-06-18 for 2,149 euros.",
    ]
    assert ask(memory, "June 2022") == ["We bought a red lamp.", "Bought on 2022-06-18 for 2,149 euros."]


def test_a_line_is_found_by_the_time_that_it_meant_on_the_day_on_which_it_was_said(memory: Memory) -> None:
    path = Path(memory.root, "memory/semantic/projects.md")
    path.parent.mkdir(parents=True)
    said = "I started at the bakery last Monday."
    path.write_text(f"# Projects\n\n- {said} <!-- by: Ada · said: 2026-03-04 -->\n- The mill was sold.\n")
    asked = [ask(memory, question) for question in ("what happened on 2 March 2026?", "what did Ada do on 2026-03-02?")]
    assert [found[:1] for found in asked] == [[said], [said]]


def test_a_line_is_found_by_the_time_that_it_tells_of(memory: Memory) -> None:
    log(memory, "2024-05-10", LISBON, "The roof leaks.")
    memory.capture("Yesterday somebody rang.", ts="2024-07-02T09:00", session="s")
    assert ask(memory, "what happened on 4 May 2024?") == [LISBON]
    assert ask(memory, "what happened on 1 July 2024?") == ["Yesterday somebody rang."]
    assert ask(memory, "what happened on 2 May 2024?") == []


def test_what_was_written_then_comes_before_what_tells_of_it(memory: Memory) -> None:
    log(memory, "2025-05-10", "On 4 May 2024 we went to Lisbon.")
    log(memory, "2024-05-04", "We went to Porto then.")
    first, second = memory.recall("what happened on 4 May 2024?", now=NOW).hits
    assert [first.record.text, second.record.text] == ["We went to Porto then.", "On 4 May 2024 we went to Lisbon."]
    assert {reason.name: reason.value for reason in second.reasons}["event"] == pytest.approx(TIME_WEIGHT * EVENT_SHARE)
    assert "event" not in {reason.name for reason in first.reasons}


def test_a_line_that_was_written_then_and_tells_of_it_counts_once(memory: Memory) -> None:
    log(memory, "2024-05-05", "On 4 May 2024 we went to Lisbon.")
    (hit,) = memory.recall("what happened on 4 May 2024?", now=NOW).hits
    assert [reason.name for reason in hit.reasons][:1] == ["time"]
    assert "event" not in {reason.name for reason in hit.reasons}


def test_a_time_counts_by_the_share_of_it_that_is_meant(memory: Memory) -> None:
    log(memory, "2025-10-10", "The mill burned down in June 2024.", "The mill was sold on 4 June 2024.")
    first, second = memory.recall("what happened from 3 June 2024 to 5 June 2024?", now=NOW).hits
    assert first.record.text == "The mill was sold on 4 June 2024."
    parts = {reason.name: reason.value for reason in second.reasons}
    assert parts["event"] == pytest.approx(TIME_WEIGHT * EVENT_SHARE * 3 / 30, abs=1e-5)


def test_what_a_filter_hides_is_not_found_by_its_times(memory: Memory) -> None:
    memory.capture(LISBON, ts="2024-05-10T09:00", session="s", scope="home")
    assert ask(memory, "what happened on 4 May 2024?") == []
    assert ask(memory, "what happened on 4 May 2024?", scope="home") == [LISBON]
    assert ask(memory, "what happened on 4 May 2024?", scope="home", since="2024-06-01") == []
    assert ask(memory, "what happened on 4 May 2024?", scope="home", until="2024-06-01", as_of="2024-06-01") == [LISBON]


def test_a_match_that_tells_of_the_time_comes_before_another_match(memory: Memory) -> None:
    log(memory, "2025-01-10", *(f"Ada sang song {n} here." for n in range(40)))
    log(memory, "2025-01-20", "On 3 July 2024 somebody sang a song.")
    found = ask(memory, "which song was it in July 2024?")
    assert found[0].startswith("On 3 July 2024")


def test_a_line_of_which_only_the_year_is_known_names_no_day_by_its_words(memory: Memory) -> None:
    line = "Yesterday I met Ana in the garden."
    Path(memory.root, "year.md").write_text(f"---\ndate: 2025\n---\n{line}\n", encoding="utf-8")
    assert ask(memory, "when did I meet Ana in the garden yesterday?") == [line]
    assert _events(memory) == []


def test_the_times_of_a_line_go_with_it_and_come_with_another_and_a_rebuild_finds_the_same(memory: Memory) -> None:
    path = log(memory, "2024-05-10", LISBON)
    assert ask(memory, "what happened on 4 May 2024?") == [LISBON]
    path.write_text("## Retain\n- W We went to Lisbon yesterday.\n", encoding="utf-8")
    assert ask(memory, "what happened on 4 May 2024?") == []
    assert ask(memory, "what happened on 9 May 2024?") == ["We went to Lisbon yesterday."]
    before = _events(memory)
    assert len(before) == 1
    memory.rebuild()
    assert _events(memory) == before


def _events(memory: Memory) -> list[str]:
    index = memory.workspace.open_index()
    assert isinstance(index, SqliteIndex)
    kept = [line for line in index.dump() if line.startswith('["event"')]
    assert index._db.execute("select count(*) from events").get == len(kept)
    return kept
