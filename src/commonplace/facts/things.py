"""What English sentences say of things: `the staging DB moved to port 6432`, `Ana's birthday is 4 May`."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.attributes import attribute_of
from commonplace.facts.clauses import cue, filled
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
    for pattern in _shapes():
        match = pattern.match(said.text)
        if match is None:
            continue
        groups = {"a": "", "verb": "", **{key: word.strip() for key, word in match.groupdict().items() if word}}
        subject, value = re.sub(r"^all (?:the )?", "", groups["e"]), groups["v"].strip(" .,;:!")
        if _is_sound(subject, value, groups["verb"]):
            attribute = attribute_of(groups["a"], subject, groups["verb"], value)
            category = category_of(subject, groups["a"] or attribute, said.low, value)
            return Draft("attribute", category, 0, len(said.text), subject, attribute, value, 0.75)
    return None


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


def _is_sound(subject: str, value: str, verb: str) -> bool:
    """Whether subject and value are concrete: the subject a short noun phrase, the value a figure, name or path."""
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
    return bool(cue("concrete").search(value) or (technical and verb not in _BEING))


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(filled(shape)) for shape in SHAPES)
