"""Recall, packs and the vectors that it searches; show, cite, entities and timeline."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs, to_builtins

from commonplace import capture, truth
from commonplace.errors import BadArgument, NotFound, closest_names
from commonplace.index import Index
from commonplace.language import text
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count, require_skip, shared_fields
from commonplace.model import (
    EntityView,
    Hits,
    Interval,
    Pack,
    Query,
    Receipt,
    Record,
    RelatedNames,
    SearchFilters,
    View,
)
from commonplace.operations import parameters
from commonplace.retrieval import pack
from commonplace.retrieval import recall as retrieval
from commonplace.shapes import Json
from commonplace.storage import config, receipts
from commonplace.storage.settings import step_models
from commonplace.upkeep import forget, review, sessions

if TYPE_CHECKING:
    from commonplace.retrieval.vectors import EmbeddingSummary, VectorSearch
QUERY_LANGUAGES = ("en",)
PACK_HIT_COUNT = 60  # hits that a pack chooses from: more than 2,000 tokens hold
# Which receipts have of their own, or need not.
RECEIPT_FIELDS = ("text", "now", "scope", "budget_tokens", "sync", "receipt")
VECTORS_FILE = "vectors.sqlite"  # beside the index
TEXTS_PER_STEP = 8  # that are embedded at once while others may want to ask something
MODE_HINT = 'set `vectors.mode = "hybrid"` in commonplace.toml'
NOT_LOADED_NOTE = "by words alone: one command does not load the encoder; `commonplace serve` keeps it loaded"
EMBED_TIMEOUT_S = 120.0  # that the endpoint may take for some texts while nobody waits


def recall_for_reader(workspace: OpenWorkspace, request: parameters.RecallRequest) -> Hits:
    """The hits for a question, best first, with reasons. Reads only; checks the files for changes first.

    Times are dates, minutes or words (`last week`). `as_of` searches what held then, `known_at` what was recorded by
    then; `history` includes superseded records; `evidence` is `none`, `auto` or `only`; `trust` are the accepted levels
    of trust (captures must be trusted, unless untrusted ones are accepted); `sync=False` searches the index as it is.
    If the settings name a language model for `rerank`, it puts the first 60 hits in order. If the filters let no more
    than 20 records through, all come, up to k: those that nothing in the question found as `not_confident`. Raises
    BadArgument.
    """
    return _complete_hits(workspace, trace_for_reader(workspace, request).hits)


def recall_records(workspace: OpenWorkspace, request: parameters.RecallRequest) -> Hits:
    """The same hits in the order of their scores, for what is no question of a reader. Raises BadArgument."""
    return _complete_hits(workspace, trace_request(workspace, request).hits)


def _complete_hits(workspace: OpenWorkspace, hits: Hits) -> Hits:
    """The hits with the confidence of opinions by now, and the notes of the workspace."""
    listed, count = (*hits.hits, *hits.not_confident), len(hits.hits)
    if any(hit.record.kind == "opinion" for hit in listed):
        records = truth.derive_beliefs(workspace.open_index(), [hit.record for hit in listed])
        shown = tuple(structs.replace(hit, record=record) for hit, record in zip(listed, records, strict=True))
        hits = structs.replace(hits, hits=shown[:count], not_confident=shown[count:])
    return structs.replace(hits, notes=(*workspace.notes, *hits.notes))


def trace_request(workspace: OpenWorkspace, request: parameters.RecallRequest) -> retrieval.RecallTrace:
    """The trace of a recall: what each of its stages did. Raises BadArgument."""
    require_result_count(resolve_query(workspace, request).k, "k")
    index = workspace.synced_index() if request.sync else workspace.open_index()
    with index.snapshot():
        return _trace_in(index, workspace, request)


def _trace_in(index: Index, workspace: OpenWorkspace, request: parameters.RecallRequest) -> retrieval.RecallTrace:
    query = resolve_query(workspace, request)
    return retrieval.trace_recall(index, query, QUERY_LANGUAGES, vectors=recall_vectors(workspace))


def trace_for_reader(workspace: OpenWorkspace, request: parameters.RecallRequest) -> retrieval.RecallTrace:
    """The same trace with the hits in the order of a language model, if one is named for that, and behind them what a
    small notebook has besides. Raises BadArgument."""
    require_result_count(resolve_query(workspace, request).k, "k")
    index = workspace.synced_index() if request.sync else workspace.open_index()
    with index.snapshot():
        trace = _trace_in(index, workspace, request).list_unmatched()
        if not step_models(workspace.settings, "rerank"):
            return trace
        from commonplace.memory.models import RERANKED_HITS, rerank_hits

        longer = trace if trace.query.k >= RERANKED_HITS else trace.retrace(k=RERANKED_HITS)
    return rerank_hits(workspace, trace, structs.replace(longer, unmatched=trace.unmatched))


def resolve_query(workspace: OpenWorkspace, request: parameters.ClockRequest | parameters.FactsRequest) -> Query:
    """The query of a request, with the clock and the settings as defaults. Raises BadArgument."""
    given = {name: value for name, value in shared_fields(request, Query).items() if value is not None}
    settings = workspace.settings
    defaults = {"text": "", "k": settings.recall_k, "scope": settings.scope, "without": settings.recall_without}
    return Query(**{**defaults, **given, "now": workspace.resolve_now(request.now)})


def take_search_apart(workspace: OpenWorkspace, request: parameters.SearchRequest) -> SearchFilters:
    """What a person typed (`tag:trip after:2025-11 "low tide"`) as arguments of `recall`, with the words that are left;
    a value that means nothing here stays a word."""
    if not retrieval.has_search_syntax(request.text):
        return SearchFilters(request.text)
    with (index := workspace.synced_index()).snapshot():
        return retrieval.read_search(index, request.text, workspace.resolve_now(request.now))


def explain_recalled(workspace: OpenWorkspace, request: parameters.RecallRequest) -> retrieval.RecallExplanation:
    """The hits of `recall`, with the calculation of each score. Raises BadArgument."""
    explanation = retrieval.explain_recall(trace_for_reader(workspace, request))
    notes = (*workspace.notes, *explanation.hits.notes)
    return structs.replace(explanation, hits=structs.replace(explanation.hits, notes=notes))


def pack_records(workspace: OpenWorkspace, request: parameters.PackRequest) -> Pack:
    """A pack: cited lines that answer a question, within a token budget, with a receipt that `why` explains.

    `automatic` builds the pack that a host would get: only trusted lines, with the newest lines of the working buffer
    and of `session` at the end. `core` says whether MEMORY.md is packed (the setting if None). Captures of the session
    `heard` and what is `shown` elsewhere, by id or path, are left out, because the model still has them in its context;
    with `standing`, an automatic pack has instructions and preferences that always hold. The budget covers the whole
    text, its frame included. Raises BadArgument.
    """
    return _recall_and_pack(workspace, request)[0]


def pack_for_openclaw_mem(workspace: OpenWorkspace, request: parameters.PackRequest) -> Json:
    """The same pack in the shape `openclaw-mem.context-pack.v1`, for programs that read that."""
    packed, hits = _recall_and_pack(workspace, request)
    query = hits.query
    return pack.to_context_pack_v1(packed, hits, ts=query.now, scope=query.scope, max_items=query.k)


def pack_core(workspace: OpenWorkspace, request: parameters.CoreRequest) -> Pack:
    """The core and the standing instructions as a pack of this budget would begin with them; makes no receipt and
    writes nothing.

    The same lines and budget give the same bytes, so that prompt caches can reuse them. What was said in
    the session `heard` or is `shown` elsewhere, by id or path, is left out. Raises BadArgument.
    """
    scope = workspace.settings.scope if request.scope is None else request.scope
    query = Query(text="", now=workspace.resolve_now(request.now), scope=scope)
    workspace.synced_index()
    core_only = parameters.PackRequest(
        "", budget_tokens=request.budget_tokens, automatic=True, core=True, heard=request.heard, shown=request.shown
    )
    pack_spec = structs.replace(build_pack_spec(workspace, core_only, query.now), task=pack.ActiveTask())
    packed, _considered = pack.preview_pack(workspace.open_index(), Hits(query, ()), pack_spec)
    return structs.replace(packed, notes=(*workspace.notes, *packed.notes))


def _recall_and_pack(workspace: OpenWorkspace, request: parameters.PackRequest) -> tuple[Pack, Hits]:
    pack_spec = build_pack_spec(workspace, request, workspace.resolve_now(request.now))
    start = time.perf_counter()
    hits = recall_for_pack(workspace, request)
    pack_spec = structs.replace(pack_spec, recall_ms=(time.perf_counter() - start) * 1e3)
    packed = pack.make_pack(workspace.open_index(), workspace.sync_source().journal, hits, pack_spec)
    return structs.replace(packed, notes=(*hits.notes, *packed.notes)), hits


def build_pack_spec(workspace: OpenWorkspace, request: parameters.PackRequest, now: str) -> pack.PackSpec:
    """The specification of a pack; the newest lines of the current task end an automatic one. Raises BadArgument."""
    settings, root, task = workspace.settings, workspace.root, pack.ActiveTask()
    budget_tokens = settings.pack_budget_tokens if request.budget_tokens is None else request.budget_tokens
    require_budget(budget_tokens)
    settings = settings if request.core is None else structs.replace(settings, pack_core=request.core)
    if settings.receipts_query_text and capture.off_record_since(root):
        settings = structs.replace(settings, receipts_query_text=False)
    if request.automatic:
        task = pack.ActiveTask(request.session, sessions.is_buffer_active(root, now))
    secrets = partial(config.read_secret_values, root)
    return pack.PackSpec(
        *(settings, budget_tokens, request.automatic, root),
        known_secrets=secrets,
        task=task,
        current_session=request.heard,
        standing=request.standing,
        shown=request.shown,
        reader=request.reader or request.session or request.heard,
        options={name: value for name, value in to_builtins(request).items() if name not in RECEIPT_FIELDS},
        defer_write=workspace.defer_write if request.automatic else None,
    )


def require_budget(budget_tokens: int) -> None:
    """Raise BadArgument for a negative budget."""
    if budget_tokens < 0:
        raise BadArgument(f"the budget must not be negative: {budget_tokens}")


def recall_for_pack(workspace: OpenWorkspace, request: parameters.PackRequest) -> Hits:
    """The hits from which a pack is selected: as many as it can use, if no number is given."""
    if request.k is None:
        request = structs.replace(request, k=PACK_HIT_COUNT)
    question = resolve_query(workspace, request).question
    if request.automatic and request.evidence == "auto" and not retrieval.asks_what_was_asked(question):
        request = structs.replace(request, evidence="stated")
    hits = recall_records(workspace, request)
    if not request.automatic or workspace.settings.pack_untrusted:
        return hits
    # The hits with as many that may be packed as if there were no others; those stay, for the receipt.
    refused = tuple(hit for hit in hits.hits if pack.is_never_automatic(hit.record))
    trust = tuple(one for one in hits.query.trust if one in pack.AUTOMATIC_TRUSTS)
    if not refused or not trust:
        return hits
    others = recall_records(workspace, structs.replace(request, trust=trust, sync=False))
    return structs.replace(others, query=hits.query, hits=(*refused, *others.hits), notes=hits.notes)


def get_receipt(workspace: OpenWorkspace, request: parameters.ReceiptRequest) -> Receipt:
    """The receipt of a pack by its id, or the last one. Raises NotFound."""
    return receipts.get_receipt(workspace.root, request.receipt_id)


def explain_pack(workspace: OpenWorkspace, request: parameters.ExplainPackRequest) -> str:
    """Explain a pack to a person; with a record, the calculation of its score. Raises NotFound."""
    receipt = get_receipt(workspace, request)
    lines = find_receipt_lines(workspace, parameters.ReceiptRequest(receipt.id))
    return pack.explain_receipt(receipt, lines, request.record_id)


def find_receipt_lines(workspace: OpenWorkspace, request: parameters.ReceiptRequest) -> tuple[pack.EntryLine, ...]:
    """The line of each entry of a receipt, in order, as it is today; where its words changed, also those that were
    packed, if an applied write has them and they are not hidden. Raises NotFound."""
    index, root, receipt = workspace.synced_index(), workspace.root, get_receipt(workspace, request)
    with index.snapshot():
        lines = pack.find_entry_lines(index, receipt.considered, partial(review.read_changes, root))
        matcher = forget.match_hidden(root, index) if any(one.before for one in lines) else None
    return tuple(structs.replace(one, before="") if matcher and matcher.match(one.before) else one for one in lines)


def recall_vectors(workspace: OpenWorkspace) -> retrieval.VectorSource | None:
    """The vectors that recall searches; None if the settings turn them off, and then nothing is loaded."""
    settings, mode = workspace.settings, workspace.vectors_mode
    if mode == "none":
        return None
    if workspace.answers_once and settings.vectors_mode == "auto":
        return retrieval.VectorSource(mode, 0, lambda _index, _texts: (None, (NOT_LOADED_NOTE,)))
    return retrieval.VectorSource(mode, settings.vectors_min_primary_results, _vector_search(workspace).ask)


def _vector_search(workspace: OpenWorkspace) -> VectorSearch:
    from commonplace.retrieval.vectors import VectorSearch

    if workspace.vector_search is None:
        timeout_s = workspace.settings.vectors_timeout_ms / 1e3
        workspace.vector_search = VectorSearch(_vectors_path(workspace), lambda: workspace.open_embedder(timeout_s))
    return workspace.vector_search


def embed_some_texts(workspace: OpenWorkspace) -> int:
    """Embed a few of the texts that have no vector, if the model is local; how many are left. Raises
    EmbedderUnavailable."""
    if workspace.vectors_mode == "none":
        return 0
    return _vector_search(workspace).embed_some(workspace.synced_index(), TEXTS_PER_STEP)


def embed_texts(workspace: OpenWorkspace, tell: Callable[[int, int], None] | None = None) -> EmbeddingSummary:
    """Compute a vector for every text that has none, and drop those of texts that no longer exist; `tell` is called
    with (done, all).

    If it is interrupted, the vectors computed so far are kept. Raises BadArgument if the settings turn vectors off,
    EmbedderUnavailable.
    """
    from commonplace.index import VectorStore
    from commonplace.retrieval.vectors import embed_missing_texts

    if workspace.vectors_mode == "none":
        wanted = "install the extra `semantic`" if workspace.settings.vectors_mode == "auto" else MODE_HINT
        raise BadArgument("the settings want no vectors", hint=wanted)
    embedder = workspace.open_embedder(EMBED_TIMEOUT_S)
    index = workspace.synced_index()
    with closing(VectorStore(_vectors_path(workspace))) as store:
        return embed_missing_texts(index, store, embedder, tell)


def drop_unused_vectors(workspace: OpenWorkspace) -> None:
    """Drop the vectors of texts that are no longer in the index, without a trace in the file."""
    if os.path.exists(path := _vectors_path(workspace)):
        from commonplace.index import VectorStore
        from commonplace.retrieval.vectors import drop_unused

        with closing(VectorStore(path)) as store:
            drop_unused(workspace.open_index(), store)
            store.compact()


def _vectors_path(workspace: OpenWorkspace) -> str:
    folder, name = os.path.split(workspace.index_path)
    return f"{folder}/{VECTORS_FILE}" if name == "index.sqlite" else f"{workspace.index_path}.{VECTORS_FILE}"


def show_lines(workspace: OpenWorkspace, request: parameters.ShowRequest) -> View:
    """A record by id, or lines of a file by `PATH`, `PATH#L12` or `PATH#L12-L15`, as they are on disk.

    A citation with an anchor, as `cite` makes it, gives a `ResolvedCitation`: the lines that it means today, which may
    stand elsewhere or have changed; its `status` says so. Raises NotFound, BadArgument, OutsideWorkspace.
    """
    earlier_lines = partial(_earlier_lines, workspace.root)
    view = retrieval.show_reference(
        workspace.synced_index(), workspace.sync_source().read, request.reference, earlier_lines=earlier_lines
    )
    return structs.replace(view, records=truth.derive_beliefs(workspace.open_index(), view.records))


def cite_lines(workspace: OpenWorkspace, request: parameters.ShowRequest) -> str:
    """A citation that survives edits: the place of the lines, and an anchor made from their words. Raises as `show`."""
    view = show_lines(workspace, request)
    is_capture = view.path.startswith(retrieval.JOURNAL_FOLDER)
    return retrieval.format_citation(view) if is_capture else retrieval.format_anchored_citation(view)


def _earlier_lines(root: str, path: str) -> Iterator[str]:
    """Earlier lines of a file that we wrote or replaced, as far as the changes are still stored."""
    for change in review.read_changes(root):
        if change.path == path:
            yield from (*change.before.split("\n"), *change.after.split("\n"))


def show_entity(workspace: OpenWorkspace, request: parameters.EntityRequest) -> EntityView:
    """The page of an entity and the records that mention it. Raises BadArgument, NotFound with similar names."""
    index, now = workspace.synced_index(), workspace.resolve_now(request.now)
    until = retrieval.build_record_filter(Query(text="", now=now, until=request.until)).until
    with index.snapshot():
        names = workspace.vocabulary(index).names
        limit = require_result_count(request.at_most)
        view = retrieval.find_entity_records(index, request.name, limit, names, until=until)
    if view is None:
        raise _no_entity(index, request.name)
    page, mentions = (truth.derive_beliefs(index, some) for some in (view.page, view.mentions))
    return structs.replace(view, page=page, mentions=mentions)


def list_related_names(workspace: OpenWorkspace, request: parameters.RelatedRequest) -> RelatedNames:
    """The names that share lines with a name, those that share the most first. Raises NotFound with similar names."""
    at_most = require_result_count(request.at_most)
    with (index := workspace.synced_index()).snapshot():
        related = retrieval.find_related_names(index, request.name, at_most, workspace.vocabulary(index).names)
        if related is None:
            raise _no_entity(index, request.name)
    return related


def list_entities(workspace: OpenWorkspace, request: parameters.EntitiesRequest) -> tuple[tuple[str, int], ...]:
    """Every entity with the number of records that name it, those with the most linked lines first."""
    begins, limit = text.name_key(request.begins), require_result_count(request.at_most)
    with (index := workspace.synced_index()).snapshot():
        groups = retrieval.group_names(index, workspace.vocabulary(index).names).values()
        begun = [names for names in groups if any(key.startswith(begins) for key in names)]
        shown = begun[request.skip : request.skip + limit]
        counts = retrieval.count_naming_lines(index, shown)
    return tuple((next(iter(names.values())), count) for names, count in zip(shown, counts, strict=True))


def _no_entity(index: Index, name: str) -> NotFound:
    return NotFound("entity", name, closest_names(name, [known for _key, known, _count in index.entities()], 3))


def list_records_in_time(workspace: OpenWorkspace, request: parameters.TimelineRequest) -> tuple[Record, ...]:
    """Dated records in order of time, the newest `at_most` of the period; or, newest first, what was written down in
    it, `by` when that was or how important it is, without lines of episodes, which repeat captures. Raises BadArgument.

    `around` is a time, or the id of a record or capture, around which records are listed.
    """
    query = structs.replace(resolve_query(workspace, request), around="")
    skip, at_most = require_skip(request.skip), require_result_count(request.at_most)
    with (index := workspace.synced_index()).snapshot():
        if request.by != "time":
            record_filter, part = retrieval.build_record_filter(query), range(skip, skip + at_most)
            # What has only a day is of its first minute.
            period = Interval(*(end.removesuffix("T00:00") for end in (record_filter.since, record_filter.until)))
            rows = index.recorded_rows(period, record_filter, part=part, by_importance=request.by == "importance")
            return tuple(one.record for one in index.fetch(rows).values())
        if request.around and retrieval.find_cited(index, request.around):
            return retrieval.find_surroundings(index, query, request.around, at_most)
        query = structs.replace(query, around=request.around)
        return retrieval.list_timeline(index, query, at_most, skip=skip)
