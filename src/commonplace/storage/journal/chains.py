"""Chains of lines: each names the digest of the one before, and a head per device lists the files with their ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct, structs

from commonplace.errors import BadArgument, CommonplaceError, NotFound, OutsideWorkspace
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import entries

ChainedStream = Literal["captures", "ledger", "receipts"]

SALT_BYTES = 12
ROW_BYTES = 256  # divides a sector of a disk: after a power cut a row is as it was, as it was to be, or zeros
HEAD_ROWS = 64  # by which a head grows

_STREAMS_BY_FOLDER: dict[str, tuple[ChainedStream, ...]] = {
    entries.JOURNAL_FOLDER: ("captures", "ledger"),
    entries.RECEIPT_FOLDER: ("receipts",),
}
CHAIN_FOLDERS = {stream: folder for folder, streams in _STREAMS_BY_FOLDER.items() for stream in streams}
_DAY_SUFFIX = "-YYYY-MM-DD.jsonl"


class Link(Struct, frozen=True):
    """A line of a chain: its 1-based number, its fields, its digest, and the digest of the line before, which lines
    older than the chains of captures and receipts do not have; whether zeros, as after a power cut, precede it."""

    line_number: int
    fields: Json
    digest: str
    previous: str | None
    is_after_zeros: bool


class ChainEnd(Struct, frozen=True):
    """A row of a head, by its 1-based number: a file, its size (0 if not known) and the digest of its last line."""

    row: int
    file: str
    size: int
    digest: str


class Chain(Struct, frozen=True):
    """The chained files that a device has in a folder."""

    root: str
    folder: str
    device: str

    @property
    def head_path(self) -> str:
        """The path of the head."""
        return f"{self.folder}/chains-{self.device}.head"

    def read_head(self) -> bytes | None:
        """Return the bytes of the head; None if there is no head."""
        return files.read_file_if_exists(self.root, self.head_path)


class ChainTail(Struct, frozen=True):
    """The end of a file to which lines are to be appended: the offset of the next line, the digest that it has of the
    line before, and the row of the file in the head, 0 if it has none."""

    path: str
    offset: int
    previous: str
    row: int


def require_device_name(device: str) -> None:
    """Raise BadArgument for a text that cannot be the name of a device: it is part of file names."""
    plain = device.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum() and device[0].isalnum() and len(device) <= 80):
        message = "cannot be the name of a device: letters, digits, `-`, `_` and `.` can"
        raise BadArgument(f"{device!r} {message}")


def seal_link(payload: Mapping[str, Any], previous: str) -> bytes:
    """Return a line of a chain; the random salt in it lets nobody guess the line from its digest."""
    return entries.encode_journal_line({**payload, "salt": files.random_hex(SALT_BYTES), "prev": previous})


def read_tail(chain: Chain, names: Sequence[str]) -> ChainTail:
    """Return the end of the last of some files that are one chain; the caller has the lock of the stream.

    A line that the head lists and the file lacks is still the one before the next, so that the loss stays visible. A
    head that is missing is made first: that one is on disk before any line that relies on it.
    """
    head = chain.read_head()
    head = renew_head(chain, only_missing=True) if head is None else head
    row = find_row(head, names[-1])
    offset, previous = _find_end(chain, names[-1], row)
    for name in reversed(names[:-1]):
        previous = previous or _find_end(chain, name, find_row(head, name))[1]
    return ChainTail(f"{chain.folder}/{names[-1]}", offset, previous, row.row if row else 0)


def append_links(chain: Chain, tail: ChainTail, raw_lines: Sequence[bytes]) -> None:
    """Append lines to a file, with one fsync, then note its end in the head, without: a head that lags is no loss."""
    files.append_lines(chain.root, tail.path, raw_lines)
    size = tail.offset + sum(map(len, raw_lines)) + len(raw_lines)
    end = ChainEnd(tail.row, tail.path.rpartition("/")[2], size, files.content_digest(raw_lines[-1]))
    with suppress(CommonplaceError):
        if tail.row:
            _write_row(chain, end)
            return
        with files.hold_workspace_lock(chain.root, files.path_lock_name(chain.head_path)):
            head = chain.read_head() or b""
            if _has_title(chain, head):  # a damaged one stays as it is, for `check` to find
                row = find_row(head, end.file)
                _write_row(chain, structs.replace(end, row=row.row if row else _free_row(chain, head)))


def find_row(head: bytes, name: str) -> ChainEnd | None:
    """Return the row of a file in a head; None if there is none that is whole and in its place."""
    at = head.find(b'"file":"%s"' % name.encode())
    return _decode_row(head, at // ROW_BYTES + 1) if at >= 0 else None


def replace_digests(chain: Chain, new_by_old: Mapping[str, str]) -> None:
    """Write the new digests of last lines that were rewritten into the heads; when this returns, they are on disk."""
    head = chain.read_head()
    for row in _read_rows(head or b""):
        if row.digest in new_by_old:
            _write_row(chain, structs.replace(row, size=0, digest=new_by_old[row.digest]))
    if head is not None:
        files.fsync_path(f"{chain.root}/{chain.head_path}")


def read_links(data: bytes) -> Iterator[Link]:
    """The lines of a file that are whole; others, which their reader reports, are no part of the chain."""
    zeros = False
    for number, raw_line in enumerate(data.split(b"\n"), 1):
        fields = entries.parse_json_line(raw_line) if raw_line else ""
        if isinstance(fields, str) or not (
            entries.has_valid_checksum(raw_line) or ("crc" not in fields and fields.get("v") == 0)
        ):
            zeros |= b"\0" in raw_line
            continue
        previous = fields.get("prev") if isinstance(fields.get("prev"), str) else None
        yield Link(number, fields, entries.line_digest(raw_line, fields), previous, zeros)
        zeros = False


def _find_end(chain: Chain, name: str, row: ChainEnd | None) -> tuple[int, str]:
    """Return the offset of the next line of a file, which a head may list, and the digest of the line before it."""
    path = f"{chain.folder}/{name}"
    size = (files.file_stamp(chain.root, path) or (0, 0, 0))[2]
    if (row and row.size == size) or not size:
        return size, row.digest if row else ""
    data = files.read_file(chain.root, path)
    digests = [link.digest for link in read_links(data)]
    is_lost = row is not None and row.digest not in digests
    return size + (not data.endswith(b"\n")), row.digest if row and is_lost else (digests or [""])[-1]


def renew_head(chain: Chain, *, only_missing: bool = False) -> bytes:
    """Make a head anew that lists the files as they are, after files were merged; return its bytes."""
    with files.hold_workspace_lock(chain.root, files.path_lock_name(chain.head_path)):
        if only_missing and (head := chain.read_head()) is not None:
            return head
        names = list_chained_files(chain.root, *_STREAMS_BY_FOLDER[chain.folder]).get(chain.device, ())
        ends = [ChainEnd(row, name, *_find_end(chain, name, None)) for row, name in enumerate(names, 2)]
        return _write_grown_head(chain, b"".join(map(_encode_row, ends)))


def _write_grown_head(chain: Chain, rows: bytes) -> bytes:
    """Write a head with these rows and free ones after them, on disk when this returns; return its bytes."""
    count = HEAD_ROWS * ((len(rows) // ROW_BYTES + 1) // HEAD_ROWS + 1)
    head = (_encode_title(chain, count) + rows).ljust(count * ROW_BYTES)
    head = b"".join(head[at : at + ROW_BYTES - 1] + b"\n" for at in range(0, len(head), ROW_BYTES))
    with files.log_intent(chain.root):  # after a kill, the next start removes the temporary file
        files.write_atomic(chain.root, chain.head_path, head)
    return head


def _free_row(chain: Chain, head: bytes) -> int:
    """Return the number of a free row of a head, which grows where it has none."""
    numbers = range(2, len(head) // ROW_BYTES + 1)
    free = next((number for number in numbers if _is_free_row(_row_bytes(head, number))), 0)
    if not free:
        _write_grown_head(chain, head[ROW_BYTES:])
    return free or len(head) // ROW_BYTES + 1


def _write_row(chain: Chain, chain_end: ChainEnd) -> None:
    files.write_in_place(chain.root, chain.head_path, (chain_end.row - 1) * ROW_BYTES, _encode_row(chain_end))


def _encode_title(chain: Chain, row_count: int) -> bytes:
    """The first row of a head."""
    return entries.encode_journal_line({"v": 1, "device": chain.device, "rows": row_count}).ljust(ROW_BYTES - 1) + b"\n"


def _encode_row(chain_end: ChainEnd) -> bytes:
    return entries.encode_journal_line(structs.asdict(chain_end)).ljust(ROW_BYTES - 1) + b"\n"


def _row_bytes(head: bytes, number: int) -> bytes:
    return head[(number - 1) * ROW_BYTES : number * ROW_BYTES]


def _read_rows(head: bytes) -> list[ChainEnd]:
    """The rows of a head that list a file."""
    return [row for number in range(2, len(head) // ROW_BYTES + 1) if (row := _decode_row(head, number))]


def _decode_row(head: bytes, number: int) -> ChainEnd | None:
    """The row with this number; None if it is not whole, or was somewhere else."""
    raw_row = _row_bytes(head, number)
    row = entries.decode_with_checksum(raw_row.rstrip(), ChainEnd)
    return row if row and row.row == number and _encode_row(row) == raw_row else None


def _is_free_row(raw_row: bytes) -> bool:
    """Whether a row is blank, or zeros, which a power cut may leave."""
    return raw_row in (b" " * (ROW_BYTES - 1) + b"\n", bytes(ROW_BYTES))


def _has_title(chain: Chain, head: bytes) -> bool:
    """Whether a head begins as it should and has all its rows."""
    rows, rest = divmod(len(head), ROW_BYTES)
    return not rest and _row_bytes(head, 1) == _encode_title(chain, rows)


def verify_chains(root: str, stream: ChainedStream) -> tuple[Problem, ...]:
    """Return the problems of the chains of a stream: a line that is missing, altered, added or out of order breaks one.

    Zeros, which a power cut leaves, are only a bad line. A file that went, or lost its newest lines, is found by the
    head, or by the next line. What cannot be found: newest lines that were cut off together with a restored or deleted
    head, and a chain that somebody computed again from the changed line on, for it holds no secret.
    """
    folder = CHAIN_FOLDERS[stream]
    by_device = list_chained_files(root, stream)
    problems: list[Problem] = []
    for chain in _list_chains(root, folder, by_device):
        rows = {row.file: row for row in _read_rows(chain.read_head() or b"")}
        listed = [name for name in rows if stream_device(stream, name) == chain.device]
        previous = ""
        for name in sorted({*by_device.get(chain.device, ()), *listed}):
            its_problems, previous = _verify_file(chain, name, rows.get(name), previous if stream == "ledger" else "")
            problems += its_problems
    return tuple(problems)


def _verify_file(chain: Chain, name: str, listed_end: ChainEnd | None, previous: str) -> tuple[list[Problem], str]:
    """The problems of a file, given the digest of the line before it, and the digest that the next file begins with."""
    path, problems, digests = f"{chain.folder}/{name}", list[Problem](), dict[str, int]()
    try:
        data = files.read_file(chain.root, path)
    except NotFound:
        message = "this file, which the head of its device lists, is missing"
        problems = [Problem("chain-cut", message, path, hint=CUT_HINT)] if listed_end else []
        return problems, listed_end.digest if listed_end else previous
    except OutsideWorkspace:
        return [], previous  # reported when it is read; a ledger breaks here
    for link in read_links(data):
        may_lack_link = not name.startswith("ledger-") or link.fields.get("v") == 0 or entries.is_stub(link.fields)
        is_linked = (link.previous or "") == previous or (link.previous is None and may_lack_link)
        if not (is_linked or link.is_after_zeros):
            message = "a line before this one is missing, altered or out of order"
            problems.append(Problem("chain-broken", message, path, link.line_number))
        previous = link.digest
        digests[previous] = link.line_number
    if listed_end and listed_end.digest not in digests:
        line = digests.get(previous, 0) + 1
        problems.append(Problem("chain-cut", "this file lacks its newest line", path, line, CUT_HINT))
        previous = listed_end.digest
    return problems, previous


CUT_HINT = "lines were cut off, or have not arrived here yet"


def verify_heads(root: str, folder: str) -> tuple[Problem, ...]:
    """Return the problems of the heads in a folder: rows that were altered, moved or removed, and lost heads."""
    problems: list[Problem] = []
    by_device = list_chained_files(root, *_STREAMS_BY_FOLDER[folder])
    for chain in _list_chains(root, folder, by_device):
        head = chain.read_head()
        paths = [f"{folder}/{name}" for name in by_device.get(chain.device, ())]
        if head is not None:
            rows = range(2, -(-len(head) // ROW_BYTES) + 1)
            damaged = [row for row in rows if not (_is_free_row(_row_bytes(head, row)) or _decode_row(head, row))]
            damaged = damaged if _has_title(chain, head) else [1, *damaged]
            problems += [
                Problem("head-damaged", "this row is damaged", chain.head_path, row, HEAD_HINT) for row in damaged
            ]
        elif any(b'"salt":"' in files.read_file(root, path) for path in paths):
            message = "the head that lists the files of a device is missing: whether newest lines are, nobody can tell"
            problems.append(Problem("head-missing", message, chain.head_path, hint=HEAD_HINT))
    return tuple(problems)


HEAD_HINT = "restore it from a backup; without a head, the next write makes one of the files as they are"


def list_chained_files(root: str, *streams: ChainedStream) -> dict[str, list[str]]:
    """Return the names of the files of each device in streams of one folder, oldest first in each."""
    by_device: dict[str, list[str]] = {}
    for name in files.list_file_sizes(root, CHAIN_FOLDERS[streams[0]]):
        for device in filter(None, (stream_device(stream, name) for stream in streams)):
            by_device.setdefault(device, []).append(name)
    return by_device


def _list_chains(root: str, folder: str, devices: Iterable[str]) -> list[Chain]:
    """The chains of these devices in a folder, and of those that have a head there."""
    names = (one for one in files.list_file_sizes(root, folder) if one.startswith("chains-") and one.endswith(".head"))
    return [Chain(root, folder, one) for one in sorted({*devices, *(name[len("chains-") : -5] for name in names)})]


def stream_device(stream: ChainedStream, name: str) -> str:
    """Return the device in the name of a file of a stream; empty for any other file."""
    if stream != "receipts":
        return entries.device_in_file_name(stream, name)
    at = -len(_DAY_SUFFIX)
    is_ours = name.endswith(".jsonl") and name[at : at + 1] == "-" and entries.is_iso_day(name[at + 1 : -6])
    return name[:at] if is_ours else ""


def lock_name(path: str) -> str:
    """The lock of those who write a file: that of its stream, else its own."""
    folder, _, name = path.rpartition("/")
    streams = _STREAMS_BY_FOLDER.get(folder, ())
    locks = (f"{stream}-{device}" for stream in streams if (device := stream_device(stream, name)))
    return next(locks, files.path_lock_name(path))
