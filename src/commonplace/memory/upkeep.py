"""Consolidation, review, skills, secrets, and the maintenance of the index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from msgspec import json, structs, to_builtins

from commonplace import capture, sync, truth
from commonplace.errors import BadArgument, ModelUnavailable, NotFound
from commonplace.index import Index
from commonplace.memory.forgetting import erase_due, settle_removed_lines
from commonplace.memory.open_workspace import OpenWorkspace, find_records, require_result_count, require_skip
from commonplace.memory.recall import recall_records, resolve_query
from commonplace.model import Change
from commonplace.operations import parameters
from commonplace.retrieval import recall
from commonplace.storage import files
from commonplace.storage.settings import ModelSettings, names_language_model
from commonplace.storage.settings_checks import model_problems
from commonplace.storage.workspace import strip_annotation
from commonplace.sync import SyncResult, plan_sync, synchronise
from commonplace.upkeep import consolidate, forget, merge, review, scrub

Entry = TypeVar("Entry")
MIN_PROGRAM_TIMEOUT_MS = 300_000  # nobody waits, and an agent starts slowly and thinks
PRINT_REQUEST = "You have no tools here: print the JSON object instead of writing it into a file."
MAX_CHECKED_LINES = 200  # lines of one run that are asked for; of a longer one so many, evenly spread
RUN_KEY_CHARS = 12
LAST_CHANGE, LEDGER_ID_PREFIX = "last", "led:"


def consolidate_captures(
    workspace: OpenWorkspace, request: parameters.ConsolidateRequest
) -> consolidate.ConsolidationRun:
    """Plan the lasting records from the captures since the last run, and with `apply` write them.

    Without it nothing is written. A session that went on within the last `idle_minutes` waits for the next time.
    `owner` is the name of the speaker where captures name nobody, in place of that of the settings. It may be stopped
    at any point and run again. An `answer` to a work order is verified and written, and nothing else is consolidated.
    Language models that the settings name are asked, and where they fail the notes of the run say so. Raises LockBusy,
    SuspiciousLoss, BadArgument for an answer that is none, or to no open order.
    """
    options = _consolidate_options(workspace, request)
    if options.write:
        erase_due(workspace, parameters.ForgetRequest(apply=True, now=request.now), also_returned=False)
        settle_removed_lines(workspace, request.now)
    if request.answer is not None:
        answer = consolidate.decode_order_answer(request.answer)
        options = structs.replace(options, write=True, model=answer, order=answer.order)
    elif names_language_model(workspace.settings):
        from commonplace.memory.models import open_model_chain

        options = structs.replace(options, model=open_model_chain(workspace, request.now))
    run_key = files.text_digest(workspace.sync_source().journal.end_position("ledger"))[:RUN_KEY_CHARS]
    context = workspace.write_context(request.now, f"consolidate consolidate {run_key}")
    run = consolidate.run_consolidation(context, partial(_require_synced_index, workspace), options)
    if options.write and run.plans:
        workspace.index_after_write(now=request.now)
    return run


def make_work_order(workspace: OpenWorkspace, request: parameters.OrderRequest) -> consolidate.WorkOrder:
    """What an agent needs to consolidate a session itself: its turns, the lines that are known, the task, the schema
    of the answer. The oldest session that is not consolidated, unless one is named; without any the order has no turns.
    Raises LockBusy, SuspiciousLoss."""
    options = _consolidate_options(workspace, parameters.ConsolidateRequest(now=request.now))
    context = workspace.write_context(request.now)
    return consolidate.open_order(context, partial(_require_synced_index, workspace), request.session, options)


def consolidate_with_program(
    workspace: OpenWorkspace, command: str, *, session: str = ""
) -> consolidate.ConsolidationRun:
    """Let a program answer the work orders of a session, of all open ones if none is named, and write the answers.

    It reads a prompt and prints the answer, like the program of `models.command`. Raises ModelUnavailable where an
    order gets no answer (what was answered before is written), BadArgument for what is no command.
    """
    from commonplace.memory.models import open_model_chain

    settings = structs.replace(
        workspace.settings,
        models_provider="command",
        models_command=command,
        models_fallback=ModelSettings(),
        models_step={},
        models_timeout_ms=max(workspace.settings.models_timeout_ms, MIN_PROGRAM_TIMEOUT_MS),
    )
    if problems := model_problems(settings):
        raise BadArgument(problems[0])
    request, last = parameters.OrderRequest(session=session), ""
    runs: list[consolidate.ConsolidationRun] = []
    chain = open_model_chain(workspace, settings=settings)
    order = make_work_order(workspace, request)
    while order.turns and order.id != last:
        last = order.id
        shown = json.encode(structs.replace(order, answer_schema={})).decode()
        outcome = chain.run_step("claims", f"{shown}\n\n{PRINT_REQUEST}", consolidate.OrderAnswer)
        if outcome.answer is None:
            raise ModelUnavailable("; ".join(outcome.notes))
        answer = to_builtins(structs.replace(outcome.answer, order=order.id))
        runs.append(consolidate_captures(workspace, parameters.ConsolidateRequest(answer=answer)))
        order = make_work_order(workspace, request)
    return consolidate.ConsolidationRun(
        tuple(plan for run in runs for plan in run.plans),
        tuple(change for run in runs for change in run.changes),
        notes=tuple(note for run in runs for note in run.notes),
    )


def _consolidate_options(
    workspace: OpenWorkspace, request: parameters.ConsolidateRequest
) -> consolidate.ConsolidateOptions:
    now = workspace.resolve_now(request.now)
    before = consolidate.minutes_before(now, request.idle_minutes) if request.idle_minutes else ""
    owner = request.owner or truth.find_owner(workspace.sync_source().read_if_exists, workspace.settings)
    return consolidate.ConsolidateOptions(
        request.apply, before, owner or consolidate.DEFAULT_OWNER, workspace.vocabulary()
    )


def check_findability(
    workspace: OpenWorkspace, run: consolidate.ConsolidationRun, *, now: str | None = None
) -> tuple[consolidate.FindabilityResult, ...]:
    """The rank at which a question about each new line of an applied run finds it, made of the entities and the
    attribute, not of its own words; a line that no question finds among the first ten gets a warning. Of very many
    lines only some are checked."""
    if workspace.notes:  # what the index does not have yet it cannot find
        return ()
    lines = [line for plan in run.plans for line in plan.lines if not line.is_over]
    sample = lines[:: -(-len(lines) // MAX_CHECKED_LINES) or 1]
    results = (_check_line_findability(workspace, line, now) for line in sample)
    return tuple(result for result in results if result is not None)


def _check_line_findability(
    workspace: OpenWorkspace, claim: consolidate.ClaimRecord, now: str | None
) -> consolidate.FindabilityResult | None:
    """The first question that finds a line, else the first question; None if there is none."""
    tried: list[consolidate.FindabilityResult] = []
    for question in consolidate.make_questions(claim):
        request = parameters.RecallRequest(question, k=10, evidence="none", scope=claim.scope, now=now, sync=False)
        rank = consolidate.rank_in_hits(claim.id, [hit.record.id for hit in recall_records(workspace, request).hits])
        warning = consolidate.findability_warning(rank, question, claim.destination.path)
        tried.append(consolidate.FindabilityResult(claim.id, question, rank, warning))
        if rank:
            return tried[-1]
    return tried[0] if tried else None


def _require_synced_index(workspace: OpenWorkspace) -> Index:
    """The index of the current files, because no decision may rest on an older one. Raises LockBusy, SuspiciousLoss."""
    index = workspace.open_index()
    synchronise(index, workspace.sync_source())
    return index


def list_pending(workspace: OpenWorkspace, request: parameters.PendingRequest) -> tuple[consolidate.ReviewItem, ...]:
    """The items that need a decision, in the order of the queue. Raises BadArgument."""
    workspace.finish_interrupted()
    return _slice(review.read_queue(workspace.root, workspace.synced_index()), request.skip, request.limit)


def explain_pending(workspace: OpenWorkspace, request: parameters.PendingRequest) -> review.ExplainedQueue:
    """The items that need a decision, each with what it is based on and what it contradicts. Raises BadArgument."""
    workspace.finish_interrupted()
    index = workspace.synced_index()
    queue = review.read_queue(workspace.root, index)
    items = tuple(
        review.ExplainedItem(
            one, find_records(index, (*one.sources, one.written_line)), find_records(index, one.against)
        )
        for one in _slice(queue, request.skip, request.limit)
    )
    return review.ExplainedQueue(items, len(queue))


def _slice(entries: Sequence[Entry], skip: int, limit: int | None) -> tuple[Entry, ...]:
    """The entries without the first ones, at most so many. Raises BadArgument."""
    last = len(entries) if limit is None else skip + require_result_count(limit, "limit")
    return tuple(entries[require_skip(skip) : last])


def approve_item(workspace: OpenWorkspace, request: parameters.ApproveRequest) -> review.ReviewDecision:
    """Write a pending item to its target file, as the owner's own; with `both` what it contradicts holds too. Raises
    NotFound."""
    item = next((one for one in review.read_queue(workspace.root) if one.id == request.item_id), None)
    if item and item.record and not item.asks_to_forget:
        require_not_forgotten_or_hidden(workspace, [item.text, sync.split_reason(item.record)[0]])
    context = _decision_context(workspace, request, "approve")
    decision = review.approve_queued_item(context, request.item_id, workspace.synced_index(), is_both=request.both)
    workspace.index_after_write(now=request.now)
    return decision


def require_not_forgotten_or_hidden(workspace: OpenWorkspace, texts: Sequence[str]) -> None:
    """Raise BadArgument where a text that is to be written was erased, or is hidden."""
    from commonplace.capture import require_not_forgotten

    require_not_forgotten(workspace.root, texts)
    matcher = forget.match_hidden(workspace.root, workspace.synced_index())
    if matcher and any(map(matcher.match, texts)):
        raise BadArgument("this is hidden by `forget`, and nothing was written", hint="undo that first (`led:…`)")


def reject_item(workspace: OpenWorkspace, request: parameters.DecisionRequest) -> review.ReviewDecision:
    """Remove a pending item for good, with the line that an agent or a tool wrote for it: the same words are not
    proposed again. Raises NotFound."""
    context = _decision_context(workspace, request, "reject")
    decision = review.reject_queued_item(context, request.item_id, workspace.synced_index())
    workspace.index_after_write(now=request.now)
    return decision


def edit_item(workspace: OpenWorkspace, request: parameters.EditRequest) -> review.ReviewDecision:
    """Change the words of a pending item. Raises NotFound, BadArgument."""
    workspace.finish_interrupted()
    return review.edit_queued_item(_decision_context(workspace, request, "edit"), request.item_id, request.text)


def _decision_context(
    workspace: OpenWorkspace, request: parameters.DecisionRequest, operation_name: str
) -> capture.WriteContext:
    return workspace.write_context(request.now, f"{operation_name} {request.actor} {request.item_id}")


def undo_change(workspace: OpenWorkspace, request: parameters.UndoRequest) -> str:
    """Restore what a change replaced, if its lines are as it left them; returns the path, empty where nothing was left
    to undo. `last` is the newest change.

    The id of a record that was replaced makes it hold again, that of a current one what it replaced; if it replaced
    nothing, it is not supported by what said it again. The id of a capture stands for all that it supports.
    The id of a `forget` that only hid shows again what it hid. Raises NotFound, BadArgument for a line that is
    forgotten, and WriteConflict with the lines as they are now.
    """
    workspace.finish_interrupted()
    change_id = resolve_change_id(workspace, request.change_id)
    if change_id.startswith(LEDGER_ID_PREFIX):
        path = forget.show_again(workspace.sync_source().journal, change_id, workspace.resolve_now(request.now))
        workspace.index_after_write(now=request.now)
        return path
    try:
        require_not_forgotten_or_hidden(workspace, review.restored_texts(workspace.root, change_id))
        now, act = workspace.resolve_now(request.now), f"undo {request.actor} {change_id}"
        written = review.restore_replaced_lines(workspace.root, change_id, now=now, act=act)
        path = written.path if written.change_id else ""
    except NotFound:
        if not (path := _undo_derived(workspace, change_id, workspace.resolve_now(request.now))):
            raise
    workspace.index_after_write(now=request.now)
    return path


def _undo_derived(workspace: OpenWorkspace, record_id: str, now: str) -> str:
    """Record in the ledger that a record holds beside every line that would replace it, or that something does not
    support it; returns its path, empty if it replaces, is replaced by and supports nothing."""
    index, journal = _require_synced_index(workspace), workspace.sync_source().journal
    record = index.find(record_id)
    pairs = review.find_replaced_pairs(index, record_id)
    if record is None or not pairs:
        record = index.find(review.withdraw_support(index, journal, record_id, now))
    held: set[tuple[str, str]] = set()
    while pairs and record and held.isdisjoint(pairs):
        held.update(pairs)
        review.append_pairs(journal, pairs, now)
        review.restore_struck_lines(workspace.root, index, pairs, now)
        index = _require_synced_index(workspace)
        replaced = {older: review.find_replaced_pairs(index, older) for older, _newer in pairs}
        pairs = tuple(pair for older, again in replaced.items() for pair in again if pair[0] == older)
    return record.source.path if record else ""


def resolve_change_id(workspace: OpenWorkspace, change_id: str) -> str:
    """The id of a change; `last` stands for the newest."""
    if change_id != LAST_CHANGE:
        return change_id
    writes = review.audit_writes(workspace.sync_source().journal, since="", limit=1)
    return writes[0].change_id if writes else LAST_CHANGE


def list_writes(workspace: OpenWorkspace, request: parameters.AuditRequest) -> tuple[review.AuditedWrite, ...]:
    """Recent writes, newest first, with their authors and sources; `since` is a time. Raises BadArgument."""
    since = recall.build_record_filter(resolve_query(workspace, request)).since
    limit, skip = require_result_count(request.at_most), require_skip(request.skip)
    journal_log, path = workspace.sync_source().journal, request.path
    writes = review.audit_writes(journal_log, since=since, path=path, act=request.act, limit=limit, skip=skip)
    matcher = forget.match_hidden(workspace.root, workspace.synced_index())
    if matcher is None:
        return writes

    def show(text: str) -> str:
        return "\n".join(
            recall.HIDDEN_LINE if matcher.match(strip_annotation(one)) else one for one in text.split("\n")
        )

    return tuple(structs.replace(one, before=show(one.before), after=show(one.after)) for one in writes)


def scan_secrets(workspace: OpenWorkspace, request: parameters.ScanRequest) -> scrub.ScanResult:
    """Every secret in the files, journals and names of the workspace and in its git history, each once."""
    return scrub.scan_workspace(workspace.secret_scanner(may_create_key=False), history=request.history)


def scrub_secrets(workspace: OpenWorkspace, request: parameters.ScrubRequest) -> scrub.ScrubResult:
    """The secrets that would be removed, or with `apply` are, and what is left for a person to do.

    `all_devices` rewrites journals that other devices write too. Nothing of it can be undone. The index is rebuilt. One
    that breaks off is finished at the next start. Raises LockBusy, WriteConflict.
    """
    sync_source, now = workspace.sync_source(request.now), workspace.resolve_now(request.now)
    if not request.apply:
        scanner = workspace.secret_scanner(may_create_key=False)
        return scrub.scrub_workspace(scanner, sync_source.journal, now, all_devices=request.all_devices)
    workspace.finish_interrupted()
    scanner = workspace.secret_scanner(may_create_key=True)
    with scrub.log_scrub_intent(scanner, sync_source.device, now, all_devices=request.all_devices):
        result = scrub.scrub_workspace(scanner, sync_source.journal, now, apply=True, all_devices=request.all_devices)
        if result.replaced:
            workspace.replace_index()
    return result


def merge_copy_of_file(workspace: OpenWorkspace, request: parameters.MergeRequest) -> merge.CopyMerge:
    """What uniting a copy by a sync tool with its original changes in the original; with `apply` it is written, and the
    copy set aside. Raises NotFound, BadArgument for what is no copy, LockBusy."""
    if request.apply:
        workspace.finish_interrupted()
    merged = merge.merge_copy(workspace.write_context(request.now), request.path, apply=request.apply)
    if merged.applied:
        workspace.replace_index()
    return merged


def sync_files(workspace: OpenWorkspace, request: parameters.SyncRequest) -> SyncResult:
    """Update the index from the files. Raises SuspiciousLoss (unless `force`), LockBusy, WorkspaceUnusable.

    What is forced, or only tried, looks at every file, whatever the system tells of changes.
    """
    was_there = workspace.has_index()
    index = workspace.open_index()
    if index.memory_only_error and not request.dry_run:
        index = workspace.retry_index_file(index)
    if index.memory_only_error and not request.dry_run:
        raise index.memory_only_error
    look = None if request.force or request.dry_run else workspace.incremental_sweep.sweep
    sync_source = workspace.sync_source(look=look)
    if request.dry_run:
        changes = plan_sync(index, sync_source).changes
    else:
        changes = synchronise(index, sync_source, force=request.force)
    return build_sync_result(index, changes if was_there else None)


def build_sync_result(index: Index, changes: tuple[Change, ...] | None) -> SyncResult:
    """The contents of the index after some changes; None means that everything was read again."""
    if changes is None:
        changes = tuple(Change("added", path) for path in index.files())
    record_count = index.corpus_size()[0] - index.capture_count()
    return SyncResult(changes, len(index.files()), record_count, index.problems())
