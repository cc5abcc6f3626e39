"""The parameters of each operation, declared once: names, types, defaults and help.

The keywords of the `Memory` method, the options of the command, the fields of the MCP tool, the OpenAPI document and
the reference page all follow from these Structs. Parameters that are not keyword-only are the subject of an operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, BinaryIO

from msgspec import Meta, Struct

from commonplace import model
from commonplace.shapes import Json


def about(description: str) -> Meta:
    """What a parameter means, for those who read its help."""
    return Meta(description=description)


class Request(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters of an operation."""


Now = Annotated[str | None, about("The time at which it runs, as an ISO minute; the current time if absent.")]
QueryScope = Annotated[
    str | None, about("The project to search, together with shared records; setting `scope` if absent.")
]
Shared = Annotated[bool, about("Search shared records too; if false, only those of the scope.")]
AllScopes = Annotated[bool, about("Search the records of every project.")]
Scope = Annotated[str, about("The project that it belongs to; shared if empty.")]
Since = Annotated[str, about("From this time on: an ISO date or time, or words such as `last week`.")]
Until = Annotated[str, about("Up to and including this day or time.")]
AsOf = Annotated[str, about("Only what held at this time.")]
KnownAt = Annotated[
    str, about("Only what was recorded by this time; text that was edited away by hand does not come back.")
]
Session = Annotated[str, about("The session that it belongs to.")]
Speaker = Annotated[model.Actor, about("The speaker, which determines how much it is trusted.")]
Sources = Annotated[tuple[str, ...], about("Ids of the captures or records that it is based on.")]
ResultCount = Annotated[int, about("The maximum number of records.")]
PackSession = Annotated[str, about("In an automatic pack, the session whose newest captures come last.")]


class EmptyRequest(Request, frozen=True):
    """No parameters."""


class ClockRequest(Request, kw_only=True, frozen=True):
    """A request without parameters other than the clock."""

    now: Now = None


class QuestionRequest(ClockRequest, frozen=True):
    """A question in words."""

    text: Annotated[str, about("The question, in plain words. A whole question finds more than single words.")]


class RecallRequest(QuestionRequest, kw_only=True, frozen=True):
    """A question to memory, and which records may answer it."""

    kinds: Annotated[tuple[model.Kind, ...], about("Only these kinds of statement.")] = ()
    categories: Annotated[tuple[model.Category, ...], about("Only these categories.")] = ()
    entities: Annotated[tuple[str, ...], about("Only records that name these people, places or things.")] = ()
    since: Since = ""
    until: Until = ""
    around: Annotated[str, about("Prefer records near this time.")] = ""
    scope: QueryScope = None
    all_scopes: AllScopes = False
    shared: Shared = True
    as_of: AsOf = ""
    known_at: KnownAt = ""
    history: Annotated[bool, about("Include superseded records.")] = False
    evidence: Annotated[
        model.Evidence, about("Search captures too (`auto`), no captures (`none`), or captures only (`only`).")
    ] = "auto"
    trust: Annotated[tuple[model.Trust, ...], about("Only records with these levels of trust.")] = model.VISIBLE_TRUSTS
    sync: Annotated[bool, about("Check the files for changes first.")] = True
    k: Annotated[int | None, about("The maximum number of records; setting `recall.k` if absent.")] = None


HeardSession = Annotated[
    str, about("A session whose captures are left out, because the model still has them in its context.")
]
ShownReferences = Annotated[
    tuple[str, ...], about("Ids of records and paths of files that the reader has before him: they are left out.")
]


class PackRequest(RecallRequest, kw_only=True, frozen=True):
    """A question to memory, and what a pack of cited lines for it may hold."""

    budget_tokens: Annotated[int | None, about("The token budget; setting `pack.budget_tokens` if absent.")] = None
    automatic: Annotated[
        bool, about("Build the pack that a host would get: nothing untrusted, and the current task at the end.")
    ] = False
    session: PackSession = ""
    core: Annotated[bool | None, about("Whether MEMORY.md comes first; setting `pack.core` if absent.")] = None
    heard: HeardSession = ""
    standing: Annotated[
        bool, about("Whether an automatic pack has standing instructions and preferences, which share no word with it.")
    ] = True
    shown: ShownReferences = ()


