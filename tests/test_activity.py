"""What came in and what was kept: counts by day, and what was written down in a period."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument
from commonplace.index import Filter, activity
from commonplace.model import Interval

NOW = "2025-11-27T18:00"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A notebook with two kept lines and a capture on the 25th, one line of yesterday, and three of today."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-11-25.md").write_text("## Retain\n- W @Ana: Sails.\n- W @Ana: Rows.\n", encoding="utf-8")
    (tmp_path / "memory/2025-11-26.md").write_text("- Bought glue.\n", encoding="utf-8")
    with Memory.open(tmp_path) as opened:
        opened.capture("We met on the pier.", now="2025-11-25T09:00", session="s1")
        opened.retain("W @Peter: Lives in Bern.", now="2025-11-27T09:00")
        opened.retain("W @Peter: Is allergic to nuts.", now="2025-11-27T10:00", importance=0.9)
        opened.retain("W @Peter: Likes tea.", now="2025-11-27T11:00", scope="home")
        yield opened


def kept(memory: Memory, **period: object) -> list[str]:
    return [one.text.partition(": ")[2] for one in memory.timeline(**{"by": "recorded", "now": NOW} | period)]


def test_each_day_has_its_counts_and_days_without_any_are_there(memory: Memory) -> None:
    activity = memory.activity(days=4, now=NOW)
    assert [(one.day[-2:], one.captures, one.lines) for one in activity.days] == [
        ("24", 0, 0),
        ("25", 1, 2),
        ("26", 0, 1),
        ("27", 0, 2),
    ]
    assert activity.last_day == "2025-11-27"
    assert memory.activity(days=1, all_scopes=True, now=NOW).days[0].lines == 3
    assert [one.day for one in memory.activity(days=2, until="2025-11-26", now=NOW).days] == [
        "2025-11-25",
        "2025-11-26",
    ]
    assert memory.activity(days=2, until="yesterday", now=NOW).days[-1].day == "2025-11-26"


def test_a_period_lists_what_was_written_down_in_it_newest_first(memory: Memory) -> None:
    assert kept(memory, since="2025-11-27") == ["Is allergic to nuts.", "Lives in Bern."]
    assert kept(memory, since="2025-11-27T10:00") == ["Is allergic to nuts."]
    assert kept(memory, since="2025-11-27", all_scopes=True, by="importance")[0] == "Is allergic to nuts."
    assert kept(memory, since="2025-11-25", until="2025-11-25") == ["Rows.", "Sails."]
    both = memory.timeline(since="2025-11-25", until="2025-11-25", by="recorded", evidence="auto", now=NOW)
    assert [one.is_evidence for one in both] == [True, False, False]
    assert [one.text for one in memory.timeline(by="recorded", evidence="only", now=NOW)] == ["We met on the pier."]


def test_a_long_list_is_read_page_by_page(memory: Memory) -> None:
    every = kept(memory, since="2025-11-25")
    assert len(every) == 5
    assert [one for skip in (0, 2, 4) for one in kept(memory, since="2025-11-25", at_most=2, skip=skip)] == every
    important = kept(memory, since="2025-11-25", by="importance")
    assert kept(memory, since="2025-11-25", by="importance", at_most=2, skip=2) == important[2:4]
    in_time = [one for skip in (0, 2, 4) for one in kept(memory, since="2025-11-25", by="time", at_most=2, skip=skip)]
    assert sorted(in_time) == sorted(kept(memory, since="2025-11-25", by="time"))


def test_of_a_long_period_no_more_is_read_than_the_page_shows(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    index = memory.workspace.synced_index()
    read = index.recorded_rows(Interval("", ""), Filter(), part=range(1, 3))
    assert len(read) == 2
    monkeypatch.setattr(activity, "MAX_GRADED_ROWS", 1)
    newest = index.recorded_rows(Interval("", ""), Filter(), part=range(9))[:1]
    assert index.recorded_rows(Interval("", ""), Filter(), part=range(9), by_importance=True) == newest


def test_what_cannot_be_counted_is_refused(memory: Memory) -> None:
    for wrong in ({"days": 0}, {"days": 100_000}, {"until": "purple"}):
        with pytest.raises(BadArgument):
            memory.activity(**wrong, now=NOW)


def test_counting_reads_nothing_but_an_index(memory: Memory) -> None:
    index = memory.workspace.synced_index()
    asked: list[str] = []
    index._db.set_exec_trace(lambda _cursor, statement, _values: asked.append(statement) or True)
    memory.activity(days=30, now=NOW)
    index._db.set_exec_trace(None)
    counted, waiting = sorted((one for one in asked if "group by 1" in one), key=len, reverse=True)
    for query, found in (
        (counted, "COVERING INDEX records_recorded (recorded>? AND recorded<?)"),
        (waiting, "(path=?"),
    ):
        plan = [row[3] for row in index._db.execute(f"explain query plan {query}", ("a", "b", "", "x", "y", "z"))]
        assert any(found in step for step in plan), plan
