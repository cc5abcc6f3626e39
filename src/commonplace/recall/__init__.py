"""From a query to ranked hits with reasons: understand, retrieve by lanes, score, rank."""

from __future__ import annotations

from msgspec import structs

from commonplace.index import Index, Row
from commonplace.model import Hit, Hits, Query
from commonplace.recall import lanes
from commonplace.recall.browse import entity_records, timeline
from commonplace.recall.intents import narrowed, suits
from commonplace.recall.lanes import Lane
from commonplace.recall.lexical import Match, search, search_among
from commonplace.recall.score import Strengths, relevance, score
from commonplace.recall.understand import Understood, understand, visible

__all__ = ["entity_records", "recall", "timeline", "visible"]

DEPTH = 30  # records scored in full, at least; three times k where that is more
TOLD = 0.6  # of its words; what shares a source with a better hit and says no more than this besides is told
SURE = 0.5  # a first hit that covers this share of the query's weight can be relied on


def recall(index: Index, query: Query, languages: tuple[str, ...] = ("en",)) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    asked = understand(index, query, languages)
    depth = max(DEPTH, 3 * query.k)
    timed = lanes.within(index, asked, depth)
    matches = _matches(index, asked, timed, depth)
    found = _strengths(index, asked, matches, timed)
    ranked = _rank(index.fetch(_candidates(index, found, asked, depth)), found, asked)
    hits = tuple(hit for _row, hit in ranked[: query.k])
    rest = tuple(hit for _row, hit in ranked[query.k : depth])
    sure = bool(ranked) and _is_sure(index, asked, matches.get(ranked[0][0]), found[ranked[0][0]])
    return Hits(query, hits, sure, asked.notes, rest)


def _matches(index: Index, asked: Understood, timed: Lane, depth: int) -> dict[int, Match]:
    """How records match by their words: the best of all, and the best of those that other lanes favour."""
    if asked.among is not None:
        return search_among(index, asked.terms, asked.only, asked.among)
    matches = search(index, asked.terms, asked.only, depth)
    if len(matches) < depth or asked.intent == "about":
        return matches
    favoured = {*timed, *(row for row, _key, _role in asked.mentions)}
    only = narrowed(asked.only, asked.intent)
    if only is not None:
        favoured.update(index.count(only, lanes.MOST_LOOKED_AT))
    return matches | search_among(index, asked.terms, asked.only, favoured) if favoured else matches


def _strengths(index: Index, asked: Understood, matches: dict[int, Match], timed: Lane) -> dict[int, Strengths]:
    """What every lane says of the records that it found and the filters let through."""
    named = lanes.entity(asked)
    about = lanes.about(index, asked)
    kind = lanes.of_kind(index, asked, matches, named)
    few = len(matches) < DEPTH  # else what bears a name and matches in nothing has no chance, and may be very much
    alone = {*about, *kind, *timed, *(named if few else ())} - matches.keys()
    if asked.among is not None:
        alone &= asked.among
    best = max((match.score for match in matches.values()), default=0.0) or 1.0
    return {
        row: Strengths(
            lexical=matches[row].score / best if row in matches else 0.0,
            entity=named.get(row, 0.0),
            kind=kind.get(row, 0.0),
            time=timed.get(row, 0.0),
            about=about.get(row, 0.0),
        )
        for row in (*matches, *index.lengths(alone, asked.only))
    }


def _candidates(index: Index, found: dict[int, Strengths], asked: Understood, depth: int) -> set[int]:
    """The rows to be scored in full: the strongest, and the strongest of the time that is meant."""
    strengths = {row: sum(relevance(one, asked).values()) for row, one in found.items()}
    timed = {row: strengths[row] for row, one in found.items() if one.time}
    untimed = {row: strength - found[row].time for row, strength in strengths.items()}
    return _strongest(index, untimed, depth) | _strongest(index, timed, depth)


def _strongest(index: Index, strengths: dict[int, float], depth: int) -> set[int]:
    """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
    if len(strengths) <= depth:
        return set(strengths)
    bar = sorted(strengths.values(), reverse=True)[depth - 1]
    above = {row for row, strength in strengths.items() if strength > bar}
    equal = [row for row, strength in strengths.items() if strength == bar]
    return above | set(index.newest(equal, depth - len(above)))


def _rank(rows: dict[int, Row], found: dict[int, Strengths], asked: Understood) -> list[tuple[int, Hit]]:
    """Hits by score; ties by path and line, so that equal files rank equally."""
    ranked: list[tuple[int, Hit]] = []
    for row, kept in rows.items():
        record = kept.record
        near, suited = lanes.nearness(record, asked.windows), suits(record, asked.intent)
        total, reasons = score(record, structs.replace(found[row], time=near, kind=float(suited)), asked)
        if total > 0:
            ranked.append((row, Hit(record, total, reasons)))
    ranked.sort(key=lambda pair: _place(pair[1]))
    return _once(ranked, rows)


def _once(ranked: list[tuple[int, Hit]], rows: dict[int, Row]) -> list[tuple[int, Hit]]:
    """The ranking less what a better hit tells already: the capture that it names as its source, and what else was
    made of that capture and says hardly more."""
    told: dict[str, set[str]] = {}
    kept: list[tuple[int, Hit]] = []
    for row, hit in ranked:
        sources = (hit.record.id,) if hit.record.is_evidence else hit.record.sources
        words = rows[row].tokens.split()
        known = set().union(*(told.get(source, ()) for source in sources))
        if known and sum(word in known for word in words) >= TOLD * len(words):
            continue
        for source in sources:
            told.setdefault(source, set()).update(words)
        kept.append((row, hit))
    return kept


def _place(hit: Hit) -> tuple[float, str, int, int, str]:
    source = hit.record.source
    return -hit.score, source.path, source.line_start, source.byte_start, hit.record.id


def _is_sure(index: Index, asked: Understood, match: Match | None, found: Strengths) -> bool:
    """Whether the first hit answers what was asked: words that no record has at all count against it."""
    if asked.bare:
        return bool(found.entity or found.kind or found.time or found.about)
    known = sum(term.weight for term in asked.terms if any(map(index.frequency, term.forms)))
    return match is not None and match.coverage * known >= SURE * sum(term.weight for term in asked.terms)
