"""Make a pack of a workspace: look up its context, build it, write its receipt and its ledger line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any

from msgspec import Struct, structs

from commonplace.capture import TextMasker
from commonplace.errors import NoReceipt, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import Filter, Index, IndexedRecord
from commonplace.language import tokens
from commonplace.language.text import detect_language, tokenize
from commonplace.model import Hit, Hits, Pack, PackBasis, Query, Receipt, ReceiptEntry, Record, day_of
from commonplace.redact import KnownSecret
from commonplace.retrieval.pack.basis import DIGEST_CHARS, digest_settings, session_key
from commonplace.retrieval.pack.build import DEFAULT_IMPORTANCE, GRADE_WEIGHT, HIGH_IMPORTANCE, StandingLine, build_pack
from commonplace.retrieval.pack.policy import CAPTURE_FOLDER, PackOptions, share_of
from commonplace.retrieval.pack.receipt import make_receipt, query_digest
from commonplace.retrieval.recall import build_record_filter, content_tokens, order_values
from commonplace.storage import receipts
from commonplace.storage.files import content_digest
from commonplace.storage.journal import Journal
from commonplace.storage.settings import Settings
from commonplace.truth import derive_beliefs, find_changed_source, find_disputes

WORKING_BUFFER_PATH = "memory/working-buffer.md"
MAX_NEWEST_LINES = 8  # lines of the buffer, and as many captures of the session, that a tail chooses from
MAX_EXAMINED_LINES = 200  # of the last of a file or session, for those that the query may see; of standing ones


class PackContext:
    """Looks up what a pack shows beside its hits, as far as the query may see it."""

    def __init__(self, index: Index, query: Query, hits: tuple[Hit, ...] = ()) -> None:
        self._index, self._query, self._hits = index, query, hits
        self._hits_by_id: dict[str, Hit] = {}
        seen = structs.replace(query, kinds=(), categories=(), since="", until="", evidence="auto")
        self._record_filter = build_record_filter(seen)
        self.previous_line = cache(lambda record: index.preceding_record(record, self._record_filter))

    def disputing_lines(self, record: Record) -> tuple[Record, ...]:
        """The records that contradict a shown line: its replacement, a less trusted record that claims to replace it,
        and pending items; a line is not contradicted by the records that it replaces."""
        return tuple(self._disputes.get(record.id, ()))

    def has_changed_source(self, record: Record) -> bool:
        """Whether a line that holds rests on something that was superseded or removed; what was said stays so."""
        holds = not (record.is_evidence or record.superseded_by)
        return holds and find_changed_source(record, self._index) is not None

    def find_retelling(self, hit: Hit) -> Record | None:
        """The record made of a capture that has every content word of it, if the query may see it."""
        if not (hit.record.is_evidence and hit.repeated):
            return None
        words = content_tokens(tokenize(hit.record.text), detect_language(hit.record.text))
        rows = self._index.rows_with_ids(hit.repeated)
        visible = self._index.fetch(list(self._index.token_counts(rows, self._record_filter)))
        others = (row for row in visible.values() if not row.record.is_evidence)
        return next((row.record for row in others if set(words) <= set(row.tokens.split())), None)

    def newest_lines(self, session: str, *, has_buffer: bool) -> tuple[Record, ...]:
        """The newest lines of the working buffer, then the newest captures of a session; the newest first."""
        note_rows = self._index.rows_of_file(WORKING_BUFFER_PATH) if has_buffer else []
        capture_rows = self._index.rows_of_session(session) if session else []
        lines: list[Record] = []
        for row_ids in (note_rows, capture_rows):
            visible = self._index.token_counts(row_ids[-MAX_EXAMINED_LINES:], self._record_filter)
            rows = self._index.fetch([row_id for row_id in row_ids if row_id in visible]).values()
            lines += [row.record for row in rows if row.record.form != "heading"][: -MAX_NEWEST_LINES - 1 : -1]
        return tuple(lines)

    def core_lines(self) -> tuple[Record, ...]:
        """The lines of the HOT core that the query's scope may see, in order; nothing else narrows them."""
        core_filter = Filter(scopes=self._query.scopes, trusts=tuple(self._query.trust))
        rows = self._index.rows_of_file(CORE_PATH)
        seen = self._index.token_counts(rows, core_filter)
        return tuple(row.record for row in self._read_current([row_id for row_id in rows if row_id in seen]))

    def standing_lines(self) -> tuple[StandingLine, ...]:
        """The standing instructions and preferences that are trusted and that the query may see, with weights."""
        if "trusted" not in self._query.trust:
            return ()
        trusted = structs.replace(self._record_filter, trusts=("trusted",))
        grades = self._index.standing_rows(trusted, MAX_EXAMINED_LINES)
        return tuple(
            StandingLine(row.record, _standing_weight(row.record, grades[row.row_id]), frozenset(row.tokens.split()))
            for row in self._read_current(grades)
        )

    def corrections(self, capture_ids: tuple[str, ...]) -> tuple[Record, ...]:
        """Those of these captures that are trusted and that the query's scope may see."""
        rows = self._index.rows_with_ids(capture_ids) if capture_ids else []
        seen = self._index.token_counts(rows, Filter(scopes=self._query.scopes, trusts=("trusted",)))
        records = {row.record.id: row.record for row in self._index.fetch(list(seen)).values()}
        return tuple(records[capture_id] for capture_id in capture_ids if capture_id in records)

    def current_value(self, record: Record) -> Hit:
        """A line that was read here with the values before and after its own."""
        return self._hits_by_id.get(record.id) or Hit(record, 0.0)

    def _read_current(self, row_ids: Collection[int]) -> list[IndexedRecord]:
        """The records of rows, in their order, as they are believed now; `current_value` knows the other values."""
        rows = self._index.fetch(list(row_ids))
        values = order_values(self._index, rows, self._record_filter, today=day_of(self._query.now))
        records = derive_beliefs(self._index, [row.record for row in rows.values()])
        current = [structs.replace(row, record=record) for row, record in zip(rows.values(), records, strict=True)]
        for row in current:
            self._hits_by_id[row.record.id] = values.mark_hit(self._index, row.row_id, Hit(row.record, 0.0))
        return current

    @cached_property
    def _disputes(self) -> dict[str, list[Record]]:
        """By the id of a hit the lines that speak against it: those that say so, then those that wait for review."""
        seen = structs.replace(self._record_filter, decided=False)
        return find_disputes(self._index, [hit.record.id for hit in self._hits], seen)


