"""Fill a pack: the core first, then the hits in their order, each in the largest form that fits what is left."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Considered, Hit, Hits, Pack, PackItem, Record
from commonplace.pack.duplicates import Said, duplicate_of, said_by
from commonplace.pack.forms import Shown, Wanted, fit, wanted_by
from commonplace.pack.lines import Line, line_of
from commonplace.pack.policy import PackOptions, core_refusal, refusal
from commonplace.pack.quoting import framed

MOST_OF_ONE = 0.5  # of what the core leaves: a long hit must not starve those behind it …
NEVER_LESS = 200  # … but this many tokens it may always take
CUT = "cut by budget"
NOTHING = "nothing to show"

Part = Literal["core", "recall"]


class _Verdict(Struct):
    """One candidate and what became of it; `shown` is set while it is in the pack."""

    hit: Hit
    part: Part
    why: str = ""
    line: Line | None = None
    shown: Shown | None = None


class _Page:
    """A pack being filled. `room` is what is left for lines, by the sum of what each costs."""

    def __init__(self, budget: int, options: PackOptions) -> None:
        self.budget, self.options = budget, options
        self.frame = options.count(framed(()))
        self.room = budget - self.frame
        self.verdicts: list[_Verdict] = []
        self.said: list[Said] = []

    @property
    def taken(self) -> list[_Verdict]:
        return [verdict for verdict in self.verdicts if verdict.shown]

    def refuse(self, hit: Hit, part: Part, why: str) -> None:
        self.verdicts.append(_Verdict(hit, part, why))

    def offer(self, verdict: _Verdict, most: int, wanted: Wanted) -> Shown | None:
        """Take the largest form that fits into `most` of the room that is left."""
        self.verdicts.append(verdict)
        verdict.line = line_of(verdict.hit.record, self.options)
        if not verdict.line.body:
            verdict.why = NOTHING
            return None
        verdict.shown = fit(verdict.line, min(most, self.room), self.measure, wanted)
        verdict.why = "" if verdict.shown else CUT
        if verdict.shown:
            self.room -= verdict.shown.tokens
        return verdict.shown

    def measure(self, text: str) -> int:
        """What a line costs: the first one exactly, in its frame; the others by themselves, as counts nearly add up."""
        if self.room == self.budget - self.frame:
            return self.options.count(framed((text,))) - self.frame
        return self.options.count(f"{text}\n")


def build(
    hits: Hits, core: tuple[Record, ...], *, budget_tokens: int, options: PackOptions
) -> tuple[Pack, tuple[Considered, ...]]:
    """A pack of at most `budget_tokens`, counted as a whole, and what became of each core record and each hit.

    The text up to the last core line depends on the core and the budget alone, so that prompt caches keep it. A budget
    too small for the frame and one line gives an empty text of no tokens. Equal arguments give equal bytes.
    """
    page = _Page(budget_tokens, options)
    wanted = wanted_by(hits.query.text)
    _add_core(page, core)
    _add_hits(page, hits.hits, wanted)
    text, tokens = _settle(page, wanted)
    items = tuple(_item(verdict, verdict.shown) for verdict in page.taken if verdict.shown)
    pack = Pack(hits.query.text, text, items, tokens, budget_tokens)
    return pack, tuple(_considered(verdict) for verdict in page.verdicts)


def _add_core(page: _Page, core: tuple[Record, ...]) -> None:
    """The lines of the core in order, up to their share; what follows the first that is too big is dropped."""
    share = int(page.room * page.options.core_share)
    full = False
    for record in core:
        hit = Hit(record, 0.0)
        why = core_refusal(record, page.options) or (CUT if full else "")
        if why:
            page.refuse(hit, "core", why)
            continue
        shown = page.offer(_Verdict(hit, "core"), share, Wanted())
        share -= shown.tokens if shown else 0
        full = page.verdicts[-1].why == CUT or (shown is not None and shown.layer != "L2")
        if shown:
            page.said.append(said_by(record))


def _add_hits(page: _Page, hits: tuple[Hit, ...], wanted: Wanted) -> None:
    most = max(int(page.room * MOST_OF_ONE), NEVER_LESS)
    lines = 0
    for place, hit in enumerate(hits, 1):
        said = said_by(hit.record)
        why = _why_not(page, hit, said) or (
            f"more than {page.options.max_items} lines" if lines >= page.options.max_items else ""
        )
        if why:
            page.refuse(hit, "recall", why)
        elif page.offer(_Verdict(hit, "recall"), page.room if place == len(hits) else most, wanted):
            page.said.append(said)
            lines += 1


def _why_not(page: _Page, hit: Hit, said: Said) -> str:
    why = refusal(hit.record, page.options)
    if why:
        return why
    twin = duplicate_of(said, page.said, page.options.near_duplicate)
    if twin:
        return "already in the pack" if twin == hit.record.id else f"near-duplicate of {twin}"
    return ""


def _settle(page: _Page, wanted: Wanted) -> tuple[str, int]:
    """The text and its exact count; as long as that exceeds the budget, the last line is trimmed or dropped."""
    while taken := page.taken:
        text = framed(verdict.shown.text for verdict in taken if verdict.shown)
        tokens = page.options.count(text)
        if tokens <= page.budget:
            return text, tokens
        _shrink(page, taken[-1], tokens - page.budget, wanted)
    return "", 0


def _shrink(page: _Page, last: _Verdict, over: int, wanted: Wanted) -> None:
    if last.line and last.shown:
        room = last.shown.tokens - over
        looked_for = wanted if last.part == "recall" else Wanted()
        last.shown = fit(last.line, room, page.measure, looked_for) if room > 0 else None
        last.why = "" if last.shown else CUT


def _item(verdict: _Verdict, shown: Shown) -> PackItem:
    record = verdict.hit.record
    return PackItem(
        record_id=record.id,
        citation=record.source.citation,
        text=shown.text,
        layer=shown.layer,
        tokens=shown.tokens,
        kind=record.kind,
        trust=record.trust,
        part=verdict.part,
        score=verdict.hit.score,
    )


def _considered(verdict: _Verdict) -> Considered:
    shown, record = verdict.shown, verdict.hit.record
    taken = "core" if verdict.part == "core" else "taken"
    return Considered(
        record_id=record.id,
        citation=record.source.citation,
        included=shown is not None,
        reason=f"{taken} {shown.layer}" if shown else verdict.why,
        score=verdict.hit.score,
        reasons=verdict.hit.reasons,
        tokens=shown.tokens if shown else 0,
    )
