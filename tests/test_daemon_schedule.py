"""What runs by itself: when, once, by one process, also after a stop, a failure, and a clock that jumps."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from msgspec import structs

from bench.running_daemon import running, runtime
from commonplace import Memory
from commonplace.errors import BadArgument, Cancelled
from commonplace.serve.http import schedule
from commonplace.serve.http.schedule import (
    JobState,
    ScheduledJob,
    ScheduleState,
    configured_jobs,
    format_utc,
    parse_utc,
    schedule_json,
    update_schedule,
)
from commonplace.storage import files
from commonplace.storage.config import Settings

SCHEMA = Path(__file__).parents[1] / "docs/reference/schemas/commonplace.schedule.v1.schema.json"
HOURLY = ScheduledJob("tidy", "Tidy up.", 3600, "consolidate", {})
NOON = parse_utc("2025-11-30T12:00:00Z")


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


class Deeds:
    """What jobs did, and what they cost of time."""

    def __init__(self, clock: Clock, *, lasts: float = 0.0) -> None:
        self.done: list[str] = []
        self._clock, self._lasts = clock, lasts

    def __call__(self, job: ScheduledJob) -> str:
        self.done.append(job.name)
        self._clock.now += self._lasts
        return "tidied"


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(tmp_path)


def run_what_is_due(root: str, clock: Callable[[], float], act: Callable[[ScheduledJob], str]) -> JobState | None:
    table = schedule.save_schedule(root, (HOURLY,), clock())
    return schedule.run_if_due(root, HOURLY, clock, act) if table.jobs["tidy"].next <= format_utc(clock()) else None


def test_a_new_job_waits_one_period_and_then_runs_in_its_rhythm(root: str) -> None:
    clock = Clock()
    act = Deeds(clock)
    for _minute in range(0, 181, 10):
        run_what_is_due(root, clock, act)
        clock.now += 600
    assert act.done == ["tidy"] * 3


def test_what_was_missed_is_caught_up_once(root: str) -> None:
    clock = Clock()
    act = Deeds(clock)
    run_what_is_due(root, clock, act)
    clock.now += 30 * 24 * 3600
    turn = run_what_is_due(root, clock, act)
    assert turn is not None
    assert run_what_is_due(root, clock, act) is None
    assert act.done == ["tidy"]
    assert turn.next == format_utc(clock.now + 3600)


def test_a_run_that_fails_is_noted_and_tried_at_its_next_time(root: str) -> None:
    clock = Clock()
    run_what_is_due(root, clock, Deeds(clock))
    clock.now += 3600
    good = run_what_is_due(root, clock, Deeds(clock))
    assert good is not None
    clock.now += 3600

    def fails(_job: ScheduledJob) -> str:
        raise BadArgument("the disk is full")

    turn = run_what_is_due(root, clock, fails)
    assert turn is not None
    assert (turn.outcome, turn.note, turn.next) == ("failed", "the disk is full", format_utc(clock.now + 3600))
    assert turn.done == good.done
    assert run_what_is_due(root, clock, fails) is None
    clock.now += 3600
    again = run_what_is_due(root, clock, Deeds(clock))
    assert again is not None
    assert (again.outcome, again.note) == ("done", "tidied")


def test_a_run_that_died_is_done_again(root: str) -> None:
    clock = Clock()
    run_what_is_due(root, clock, Deeds(clock))
    clock.now += 3600

    def dies(_job: ScheduledJob) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_what_is_due(root, clock, dies)
    act = Deeds(clock)
    run_what_is_due(root, clock, act)
    assert act.done == ["tidy"]


def test_a_run_that_was_broken_off_is_due_still(root: str) -> None:
    clock = Clock()
    run_what_is_due(root, clock, Deeds(clock))
    clock.now += 3600

    def is_stopped(_job: ScheduledJob) -> str:
        raise Cancelled("the daemon is ending")

    assert run_what_is_due(root, clock, is_stopped) is None
    act = Deeds(clock)
    run_what_is_due(root, clock, act)
    assert act.done == ["tidy"]


def test_two_processes_run_one_job_once(root: str) -> None:
    """One has the lock while the other looks; and both have seen that it was due before either ran."""
    clock = Clock()
    schedule.save_schedule(root, (HOURLY,), clock())
    clock.now += 3600
    act, began, end = Deeds(clock), threading.Event(), threading.Event()

    def slowly(job: ScheduledJob) -> str:
        began.set()
        assert end.wait(60)
        return act(job)

    first = threading.Thread(target=schedule.run_if_due, args=(root, HOURLY, clock, slowly))
    first.start()
    assert began.wait(60)
    assert schedule.run_if_due(root, HOURLY, clock, act) is None
    end.set()
    first.join()
    assert schedule.run_if_due(root, HOURLY, clock, act) is None
    assert act.done == ["tidy"]


def test_a_clock_that_is_put_back_stops_no_job_and_one_put_forward_runs_it_once(root: str) -> None:
    clock = Clock()
    act = Deeds(clock)
    clock.now += 365 * 24 * 3600
    run_what_is_due(root, clock, act)
    clock.now = NOON
    assert run_what_is_due(root, clock, act) is None
    clock.now += 3600
    assert run_what_is_due(root, clock, act) is not None
    clock.now += 10 * 365 * 24 * 3600
    assert run_what_is_due(root, clock, act) is not None
    assert run_what_is_due(root, clock, act) is None
    assert act.done == ["tidy"] * 2


def test_a_long_run_is_counted_from_its_end(root: str) -> None:
    clock = Clock()
    schedule.save_schedule(root, (HOURLY,), clock())
    clock.now += 3600
    turn = run_what_is_due(root, clock, Deeds(clock, lasts=7200))
    assert turn is not None
    assert (turn.began, turn.ended, turn.next) == tuple(format_utc(NOON + hours * 3600) for hours in (1, 3, 4))


@pytest.mark.parametrize(
    "bytes_", [b"", b"{", b"[]", b'{"jobs": {"tidy": 3}}', b"\xff\xfe", b'{"v": 1, "jobs": {"tidy": {"next": "zzz"}}}']
)
def test_a_table_that_cannot_be_read_is_made_anew(root: str, bytes_: bytes) -> None:
    files.write_atomic(root, schedule.PATH, bytes_)
    assert schedule.save_schedule(root, (HOURLY,), NOON).jobs["tidy"].next == format_utc(NOON + 3600)
    assert schedule.read_schedule(root).jobs["tidy"].next == format_utc(NOON + 3600)


def test_a_turn_of_one_job_leaves_those_of_others(root: str) -> None:
    other = structs.replace(HOURLY, name="other")
    clock = Clock()
    schedule.save_schedule(root, (HOURLY, other), clock())
    clock.now += 3600
    schedule.run_if_due(root, other, clock, Deeds(clock))
    table = schedule.save_schedule(root, (HOURLY, other), clock())
    assert (table.jobs["other"].outcome, table.jobs["tidy"].outcome) == ("done", "")
    assert table.jobs["tidy"].next <= format_utc(clock.now)


def test_a_job_that_the_settings_do_not_want_is_not_planned() -> None:
    assert configured_jobs(Settings(daemon_consolidate_minutes=0)) == ()
    assert update_schedule(ScheduleState(jobs={"tidy": JobState("x")}), (), NOON).jobs == {}


def test_the_table_has_its_documented_shape(root: str) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    clock = Clock()
    schedule.save_schedule(root, (HOURLY,), clock())
    before = schedule_json(root, (HOURLY,), clock())
    clock.now += 3600
    run_what_is_due(root, clock, Deeds(clock))
    after = schedule_json(root, (HOURLY,), clock())
    for shape in (before, after):
        validator.validate(shape)
    assert before["jobs"][0]["last"] is None
    assert after["jobs"][0]["last"]["outcome"] == "done"


@pytest.mark.slow
def test_the_daemon_catches_up_what_was_missed_and_says_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Bern.", session="s1", ts="2025-11-28T10:00", now="2025-11-28T10:00")
    missed = ScheduleState(jobs={"consolidate": JobState("2025-11-30T00:00:00Z")})
    schedule._write_schedule(str(tmp_path), missed)
    with runtime() as place, running(tmp_path, place) as daemon:
        pause = threading.Event()
        for _try in range(1_200):
            (row,) = daemon.get("/v1/schedule").json["jobs"]
            if row["last"]:
                break
            pause.wait(0.05)
        assert row["last"]["outcome"] == "done"
        assert row["last"]["note"].startswith("1 captures, 1 lines kept")
        assert row["next"] > row["last"]["ended"]
        assert "commonplace_last_consolidation_timestamp_seconds 1" in daemon.get("/metrics").body.decode()
    assert any("Bern" in path.read_text("utf-8") for path in tmp_path.rglob("*.md"))
