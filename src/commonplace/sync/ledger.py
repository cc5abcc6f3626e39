"""The ledger to the index: trust, moves, use and what went on purpose; and the moves that a sync itself finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from commonplace.index import Index, LedgerFacts
from commonplace.journal import Journal
from commonplace.model import TRUSTS, Change


def learn(index: Index, journal: Journal) -> None:
    """Read what was appended to the ledgers since the index last looked."""
    reading = journal.read("ledger", since=index.recalled("ledger"))
    if reading.entries or reading.problems:
        index.learn(facts(entry.fields for entry in reading.entries))
    index.remember("ledger", reading.position)
    if reading.problems:
        index.note("ledger", reading.problems)


def facts(lines: Iterable[dict[str, Any]]) -> LedgerFacts:
    """What ledger lines say, of the operations that the index keeps; others are not its business."""
    origins: list[tuple[str, Any]] = []
    moves: list[tuple[str, str]] = []
    included: list[str] = []
    used: list[str] = []
    explained: list[str] = []
    for line in lines:
        op = line.get("op")
        if op == "origin" and line.get("trust") in TRUSTS:
            origins += [(str(line[key]), line["trust"]) for key in ("record", "digest") if line.get(key)]
        elif op == "moved":
            moves.append((str(line.get("path", "")), str(line.get("origin", ""))))
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


def record_moves(index: Index, journal: Journal, changes: tuple[Change, ...], now: str) -> dict[str, str]:
    """Write a ledger line for each file that moved, so that a rebuild keeps the ids; returns path -> first place."""
    known = index.files()
    moves: dict[str, str] = {}
    for change in changes:
        if change.kind == "moved":
            origin = known[change.path_before].origin
            moves[change.path] = origin
            line = {"op": "moved", "ts": now, "path": change.path, "path_before": change.path_before, "origin": origin}
            journal.append(line, "ledger")
    if moves:
        learn(index, journal)
    return moves
