"""Tell whether a sentence says what a record already says, and not merely nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from msgspec import Struct

from commonplace import text as words_of
from commonplace.consolidate.candidates import Candidate, Near
from commonplace.model import TRUSTS, Category
from commonplace.text.wordlists import UNSPACED_FROM, labels, marks, units

DUPLICATE_FROM = 0.85
PREFERENCE_FROM = 0.65  # a preference is said again in more ways than a fact
SAME_START_FROM = 0.60  # enough where the first words are the same
SAME_START = 8  # words
LEVENSHTEIN_SHARE, KEYWORDS_SHARE = 0.6, 0.4
LONGEST = 2_000  # characters whose spelling is compared
SYNONYMS = ("preference", "decision")  # words of these lists stand for each other


class Said(Struct, frozen=True):
    """What a sentence says: its words that carry meaning in order (the stem, the word), and what must not differ."""

    content: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    strict: tuple[str, ...]
    poles: dict[str, tuple[str, ...]]
    ordered: bool


def similarity(a: str, b: str) -> float:
    """0.6 Levenshtein similarity + 0.4 Jaccard of keywords, 0..1 (Memoria's formula); 1 for equal sentences.

    Case, width and blanks aside. Keywords are stems of more than two letters that are no function words, numbers,
    and pairs of characters in scripts without spaces.
    """
    left, right = words_of.fold(a)[:LONGEST], words_of.fold(b)[:LONGEST]
    if left == right:
        return 1.0
    from rapidfuzz.distance import Levenshtein

    spelled = Levenshtein.normalized_similarity(left, right)
    own = words_of.language(a)
    ours, theirs = _keywords(left, own), _keywords(right, own)
    if not ours and not theirs:
        return spelled
    return LEVENSHTEIN_SHARE * spelled + KEYWORDS_SHARE * words_of.similarity(tuple(ours), tuple(theirs))


def find_duplicate(candidate: Candidate, near: Sequence[Near]) -> tuple[str, float]:
    """The record that says the same, empty if none does, and the highest similarity to any.

    Only a record that is trusted at least as much counts: what strangers said first must not keep the owner's own
    word out.
    """
    best = 0.0
    found: tuple[str, float] = ("", 0.0)
    for one in near:
        alike = similarity(candidate.text, one.text)
        best = max(best, alike)
        trusted = TRUSTS.index(one.trust) >= TRUSTS.index(candidate.trust)
        if trusted and alike > found[1] and _near_enough(candidate, one, alike) and says_nothing_new(candidate, one):
            found = (one.id, alike)
    return found[0], best


def needed(text: str) -> frozenset[str]:
    """The stems and numbers without which no record says what a text says, as `says_nothing_new` has it; a word that
    another may stand for is none of them."""
    own = words_of.language(text)
    said = _said(text, own)
    stems = (stem for stem, word in said.content if labels(word).isdisjoint(SYNONYMS))
    return frozenset((*stems, *(_stem(number, own) for number in said.numbers)))


def threshold(a: Category, b: Category) -> float:
    """From which similarity on two sentences of these categories may be one."""
    return PREFERENCE_FROM if a == b == "preference" else DUPLICATE_FROM


def says_nothing_new(candidate: Candidate, near: Near) -> bool:
    """Whether a candidate holds nothing that the record does not: no other number, date, name or negation on either
    side, and no word with a meaning of its own that the record lacks."""
    if words_of.fold(candidate.text) == words_of.fold(near.text):
        return _same_entities(candidate, near)
    own = candidate.language if candidate.language != "auto" else words_of.language(candidate.text)
    new, old = _said(candidate.text, own), _said(near.text, own)
    if (new.numbers, new.strict) != (old.numbers, old.strict) or _opposed(new, old) or not _contained(new, old):
        return False
    names = _names(candidate.text, near.text, own)
    unsaid = {_stem(word, own) for name in candidate.entities for word in units(name)}.difference(names)
    known = _names(near.text, candidate.text, own)  # what the candidate calls `she`, it does name
    return names == tuple(name for name in known if name not in unsaid) and _same_entities(candidate, near)


def _near_enough(candidate: Candidate, near: Near, alike: float) -> bool:
    if alike >= threshold(candidate.category, near.category):
        return True
    ours, theirs = units(candidate.text)[:SAME_START], units(near.text)[:SAME_START]
    return alike >= SAME_START_FROM and len(ours) == SAME_START and ours == theirs


def _same_entities(candidate: Candidate, near: Near) -> bool:
    """Whether the record names whom the candidate is about, in its text or among its entities."""
    known = {word for text in (near.text, *near.entities) for word in units(text)}
    return all(known.issuperset(units(name)) for name in candidate.entities)


def _contained(new: Said, old: Said) -> bool:
    stems = {stem for stem, _ in old.content}
    words = [word for _, word in old.content]
    if not all(stem in stems or _has_synonym(word, words) for stem, word in new.content):
        return False
    if not (new.ordered or old.ordered):
        return True
    both = stems.intersection(stem for stem, _ in new.content)
    return [s for s, _ in new.content if s in both] == [s for s, _ in old.content if s in both]


def _opposed(new: Said, old: Said) -> bool:
    """Whether both take a side in a group of opposites (on, off; I, she; before, after), and not the same."""
    return any(group in old.poles and sides != old.poles[group] for group, sides in new.poles.items())


def _has_synonym(word: str, words: Sequence[str]) -> bool:
    kinds = labels(word).intersection(SYNONYMS)
    return any(kinds & labels(other) for other in words) if kinds else False


@lru_cache(1024)
def _said(text: str, own: str) -> Said:
    words = units(text)
    found = marks(text, own)
    idle = {at for m in found if m.label == "light" or m.label.startswith("strict") for at in range(m.start, m.end)}
    content = tuple((_stem(word, own), word) for at, word in enumerate(words) if at not in idle and _carries(word, own))
    return Said(
        content,
        tuple(word for word in words if any(map(str.isdigit, word))),
        tuple(mark.label for mark in found if mark.label.startswith("strict")),
        _poles([m.label for m in found]),
        any(mark.label == "order" for mark in found),
    )


def _poles(found: Sequence[str]) -> dict[str, tuple[str, ...]]:
    sides = [tuple(label.split(" ")[1:]) for label in found if label.startswith("pole ")]
    groups = dict.fromkeys(group for group, _ in sides)
    return {g: tuple(side for side, _ in groupby(s for group, s in sides if group == g)) for g in groups}


def _names(text: str, other: str, own: str) -> tuple[str, ...]:
    """The words in capitals that the other text has not in small letters, in order. The first of a sentence is no name
    if it is a word of the lists, a function word, or stands in the other text."""
    small = {word for word in words_of.one_line(other).split() if word.islower()}
    lowered = {unit for word in small for unit in units(word)}
    elsewhere = set(units(other))
    named: list[str] = []
    first = True
    for chunk in text.split():
        for word in units(chunk) if chunk.lstrip("\"'([{«„“¿¡*_-")[:1].isupper() else ():
            idle = word in lowered or is_listed(word, own) or (first and word in elsewhere)
            if not idle and word.isalpha() and word < UNSPACED_FROM:
                named.append(_stem(word, own))
        first = chunk.endswith((".", "!", "?", ":", ";"))
    return tuple(named)


def is_listed(word: str, own: str) -> bool:
    """Whether a word is a function word, or one of the gate's lists."""
    return words_of.is_stop(word, own) or bool(labels(word, own))


def _carries(word: str, own: str) -> bool:
    """Whether a word means something by itself: no function word, no number (these are compared as they stand)."""
    if any(map(str.isdigit, word)):
        return False
    return word >= UNSPACED_FROM or (len(word) > 1 and not words_of.is_stop(word, own))


def _stem(word: str, own: str) -> str:
    return (words_of.tokens(word, own) or [word])[0]


@lru_cache(4096)
def _keywords(folded: str, own: str) -> frozenset[str]:
    kept: set[str] = set()
    for chunk in folded.split():
        if not words_of.is_stop(chunk.strip(".,;:!?\"'()"), own):
            kept.update(token for token in words_of.tokens(chunk, own) if _is_keyword(token))
    return frozenset(kept)


def _is_keyword(token: str) -> bool:
    return len(token) > 2 or token.isdigit() or (len(token) == 2 and token >= UNSPACED_FROM)
