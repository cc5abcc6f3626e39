"""Merge journals, tombstones and small state files of two copies, and split a chain that both continued."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile

import msgspec
from msgspec import Struct

from commonplace.shapes import Json
from commonplace.storage import files, journal

TIME_PATTERN = re.compile(rb"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
FORK_DIGEST_CHARS = 8
MAX_DEVICE_CHARS = 80


class _Line(Struct, frozen=True):
    """A line: the digest by which a chain names it, its bytes, and its fields (none: it is not whole)."""

    digest: str
    data: bytes
    fields: Json


_Chain = list[tuple[str, _Line]]  # lines that follow each other, each with the name of its file


def merge_journal(ours: bytes, theirs: bytes) -> bytes:
    """The common beginning of two versions of a file, then what each has after it; each line once.

    A stub wins over the line whose digest it has. What only one has after the beginning may be of the other before:
    lines only come in. Which of two tails comes first depends on their first lines, not on the side.
    """
    versions = [_read_lines(data) for data in (ours, theirs)]
    stub_lines = [line for lines in versions for line in lines if journal.is_stub(line.fields)]
    stubs = {line.digest: line for line in sorted(stub_lines, key=lambda line: line.data)}
    pairs = zip(*versions, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0].digest == pair[1].digest, pairs))
    tails = sorted((lines[common:] for lines in versions), key=lambda lines: lines[0].digest if lines else "")
    merged = {line.digest: stubs.get(line.digest, line) for lines in (versions[0][:common], *tails) for line in lines}
    return b"".join(line.data + b"\n" for line in merged.values())


def merge_tombstones(ours: bytes, theirs: bytes) -> bytes:
    """The lines of both, each below its own salt."""
    lines_by_salt: dict[bytes, dict[bytes, None]] = {}
    for data in sorted((ours, theirs)):
        salt = b""
        for line in _read_lines(data):
            salt = line.data if "salt" in line.fields else salt
            lines_by_salt.setdefault(salt, {})[line.data] = None
    return b"".join(line + b"\n" for _salt, lines in sorted(lines_by_salt.items()) for line in lines)


def merge_state(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """The version that one side changed; of two lists, what was added on either side and removed on none; else the one
    that names the latest time, or has the larger digest."""
    if ours == base or theirs == base:
        return theirs if ours == base else ours
    lists = [_read_list(data) for data in (base, ours, theirs)]
    if lists[1] is not None and lists[2] is not None:
        before, left, right = (dict.fromkeys(items or ()) for items in lists)
        items = [one for one in sorted(left | right) if (one in left and one in right) or one not in before]
        return b"[%s]\n" % b",".join(items)
    return max(
        (ours, theirs), key=lambda data: (max(TIME_PATTERN.findall(data), default=b""), files.content_digest(data))
    )


def split_forks(stream: journal.ChainedStream, device: str, data_by_name: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a stream that change where the chain of a device was continued by two copies, with their new bytes.

    `data_by_name` are all files of the stream. The continuation that comes first stays. Another one moves to files of
    its own, of a device whose name ends in the digest of its first line; they begin with a stub that has the digest of
    the common line before it. Its lines stay as they are, but where an id is one of those that stay: that line gets
    another, and those after it the digests that follow. No bytes are left of a file whose lines all moved.
    """
    names = [name for name in sorted(data_by_name) if journal.stream_device(stream, name) == device]
    groups = [names] if stream == "ledger" else [[name] for name in names]  # the ledger is one chain over its files
    changed: dict[str, bytes] = {}
    for group in groups:
        first, *others = _find_chains([(name, line) for name in group for line in _read_lines(data_by_name[name])])
        if others:
            changed |= dict.fromkeys(group, b"") | _render_chain(first)
            ids = {line.fields["id"] for _name, line in first if "id" in line.fields}
            for chain in others:
                moved = _render_chain(_separate(stream, device, chain, ids))
                changed |= {name: merge_journal(data_by_name.get(name, b""), data) for name, data in moved.items()}
    return {name: data for name, data in changed.items() if data != data_by_name.get(name)}


def _find_chains(named_lines: Iterable[tuple[str, _Line]]) -> list[_Chain]:
    """The chains among lines, that of the first line first; what continues none goes with the line before it."""
    current: _Chain = []
    chains = [current]
    ends = {"": current}  # the chain that a line with this `prev` continues
    digests = {""}
    for name, line in named_lines:
        previous = line.fields.get("prev")
        if isinstance(previous, str) and previous in digests:
            if previous not in ends:
                chains.append(ends.setdefault(previous, []))
            current = ends[previous]
        current.append((name, line))
        if line.fields:
            ends = {digest: chain for digest, chain in ends.items() if chain is not current} | {line.digest: current}
            digests.add(line.digest)
    return chains


def _separate(stream: journal.ChainedStream, device: str, chain: _Chain, ids: set[str]) -> _Chain:
    """The lines of a chain in files of a device of its own; `ids` are those that are taken."""
    first = chain[0][1]
    ending = f"-{first.digest[:FORK_DIGEST_CHARS]}"
    prefix = "" if stream == "receipts" else f"{stream}-"
    beginning = prefix + device[: MAX_DEVICE_CHARS - len(ending)] + ending
    lines = [(beginning + name[len(prefix) + len(device) :], line) for name, line in chain]
    separated: _Chain = []
    if parent := first.fields.get("prev"):
        stub = {"v": 1, "ts": first.fields["ts"][:7], "digest": parent, "prev": "", "forgotten": ""}
        separated.append((lines[0][0], _Line(parent, journal.encode_journal_line(stub), stub)))
    new_digests: dict[str, str] = {}
    for name, line in lines:
        previous = new_digests.get(line.fields.get("prev", ""))
        changes = {"prev": previous} if previous else {}
        if line.fields.get("id", "") in ids:
            changes |= {"id": _derive_id(line.fields["id"], line.digest)}
        if changes:
            fields = line.fields | changes
            data = journal.encode_journal_line(fields)
            new_digests[line.digest] = journal.line_digest(data, fields)
            line = _Line(new_digests[line.digest], data, fields)
        ids.update({line.fields["id"]} if "id" in line.fields else ())
        separated.append((name, line))
    return separated


def _derive_id(entry_id: str, digest: str) -> str:
    """Another id of the form of this one."""
    prefix = entry_id[: entry_id.find(":") + 1]
    return journal.make_entry_id({"text": entry_id}, digest, 0, prefix)[: len(entry_id)]


def _render_chain(chain: _Chain) -> dict[str, bytes]:
    """The bytes of each file of a chain."""
    lines: dict[str, list[bytes]] = {}
    for name, line in chain:
        lines.setdefault(name, []).append(line.data + b"\n")
    return {name: b"".join(own) for name, own in lines.items()}


def _read_lines(data: bytes) -> list[_Line]:
    """The lines of a file that are not empty."""
    lines = []
    for raw_line in filter(None, data.split(b"\n")):
        fields = journal.parse_json_line(raw_line)
        fields = {} if isinstance(fields, str) or not journal.has_valid_checksum(raw_line) else fields
        lines.append(_Line(journal.line_digest(raw_line, fields), raw_line, fields))
    return lines


def _read_list(data: bytes) -> list[bytes] | None:
    """The items of a JSON list, each as JSON; None for anything else."""
    try:
        return [bytes(item) for item in msgspec.json.decode(data, type=list[msgspec.Raw])]
    except ValueError:
        return None
