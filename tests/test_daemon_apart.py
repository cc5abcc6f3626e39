"""Jobs of the schedule in processes of their own: done, finished at a stop, killed where they hang, due again then.

And what is beside them: that the daemon is warm when it is first asked, and lets go of all whatever breaks.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.running_daemon import runtime
from commonplace import Memory
from commonplace import memory as memory_package
from commonplace.errors import Cancelled, LockBusy
from commonplace.serve import client
from commonplace.serve.http import daemon as daemon_running
from commonplace.serve.http import schedule
from commonplace.serve.http.schedule import JobProcess, JobState, ScheduledJob, ScheduleState
from commonplace.serve.http.watcher import FileWatcher
from commonplace.storage import files
from commonplace.upkeep.consolidate.runs import CONSOLIDATE_LOCK

pytestmark = pytest.mark.slow

CONSOLIDATE = ScheduledJob("consolidate", "Consolidate.", 3600, "consolidate", {"apply": True})
MISSED = ScheduleState(jobs={"consolidate": JobState("2025-11-30T00:00:00Z")})


@pytest.fixture
def root(tmp_path: Path) -> str:
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Bern.", session="s1", ts="2025-11-28T10:00", now="2025-11-28T10:00")
    return str(tmp_path)


class Acting(threading.Thread):
    """A job that is done in a thread, and what came of it."""

    def __init__(self, apart: JobProcess) -> None:
        super().__init__(daemon=True)
        self.apart, self.came = apart, ""
        self.start()

    def run(self) -> None:
        """Do it."""
        try:
            self.came = self.apart.run_job(CONSOLIDATE)
        except (Cancelled, LockBusy) as error:
            self.came = error.code

    def over(self) -> str:
        """What came of it in the end."""
        self.join(60)
        return self.came


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds, but not for ever."""
    pause = threading.Event()
    for _try in range(6_000):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("it never held")


def test_a_job_is_done_by_another_process(root: str) -> None:
    assert JobProcess(root).run_job(CONSOLIDATE) == "1 captures, 1 lines kept, 0 to review"
    assert any("Bern" in path.read_text("utf-8") for path in Path(root).rglob("*.md"))


def test_what_a_job_fails_by_is_the_error_that_it_was(root: str) -> None:
    with files.hold_workspace_lock(root, CONSOLIDATE_LOCK), pytest.raises(LockBusy):
        JobProcess(root).run_job(CONSOLIDATE)


def test_at_a_stop_what_was_begun_comes_to_its_end_and_nothing_more_begins(root: str) -> None:
    apart = JobProcess(root)
    with files.hold_workspace_lock(root, CONSOLIDATE_LOCK):
        acting = Acting(apart)
        until(lambda: apart._process and apart._process._answers_by_id)
        stopping = threading.Thread(target=apart.stop, args=(30.0,))
        stopping.start()
        until(lambda: apart._is_over)
    assert acting.over() == "1 captures, 1 lines kept, 0 to review"
    stopping.join(60)
    with pytest.raises(Cancelled):
        apart.run_job(CONSOLIDATE)


