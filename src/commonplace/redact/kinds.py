"""Every kind of secret there is a rule for."""

from __future__ import annotations

from functools import cache

GENERIC = (
    "key",
    "login",
    "password",
    "private-key",
    "registered",
    "seed-phrase",
    "token",
    "url-password",
)


@cache
def kinds() -> frozenset[str]:
    """The closed set of kinds: published formats, services known by name, and the generic ones."""
    from commonplace.redact.keys import rules
    from commonplace.redact.names import VENDORS

    return frozenset(kind for kind, _, _ in rules()) | {f"{name}-key" for name in VENDORS} | set(GENERIC)
