"""Find stored tokens within one edit of a word or with its root, and compounds written as one word or as two."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

from commonplace.language.text.tokenizer import STEMMED_LANGUAGES, stem_to_token
from commonplace.language.text.unicode import SCRIPT_RUN_PATTERN, fold_name, is_word
from commonplace.lazy import lazy_pattern

MIN_MISSPELT_LETTERS = 5  # too many shorter words are one edit apart
EXACT_PREFIX_LETTERS = 5  # of the prefix that is looked up as it is and with every edit
MAX_NEAR_TOKENS = 8  # tokens for one word
SAME_ROOT_SHARE = 0.7  # of the longer of two words: their common prefix if they have one root
LOOSE_PREFIX_LETTERS, LOOSE_ROOT_SHARE = 4, 0.55  # the same for an unknown language, whose endings may be long
OTHER_SCRIPT_PREFIX_LETTERS = 3  # words in other scripts than these three are shorter
FIRST_OTHER_SCRIPT_CHAR = "\u0530"  # after Latin, Greek and Cyrillic
MIN_COMPOUND_REST_LETTERS = 4  # of a compound after its first part
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяієїґ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةء",
)


def may_be_misspelt(word: str) -> bool:
    """Return whether a word may be misspelt: only letters, not too few, in a script with spaces."""
    fewest = OTHER_SCRIPT_PREFIX_LETTERS if word >= FIRST_OTHER_SCRIPT_CHAR else MIN_MISSPELT_LETTERS
    return len(word) >= fewest and is_word(word) and (word.isascii() or not SCRIPT_RUN_PATTERN.search(word))


def stem_in_all_languages(word: str) -> tuple[str, ...]:
    """Return the tokens that a folded word may be stored as in a line of any language, the English one last."""
    found = [word, *(stem_to_token(word, language) for language in STEMMED_LANGUAGES)]
    if found[-1].endswith("y"):  # `bakery` is stored as `bakeri`: English stems end in `y` behind a vowel only
        found.append(found[-1][:-1] + "i")
    last = found[-1]
    return (*(token for token in dict.fromkeys(found) if token and token != last), last)


def spelling_lookup_keys(token: str, *, loose: bool = False) -> tuple[str, tuple[str, ...]]:
    """Return the prefix of tokens near to a token, and the token with every single edit of that prefix: a letter
    deleted, inserted or replaced, or two neighbours swapped. `loose` is for an unknown language, see
    `rank_near_tokens`."""
    start = token[: _min_shared_letters(token) if loose or token >= FIRST_OTHER_SCRIPT_CHAR else EXACT_PREFIX_LETTERS]
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


def rank_near_tokens(
    word_forms: Iterable[str], stored_tokens: Iterable[str], *, loose: bool = False
) -> tuple[str, ...]:
    """Return the stored tokens near to any form of a word, nearest first: same stem, one edit, same root, compounds.
    With `loose`, and in scripts other than Latin, Greek and Cyrillic, tokens that only share a prefix follow."""
    forms = tuple(word_forms)
    ranked = [
        (min(_spelling_distance(form, other, loose) for form in forms), len(other), other) for other in stored_tokens
    ]
    return tuple(other for distance, _length, other in sorted(ranked) if distance < _UNRELATED)[:MAX_NEAR_TOKENS]


def derived_tokens(word_forms: Sequence[str], look_up: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Return stored tokens that have the root of any form of a word and are no forms of it; `look_up` finds the tokens
    that begin with a prefix."""
    start = word_forms[0][: max(MIN_MISSPELT_LETTERS, int(SAME_ROOT_SHARE * len(word_forms[0])))]
    others = (token for token in look_up(start) if token not in word_forms and is_word(token))
    return tuple(one for one in others if any(_has_same_root(form, one) for form in word_forms))[:MAX_NEAR_TOKENS]


def _has_same_root(token: str, other: str) -> bool:
    shared = _shared_prefix_letters(token, other)
    return shared >= MIN_MISSPELT_LETTERS and shared >= SAME_ROOT_SHARE * max(len(token), len(other))


_SAME_STEM, _ONE_EDIT, _SHARED_ROOT, _COMPOUND_START, _LOOSE_PREFIX, _UNRELATED = range(6)


def _spelling_distance(token: str, stored_token: str, loose: bool) -> int:
    if not is_word(stored_token):
        return _UNRELATED
    if token == stored_token:
        return _SAME_STEM
    if is_one_edit(token, stored_token):
        return _ONE_EDIT
    if _has_same_root(token, stored_token):
        return _SHARED_ROOT
    shared = _shared_prefix_letters(token, stored_token)
    if shared == len(token) >= MIN_MISSPELT_LETTERS and len(stored_token) - shared >= MIN_COMPOUND_REST_LETTERS:
        return _COMPOUND_START
    kin = (loose or token >= FIRST_OTHER_SCRIPT_CHAR) and shared >= max(
        _min_shared_letters(token), LOOSE_ROOT_SHARE * max(len(token), len(stored_token))
    )
    return _LOOSE_PREFIX if kin else _UNRELATED


