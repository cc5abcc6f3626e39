"""Runs that may die: one process imports Commonplace once and forks a child for each, so that a death costs milliseconds.

As a script this module is that process: an order a line comes in, an outcome a line goes out.
"""

from __future__ import annotations

import base64
import contextlib
import io
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from crash.orders import Order, Outcome
from crash.verdict import Seen

NOW = "2025-11-27T10:00"
SURROUNDINGS = {"COMMONPLACE_NOW": NOW, "COMMONPLACE_DEVICE": "desk", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
LIMIT_S = 60


class Stage:
    """The near end: what the tests hold."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "crash.stage"]
        self._far = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._far.stdin is not None
        assert self._far.stdout is not None
        self._far.stdin.close()
        self._far.wait(LIMIT_S)
        self._far.stdout.close()

    def run(self, root: Path, *commands: tuple[str, ...], **how: Any) -> Outcome:
        """Run commands of the command line in one process of their own; `how` are further fields of the order."""
        return self._ask(Order(str(root), commands, **how))

    def look(self, root: Path) -> Seen:
        """The next start: what is found in the workspace."""
        outcome = self._ask(Order(str(root), look=True))
        assert not outcome.err, outcome.err
        return msgspec.convert(outcome.report, Seen)

    def _ask(self, order: Order) -> Outcome:
        assert self._far.stdin is not None
        assert self._far.stdout is not None
        self._far.stdin.write(msgspec.json.encode(order) + b"\n")
        self._far.stdin.flush()
        outcome = msgspec.json.decode(self._far.stdout.readline(), type=Outcome)
        return msgspec.structs.replace(outcome, trace=tuple(map(_opened, outcome.trace)))


def surroundings() -> dict[str, str]:
    """The environment of every process of these tests: a clock that stands still, a device of one name."""
    path = os.pathsep.join((str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")))
    return {**os.environ, **SURROUNDINGS, "PYTHONPATH": path}


def _opened(event: tuple[Any, ...]) -> tuple[Any, ...]:
    """Bytes travel as text."""
    return (*event[:3], base64.b64decode(event[3])) if event[0] == "write" else event


def main() -> None:
    """The far end."""
    import crash.points
    import crash.verdict  # noqa: F401 - what a run needs is there before it is forked

    with tempfile.TemporaryDirectory() as folder:
        _warm(f"{folder}/notebook")
    decode = msgspec.json.Decoder(Order).decode
    answers = os.fdopen(os.dup(1), "wb")
    for line in sys.stdin.buffer:
        answers.write(msgspec.json.encode(_perform(decode(line))) + b"\n")
        answers.flush()


def _warm(root: str) -> None:
    """Use what the runs will use, so that it is loaded."""
    from commonplace.cli import main as run
    from crash.verdict import look

    words = "Ana lives in Porto."
    commands = (
        ("init",),
        *((verb, words) for verb in ("retain", "log", "capture", "pack")),
        ("why", "--json"),
        ("consolidate", "--apply"),
        ("session", "start", words, "--session", "s1"),
        ("buffer", "add", words),
        ("resume",),
        ("session", "done", "--session", "s1"),
        ("undo", "last"),
        ("pending",),
        ("skills",),
        ("scrub", "--apply"),
        ("sync",),
        ("rebuild",),
    )
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for command in commands:
            run(["--workspace", root, *command])
    look(root)


def _perform(order: Order) -> Outcome:
    """Fork, act, wait. The child leaves what it has to say in a file; if it dies, there is only what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            _act(order, folder)
        if order.dies_after_s:
            _end(child, order.dies_after_s)
        _pid, status = os.waitpid(child, 0)
        last = Path(folder, "last")
        if os.WIFEXITED(status) and last.exists():
            return msgspec.json.decode(last.read_bytes(), type=Outcome)
        died = os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        printed = [Path(folder, f"out{number}") for number in range(len(order.commands))]
        out = tuple(path.read_text(encoding="utf-8") for path in printed if path.exists())
        return Outcome(died, out=out, err="" if died else f"the stage itself failed: {status}")


def _end(child: int, limit_s: float) -> None:
    """Kill a child that has not ended by itself within the time."""
    handle = os.pidfd_open(child)
    watch = select.poll()
    watch.register(handle, select.POLLIN)
    if not watch.poll(limit_s * 1e3):
        os.kill(child, signal.SIGKILL)
    os.close(handle)


def _act(order: Order, folder: str) -> None:
    """In the child: everything up to its end."""
    try:
        outcome = _played(order, folder)
    except BaseException:  # noqa: BLE001 - whatever it was, the test is told
        import traceback

        outcome = Outcome(died=False, err=traceback.format_exc())
    with open(f"{folder}/last", "wb") as last:
        last.write(msgspec.json.encode(outcome))
    os._exit(0)


def _played(order: Order, folder: str) -> Outcome:
    from crash.points import Points, install
    from crash.recorder import Recorder
    from crash.verdict import look

    if order.now:
        os.environ["COMMONPLACE_NOW"] = order.now
    if order.look:
        return Outcome(died=False, report=look(order.root))
    from commonplace.cli import main as run

    recorder = Recorder() if order.record else None
    points = Points(order.trip, recorder)
    Path(folder, "in").write_text(order.stdin, encoding="utf-8")
    sys.stderr = open(f"{folder}/err", "w+", encoding="utf-8")  # noqa: SIM115 - for the rest of this life
    codes, out = [], []
    install(points)
    for number, command in enumerate(order.commands):
        sys.stdin = open(f"{folder}/in", encoding="utf-8")  # noqa: SIM115 - for the rest of this life
        sys.stdout = open(f"{folder}/out{number}", "w+", encoding="utf-8")  # noqa: SIM115 - for the rest of this life
        codes.append(run(["--workspace", order.root, *command]))
        out.append(Path(folder, f"out{number}").read_text(encoding="utf-8"))
        points.record("said", out[-1])
    sys.stderr.flush()
    trace = tuple(recorder.events) if recorder else ()
    err = Path(folder, "err").read_text(encoding="utf-8")
    return Outcome(False, tuple(codes), tuple(out), err, tuple(points.names), trace)


if __name__ == "__main__":
    main()
