"""What was written lately, by whom, and from what; and how to take it back."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from commonplace import files, journal
from commonplace.journal import Journal
from commonplace.workspace import parse
from commonplace.workspace.write import CHANGES, Applied

MOST = 200


class Written(Struct, frozen=True):
    """One applied write: the change by which it is undone, when, where, the lines before and after, and of the lines
    that it added: whose they are (`by`), how far they are trusted, on what they rest."""

    change_id: str
    ts: str
    path: str
    before: str
    after: str
    by: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def audit(log: Journal, *, since: str = "", at_most: int = 20) -> tuple[Written, ...]:
    """The newest writes, newest first; those since a time, not more than `at_most`."""
    changes = sorted(_changes(log.root), key=lambda change: (change.ts, change.id), reverse=True)
    wanted = [change for change in changes if change.ts >= since][:at_most]
    origins = _origins(log)
    return tuple(_written(change, origins) for change in wanted)


def _changes(root: str) -> Iterator[Applied]:
    for name in files.sizes(root, CHANGES):
        line = files.find(root, f"{CHANGES}/{name}") or b""
        if not (name.endswith(".json") and journal.is_sealed(line)):
            continue
        try:
            yield msgspec.json.decode(line, type=Applied)
        except msgspec.DecodeError:
            continue  # not a change; `check` names it


def _origins(log: Journal) -> dict[str, tuple[str, str]]:
    """By record: who wrote its line, and how far it is trusted."""
    found: dict[str, tuple[str, str]] = {}
    for reading in log.batches("ledger"):
        for entry in reading.entries:
            line = entry.fields
            if line.get("op") == "origin":
                found[str(line.get("record"))] = (str(line.get("by") or line.get("actor")), str(line.get("trust")))
    return found


def _written(change: Applied, origins: dict[str, tuple[str, str]]) -> Written:
    added = parse(change.path, change.after.encode("utf-8", "replace")).records
    told = [origins[record.id] for record in added if record.id in origins]
    return Written(
        change.id,
        change.ts,
        change.path,
        change.before,
        change.after,
        tuple(dict.fromkeys(by for by, _trust in told)),
        tuple(dict.fromkeys(trust for _by, trust in told)),
        tuple(dict.fromkeys(source for record in added for source in record.sources)),
    )
