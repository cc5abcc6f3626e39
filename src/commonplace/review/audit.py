"""What was written lately, by whom, and from what; and how to take it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from commonplace import files, journal
from commonplace.journal import Journal
from commonplace.workspace import parse
from commonplace.workspace.write import CHANGES, Applied


class Written(Struct, frozen=True):
    """One applied write: the change by which it is undone, when, where, the lines before and after.

    Of the lines that it left there: who wrote them (`by`), how far they are trusted, on what they rest.
    """

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
    wanted = [change for change in _newest_first(changes(log.root)) if change.ts >= since][:at_most]
    origins = _origins(log)
    return tuple(_written(change, origins) for change in wanted)


def changes(root: str) -> Iterator[Applied]:
    """Every applied write that can be read, in no order."""
    for name in files.sizes(root, CHANGES):
        line = files.find(root, f"{CHANGES}/{name}") or b""
        if not (name.endswith(".json") and journal.is_sealed(line)):
            continue
        try:
            yield msgspec.json.decode(line, type=Applied)
        except msgspec.DecodeError:
            continue  # not a change; `check` names it


def _newest_first(changes: Iterable[Applied]) -> list[Applied]:
    """By time; of one minute a change comes before the one on which it was made."""
    order = sorted(changes, key=lambda change: (change.ts, change.id), reverse=True)
    made = {(change.ts, change.path, change.digest_after): change.id for change in order}
    before = {change.id: made.get((change.ts, change.path, change.digest_before), "") for change in order}

    def depth(change_id: str) -> int:
        seen: list[str] = []
        while change_id and change_id not in seen:
            seen.append(change_id)
            change_id = before[change_id]
        return len(seen)

    return sorted(order, key=lambda change: (change.ts, depth(change.id)), reverse=True)


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
