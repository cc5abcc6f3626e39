"""What a run is held against: what the ledger says was done before, and what recent packs gave out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, structs

from commonplace.capture.write_context import text_key
from commonplace.index import Index
from commonplace.language.text import fold_name, name_key, sanitize_line
from commonplace.model import Record
from commonplace.retrieval.pack.lines import make_pack_line
from commonplace.retrieval.pack.policy import PackOptions
from commonplace.storage import files, receipts
from commonplace.storage.journal import Journal
from commonplace.storage.workspace.timestamps import parse_timestamp
from commonplace.upkeep.consolidate.candidates import BlockedDigests
from commonplace.upkeep.consolidate.claims import RecordDraft
from commonplace.upkeep.consolidate.duplicates import echo_digests

CONSOLIDATED_OP, STATED_OP, REPEATED_OP, REJECTED_OP = "consolidated", "stated", "repeated", "rejected"


class LedgerStatement(Struct, frozen=True):
    """What the ledger knows of a line: which record, what it says (`words`), of what (`key`) which value, said when.

    All but the time are digests; `key` and `value` are empty for a line that states no attribute of anything.
    """

    record: str
    words: str
    key: str = ""
    value: str = ""
    time: str = ""


class LedgerHistory:
    """The ledger as consolidation needs it.

    `digests_by_record` has the texts that the system gave a record: a line with another text was changed by a person
    since. `statements_by_key` knows which records state an attribute of an entity, `record_by_words` which record says
    these words, `statement_by_record` what a record stated, `repeated_captures` the captures that said again what a
    record says, `rejected_words` the words that a person rejected.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._position = journal, ""
        self.consolidated: set[str] = set()
        self.digests_by_record: dict[str, set[str]] = {}
        self.statements_by_key: dict[str, dict[str, LedgerStatement]] = {}
        self.record_by_words: dict[str, str] = {}
        self.statement_by_record: dict[str, LedgerStatement] = {}
        self.repeated_captures: dict[str, dict[str, None]] = {}
        self.rejected_words: set[str] = set()
        self.tombstones: set[str] = set()
        self.catch_up()

    def catch_up(self) -> None:
        """Read what was appended since the last look."""
        for reading in self._journal.read_batches("ledger", self._position):
            self._position = reading.position
            for entry in reading.entries:
                self._apply_entry(entry.fields)

    def is_unchanged(self, record: Record) -> bool:
        """Whether the system wrote this line and nobody changed it since."""
        return text_key(record.text) in self.digests_by_record.get(record.id, ())

    def has_current_statement(self, record: Record) -> bool:
        """Whether what a line states is in the ledger, and nobody changed the line since."""
        return self.has_statement(record.id, text_key(record.text))

    def has_statement(self, record_id: str, digest: str) -> bool:
        """The same, by the id of a line and the digest of its text."""
        return record_id in self.statement_by_record and digest in self.digests_by_record.get(record_id, ())

    def _apply_entry(self, fields: dict[str, Any]) -> None:
        op, record = fields.get("op"), str(fields.get("record"))
        if op == CONSOLIDATED_OP:
            self.consolidated.update(_read_string_list(fields.get("captures")))
        elif op == "origin" and fields.get("by"):
            self.digests_by_record.setdefault(record, set()).add(str(fields.get("digest")))
        elif op == STATED_OP:
            told = (str(fields.get(name) or "") for name in ("words", "key", "value", "time"))
            self._add_statement(LedgerStatement(record, *told))
        elif op == REPEATED_OP:
            self.repeated_captures.setdefault(record, {}).update(
                dict.fromkeys(_read_string_list(fields.get("captures")))
            )
        elif op == REJECTED_OP:
            self.rejected_words.update(_read_string_list(fields.get("words")))
        elif op == "forgotten":
            self.tombstones.update(_read_string_list(fields.get("tombstones")))

    def _add_statement(self, statement: LedgerStatement) -> None:
        self.statement_by_record[statement.record] = statement
        self.record_by_words[statement.words] = statement.record
        if statement.key:
            self.statements_by_key.setdefault(statement.key, {})[statement.record] = statement


def statement_key(entity: str, attribute: str) -> str:
    """The key under which the ledger knows that something states this attribute of this entity; empty for neither."""
    return _short_digest(f"{name_key(entity)}\0{attribute}") if entity and attribute else ""


def value_key(value: str) -> str:
    """The key of a value, however it is written."""
    return _short_digest(name_key(sanitize_line(value)))


def words_key(text: str) -> str:
    """The key of a text: case, blanks and what ends it aside."""
    return _short_digest(fold_name(sanitize_line(text)).rstrip(" .!?…。！？"))


def _short_digest(text: str) -> str:
    return files.content_digest(text.encode("utf-8", "surrogatepass"))[:20]


def _read_string_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


MAX_RECENT_PACKS = 200  # whose lines somebody may still be repeating


class PackedLine(Struct, frozen=True):
    """A line that a pack gave out: when first, what it rests on (itself, if it is a capture), whether it holds."""

    first_packed: str
    source_ids: frozenset[str]
    is_current: bool


class RecentPacks(Struct, frozen=True):
    """The lines by the keys of what they say; `tombstones` and `key` as the gate's guards have them."""

    lines_by_digest: dict[str, list[PackedLine]]
    tombstones: frozenset[str] = frozenset()
    key: bytes = b""

    def with_tombstones(self, tombstones: Iterable[str]) -> RecentPacks:
        """The same, and nothing that was forgotten on request comes in either."""
        return structs.replace(self, tombstones=frozenset(tombstones))

    def blocked_digests(self, draft: RecordDraft) -> BlockedDigests:
        """What must not come in again with this draft: what was given out before it was said, and did not come from
        there itself. Of what holds no more an agent may still repeat the old; who owns it says that it holds again."""

        def counts(line: PackedLine) -> bool:
            echoed = line.first_packed <= draft.time and line.source_ids.isdisjoint(draft.sources)
            return echoed and (line.is_current or draft.actor == "agent")

        keys = echo_digests(draft.text, self.key) if self.lines_by_digest else ()
        known = frozenset(key for key in keys if any(map(counts, self.lines_by_digest.get(key, ()))))
        return BlockedDigests(known, self.tombstones, self.key)


def read_recent_packs(root: str, index: Index, key: bytes) -> RecentPacks:
    """What the last packs of a workspace gave out."""
    first: dict[tuple[str, str], str] = {}
    for receipt in receipts.read_receipts(root).receipts[-MAX_RECENT_PACKS:]:
        for entry in receipt.considered:
            if entry.included:
                first.setdefault((entry.record_id, entry.citation), receipt.ts)
    given: dict[str, list[PackedLine]] = {}
    for (record_id, citation), ts in sorted(first.items()):
        record = index.find(record_id)
        if record is not None:
            line = PackedLine(parse_timestamp(ts), frozenset((record.id, *record.sources)), not record.superseded_by)
            for found in _printed_line_digests(record, citation, key):
                given.setdefault(found, []).append(line)
    return RecentPacks(given, key=key)


def _printed_line_digests(record: Record, citation: str, key: bytes) -> frozenset[str]:
    """The keys of a line as it was printed, its marks before it and its citation behind it, and of its text alone."""
    printed = make_pack_line(record, PackOptions(count_tokens=len))
    return echo_digests(record.text, key) | echo_digests(f"{printed.prefix}{printed.body} {citation}", key)
