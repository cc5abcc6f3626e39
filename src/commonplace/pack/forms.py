"""The largest form of a line that fits: L2 its whole text, L1 its best sentences, L0 its opening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from commonplace.pack.lines import GAP, Line
from commonplace.text import asks, one_line, query_terms, sentences, tokens
from commonplace.text import language as language_of

SHORT = 60  # characters; a text not longer is shown whole
HALF, ENOUGH = 0.5, 1_200  # of its characters make up the gist of a line
LEAST = 32  # characters; less of a longer text says nothing
CHARS_PER_TOKEN = 12  # more than any tokenizer makes of running text: where the search for a cut begins
SMALL, FEW = 3, 5  # letters of a word that tells nothing; telling words, below which an exclamation tells nothing
WORD = 24  # characters; a cut goes back this far to the blank before a word

Layer = Literal["L0", "L1", "L2"]
Price = Callable[[str], int]  # what a line costs with this much of its text


class Wanted(Struct, frozen=True):
    """What a query looks for: its tokens, and the language that they were made in."""

    tokens: frozenset[str] = frozenset()
    language: str = "en"

    def overlap(self, sentence: str) -> int:
        """How many of them a sentence holds."""
        return len(self.tokens.intersection(tokens(sentence, self.language))) if self.tokens else 0


class Shown(Struct, frozen=True):
    """A form of a line: as much of its text as is printed, and what the line costs with it."""

    layer: Layer
    body: str
    tokens: int


class _Part(Struct, frozen=True):
    place: int
    text: str
    overlap: int
    telling: int  # of its words


def wanted_by(query: str) -> Wanted:
    """What the text of a query looks for; function words are left out."""
    language = language_of(query)
    terms = query_terms(query, (language,))
    return Wanted(frozenset(form for term in terms for form in term.forms), language)


def fit(line: Line, room: int, price: Price, wanted: Wanted) -> Shown | None:
    """The largest form whose price is at most `room`; None if not even its opening fits."""
    body = line.body
    if len(body) > LEAST and price(GAP) > room:
        return None
    if not line.partial:
        whole = Shown("L2", body, price(body))
        if whole.tokens <= room:
            return whole
    parts = _parts(line, wanted)
    return _best_sentences(parts, room, price) or _opening(parts, room, price)


def shorter(line: Line, wanted: Wanted) -> tuple[str, ...]:
    """Forms that leave something out, the shortest first: the sentences that bear most on the query, until they make up
    half of the text, or enough of it; and all but mere questions and exclamations without a word of the query.

    None of a text so short, or of one piece, that nothing would be left out.
    """
    if len(line.text) <= SHORT:
        return ()
    parts = _parts(line, wanted)
    telling = [part for part in parts if part.overlap or part.telling]
    forms = (_gist(parts, min(HALF * len(line.text), ENOUGH)), telling)
    bodies = dict.fromkeys(_joined(some, len(parts)) for some in forms if some and len(some) < len(parts))
    return tuple(body for body in bodies if len(body) <= 2 * ENOUGH)


def ending(line: Line) -> str:
    """What the line after it leans on: its last sentences, until they make up enough to be understood; a question
    at its end by itself."""
    parts = _parts(line, Wanted())
    chosen = parts[-1:]
    for part in reversed(parts[:-1]):
        if asks(chosen[0].text) or sum(len(one.text) for one in chosen) >= SHORT:
            break
        chosen.insert(0, part)
    return _joined(chosen, len(parts))


def _gist(parts: list[_Part], enough: float) -> list[_Part]:
    chosen: list[_Part] = []
    for part in sorted(parts, key=lambda part: (-part.overlap, -part.telling, part.place)):
        if sum(len(one.text) for one in chosen) >= enough:
            break
        if part.text != GAP:
            chosen.append(part)
    return chosen


def _parts(line: Line, wanted: Wanted) -> list[_Part]:
    found = [sentence for sentence in map(one_line, sentences(line.text)) if sentence]
    if line.partial:
        found.append(GAP)
    return [
        _Part(place, sentence, wanted.overlap(sentence), _telling(sentence)) for place, sentence in enumerate(found)
    ]


def _best_sentences(parts: list[_Part], room: int, price: Price) -> Shown | None:
    """As many sentences as fit, those that answer the query first, printed in their own order."""
    empty = price(GAP)
    free = room - empty
    ranked = _by_worth(parts)
    chosen: list[_Part] = []
    for part in ranked:
        if not chosen and part.overlap < min(ranked[0].overlap, 1):
            break  # what answers does not fit whole: its opening says more than a sentence about something else
        cost = price(part.text) - empty
        if cost <= free:
            chosen.append(part)
            free -= cost
        elif not part.overlap:
            break
    while chosen:
        layer: Layer = "L0" if [part.place for part in chosen] == [0] else "L1"
        body = _joined(chosen, len(parts))
        shown = Shown(layer, body, price(body))
        if shown.tokens <= room:
            return shown
        chosen.pop()
    return None


def _telling(sentence: str) -> int:
    """How many of its words tell something: all but the shortest, none of a question or a mere exclamation."""
    words = [word for word in sentence.split() if len(word) > SMALL]
    is_mere = sentence.endswith(("?", "？")) or (sentence.endswith(("!", "！")) and len(words) < FEW)
    return 0 if is_mere else len(words)


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


def _opening(parts: list[_Part], room: int, price: Price) -> Shown | None:
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
        body = mark + _cut(text, middle)
        shown = Shown("L0", body, price(body))
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
