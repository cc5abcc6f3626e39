"""A sentence that might be kept, and the signs that it says nothing lasting."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal
from unicodedata import combining, east_asian_width

from msgspec import Struct

from commonplace.language import when
from commonplace.language.text.phrase_matcher import PhraseMatch, likely_languages, match_phrases, split_units
from commonplace.model import Actor, Category, Kind, Trust


class ClaimCandidate(Struct, frozen=True):
    """A sentence that might be kept.

    `entities` are whom it is about, also where the text says only `she`; `attribute` and `value` are what it states
    of the first of them, where that is known. `language` is a code (`en`) or `auto`. `explicit` marks what a person
    asked to be remembered: it passes length, noise and transience, but never the guards nor what is kept already.
    `sentence` is the whole of what was said, `sort` how it was said (`opinion`), `speaker` who said it, if named.
    """

    text: str
    category: Category
    kind: Kind
    trust: Trust
    actor: Actor
    entities: tuple[str, ...] = ()
    attribute: str = ""
    value: str = ""
    language: str = "auto"
    explicit: bool = False
    sentence: str = ""
    sort: str = ""
    speaker: str = ""


class SimilarRecord(Struct, frozen=True):
    """A record that is kept already and close to the candidate; the caller finds them.

    `entities` are the record's: whom it is about where its text only says `she`.
    """

    id: str
    text: str
    category: Category
    trust: Trust
    entities: tuple[str, ...] = ()


class BlockedDigests(Struct, frozen=True):
    """What must not come in again, as digests.

    `recalled` is the union of `echoes.echo_keys(line, key)` over the lines that packs gave out lately, `tombstones`
    that of `echoes.tombstone_keys(text, key)` over the texts that were forgotten. `key` is the workspace's own.
    """

    recalled: frozenset[str] = frozenset()
    tombstones: frozenset[str] = frozenset()
    key: bytes = b""


MIN_WIDTH_COLUMNS = 10  # columns; a Chinese or Japanese character is two wide and says about as much as two letters
MAX_PASSING_COLUMNS = 60  # a chore or a passing state that takes longer to tell is more than that
LASTING_LABELS = ("rule", "preference", "decision", "relation", "life", "health")  # what outlasts the words `not yet`
REFERENCE_DAY = "2000-01-01"  # whether a text states a time does not hang on the day it is read


def column_width(text: str) -> int:
    """The columns that a text takes, its blanks made single."""
    line = " ".join(text.split())
    return len(line) if line.isascii() else sum(map(_char_columns, line))


def is_acknowledgement(text: str, entities: Iterable[str] = ()) -> bool:
    """Whether a message is made of nothing but acknowledgement, greeting, laughter, one word, or no words at all.

    The signs that need no language come first; `entities` may stand beside a greeting (`Thanks, Ana!`).
    """
    words = split_units(text)
    if not any(char.isalnum() for char in text):
        return True
    if len(set(words)) == 1 and len(words[0]) > 1:
        return True
    return _is_all_filler(words, match_phrases(text, "all"), {word for name in entities for word in split_units(name)})


def is_chore(text: str, language: str = "auto") -> bool:
    """Whether a short text is a to-do that nobody will ask for: it gives no reason, no deadline, no rule or fact."""
    if column_width(text) >= MAX_PASSING_COLUMNS:
        return False
    found = {mark.label for mark in match_phrases(text, language)}
    if "todo" not in found or "explanation" in found or found.intersection(LASTING_LABELS):
        return False
    return not has_deadline(text)


def is_transient_state(text: str, language: str = "auto") -> bool:
    """Whether a short text tells a state that will soon be another, and states no rule or fact beside it."""
    if column_width(text) >= MAX_PASSING_COLUMNS:
        return False
    found = {mark.label for mark in match_phrases(text, language)}
    return "transient" in found and not found.intersection(LASTING_LABELS)


def has_deadline(text: str) -> bool:
    """Whether a text names a day by its number, or a time until which."""
    return any(
        phrase.relation in ("until", "before") or any(map(str.isdigit, phrase.phrase))
        for phrase in when.find_time_phrases(text, REFERENCE_DAY)
    )


def _is_all_filler(words: list[str], word_marks: Iterable[PhraseMatch], entity_words: set[str]) -> bool:
    """Whether acknowledgements, with fillers and names between them, make up all of the words."""
    idle = [word in entity_words for word in words]
    acknowledged = False
    for mark in word_marks:
        if mark.label in ("ack", "filler"):
            acknowledged |= mark.label == "ack"
            idle[mark.start : mark.end] = [True] * (mark.end - mark.start)
    return acknowledged and all(idle)


def _char_columns(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


ChatterKind = Literal["reaction", "announcement", "steering", "truism"]

MAX_WORDS_AFTER_ANNOUNCEMENT = 2  # words behind an announcement: more of them tell the story itself
MAX_OFFER_DISTANCE_WORDS = 5  # words from `the` to `idea`
LASTING_STEER_LABELS = ("rule", "preference")  # what steers for good is no chatter
_REFERRING_WORDS = ("the", "your", "that", "this", "these", "those", "it", "they")  # how what the other spoke of begins
_DEFINITE_ARTICLES = (
    "le",
    "la",
    "les",
    "l",
    "ton",
    "ta",
    "votre",
    "der",
    "die",
    "das",
    "deine",
    "el",
    "los",
    "las",
    "tu",
    "su",
)
PRO_DROP_LANGUAGES = ("es", "zh", "ja")  # here sentences are about their speaker without a word for `I`


def classify_chatter(candidate: ClaimCandidate) -> ChatterKind | None:
    """What kind of chatter a candidate is, by the sentence in which it was said; None if it is none."""
    found = match_phrases(candidate.sentence or candidate.text, candidate.language)
    labels = {mark.label for mark in found}
    if "steer" in labels and not labels.intersection(LASTING_STEER_LABELS):
        return "steering"
    if "reaction" in labels or _is_mere_reaction(candidate, found):
        return "reaction"
    if _is_bare_announcement(candidate):
        return "announcement"
    return "truism" if _is_truism(candidate, found) else None


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence speaks of who says it; always so in languages that leave the person to the verb."""
    return _is_pro_drop_sentence(sentence) or bool(_person_marks(sentence, ("1", "we")))


