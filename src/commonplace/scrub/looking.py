"""Look for secrets in the files of a workspace, their names, its journals and its history."""

from __future__ import annotations

import os

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.scrub.eye import Eye, named, safe_path, spots_in
from commonplace.scrub.findings import Scanned, Secret, Spot
from commonplace.scrub.history import scan_history
from commonplace.scrub.stores import paths
from commonplace.scrub.vendors import vendor_of

NO_KEY = "no key is made here yet: what will be written has other characters at the end of its placeholders"


def scan(eye: Eye, *, history: bool = True) -> Scanned:
    """Every secret below the root, once each, with all its places; nothing is written."""
    spots: list[Spot] = []
    notes: list[str] = []
    troubles: list[OSError] = []
    number, size, blobs = 0, 0, 0
    for path in paths(eye.root, troubles):
        spots += named(eye, path)
        data = _read(eye, path, notes)
        if data is None:
            continue
        number, size = number + 1, size + len(data)
        spots += spots_in(eye, path, data)
    notes += [_unread(eye, trouble) for trouble in troubles]
    if history:
        past = scan_history(eye)
        spots += past.spots
        notes += past.notes
        blobs = past.blobs
    if spots and not any(eye.key):
        notes.append(NO_KEY)
    return Scanned(by_secret(spots), number, size, blobs, tuple(notes))


def by_secret(spots: list[Spot]) -> tuple[Secret, ...]:
    """The places gathered by what stands there, in the order of the first; the history comes last."""
    gathered: dict[tuple[str, str], dict[Spot, None]] = {}
    for spot in sorted(spots, key=lambda spot: (spot.store == "history", spot.path, spot.line)):
        gathered.setdefault((spot.kind, spot.placeholder), {})[spot] = None
    return tuple(Secret(kind, holder, *vendor_of(kind), tuple(where)) for (kind, holder), where in gathered.items())


def _read(eye: Eye, path: str, notes: list[str]) -> bytes | None:
    try:
        return files.read(eye.root, path, eye.most_bytes)
    except (NotFound, OutsideWorkspace) as error:
        notes.append(f"not read: {safe_path(eye, path)}: {_why(error.message)}")
        return None


def _unread(eye: Eye, trouble: OSError) -> str:
    folder = os.path.relpath(trouble.filename, eye.root)
    return f"not read: {safe_path(eye, folder)}/: {(trouble.strerror or str(trouble)).lower()}"


def _why(message: str) -> str:
    """The reason in an error's message, which begins with the path."""
    return message.rpartition(": ")[2] if ": " in message else "it is gone"
