"""Scan a workspace for secrets: its files, their names, its journals, and the whole of its git history."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from msgspec import structs

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.redact import find_vendor
from commonplace.storage import files
from commonplace.upkeep.scrub.scanner import (
    ScanResult,
    Secret,
    SecretLocation,
    SecretScanner,
    redact_path,
    scan_file,
    scan_path,
    walk_scannable_files,
)

if TYPE_CHECKING:
    from subprocess import Popen
MAX_OBJECTS = 200_000
MAX_HISTORY_BYTES = 1 << 30  # of all versions together
MESSAGE_PATH = "(message)"  # in place of a path
ABBREVIATED_ID_CHARS = 10
MAX_TRACED_OBJECTS = 20  # objects whose commit is looked up, which takes a walk over the history each
# Nothing in a repository that somebody else set up may run a program or reach a network.
_SAFE_GIT_OPTIONS = ("-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_GIT_COMMAND = ("git", "--no-pager", "--no-replace-objects", "--no-optional-locks", *_SAFE_GIT_OPTIONS)


_GitObject = tuple[str, str, str, bytes]  # its id, path, kind and content


class _GitError(Exception):
    """git is not there, or would not; the message says why."""


def scan_git_history(scanner: SecretScanner, locations: list[SecretLocation], notes: list[str]) -> int:
    """Add the secrets in all versions below the folder, or why there are none; return how many objects were read."""
    try:
        return _scan_git_objects(scanner, locations, notes) if files.find_repository(scanner.root) else 0
    except _GitError as error:
        notes.append(f"the git history was not looked at: {error}")
        return 0


def _scan_git_objects(scanner: SecretScanner, locations: list[SecretLocation], notes: list[str]) -> int:
    code, prefix, why = _run_git(scanner.root, "rev-parse", "--show-prefix")
    if code:
        raise _GitError(why.strip().partition("\n")[0] or f"git ended with code {code}")
    below = prefix.rstrip("\n")
    number = held = traced = 0
    for object_id, path, kind, data in _stream_git_objects(scanner, notes, below):
        number, held = number + 1, held + len(data)
        shown = path.removeprefix(below) if kind == "blob" else MESSAGE_PATH
        found = scan_file(scanner, shown, data, store="history", commit=object_id[:ABBREVIATED_ID_CHARS])
        if found and kind == "blob" and traced < MAX_TRACED_OBJECTS:
            traced += 1
            log = ("log", "--all", "--no-ext-diff", "--no-textconv", "--format=%h", f"--find-object={object_id}")
            code, out, _ = _run_git(scanner.root, *log)
            if not code and "\n" in out:
                found = [structs.replace(location, commit=out.split("\n")[-2] or location.commit) for location in found]
        locations += found
        if number >= MAX_OBJECTS or held >= MAX_HISTORY_BYTES:
            notes.append(f"of the git history only the newest {number} objects were looked at")
            break
    return number


def _stream_git_objects(scanner: SecretScanner, notes: list[str], subfolder: str) -> Iterator[_GitObject]:
    """Every commit message, and every version of a file below the folder, newest first; without those too large."""
    wanted = ("--full-history", "--", ".") if subfolder else ()
    shown = "--batch=%(objecttype) %(objectsize) %(objectname) %(rest)"
    with (
        _open_git_process(scanner.root, "rev-list", "--all", "--reflog", "--objects", *wanted) as listing,
        _open_git_process(scanner.root, "cat-file", "--buffer", shown, stdin=listing.stdout) as batch,
    ):
        assert batch.stdout is not None
        while head := batch.stdout.readline().rstrip(b"\n").decode("utf-8", "surrogateescape"):
            kind, size, *names = head.split(" ", 3)
            if not names:  # it is missing
                continue
            data, left = b"", int(size) + 1
            if kind != "tree" and left <= scanner.max_file_bytes + 1:
                data, left = batch.stdout.read(left)[:-1], 0
                data = data if kind == "blob" else data.partition(b"\n\n")[2]
                yield names[0], names[1], kind, data
            while left and (piece := batch.stdout.read(min(left, 1 << 20))):
                left -= len(piece)
        if listing.wait():
            notes.append(f"`git rev-list` ended with code {listing.returncode}: the history may hold more")


def _run_git(root: str, *arguments: str) -> tuple[int, str, str]:
    from subprocess import PIPE

    with _open_git_process(root, *arguments, stderr=PIPE) as process:
        out, err = process.communicate()
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _open_git_process(
    root: str, *arguments: str, stdin: IO[bytes] | None = None, stderr: int | None = None
) -> Popen[bytes]:
    """A git process whose output can be read; it ends when the block of a `with` ends. Raises _GitError."""
    import subprocess

    asked, null = [*_GIT_COMMAND, *arguments], subprocess.DEVNULL
    try:
        return subprocess.Popen(asked, cwd=root, stdin=stdin or null, stdout=subprocess.PIPE, stderr=stderr or null)  # noqa: S603  no shell
    except OSError as error:
        raise _GitError(f"git cannot be run ({(error.strerror or str(error)).lower()})") from error


NO_KEY_NOTE = "no key is made here yet: what will be written has other characters at the end of its placeholders"


def scan_workspace(scanner: SecretScanner, *, history: bool = True) -> ScanResult:
    """Every secret below the root, once each, with all its locations; nothing is written."""
    locations: list[SecretLocation] = []
    notes: list[str] = []
    folder_errors: list[OSError] = []
    number = size = 0
    for path in walk_scannable_files(scanner.root, folder_errors):
        locations += scan_path(scanner, path)
        try:
            data = files.read_file(scanner.root, path, scanner.max_file_bytes)
        except (NotFound, OutsideWorkspace) as error:
            reason = error.message.rpartition(": ")[2] if ": " in error.message else "it is gone"
            notes.append(f"not read: {redact_path(scanner, path)}: {reason}")
            continue
        number, size = number + 1, size + len(data)
        locations += scan_file(scanner, path, data)
    for problem in folder_errors:
        folder = redact_path(scanner, os.path.relpath(problem.filename, scanner.root))
        notes.append(f"not read: {folder}/: {(problem.strerror or str(problem)).lower()}")
    blobs = scan_git_history(scanner, locations, notes) if history else 0
    if locations and not any(scanner.key):
        notes.append(NO_KEY_NOTE)
    gathered: dict[tuple[str, str], dict[SecretLocation, None]] = {}
    for location in sorted(locations, key=lambda spot: (spot.store == "history", spot.path, spot.line)):
        gathered.setdefault((location.kind, location.placeholder), {})[location] = None
    secrets = (Secret(kind, holder, *find_vendor(kind), tuple(where)) for (kind, holder), where in gathered.items())
    return ScanResult(tuple(secrets), number, size, blobs, tuple(notes))
