"""Build a pack: the core first, then hits by what they promise for what they cost, laid out by their sources."""

from __future__ import annotations

from commonplace.model import Considered, Hit, Hits, Pack, PackItem, Record
from commonplace.pack.duplicates import said_by
from commonplace.pack.fill import add_hits, refill
from commonplace.pack.forms import Shown, Wanted, wanted_by
from commonplace.pack.lines import line_of
from commonplace.pack.page import CUT, Page, Verdict
from commonplace.pack.policy import PackOptions, core_refusal, refusal

ROUNDS = 2  # of filling anew: a whole costs less than its lines by themselves, which leaves room


def build(
    hits: Hits, core: tuple[Record, ...], *, budget_tokens: int, options: PackOptions, tail: tuple[Record, ...] = ()
) -> tuple[Pack, tuple[Considered, ...]]:
    """A pack of at most `budget_tokens`, counted as a whole, and what became of each record.

    The text up to the last core line depends on the core and the budget alone, so that prompt caches keep it; the
    `tail`, the newest lines first, stands at the end. A budget too small for the frame and one line gives an empty text
    of no tokens. Equal arguments give equal bytes.
    """
    page = Page(budget_tokens, options)
    wanted = wanted_by(hits.query.text)
    _add_core(page, core)
    _add_tail(page, tail)
    add_hits(page, hits.hits, wanted)
    text, tokens = _settle(page, wanted)
    pack = Pack(hits.query.text, text, tuple(_items(page)), tokens, budget_tokens)
    return pack, tuple(_considered(verdict) for verdict in page.verdicts)


def _add_core(page: Page, core: tuple[Record, ...]) -> None:
    """The lines of the core in order, up to their share; what follows the first that is too big is dropped."""
    share = int(page.room * page.options.core_share)
    full = False
    for record in core:
        verdict = Verdict(Hit(record, 0.0), "core", core_refusal(record, page.options) or (CUT if full else ""))
        page.verdicts.append(verdict)
        if verdict.why:
            continue
        verdict.line, verdict.said = line_of(record, page.options), said_by(record)
        shown = page.offer(verdict, share, Wanted())
        share -= shown.tokens if shown else 0
        full = verdict.why == CUT or (shown is not None and shown.layer != "L2")


def _add_tail(page: Page, tail: tuple[Record, ...]) -> None:
    """The newest lines that are not in the core, as many as fit into their share; of a long one a part."""
    share = int(page.room * page.options.tail_share)
    inside = {verdict.hit.record.id for verdict in page.taken}
    for record in tail:
        if record.id in inside:
            continue
        verdict = Verdict(Hit(record, 0.0), "tail", refusal(record, page.options))
        page.verdicts.append(verdict)
        if not verdict.why:
            verdict.line, verdict.said = line_of(record, page.options), said_by(record)
            shown = page.offer(verdict, share, Wanted())
            share -= shown.tokens if shown else 0


def _settle(page: Page, wanted: Wanted) -> tuple[str, int]:
    """The text and its exact count, after what the whole costs less than its lines was given to what was cut."""
    text, tokens = _within(page, wanted)
    for _ in range(ROUNDS):
        before, page.room = text, page.budget - tokens - (0 if text else page.frame)
        refill(page, wanted)
        text, tokens = _within(page, wanted)
        if text == before:
            break
    return text, tokens


def _within(page: Page, wanted: Wanted) -> tuple[str, int]:
    """The text and its count; as long as that exceeds the budget, the last line is trimmed or dropped."""
    while page.taken:
        text = page.text()
        tokens = page.options.count(text)
        if tokens <= page.budget:
            return text, tokens
        _shrink(page, page.taken[-1], tokens - page.budget, wanted)
    return "", 0


def _shrink(page: Page, last: Verdict, over: int, wanted: Wanted) -> None:
    room = last.shown.tokens - over if last.shown else 0
    page.drop(last)
    page.room = room
    if room > 0:
        page.offer(last, room, wanted if last.part == "recall" else Wanted())


def _items(page: Page) -> list[PackItem]:
    """The lines as they stand in the text, in its order."""
    taken = {(verdict.sheet, verdict.hit.record.id): verdict for verdict in page.taken}
    return [_item(taken[part, row.key], row.text) for part, row in page.rows() if row.key]


def _item(verdict: Verdict, text: str) -> PackItem:
    record, shown = verdict.hit.record, verdict.shown or Shown("L0", "", 0)
    return PackItem(
        record_id=record.id,
        citation=record.source.citation,
        text=text,
        layer=shown.layer,
        tokens=shown.tokens,
        kind=record.kind,
        trust=record.trust,
        part=verdict.part,
        score=verdict.hit.score,
    )


def _considered(verdict: Verdict) -> Considered:
    shown, record = verdict.shown, verdict.hit.record
    taken = "taken" if verdict.part == "recall" else verdict.part
    beside = f" of {verdict.of.hit.record.id}" if verdict.of else ""
    return Considered(
        record_id=record.id,
        citation=record.source.citation,
        included=shown is not None,
        reason=f"{taken} {shown.layer}{beside}" if shown else verdict.why,
        score=verdict.hit.score,
        reasons=verdict.hit.reasons,
        tokens=shown.tokens if shown else 0,
    )