CORE_PATH = "MEMORY.md"


def _standing_weight(record: Record, grade: int) -> float:
    """The importance of a record, in tenths, and what its grade adds; what consolidation gave weighs less."""
    importance = DEFAULT_IMPORTANCE if record.importance is None else record.importance
    return round(min(importance, HIGH_IMPORTANCE if record.sources else 1.0), 1) + GRADE_WEIGHT * (grade - 1)


class ActiveTask(Struct, frozen=True):
    """The current task: its session, if known, and whether the working buffer is in use."""

    session: str = ""
    has_buffer: bool = False


class PackSpec(Struct, frozen=True):
    """What is to be packed: the budget, and for whom (`automatic`: nobody looks at it first).

    The newest lines of `task` end an automatic pack; with `standing`, instructions that always hold have their share.
    What was captured in the `current_session`, and what is `shown` to the reader elsewhere, by id or path, stays out.
    `root` is the workspace; `options` are the parameters that the receipt keeps, as JSON; `reader` is the session that
    gets the pack, `corrections` are captures that tell it what was wrong; `recall_ms` is what finding the hits took;
    `known_secrets` gives secrets known word for word; `defer_write` takes what may be written later.
    """

    settings: Settings
    budget_tokens: int
    automatic: bool
    root: str = ""
    recall_ms: float = 0.0
    known_secrets: Callable[[], tuple[KnownSecret, ...]] = tuple
    task: ActiveTask = ActiveTask()
    current_session: str = ""
    standing: bool = True
    shown: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    reader: str = ""
    corrections: tuple[str, ...] = ()
    defer_write: Callable[[Callable[[], None]], None] | None = None


def make_pack(index: Index, journal: Journal, hits: Hits, pack_spec: PackSpec) -> Pack:
    """The pack, after its receipt and its ledger line are on disk, or were given to `defer_write`; being packed has no
    effect on later rankings.

    Raises NoReceipt where those cannot be written, LockBusy.
    """
    start = time.perf_counter()
    pack_spec = structs.replace(pack_spec, corrections=_find_owed_corrections(index, hits.query, pack_spec))
    packed, considered = preview_pack(index, hits, pack_spec)
    timings = {"recall": pack_spec.recall_ms, "pack": (time.perf_counter() - start) * 1e3}
    receipt = make_receipt(
        packed,
        hits,
        considered,
        ts=hits.query.now,
        timings_ms=timings,
        keep_query=pack_spec.settings.receipts_query_text,
        basis=make_basis(index, pack_spec, packed),
    )
    stamp = {"ts": receipt.ts, "receipt": receipt.id}
    payloads = [{"op": "included", "records": [item.record_id for item in packed.items], **stamp}]
    if delivered := [item.record_id for item in packed.items if item.part == "correction"]:
        payloads.append({"op": "delivered", "records": delivered, "session": session_key(pack_spec.reader), **stamp})

    def write() -> None:
        masker = TextMasker(journal.root, pack_spec.known_secrets())
        try:
            receipts.append_receipt(journal.root, _mask_receipt(receipt, masker), journal.device)
            journal.append_all(payloads, "ledger")
        except (NotFound, OutsideWorkspace, WorkspaceUnusable) as error:
            raise NoReceipt(error) from error

    pack_spec.defer_write(write) if pack_spec.defer_write else write()
    return structs.replace(packed, receipt_id=receipt.id)


