"""The arithmetic of a recall: how the question was read, and each score as one can do it again with a calculator."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec import Struct, structs

from commonplace.index import Index
from commonplace.model import Hit, Hits, Record
from commonplace.recall import Worked, work
from commonplace.recall.fit import FITS
from commonplace.recall.lexical import Measure
from commonplace.recall.parts import PARTS, Strengths
from commonplace.recall.priors import FRESH_DAYS, PRIORS, age, limit
from commonplace.recall.reading import speaking, whole
from commonplace.recall.score import FACTOR, arithmetic
from commonplace.recall.traced import Traced, figures
from commonplace.recall.understand import Understood
from commonplace.recall.vectors import Vectors
from commonplace.text import Term


class Explained(Struct, frozen=True):
    """Hits with their arithmetic: `asked` says how the question was read, `sums` has lines for each hit, in order,
    and `parts` what each part that occurs is."""

    hits: Hits
    asked: tuple[str, ...]
    sums: tuple[tuple[str, ...], ...]
    parts: tuple[str, ...]


def explain(
    index: Index, hits: Hits, languages: tuple[str, ...] = ("en",), *, vectors: Vectors | None = None
) -> Explained:
    """The arithmetic of hits that are just found; the index must be the one that they come from."""
    with index.snapshot():
        worked = work(index, hits.query, languages, vectors=vectors)
        asked = tuple(_read(index, worked.asked))
    rows = {kept.record.id: row for row, kept in worked.rows.items()}
    sums = tuple(tuple(_sum(worked, rows[hit.record.id], hit)) for hit in hits.hits)
    return Explained(hits, asked, sums, tuple(_meanings(hits)))


def made(record: Record, found: Strengths, asked: Understood) -> dict[str, str]:
    """How each part of a score came about, by the name of its reason; parts that are a mere number are left out.

    The functions of the score compute with numbers that remember; so this cannot say anything else than they do.
    """
    strengths = structs.asdict(found)
    traced = Strengths(**{name: Traced(value) for name, value in strengths.items()})
    told = {name: part(traced, asked) for name, part in PARTS.items() if name not in asked.without}
    told |= {name + FACTOR: factor(traced, asked) for name, factor in FITS.items() if name not in asked.without}
    kept = structs.replace(record, confidence=_traced(record.confidence), importance=_traced(record.importance))
    priors = {name: prior(kept, asked) for name, prior in PRIORS.items() if name not in asked.without}
    told |= {name + FACTOR: value for name, value in priors.items()}
    told["limit" + FACTOR] = limit(Traced(math.prod(priors.values())))
    words = {name: value.made for name, value in told.items() if isinstance(value, Traced)}
    if priors.get("recent", 1.0) != 1.0:
        words["recent" + FACTOR] = f"0.95 + 0.1 × 0.5^({age(record, asked)} / {FRESH_DAYS})"
    return {name: how for name, how in words.items() if how != figures(told[name])}


def _traced(value: float | None) -> float | None:
    return None if value is None else Traced(value)


def _sum(worked: Worked, row: int, hit: Hit) -> Iterator[str]:
    """What the lanes found, then the sum and the product."""
    kept = worked.rows[row]
    found = whole(kept, worked.found[row], worked.asked, speaking(worked.asked))
    match = worked.matches.get(row)
    told = {name: figures(value) for name, value in structs.asdict(found).items() if value or name == "length"}
    if match and found.lexical:
        best = max(worked.matches.values())
        if found.lexical == match / best:
            told["lexical"] += f" (BM25 {figures(match)} of {figures(best)})"
        else:
            told["lexical"] += " (of its capture)" if found.stands else " (of one side)"
    told["length"] += f" ({kept.length} tokens)" if kept.length else ""
    yield "found: " + " · ".join(f"{name} {value}" for name, value in told.items())
    yield from arithmetic(hit.reasons, hit.score, made(hit.record, found, worked.asked))


def _read(index: Index, asked: Understood) -> Iterator[str]:
    """The question as it was read: words with their weights, names, times, what sort of answer is asked for."""
    measure = Measure(index, asked.terms)
    weights = {word.forms: word.idf for word in measure.words}
    yield f"searched: {measure.records} records of {figures(measure.average)} tokens on average"
    words = [f"{_said(term)} {figures(weights[term.forms]) if term.forms in weights else '–'}" for term in asked.terms]
    if words:
        yield f"words and their weights (– is in no record): {' · '.join(words)}"
    if asked.sides:
        yield f"two things: {' · '.join(side.text for side in asked.sides)}"
    if asked.names:
        yield f"names: {', '.join(dict.fromkeys(asked.names.values()))}"
    for window in asked.windows:
        stretch = f"{window.interval.start or '…'} to {window.interval.end or '…'}"
        yield f"time: {'around the middle of ' if window.near else ''}{stretch}"
    if asked.sessions.places:
        places = ", ".join(str(place) for place in asked.sessions.places)
        yield f"sessions, in order of time: {places} of {asked.sessions.count}"
    if asked.intent != "any":
        yield f"asked for: {asked.intent}"
    if asked.order:
        yield f"asked for: the {asked.order} of its like"
    if asked.answer != "any":
        yield f"the answer may be: a {asked.answer}"
    if asked.without:
        yield f"switched off: {', '.join(sorted(asked.without))}"


def _said(term: Term) -> str:
    """A word of the question, or of what is of the sort that it names."""
    return f"what is of {term.word}" if term.of else term.word


def _meanings(hits: Hits) -> Iterator[str]:
    """What each part is that occurs, in the words of its function."""
    named = {reason.name for hit in hits.hits for reason in hit.reasons}
    functions = {**PARTS, **{name + FACTOR: one for name, one in {**FITS, **PRIORS, "limit": limit}.items()}}
    for name, function in functions.items():
        if name in named and function.__doc__:
            yield f"{name.removesuffix(FACTOR):<12} = {function.__doc__.partition(chr(10))[0]}"
