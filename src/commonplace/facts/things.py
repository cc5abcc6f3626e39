"""What English sentences say of things: `the staging DB moved to port 6432`, `Ana's birthday is 4 May`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from commonplace.facts.attributes import attribute_at_end, attribute_of, single_valued
from commonplace.facts.cues import cue, filled
from commonplace.facts.languages.english_cues import NOT_NAMES, SHAPES
from commonplace.facts.nouns import Draft, Statement
from commonplace.model import Category

LONGEST_SUBJECT = 6  # words
_PERSONAL = (
    "birthday", "phone", "number", "email", "address", "age", "surname", "nickname", "lives_in", "employer", "partner",
    "spouse", "allergy", "mobile",
)  # fmt: skip
_BEING = ("is", "are", "'s", "has", "have")


def thing(said: Statement) -> Draft | None:
    """The state that a statement gives a thing: subject, attribute and a concrete value; None if it has none."""
    if cue("no_state").search(said.low) or cue("goes_on").match(said.low):
        return None
    for groups in _parts(said):
        subject, value = groups["e"], groups["v"]
        if _kin_named().search(groups["a"]):
            return None  # `Peter's sister Ana …` is about Ana
        if _is_sound(subject, value, groups["verb"], named=bool(groups["a"]) and single_valued(groups["a"])):
            subject, attribute, value = _named(groups)
            category = category_of(subject, groups["a"] or attribute, said.low, value)
            return Draft("attribute", category, 0, len(said.text), subject, attribute, value, 0.75)
    return None


def triple(said: Statement) -> tuple[str, str, str]:
    """Which thing a statement speaks of, which side of it, and what it says; all empty where its shape tells none."""
    groups = next(_parts(said), None)
    return _named(groups) if groups else ("", "", "")


def category_of(subject: str, attribute: str, low: str, value: str) -> Category:
    """Where a fact about a thing belongs: technical, of a person, planned, of a project, or just a fact."""
    named = subject[:1].isupper()
    if (attribute in _PERSONAL and named) or (not subject and cue("of_person").search(value)):
        return "person"
    if cue("event").search(low) and cue("clock").search(low):
        return "plan"
    if cue("project").search(low) and (named or "project" in low):
        return "project"
    if cue("stage").search(low) and not cue("tech").search(subject.lower()):
        return "project"
    return "tool" if cue("tech").search(low) or cue("technical").search(value) else "fact"


def _parts(said: Statement) -> Iterator[dict[str, str]]:
    """The parts of a statement by each shape that fits: subject `e`, attribute `a`, `verb` and value `v`."""
    for pattern in _shapes():
        match = pattern.match(said.text)
        if match is not None:
            groups = {"a": "", "verb": "", **{key: word.strip() for key, word in match.groupdict().items() if word}}
            subject = re.sub(r"^all (?:the )?", "", groups["e"])
            yield groups | {"e": subject, "v": groups["v"].strip(" .,;:!")}


def _named(groups: dict[str, str]) -> tuple[str, str, str]:
    """Subject, attribute and value; an attribute at the end of the subject leaves it."""
    subject, value = groups["e"], groups["v"]
    attribute = attribute_of(groups["a"], subject, groups["verb"], value)
    if attribute == "is" and cue("stage").search(value.lower()):
        attribute = "status"
    if not groups["a"] and attribute_at_end(subject) == attribute:
        subject = subject.rpartition(" ")[0]
    return subject, attribute, value


def _is_sound(subject: str, value: str, verb: str, *, named: bool) -> bool:
    """Whether subject and value are concrete: the subject a short noun phrase, the value a figure, name or path,
    or any value of a named attribute that a thing has one of."""
    low = subject.lower()
    words = low.split()
    technical = cue("tech").search(low)
    if not words or len(words) > LONGEST_SUBJECT or cue("clausal").search(low) or cue("vague_subject").match(low):
        return False
    if words[0] in NOT_NAMES and words[0] not in ("the", "our", "my") and not technical:
        return False
    value = cue("value_end").split(value, maxsplit=1)[0]
    if cue("loose").match(value.lower()):
        return False
    if named or cue("stage").search(value.lower()):
        return True
    return bool(cue("concrete").search(value) or (technical and verb not in _BEING))


@cache
def _kin_named() -> re.Pattern[str]:
    return re.compile(filled(r"\b<rel> [A-Z]"))


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(filled(shape)) for shape in SHAPES)
