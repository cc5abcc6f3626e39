"""From a query to ranked hits with reasons: understand, retrieve by lanes, score, rank."""

from __future__ import annotations

from commonplace.index import Index, Row
from commonplace.model import Hit, Hits, Query
from commonplace.recall import lanes
from commonplace.recall.browse import entity_records, timeline
from commonplace.recall.lexical import Match, search
from commonplace.recall.score import Strengths, score
from commonplace.recall.understand import Understood, understand, visible

__all__ = ["entity_records", "recall", "timeline", "visible"]

DEPTH = 50  # records scored in full, at least; five times k where that is more
SURE = 0.5  # a first hit that covers this share of the query's weight can be relied on


def recall(index: Index, query: Query, languages: tuple[str, ...] = ("en",)) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    asked = understand(index, query, languages)
    depth = max(DEPTH, 5 * query.k)
    matches = search(index, asked.terms, asked.only, depth)
    found = _strengths(index, asked, matches)
    rows = _candidates(index, asked, found, depth)
    ranked = _rank(rows, found, asked)
    hits = tuple(hit for _row, hit in ranked[: query.k])
    sure = bool(ranked) and _is_sure(asked, matches.get(ranked[0][0]))
    rest = tuple(hit for _row, hit in ranked[query.k : depth])
    return Hits(query, hits, sure, asked.notes, rest)


def _strengths(index: Index, asked: Understood, matches: dict[int, Match]) -> dict[int, Strengths]:
    """What the lexical and the entity lane say of every record they found and the filter lets through."""
    best = max((match.score for match in matches.values()), default=0.0) or 1.0
    named = lanes.entity(index, asked) if asked.names else {}
    order = {row: place for place, row in enumerate(lanes.own_page(index, asked))} if asked.intent == "about" else {}
    timed = lanes.within(index, asked) if asked.windows else []
    seen = index.lengths((named.keys() | set(timed)) - matches.keys(), asked.only)
    return {
        row: Strengths(
            lexical=matches[row].score / best if row in matches else 0.0,
            entity=named.get(row, 0.0),
            time=0.0,
            order=order.get(row),
        )
        for row in matches.keys() | seen.keys()
    }


def _candidates(index: Index, asked: Understood, found: dict[int, Strengths], depth: int) -> dict[int, Row]:
    """The strongest, and the strongest in the time that is meant, as whole records."""
    strengths = {row: _strength(one) for row, one in found.items()}
    chosen = _strongest(index, strengths, depth)
    if asked.windows:
        inside = {row: strengths[row] for row in lanes.within(index, asked) if row in found}
        chosen += _strongest(index, inside, depth)
    return index.fetch(dict.fromkeys(chosen))


def _strength(one: Strengths) -> float:
    page = 0.0 if one.order is None else 1 / (1 + one.order)
    return one.lexical * (1 + one.entity) + one.entity + page


def _strongest(index: Index, strengths: dict[int, float], depth: int) -> list[int]:
    """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
    if len(strengths) <= depth:
        return list(strengths)
    bar = sorted(strengths.values(), reverse=True)[depth - 1]
    above = [row for row, strength in strengths.items() if strength > bar]
    equal = [row for row, strength in strengths.items() if strength == bar]
    return above + index.newest(equal, depth - len(above))


def _rank(rows: dict[int, Row], found: dict[int, Strengths], asked: Understood) -> list[tuple[int, Hit]]:
    """Hits by score; ties by path and line, so that equal files rank equally."""
    ranked: list[tuple[int, Hit]] = []
    for row, kept in rows.items():
        one = found[row]
        time = lanes.nearness(kept.record, asked.windows) if asked.windows else 0.0
        total, reasons = score(kept.record, Strengths(one.lexical, one.entity, time, one.order), asked)
        if total > 0:
            ranked.append((row, Hit(kept.record, total, reasons)))
    ranked.sort(key=lambda pair: (-pair[1].score, pair[1].record.source.path, pair[1].record.source.line_start))
    return ranked


def _is_sure(asked: Understood, best: Match | None) -> bool:
    if asked.intent == "about" or not asked.terms:
        return True
    return best is not None and best.coverage >= SURE
