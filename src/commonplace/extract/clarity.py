"""Check that a sentence can be understood on its own: what its pronouns refer to is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from commonplace.language import when
from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    SPACED_WORD_LISTS,
    UNSPACED_WORD_LISTS,
    is_stop_word,
    likely_languages,
)
from commonplace.language.word_data import load_word_table
from commonplace.lazy import lazy_pattern

MIN_CONTENT_BEFORE_PRONOUN = 2  # words that say something, a noun for two: with fewer a pronoun points at nothing
ANY_DAY = "2000-01-01"  # where a text speaks of a time does not hang on the day it is read
QUOTES = '"“«„「『《'
_BREAKS = ".!?;。！？"
_QUOTED_WORD = lazy_pattern(rf"[{QUOTES}]?(?P<word>[^\W_]+(?:['’\-][^\W_]+)*)")
_BRACKETED_DATE = lazy_pattern(r" ?\(\d{4}-\d\d[^)]*\)")


class WordToken(Struct, frozen=True):
    """A word of a text: as written, in lower case, and what stands before it; with `follows_word` only a blank does."""

    text: str
    low: str
    opens_sentence: bool
    follows_sign: bool
    follows_word: bool


WordTokens = tuple[WordToken, ...]
_ReferenceWords = Mapping[str, frozenset[str]]  # the words that matter for references to earlier text, by their label
# Of words that point, join or fill, and have no meaning by themselves
_FUNCTION_LABELS = ("introducer", "preposition", "conjunction", "pointer", "pointer at times", "empty")


class AnalyzedText(Struct, frozen=True):
    """A text without the speaker, times and dates: as written, and as words, with the word lists of its languages."""

    bare: str
    word_tokens: tuple[WordToken, ...]
    languages: tuple[str, ...]
    reference_words: _ReferenceWords

    @property
    def is_spaced(self) -> bool:
        """Whether its script parts words."""
        return max(self.bare, default="") < FIRST_EAST_ASIAN_CHAR


@lru_cache(maxsize=1_024)  # packs ask it of the same lines again and again
def is_unclear(text: str, speaker_names: tuple[str, ...] = ()) -> bool:
    """Whether a sentence refers to something that it does not name, or says too little to be understood; that its
    speaker is named (`speaker_names`) says nothing about what is spoken of."""
    said = analyze_text(text, speaker_names)
    if not said.is_spaced:
        return said.bare.startswith(tuple(reference_words_of(UNSPACED_WORD_LISTS)["pointer"]))
    vague = sum(word.low in said.reference_words["vague"] for word in said.word_tokens)
    is_dangling = _has_dangling_pronoun(said.word_tokens, said.reference_words)
    return is_dangling or len(informative_words(text, speaker_names)) <= vague


def informative_words(text: str, speaker_names: Iterable[str] = ()) -> list[str]:
    """The content words of a sentence: no function words, times, fillers, nor the names of the speaker."""
    said = analyze_text(text, tuple(speaker_names))
    if not said.is_spaced:
        return list(said.bare)
    return [word.low for word in said.word_tokens if is_content_word(word.low, said.reference_words, said.languages)]


@lru_cache(maxsize=256)  # the steps from a claim to its line ask the same of a text one after another
def analyze_text(text: str, speaker_names: tuple[str, ...]) -> AnalyzedText:
    """The words of a text without the speaker before it, without times, and the dates in brackets behind them."""
    for name in speaker_names:
        text = text.removeprefix(f"{name}: ")
    text = _BRACKETED_DATE.sub("", text)
    for phrase in reversed(when.find_time_phrases(text, ANY_DAY)):
        text = f"{text[: phrase.start]}{' ' * (phrase.end - phrase.start)}{text[phrase.end :]}"
    bare = text.strip()
    languages = likely_languages(bare)
    tokens = tuple(_tokenize_with_context(bare, speaker_names))
    return AnalyzedText(bare, tokens, languages, reference_words_of(languages))


def _has_dangling_pronoun(word_tokens: WordTokens, reference_words: _ReferenceWords) -> bool:
    told: list[int] = []  # places of words that say something
    for at, word in enumerate(word_tokens):
        if _needs_antecedent(word_tokens, at, reference_words):
            before = _antecedent_positions(word_tokens, told, at, reference_words)
            nouns = sum(word_tokens[one - 1].low in reference_words["introducer"] for one in before if one)
            if len(before) + nouns < MIN_CONTENT_BEFORE_PRONOUN + (word.low in reference_words["with noun"]):
                return True
        if _is_anchor(word_tokens, at):
            return False
        if is_content_word(word.low, reference_words, SPACED_WORD_LISTS):
            told.append(at)
    return False


def _needs_antecedent(word_tokens: WordTokens, at: int, reference_words: _ReferenceWords) -> bool:
    word = word_tokens[at]
    following = word_tokens[at + 1].low if at + 1 < len(word_tokens) else ""
    if word.low in reference_words["pointer"]:
        is_idle = word.low in reference_words["idle"]  # `it is important to …`, `it's been a year since …`
        awaited = (
            one.low in reference_words["awaited"] and not one.opens_sentence for one in word_tokens[at + 2 :][:4]
        )
        is_expletive = is_idle and (following in reference_words["impersonal"] or any(awaited))
        to_be = following in reference_words["being"]  # `this is Ana`, `it's Ana's turn`: explained at once
        explains = (to_be or word.low.endswith("'s")) and _is_anchor(word_tokens, at + 1 + to_be)
        return not (is_expletive or explains)
    led = at > 0 and word_tokens[at - 1].low in reference_words["preposition"] and not word.follows_sign
    if word.low in reference_words["pointer behind preposition"]:
        return led
    if word.low not in reference_words["pointer at times"] or (
        word.low == "there" and following in reference_words["existing"]
    ):
        return False
    if word.opens_sentence or led or not following or word_tokens[at + 1].follows_sign:
        return True
    return (following in reference_words["preposition"] and following != "of") or following in reference_words["alone"]


def _antecedent_positions(
    word_tokens: WordTokens, content_positions: list[int], at: int, reference_words: _ReferenceWords
) -> list[int]:
    """The possible antecedents before a pronoun, without what belongs to it: its verb (`plays it`), the words before
    its preposition (`a course in it`), the noun on which its own clause depends (`the calm and order it brings`)."""
    before, word = list(content_positions), word_tokens[at]
    following = word_tokens[at + 1] if at + 1 < len(word_tokens) else None
    if at and word_tokens[at - 1].low in reference_words["preposition"] and not word.follows_sign:
        while before and before[-1] >= at - 2:
            at = before.pop() + 1
    elif not word.follows_sign and before and before[-1] == at - 1:
        at = before.pop()
        hangs = word.low in reference_words["subject"] and following is not None and following.low.endswith(("s", "ed"))
        while hangs and before and before[-1] == at - 2 and word_tokens[at - 1].low in reference_words["conjunction"]:
            at = before.pop()
    return before


def _is_anchor(word_tokens: WordTokens, at: int) -> bool:
    """Whether there is a word that names something: a capital within a sentence, a figure, the beginning of a title."""
    if at >= len(word_tokens):
        return False
    word = word_tokens[at]
    first = word.text[:1]
    if not word.text.isalpha() and any(char.isdigit() for char in word.text):
        return True
    if first in QUOTES:
        return len(word.low) > 3
    if not first.isupper() or word.low.split("'")[0] == "i":
        return False
    is_followed = at + 1 < len(word_tokens) and not word_tokens[at + 1].opens_sentence
    return not word.opens_sentence or (is_followed and _is_anchor(word_tokens, at + 1))


def is_content_word(low: str, reference_words: _ReferenceWords, languages: Iterable[str]) -> bool:
    """Whether a word in lower case says something: it is no function word of these lists and languages."""
    is_long = len(low) >= 3 and low not in reference_words["function"]
    return is_long and not any(is_stop_word(low, language) for language in languages)


def _tokenize_with_context(text: str, speaker_names: Iterable[str]) -> list[WordToken]:
    own = {part.casefold() for name in speaker_names for part in name.split()}
    found: list[WordToken] = []
    opens, follows, end = True, False, 0
    for match in _QUOTED_WORD.finditer(text):
        between = text[end : match.start()]
        parted = between != " " and bool(between.strip())
        opens = opens or (parted and any(sign in _BREAKS for sign in between))
        low = match["word"].casefold().replace("’", "'")
        is_own = low.removesuffix("'s") in own
        if not is_own:
            found.append(WordToken(match[0], low, opens, parted, follows and between == " "))
            opens = False
        follows, end = not is_own, match.end()
    return found


@lru_cache(maxsize=64)
def reference_words_of(languages: tuple[str, ...]) -> _ReferenceWords:
    """The words by which references are judged, by label, of some languages together."""
    words: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for name in languages:
        for label, listed in load_word_table(name, "deictic_words").items():
            words[label] |= frozenset(listed)
    words["function"] = frozenset().union(*(words[label] for label in _FUNCTION_LABELS))
    return words
