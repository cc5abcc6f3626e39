"""The working buffer moves into the note of the day: planned on disk first, so that a move that broke off is finished.

A plan names the lines by digest and has the text as it will stand in the note, secrets masked. Its steps are: the note
gets the text unless the plan's id stands there; the buffer loses those lines unless it is a new filling; the plan goes.
Each step may be repeated, and a line that somebody adds meanwhile is in no plan and stays in the buffer.
"""

from __future__ import annotations

from collections import Counter
from itertools import count

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.capture.keys import Place
from commonplace.journal import Journal
from commonplace.sessions.buffer import (
    BUFFER,
    TASK,
    TITLE,
    Buffer,
    emptied,
    next_created,
    read_buffer,
    title_of,
    trimmed,
    with_heartbeat,
)
from commonplace.sessions.moving import MOVING
from commonplace.sessions.working import mask_of
from commonplace.workspace import parse
from commonplace.workspace.annotations import without_annotation
from commonplace.workspace.edits import append_under
from commonplace.workspace.render import render_annotation
from commonplace.workspace.starts import heading_level
from commonplace.workspace.times import moment
from commonplace.workspace.write import update

LOCK = "working-buffer"
SET_ASIDE = ".memory/set-aside"
FOLDER, NAME = "memory", "working-buffer"
OLD_ENDINGS = (".pending", ".rotating")  # what older programs leave behind when they are stopped
MOST_OLD = 1_000_000  # bytes of such a file
ID_CHARS = 16


class Plan(Struct, frozen=True):
    """One move: the file it takes lines from (digests in `lines`, ids of records in `records`), the note and its text.

    `before` and `after` are the `created:` of the buffer's filling that is moved and of the next one.
    """

    id: str
    ts: str
    source: str
    note: str
    heading: str
    level: int
    text: str
    lines: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


class Rotated(Struct, frozen=True):
    """What was moved: how many lines, and into which note (empty if nothing was); and what else there is to say."""

    path: str = ""
    lines: int = 0
    notes: tuple[str, ...] = ()


def rotate(place: Place) -> Rotated:
    """Move what lies in the buffer into the day's note, above its closure block, and begin a new filling."""
    with files.hold(place.root, LOCK):
        notes = recovered_here(place)
        lines = len(_spoken(_buffer(place).body))
        moved = rotated_here(place)
    return Rotated(place.log, lines, notes) if moved else Rotated(notes=notes)


def recover(place: Place) -> tuple[str, ...]:
    """Finish a move that broke off, and take in what older programs left; says what was done."""
    with files.hold(place.root, LOCK):
        return recovered_here(place)


def tidy(place: Place) -> tuple[str, ...]:
    """The same, and move a buffer that is stale (marked as recovered) or too full: what the start of a session does."""
    with files.hold(place.root, LOCK):
        return tidied_here(place)


def beat(place: Place) -> bool:
    """Say in the header that the buffer is at work; not in one that is missing, empty or stale."""
    with files.hold(place.root, LOCK):
        recovered_here(place)
        buffer = _buffer(place)
        if buffer.is_empty or buffer.is_stale(place.now):
            return False
        update(place.root, BUFFER, lambda data: with_heartbeat(data, place.now), now=place.now)
    return True


def is_at_work(root: str, now: str) -> bool:
    """Whether there is a buffer that somebody worked on within two hours, or that was made by hand."""
    buffer = read_buffer(files.find(root, BUFFER) or b"")
    return not buffer.is_empty and not buffer.is_stale(now)


# What follows is called by whoever holds the lock.


def tidied_here(place: Place) -> tuple[str, ...]:
    """See `tidy`."""
    notes = recovered_here(place)
    buffer = _buffer(place)
    return notes + rotated_here(place) if buffer.is_stale(place.now) or buffer.is_full else notes


def recovered_here(place: Place) -> tuple[str, ...]:
    """See `recover`."""
    plan = _pending(place.root)
    notes = _finish(place, plan) if plan else ()
    left = files.sizes(place.root, FOLDER)
    for name in (f"{NAME}{middle}{ending}" for middle in ("", ".md") for ending in OLD_ENDINGS):
        if left.get(name, 0) > MOST_OLD:
            notes += (f"{FOLDER}/{name} is too large to be taken in; please look at it",)
        elif name in left:
            notes += _take_in(place, f"{FOLDER}/{name}")
    return notes


def rotated_here(place: Place) -> tuple[str, ...]:
    """Plan the move of the buffer, and make it; the titles of its tasks say so if it was stale."""
    data = files.find(place.root, BUFFER) or b""
    buffer = read_buffer(data)
    if buffer.is_empty:
        return ()
    is_stale = buffer.is_stale(place.now)
    mark = f"recovered, last active {moment(buffer.last_active) or 'unknown'}" if is_stale else ""
    lines = tuple(map(_digest, _spoken(buffer.body)))
    records = tuple(record.id for record in parse(BUFFER, data).records if not record.annotated)
    heading, level, text = _written(place, buffer.body, mark)
    plan = Plan(
        id=_plan_id(BUFFER, buffer.created, heading, text),
        ts=place.now,
        source=BUFFER,
        note=place.log,
        heading=heading,
        level=level,
        text=text,
        lines=lines,
        records=records,
        before=buffer.created,
        after=next_created(buffer.created, place.now),
    )
    return _carry_out(place, plan)


