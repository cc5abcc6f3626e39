"""What a run reads of the past: interactions to consolidate, the ledger of earlier runs, and lines of recent packs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from commonplace.capture import SUPPORTED_OP, text_key
from commonplace.index import Index
from commonplace.model import ACTORS, TRUSTS, Capture, Hit, Record
from commonplace.retrieval.pack import PackOptions, make_pack_line
from commonplace.shapes import Json
from commonplace.storage import receipts
from commonplace.storage.journal import Journal, parse_capture
from commonplace.storage.tombstones import read_tombstones
from commonplace.storage.workspace import parse_timestamp
from commonplace.sync import FORGOTTEN_OP, REJECTED_OP, RESTORED_OP, is_forgotten_capture, own_words
from commonplace.upkeep.consolidate.claim_record import LedgerStatement
from commonplace.upkeep.consolidate.duplicates import PackedLine, echo_digests

SESSION_PAUSE = timedelta(hours=6)  # after so long a pause another interaction begins, also within a session
MAX_INTERACTION_CAPTURES = 80  # captures of one interaction; the rest make another
DAY_CHARS = len("2025-11-27")

InteractionKey = tuple[str, str, str]  # session, day of what belongs to none, scope


class Interaction(Struct, frozen=True):
    """Captures of one session and scope, in order of time."""

    session: str
    scope: str
    captures: tuple[Capture, ...]


def read_interactions(
    journal: Journal, consolidated_ids: Container[str], *, ended_before: str = ""
) -> tuple[Interaction, ...]:
    """The interactions in the journal that are not consolidated, oldest first, with `ended_before` (an ISO minute) only
    those that ended before it. The notes of `retain`, which are in Markdown already, and private captures have none."""
    groups: dict[InteractionKey, list[Capture]] = {}
    for capture in read_learnable_captures(journal, lambda fields: fields["id"] not in consolidated_ids):
        key = capture.session, "" if capture.session else capture.ts[:DAY_CHARS], capture.scope
        groups.setdefault(key, []).append(capture)
    interactions = [one for group in groups.values() for one in _split_at_pauses(group)]
    ended = [one for one in interactions if not ended_before or one.captures[-1].ts < ended_before]
    return tuple(sorted(ended, key=lambda one: (one.captures[0].ts, one.captures[0].id)))


def read_learnable_captures(journal: Journal, is_wanted: Callable[[Json], bool]) -> Iterator[Capture]:
    """The captures that may be learned from in the order of the journal, not those that were forgotten, with their
    speakers' own words alone; one that is nothing but a paste is untrusted."""
    tombstones = read_tombstones(journal.root)
    for reading in journal.read_batches("captures"):
        for entry in reading.entries:
            detail = entry.fields.get("detail")
            is_withheld = isinstance(detail, dict) and (detail.get("kept") or detail.get("private"))
            if (
                is_wanted(entry.fields)
                and len(parse_timestamp(entry.fields["ts"])) >= DAY_CHARS
                and not is_withheld
                and entry.fields.get("actor") in ACTORS
                and entry.fields.get("origin") in TRUSTS
                and not is_forgotten_capture(entry.fields, journal.root, tombstones)
            ):
                capture = parse_capture(entry.fields)
                if pasted := capture.detail.get("pasted"):
                    words = own_words(capture.text, pasted)
                    changed: dict[str, Any] = {"text": words} if words else {"origin": "untrusted"}
                    capture = structs.replace(capture, **changed)
                yield capture


def _split_at_pauses(captures: list[Capture]) -> Iterator[Interaction]:
    """The interactions of a session, which end at long pauses, and where one has too many captures for an episode."""
    captures = sorted(captures, key=lambda one: one.ts)  # stable: equal times in the order of the journal
    start = 0
    for at in range(1, len(captures) + 1):
        is_end = at == len(captures) or at - start >= MAX_INTERACTION_CAPTURES
        if not is_end and captures[at - 1].ts[:13] != captures[at].ts[:13]:  # not within an hour, as nearly always
            minutes = ((parse_timestamp(one.ts) + "T00:00")[:16] for one in captures[at - 1 : at + 1])
            earlier, later = map(datetime.fromisoformat, minutes)
            is_end = later - earlier > SESSION_PAUSE
        if is_end:
            yield Interaction(captures[0].session, captures[0].scope, tuple(captures[start:at]))
            start = at


CONSOLIDATED_OP, STATED_OP = "consolidated", "stated"


class LedgerHistory:
    """The entries of the ledger that consolidation needs.

    `consolidated` has the ids of captures, items and sentences of logs, and the digests of logs, that earlier runs are
    done with; `digests_by_record` those of the texts that the system wrote for a record: a line with another text was
    changed by a person. `repeated_captures` are those that repeat a record, `rejected_items` items of the queue.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._position = journal, ""
        self.consolidated: set[str] = set()
        self.digests_by_record: dict[str, set[str]] = {}
        self.record_by_words: dict[str, str] = {}
        self.statement_by_record: dict[str, LedgerStatement] = {}
        self.repeated_captures: dict[str, dict[str, None]] = {}
        self.rejected_words: set[str] = set()
        self.rejected_items: set[str] = set()
        self._hidden_by_line: dict[str, list[str]] = {}  # what each line of the ledger forgets
        self.catch_up()

    @property
    def hidden_ids(self) -> set[str]:
        """The captures and records that are forgotten."""
        return {record_id for ids in self._hidden_by_line.values() for record_id in ids}

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
        elif op == SUPPORTED_OP:
            captures = dict.fromkeys(_read_string_list(fields.get("sources")))
            self.repeated_captures.setdefault(record, {}).update(captures)
        elif op == REJECTED_OP:
            self.rejected_items.add(record)
            self.rejected_words.update(_read_string_list(fields.get("words")))
        elif op == FORGOTTEN_OP:
            self._hidden_by_line[fields["id"]] = _read_string_list(fields.get("records"))
        elif op == RESTORED_OP:
            for line_id in _read_string_list(fields.get("undone")):
                self._hidden_by_line.pop(line_id, None)


def _read_string_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


MAX_RECENT_PACKS = 200  # whose lines somebody may still be repeating


def read_recent_packs(root: str, index: Index, key: bytes) -> dict[str, list[PackedLine]]:
    """The lines of the last packs of a workspace, each as it was printed and by its text alone, by digest."""
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
