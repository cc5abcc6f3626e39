"""Write to the memory: capture events, transcripts and other memories; retain and log sentences."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from commonplace import capture, sync, truth
from commonplace.capture import imports
from commonplace.capture.imports import memories
from commonplace.errors import BadArgument, LockBusy, NotFound, WorkspaceUnusable
from commonplace.index import Index
from commonplace.memory.backups import import_whole, is_whole_export, skip_known_items
from commonplace.memory.open_workspace import TRANSIENT_ERRORS, OpenWorkspace, find_records, shared_fields
from commonplace.memory.recall import recall_records
from commonplace.model import Actor, Record, Trust, least_trusted
from commonplace.operations import parameters
from commonplace.storage import config, files, journal
from commonplace.upkeep import consolidate, review

MAX_SCANNED_BYTES = 1 << 24  # of a journal; of what has grown by more the index is asked

ECHO_REASON = "states the old value"
HELD_NOTE = "held back: no automatic pack has it until the owner approves {}"
MARKDOWN_SYSTEMS = ("basic-memory", "obsidian", "memoryclaw")  # folders of Markdown, read where a workspace holds them


def capture_event(workspace: OpenWorkspace, request: parameters.CaptureRequest) -> capture.CaptureResult:
    """Capture one event: redacted, limited in size, and on disk when this returns. From then on it is found as
    evidence.

    `ts` is when it happened (ISO, now if empty). `origin` can lower the trust that comes with the actor, never raise
    it. An event with a key that was captured before is not captured again. Raises BadArgument.
    """
    fields = shared_fields(request, capture.Event) | {"detail": request.detail or {}, "from_": request.sources}
    return capture_all_events(workspace, (capture.Event(**fields),), now=request.now)[0]


def capture_all_events(
    workspace: OpenWorkspace, events: Sequence[capture.Event], *, now: str | None = None
) -> tuple[capture.CaptureResult, ...]:
    """Capture events with one write and one fsync."""
    localised = [_localise_event(workspace, event) for event in events]
    return capture.capture_events(workspace.write_context(now), localised, _capture_lookups(workspace))


def ingest_stream(workspace: OpenWorkspace, request: parameters.StreamIngestRequest) -> capture.IngestResult:
    """Capture the events of a stream of transcripts; known events are not captured again, and invalid lines are set
    aside.

    `owner` names the person whose words are the owner's own in a format that another program exported, or in a chat
    log; of a stream that is not `vouched` for nothing is trusted without it. `name` and `identity` identify the source
    of the stream. What is not an event is set aside in
    `.memory/set-aside`, with its location and the reason.
    """
    fields = shared_fields(request, capture.IngestOptions)
    source, localise_time = imports.StreamSource(request.name, request.identity), partial(_localise_event, workspace)
    options = capture.IngestOptions(source, **fields, localise_time=localise_time)
    return capture.ingest(workspace.write_context(request.now), request.stream, options, _capture_lookups(workspace))


def import_memory_from(workspace: OpenWorkspace, request: parameters.ImportRequest) -> capture.ImportResult:
    """Preview the import of another memory program, or with `apply` capture it: a folder, a database or an export.

    All of it is untrusted, unless `mine` declares it to be the owner's; `owner` does so for what belongs to the person
    of that name there. Known memories are not captured again. Without `apply`, no file of the workspace is written
    except the index. Raises BadArgument, NotFound, OutsideWorkspace.
    """
    if request.system != "auto" and request.system not in memories.SYSTEMS:
        raise BadArgument(f"there is no format {request.system!r}", hint=f"one of {', '.join(memories.SYSTEMS)}")
    system, location = memories.find_memory(
        request.path, next((one for one in memories.SYSTEMS if one == request.system), None)
    )
    path = os.path.realpath(location)
    if system == "commonplace" and is_whole_export(path):
        return import_whole(workspace, request)
    if os.path.isdir(path) and system in MARKDOWN_SYSTEMS and f"{path}/".startswith(f"{workspace.root}/"):
        message = f"{request.path!r} lies in this workspace"
        raise BadArgument(message, path=request.path, hint="its notes are read as they are; name another --workspace")
    options = capture.ImportOptions(
        system,
        imports.StreamSource(os.path.basename(path), (f"import:{system}:{path}",)),
        request.owner.strip(),
        request.mine,
        request.scope,
        partial(_localise_event, workspace),
    )
    journals = files.list_file_sizes(workspace.root, ".memory/journal")
    # A workspace without captures gets no index for a preview.
    needs_index = request.apply or any(name.startswith("captures-") for name in journals)
    lookups = _capture_lookups(workspace) if needs_index else capture.NO_LOOKUPS
    items = memories.read_memory(system, location)
    if system == "commonplace":
        items = skip_known_items(workspace, items)
    return capture.import_memory(workspace.write_context(request.now), items, options, lookups, apply=request.apply)


def _localise_event(workspace: OpenWorkspace, event: capture.Event) -> capture.Event:
    """The event with its time in the zone of the workspace, in which all times are stored."""
    return structs.replace(event, ts=config.to_local_time(event.ts, workspace.settings)) if event.ts else event


def _capture_lookups(workspace: OpenWorkspace) -> capture.CaptureLookups:
    def find_trusts(record_ids: Sequence[str]) -> tuple[Trust, ...]:
        return tuple(record.trust for record in find_records(_index_with_captures(workspace), record_ids))

    return capture.CaptureLookups(
        lambda journal_keys: _index_with_captures(workspace).find_captured_keys(journal_keys),
        partial(find_quoted_spans, workspace),
        find_trusts,
        partial(has_untrusted_captures, workspace),
        partial(find_untrusted_shingles, workspace),
    )


def find_quoted_spans(
    workspace: OpenWorkspace, texts_with_trust: Sequence[tuple[str, Trust]]
) -> Sequence[Sequence[capture.Span]]:
    """The spans of some texts that are in memory; none if the index cannot be read now, because a capture must not fail
    for that: a text that is not known to be quoted is less trusted, not more."""
    from commonplace.index import find_repeated_spans

    try:
        return find_repeated_spans(_index_with_captures(workspace), texts_with_trust)
    except (LockBusy, WorkspaceUnusable):
        return [()] * len(texts_with_trust)


def has_untrusted_captures(workspace: OpenWorkspace) -> bool:
    """Whether anything untrusted was captured; if so, the index has it. Each byte that the journals gain is looked at
    once, because most captures need no more than that; none is built for it. False if the index cannot be read now: the
    owner's words must not be lost for that."""
    scanned = workspace.scanned_bytes
    try:
        if not scanned and os.path.exists(workspace.index_path):
            position = journal.decode_position(workspace.open_index().get_meta("captures")) or {}
            scanned.update((name, mark.offset) for name, mark in position.items())
            workspace.has_untrusted = workspace.open_index().has_tainted_shingles()
        for name, size in journal.list_stream_sizes(workspace.root, "captures").items():
            start = scanned.get(name, 0)
            if size == start:
                continue
            start = max(0, start - len(b"quarantined")) if start < size else 0
            is_long = size - start > MAX_SCANNED_BYTES
            path = f"{journal.JOURNAL_FOLDER}/{name}"
            data = b"" if is_long else files.read_range(workspace.root, path, start, size - start)
            if is_long or b"untrusted" in data or b"quarantined" in data:
                workspace.has_untrusted = _index_with_captures(workspace).has_tainted_shingles()
            scanned[name] = size
    except TRANSIENT_ERRORS:
        return False
    return workspace.has_untrusted


