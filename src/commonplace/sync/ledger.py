"""The ledger to the index: trust, moves, use and what went on purpose; and the moves that a sync itself finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from commonplace.errors import NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import Index, LedgerFacts
from commonplace.journal import REWRITTEN, Entry, Journal, is_position
from commonplace.model import TRUSTS, Change

PASSING = ("torn-line", "unreadable")  # problems that are met again at the next reading, or are over by then


def learn(index: Index, journal: Journal) -> None:
    """Read what was appended to the ledgers since the index last looked; all of it anew where one was rewritten."""
    since = index.recalled("ledger")
    if not is_position(since):
        index.forget_ledger()
    reading = journal.read("ledger", since)
    if any(problem.code == REWRITTEN for problem in reading.problems):
        index.forget_ledger()
        reading = journal.read("ledger")
    if reading.entries:
        index.learn(facts(reading.entries))
    index.remember("ledger", reading.position)
    passing = [problem for problem in reading.problems if problem.code in PASSING]
    index.note("ledger", passing)
    for problem in reading.problems:
        if problem not in passing:  # the line is not read again, so what is wrong with it is kept under its own name
            index.note(f"ledger:{problem.path}#{problem.line}", (problem,))


def facts(entries: Iterable[Entry]) -> LedgerFacts:
    """What ledger lines say, of the operations that the index keeps; others are not its business."""
    origins: list[tuple[str, Any]] = []
    moves: list[tuple[str, str, str]] = []
    included: list[str] = []
    used: list[str] = []
    explained: list[str] = []
    for entry in entries:
        line = entry.fields
        op = line.get("op")
        if op == "origin" and line.get("trust") in TRUSTS:
            record, digest = str(line.get("record") or ""), str(line.get("digest") or "")
            keys = (record, digest, f"{record} {digest}" if record and digest else "")
            origins += [(key, line["trust"]) for key in keys if key]
        elif op == "moved" and line.get("path") and line.get("origin"):
            when = f"{line['ts']} {entry.path} {entry.line:09}"
            moves.append((str(line["path"]), str(line["origin"]), when))
        elif op == "included":
            included += _names(line)
        elif op == "used":
            used += _names(line)
        elif op in ("archived", "removed", "forgotten"):
            explained += _names(line)
    return LedgerFacts(tuple(origins), tuple(moves), tuple(included), tuple(used), tuple(explained))


def _names(line: dict[str, Any]) -> list[str]:
    records = line.get("records")
    return [str(name) for name in records] if isinstance(records, list) else []


def record_moves(index: Index, journal: Journal, changes: tuple[Change, ...], now: str) -> None:
    """Write a ledger line for each file that moved, so that its ids stay, also in a rebuild.

    What the ledger says already (a sync that was refused has told it) is not said again. Where nothing can be written
    the ids follow the new path, as they would in a rebuild.
    """
    known = index.files()
    moved = {change.path: change.path_before for change in changes if change.kind == "moved"}
    lines = [
        {"op": "moved", "ts": now, "path": path, "path_before": before, "origin": known[before].origin}
        for path, before in moved.items()
        if index.origin(path) != known[before].origin
    ]
    if not lines:
        return
    try:
        journal.extend(lines, "ledger")
    except (NotFound, OutsideWorkspace, WorkspaceUnusable):
        return
    learn(index, journal)
