"""Recognise statements by their form: what is to be remembered, decided, learned, what holds for later, and noise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import Literal

from msgspec import Struct, structs

from commonplace.extract.languages import ClaimType, PatternFilter, expand_word_lists, load_grammar
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


class _Rule(Struct, frozen=True):
    """A pattern, and what fits it: what has a cue, states nothing, or holds for later."""

    pattern: re.Pattern[str]
    cue: Cue | None = None
    is_cased: bool = False  # the pattern sees the text as written
    is_noise: bool = False
    is_standing: bool = False


def find_cue(statement: Statement, language: str, claim_type: ClaimType | Literal[""] = "") -> Cue | None:
    """What the first rule that fits says of a statement, or the first for claims of a type; None if none does."""
    for rule in _rules_that_may_fit(statement.low, language):
        if rule.cue is None or claim_type not in ("", rule.cue.claim_type):
            continue
        if match := rule.pattern.match(statement.text if rule.is_cased else statement.low):
            return structs.replace(rule.cue, name=bare_name(match["name"])) if rule.is_cased else rule.cue
    return None


def find_related_name(text: str) -> str:
    """The name of a person whom a sentence names by the relation to the speaker; empty if there is none."""
    language = choose_rule_language(text)
    patterns = (expand_word_lists(pattern, language) for pattern in load_grammar(language).relations)
    return next((bare_name(match["name"]) for one in patterns if (match := re.search(one, text))), "")


def bare_name(name: str) -> str:
    """A name without the ending of a possessive."""
    return name.strip().removesuffix("'s").removesuffix("’s")


def is_noise(statement: Statement, language: str) -> bool:
    """Whether a statement is a wish, a hypothesis, a quotation, a request, an instruction for the moment, or output."""
    low = statement.low
    if any(rule.is_noise and rule.pattern.search(low) for rule in _rules_that_may_fit(low, language)):
        return True
    return is_code_line(low) or is_request(low, language) or _PROGRAM_OUTPUT.match(low) is not None


MAX_STANDING_CHARS = 1_000  # characters of a text; a rule for later stands at its beginning or in a short one
MUST_NOT_EAT = ("allergy", "intolerant", "diet")
STANDING_ATTRIBUTES = ("instruction", *MUST_NOT_EAT)  # of rules that hold for all later requests


def is_standing_instruction(text: str) -> bool:
    """Whether a sentence of a text is to be followed in all later requests: an instruction for good (`always`), how
    things are done here (`we use X, not Y`), what is to be remembered, or what somebody must not eat."""
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
    low = statement.low
    if not any(rule.is_standing and rule.pattern.match(low) for rule in _rules_that_may_fit(low, language)):
        return False
    is_passing = is_question(statement) or is_request(low, language) or is_code_line(low)
    return not is_passing and re.search(load_grammar(language).words["passing"], low) is None


@lru_cache(maxsize=256)  # gates, cues and standing rules ask the same of a statement
def _rules_that_may_fit(low: str, language: str) -> tuple[_Rule, ...]:
    rules, pattern_filter = _load_rules(language)
    return tuple(rules[number] for number in pattern_filter.match(low))


@cache
def _load_rules(language: str) -> tuple[tuple[_Rule, ...], PatternFilter]:
    patterns, rules = zip(*_read_rules(language), strict=True)
    return rules, PatternFilter(patterns)


def _read_rules(language: str) -> Iterator[tuple[str, _Rule]]:
    grammar = load_grammar(language)
    for sort, category, about, attribute, row in grammar.rules:
        pattern = expand_word_lists(row, language)
        is_standing = attribute in STANDING_ATTRIBUTES or (sort == "remember" and not category)
        cue = Cue(sort, category, attribute)
        yield pattern, _Rule(lazy_pattern(pattern), cue, is_cased=about == "name", is_standing=is_standing)
    for is_noise, rows in enumerate((grammar.standing, grammar.noise)):
        for pattern in (expand_word_lists(row, language) for row in rows):
            yield pattern, _Rule(lazy_pattern(pattern), is_noise=bool(is_noise), is_standing=not is_noise)
