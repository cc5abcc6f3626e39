"""Ask for what was written as somebody would who does not know the line, and say where the answer stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from commonplace.consolidate.candidates import Candidate
from commonplace.model import Category, Record
from commonplace.text import fold, is_stop, language, tokens
from commonplace.text.wordlists import LANGUAGES, UNSPACED_FROM, question_list, units

WITHIN = 10  # a record below this rank is as good as lost
MOST_QUESTIONS = 3
MOST_ENTITIES = 2  # that a candidate is asked for

_FOR_CATEGORY: dict[Category, str] = {
    "preference": "preference",
    "decision": "decision",
    "plan": "plan",
    "event": "event",
    "person": "person",
    "lesson": "lesson",
    "procedure": "procedure",
}


class Findable(Struct, frozen=True):
    """Which record was asked for and how, its rank among the hits (0: not there), a warning if that is too low."""

    id: str
    asked: str
    rank: int
    warning: str = ""


def questions(candidate: Candidate) -> tuple[str, ...]:
    """At most three questions, best first, made of the candidate's entities and attribute or category.

    Beyond those, no word with a meaning of its own is one of the line's: `What does Peter prefer?` is not asked of
    `Peter prefers tea.` Where nothing is known of a candidate but its text, there is nothing to ask.
    """
    own = candidate.language if candidate.language != "auto" else language(candidate.text)
    forms = question_list(own if own in LANGUAGES else "en")
    verbal = candidate.category == "preference"  # nobody asks for somebody's `likes`, but for what they like
    attribute = "" if verbal else " ".join(candidate.attribute.replace("_", " ").replace("-", " ").split())
    asked = []
    for entity in candidate.entities[:MOST_ENTITIES] or (("",) if attribute else ()):
        for kind in _kinds(candidate, entity, attribute):
            shown = next((f for f in forms[kind].split(" | ") if not _gives_away(f, candidate, own)), "")
            if shown:
                asked.append(_filled(shown, entity, attribute))
    return tuple(dict.fromkeys(asked))[:MOST_QUESTIONS]


def candidate_of(record: Record) -> Candidate:
    """A record as it would have been asked about: whom it names, and which attribute it states."""
    from commonplace.facts import keyed

    stated = keyed(record.text, record.entities, record.heading, now=record.time)
    name, attribute, value = stated[0] if stated else ("", "", "")
    return Candidate(
        text=record.text,
        category=record.category,
        kind=record.kind,
        trust=record.trust,
        actor="owner",
        entities=record.entities or ((name,) if name else ()),
        attribute=attribute,
        value=value,
    )


def content_words(question: str, of: str = "en") -> tuple[str, ...]:
    """The words of a form that mean something by themselves; in Chinese and Japanese the form names them after `/`."""
    shown, _, named = question.partition("/")
    if named:
        return (named,)
    words = units(shown.replace("{entity}", " ").replace("{attribute}", " "))
    return tuple(word for word in words if len(word) > 1 and word < UNSPACED_FROM and not is_stop(word, of))


def rank_of(record_id: str, hit_ids: Sequence[str]) -> int:
    """The rank of a record among hits, from 1; 0 if it is not there."""
    return hit_ids.index(record_id) + 1 if record_id in hit_ids else 0


def warning(rank: int, asked: str, citation: str = "") -> str:
    """What to tell the writer of a record that its question does not bring back; empty if it stands within ten."""
    if 1 <= rank <= WITHIN:
        return ""
    where = f"comes back at rank {rank}" if rank else "does not come back"
    line = f"the line at {citation}" if citation else "the line"
    return f"{line} {where} when asked {asked!r}; name in it whom and what it is about"


def _kinds(candidate: Candidate, entity: str, attribute: str) -> Iterator[str]:
    if attribute and not entity:
        yield "attribute"
        return
    if attribute:
        if _is_dated(candidate.value):
            yield "when"
        yield "which" if candidate.category == "tool" else "what"
    if candidate.category in _FOR_CATEGORY:
        yield _FOR_CATEGORY[candidate.category]
    if not attribute:
        yield "about"


def _is_dated(value: str) -> bool:
    from commonplace import when
    from commonplace.consolidate.noise import ANY_DAY

    return bool(value) and bool(when.find(value, ANY_DAY))


def _gives_away(question: str, candidate: Candidate, own: str) -> bool:
    """Whether a word of a form stands in the line, in whatever inflection."""
    words = content_words(question, own)
    folded = fold(candidate.text)
    if any(word >= UNSPACED_FROM for word in words):
        return any(word in folded for word in words)
    said = set(tokens(candidate.text, own))
    return any(not said.isdisjoint(tokens(word, own)) for word in words)


def _filled(question: str, entity: str, attribute: str) -> str:
    return question.partition("/")[0].replace("{entity}", entity).replace("{attribute}", attribute)