def test_what_hangs_at_a_stop_is_killed(root: str) -> None:
    apart = JobProcess(root)
    with files.hold_workspace_lock(root, CONSOLIDATE_LOCK):
        acting = Acting(apart)
        until(lambda: apart._process)
        assert apart._process is not None
        pid = apart._process.pid
        assert os.getsid(pid) == pid  # what a terminal tells its foreground is not for it
        os.kill(pid, signal.SIGSTOP)
        apart.stop(0.1)
        assert acting.over() == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_is_not_ready_at_a_stop_is_not_waited_for(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    never_ready = partial(client.spawn, command=(sys.executable, "-c", "input()"), start_s=3_600.0)
    monkeypatch.setattr(client, "spawn", never_ready)
    apart = JobProcess(root)
    acting = Acting(apart)
    until(lambda: apart._starting)
    apart.stop(30.0)
    assert acting.over() == "cancelled"
    assert apart._starting is None


def test_what_starts_while_it_is_stopped_is_not_waited_for(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    never_ready = partial(client.spawn, command=(sys.executable, "-c", "input()"), start_s=3_600.0)
    apart = JobProcess(root)

    def stopped_and_spawned(*places: Any, **choices: Any) -> client.ProcessClient:
        apart.stop(30.0)
        return never_ready(*places, **choices)

    monkeypatch.setattr(client, "spawn", stopped_and_spawned)
    assert Acting(apart).over() == "cancelled"


@pytest.fixture
def short_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with runtime() as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        yield


@pytest.mark.usefixtures("short_place")
def test_the_daemon_does_a_job_in_a_process_of_its_own(root: str) -> None:
    """The time of children that have ended grows only where there were any."""
    schedule._write_schedule(root, MISSED)

    def end_when_done() -> None:
        try:
            until(lambda: schedule.read_schedule(root).jobs["consolidate"].outcome)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    ending, before = threading.Thread(target=end_when_done), os.times()
    ending.start()
    daemon_running.serve_workspace(Memory.open(root), daemon_running.ListenOptions(), lambda _line: None)
    ending.join()
    after = os.times()
    assert schedule.read_schedule(root).jobs["consolidate"].outcome == "done"
    assert after.children_user + after.children_system > before.children_user + before.children_system


@pytest.mark.usefixtures("short_place")
def test_a_job_that_hangs_keeps_no_daemon_from_its_end_and_is_due_again(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_running, "SHUTDOWN_TIMEOUT_S", 0.2)
    schedule._write_schedule(root, MISSED)

    made: list[JobProcess] = []
    over = threading.Event()
    monkeypatch.setattr(daemon_running, "JobProcess", lambda place: made.append(JobProcess(place)) or made[0])

    def hang_and_end() -> None:
        until(lambda: made and made[0]._process)
        assert made[0]._process is not None
        pid = made[0]._process.pid
        os.kill(pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGTERM)
        if not over.wait(60):  # it waits for it: let the test come to its end, and fail
            os.kill(pid, signal.SIGCONT)

    ending = threading.Thread(target=hang_and_end)
    with files.hold_workspace_lock(root, CONSOLIDATE_LOCK):
        ending.start()
        daemon_running.serve_workspace(Memory.open(root), daemon_running.ListenOptions(), lambda _line: None)
        over.set()
    ending.join()
    assert schedule.read_schedule(root).jobs["consolidate"] == MISSED.jobs["consolidate"]


def workers() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("commonplace-")]


@pytest.mark.usefixtures("short_place")
def test_a_bug_beside_the_questions_ends_the_daemon_and_leaves_nothing_open(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(_watcher: FileWatcher) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(FileWatcher, "run", breaks)
    with pytest.raises(ZeroDivisionError):
        daemon_running.serve_workspace(Memory.open(root), daemon_running.ListenOptions(), lambda _line: None)
    assert workers() == []


@pytest.mark.usefixtures("short_place")
def test_the_daemon_has_asked_itself_something_before_anybody_asks(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(memory_package, "recall_records", lambda _workspace, request: asked.append(request.text))

    def end(line: str) -> None:
        if line.startswith("serving"):
            os.kill(os.getpid(), signal.SIGTERM)

    daemon_running.serve_workspace(Memory.open(root), daemon_running.ListenOptions(), end)
    assert asked


@pytest.mark.usefixtures("short_place")
def test_what_the_server_of_the_daemon_complains_of_is_one_line_of_the_log(root: str) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("serving"):
            logging.getLogger("uvicorn.error").error("it went\nwrong")
            os.kill(os.getpid(), signal.SIGTERM)

    daemon_running.serve_workspace(Memory.open(root), daemon_running.ListenOptions(), say)
    assert said[1:] == ["uvicorn: it went wrong", "ended"]
