"""A client that starts `commonplace serve --stdio` and talks to it over pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Self

import msgspec
from msgspec import json

from commonplace.errors import DeadlinePassed, Unreachable
from commonplace.operations.declarations import subject_parameter
from commonplace.serve.client.daemon import error_from_json
from commonplace.shapes import Json

START_TIMEOUT_S = 20.0
DEADLINE_GRACE_S = 1.0  # how much later than its deadline an answer may come before the other side counts as hung
CLOSE_TIMEOUT_S = 35.0  # what was accepted is finished before the end


def spawn(
    workspace: str | os.PathLike[str] | None = None,
    *,
    command: Sequence[str] = (sys.executable, "-m", "commonplace"),
    start_s: float = START_TIMEOUT_S,
    on_start: Callable[[subprocess.Popen[bytes]], None] = lambda _process: None,
    **popen_options: Any,
) -> ProcessClient:
    """Start a process that serves a workspace, the default one if none is named, and wait until it is ready.

    `popen_options` are those of `subprocess.Popen`, such as `env`; what it logs goes to our standard error. `on_start`
    is given the process that is waited for: who kills it ends the waiting. Raises Unreachable where it does not start
    within `start_s`.
    """
    place = () if workspace is None else ("--workspace", os.fspath(workspace))
    arguments = (*command, "serve", "--stdio", *place)
    try:
        process = subprocess.Popen(  # noqa: S603 - what to start is for the caller to say
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen_options
        )
    except OSError as error:
        raise Unreachable(f"{command[0]!r} cannot be started: {error.strerror}") from None
    on_start(process)
    return ProcessClient(process, start_s)


class ProcessClient:
    """A memory that another process serves over pipes; use it with `with`, or close it. Any number of threads may ask.

    Every operation is a method that takes its parameters by name, beside `deadline_s`, and what it is about first:
    `memory.recall("where is Peter?", k=5)`, `memory.show("MEMORY.md")`. It returns the documented shape.
    """

    def __init__(self, process: subprocess.Popen[bytes], start_s: float = START_TIMEOUT_S) -> None:
        """Takes over a process that speaks `commonplace.stdio.v1`. Raises Unreachable."""
        self.ready: Json = {}
        self.pid = process.pid
        self._process = process
        if process.stdin is None or process.stdout is None:
            raise Unreachable("the process has no pipes")
        self._requests, self._answers = process.stdin, process.stdout
        os.set_blocking(self._requests.fileno(), False)
        self._sending = threading.Lock()  # one line after the other
        self._lock = threading.Lock()  # guards what follows; never held while something is sent
        self._last_id = 0
        self._answers_by_id: dict[int, Future[Json]] = {}
        self._is_over = False
        self._start = threading.Event()
        self._thread = threading.Thread(target=self._read, name="commonplace-client", daemon=True)
        self._thread.start()
        self._start.wait(start_s)
        if not self.ready:
            self.close()
            raise Unreachable(
                "the process that serves the memory did not get ready", hint="its standard error says why"
            )

    def __getattr__(self, name: str) -> Callable[..., Json]:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self._ask, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _ask(
        self, operation: str, subject: str | None = None, /, *, deadline_s: float | None = None, **arguments: Any
    ) -> Json:
        told = {} if subject is None else {subject_parameter(operation): subject}
        return self.ask(operation, told | arguments, deadline_s=deadline_s)

    def ask(self, operation: str, arguments: Json, *, deadline_s: float | None = None) -> Json:
        """Ask for an operation by name. Raises the CommonplaceError that is the answer, DeadlinePassed, Unreachable."""
        answer: Future[Json] = Future()
        request: Json = {"method": operation, "params": arguments}
        if deadline_s is not None:
            request["deadline_ms"] = deadline_s * 1e3
        until = None if deadline_s is None else time.monotonic() + deadline_s + DEADLINE_GRACE_S
        with self._lock:
            if self._is_over:
                raise _process_ended_error()
            self._last_id += 1
            number = self._last_id
            self._answers_by_id[number] = answer
        try:
            self._send(json.encode({"id": number} | request) + b"\n", until)
            told = answer.result(_seconds_left(until))
        except TimeoutError:
            raise _no_answer_error() from None
        finally:
            with self._lock:
                self._answers_by_id.pop(number, None)
        if "result" in told:
            return dict(told["result"])
        raise error_from_json(told["error"]) if "error" in told else _process_ended_error()

    def close(self, within_s: float = CLOSE_TIMEOUT_S) -> None:
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

    def _send(self, raw_line: bytes, until: float | None) -> None:
        """Write a line as fast as the other side reads; one that has begun and is not taken in time ends it all."""
        if not self._sending.acquire(timeout=-1 if until is None else _seconds_left(until) or 0.0):
            raise _no_answer_error()
        try:
            left = raw_line
            while left:
                if not select.select([], [self._requests], [], _seconds_left(until))[1]:
                    is_cut = len(left) < len(raw_line)  # what follows would be no line of its own
                    self._is_over = self._is_over or is_cut
                    raise _no_answer_error()
                left = left[os.write(self._requests.fileno(), left) :]
        except (OSError, ValueError):  # the other side has gone, or `close` was quicker
            raise _process_ended_error() from None
        finally:
            self._sending.release()

    def _read(self) -> None:
        for raw_line in self._answers:
            try:
                found = json.decode(raw_line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                break  # this is no process of ours
            self._deliver(found if isinstance(found, dict) else {})
        with self._lock:
            self._is_over = True
            left, self._answers_by_id = self._answers_by_id, {}
        self._start.set()
        for answer in left.values():
            answer.set_result({})

    def _deliver(self, message: Json) -> None:
        if "ready" in message:
            self.ready = message
            self._start.set()
            return
        with self._lock:
            answer = self._answers_by_id.pop(message.get("id", 0), None)
        if answer is not None:  # else nobody waits for it any more
            answer.set_result(message)


def _seconds_left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _no_answer_error() -> DeadlinePassed:
    return DeadlinePassed("there is no answer, not even that it is late", hint="the process may hang")


def _process_ended_error() -> Unreachable:
    return Unreachable("the process that serves the memory has ended", hint="start another")
