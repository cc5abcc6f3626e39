"""Apply the rules of a language to a statement: the first that fits makes the draft."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, cast

from msgspec import Struct

from commonplace.facts.attributes import attribute_of, canonical
from commonplace.facts.languages import grammar
from commonplace.facts.nouns import Draft, Sort, Statement
from commonplace.facts.requests import is_code, is_request
from commonplace.model import Category


class Rule(Struct, frozen=True):
    """A compiled row of a grammar."""

    sort: Sort
    category: Category | Literal[""]
    about: str
    attribute: str
    pattern: re.Pattern[str]


def by_rule(
    said: Statement, speaker: str, language: str, *, only: tuple[str, ...] = (), but: tuple[str, ...] = ()
) -> Draft | None:
    """The draft of the first rule that fits, of these sorts or of all but those; its category is empty where the
    content decides."""
    for rule in rules(language):
        if (not only or rule.sort in only) and rule.sort not in but:
            match = rule.pattern.match(said.text if rule.about == "name" else said.low)
            if match is not None and not (rule.about == "name" and _names_nobody(match)):
                return _draft(rule, match, said, speaker)
    return None


def _names_nobody(match: re.Match[str]) -> bool:
    """Whether the word that stands as a name merely heads the sentence: `Sounds like …`, `Networking plays …`."""
    from commonplace.facts.clauses import is_no_name

    return bool(match.groupdict().get("e")) and is_no_name(match["e"])


def named_relations(said: Statement, speaker: str, language: str) -> Iterator[Draft]:
    """Names told with their relation, by the patterns of a language that see letters as written."""
    for pattern in _relations(language):
        for match in pattern.finditer(said.text):
            yield Draft("relation", "person", *match.span(), speaker, match["rel"].lower(), match["name"], 0.85)


def is_noise(said: Statement, language: str) -> bool:
    """Whether a statement is a wish, a hypothesis, a quotation, a request, an order that keeps nothing, code, or a
    program's output."""
    noise = _noise(language)
    if is_code(said.low) or is_request(said.low, language):
        return True
    return bool(noise and noise.search(said.low)) or _output().match(said.low) is not None


def category_by_words(said: Statement, language: str) -> Category:
    """Where a statement belongs by the words of its language; a fact in doubt."""
    for category, pattern in _categories(language):
        if pattern.search(said.low):
            return category
    return "fact"


def _draft(rule: Rule, match: re.Match[str], said: Statement, speaker: str) -> Draft:
    groups = match.groupdict()
    start, end = match.span("q") if groups.get("q") else (0, len(said.text))

    def told(group: str) -> str:
        return said.text[slice(*match.span(group))].strip(" ,.;:!，。、；：！") if groups.get(group) else ""

    attribute = rule.attribute
    if told("a"):
        attribute = f"favorite_{canonical(told('a'))}" if attribute == "favorite" else canonical(told("a"))
    if rule.sort == "attribute" and not attribute:
        shown = attribute_of("", told("e"), "", told("v"))
        attribute = "" if shown == "is" else shown
    entity = told("e") or (speaker if rule.about == "I" else "")
    confidence = 0.9 if rule.sort == "remember" else 0.8
    category = cast(Category, rule.category)  # an empty one is told by the content, in the next step
    return Draft(rule.sort, category, start, end, entity, attribute, told("v"), confidence, told("c"))


@cache
def rules(language: str) -> tuple[Rule, ...]:
    """The rules of a language, compiled at first use."""
    made = []
    for sort, category, about, attribute, pattern in grammar(language).rules:
        made.append(Rule(sort, category, about, attribute, re.compile(expand(pattern, language))))
    return tuple(made)


def expand(pattern: str, language: str) -> str:
    """A pattern with the lists it names written out: `<adv>`; group names stay."""
    words = grammar(language).words
    return re.sub(r"(?<!\?P)<([a-z]+)>", lambda match: words[match[1]], pattern)


@cache
def _relations(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(expand(pattern, language)) for pattern in grammar(language).relations)


@cache
def _output() -> re.Pattern[str]:
    """Listings, log lines and code, whatever their language."""
    return re.compile(
        r"d?[rwx-]{8,10} +\d|(?:const|let|var|import|def|return|export|public|private|static|select|insert)\b[^.]*"
        r"(?:[={};]|\bfrom\b)|.*\b(?:icmp_seq|bytes from|ttl=|content-length)\b|"
        r"(?:warn|warning|info|debug|trace|notice|warnung|hinweis|advertencia|aviso|avertissement|警告)(?:\]|:| \d|\[)|"
        r"\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d|.*(?:\);|\{|\}|;)$|"
        r".*\b\d+ (?:passed|failed|skipped|warnings?|packages?|bestanden|réussis|paquetes)\b"
    )


@cache
def _noise(language: str) -> re.Pattern[str] | None:
    words = grammar(language).words.get("noise")
    return re.compile(words) if words else None


@cache
def _categories(language: str) -> tuple[tuple[Category, re.Pattern[str]], ...]:
    words = grammar(language).words
    order: tuple[Category, ...] = ("procedure", "plan", "person", "tool")
    return tuple((category, re.compile(words[category])) for category in order if category in words)
