"""The worker: one thread that owns a memory, with deadlines, cancel, a bound, and a memory that comes and goes."""

from __future__ import annotations

import gc
import json
import os
import shutil
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from commonplace import Memory
from commonplace.errors import (
    BadArgument,
    Cancelled,
    CommonplaceError,
    DeadlinePassed,
    InternalError,
    Interrupted,
    NoReceipt,
    OutsideWorkspace,
    TooBusy,
    WorkspaceNotFound,
    WorkspaceUnusable,
)
from commonplace.index.sql import fetch_all
from commonplace.model import Receipt
from commonplace.operations.declarations import OPERATIONS
from commonplace.retrieval.pack import pipeline
from commonplace.serve.dispatch import run_operation
from commonplace.serve.dispatch import worker as module
from commonplace.serve.dispatch.handlers import PINNED_OPERATIONS
from commonplace.serve.dispatch.worker import Job, Worker
from commonplace.serve.http.daemon import _await_job
from commonplace.serve.mcp import ProgressReporter
from commonplace.serve.mcp.pending_requests import AsyncDispatcher
from commonplace.shapes import Json
from commonplace.storage import receipts
from commonplace.storage.journal import Journal

ENDLESS = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select max(n) from numbers"
LONG_S = 60


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one line."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COMMONPLACE_NOW", "2025-11-30T09:00")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "note.md").write_text("- The boat is green.\n", "utf-8")
    return folder


@pytest.fixture
def said() -> list[str]:
    """What the worker has written to its log."""
    return []


@pytest.fixture
def worker(root: Path, said: list[str]) -> Iterator[Worker]:
    """A worker on the workspace, for three jobs at a time."""
    made = Worker(Memory.open(root), log=said.append, max_waiting=3)
    yield made
    assert made.close(LONG_S)


class Gate:
    """A job that has begun, and waits until it is let go."""

    def __init__(self, worker: Worker, *, writes: bool = True, deadline_s: float | None = None) -> None:
        self.begun, self.gone = threading.Event(), threading.Event()
        self.job = worker.submit_call(self._run, writes=writes, deadline_s=deadline_s)
        assert self.begun.wait(LONG_S)

    def _run(self, _memory: Memory) -> Json:
        self.begun.set()
        assert self.gone.wait(LONG_S)
        return {"gate": "passed"}


def found(worker: Worker, text: str = "green boat") -> list[str]:
    return [hit["text"] for hit in worker.submit("recall", {"text": text}).result(LONG_S)["hits"]]


def endless(memory: Memory) -> Json:
    """A question that SQLite never ends answering."""
    return {"rows": fetch_all(memory.workspace.open_index()._db, ENDLESS)}


# Answers.


def test_what_is_asked_is_answered_in_turn(worker: Worker) -> None:
    kept = worker.submit("retain", {"text": "W @Peter: in Marrakech"})
    asked = worker.submit("recall", {"text": "Marrakech"}, deadline_s=60)
    assert kept.result(LONG_S)["schema"] == "commonplace.kept.v1"
    assert [hit["text"] for hit in asked.result(LONG_S)["hits"]] == ["@Peter: in Marrakech"]


@pytest.mark.parametrize(
    ("name", "given", "told"), [("recal", {}, "no operation 'recal'"), ("recall", {"text": 3}, "text: expected")]
)
def test_a_question_that_makes_no_sense_is_answered_at_once(
    worker: Worker, name: str, given: object, told: str
) -> None:
    with pytest.raises(BadArgument, match=told):
        worker.submit(name, given).result(0)


def test_who_waits_is_told_once_and_who_comes_late_at_once(worker: Worker) -> None:
    told: list[tuple[str, Job]] = []
    gate = Gate(worker)
    gate.job.when_done(lambda job: told.append(("early", job)))
    gate.gone.set()
    assert gate.job.result(LONG_S) == {"gate": "passed"}
    worker.submit_call(lambda _memory: {}, writes=False).result(LONG_S)  # by now everybody is told
    gate.job.when_done(lambda job: told.append(("late", job)))
    assert told == [("early", gate.job), ("late", gate.job)]
    assert gate.job.settle(BadArgument("too late")) is False
    assert gate.job.error is None


