"""Append and read the receipts of packs: JSON Lines, one file a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import attrgetter

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Problem, Receipt
from commonplace.shapes import RECEIPT_SCHEMA, receipt_json
from commonplace.storage import files, journal

LAST_RECEIPT = "last"
MAX_SUGGESTIONS = 3


class ReceiptLog(Struct, frozen=True):
    """All receipts, oldest first, and the lines that were set aside."""

    receipts: tuple[Receipt, ...]
    problems: tuple[Problem, ...]


def append_receipt(root: str, receipt: Receipt, device: str) -> None:
    """Append a receipt to the file of its device and day; it is on disk afterwards. Raises BadArgument, LockBusy."""
    journal.require_device_name(device)
    day = receipt.ts[: len("YYYY-MM-DD")]
    if not journal.is_iso_day(day):
        raise BadArgument(f"a receipt needs an ISO time, not {receipt.ts!r}")
    chain = journal.Chain(root, journal.RECEIPT_FOLDER, device)
    with files.hold_workspace_lock(root, f"receipts-{device}"):
        tail = journal.read_tail(chain, [f"{device}-{day}.jsonl"])
        journal.append_links(chain, tail, [journal.seal_link(receipt_json(receipt), tail.previous)])


def get_receipt(root: str, name: str = LAST_RECEIPT) -> Receipt:
    """The receipt with this id, or the last one. Raises NotFound, which names ids that are near."""
    known: list[str] = []
    for receipt in read_newest_receipts(root):
        if name in (LAST_RECEIPT, receipt.id):
            return receipt
        known.append(receipt.id)
    from rapidfuzz import process

    similar = process.extract(name, known, limit=MAX_SUGGESTIONS, score_cutoff=60)
    raise NotFound("receipt", name, tuple(receipt_id for receipt_id, _score, _at in similar))


def read_newest_receipts(root: str, *, until: str = "") -> Iterator[Receipt]:
    """The receipts, newest first, of those before an ISO time if one is given; a file is read when it is its turn, and
    each line is decoded then. Lines that are set aside are passed over."""
    for day, paths in reversed(_receipt_paths(root).items()):
        if until and day > until:
            continue
        logs = (_read_receipt_file(root, path, newest_first=True) for path in reversed(paths))
        receipts = ((one for one in log if isinstance(one, Receipt)) for log in logs)
        newest_first = merge(*receipts, key=attrgetter("ts"), reverse=True)
        yield from (one for one in newest_first if not until or one.ts < until)


def read_receipts(root: str) -> ReceiptLog:
    """Every receipt; bad lines are set aside as problems, their neighbours are read."""
    paths = (path for paths in _receipt_paths(root).values() for path in paths)
    return _sort_out(one for path in paths for one in _read_receipt_file(root, path))


def find_receipts(root: str, id_beginnings: Sequence[str]) -> ReceiptLog:
    """The receipts in which an id begins with one of these texts, oldest first; other lines are not even decoded."""
    needles = [f'"{text}'.encode("utf-8", "replace") for text in id_beginnings]
    paths = [path for paths in _receipt_paths(root).values() for path in paths]
    return _sort_out(
        line if isinstance(line, Problem) else decode_receipt(line.raw_line, line.path, line.line_number)
        for line in journal.find_lines(root, paths, needles)
    )


def _sort_out(read: Iterable[Receipt | Problem]) -> ReceiptLog:
    read = tuple(read)
    problems = tuple(one for one in read if isinstance(one, Problem))
    return ReceiptLog(tuple(one for one in read if isinstance(one, Receipt)), problems)


def decode_receipt(raw_line: bytes, path: str = "", line_number: int = 0) -> Receipt | Problem:
    """One line as a receipt, or what is wrong with it. Fields that we do not know are skipped."""
    fields = journal.parse_json_line(raw_line)
    if isinstance(fields, str):
        why = fields
    elif fields.get("schema") != RECEIPT_SCHEMA:
        why = f"it is not of the shape {RECEIPT_SCHEMA}"
    elif not journal.has_valid_checksum(raw_line):
        why = "its checksum does not match"
    else:
        try:
            return msgspec.convert(fields, Receipt)
        except msgspec.ValidationError as error:
            why = f"a field is off: {error}"
    return Problem("bad-line", f"this receipt is set aside: {why}", path, line_number)


def _receipt_paths(root: str) -> dict[str, list[str]]:
    """The files of each day, oldest first: `DEVICE-YYYY-MM-DD.jsonl`, and without a device before there were chains."""
    paths: dict[str, list[str]] = {}
    for name in sorted(files.list_file_sizes(root, journal.RECEIPT_FOLDER), key=lambda name: name[-16:]):
        day, before = name[-16:].removesuffix(".jsonl"), name[-17:-16]
        if journal.is_iso_day(day) and before in ("", "-"):
            paths.setdefault(day, []).append(f"{journal.RECEIPT_FOLDER}/{name}")
    return paths


def _read_receipt_file(root: str, path: str, *, newest_first: bool = False) -> Iterator[Receipt | Problem]:
    """The lines of one file; the last one may lack its newline after a crash."""
    try:
        *lines, torn = files.read_file(root, path).split(b"\n")
    except (NotFound, OutsideWorkspace) as error:
        yield Problem("unreadable", error.message, path)
        return
    numbered = list(enumerate(lines, 1))
    for number, raw_line in reversed(numbered) if newest_first else numbered:
        if raw_line and not _is_stub_line(raw_line):
            yield decode_receipt(raw_line, path, number)
    if torn:
        yield journal.torn_line_problem(path, len(lines) + 1)


def _is_stub_line(raw_line: bytes) -> bool:
    """Whether a line, which is whole, stands for a receipt that was forgotten."""
    fields = journal.parse_json_line(raw_line)
    return not isinstance(fields, str) and journal.is_stub(fields) and journal.has_valid_checksum(raw_line)
