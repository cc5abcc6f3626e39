"""Append and read the receipts of packs: JSON Lines, one file a day."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Problem, Receipt
from commonplace.shapes import RECEIPT_SCHEMA, receipt_json
from commonplace.storage import files
from commonplace.storage.journal import encode_journal_line, has_valid_checksum, parse_json_line, torn_line_problem

RECEIPT_FOLDER = ".memory/receipts"
LAST_RECEIPT = "last"
MAX_SUGGESTIONS = 3

_DAY = "YYYY-MM-DD"


class ReceiptLog(Struct, frozen=True):
    """All receipts, oldest first, and the lines that were set aside."""

    receipts: tuple[Receipt, ...]
    problems: tuple[Problem, ...]


def append_receipt(root: str, receipt: Receipt) -> None:
    """Append a receipt to the file of its day; when this returns, it is on disk. Raises BadArgument, LockBusy."""
    day = receipt.ts[: len(_DAY)]
    if not _is_iso_day(day):
        raise BadArgument(f"a receipt needs an ISO time, not {receipt.ts!r}")
    files.append_line(root, f"{RECEIPT_FOLDER}/{day}.jsonl", encode_journal_line(receipt_json(receipt)))


def get_receipt(root: str, name: str = LAST_RECEIPT) -> Receipt:
    """The receipt with this id, or the last one. Raises NotFound, which names ids that are near."""
    known: list[str] = []
    for path in reversed(_receipt_paths(root)):
        for receipt in reversed(_read_receipt_file(root, path)):
            if isinstance(receipt, Problem):
                continue
            if name in (LAST_RECEIPT, receipt.id):
                return receipt
            known.append(receipt.id)
    from rapidfuzz import process

    similar = process.extract(name, known, limit=MAX_SUGGESTIONS, score_cutoff=60)
    raise NotFound("receipt", name, tuple(receipt_id for receipt_id, _score, _at in similar))


def read_receipts(root: str) -> ReceiptLog:
    """Every receipt; bad lines are set aside as problems, their neighbours are read."""
    receipts: list[Receipt] = []
    problems: list[Problem] = []
    for path in _receipt_paths(root):
        for one in _read_receipt_file(root, path):
            receipts.append(one) if isinstance(one, Receipt) else problems.append(one)
    return ReceiptLog(tuple(receipts), tuple(problems))


def decode_receipt(raw_line: bytes, path: str = "", line_number: int = 0) -> Receipt | Problem:
    """One line as a receipt, or what is wrong with it. Fields that we do not know are skipped."""
    fields = parse_json_line(raw_line)
    if isinstance(fields, str):
        why = fields
    elif fields.get("schema") != RECEIPT_SCHEMA:
        why = f"it is not of the shape {RECEIPT_SCHEMA}"
    elif not has_valid_checksum(raw_line):
        why = "its checksum does not match"
    else:
        if isinstance(considered := fields.get("considered"), list):  # the shape says `id` where we say `record_id`
            renamed = [{**one, "record_id": one.get("id")} if isinstance(one, dict) else one for one in considered]
            fields = {**fields, "considered": renamed}
        try:
            return msgspec.convert(fields, Receipt)
        except msgspec.ValidationError as error:
            why = f"a field is off: {error}"
    return Problem("bad-line", f"this receipt is set aside: {why}", path, line_number)


def _receipt_paths(root: str) -> list[str]:
    names = files.list_file_sizes(root, RECEIPT_FOLDER)
    return [f"{RECEIPT_FOLDER}/{name}" for name in names if _is_iso_day(name.removesuffix(".jsonl"))]


def _is_iso_day(text: str) -> bool:
    year, month, day = text[:4], text[5:7], text[8:]
    return len(text) == len(_DAY) and text.isascii() and text[4] + text[7] == "--" and (year + month + day).isdigit()


def _read_receipt_file(root: str, path: str) -> list[Receipt | Problem]:
    """The lines of one file; the last one may lack its newline after a crash."""
    try:
        *lines, torn = files.read_file(root, path).split(b"\n")
    except (NotFound, OutsideWorkspace) as error:
        return [Problem("unreadable", error.message, path)]
    found = [decode_receipt(raw_line, path, number) for number, raw_line in enumerate(lines, 1) if raw_line]
    if torn:
        found.append(torn_line_problem(path, len(lines) + 1))
    return found
