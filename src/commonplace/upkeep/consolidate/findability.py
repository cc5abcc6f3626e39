"""Questions about a record that do not use its own words, and the rank at which recall returns the record for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from commonplace.language import text, when
from commonplace.language.word_data import load_word_table
from commonplace.model import Category, Record
from commonplace.sync import read_record_statements
from commonplace.truth import REFERENCE_DAY, Vocabulary
from commonplace.upkeep.consolidate.claim_record import ClaimRecord

MAX_FINDABLE_RANK = 10  # a record below this rank will hardly be seen
MAX_QUESTIONS = 3
MAX_ENTITIES = 2  # of a claim for which questions are made

# Of the categories, those with a question of their own.
_ASKED_CATEGORIES: tuple[Category, ...] = ("preference", "decision", "plan", "event", "person", "lesson", "procedure")


class FindabilityResult(Struct, frozen=True):
    """A question about a record, the rank at which recall returns the record (0: never), a warning if that is low."""

    id: str
    asked: str
    rank: int
    warning: str = ""


def make_questions(claim: ClaimRecord) -> tuple[str, ...]:
    """At most three questions, best first, made of the entities and the attribute or category of a claim. Beyond those,
    no word of a question that carries meaning is in the line: `What does Peter prefer?` is not asked about `Peter
    prefers tea.` There is none for a claim of which only the text is recorded."""
    own = text.detect_language(claim.text)
    forms = load_word_table(own if own in text.WORD_LIST_LANGUAGES else "en", "question_templates")
    verbal = claim.category == "preference"  # nobody asks for somebody's `likes`, but for what they like
    attribute = "" if verbal else " ".join(claim.attribute.replace("_", " ").replace("-", " ").split())
    questions = []
    for entity in claim.entities[:MAX_ENTITIES] or (("",) if attribute else ()):
        for kind in _question_kinds(claim, entity, attribute):
            form = next((form for form in forms[kind] if not _reveals_answer(form, claim.text, own)), "")
            if form:
                question = form.partition("/")[0]
                questions.append(question.replace("{entity}", entity).replace("{attribute}", attribute))
    return tuple(dict.fromkeys(questions))[:MAX_QUESTIONS]


def claim_from_record(record: Record, vocabulary: Vocabulary) -> ClaimRecord:
    """Return a record as a claim: with the entities that it names, and the first key and value that it states."""
    stated = (one for one in read_record_statements(record, vocabulary) if one.key)
    name, attribute, value = next(((one.subject, one.key, one.value) for one in stated), ("", "", ""))
    fields = {field: getattr(record, field) for field in ("id", "text", "category", "trust")}
    entities = record.entities or ((name,) if name else ())
    return ClaimRecord(**fields, entities=entities, attribute=attribute, value=value)


def content_words(form: str, language_code: str = "en") -> tuple[str, ...]:
    """The words of a form that carry meaning; in Chinese and Japanese the form names them after `/`."""
    question, _, named = form.partition("/")
    words = text.split_units(question.replace("{entity}", " ").replace("{attribute}", " "))
    content = (one for one in words if len(one) > 1 and one < text.FIRST_EAST_ASIAN_CHAR)
    return (named,) if named else tuple(one for one in content if not text.is_stop_word(one, language_code))


def rank_in_hits(record_id: str, hit_ids: Sequence[str]) -> int:
    """Return the rank of a record among hits, from 1; 0 if it is not there."""
    return hit_ids.index(record_id) + 1 if record_id in hit_ids else 0


def findability_warning(rank: int, question: str, citation: str = "") -> str:
    """Return the warning about a record whose question does not return it; empty for a rank within ten."""
    if 1 <= rank <= MAX_FINDABLE_RANK:
        return ""
    where = f"is only at rank {rank}" if rank else "is not found"
    line = f"the line at {citation}" if citation else "the line"
    return f"{line} {where} for the question {question!r}; add whom and what it is about to the line"


def _question_kinds(claim: ClaimRecord, entity: str, attribute: str) -> Iterator[str]:
    if attribute and not entity:
        yield "attribute"
        return
    if attribute:
        if claim.value and when.find_time_phrases(claim.value, REFERENCE_DAY):
            yield "when"
        yield "which" if claim.category == "tool" else "what"
    if claim.category in _ASKED_CATEGORIES:
        yield claim.category
    if not attribute:
        yield "about"


def _reveals_answer(form: str, line: str, language_code: str) -> bool:
    """Whether a word of a form is in the line, in any inflection."""
    words = content_words(form, language_code)
    if any(word >= text.FIRST_EAST_ASIAN_CHAR for word in words):
        return any(word in text.fold_name(line) for word in words)
    tokens = set(text.tokenize(line, language_code))
    return any(not tokens.isdisjoint(text.tokenize(word, language_code)) for word in words)
