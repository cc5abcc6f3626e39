"""Apply the rules of a language to a statement: the first one that matches makes the draft."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Literal, cast

from msgspec import Struct

from commonplace.extract.claims import ClaimDraft, ClaimType, Statement
from commonplace.extract.key_registry import canonical_attribute, infer_attribute
from commonplace.extract.languages import load_grammar
from commonplace.extract.statements import (
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


class GrammarRule(Struct, frozen=True):
    """A compiled row of a grammar."""

    claim_type: ClaimType
    category: Category | Literal[""]
    about: str
    attribute: str
    pattern: re.Pattern[str]


def apply_rules(
    statement: Statement,
    speaker: str,
    language: str,
    *,
    only_types: tuple[str, ...] = (),
    except_types: tuple[str, ...] = (),
) -> ClaimDraft | None:
    """The draft of the first rule that fits, of these sorts or of all but those; its category is empty where the
    content decides."""
    for rule in grammar_rules(language):
        if (not only_types or rule.claim_type in only_types) and rule.claim_type not in except_types:
            match = rule.pattern.match(statement.text if rule.about == "name" else statement.low)
            if match is not None and not (rule.about == "name" and _has_false_name(match)):
                return _draft_from_match(rule, match, statement, speaker)
    return None


def _has_false_name(match: re.Match[str]) -> bool:
    """Whether the word in the place of a name is only the first word of the sentence: `Sounds like …`, `Networking
    plays …`."""
    from commonplace.extract.clauses import is_no_name

    return bool(match.groupdict().get("e")) and is_no_name(match["e"])


def draft_named_relations(statement: Statement, speaker: str, language: str) -> Iterator[ClaimDraft]:
    """Relations that are stated with a name, by the patterns of a language that are case-sensitive."""
    for pattern in _relation_regexes(language):
        for match in pattern.finditer(statement.text):
            yield ClaimDraft("relation", "person", *match.span(), speaker, match["rel"].lower(), match["name"], 0.85)


def is_noise(statement: Statement, language: str) -> bool:
    """Whether a statement is a wish, a hypothesis, a quotation, a request, an instruction for the moment, code, or a
    program's output."""
    noise = _noise_regex(language)
    if is_code_line(statement.low) or is_request(statement.low, language):
        return True
    return bool(noise and noise.search(statement.low)) or _PROGRAM_OUTPUT.match(statement.low) is not None


MAX_STANDING_CHARS = 1_000  # characters of a text; a rule for later stands at its beginning or in a short one
STANDING_ATTRIBUTES = ("instruction", "allergy")  # of the rules of claims that hold for all later requests


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
    return sum(len(one.text) for one in statements if _is_standing_statement(one, language)) / max(len(text), 1)


@cache
def _standing_words() -> frozenset[str]:
    return frozenset(" ".join(chain(*load_word_table(SHARED, "standing_words").values())).split())


def _is_standing_statement(statement: Statement, language: str) -> bool:
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


def category_by_words(statement: Statement, language: str) -> Category:
    """The category of a statement by the words of its language; `fact` if that is unclear."""
    for category, pattern in _category_regexes(language):
        if pattern.search(statement.low):
            return category
    return "fact"


def _draft_from_match(rule: GrammarRule, match: re.Match[str], statement: Statement, speaker: str) -> ClaimDraft:
    groups = match.groupdict()
    start, end = match.span("q") if groups.get("q") else (0, len(statement.text))

    def group_text(group: str) -> str:
        return statement.text[slice(*match.span(group))].strip(" ,.;:!，。、；：！") if groups.get(group) else ""

    attribute = rule.attribute
    if group_text("a"):
        attribute = (
            f"favorite_{canonical_attribute(group_text('a'))}"
            if attribute == "favorite"
            else canonical_attribute(group_text("a"))
        )
    if rule.claim_type == "attribute" and not attribute:
        shown = infer_attribute("", group_text("e"), "", group_text("v"))
        attribute = "" if shown == "is" else shown
    entity = group_text("e") or (speaker if rule.about == "I" else "")
    confidence = 0.9 if rule.claim_type == "remember" else 0.8
    category = cast(Category, rule.category)  # an empty one is told by the content, in the next step
    return ClaimDraft(
        rule.claim_type, category, start, end, entity, attribute, group_text("v"), confidence, group_text("c")
    )


@cache
def grammar_rules(language: str) -> tuple[GrammarRule, ...]:
    """The rules of a language, compiled at first use."""
    made = []
    for sort, category, about, attribute, pattern in load_grammar(language).rules:
        made.append(GrammarRule(sort, category, about, attribute, re.compile(expand_word_lists(pattern, language))))
    return tuple(made)


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


@cache
def _category_regexes(language: str) -> tuple[tuple[Category, re.Pattern[str]], ...]:
    words = load_grammar(language).words
    order: tuple[Category, ...] = ("procedure", "plan", "person", "tool")
    return tuple((category, re.compile(words[category])) for category in order if category in words)
