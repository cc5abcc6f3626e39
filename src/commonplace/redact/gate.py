"""Decide in microseconds that a text holds no secret, so that most texts load no rules at all."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact.hidden import hides

if TYPE_CHECKING:
    import re

_TELLING = b"""
pass pw pswd secret token key auth cred bearer psk :// mnemonic phrase kennwort wachtwoord contrasena losenord
senha mdp redis-cli
""".split()
_PIN = rb"(?<![a-z])pin(?:cod|code)?(?![a-z])"
_RUN = rb"[A-Za-z0-9_\-+/=%$.:~]{14}"


def may_hold_secret(data: bytes) -> bool:
    """Whether a telling word, an escape, or a run as long as a key stands in the text, on one line or broken."""
    if b"\\" in data or b"&#" in data or _pattern(_RUN).search(data):
        return True
    small = data.lower()
    if any(word in small for word in _TELLING) or b" -p" in small or b" -u" in small:
        return True
    if b"pin" in small and _pattern(_PIN).search(small) and _pattern(rb"[0-9]{4}").search(small):
        return True
    if hides(data):
        return True
    return b"\n" in data and _pattern(_RUN).search(unbroken(data)) is not None


def unbroken(data: bytes) -> bytes:
    """The text with its line ends, and what wraps a line around them, taken out."""
    return b"".join(line.strip(b" \t\r\"'>+\\") for line in data.split(b"\n"))


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    import re

    return re.compile(pattern)
