"""A decision, a correction or a fact becomes a line of the working buffer before anything else is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs, to_builtins

from commonplace import files
from commonplace.capture import Event, Kept, Place, capture
from commonplace.capture.keeping import (
    TRIAL_ID,
    is_bare,
    origin,
    require_readable,
    require_short,
    require_text,
    trust_of,
)
from commonplace.capture.keys import text_key
from commonplace.errors import BadArgument
from commonplace.journal import Journal, encode, unsealed
from commonplace.model import Actor, Record, Trust
from commonplace.redact.markers import has_marker
from commonplace.sessions import store
from commonplace.sessions.buffer import BUFFER, TASK, read_buffer, with_line
from commonplace.sessions.rotation import LOCK, rotated_here, tidied_here
from commonplace.sessions.working import SPEAKERS, Mask, mask_of
from commonplace.text import one_line
from commonplace.text.frames import RECALLED, unframed
from commonplace.workspace import parse
from commonplace.workspace.render import one_line as unannotated
from commonplace.workspace.render import render_annotation
from commonplace.workspace.write import update

if TYPE_CHECKING:
    from commonplace.redact import Redacted

KINDS = ("decision", "correction", "fact", "note")
CATEGORIES = {"decision": "decision", "fact": "fact"}
MOST_TEXT = 4_000  # characters; a buffer is to be read at a glance
TASK_CHARS = 120
NO_TASK = "General"
KEPT = "Buffer"  # what the detail of a capture says of one that was noted


class Note(Struct, frozen=True, kw_only=True):
    """What is to be noted, for which task, and by whom; `basis` is the trust of each of its sources."""

    text: str
    kind: str = "note"
    task: str = ""
    actor: Actor = "agent"
    session: str = ""
    scope: str = ""
    sources: tuple[str, ...] = ()
    basis: tuple[Trust, ...] = ()

    @property
    def trust(self) -> Trust:
        """As far as its author is trusted; an agent as its least trusted source."""
        return trust_of(self.actor, self.basis)


class _Promise(Struct, frozen=True):
    """What is about to be noted, below which task, and how far the journals went before."""

    device: str
    now: str
    said: Note
    captured: str
    told: str


def note(place: Place, said: Note) -> Kept:
    """Journal a note, then write it below its task in the buffer; a buffer that would be too full is moved first.

    Raises BadArgument.
    """
    _validate(said)
    if has_marker(said.text, "NOMEM"):  # before the workspace's key is made: not a byte is written
        return Kept(None)
    clean, read = _cleaned(said, mask_of(place))
    masked = tuple(sorted({found.kind for one in read for found in one.found}))
    if is_bare(clean.text.replace(RECALLED, "")):
        return Kept(None, redacted=masked)
    require_readable(_record(clean, TRIAL_ID), clean.scope, clean.sources)
    with files.hold(place.root, LOCK):
        notes = tidied_here(place)
        clean = structs.replace(clean, task=_task(place, clean))
        journal = Journal(place.root, place.device)
        promise = _Promise(place.device, place.now, clean, journal.here("captures"), journal.here("ledger"))
        with files.doing(place.root, encode(to_builtins(promise)), durable=True):
            capture_id = capture(place, (_event(place, clean),))[0].id
            record, more = _settled(place, clean, capture_id)
    return Kept(record, capture_id, masked, notes + more)


def finish(here: Place, word: bytes) -> None:
    """Bring to its end what somebody began to note and died: a capture that is in the journal gets its line.

    There is nothing to do where the capture never came to be, nor where the words stand in the buffer, or in the note
    to which it was moved.
    """
    promise = unsealed(word, _Promise)
    if promise is None:
        return
    place, said = structs.replace(here, device=promise.device, now=promise.now), promise.said
    journal = Journal(place.root, place.device)
    told = {entry.fields.get("capture") for entry in journal.read("ledger", promise.told).entries}
    for entry in journal.read("captures", promise.captured).entries:
        with files.hold(place.root, LOCK):
            if _is_of(entry.fields, place, said) and not _stands(place, said):
                _settled(place, said, entry.fields["id"], is_told=entry.fields["id"] in told)


def _is_of(fields: dict[str, Any], place: Place, said: Note) -> bool:
    """Whether a capture is that of a note."""
    told = (fields.get("ts"), fields.get("text"), fields.get("actor"), fields.get("session"), fields.get("scope"))
    detail = fields.get("detail") or {}
    is_kept = (detail.get("kept"), detail.get("kind")) == (KEPT, said.kind)
    return is_kept and told == (place.now, said.text, said.actor, said.session, said.scope)


def _stands(place: Place, said: Note) -> bool:
    """Whether the words are in the buffer, or in the note of the day."""
    key = text_key(_record(said, TRIAL_ID).text)
    there = (parse(path, files.find(place.root, path) or b"") for path in (BUFFER, place.log))
    return any(text_key(record.text) == key for document in there for record in document.records)


def _validate(said: Note) -> None:
    """Refuse what cannot be kept; the message repeats nothing that was given, for that may hold a secret."""
    if said.kind not in KINDS:
        raise BadArgument(f"the kind must be one of {', '.join(KINDS)}")
    if said.actor not in SPEAKERS:
        raise BadArgument(f"the actor must be one of {', '.join(SPEAKERS)}")
    if said.actor == "tool" and said.task:  # a title has no origin of its own
        raise BadArgument("a tool names no task", hint="what it says goes below the task that is under way")
    require_text(said.text, MOST_TEXT, "keep it with `commonplace log`, or in a file, and note one line here")
    require_short((said.scope, said.session, *said.sources), said.sources)


def _cleaned(said: Note, mask: Mask) -> tuple[Note, list[Redacted]]:
    """The note on one line each without secrets, and what was found in its text and names."""
    once = mask(unframed(said.text))
    flat = mask(one_line(once.text))
    names = [mask(one_line(name)) for name in (said.task, said.scope, said.session, *said.sources)]
    task, scope, session, *sources = (name.text for name in names)
    clean = structs.replace(said, text=flat.text, task=task, scope=scope, session=session, sources=tuple(sources))
    return clean, [once, flat, *names]


def _line(said: Note, record_id: str) -> str:
    annotation = {
        "id": record_id,
        "origin": "" if said.trust == "trusted" else said.trust,
        "from": said.sources,
        "project": said.scope,
        "category": CATEGORIES.get(said.kind, ""),
    }
    return f"- {said.kind}: {unannotated(said.text)} {render_annotation(annotation)}"


def _record(said: Note, record_id: str) -> Record:
    """The record that the line will be, as the parser reads it."""
    return parse(BUFFER, f"## {TASK}: {NO_TASK}\n{_line(said, record_id)}\n".encode()).records[0]


def _event(place: Place, said: Note) -> Event:
    return Event(
        text=said.text,
        type="note",
        actor=said.actor,
        ts=place.now,
        session=said.session,
        scope=said.scope,
        origin=said.trust,
        detail={"kept": KEPT, "kind": said.kind},
        from_=said.sources,
    )


def _settled(place: Place, said: Note, capture_id: str, *, is_told: bool = False) -> tuple[Record, tuple[str, ...]]:
    """The ledger's line of a capture, unless it is told there already, and its line in the buffer; what else to say."""
    record = _record(said, capture_id.removeprefix("obs:"))
    if not is_told:
        Journal(place.root, place.device).append(origin(place, said, record, capture_id), "ledger")
    line = _line(said, record.id)
    notes = _make_room(place, said.task, line)
    written = parse(BUFFER, _written(place, said.task, line))
    return next((found for found in written.records if found.id == record.id), record), notes


def _task(place: Place, said: Note) -> str:
    """The task that was named, the goal of the session, the task that the buffer ends with, or none in particular."""
    working = store.find(place, said.session) if said.session and not said.task else None
    named = said.task or (working.goal if working else "")
    tasks = read_buffer(files.find(place.root, BUFFER) or b"").tasks
    return unannotated(named)[:TASK_CHARS].strip(" #:") or (tasks[-1] if tasks else NO_TASK)


def _make_room(place: Place, task: str, line: str) -> tuple[str, ...]:
    """Move the buffer into the day's note if it would be too full with this line."""
    data = files.find(place.root, BUFFER) or b""
    is_full = read_buffer(with_line(data, task, line, now=place.now)).is_full
    return rotated_here(place) if is_full else ()


def _written(place: Place, task: str, line: str) -> bytes:
    """The buffer with the line in it."""
    after = b""

    def add(data: bytes) -> bytes:
        nonlocal after
        after = with_line(data, task, line, now=place.now)
        return after

    update(place.root, BUFFER, add, now=place.now)
    return after
