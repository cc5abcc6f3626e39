"""The receipt of a pack: make it, explain it, compare two of them; it never holds memory text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Literal, get_args

from msgspec import Struct, structs

from commonplace.errors import NotFound, closest_names
from commonplace.language.text import sanitize_line
from commonplace.model import Hits, Pack, PackBasis, Reason, Receipt, ReceiptEntry, Record, is_cited_as
from commonplace.retrieval.pack.lines import ELLIPSIS, MAX_RECORD_CHARS, quote_line
from commonplace.retrieval.recall import FACTOR_SIGN, format_arithmetic
from commonplace.retrieval.shares import MAX_EXCERPT_CHARS
from commonplace.storage.workspace import encode_characters
from commonplace.truth import describe_belief

ID_CHARS = 12
DIGEST_BYTES = 8


def make_receipt(
    pack: Pack,
    hits: Hits,
    considered: tuple[ReceiptEntry, ...],
    *,
    ts: str,
    timings_ms: dict[str, float],
    keep_query: bool = False,
    basis: PackBasis | None = None,
) -> Receipt:
    """The receipt of a pack built from `hits`; `considered` is what `build_pack` returned beside it, `timings_ms` are
    ms.

    The query is kept as a digest; its text, and the notes that may quote it, only with `keep_query`.
    """
    digest = query_digest(hits.query.text)
    below = (
        ReceiptEntry(hit.record.id, hit.record.source.location, False, "ranked below k", hit.score, hit.reasons)
        for hit in hits.candidates
    )
    whole = (*considered, *below)
    parts = (ts, digest, query_digest(pack.text))
    number = int.from_bytes(blake2b("\0".join(parts).encode(), digest_size=DIGEST_BYTES).digest())
    names = {reason.name for entry in whole for reason in entry.reasons}
    return Receipt(
        id="r-" + encode_characters(number, ID_CHARS),
        ts=ts,
        query_digest=digest,
        budget_tokens=pack.budget_tokens,
        tokens=pack.tokens,
        lanes=tuple(sorted(name for name in names if not name.endswith(FACTOR_SIGN))),
        considered=whole,
        timings_ms=timings_ms,
        notes=hits.notes if keep_query else hits.lane_notes,
        query=hits.query.text if keep_query else "",
        scope=hits.query.scope,
        basis=basis,
    )


def query_digest(text: str) -> str:
    """The digest of a question, as receipts keep it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


MAX_LISTED_EXCLUDED = 20  # records left out that are listed; the rest is counted

UNRANKED_PARTS = {  # why a line is in a pack that no recall found
    "core": "always packed, in the order of its file",
    "correction": "corrects what this session was told before",
    "standing": "holds for all requests, and is packed whatever is asked",
}

FindRecord = Callable[[str], Record | None]


def explain_receipt(receipt: Receipt, record_id: str | None, find_record: FindRecord) -> str:
    """Lines for a person; of one record where `record_id` is given, in full or as cited (raises NotFound if it was not
    considered).

    `find_record` finds the record of an id as it stands today, for its text: the receipt has none.
    """
    if record_id is None:
        return "\n".join(_receipt_lines(receipt, find_record))
    entries = {entry.record_id: entry for entry in receipt.considered[::-1] if is_cited_as(entry.record_id, record_id)}
    if not entries:
        similar_ids = closest_names(record_id, [entry.record_id for entry in receipt.considered], 2)
        raise NotFound(f"record in receipt {receipt.id}", record_id, similar_ids)
    return "\n".join(line for _id, entry in sorted(entries.items()) for line in _entry_lines(entry, find_record))


def _entry_lines(entry: ReceiptEntry, find_record: FindRecord) -> list[str]:
    """What became of one record, and the calculation of its score."""
    heading, excerpt, outcome = _describe_entry(entry, find_record)
    lines = [heading, f"  {excerpt}", f"  {outcome}"]
    if (record := find_record(entry.record_id)) and (belief := describe_belief(record)):
        lines.append(f"  {belief}")
    if entry.reasons:  # a sum of what the lanes say, times the factors
        lines += [f"  {line}" for line in format_arithmetic(entry.reasons, entry.score)]
    else:
        part = entry.reason.split(" ")[0] if entry.included else ""
        lines.append(f"  {UNRANKED_PARTS.get(part, 'no score: no lane of recall found it')}")
    return lines


def _receipt_lines(receipt: Receipt, find_record: FindRecord) -> Iterator[str]:
    """A summary; then what went in, with excerpts, and what was left out, of which the first are listed."""
    taken = [entry for entry in receipt.considered if entry.included]
    excluded = [entry for entry in receipt.considered if not entry.included]
    question = f" for {sanitize_line(receipt.query)!r}" if receipt.query else ""
    searched = f"; found by {', '.join(receipt.lanes)}" if receipt.lanes else ""
    tokens = f"{receipt.tokens} of {receipt.budget_tokens} tokens"
    yield f"{receipt.id} of {receipt.ts}{question}: {tokens}, {len(taken)} in, {len(excluded)} out{searched}"
    yield "in" if taken else "in: nothing"
    for entry in taken:
        heading, excerpt, outcome = _describe_entry(entry, find_record)
        yield from (f"  {heading}  {outcome}", f"      {excerpt}")
    if excluded:
        yield "out"
    for entry in excluded[:MAX_LISTED_EXCLUDED]:
        heading, _excerpt, outcome = _describe_entry(entry, find_record)
        yield f"  {heading}  {outcome}"
    rest = Counter(entry.reason for entry in excluded[MAX_LISTED_EXCLUDED:])
    yield from (f"  and {number} more: {reason}" for reason, number in sorted(rest.items()))


