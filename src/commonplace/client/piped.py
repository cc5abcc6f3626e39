"""A memory in a process of our own: `commonplace serve --stdio`, asked over its pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

import msgspec
from msgspec import json

from commonplace.client.asking import Asks, error_of
from commonplace.errors import DeadlinePassed, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from commonplace.shapes import Json

START_S = 20.0
LATE_S = 1.0  # how much later than its deadline an answer may come before the other side counts as hung
END_S = 35.0  # what was accepted is finished before the end


def spawn(
    workspace: str | os.PathLike[str] | None = None,
    *,
    command: Sequence[str] = (sys.executable, "-m", "commonplace"),
    start_s: float = START_S,
    begun: Callable[[subprocess.Popen[bytes]], None] = lambda _process: None,
    **choices: Any,
) -> Piped:
    """Start a process that serves a workspace, the default one if none is named, and wait until it is ready.

    `choices` are those of `subprocess.Popen`, such as `env`; what it logs goes to our standard error. `begun` is given
    the process that is waited for: who kills it ends the waiting. Raises Unreachable where it does not start within
    `start_s`.
    """
    place = () if workspace is None else ("--workspace", os.fspath(workspace))
    arguments = (*command, "serve", "--stdio", *place)
    try:
        process = subprocess.Popen(  # noqa: S603 - what to start is for the caller to say
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **choices
        )
    except OSError as error:
        raise Unreachable(f"{command[0]!r} cannot be started: {error.strerror}") from None
    begun(process)
    return Piped(process, start_s)


class Piped(Asks):
    """The process and its pipes; any number of threads may ask at once."""

    def __init__(self, process: subprocess.Popen[bytes], start_s: float = START_S) -> None:
        """Takes over a process that speaks `commonplace.stdio.v1`. Raises Unreachable."""
        self.ready: Json = {}
        self.pid = process.pid
        self._process = process
        self._requests, self._answers = _both(process)
        os.set_blocking(self._requests.fileno(), False)
        self._sending = threading.Lock()  # one line after the other
        self._lock = threading.Lock()  # guards what follows; never held while something is sent
        self._number = 0
        self._asked: dict[int, _Slot] = {}
        self._is_over = False
        self._start = _Slot()
        self._thread = threading.Thread(target=self._read, name="commonplace-client", daemon=True)
        self._thread.start()
        self._start.done.wait(start_s)
        if not self.ready:
            self.close()
            raise Unreachable(
                "the process that serves the memory did not get ready", hint="its standard error says why"
            )

    def ask(self, operation: str, given: Json, *, deadline_s: float | None = None) -> Json:
        """Ask for an operation by name. Raises the CommonplaceError that is the answer, DeadlinePassed, Unreachable."""
        slot = _Slot()
        request: Json = {"method": operation, "params": given}
        if deadline_s is not None:
            request["deadline_ms"] = deadline_s * 1e3
        until = None if deadline_s is None else time.monotonic() + deadline_s + LATE_S
        number = self._announce(slot)
        try:
            self._send(json.encode({"id": number} | request) + b"\n", until)
            if not slot.done.wait(_left(until)):
                raise _late()
        finally:
            with self._lock:
                self._asked.pop(number, None)
        return _result(slot.answer)

    def close(self, within_s: float = END_S) -> None:
        """Close its standard input, let it finish what it was asked, and see it end; by force after `within_s`."""
        with self._lock:
            self._is_over = True
        if self._sending.acquire(timeout=within_s):  # else it hangs, and who sends is freed by its end
            self._requests.close()
            self._sending.release()
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(within_s)

    def _announce(self, slot: _Slot) -> int:
        with self._lock:
            if self._is_over:
                raise _gone()
            self._number += 1
            self._asked[self._number] = slot
            return self._number

    def _send(self, line: bytes, until: float | None) -> None:
        """Write a line as fast as the other side reads; one that has begun and is not taken in time ends it all."""
        if not self._sending.acquire(timeout=-1 if until is None else _left(until) or 0.0):
            raise _late()
        try:
            left = line
            while left:
                if not select.select([], [self._requests], [], _left(until))[1]:
                    self._is_over = self._is_over or len(left) < len(line)  # what follows would be no line of its own
                    raise _late()
                left = left[os.write(self._requests.fileno(), left) :]
        except (OSError, ValueError):  # the other side has gone, or `close` was quicker
            raise _gone() from None
        finally:
            self._sending.release()

    def _read(self) -> None:
        for line in self._answers:
            try:
                found = json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                break  # this is no process of ours
            self._take(found if isinstance(found, dict) else {})
        with self._lock:
            self._is_over = True
            left, self._asked = [self._start, *self._asked.values()], {}
        for slot in left:
            slot.done.set()

    def _take(self, found: Json) -> None:
        if "ready" in found:
            self.ready = found
            self._start.done.set()
            return
        with self._lock:
            slot = self._asked.pop(found.get("id", 0), None)
        if slot is not None:  # else nobody waits for it any more
            slot.answer = found
            slot.done.set()


class _Slot:
    """Where an answer is waited for."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: Json = {}


def _result(answer: Json) -> Json:
    if "result" in answer:
        return dict(answer["result"])
    raise error_of(answer["error"]) if "error" in answer else _gone()


def _both(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise Unreachable("the process has no pipes")
    return process.stdin, process.stdout


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _late() -> DeadlinePassed:
    return DeadlinePassed("there is no answer, not even that it is late", hint="the process may hang")


def _gone() -> Unreachable:
    return Unreachable("the process that serves the memory has ended", hint="start another")