def has_first_person_singular(sentence: str) -> bool:
    """Whether somebody says `I`, `me` or `my`: the `we` of a text may be anybody's."""
    return _is_pro_drop_sentence(sentence) or bool(_person_marks(_initials_pattern().sub(" ", sentence), ("1",)))


def _is_bare_announcement(candidate: ClaimCandidate) -> bool:
    """Whether nothing comes after the announcement."""
    most = len(split_units(candidate.text)) - MAX_WORDS_AFTER_ANNOUNCEMENT
    return any(
        mark.label == "herald" and mark.end >= most for mark in match_phrases(candidate.text, candidate.language)
    )


def _is_mere_reaction(candidate: ClaimCandidate, word_marks: tuple[PhraseMatch, ...]) -> bool:
    """Whether an opinion or liking only greets what the other proposed."""
    said = candidate.sentence or candidate.text
    words = split_units(said)
    if candidate.sort == "opinion":
        praised = any(mark.label == "praise" for mark in word_marks) and not _is_in_first_person(candidate, word_marks)
        after = [words[mark.end] for mark in word_marks if mark.label == "supposed" and mark.end < len(words)]
        met = any(word in _REFERRING_WORDS for word in after) and not _has_specific_name(candidate)
        return bool(_person_marks(said, ("2",))) or praised or met
    if candidate.sort != "preference":
        return False
    leads = [at for at, word in enumerate(words) if word in _REFERRING_WORDS or word in _DEFINITE_ARTICLES]
    offers = [mark.start for mark in word_marks if mark.label == "offered"]
    return any(0 < offer - lead <= MAX_OFFER_DISTANCE_WORDS for lead in leads for offer in offers)


def _is_truism(candidate: ClaimCandidate, word_marks: tuple[PhraseMatch, ...]) -> bool:
    """Whether an opinion, or a sentence made like a saying, names nothing and nobody in particular, or something is
    merely praised."""
    labels = {mark.label for mark in word_marks}
    if candidate.sort == "attribute" and "hype" in labels and not _person_marks(candidate.text, ("1", "we")):
        return not _is_in_first_person(candidate, word_marks)
    if "truth" not in labels and candidate.sort != "opinion":
        return False
    return not _is_in_first_person(candidate, word_marks) and not _has_specific_name(candidate)


def _is_in_first_person(candidate: ClaimCandidate, word_marks: tuple[PhraseMatch, ...]) -> bool:
    """Whether a sentence speaks of who says it, besides saying that they think so."""
    said = candidate.sentence or candidate.text
    supposed = [mark for mark in word_marks if mark.label == "supposed"]
    inside = {at for mark in supposed for at in range(mark.start, mark.end)}
    first = [mark.start for mark in word_marks if mark.label == "pole person 1" and mark.start not in inside]
    return bool(first) or _is_pro_drop_sentence(said)


def _is_pro_drop_sentence(sentence: str) -> bool:
    languages = likely_languages(sentence)
    return "en" not in languages and bool(set(languages).intersection(PRO_DROP_LANGUAGES))


def _person_marks(sentence: str, persons: tuple[str, ...]) -> list[PhraseMatch]:
    return [mark for mark in match_phrases(sentence) if mark.label in {f"pole person {person}" for person in persons}]


def _has_specific_name(candidate: ClaimCandidate) -> bool:
    """Whether a name, a figure or a quoted title stands within the sentence."""
    said = candidate.sentence or candidate.text
    return bool(
        (_figure_or_quote_pattern() if "de" in likely_languages(said) else _name_or_figure_pattern()).search(said)
    )


@cache
def _initials_pattern() -> re.Pattern[str]:
    """`i.e.` is nobody."""
    return re.compile(r"\b(?:\w\.){2,}")


@cache
def _figure_or_quote_pattern() -> re.Pattern[str]:
    """What names something also where every noun has a capital."""
    return re.compile(r"\d|[\"“«„]\w")


@cache
def _name_or_figure_pattern() -> re.Pattern[str]:
    return re.compile(r"\d|[\"“«„「『]\w|(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ]\w")
