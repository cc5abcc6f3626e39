"""Find what a record or capture took part in: packs, the sessions that read them, and what was made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec import Struct

from commonplace.errors import NotFound
from commonplace.index import Index
from commonplace.model import Problem, Record, is_cited_as
from commonplace.retrieval.recall import find_cited, parse_line_reference
from commonplace.shapes import Json
from commonplace.storage import receipts
from commonplace.storage.journal import read_ledger_lines

ImpactRole = Literal["named", "source", "derived"]
PACKED_OP = "included"  # of the ledger line that a pack leaves


class PackedLine(Struct, frozen=True):
    """A line by which something was in a pack: itself (`named`), a capture that it rests on (`source`), or what was
    made of it (`derived`); `reason` is the form in which it was taken, as in the receipt."""

    record_id: str
    role: ImpactRole
    citation: str = ""
    reason: str = ""
    tokens: int = 0
    score: float = 0.0


class PackImpact(Struct, frozen=True):
    """A pack; where the receipt does not say, `automatic` is None, `session` empty, and `lines` have no form."""

    receipt_id: str
    ts: str
    session: str
    automatic: bool | None
    lines: tuple[PackedLine, ...]


class SessionImpact(Struct, frozen=True):
    """A session that read such packs: the times of the first and last, and how many."""

    session: str
    first: str
    last: str
    packs: int


class DerivedLine(Struct, frozen=True):
    """A record that was made of something, after so many steps."""

    record: Record
    steps: int


class LedgerEvent(Struct, frozen=True):
    """An operation that the ledger notes of something by its id."""

    id: str
    ts: str
    op: str


class Impact(Struct, frozen=True):
    """What something took part in, by time; `records` is what it is today, empty if it is gone.

    `left_out` is the number of packs that considered it, or what rests on it, and took nothing of that.
    """

    reference: str
    records: tuple[Record, ...]
    packs: tuple[PackImpact, ...]
    left_out: int
    sessions: tuple[SessionImpact, ...]
    derived: tuple[DerivedLine, ...]
    events: tuple[LedgerEvent, ...]
    problems: tuple[Problem, ...] = ()


def find_impact(index: Index, root: str, reference: str) -> Impact:
    """The impact of an id, or of the lines of a citation; what is gone is found by its id. Raises NotFound."""
    with index.snapshot():
        records = _referenced_records(index, reference)
        derived = _derived_lines(index, [record.id for record in records])
        roles = _assign_roles(index, records, derived)

    def find_role(record_id: str) -> ImpactRole | None:
        return roles.get(record_id) if roles else "named" if is_cited_as(record_id, reference) else None

    needles = tuple(roles) or (reference,)
    log = receipts.find_receipts(root, needles)
    packs: list[PackImpact] = []
    left_out = 0
    for receipt in log.receipts:
        considered = [(one, role) for one in receipt.considered if (role := find_role(one.record_id))]
        lines = tuple(
            PackedLine(one.record_id, role, one.citation, one.reason, one.tokens, one.score)
            for one, role in considered
            if one.included
        )
        session, automatic = (receipt.basis.session, receipt.basis.automatic) if receipt.basis else ("", None)
        packs += [PackImpact(receipt.id, receipt.ts, session, automatic, lines)] if lines else []
        left_out += bool(considered and not lines)
    events, problems = _ledger_events(root, needles, find_role, packs)
    if not (records or packs or left_out or events):
        raise NotFound("record, capture, or receipt with it,", reference)
    packs.sort(key=lambda pack: pack.ts)
    times: dict[str, list[str]] = {}
    for pack in packs:
        times.setdefault(pack.session, []).append(pack.ts)
    sessions = tuple(SessionImpact(name, own[0], own[-1], len(own)) for name, own in times.items() if name)
    return Impact(*(reference, records, tuple(packs), left_out, sessions, derived, events), (*log.problems, *problems))


def _referenced_records(index: Index, reference: str) -> tuple[Record, ...]:
    if cited := find_cited(index, reference):
        return cited
    path, first, last = parse_line_reference(reference)
    rows = index.fetch(index.rows_of_file(path)).values()
    places = ((row.record, row.record.source) for row in rows)
    return tuple(one for one, at in places if not first or (at.line_start <= last and at.line_end >= first))


def _derived_lines(index: Index, record_ids: list[str]) -> tuple[DerivedLine, ...]:
    """What was made of these records, then what was made of that, and so on."""
    known, steps, lines = set(record_ids), 0, list[DerivedLine]()
    while record_ids:
        steps += 1
        rows = index.fetch(index.rows_derived_from(record_ids)).values()
        made = [row.record for row in rows if row.record.id not in known]
        record_ids = [record.id for record in made]
        known.update(record_ids)
        lines += [DerivedLine(record, steps) for record in made]
    return tuple(lines)


def _assign_roles(index: Index, records: Iterable[Record], derived: Iterable[DerivedLine]) -> dict[str, ImpactRole]:
    """The role of each id: of what is named, of all that it rests on, and of what was made of it."""
    roles: dict[str, ImpactRole] = {record.id: "named" for record in records}
    resting = list(records)
    for record in resting:  # grows while it is walked
        new = [source for source in record.sources if source not in roles]
        roles.update(dict.fromkeys(new, "source"))
        resting += filter(None, map(index.find, new))
    made: dict[str, ImpactRole] = {line.record.id: "derived" for line in derived}
    return made | roles


def _ledger_events(
    root: str, needles: tuple[str, ...], find_role: Callable[[str], ImpactRole | None], packs: list[PackImpact]
) -> tuple[tuple[LedgerEvent, ...], list[Problem]]:
    """What the ledger notes of the named records, and what cannot be read; adds packs whose receipt is gone."""
    explained = {pack.receipt_id for pack in packs}
    events: list[LedgerEvent] = []
    problems: list[Problem] = []
    for fields in read_ledger_lines(root, needles):
        if isinstance(fields, Problem):
            problems.append(fields)
            continue
        lines = tuple(PackedLine(name, role) for name in ids_in(fields) if (role := find_role(name)))
        if fields.get("op") == PACKED_OP:
            receipt_id = str(fields.get("receipt") or "")
            if lines and receipt_id not in explained:
                packs.append(PackImpact(receipt_id, fields["ts"], "", None, lines))
        elif any(line.role == "named" for line in lines):
            events.append(LedgerEvent(fields["id"], fields["ts"], str(fields.get("op"))))
    return tuple(sorted(events, key=lambda event: event.ts)), problems


def ids_in(fields: Json) -> Iterator[str]:
    """The ids of records that a ledger line names."""
    for key in ("record", "records", "sources"):
        value = fields.get(key)
        yield from (str(name) for name in (value if isinstance(value, list) else [value] if value else []))
