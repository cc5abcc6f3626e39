"""Make a pack of a workspace: the core and the hits within the budget, its receipt, and a ledger line that says so."""

from __future__ import annotations

import time

from msgspec import Struct, structs

from commonplace import receipts, tokens
from commonplace.config import Settings
from commonplace.index import Filter, Index
from commonplace.journal import Journal
from commonplace.model import Hits, Pack, Record
from commonplace.pack.build import build
from commonplace.pack.policy import PackOptions
from commonplace.pack.receipt import receipt

CORE = "MEMORY.md"


class Order(Struct, frozen=True):
    """What is to be packed: the budget, for whom (`automatic`: nobody looks at it first), what may be seen of the core.

    `recall_ms` is what finding the hits took.
    """

    settings: Settings
    budget_tokens: int
    automatic: bool
    visible: Filter
    recall_ms: float = 0.0


def make(index: Index, journal: Journal, hits: Hits, order: Order) -> Pack:
    """The pack, after its receipt and its ledger line are on disk; being packed has no effect on later rankings."""
    start = time.perf_counter()
    options = PackOptions(
        count=tokens.count,
        automatic=order.automatic,
        untrusted=order.settings.pack_untrusted,
        max_items=hits.query.k,
        conflicts=index.conflicts(),
    )
    core = _core(index, order.visible) if order.settings.pack_core else ()
    packed, considered = build(hits, core, budget_tokens=order.budget_tokens, options=options)
    timings = {"recall": order.recall_ms, "pack": (time.perf_counter() - start) * 1e3}
    keep = order.settings.receipts_query_text
    kept = receipt(packed, hits, considered, ts=hits.query.now, timings=timings, keep_query=keep)
    receipts.add(journal.root, kept)
    included = [item.record_id for item in packed.items]
    journal.append({"op": "included", "ts": hits.query.now, "records": included, "receipt": kept.id}, "ledger")
    return structs.replace(packed, receipt_id=kept.id)


def _core(index: Index, visible: Filter) -> tuple[Record, ...]:
    """The lines of the HOT core that the query may see, in order."""
    rows = index.fetch(index.lengths(index.rows_of(CORE), visible))
    return tuple(sorted((row.record for row in rows.values()), key=lambda record: record.source.byte_start))
