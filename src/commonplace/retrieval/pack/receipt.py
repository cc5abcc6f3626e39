"""The receipt of a pack: make it, explain it, compare two of them; it never holds memory text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import product
from typing import Literal, get_args

from msgspec import Struct, structs

from commonplace.errors import NotFound, closest_names
from commonplace.index import Filter, Index
from commonplace.language.text import sanitize_line
from commonplace.model import Hits, Pack, PackBasis, Reason, Receipt, ReceiptEntry, Record, is_cited_as
from commonplace.retrieval.pack.lines import ELLIPSIS, MAX_RECORD_CHARS, quote_line
from commonplace.retrieval.recall import FACTOR_SIGN, format_arithmetic, parse_line_reference
from commonplace.retrieval.shares import MAX_EXCERPT_CHARS
from commonplace.storage.files import content_digest
from commonplace.storage.workspace import RecordedChange, encode_characters
from commonplace.truth import derive_beliefs, describe_belief

ID_CHARS = 12
DIGEST_BYTES = 8
RETAIN_SECTION = b"## Retain\n"  # in which lines are read with their marks: `W @Peter: …`


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


class EntryLine(Struct, frozen=True):
    """The line of an entry as it is today: its record, None if it is gone or hidden; whether its words changed since it
    was packed, and what they were, empty if nobody has them; and the records that the reason of the entry names."""

    record: Record | None = None
    is_changed: bool = False
    before: str = ""
    named: tuple[Record, ...] = ()


def find_entry_lines(
    index: Index, entries: Sequence[ReceiptEntry], read_changes: Callable[[], Iterable[RecordedChange]]
) -> tuple[EntryLine, ...]:
    """The line of each entry: by its id, else what has its words in its file, or says that it took its place. What the
    applied writes say is read for lines that are not as they were packed."""
    words = [[word.rstrip(",") for word in one.reason.split()] for one in entries]
    rows = index.fetch(index.rows_with_ids({one.record_id for one in entries}.union(*words))).values()
    records = {one.id: one for one in derive_beliefs(index, [row.record for row in rows])}
    lines = {name: EntryLine(record) for name, record in records.items()}
    digests = {name: one.source.digest for name, one in records.items()} | dict.fromkeys(index.hidden_ids(), "")
    stale = [one for one in entries if one.digest and digests.get(one.record_id) not in ("", one.digest)]
    texts = _read_earlier_texts(stale, read_changes()) if stale else {}
    for entry in stale:
        before = texts[entry.digest]
        record = records.get(entry.record_id) or _find_successor(index, entry, before)
        is_changed = record is None or record.text.split() != before.split()
        lines[entry.record_id] = EntryLine(record, is_changed, before)
    named = (tuple(records[word] for word in own if word in records) for own in words)
    found = (lines.get(one.record_id, EntryLine()) for one in entries)
    return tuple(structs.replace(line, named=own) for line, own in zip(found, named, strict=True))


def _read_earlier_texts(entries: Iterable[ReceiptEntry], changes: Iterable[RecordedChange]) -> dict[str, str]:
    """The texts of lines that were written or replaced, by the digests of the lines."""
    from commonplace.storage.workspace import parse_document

    texts, sizes = {one.digest: "" for one in entries}, dict[str, set[int]]()
    for one in entries:
        path, first, last = parse_line_reference(one.citation)
        sizes.setdefault(path, set()).add(last - first + 1)
    for change in changes:
        lines = f"{change.before}\n{change.after}".encode(change.encoding).split(b"\n")
        for size, at in product(sizes.get(change.path, ()), range(len(lines))):
            block = b"\n".join(lines[at : at + size]).removesuffix(b"\r")
            if texts.get(digest := content_digest(block)) == "":
                records = parse_document(change.path, RETAIN_SECTION + block).records
                texts[digest] = "\n".join(one.text for one in records if one.source.line_start > 1)
    return texts


def _find_successor(index: Index, entry: ReceiptEntry, text: str) -> Record | None:
    """What stands for a line whose id is gone."""
    path, line, _last = parse_line_reference(entry.citation)
    of_file = [row.record for row in index.fetch(index.rows_of_file(path)).values()]
    same = [one for one in of_file if one.source.digest == entry.digest or one.text.split() == text.split()]
    if same:
        return min(same, key=lambda one: abs(one.source.line_start - line))
    claims = index.supersession_claims([entry.record_id], Filter())
    return next((row.record for row in index.fetch([row_id for _id, row_id in claims]).values()), None)


MAX_LISTED_EXCLUDED = 20  # records left out that are listed; the rest is counted

UNRANKED_PARTS = {  # why a line is in a pack that no recall found
    "core": "always packed, in the order of its file",
    "correction": "corrects what this session was told before",
    "standing": "holds for all requests, and is packed whatever is asked",
}


def explain_receipt(receipt: Receipt, entry_lines: Sequence[EntryLine], record_id: str | None = None) -> str:
    """Text for a person; of one record where `record_id` is given, in full or as cited (raises NotFound if it was not
    considered). `entry_lines` are the lines of its entries: the receipt has no words."""
    pairs = [*zip(receipt.considered, entry_lines, strict=True)]
    if record_id is None:
        return "\n".join(_receipt_lines(receipt, pairs))
    chosen = {entry.record_id: (entry, line) for entry, line in pairs[::-1] if is_cited_as(entry.record_id, record_id)}
    if not chosen:
        similar_ids = closest_names(record_id, [entry.record_id for entry in receipt.considered], 2)
        raise NotFound(f"record in receipt {receipt.id}", record_id, similar_ids)
    return "\n".join(text for _id, pair in sorted(chosen.items()) for text in _explain_entry(*pair))


def _explain_entry(entry: ReceiptEntry, entry_line: EntryLine) -> list[str]:
    """What became of one record, and the calculation of its score."""
    heading, excerpt, outcome = _describe_entry(entry, entry_line)
    lines = [heading, f"  {excerpt}", f"  {outcome}"]
    if entry_line.record and (belief := describe_belief(entry_line.record)):
        lines.append(f"  {belief}")
    if entry.reasons:  # a sum of what the lanes say, times the factors
        lines += [f"  {line}" for line in format_arithmetic(entry.reasons, entry.score)]
    else:
        part = entry.reason.split(" ")[0] if entry.included else ""
        lines.append(f"  {UNRANKED_PARTS.get(part, 'no score: no lane of recall found it')}")
    return lines


def _receipt_lines(receipt: Receipt, pairs: Sequence[tuple[ReceiptEntry, EntryLine]]) -> Iterator[str]:
    """A summary; then what went in, with excerpts, and what was left out, of which the first are listed."""
    taken = [pair for pair in pairs if pair[0].included]
    excluded = [pair for pair in pairs if not pair[0].included]
    question = f" for {sanitize_line(receipt.query)!r}" if receipt.query else ""
    searched = f"; found by {', '.join(receipt.lanes)}" if receipt.lanes else ""
    tokens = f"{receipt.tokens} of {receipt.budget_tokens} tokens"
    yield f"{receipt.id} of {receipt.ts}{question}: {tokens}, {len(taken)} in, {len(excluded)} out{searched}"
    yield "in" if taken else "in: nothing"
    for pair in taken:
        heading, excerpt, outcome = _describe_entry(*pair)
        yield from (f"  {heading}  {outcome}", f"      {excerpt}")
    if excluded:
        yield "out"
    for pair in excluded[:MAX_LISTED_EXCLUDED]:
        heading, _excerpt, outcome = _describe_entry(*pair)
        yield f"  {heading}  {outcome}"
    rest = Counter(entry.reason for entry, _line in excluded[MAX_LISTED_EXCLUDED:])
    yield from (f"  and {number} more: {reason}" for reason, number in sorted(rest.items()))


def _describe_entry(entry: ReceiptEntry, entry_line: EntryLine) -> tuple[str, str, str]:
    """The citation as packed, and the current one if it differs; the text, also that of today if it changed; and what
    became of it."""
    record = entry_line.record
    citation = record.source.location if record else entry.citation
    moved = f" (now {sanitize_line(citation)})" if citation != entry.citation else ""
    excerpt = _cut_excerpt(record.text) if record else "(no longer there)"
    if entry_line.is_changed and entry_line.before:
        excerpt = f"{_cut_excerpt(entry_line.before)}  (today: {excerpt})"
    changed = ", changed since" if entry_line.is_changed and record else ""
    cost = f", {entry.tokens} tokens" if entry.included else ""
    score = f", score {entry.score:g}" if entry.reasons else ""
    heading = f"{sanitize_line(entry.citation)}{moved}  {entry.record_id}"
    return heading, excerpt, f"{entry.reason}{cost}{score}{changed}"


def _cut_excerpt(text: str) -> str:
    excerpt = quote_line(sanitize_line(text[:MAX_RECORD_CHARS]))
    is_long = len(excerpt) > MAX_EXCERPT_CHARS
    return excerpt[: MAX_EXCERPT_CHARS - 1].rstrip() + ELLIPSIS if is_long else excerpt


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
