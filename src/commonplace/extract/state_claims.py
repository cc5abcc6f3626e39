"""Draft a claim from an English statement that no clause covers, by the state it names or its heaviest cues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from commonplace.extract.claims import ClaimDraft, Statement, claim_type_of_category
from commonplace.extract.key_registry import attribute_at_end, infer_attribute, is_single_valued
from commonplace.extract.languages.english_cues import NOT_NAMES, SHAPES, cue_regex, expand_english_lists
from commonplace.lazy import lazy_pattern
from commonplace.model import Category

MAX_THING_WORDS = 6  # words
_PERSONAL_ATTRIBUTES = (
    "birthday", "phone", "number", "email", "address", "age", "surname", "nickname", "lives_in", "employer", "partner",
    "spouse", "allergy", "mobile",
)  # fmt: skip
_NAMED_RELATIVE = lazy_pattern(lambda: expand_english_lists(r"\b<rel> [A-Z]"))
_COPULA_VERBS = ("is", "are", "'s", "has", "have")
# A pronoun, a joint of clauses, a sign of punctuation or of a program, an option
_CLAUSE_SIGN = lazy_pattern(
    r"\b(?:i|me|my|mine|myself|you|your|yours|we|us|he|she|it|they|them|this|these|those|who|that|which|when|while|"
    r"because|if|whether|than|how|what|why)\b|['’](?:m|ve|re|ll|d)\b|n['’]t\b|[,;:?!()=<>{}|\[\]]|(?:^|\s)--?\w"
)


def draft_thing_state(statement: Statement) -> ClaimDraft | None:
    """The state that a statement gives a thing: subject, attribute and a concrete value; None if it has none."""
    if cue_regex("no_state").search(statement.low) or cue_regex("goes_on").match(statement.low):
        return None
    for groups in _match_shapes(statement):
        subject, value = groups["e"], groups["v"]
        if _NAMED_RELATIVE.search(groups["a"]):
            return None  # `Peter's sister Ana …` is about Ana
        if _is_concrete_state(
            subject, value, groups["verb"], has_single_value=bool(groups["a"]) and is_single_valued(groups["a"])
        ):
            subject, attribute, value = _normalize_triple(groups)
            category = classify_thing_fact(subject, groups["a"] or attribute, statement.low, value)
            return ClaimDraft("attribute", category, 0, len(statement.text), subject, attribute, value, 0.75)
    return None


def parse_triple(statement: Statement) -> tuple[str, str, str]:
    """The thing that a statement is about, its attribute, and the value; all empty if its form expresses none."""
    groups = next(_match_shapes(statement), None)
    return _normalize_triple(groups) if groups else ("", "", "")


def classify_thing_fact(subject: str, attribute: str, low: str, value: str) -> Category:
    """The category of a fact about a thing: technical, personal, planned, of a project, or a plain fact."""
    named = subject[:1].isupper()
    if (attribute in _PERSONAL_ATTRIBUTES and named) or (not subject and cue_regex("of_person").search(value)):
        return "person"
    if cue_regex("event").search(low) and cue_regex("clock").search(low):
        return "plan"
    if cue_regex("project").search(low) and (named or "project" in low):
        return "project"
    if cue_regex("stage").search(low) and not cue_regex("tech").search(subject.lower()):
        return "project"
    return "tool" if cue_regex("tech").search(low) or cue_regex("technical").search(value) else "fact"


def _match_shapes(statement: Statement) -> Iterator[dict[str, str]]:
    """The parts of a statement by each shape that fits: subject `e`, attribute `a`, `verb` and value `v`."""
    for pattern in _shape_regexes():
        match = pattern.match(statement.text)
        if match is not None:
            groups = {"a": "", "verb": "", **{key: word.strip() for key, word in match.groupdict().items() if word}}
            subject = re.sub(r"^all (?:the )?", "", groups["e"])
            yield groups | {"e": subject, "v": groups["v"].strip(" .,;:!")}


def _normalize_triple(groups: dict[str, str]) -> tuple[str, str, str]:
    """Subject, attribute and value; an attribute at the end of the subject leaves it."""
    subject, value = groups["e"], groups["v"]
    attribute = infer_attribute(groups["a"], subject, groups["verb"], value)
    if attribute == "is" and cue_regex("stage").search(value.lower()):
        attribute = "status"
    if not groups["a"] and attribute_at_end(subject) == attribute:
        subject = subject.rpartition(" ")[0]
    return subject, attribute, value


def _is_concrete_state(subject: str, value: str, verb: str, *, has_single_value: bool) -> bool:
    """Whether subject and value are concrete: the subject a short noun phrase, the value a figure, name or path,
    or any value of a named attribute that a thing has one of."""
    low = subject.lower()
    words = low.split()
    technical = cue_regex("tech").search(low)
    if (
        not words
        or len(words) > MAX_THING_WORDS
        or cue_regex("clausal").search(low)
        or cue_regex("vague_subject").match(low)
    ):
        return False
    if words[0] in NOT_NAMES and words[0] not in ("the", "our", "my") and not technical:
        return False
    value = cue_regex("value_end").split(value, maxsplit=1)[0]
    if cue_regex("loose").match(value.lower()):
        return False
    if has_single_value or cue_regex("stage").search(value.lower()):
        return True
    return bool(cue_regex("concrete").search(value) or (technical and verb not in _COPULA_VERBS))


@cache
def _shape_regexes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(expand_english_lists(shape)) for shape in SHAPES)


MIN_WEIGHT, MIN_WEIGHT_LEAD = 4, 2  # least weight of the winner, and its lead over the second
MIN_TECHNICAL_WEIGHT = 6  # a word of the trade alone does not make a statement of it
MIN_STATEMENT_WORDS = 4


def draft_by_cue_weights(statement: Statement, speaker: str) -> ClaimDraft | None:
    """The statement as a claim of its likeliest category; None if the evidence is too weak, or two categories
    compete.

    What a named person says in a conversation must fit a pattern: there chat outweighs what is worth keeping.
    """
    if speaker:
        return None
    words = statement.low.split()
    if len(words) < MIN_STATEMENT_WORDS or _passing_remark_regex().search(statement.low):
        return None
    (first, most), (_, second) = rank_categories(statement.low)[:2]
    if most < (MIN_TECHNICAL_WEIGHT if first in ("project", "tool") else MIN_WEIGHT) or most - second < MIN_WEIGHT_LEAD:
        return None
    return ClaimDraft(claim_type_of_category(first), first, 0, len(statement.text), confidence=0.6)


def rank_categories(low: str) -> list[tuple[Category, int]]:
    """The categories by weight, heaviest first."""
    weights: dict[Category, int] = {}
    for category, weight, pattern in _cue_weights():
        weights[category] = weights.get(category, 0) + (weight if pattern.search(low) else 0)
    return sorted(weights.items(), key=lambda pair: -pair[1])


@cache
def _cue_weights() -> tuple[tuple[Category, int, re.Pattern[str]], ...]:
    from commonplace.extract.languages.english_cue_weights import WEIGHTS
    from commonplace.extract.rules import expand_word_lists

    return tuple(
        (category, weight, re.compile(expand_word_lists(pattern, "en"))) for category, weight, pattern in WEIGHTS
    )


@cache
def _passing_remark_regex() -> re.Pattern[str]:
    from commonplace.extract.languages.english_cue_weights import PASSING

    return re.compile(PASSING)


MAX_SUBJECT_WORDS = 6
MAX_SUBJECT_CHARS = 60  # characters
_ARTICLES = ("the", "our")


def is_subject(name: str) -> bool:
    """Whether it is a name or a short noun phrase.

    What holds a pronoun or a sign of a clause, begins with `a` or another word that picks nothing out, ends with a
    word after which something must come, is a lone word that heads sentences (`The`) or the option of a command,
    names nothing.
    """
    words = name.split()
    low = [word.lower() for word in words]
    if (
        not words
        or len(words) > MAX_SUBJECT_WORDS
        or len(name) > MAX_SUBJECT_CHARS
        or _CLAUSE_SIGN.search(name.lower())
    ):
        return False
    bare = low[1:] if low[0] in _ARTICLES else low
    return bool(bare) and not (bare[0] in NOT_NAMES or bare[0] in ("a", "an") or bare[-1] in _INCOMPLETE_ENDINGS)


_INCOMPLETE_ENDING_WORDS = """
    of to in on at for with from by about and or but that which who the a an my our your is are was were has have had
    do does did can could will would should may might must be been not really also just
"""
_INCOMPLETE_ENDINGS = frozenset(_INCOMPLETE_ENDING_WORDS.split())