class PackWithReceiptRequest(PackRequest, kw_only=True, frozen=True):
    """Options of a pack, and whether the answer contains the id of the receipt."""

    receipt: Annotated[bool, about("Include the id of the receipt that explains the pack.")] = False


class CoreRequest(ClockRequest, kw_only=True, frozen=True):
    """A pack of the core and the standing instructions alone."""

    budget_tokens: Annotated[int | None, about("The token budget; setting `pack.budget_tokens` if absent.")] = None
    scope: QueryScope = None
    heard: HeardSession = ""
    shown: ShownReferences = ()


class RecallLineRequest(RecallRequest, frozen=True):
    """A question to memory, and a line that should answer it."""

    reference: Annotated[str, about("The line: `PATH#L12`, or the id of a record or capture.")]


class WhyNotRequest(RecallLineRequest, kw_only=True, frozen=True):
    """A question to memory, and a line that should be among the hits or in the pack."""

    budget_tokens: Annotated[int | None, about("Explain a pack with this token budget instead of the hits.")] = None
    automatic: Annotated[bool, about("With a budget: explain the pack that a host would get.")] = False
    session: PackSession = ""


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


class WhyRequest(Request, frozen=True):
    """A receipt, and perhaps one of its records."""

    receipt: Annotated[str, about("The id of a receipt, as returned by `pack`, or `last`.")] = "last"
    record: Annotated[str | None, about("Show only this record of the receipt.")] = None


class ReceiptRequest(Request, frozen=True):
    """A receipt."""

    receipt_id: Annotated[str, about("The id of a receipt, as returned by `pack`, or `last`.")] = "last"


class ExplainPackRequest(ReceiptRequest, frozen=True):
    """A receipt, and perhaps a record whose score is explained."""

    record_id: Annotated[str | None, about("Explain how the score of this record was calculated.")] = None


class CompareReceiptsRequest(Request, frozen=True):
    """Two receipts: ids, `last`, or `last~1` for the one before it."""

    before: Annotated[str, about("The earlier receipt.")] = "last~1"
    after: Annotated[str, about("The later receipt.")] = "last"


class ShowRequest(Request, frozen=True):
    """A record or lines of a file."""

    reference: Annotated[
        str, about("An id, `obs:vhbsvh`, `PATH`, `PATH#L12` or `PATH#L12-L15`, with or without `~ANCHOR`.")
    ]


class NameRequest(Request, frozen=True):
    """A name."""

    name: Annotated[str, about("The name of a person, place or thing.")]


class FactsRequest(NameRequest, kw_only=True, frozen=True):
    """A person, place or thing by name, and the days of its facts."""

    as_of: AsOf = ""
    known_at: KnownAt = ""
    all_values: Annotated[bool, about("Show the values of all days, not only those that hold.")] = False
    scope: QueryScope = None
    all_scopes: AllScopes = False
    now: Now = None


class EntityRequest(NameRequest, kw_only=True, frozen=True):
    """A person, place or thing by name."""

    at_most: ResultCount = 50


class TimelineRequest(ClockRequest, kw_only=True, frozen=True):
    """A period."""

    since: Since = ""
    until: Until = ""
    around: Annotated[str, about("The records nearest to this time, or to the record with this id.")] = ""
    scope: QueryScope = None
    all_scopes: AllScopes = False
    evidence: Annotated[
        model.Evidence, about("List captures too (`auto`), no captures (`none`), or captures only (`only`).")
    ] = "none"
    at_most: ResultCount = 50


class ResumeRequest(ClockRequest, kw_only=True, frozen=True):
    """A request to resume, within a token budget."""

    session: Annotated[
        str, about("The session whose working memory is shown; may be omitted if there is only one.")
    ] = ""
    budget_tokens: Annotated[int | None, about("The token budget; 3000 if absent.")] = None
    scope: QueryScope = None
    all_scopes: AllScopes = False


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


class ConsolidateRequest(ClockRequest, kw_only=True, frozen=True):
    """Options of a consolidation; with `apply`, the new records are written."""

    apply: Annotated[bool, about("Write the changes; without this option, they are only shown.")] = False
    idle_minutes: Annotated[int, about("Skip sessions that were active within this many minutes.")] = 0
    owner: Annotated[str, about("The speaker of captures that name nobody; if empty, the owner of the settings.")] = ""
    answer: Annotated[
        Json | None, about("An answer to a work order (`commonplace.order-answer.v1`), to be verified and written.")
    ] = None


