"""The review queue: approve an item, reject it for good, or change its words; ask about lines removed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct, structs, to_builtins

from commonplace.capture import WriteContext, mask_text, text_key
from commonplace.errors import BadArgument, NotFound, closest_names
from commonplace.index import Index
from commonplace.model import Record
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import QUEUE_PATH, change_lines, join_lines, parse_document, update_file
from commonplace.sync import REJECTED_OP
from commonplace.upkeep import consolidate
from commonplace.upkeep.agent_words import HELD_BACK
from commonplace.upkeep.forget import BY_HAND, cut_reasons, hide_ids, make_forget_item, match_hidden
from commonplace.upkeep.review.changes import ORIGIN_OP, append_pairs, read_changes, sort_newest_first

MAX_ITEM_CHARS = 2_000
REVIEW_AUTHOR, APPROVED_OP = "review", "approved"
MAX_SUGGESTIONS = 3


class ReviewDecision(Struct, frozen=True):
    """The decision on an item: the file of its line (empty if it was rejected), and the changes to undo it."""

    item: consolidate.ReviewItem
    path: str = ""
    changes: tuple[str, ...] = ()


class ExplainedItem(Struct, frozen=True):
    """An item of the queue, with the captures that it is based on and the records that it contradicts, as far as they
    can be found."""

    item: consolidate.ReviewItem
    evidence: tuple[Record, ...]
    contradicts: tuple[Record, ...]

    @property
    def citation(self) -> str:
        """The location of the item; empty where it is in no file."""
        return self.item.record.source.citation if self.item.record else ""


class ExplainedQueue(Struct, frozen=True):
    """Items of the queue in its order, of `total` that it has."""

    items: tuple[ExplainedItem, ...]
    total: int


class _ReviewIntent(Struct, frozen=True):
    """A decision that is about to be executed: write the claim, or nothing, and record these words as rejected."""

    device: str
    now: str
    item: consolidate.ReviewItem
    claim: consolidate.ClaimRecord | None
    words: tuple[str, ...]
    told: str  # the position of the ledger before
    line: Record | None = None  # which is taken back
    act: str = ""


def read_queue(root: str, index: Index | None = None) -> tuple[consolidate.ReviewItem, ...]:
    """The items of the queue in order; with an index without those that are hidden, and without what their reasons
    quote of what is hidden."""
    data = files.read_file_if_exists(root, QUEUE_PATH) or b""
    matcher = match_hidden(root, index) if index and data else None
    items = consolidate.parse_queue(cut_reasons(data, matcher) if matcher else data)
    return tuple(one for one in items if not matcher or not (one.id in matcher.ids or matcher.match(one.text)))


def queue_choice(
    context: WriteContext, record: Record, capture_id: str, contradicted: Sequence[Record], *, is_held: bool = False
) -> str:
    """Ask a person whether a line that was written replaces the known ones or all hold, or whether one that `is_held`
    back may be packed; returns the id of the item. Approving it writes the line again, trusted, in place of them;
    rejecting it takes the line of an agent or a tool back; if it is the owner's, it records that both hold."""
    known = [(one.id, one.time, one.text) for one in contradicted]
    rejected = "both hold" if record.trust == "trusted" else "it is taken back"
    why = consolidate.describe_choice("contradicts", context.now, known, rejected) if known else ""
    why = f"{HELD_BACK}; {why}" if is_held and why else why or HELD_BACK
    item = consolidate.make_choice_item(record, why, tuple(one.id for one in contradicted), context.now)
    item = structs.replace(item, reason="held" if is_held else "conflict", sources=(capture_id,))
    history = consolidate.LedgerHistory(Journal(context.root, context.device))
    consolidate.write_plan(context, consolidate.ConsolidationPlan(pending=(item,)), history, REVIEW_AUTHOR)
    return item.id


