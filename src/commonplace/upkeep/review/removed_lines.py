"""Lines that a person took out of a file: what they came from would still be found, so the owner is asked about it."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.capture import text_key
from commonplace.index import Index
from commonplace.model import Record
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.upkeep.consolidate import QUEUE_PATH, ExistingRecords, LedgerHistory, ReviewItem
from commonplace.upkeep.forget import BY_HAND, make_forget_item
from commonplace.upkeep.review.changes import read_changes, sort_newest_first


def find_removed_by_hand(index: Index, journal: Journal) -> tuple[ReviewItem, ...]:
    """For each line that the system wrote, that no file has any more and that no write of ours took out, the question
    whether the captures that it rests on, and what retells it, are to be forgotten; none of those that were rejected.

    Only writes that can still be undone are looked at.
    """
    history = LedgerHistory(journal)
    existing = ExistingRecords(index, history)
    items = []
    for record in _find_missing_lines(index, journal.root):
        if not history.consolidated.issuperset(record.sources):
            continue  # the run that wrote it broke off, and is repeated
        captures = [one for one in record.sources if index.find(one) is not None]
        retellings = existing.find_retellings(existing.to_claim(record)) if captures else ()
        item = make_forget_item(record, dict.fromkeys((*captures, *retellings)), BY_HAND)
        items += [item] if captures and item.id not in history.rejected_items else []
    return tuple(items)


def _find_missing_lines(index: Index, root: str) -> Iterator[Record]:
    written: dict[str, Record] = {}
    for change in reversed(sort_newest_first(read_changes(root))):
        if change.path == QUEUE_PATH:
            continue
        texts = (text.encode("utf-8", "replace") for text in (change.before, change.after))
        before, after = ({one.id: one for one in parse_document(change.path, text).records} for text in texts)
        for record_id in before.keys() - after.keys():
            written.pop(record_id, None)
        written |= {one.id: one for one in after.values() if one.annotated and one.sources}
    for record in written.values():
        if index.find(record.id) is None and not index.rows_with_digests([text_key(record.text)]):
            yield record
