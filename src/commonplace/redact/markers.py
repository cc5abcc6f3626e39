"""Markers and placeholders in a text: <private>, [NOMEM], [PRIVATE], [NOEXPORT], and the kinds of placeholder."""

from __future__ import annotations

from functools import cache

from commonplace.redact.patterns import compile_re

PRIVATE_PLACEHOLDER = "⟦private⟧"
_PRIVATE_TAG = r"(?i)<(/?)private\s*>"


def has_marker(text: str, name: str) -> bool:
    """Whether the text contains `[NAME]`, in any case."""
    return "[" in text and compile_re(rf"(?i)\[{name}\]").search(text) is not None


def private_spans(text: str) -> list[tuple[int, int]]:
    """The outermost `<private>…</private>` spans, tags included; one that is never closed runs to the end."""
    if "<" not in text:
        return []
    spans, depth, begin = [], 0, 0
    for tag in compile_re(_PRIVATE_TAG).finditer(text):
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
    """Tags that are only mentioned: alone between backticks."""
    if "`<" not in text:
        return []
    tags = [tag.span() for tag in compile_re(_PRIVATE_TAG).finditer(text)]
    return [(start - 1, end + 1) for start, end in tags if _is_mention(text, start, end)]


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """The spans of existing placeholders; only with a kind of ours, so that no secret can hide in their form."""
    if "⟦" not in text:
        return []
    found = compile_re(r"⟦(?:private|secret:([a-z0-9-]{1,60}):[0-9a-f]{4})⟧").finditer(text)
    return [match.span() for match in found if match[1] is None or match[1] in secret_kinds()]


def _is_mention(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start] == "`" == text[end : end + 1]


@cache
def secret_kinds() -> frozenset[str]:
    """The closed set of kinds: published formats, services known by name, and the generic ones."""
    from commonplace.redact.tables import GENERIC_KINDS, key_formats, service_names

    return frozenset(
        [*(row.kind for row in key_formats()), *(f"{name}-key" for name in service_names()), *GENERIC_KINDS]
    )
