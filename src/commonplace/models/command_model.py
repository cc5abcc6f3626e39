"""A program as a language model: it reads a prompt, what it prints is the answer, and it is killed when it is late."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from commonplace.errors import ModelUnavailable
from commonplace.models.answers import Reply
from commonplace.storage import config

if TYPE_CHECKING:
    from subprocess import Popen

    from commonplace.shapes import Json

READ_CHUNK_BYTES = 1 << 16
WRITE_CHUNK_BYTES = 512  # which a pipe that is ready takes without blocking on every system
SCHEMA_REQUEST = "\n\nAnswer with one JSON document of this JSON schema, and nothing else:\n"


class CommandModel:
    """A `LanguageModel` that starts a program for each prompt, without a shell, in the folder `/`, with our hooks off.

    The schema is at the end of the prompt. The program has `seconds` in all, and prints at most `max_bytes`.
    """

    def __init__(self, command: str, seconds: float, max_bytes: int) -> None:
        import shlex

        self._arguments, self._seconds, self._max_bytes = shlex.split(command), seconds, max_bytes

    def complete(self, prompt: str, schema: Json) -> Reply:
        """Return what the program prints. Raises ModelUnavailable."""
        data = f"{prompt}{SCHEMA_REQUEST}{msgspec.json.encode(schema).decode()}\n".encode("utf-8", "replace")
        deadline = time.monotonic() + self._seconds
        with self._start() as process:
            try:
                output = self._exchange(process, data, deadline)
                self._wait(process, deadline)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, 9)  # its children too, and also if it has ended
        if process.returncode:
            raise ModelUnavailable(f"{self._arguments[0]!r} ended with code {process.returncode}")
        return Reply(output.decode("utf-8", "replace"))

    def _start(self) -> Popen[bytes]:
        import subprocess

        try:
            return subprocess.Popen(  # noqa: S603 - the program that the settings name
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                env=config.model_program_environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or "it is no file name").lower()
            raise ModelUnavailable(f"{self._arguments[0]!r} does not start: {why}") from None

    def _exchange(self, process: Popen[bytes], data: bytes, deadline: float) -> bytes:
        """Write the prompt and read what is printed to its end, whichever the program is ready for."""
        from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

        assert process.stdin is not None
        assert process.stdout is not None
        rest, output = memoryview(data), bytearray()
        with DefaultSelector() as selector:
            selector.register(process.stdin, EVENT_WRITE)
            selector.register(process.stdout, EVENT_READ)
            while (seconds := deadline - time.monotonic()) > 0:
                for key, _events in selector.select(seconds):
                    if key.fileobj is process.stdin:
                        rest = _write_piece(process.stdin.fileno(), rest)
                        if not rest:
                            selector.unregister(process.stdin)
                            process.stdin.close()
                    elif piece := os.read(process.stdout.fileno(), READ_CHUNK_BYTES):
                        output += piece
                        if len(output) > self._max_bytes:
                            raise ModelUnavailable(f"its answer has more than {self._max_bytes} bytes")
                    else:
                        return bytes(output)
        raise self._late()

    def _wait(self, process: Popen[bytes], deadline: float) -> None:
        from subprocess import TimeoutExpired

        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except TimeoutExpired:
            raise self._late() from None

    def _late(self) -> ModelUnavailable:
        return ModelUnavailable(f"no answer within {self._seconds:.3g} s")


def _write_piece(descriptor: int, rest: memoryview) -> memoryview:
    """Write the beginning of some bytes, and return what is left; nothing if the program reads no more."""
    try:
        return rest[os.write(descriptor, rest[:WRITE_CHUNK_BYTES]) :]
    except BrokenPipeError:
        return rest[:0]
