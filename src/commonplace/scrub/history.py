"""Look for secrets in the git history of a workspace: every file version and every message that a reference reaches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from msgspec import Struct, structs

from commonplace.scrub.eye import Eye, spots_in
from commonplace.scrub.findings import Spot

if TYPE_CHECKING:
    from subprocess import Popen

MOST_OBJECTS = 200_000
MOST_BYTES = 1 << 30  # of all versions together
MESSAGE = "(message)"  # in place of a path
ABBREVIATED = 10
MOST_TRACED = 20  # objects whose commit is looked up, which takes a walk over the history each
# Nothing in a repository that somebody else set up may run a program or reach a network.
_CALM = ("-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_GIT = ("git", "--no-pager", "--no-replace-objects", "--no-optional-locks", *_CALM)


class History(Struct, frozen=True):
    """What stands in the history, how many objects were read, and why some were not."""

    spots: tuple[Spot, ...] = ()
    blobs: int = 0
    notes: tuple[str, ...] = ()


class _Object(Struct, frozen=True):
    id: str
    path: str
    kind: str
    data: bytes


class _Failed(Exception):
    """git is not there, or would not; the message says why."""


def scan_history(eye: Eye) -> History:
    """The secrets in all versions below the workspace's folder, each once. A failure is a note, never an error."""
    if not _is_versioned(eye.root):
        return History()
    spots: list[Spot] = []
    notes: list[str] = []
    try:
        number = _scan(eye, spots, notes)
    except _Failed as error:
        return History(tuple(spots), notes=(f"the git history was not looked at: {error}",))
    return History(tuple(spots), number, tuple(notes))


def _is_versioned(root: str) -> bool:
    folder = root
    while not os.path.lexists(f"{folder}/.git"):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _scan(eye: Eye, spots: list[Spot], notes: list[str]) -> int:
    code, prefix, why = _run(eye.root, "rev-parse", "--show-prefix")
    if code:
        raise _Failed(why.strip().partition("\n")[0] or f"git ended with code {code}")
    below = prefix.rstrip("\n")
    number = held = traced = 0
    for one in _objects(eye, notes, below):
        number, held = number + 1, held + len(one.data)
        path = one.path.removeprefix(below) if one.kind == "blob" else MESSAGE
        found = spots_in(eye, path, one.data, store="history", commit=one.id[:ABBREVIATED])
        if found and one.kind == "blob" and traced < MOST_TRACED:
            traced += 1
            commit = _first_commit(eye.root, one.id)
            found = [structs.replace(spot, commit=commit or spot.commit) for spot in found]
        spots += found
        if number >= MOST_OBJECTS or held >= MOST_BYTES:
            notes.append(f"of the git history only the newest {number} objects were looked at")
            break
    return number


def _objects(eye: Eye, notes: list[str], below: str) -> Iterator[_Object]:
    """Every message, and every version of a file below the folder, newest first, as git streams them."""
    wanted = ("--full-history", "--", ".") if below else ()
    with (
        _piped(eye.root, "cat-file", "--batch") as batch,
        _piped(eye.root, "rev-list", "--all", "--reflog", "--objects", *wanted) as listing,
    ):
        for line in _out(listing):
            name, _, path = line.rstrip(b"\n").decode("utf-8", "surrogateescape").partition(" ")
            one = _read(batch, name, path, eye.most_bytes)
            if one is not None:
                yield one
        if listing.wait():
            notes.append(f"`git rev-list` ended with code {listing.returncode}: the history may hold more")


def _read(batch: Popen[bytes], name: str, path: str, most: int) -> _Object | None:
    """One object; None for a folder, for what is missing or too large."""
    assert batch.stdin is not None
    batch.stdin.write(name.encode() + b"\n")
    batch.stdin.flush()
    out = _out(batch)
    head = out.readline().split()
    if len(head) != 3:
        return None
    kind, size = head[1].decode(), int(head[2])
    if kind == "tree" or size > most:
        rest = size + 1
        while rest and (piece := out.read(min(rest, 1 << 20))):
            rest -= len(piece)
        return None
    data = out.read(size)
    out.read(1)
    return _Object(name, path, kind, data if kind == "blob" else data.partition(b"\n\n")[2])


def _first_commit(root: str, blob: str) -> str:
    """The abbreviated oldest commit that brought this version in; empty if that cannot be told."""
    asked = ("log", "--all", "--no-ext-diff", "--no-textconv", "--format=%h", f"--find-object={blob}")
    code, out, _ = _run(root, *asked)
    return out.split("\n")[-2] if not code and "\n" in out else ""


def _run(root: str, *arguments: str) -> tuple[int, str, str]:
    import subprocess

    asked, null = [*_GIT, *arguments], subprocess.DEVNULL
    try:
        done = subprocess.run(asked, cwd=root, capture_output=True, check=False, stdin=null)  # noqa: S603  no shell
    except OSError as error:
        raise _Failed(f"git cannot be run ({(error.strerror or str(error)).lower()})") from error
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@contextmanager
def _piped(root: str, *arguments: str) -> Iterator[Popen[bytes]]:
    """A git that is talked to; it is gone when the block ends, however it ends."""
    import subprocess

    asked, pipe, null = [*_GIT, *arguments], subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen(asked, cwd=root, stdin=pipe, stdout=pipe, stderr=null)  # noqa: S603  no shell
    except OSError as error:
        raise _Failed(f"git cannot be run ({(error.strerror or str(error)).lower()})") from error
    try:
        yield process
    except BrokenPipeError as error:
        raise _Failed(f"`git {arguments[0]}` stopped") from error
    finally:
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()  # at which it ends
        process.wait()


def _out(process: Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout
