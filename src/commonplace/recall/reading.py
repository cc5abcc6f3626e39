"""What is known of records once they are read: whom they are by, and which captures they were kept of.

A line that was kept of a capture says in fewer words what the capture says; by its shortness alone it would come before
longer texts that say more. So it counts for .94 by itself, and for as much as its capture where it has all the words of
the question that the capture has: then it stands in the place of the capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import structs

from commonplace.index import Index, Row, session_of
from commonplace.recall import lanes
from commonplace.recall.fit import fullness, is_by_agent
from commonplace.recall.intents import may_hold, suits
from commonplace.recall.parts import Strengths
from commonplace.recall.score import Formula
from commonplace.recall.understand import Understood

Coverage = Callable[[int], float]  # the share of the question's weight that a row has


def speaking(asked: Understood) -> set[int]:
    """The rows that were said by somebody the question names."""
    return {row for row, key, role in asked.mentions if role == "speaker" and asked.names[key] in asked.speakers}


def whole(kept: Row, found: Strengths, asked: Understood, by_the_named: set[int]) -> Strengths:
    """What the lanes say of a record, with all that is known of it once it is read."""
    if found.stands:
        return found
    record = kept.record
    is_of_session = bool(asked.sessions.names) and session_of(record) in asked.sessions.names
    time = 1.0 if is_of_session else lanes.nearness(record, asked.windows) if asked.windows else 0.0
    kind = float(suits(record, asked.intent))
    if found.length:  # a turn, of which all else is known
        known = found.time == time and found.kind == kind
        return found if known else structs.replace(found, time=time, kind=kind)
    return structs.replace(
        found,
        time=time,
        kind=kind,
        speaks=float(kept.row in by_the_named),
        length=fullness(kept.length),
        by_agent=float(is_by_agent(record.speaker, record.actor)),
        holds=float(may_hold(record.text, asked.answer)),
    )


def beside_captures(
    index: Index, found: Mapping[int, Strengths], rows: dict[int, Row], *, formula: Formula, coverage: Coverage
) -> dict[int, Strengths]:
    """What the lanes say otherwise of those of the rows whose captures were found too."""
    asked = formula.asked
    if "retells" in asked.without:
        return {}
    captures = _captures(index, rows, found)
    by_the_named = speaking(asked)
    changed: dict[int, Strengths] = {}
    for row, source in _pairs(rows, captures):
        own = structs.replace(whole(rows[row], found[row], asked, by_the_named), retells=1.0)
        may = [changed.get(row, own)]
        if _has_as_much(asked, coverage(row), coverage(source.row)):
            may.append(structs.replace(whole(source, found[source.row], asked, by_the_named), stands=1.0))
        changed[row] = max(may, key=lambda strengths: formula.score(rows[row].record, strengths)[0])
    return changed


def _has_as_much(asked: Understood, kept: float, said: float) -> bool:
    """Whether what was kept has as much of the question as its capture; none is enough only where no word is asked."""
    return kept >= said and (said > 0 or asked.bare)


def _pairs(rows: dict[int, Row], captures: dict[str, Row]) -> Iterator[tuple[int, Row]]:
    """Rows with the captures that were found and that they were kept of."""
    for row, kept in rows.items():
        for source in () if kept.record.is_evidence else kept.record.sources:
            if source in captures:
                yield row, captures[source]


def _captures(index: Index, rows: dict[int, Row], found: Mapping[int, Strengths]) -> dict[str, Row]:
    """The captures, by id, that any of the records was kept of, as far as they were found."""
    known = {kept.record.id: kept for kept in rows.values() if kept.record.is_evidence}
    kept_of = {source for kept in rows.values() if not kept.record.is_evidence for source in kept.record.sources}
    wanted = kept_of - known.keys()
    there = [row for row in index.rows_with_ids(wanted) if row in found] if wanted else []
    return known | {kept.record.id: kept for kept in index.fetch(there).values() if kept.record.is_evidence}
