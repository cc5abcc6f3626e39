"""The model as the settings name it, and the figures of the run: what was asked, what was valid, time and memory."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import pytest
from e2e.processes import peak

from e2e_model.runtime import find_python
from tests.support.language_models import ledger

MODEL = Path(__file__).with_name("model.py")
START_S = 60  # in which the server has loaded its model
SECONDS = 120  # of a call: a prompt of a thousand tokens takes ten on an idle machine

_outcomes: dict[str, Counter[str]] = {}
_memory: list[str] = []
_began = perf_counter()


class Server(NamedTuple):
    """A server of the model that runs: its base URL and its process."""

    url: str
    process: subprocess.Popen[str]


@pytest.fixture(scope="session")
def python() -> Path:
    """The Python that has the model and its runtime."""
    if (python := find_python()) is None:
        pytest.skip("SmolLM2 and llama.cpp are not installed: `make e2e-model` installs them and asks them")
    return python


@pytest.fixture(scope="session")
def start_server(python: Path) -> Iterator[Callable[[], Server]]:
    """What starts llama.cpp's own server, and waits until it answers."""
    servers: list[Server] = []

    def start() -> Server:
        command = [str(python), str(MODEL), "serve"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        servers.append(Server("", process))
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], START_S)[0], f"no server within {START_S} s"
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), f"the server ended: {address!r}"
        return Server(f"{address}/v1", process)

    yield start
    for server in servers:
        server.process.communicate(timeout=START_S)  # which closes its input


@pytest.fixture(scope="session")
def server(start_server: Callable[[], Server]) -> Iterator[Server]:
    """One that all tests ask."""
    server = start_server()
    yield server
    _memory.append(f"the server had {peak(server.process.pid):.0f} MB at most")


@pytest.fixture(scope="session")
def program(python: Path) -> Callable[..., str]:
    """The command of a program that reads a prompt and prints an answer, given its options."""
    return lambda *options: shlex.join([str(python), str(MODEL), "answer", *options])


@pytest.fixture(scope="session")
def settings(request: pytest.FixtureRequest, program: Callable[..., str]) -> Callable[..., str]:
    """The text of a `commonplace.toml` that names the model by an interface: `openai`, `anthropic`,
    `command [--schema]`."""

    def write(interface: str, seconds: float = SECONDS, url: str = "") -> str:
        limits = f"timeout_ms = {round(seconds * 1000)}"
        if interface in ("openai", "anthropic"):
            url = url or request.getfixturevalue("server").url
            return f'[models]\nprovider = "{interface}"\nmodel = "smollm2"\nendpoint = "{url}"\n{limits}\n'
        command = program(*interface.split()[1:])
        return f"[models]\nprovider = 'command'\ncommand = '''{command}'''\n{limits}\n"

    return write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, surroundings: None) -> Path:
    """A workspace, and an environment that names its folder: so its processes can be told from others."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def count_calls() -> Callable[[str, Path], None]:
    """What counts the calls in the ledger of a workspace for the figures of the run."""

    def count(name: str, root: Path) -> None:
        _outcomes.setdefault(name, Counter()).update(line["outcome"] for line in ledger(root))

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many answers were valid, and what the run took."""
    for name, outcomes in sorted(_outcomes.items()):
        others = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()) if outcome != "answered")
        valid = f"{outcomes['answered']} of {outcomes.total()} answers are valid" if outcomes else "no model was asked"
        terminalreporter.write_line(f"{name}: {valid}" + (f" ({others})" if others else ""))
    if _outcomes:
        spent = sum(os.times()[:4])
        terminalreporter.write_line("; ".join((f"{perf_counter() - _began:.0f} s, {spent:.0f} s of CPU", *_memory)))
