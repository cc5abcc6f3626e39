"""The types of redaction: known secrets, findings, redacted texts, and the matches and decoded views used inside."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

MIN_SECRET_CHARS = 8  # shorter known secrets would blank out ordinary words


class KnownSecret(Struct, frozen=True, cache_hash=True):
    """A secret that a caller knows word for word, and the kind that its placeholder names: one of `secret_kinds()`."""

    value: str
    kind: str = "registered"


WEAK = -1


class MaskedValue(Struct, frozen=True, array_like=True):
    """A value that was masked, as keyed digests: those of the value and of its longest run of letters and digits.

    `session` is 0 for a value that is masked in the whole workspace, `WEAK` for one that could be an ordinary word
    elsewhere, until a digest of the session in which it was masked takes that place.
    """

    run: int
    run_length: int
    offset: int  # of the run in the value
    length: int
    digest: int
    kind: str
    session: int = 0


class SecretFinding(Struct, frozen=True):
    """One stretch that should not be stored: `text[start:end]` of the text that was given.

    `kind` names the rule (`github-pat`, `password`, `private`); `placeholder` is what is there instead, empty when
    nothing was replaced (`find_secrets`). `values` are digests of what it contains, for `MaskedValues`.
    """

    kind: str
    start: int
    end: int
    placeholder: str = ""
    values: tuple[MaskedValue, ...] = ()


class RedactedText(Struct, frozen=True):
    """A text that may be stored, its markers included: `keep` is false under `[NOMEM]` (do not store at all), `private`
    true under `[PRIVATE]`, `export` false under `[NOEXPORT]`."""

    text: str
    findings: tuple[SecretFinding, ...] = ()
    keep: bool = True
    private: bool = False
    export: bool = True


class SecretMatch(Struct, frozen=True):
    """One finding inside the package: `secret` is the decoded value (which makes the suffix), `rank` 0 is surest."""

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
