"""Signs that a sentence says nothing lasting: acknowledgements, chores, passing states, reactions, truisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from commonplace import truth
from commonplace.language import when
from commonplace.language.text import PhraseMatch, match_labels, match_phrases, split_units
from commonplace.lazy import lazy_pattern
from commonplace.upkeep.consolidate.claim_record import ClaimRecord

ChatterKind = Literal["reaction", "announcement", "steering", "truism"]

LASTING_STEER_LABELS = ("rule", "preference")  # an instruction of these kinds holds beyond the conversation
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


def is_chore(text: str) -> bool:
    """Whether a short text is a to-do that gives no reason, deadline, rule or fact."""
    if truth.column_width(text) >= truth.MAX_PASSING_COLUMNS:
        return False
    labels = match_labels(text)
    if "todo" not in labels or "explanation" in labels or labels.intersection(truth.LASTING_LABELS):
        return False
    return not any(  # a day by its number, or a time until which
        phrase.relation in ("until", "before") or any(map(str.isdigit, phrase.phrase))
        for phrase in when.find_time_phrases(text, truth.REFERENCE_DAY)
    )


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
    return "truism" if is_hype or not truth.has_specific_name(claim.spoken) else None


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence is about its speaker; always so in languages that leave the person to the verb."""
    return truth.is_pro_drop_sentence(sentence) or _has_person(sentence, "1", "we")


def has_first_person_singular(sentence: str) -> bool:
    """Whether a sentence has `I`, `me` or `my`; `we` may be anybody."""
    return truth.is_pro_drop_sentence(sentence) or _has_person(_INITIALS.sub(" ", sentence), "1")


def _is_mere_reaction(claim: ClaimRecord, marks: Sequence[PhraseMatch]) -> bool:
    """Whether an opinion or preference only welcomes what the other person proposed."""
    words = split_units(claim.spoken)
    if claim.claim_type == "opinion":
        praised = any(mark.label == "praise" for mark in marks) and not _is_in_first_person(claim, marks)
        after = [words[mark.end] for mark in marks if mark.label == "supposed" and mark.end < len(words)]
        refers = any(word in _REFERRING_WORDS for word in after) and not truth.has_specific_name(claim.spoken)
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
    return truth.is_pro_drop_sentence(claim.spoken)


def _has_person(sentence: str, *persons: str) -> bool:
    return not match_labels(sentence).isdisjoint(f"pole person {person}" for person in persons)
