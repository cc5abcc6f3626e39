"""Lay lines out by their sources: several lines of one file share a heading, and each cites the rest of its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from commonplace.pack.lines import Line, heading, subheading

Form = Literal["alone", "below", "told"]  # by itself; below its file; below its file, date and title
Context = tuple[str, str]


class Placed(Struct, frozen=True):
    """A line with as much of its text as is shown; `order` is its place in its file, `key` tells it from others.

    One that stands `beside` another, whose key that is, comes right below it, in the file `home`.
    """

    key: str
    line: Line
    body: str
    order: int
    beside: str = ""
    home: str = ""

    @property
    def context(self) -> Context:
        """What it may share with other lines of its file."""
        return self.line.date, self.line.title

    @property
    def group(self) -> str:
        """The file among whose lines it is laid out."""
        return self.home or self.line.path


class Row(Struct, frozen=True):
    """A row as printed; `key` is that of its line, empty for a heading."""

    text: str
    key: str = ""


class Sheet:
    """Lines by their files, and what they cost: the sum of their rows, each counted once by itself."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._prices: dict[str, int] = {}
        self._texts: dict[tuple[str, str, Form], str] = {}
        self._groups: dict[str, dict[str, Placed]] = {}
        self._told: dict[str, set[Context]] = {}
        self._costs: dict[str, int] = {}

    @property
    def cost(self) -> int:
        """What all rows cost."""
        return sum(self._costs.values())

    def put(self, one: Placed) -> None:
        """Place a line, in place of any of the same key."""
        self._groups.setdefault(one.group, {})[one.key] = one
        self._weigh(one.group)

    def remove(self, one: Placed) -> None:
        """Take a line out."""
        del self._groups[one.group][one.key]
        self._weigh(one.group)

    def rows(self) -> list[Row]:
        """All rows, files in the order in which their first lines were placed, lines in the order of their file."""
        return [row for group in self._groups.values() if group for row in self._rows(list(group.values()))]

    def more(self, one: Placed) -> int:
        """What placing a line adds, nearly: that two of one date get a heading of their own is left out of it."""
        group = self._groups.get(one.group, {})
        if one.key in group:
            shown = group[one.key]
            return self._price(self._written(one, "alone")) - self._price(self._written(shown, "alone"))
        if not group or one.beside:
            return self._price(self._written(one, "alone"))
        if sum(not other.beside for other in group.values()) == 1:
            both = self._rows([*group.values(), one])
            return sum(self._price(row.text) for row in both) - self._costs[one.group]
        return self._price(self._written(one, "told" if one.context in self._told[one.group] else "below"))

    def _weigh(self, path: str) -> None:
        group = list(self._groups[path].values())
        self._costs[path] = sum(self._price(row.text) for row in self._rows(group)) if group else 0
        self._told[path] = {one.context for one in group}

    def _rows(self, group: list[Placed]) -> list[Row]:
        """The lines of a file, each with what stands beside it right below it, with its own whole citation."""
        beside = {one.beside: Row(self._written(one, "alone"), one.key) for one in group if one.beside}
        found: list[Row] = []
        for main in self._in_order([one for one in group if not one.beside]):
            found += (main, beside.pop(main.key)) if main.key in beside else (main,)
        return [*found, *beside.values()]

    def _in_order(self, group: list[Placed]) -> list[Row]:
        """Lines of a file below headings, or each by itself where that is no dearer."""
        ordered = sorted(group, key=lambda one: (one.order, one.key))
        apart = [Row(self._written(one, "alone"), one.key) for one in ordered]
        if len(group) < 2:
            return apart
        together = list(self._together(ordered))
        cheaper = sum(self._price(row.text) for row in together) < sum(self._price(row.text) for row in apart)
        return together if cheaper else apart

    def _together(self, ordered: list[Placed]) -> Iterable[Row]:
        """One heading; then lines that share date and title with no other, then the others below theirs."""
        contexts: dict[Context, list[Placed]] = {}
        for one in ordered:
            contexts.setdefault(one.context, []).append(one)
        alike = len(contexts) == 1
        yield Row(heading(ordered[0].line, told=alike))
        sections = [] if alike else [some for context, some in contexts.items() if len(some) > 1 and any(context)]
        inside = {one.key for some in sections for one in some}
        form: Form = "told" if alike else "below"
        yield from (Row(self._written(one, form), one.key) for one in ordered if one.key not in inside)
        for some in sections:
            yield Row(subheading(some[0].line))
            yield from (Row(self._written(one, "told"), one.key) for one in some)

    def _written(self, one: Placed, form: Form) -> str:
        known = one.key, one.body, form
        if known not in self._texts:
            line = one.line
            self._texts[known] = (
                line.written(one.body) if form == "alone" else line.below(one.body, told=form == "told")
            )
        return self._texts[known]

    def _price(self, text: str) -> int:
        if text not in self._prices:
            self._prices[text] = self._count(f"{text}\n")
        return self._prices[text]