def find_untrusted_shingles(workspace: OpenWorkspace, shingles: Collection[int]) -> Collection[int]:
    """Those shingles that untrusted captures have and the owner has not said."""
    try:
        index = workspace.open_index()
        found = index.find_tainted_shingles(shingles)
        return found.difference(index.find_shingles_in_records(found, ())) if found else found
    except TRANSIENT_ERRORS:
        return ()


def _index_with_captures(workspace: OpenWorkspace) -> Index:
    """The index, updated with all captures but not with the Markdown files, which were indexed for the preview."""
    index = workspace.open_index()
    sync.index_new_captures(index, workspace.sync_source())
    return index


def retain_sentence(workspace: OpenWorkspace, request: parameters.RetainRequest) -> capture.RetainResult:
    """Store a sentence: redact it, add it to the journal and to today's log, and index it.

    `text` is plain, or begins like a Retain bullet: `W @Peter: …`, `B …`, `O(c=0.9) …`, `S …`. `valid` is
    `2025-11-27..2025-12-01`, either end open. What an agent stores of what it read is trusted no more than its source.
    The answer has the rank at which a question about it finds it. Raises BadArgument.
    """
    kept = _keep_sentence(workspace, request, capture.RETAIN_HEADING, basis=_source_trusts(workspace, request))
    return _check_findability(workspace, kept)


def log_line(workspace: OpenWorkspace, request: parameters.LogRequest) -> capture.RetainResult:
    """Add a line to today's log, redacted and journaled."""
    return _keep_sentence(workspace, request, capture.LOG_HEADING)


def _keep_sentence(
    workspace: OpenWorkspace, request: parameters.LogRequest, heading: str, **fields: Any
) -> capture.RetainResult:
    context = workspace.write_context(request.now)
    held = holds_back(workspace, context, (request.text,), actor=request.actor, session=request.session)
    fields = shared_fields(request, capture.AttributedSentence) | fields
    sentence = capture.AttributedSentence(**fields, held=held)
    scopes = ("", request.scope) if getattr(request, "shared", True) else (request.scope,)
    find_met_lines = partial(_find_met_lines, workspace, context.now, sentence.trust, scopes=scopes)
    kept = capture.retain(context, sentence, find_met_lines, heading=heading)
    return finish_retained(workspace, context, kept, is_held=held)


