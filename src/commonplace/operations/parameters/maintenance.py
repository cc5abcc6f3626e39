"""What is decided and maintained: consolidation, review, the index, secrets, copies, and what is forgotten."""

from __future__ import annotations

from typing import Annotated

from commonplace.operations.parameters.basics import (
    AuthoredRequest,
    ClockRequest,
    FilePath,
    Request,
    Session,
    Since,
    Skip,
    Until,
    about,
)
from commonplace.shapes import Json


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


class PendingRequest(Request, kw_only=True, frozen=True):
    """Some items of the review queue."""

    limit: Annotated[int | None, about("The maximum number of items; all of them if absent.")] = None
    skip: Skip = 0


class DecisionRequest(AuthoredRequest, frozen=True):
    """One item of the review queue."""

    item_id: Annotated[str, about("The id of the item.")]


class ApproveRequest(DecisionRequest, kw_only=True, frozen=True):
    """One item of the review queue, and whether what it contradicts holds too."""

    both: Annotated[bool, about("Keep what the item contradicts as well.")] = False


class EditRequest(DecisionRequest, frozen=True):
    """One item of the review queue and its new words."""

    text: Annotated[str, about("The new words of the item.")]


class UndoRequest(AuthoredRequest, frozen=True):
    """An applied write, by the id of its change."""

    change_id: Annotated[
        str,
        about(
            "The id of a write, as printed by `audit`, or `last`; or of a record that another one replaced; or of a"
            " capture that said again what a record says."
        ),
    ]


class EditFileRequest(AuthoredRequest, frozen=True):
    """Lines of a file, as they were read, and what is written in their place."""

    path: FilePath
    text: Annotated[str, about("The new lines; without any, the old ones are removed.")]
    digest: Annotated[str, about("The digest of the file as it was read; another one is refused.")]
    line_start: Annotated[int, about("The first line that is replaced.")] = 1
    line_end: Annotated[int, about("The last line that is replaced; the end of the file if 0.")] = 0


class AuditRequest(ClockRequest, kw_only=True, frozen=True):
    """A list of writes since a time, newest first."""

    since: Since = ""
    path: Annotated[str, about("Only writes to this file.")] = ""
    act: Annotated[str, about("Only the writes of this act, as `audit` names it.")] = ""
    at_most: Annotated[int, about("The maximum number of writes.")] = 20
    skip: Skip = 0


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


class BackupRequest(ClockRequest, frozen=True):
    """A backup."""

    folder: Annotated[str, about("The folder of the backup, outside the workspace.")]


class ExportRequest(ClockRequest, kw_only=True, frozen=True):
    """An archive, and what of the memory is exported; all of it if nothing is named."""

    path: Annotated[str, about("The archive to write; without it, the result has the content.")] = ""
    entity: Annotated[str, about("Only what names this person, place or thing.")] = ""
    scope: Annotated[str, about("Only what belongs to this project.")] = ""
    since: Since = ""
    until: Until = ""


class CopyRequest(ClockRequest, frozen=True):
    """A copy that a sync tool made of a file."""

    path: Annotated[str, about("The copy, relative to the workspace.")]


class MergeRequest(CopyRequest, kw_only=True, frozen=True):
    """A copy that a sync tool made of a file, and whether it is united with the file."""

    apply: Annotated[bool, about("Write the changes; without this option, they are only shown.")] = False


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
    due: Annotated[
        bool, about("Erase what was hidden long enough, by the setting `forget.erase_after_days`, or has come back.")
    ] = False
    tombstone: Annotated[bool, about("Leave digests that keep an erased text from being captured again.")] = True


class ForgettingsRequest(Request, kw_only=True, frozen=True):
    """A list of what was hidden or erased, newest first."""

    at_most: Annotated[int, about("The maximum number of entries.")] = 20
    skip: Skip = 0


class ProposeForgetRequest(ReferencesRequest, kw_only=True, frozen=True):
    """What an agent wants to forget for the owner of its session."""

    session: Session = ""


class VerifyManifestRequest(ClockRequest, frozen=True):
    """A manifest of what was erased."""

    manifest: Annotated[str, about("The manifest of `forget --now`, whose scan is done again.")]
