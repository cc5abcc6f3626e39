"""The review queue: approve an item, reject it for good, or change its words."""

from __future__ import annotations

from typing import NoReturn

from msgspec import Struct, structs, to_builtins

from commonplace.capture.write_context import WriteContext, workspace_key
from commonplace.errors import BadArgument, NotFound
from commonplace.index import Index
from commonplace.redact import redact
from commonplace.storage import files
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace.annotations import join_lines
from commonplace.storage.workspace.edits import replace_lines, update_file
from commonplace.upkeep.consolidate import file_edits
from commonplace.upkeep.consolidate.claims import RecordDraft
from commonplace.upkeep.consolidate.existing_records import ExistingRecords, StatedValue
from commonplace.upkeep.consolidate.file_edits import ReviewItem, choose_destination
from commonplace.upkeep.consolidate.history import REJECTED_OP, LedgerHistory, LedgerStatement, words_key
from commonplace.upkeep.consolidate.planning import ConsolidationPlan, PlannedLine
from commonplace.upkeep.consolidate.runs import write_plan

MAX_ITEM_CHARS = 2_000
REVIEW_AUTHOR, APPROVED_OP = "review", "approved"
MAX_SUGGESTIONS = 3


class ReviewDecision(Struct, frozen=True):
    """What became of an item: where its line stands now (empty if it was rejected), and the changes to undo it."""

    item: ReviewItem
    path: str = ""
    changes: tuple[str, ...] = ()


class _ReviewIntent(Struct, frozen=True):
    """What is about to be done about an item: to write `kept`, or nothing, and remember these words as refused."""

    device: str
    now: str
    item: ReviewItem
    kept: tuple[PlannedLine, ...]
    words: tuple[str, ...]
    told: str  # how far the ledger went before


def read_queue(root: str) -> tuple[ReviewItem, ...]:
    """What waits for review, as it stands, in order."""
    return file_edits.parse_queue(files.read_file_if_exists(root, file_edits.QUEUE_PATH) or b"")


def approve_queued_item(context: WriteContext, item_id: str, index: Index) -> ReviewDecision:
    """Write an item's line to its home, as trusted as its owner, and take it off the queue. Raises NotFound.

    What it contradicts is replaced. The line gets an id of its own, for what is known of the item's is how far it was
    trusted before anybody looked at it. What was approved before is so still.
    """
    journal = Journal(context.root, context.device)
    history = LedgerHistory(journal)
    item = _find_queued_item(context.root, item_id)
    if (
        item is None
        and (record := index.find(_approved_line_id(item_id))) is not None
        and record.id in history.statement_by_record
    ):
        category = record.category or "note"
        return ReviewDecision(
            ReviewItem(item_id, record.text, category, "proposal", "approved before"), record.source.path
        )
    item = item or _raise_missing_item(context.root, item_id)
    existing = ExistingRecords(index, history)
    draft = _draft_from_item(context, item, history.statement_by_record.get(item.id))
    destination = choose_destination(draft.category, draft.entity, draft.time, existing.find_entity_page)
    against = tuple(
        existing.stated_value(record)
        for one in item.against
        if (record := index.find(one)) and not record.superseded_by
    )
    planned_line = PlannedLine(
        _with_superseded_ids(draft, against, existing),
        destination,
        against,
        states=_statement_for_line(draft, item, history),
    )
    return _apply_with_intent(
        context,
        _ReviewIntent(context.device, context.now, item, (planned_line,), (), journal.end_position("ledger")),
        history,
    )


def reject_queued_item(context: WriteContext, item_id: str) -> ReviewDecision:
    """Take an item off the queue. The ledger remembers its words, also those it had before somebody changed them, so
    that they are not proposed again. What was rejected before is so still. Raises NotFound."""
    journal = Journal(context.root, context.device)
    item = _find_queued_item(context.root, item_id)
    if item is None and _has_ledger_entry(journal, REJECTED_OP, item_id):
        return ReviewDecision(ReviewItem(item_id, "", "note", "proposal", "rejected before"))
    item = item or _raise_missing_item(context.root, item_id)
    history = LedgerHistory(journal)
    first = history.statement_by_record.get(item.id)
    words = dict.fromkeys((words_key(item.text), *((first.words,) if first else ())))
    return _apply_with_intent(
        context,
        _ReviewIntent(context.device, context.now, item, (), tuple(words), journal.end_position("ledger")),
        history,
    )


def finish_decision(root: str, intent_bytes: bytes) -> None:
    """Bring to its end a decision that the ledger knows of, and that somebody did not live to carry out."""
    promise = decode_with_checksum(intent_bytes, _ReviewIntent)
    if promise is None:
        return
    context = WriteContext(root, promise.device, promise.now)
    journal = Journal(root, promise.device)
    history = LedgerHistory(journal)
    begun = all(planned_line.draft.id in history.statement_by_record for planned_line in promise.kept)
    if begun if promise.kept else _has_ledger_entry(journal, REJECTED_OP, promise.item.id, promise.told):
        _apply_decision(context, promise, history)


