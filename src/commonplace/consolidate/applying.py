"""Carry out a plan: ledger before Markdown, file by file, and last the note that the captures are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, structs

from commonplace.capture.keys import Place, text_key
from commonplace.consolidate import pending
from commonplace.consolidate.episodes import Episode
from commonplace.consolidate.lines import STRUCK, Line, line_of, struck
from commonplace.consolidate.past import CONSOLIDATED, REPEATED, STATED, Past
from commonplace.consolidate.planning import Plan
from commonplace.consolidate.rivals import Stated
from commonplace.consolidate.routing import HISTORY, header_of
from commonplace.consolidate.sheets import Added, Sheet, revised
from commonplace.consolidate.sorting import Kept, statement_of
from commonplace.journal import Journal
from commonplace.model import Actor, Record, Trust
from commonplace.workspace import parse
from commonplace.workspace.write import update

BY = "consolidate"
Json = dict[str, Any]


class Applied(Struct, frozen=True):
    """What was written: the files, and the changes by which it can be undone."""

    paths: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def apply(place: Place, plan: Plan, past: Past) -> Applied:
    """Write what was planned. Every step may be repeated: what a stopped run wrote is found by its id and left.

    That the captures are consolidated is said last.
    """
    done = carry_out(place, plan, past, BY)
    Journal(place.root, place.device).append({"ts": place.now, **_receipt(plan)}, "ledger")
    return done


def carry_out(place: Place, plan: Plan, past: Past, by: str) -> Applied:
    """Write the lines of a plan, which `by` made: origins to the ledger before the lines they are about."""
    lines = {kept.draft.id: _line(kept) for kept in plan.kept}
    told = [{"ts": place.now, **line, "by": by} for line in _told(plan, lines, past)]
    Journal(place.root, place.device).extend(told, "ledger")
    written = [_write(place, sheet, past) for sheet in _sheets(place.now[:10], plan, lines)]
    written += [_write_episode(place, episode) for episode in plan.episodes]
    done = [(path, change) for path, change in written if change]
    return Applied(tuple(path for path, _change in done), tuple(change for _path, change in done))


def _write(place: Place, sheet: Sheet, past: Past) -> tuple[str, str]:
    """Do what is to be done to one file, in one change: its path and the id of the change, empty if nothing was."""
    written = update(place.root, sheet.path, lambda data: revised(data, sheet, past.is_ours), now=place.now)
    return sheet.path, written.change_id


def _write_episode(place: Place, episode: Episode) -> tuple[str, str]:
    """Write an episode once; a file of that name is the same interaction, and perhaps a person's by now."""
    return episode.path, update(place.root, episode.path, lambda data: data or episode.data, now=place.now).change_id


def _line(kept: Kept) -> Line:
    line = line_of(kept.draft, kept.home)
    return struck(line, kept.home, f"{kept.draft.valid_from}..{kept.draft.valid_to}") if kept.is_over else line


# the files


def _sheets(day: str, plan: Plan, lines: dict[str, Line]) -> list[Sheet]:
    """What is to be done, file by file; the queue comes last, so that nothing is off it before it stands elsewhere."""
    sheets: dict[str, Sheet] = {}
    for kept in plan.kept:
        sheet = _of(sheets, kept.home.path, day)
        heading = HISTORY if kept.is_over and not kept.home.is_log else kept.home.heading
        sheet.added.append(Added(heading, kept.draft.id, lines[kept.draft.id].written))
        for other in kept.replaces:
            if other.path:
                _of(sheets, other.path, day).over[other.id] = held(other, kept.draft.time)
    for late in plan.late:
        _of(sheets, late.by.path, day).replacing[late.by.id] = late.ids
    return [*sheets.values(), *_queue(plan)]


def _of(sheets: dict[str, Sheet], path: str, day: str) -> Sheet:
    return sheets.setdefault(path, Sheet(path, header_of(path, day)))


def _queue(plan: Plan) -> Iterator[Sheet]:
    if plan.pending or plan.settled:
        added = [Added(pending.HEADINGS[item.reason], item.id, pending.line_of(item)) for item in plan.pending]
        taken = {item.id: item.record.text for item in plan.settled if item.record}
        yield Sheet(pending.PATH, pending.HEAD.encode(), added, taken=taken)


def held(stated: Stated, end: str) -> str:
    """The time for which a statement held, both days included."""
    start = stated.valid_from or stated.time
    return f"{min(start, end)[:10]}..{end[:10]}"


# the ledger


def _told(plan: Plan, lines: dict[str, Line], past: Past) -> Iterator[Json]:
    """What the ledger is to know and does not: whose each line is and how far it is trusted, what it states, what
    was said again, what replaces what."""
    for kept in plan.kept:
        yield from _told_of(kept, lines[kept.draft.id].record, past)
    for episode in plan.episodes:
        for record in episode.records:
            yield from _origin(past, record.id, record.text, (episode.trust_of(record), "agent"))
    for item in plan.pending:
        yield from _told_of_item(item, past)
    for skipped in plan.skipped:
        known = past.repeats.get(skipped.duplicate_of, {})
        new = [source for source in skipped.draft.sources if source not in known]
        if skipped.duplicate_of and new:
            yield {"op": REPEATED, "record": skipped.duplicate_of, "captures": new}


def _told_of(kept: Kept, record: Record, past: Past) -> Iterator[Json]:
    draft = kept.draft
    yield from _origin(past, record.id, record.text, (draft.trust, draft.actor))
    for other in kept.replaces:
        if other.path:
            yield from _origin(past, other.id, f"{STRUCK}{other.text}{STRUCK}", (other.trust, draft.actor))
    if draft.id in past.told:
        return
    yield {"op": STATED, **structs.asdict(kept.states or statement_of(draft))}
    if draft.supersedes:
        yield {"op": "superseded", "record": draft.id, "records": list(draft.supersedes)}


def _told_of_item(item: pending.Item, past: Past) -> Iterator[Json]:
    record = parse(pending.PATH, pending.line_of(item).encode()).records[0]
    yield from _origin(past, record.id, record.text, (item.trust, "agent"))
    if item.states and item.id not in past.told:
        yield {"op": STATED, **structs.asdict(item.states)}


def _origin(past: Past, record_id: str, text: str, said: tuple[Trust, Actor]) -> Iterator[Json]:
    """The ledger line about a line that the system writes, unless the ledger has it."""
    digest = text_key(text)
    if digest not in past.written.get(record_id, ()):
        yield {"op": "origin", "record": record_id, "digest": digest, "trust": said[0], "actor": said[1]}


def _receipt(plan: Plan) -> Json:
    """What the run did, by ids and counts; with it the captures are done."""
    return {
        "op": CONSOLIDATED,
        "captures": [capture.id for unit in plan.units for capture in unit.captures],
        "kept": [kept.draft.id for kept in plan.kept],
        "pending": [item.id for item in plan.pending],
        "episodes": len(plan.episodes),
        "skipped": Counter(skipped.reason for skipped in plan.skipped),
        "by": BY,
    }
