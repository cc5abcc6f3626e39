"""The receipts of packs, one line each in a file a day, only ever appended; their only writer and reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from commonplace import files, journal
from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Problem, Receipt
from commonplace.shapes import RECEIPT, receipt_json

FOLDER = ".memory/receipts"
LAST = "last"
NEAR = 3

_DAY = "YYYY-MM-DD"
_NAME = f"{_DAY}.jsonl"


class Receipts(Struct, frozen=True):
    """All receipts, oldest first, and the lines that were set aside."""

    receipts: tuple[Receipt, ...]
    problems: tuple[Problem, ...]


def add(root: str, receipt: Receipt) -> None:
    """Append a receipt to the file of its day; when this returns, it is on disk. Raises BadArgument, LockBusy."""
    day = receipt.ts[: len(_DAY)]
    if not _is_day(day):
        raise BadArgument(f"a receipt needs an ISO time, not {receipt.ts!r}")
    files.append_line(root, f"{FOLDER}/{day}.jsonl", journal.encode(receipt_json(receipt)))


def find(root: str, name: str = LAST) -> Receipt:
    """The receipt with this id, or the last one. Raises NotFound, which names ids that are near."""
    known: list[str] = []
    for receipt in _newest_first(root):
        if name in (LAST, receipt.id):
            return receipt
        known.append(receipt.id)
    raise NotFound("receipt", name, _near(name, known))


def read_all(root: str) -> Receipts:
    """Every receipt; bad lines are set aside as problems, their neighbours are read."""
    receipts: list[Receipt] = []
    problems: list[Problem] = []
    for path in _paths(root):
        for one in _lines(root, path):
            receipts.append(one) if isinstance(one, Receipt) else problems.append(one)
    return Receipts(tuple(receipts), tuple(problems))


def decode(line: bytes, path: str = "", number: int = 0) -> Receipt | Problem:
    """One line as a receipt, or what is wrong with it. Fields that we do not know are passed over."""
    fields = journal.parse(line)
    if isinstance(fields, str):
        return _set_aside(fields, path, number)
    if fields.get("schema") != RECEIPT:
        return _set_aside(f"it is not of the shape {RECEIPT}", path, number)
    if not journal.is_sealed(line):
        return _set_aside("its checksum does not match", path, number)
    try:
        return msgspec.convert(_renamed(fields), Receipt)
    except msgspec.ValidationError as error:
        return _set_aside(f"a field is off: {error}", path, number)


def _newest_first(root: str) -> Iterator[Receipt]:
    for path in reversed(_paths(root)):
        for one in reversed(_lines(root, path)):
            if isinstance(one, Receipt):
                yield one


def _paths(root: str) -> list[str]:
    return [f"{FOLDER}/{name}" for name in files.sizes(root, FOLDER) if _is_day(name.removesuffix(".jsonl"))]


def _is_day(text: str) -> bool:
    year, month, day = text[:4], text[5:7], text[8:]
    return len(text) == len(_DAY) and text.isascii() and text[4] + text[7] == "--" and (year + month + day).isdigit()


def _lines(root: str, path: str) -> list[Receipt | Problem]:
    """What stands on the lines of one file; the last one may lack its newline after a crash."""
    try:
        *lines, torn = files.read(root, path).split(b"\n")
    except (NotFound, OutsideWorkspace) as error:
        return [Problem("unreadable", error.message, path)]
    found = [decode(line, path, number) for number, line in enumerate(lines, 1) if line]
    if torn:
        message = "the last line is not whole: its writer was stopped, or is still at it"
        found.append(Problem("torn-line", message, path, len(lines) + 1))
    return found


def _renamed(fields: dict[str, Any]) -> dict[str, Any]:
    """The documented shape says `id` where the noun says `record_id`."""
    considered = fields.get("considered")
    if not isinstance(considered, list):
        return fields
    renamed = [{**one, "record_id": one.get("id")} if isinstance(one, dict) else one for one in considered]
    return {**fields, "considered": renamed}


def _set_aside(why: str, path: str, number: int) -> Problem:
    return Problem("bad-line", f"this receipt is set aside: {why}", path, number)


def _near(name: str, known: list[str]) -> tuple[str, ...]:
    from rapidfuzz import process

    return tuple(found for found, _score, _at in process.extract(name, known, limit=NEAR, score_cutoff=60))
