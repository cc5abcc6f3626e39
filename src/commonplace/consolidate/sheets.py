"""What is to be done to one file: lines to add, to strike out, to amend, to take out; pure edits of its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from commonplace.consolidate.lines import STRUCK, reannotated, struck_out
from commonplace.consolidate.routing import HISTORY
from commonplace.model import Record, Source
from commonplace.workspace import parse
from commonplace.workspace.edits import append_all, change_lines

IsOurs = Callable[[Record], bool]


class Added(Struct, frozen=True):
    """A line to be added below a heading, once: a file that holds its id has it."""

    heading: str
    id: str
    line: str


class Sheet(Struct):
    """The edits of one file; `header` begins it if it does not exist. Lines are named by their ids.

    `over` has the time for which a line held that is struck out now; `replacing` what a line supersedes besides;
    `taken` are lines that go, as long as they say what they said.
    """

    path: str
    header: bytes = b""
    added: list[Added] = []
    over: dict[str, str] = {}
    replacing: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}


def revised(data: bytes, sheet: Sheet, is_ours: IsOurs) -> bytes:
    """The file after these edits. A line that is not ours, or that somebody changed, stays as it is."""
    added = _missing(data, sheet.added)
    if added:
        data = _above_history(data or sheet.header, [one for one in added if one.heading != HISTORY])
    data, past = _changed_lines(data, sheet, is_ours)
    past += [one.line for one in added if one.heading == HISTORY]
    return append_all(data, {HISTORY: past}) if past else data


def _missing(data: bytes, added: Sequence[Added]) -> list[Added]:
    """Those of the lines that the file does not hold."""
    known = set(re.findall(rb"\bid: ([a-z0-9-]{4,32})", data)) if added else set()
    return [one for one in added if one.id.encode() not in known]


def _changed_lines(data: bytes, sheet: Sheet, is_ours: IsOurs) -> tuple[bytes, list[str]]:
    """The file with lines amended, struck out and taken; and the struck ones that go to the history."""
    past: list[str] = []
    changes: list[tuple[Source, str | None]] = []
    wanted = {*sheet.over, *sheet.replacing, *sheet.taken}
    for record in parse(sheet.path, data).records if wanted else ():
        if record.id not in wanted:
            continue
        if sheet.taken.get(record.id) == record.text:
            changes.append((record.source, None))
        elif is_ours(record) and not record.text.startswith(STRUCK):
            line, is_past = _changed(data, record, sheet)
            changes.append((record.source, None if is_past else line))
            past += [line] if is_past else []
    return change_lines(data, changes) if changes else data, past


def _changed(data: bytes, record: Record, sheet: Sheet) -> tuple[str, bool]:
    """A line amended or struck out, and whether it goes to the history."""
    line = data[record.source.byte_start : record.source.byte_end].decode()
    if more := sheet.replacing.get(record.id):
        head, behind = line[: line.rfind("<!--")], line[line.rfind("<!--") :]
        line = head + reannotated(behind, supersedes=", ".join(dict.fromkeys((*record.supersedes, *more))))
    valid = sheet.over.get(record.id)
    if valid is None:
        return line, False
    return struck_out(line, record.text, valid), record.form != "retain"


def _above_history(data: bytes, added: Sequence[Added]) -> bytes:
    """Add lines; new headings come before the history, which stays the last thing in its file."""
    lines: dict[str, list[str]] = {}
    for one in added:
        lines.setdefault(one.heading, []).append(one.line)
    if not lines:
        return data
    at = data.rfind(f"\n## {HISTORY}\n".encode()) + 1
    if not at or b"\n#" in data[at:]:
        return append_all(data, lines)
    above = data[:at].rstrip(b"\n")
    gap = data[len(above) : at]
    return append_all(above + b"\n", lines).rstrip(b"\n") + gap + data[at:]
