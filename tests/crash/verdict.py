"""What a workspace holds after the next start, read from the files themselves, and what is wrong with that."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

ID = re.compile(rb"^ *- .*<!--[^>]*?\bid: ([0-9a-z]+)", re.MULTILINE)  # of an item: the lines that we write
LEFTOVER_NUMBER = re.compile(r"[0-9a-f]{8,}|(?<=sqlite\.)\d+")
TORN = (
    "complaint: torn-line .memory/",
    "complaint: bad-line .memory/",
)  # the line that was being written, and no other
COUNTED = ("captures", "kept", "origins", "lines", "index")  # equal packs of one minute have equal receipts
Ids = dict[str, list[str]]  # by the field of `Seen` in which they must be found
LEFTOVER = re.compile(r"\.tmp$|\.swap$|\.building|-journal$|^[0-9a-f]{16}$")  # the last: word of what was being done


class Seen(Struct, frozen=True):
    """A workspace after a start: how often each id stands where, and what was complained of."""

    captures: dict[str, int]  # ids of all captures
    kept: dict[str, int]  # records that captures say were kept as a line
    unsaid: tuple[str, ...]  # those of which no line of Markdown has the words
    origins: dict[str, int]  # records that the ledger tells of
    orphans: tuple[str, ...]  # captures that the ledger tells of, and that are not there
    lines: dict[str, int]  # records that Markdown names
    index: dict[str, int]
    receipts: dict[str, int]
    texts: dict[str, int]  # what captures say
    problems: tuple[str, ...]
    leftovers: tuple[str, ...]
    markdown: dict[str, str]
    refused: str = ""  # why the start itself failed


def judge(before: Seen, after: Seen, acknowledged: Ids, *forgiven: str) -> list[str]:
    """What is wrong after a crash: `before` is the workspace untouched, `acknowledged` what was told since.

    `forgiven` are beginnings of sentences: what this way of crashing may do.
    """
    return [one for one in _wrong(before, after, acknowledged) if not one.startswith(forgiven)]


def _wrong(before: Seen, after: Seen, acknowledged: Ids) -> list[str]:
    return [
        *([f"the start failed: {after.refused}"] if after.refused else []),
        *(f"lost: {name} of {field}" for field, name in _promised(before, acknowledged) if not _in(after, field, name)),
        *(f"doubled: {name} in {field}" for field in COUNTED for name, many in _of(after, field).items() if many > 1),
        *(f"doubled: {text!r}" for text in acknowledged.get("texts", ()) if after.texts.get(text, 0) > 1),
        *(f"a line without an origin: {name}" for name in after.lines.keys() - after.origins.keys()),
        *(f"an origin without its capture: {name}" for name in after.orphans),
        *(f"a capture without its line: {name}" for name in after.unsaid),
        *(f"a line without a record: {name}" for name in after.lines.keys() - after.index.keys()),
        *(f"a line went: {path}: {line!r}" for path, line in _lines_gone(before, after)),
        *(f"complaint: {one}" for one in after.problems if one not in before.problems),
        *(f"leftover: {LEFTOVER_NUMBER.sub('#', name)}" for name in after.leftovers),
    ]


def _promised(before: Seen, acknowledged: Ids) -> Iterator[tuple[str, str]]:
    for field in ("lines", "kept", "origins", "receipts"):
        yield from ((field, name) for name in _of(before, field))
    yield from ((field, name) for field, names in acknowledged.items() for name in names)


def _in(seen: Seen, field: str, name: str) -> bool:
    return name in _of(seen, field)


def _of(seen: Seen, field: str) -> dict[str, int]:
    found: dict[str, int] = getattr(seen, field)
    return found


def _lines_gone(before: Seen, after: Seen) -> Iterator[tuple[str, str]]:
    """Lines that stood in a file, in their order."""
    for path, text in before.markdown.items():
        rest = iter(after.markdown.get(path, "").split("\n"))
        yield from ((path, line) for line in text.split("\n") if line and line not in rest)


def look(root: str) -> dict[str, Any]:
    """Start, as any command does, run the checks, and read everything; runs in a process of its own."""
    from commonplace import Memory
    from commonplace.errors import CommonplaceError

    refused, problems, rows = "", [], []
    try:
        with Memory.open(root) as memory:
            memory.sync()
            problems = [f"{one.code} {one.path}#{one.line} {one.message}" for one in memory.check().problems]
            rows = [json.loads(item) for item in memory.dump()]
    except CommonplaceError as error:
        refused = f"{error.code}: {error.message}"
    entries = list(_entries(root, "captures-*.jsonl"))
    told = [entry for entry in _entries(root, "ledger-*.jsonl") if entry.get("op") == "origin"]
    pages = {path.relative_to(root).as_posix(): path.read_bytes() for path in _pages(root)}
    return {
        "captures": Counter(str(entry["id"]) for entry in entries),
        "kept": Counter(_name(entry) for entry in entries if _is_kept(entry)),
        "unsaid": sorted(_name(entry) for entry in entries if _is_kept(entry) and not _stands(entry, pages.values())),
        "origins": _told(told),
        "orphans": sorted({str(entry.get("capture") or "") for entry in told} - {"", *(e["id"] for e in entries)}),
        "lines": Counter(found.decode() for data in pages.values() for found in ID.findall(data)),
        "index": Counter(row[1] for row in rows if row[0] == "record"),
        "receipts": Counter(str(entry["id"]) for entry in _entries(root, "../receipts/*.jsonl")),
        "texts": Counter(str(entry["text"]) for entry in entries),
        "problems": problems,
        "leftovers": sorted(path.name for path in Path(root).rglob("*") if LEFTOVER.search(path.name)),
        "markdown": {path: data.decode("utf-8", "replace") for path, data in pages.items()},
        "refused": refused,
    }


def _told(entries: list[dict[str, Any]]) -> dict[str, int]:
    """Of each record how often the ledger tells the same; of what it says since it was struck out it tells anew."""
    found: dict[str, int] = {}
    for (record, _digest), many in Counter((str(one["record"]), one.get("digest")) for one in entries).items():
        found[record] = max(many, found.get(record, 0))
    return found


def _pages(root: str) -> Iterator[Path]:
    return (path for path in sorted(Path(root).rglob("*.md")) if path.is_file())


def _entries(root: str, glob: str) -> Iterator[dict[str, Any]]:
    """Lines of journals that are whole, without the stubs of what was erased."""
    for path in sorted(Path(root, ".memory/journal").glob(glob)):
        for line in path.read_bytes().split(b"\n"):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if "forgotten" not in entry:
                yield entry


def _is_kept(entry: dict[str, Any]) -> bool:
    """Whether `retain` or `log` wrote this capture."""
    return bool((entry.get("detail") or {}).get("kept"))


def _name(entry: dict[str, Any]) -> str:
    return str(entry["id"]).removeprefix("obs:")


def _stands(entry: dict[str, Any], pages: Iterable[bytes]) -> bool:
    words = str(entry["text"]).partition(" ")[2].encode()  # without the sign of the kind
    return any(words in page for page in pages)
