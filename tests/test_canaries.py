"""Ten canaries in ten stores are gone after `forget --now`, and nothing else is; 200 are for `bench.acceptance.canaries`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.acceptance.canaries import delete_rows, forget, open_indexes
from bench.acceptance.canary_parts import comparison, scanner
from bench.acceptance.canary_parts.comparison import Kept, compare_with_twin, has_canary
from bench.acceptance.canary_parts.notebook import (
    NOW,
    OTHER,
    OWN,
    SAMPLE,
    Builder,
    Size,
    canaries_of,
    leave_killed,
    opened,
)
from bench.acceptance.canary_parts.returns import capture_again
from bench.acceptance.canary_parts.run import Run, answers, concerned, file_bytes, leaking, surroundings
from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.operations.parameters import ForgetRequest

SIZE = Size(SAMPLE, notes=9, days=2, turns=24, uses_shared=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a notebook of ten canaries, and its twin."""
    folder = tmp_path_factory.mktemp("canaries")
    with pytest.MonkeyPatch.context() as patched, surroundings(folder):
        patched.setattr(os, "fsync", lambda _descriptor: None)
        Builder(folder / "notebook", SIZE).build()
        Builder(folder / "twin", SIZE, is_planted=False).build()
    return folder


@pytest.fixture
def run(built: Path, tmp_path: Path, calm: None) -> Iterator[Run]:
    """A notebook with ten canaries, in folders of its own."""
    with surroundings(tmp_path):
        for name in ("notebook", "twin"):
            shutil.copytree(built / name, tmp_path / name)
        yield Run(tmp_path, SIZE)


def ids_of_all(memory: Memory) -> tuple[str, ...]:
    """The ids of all that has a canary."""
    ids = (record for one in canaries_of(SIZE) for record in concerned(memory, one))
    return tuple(dict.fromkeys(ids))


@pytest.mark.parametrize("view", sorted(scanner.planted_views(0)))
def test_the_scanner_sees_each_view(view: str) -> None:
    for form in scanner.planted_views(4711)[view]:
        assert (view, 4711) in list(scanner.scan_bytes(b"\0 before " + form + b" after"))
    assert not list(scanner.scan_bytes(b"a canary that is not there, zqvkwx"))


@pytest.mark.parametrize("is_vacuumed", [False, True])
def test_a_deleted_row_stays_in_a_database(run: Run, is_vacuumed: bool) -> None:
    control = run.top / "control"
    control.mkdir()
    data = (run.root / ".memory/index.sqlite").read_bytes()
    (control / "index.sqlite").write_bytes(data)
    delete_rows(control / "index.sqlite", is_vacuumed=is_vacuumed)
    assert scanner.scan([control])


@pytest.mark.slow
def test_of_ten_canaries_nothing_is_left_and_all_else_is(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before = run.scan()
    every = canaries_of(SIZE)
    assert {hit.number for hit in before} >= {one.number for one in every}
    kept = Kept(run.root)
    with opened(run.root, OTHER) as second, opened(run.root, OWN) as memory:
        assert leaking(second, SIZE)
        leave_killed(memory)
        forget(memory, query=every[0].word, now=NOW)
        forget(memory, references=ids_of_all(memory), now=NOW)
        assert not leaking(second, SIZE)
        assert not open_indexes()
        assert not [problem for problem in memory.check().problems if problem.code != "conflict-copy"]
    assert run.scan() == []
    report = Report()
    kept.compare(report)
    assert not report.is_beyond, capsys.readouterr().out


@pytest.mark.slow
def test_other_questions_have_the_answers_of_a_notebook_without_canaries(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparison, "QUESTIONS", 40)
    with opened(run.root, OWN) as memory:
        forget(memory, references=ids_of_all(memory), now=NOW)
    report = Report()
    compare_with_twin(run, report)
    assert not report.is_beyond, capsys.readouterr().out


@pytest.mark.slow
def test_what_is_captured_again_does_not_come_back(run: Run) -> None:
    with opened(run.root, OWN) as memory:
        forget(memory, references=ids_of_all(memory), now=NOW)
        capture_again(memory, Builder(run.root, SIZE))
        memory.consolidate(apply=True, now=NOW)
        assert not leaking(memory, SIZE)
    assert run.scan() == []


@pytest.mark.slow
def test_what_is_only_hidden_is_in_the_files_and_in_no_answer(run: Run) -> None:
    words = [one.word for one in canaries_of(SIZE)]
    with opened(run.root, OWN) as memory:
        memory.sync()
        before, files = answers(memory, SIZE, words), file_bytes(run.root)
        hidden = memory.forget(ForgetRequest(ids_of_all(memory), apply=True, now=NOW))
        assert not leaking(memory, SIZE)
        assert all(path.read_bytes() == data for path, data in files.items())
        assert any(map(has_canary, files.values()))
        memory.undo(hidden.id, now=NOW)
        assert answers(memory, SIZE, words) == before
        assert any(before)
    assert all(path.read_bytes() == data for path, data in files.items())
