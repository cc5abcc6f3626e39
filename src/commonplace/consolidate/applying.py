"""Carry out a plan: ledger before Markdown, file by file, and last the note that the captures are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from commonplace.capture.keys import Place, text_key
from commonplace.consolidate import pending
from commonplace.consolidate.episodes import Episode
from commonplace.consolidate.lines import line_of, record_of
from commonplace.consolidate.past import Past, statement_key, value_key
from commonplace.consolidate.planning import Kept, Plan
from commonplace.consolidate.routing import HISTORY, header_of
from commonplace.journal import Journal
from commonplace.model import Record
from commonplace.workspace import parse
from commonplace.workspace.edits import append_under, remove_lines, replace_lines
from commonplace.workspace.render import one_line, render_annotation
from commonplace.workspace.write import update

BY = "consolidate"
Json = dict[str, Any]


class Applied(Struct, frozen=True):
    """What was written: the files, and the changes by which it can be undone."""

    paths: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def apply(place: Place, plan: Plan, past: Past) -> Applied:
    """Write what was planned. Every step may be repeated: what a stopped run wrote is found by its id and left.

    Origins go to the ledger before the lines they are about; that the captures are consolidated is said last.
    """
    journal = Journal(place.root, place.device)
    by_file = _by_file(plan.kept)
    told = [*_told(place, plan), *_told_of_episodes(place, plan.episodes), *_told_of_queue(place, plan.pending)]
    if told:
        journal.extend(told, "ledger")
    written = [_write(place, path, kept) for path, kept in by_file.items()]
    written += [change for kept in plan.kept for change in _retire(place, past, kept)]
    written += [_write_episode(place, episode) for episode in plan.episodes]
    if plan.pending:
        written.append(_queue(place, plan.pending))
    done = [capture.id for unit in plan.units for capture in unit.captures]
    journal.append({"op": "consolidated", "ts": place.now, "captures": done, "by": BY}, "ledger")
    paths = [path for path, _change in written if path]
    return Applied(tuple(dict.fromkeys(paths)), tuple(change for _path, change in written if change))


def _by_file(kept: Iterable[Kept]) -> dict[str, list[Kept]]:
    found: dict[str, list[Kept]] = {}
    for one in kept:
        found.setdefault(one.home.path, []).append(one)
    return found


def _told(place: Place, plan: Plan) -> Iterator[Json]:
    """What the ledger is told of each line: how far it is trusted, and which statement it makes."""
    for kept in plan.kept:
        draft = kept.draft
        record = record_of(kept.home.path, kept.home, line_of(draft, kept.home))
        yield _origin(place, draft.id, record.text, draft.trust)
        key = statement_key(draft.entity, draft.attribute)
        if key:
            yield {"op": "stated", "ts": place.now, "record": draft.id, "key": key, "value": value_key(draft.value)}


def _told_of_episodes(place: Place, episodes: Iterable[Episode]) -> Iterator[Json]:
    for episode in episodes:
        for line in episode.lines:
            yield _origin(place, line.id, line.text, line.trust)


def _told_of_queue(place: Place, items: Iterable[pending.Item]) -> Iterator[Json]:
    for item in items:
        line = f"- {pending.line_of(item).removeprefix('- ')}"
        yield _origin(place, item.id, parse(pending.PATH, line.encode()).records[0].text, item.trust)


def _origin(place: Place, record_id: str, text: str, trust: str) -> Json:
    return {
        "op": "origin",
        "ts": place.now,
        "record": record_id,
        "digest": text_key(text),
        "trust": trust,
        "actor": "agent",
        "by": BY,
    }


def _write(place: Place, path: str, kept: list[Kept]) -> tuple[str, str]:
    """Add the lines of one file that are not there yet, in one change."""

    def add(data: bytes) -> bytes:
        data = data or header_of(path, place.now[:10])
        for one in kept:
            if not _holds(data, one.draft.id):
                data = append_under(data, one.home.heading, line_of(one.draft, one.home))
        return data

    written = update(place.root, path, add, now=place.now)
    return path, written.change_id


def _holds(data: bytes, record_id: str) -> bool:
    return f"id: {record_id}".encode() in data


def _write_episode(place: Place, episode: Episode) -> tuple[str, str]:
    """Write an episode once; a file of that name is the same interaction, and perhaps a person's by now."""
    written = update(place.root, episode.path, lambda data: data or episode.data, now=place.now)
    return episode.path if written.change_id else "", written.change_id


def _retire(place: Place, past: Past, kept: Kept) -> Iterator[tuple[str, str]]:
    """Strike out the lines that a new one replaces: those that the system wrote and nobody changed since."""
    by = past, kept.draft.time[:10]
    for stated in kept.replaces:
        if stated.path:
            edit = partial(_struck, path=stated.path, record_id=stated.id, by=by)
            written = update(place.root, stated.path, edit, now=place.now)
            yield (stated.path if written.change_id else ""), written.change_id


def _struck(data: bytes, *, path: str, record_id: str, by: tuple[Past, str]) -> bytes:
    """The file with one of our lines struck out: in a log where it stands, elsewhere below `## History`."""
    past, day = by
    record = next((one for one in parse(path, data).records if one.id == record_id), None)
    if record is None or record.text.startswith("~~") or past.written.get(record_id) != text_key(record.text):
        return data
    line = f"- ~~{one_line(record.text)}~~ {_closed(record, day)}"
    if record.form == "retain":
        return replace_lines(data, record.source, line)
    return append_under(remove_lines(data, record.source), HISTORY, line)


def _closed(record: Record, day: str) -> str:
    return render_annotation(
        {
            "id": record.id,
            "valid": f"{record.valid_from or record.time[:10]}..{day}",
            "origin": "" if record.trust == "trusted" else record.trust,
            "from": record.sources,
            "project": record.scope,
        }
    )


def _queue(place: Place, items: Iterable[pending.Item]) -> tuple[str, str]:
    """Add what waits for review, each thing once."""

    def add(data: bytes) -> bytes:
        data = data or pending.HEAD.encode()
        known = {item.text for item in pending.items_of(data)}
        for item in items:
            if not _holds(data, item.id) and item.text not in known:
                data = append_under(data, pending.HEADINGS[item.reason], pending.line_of(item))
        return data

    return pending.PATH, update(place.root, pending.PATH, add, now=place.now).change_id
