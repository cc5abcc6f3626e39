"""The review queue: approve what waits, reject it for good, or change its words first."""

from __future__ import annotations

from typing import NoReturn

from msgspec import Struct, structs, to_builtins

from commonplace import files
from commonplace.capture.keys import Place, workspace_key
from commonplace.consolidate import pending
from commonplace.consolidate.applying import carry_out
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.past import REJECTED, Past, Statement, words_key
from commonplace.consolidate.pending import Item
from commonplace.consolidate.planning import Plan
from commonplace.consolidate.rivals import Stated
from commonplace.consolidate.routing import home_of
from commonplace.consolidate.shelf import Shelf
from commonplace.consolidate.sorting import Kept
from commonplace.errors import BadArgument, NotFound
from commonplace.index import Index
from commonplace.journal import Journal, encode, unsealed
from commonplace.redact import redact
from commonplace.workspace.edits import replace_lines
from commonplace.workspace.render import one_line
from commonplace.workspace.write import update

MOST_TEXT = 2_000
BY, APPROVED = "review", "approved"
NEAR = 3


class Decided(Struct, frozen=True):
    """What became of an item: where its line stands now (empty if it was rejected), and the changes to undo it."""

    item: Item
    path: str = ""
    changes: tuple[str, ...] = ()


class _Promise(Struct, frozen=True):
    """What is about to be done about an item: to write `kept`, or nothing, and remember these words as refused."""

    device: str
    now: str
    item: Item
    kept: tuple[Kept, ...]
    words: tuple[str, ...]
    told: str  # how far the ledger went before


def items(root: str) -> tuple[Item, ...]:
    """What waits for review, as it stands, in order."""
    return pending.items_of(files.find(root, pending.PATH) or b"")


def approve(place: Place, item_id: str, index: Index) -> Decided:
    """Write an item's line to its home, as trusted as its owner, and take it off the queue. Raises NotFound.

    What it contradicts is replaced. The line gets an id of its own, for what is known of the item's is how far it was
    trusted before anybody looked at it. What was approved before is so still.
    """
    journal = Journal(place.root, place.device)
    past = Past(journal)
    item = _waiting(place.root, item_id)
    if item is None and (record := index.find(_id_of(item_id))) is not None and record.id in past.told:
        category = record.category or "note"
        return Decided(Item(item_id, record.text, category, "proposal", "approved before"), record.source.path)
    item = item or _missing(place.root, item_id)
    shelf = Shelf(index, past)
    draft = _draft(place, item, past.told.get(item.id))
    home = home_of(draft.category, draft.entity, draft.time, shelf.page_of)
    against = tuple(
        shelf.stated(record) for one in item.against if (record := index.find(one)) and not record.superseded_by
    )
    kept = Kept(_superseding(draft, against, shelf), home, against, states=_statement(draft, item, past))
    return _decide(place, _Promise(place.device, place.now, item, (kept,), (), journal.here("ledger")), past)


def reject(place: Place, item_id: str) -> Decided:
    """Take an item off the queue. The ledger remembers its words, also those it had before somebody changed them, so
    that they are not proposed again. What was rejected before is so still. Raises NotFound."""
    journal = Journal(place.root, place.device)
    item = _waiting(place.root, item_id)
    if item is None and _was_told(journal, REJECTED, item_id):
        return Decided(Item(item_id, "", "note", "proposal", "rejected before"))
    item = item or _missing(place.root, item_id)
    past = Past(journal)
    first = past.told.get(item.id)
    words = dict.fromkeys((words_key(item.text), *((first.words,) if first else ())))
    return _decide(place, _Promise(place.device, place.now, item, (), tuple(words), journal.here("ledger")), past)


def finish(root: str, word: bytes) -> None:
    """Bring to its end a decision that the ledger knows of, and that somebody did not live to carry out."""
    promise = unsealed(word, _Promise)
    if promise is None:
        return
    place = Place(root, promise.device, promise.now)
    journal = Journal(root, promise.device)
    past = Past(journal)
    begun = all(kept.draft.id in past.told for kept in promise.kept)
    if begun if promise.kept else _was_told(journal, REJECTED, promise.item.id, promise.told):
        _carry_out(place, promise, past)


