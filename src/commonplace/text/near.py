"""Which stored tokens a word that occurs nowhere may mean: one slip of the finger away, of one root, or a compound."""

from __future__ import annotations

from collections.abc import Iterable

from commonplace.text.scripts import is_word, runs
from commonplace.text.tokenize import form

SHORTEST = 5  # letters; of shorter words too many are one edit apart
SHARED = 5  # letters at the start that are looked up as they are; an edit within them is tried out
MOST = 8  # tokens for one word
SAME_ROOT = 0.7  # of the longer of two words: what both begin with, if they come of one root
LOOSE_SHARED, LOOSE_ROOT = 4, 0.55  # the same in a language that nothing is known of: its endings may be long
FOREIGN_SHARED = 3  # letters; a word in a script that is none of these three has fewer
FOREIGN_FROM = "\u0530"  # behind Latin, Greek and Cyrillic
LEAST_REST = 4  # letters that a compound has behind its first part
LANGUAGES = ("ru", "de", "fr", "es", "pt", "it", "nl", "sv", "en")
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяієїґ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةء",
)


def may_be_near(word: str) -> bool:
    """Whether a word is of a sort that may be misspelt: letters only, not too few, in a script with spaces."""
    fewest = FOREIGN_SHARED if word >= FOREIGN_FROM else SHORTEST
    return len(word) >= fewest and is_word(word) and (word.isascii() or not runs().search(word))


def stems(word: str) -> tuple[str, ...]:
    """The tokens that a folded word may be stored as, whatever language its line is in; that of English last."""
    found = [word, *(form(word, language) for language in LANGUAGES)]
    if found[-1].endswith("y"):  # `bakery` is stored as `bakeri`: English stems end in `y` behind a vowel only
        found.append(found[-1][:-1] + "i")
    last = found[-1]
    return (*(token for token in dict.fromkeys(found) if token and token != last), last)


def near_spellings(token: str, *, loose: bool = False) -> tuple[str, tuple[str, ...]]:
    """Where to look for what is near to a token: at those that begin like it, and at it with one edit in the beginning.

    The edits: a letter less, one more, another, or two neighbours swapped. `loose` is for a language that nothing is
    known of, see `nearest`.
    """
    start = token[: _least_shared(token) if loose or token >= FOREIGN_FROM else SHARED]
    letters = next((alphabet for alphabet in _ALPHABETS if token[0] in alphabet), "")
    tried: dict[str, None] = {}
    for at in range(len(start)):
        head, tail = token[:at], token[at:]
        tried[head + tail[1:]] = None
        tried[head + tail[1:2] + tail[:1] + tail[2:]] = None
        for letter in letters:
            tried[head + letter + tail[1:]] = None
            tried[head + letter + tail] = None
    return start, tuple(tried)


def nearest(tokens: Iterable[str], known: Iterable[str], *, loose: bool = False) -> tuple[str, ...]:
    """Of the known tokens those near to any form of a word, nearest first: a stem, one edit, one root, compounds.

    With `loose`, and in scripts beside Latin, Greek and Cyrillic, what shares only its first letters comes behind
    these: four of them and more than half of the longer word, in other scripts three.
    """
    forms = tuple(tokens)
    ranked = [(min(_distance(form, other, loose) for form in forms), len(other), other) for other in known]
    return tuple(other for distance, _length, other in sorted(ranked) if distance < _FAR)[:MOST]


_STEM, _EDIT, _ROOT, _COMPOUND, _KIN, _FAR = range(6)


def _distance(token: str, other: str, loose: bool) -> int:
    if not is_word(other):
        return _FAR
    if token == other:
        return _STEM
    if is_one_edit(token, other):
        return _EDIT
    shared = _shared(token, other)
    if shared >= SHORTEST and shared >= SAME_ROOT * max(len(token), len(other)):
        return _ROOT
    if shared == len(token) >= SHORTEST and len(other) - shared >= LEAST_REST:
        return _COMPOUND
    kin = (loose or token >= FOREIGN_FROM) and shared >= max(
        _least_shared(token), LOOSE_ROOT * max(len(token), len(other))
    )
    return _KIN if kin else _FAR


def _least_shared(token: str) -> int:
    return FOREIGN_SHARED if token >= FOREIGN_FROM else LOOSE_SHARED


def is_one_edit(a: str, b: str) -> bool:
    """Whether one letter more, less, other, or two neighbours swapped make one word the other."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    at = _shared(a, b)
    left, right = a[at:], b[at:]
    if len(a) != len(b):
        return left[1:] == right or left == right[1:]
    return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])


def _shared(a: str, b: str) -> int:
    """How many letters two words begin with alike."""
    for at, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return at
    return min(len(a), len(b))
