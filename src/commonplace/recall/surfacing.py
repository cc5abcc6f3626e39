"""The smallest changes of a query that would show a line; each is tried before it is told."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from commonplace.index import Index
from commonplace.model import Query, Record
from commonplace.recall import recall
from commonplace.recall.understand import understand
from commonplace.recall.vectors import Vectors
from commonplace.text import fold, query_terms

MOST_SHOWN = 1_000  # a larger k is no advice
NEAR = 5  # times k: up to there, to ask for more hits is a smaller change than another word
DEEPER = 20  # hits; so many times NEAR are looked through where words of the line alone do not show it
WORDS_TRIED = 6  # of the line, the rarest first

Choices = dict[str, Any]


class Change(Struct, frozen=True):
    """Arguments of recall or pack, in place of those that were given, that show the line, and at which rank.

    `word` is the word that was added to the question, if one was.
    """

    choices: Choices
    rank: int
    word: str = ""


def surfacing(
    index: Index,
    query: Query,
    record: Record,
    *,
    opened: Query,
    rank: int,
    languages: tuple[str, ...],
    vectors: Vectors | None = None,
) -> tuple[Change, ...]:
    """Changes that show the record, the smallest first; `opened` is the query as its filters let the record through,
    and `rank` that of the record then (0: it has none)."""
    tried = _Tried(index, query, record, languages=languages, vectors=vectors)
    filters = {name: getattr(opened, name) for name in query.__struct_fields__ if _differs(query, opened, name)}
    if filters and (found := tried.change(filters)):
        return (found,)
    asked = tuple(_told(tried, filters, record))
    more = tuple(_more(tried, filters, rank))
    word = tuple(_word(tried, filters))
    near = more and more[0].choices["k"] <= NEAR * query.k
    return (*asked, *more, *word) if near else (*asked, *word, *more)


def telling_words(index: Index, record: Record, query: Query, languages: tuple[str, ...]) -> list[str]:
    """Words of a line that the question lacks, the rarest first; as the line has them."""
    said = {form for term in understand(index, query, languages).terms for form in term.forms if not term.of}
    said |= {form for term in query_terms(query.text, languages) for form in term.forms}
    terms = [term for term in query_terms(record.text, languages) if not said.intersection(term.forms)]
    rarity = {term.word: max(map(index.frequency, term.forms), default=0) for term in terms}
    words = [word for word in rarity if rarity[word] and fold(word)]
    return sorted(words, key=lambda word: (rarity[word], not word.isalpha(), -len(word), word))[:WORDS_TRIED]


class _Tried:
    """Recalls with other arguments, to see whether they show the record."""

    def __init__(
        self, index: Index, query: Query, record: Record, *, languages: tuple[str, ...], vectors: Vectors | None
    ) -> None:
        self.index, self.query, self.record, self.languages = index, query, record, languages
        self.vectors = vectors

    def change(self, choices: Choices, word: str = "") -> Change | None:
        """The change, if it shows the record."""
        hits = recall(self.index, structs.replace(self.query, **choices), self.languages, vectors=self.vectors).hits
        place = next((n for n, hit in enumerate(hits, 1) if hit.record.id == self.record.id), 0)
        return Change(choices, place, word) if place else None


def _differs(query: Query, opened: Query, name: str) -> bool:
    return bool(getattr(query, name) != getattr(opened, name))


def _told(tried: _Tried, filters: Choices, record: Record) -> list[Change]:
    """A line whose source is told by a better hit is seen by itself among captures, or among records, alone."""
    if not (record.is_evidence or record.sources) or "evidence" in filters:
        return []
    found = tried.change({**filters, "evidence": "only" if record.is_evidence else "none"})
    return [found] if found else []


def _more(tried: _Tried, filters: Choices, rank: int) -> list[Change]:
    """As many hits as it takes: the rank at depth may differ from that among fewer."""
    k = max(rank, tried.query.k + 1)
    while rank and k <= MOST_SHOWN:
        if found := tried.change({**filters, "k": k}):
            least = max(found.rank, tried.query.k + 1)
            return [(tried.change({**filters, "k": least}) if least < k else None) or found]
        k = k * 3 // 2 + 1
    return []


def _word(tried: _Tried, filters: Choices) -> list[Change]:
    """A word of the line that the question lacks, or two where none is enough, or two and as many hits as it takes."""
    words = telling_words(tried.index, tried.record, tried.query, tried.languages)
    together = " ".join(words[:2])
    for word in (*words, *([together] if len(words) > 1 else [])):
        if found := tried.change({**filters, "text": f"{tried.query.text} {word}"}, word):
            return [found]
    deeper = {**filters, "text": f"{tried.query.text} {together}", "k": NEAR * DEEPER}
    found = tried.change(deeper, together) if words else None
    least = tried.change({**deeper, "k": found.rank}, together) if found else None
    return [least or found] if found else []
