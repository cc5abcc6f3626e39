"""Memory: open a workspace and retain, recall, pack, explain and check; the library that every interface calls."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast, overload

from commonplace import capture as capturing
from commonplace.errors import NotFound, WorkspaceNotFound, WorkspaceUnusable
from commonplace.memory import activity as days
from commonplace.memory import backups, diagnostics, effects, forgetting, upkeep
from commonplace.memory import capture as inputs
from commonplace.memory import facts as histories
from commonplace.memory import files as notebook
from commonplace.memory import recall as outputs
from commonplace.memory import sessions as work
from commonplace.memory.diagnostics import GoldenResult as GoldenResult
from commonplace.memory.effects import CorrectionResult as CorrectionResult
from commonplace.memory.forgetting import propose_forgetting as propose_forgetting
from commonplace.memory.open_workspace import FINISHED_NOTE, OpenWorkspace, find_records, require_result_count
from commonplace.memory.recall import recall_records as recall_records
from commonplace.model import InitResult
from commonplace.operations import parameters
from commonplace.operations.declarations import request_fields
from commonplace.storage import config, files, workspace
from commonplace.upkeep import backup, forget, review, sessions, skills

if TYPE_CHECKING:
    import inspect
    from collections.abc import Mapping

    from commonplace.model import Health, Record
    from commonplace.sync import SyncResult
    from commonplace.upkeep.backup import ExportDifference, VerifyResult
    from commonplace.upkeep.consolidate import ReviewItem
    from commonplace.upkeep.review import Learning, Tag
    from commonplace.upkeep.sessions import SessionState, WorkingMemory
    from commonplace.upkeep.skills import Skill, SkillDryRun, SkillLibrary, SkillMatch
NOT_A_FOLDER = "it is a file, not a folder"

Fields = ParamSpec("Fields")
GivenRequest = TypeVar("GivenRequest")
Answer = TypeVar("Answer")
GivenRequest_contra = TypeVar("GivenRequest_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


class BoundRequestMethod(Protocol[Fields, GivenRequest_contra, Answer_co]):
    """`memory.recall(RecallRequest("who sails?", k=3))`, or the same as `memory.recall("who sails?", k=3)`."""

    @overload
    def __call__(self, request: GivenRequest_contra, /) -> Answer_co: ...
    @overload
    def __call__(self, *arguments: Fields.args, **keywords: Fields.kwargs) -> Answer_co: ...


class RequestMethod(Protocol[Fields, GivenRequest_contra, Answer_co]):
    """A method as it is in the class."""

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[..., Answer_co]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> BoundRequestMethod[Fields, GivenRequest_contra, Answer_co]: ...


def request_method(
    build: Callable[Fields, GivenRequest], run: Callable[[OpenWorkspace, GivenRequest], Answer]
) -> RequestMethod[Fields, GivenRequest, Answer]:
    """A method that takes a request, or the fields of one, and runs a function on the workspace of the memory.

    `build` is the class of the request. The docstring is that of the function.
    """
    request_type = cast("type[GivenRequest]", build)

    def method(memory: Any, *arguments: Any, **keywords: Any) -> Answer:
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], request_type):
            return run(memory.workspace, arguments[0])
        return run(memory.workspace, request_type(*arguments, **keywords))

    method.__doc__ = run.__doc__
    method.__dict__["__wrapped__"] = _LazySignature(request_type)
    return cast("RequestMethod[Fields, GivenRequest, Answer]", method)


def workspace_method(
    run: Callable[Concatenate[OpenWorkspace, Fields], Answer],
) -> Callable[Concatenate[Any, Fields], Answer]:
    """A method that runs a function on the workspace of the memory, with its docstring and its other parameters."""

    @wraps(run)
    def method(memory: Any, /, *arguments: Fields.args, **keywords: Fields.kwargs) -> Answer:
        return run(memory.workspace, *arguments, **keywords)

    return method


class _LazySignature:
    """What `inspect` shows for a method: the fields of its request. Made when it is asked for, not at each start."""

    def __init__(self, request_type: type) -> None:
        self._request_type = request_type

    @property
    def __signature__(self) -> inspect.Signature:
        from inspect import Parameter, Signature, signature

        fields = request_fields(self._request_type)
        parameters = signature(self._request_type).parameters.values()
        own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        return Signature([own, *(one.replace(annotation=fields[one.name].type) for one in parameters)])


class Memory:
    """An open workspace; use it with `with`, or close it.

    A method that is declared with a request takes the fields of the request as arguments, or the request itself.
    `root` is the absolute path; `settings` and `environment` are as they were read when it was opened.

    >>> import tempfile
    >>> with Memory.open(tempfile.mkdtemp()) as memory:
    ...     kept = memory.retain("W @Peter: In Marrakech for Andy's birthday.")
    ...     hits = memory.recall("who is in Marrakech?").hits
    >>> hits[0].record.text
    "@Peter: In Marrakech for Andy's birthday."
    """

    def __init__(self, workspace: OpenWorkspace) -> None:
        self.workspace = workspace
        self.root, self.settings, self.environment = workspace.root, workspace.settings, workspace.environment

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> Self:
        """Open a workspace: any folder of Markdown, also an empty one.

        Without `folder`: COMMONPLACE_WORKSPACE, else OpenClaw's workspace, else `~/commonplace`. Raises
        WorkspaceNotFound, WorkspaceUnusable for what is not a folder, BadSettings.
        """
        environment = config.read_environment()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(environment)))
        if os.path.isfile(root):
            raise WorkspaceUnusable(str(folder or root), NOT_A_FOLDER)
        if not os.path.isdir(root):
            raise WorkspaceNotFound(str(folder or root))
        return cls(OpenWorkspace(root, environment, progress))

    @staticmethod
    def init(folder: str | os.PathLike[str] | None = None) -> InitResult:
        """Create a workspace, or add what an existing folder lacks; existing files are not changed."""
        environment = config.read_environment()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(environment)))
        try:
            os.makedirs(root, 0o700, exist_ok=True)
        except FileExistsError:
            raise WorkspaceUnusable(str(folder or root), NOT_A_FOLDER) from None
        except OSError as error:
            raise WorkspaceUnusable(str(folder or root), (error.strerror or str(error)).lower()) from None
        day = config.current_minute(config.read_settings(root), environment)[:10]
        texts = {path.format(day=day): text.format(day=day) for path, text in workspace.STARTER_FILES.items()}
        return InitResult(root, files.create_missing_files(root, texts))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and the vectors."""
        self.workspace.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """The reasons why the index may not contain the latest changes; empty if it does."""
        return self.workspace.notes

    # what goes in
    capture = request_method(parameters.CaptureRequest, inputs.capture_event)
    ingest = request_method(parameters.StreamIngestRequest, inputs.ingest_stream)
    import_from = request_method(parameters.ImportRequest, inputs.import_memory_from)
    retain = request_method(parameters.RetainRequest, inputs.retain_sentence)
    log = request_method(parameters.LogRequest, inputs.log_line)
    capture_all = workspace_method(inputs.capture_all_events)

    # what comes out
    recall = request_method(parameters.RecallRequest, outputs.recall_for_reader)
    search = request_method(parameters.SearchRequest, outputs.take_search_apart)
    explain = request_method(parameters.RecallRequest, outputs.explain_recalled)
    pack = request_method(parameters.PackRequest, outputs.pack_records)
    core = request_method(parameters.CoreRequest, outputs.pack_core)
    context_pack = request_method(parameters.PackRequest, outputs.pack_for_openclaw_mem)
    receipts = request_method(parameters.ReceiptsRequest, diagnostics.list_receipts)
    receipt = request_method(parameters.ReceiptRequest, outputs.get_receipt)
    receipt_lines = request_method(parameters.ReceiptRequest, outputs.find_receipt_lines)
    why = request_method(parameters.ExplainPackRequest, outputs.explain_pack)
    why_not = request_method(parameters.WhyNotRequest, diagnostics.explain_missing_line)
    golden = request_method(parameters.GoldenRequest, diagnostics.run_golden_questions)
    impact = request_method(parameters.ShowRequest, effects.trace_impact)
    replay = request_method(parameters.ReplayRequest, effects.replay_receipt)
    diff_receipts = request_method(parameters.CompareReceiptsRequest, diagnostics.compare_two_receipts)
    show = request_method(parameters.ShowRequest, outputs.show_lines)
    cite = request_method(parameters.ShowRequest, outputs.cite_lines)
    entity = request_method(parameters.EntityRequest, outputs.show_entity)
    entities = request_method(parameters.EntitiesRequest, outputs.list_entities)
    related = request_method(parameters.RelatedRequest, outputs.list_related_names)
    files = request_method(parameters.FilesRequest, notebook.list_files)
    read_file = request_method(parameters.ReadFileRequest, notebook.read_lines)
    edit_file = request_method(parameters.EditFileRequest, notebook.edit_lines)
    facts = request_method(parameters.FactsRequest, histories.show_facts)
    facts_lint = request_method(parameters.ClockRequest, histories.lint_facts)
    timeline = request_method(parameters.TimelineRequest, outputs.list_records_in_time)
    activity = request_method(parameters.ActivityRequest, days.count_activity)
    embed = workspace_method(outputs.embed_texts)
    embed_some = workspace_method(outputs.embed_some_texts)

    # sessions
    session_start = request_method(parameters.SessionStartRequest, work.start_session)
    session_step = request_method(parameters.SessionStepRequest, work.step_session)
    session_done = request_method(parameters.SessionRequest, work.finish_session)
    buffer_add = request_method(parameters.BufferNoteRequest, work.add_buffer_note)
    buffer_rotate = request_method(parameters.ClockRequest, work.move_buffer)
    resume = request_method(parameters.ResumeRequest, work.resume_work)

    def session_show(self, session: str) -> SessionState:
        """The working memory of a session. Raises NotFound with the names of the existing sessions."""
        working = sessions.find_session(self.workspace.write_context(None), session)
        if working is None:
            active = sessions.list_sessions(self.workspace.root)[:3]
            raise NotFound("session", session, tuple(one.session for one in active))
        return sessions.SessionState(forget.without_hidden(self.root, self.workspace.synced_index(), working))

    def sessions(self) -> tuple[WorkingMemory, ...]:
        """The active sessions, most recently used first."""
        return sessions.list_sessions(self.root)

    # what is made of captures, and what a person decides
    consolidate = request_method(parameters.ConsolidateRequest, upkeep.consolidate_captures)
    consolidate_with = workspace_method(upkeep.consolidate_with_program)
    findability = workspace_method(upkeep.check_findability)
    order = request_method(parameters.OrderRequest, upkeep.make_work_order)
    approve = request_method(parameters.ApproveRequest, upkeep.approve_item)
    correct = request_method(parameters.CorrectionRequest, effects.correct_readers)
    reject = request_method(parameters.DecisionRequest, upkeep.reject_item)
    edit = request_method(parameters.EditRequest, upkeep.edit_item)
    pending = request_method(parameters.PendingRequest, upkeep.list_pending)
    explain_pending = request_method(parameters.PendingRequest, upkeep.explain_pending)
    undo = request_method(parameters.UndoRequest, upkeep.undo_change)
    audit = request_method(parameters.AuditRequest, upkeep.list_writes)
    forget = request_method(parameters.ForgetRequest, forgetting.forget_records)
    forgettings = request_method(parameters.ForgettingsRequest, forgetting.list_forgettings)
    propose_forget = request_method(parameters.ProposeForgetRequest, forgetting.propose_forgetting)
    verify_forgotten = request_method(parameters.VerifyManifestRequest, forgetting.verify_manifest)

    def evidence(self, item: ReviewItem) -> tuple[Record, ...]:
        """The captures that an item of the queue is based on, as far as they can be found."""
        return find_records(self.workspace.synced_index(), item.sources)

    def difference(self, change_id: str) -> tuple[str, ...]:
        """A diff of the lines of a change: as the change left them (`-`) and as they are now (`+`). Raises NotFound."""
        return review.diff_change(self.root, upkeep.resolve_change_id(self.workspace, change_id))

    def tags(self) -> tuple[Tag, ...]:
        """Every tag, most used first."""
        return review.list_tags(self.workspace.synced_index())

    def tagged(self, name: str, *, at_most: int = 50) -> tuple[Record, ...]:
        """The newest records that have a tag. Raises NotFound."""
        return review.find_tagged_records(self.workspace.synced_index(), name, require_result_count(at_most))

    def learnings(self) -> tuple[Learning, ...]:
        """The lines of `.learnings/`, most repeated first."""
        return review.read_learnings(self.root)

    def list_settings(self) -> tuple[diagnostics.SettingValue, ...]:
        """Every setting with its value as the files and the environment have it now. Raises BadSettings."""
        return diagnostics.list_settings(self.workspace)

    # skills
    def skills(self) -> SkillLibrary:
        """Every skill with its track record, and the problems of those that cannot be read."""
        return skills.read_skill_library(self.workspace.sync_source().journal)

    def approve_skill(self, name: str, *, now: str | None = None) -> Skill:
        """Make a draft, with all edits, an active skill. Raises NotFound, BadArgument."""
        self.workspace.finish_interrupted()
        return skills.approve_skill(self.workspace.sync_source().journal, name, self.workspace.resolve_now(now))

    def reject_skill(self, name: str, *, now: str | None = None) -> str:
        """Move a skill to the archive for good; returns its new path. Raises NotFound."""
        self.workspace.finish_interrupted()
        return skills.reject_skill(self.workspace.sync_source().journal, name, self.workspace.resolve_now(now))

    def match_skills(self, text: str, *, now: str | None = None) -> tuple[SkillMatch, ...]:
        """The active skills that match a request, best first, with reasons."""
        return skills.match_skills(self.skills(), text, self.workspace.resolve_now(now))

    def dry_run_skill(self, name: str, values: Mapping[str, str]) -> SkillDryRun:
        """The steps of a skill with parameters filled in; runs nothing. Raises NotFound, BadArgument."""
        return skills.dry_run_skill(self.skills().find(name), values)

    # the index, health and secrets
    sync = request_method(parameters.SyncRequest, upkeep.sync_files)
    scan = request_method(parameters.ScanRequest, upkeep.scan_secrets)
    merge = request_method(parameters.MergeRequest, upkeep.merge_copy_of_file)
    scrub = request_method(parameters.ScrubRequest, upkeep.scrub_secrets)

    # copies
    backup = request_method(parameters.BackupRequest, backups.back_up_workspace)
    export = request_method(parameters.ExportRequest, backups.export_memory)
    restore = staticmethod(backups.restore_workspace)

    @staticmethod
    def verify_backup(folder: str) -> VerifyResult:
        """Read all of a backup and compare the digests; what is damaged is a value. Raises NotFound, BadArgument."""
        return backup.verify_backup(os.path.expanduser(folder))

    @staticmethod
    def compare_exports(before: str, after: str) -> tuple[ExportDifference, ...]:
        """What differs between two archives. Raises NotFound, BackupDamaged, BadArgument for what is no archive."""
        return backup.compare_archives(os.path.expanduser(before), os.path.expanduser(after))

    def rebuild(self) -> SyncResult:
        """Rebuild the index from the files and journals, beside the old one, and swap it in."""
        self.workspace.replace_index()
        return upkeep.build_sync_result(self.workspace.open_index(), None)

    def set_off_record(self, *, off: bool, now: str | None = None) -> None:
        """Go off the record, so that nothing is captured, or end that; see `status`. What happens meanwhile is not
        captured later either."""
        capturing.set_off_record(self.workspace.write_context(now), off=off)

    def status(self) -> dict[str, str | int]:
        """The contents of the workspace, as names and values; `off_record` is the minute since when nothing is
        captured, `model_calls` and `model_tokens` are those of today, `forgotten_hidden` is there where something is
        hidden, with the number that are to be erased now, or the next day on which one is."""
        from commonplace.memory.models import model_usage

        index = self.workspace.synced_index()
        path, size = ("in memory", 0)
        if not index.memory_only_error:
            path, size = (self.workspace.index_path, os.stat(self.workspace.index_path).st_size)
        off = {"off_record": since} if (since := capturing.off_record_since(self.root)) else {}
        more = {**off, **forgetting.count_due(self.workspace, index), **model_usage(self.workspace)}
        if (search := self.workspace.vector_search) is not None and (coverage := search.coverage) is not None:
            more["records_with_vectors"] = coverage.records - sum(coverage.missing.values())
        return {"workspace": self.workspace.root, "index": path, "index_bytes": size, **index.counts(), **more}

    def check(self) -> Health:
        """Run the health checks; their findings are values, never errors."""
        from commonplace.upkeep.checks import CheckSubject, run_checks

        workspace = self.workspace
        index, journal = workspace.synced_index(), workspace.sync_source().journal
        max_bytes = self.settings.files_max_bytes
        dump = workspace.dump_rebuilt_index
        notes = tuple(note for note in self.notes if not note.startswith(FINISHED_NOTE.partition("{")[0]))
        health = run_checks(CheckSubject(self.root, index, journal, dump, max_bytes, workspace.index_path, notes))
        diagnostics.note_reported(workspace, health)
        return health

    def dump(self) -> list[str]:
        """The index in a canonical form, one line an item: equal workspaces dump equally."""
        return self.workspace.synced_index().dump()