def _apply_with_intent(context: WriteContext, intent: _ReviewIntent, history: LedgerHistory) -> ReviewDecision:
    path = intent.kept[0].home.path if intent.kept else ""
    with files.log_intent(context.root, encode_journal_line(to_builtins(intent)), durable=True):
        return ReviewDecision(intent.item, path, _apply_decision(context, intent, history))


def _apply_decision(context: WriteContext, intent: _ReviewIntent, history: LedgerHistory) -> tuple[str, ...]:
    """Ledger first, then the line, then the queue; every step may be repeated."""
    journal, item = Journal(context.root, context.device), intent.item
    done: tuple[str, ...] = ()
    said: dict[str, object]
    if intent.kept:
        done = write_plan(context, ConsolidationPlan(lines=intent.kept), history, REVIEW_AUTHOR).changes
        said = {"op": APPROVED_OP, "ts": context.now, "record": item.id, "as": intent.kept[0].draft.id}
    else:
        said = {"op": REJECTED_OP, "ts": context.now, "record": item.id, "words": list(intent.words)}
    if not _has_ledger_entry(journal, str(said["op"]), item.id, intent.told):
        journal.append(said, "ledger")
    return done + write_plan(context, ConsolidationPlan(settled=(item,)), history, REVIEW_AUTHOR).changes


def _has_ledger_entry(journal: Journal, op: str, item_id: str, since: str = "") -> bool:
    readings = journal.read_batches("ledger", since)
    lines = (entry.fields for reading in readings for entry in reading.entries)
    return any(line.get("op") == op and line.get("record") == item_id for line in lines)


def edit_queued_item(context: WriteContext, item_id: str, text: str) -> ReviewDecision:
    """Change the words of an item, which goes on waiting. Raises NotFound, BadArgument."""
    item = _find_queued_item(context.root, item_id) or _raise_missing_item(context.root, item_id)
    changed = structs.replace(item, text=_redact_item_text(context, text))
    if not changed.text or len(changed.text) > MAX_ITEM_CHARS:
        raise BadArgument(f"the text of an item has 1 to {MAX_ITEM_CHARS} characters")
    written = update_file(
        context.root, file_edits.QUEUE_PATH, lambda data: _replace_item_line(data, changed), now=context.now
    )
    return ReviewDecision(changed, file_edits.QUEUE_PATH, tuple(filter(None, (written.change_id,))))


def _find_queued_item(root: str, item_id: str) -> ReviewItem | None:
    return next((item for item in read_queue(root) if item.id == item_id), None)


def _raise_missing_item(root: str, item_id: str) -> NoReturn:
    import difflib

    raise NotFound(
        "pending item",
        item_id,
        tuple(difflib.get_close_matches(item_id, [one.id for one in read_queue(root)], MAX_SUGGESTIONS)),
    )


def _redact_item_text(context: WriteContext, text: str) -> str:
    return redact(join_lines(text), key=workspace_key(context.root), exact=context.exact).text


def _approved_line_id(item_id: str) -> str:
    """The id of the line that an item becomes."""
    return "p" + files.content_digest(item_id.encode())[:14]


def _draft_from_item(context: WriteContext, item: ReviewItem, first_statement: LedgerStatement | None) -> RecordDraft:
    """The item as a draft of its owner; it was said when it was said first, if that is known."""
    return RecordDraft(
        id=_approved_line_id(item.id),
        text=_redact_item_text(context, item.text),
        sort="remember",
        category=item.category,
        kind="world",
        trust="trusted",
        actor="owner",
        time=(first_statement.time if first_statement else "") or context.now,
        scope=item.scope,
        entity=item.entity,
        entities=(item.entity,) if item.entity else (),
        importance=item.importance,
        valid_from=item.valid_from,
        valid_to=item.valid_to,
        sources=item.sources,
    )


def _with_superseded_ids(
    draft: RecordDraft, contradicted: tuple[StatedValue, ...], existing: ExistingRecords
) -> RecordDraft:
    ids = [found for one in contradicted for found in (one.id, *existing.find_retellings(one, (), {}))]
    return structs.replace(draft, supersedes=tuple(dict.fromkeys(ids)))


def _statement_for_line(draft: RecordDraft, item: ReviewItem, history: LedgerHistory) -> LedgerStatement:
    """What the ledger knows of the item holds for its line, as long as nobody changed the words."""
    words, first = words_key(draft.text), history.statement_by_record.get(item.id)
    if first is None or first.words != words:
        return LedgerStatement(draft.id, words, time=draft.time)
    return structs.replace(first, record=draft.id)


def _replace_item_line(data: bytes, item: ReviewItem) -> bytes:
    there = next((one for one in file_edits.parse_queue(data) if one.id == item.id), None)
    return (
        replace_lines(data, there.record.source, file_edits.render_queue_line(item)) if there and there.record else data
    )
