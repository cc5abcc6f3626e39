"""What runs by itself and when: a table of jobs, their next runs kept in the workspace, each run by one process only.

A run that was missed is caught up once; one that fails is noted and tried at its next time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from commonplace import files
from commonplace.errors import Cancelled, CommonplaceError, LockBusy

if TYPE_CHECKING:
    from commonplace.config import Settings
    from commonplace.shapes import Json

PATH = ".memory/schedule.json"
SHAPE = "commonplace.schedule.v1"
LOCK = "schedule"
MOST_BYTES = 100_000


class Job(Struct, frozen=True):
    """Something that runs every so many seconds: an operation with its parameters."""

    name: str
    summary: str
    every_s: int
    operation: str
    given: dict[str, Any]


class Turn(Struct, frozen=True):
    """When a job runs next, and how its last run went; times are UTC, empty where there was none."""

    next: str
    began: str = ""
    ended: str = ""
    outcome: str = ""
    note: str = ""
    done: str = ""


class Table(Struct, frozen=True):
    """The turns by the name of their job."""

    v: int = 1
    jobs: dict[str, Turn] = {}


def jobs(settings: Settings) -> tuple[Job, ...]:
    """What the settings want to be run."""
    every = settings.daemon_consolidate_minutes * 60
    given = {"apply": True, "idle_minutes": settings.daemon_idle_minutes}
    consolidate = Job("consolidate", "From what was captured to what is worth keeping.", every, "consolidate", given)
    return tuple(job for job in (consolidate,) if job.every_s)


def planned(table: Table, wanted: tuple[Job, ...], now: float) -> Table:
    """The table with a turn for each job that is wanted: a new job waits one period, none waits longer than that.

    So a clock that was put back makes no job wait for the time it came from, and one that was put forward makes those
    whose time it skipped due once.
    """
    turns = {}
    for job in wanted:
        latest = written(now + job.every_s)
        turn = table.jobs.get(job.name, Turn(latest))
        turns[job.name] = turn if turn.next <= latest else structs.replace(turn, next=latest)
    return Table(table.v, turns)


def read(root: str) -> Table:
    """The table as it was written last; an empty one where there is none that can be read."""
    try:
        return msgspec.json.decode(files.find(root, PATH, MOST_BYTES) or b"{}", type=Table)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Table()


def plan(root: str, wanted: tuple[Job, ...], now: float) -> Table:
    """The table with a turn for each job, written where that is new. Raises LockBusy."""
    with files.hold(root, LOCK):
        before = read(root)
        table = planned(before, wanted, now)
        if table != before:
            _write(root, table)
        return table


def run(root: str, job: Job, clock: Callable[[], float], act: Callable[[Job], str]) -> Turn | None:
    """Do a job that is due, unless another process does it or has done it; its turn afterwards, None if not done here.

    `act` does it and says what it did; what it raises is noted, but for Cancelled: then it is due still. Raises
    LockBusy for the table only.
    """
    with ExitStack() as held:
        try:
            held.enter_context(files.hold(root, f"{LOCK}-{job.name}", 0))
        except LockBusy:
            return None
        turn = planned(read(root), (job,), clock()).jobs[job.name]
        if turn.next > written(clock()):
            return None  # somebody else was faster
        try:
            turn = _done(turn, job, clock, act)
        except Cancelled:
            return None
        _keep(root, job.name, turn)
        return turn


def _done(turn: Turn, job: Job, clock: Callable[[], float], act: Callable[[Job], str]) -> Turn:
    began = written(clock())
    try:
        note, outcome = act(job), "done"
    except Cancelled:
        raise
    except CommonplaceError as error:
        note, outcome = error.message, "failed"
    ended = clock()
    return Turn(
        next=written(ended + job.every_s),
        began=began,
        ended=written(ended),
        outcome=outcome,
        note=note,
        done=written(ended) if outcome == "done" else turn.done,
    )


def _keep(root: str, name: str, turn: Turn) -> None:
    with files.hold(root, LOCK):
        table = read(root)
        _write(root, Table(table.v, table.jobs | {name: turn}))


def _write(root: str, table: Table) -> None:
    files.write_atomic(root, PATH, msgspec.json.encode(table) + b"\n")


def schedule_json(table: Table, wanted: tuple[Job, ...]) -> Json:
    """`commonplace.schedule.v1`: the next-run table, the next first."""
    rows = [_row(job, table.jobs[job.name]) for job in wanted if job.name in table.jobs]
    return {"schema": SHAPE, "jobs": sorted(rows, key=lambda row: (row["next"], row["name"]))}


def _row(job: Job, turn: Turn) -> Json:
    last = {"began": turn.began, "ended": turn.ended, "outcome": turn.outcome, "note": turn.note}
    return {
        "name": job.name,
        "summary": job.summary,
        "every_minutes": job.every_s // 60,
        "next": turn.next,
        "last": last if turn.outcome else None,
    }


def written(seconds: float) -> str:
    """Seconds since 1970 as an ISO time of UTC; of two the later is the greater text."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: str) -> float:
    """What `written` wrote, as seconds since 1970; 0 for anything else."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