def approve_queued_item(context: WriteContext, item_id: str, index: Index, *, is_both: bool = False) -> ReviewDecision:
    """Write the line of an item with the trust of its owner, in place of the line of an agent or a tool about which it
    asks, and take it off the queue. It replaces what it is against, or nothing (`is_both`), and the ledger says so. The
    line gets an id of its own, because the ledger has the trust of the item before. An item that was approved before
    gives the same decision again. Raises NotFound."""
    history = consolidate.LedgerHistory(Journal(context.root, context.device))
    item = _find_queued_item(context.root, item_id)
    line_id = "p" + files.content_digest(item_id.encode())[:14]
    record = index.find(line_id) if item is None and line_id in history.statement_by_record else None
    if record is not None:
        before = consolidate.ReviewItem(item_id, record.text, record.category or "note", "proposal", "approved before")
        return ReviewDecision(before, record.source.path)
    item = item or _require_queued_item(context.root, item_id)
    if item.asks_to_forget:
        return _approve_forgetting(context, item, index)
    existing = consolidate.ExistingRecords(index, history)
    if is_both and item.written_line:  # which holds as it is
        return reject_queued_item(context, item_id)
    if is_both:
        append_pairs(Journal(context.root, context.device), ((line_id, other) for other in item.against), context.now)
        item = structs.replace(item, against=())
    replaces = tuple(
        structs.replace(existing.to_claim(record), statements=())  # the intent log has no use for them
        for one in item.against
        if (record := index.find(one)) and not record.superseded_by
    )
    supersedes = [one for claim in replaces for one in (claim.id, *existing.find_retellings(claim))]
    supersedes += [item.written_line] if item.written_line else []
    first = history.statement_by_record.get(item.id)
    time = (first.time if first else "") or context.now  # it was said when it was said first
    text = _redact_item_text(context, item.text)
    to = consolidate.choose_destination(item.category, item.entity, time, existing.find_entity_page)
    # The statement of the item holds for its line, unless somebody changed the words.
    statement = consolidate.LedgerStatement(line_id, consolidate.words_key(text), time)
    if first is not None and first.words == statement.words:
        statement = structs.replace(first, record=line_id)
    claim = consolidate.ClaimRecord(
        id=line_id,
        text=text,
        claim_type="remember",
        category=item.category,
        time=time,
        entity=item.entity,
        entities=(item.entity,) if item.entity else (),
        **(consolidate.annotated_fields(item) | {"trust": "trusted"}),
        supersedes=tuple(dict.fromkeys(supersedes)),
        destination=consolidate.CORE_DESTINATION if item.reason == "proposal" else to,
        replaces=replaces,
        statement=statement,
    )
    foreign_line = _find_foreign_line(index, Journal(context.root, context.device), item)
    return _apply_with_intent(context, item, history, claim=claim, foreign_line=foreign_line)


def _approve_forgetting(context: WriteContext, item: consolidate.ReviewItem, index: Index) -> ReviewDecision:
    """Hide what an item is based on, and take it off the queue; every step may be repeated."""
    journal = Journal(context.root, context.device)
    shown_ids = [one for one in item.sources if index.find(one) is not None]
    hidden_by = hide_ids(journal, shown_ids, context.now) if shown_ids else ""
    journal.append({"op": APPROVED_OP, "ts": context.now, "record": item.id, "as": hidden_by}, "ledger")
    plan = consolidate.ConsolidationPlan(settled=(item,))
    changes = consolidate.write_plan(context, plan, consolidate.LedgerHistory(journal), REVIEW_AUTHOR)
    return ReviewDecision(item, "", tuple(filter(None, (hidden_by, *changes))))


def reject_queued_item(context: WriteContext, item_id: str, index: Index | None = None) -> ReviewDecision:
    """Take an item off the queue, and record its words, also those before somebody changed them, so that they are not
    proposed again. With `index` the line about which it asks is taken back too, if an agent or a tool wrote it and
    nobody changed it. An item that was rejected before gives the same decision again. Raises NotFound."""
    journal = Journal(context.root, context.device)
    item = _find_queued_item(context.root, item_id)
    if item is None and _has_ledger_entry(journal, REJECTED_OP, item_id):
        return ReviewDecision(consolidate.ReviewItem(item_id, "", "note", "proposal", "rejected before"))
    item = item or _require_queued_item(context.root, item_id)
    history = consolidate.LedgerHistory(journal)
    first = history.statement_by_record.get(item.id)
    words = dict.fromkeys((consolidate.words_key(item.text), *((first.words,) if first else ())))
    line = _find_foreign_line(index, journal, item) if index else None
    is_silent = (item.written_line and line is None) or item.asks_to_forget
    return _apply_with_intent(context, item, history, words=() if is_silent else tuple(words), foreign_line=line)


def _find_foreign_line(index: Index, journal: Journal, item: consolidate.ReviewItem) -> Record | None:
    """The line about which an item asks, as an agent or a tool wrote it; None where it is the owner's, or changed."""
    line = index.find(item.written_line)
    if line is None or line.trust == "trusted":
        return None
    written = {"digest": text_key(line.text), "capture": item.sources[0] if item.sources else ""}
    return line if _has_ledger_entry(journal, ORIGIN_OP, line.id, **written) else None


def finish_decision(root: str, intent_bytes: bytes) -> None:
    """Finish a decision that was interrupted after the ledger had recorded it."""
    intent = decode_with_checksum(intent_bytes, _ReviewIntent)
    if intent is None:
        return
    context = WriteContext(root, intent.device, intent.now, act=intent.act)
    journal = Journal(root, intent.device)
    history = consolidate.LedgerHistory(journal)
    is_begun = (
        intent.claim.id in history.statement_by_record
        if intent.claim
        else _has_ledger_entry(journal, REJECTED_OP, intent.item.id, intent.told)
    )
    if is_begun:
        _apply_decision(context, intent, history)