def _decide(place: Place, promise: _Promise, past: Past) -> Decided:
    path = promise.kept[0].home.path if promise.kept else ""
    with files.doing(place.root, encode(to_builtins(promise)), durable=True):
        return Decided(promise.item, path, _carry_out(place, promise, past))


def _carry_out(place: Place, promise: _Promise, past: Past) -> tuple[str, ...]:
    """Ledger first, then the line, then the queue; every step may be repeated."""
    journal, item = Journal(place.root, place.device), promise.item
    done: tuple[str, ...] = ()
    said: dict[str, object]
    if promise.kept:
        done = carry_out(place, Plan(kept=promise.kept), past, BY).changes
        said = {"op": APPROVED, "ts": place.now, "record": item.id, "as": promise.kept[0].draft.id}
    else:
        said = {"op": REJECTED, "ts": place.now, "record": item.id, "words": list(promise.words)}
    if not _was_told(journal, str(said["op"]), item.id, promise.told):
        journal.append(said, "ledger")
    return done + carry_out(place, Plan(settled=(item,)), past, BY).changes


def _was_told(journal: Journal, op: str, item_id: str, since: str = "") -> bool:
    readings = journal.batches("ledger", since)
    lines = (entry.fields for reading in readings for entry in reading.entries)
    return any(line.get("op") == op and line.get("record") == item_id for line in lines)


def edit(place: Place, item_id: str, text: str) -> Decided:
    """Change the words of an item, which goes on waiting. Raises NotFound, BadArgument."""
    item = _waiting(place.root, item_id) or _missing(place.root, item_id)
    changed = structs.replace(item, text=_redacted(place, text))
    if not changed.text or len(changed.text) > MOST_TEXT:
        raise BadArgument(f"the text of an item has 1 to {MOST_TEXT} characters")
    written = update(place.root, pending.PATH, lambda data: _replaced(data, changed), now=place.now)
    return Decided(changed, pending.PATH, tuple(filter(None, (written.change_id,))))


def _waiting(root: str, item_id: str) -> Item | None:
    return next((item for item in items(root) if item.id == item_id), None)


def _missing(root: str, item_id: str) -> NoReturn:
    import difflib

    raise NotFound(
        "pending item", item_id, tuple(difflib.get_close_matches(item_id, [one.id for one in items(root)], NEAR))
    )


def _redacted(place: Place, text: str) -> str:
    return redact(one_line(text), key=workspace_key(place.root), exact=place.exact).text


def _id_of(item_id: str) -> str:
    """The id of the line that an item becomes."""
    return "p" + files.digest(item_id.encode())[:14]


def _draft(place: Place, item: Item, first: Statement | None) -> Draft:
    """The item as a draft of its owner; it was said when it was said first, if that is known."""
    return Draft(
        id=_id_of(item.id),
        text=_redacted(place, item.text),
        sort="remember",
        category=item.category,
        kind="world",
        trust="trusted",
        actor="owner",
        time=(first.time if first else "") or place.now,
        scope=item.scope,
        entity=item.entity,
        entities=(item.entity,) if item.entity else (),
        importance=item.importance,
        valid_from=item.valid_from,
        valid_to=item.valid_to,
        sources=item.sources,
    )


def _superseding(draft: Draft, against: tuple[Stated, ...], shelf: Shelf) -> Draft:
    ids = [found for one in against for found in (one.id, *shelf.telling(one, (), {}))]
    return structs.replace(draft, supersedes=tuple(dict.fromkeys(ids)))


def _statement(draft: Draft, item: Item, past: Past) -> Statement:
    """What the ledger knows of the item holds for its line, as long as nobody changed the words."""
    words, first = words_key(draft.text), past.told.get(item.id)
    if first is None or first.words != words:
        return Statement(draft.id, words, time=draft.time)
    return structs.replace(first, record=draft.id)


def _replaced(data: bytes, item: Item) -> bytes:
    there = next((one for one in pending.items_of(data) if one.id == item.id), None)
    return replace_lines(data, there.record.source, pending.line_of(item)) if there and there.record else data