def _describe_entry(entry: ReceiptEntry, find_record: FindRecord) -> tuple[str, str, str]:
    """The citation as packed, and the current one if it differs; the text of today; and what became of it."""
    record = find_record(entry.record_id)
    citation = record.source.location if record else entry.citation
    moved = f" (now {sanitize_line(citation)})" if citation != entry.citation else ""
    excerpt = quote_line(sanitize_line(record.text[:MAX_RECORD_CHARS])) if record else "(no longer there)"
    if len(excerpt) > MAX_EXCERPT_CHARS:
        excerpt = excerpt[: MAX_EXCERPT_CHARS - 1].rstrip() + ELLIPSIS
    cost = f", {entry.tokens} tokens" if entry.included else ""
    score = f", score {entry.score:g}" if entry.reasons else ""
    return f"{sanitize_line(entry.citation)}{moved}  {entry.record_id}", excerpt, f"{entry.reason}{cost}{score}"


PackChange = Literal["entered", "left", "moved", "changed"]

PACK_CHANGES: tuple[PackChange, ...] = get_args(PackChange)
NOT_CONSIDERED = "not considered"


class PartDifference(Struct, frozen=True):
    """One named part of a score before and after; None if the score has no such part."""

    name: str
    before: float | None
    after: float | None


class RecordOutcome(Struct, frozen=True):
    """The outcome of a record in one receipt: its rank among those with a score (0 without one), and what it became."""

    included: bool = False
    rank: int = 0
    score: float = 0.0
    tokens: int = 0
    reason: str = NOT_CONSIDERED


class RecordDifference(Struct, frozen=True):
    """The change of one record between two receipts; `parts` are the parts of the score that differ."""

    record_id: str
    citation: str
    change: PackChange
    before: RecordOutcome
    after: RecordOutcome
    parts: tuple[PartDifference, ...]


class ReceiptComparison(Struct, frozen=True):
    """Two receipts, and every record that differs between their packs."""

    before: Receipt
    after: Receipt
    differences: tuple[RecordDifference, ...]
    unchanged: int  # records in both packs of which nothing changed

    @property
    def same_question(self) -> bool:
        """Whether both receipts have the same query and scope."""
        return (self.after.query_digest, self.after.scope) == (self.before.query_digest, self.before.scope)


def compare_receipts(earlier_receipt: Receipt, later_receipt: Receipt) -> ReceiptComparison:
    """The records that were added, removed, moved or changed in score, in this order, each in that of its receipt."""
    before, after = _entries_by_record_id(earlier_receipt), _entries_by_record_id(later_receipt)
    none: _Entry = ("", RecordOutcome(), ())
    pairs = {name: (before.get(name, none), after.get(name, none)) for name in (*after, *before)}
    found = {name: _record_difference(name, *entries) for name, entries in pairs.items()}
    differences = sorted(filter(None, found.values()), key=lambda one: PACK_CHANGES.index(one.change))
    unchanged = sum(after[name][1].included for name, difference in found.items() if name in after and not difference)
    return ReceiptComparison(earlier_receipt, later_receipt, tuple(differences), unchanged)


_Entry = tuple[str, RecordOutcome, tuple[Reason, ...]]  # citation, what became of it, the parts of its score


def _entries_by_record_id(receipt: Receipt) -> dict[str, _Entry]:
    """Every record by its id; a core record that was also found is named twice: it is in, and has a rank."""
    entries: dict[str, _Entry] = {}
    rank = 0
    for one in receipt.considered:
        rank += bool(one.reasons)
        outcome = RecordOutcome(one.included, rank if one.reasons else 0, one.score, one.tokens, one.reason)
        citation, first, first_reasons = entries.get(one.record_id, (one.citation, outcome, one.reasons))
        shown = first if first.included or not outcome.included else outcome
        scored = first if first_reasons else outcome
        outcome = structs.replace(shown, rank=scored.rank, score=scored.score)
        entries[one.record_id] = citation, outcome, first_reasons or one.reasons
    return entries


def _record_difference(record_id: str, earlier_entry: _Entry, later_entry: _Entry) -> RecordDifference | None:
    """The change of a record; None for one that is in neither pack or has not changed."""
    earlier_citation, before, earlier_reasons = earlier_entry
    citation, after, reasons = later_entry
    if before == after or not (before.included or after.included):
        return None
    change: PackChange = "moved" if before.rank != after.rank else "changed"
    if before.included != after.included:
        change = "entered" if after.included else "left"
    then, now = ({reason.name: reason.value for reason in own} for own in (earlier_reasons, reasons))
    values = ((name, then.get(name), now.get(name)) for name in dict.fromkeys((*now, *then)))
    parts = tuple(PartDifference(name, old, new) for name, old, new in values if old != new)
    return RecordDifference(record_id, citation or earlier_citation, change, before, after, parts)
