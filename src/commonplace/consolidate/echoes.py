"""Know again what packs gave out and what was forgotten, by digests that hold no text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from commonplace.consolidate.candidates import Candidate, Guards
from commonplace.text import is_stop, language, sentences, tokens
from commonplace.text.wordlists import UNSPACED_FROM, marks, units

SHINGLE = 4  # words, or characters of scripts without spaces
AGENTS_SHARE = 0.6  # an agent that puts what it was given into other words still says nothing new
LEAST_UNITS = 4  # a shorter sentence (`Thank you.`) is no tombstone of its own
_TELLING = ("strict", "pole switch", "pole when", "pole height", "pole amount", "pole whole", "pole with")
_FRAMING = """
    recall recalled remembered remember memory memories notes noted note according mentioned said saved stored earlier
    previously know known see find found entry record line mémoire souviens noté rappel erinnerung notiert merke
    gespeichert recuerdo memoria anotado guardado"""


def echo_keys(line: str, key: bytes = b"") -> frozenset[str]:
    """The digests of a line that a pack gave out: one for every four words that follow each other."""
    return frozenset(_digest(shingle, key) for shingle in _shingles(units(line)))


def tombstone_keys(text: str, key: bytes) -> frozenset[str]:
    """The digests of a text that was forgotten, and of each of its sentences.

    Each is known as its words in order, and as the set of its words that carry meaning, so that other stops, case
    or word order do not bring it back.
    """
    wholes = (text, *(part for part in sentences(text) if len(units(part)) >= LEAST_UNITS))
    return frozenset(digest for whole in wholes for digest in _tombstones(whole, key))


def is_forgotten(text: str, guards: Guards) -> bool:
    """Whether a text, or a sentence of it, was forgotten."""
    return bool(guards.tombstones) and not guards.tombstones.isdisjoint(tombstone_keys(text, guards.key))


def is_echo(candidate: Candidate, guards: Guards) -> bool:
    """Whether a candidate only says again what packs gave out.

    A word is known if it stands in four words that were given out in this order. What the candidate adds must be
    function words, or words for telling where one has it from; of an agent's own words it may be up to two fifths.
    It is never a number, a name, a negation or a word with an opposite.
    """
    words = units(candidate.text)
    known = _known(words, guards)
    if not any(known):
        return False
    own = language(candidate.text) if candidate.language == "auto" else candidate.language
    if not all(known[at] for at in _telling(candidate, words, own)):
        return False
    if candidate.actor == "agent" and sum(known) >= AGENTS_SHARE * len(words):
        return True
    fresh = (word for word, seen in zip(words, known, strict=True) if not seen)
    return all(is_stop(word, own) or word in _framing() for word in fresh)


def _known(words: Sequence[str], guards: Guards) -> list[bool]:
    known = [False] * len(words)
    size = min(SHINGLE, len(words))
    for start, shingle in enumerate(_shingles(words) if guards.recalled else ()):
        if _digest(shingle, guards.key) in guards.recalled:
            known[start : start + size] = [True] * size
    return known


def _telling(candidate: Candidate, words: Sequence[str], own: str) -> set[int]:
    """The places of numbers, names, negations and words with an opposite."""
    names = {word for name in candidate.entities for word in units(name)}
    places = {at for at, word in enumerate(words) if any(map(str.isdigit, word)) or word in names}
    for mark in marks(candidate.text, own):
        if mark.label.startswith(_TELLING):
            places.update(range(mark.start, mark.end))
    return places


def _shingles(words: Sequence[str]) -> list[str]:
    """Every four neighbours; a shorter text as it is."""
    size = min(SHINGLE, len(words))
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)] if words else []


def _tombstones(text: str, key: bytes) -> Iterable[str]:
    words = units(text)
    yield _digest("said " + " ".join(words), key)
    own = language(text)
    strict = {at for m in marks(text, own) if m.label.startswith("strict") for at in range(m.start, m.end)}
    meant = {
        stem for at, word in enumerate(words) if at in strict or not is_stop(word, own) for stem in tokens(word, own)
    }
    if len(meant) >= SHINGLE - 1 and not any(stem >= UNSPACED_FROM for stem in meant):
        yield _digest("meant " + " ".join(sorted(meant)), key)


@cache
def _framing() -> frozenset[str]:
    return frozenset(_FRAMING.split())


def _digest(text: str, key: bytes) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=12).hexdigest()
