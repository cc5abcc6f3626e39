"""The largest form of a line that fits: L2 its whole text, L1 its best sentences, L0 its opening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from commonplace.pack.lines import GAP, Line
from commonplace.text import language as language_of
from commonplace.text import one_line, query_terms, sentences, tokens

LEAST = 32  # characters; less of a longer text says nothing
CHARS_PER_TOKEN = 12  # more than any tokenizer makes of running text: where the search for a cut begins
WORD = 24  # characters; a cut goes back this far to the blank before a word

Layer = Literal["L0", "L1", "L2"]
Measure = Callable[[str], int]


class Wanted(Struct, frozen=True):
    """What a query looks for: its tokens, and the language that they were made in."""

    tokens: frozenset[str] = frozenset()
    language: str = "en"

    def overlap(self, sentence: str) -> int:
        """How many of them a sentence holds."""
        return len(self.tokens.intersection(tokens(sentence, self.language))) if self.tokens else 0


class Shown(Struct, frozen=True):
    """A form of a line: its text as printed and what it costs."""

    layer: Layer
    text: str
    tokens: int


class _Part(Struct, frozen=True):
    place: int
    text: str
    overlap: int


def wanted_by(query: str) -> Wanted:
    """What the text of a query looks for; function words are left out."""
    language = language_of(query)
    terms = query_terms(query, (language,))
    return Wanted(frozenset(form for term in terms for form in term.forms), language)


def fit(line: Line, room: int, measure: Measure, wanted: Wanted) -> Shown | None:
    """The largest form whose measure is at most `room`; None if not even its opening fits."""
    body = line.body
    if len(body) > LEAST and measure(line.written(GAP)) > room:
        return None
    if not line.partial:
        whole = _shown("L2", line, body, measure)
        if whole.tokens <= room:
            return whole
    parts = _parts(line, wanted)
    return _best_sentences(line, parts, room, measure) or _opening(line, parts, room, measure)


def _shown(layer: Layer, line: Line, body: str, measure: Measure) -> Shown:
    text = line.written(body)
    return Shown(layer, text, measure(text))


def _parts(line: Line, wanted: Wanted) -> list[_Part]:
    found = [sentence for sentence in map(one_line, sentences(line.text)) if sentence]
    if line.partial:
        found.append(GAP)
    return [_Part(place, sentence, wanted.overlap(sentence)) for place, sentence in enumerate(found)]


def _best_sentences(line: Line, parts: list[_Part], room: int, measure: Measure) -> Shown | None:
    """As many sentences as fit, those that answer the query first, printed in their own order."""
    empty = measure(line.written(GAP))
    free = room - empty
    ranked = _by_worth(parts)
    chosen: list[_Part] = []
    for part in ranked:
        if not chosen and part.overlap < min(ranked[0].overlap, 1):
            break  # what answers does not fit whole: its opening says more than a sentence about something else
        cost = measure(line.written(part.text)) - empty
        if cost <= free:
            chosen.append(part)
            free -= cost
        elif not part.overlap:
            break
    while chosen:
        layer: Layer = "L0" if [part.place for part in chosen] == [0] else "L1"
        shown = _shown(layer, line, _joined(chosen, len(parts)), measure)
        if shown.tokens <= room:
            return shown
        chosen.pop()
    return None


def _by_worth(parts: list[_Part]) -> list[_Part]:
    return sorted((part for part in parts if part.text != GAP), key=lambda part: (-part.overlap, part.place))


def _joined(chosen: list[_Part], total: int) -> str:
    """Sentences in their order, with the mark of a gap wherever some are left out."""
    pieces: list[str] = []
    before = -1
    for part in sorted(chosen, key=lambda part: part.place):
        pieces += (GAP, part.text) if part.place > before + 1 else (part.text,)
        before = part.place
    return " ".join((*pieces, GAP) if before < total - 1 else pieces)


def _opening(line: Line, parts: list[_Part], room: int, measure: Measure) -> Shown | None:
    """As much of the best sentence as fits, cut at a word."""
    best = _by_worth(parts)[:1]
    if not best:
        return None
    text = best[0].text
    mark = f"{GAP} " if best[0].place else ""
    low, high = LEAST, min(len(text) - 1, max(room, 0) * CHARS_PER_TOKEN)
    found: Shown | None = None
    while low <= high:
        middle = (low + high) // 2
        shown = _shown("L0", line, mark + _cut(text, middle), measure)
        if shown.tokens <= room:
            found, low = shown, middle + 1
        else:
            high = middle - 1
    return found


def _cut(text: str, length: int) -> str:
    """The first `length` characters, back to the blank before a word that is cut through; never inside a character."""
    kept = text[:length]
    if not text[length].isspace():
        blank = kept.rfind(" ")
        kept = kept[:blank] if blank > length - WORD and blank > 0 else _whole_characters(text, length)
    return kept.rstrip(" ,;:–—-") + GAP


def _whole_characters(text: str, length: int) -> str:
    """Without a base character whose marks or joined characters would be cut off."""
    from unicodedata import category

    while length > 1 and (category(text[length])[0] == "M" or "\u200d" in text[length - 1 : length + 1]):
        length -= 1
    return text[:length]
