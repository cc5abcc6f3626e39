"""Retain bullets: the letter of the kind, the confidence of an opinion, and where the text begins."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Kind
from commonplace.workspace.annotations import decimal

KINDS: dict[str, Kind] = {"W": "world", "B": "experience", "O": "opinion", "S": "observation"}
LETTERS: dict[Kind, str] = {kind: letter for letter, kind in KINDS.items()}
MOST_CONFIDENCE = 40  # characters between the parentheses


class Prefix(Struct):
    """What stands before the text: `start` is where the text begins, `complaint` what is wrong with the confidence."""

    kind: Kind
    start: int
    confidence: float | None = None
    complaint: str = ""


def prefix(text: str) -> Prefix | None:
    """The kind that a bullet begins with; None for a bullet without one."""
    if text[0] == "@":
        return Prefix("world", 0)
    kind = KINDS.get(text[0])
    if kind is None:
        return None
    at, confidence, complaint = 1, None, ""
    if kind == "opinion" and text.startswith("(", 1):
        close = text.find(")", 2, MOST_CONFIDENCE + 3)
        if close < 0:
            return None
        at = close + 1
        confidence, complaint = confidence_of(text[2:close])
    if text.startswith(":", at):
        at += 1
    rest = text[at:].lstrip()
    if len(rest) == len(text) - at:  # `Wood` is a word, `W` is a kind
        return None
    return Prefix(kind, len(text) - len(rest), confidence, complaint)


def confidence_of(inner: str) -> tuple[float | None, str]:
    """The value of `c=0.95` and what is wrong with it; what lies outside 0 to 1 is cut to that range."""
    key, _, value = inner.partition("=")
    value = value.strip()
    number = decimal(value.removeprefix("-"))
    if key.strip() != "c" or number is None:
        return None, f"the confidence `({inner})` is not of the form `(c=0.95)`"
    if number > 1 or (number and value.startswith("-")):
        return float(number > 1 and not value.startswith("-")), f"the confidence {value} lies outside 0 to 1"
    return number, ""
