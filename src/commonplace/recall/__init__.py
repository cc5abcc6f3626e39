"""From a query to ranked hits with reasons: understand, retrieve by lanes, score, rank."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain

from msgspec import Struct, structs

from commonplace.index import Index, Row
from commonplace.model import Hit, Hits, Query
from commonplace.recall import dialogue, lanes
from commonplace.recall.browse import entity_records, timeline
from commonplace.recall.closeness import closeness
from commonplace.recall.confidence import CONFIDENT, confidence, covered
from commonplace.recall.dialogue import Around, alone, heard
from commonplace.recall.found import Found, by_lane, candidates
from commonplace.recall.intents import narrowed
from commonplace.recall.lanes import Lane
from commonplace.recall.lexical import Measure, Reach, search, search_among
from commonplace.recall.order import in_order
from commonplace.recall.parts import EVENT
from commonplace.recall.reading import beside_captures, speaking, whole
from commonplace.recall.understand import Understood, understand, visible
from commonplace.recall.vectors import Vectors, lane

__all__ = ["Worked", "entity_records", "once", "recall", "speaking", "timeline", "visible", "whole", "work"]

DEPTH = 30  # records scored in full, at least; three times k where that is more
POOL = 100  # best matches from which dialogues are looked up
SHARE = 0.25  # of the best match: what matches worse is not looked for once as many are found as will be scored
TIMED = 0.3  # of the best match: what a line of the time that is meant promises of its dialogue
SIDE = 0.7  # of the best match: what matches best of one of two things that are asked for
ALIKE = 1.0  # of the best match, times its cosine: what a line alike promises of its dialogue
TOLD = 0.6  # of its words; what shares a source with a better hit and says no more than this besides is told


class Worked(Struct, frozen=True):
    """A recall before hits are chosen: the query taken apart, its words and the BM25 of the records that matched, what
    the lanes say of those they found, and those that were scored in full, best first."""

    asked: Understood
    measure: Measure
    matches: dict[int, float]
    found: Found
    rows: dict[int, Row]
    scored: list[tuple[int, Hit]]

    def coverage(self, row: int) -> float:
        """The share of the question's weight that a record has, if it matched."""
        return _coverage(self.measure, self.matches, row)


class Times(Struct, frozen=True):
    """The records of the time that is meant: those written then, or holding, and those that tell of it."""

    written: Lane
    told: Lane

    def either(self) -> Lane:
        """Both, by what is stronger."""
        return lanes.nearer(self.written, {row: EVENT * strength for row, strength in self.told.items()})


def recall(index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: Vectors | None = None) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    worked = work(index, query, languages, vectors=vectors)
    ranked = once(worked.scored, worked.rows)
    hits = tuple(hit for _row, hit in ranked[: query.k])
    rest = tuple(hit for _row, hit in ranked[query.k : _depth(query)])
    sure = _sure(worked, ranked)
    return Hits(query, hits, sure >= CONFIDENT, worked.asked.notes, rest, sure)


def work(index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: Vectors | None = None) -> Worked:
    """All of a recall but the choice of hits. Raises BadArgument for unreadable times."""
    asked = understand(index, query, languages)
    depth = _depth(query)
    times = Times(lanes.within(index, asked, depth), lanes.event(index, asked))
    timed = times.either()
    measure = Measure(index, asked.terms)
    matches = _wider(index, asked, timed, Reach(k=max(depth, POOL), enough=depth, share=SHARE), measure=measure)
    alike = lane(index, query, asked, vectors, matches=len(matches))
    seen = chain(matches, timed, alike.found)
    asked = _with_mentions(index, asked, seen, newest=depth if len(matches) < DEPTH else 0)
    around = _heard(index, asked, matches, timed, alike=alike.found, measure=measure)
    others = around.places.keys() - matches.keys() - timed.keys() - alike.found.keys()
    asked = _with_mentions(index, asked, others)
    matches |= around.matches()
    close = {} if "close" in asked.without else closeness(measure, asked.terms, around)
    said = _lanes(index, asked, matches, times)
    rows = _rows(index, asked, said)
    said["vector"] = alike.strengths(rows, around)
    found = Found(asked, by_lane(rows | said["vector"].keys(), said), around, close)
    read = index.fetch(candidates(index, asked, found, depth))
    covers = partial(_coverage, measure, matches)
    found |= beside_captures(index, found, read, formula=found.formula, coverage=covers)
    return Worked(alike.noted(asked), measure, matches, found, read, _rank(read, found))


def _coverage(measure: Measure, matches: dict[int, float], row: int) -> float:
    return measure.coverage(row) if row in matches else 0.0


def _depth(query: Query) -> int:
    return max(DEPTH, 3 * query.k)


def _wider(index: Index, asked: Understood, timed: Lane, reach: Reach, *, measure: Measure) -> dict[int, float]:
    """How records match, with what is of the sorts that are named; where enough match by the words of the question
    itself, only these are searched for, since what is of a sort stands in very many lines."""
    own = tuple(term for term in asked.terms if not term.of)
    if len(own) < len(asked.terms):
        narrow = structs.replace(asked, terms=own)
        found = _matches(index, narrow, timed, reach, measure=Measure(index, own))
        if len(found) >= DEPTH:
            return search_among(index, asked.terms, asked.only, set(found), measure=measure)
    return _matches(index, asked, timed, reach, measure=measure)


