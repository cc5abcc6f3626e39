"""The review queue: approve what waits, reject it for good, or change its words first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, structs

from commonplace import files
from commonplace.capture.keys import Place, text_key, workspace_key
from commonplace.consolidate import pending
from commonplace.consolidate.lines import record_of
from commonplace.consolidate.pending import Item
from commonplace.consolidate.routing import Home, header_of, home_of
from commonplace.errors import BadArgument, NotFound
from commonplace.journal import Journal
from commonplace.redact import redact
from commonplace.workspace.edits import append_under, remove_lines, replace_lines
from commonplace.workspace.render import one_line, render_annotation, render_retain
from commonplace.workspace.write import update

MOST_TEXT = 2_000


class Decided(Struct, frozen=True):
    """What became of an item: where its line stands now (empty if it was rejected), and the changes to undo it."""

    item: Item
    path: str = ""
    changes: tuple[str, ...] = ()


def items(root: str) -> tuple[Item, ...]:
    """What waits for review, as it stands, in order."""
    return pending.items_of(files.find(root, pending.PATH) or b"")


def approve(place: Place, item_id: str, exists: Callable[[str], bool]) -> Decided:
    """Write an item's line to its home, as trusted as its owner, and take it off the queue. Raises NotFound.

    Ledger first, then the line, then the queue: a stop in between leaves nothing twice, for a line is known by its id.
    """
    item = _found(place.root, item_id)
    day = place.now[:10]
    home = home_of(item.category, item.entity, day, exists)
    line = _line(item, home)
    record = record_of(home.path, home, line)
    journal = Journal(place.root, place.device)
    told: dict[str, Any] = {"ts": place.now, "record": item.id, "digest": text_key(record.text)}
    origin = told | {"op": "origin", "trust": "trusted", "actor": "owner", "by": "review"}
    journal.extend((origin, told | {"op": "approved"}), "ledger")

    def add(data: bytes) -> bytes:
        data = data or header_of(home.path, day)
        return data if f"id: {item.id}".encode() in data else append_under(data, home.heading, line)

    written = update(place.root, home.path, add, now=place.now)
    removed = _taken_off(place, item)
    return Decided(item, home.path, tuple(filter(None, (written.change_id, removed))))


def reject(place: Place, item_id: str) -> Decided:
    """Take an item off the queue; the ledger remembers its words, so that they are not proposed again."""
    item = _found(place.root, item_id)
    entry = {"op": "rejected", "ts": place.now, "record": item.id, "digest": text_key(item.text)}
    Journal(place.root, place.device).append(entry, "ledger")
    return Decided(item, "", tuple(filter(None, (_taken_off(place, item),))))


def edit(place: Place, item_id: str, text: str) -> Decided:
    """Change the words of an item, which goes on waiting. Raises NotFound, BadArgument."""
    item = _found(place.root, item_id)
    words = redact(one_line(text), key=workspace_key(place.root), exact=place.exact).text
    if not words or len(words) > MOST_TEXT:
        raise BadArgument(f"the text of an item has 1 to {MOST_TEXT} characters")
    changed = structs.replace(item, text=words)
    written = update(place.root, pending.PATH, lambda data: _replaced(data, changed), now=place.now)
    return Decided(changed, pending.PATH, tuple(filter(None, (written.change_id,))))


def _found(root: str, item_id: str) -> Item:
    queue = items(root)
    for item in queue:
        if item.id == item_id:
            return item
    import difflib

    raise NotFound("pending item", item_id, tuple(difflib.get_close_matches(item_id, [one.id for one in queue], 3)))


def _line(item: Item, home: Home) -> str:
    annotation = {
        "id": item.id,
        "from": item.sources,
        "project": item.scope,
        "supersedes": item.against,
        "category": item.category if home.is_log else "",
    }
    if home.is_log:
        entities = (item.entity,) if item.entity else ()
        return render_retain("world", item.text, entities=entities, annotation=annotation)
    return f"- {one_line(item.text)} {render_annotation(annotation)}"


def _taken_off(place: Place, item: Item) -> str:
    """Remove the line of an item as it stands now; the id of the change."""

    def take_off(data: bytes) -> bytes:
        there = next((one for one in pending.items_of(data) if one.id == item.id), None)
        return remove_lines(data, there.record.source) if there and there.record else data

    return update(place.root, pending.PATH, take_off, now=place.now).change_id


def _replaced(data: bytes, item: Item) -> bytes:
    there = next((one for one in pending.items_of(data) if one.id == item.id), None)
    return replace_lines(data, there.record.source, pending.line_of(item)) if there and there.record else data
