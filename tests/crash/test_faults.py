"""A call that fails: what was there stays as it is, nothing is acknowledged, a sentence says why, the next run succeeds."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from crash import traced
from crash.bases import Bases
from crash.deeds import DEEDS, LOOPED, OWNERS_BUFFER_ADD, Deed, said, wrong_with
from crash.orders import Outcome, Trip, Way
from crash.points import FAILING, HALVED
from crash.stage import Stage
from crash.trials import Point, points, sample, sample_points, state_of
from crash.verdict import TORN, judge

WAYS: tuple[Way, ...] = ("fail", "fail-half", "fail-on")
DOCUMENTED = (0, 1, 2)  # of docs/reference/errors.md: done in spite of it, could not, settings that cannot be read
SAMPLE, SAMPLE_TRACED, SAMPLE_COMPOUND, SAMPLE_READ = 4, 5, 8, 8
TRACED = {
    "pwrite64": ("ENOSPC", "EIO", "EDQUOT"),
    "fdatasync": ("EIO", "ENOSPC"),
    "ftruncate": ("EIO",),
    "unlink": ("EIO", "EROFS"),
    "write": ("ENOSPC", "EIO"),
    "fsync": ("EIO",),
    "renameat2": ("EIO", "ENOSPC"),
    "flock": ("ENOLCK", "EINTR"),
}
INTERRUPTED = ("write", "fsync", "openat", "flock")
LEFT_BY_A_DEAD_DISK = ("leftover",)  # what cannot be removed stays


def trips_of(calls: tuple[str, ...], many: int, seed: str) -> list[Trip]:
    """Every call with every error that it can have, or some of them."""
    found = []
    for number, names in FAILING.items():
        failing: list[Point] = [point for point in points(calls) if point[0] in names]
        for way in WAYS:
            tried = [point for point in failing if way != "fail-half" or point[0] in HALVED]
            tried = tried if not many else sample_points(tried, many, f"{seed} {number} {way}")
            found += [Trip(way, *point, number) for point in tried]
    return sample(found, many, seed) if many else found


def complaints(outcome: Outcome) -> list[str]:
    """What is wrong with how a command failed."""
    wrong = []
    for code, out in zip(outcome.codes, outcome.out, strict=True):
        if code not in DOCUMENTED:
            wrong.append(f"exit code {code}")
        if code and out:
            wrong.append(f"it failed and yet said {out!r}")
    if "Traceback" in outcome.err or "this is a bug" in outcome.err:
        wrong.append(f"it broke: {outcome.err}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name)
def test_a_call_that_fails_changes_nothing_that_was_there_and_the_next_run_succeeds(
    deed: Deed, stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    before = stage.look(bases.copy(deed, tmp_path / "before"))
    commands = deed.commands(tmp_path / "before")
    calls = stage.run(bases.copy(deed, tmp_path / "calls"), *commands, stdin=deed.stdin).calls
    trips = trips_of(calls, 0 if whole else SAMPLE, deed.name)
    judged: dict[tuple[object, ...], list[str]] = {}
    wrong = []
    for trip in trips:
        root = bases.copy(deed, tmp_path / "root")
        outcome = stage.run(root, *commands, stdin=deed.stdin, trip=trip)
        assert outcome.codes, outcome.err
        wrong += [(trip, one) for one in complaints(outcome)]
        forgiven = LEFT_BY_A_DEAD_DISK if trip.errno in (errno.EIO, errno.EROFS) else ()
        state = (state_of(root), outcome.codes, outcome.out, forgiven)
        if state in judged:
            wrong += [(trip, one) for one in judged[state]]
            continue
        found = wrong_with(deed, root, (before, stage.look(root)), outcome, *forgiven)
        again = stage.run(root, *commands, stdin=deed.stdin)
        if set(again.codes) != {0} and not (deed.once and all(deed.parts(root))):
            found.append(f"afterwards: {again.err}")
        judged[state] = found + wrong_with(deed, root, (before, stage.look(root)), again, *forgiven)
        wrong += [(trip, one) for one in judged[state]]
    print(f"\n{deed.name}: {len(trips)} failing calls, {len(judged)} states, {len(wrong)} complaints")  # noqa: T201 - for who runs with -s
    assert not wrong


@pytest.mark.slow
def test_a_call_that_fails_while_a_crash_is_mended_only_puts_the_mending_off(
    stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    (deed,) = [deed for deed in DEEDS if deed.name == "retain"]
    before = stage.look(bases.copy(deed, tmp_path / "before"))
    calls = stage.run(bases.copy(deed, tmp_path / "calls"), *deed.commands(tmp_path)).calls
    kills = [Trip("kill-before", *point) for point in points(calls, without=("read-open", "sqlite-write"))]
    wrong = []
    tried = 0
    for kill in kills if whole else sample(kills, SAMPLE_COMPOUND // 2, "kills"):
        root = bases.copy(deed, tmp_path / "root")
        assert stage.run(root, *deed.commands(tmp_path), trip=kill).died
        mending = stage.run(bases.copied(root, tmp_path / "calls"), ("sync",)).calls
        for trip in trips_of(mending, 12 if whole else 2, f"{kill}"):
            broken = bases.copied(root, tmp_path / "broken")
            outcome = stage.run(broken, ("sync",), trip=trip)
            forgiven = LEFT_BY_A_DEAD_DISK if trip.errno in (errno.EIO, errno.EROFS) else ()
            found = complaints(outcome) + judge(before, stage.look(broken), {}, *forgiven)
            wrong += [(kill, trip, one) for one in found]
            tried += 1
    print(f"\n{tried} failing calls while a crash is mended, {len(wrong)} complaints")  # noqa: T201 - for who runs with -s
    assert not wrong


@pytest.mark.slow
def test_an_error_inside_sqlite_or_an_interruption_is_survived(
    stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    if why := traced.works(tmp_path):
        pytest.skip(why)
    command = ("retain", "W @Peter: Has a green boat.")
    before = stage.look(bases.copy(LOOPED, tmp_path / "before"))
    calls = traced.counted(bases.copy(LOOPED, tmp_path / "calls"), command, (*TRACED, "openat"), tmp_path)
    trials = [(call, error) for call in calls for error in TRACED.get(call[0], ())]
    trials += [(call, "EINTR") for call in calls if call[0] in INTERRUPTED and call[1] > 1]
    wrong = []
    tried = trials if whole else sample(trials, SAMPLE_TRACED, "traced")
    for call, error in tried:
        root = bases.copy(LOOPED, tmp_path / "root")
        outcome = traced.failed(root, command, call, error)
        torn = TORN if call[0] == "write" else ()
        found = complaints(outcome) + judge(
            before, stage.look(root), said(LOOPED, outcome), *torn, *LEFT_BY_A_DEAD_DISK
        )
        wrong += [(call, error, one) for one in found]
    print(f"\n{len(tried)} errors injected by strace, {len(wrong)} complaints")  # noqa: T201 - for who runs with -s
    assert not wrong


@pytest.mark.slow
def test_a_file_that_could_not_be_read_once_is_read_at_the_next_start(
    stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    (deed,) = [deed for deed in DEEDS if deed.name == "rebuild"]
    before = stage.look(bases.copy(deed, tmp_path / "before"))
    calls = stage.run(bases.copy(deed, tmp_path / "calls"), *deed.commands(tmp_path)).calls
    opened = list(reversed(range(calls.count("read-open"))))
    for at in opened if whole else sample(opened, SAMPLE_READ, "read"):
        root = bases.copy(deed, tmp_path / "root")
        for _ in range(2):
            stage.look(tmp_path / "before")  # meanwhile the files get old enough for their stamps to be relied on
        stage.run(root, *deed.commands(tmp_path), trip=Trip("fail", "read-open", at, errno.EIO))
        assert not judge(before, stage.look(root), {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "way", "number", "note"),
    [
        ("the owner's buffer add", "fail-on", errno.EIO, "the index could not be updated"),
        ("the owner's buffer add", "fail-on", errno.ENOSPC, "the index is kept in memory"),
        ("retain", "fail", errno.EIO, "the index could not be updated"),  # its index was open before
        ("retain", "fail", errno.ENOSPC, "does not include the latest changes"),
        ("log", "fail", errno.EIO, "the index could not be updated"),
        ("log", "fail", errno.ENOSPC, "does not include the latest changes"),
    ],
)
def test_what_is_on_disk_is_acknowledged_though_no_index_keeps_it(
    name: str, way: Way, number: int, note: str, *, stage: Stage, bases: Bases, tmp_path: Path
) -> None:
    (deed,) = [deed for deed in (*DEEDS, OWNERS_BUFFER_ADD) if deed.name == name]
    before = stage.look(bases.copy(deed, tmp_path / "before"))
    calls = stage.run(bases.copy(deed, tmp_path / "calls"), *deed.commands(tmp_path / "before")).calls
    written = len(calls) - calls[::-1].index("unlink")  # from here on only the index is left
    first = next(at for at in range(written, len(calls)) if calls[at].startswith("sqlite"))
    root = bases.copy(deed, tmp_path / "root")
    trip = Trip(way, calls[first], calls[:first].count(calls[first]), number)
    outcome = stage.run(root, *deed.commands(root), trip=trip)
    assert outcome.codes == (0,), outcome.err
    assert note in outcome.err
    told = said(deed, outcome)
    assert told["lines"]
    assert judge(before, stage.look(root), told) == []
