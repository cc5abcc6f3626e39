"""The types of redaction: known secrets, findings, redacted texts, and the matches and decoded views used inside."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

MIN_SECRET_CHARS = 8  # shorter known secrets would blank out ordinary words


class KnownSecret(Struct, frozen=True, cache_hash=True):
    """A secret that the caller knows word for word, and the kind that its placeholder names: one of
    `secret_kinds()`."""

    value: str
    kind: str = "registered"


class SecretFinding(Struct, frozen=True):
    """One stretch that should not be stored: `text[start:end]` of the text that was given.

    `kind` names the rule (`github-pat`, `password`, `private`); `placeholder` is what is there instead, empty when
    nothing was replaced (`find_secrets`).
    """

    kind: str
    start: int
    end: int
    placeholder: str = ""


class RedactedText(Struct, frozen=True):
    """A text that may be stored, and what its author allowed to be done with it.

    `keep` is false under `[NOMEM]` (do not store at all), `private` true under `[PRIVATE]`, `export` false under
    `[NOEXPORT]`. The markers stay in the text.
    """

    text: str
    findings: tuple[SecretFinding, ...] = ()
    keep: bool = True
    private: bool = False
    export: bool = True


class SecretMatch(Struct, frozen=True):
    """One finding inside the package: `secret` is the decoded value (what the suffix is made of), `rank` 0 is
    surest."""

    kind: str
    start: int
    end: int
    secret: bytes
    rank: int


class DecodedView(Struct, frozen=True):
    """Decoded bytes and, for each, the span of its source."""

    data: bytes
    starts: Any  # array("I")
    ends: Any
