"""A decision, a correction or a fact becomes a line of the working buffer before anything else is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace import files
from commonplace.capture import Event, Kept, Place, capture
from commonplace.capture.events import TRUST_OF
from commonplace.capture.keys import text_key
from commonplace.errors import BadArgument
from commonplace.journal import Journal
from commonplace.model import Actor, Record, Trust, least_trusted
from commonplace.redact.markers import has_marker, placeholder_spans
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
MOST_NAME = 200
MOST_SOURCES = 64
TASK_CHARS = 120
NO_TASK = "General"
TRIAL_ID = "trial"


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
        return least_trusted(*self.basis) if self.actor == "agent" and self.basis else TRUST_OF[self.actor]


def note(place: Place, said: Note) -> Kept:
    """Journal a note, then write it below its task in the buffer; a buffer that would be too full is moved first.

    Raises BadArgument.
    """
    _validate(said)
    if has_marker(said.text, "NOMEM"):  # before the workspace's key is made: not a byte is written
        return Kept(None)
    clean, read = _cleaned(said, mask_of(place))
    masked = tuple(sorted({found.kind for one in read for found in one.found}))
    if _is_bare(clean.text):
        return Kept(None, redacted=masked)
    _require_readable(clean)
    with files.hold(place.root, LOCK):
        notes = tidied_here(place)
        clean = structs.replace(clean, task=_task(place, clean))
        capture_id, record = _journalled(place, clean)
        line = _line(clean, record.id)
        notes += _make_room(place, clean.task, line)
        written = _written(place, clean.task, line)
    found = next((found for found in parse(BUFFER, written).records if found.id == record.id), record)
    return Kept(found, capture_id, masked, notes)


def _validate(said: Note) -> None:
    """Refuse what cannot be kept; the message repeats nothing that was given, for that may hold a secret."""
    if said.kind not in KINDS:
        raise BadArgument(f"the kind must be one of {', '.join(KINDS)}")
    if said.actor not in SPEAKERS:
        raise BadArgument(f"the actor must be one of {', '.join(SPEAKERS)}")
    if said.actor == "tool" and said.task:  # a title has no origin of its own
        raise BadArgument("a tool names no task", hint="what it says goes below the task that is under way")
    if not one_line(said.text):
        raise BadArgument("there is no text to keep")
    if len(said.text) > MOST_TEXT:
        message = f"the text has {len(said.text)} characters, more than {MOST_TEXT}"
        raise BadArgument(message, hint="keep it with `commonplace log`, or in a file, and note one line here")
    if max(map(len, (said.scope, said.session, *said.sources))) > MOST_NAME or len(said.sources) > MOST_SOURCES:
        raise BadArgument(f"a scope, session or source has at most {MOST_NAME} characters, a list {MOST_SOURCES} items")


def _cleaned(said: Note, mask: Mask) -> tuple[Note, list[Redacted]]:
    """The note on one line each without secrets, and what was found in its text and names."""
    once = mask(unframed(said.text))
    flat = mask(one_line(once.text))
    names = [mask(one_line(name)) for name in (said.task, said.scope, said.session, *said.sources)]
    task, scope, session, *sources = (name.text for name in names)
    clean = structs.replace(said, text=flat.text, task=task, scope=scope, session=session, sources=tuple(sources))
    return clean, [once, flat, *names]


def _is_bare(text: str) -> bool:
    """Whether nothing is left but placeholders."""
    for start, end in reversed(placeholder_spans(text)):
        text = text[:start] + text[end:]
    return not one_line(text.replace(RECALLED, ""))


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


def _require_readable(said: Note) -> None:
    """A scope or source that its annotation cannot hold would be another one when it is read."""
    record = _record(said, TRIAL_ID)
    if (record.scope, record.sources) != (said.scope, said.sources):
        message = "a scope or source holds signs that an annotation cannot keep"
        raise BadArgument(message, hint="leave out commas, `;`, `·`, `--` and line breaks")


def _journalled(place: Place, said: Note) -> tuple[str, Record]:
    """The id of the capture, and the record that the line will be, whose trust is in the ledger."""
    event = Event(
        text=said.text,
        type="note",
        actor=said.actor,
        ts=place.now,
        session=said.session,
        scope=said.scope,
        origin=said.trust,
        detail={"kept": "Buffer", "kind": said.kind},
        from_=said.sources,
    )
    capture_id = capture(place, (event,))[0].id
    record = _record(said, capture_id.removeprefix("obs:"))
    origin = {
        "op": "origin",
        "ts": place.now,
        "record": record.id,
        "digest": text_key(record.text),
        "trust": said.trust,
        "actor": said.actor,
        "capture": capture_id,
    }
    Journal(place.root, place.device).append(origin, "ledger")
    return capture_id, record


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
