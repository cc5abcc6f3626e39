"""Questions that somebody would ask who does not know a record's words, and the rank at which recall returns it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from commonplace.language.text import detect_language, fold_name, is_stop_word, tokenize
from commonplace.language.text.phrase_matcher import (
    FIRST_EAST_ASIAN_CHAR,
    WORD_LIST_LANGUAGES,
    split_units,
)
from commonplace.language.word_data import load_question_templates
from commonplace.model import Category, Record
from commonplace.upkeep.consolidate.candidates import ClaimCandidate

MAX_FINDABLE_RANK = 10  # a record below this rank is as good as lost
MAX_QUESTIONS = 3
MAX_ENTITIES = 2  # that a candidate is asked for

_QUESTION_BY_CATEGORY: dict[Category, str] = {
    "preference": "preference",
    "decision": "decision",
    "plan": "plan",
    "event": "event",
    "person": "person",
    "lesson": "lesson",
    "procedure": "procedure",
}


class FindabilityResult(Struct, frozen=True):
    """Which record was asked for and how, its rank among the hits (0: not there), a warning if that is too low."""

    id: str
    asked: str
    rank: int
    warning: str = ""


def make_questions(candidate: ClaimCandidate) -> tuple[str, ...]:
    """At most three questions, best first, made of the candidate's entities and attribute or category.

    Beyond those, no word with a meaning of its own is one of the line's: `What does Peter prefer?` is not asked of
    `Peter prefers tea.` Where nothing is known of a candidate but its text, there is nothing to ask.
    """
    own = candidate.language if candidate.language != "auto" else detect_language(candidate.text)
    forms = load_question_templates(own if own in WORD_LIST_LANGUAGES else "en")
    verbal = candidate.category == "preference"  # nobody asks for somebody's `likes`, but for what they like
    attribute = "" if verbal else " ".join(candidate.attribute.replace("_", " ").replace("-", " ").split())
    asked = []
    for entity in candidate.entities[:MAX_ENTITIES] or (("",) if attribute else ()):
        for kind in _question_kinds(candidate, entity, attribute):
            shown = next((f for f in forms[kind] if not _reveals_answer(f, candidate, own)), "")
            if shown:
                asked.append(_fill_question(shown, entity, attribute))
    return tuple(dict.fromkeys(asked))[:MAX_QUESTIONS]


def candidate_from_record(record: Record) -> ClaimCandidate:
    """A record as it would have been asked about: whom it names, and which attribute it states."""
    from commonplace.extract import extract_triples

    stated = extract_triples(record.text, record.entities, record.heading, now=record.time)
    name, attribute, value = stated[0] if stated else ("", "", "")
    return ClaimCandidate(
        text=record.text,
        category=record.category,
        kind=record.kind,
        trust=record.trust,
        actor="owner",
        entities=record.entities or ((name,) if name else ()),
        attribute=attribute,
        value=value,
    )


def content_words(question: str, language_code: str = "en") -> tuple[str, ...]:
    """The words of a form that mean something by themselves; in Chinese and Japanese the form names them after `/`."""
    shown, _, named = question.partition("/")
    if named:
        return (named,)
    words = split_units(shown.replace("{entity}", " ").replace("{attribute}", " "))
    return tuple(
        word
        for word in words
        if len(word) > 1 and word < FIRST_EAST_ASIAN_CHAR and not is_stop_word(word, language_code)
    )


def rank_in_hits(record_id: str, hit_ids: Sequence[str]) -> int:
    """The rank of a record among hits, from 1; 0 if it is not there."""
    return hit_ids.index(record_id) + 1 if record_id in hit_ids else 0


def findability_warning(rank: int, question: str, citation: str = "") -> str:
    """What to tell the writer of a record that its question does not bring back; empty if it stands within ten."""
    if 1 <= rank <= MAX_FINDABLE_RANK:
        return ""
    where = f"comes back at rank {rank}" if rank else "does not come back"
    line = f"the line at {citation}" if citation else "the line"
    return f"{line} {where} when asked {question!r}; name in it whom and what it is about"


def _question_kinds(candidate: ClaimCandidate, entity: str, attribute: str) -> Iterator[str]:
    if attribute and not entity:
        yield "attribute"
        return
    if attribute:
        if _has_date_value(candidate.value):
            yield "when"
        yield "which" if candidate.category == "tool" else "what"
    if candidate.category in _QUESTION_BY_CATEGORY:
        yield _QUESTION_BY_CATEGORY[candidate.category]
    if not attribute:
        yield "about"


def _has_date_value(value: str) -> bool:
    from commonplace.language import when
    from commonplace.upkeep.consolidate.candidates import REFERENCE_DAY

    return bool(value) and bool(when.find_time_phrases(value, REFERENCE_DAY))


def _reveals_answer(question: str, candidate: ClaimCandidate, language_code: str) -> bool:
    """Whether a word of a form stands in the line, in whatever inflection."""
    words = content_words(question, language_code)
    folded = fold_name(candidate.text)
    if any(word >= FIRST_EAST_ASIAN_CHAR for word in words):
        return any(word in folded for word in words)
    said = set(tokenize(candidate.text, language_code))
    return any(not said.isdisjoint(tokenize(word, language_code)) for word in words)


def _fill_question(question: str, entity: str, attribute: str) -> str:
    return question.partition("/")[0].replace("{entity}", entity).replace("{attribute}", attribute)
