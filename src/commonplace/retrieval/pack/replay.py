"""Compare a pack with the same pack made again, and name what has changed in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from commonplace.index import Index
from commonplace.model import PackBasis, Receipt
from commonplace.retrieval.pack.basis import DIGEST_CHARS
from commonplace.retrieval.pack.impact import ids_in
from commonplace.retrieval.pack.receipt import ReceiptComparison, compare_receipts
from commonplace.storage.journal import read_ledger_lines

CauseKind = Literal["setting", "file", "captures", "line", "superseded", "hidden", "gone", "ledger", "lane"]
OTHER_FILES = "files from which it took nothing"
UNREAD_OPS = ("included", "delivered", "seen")  # of ledger lines that change no ranking


class ReplayCause(Struct, frozen=True):
    """Something that differs since a pack was made: its kind, a setting, path, id or part of the score, and what became
    of it."""

    kind: CauseKind
    subject: str
    outcome: str


class ReceiptReplay(Struct, frozen=True):
    """A receipt beside the same pack made again: `same_pack` if text, scores and outcomes are the same; `same_files` if
    files, captures and settings are. `left_out_differ` counts the candidates of neither pack that differ."""

    comparison: ReceiptComparison
    same_pack: bool
    same_files: bool
    causes: tuple[ReplayCause, ...]
    left_out_differ: int


def compare_replay(index: Index, root: str, receipt: Receipt, again: Receipt) -> ReceiptReplay:
    """A receipt beside that of the same pack made again. Both have a basis."""
    comparison = compare_receipts(receipt, again)
    before, after = receipt.basis, again.basis
    if before is None or after is None:
        raise ValueError("a receipt without its basis cannot be compared with a replay")
    changed = set(receipt.considered).symmetric_difference(again.considered)
    shown = {one.record_id for one in (*receipt.considered, *again.considered) if one.included}
    causes = (
        *_changed_state(index, before, after),
        *_changed_lanes(receipt, again),
        *_changed_records(index, root, comparison),
    )
    return ReceiptReplay(
        comparison,
        same_pack=receipt.id == again.id and not changed,
        same_files=(before.files, before.captures, before.settings) == (after.files, after.captures, after.settings),
        causes=causes,
        left_out_differ=len({one.record_id for one in changed} - shown),
    )


def _changed_state(index: Index, before: PackBasis, after: PackBasis) -> Iterator[ReplayCause]:
    """Settings, files and captures that are not as they were."""
    settings = {key for key, _digest in before.settings.items() ^ after.settings.items()}
    yield from (ReplayCause("setting", key, "has another value") for key in sorted(settings))
    if before.files != after.files:
        digests = index.file_digests(tuple(before.paths))[1]
        changed = [path for path, digest in before.paths.items() if digests.get(path, "")[:DIGEST_CHARS] != digest]
        yield from (ReplayCause("file", path, "changed" if digests.get(path) else "is gone") for path in changed)
        if not changed:
            yield ReplayCause("file", OTHER_FILES, "changed")
    if before.captures != after.captures:
        yield ReplayCause("captures", "the journals of captures", "changed")


def _changed_lanes(before: Receipt, after: Receipt) -> Iterator[ReplayCause]:
    """What found lines only then or only now, as the meaning does where vectors were missing."""
    yield from (ReplayCause("lane", name, "found no line then") for name in after.lanes if name not in before.lanes)
    yield from (ReplayCause("lane", name, "finds no line now") for name in before.lanes if name not in after.lanes)


def _changed_records(index: Index, root: str, comparison: ReceiptComparison) -> Iterator[ReplayCause]:
    """What became of the records that differ, and what the ledger says of them since."""
    digests = {one.record_id: one.digest for one in comparison.before.considered if one.included}
    differing = {one.record_id for one in comparison.differences}
    hidden = index.hidden_ids() if differing else frozenset()
    for record_id in sorted(digests.keys() | differing):
        record = index.find(record_id)
        if record_id in hidden:
            yield ReplayCause("hidden", record_id, "is hidden")
        elif record is None:
            yield ReplayCause("gone", record_id, "is gone")
        elif digests.get(record_id, record.source.digest) != record.source.digest:
            yield ReplayCause("line", record_id, "has other words")
        elif record_id in differing and record.superseded_by:
            yield ReplayCause("superseded", record_id, f"is superseded by {record.superseded_by}")
    for fields in read_ledger_lines(root, tuple(differing)):
        if isinstance(fields, dict) and fields["ts"] >= comparison.before.ts and fields.get("op") not in UNREAD_OPS:
            for record_id in differing.intersection(ids_in(fields)):
                yield ReplayCause("ledger", record_id, f"{fields['op']} at {fields['ts']}")
