"""The bench beside OpenClaw's own memory, without a host: the notes, what counts as a hit, and the gates."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from bench import beside_memory_core as beside
from bench.beside_memory_core import Asked, Cost, Note
from bench.page import PAGE

DOCS = [
    {"ns": "x", "session": "x/S1", "timestamp": "2023-05-08T13:56:00", "speaker": "Ada", "text": "Tea\nat four."},
    {"ns": "x", "session": "x/S1", "timestamp": "2023-05-08T13:57:00", "speaker": "Bob", "text": "Fine."},
    {"ns": "x", "session": "x/S2", "timestamp": "2023-05-10T09:00:00", "speaker": "Bob", "text": "Rain."},
]
QUERIES = [{"relevant_sessions": ["x/S1"]}, {"relevant_sessions": ["x/S2", "x/S3"]}]
SEVEN = [f"x/S{number}" for number in range(4, 10)]


def notes(naming: str) -> list[Note]:
    return list(beside.notes_of(DOCS, naming))


def asked(found: list[list[str]], cpu: float) -> Asked:
    answers = {"wall": [1.0, 2.0], "cpu": [1.0, 2.0], "index": {"cpu": 3.0}}
    return Asked(found, answers, 40.0, [Cost(cpu, cpu, 50.0)])


def test_a_note_is_a_session_as_the_host_saves_it() -> None:
    first, second = notes("dated")
    assert (first.path, first.session) == ("memory/2023-05-08-x-s1.md", "x/S1")
    assert first.text.startswith("# Session: 2023-05-08 13:56:00 UTC\n\n- **Session Key**: agent:main:main\n")
    assert first.text.endswith("## Conversation Summary\n\nAda: Tea at four.\nBob: Fine.\n")
    assert second.path == "memory/2023-05-10-x-s2.md"


def test_moved_notes_end_yesterday_and_undated_ones_have_no_day() -> None:
    yesterday = date.today() - timedelta(days=1)
    assert notes("moved")[-1].path == f"memory/{yesterday}-x-s2.md"
    assert [note.path for note in notes("undated")] == ["memory/x-s1.md", "memory/x-s2.md"]
    assert notes("undated")[0].text == notes("dated")[0].text


def test_a_hit_is_one_of_the_notes_among_the_first_so_many() -> None:
    assert beside.shares([["x/S1"], [*SEVEN, "x/S3"]], QUERIES) == {1: 0.5, 3: 0.5, 6: 0.5, 10: 1.0}


@pytest.mark.parametrize(("found", "cpu", "held"), [(["x/S2"], 1.0, 3), (SEVEN, 1.0, 1), (["x/S2"], 9.0, 2)])
def test_the_gates_say_what_is_less_than_asked(found: list[str], cpu: float, held: int) -> None:
    both = {
        (naming, system): asked([["x/S1"], found], cpu if system == "Commonplace" else 20.0)
        for naming in beside.NAMINGS
        for system in beside.SYSTEMS
    }
    runs = {system: both["dated", system].commands for system in beside.SYSTEMS}
    lines = beside.gates(both, runs, QUERIES)
    assert sum("as asked" in line for line in lines) == held
    page = "\n".join(beside.page(both, QUERIES, 786))
    assert all(name in page for name in (*beside.SYSTEMS, *beside.NAMINGS.values(), "--questions=2"))


def test_a_command_is_measured_and_one_that_fails_says_its_last_words() -> None:
    spent = beside.cost([sys.executable, "-c", "sum(range(10**6))"], {})
    assert spent.cpu > 0
    assert spent.peak > 1
    with pytest.raises(RuntimeError, match="no such luck"):
        beside.cost([sys.executable, "-c", "raise SystemExit('no such luck')"], {})


def test_ours_is_asked_over_pipes(tmp_path: Path) -> None:
    written = notes("undated")
    beside.write(written, tmp_path / "workspace")
    with beside.ours(tmp_path, "", {note.path: note.session for note in written}) as memory:
        memory.index()
        assert memory.ask("When is tea?", "2023-06-01T09:00")[0] == ["x/S1"]


def test_the_page_has_a_place_for_it() -> None:
    assert "<!-- beside -->" in PAGE.read_text(encoding="utf-8")
