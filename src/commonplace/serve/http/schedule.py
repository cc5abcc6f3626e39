"""Scheduled jobs: when each runs next, stored in the workspace, and the process that runs it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, structs

from commonplace.errors import Cancelled, CommonplaceError, LockBusy, Unreachable
from commonplace.shapes import Json, pick_fields
from commonplace.storage import files

if TYPE_CHECKING:
    from subprocess import Popen

    from commonplace.serve.client import ProcessClient
    from commonplace.storage.settings import Settings
PATH = ".memory/schedule.json"
SHAPE = "commonplace.schedule.v1"
LOCK = "schedule"
MAX_SCHEDULE_BYTES = 100_000


class ScheduledJob(Struct, frozen=True):
    """A job that runs at an interval in seconds: an operation with its parameters."""

    name: str
    summary: str
    every_s: int
    operation: str
    arguments: Json


class JobState(Struct, frozen=True):
    """The state of a job: its next run and the result of the last one; times are UTC, empty if there is none."""

    next: str
    began: str = ""
    ended: str = ""
    outcome: str = ""
    note: str = ""
    done: str = ""


class ScheduleState(Struct, frozen=True):
    """The turns by the name of their job."""

    v: int = 1
    jobs: dict[str, JobState] = {}


def configured_jobs(settings: Settings) -> tuple[ScheduledJob, ...]:
    """The jobs that the settings configure."""
    every = settings.daemon_consolidate_minutes * 60
    given = {"apply": True, "idle_minutes": settings.daemon_idle_minutes}
    summary = "From what was captured to what is worth keeping."
    return (ScheduledJob("consolidate", summary, every, "consolidate", given),) if every else ()


def update_schedule(schedule_state: ScheduleState, jobs: tuple[ScheduledJob, ...], now_s: float) -> ScheduleState:
    """The schedule with an entry for each configured job: a new job waits one period, and no job waits longer than
    that.

    So a clock that was put back makes no job wait for the time it came from, and one that was put forward makes those
    whose time it skipped due once.
    """
    turns = {}
    for job in jobs:
        latest = format_utc(now_s + job.every_s)
        job_state = schedule_state.jobs.get(job.name, JobState(latest))
        turns[job.name] = job_state if job_state.next <= latest else structs.replace(job_state, next=latest)
    return ScheduleState(schedule_state.v, turns)


def read_schedule(root: str) -> ScheduleState:
    """The schedule as it was last written; an empty one if it cannot be read."""
    try:
        data = files.read_file_if_exists(root, PATH, MAX_SCHEDULE_BYTES) or b"{}"
        return msgspec.json.decode(data, type=ScheduleState)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ScheduleState()


def save_schedule(root: str, jobs: tuple[ScheduledJob, ...], now_s: float) -> ScheduleState:
    """The table with a turn for each job, written where that is new. Raises LockBusy."""
    with files.hold_workspace_lock(root, LOCK):
        before = read_schedule(root)
        schedule_state = update_schedule(before, jobs, now_s)
        if schedule_state != before:
            _write_schedule(root, schedule_state)
        return schedule_state


def run_if_due(
    root: str, job: ScheduledJob, clock: Callable[[], float], run_job: Callable[[ScheduledJob], str]
) -> JobState | None:
    """Do a job that is due, unless another process does it or has done it; its turn afterwards, None if not done here.

    `run_job` does it and says what it did; what it raises is noted, but for Cancelled: then it is due still. Raises
    LockBusy for the table only.
    """
    with ExitStack() as held:
        try:
            held.enter_context(files.hold_workspace_lock(root, f"{LOCK}-{job.name}", 0))
        except LockBusy:
            return None
        job_state = update_schedule(read_schedule(root), (job,), clock()).jobs[job.name]
        if job_state.next > format_utc(clock()):
            return None  # somebody else was faster
        try:
            began = format_utc(clock())
            note, outcome = run_job(job), "done"
        except Cancelled:
            return None
        except CommonplaceError as error:
            note, outcome = error.message, "failed"
        ended_s = clock()
        ended = format_utc(ended_s)
        done = ended if outcome == "done" else job_state.done
        job_state = JobState(format_utc(ended_s + job.every_s), began, ended, outcome, note, done)
        with files.hold_workspace_lock(root, LOCK):
            state = read_schedule(root)
            _write_schedule(root, ScheduleState(state.v, state.jobs | {job.name: job_state}))
        return job_state


def _write_schedule(root: str, schedule_state: ScheduleState) -> None:
    files.write_atomic(root, PATH, msgspec.json.encode(schedule_state) + b"\n")


def schedule_json(root: str, jobs: tuple[ScheduledJob, ...], now_s: float) -> Json:
    """`commonplace.schedule.v1`: the next-run table, the next first."""
    schedule_state = update_schedule(read_schedule(root), jobs, now_s)
    states = ((job, schedule_state.jobs[job.name]) for job in jobs)
    rows = [
        pick_fields(job, "name summary")
        | {"every_minutes": job.every_s // 60, "next": state.next}
        | {"last": pick_fields(state, "began ended outcome note") if state.outcome else None}
        for job, state in states
    ]
    return {"schema": SHAPE, "jobs": sorted(rows, key=lambda row: (row["next"], row["name"]))}


def format_utc(seconds: float) -> str:
    """Seconds since 1970 as an ISO time of UTC; of two the later is the greater text."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_utc(text: str) -> float:
    """The time in the format of `text`, as seconds since 1970; 0 for anything else."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


class JobProcess:
    """Does one job after another on a workspace; any thread may `stop` it for good."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()  # guards what follows
        self._process: ProcessClient | None = None
        self._starting: Popen[bytes] | None = None  # nothing was asked of it yet
        self._is_over = False

    def run_job(self, job: ScheduledJob) -> str:
        """Do a job to its end; what it did, in words.

        Raises the CommonplaceError of the job, Unreachable where its process cannot start or dies, Cancelled where it
        was stopped. A signal of the terminal does not reach the process, and it ends with the daemon.
        """
        from commonplace.serve.client import spawn

        stopped = Cancelled("the daemon is ending", hint="it is due again at the next start")
        if self._is_over:
            raise stopped
        try:
            process = spawn(self._root, on_start=self._note_start, start_new_session=True)
            with self._lock:
                self._process, self._starting = process, None
            try:
                done = process.ask(job.operation, job.arguments)
            finally:
                process.close()
        except Unreachable:
            self._starting = None
            if self._is_over:
                raise stopped from None
            raise
        return f"{done['captures']} captures, {len(done['kept'])} lines kept, {len(done['pending'])} to review"

    def stop(self, within_s: float) -> None:
        """Begin nothing more; let what was begun come to its end, but kill it where that takes longer.

        A process that is not ready yet is killed at once: it has begun nothing.
        """
        with self._lock:
            self._is_over = True
            starting, process = self._starting, self._process
        if starting is not None:
            starting.kill()
        if process is not None:
            process.close(within_s)

    def _note_start(self, starting: Popen[bytes]) -> None:
        with self._lock:
            self._starting = starting
            if self._is_over:
                starting.kill()
