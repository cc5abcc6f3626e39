"""What the redactor is given and hands out: a known secret, one finding, a text with its findings replaced."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

LEAST_VALUE = 8  # shorter known secrets would blank out ordinary words


class Known(Struct, frozen=True, cache_hash=True):
    """A secret that the caller knows word for word, and the kind its placeholder names: one of `kinds()`."""

    value: str
    kind: str = "registered"


class Found(Struct, frozen=True):
    """One stretch that should not be stored: `text[start:end]` of the text that was given.

    `kind` names the rule (`github-pat`, `password`, `private`); `placeholder` is what stands there instead, empty when
    nothing was replaced (`scan`).
    """

    kind: str
    start: int
    end: int
    placeholder: str = ""


class Redacted(Struct, frozen=True):
    """A text that may be stored, and what its author allowed to be done with it.

    `keep` is false under `[NOMEM]` (do not store at all), `private` true under `[PRIVATE]`, `export` false under
    `[NOEXPORT]`. The markers stay in the text.
    """

    text: str
    found: tuple[Found, ...] = ()
    keep: bool = True
    private: bool = False
    export: bool = True


class Hit(Struct, frozen=True):
    """One finding inside the room: `secret` is the decoded value (what the suffix is made of), `rank` 0 is surest."""

    kind: str
    start: int
    end: int
    secret: bytes
    rank: int


class View(Struct, frozen=True):
    """Decoded bytes and, for each, the span of its source."""

    data: bytes
    starts: Any  # array("I")
    ends: Any
