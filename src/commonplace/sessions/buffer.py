"""The working buffer as text: its header with a heartbeat, its tasks, when it is full or stale; pure edits."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from commonplace.workspace.annotations import without_annotation
from commonplace.workspace.edits import append_under
from commonplace.workspace.lines import BOM, Page, read_page
from commonplace.workspace.starts import heading_level
from commonplace.workspace.times import moment

BUFFER = "memory/working-buffer.md"
TITLE = "Working Buffer"
TASK = "Active Task"
MOST_LINES, MOST_TASKS = 80, 3
STALE_MINUTES = 120
MINUTE = len("2025-11-27T09:40")
_HEADER_KEYS = ("created", "last_active")


class Buffer(Struct, frozen=True):
    """A buffer as read: the two times of its header, the lines below it without blank ones around, its size in lines.

    `created` tells one filling from the next: it is new each time when the buffer was emptied.
    """

    created: str
    last_active: str
    body: tuple[str, ...]
    size: int

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks, in order."""
        titles = (without_annotation(title_of(line)) for line in self.body)
        names = (title.partition(":")[2].strip() for title in titles if title.startswith(TASK))
        return tuple(name for name in names if name)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be kept: no line, or only the title of a task without a name."""
        return not any(line.strip() and title_of(line).rstrip(": ") != TASK for line in self.body)

    @property
    def is_full(self) -> bool:
        """Whether it has more lines or tasks than a buffer should."""
        return self.size > MOST_LINES or len(self.tasks) > MOST_TASKS

    def is_stale(self, now: str) -> bool:
        """Whether something lies in it that nobody worked on for two hours; also if what it says is no time.

        One without a heartbeat was just made by hand, for all we know.
        """
        return bool(self.last_active) and not self.is_empty and minutes_between(self.last_active, now) > STALE_MINUTES


def read_buffer(data: bytes) -> Buffer:
    """What a buffer says; of a file without our header everything is body."""
    page = read_page(BUFFER, data)
    header, first = _header(page)
    lines = [line.removesuffix("\r") for line in page.lines[first:]]
    size = len(page.lines) - (not page.lines[-1])
    return Buffer(header.get("created", ""), header.get("last_active", ""), trimmed(lines), size)


def with_heartbeat(data: bytes, now: str) -> bytes:
    """The buffer with a header that says it is at work now; a missing header is made, what stands below it stays."""
    page = read_page(BUFFER, data)
    header, first = _header(page)
    newline = newline_of(data)
    lines = (f"# {TITLE}", f"created: {header.get('created') or now}", f"last_active: {now}", "", "")
    head = (BOM if data.startswith(BOM) else b"") + newline.join(line.encode() for line in lines)
    below = next((number for number in range(first, len(page.lines)) if page.lines[number].strip("\r")), None)
    return head.removesuffix(newline) if below is None else head + data[page.starts[below] :]


def with_line(data: bytes, task: str, line: str, *, now: str) -> bytes:
    """The buffer with a line more below this task, and a heartbeat."""
    return append_under(with_heartbeat(data, now), f"{TASK}: {task}", line)


def emptied(data: bytes, created: str, keep: Iterable[str], *, now: str) -> bytes:
    """A new filling that holds only these lines."""
    newline = newline_of(data)
    lines = [f"# {TITLE}", f"created: {created}", f"last_active: {now}", ""]
    kept = trimmed(keep)
    return newline.join(line.encode("utf-8", "replace") for line in (*lines, *kept, *([""] if kept else [])))


def title_of(line: str) -> str:
    """The title that a heading bears, its annotation included; empty for any other line."""
    body = line.strip()
    level = heading_level(body) if body.startswith("#") else 0
    return body[level:].strip() if level else ""


def trimmed(lines: Iterable[str]) -> tuple[str, ...]:
    """Without the blank lines at both ends."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    first = next((number for number, line in enumerate(kept) if line.strip()), 0)
    return tuple(kept[first:])


def newline_of(data: bytes) -> bytes:
    """The newline that most lines have."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def next_created(before: str, now: str) -> str:
    """The time of a new filling, which no filling before it had."""
    if before[:MINUTE] != now:
        return now
    number = before.partition(".")[2]
    return f"{now}:00.{int(number) + 1 if number.isdecimal() else 1:09}"


def minutes_between(earlier: str, later: str) -> float:
    """The distance of two times in either direction; endless if one of them is none."""
    first, last = moment(earlier), moment(later)
    if len(first) < MINUTE or len(last) < MINUTE:
        return float("inf")
    from datetime import datetime

    return abs((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()) / 60


def _header(page: Page) -> tuple[dict[str, str], int]:
    """The times of the header, and the line on which the body begins."""
    found: dict[str, str] = {}
    first = 0
    for number, line in enumerate(page.lines):
        body = line.strip()
        if not body:
            continue
        key, colon, value = body.partition(":")
        if colon and key in _HEADER_KEYS and key not in found:
            found[key] = value.strip()
        elif first or title_of(body) != TITLE:
            break
        first = number + 1
    return found, first