def _find_met_lines(
    workspace: OpenWorkspace, now: str, trust: Trust, new_record: Record, *, scopes: tuple[str, ...]
) -> tuple[capture.MetLine, ...]:
    """The known lines of these scopes that a new line, said now, repeats, ends or contradicts; none if the index cannot
    be read now."""
    try:
        index = workspace.synced_index()
        vocabulary = workspace.vocabulary(index)
        new = truth.StatedLine(sync.read_record_statements(new_record, vocabulary), now, new_record.scope, trust)
        query = truth.make_near_query(new, new_record.text, *new_record.entities)
        nearest = truth.find_nearest(
            index, query, lambda one: not (one.is_evidence or one.superseded_by) and one.scope in scopes
        )
        lines = sync.read_stated_lines(index, nearest, vocabulary)
        ended = [one for one in nearest if one.valid_to and one.valid_to[:10] <= new_record.valid_from[:10]]
        echoes = truth.find_echoes(
            index, [*filter(None, map(index.find, new_record.supersedes)), *ended], new_record.text
        )
        pairs = [(record, truth.compare_lines(new, line)) for record, line in zip(nearest, lines, strict=True)]
    except TRANSIENT_ERRORS:
        return ()
    found = {
        record.id: capture.MetLine(record, met[0], met[1].reason, met[1].old_span, met[1].new_span)
        for record, met in pairs
        if met is not None
    }
    replaceable = (
        one for one in echoes if one.scope == new_record.scope and least_trusted(one.trust, trust) == one.trust
    )
    return (*(found | {one.id: capture.MetLine(one, "replaces", ECHO_REASON) for one in replaceable}).values(),)


def finish_retained(
    workspace: OpenWorkspace, context: capture.WriteContext, result: capture.RetainResult, *, is_held: bool = False
) -> capture.RetainResult:
    """Index a stored line, and ask a person about each line that it contradicts, and whether it may be packed if it
    `is_held` back."""
    if result.record is None:
        return result
    record = workspace.index_after_write(result.record.id, context.now) or result.record
    result = structs.replace(result, record=record, notes=(*result.notes, *workspace.notes))
    conflicts = [one.record for one in result.met if one.effect == "conflicts"]
    is_held = is_held and record.id == result.capture_id.removeprefix("obs:")
    if not (conflicts or is_held) or workspace.notes:
        return result
    pending = review.queue_choice(context, record, result.capture_id, conflicts, is_held=is_held)
    workspace.index_after_write()
    met = (structs.replace(one, pending=pending if one.effect == "conflicts" else "") for one in result.met)
    notes = (*result.notes, HELD_NOTE.format(pending)) if is_held else result.notes
    return structs.replace(result, met=tuple(met), notes=notes)


def _source_trusts(workspace: OpenWorkspace, request: parameters.RetainRequest) -> tuple[Trust, ...]:
    """The trust of those sources that are records. Raises NotFound for a superseded record that does not exist, and
    BadArgument for one of another scope."""
    if not request.sources and not request.supersedes:
        return ()
    index = workspace.synced_index()
    for record_id in request.supersedes:
        record = index.find(record_id)
        if record is None:
            raise NotFound("record", record_id)
        if record.scope != request.scope:
            message = f"the record {record_id!r} is of another scope than the new line"
            raise BadArgument(message, hint="a line supersedes only lines of its own scope")
    return tuple(record.trust for record in find_records(index, request.sources))


def holds_back(
    workspace: OpenWorkspace, context: capture.WriteContext, texts: Sequence[str], *, actor: Actor, session: str
) -> bool:
    """Whether what an agent writes down is held back from automatic packs: it was copied from untrusted text, or its
    session has read such text, and it is neither the owner's nor about a command. Every verb of an agent asks this."""
    if actor != "agent" or not texts:
        return False
    from commonplace.index import are_from_untrusted
    from commonplace.upkeep.agent_words import read_session_words

    index = workspace.synced_index()
    words = read_session_words(workspace.root, index, session, device=context.device, now=context.now)
    pairs = zip(texts, are_from_untrusted(index, texts), strict=True)
    return any(words.holds_back(text, context.now, is_copied=is_copied) for text, is_copied in pairs)


def _check_findability(workspace: OpenWorkspace, result: capture.RetainResult) -> capture.RetainResult:
    """Search for a stored line with a question that does not use its words; return a warning if that fails."""
    if result.record is None or workspace.notes:  # what the index does not have it cannot find
        return result
    question = next(
        iter(consolidate.make_questions(consolidate.claim_from_record(result.record, workspace.vocabulary()))), ""
    )
    if not question:
        return result
    try:
        request = parameters.RecallRequest(question, evidence="none", sync=False, all_scopes=True)
        hits = recall_records(workspace, request).hits
    except TRANSIENT_ERRORS:
        return result  # it stands, and that it could not be asked for now says nothing about it
    rank = consolidate.rank_in_hits(result.record.id, [hit.record.id for hit in hits])
    warning = consolidate.findability_warning(rank, question, result.record.source.citation)
    return structs.replace(result, asked=question, rank=rank, notes=(*result.notes, *filter(None, (warning,))))