def test_a_bug_is_answered_and_logged_and_ends_nothing_else(worker: Worker, said: list[str]) -> None:
    with pytest.raises(InternalError, match="ZeroDivisionError: integer division") as failed:
        worker.submit_call(lambda _memory: {"x": 1 // 0}, writes=False).result(LONG_S)
    assert "test_worker.py line" in failed.value.hint
    assert "Traceback" in said[0]
    assert found(worker) == ["The boat is green."]


def test_a_bug_of_who_is_told_ends_nothing_else(worker: Worker, said: list[str]) -> None:
    gate = Gate(worker)
    gate.job.when_done(lambda _job: {}["nothing"])
    gate.gone.set()
    assert found(worker) == ["The boat is green."]
    assert "KeyError: 'nothing'" in said[0]


def test_what_the_system_refuses_is_told_in_words(worker: Worker) -> None:
    def fails(_memory: Memory) -> Json:
        raise OSError(28, "No space left on device", "/notes/.memory")

    with pytest.raises(WorkspaceUnusable, match=r"cannot use .*: no space left on device"):
        worker.submit_call(fails, writes=True).result(LONG_S)


# Deadlines and cancel.


def test_what_has_not_begun_is_dropped(worker: Worker) -> None:
    gate, ran = Gate(worker), threading.Event()
    late = worker.submit_call(lambda _memory: {"x": ran.set()}, writes=True, deadline_s=0.01)
    given_up = worker.submit_call(lambda _memory: {"x": ran.set()}, writes=True)
    assert worker.cancel(given_up)
    with pytest.raises(DeadlinePassed) as passed:
        late.result(LONG_S)
    with pytest.raises(Cancelled) as cancelled:
        given_up.result(0)
    assert passed.value.hint == cancelled.value.hint == module.NOT_BEGUN_HINT
    assert worker.waiting == 0
    gate.gone.set()
    assert found(worker)
    assert not ran.is_set()


def test_a_deadline_that_has_passed_already_lets_nothing_begin(worker: Worker) -> None:
    with pytest.raises(DeadlinePassed):
        worker.submit("retain", {"text": "W @Peter: in Marrakech"}, deadline_s=0).result(LONG_S)
    assert found(worker, "Marrakech") == []


def test_nothing_begins_after_its_deadline_also_while_the_clock_is_busy(worker: Worker) -> None:
    gate, busy, gone, ran = Gate(worker), threading.Event(), threading.Event(), threading.Event()

    def keep_busy(_job: Job) -> None:
        busy.set()
        assert gone.wait(LONG_S)

    worker.submit("status", {}, deadline_s=0.01).when_done(keep_busy)
    assert busy.wait(LONG_S)  # from now on nobody looks at the clock
    late = worker.submit_call(lambda _memory: {"x": ran.set()}, writes=True, deadline_s=0.05)
    assert not threading.Event().wait(0.1)
    gate.gone.set()
    with pytest.raises(DeadlinePassed) as passed:
        late.result(LONG_S)
    assert passed.value.hint == module.NOT_BEGUN_HINT
    gone.set()
    assert not ran.is_set()


def test_what_was_cancelled_says_so_also_when_its_breaking_off_is_quicker(worker: Worker) -> None:
    begun = threading.Event()

    def ask(memory: Memory) -> Json:
        begun.set()
        return endless(memory)

    job = worker.submit_call(ask, writes=False)
    settle, done = job.settle, threading.Event()

    def late_for_others(answer: Json | CommonplaceError) -> bool:
        if threading.current_thread() is threading.main_thread():
            assert done.wait(LONG_S)
        first = settle(answer)
        done.set()
        return first

    job.settle = late_for_others
    assert begun.wait(LONG_S)
    assert not worker.cancel(job)
    assert type(job.error) is Cancelled


@pytest.mark.slow
@pytest.mark.parametrize("way", ["deadline", "cancel"])
def test_what_reads_is_broken_off_and_the_index_stays_good(worker: Worker, root: Path, way: str) -> None:
    assert found(worker) == ["The boat is green."]
    before = os.stat(root / ".memory/index.sqlite").st_ino
    begun = threading.Event()

    def ask(memory: Memory) -> Json:
        begun.set()
        return endless(memory)

    job = worker.submit_call(ask, writes=False, deadline_s=1.5 if way == "deadline" else None)
    assert begun.wait(LONG_S)
    if way == "cancel":
        assert worker.cancel(job)
        assert not worker.cancel(job)
    with pytest.raises(DeadlinePassed if way == "deadline" else Cancelled) as stopped:
        job.result(LONG_S)
    assert stopped.value.hint == module.INTERRUPTED_HINT
    assert found(worker) == ["The boat is green."]  # the worker is free again: the question did not go on
    assert os.stat(root / ".memory/index.sqlite").st_ino == before


def test_a_pack_that_is_given_up_says_that_it_may_have_left_its_receipt(
    worker: Worker, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, asked = receipts.append_receipt, threading.Event()
    jobs: list[Job] = []

    def add_and_give_up(*given: Any) -> None:
        add(*given)
        assert asked.wait(LONG_S)
        worker.cancel(jobs[0])

    monkeypatch.setattr(receipts, "append_receipt", add_and_give_up)
    jobs.append(worker.submit("pack", {"text": "green boat"}))
    asked.set()
    with pytest.raises(Cancelled) as stopped:
        jobs[0].result(LONG_S)
    assert len(receipts.read_receipts(str(root)).receipts) == 1
    assert stopped.value.hint.endswith("no memory was changed; a pack may have left its receipt")


def test_what_is_between_two_questions_is_broken_off_at_the_next(worker: Worker) -> None:
    begun, gone, asked = threading.Event(), threading.Event(), threading.Event()

    def ask(memory: Memory) -> Json:
        memory.recall("boat")
        begun.set()
        assert gone.wait(LONG_S)
        with pytest.raises(Interrupted):
            memory.recall("boat")
        asked.set()
        return {}

    job = worker.submit_call(ask, writes=False)
    assert begun.wait(LONG_S)
    worker.cancel(job)
    gone.set()
    assert found(worker) == ["The boat is green."]
    assert asked.is_set()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["deadline", "cancel"])
def test_what_writes_goes_on_to_its_end(worker: Worker, way: str) -> None:
    begun, gone = threading.Event(), threading.Event()

    def keep(memory: Memory) -> Json:
        begun.set()
        assert gone.wait(LONG_S)
        return {"id": memory.retain("W @Peter: in Marrakech").capture.id}

    job = worker.submit_call(keep, writes=True, deadline_s=1.5 if way == "deadline" else None)
    assert begun.wait(LONG_S)
    if way == "cancel":
        worker.cancel(job)
    with pytest.raises(DeadlinePassed if way == "deadline" else Cancelled) as late:
        job.result(LONG_S)
    assert late.value.hint == module.STILL_RUNNING_HINT
    gone.set()
    assert found(worker, "Marrakech") == ["@Peter: in Marrakech"]


def test_a_write_that_was_late_can_be_repeated_under_its_keys(worker: Worker) -> None:
    event = {"text": "Peter is in Marrakech", "keys": ["host:7"], "ts": "2025-11-30T08:00"}
    begun, gone = threading.Event(), threading.Event()

    def capture(memory: Memory) -> Json:
        begun.set()
        assert gone.wait(LONG_S)
        return run_operation(memory, "capture", event)

    late = worker.submit_call(capture, writes=True)
    assert begun.wait(LONG_S)
    worker.cancel(late)
    gone.set()
    worker.submit("capture", event).result(LONG_S)
    assert worker.submit("status", {}).result(LONG_S)["captures"] == 1


def test_deadlines_pass_in_their_order_whatever_the_order_of_asking(worker: Worker) -> None:
    gate, order = Gate(worker), list[str]()
    jobs = {name: worker.submit("status", {}, deadline_s=wait) for name, wait in (("b", 1.5), ("a", 0.5), ("c", 2.0))}
    for name, job in jobs.items():
        job.when_done(lambda _job, name=name: order.append(name))
    for job in jobs.values():
        with pytest.raises(DeadlinePassed):
            job.result(LONG_S)
    assert order == ["a", "b", "c"]
    gate.gone.set()


@pytest.mark.slow
def test_an_answer_is_not_kept_until_its_deadline(worker: Worker) -> None:
    job = worker.submit("recall", {"text": "boat"}, deadline_s=3600)
    assert job.result(LONG_S)["hits"]
    kept = weakref.ref(job)
    del job
    assert found(worker)  # the worker has let go of it
    gc.collect()
    assert kept() is None


NOWHERE = {"reference": "nowhere.md"}


async def over_http(worker: Worker) -> Json:
    return await _await_job(worker.submit("show", NOWHERE))


async def over_mcp(worker: Worker) -> Json:
    async def report(_done: float, _total: float) -> None: ...

    return await AsyncDispatcher(worker, ProgressReporter()).ask("show", NOWHERE, report)


def test_few_questions_are_begun_at_once_and_none_while_the_answers_find_no_room(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []  # how many wait for an answer, at the start of each
    room = threading.Event()
    waiting = 0
    submit = worker.submit

    def noted(*given: Any, **more: Any) -> Job:
        nonlocal waiting
        waiting += 1
        begun.append(waiting)
        assert room.is_set()
        return submit(*given, **more)

    async def report(_done: float, _total: float) -> None: ...

    async def ask(desk: AsyncDispatcher) -> None:
        nonlocal waiting
        assert (await desk.ask("recall", {"text": "boat"}, report))["hits"]
        waiting -= 1

    async def all_asked() -> None:
        desk = AsyncDispatcher(worker, ProgressReporter(), room.wait)
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(ask, desk)
            await anyio.wait_all_tasks_blocked()
            assert begun == []
            room.set()

    monkeypatch.setattr(worker, "submit", noted)
    monkeypatch.setattr("commonplace.serve.mcp.pending_requests.MAX_CONCURRENT", 2)
    anyio.run(all_asked)
    assert len(begun) == 6
    assert max(begun) == 2


async def directly(worker: Worker) -> Json:
    return worker.submit("show", NOWHERE).result(LONG_S)


@pytest.mark.parametrize("ask", [directly, over_http, over_mcp])
def test_what_was_asked_does_not_outlive_its_error(
    ask: Callable[[Worker], Awaitable[Json]], worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[weakref.ref[Job]] = []
    submit = worker.submit

    def noted(*given: Any, **more: Any) -> Job:
        job = submit(*given, **more)
        asked.append(weakref.ref(job))
        return job

    async def in_vain() -> None:
        with suppress(CommonplaceError):
            await ask(worker)

    monkeypatch.setattr(worker, "submit", noted)
    gc.disable()
    try:
        anyio.run(in_vain)
        assert found(worker)  # the worker has let go of it
        assert asked[0]() is None
    finally:
        gc.enable()


# Bounds.


def test_more_than_may_wait_is_refused(worker: Worker) -> None:
    gate = Gate(worker)
    waiting = [worker.submit("status", {}) for _ in range(3)]
    with pytest.raises(TooBusy, match="3 questions wait already"):
        worker.submit("status", {}).result(0)
    gate.gone.set()
    assert [job.result(LONG_S)["schema"] for job in waiting] == ["commonplace.status.v1"] * 3
    assert found(worker)


def test_closing_finishes_what_was_taken_on_and_takes_nothing_more(root: Path, said: list[str]) -> None:
    worker = Worker(Memory.open(root), log=said.append)
    gate = Gate(worker)
    waiting = worker.submit("retain", {"text": "W @Peter: in Marrakech"})
    assert worker.close(0.05) is False  # the gate is shut
    with pytest.raises(TooBusy, match="closed"):
        worker.submit("status", {}).result(0)
    gate.gone.set()
    assert worker.close(LONG_S)
    assert waiting.result(0)["schema"] == "commonplace.kept.v1"


def test_a_deadline_that_passes_while_closing_is_answered(root: Path, said: list[str]) -> None:
    worker = Worker(Memory.open(root), log=said.append)
    gate = Gate(worker)
    late = worker.submit("status", {}, deadline_s=0.1)
    worker.close(0)
    with pytest.raises(DeadlinePassed):
        late.result(LONG_S)
    gate.gone.set()
    assert worker.close(LONG_S)


# A workspace that changes.


def test_settings_that_change_are_taken_over(worker: Worker, root: Path) -> None:
    (root / "more.md").write_text("- The green boat has a mast.\n- A boat is green or blue.\n", "utf-8")
    assert len(found(worker)) == 3
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    assert len(found(worker)) == 1
    (root / "commonplace.toml").unlink()
    assert len(found(worker)) == 3


def test_settings_that_changed_before_the_first_question_are_taken_over(root: Path, said: list[str]) -> None:
    (root / "more.md").write_text("- The green boat has a mast.\n", "utf-8")
    memory = Memory.open(root)
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    worker = Worker(memory, log=said.append)
    assert len(found(worker)) == 1
    assert worker.close(LONG_S)


def test_who_was_told_how_far_it_is_is_told_also_after_the_settings_changed(root: Path, said: list[str]) -> None:
    told: list[tuple[int, int]] = []
    worker = Worker(Memory.open(root, progress=lambda done, total: told.append((done, total))), log=said.append)
    assert found(worker)
    assert told
    told.clear()
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    (root / "more.md").write_text("- The green boat has a mast.\n", "utf-8")
    assert len(found(worker)) == 1
    assert told
    assert worker.close(LONG_S)


def test_settings_that_are_wrong_leave_the_old_ones_in_force_and_are_noted(
    worker: Worker, root: Path, said: list[str]
) -> None:
    (root / "more.md").write_text("- The green boat has a mast.\n", "utf-8")
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    assert len(found(worker)) == 1
    (root / "commonplace.toml").write_text("[recall]\nk = 'many'\n", "utf-8")
    for _ in range(2):
        answer = worker.submit("recall", {"text": "green boat"}).result(LONG_S)
        assert len(answer["hits"]) == 1
        assert answer["notes"][-1].startswith("the settings of before are in force: ")
        assert "recall.k must be a whole number" in answer["notes"][-1]
    assert len(said) == 1  # the log has it once
    (root / "commonplace.toml").write_text("[recall]\nk = 2\n", "utf-8")
    answer = worker.submit("recall", {"text": "green boat"}).result(LONG_S)
    assert (len(answer["hits"]), answer["notes"]) == (2, [])


def test_settings_that_could_not_be_taken_over_are_tried_again(worker: Worker, root: Path) -> None:
    (root / "more.md").write_text("- The green boat has a mast.\n", "utf-8")
    assert len(found(worker)) == 2
    (root / ".memory").rename(root / "memory-aside")
    (root / ".memory").symlink_to(root.parent)
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    with pytest.raises(OutsideWorkspace):
        found(worker)
    (root / ".memory").unlink()
    (root / "memory-aside").rename(root / ".memory")
    assert len(found(worker)) == 1


def gone_and_back(root: Path, hide: Callable[[Path, Path], object], worker: Worker) -> None:
    away = root.parent / "away"
    root.rename(away)
    hide(root, away)
    for name, given in (("recall", {"text": "boat"}), ("retain", {"text": "W @Peter: in Rome"}), ("status", {})):
        with pytest.raises(WorkspaceNotFound, match="no workspace at") as missing:
            worker.submit(name, given).result(LONG_S)
        assert "mounted" in missing.value.hint
    assert not root.exists() or not list(root.iterdir())  # nothing was written below the mount point
    if root.exists():
        root.rmdir()
    away.rename(root)


@pytest.mark.parametrize("mount_point", [False, True])
def test_a_workspace_that_goes_is_missed_and_goes_on_when_it_is_back(
    worker: Worker, root: Path, mount_point: bool
) -> None:
    assert found(worker) == ["The boat is green."]
    gone_and_back(root, lambda place, _away: place.mkdir() if mount_point else None, worker)
    (root / "more.md").write_text("- The green boat has a mast.\n", "utf-8")
    assert len(found(worker)) == 2


def test_another_workspace_in_the_same_place_is_opened_anew(worker: Worker, root: Path) -> None:
    (root / "commonplace.toml").write_text("[recall]\nk = 1\n", "utf-8")
    assert found(worker) == ["The boat is green."]
    root.rename(root.parent / "away")
    root.mkdir()
    (root / "other.md").write_text("- The boat is blue.\n- A green boat.\n", "utf-8")
    assert sorted(found(worker, "boat")) == ["A green boat.", "The boat is blue."]


def test_a_workspace_that_is_emptied_is_no_workspace_that_went(worker: Worker, root: Path) -> None:
    assert found(worker) == ["The boat is green."]
    root.rename(root.parent / "away")
    root.mkdir()
    (root / "other.md").write_text("- The boat is blue.\n", "utf-8")
    assert found(worker, "boat") == ["The boat is blue."]
    (root / "other.md").unlink()
    shutil.rmtree(root / ".memory")
    assert found(worker, "boat") == []


def test_warming_up_opens_the_index_before_anybody_asks(worker: Worker, root: Path) -> None:
    worker.warm_up().result(LONG_S)
    assert (root / ".memory/index.sqlite").is_file()


def test_what_is_there_when_it_is_warm_is_not_looked_at_again_for_garbage_and_what_comes_is(worker: Worker) -> None:
    before = gc.get_threshold()
    gc.unfreeze()
    try:
        worker.warm_up().result(LONG_S)
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold() == before  # a process that lasts leaves none lying about
    finally:
        gc.unfreeze()


PINNED_CALLS: dict[str, dict[str, object]] = {
    "recall": {"text": "harbour code"},
    "search": {"text": "harbour code"},
    "why_not": {"text": "harbour code", "reference": "memory/2025-11-30.md#L5"},
    "pack": {"text": "harbour code"},
    "why": {"receipt": "RECEIPT"},
    "show": {"reference": "memory/2025-11-30.md"},
    "entity": {"name": "Ana"},
    "facts": {"name": "Ana"},
    "impact": {"reference": "memory/2025-11-30.md#L5"},
    "correct": {"reference": "memory/2025-11-30.md#L5", "text": "The code is 7."},
    "timeline": {},
    "status": {},
    "audit": {},
    "retain": {"text": "W @Ana: The harbour code of heron has four digits."},
    "log": {"text": "Looked at the heron."},
    "capture": {"text": "the heron stood there"},
    "resume": {"session": "s"},
    "ingest": {"text": "{}"},
    "prompt": {"host": "claude-code", "event": {}},
    "turn": {"host": "claude-code", "event": {}},
    "tool": {"host": "claude-code", "event": {}},
    "approve": {"item_id": "a"},
    "reject": {"item_id": "a"},
    "edit": {"item_id": "a", "text": "b"},
    "undo": {"change_id": "a"},
    "forget": {"query": "a"},
    "propose_forget": {"references": ["a"]},
    "related": {"name": "Ana"},
    "read_file": {"path": "memory/2025-11-30.md"},
    "edit_file": {"path": "memory/2025-11-30.md", "text": "a", "digest": "b"},
}


@pytest.fixture(scope="module")
def scoped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, str, str]]:
    """A worker that is pinned to the scope heron, a receipt of the scope crane, and the id of a line of it."""
    memory = Memory.open(tmp_path_factory.mktemp("scoped"))
    now = "2025-11-30T09:00"
    memory.retain("W @Ana: The harbour code of heron is violet.", scope="heron", now=now)
    record = memory.retain("W @Ana: The harbour code of crane is yellow.", scope="crane", now=now).record
    memory.retain("W @Ana: The harbour office opens at nine.", now=now)
    receipt = memory.pack("harbour code", scope="crane", now=now).receipt_id
    assert record is not None
    worker = Worker(memory, log=print, scope="heron")
    yield worker, receipt, record.id
    worker.close(20)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_of_a_pinned_client_shows_another_scope(name: str, scoped: tuple[Worker, str, str]) -> None:
    worker, receipt, record_id = scoped
    arguments = PINNED_CALLS.get(name, {})
    calls = [{key: receipt if value == "RECEIPT" else value for key, value in arguments.items()}]
    fields = OPERATIONS[name].request.__struct_fields__
    calls += [{**calls[0], "scope": "crane"}] if "scope" in fields else []
    calls += [{**calls[0], "all_scopes": True}] if "all_scopes" in fields else []
    calls += [{"reference": record_id}, {"reference": "memory/2025-11-30.md#L5"}] if name == "show" else []
    answers = []
    for call in calls:
        try:
            answers.append(json.dumps(worker.submit(name, call).result(20)))
        except CommonplaceError as error:
            answers.append(f"{error.code}: {error.message} {error.hint}")
    assert not any(word in answer for answer in answers for word in ("yellow", "crane"))
    first = answers[0]
    if name not in PINNED_OPERATIONS:
        assert first.startswith("bad-argument")
        assert "pinned to a scope" in first
    elif name in ("recall", "pack", "show", "entity", "timeline", "audit"):
        assert "violet" in first
    elif name == "why":
        assert first.startswith("not-found")
    else:
        assert first.startswith("{")


def test_a_pinned_client_writes_into_its_scope(scoped: tuple[Worker, str, str]) -> None:
    answer = scoped[0].submit("retain", {"text": "W @Ana: The heron eats fish."}).result(20)
    assert answer["record"]["scope"] == "heron"
    with pytest.raises(BadArgument, match="another scope"):
        scoped[0].submit("retain", {"text": "W @Ana: Blue.", "supersedes": [scoped[2]]}).result(20)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_error_of_an_operation_repeats_a_secret_that_it_was_given(
    name: str, scoped: tuple[Worker, str, str]
) -> None:
    """Each parameter once as a secret that its form shows, and once as one that only its name in the JSON shows."""
    secret, value = "ghp_" + "n3Tg" * 9, "x9-Hunter-22"
    log: list[str] = []
    worker = Worker(Memory.open(scoped[0]._memory.memory.root), log=log.append)
    given = dict.fromkeys(("text", "reference", "name", "receipt", "item_id", "change_id", "host", "event"), "a")
    fields = OPERATIONS[name].request.__struct_fields__
    told = []
    for field in fields:
        call: dict[str, object] = {key: one for key, one in given.items() if key in fields} | {field: secret}
        for arguments in (call, call | {f"no-such-{secret}": 1}, call | {"password": value, field: value}):
            job = worker.submit(name, arguments)
            with suppress(CommonplaceError):
                job.result(20)
            told.append(str(job.error and (job.error.message, job.error.hint, job.error.path)))
    worker.close(20)
    assert not any(one in words for words in (*told, *log) for one in (secret[:20], value))


# Receipts of automatic packs, after the answer.

PROMPT = {
    "host": "claude-code",
    "event": {"hook_event_name": "UserPromptSubmit", "prompt": "what is the colour of the boat?"},
}
AUTOMATIC: tuple[tuple[str, Json], ...] = (
    ("prompt", PROMPT),
    ("pack", {"text": "green boat", "automatic": True}),
)


def receipts_of(root: Path) -> int:
    """The number of receipts; each has its line in the ledger."""
    written = receipts.read_receipts(str(root)).receipts
    lines = [one.fields for one in Journal(str(root), "desk").read("ledger").entries]
    assert [one["receipt"] for one in lines if one["op"] == "included"] == [one.id for one in written]
    return len(written)


@pytest.mark.parametrize(("name", "given"), AUTOMATIC)
def test_an_automatic_pack_is_answered_before_anything_waits_for_the_disk(
    worker: Worker, root: Path, name: str, given: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(worker)  # the index is there
    answered, fsync = threading.Event(), os.fsync

    def wait_for_the_answer(descriptor: int) -> None:
        assert answered.wait(LONG_S)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", wait_for_the_answer)
    answer = worker.submit(name, given).result(LONG_S)
    answered.set()
    assert "green" in (answer.get("inject") or answer.get("text"))
    why = worker.submit("why", {}).result(LONG_S)  # whoever asks next finds it
    assert why["id"] == answer["receipt"] if name == "prompt" else why["id"]
    assert receipts_of(root) == 1


def test_the_receipt_is_written_before_the_next_request_begins(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    order, add = [], receipts.append_receipt

    def append(*given: Any) -> None:
        order.append("receipt")
        add(*given)

    monkeypatch.setattr(receipts, "append_receipt", append)
    gate = Gate(worker)
    worker.submit("prompt", PROMPT).when_done(lambda _job: order.append("answer"))
    after = worker.submit_call(lambda _memory: {"order": list(order)}, writes=False)
    gate.gone.set()
    assert after.result(LONG_S) == {"order": ["answer", "receipt"]}


@pytest.mark.parametrize("way", ["explicit", "command line"])
def test_any_other_pack_is_given_with_its_receipt_only(worker: Worker, root: Path, way: str) -> None:
    assert found(worker)  # an operation came before
    (root / ".memory/receipts").write_text("in the way\n")
    if way == "explicit":
        job = worker.submit("pack", {"text": "green boat"})
    else:  # which asks for a noun, not for an operation
        job = worker.submit_call(lambda memory: {"pack": memory.pack("green boat", automatic=True)}, writes=False)
    with pytest.raises(NoReceipt):
        job.result(LONG_S)


def test_after_a_receipt_that_could_not_be_written_the_next_come_first_until_one_succeeds(
    worker: Worker, root: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(worker)
    (root / ".memory/receipts").write_text("in the way\n")
    assert "green" in worker.submit("prompt", PROMPT).result(LONG_S)["inject"]
    (note,) = worker.submit("recall", {"text": "green boat"}).result(LONG_S)["notes"]
    assert note == worker.trouble == said[-1]
    assert note.startswith("a pack was given and its receipt is missing: ")
    with pytest.raises(NoReceipt):
        worker.submit("prompt", PROMPT).result(LONG_S)
    assert worker.trouble == note
    (root / ".memory/receipts").unlink()
    assert not worker.submit("prompt", PROMPT).result(LONG_S)["notes"]
    assert (worker.trouble, receipts_of(root)) == ("", 1)
    answered, add = threading.Event(), receipts.append_receipt

    def append(*given: Any) -> None:
        assert answered.wait(LONG_S)
        add(*given)

    monkeypatch.setattr(receipts, "append_receipt", append)
    worker.submit("prompt", PROMPT).result(LONG_S)
    answered.set()


def test_a_bug_in_a_late_write_is_logged_and_ends_nothing(
    worker: Worker, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "append_receipt", lambda *_given: 1 // 0)
    assert "green" in worker.submit("prompt", PROMPT).result(LONG_S)["inject"]
    assert found(worker) == ["The boat is green."]
    assert "ZeroDivisionError" in said[-1]
    assert "ZeroDivisionError" in worker.trouble


def test_a_shutdown_writes_the_receipts_of_all_that_was_answered(root: Path) -> None:
    worker = Worker(Memory.open(root), log=print)
    gate = Gate(worker)
    jobs = [worker.submit("prompt", PROMPT | {"event": PROMPT["event"] | {"prompt": f"boat {n}"}}) for n in range(3)]
    gate.gone.set()
    assert worker.close(LONG_S)
    assert all("green" in job.result(0)["inject"] for job in jobs)
    assert receipts_of(root) == 3


def test_an_answer_that_nobody_got_leaves_no_receipt(
    worker: Worker, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, asked = pipeline.make_receipt, threading.Event()
    jobs: list[Job] = []

    def make_and_give_up(*given: Any, **more: Any) -> Receipt:
        assert asked.wait(LONG_S)
        worker.cancel(jobs[0])
        return make(*given, **more)

    monkeypatch.setattr(pipeline, "make_receipt", make_and_give_up)
    jobs.append(worker.submit("prompt", PROMPT))
    asked.set()
    with pytest.raises(Cancelled):
        jobs[0].result(LONG_S)
    assert found(worker)
    assert receipts_of(root) == 0
