"""The commands of acceptance end with 1 beyond their bounds, and only there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.acceptance import (
    code_size,
    contradictions,
    cpu_ratios,
    probes_with_vectors,
    recall_constants,
    traps,
    zed,
)
from bench.acceptance.measuring import Report, workspace
from commonplace import Memory

README = Path(code_size.__file__).with_name("README.md")


@pytest.mark.slow
def test_the_size_of_the_code_is_printed_and_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(code_size, "MAX_LINES", 10**6)
    monkeypatch.setattr(code_size, "MAX_LINES_WITH_TABLES", 10**6)
    monkeypatch.setattr(code_size, "MAX_FILES", 10**4)
    monkeypatch.setattr(code_size, "MAX_UNTYPED", 10**4)
    assert code_size.main() == 0
    assert "beyond" not in capsys.readouterr().out
    monkeypatch.setattr(code_size, "MAX_FILES", 3)
    assert code_size.main() == 1
    (line,) = (line for line in capsys.readouterr().out.split("\n") if "beyond" in line)
    assert line.startswith("files of Python: ")


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "code"), [(0.0, 1), (1e9, 0)])
def test_a_tree_is_measured_beside_itself(
    bound: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cpu_ratios, "RECORDS", 100)
    monkeypatch.setattr(cpu_ratios, "MAX_RATIO", bound)
    monkeypatch.setattr(cpu_ratios, "MAX_RATIOS", {})
    given = ["--base", str(cpu_ratios.ROOT), "--pairs", "2", "--only", "capture,retain,recall"]
    monkeypatch.setattr(sys, "argv", ["cpu_ratios", *given])
    assert cpu_ratios.main() == code
    capture, retain, recall = capsys.readouterr().out.strip().split("\n")
    assert capture.startswith("capture: ")
    assert retain.startswith("retain: ")
    assert " ratio " in recall


def test_numbers_are_counted_where_they_are_written_and_half_of_them_is_the_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (
        '"""Of 7."""\nA, B = -4.4, (0, 1, 2.0, True, "9")\n\ndef f(x: str, n: int = 3) -> str:\n    return x[:10]\n'
    )
    assert sorted(recall_constants.code_numbers(source)) == [3, 4.4, 10]
    (tmp_path / "retrieval/recall").mkdir(parents=True)
    (tmp_path / "retrieval/recall/a.py").write_text(source)
    (tmp_path / "data/words").mkdir(parents=True)
    (tmp_path / "data/words/en.json").write_text('{"8": [0.5, -2, true, {"b": 7}]}')
    (tmp_path / "data/selector.json").write_text("[0.1, 0.2]")
    figures = recall_constants.counted(tmp_path)
    assert figures == {"recall": 3, "data": 2}
    for base, is_beyond in (({"recall": 10}, False), ({"recall": 8}, True)):
        recall_constants.judge(figures, base, report := Report())
        assert report.is_beyond is is_beyond
    assert capsys.readouterr().out.endswith("all: 5 (base 8) | <= 4 | BEYOND\n")


def test_the_page_lists_every_command() -> None:
    commands = {
        path.stem for path in README.parent.glob("*.py") if 'if __name__ == "__main__"' in path.read_text("utf-8")
    }
    page = README.read_text("utf-8")
    assert {name for name in commands if f"bench.acceptance.{name}" in page} == commands - {
        "one_tree",
        "recorded_model",
    }


def test_a_figure_beyond_its_bound_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.at_least("first", 97.5, 97, 20.0)
    assert not report.is_beyond
    report.at_most("ended", 1, 0)
    assert report.is_beyond
    assert capsys.readouterr().out == "first: 97.5 (base 20) | >= 97\nended: 1 | <= 0 | BEYOND\n"


def _item(expect: str = "keep") -> dict[str, Any]:
    old = {"text": "The gym closes at 22.", "said_by": "owner", "date": "2026-01-05", "scope": ""}
    new = old | {"text": "The gym of Wim closes at 23.", "date": "2026-06-01"}
    return {"id": "t1", "lang": "en", "group": "hours", "via": "written", "old": old, "new": new, "expect": expect}


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_trap_ends_only_what_something_supersedes(is_replaced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def write(memory: Memory, item: dict[str, Any], name: str) -> set[str]:
        now = f"{item[name]['date']}T09:00"
        record = memory.retain(item[name]["text"], now=now, supersedes=tuple(written) if is_replaced else ()).record
        assert record is not None
        written.append(record.id)
        return {record.id}

    monkeypatch.setattr(traps, "write_side", write)
    assert traps.observe(_item())["ended"] == is_replaced
    assert traps.question(_item()) == "The gym closes at"


def test_a_blind_list_is_counted_and_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    failed = {"ended": False, "pending": False, "in_order": False}
    items = [_item() | failed | {"ended": True}, _item("replace") | failed, _item("order") | failed]
    for name in ("truth_blind.jsonl", "truth.jsonl"):
        report = Report()
        traps.judge({name: items}, None, report)
        assert report.is_beyond
        assert ("gym" in capsys.readouterr().out) == (name == "truth.jsonl")


def test_an_older_fact_is_marked_only_below_the_newer_and_with_both_days() -> None:
    dates = {"old": "2024-01-02T03:00:00", "new": "2024-01-09T11:00:00"}
    new = {"id": "a", "text": "- It is Rome (9 January 2024) [memory/x.md#L4]"}
    old = {"id": "b", "text": "- It is Oslo (2024-01-02) [memory/x.md#L5]", "earlier_than": "a"}
    without = old | {"text": "- It is Oslo [memory/2024-01-02.md#L5]"}
    assert list(contradictions._marked([new, old], [["new"], ["old"]], dates)) == ["old"]
    assert not list(contradictions._marked([old, new], [["old"], ["new"]], dates))
    assert not list(contradictions._marked([new, without], [["new"], ["old"]], dates))
    assert not list(contradictions._marked([new, old | {"earlier_than": ""}], [["new"], ["old"]], dates))


def test_a_nearest_line_shares_rare_words() -> None:
    texts = [("a", "The chair of Fatah is Abbas."), ("b", "The chair of Fatah is Meir."), ("c", "The sea is blue.")]
    assert contradictions.NearestLines(texts).find(texts[0][1], {"a"}, 1) == ["b"]


@pytest.mark.parametrize("is_right", [False, True])
def test_the_example_is_judged_by_what_recall_and_a_pack_show(is_right: bool) -> None:
    with workspace() as memory:
        for value, day in zip(("7443", "9443"), sorted(zed.DAYS.values(), reverse=not is_right), strict=True):
            memory.retain(f"W @Zed: The admin console listens on port {value}.", now=f"{day}T09:00")
        found = zed.observe(memory)
        assert (found["recall"], found["pack"], found["May"]) == (is_right, is_right, is_right)


def test_a_probe_that_fails_only_with_vectors_is_beyond(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {"without": {"a": True, "b": True, "c": False}, "with": {"a": True, "b": False, "c": True}}
    probes_with_vectors.judge({"words": outcomes}, None, report := Report())
    assert report.is_beyond
    assert "words: lost: b\n" in capsys.readouterr().out


@pytest.mark.slow
def test_a_sample_of_the_probes_passes_with_vectors_as_without() -> None:
    given = argparse.Namespace(suites="words,times", quick=True)
    probes_with_vectors.judge(probes_with_vectors.measure(given), None, report := Report())
    assert not report.is_beyond
