"""Read the triple of an English statement about a thing, and whether a name is a subject."""

from __future__ import annotations

import re
from functools import cache

from commonplace.extract.claims import Statement
from commonplace.extract.key_registry import attribute_at_end, infer_attribute
from commonplace.extract.languages.english_cues import NOT_NAMES, SHAPES, cue_regex, expand_english_lists
from commonplace.lazy import lazy_pattern

# A pronoun, a joint of clauses, a sign of punctuation or of a program, an option
_CLAUSE_SIGN = lazy_pattern(
    r"\b(?:i|me|my|mine|myself|you|your|yours|we|us|he|she|it|they|them|this|these|those|who|that|which|when|while|"
    r"because|if|whether|than|how|what|why)\b|['’](?:m|ve|re|ll|d)\b|n['’]t\b|[,;:?!()=<>{}|\[\]]|(?:^|\s)--?\w"
)


def parse_triple(statement: Statement) -> tuple[str, str, str]:
    """The thing that a statement is about, its attribute, and the value, by the first shape that fits: subject `e`,
    attribute `a`, `verb` and value `v`; all empty if none does. An attribute at the end of the subject leaves it."""
    match = next(filter(None, (pattern.match(statement.text) for pattern in _shape_regexes())), None)
    if match is None:
        return "", "", ""
    groups = {"a": "", "verb": "", **{key: word.strip() for key, word in match.groupdict().items() if word}}
    subject, value = re.sub(r"^all (?:the )?", "", groups["e"]), groups["v"].strip(" .,;:!")
    attribute = infer_attribute(groups["a"], subject, groups["verb"], value)
    if attribute == "is" and cue_regex("stage").search(value.lower()):
        attribute = "status"
    if not groups["a"] and attribute_at_end(subject) == attribute:
        subject = subject.rpartition(" ")[0]
    return subject, attribute, value


@cache
def _shape_regexes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(expand_english_lists(shape)) for shape in SHAPES)


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