def _min_shared_letters(token: str) -> int:
    return OTHER_SCRIPT_PREFIX_LETTERS if token >= FIRST_OTHER_SCRIPT_CHAR else LOOSE_PREFIX_LETTERS


def is_one_edit(a: str, b: str) -> bool:
    """Return whether two words differ by one letter inserted, deleted or replaced, or by two neighbours swapped."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    at = _shared_prefix_letters(a, b)
    left, right = a[at:], b[at:]
    if len(a) != len(b):
        return left[1:] == right or left == right[1:]
    return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])


def _shared_prefix_letters(a: str, b: str) -> int:
    """Return the length of the common prefix of two words."""
    for at, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return at
    return min(len(a), len(b))


MIN_PART_LETTERS = 4  # of what is a part of a longer word
MIN_HALF_LETTERS = 3  # of each half of a word that may be two
MIN_JOINED_LETTERS = 4  # of both halves
MIN_SEGMENT_CHARS = 2  # of each part of a number, account or plate
MIN_SPLIT_NUMBER_CHARS = 6  # of what may be written in more than two parts
MAX_SEGMENTS = 8
MAX_SPLIT_CHARS = 40  # nothing longer is split
_ALPHANUMERIC_PATTERN = lazy_pattern(r"[^\W_]+")
_PAUSE_PUNCTUATION_PATTERN = lazy_pattern(r"[.,;:!?…](?=\s)")
_DIGIT_OR_LETTER_RUN_PATTERN = lazy_pattern(r"\d+|[^\W\d_]+")


CompoundSplit = tuple[tuple[str, ...], tuple[str, ...]]  # the tokens of both


def joinable_word_pairs(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of adjacent folded words that may be one: letters, not too few, or figures; with no comma or end
    of a sentence between them."""
    stretches = (
        _ALPHANUMERIC_PATTERN.findall(stretch) for stretch in _PAUSE_PUNCTUATION_PATTERN.split(fold_name(text))
    )
    return frozenset(pair for words in stretches for pair in pairwise(words) if _is_joinable(*pair))


def split_compound(word: str) -> tuple[CompoundSplit, ...]:
    """Return the ways to split a word in two, the most even first: the tokens that each half may be stored as, whose
    linking letters (`Arbeitsvertrag`) are endings to a stemmer."""
    if not word.isalpha() or not 2 * MIN_HALF_LETTERS <= len(word) <= MAX_SPLIT_CHARS:
        return ()
    middle = len(word) / 2
    places = sorted(range(MIN_HALF_LETTERS, len(word) - MIN_HALF_LETTERS + 1), key=lambda at: abs(at - middle))
    return tuple((stem_in_all_languages(word[:at]), stem_in_all_languages(word[at:])) for at in places)


def is_part_or_compound(word: str, stem: str, stems: Collection[str]) -> bool:
    """Return whether a folded word consists of two of some stems, or its stem is a part of one that is a compound."""
    if any(
        any(one in stems for one in left) and any(one in stems for one in right) for left, right in split_compound(word)
    ):
        return True
    longer = (one for one in stems if MIN_PART_LETTERS <= len(stem) <= len(one) - MIN_HALF_LETTERS)
    return any(one.startswith(stem) or one.endswith(stem) for one in longer)


def candidate_segments(text: str) -> tuple[str, ...]:
    """Return the parts that a text with digits may be written in: runs of digits or letters, and all substrings."""
    if not any(map(str.isdigit, text)) or not text.isalnum() or len(text) > MAX_SPLIT_CHARS:
        return ()
    parts = {text[at:end] for at in range(len(text)) for end in range(at + MIN_SEGMENT_CHARS, len(text) + 1)}
    return tuple(sorted({*_DIGIT_OR_LETTER_RUN_PATTERN.findall(text), *parts} - {text}))


def segment_number(text: str, stored_tokens: Collection[str]) -> tuple[str, ...]:
    """Split a text with digits into the fewest stored tokens: `AB12 CDE`, `555 0134`; empty if that is impossible."""
    changes = tuple(_DIGIT_OR_LETTER_RUN_PATTERN.findall(text))
    if len(changes) > 1 and all(part in stored_tokens for part in changes):
        return changes
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(MIN_SEGMENT_CHARS, len(text) + 1):
        ways = [
            (*best[at], text[at:end]) for at in best if end - at >= MIN_SEGMENT_CHARS and text[at:end] in stored_tokens
        ]
        if ways:
            best[end] = min(ways, key=len)
    way = best.get(len(text), ())
    return way if len(text) >= MIN_SPLIT_NUMBER_CHARS and 1 < len(way) <= MAX_SEGMENTS else ()


def _is_joinable(left: str, right: str) -> bool:
    if left.isalpha() and right.isalpha():
        return len(left) > 1 and len(left) + len(right) >= MIN_JOINED_LETTERS
    return left.isalnum() and right.isalnum()