def _matches(index: Index, asked: Understood, timed: Lane, reach: Reach, *, measure: Measure) -> dict[int, float]:
    """How records match by their words: the best of all, and the best of those that other lanes favour."""
    if asked.among is not None:
        return search_among(index, asked.terms, asked.only, asked.among, measure=measure)
    matches = search(index, asked.terms, asked.only, reach, measure=measure)
    if len(matches) < DEPTH or asked.intent == "about":
        return matches
    favoured = set(timed)
    only = narrowed(asked.only, asked.intent)
    if only is not None:
        favoured.update(index.count(only, lanes.MOST_LOOKED_AT))
    if asked.names:
        named = structs.replace(reach, named=tuple(asked.names))
        matches |= search(index, asked.terms, asked.only, named, measure=measure)
    return matches | search_among(index, asked.terms, asked.only, favoured, measure=measure) if favoured else matches


def _with_mentions(index: Index, asked: Understood, rows: Iterable[int], *, newest: int = 0) -> Understood:
    """What of the rows bears a name of the query, beside what is known already; and so many of the newest that do.

    Who asks for all that is known of somebody gets all of it.
    """
    if not asked.names or (asked.mentions and asked.intent == "about"):
        return asked
    if asked.intent == "about":
        return structs.replace(asked, mentions=index.mentions(tuple(asked.names)))
    wanted = set(rows)
    if newest:
        wanted |= lanes.newest_named(index, asked, newest)
    return structs.replace(asked, mentions=asked.mentions + index.mentions_among(tuple(asked.names), wanted))


def _heard(
    index: Index, asked: Understood, matches: dict[int, float], timed: Lane, *, alike: Lane, measure: Measure
) -> Around:
    """The best matches, what is of the time that is meant or alike, and the dialogues around them, as the filter
    allows."""
    if asked.intent == "about" or not asked.terms:
        return alone(index, measure, (), asked.only)
    best = max(matches.values(), default=1.0)
    in_order = sorted(matches)  # of equals the first, in whatever order they were read
    promise = {row: matches[row] for row in in_order}
    promise |= {row: promise.get(row, 0.0) + TIMED * best * near for row, near in timed.items()}
    promise |= {row: promise.get(row, 0.0) + ALIKE * best * cosine for row, cosine in alike.items()}
    favoured = promise.keys() & {row for row, _key, _role in asked.mentions}
    if (only := narrowed(asked.only, asked.intent)) is not None:
        favoured |= promise.keys() & set(index.count(only, lanes.MOST_LOOKED_AT))
    if len(promise) > POOL:
        order = sorted(promise, key=promise.__getitem__, reverse=True)
        best_favoured = [row for row in order if row in favoured] if favoured else []
        promise = {row: promise[row] for row in {*order[:POOL], *best_favoured[:POOL]}}
    if asked.without.issuperset(dialogue.PARTS):
        found = alone(index, measure, promise, asked.only)
    else:
        found = heard(index, measure, promise, asked.only, people=asked.people)
    return found if asked.among is None else found.among(asked.among)


def _lanes(index: Index, asked: Understood, matches: dict[int, float], times: Times) -> dict[str, Lane]:
    """What each lane says of what it found, by the name of its strength."""
    best = max(matches.values(), default=0.0) or 1.0
    named = lanes.entity(asked)
    return {
        "lexical": {row: score / best for row, score in matches.items()} | _of_a_side(index, asked, matches, best),
        "entity": named,
        "kind": lanes.of_kind(index, asked, matches, named),
        "time": times.written,
        "event": times.told,
        "about": lanes.about(index, asked),
        "order": {} if asked.intent == "about" else in_order(index, asked.order, matches),
    }


def _of_a_side(index: Index, asked: Understood, matches: dict[int, float], best: float) -> Lane:
    """How what matched matches one of two things that are asked for, where that is more than it matches the whole."""
    found: Lane = {}
    for side in asked.sides:
        scores = search_among(index, side.terms, asked.only, set(matches))
        most = max(scores.values(), default=0.0) or 1.0
        found = lanes.nearer(found, {row: SIDE * score / most for row, score in scores.items()})
    return {row: strength for row, strength in found.items() if strength * best > matches[row]}


def _rows(index: Index, asked: Understood, said: dict[str, Lane]) -> set[int]:
    """The rows that the lanes found and the filters let through.

    Where enough matches, what bears a name and matches in nothing has no chance, and may be very much.
    """
    found = {row for name, lane in said.items() if name != "entity" for row in lane}
    if len(said["lexical"]) < DEPTH:
        found.update(index.lengths(said["entity"].keys() - found, asked.only))
    return found if asked.among is None else found & asked.among


def _rank(rows: dict[int, Row], found: Found) -> list[tuple[int, Hit]]:
    """Hits by score; ties by path and line, so that equal files rank equally."""
    ranked: list[tuple[int, Hit]] = []
    asked, by_the_named, formula = found.asked, found.by_the_named, found.formula
    for row, kept in rows.items():
        total, reasons = formula.score(kept.record, whole(kept, found[row], asked, by_the_named))
        if total > 0:
            ranked.append((row, Hit(kept.record, total, reasons)))
    ranked.sort(key=lambda pair: _place(pair[1]))
    return ranked


def once(ranked: list[tuple[int, Hit]], rows: dict[int, Row]) -> list[tuple[int, Hit]]:
    """The ranking less what a better hit tells already: the capture that it names as its source, and what else was
    made of that capture and says hardly more."""
    told: dict[str, set[str]] = {}
    kept: list[tuple[int, Hit]] = []
    for row, hit in ranked:
        sources = (hit.record.id,) if hit.record.is_evidence else hit.record.sources
        if not sources:
            kept.append((row, hit))
            continue
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


def _sure(worked: Worked, ranked: list[tuple[int, Hit]]) -> float:
    """How likely the first hit answers; the order of what was found by nothing but a name or a time says nothing."""
    if not ranked:
        return 0.0
    row = ranked[0][0]
    share = covered(worked.asked, worked.measure, worked.coverage(row), worked.found[row])
    return confidence(share, [hit.score for _row, hit in (ranked[:1] if worked.asked.bare else ranked)])
