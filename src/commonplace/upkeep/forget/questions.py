"""Questions to the owner whether something is to be forgotten, as items of the review queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from commonplace.capture import WriteContext
from commonplace.index import Index
from commonplace.model import Record
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.upkeep import consolidate
from commonplace.upkeep.forget.selection import ForgetWish, select_records

MAX_QUESTION_CHARS = 500  # of the text that an item shows; what it is based on is listed with it
FORGET_AUTHOR = "forget"
BY_AGENT = "an agent wants to forget this, and no message of yours in its session names it"
BY_HAND = "this line was removed by hand; what it came from is still found"
CHOICE = "approve: it is hidden, which can be undone; reject: it stays"


def queue_agent_questions(context: WriteContext, index: Index, records: Iterable[Record]) -> tuple[str, ...]:
    """Ask whether records that an agent named are to be forgotten, with all that would go with them."""
    items = []
    for record in records:
        selected = (one.record for one in select_records(index, ForgetWish((record.id,))))
        hidden_ids = [one.id for one in selected if one.source.path != consolidate.QUEUE_PATH]
        items.append(make_forget_item(record, hidden_ids, BY_AGENT))
    return queue_forget_items(context, items)


def make_forget_item(record: Record, hidden_ids: Iterable[str], cause: str) -> consolidate.ReviewItem:
    """The question whether a record is to be forgotten: if it is approved, these records and captures are hidden."""
    return consolidate.ReviewItem(
        id=f"{consolidate.FORGET_PREFIX}{files.text_digest(record.id)[:14]}",
        text=consolidate.strip_line_decoration(record)[:MAX_QUESTION_CHARS],
        category=record.category,
        reason="forget",
        why=f"{cause}; {CHOICE}",
        entity=next(iter(record.entities), ""),
        sources=tuple(hidden_ids),
        trust=record.trust,
        scope=record.scope,
    )


def queue_forget_items(context: WriteContext, questions: Sequence[consolidate.ReviewItem]) -> tuple[str, ...]:
    """Put questions into the queue, but for those that were rejected before; returns the ids of those that wait."""
    history = consolidate.LedgerHistory(Journal(context.root, context.device))
    waiting = tuple(one for one in questions if one.id not in history.rejected_items)
    if waiting:
        consolidate.write_plan(context, consolidate.ConsolidationPlan(pending=waiting), history, FORGET_AUTHOR)
    return tuple(one.id for one in waiting)