CORRECTION_DAYS = 30  # after which nobody is told any more
QUESTION_OPTIONS = (
    "entities",
    "phrases",
    "tags",
)  # options that are words of the question, which receipts do not keep by themselves


def _find_owed_corrections(index: Index, query: Query, pack_spec: PackSpec) -> tuple[str, ...]:
    """The captures that an automatic pack must tell its session as corrections, the oldest first."""
    if not (pack_spec.automatic and pack_spec.reader):
        return ()
    since = (datetime.fromisoformat(query.now) - timedelta(days=CORRECTION_DAYS)).isoformat(timespec="minutes")
    return tuple(index.owed_corrections(session_key(pack_spec.reader), since))


def _mask_receipt(receipt: Receipt, masker: TextMasker) -> Receipt:
    """The receipt without the secrets in what was asked, and by whom; the digest of a question that is kept is that of
    its masked text."""
    asked = {name: getattr(receipt, name) for name in ("query", "scope", "notes")}
    reader = {name: getattr(receipt.basis, name) for name in ("session", "options")} if receipt.basis else {}
    if not (any(asked.values()) or any(reader.values())):
        return receipt
    (asked, reader), _secrets = masker.redact_fields((asked, reader))
    digest = query_digest(asked["query"]) if asked["query"] else receipt.query_digest
    basis = receipt.basis and structs.replace(receipt.basis, **reader)
    return structs.replace(receipt, **asked | {"notes": tuple(asked["notes"])}, query_digest=digest, basis=basis)


def make_basis(index: Index, pack_spec: PackSpec, packed: Pack) -> PackBasis:
    """The basis of a pack, with the text of its options as it was given."""
    paths = {item.source.path for item in packed.items if not item.source.path.startswith(CAPTURE_FOLDER)}
    files, digests = index.file_digests(sorted(paths))
    keeps_query, options = pack_spec.settings.receipts_query_text, pack_spec.options
    withheld = () if keeps_query else tuple(name for name in QUESTION_OPTIONS if name in options)
    stored = {name: value for name, value in options.items() if name not in (*withheld, "automatic")}
    return PackBasis(
        automatic=pack_spec.automatic,
        session=pack_spec.reader,
        options=stored,
        withheld=withheld,
        corrections=pack_spec.corrections,
        settings=digest_settings(pack_spec.settings),
        files=content_digest(files.encode("utf-8", "surrogateescape"))[:DIGEST_CHARS],
        captures=content_digest(index.get_meta("captures").encode())[:DIGEST_CHARS],
        paths={path: digest[:DIGEST_CHARS] for path, digest in digests.items()},
    )


def preview_pack(index: Index, hits: Hits, pack_spec: PackSpec) -> tuple[Pack, tuple[ReceiptEntry, ...]]:
    """The same pack and what became of each record, with nothing written."""
    count_tokens, note = tokens.load_tokenizer(vocabulary_path(pack_spec.settings, pack_spec.root))
    around = PackContext(index, hits.query, hits.hits)
    options = PackOptions(
        count_tokens=count_tokens,
        automatic=pack_spec.automatic,
        untrusted=pack_spec.settings.pack_untrusted,
        max_items=hits.query.k,
        conflicts=index.conflicted_paths(),
        standing_share=share_of(pack_spec.settings.pack_standing_percent),
        tail_share=share_of(pack_spec.settings.pack_tail_percent),
        previous_line=around.previous_line,
        disputing_lines=around.disputing_lines,
        current_session=pack_spec.current_session,
        shown=frozenset(pack_spec.shown),
        current_value=around.current_value,
        has_changed_source=around.has_changed_source,
        now=hits.query.now,
        floor=share_of(pack_spec.settings.pack_floor_percent) * hits.confidence if pack_spec.automatic else 0.0,
        states_only=hits.query.evidence == "stated",
        find_retelling=around.find_retelling if pack_spec.automatic else lambda _hit: None,
    )
    task, has_standing = pack_spec.task, pack_spec.automatic and pack_spec.standing and options.standing_share
    with index.snapshot():
        core = around.core_lines() if pack_spec.settings.pack_core else ()
        standing = around.standing_lines() if has_standing else ()
        tail = around.newest_lines(task.session, has_buffer=task.has_buffer) if pack_spec.automatic else ()
        packed, considered = build_pack(
            hits,
            core,
            budget_tokens=pack_spec.budget_tokens,
            options=options,
            standing=standing,
            corrections=around.corrections(pack_spec.corrections),
            tail=tail,
        )
    return structs.replace(packed, notes=(note,) if note else ()), considered


def vocabulary_path(settings: Settings, root: str) -> str:
    """The path of the vocabulary, in full; one that is not absolute is meant from the workspace."""
    path = os.path.expanduser(settings.pack_tokenizer)
    return os.path.join(root, path) if path else ""
