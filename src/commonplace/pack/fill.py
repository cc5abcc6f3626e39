"""Fill a page with hits: what is worth most for its cost first, long lines by what bears on the question."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Hit, Record
from commonplace.pack.beside import neighbour_of, take_dissent
from commonplace.pack.choose import Offer, choose, promise
from commonplace.pack.duplicates import Said, duplicate_of, said_by
from commonplace.pack.forms import Wanted, shorter
from commonplace.pack.lines import line_of
from commonplace.pack.page import CUT, Page, Verdict
from commonplace.pack.policy import refusal

MOST_OF_ONE = 0.5  # of what the core leaves: a long hit must not starve those behind it …
NEVER_LESS = 200  # … but this many tokens it may always take
GIST = 0.9  # of what a line promises its gist keeps
MERE = 0.02  # of it is in sentences that only ask or exclaim
NEIGHBOUR = 0.1  # of what a line promises hangs on the line before it, if it is not understood without that
LEAST = 0.05  # of what the best line promises; what promises less needs no neighbour


class Filling(Struct, frozen=True):
    """A page, what is looked for, the hits that may enter, and the most that one of them may take."""

    page: Page
    wanted: Wanted
    pool: list[Verdict]
    most: int


def add_hits(page: Page, hits: tuple[Hit, ...], wanted: Wanted) -> None:
    """The hits worth most for their cost; then, as far as there is room, twins of what did not fit."""
    threshold = page.options.near_duplicate
    said = [verdict.said for verdict in page.taken if verdict.said]
    pool: list[Verdict] = []
    twins: list[Verdict] = []
    for hit in hits:
        verdict = Verdict(hit, "recall", refusal(hit.record, page.options))
        page.verdicts.append(verdict)
        if not verdict.why:
            verdict.line, verdict.said = line_of(hit.record, page.options), said_by(hit.record)
            verdict.why = _twin(verdict.said, said, threshold)
            said.append(verdict.said)
            (twins if verdict.why else pool).append(verdict)
    most = max(int(page.room * MOST_OF_ONE), NEVER_LESS)
    _fill(Filling(page, wanted, pool, most if len(pool) > 1 else page.room))
    for verdict in twins:
        if verdict.said and not _twin(verdict.said, [one.said for one in page.taken if one.said], threshold):
            _fill(Filling(page, wanted, [verdict], most))


def refill(page: Page, wanted: Wanted) -> None:
    """Give what room is left to lines that were cut; then to the rest of lines of which a part is shown."""
    found = [verdict for verdict in page.verdicts if verdict.part == "recall"]
    cut = [verdict for verdict in found if verdict.why == CUT]
    pool = [*cut[:1], *filter(page.has_room, cut[1:])]  # the best is tried whatever it costs, as in any choice
    _fill(Filling(page, wanted, pool, page.room))
    for verdict in found:
        page.grow(verdict, wanted)


def _twin(said: Said, others: list[Said], threshold: float) -> str:
    twin = duplicate_of(said, others, threshold)
    if not twin:
        return ""
    return "already in the pack" if twin == said.id else f"near-duplicate of {twin}"


def _fill(filling: Filling) -> None:
    page, pool = filling.page, filling.pool
    best = max((verdict.hit.score for verdict in page.verdicts), default=0.0)
    worth = {place: promise(verdict.hit.score, best) for place, verdict in enumerate(pool)}
    hits = len(pool)

    def cost(offer: Offer) -> int:
        return page.price(pool[offer.place], offer.body)

    def take(offer: Offer) -> bool:
        verdict = pool[offer.place]
        if verdict.shown:
            return page.fuller(verdict, offer.body)
        if offer.place >= hits:
            return page.add(verdict, offer.body, filling.most) is not None
        if sum(one.part == "recall" for one in page.taken) >= page.options.max_items:
            verdict.why = f"more than {page.options.max_items} lines"
            return False
        gist = offer.body if offer.fuller else ""
        if page.offer(verdict, filling.most, filling.wanted, gist) is None:
            return False
        take_dissent(page, verdict, filling.wanted, filling.most)
        return True

    def after(offer: Offer) -> list[Offer]:
        return _leaned_on(filling, pool[offer.place], worth.pop(offer.place, 0.0))

    offers = [_offer(filling, place, worth[place]) for place in range(len(pool))]
    choose(offers, filling.wanted.tokens, cost, take, after=after)


def _rests_on(record: Record) -> frozenset[str]:
    """The captures that tell what a record tells: itself, or those that it was kept of."""
    return frozenset((record.id,) if record.is_evidence else record.sources)


def _leaned_on(filling: Filling, host: Verdict, worth: float) -> list[Offer]:
    """The line before one that was just taken, if that promises enough and is not understood without it."""
    if worth < LEAST or (found := neighbour_of(filling.page, host)) is None:
        return []
    verdict, body = found
    filling.pool.append(verdict)
    source = verdict.line.path if verdict.line else ""
    return [Offer(len(filling.pool) - 1, source, worth * NEIGHBOUR, body=body)]


def _offer(filling: Filling, place: int, worth: float) -> Offer:
    """A line as it may be taken: of a long one first its gist, then more of it if what that adds is worth its cost."""
    verdict, wanted = filling.pool[place], filling.wanted
    if not verdict.line or not verdict.said:
        return Offer(place, "", 0.0)
    source, body = verdict.line.path, verdict.line.body
    holds, rests_on = wanted.tokens & verdict.said.tokens, _rests_on(verdict.hit.record)
    forms = shorter(verdict.line, wanted)
    shares = {0: (1.0,), 1: (GIST, 1 - GIST), 2: (GIST, 1 - GIST - MERE, MERE)}[len(forms)]
    bodies = forms if verdict.line.partial and forms else (*forms, body)
    offer: Offer | None = None
    for text, share in reversed(list(zip(bodies, shares, strict=False))):
        first = text == bodies[0]
        new, grounds = (holds, rests_on) if first else (frozenset(), frozenset())
        offer = Offer(place, source, worth * share, new, grounds, text, offer)
    return offer or Offer(place, source, worth, holds, rests_on, body)
