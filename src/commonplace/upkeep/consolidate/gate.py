"""The gate: whether a claim is worth keeping, how important it is, and the reason where it is not kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import structs

from commonplace import truth
from commonplace.extract.clarity import is_unclear
from commonplace.language import when
from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    WORD_LIST_LANGUAGES,
    is_stop_word,
    likely_languages,
    match_labels,
    match_phrases,
    split_units,
)
from commonplace.lazy import lazy_pattern
from commonplace.model import Category
from commonplace.truth import MIN_WIDTH_COLUMNS, REFERENCE_DAY, column_width, is_acknowledgement, is_transient_state
from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.duplicates import BlockedTexts, find_duplicate, is_recall_echo

GateReason = Literal[
    "too-short", "noise", "chore", "passing", "unclear", "echo", "forgotten", "duplicate",
]  # fmt: skip

GATE_REASON_SENTENCES: dict[GateReason, str] = {
    "too-short": f"too short to say anything by itself (less than {MIN_WIDTH_COLUMNS} columns)",
    "noise": "only acknowledges, greets or fills",
    "chore": "a to-do without reason or deadline, of no use once it is done",
    "passing": "a state that will soon be another",
    "unclear": "points to something that it does not name (`it`, `they`, `this one`)",
    "echo": "says again what recall gave out; text that came from the memory is not learned from twice",
    "forgotten": "says what was forgotten on request; to keep it after all, write it into a file yourself",
    "duplicate": "says what a record already says",
}
LASTING_CATEGORIES: tuple[Category, ...] = ("preference", "decision", "lesson", "person", "procedure")

BASE_SCORE = 0.40

# What each feature adds. A sentence that has none is not worth a line; one strong feature makes it worth one.
FEATURE_WEIGHTS: dict[str, float] = {
    "rule": 0.40,  # holds until it is taken back
    "health": 0.40,  # a mistake does harm
    "decision": 0.35,
    "preference": 0.30,
    "lesson": 0.25,
    "life": 0.20,  # born, married, lives, works
    "identifier": 0.20,  # an address, a version, a path, a long number: cannot be guessed again
    "money": 0.20,
    "relation": 0.15,  # mother, boss
    "name": 0.15,
    "date": 0.15,
    "modal": 0.10,
    "reason": 0.05,
    "question": -0.20,
    "transience": -0.20,
    "progress": -0.25,
    "chit-chat": -0.35,
}

_FEATURE_BY_MARK = {"transient": "transience", "progress": "progress", "explanation": "reason", "laughter": "chit-chat"}
_FEATURE_BY_CATEGORY = {"preference": "preference", "decision": "decision", "lesson": "lesson", "person": "name"}
_INANIMATE_CATEGORIES: tuple[Category, ...] = ("tool", "project", "procedure")  # a database that moved lives nowhere
# Links, mail addresses, UUIDs, versions and IP addresses, paths, constants, numbers that are no years.
_TECHNICAL_IDENTIFIER = lazy_pattern(
    r"https?://\S|[\w.+-]+@[\w-]+\.\w|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b[vV]?\d+\.\d+\.\d+|\bv\d|(?<![\w/])~?/[\w.-]+/[\w.-]|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
    r"|(?<![\w.:/-])(?!(?:19|20)\d\d(?!\d))\d{4,}(?![\w:/-])|\+\d{1,3}[ \d]{6,}"
)


def judge_claim(claim: ClaimRecord, blocked: BlockedTexts) -> ClaimRecord:
    """The claim with its importance and the first reason not to keep it, in the order of `GateReason`, if any, and the
    one of the `similar` records that it repeats. A claim that somebody asked to have remembered may be short, a chore
    or a passing state; the words of strangers never lift theirs above the base."""
    score = grade_importance(claim.text, category=claim.category, entities=claim.entities, language="auto")
    if claim.trust in ("untrusted", "quarantined"):
        score = min(score, BASE_SCORE)
    reason, duplicate = _find_emptiness(claim), ""
    if reason is None:
        if is_recall_echo(claim, blocked):
            reason = "echo"
        elif blocked.tombstones.find(claim.text):
            reason = "forgotten"
        elif duplicate := find_duplicate(claim, claim.similar):
            reason = "duplicate"
    return structs.replace(claim, importance=score, reason=reason or "", duplicate_of=duplicate)


def _find_emptiness(claim: ClaimRecord) -> GateReason | None:
    """Return why a claim says nothing lasting; None if it does."""
    if claim.claim_type == "remember":  # a person asked for it
        return None
    if column_width(claim.text) < MIN_WIDTH_COLUMNS:
        return "too-short"
    if is_acknowledgement(claim.text, claim.entities):
        return "noise"
    if claim.category not in LASTING_CATEGORIES:
        if is_chore(claim.text):
            return "chore"
        if is_transient_state(claim.text):
            return "passing"
    has_subject = set(claim.entities) - {claim.speaker}
    return "unclear" if not has_subject and is_unclear(claim.text, (claim.speaker,)) else None


def is_chore(text: str) -> bool:
    """Whether a short text is a to-do that gives no reason, deadline, rule or fact."""
    labels = match_labels(text) if column_width(text) < truth.MAX_PASSING_COLUMNS else frozenset()
    if "todo" not in labels or not labels.isdisjoint(("explanation", *truth.LASTING_LABELS)):
        return False
    times = when.find_time_phrases(text, REFERENCE_DAY)  # a day by its number, or a time until which
    return not any(one.relation in ("until", "before") or any(map(str.isdigit, one.phrase)) for one in times)


def grade_importance(text: str, *, category: Category, entities: Sequence[str], language: str) -> float:
    """BASE_SCORE plus the FEATURE_WEIGHTS of the features that a sentence has, each once, within 0..1. Words are whole
    words of the gate's lists of `language`, or for `auto` of the text's own."""
    features = set(importance_features(text, category, entities, language))
    score = BASE_SCORE + sum(weight for name, weight in FEATURE_WEIGHTS.items() if name in features)
    return min(1.0, max(0.0, round(score, 2)))


def importance_features(text: str, category: Category, entities: Sequence[str], language: str) -> Iterator[str]:
    """The names of the features of a sentence, some more than once."""
    marks = match_phrases(text, language)
    has_digits = any(map(str.isdigit, text))
    for mark in marks:
        name = _FEATURE_BY_MARK.get(mark.label, mark.label)
        is_misread = (name == "money" and not has_digits) or (name == "life" and category in _INANIMATE_CATEGORIES)
        if name in FEATURE_WEIGHTS and not is_misread:
            yield name
    if category in _FEATURE_BY_CATEGORY:
        yield _FEATURE_BY_CATEGORY[category]
    times = when.find_time_phrases(text, REFERENCE_DAY)
    if any(entities) or _has_proper_name(text, language, times):
        yield "name"
    spans = [(phrase.phrase, phrase.interval.start[:10], phrase.interval.end[:10]) for phrase in times]
    dated = (any(map(str.isdigit, one)) or (start and end and start[:7] != end[:7]) for one, start, end in spans)
    if any(mark.label == "recurring" for mark in marks) or any(dated):  # `today` gives no date once the day is over
        yield "date"
    if _TECHNICAL_IDENTIFIER.search(text):
        yield "identifier"
    if has_digits and any(sign in text for sign in "€$£¥₹"):
        yield "money"
    if text.rstrip(" \"'”’»)").endswith(("?", "？")):
        yield "question"
    chat = {at for mark in marks if mark.label in ("ack", "filler") for at in range(mark.start, mark.end)}
    if any(mark.label == "ack" and not mark.start for mark in marks) and 2 * len(chat) >= len(split_units(text)):
        yield "chit-chat"


def _has_proper_name(text: str, language: str, times: Sequence[when.TimePhrase]) -> bool:
    """Whether a word inside a sentence has a capital and is no day or month; in German that is no sign of a name."""
    if "de" in (likely_languages(text) if language == "auto" else (language,)):
        return False
    dated = {word for phrase in times for word in phrase.phrase.split()}
    for before, chunk in pairwise(text.split()):
        word = "" if chunk in dated else chunk.strip(".,;:!?\"'()[]").removesuffix("'s")
        if before.endswith((".", "!", "?", ":")) or not word.isalpha() or not word.istitle() or len(word) < 3:
            continue
        if word < FIRST_EAST_ASIAN_CHAR and not any(is_stop_word(word.lower(), name) for name in WORD_LIST_LANGUAGES):
            return True
    return False
