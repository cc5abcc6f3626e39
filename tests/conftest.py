"""Fixtures that every test file may use."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from commonplace import Memory
from tests.support.sweeps import Clock, Sweeps

FAST_CPU_S = 60
SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[2] / "shared"))
OF_THE_MACHINE = (
    "COMMONPLACE_WORKSPACE",
    "COMMONPLACE_DEVICE",
    "COMMONPLACE_NOW",
    "OPENCLAW_STATE_DIR",
    "XDG_STATE_HOME",
)
# Also in processes that tests start: the extra may be installed, and recall is tested by words alone but for its tests.
os.environ["COMMONPLACE_VECTORS"] = "off"

# How long an example takes says how busy the machine is.
settings.register_profile("any-load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-load")

_cpu: Counter[str] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Add up the seconds of CPU of each test function, those of its processes included."""
    begun = sum(os.times()[:4])
    result = yield
    _cpu[item.nodeid.partition("[")[0]] += sum(os.times()[:4]) - begun
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """For `make test-fast`: the CPU time of the run, and which tests should be marked `slow` once it is too much."""
    if os.environ.get("COMMONPLACE_FAST"):
        spent = sum(os.times()[:4])
        terminalreporter.write_line(f"{spent:.0f} of {FAST_CPU_S} seconds of CPU")
        if spent > FAST_CPU_S:
            for name, seconds in _cpu.most_common(10):
                terminalreporter.write_line(f"{seconds:.2f} s: {name}: mark it `slow`?")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and benchmarks that nobody here wrote; read in place, never copied."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared corpora at {SHARED}: the checks on texts that other people wrote were skipped")
    return SHARED


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: for tests that are not about what survives."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


@pytest.fixture
def surroundings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine: a device of its own, and the clock that the test file names `NOW`, if it does."""
    for name in OF_THE_MACHINE:
        monkeypatch.delenv(name, raising=False)
    if now := getattr(request.module, "NOW", ""):
        monkeypatch.setenv("COMMONPLACE_NOW", now)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "dev")


@pytest.fixture
def claim_grammar(monkeypatch: pytest.MonkeyPatch, calm: None, surroundings: None) -> None:
    """The claims of `tests/support/claim_grammar.py` in place of those that are read from language."""
    from tests.support import claim_grammar

    claim_grammar.install(monkeypatch)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An open memory over an empty workspace."""
    with Memory.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which a sweep is repeated."""
    from commonplace.storage.workspace import sweep

    clock = Clock()
    monkeypatch.setattr(sweep.time, "monotonic", clock)
    return clock


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> Sweeps:
    """The sweeps of all files, counted."""
    from commonplace.storage.workspace import sweep

    sweeps = Sweeps()
    monkeypatch.setattr(sweep, "sweep_files", sweeps)
    return sweeps
