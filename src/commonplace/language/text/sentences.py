"""Split text into sentences, detect questions, and detect lines that only address their listener."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise

from commonplace.language.text.language_detection import detect_language
from commonplace.language.text.tokenizer import stem_to_token, tokenize
from commonplace.language.word_data import SHARED, load_shared_words, load_word_list
from commonplace.lazy import lazy_pattern

# The end of a sentence: full stops of spaced scripts need a blank behind them, those of unspaced scripts do not;
# a line break always ends one; Thai sets a blank between clauses and nothing else.
_SENTENCE_END_PATTERN = lazy_pattern(
    "(?<![.!?…])(?P<stop>[.!?…‽؟۔։။።]++[\"'’”»)\\]*_]*+)(?=\\s)\\s*"
    "|[。！？｡．‼⁇⁈⁉।॥។]+[\"'’”」』）】》\\]]*\\s*"
    "|\\n\\s*"
    "|(?<=[\u0e01-\u0e4e])[ ]+(?=[\u0e01-\u0e4e])"
)
_CLOSING_CHARS = " \n\t\"'’”»)]*_」』）】》"
QUESTION_MARKS = ("?", "？", "؟")


def split_sentences(text: str, *, loosely: bool = False) -> list[str]:
    """Split a text into sentences, each with the blanks that follow it: joined they are the text again.

    With `loosely` a sentence may begin with a small letter, and end with a number, as people write in haste.
    """
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END_PATTERN.finditer(text):
        is_end = not match["stop"] or _is_sentence_end(text, start, match, loosely)
        if not is_end or not text[start : match.end()].strip():
            continue
        found.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        found.append(text[start:])
    return found


def ends_in_question_mark(sentence: str) -> bool:
    """Return whether a text ends with a question mark; quotes and brackets may follow it."""
    return sentence.rstrip(_CLOSING_CHARS).endswith(QUESTION_MARKS)


def _is_sentence_end(text: str, start: int, match: re.Match[str], loosely: bool) -> bool:
    """Return whether a full stop before a blank ends the sentence; if in doubt it does not."""
    if "\n" in match[0] or match.end() == len(text):
        return True
    if match["stop"] != ".":
        return loosely or not text[match.end()].islower()
    word = text[max(start, match.start() - 24) : match.start()].split()[-1:]
    last = word[0].lstrip("([\"'*_«„“").lower() if word else ""
    if last in _abbreviations() or (len(last) == 1 and last.isalpha()):
        return False
    if last.isdigit() and len(last) <= 2:
        following = [word[0] for word in text[match.end() :].split(maxsplit=2)[:2]]  # of a name; `3. Oktober` is none
        return loosely and (detect_language(text) != "de" or all(map(str.isupper, following)))
    return loosely or not text[match.end()].islower()


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(" ".join(load_word_list(SHARED, "abbreviations")).split())


CACHED_LINES = 1_024  # the next query looks at many of the same lines

# Ends of sentences without regard to abbreviations, in a quarter of the time.
_ROUGH_SENTENCE_END_PATTERN = lazy_pattern(r"[.!?…؟][\"'’”»)]*\s+|[。！？]|\n|\Z")


def is_only_addressed(line: str, line_tokens: Sequence[str], query_tokens: Set[str]) -> bool:
    """Return whether the query tokens of a line are all in sentences that ask or say `you`. A sentence has equally many
    tokens in every language, so its tokens are found among `line_tokens` by counting."""
    you = _second_person_tokens()
    if you.isdisjoint(line_tokens) and not any(sign in line for sign in QUESTION_MARKS):
        return False
    first = 0
    for size, is_question in _sentence_sizes(line):
        here = line_tokens[first : first + size]
        if not is_question and you.isdisjoint(here) and not query_tokens.isdisjoint(here):
            return False
        first += size
    return first == len(line_tokens)


@lru_cache(CACHED_LINES)
def _sentence_sizes(line: str) -> tuple[tuple[int, bool], ...]:
    """Return the number of tokens of each sentence, and whether it is a question."""
    ends = [match.end() for match in _ROUGH_SENTENCE_END_PATTERN.finditer(line)]
    cut = [line[start:end] for start, end in pairwise((0, *ends))]
    return tuple((len(tokenize(sentence)), ends_in_question_mark(sentence)) for sentence in cut)


@cache
def _second_person_tokens() -> frozenset[str]:
    table = load_shared_words("second_person_words")
    return frozenset(stem_to_token(word, language) for language in table for word in table[language].split())
