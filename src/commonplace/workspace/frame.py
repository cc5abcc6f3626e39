"""The lines around the body of a file: tags and dates above it, the closure block below it."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Category, Role
from commonplace.workspace.blocks import Block, Section
from commonplace.workspace.lines import Page
from commonplace.workspace.mentions import tag_list
from commonplace.workspace.times import moment

HEADER_LINES = 5
HEADERS: dict[Role, str] = {"core": "Agent Memory", "buffer": "Working Buffer"}
CLOSURE: tuple[tuple[str, Category | None], ...] = (
    ("Updated:", None),
    ("Decisions:", "decision"),
    ("Signal:", "lesson"),
    ("Open:", "plan"),
)
NOTHING = frozenset({"", "none", "none.", "-", "–", "—", "n/a", "nothing"})


class Frame(Struct):
    """The tags of the file, where its body ends, and the lines of its closure block that say something."""

    tags: tuple[str, ...]
    end: int
    closure: list[Block]


def read_frame(page: Page, first: int, role: Role) -> Frame:
    """Read what frames the body that begins at the line `first`, and blank it, so that the scanner passes it over."""
    tags: tuple[str, ...] = ()
    for number in range(first, min(first + HEADER_LINES, len(page.lines))):
        body = page.lines[number].strip()
        if body.startswith(("```", "~~~")):
            break
        if body[:6].lower() == "#tags:":
            tags += tag_list(body[6:])
        elif not (_is_date(page, number, body) or (role == "buffer" and body.startswith(("created:", "last_active:")))):
            continue
        page.lines[number] = ""
    end, closure = _closure(page.lines, first)
    return Frame(tuple(dict.fromkeys(tags)), end, closure)


def closure_start(lines: list[str], first: int) -> int:
    """The line on which the closure block begins; the number of lines if there is none."""
    return _closure(lines, first)[0]


def _is_date(page: Page, number: int, body: str) -> bool:
    key, colon, value = body.lstrip("> ").partition(":")
    if not colon or key not in ("last_verified", "last_updated"):
        return False
    if len(moment(value)) < len("2025-11-27"):
        page.complain("bad-last-verified", f"`{key}` is not a date: {value.strip()[:40]!r}", number, "write YYYY-MM-DD")
    return True


def _closure(lines: list[str], first: int) -> tuple[int, list[Block]]:
    number = len(lines)
    found: list[Block] = []
    for key, category in reversed(CLOSURE):
        number -= 1
        while number >= first and not lines[number].strip():
            number -= 1
        if number < first or not lines[number].startswith(key):
            return len(lines), []
        value = lines[number].removeprefix(key).strip()
        if category and value.lower() not in NOTHING:
            found.append(Block("keyvalue", number, number, 0, Section(), category=category))
    return number, found[::-1]
