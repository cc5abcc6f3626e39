"""The demo walks the whole trip, finds what it should, and never touches a folder that is not its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace import Memory
from commonplace.cli import demo, main

QUESTIONS = json.loads((Path(commonplace.__file__).parent / "data/sample_questions.json").read_text("utf-8"))
EXPECTED = {asked["question"]: asked for asked in QUESTIONS}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", f"{tmp_path}/home")
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/state")
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    monkeypatch.delenv("COMMONPLACE_NOW", raising=False)
    monkeypatch.delenv("COMMONPLACE_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo-workspace"


@pytest.fixture
def walked(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["demo", "demo-workspace", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".memory" not in path.parts
    }


@pytest.mark.slow
def test_each_question_finds_what_it_should_first(walked: dict[str, object]) -> None:
    answers = walked["answers"]
    assert len({answer["kind"] for answer in answers}) == len(answers) == 5
    for answer in answers:
        assert answer["citations"][0] in EXPECTED[answer["question"]]["expect"], answer["question"]


@pytest.mark.slow
def test_the_pack_fits_and_answers_and_its_receipt_explains_it(walked: dict[str, object], folder: Path) -> None:
    assert 0 < walked["pack_tokens"] <= demo.BUDGET
    with Memory.open(folder) as memory:
        receipt = memory.receipt(walked["receipt"])
    taken = [one.citation for one in receipt.considered if one.included]
    assert set(taken) & set(EXPECTED[demo.TO_PACK]["expect"])


@pytest.mark.slow
def test_the_index_is_deleted_and_a_rebuilt_one_says_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index = folder / ".memory/index.sqlite"
    inodes: list[int] = []

    def lose(memory: Memory, lose: object = demo._delete_index) -> None:
        inodes.append(index.stat().st_ino)
        held = index.open("rb")  # keeps the number from being used again
        lose(memory)
        assert not index.exists()
        monkeypatch.setattr(demo, "_held", held, raising=False)

    monkeypatch.setattr(demo, "_delete_index", lose)
    assert main(["demo"]) == 0
    assert "the answers are identical\n" in capsys.readouterr().out
    assert len(inodes) == 1
    assert index.stat().st_ino != inodes[0]


@pytest.mark.slow
def test_answers_that_differ_after_the_rebuild_are_told_and_end_with_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose_and_change(memory: Memory, lose: object = demo._delete_index) -> None:
        lose(memory)
        (folder / "MEMORY.md").write_text("- something else\n", encoding="utf-8")

    monkeypatch.setattr(demo, "_delete_index", lose_and_change)
    assert main(["demo"]) == 1
    assert "the answers are DIFFERENT\n" in capsys.readouterr().out


@pytest.mark.slow
def test_an_index_that_differs_in_what_no_answer_shows_is_told_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dumps = iter((["before"], ["after"]))
    monkeypatch.setattr(Memory, "dump", lambda _memory: next(dumps))
    assert main(["demo"]) == 1
    assert "DIFFERENT" in capsys.readouterr().out


@pytest.mark.slow
def test_the_notebook_is_the_sample_and_stays_for_its_user(walked: dict[str, object], folder: Path) -> None:
    sample = Path(demo.SAMPLE)
    assert contents(folder) == contents(sample) | {demo.MARKER: demo.MARKER_TEXT}
    assert walked["workspace"] == str(folder)
    with Memory.open(folder) as memory:
        assert memory.status()["records"] == walked["records"]
        assert memory.check().problems == ()
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
        assert os.access(path, os.W_OK)


@pytest.mark.slow
def test_run_again_it_leaves_the_users_edits_alone(
    walked: dict[str, object], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (folder / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("- A line of my own.\n")
    (folder / "notes/reading.md").unlink()
    (folder / "mine.md").write_text("- tea\n", encoding="utf-8")
    edited = contents(folder)
    assert main(["demo"]) == 0
    assert contents(folder) == edited
    assert "identical" in capsys.readouterr().out


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    (folder / "diary.md").write_text("- tea\n", encoding="utf-8")
    before = contents(folder)
    assert main(["demo"]) == 1
    said = capsys.readouterr()
    assert (said.out, contents(folder), os.listdir(folder)) == ("", before, ["diary.md"])
    assert "neither an empty folder nor an earlier demo" in said.err
    assert "name another folder" in said.err


@pytest.mark.parametrize("kind", ["a file", "a dangling link"])
def test_what_is_no_folder_is_refused(folder: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder.write_text("x", encoding="utf-8") if kind == "a file" else folder.symlink_to("nowhere")
    assert main(["demo", "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["code"] == "commonplace-error"
    assert not (folder.parent / "nowhere").exists()


@pytest.mark.slow
def test_an_empty_folder_may_become_the_demo_and_another_name_be_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder.parent / "other"
    other.mkdir()
    assert main(["demo", "other"]) == 0
    said = capsys.readouterr()
    assert "commonplace recall --workspace other" in said.err
    assert not folder.exists()
    assert sys.modules["commonplace.cli.demo"] is demo


@pytest.mark.slow
def test_the_walk_is_printed_in_its_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out
    outside = printed.partition("<memory")[0] + printed.partition("</memory>")[2]  # a pack has headings of its own
    titles = [line for line in outside.split("\n") if line.startswith("## ")]
    assert [title.partition(":")[0] for title in titles] == [
        "## A fact",
        "## An entity",
        "## A time",
        "## An opinion",
        "## A decision",
        f"## A pack of {demo.BUDGET} tokens",
        "## Why these lines",
        "## The index was deleted and rebuilt from the files",
    ]
    assert f"{demo.BUDGET} tokens" in printed


@pytest.mark.slow
def test_the_demo_is_the_same_whatever_the_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_clock: list[list[str]] = []
    for now in ("2025-11-30T09:00", "2031-02-03T04:05"):
        monkeypatch.setenv("COMMONPLACE_NOW", now)
        demo._copy_sample(str(folder))
        with Memory.open(folder) as memory:
            answers = demo._ask_questions(memory)
            packed = memory.pack(demo.TO_PACK, budget_tokens=demo.BUDGET, now=demo.NOW)
        with_clock.append([hit.record.id for hits in answers for hit in hits.hits] + [packed.text])
    assert with_clock[0] == with_clock[1]
