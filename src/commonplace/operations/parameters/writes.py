"""What is written: sentences, events, transcripts, other memories, and the work of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, BinaryIO

from commonplace import model
from commonplace.operations.parameters.basics import ClockRequest, Scope, Session, Sources, Speaker, about
from commonplace.shapes import Json


class SentenceRequest(ClockRequest, frozen=True):
    """A sentence to write."""

    text: Annotated[str, about("A sentence that can be understood on its own.")]


class LogRequest(SentenceRequest, kw_only=True, frozen=True):
    """A line for the log of the day, and who says it."""

    actor: Speaker = "owner"
    scope: Scope = ""
    session: Session = ""


class RetainRequest(LogRequest, kw_only=True, frozen=True):
    """A sentence to keep as a record, who says it and what it is based on."""

    importance: Annotated[float | None, about("Its importance, from 0 to 1.")] = None
    valid: Annotated[
        str, about("The period in which it is true, such as `2025-11-27..2025-12-01`; either end may be omitted.")
    ] = ""
    sources: Sources = ()
    supersedes: Annotated[tuple[str, ...], about("Ids of the records that it replaces.")] = ()
    shared: Annotated[bool, about("Compare it with shared records too; if false, only with those of its scope.")] = True


class EventTextRequest(ClockRequest, frozen=True):
    """An event in words."""

    text: Annotated[str, about("What was said or happened, word for word.")]


class CaptureRequest(EventTextRequest, kw_only=True, frozen=True):
    """One event; of two events with a key in common the second adds nothing."""

    actor: Annotated[model.Actor, about("The speaker or actor, which determines how much it is trusted.")] = "owner"
    type: Annotated[model.CaptureType, about("The type of the event.")] = "message"
    session: Session = ""
    agent: Annotated[str, about("The agent that captured it.")] = ""
    scope: Scope = ""
    ts: Annotated[str, about("When it happened, as an ISO time; now if empty.")] = ""
    origin: Annotated[model.Trust, about("The highest trust that it can have, whoever said it.")] = "trusted"
    detail: Annotated[Json | None, about("Details of the event: `speaker`, `tool`, `arguments`, `exit_code`.")] = None
    sources: Sources = ()
    keys: Annotated[
        tuple[str, ...],
        about("Unique keys of the event at its source; an event with a known key is not captured again."),
    ] = ()


class TranscriptRequest(ClockRequest, kw_only=True, frozen=True):
    """The format of a transcript, and the session and project that it belongs to."""

    format: Annotated[model.TranscriptFormat, about("The format of the transcript.")] = "auto"
    owner: Annotated[str, about("Your name; without it, nothing in an export, a chat log or a file is trusted.")] = ""
    session: Session = ""
    scope: Scope = ""
    name: Annotated[str, about("Where the transcript comes from, as shown in the answer.")] = ""


class IngestRequest(TranscriptRequest, kw_only=True, frozen=True):
    """A transcript as `text`, or as `entries`: the objects that would be its lines."""

    text: Annotated[str, about("The transcript.")] = ""
    entries: Annotated[tuple[Json, ...], about("The transcript as a list of objects, instead of text.")] = ()


class StreamIngestRequest(TranscriptRequest, frozen=True):
    """An open transcript; `identity` says what tells its file from others: `path:/x/y`, `inode:5:77`.

    It is not `vouched` for if nobody says who wrote it: then nothing is trusted without `owner`.
    """

    stream: BinaryIO
    identity: tuple[str, ...] = ()
    vouched: bool = True


class PathRequest(ClockRequest, frozen=True):
    """A path of another memory."""

    path: Annotated[str, about("A database, folder or export of another memory program.")]


class ImportRequest(PathRequest, kw_only=True, frozen=True):
    """Another memory, and what of it is yours."""

    system: Annotated[str, about("The program that it comes from.")] = "auto"
    mine: Annotated[bool, about("Trust all of it, as if you had written it.")] = False
    owner: Annotated[str, about("Your name in the source; everything under this name is trusted.")] = ""
    scope: Scope = ""
    apply: Annotated[bool, about("Capture the memories; without this option, nothing is written.")] = False


class SessionRequest(ClockRequest, frozen=True):
    """A session by name."""

    session: Annotated[str, about("The name of the session.")]


class SessionStartRequest(SessionRequest, kw_only=True, frozen=True):
    """A task that begins."""

    goal: Annotated[str | None, about("The goal of the task.")] = None
    plan: Annotated[tuple[str, ...] | None, about("The steps of the plan.")] = None
    skill: Annotated[str | None, about("The skill in use.")] = None
    actor: Speaker = "agent"


class SessionStepRequest(SessionRequest, kw_only=True, frozen=True):
    """The progress made in one step of a task."""

    observations: Annotated[tuple[str, ...], about("What was observed.")] = ()
    goal: Annotated[str | None, about("A new goal.")] = None
    plan: Annotated[tuple[str, ...] | None, about("The steps of the plan.")] = None
    done: Annotated[tuple[int, ...], about("The numbers of completed steps.")] = ()
    facts: Annotated[Mapping[str, str] | None, about("Facts by name; an empty value removes the fact.")] = None
    skill: Annotated[str | None, about("The skill in use.")] = None
    actor: Annotated[model.Actor, about("The observer, which determines how much it is trusted.")] = "agent"


class NoteTextRequest(ClockRequest, frozen=True):
    """A note for the working buffer."""

    text: Annotated[str, about("The note.")]


class BufferNoteRequest(NoteTextRequest, kw_only=True, frozen=True):
    """A note for the working buffer, and the task that it belongs to."""

    kind: Annotated[model.NoteKind, about("The kind of note.")] = "note"
    task: Annotated[str, about("The task; the goal of the session or the last task if empty.")] = ""
    actor: Speaker = "agent"
    scope: Scope = ""
    session: Session = ""
    sources: Sources = ()
