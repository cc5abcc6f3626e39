"""Resume: what a restarted agent should read, quoted and cited, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace import tokens
from commonplace.pack.quoting import framed, quoted
from commonplace.sessions.sources import Line, Part, Shelf, parts
from commonplace.text import one_line

BUDGET = 3_000  # tokens

Count = Callable[[str], int]


class Shown(Struct, frozen=True):
    """One part as it was shown: how many of its lines, and how many records were withheld from it."""

    name: str
    citation: str
    lines: int
    shown: int
    withheld: int = 0


class Resumed(Struct, frozen=True):
    """What to read: `text` goes into the prompt, `tokens` counts all of it; `notes` is what the reader should know."""

    text: str
    tokens: int
    budget_tokens: int
    parts: tuple[Shown, ...] = ()
    notes: tuple[str, ...] = ()


class _Open(Struct):
    """A part being filled: how many of its lines are taken, and what they cost."""

    part: Part
    taken: int = 0
    cost: int = 0

    @property
    def lines(self) -> tuple[Line, ...]:
        if not self.taken:
            return ()
        return self.part.lines[-self.taken :] if self.part.tail else self.part.lines[: self.taken]


def resume(shelf: Shelf, budget_tokens: int = BUDGET, count: Count = tokens.count) -> Resumed:
    """The parts in their order, each as far as it fits; every part first gets its share, then the first ones the rest.

    Equal files, clock and budget give equal bytes. `count` counts the tokens of a text. The budget counts the frame;
    nothing fits into one too small for it.
    """
    found = parts(shelf)
    pages, left_out = _opened(found, budget_tokens, count)
    _fill(pages, budget_tokens, count)
    text = _settled(pages, budget_tokens, count)
    notes = [f"left out for want of room: {part.path}" for part in left_out]
    if shelf.session and not any(part.name == "session" for part in found):
        notes.append(f"there is no working memory of a session {shelf.session!r}")
    shown = tuple(
        Shown(page.part.name, _citation(page), len(page.part.lines), page.taken, page.part.withheld) for page in pages
    )
    return Resumed(text, count(text), budget_tokens, shown if text else (), tuple(notes))


def _opened(found: list[Part], budget: int, count: Count) -> tuple[list[_Open], list[Part]]:
    """The parts whose titles fit, and the others."""
    room = budget - count(framed(()))
    pages: list[_Open] = []
    for number, part in enumerate(found):
        page = _Open(part)
        room -= _cost(_title(page), count)
        if room <= 0:
            return pages, found[number:]
        pages.append(page)
    return pages, []


def _fill(pages: list[_Open], budget: int, count: Count) -> None:
    room = budget - count(framed(())) - sum(_cost(_title(page), count) for page in pages)
    shares = [int(page.part.share * room) for page in pages]
    for page, share in zip(pages, shares, strict=True):
        room -= _take(page, share, count)
    for page in pages:
        room -= _take(page, room, count)


def _take(page: _Open, room: int, count: Count) -> int:
    """Take lines while they fit; returns what they cost."""
    lines = page.part.lines[::-1] if page.part.tail else page.part.lines
    spent = 0
    for line in lines[page.taken :]:
        cost = _cost(_written(line), count)
        if spent + cost > room:
            break
        spent += cost
        page.taken += 1
    return spent


def _settled(pages: list[_Open], budget: int, count: Count) -> str:
    """The text; as long as it has more tokens than the budget, the last line that was taken goes, then its title."""
    while pages:
        text = framed(line for page in pages for line in (_title(page), *map(_written, page.lines)))
        if count(text) <= budget:
            return text
        last = next((page for page in reversed(pages) if page.taken), None)
        if last is None:
            pages.pop()
        else:
            last.taken -= 1
    return ""


def _title(page: _Open) -> str:
    """`## Title [path#L1-L9] (…)`, with what is missing."""
    part = page.part
    remarks = [part.note] if part.note else []
    if page.taken < len(part.lines):
        which = "last" if part.tail else "first"
        remarks.append(f"cut: the {which} {page.taken} of {len(part.lines)} lines")
    if part.withheld:
        remarks.append(f"withheld: {part.withheld} untrusted, superseded or of another project")
    return quoted(one_line(f"## {part.title} [{_citation(page)}]" + (f" ({'; '.join(remarks)})" if remarks else "")))


def _citation(page: _Open) -> str:
    numbers = [line.number for line in page.lines if line.number]
    if not numbers:
        return page.part.path
    return f"{page.part.path}#L{numbers[0]}" + (f"-L{numbers[-1]}" if len(numbers) > 1 else "")


def _written(line: Line) -> str:
    """A number in front, so that no line of a file can pose as one of our titles."""
    return quoted(f"{line.number or '-'}: {line.text}")


def _cost(line: str, count: Count) -> int:
    return count(f"{line}\n")
