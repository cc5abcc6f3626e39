"""Signs that a sentence says nothing lasting: acknowledgements, chores, passing states, reactions, truisms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal
from unicodedata import combining, east_asian_width

from commonplace.language import when
from commonplace.language.text import PhraseMatch, likely_languages, match_labels, match_phrases, split_units
from commonplace.lazy import lazy_pattern
from commonplace.truth import is_pro_drop_sentence
from commonplace.upkeep.consolidate.claim_record import ClaimRecord

ChatterKind = Literal["reaction", "announcement", "steering", "truism"]

MIN_WIDTH_COLUMNS = 10  # columns; a Chinese or Japanese character is two wide and says about as much as two letters
MAX_PASSING_COLUMNS = 60  # a chore or a passing state that takes longer to tell is more than that
LASTING_LABELS = ("rule", "preference", "decision", "relation", "life", "health")  # what outlasts the words `not yet`
LASTING_STEER_LABELS = ("rule", "preference")  # an instruction of these kinds holds beyond the conversation
REFERENCE_DAY = "2000-01-01"  # whether a text states a time does not depend on the day on which it is read
MAX_WORDS_AFTER_ANNOUNCEMENT = 2  # words behind an announcement: more of them tell the story itself
MAX_OFFER_DISTANCE_WORDS = 5  # words from `the` to `idea`
_REFERRING_WORDS = ("the", "your", "that", "this", "these", "those", "it", "they")  # begin a reference to what was said
_DEFINITE_ARTICLES = (
    *("le", "la", "les", "l", "ton", "ta", "votre"),
    *("der", "die", "das", "deine"),
    *("el", "los", "las", "tu", "su"),
)
# Abbreviations like `i.e.`, which are no pronoun.
_INITIALS = lazy_pattern(r"\b(?:\w\.){2,}")
# The signs of a name in languages in which every noun has a capital.
_FIGURE_OR_QUOTE = lazy_pattern(r"\d|[\"“«„]\w")
_NAME_OR_FIGURE = lazy_pattern(r"\d|[\"“«„「『]\w|(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ]\w")


def column_width(text: str) -> int:
    """Return the number of columns that a text takes, with runs of blanks as one."""
    line = " ".join(text.split())
    if line.isascii():
        return len(line)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in line)


def is_acknowledgement(text: str, entities: Iterable[str] = ()) -> bool:
    """Whether a message is only acknowledgement, greeting, laughter, one repeated word, or has no words at all.

    Signs that need no language are tried first; `entities` may stand beside a greeting (`Thanks, Ana!`).
    """
    words = split_units(text)
    if not any(char.isalnum() for char in text) or (len(set(words)) == 1 and len(words[0]) > 1):
        return True
    names = {word for name in entities for word in split_units(name)}
    is_filler = [word in names for word in words]
    acknowledged = False
    for mark in match_phrases(text, "all"):
        if mark.label in ("ack", "filler"):
            acknowledged |= mark.label == "ack"
            is_filler[mark.start : mark.end] = [True] * (mark.end - mark.start)
    return acknowledged and all(is_filler)


def is_chore(text: str) -> bool:
    """Whether a short text is a to-do that gives no reason, deadline, rule or fact."""
    if column_width(text) >= MAX_PASSING_COLUMNS:
        return False
    labels = match_labels(text)
    if "todo" not in labels or "explanation" in labels or labels.intersection(LASTING_LABELS):
        return False
    return not any(  # a day by its number, or a time until which
        phrase.relation in ("until", "before") or any(map(str.isdigit, phrase.phrase))
        for phrase in when.find_time_phrases(text, REFERENCE_DAY)
    )


def is_transient_state(text: str) -> bool:
    """Whether a short text describes a state that will soon change, and states no rule or fact beside it."""
    if column_width(text) >= MAX_PASSING_COLUMNS:
        return False
    labels = match_labels(text)
    return "transient" in labels and not labels.intersection(LASTING_LABELS)


def classify_chatter(claim: ClaimRecord) -> ChatterKind | None:
    """Return the kind of chatter that the sentence of a claim is; None if it is none."""
    marks = match_phrases(claim.spoken)
    labels = {mark.label for mark in marks}
    if "steer" in labels and not labels.intersection(LASTING_STEER_LABELS):
        return "steering"
    if "reaction" in labels or _is_mere_reaction(claim, marks):
        return "reaction"
    last = len(split_units(claim.text)) - MAX_WORDS_AFTER_ANNOUNCEMENT
    if any(mark.label == "herald" and mark.end >= last for mark in match_phrases(claim.text)):
        return "announcement"
    is_hype = claim.claim_type == "attribute" and "hype" in labels and not _has_person(claim.text, "1", "we")
    is_general = is_hype or "truth" in labels or claim.claim_type == "opinion"  # of nothing and nobody in particular
    if not is_general or _is_in_first_person(claim, marks):
        return None
    return "truism" if is_hype or not _has_specific_name(claim) else None


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence is about its speaker; always so in languages that leave the person to the verb."""
    return is_pro_drop_sentence(sentence) or _has_person(sentence, "1", "we")


def has_first_person_singular(sentence: str) -> bool:
    """Whether a sentence has `I`, `me` or `my`; `we` may be anybody."""
    return is_pro_drop_sentence(sentence) or _has_person(_INITIALS.sub(" ", sentence), "1")


def _is_mere_reaction(claim: ClaimRecord, marks: Sequence[PhraseMatch]) -> bool:
    """Whether an opinion or preference only welcomes what the other person proposed."""
    words = split_units(claim.spoken)
    if claim.claim_type == "opinion":
        praised = any(mark.label == "praise" for mark in marks) and not _is_in_first_person(claim, marks)
        after = [words[mark.end] for mark in marks if mark.label == "supposed" and mark.end < len(words)]
        refers = any(word in _REFERRING_WORDS for word in after) and not _has_specific_name(claim)
        return _has_person(claim.spoken, "2") or praised or refers
    if claim.claim_type != "preference":
        return False
    leads = [at for at, word in enumerate(words) if word in _REFERRING_WORDS or word in _DEFINITE_ARTICLES]
    offers = [mark.start for mark in marks if mark.label == "offered"]
    return any(0 < offer - lead <= MAX_OFFER_DISTANCE_WORDS for lead in leads for offer in offers)


def _is_in_first_person(claim: ClaimRecord, marks: Sequence[PhraseMatch]) -> bool:
    """Whether a sentence is about its speaker, beyond `I think`."""
    inside = {at for mark in marks if mark.label == "supposed" for at in range(mark.start, mark.end)}
    if any(mark.label == "pole person 1" and mark.start not in inside for mark in marks):
        return True
    return is_pro_drop_sentence(claim.spoken)


def _has_person(sentence: str, *persons: str) -> bool:
    return not match_labels(sentence).isdisjoint(f"pole person {person}" for person in persons)


def _has_specific_name(claim: ClaimRecord) -> bool:
    """Whether a name, a number or a quoted title is within the sentence."""
    pattern = _FIGURE_OR_QUOTE if "de" in likely_languages(claim.spoken) else _NAME_OR_FIGURE
    return bool(pattern.search(claim.spoken))
