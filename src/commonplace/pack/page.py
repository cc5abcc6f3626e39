"""A pack being filled: what was offered, what became of it, and the room that is left."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Hit, PackPart
from commonplace.pack.duplicates import Said
from commonplace.pack.forms import LEAST, Layer, Shown, Wanted, fit
from commonplace.pack.layout import Placed, Row, Sheet
from commonplace.pack.lines import GAP, Line
from commonplace.pack.policy import PackOptions
from commonplace.pack.quoting import framed

CUT = "cut by budget"
NOTHING = "nothing to show"

SHEETS: dict[PackPart, PackPart] = {"neighbour": "recall", "dissent": "recall"}  # they stand among the hits


class Verdict(Struct):
    """One candidate and what became of it; `shown` is set while it is in the pack, `line` unless it may not enter.

    A neighbour or a dissenting line is here for another one: `of` is the verdict on that.
    """

    hit: Hit
    part: PackPart
    why: str = ""
    line: Line | None = None
    said: Said | None = None
    shown: Shown | None = None
    of: Verdict | None = None

    @property
    def sheet(self) -> PackPart:
        """The part of the pack in which it stands."""
        return SHEETS.get(self.part, self.part)

    def placed(self, body: str) -> Placed:
        """Its line with this much of its text."""
        record, line = self.hit.record, self.line or Line("", "", "")
        if self.part != "dissent" or self.of is None or self.of.line is None:
            return Placed(record.id, line, body, record.source.byte_start)
        return Placed(record.id, line, body, record.source.byte_start, self.of.hit.record.id, self.of.line.path)


class Page:
    """A pack being filled. `room` is what is left for lines, by the sum of what each costs."""

    def __init__(self, budget: int, options: PackOptions) -> None:
        self.budget, self.options = budget, options
        self.frame = options.count(framed(()))
        self.room = budget - self.frame
        self.verdicts: list[Verdict] = []
        self.taken: list[Verdict] = []  # in the order in which they came in
        self._sheets: dict[PackPart, Sheet] = {
            "core": Sheet(options.count),
            "recall": Sheet(options.count),
            "tail": Sheet(options.count),
        }

    def offer(self, verdict: Verdict, most: int, wanted: Wanted, gist: str = "") -> Shown | None:
        """Take a line with its gist, if one is given, else in the largest form, if it fits into `most` of the room."""
        line, most = verdict.line, min(most, self.room)
        if line is None or not line.body:
            verdict.why = NOTHING
            return None
        if gist and (shown := self.add(verdict, gist, most)):
            return shown
        shown = fit(line, most, lambda body: self.price(verdict, body), wanted)
        return self._took(verdict, shown)

    def add(self, verdict: Verdict, body: str, most: int) -> Shown | None:
        """Take a line with exactly this much of its text, if that fits into `most` of the room."""
        shown = Shown(_layer(verdict, body), body, self.price(verdict, body))
        return self._took(verdict, shown if shown.tokens <= min(most, self.room) else None)

    def fuller(self, verdict: Verdict, body: str) -> bool:
        """Show more of a line of which only a part is shown, if there is room for it."""
        if not verdict.line or not verdict.shown or len(body) <= len(verdict.shown.body):
            return False
        more = self.price(verdict, body)
        if more > self.room:
            return False
        self._put(verdict, Shown(_layer(verdict, body), body, verdict.shown.tokens + more))
        return True

    def grow(self, verdict: Verdict, wanted: Wanted) -> None:
        """Show more of a line of which only a part is shown, as far as there is room."""
        if verdict.line and verdict.shown and verdict.shown.layer != "L2":
            spent = verdict.shown.tokens
            shown = fit(verdict.line, spent + self.room, lambda body: spent + self.price(verdict, body), wanted)
            if shown and len(shown.body) > len(verdict.shown.body):
                self._put(verdict, shown)

    def drop(self, verdict: Verdict) -> None:
        """Take a line out again."""
        if verdict.shown:
            self._sheets[verdict.sheet].remove(verdict.placed(verdict.shown.body))
            self.taken.remove(verdict)
            self.room += verdict.shown.tokens
        verdict.shown, verdict.why = None, CUT

    def price(self, verdict: Verdict, body: str) -> int:
        """What a line adds: the first one exactly, in its frame; the others by themselves, as counts nearly add up."""
        placed = verdict.placed(body)
        if not self.taken:
            return self.options.count(framed((placed.line.written(body),))) - self.frame
        return self._sheets[verdict.sheet].more(placed)

    def has_room(self, verdict: Verdict) -> bool:
        """Whether a line could come in at all, with whatever part of its text."""
        body = verdict.line.body if verdict.line else ""
        return self.price(verdict, body if len(body) <= LEAST else GAP) <= self.room

    def rows(self) -> list[tuple[PackPart, Row]]:
        """All rows, those of the core first, those of the tail last."""
        return [(part, row) for part, sheet in self._sheets.items() for row in sheet.rows()]

    def text(self) -> str:
        """The whole, framed."""
        return framed(row.text for _part, row in self.rows())

    def _took(self, verdict: Verdict, shown: Shown | None) -> Shown | None:
        verdict.why = "" if shown else CUT
        if shown:
            self._put(verdict, shown)
            self.taken.append(verdict)
        return shown

    def _put(self, verdict: Verdict, shown: Shown) -> None:
        sheet = self._sheets[verdict.sheet]
        before = sheet.cost
        sheet.put(verdict.placed(shown.body))
        alone = not self.taken or self.taken == [verdict]
        self.room -= shown.tokens - (verdict.shown.tokens if verdict.shown else 0) if alone else sheet.cost - before
        verdict.shown = shown


def _layer(verdict: Verdict, body: str) -> Layer:
    return "L2" if verdict.line and body == verdict.line.body else "L1"
