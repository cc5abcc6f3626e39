"""Ask other programs with a deadline: the host about itself, and the command that a host would start."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from select import select
from time import monotonic

from msgspec import Struct

from commonplace.hosts.nouns import Places

MOST_SAID = 4_000_000  # bytes of an answer
START_S = 20.0  # how long our own command may take until it says something
END_S = 2.0  # how long it may take to end once nobody talks to it
HOST_S = 120.0  # how long a host may take: it loads all its plugins


class Answer(Struct, frozen=True):
    """What a program said and how it ended; `code` is -1 if it could not be started or did not answer in time."""

    code: int
    out: str
    err: str


def program(name: str, where: Places) -> str:
    """The absolute path of a program on the PATH; empty if it is not there."""
    from shutil import which

    return which(name, path=where.program_path) or ""


def ask(words: list[str], seconds: float = HOST_S) -> Answer:
    """Run a program to its end."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)  # noqa: S603 - words of ours, no shell
    except subprocess.TimeoutExpired:
        return Answer(-1, "", f"no answer within {seconds:g} s")
    except OSError as error:
        return Answer(-1, "", (error.strerror or str(error)).lower())
    out, err = (said[:MOST_SAID].decode("utf-8", "replace") for said in (done.stdout, done.stderr))
    return Answer(done.returncode, out, err)


def first_line(words: list[str], said: bytes = b"", seconds: float = START_S) -> Answer:
    """Start a program that talks in lines, say something to it, and take its first line; then it is told to end."""
    try:
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - the command that the host would start
    except OSError as error:
        return Answer(-1, "", (error.strerror or str(error)).lower())
    with child:
        if child.stdin is None or child.stdout is None:
            return Answer(-1, "", "it has no streams")
        with suppress(BrokenPipeError):  # it is gone already: what it said tells why
            child.stdin.write(said)
            child.stdin.flush()
        line = _line(child.stdout.fileno(), seconds)
        return _ended(child, line, seconds)


def _line(descriptor: int, seconds: float) -> str:
    """What a program says up to its first newline; empty if that does not come in time."""
    said, until = b"", monotonic() + seconds
    while b"\n" not in said and len(said) < MOST_SAID:
        ready, _, _ = select([descriptor], [], [], max(0.0, until - monotonic()))
        piece = os.read(descriptor, 65536) if ready else b""
        if not piece:
            return ""
        said += piece
    return said.partition(b"\n")[0].decode("utf-8", "replace")


def _ended(child: subprocess.Popen[bytes], line: str, seconds: float) -> Answer:
    """Close its stdin and wait; it is killed if that does not end it."""
    try:
        _out, err = child.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return Answer(0, line, "") if line else Answer(-1, "", f"no answer within {seconds:g} s")
    return Answer(0 if line else child.returncode or -1, line, err.decode("utf-8", "replace"))


def last_words(answer: Answer) -> str:
    """The last line that a program said, for a message about it."""
    said = (answer.err.strip() or answer.out).split("\n")
    lines = [line for line in said if line.strip() and not line.startswith("hint: ")]
    return lines[-1].strip()[:300] if lines else f"it ended with {answer.code} and said nothing"


def is_program(path: str) -> bool:
    """Whether this is a file that can be started."""
    return os.path.isfile(path) and os.access(path, os.X_OK)
