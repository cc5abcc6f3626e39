"""Function words and light words of each language: a query leaves the former out and gives the latter less weight."""

from __future__ import annotations

from functools import cache

from commonplace.language.text.tokenizer import stem_to_token
from commonplace.language.text.unicode import strip_accents
from commonplace.language.word_data import load_function_words, load_light_words

# Languages detected by their function words; an earlier one wins a tie.
SPACED_LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "sv", "ru")


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
    return frozenset(" ".join(load_function_words().get(language, ())).split())


def is_light_word(word: str, language: str) -> bool:
    """Return whether a folded word has the stem of a light word; a language without a list has none."""
    return stem_to_token(word, language) in _light_word_stems(language)


@cache
def _light_word_stems(language: str) -> frozenset[str]:
    words = " ".join(load_light_words(language)).split()
    return frozenset(stem_to_token(spelt, language) for word in words for spelt in (word, strip_accents(word)))
