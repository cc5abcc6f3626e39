"""Recognise statements by their form: what is to be remembered, decided, learned, what holds for later, and noise."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import Literal

from msgspec import Struct, structs

from commonplace.extract.languages import ClaimType, load_grammar
from commonplace.extract.statements import (
    Statement,
    choose_rule_language,
    is_code_line,
    is_question,
    is_request,
    is_role_prompt,
    split_statements,
)
from commonplace.language.text import FIRST_EAST_ASIAN_CHAR
from commonplace.language.word_data import SHARED, load_word_table
from commonplace.lazy import lazy_pattern
from commonplace.model import Category

# Listings, log lines and code, whatever their language
_PROGRAM_OUTPUT = lazy_pattern(
    r"d?[rwx-]{8,10} +\d|(?:const|let|var|import|def|return|export|public|private|static|select|insert)\b[^.]*"
    r"(?:[={};]|\bfrom\b)|.*\b(?:icmp_seq|bytes from|ttl=|content-length)\b|"
    r"(?:warn|warning|info|debug|trace|notice|warnung|hinweis|advertencia|aviso|avertissement|警告)(?:\]|:| \d|\[)|"
    r"\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d|.*(?:\);|\{|\}|;)$|"
    r".*\b\d+ (?:passed|failed|skipped|warnings?|packages?|bestanden|réussis|paquetes)\b"
)


_WORDS = lazy_pattern(r"[^\W_]+")


class Cue(Struct, frozen=True):
    """What the form of a statement says that it is; `name` is the person whom it introduces."""

    claim_type: ClaimType
    category: Category | Literal[""]
    attribute: str = ""
    name: str = ""


def find_cue(statement: Statement, language: str, claim_type: ClaimType | Literal[""] = "") -> Cue | None:
    """What the first rule that fits says of a statement, or the first for claims of a type; None if none does."""
    for is_cased, cue, pattern in _cue_regexes(language, claim_type):
        if match := pattern.match(statement.text if is_cased else statement.low):
            return structs.replace(cue, name=bare_name(match["name"])) if is_cased else cue
    return None


def find_related_name(text: str) -> str:
    """The name of a person whom a sentence names by the relation to the speaker; empty if there is none."""
    matches = (pattern.search(text) for pattern in _relation_regexes(choose_rule_language(text)))
    return next((bare_name(match["name"]) for match in matches if match), "")


def bare_name(name: str) -> str:
    """A name without the ending of a possessive."""
    return name.strip().removesuffix("'s").removesuffix("’s")


def is_noise(statement: Statement, language: str) -> bool:
    """Whether a statement is a wish, a hypothesis, a quotation, a request, an instruction for the moment, code, or a
    program's output."""
    noise = _noise_regex(language)
    if is_code_line(statement.low) or is_request(statement.low, language):
        return True
    return bool(noise and noise.search(statement.low)) or _PROGRAM_OUTPUT.match(statement.low) is not None


MAX_STANDING_CHARS = 1_000  # characters of a text; a rule for later stands at its beginning or in a short one
MUST_NOT_EAT = ("allergy", "intolerant", "diet")
STANDING_ATTRIBUTES = ("instruction", *MUST_NOT_EAT)  # of rules that hold for all later requests


def is_standing_instruction(text: str) -> bool:
    """Whether a sentence of a text is to be followed in all later requests: an instruction for good (`always`,
    `from now on`), how things are done here (`we use X, not Y`), what is to be remembered, or what somebody must not
    eat. A question, a request for one text, and an instruction for the moment are none."""
    return standing_share(text) > 0


def standing_share(text: str) -> float:
    """The share of the characters of a text that are standing instructions, from 0 to 1."""
    text = text[:MAX_STANDING_CHARS]
    if max(text, default="") < FIRST_EAST_ASIAN_CHAR and _standing_words().isdisjoint(_WORDS.findall(text.lower())):
        return 0.0  # as nearly every line: it need not be read
    language = choose_rule_language(text)
    statements = () if is_role_prompt(text) else split_statements(text, language)
    return sum(len(one.text) for one in statements if is_standing_statement(one, language)) / max(len(text), 1)


@cache
def _standing_words() -> frozenset[str]:
    return frozenset(" ".join(chain(*load_word_table(SHARED, "standing_words").values())).split())


def is_standing_statement(statement: Statement, language: str) -> bool:
    """Whether a statement is an instruction for good, or says what somebody must not eat."""
    if is_question(statement) or is_request(statement.low, language) or is_code_line(statement.low):
        return False
    patterns, passing = _standing_regexes(language)
    return any(pattern.match(statement.low) for pattern in patterns) and not passing.search(statement.low)


@cache
def _standing_regexes(language: str) -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """The patterns of standing instructions, and that of words for what passes."""
    grammar = load_grammar(language)
    rows = [row[-1] for row in grammar.rules if row[3] in STANDING_ATTRIBUTES or row[:2] == ("remember", "")]
    patterns = (re.compile(expand_word_lists(pattern, language)) for pattern in (*rows, *grammar.standing))
    return tuple(patterns), re.compile(grammar.words["passing"])


@cache
def _cue_regexes(language: str, claim_type: str) -> tuple[tuple[bool, Cue, re.Pattern[str]], ...]:
    return tuple(
        (about == "name", Cue(sort, category, attribute), re.compile(expand_word_lists(pattern, language)))
        for sort, category, about, attribute, pattern in load_grammar(language).rules
        if claim_type in ("", sort)
    )


def expand_word_lists(pattern: str, language: str) -> str:
    """A pattern with the lists it names written out: `<adv>`, and those that they name; group names stay."""
    words = load_grammar(language).words
    return re.sub(r"(?<!\?P)<([a-z]+)>", lambda match: expand_word_lists(words[match[1]], language), pattern)


@cache
def _relation_regexes(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(expand_word_lists(pattern, language)) for pattern in load_grammar(language).relations)


@cache
def _noise_regex(language: str) -> re.Pattern[str] | None:
    words = load_grammar(language).words.get("noise")
    return re.compile(words) if words else None
