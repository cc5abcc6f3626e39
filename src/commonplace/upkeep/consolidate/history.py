"""The ledger lines of earlier runs, and the lines of recent packs, which must not be learned again."""

from __future__ import annotations

from commonplace.capture import SUPPORTED_OP, text_key
from commonplace.index import Index
from commonplace.model import Hit, Record
from commonplace.retrieval.pack import PackOptions, make_pack_line
from commonplace.shapes import Json
from commonplace.storage import receipts
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_timestamp
from commonplace.upkeep.consolidate.claim_record import LedgerStatement
from commonplace.upkeep.consolidate.duplicates import PackedLine, echo_digests

CONSOLIDATED_OP, STATED_OP, REJECTED_OP = "consolidated", "stated", "rejected"
OLD_REPEATED_OP = "repeated"  # with `captures`: the same as `supported` in ledgers of earlier versions


class LedgerHistory:
    """The entries of the ledger that consolidation needs.

    `consolidated` has the ids of captures, items and sentences of logs, and the digests of logs, that earlier runs are
    done with.
    `digests_by_record` has the digests of the texts that the system wrote for a record: a line with another text was
    changed by a person. `record_by_words` has the record with these words, `statement_by_record` the statement of a
    record, `repeated_captures` the captures that repeat a record, `rejected_words` the words that a person rejected.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._position = journal, ""
        self.consolidated: set[str] = set()
        self.digests_by_record: dict[str, set[str]] = {}
        self.record_by_words: dict[str, str] = {}
        self.statement_by_record: dict[str, LedgerStatement] = {}
        self.repeated_captures: dict[str, dict[str, None]] = {}
        self.rejected_words: set[str] = set()
        self.tombstones: set[str] = set()
        self.catch_up()

    def catch_up(self) -> None:
        """Read the entries that were appended since the last call."""
        for reading in self._journal.read_batches("ledger", self._position):
            self._position = reading.position
            for entry in reading.entries:
                self._apply_entry(entry.fields)

    def is_unchanged(self, record: Record) -> bool:
        """Whether the system wrote this line and nobody changed it since."""
        return text_key(record.text) in self.digests_by_record.get(record.id, ())

    def _apply_entry(self, fields: Json) -> None:
        op, record = fields.get("op"), str(fields.get("record"))
        if op == CONSOLIDATED_OP:
            for key in ("captures", "logs", "pending"):
                self.consolidated.update(_read_string_list(fields.get(key)))
        elif op == "origin" and fields.get("by"):
            self.digests_by_record.setdefault(record, set()).add(str(fields.get("digest")))
        elif op == STATED_OP:
            statement = LedgerStatement(record, str(fields.get("words") or ""), str(fields.get("time") or ""))
            self.statement_by_record[record] = statement
            self.record_by_words[statement.words] = record
        elif op in (SUPPORTED_OP, OLD_REPEATED_OP):
            captures = dict.fromkeys(_read_string_list(fields.get("sources") or fields.get("captures")))
            self.repeated_captures.setdefault(record, {}).update(captures)
        elif op == REJECTED_OP:
            self.rejected_words.update(_read_string_list(fields.get("words")))
        elif op == "forgotten":
            self.tombstones.update(_read_string_list(fields.get("tombstones")))


def _read_string_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


MAX_RECENT_PACKS = 200  # whose lines somebody may still be repeating


def read_recent_packs(root: str, index: Index, key: bytes) -> dict[str, list[PackedLine]]:
    """Return the lines of the last packs of a workspace, each as it was printed and by its text alone, by digest."""
    first: dict[tuple[str, str], str] = {}
    for receipt in receipts.read_receipts(root).receipts[-MAX_RECENT_PACKS:]:
        for entry in receipt.considered:
            if entry.included:
                first.setdefault((entry.record_id, entry.citation), receipt.ts)
    lines: dict[str, list[PackedLine]] = {}
    for (record_id, citation), ts in sorted(first.items()):
        record = index.find(record_id)
        if record is not None:
            line = PackedLine(parse_timestamp(ts), frozenset((record.id, *record.sources)), not record.superseded_by)
            printed = make_pack_line(Hit(record, 0.0), PackOptions(count_tokens=len))
            as_printed = f"{printed.prefix}{printed.body} {record.source.short_id or citation}"
            for digest in echo_digests(record.text, key) | echo_digests(as_printed, key):
                lines.setdefault(digest, []).append(line)
    return lines
