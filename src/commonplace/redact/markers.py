"""Markers and placeholders in a text: <private>, [NOMEM], [PRIVATE], [NOEXPORT], and the kinds of placeholder."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
PRIVATE_PLACEHOLDER = "⟦private⟧"
_PRIVATE_TAG = r"(?i)<(/?)private\s*>"


def has_marker(text: str, name: str) -> bool:
    """Whether `[NAME]` stands in the text, in capitals or not."""
    return "[" in text and _compile_marker_regex(rf"(?i)\[{name}\]").search(text) is not None


def private_spans(text: str) -> list[tuple[int, int]]:
    """The outermost `<private>…</private>` spans, tags included; one that is never closed runs to the end."""
    if "<" not in text:
        return []
    spans, depth, begin = [], 0, 0
    for tag in _compile_marker_regex(_PRIVATE_TAG).finditer(text):
        if _is_mention(text, *tag.span()):
            continue
        if not tag.group(1):
            begin = begin if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((begin, tag.end()))
    return [*spans, (begin, len(text))] if depth else spans


def mention_spans(text: str) -> list[tuple[int, int]]:
    """Tags that are only spoken of: alone between backticks."""
    if "`<" not in text:
        return []
    tags = [tag.span() for tag in _compile_marker_regex(_PRIVATE_TAG).finditer(text)]
    return [(start - 1, end + 1) for start, end in tags if _is_mention(text, start, end)]


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Where placeholders of ours stand already; the kind must be one of ours, so that nothing hides behind the form."""
    if "⟦" not in text:
        return []

    found = _compile_marker_regex(r"⟦(?:private|secret:([a-z0-9-]{1,60}):[0-9a-f]{4})⟧").finditer(text)
    return [match.span() for match in found if match.group(1) is None or match.group(1) in secret_kinds()]


def _is_mention(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start] == "`" == text[end : end + 1]


@cache
def _compile_marker_regex(pattern: str) -> re.Pattern[str]:
    import re

    return re.compile(pattern)


GENERIC_KINDS = (
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
def secret_kinds() -> frozenset[str]:
    """The closed set of kinds: published formats, services known by name, and the generic ones."""
    from commonplace.redact.secret_names import VENDOR_NAMES
    from commonplace.redact.vendor_keys import vendor_rules

    return (
        frozenset(kind for kind, _, _ in vendor_rules()) | {f"{name}-key" for name in VENDOR_NAMES} | set(GENERIC_KINDS)
    )
