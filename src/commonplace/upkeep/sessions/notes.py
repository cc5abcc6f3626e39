"""Add a note to the working buffer: a decision, correction or fact is journaled first, then written below its task."""

from __future__ import annotations

from functools import partial
from typing import get_args

from msgspec import Struct, structs, to_builtins

from commonplace import capture
from commonplace.errors import BadArgument
from commonplace.language.text import RECALLED_PLACEHOLDER, sanitize_line, strip_frames
from commonplace.model import Actor, NoteKind, Record
from commonplace.redact import has_marker
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import join_lines, parse_document, render_annotation, update_file
from commonplace.upkeep.sessions import buffer, working_memory
from commonplace.upkeep.sessions.working_memory import ALLOWED_ACTORS, Mask

NOTE_KINDS: tuple[NoteKind, ...] = get_args(NoteKind)
CATEGORY_BY_NOTE_KIND = {"decision": "decision", "fact": "fact"}
MAX_NOTE_CHARS = 4_000  # characters; a buffer is to be read at a glance
MAX_TASK_CHARS = 120
DEFAULT_TASK = "General"
BUFFER_CAPTURE_MARK = "Buffer"  # what the detail of a capture says of one that was noted


class BufferNote(capture.AuthoredText, frozen=True, kw_only=True):
    """What is to be noted, and for which task."""

    kind: str = "note"
    task: str = ""
    actor: Actor = "agent"


class _NoteIntent(Struct, frozen=True):
    """What is about to be noted, below which task, and how far the journals went before."""

    device: str
    now: str
    said: BufferNote
    captured: str
    told: str


def add_note(context: capture.WriteContext, note: BufferNote) -> capture.RetainResult:
    """Journal a note, then write it below its task in the buffer, moved first if too full. Raises BadArgument."""
    _validate_note(note)
    capture.require_on_record(context.root)
    if has_marker(note.text, "NOMEM"):  # before the workspace's key is made: not a byte is written
        return capture.RetainResult(None)
    masker = capture.TextMasker(context.root, context.exact)
    clean, masked = _redact_note(note, partial(masker.redact, session=note.session))
    if capture.is_only_placeholders(clean.text.replace(RECALLED_PLACEHOLDER, "")):
        return capture.RetainResult(None, redacted=masked)
    capture.require_annotatable(_parse_note_line(clean, capture.TRIAL_ID), clean.scope, clean.sources)
    with files.hold_workspace_lock(context.root, buffer.BUFFER_LOCK):
        masker.save()
        notes = buffer.tidy_locked_buffer(context)
        clean = structs.replace(clean, task=_choose_task(context, clean))
        journal = Journal(context.root, context.device)
        positions = journal.end_position("captures"), journal.end_position("ledger")
        intent = _NoteIntent(context.device, context.now, clean, *positions)
        with files.log_intent(context.root, encode_journal_line(to_builtins(intent)), durable=True):
            detail: Json = {"kept": BUFFER_CAPTURE_MARK, "kind": clean.kind}
            event = capture.Event(
                text=clean.text,
                type="note",
                actor=clean.actor,
                ts=context.now,
                session=clean.session,
                scope=clean.scope,
                origin=clean.author_trust,
                detail=detail,
                from_=clean.sources,
            )
            capture_id = capture.capture_events(context, (event,))[0].id
            record, more = _write_ledger_and_buffer(context, clean, capture_id)
    return capture.RetainResult(record, capture_id, masked, notes + more)


def finish_note(current_context: capture.WriteContext, intent_bytes: bytes) -> None:
    """Bring to its end what somebody began to note and died: a capture that is in the journal gets its line, unless the
    words stand in the buffer, or in the note to which it was moved."""
    promise = decode_with_checksum(intent_bytes, _NoteIntent)
    if promise is None:
        return
    context, note = structs.replace(current_context, device=promise.device, now=promise.now), promise.said
    journal, attributes = Journal(context.root, context.device), ("ts", "text", "actor", "session", "scope")
    expected = [context.now, note.text, note.actor, note.session, note.scope]
    told = {entry.fields.get("capture") for entry in journal.read("ledger", promise.told).entries}
    for entry in journal.read("captures", promise.captured).entries:
        detail = entry.fields.get("detail") or {}
        is_note = (detail.get("kept"), detail.get("kind")) == (BUFFER_CAPTURE_MARK, note.kind)
        is_this_note = is_note and [entry.fields.get(name) for name in attributes] == expected
        with files.hold_workspace_lock(context.root, buffer.BUFFER_LOCK):
            if is_this_note and not _is_note_written(context, note):
                _write_ledger_and_buffer(context, note, entry.fields["id"], is_in_ledger=entry.fields["id"] in told)


