"""Cut a text into the statements that may claim something: no code, no quotations, no questions, no openings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from commonplace.facts.languages import grammar
from commonplace.facts.nouns import Statement
from commonplace.text import sentences

LONGEST = 600  # characters of a sentence that are looked at
_PLAIN = str.maketrans("’ʼ‘`´", "'''''")
_WIDE = str.maketrans("，：；！？（）", ",:;!?()")
_QUESTIONS = ("?", "？", "؟")
_STOPS = tuple(".!。！")
_ENDS = " \t\n\r.!。！．…"


def statements(text: str, language: str) -> Iterator[Statement]:
    """The statements of a text in order, each without the interjections and greetings that open it."""
    blanked = _blank(text)
    at, quoted = 0, False
    for sentence in sentences(blanked):
        start, at = at, at + len(sentence)
        inside, quoted = quoted, quoted ^ (sentence.count('"') % 2 == 1) if "\n\n" not in sentence else False
        if inside or sentence.isspace():
            continue
        said = _said(text[start : start + min(len(sentence), LONGEST)], start, language)
        if said is not None:
            yield said


def statement(text: str, start: int) -> Statement:
    """A stretch of the source as a statement, its outer blanks and full stop left out."""
    lead = len(text) - len(text.lstrip(" \t\n\r-*•"))
    kept = text[lead:].rstrip(_ENDS)
    low = kept.lower()
    if len(low) != len(kept):
        low = kept
    if "⟦" in low:
        low = _suffix().sub("0000", low)
    stop = text[lead + len(kept) :][:1]
    return Statement(kept, low.translate(_PLAIN).translate(_WIDE), start + lead, stop if stop in _STOPS else "")


def opened(said: Statement, at: int) -> Statement:
    """The rest of a statement from a place on."""
    return Statement(said.text[at:], said.low[at:], said.start + at, said.stop)


def _said(sentence: str, start: int, language: str) -> Statement | None:
    said = statement(sentence, start)
    lead = _leads(language)
    for _ in range(4):  # openings come in rows: "Hey Ana! Oh well, by the way, …"
        match = lead.match(said.low)
        if not match or match.end() == 0:
            break
        said = opened(said, match.end())
    if len(said.low) < (8 if grammar(language).spaced else 4) or said.low.startswith((">", "```", "http", "$ ")):
        return None
    return said


def _blank(text: str) -> str:
    """The text with fenced code, quoted lines and markup blanked out, character for character."""
    if "```" in text or "\n>" in text or text.startswith(">"):
        text = _code().sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def is_question(said: Statement) -> bool:
    """Whether the statement asks."""
    return said.low.endswith(_QUESTIONS) or said.low.rstrip("\"') ").endswith("?")


@cache
def _suffix() -> re.Pattern[str]:
    """The end of a placeholder of a secret, which depends on the key of the workspace and says nothing."""
    return re.compile(r"(?<=:)[0-9a-f]{4}(?=⟧)")


@cache
def _code() -> re.Pattern[str]:
    return re.compile(r"```[^`]*+(?:```|\Z)|^>[^\n]*", re.MULTILINE)


@cache
def _leads(language: str) -> re.Pattern[str]:
    return re.compile(grammar(language).words["lead"])
