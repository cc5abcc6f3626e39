"""Make a pack of a workspace: the core and the hits within the budget, its receipt, and a ledger line that says so."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

from msgspec import Struct, structs

from commonplace import receipts, tokens
from commonplace.capture.keys import workspace_key
from commonplace.config import Settings
from commonplace.errors import NoReceipt, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import Filter, Index
from commonplace.journal import Journal
from commonplace.model import Considered, Hits, Pack, Query, Record
from commonplace.pack.around import Around
from commonplace.pack.build import build
from commonplace.pack.policy import PackOptions
from commonplace.pack.receipt import receipt
from commonplace.redact import Known, redact

CORE = "MEMORY.md"


class Task(Struct, frozen=True):
    """The task under way: its session, if that is known, and whether the working buffer is at work."""

    session: str = ""
    buffer: bool = False


class Order(Struct, frozen=True):
    """What is to be packed: the budget, and for whom (`automatic`: nobody looks at it first).

    The newest lines of `task`, the one under way, end an automatic pack; what was captured in the session `heard` stays
    out of it, for its reader has the words before him. `root` is the workspace; `recall_ms` is what
    finding the hits took; `known` gives secrets known word for word.
    """

    settings: Settings
    budget_tokens: int
    automatic: bool
    root: str = ""
    recall_ms: float = 0.0
    known: Callable[[], tuple[Known, ...]] = tuple
    task: Task = Task()
    heard: str = ""


def make(index: Index, journal: Journal, hits: Hits, order: Order) -> Pack:
    """The pack, after its receipt and its ledger line are on disk; being packed has no effect on later rankings.

    Raises NoReceipt where those cannot be written, LockBusy.
    """
    start = time.perf_counter()
    packed, considered = packed_of(index, hits, order)
    timings = {"recall": order.recall_ms, "pack": (time.perf_counter() - start) * 1e3}
    keep = order.settings.receipts_query_text
    try:
        told = _told(journal.root, hits, order.known()) if keep or hits.query.scope else hits
        kept = receipt(packed, told, considered, ts=hits.query.now, timings=timings, keep_query=keep)
        receipts.add(journal.root, kept)
        included = [item.record_id for item in packed.items]
        journal.append({"op": "included", "ts": hits.query.now, "records": included, "receipt": kept.id}, "ledger")
    except (NotFound, OutsideWorkspace, WorkspaceUnusable) as error:
        raise NoReceipt(error) from error
    return structs.replace(packed, receipt_id=kept.id)


def packed_of(index: Index, hits: Hits, order: Order) -> tuple[Pack, tuple[Considered, ...]]:
    """The same pack and what became of each record, with nothing written."""
    counter, note = tokens.tokenizer(vocabulary(order.settings, order.root))
    around = Around(index, hits.query, hits.hits)
    options = PackOptions(
        count=counter.count,
        automatic=order.automatic,
        untrusted=order.settings.pack_untrusted,
        max_items=hits.query.k,
        conflicts=index.conflicts(),
        tail_share=order.settings.pack_tail_percent / 100,
        before=around.before,
        against=around.against,
        heard=order.heard,
    )
    core = _core(index, hits.query) if order.settings.pack_core else ()
    tail = around.newest(order.task.session, buffer=order.task.buffer) if order.automatic else ()
    packed, considered = build(hits, core, budget_tokens=order.budget_tokens, options=options, tail=tail)
    return structs.replace(packed, notes=(note,) if note else ()), considered


def vocabulary(settings: Settings, root: str) -> str:
    """The path of the vocabulary, in full; one that is not absolute is meant from the workspace."""
    path = os.path.expanduser(settings.pack_tokenizer)
    return os.path.join(root, path) if path else ""


def _core(index: Index, query: Query) -> tuple[Record, ...]:
    """The lines of the HOT core that the query's scope may see, in order; nothing else that it asks narrows them."""
    scopes = None if query.all_scopes else tuple(dict.fromkeys(("", query.scope)))
    with index.snapshot():
        rows = index.fetch(index.lengths(index.rows_of(CORE), Filter(scopes=scopes, trusts=tuple(query.trust))))
    return tuple(sorted((row.record for row in rows.values()), key=lambda record: record.source.byte_start))


def _told(root: str, hits: Hits, exact: tuple[Known, ...]) -> Hits:
    """The hits with the question, scope and notes as a receipt may keep them: without their secrets."""
    key = workspace_key(root)
    masked = partial(redact, key=key, exact=exact)
    query = structs.replace(hits.query, text=masked(hits.query.text).text, scope=masked(hits.query.scope).text)
    return structs.replace(hits, query=query, notes=tuple(masked(note).text for note in hits.notes))