def _buffer(place: Place) -> Buffer:
    return read_buffer(files.find(place.root, BUFFER) or b"")


def _pending(root: str) -> Plan | None:
    """The move that broke off, if there is one."""
    data = files.find(root, MOVING)
    try:
        return None if data is None else msgspec.json.decode(data, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError):
        _set_aside(root, MOVING)
    return None


def _take_in(place: Place, path: str) -> tuple[str, ...]:
    """Move what an older program left behind into the day's note, less what it had brought there, and set it aside."""
    body = read_buffer(files.read(place.root, path, MOST_OLD)).body
    there = set((files.find(place.root, place.log) or b"").decode("utf-8", "replace").split("\n"))
    left = trimmed(line for line in body if title_of(line) or line not in there)
    if not any(line.strip() and not title_of(line) for line in left):
        _set_aside(place.root, path)
        return ()
    heading, level, text = _written(place, left, f"recovered from {path.rpartition('/')[2]}")
    lines = tuple(map(_digest, _spoken(left)))
    plan = Plan(_plan_id(path, "", heading, text), place.now, path, place.log, heading, level, text, lines)
    return _carry_out(place, plan)


def _written(place: Place, body: tuple[str, ...], mark: str) -> tuple[str, int, str]:
    """The heading, its level and the text below it as they will stand in the note: marked, without secrets."""
    first, *rest = mask_of(place)("\n".join(body)).text.split("\n")
    title = title_of(first)
    heading = _marked(title or TITLE, mark)
    below = [_marked_line(line, mark) for line in (rest if title else [first, *rest])]
    return heading, heading_level(first.strip()) if title else 2, "\n".join(trimmed(below))


def _marked(title: str, mark: str) -> str:
    title = without_annotation(title)
    return f"{title} ({mark})" if mark else title


def _marked_line(line: str, mark: str) -> str:
    title = title_of(line)
    is_task = title.startswith(TASK) and bool(mark)
    return f"{'#' * heading_level(line.strip())} {_marked(title, mark)}" if is_task else line


def _carry_out(place: Place, plan: Plan) -> tuple[str, ...]:
    with files.doing(place.root):
        files.write_atomic(place.root, MOVING, msgspec.json.encode(plan), mode=0o600)
        return _finish(place, plan)


def _finish(place: Place, plan: Plan) -> tuple[str, ...]:
    """Every step of a move that is not done yet."""
    if plan.records:  # lines without an id of their own get another one where they will stand: no loss
        journal = Journal(place.root, place.device)
        journal.append({"op": "removed", "ts": plan.ts, "records": list(plan.records)}, "ledger")
    update(place.root, plan.note, lambda data: _added(data, plan), now=plan.ts)
    if plan.source == BUFFER:
        update(place.root, BUFFER, lambda data: _taken_out(data, plan), now=plan.ts)
    else:
        _set_aside(place.root, plan.source)
    files.remove(place.root, MOVING)
    return (f"moved {len(plan.lines)} lines from {plan.source} to {plan.note}",)


def _added(data: bytes, plan: Plan) -> bytes:
    if f"id: {plan.id}".encode() in data:
        return data
    heading = f"{plan.heading} {render_annotation({'id': plan.id})}"
    day = plan.note.rpartition("/")[2].removesuffix(".md")
    return append_under(data or f"# {day}\n".encode(), heading, plan.text, level=plan.level)


def _taken_out(data: bytes, plan: Plan) -> bytes:
    """The buffer without the lines that were moved; a later filling stays as it is."""
    buffer = read_buffer(data)
    if buffer.created != plan.before:
        return data
    moved = Counter(plan.lines)
    kept: list[str] = []
    for line in buffer.body:
        known = _digest(line)
        if moved[known]:
            moved[known] -= 1
        elif line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return emptied(data, plan.after, kept, now=plan.ts)


def _set_aside(root: str, path: str) -> None:
    data = files.find(root, path)
    if data is None:
        return
    target = f"{SET_ASIDE}/{path.rpartition('/')[2]}-{files.digest(data)[:ID_CHARS]}"
    names = (target if number == 1 else f"{target}-{number}" for number in count(1))
    next(name for name in names if files.move(root, path, name))


def _plan_id(*parts: str) -> str:
    return files.digest("\0".join(parts).encode("utf-8", "surrogatepass"))[:ID_CHARS]


def _spoken(lines: tuple[str, ...]) -> list[str]:
    return [line for line in lines if line.strip()]


def _digest(line: str) -> str:
    return files.digest(line.encode("utf-8", "surrogatepass"))[:ID_CHARS]
