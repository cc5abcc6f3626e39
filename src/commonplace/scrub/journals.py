"""Rewrite journals without their secrets: the one exception, beside `forget`, to their being only appended to.

A journal is replaced as a whole under its stream's lock: a temporary file, fsync, rename. In a ledger every line behind
a changed one names another line before it, so the chain is made anew from there on, through later months and the head;
links that were broken before stay broken. What was renamed is noted first, so that a run that was killed between two
files is finished by the next.
"""

from __future__ import annotations

from contextlib import nullcontext

import msgspec

from commonplace import files, journal
from commonplace.journal import FOLDER, Entry, Stream
from commonplace.journal.chain import Head
from commonplace.journal.reading import STREAMS, device_of, sizes_of
from commonplace.scrub.eye import Eye, safe_path
from commonplace.scrub.findings import Replaced
from commonplace.scrub.replacing import cleaned_line

Renamed = dict[str, str]  # digest of a line as it was -> as it is


def rewrite_journals(eye: Eye, device: str, *, apply: bool, all_devices: bool) -> list[Replaced]:
    """The journals that are, or with `apply` were, rewritten: those of this device, or of all."""
    done: list[Replaced] = []
    for stream in STREAMS:
        by_device: dict[str, list[str]] = {}
        for name in sizes_of(eye.root, stream):
            by_device.setdefault(device_of(stream, name), []).append(name)
        for its_device, names in by_device.items():
            if all_devices or its_device == device:
                done += _rewrite(eye, stream, names, apply=apply)
    return done


def _rewrite(eye: Eye, stream: Stream, names: list[str], *, apply: bool) -> list[Replaced]:
    device = device_of(stream, names[0])
    with files.hold(eye.root, f"{stream}-{device}") if apply else nullcontext():
        before = _noted(eye.root, device) if stream == "ledger" else {}
        renamed = dict(before)
        pages: dict[str, bytes] = {}
        counts: dict[str, int] = {}
        for path in (f"{FOLDER}/{name}" for name in names):
            data = files.read(eye.root, path)
            page, counts[path] = _page(eye, data, renamed, chained=stream == "ledger")
            if page != data:
                pages[path] = page
        if apply and (pages or before):
            _write(eye.root, device, pages, renamed)
    return [Replaced(safe_path(eye, path), count) for path, count in counts.items() if count]


def _page(eye: Eye, data: bytes, renamed: Renamed, *, chained: bool) -> tuple[bytes, int]:
    """One file as it should be, and how many secrets go; adds to `renamed` in a ledger."""
    lines: list[bytes] = []
    count = 0
    for line in data.split(b"\n"):
        new, taken = cleaned_line(eye, line)
        if chained and renamed:
            new = _linked(new, renamed)
        if chained and new != line:
            renamed[files.digest(line)] = files.digest(new)
        count += taken
        lines.append(new)
    return b"\n".join(lines), count


def _linked(line: bytes, renamed: Renamed) -> bytes:
    """A ledger line that names the line before it as that is called now."""
    entry = journal.decode(line)
    if not isinstance(entry, Entry) or entry.fields.get("prev") not in renamed:
        return line
    return journal.encode(entry.fields | {"prev": renamed[entry.fields["prev"]]})


def _write(root: str, device: str, pages: dict[str, bytes], renamed: Renamed) -> None:
    if renamed:
        files.write_atomic(root, _note(device), journal.encode({"renamed": renamed}))
    for path, data in pages.items():
        files.write_atomic(root, path, data)
    if renamed:
        _move_head(root, device, renamed)
        files.remove(root, _note(device))


def _move_head(root: str, device: str, renamed: Renamed) -> None:
    """The head names the newest line as it is called now, and where it begins."""
    path = f"{FOLDER}/ledger-{device}.head"
    line = files.find(root, path) or b""
    if not journal.is_sealed(line):
        return
    head = msgspec.json.decode(line, type=Head)
    wanted, offset = renamed.get(head.digest), 0
    for one in files.read(root, head.path).split(b"\n") if wanted else ():
        if files.digest(one) == wanted:
            moved = Head(head.path, offset, files.digest(one))
            files.write_atomic(root, path, journal.encode(msgspec.structs.asdict(moved)))
        offset += len(one) + 1


def _noted(root: str, device: str) -> Renamed:
    """What a run that was killed had renamed."""
    line = files.find(root, _note(device)) or b""
    return msgspec.json.decode(line)["renamed"] if journal.is_sealed(line) else {}


def _note(device: str) -> str:
    return f"{FOLDER}/ledger-{device}.scrub"