class OrderRequest(ClockRequest, kw_only=True, frozen=True):
    """A work order: what an agent needs to consolidate a session itself."""

    session: Annotated[str, about("The session; the oldest that is not consolidated if empty.")] = ""


class DecisionRequest(ClockRequest, frozen=True):
    """One item of the review queue."""

    item_id: Annotated[str, about("The id of the item.")]


class ApproveRequest(DecisionRequest, kw_only=True, frozen=True):
    """One item of the review queue, and whether what it contradicts holds too."""

    both: Annotated[bool, about("Keep what the item contradicts as well.")] = False


class EditRequest(DecisionRequest, frozen=True):
    """One item of the review queue and its new words."""

    text: Annotated[str, about("The new words of the item.")]


class UndoRequest(ClockRequest, frozen=True):
    """An applied write, by the id of its change."""

    change_id: Annotated[
        str,
        about(
            "The id of a write, as printed by `audit`, or `last`; or of a record that another one replaced; or of a"
            " capture that said again what a record says."
        ),
    ]


class AuditRequest(ClockRequest, kw_only=True, frozen=True):
    """A list of writes since a time, newest first."""

    since: Since = ""
    at_most: Annotated[int, about("The maximum number of writes.")] = 20


class SyncRequest(Request, kw_only=True, frozen=True):
    """Options of an update of the index."""

    force: Annotated[bool, about("Check every file, and update even if more than half of the records are gone.")] = (
        False
    )
    dry_run: Annotated[bool, about("Only show what would change.")] = False


class ScanRequest(Request, kw_only=True, frozen=True):
    """Options of a search for secrets."""

    history: Annotated[bool, about("Search the git history.")] = True


class ScrubRequest(ClockRequest, kw_only=True, frozen=True):
    """Options of the removal of secrets."""

    apply: Annotated[bool, about("Write the changes; without this option, they are only shown.")] = False
    all_devices: Annotated[bool, about("Also rewrite the journals of other devices.")] = False


class ReferencesRequest(ClockRequest, frozen=True):
    """Records, captures or files."""

    references: Annotated[
        tuple[str, ...], about("Ids, citations and files: `obs:vhbsvh`, `PATH#L12`, `PATH`; one of them must fit.")
    ] = ()


class ForgetRequest(ReferencesRequest, kw_only=True, frozen=True):
    """What is to be forgotten: everything that all of the given parts fit."""

    query: Annotated[str, about("Words that must all occur.")] = ""
    entity: Annotated[str, about("A person, place or thing: everything that names it.")] = ""
    session: Annotated[str, about("Only what was captured in this session.")] = ""
    scope: Annotated[str, about("Only what belongs to this project.")] = ""
    since: Since = ""
    until: Until = ""
    apply: Annotated[bool, about("Hide it, which can be undone; without this option, it is only shown.")] = False
    erase: Annotated[bool, about("Erase it from all files instead, which cannot be undone.")] = False
    tombstone: Annotated[bool, about("Leave digests that keep an erased text from being captured again.")] = True


class VerifyManifestRequest(ClockRequest, frozen=True):
    """A manifest of what was erased."""

    manifest: Annotated[str, about("The manifest of `forget --now`, whose scan is done again.")]


class QuestionFileRequest(ClockRequest, frozen=True):
    """A file of questions."""

    path: Annotated[str, about("The file with the questions.")] = "memory/golden.md"


class GoldenRequest(QuestionFileRequest, kw_only=True, frozen=True):
    """A file of questions, and how they are asked."""

    k: Annotated[int | None, about("The number of hits to search; setting `recall.k` if absent.")] = None
    update: Annotated[bool, about("Store the ranks, so that later runs can be compared with them.")] = False


class HookCall(Request, kw_only=True, frozen=True):
    """The event of a host's hook as it is, the context around it, and the options that the user chose."""

    host: Annotated[model.HookHost, about("The host.")]
    event: Annotated[Json, about("The JSON of the hook.")] = {}
    context: Annotated[Json, about("The context that the host reports for the hook.")] = {}
    options: Annotated[Json, about("The options of the plugin.")] = {}
