"""The gate: whether a candidate is worth keeping, how important it is, and the reason where it is not kept."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal
from unicodedata import normalize

from msgspec import Struct, structs

from commonplace.extract.clarity import is_unclear
from commonplace.language import when
from commonplace.language.text import is_stop_word
from commonplace.language.text.phrase_matcher import (
    FIRST_EAST_ASIAN_CHAR,
    WORD_LIST_LANGUAGES,
    PhraseMatch,
    likely_languages,
    match_phrases,
    split_units,
)
from commonplace.model import Category, Reason
from commonplace.upkeep.consolidate.candidates import (
    MIN_WIDTH_COLUMNS,
    REFERENCE_DAY,
    BlockedDigests,
    ClaimCandidate,
    SimilarRecord,
    classify_chatter,
    column_width,
    is_acknowledgement,
    is_chore,
    is_transient_state,
)
from commonplace.upkeep.consolidate.duplicates import (
    find_redundant_with,
    is_forgotten,
    is_recall_echo,
    sentence_similarity,
)
from commonplace.upkeep.consolidate.findability import findability_warning, make_questions, rank_in_hits

__all__ = [
    "GATE_REASON_SENTENCES",
    "BlockedDigests",
    "ClaimCandidate",
    "GateReason",
    "GateVerdict",
    "ImportanceGrade",
    "SimilarRecord",
    "explain_gate_verdict",
    "findability_warning",
    "grade_importance",
    "judge_candidate",
    "make_questions",
    "parse_importance",
    "rank_in_hits",
    "sentence_similarity",
]

ImportanceLabel = Literal["must_remember", "nice_to_have", "ignore"]

MUST_REMEMBER_FROM, NICE_TO_HAVE_FROM = 0.80, 0.50
GRADING_METHOD = "commonplace-v1"
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

_SCORE_BY_LABEL: dict[str, float] = {
    "must remember": MUST_REMEMBER_FROM, "high": MUST_REMEMBER_FROM, "critical": MUST_REMEMBER_FROM,
    "nice to have": NICE_TO_HAVE_FROM, "medium": NICE_TO_HAVE_FROM, "normal": NICE_TO_HAVE_FROM,
    "ignore": 0.0, "low": 0.0, "none": 0.0,
}  # fmt: skip
_FEATURE_BY_MARK = {"transient": "transience", "progress": "progress", "explanation": "reason", "laughter": "chit-chat"}
_FEATURE_BY_CATEGORY: dict[Category, str] = {
    "preference": "preference",
    "decision": "decision",
    "lesson": "lesson",
    "person": "name",
}
_INANIMATE_CATEGORIES: tuple[Category, ...] = ("tool", "project", "procedure")  # a database that moved lives nowhere
_MAX_NUMBER_CHARS = 40


class ImportanceGrade(Struct, frozen=True):
    """How much a sentence is worth keeping: 0..1, its label, the features that made it, and who graded."""

    score: float
    label: ImportanceLabel
    reasons: tuple[str, ...]
    method: str


def grade_importance(text: str, *, category: Category, entities: Sequence[str], language: str) -> ImportanceGrade:
    """Our own grade: BASE and the WEIGHTS of the features that the sentence has, within 0..1.

    Words are whole words of the gate's lists of `language`, or for `auto` of the text's own. A feature counts once
    however often it shows.
    """
    found = set(_find_importance_features(text, category, entities, language))
    reasons = tuple(name for name in FEATURE_WEIGHTS if name in found)
    return make_grade(round(BASE_SCORE + sum(FEATURE_WEIGHTS[name] for name in reasons), 2), reasons, GRADING_METHOD)


def make_grade(score: float, reasons: tuple[str, ...], method: str) -> ImportanceGrade:
    """A grade with its label; the score is brought into 0..1."""
    within = min(1.0, max(0.0, score))
    return ImportanceGrade(within, label_for_score(within), reasons, method)


def label_for_score(score: float) -> ImportanceLabel:
    """`must_remember` from 0.80 on, `nice_to_have` from 0.50 on, else `ignore`."""
    return (
        "must_remember" if score >= MUST_REMEMBER_FROM else "nice_to_have" if score >= NICE_TO_HAVE_FROM else "ignore"
    )


def parse_importance(raw_importance: object) -> float | None:
    """An importance that somebody else wrote, as 0..1; None where it says nothing.

    Numbers from 0 to 1; whole ones from 2 to 100 are per cent; the same as text, also with full-width digits, as
    `86%` or `86/100`; labels and their other names; an object with `score` or else `label`. What lies outside is
    brought to the nearest end (as openclaw-mem does).
    """
    if isinstance(raw_importance, Mapping):
        score = parse_importance(raw_importance.get("score"))
        return score if score is not None else _parse_score_label(raw_importance.get("label"))
    if isinstance(raw_importance, bool):
        return None
    if isinstance(raw_importance, int | float):
        return _normalize_score_range(raw_importance)
    if isinstance(raw_importance, str):
        return _parse_score_text(normalize("NFKC", raw_importance).strip())
    return None


def _parse_score_text(score_text: str) -> float | None:
    if len(score_text) > _MAX_NUMBER_CHARS:
        return None
    number = _score_number_pattern().fullmatch(score_text)
    if number is None:
        return _parse_score_label(score_text)
    value = float(number[1].replace(",", "."))
    if number[2]:
        return _clamp_to_unit(value / 100)
    if number[3]:
        whole = float(number[3].replace(",", "."))
        return _clamp_to_unit(value / whole) if whole else None
    return _normalize_score_range(value)


def _parse_score_label(label: object) -> float | None:
    if not isinstance(label, str):
        return None
    return _SCORE_BY_LABEL.get(" ".join(_label_separator_pattern().split(normalize("NFKC", label).strip().lower())))


def _normalize_score_range(score: float) -> float | None:
    if isinstance(score, float) and not math.isfinite(score):
        return None
    if 1 < score <= 100 and score == int(score):
        return score / 100
    return _clamp_to_unit(score)


def _clamp_to_unit(score: float) -> float:
    return float(min(1, max(0, score)))


def _find_importance_features(text: str, category: Category, entities: Sequence[str], language: str) -> Iterator[str]:
    words = split_units(text)
    found = match_phrases(text, language)
    digits = any(map(str.isdigit, text))
    for mark in found:
        name = _FEATURE_BY_MARK.get(mark.label, mark.label)
        if (
            name in FEATURE_WEIGHTS
            and not (name == "money" and not digits)
            and not (name == "life" and category in _INANIMATE_CATEGORIES)
        ):
            yield name
    if category in _FEATURE_BY_CATEGORY:
        yield _FEATURE_BY_CATEGORY[category]
    times = when.find_time_phrases(text, REFERENCE_DAY)
    if any(entities) or _has_proper_name(text, language, times):
        yield "name"
    if any(mark.label == "recurring" for mark in found) or _has_calendar_date(times):
        yield "date"
    if _technical_identifier_pattern().search(text):
        yield "identifier"
    if digits and any(sign in text for sign in "€$£¥₹"):
        yield "money"
    if text.rstrip(" \"'”’»)").endswith(("?", "？")):
        yield "question"
    if _is_mostly_chat(words, found):
        yield "chit-chat"


def _has_calendar_date(times: Sequence[when.TimePhrase]) -> bool:
    """Whether a day is named by its number or month; `today` and `soon` date nothing once the day is over."""
    for phrase in times:
        start, end = phrase.interval.start[:10], phrase.interval.end[:10]
        if any(map(str.isdigit, phrase.phrase)) or (start and end and start[:7] != end[:7]):
            return True
    return False


def _has_proper_name(text: str, language: str, times: Sequence[when.TimePhrase]) -> bool:
    """Whether a word inside a sentence has a capital and is no day or month; German writes all nouns so and has no
    such sign."""
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


def _is_mostly_chat(words: Sequence[str], word_marks: Sequence[PhraseMatch]) -> bool:
    """Whether a sentence begins with an acknowledgement and half of its words and more do nothing else."""
    chat = {at for mark in word_marks if mark.label in ("ack", "filler") for at in range(mark.start, mark.end)}
    return any(mark.label == "ack" and mark.start == 0 for mark in word_marks) and 2 * len(chat) >= len(words)


@cache
def _technical_identifier_pattern() -> re.Pattern[str]:
    """Links, mail addresses, UUIDs, versions and IP addresses, paths, constants, numbers that are no years."""
    return re.compile(
        r"https?://\S|[\w.+-]+@[\w-]+\.\w|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
        r"|\b[vV]?\d+\.\d+\.\d+|\bv\d|(?<![\w/])~?/[\w.-]+/[\w.-]|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
        r"|(?<![\w.:/-])(?!(?:19|20)\d\d(?!\d))\d{4,}(?![\w:/-])|\+\d{1,3}[ \d]{6,}"
    )


@cache
def _score_number_pattern() -> re.Pattern[str]:
    return re.compile(
        r"([+-]?(?:\d{1,15}(?:[.,]\d{0,15})?|[.,]\d{1,15})(?:[eE][+-]?\d\d?)?)\s*(?:(%)|/\s*(\d{1,15}(?:[.,]\d{0,15})?))?"
    )


@cache
def _label_separator_pattern() -> re.Pattern[str]:
    return re.compile(r"[\s_‐-―-]+")


GateReason = Literal[
    "too-short", "noise", "chore", "passing", "unclear", "reaction", "announcement", "steering", "truism", "echo",
    "forgotten", "duplicate", "unimportant", "kept",
]  # fmt: skip

LASTING_CATEGORIES: tuple[Category, ...] = (
    "preference",
    "decision",
    "lesson",
    "person",
    "procedure",
)  # never chores, nor passing
GATE_REASON_SENTENCES: dict[GateReason, str] = {
    "too-short": f"too short to say anything by itself (less than {MIN_WIDTH_COLUMNS} columns)",
    "noise": "only acknowledges, greets or fills",
    "chore": "a to-do without reason or deadline, of no use once it is done",
    "passing": "a state that will soon be another",
    "unclear": "points to something that it does not name (`it`, `they`, `this one`)",
    "reaction": "answers what the other said or proposed, and says nothing of one's own",
    "announcement": "announces something without telling it",
    "steering": "steers this conversation, and nothing beyond it",
    "truism": "a general saying, about nothing and nobody in particular",
    "echo": "says again what recall gave out; text that came from the memory is not learned from twice",
    "forgotten": "says what was forgotten on request; to keep it after all, write it into a file yourself",
    "duplicate": "says what a record already says",
    "unimportant": "graded below the least importance that was asked for",
    "kept": "worth keeping",
}


class GateVerdict(Struct, frozen=True):
    """Whether a candidate is kept, and why.

    `duplicate_of` is the id of the record that says the same already. `features` are what was measured: `width`,
    `similarity` to the nearest record, and `importance`.
    """

    keep: bool
    reason: GateReason
    importance: ImportanceGrade
    duplicate_of: str = ""
    features: tuple[Reason, ...] = ()


def judge_candidate(
    candidate: ClaimCandidate,
    similar_records: Sequence[SimilarRecord],
    blocked: BlockedDigests,
    *,
    least_importance: float = 0.0,
) -> GateVerdict:
    """The verdict on a candidate: the first reason not to keep it, in the order of `GateReason`.

    Importance is measured and kept as a feature; it keeps nothing out unless `least_importance` says so. What was
    explicitly asked to be remembered passes length, noise, chores, passing states and importance.
    """
    importance = _grade_candidate(candidate)
    same, alike = find_redundant_with(candidate, similar_records)
    reason = _find_emptiness(candidate) or _find_block(candidate, blocked) or ("duplicate" if same else "kept")
    if reason == "kept" and importance.score < least_importance and not candidate.explicit:
        reason = "unimportant"
    features = (
        Reason("width", float(column_width(candidate.text))),
        Reason("similarity", alike),
        Reason("importance", importance.score),
    )
    return GateVerdict(reason == "kept", reason, importance, same if reason == "duplicate" else "", features)


def explain_gate_verdict(verdict: GateVerdict) -> str:
    """The verdict in a sentence for people."""
    said = GATE_REASON_SENTENCES[verdict.reason]
    return f"{said} ({verdict.duplicate_of})" if verdict.duplicate_of else said


def _find_emptiness(candidate: ClaimCandidate) -> GateReason | None:
    """Why a candidate says nothing lasting; None if it does, or if somebody asked to have it remembered."""
    if candidate.explicit:
        kind = classify_chatter(candidate)
        return kind if kind in ("reaction", "steering") else None
    if column_width(candidate.text) < MIN_WIDTH_COLUMNS:
        return "too-short"
    if is_acknowledgement(candidate.text, candidate.entities):
        return "noise"
    if candidate.category not in LASTING_CATEGORIES:
        if is_chore(candidate.text, candidate.language):
            return "chore"
        if is_transient_state(candidate.text, candidate.language):
            return "passing"
    return "unclear" if _has_unresolved_reference(candidate) else classify_chatter(candidate)


def _has_unresolved_reference(candidate: ClaimCandidate) -> bool:
    """Whether a candidate points at what it does not name, and nobody knows whom it is about."""
    known = set(candidate.entities) - {candidate.speaker}
    return not known and is_unclear(candidate.text, (candidate.speaker,))


def _find_block(candidate: ClaimCandidate, blocked: BlockedDigests) -> GateReason | None:
    if is_recall_echo(candidate, blocked):
        return "echo"
    return "forgotten" if is_forgotten(candidate.text, blocked) else None


def _grade_candidate(candidate: ClaimCandidate) -> ImportanceGrade:
    """Our own grade; words of strangers never lift theirs above the base."""
    own = grade_importance(
        candidate.text, category=candidate.category, entities=candidate.entities, language=candidate.language
    )
    if candidate.trust in ("untrusted", "quarantined") and own.score > BASE_SCORE:
        return structs.replace(make_grade(BASE_SCORE, (*own.reasons, "untrusted"), own.method))
    return own
