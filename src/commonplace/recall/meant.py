"""What the words of a query may stand as in lines: together or apart, longer, misspelt, in another form.

A word that occurs is left as it is, but for what lines write as one with its neighbour. What a word that occurs nowhere
may mean is only likely: it has half the weight, and the word stays beside it and counts as not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise

from msgspec import structs

from commonplace import text
from commonplace.index import Index

NEAR_WEIGHT = 0.5  # what a word that occurs nowhere may mean, against a word that was said
MOST_MEANT = 6  # words that occur nowhere; what more of them may mean is not looked up, for it takes milliseconds each
MOST_PAIRS = 24  # neighbours that are looked up as one word
LEAST_BEGUN = 7  # characters of a digest by which all of it is found
MOST_LONGER = 50  # versions or digests that begin as it was said, the shortest first; thousands of addresses may

Terms = tuple[text.Term, ...]


def widened(index: Index, terms: Terms, written: str, languages: tuple[str, ...]) -> Terms:
    """The terms of a query as lines may hold them; `written` is where they come from."""
    known = _unfolded(index, _joined(index, terms, text.neighbours(written)))
    terms = tuple(_with_kin(index, term, languages) for term in known)
    unknown = [term for term in terms if not _occurs(index, term)]
    looked_up = [term for term in unknown if text.may_be_near(term.word)][:MOST_MEANT]
    figures = [term for term in unknown if any(map(str.isdigit, term.word))][:MOST_MEANT]
    loose = bool(looked_up) and text.is_undecided(written)
    meant: list[text.Term] = []
    for term in terms:
        near = _near(index, term, loose=loose) if term in looked_up else ()
        meant += (term, *near, *(_figures(index, term) if term in figures else ()))
    singles = {single: term for term in unknown for single in term.singles}
    return (*meant, *(_lighter(term, single, text.spellings(single)) for single, term in singles.items()))


def _joined(index: Index, terms: Terms, pairs: frozenset[tuple[str, str]]) -> Terms:
    """The terms; each two neighbours that stand in lines as one word are found as that too."""
    together: dict[str, tuple[str, ...]] = {}
    beside = [pair for pair in pairwise(term.word for term in terms) if pair in pairs]
    for one, other in beside[:MOST_PAIRS]:
        forms = tuple(form for form in text.as_one(one, other) if index.frequency(form))
        for word in (one, other) if forms else ():
            together[word] = (*together.get(word, ()), *forms)
    return tuple(_with(term, together.get(term.word, ())) for term in terms)


def _unfolded(index: Index, terms: Terms) -> Terms:
    """The terms less names of code that stand nowhere as a whole while each of their parts stands somewhere."""
    known = {term.word for term in terms if _occurs(index, term)}
    parts = ((term, () if term.word in known else _parts_of(terms, at)) for at, term in enumerate(terms))
    return tuple(term for term, made in parts if not made or not known.issuperset(made))


def _parts_of(terms: Terms, at: int) -> tuple[str, ...]:
    """The words that a term is made of: what stands between its signs, or the words before or behind it, joined."""
    word = terms[at].word
    if not word.isalnum():
        parts = tuple(_runs().findall(word))
        return parts if len(parts) > 1 else ()
    behind = [term.word for term in terms[at + 1 :]]
    before = [term.word for term in terms[:at]]
    for size, joined in enumerate(accumulate(behind), 1):
        if joined == word:
            return tuple(behind[:size])
    for size, joined in enumerate(accumulate(before[::-1], lambda right, left: left + right), 1):
        if joined == word:
            return tuple(before[-size:])
    return ()


def _with_kin(index: Index, term: text.Term, languages: tuple[str, ...]) -> text.Term:
    """A term with the tokens of its stem, in a script whose lines are stored unstemmed; one that occurs nowhere with
    what else says the same."""
    stems = text.script_stems(term.word)
    if stems:
        begun = index.near_tokens(min(stems), ())
        return _with(term, tuple(token for token in begun if not stems.isdisjoint(text.script_stems(token))))
    others = () if _occurs(index, term) else text.counterparts(term.word, languages)
    return _with(term, tuple(form for other in others for form in text.forms_of(other, languages)))


def _near(index: Index, term: text.Term, *, loose: bool) -> Iterator[text.Term]:
    """What a word that occurs nowhere may mean: what is near to it, or the two words that it is made of."""
    forms = text.stems(text.without_particle(term.word))
    start, spellings = text.near_spellings(forms[-1], loose=loose)
    ways = text.halves(term.word)
    parts = {form for way in ways for half in way for form in half}
    known = index.near_tokens(start, (*forms, *spellings, *parts))
    near = text.nearest(forms, known, loose=loose)
    if near:
        yield _lighter(term, term.word, near)
    living = ([tuple(form for form in half if form in known) for half in way] for way in ways)
    for half in next((way for way in living if all(way)), ()):
        yield _lighter(term, half[0], half)


def _figures(index: Index, term: text.Term) -> Iterator[text.Term]:
    """What a word with figures in it may stand as: a longer version or digest, or the parts that it is made of."""
    word = term.word
    if "." in word or len(word) >= LEAST_BEGUN:
        start = word + "." if "." in word else word
        longer = tuple(token for token in index.near_tokens(start, ()) if token != word)
        if longer:
            yield _lighter(term, word, tuple(sorted(longer, key=len)[:MOST_LONGER]))
            return
    for part in text.parted(word, set(index.near_tokens(word, text.segments(word)))):
        yield _lighter(term, part, (part,))


def _lighter(term: text.Term, word: str, forms: tuple[str, ...]) -> text.Term:
    return text.Term(word, forms, term.weight * NEAR_WEIGHT)


def _with(term: text.Term, forms: tuple[str, ...]) -> text.Term:
    return structs.replace(term, forms=tuple(dict.fromkeys((*term.forms, *forms)))) if forms else term


def _occurs(index: Index, term: text.Term) -> bool:
    return any(map(index.frequency, term.forms))


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+")
