"""When something was written down: captures, lines of ours by their ledger lines, lines of people by date or `seen`."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

from commonplace import Memory

SEEN_OP = "seen"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-05-02.md").write_text("# 2025-05-02\n\n- Rowed to the island.\n")
    (tmp_path / "notes.md").write_text("# Boats\n\nThe oars are in the blue shed.\n")
    return Memory.open(tmp_path)


def ledger(memory: Memory, op: str) -> list[dict[str, object]]:
    lines = [
        json.decode(line)
        for path in sorted(Path(memory.root, ".memory/journal").glob("ledger-*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]
    return [line for line in lines if line["op"] == op]


def recorded(memory: Memory) -> dict[str, str]:
    """When each line was written down, by its first two words."""
    index = memory.workspace.synced_index()
    found = [record for row in index.fetch(range(1, 100)).values() if (record := row.record).form != "heading"]
    return {" ".join(record.text.split()[:2]): record.recorded for record in found}


def test_a_capture_that_comes_late_says_when_it_was_written(memory: Memory) -> None:
    memory.capture("The mast is down.", ts="2025-04-01T08:00", now="2025-05-03T10:00")
    memory.capture("The mast is up.", now="2025-05-03T10:00")
    memory.capture("The mast is straight.", ts="2025-05-03T10:00:40", now="2025-05-03T10:00")
    lines = [
        json.decode(line)
        for path in Path(memory.root, ".memory/journal").glob("captures-*.jsonl")
        for line in path.read_bytes().splitlines()
    ]
    assert {line["text"]: line.get("recorded") for line in lines} == {
        "The mast is down.": "2025-05-03T10:00",
        "The mast is up.": None,
        "The mast is straight.": None,
    }
    hits = memory.recall("mast", now="2025-05-03T10:00").hits
    assert {hit.record.text: hit.record.recorded for hit in hits} == {
        "The mast is down.": "2025-05-03T10:00",
        "The mast is up.": "2025-05-03T10:00",
        "The mast is straight.": "2025-05-03T10:00",
    }


def test_a_line_was_recorded_at_its_ledger_line_else_on_its_date_else_when_it_was_seen(memory: Memory) -> None:
    assert recorded(memory) == {"Rowed to": "2025-05-02", "The oars": ""}
    assert ledger(memory, SEEN_OP) == []
    memory.retain("The hull is oak.", now="2025-06-01T09:30")
    assert recorded(memory) == {"Rowed to": "2025-05-02", "The oars": "2025-06-01", "The hull": "2025-06-01T09:30"}
    assert [line["day"] for line in ledger(memory, SEEN_OP)] == ["2025-06-01"]
    memory.retain("The keel is lead.", now="2025-07-01T09:30")
    assert len(ledger(memory, SEEN_OP)) == 1  # it was seen before
    (dump, fresh) = memory.dump(), memory.workspace.dump_rebuilt_index()
    assert dump == fresh


def test_a_line_of_ours_that_a_person_rewrote_is_no_longer_as_old_as_its_ledger_line(memory: Memory) -> None:
    memory.retain("The hull is oak.", now="2025-06-01T09:30")
    log = Path(memory.root, "memory/2025-06-01.md")
    log.write_text(log.read_text().replace("is oak", "is larch"))
    assert recorded(memory)["The hull"] == "2025-06-01"  # the day of its file
    log.rename(page := Path(memory.root, "hull.md"))
    page.write_text(page.read_text().replace("# 2025-06-01", "# Hull"))
    assert recorded(memory)["The hull"] == ""
    memory.log("Swam.", now="2025-08-01T09:30")
    assert recorded(memory)["The hull"] == "2025-08-01"


def test_of_two_devices_that_saw_a_line_the_earlier_day_counts(memory: Memory) -> None:
    record = next(hit.record.id for hit in memory.recall("oars").hits)
    folder = Path(memory.root, ".memory/journal")
    folder.mkdir(parents=True, exist_ok=True)
    from commonplace.storage.journal import Journal

    for device, day in (("b", "2025-05-09"), ("a", "2025-05-07"), ("c", "2025-05-08")):
        line = {"op": SEEN_OP, "ts": f"{day}T10:00", "records": [record], "day": day}
        Journal(memory.root, device).append(line, "ledger")
        recorded(memory)
    assert recorded(memory)["The oars"] == "2025-05-07"
    assert memory.dump() == memory.workspace.dump_rebuilt_index()