def _is_note_written(context: capture.WriteContext, note: BufferNote) -> bool:
    """Whether the words are in the buffer, or in the note of the day."""
    key = capture.text_key(_parse_note_line(note, capture.TRIAL_ID).text)
    for path in (buffer.BUFFER_PATH, context.log_path):
        records = parse_document(path, files.read_file_if_exists(context.root, path) or b"").records
        if any(capture.text_key(record.text) == key for record in records):
            return True
    return False


def _validate_note(note: BufferNote) -> None:
    """Refuse what cannot be kept; the message repeats nothing that was given, for that may hold a secret."""
    if note.kind not in NOTE_KINDS:
        raise BadArgument(f"the kind must be one of {', '.join(NOTE_KINDS)}")
    if note.actor not in ALLOWED_ACTORS:
        raise BadArgument(f"the actor must be one of {', '.join(ALLOWED_ACTORS)}")
    if note.actor == "tool" and note.task:  # a title has no origin of its own
        raise BadArgument("a tool names no task", hint="what it says goes below the task that is under way")
    hint = "keep it with `commonplace log`, or in a file, and note one line here"
    capture.require_text(note.text, MAX_NOTE_CHARS, hint)
    capture.require_short_names((note.scope, note.session, *note.sources), note.sources)


def _redact_note(note: BufferNote, mask: Mask) -> tuple[BufferNote, tuple[str, ...]]:
    """The note on one line each without secrets, and the kinds of those in its text and names."""
    once = mask(strip_frames(note.text))
    flat = mask(sanitize_line(once.text))
    names = [mask(sanitize_line(name)) for name in (note.task, note.scope, note.session, *note.sources)]
    task, scope, session, *sources = (name.text for name in names)
    clean = structs.replace(note, text=flat.text, task=task, scope=scope, session=session, sources=tuple(sources))
    return clean, tuple(sorted({found.kind for one in (once, flat, *names) for found in one.findings}))


def _render_note_line(note: BufferNote, record_id: str) -> str:
    annotation = {
        "id": record_id,
        "origin": "" if note.trust == "trusted" else note.trust,
        "from": note.sources,
        "project": note.scope,
        "category": CATEGORY_BY_NOTE_KIND.get(note.kind, ""),
    }
    return f"- {note.kind}: {join_lines(note.text)} {render_annotation(annotation)}"


def _parse_note_line(note: BufferNote, record_id: str) -> Record:
    """The record that the line will be, as the parser reads it."""
    page = f"## {buffer.TASK_HEADING}: {DEFAULT_TASK}\n{_render_note_line(note, record_id)}\n"
    return parse_document(buffer.BUFFER_PATH, page.encode()).records[0]


def _write_ledger_and_buffer(
    context: capture.WriteContext, note: BufferNote, capture_id: str, *, is_in_ledger: bool = False
) -> tuple[Record, tuple[str, ...]]:
    """Write the ledger's line of a capture, unless it is there, and its line in the buffer; with notes for people."""
    record = _parse_note_line(note, capture_id.removeprefix("obs:"))
    if not is_in_ledger:
        entry = capture.origin_entry(context, record, capture_id, actor=note.actor, trust=note.trust)
        Journal(context.root, context.device).append(entry, "ledger")
    line = _render_note_line(note, record.id)
    data = files.read_file_if_exists(context.root, buffer.BUFFER_PATH) or b""
    is_full = buffer.parse_buffer(buffer.add_buffer_line(data, note.task, line, now=context.now)).is_full
    notes = buffer.rotate_locked_buffer(context) if is_full else ()
    add = partial(buffer.add_buffer_line, task=note.task, line=line, now=context.now)
    update_file(context.root, buffer.BUFFER_PATH, add, now=context.now)
    after = files.read_file_if_exists(context.root, buffer.BUFFER_PATH) or b""
    records = parse_document(buffer.BUFFER_PATH, after).records
    return next((found for found in records if found.id == record.id), record), notes


def _choose_task(context: capture.WriteContext, note: BufferNote) -> str:
    """The task that was named, the goal of the session, the task that the buffer ends with, or none in particular."""
    working = working_memory.find_session(context, note.session) if note.session and not note.task else None
    named = note.task or (working.goal if working else "")
    tasks = buffer.parse_buffer(files.read_file_if_exists(context.root, buffer.BUFFER_PATH) or b"").tasks
    return join_lines(named)[:MAX_TASK_CHARS].strip(" #:") or (tasks[-1] if tasks else DEFAULT_TASK)
