"""Read the statements of a line: its subject, its key and value, its cues of change, and what makes it no assertion."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.extract import KeyRegistry
from commonplace.truth.names import NameTable

SlotType = Literal["number", "date", "name", "word"]
Guard = Literal["", "question", "quotation", "hypothesis", "wish", "role play", "report", "past", "passing"]


class Token(Struct, frozen=True, gc=False):
    """One unit of a statement: a word with its stem, a number, or a whole name; `type` is empty for function words."""

    text: str
    stem: str
    type: SlotType | Literal[""] = ""


class LineContext(Struct, frozen=True):
    """The surroundings of a text that decide what it means.

    `language` is a code, empty to detect it; `speaker` is who says it; `entities` are its marks, `heading` the titles
    above it. `is_talk` is true for captured messages, and false for lines that somebody wrote down.
    `names` are those of the notebook, `registry` its keys; None means the packaged ones.
    """

    language: str = ""
    speaker: str = ""
    entities: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    is_talk: bool = False
    names: NameTable = NameTable()
    registry: KeyRegistry | None = None


class Statement(Struct, frozen=True, gc=False):
    """One statement of a line, in the characters `span` of it.

    `subject` is folded, empty where nobody is named; `key` and `value` are those of the registry of keys, empty if it
    names none; `given_up` are the stems of the value that it says is over (`not 5433`). A statement with a `guard`
    asserts nothing about now; an event may order, and ends nothing. `signatures` depend on the line alone.
    """

    text: str
    span: tuple[int, int]
    language: str = "en"
    subject: str = ""
    tokens: tuple[Token, ...] = ()
    key: str = ""
    value: str = ""
    is_single_valued: bool = False
    has_cue: bool = False
    is_retraction: bool = False
    given_up: tuple[str, ...] = ()
    guard: Guard = ""
    is_event: bool = False
    signatures: tuple[int, ...] = ()


def read_statements(text: str, context: LineContext) -> tuple[Statement, ...]:
    """The statements of a line in order, one a sentence; in talk one a clause."""
    return (Statement(text, (0, len(text)), context.language or "en"),) if text.strip() else ()
