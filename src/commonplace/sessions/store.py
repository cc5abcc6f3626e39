"""Working memory on disk: one file a session below `.memory/sessions`, replaced as a whole, removed at the end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import msgspec

from commonplace import files
from commonplace.capture.keys import Place
from commonplace.errors import BadArgument, NotFound
from commonplace.sessions.working import MOST_NAME, Mask, Progress, Working, advance, begin, clean, cleaned, mask_of
from commonplace.workspace.slug import distinct

FOLDER = ".memory/sessions"
SET_ASIDE = ".memory/set-aside"
MOST_BYTES = 64_000_000

Edit = Callable[[Working | None], Working]


def start(place: Place, session: str, progress: Progress) -> Working:
    """Begin a task: a session that goes on with the same goal keeps what it knows. Raises BadArgument."""
    mask = mask_of(place)
    name, said = _name(session, mask), cleaned(progress, mask)
    return _change(place.root, name, lambda known: begin(known, name, said, now=place.now))


def step(place: Place, session: str, progress: Progress) -> Working:
    """Note what a step brought. Raises NotFound for a session that was not started, BadArgument."""
    mask = mask_of(place)
    name, said = _name(session, mask), cleaned(progress, mask)
    return _change(place.root, name, lambda known: advance(known or _missing(name), said, now=place.now))


def find(place: Place, session: str) -> Working | None:
    """What a session has in mind; None for one that was not started, or is done."""
    return _read(place.root, _name(session, mask_of(place)))


def done(place: Place, session: str) -> Working:
    """Clear a session at completion; returns what it had in mind, and nothing where it is not under way."""
    name = _name(session, mask_of(place))
    with _held(place.root, name):
        known = _read(place.root, name)
        if known is not None:
            files.remove(place.root, path_of(name), durable=True)
    return known or Working(session=name, started=place.now, updated=place.now)


def sessions(root: str) -> tuple[Working, ...]:
    """The sessions that are under way, the one that was last at work first."""
    paths = (f"{FOLDER}/{name}" for name in files.sizes(root, FOLDER) if name.endswith(".json"))
    known = [found for path in paths if (found := _load(root, path)) is not None]
    known.sort(key=lambda working: working.session)
    return tuple(sorted(known, key=lambda working: working.updated, reverse=True))


def path_of(name: str) -> str:
    """Where a session is kept: its name made fit for a file, with a digest of its exact spelling."""
    return f"{FOLDER}/{distinct(name)}.json"


def _name(session: str, mask: Mask) -> str:
    """The name as it is kept: on one line, without secrets. Raises BadArgument."""
    name = clean(session, mask)
    if not name or len(name) > MOST_NAME:
        raise BadArgument(f"a session needs a name of at most {MOST_NAME} characters")
    return name


def _missing(name: str) -> Working:
    raise NotFound("session", name)


def _change(root: str, name: str, edit: Edit) -> Working:
    with _held(root, name), files.doing(root):
        changed = edit(_read(root, name))
        files.write_atomic(root, path_of(name), msgspec.json.encode(changed), mode=0o600)
    return changed


def _held(root: str, name: str) -> AbstractContextManager[None]:
    return files.hold(root, files.lock_name(path_of(name)))


def _read(root: str, name: str) -> Working | None:
    known = _load(root, path_of(name))
    if known is not None and known.session != name:  # two names with one digest: neither sees the other
        message = f"another session has the file name of {name!r}"
        raise BadArgument(message, hint="choose another name for the session")
    return known


def _load(root: str, path: str) -> Working | None:
    """A file that does not hold a session is moved aside, where a person can look at it."""
    data = files.find(root, path, MOST_BYTES)
    try:
        return None if data is None else msgspec.json.decode(data, type=Working)
    except (msgspec.DecodeError, UnicodeDecodeError):
        aside = f"{SET_ASIDE}/{path.rpartition('/')[2]}-{files.digest(data or b'')[:12]}"
        if not files.move(root, path, aside):
            files.remove(root, path)  # the same bytes lie there already
    return None
