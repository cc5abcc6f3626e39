"""Function words and light words of each language, and the language of a text, detected by its script and by them.

A query leaves function words out, and gives light words less weight.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from commonplace.language.text.tokenizer import stem_to_token
from commonplace.language.text.unicode import CYRILLIC, KANA, SCRIPT_RUN_PATTERN, strip_accents
from commonplace.language.word_data import SHARED, load_word_list, load_word_table
from commonplace.lazy import lazy_pattern

# Languages detected by their function words; an earlier one wins a tie.
SPACED_LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "sv", "ru")
MIN_FUNCTION_WORDS = 2  # that are not English too, of a text in another language
FIRST_NON_LATIN_CHAR = "\u0400"  # the first Cyrillic letter; languages of scripts below it are detected by words
LATIN_LETTERS_PER_CHAR = 3  # a character of a script without spaces counts as so many Latin letters
_EDGE_PUNCTUATION = str.maketrans(dict.fromkeys(".,;:!?\"'’()[]*", " "))
_QUOTES_AND_OPENERS = str.maketrans(dict.fromkeys("¿¡«»„“”", " "))
_DISTINCTIVE_LETTERS = {"ß": "de", "ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt", "å": "sv", "œ": "fr"}
_WORD_PATTERN = lazy_pattern(r"[^\W\d_]+")
_KANA_PATTERN = lazy_pattern(f"[{KANA}]")
_CYRILLIC_PATTERN = lazy_pattern(f"[{CYRILLIC}]")


def detect_language(text: str) -> str:
    """Return one of en de fr es pt it nl ru sv zh ja ko th; en for a text that is short or undecided."""
    if not text.isascii() and max(text) >= FIRST_NON_LATIN_CHAR:
        script = _detect_by_script(text)
        if script:
            return script
    words = _find_function_words(text)
    if words <= function_words("en"):
        return "en"
    scores = _count_function_words(words, text, SPACED_LANGUAGES)
    best = max(scores, key=scores.__getitem__)  # the first of equals; English is first
    distinctive = (words & function_words(best)) - function_words("en")
    return best if len(distinctive) >= MIN_FUNCTION_WORDS else "en"


def score_languages(text: str, languages: tuple[str, ...]) -> dict[str, int]:
    """How many of the text's distinct words are function words of each language; languages without any are left out."""
    text = text.translate(_QUOTES_AND_OPENERS)
    return _count_function_words(_find_function_words(text), text, languages)


def _find_function_words(text: str) -> frozenset[str]:
    return all_function_words().intersection(text.lower().translate(_EDGE_PUNCTUATION).split())


def _count_function_words(text_words: frozenset[str], text: str, languages: tuple[str, ...]) -> dict[str, int]:
    scores = {name: hits for name in languages if (hits := len(text_words & function_words(name)))}
    if scores and not text.isascii():
        for letter, name in _DISTINCTIVE_LETTERS.items():
            if letter in text and name in scores:
                scores[name] += 1
    return scores


def _detect_by_script(text: str) -> str:
    """Return the language whose script makes up most of the text; empty if that is Latin or another script."""
    count = dict.fromkeys(("han", "hangul", "thai"), 0)
    for run in SCRIPT_RUN_PATTERN.finditer(text):
        script = "thai" if "\u0e00" <= run[0] < "\u0e80" else run.lastgroup or ""
        if script in count:
            count[script] += len(run[0])
    kana = len(_KANA_PATTERN.findall(text))
    cyrillic = len(_CYRILLIC_PATTERN.findall(text))
    shares = {
        "ja" if kana * 9 > count["han"] else "zh": count["han"] * LATIN_LETTERS_PER_CHAR,
        "ko": count["hangul"] * LATIN_LETTERS_PER_CHAR,
        "th": count["thai"] * LATIN_LETTERS_PER_CHAR,
        "ru": cyrillic,
        "": sum(map(str.isalpha, text)) - sum(count.values()) - cyrillic,
    }
    return max(shares, key=shares.__getitem__)


@cache
def all_function_words() -> frozenset[str]:
    """Return the function words of all languages with spaces between words."""
    return frozenset().union(*map(function_words, SPACED_LANGUAGES))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a word, in lower case or folded, is a function word; a language without a list has none."""
    return word in stop_words(language)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the function words of a language, with and without accents."""
    words = function_words(language)
    return words | frozenset(map(strip_accents, words)) if language in SPACED_LANGUAGES else words


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language as written."""
    return frozenset(" ".join(load_word_table(SHARED, "function_words").get(language, ())).split())


def is_light_word(word: str, language: str, *, verbs: bool = False) -> bool:
    """Return whether a folded word has the stem of a light word, or with `verbs` of one by which one asks what there
    was at a time; a language without a list has none."""
    names = ("light_words", "time_verbs") if verbs else ("light_words",)
    return any(stem_to_token(word, language) in _listed_stems(language, name) for name in names)


def has_only_light_words(query_text: str, ignored: Collection[str] = ()) -> bool:
    """Return whether all words but some folded ones are, in one language, function words, light words or those by which
    one asks what there was at a time: `what did we discuss?`"""
    words = [word for word in _WORD_PATTERN.findall(strip_accents(query_text.lower())) if word not in ignored]
    return not words or any(
        all(len(word) == 1 or is_stop_word(word, name) or is_light_word(word, name, verbs=True) for word in words)
        for name in SPACED_LANGUAGES
        if any(is_stop_word(word, name) for word in words)
    )


@cache
def _listed_stems(language: str, name: str) -> frozenset[str]:
    words = " ".join(load_word_list(language, name)).split()
    return frozenset(stem_to_token(spelt, language) for word in words for spelt in (word, strip_accents(word)))