def _apply_with_intent(
    context: WriteContext,
    item: consolidate.ReviewItem,
    history: consolidate.LedgerHistory,
    *,
    claim: consolidate.ClaimRecord | None = None,
    words: tuple[str, ...] = (),
    foreign_line: Record | None = None,
) -> ReviewDecision:
    position = Journal(context.root, context.device).end_position("ledger")
    intent = _ReviewIntent(context.device, context.now, item, claim, words, position, foreign_line, context.act)
    with files.log_intent(context.root, encode_journal_line(to_builtins(intent)), durable=True):
        changes = _apply_decision(context, intent, history)
        return ReviewDecision(item, claim.destination.path if claim else "", changes)


def _apply_decision(
    context: WriteContext, intent: _ReviewIntent, history: consolidate.LedgerHistory
) -> tuple[str, ...]:
    """Write the ledger, then the line, then the queue; every step may be repeated."""
    journal, item, claim = Journal(context.root, context.device), intent.item, intent.claim
    plan = consolidate.ConsolidationPlan(lines=(claim,) if claim else ())
    changes = consolidate.write_plan(context, plan, history, REVIEW_AUTHOR) if claim else ()
    decided: Json = {"as": claim.id} if claim else {"words": list(intent.words)}
    op = APPROVED_OP if claim else REJECTED_OP
    if not _has_ledger_entry(journal, op, item.id, intent.told):
        is_rejected = op == REJECTED_OP
        is_kept = is_rejected and item.written_line and not intent.line
        pairs = [(item.written_line, one) for one in item.against if is_kept]
        append_pairs(journal, pairs, context.now)
        journal.append({"op": op, "ts": context.now, "record": item.id, **decided}, "ledger")
    if intent.line:
        edits = consolidate.FileEdits(intent.line.source.path, removed_text_by_id={intent.line.id: intent.line.text})
        remove = partial(consolidate.apply_file_edits, edits=edits, is_unchanged=history.is_unchanged)
        removed = update_file(context.root, edits.path, remove, now=context.now, act=context.act)
        changes += tuple(filter(None, (removed.change_id,)))
    plan = consolidate.ConsolidationPlan(settled=(item,))
    return changes + consolidate.write_plan(context, plan, history, REVIEW_AUTHOR)


def _has_ledger_entry(journal: Journal, op: str, item_id: str, since: str = "", **fields: str) -> bool:
    wanted = {"op": op, "record": item_id, **fields}.items()
    readings = journal.read_batches("ledger", since)
    return any(wanted <= entry.fields.items() for reading in readings for entry in reading.entries)


def edit_queued_item(context: WriteContext, item_id: str, text: str) -> ReviewDecision:
    """Change the words of an item, which stays in the queue. Raises NotFound, BadArgument."""
    item = _require_queued_item(context.root, item_id)
    changed = structs.replace(item, text=_redact_item_text(context, text))
    if not changed.text or len(changed.text) > MAX_ITEM_CHARS:
        raise BadArgument(f"the text of an item has 1 to {MAX_ITEM_CHARS} characters")

    def replace_item_line(data: bytes) -> bytes:
        line = next((one.record for one in consolidate.parse_queue(data) if one.id == item_id), None)
        return change_lines(data, [(line.source, consolidate.render_queue_line(changed))]) if line else data

    moment = {"now": context.now, "act": context.act}
    written = update_file(context.root, QUEUE_PATH, replace_item_line, **moment)
    return ReviewDecision(changed, QUEUE_PATH, tuple(filter(None, (written.change_id,))))


def _find_queued_item(root: str, item_id: str) -> consolidate.ReviewItem | None:
    return next((item for item in read_queue(root) if item.id == item_id), None)


def _require_queued_item(root: str, item_id: str) -> consolidate.ReviewItem:
    """An item of the queue. Raises NotFound, which names similar ids."""
    item = _find_queued_item(root, item_id)
    if item is None:
        similar = closest_names(item_id, [one.id for one in read_queue(root)], MAX_SUGGESTIONS)
        raise NotFound("pending item", item_id, similar)
    return item


def _redact_item_text(context: WriteContext, text: str) -> str:
    return mask_text(context, join_lines(text)).text


def find_removed_by_hand(index: Index, journal: Journal) -> tuple[consolidate.ReviewItem, ...]:
    """For each line that the system wrote, that no file has any more and that no write of ours took out, the question
    whether the captures that it rests on, and what retells it, are to be forgotten; none of those that were rejected.

    Only writes that can still be undone are looked at.
    """
    history = consolidate.LedgerHistory(journal)
    existing = consolidate.ExistingRecords(index, history)
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
