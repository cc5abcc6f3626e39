"""A preference is an opinion, and how sure it is follows from the days that speak for it and against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Record
from commonplace.truth.evidence import derive_confidence, describe_belief

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2026-11-20T09:00"


def shown(memory: Memory, text: str) -> Record:
    """The record of this text as `show` gives it."""
    hit = next(hit for hit in memory.recall(text, now=NOW, evidence="none").hits if hit.record.text == text)
    (record,) = memory.show(hit.record.id).records
    assert record.believed == hit.record.believed
    return record


def queue(root: Path, record_id: str, *days: str, note: str = "") -> None:
    """Items of the queue against a record, one on each of the days."""
    lines = [
        f"- preference: Peter dislikes rain, {number}. (why: not sure) [against {record_id}]"
        f" <!-- id: item{number} · from: obs:{day}{note} -->"
        for number, day in enumerate(days)
    ]
    (root / "memory/pending.md").write_text("\n".join(["# Pending", "", "## Conflicts", "", *lines]) + "\n", "utf-8")


def test_every_day_moves_a_confidence_toward_what_it_says_and_by_less_than_the_one_before() -> None:
    assert [derive_confidence(0.7, days, 0) for days in range(4)] == [0.7, 0.76, 0.8, 0.83]
    assert [derive_confidence(0.7, 0, days) for days in range(4)] == [0.7, 0.56, 0.47, 0.4]
    assert 0.99 <= derive_confidence(0.0, 1_000, 0) <= 1
    assert 0 <= derive_confidence(1.0, 0, 1_000) <= 0.01
    for days_for in range(20):
        for days_against in range(20):
            before = derive_confidence(0.5, days_for, days_against)
            assert 0 <= derive_confidence(0.5, days_for + 1, days_against) - before <= 0.2
            assert -0.2 <= derive_confidence(0.5, days_for, days_against + 1) - before <= 0


def test_the_kind_opinion_finds_consolidated_preferences(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        said = "I prefer short answers, in British English, in the 9:30 report to Tom."
        memory.capture(said, ts="2026-11-01T09:00", session="s", detail={"speaker": "Peter"}, now=NOW)
        run = memory.consolidate(apply=True, now=NOW)
        (line,) = (line for plan in run.plans for line in plan.lines)
        assert line.destination.path == "memory/semantic/preferences.md"
        hits = memory.recall("short answers", kinds=("opinion",), evidence="none", now=NOW).hits
        assert [hit.record.id for hit in hits] == [line.id]
        assert (hits[0].record.confidence, hits[0].record.believed) == (None, 0.8)
        assert "(opinion, c=0.8) " in memory.pack("short answers", now=NOW).text


def test_what_its_sources_say_on_other_days_speaks_for_an_opinion(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        taken = [
            memory.capture(f"Rain again, and Peter sings {number}.", ts=f"2026-11-{day}T09:00", now=NOW, **more)
            for number, (day, more) in enumerate(
                [("01", {}), ("01", {}), ("03", {}), ("05", {}), ("07", {"actor": "tool"}), ("09", {"scope": "other"})]
            )
        ]
        sources = tuple(one.id for one in taken)
        memory.retain("O(c=0.7) Peter likes rain.", now="2026-11-09T09:00", sources=sources)
        record = shown(memory, "Peter likes rain.")
        assert (record.days_for, record.days_against) == (2, 0), "not the first day, a stranger's, or another project's"
        assert record.believed == derive_confidence(0.7, 2, 0)
        assert record.confidence == 0.7
        assert "O(c=0.7) Peter likes rain." in (tmp_path / record.source.path).read_text("utf-8")
        assert "(opinion, c=0.8) Peter likes rain." in memory.pack("rain", now=NOW, evidence="none").text


def test_what_waits_for_review_speaks_against_an_opinion_once_a_day(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.retain("O(c=0.8) Peter likes rain.", now="2026-11-01T09:00").record
        assert record is not None
        assert shown(memory, "Peter likes rain.").believed == 0.8
        ids = [
            memory.capture(f"Peter dislikes rain, {number}.", ts=f"2026-11-{day}T09:00", now=NOW).id.removeprefix(
                "obs:"
            )
            for number, day in enumerate(("03", "03", "05"))
        ]
        queue(tmp_path, record.id, *ids)
        found = shown(memory, "Peter likes rain.")
        assert (found.days_for, found.days_against) == (0, 2)
        assert found.believed == derive_confidence(0.8, 0, 2)
        queue(tmp_path, record.id, *ids, note=" · origin: untrusted")
        assert shown(memory, "Peter likes rain.").days_against == 0


def test_what_supports_an_opinion_speaks_for_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.retain("O(c=0.6) Peter likes rain.", now="2026-11-01T09:00").record
        assert record is not None
        taken = memory.capture("Peter likes rain, he says.", ts="2026-11-04T09:00", now=NOW)
        journal = memory.workspace.sync_source().journal
        journal.append({"op": "supported", "ts": NOW, "record": record.id, "sources": [taken.id]}, "ledger")
        found = shown(memory, "Peter likes rain.")
        assert (found.days_for, found.believed) == (1, derive_confidence(0.6, 1, 0))
        calculation = "believed 0.68 = (4 × 0.6 + 1) / (4 + 1 + 0): 1 day for it, 0 against"
        assert describe_belief(found) == calculation
        assert memory.pack("rain", now=NOW).items
        assert calculation in memory.why("last", record.id)
