"""Tell what is said in a conversation from what is written down about somebody or something else."""

from __future__ import annotations

from functools import cache

from commonplace.language.text import (
    ends_in_question_mark,
    is_light_word,
    is_stop_word,
    likely_languages,
    split_sentences,
)
from commonplace.language.word_data import load_first_person_words, load_second_person_words
from commonplace.lazy import lazy_pattern

PRO_DROP_LANGUAGES = ("es", "zh", "ja")  # in which a sentence about its speaker needs no pronoun
UNSPACED = ("zh", "ja")
_WORD = lazy_pattern(r"[jJ](?=['’])|(?![jJ]\b)\b[^\W\d_]+\b(?!-\w)")  # not those of J-pop and Tu-95

# `Joseph I is`, `Queen Victoria I was`, `Domènech i Montaner`
_NUMBERED_NAME = lazy_pattern(
    r"(?<=[^\W\d_] )I(?=[.,;]|$| (?:is|has|does)\b)|^(?:[A-Z][^\W\d_]+ ){2,}I(?= was\b)|(?<=[^\W\d_] )i(?= [A-Z])"
)


def is_written_statement(message: str) -> bool:
    """Whether a message is one sentence about somebody or something else, as one would write it down; else it is talk.

    In a language that leaves the person to the verb every message is talk.
    """
    if has_personal_words(message):
        return False
    sentences = [one for one in split_sentences(message) if one.strip()]
    is_statement = len(sentences) == 1 and not ends_in_question_mark(sentences[0])
    return is_statement and not is_pro_drop_sentence(message)


def is_pro_drop_sentence(sentence: str) -> bool:
    """Whether a sentence is in a language in which its verb alone may say that it is about its speaker."""
    languages = likely_languages(sentence)
    return "en" not in languages and any(language in PRO_DROP_LANGUAGES for language in languages)


def has_personal_words(message: str) -> bool:
    """Whether a message has a word of any language for who speaks or who listens; with a capital inside it, it is a
    name (`the US`, `Jack Ma`), but for `I`."""
    spaced, unspaced = _personal_words()
    if "i" in message or "I" in message:
        message = _NUMBERED_NAME.sub(" ", message)
    first, *others = _WORD.findall(message) or [""]
    if first.lower() in spaced and not _begins_name(first, others):
        return True
    if not spaced.isdisjoint(word.lower() for word in others if word[0].islower() or word == "I"):
        return True
    return not message.isascii() and any(word in message for word in unspaced)


def _begins_name(first: str, following_words: list[str]) -> bool:
    """Whether the first word of a message, before another with a capital, is a word of another language (`Mia Yim`)
    or of a title."""
    if not following_words or not following_words[0][0].isupper():
        return False
    if is_light_word(following_words[0].lower(), "en") or is_stop_word(following_words[0].lower(), "en"):
        return True  # every word of a title has a capital (`We Will Rock You`)
    tables = load_first_person_words(), load_second_person_words()
    languages = likely_languages(" ".join(following_words))
    return not any(first.lower() in table.get(language, "").split() for table in tables for language in languages)


@cache
def _personal_words() -> tuple[frozenset[str], tuple[str, ...]]:
    tables = load_first_person_words(), load_second_person_words()
    spaced = [words for table in tables for language, words in table.items() if language not in UNSPACED]
    unspaced = [words for table in tables for language, words in table.items() if language in UNSPACED]
    return frozenset(" ".join(spaced).split()), tuple(" ".join(unspaced).split())
