"""What the author of a text asked for: `<private>…</private>`, `[NOMEM]`, `[PRIVATE]`, `[NOEXPORT]`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

PRIVATE_PLACEHOLDER = "⟦private⟧"
_TAG = r"(?i)<(/?)private\s*>"


def has_marker(text: str, name: str) -> bool:
    """Whether `[NAME]` stands in the text, in capitals or not."""
    return "[" in text and _pattern(rf"(?i)\[{name}\]").search(text) is not None


def private_spans(text: str) -> list[tuple[int, int]]:
    """The outermost `<private>…</private>` spans, tags included; one that is never closed runs to the end."""
    if "<" not in text:
        return []
    spans, depth, begin = [], 0, 0
    for tag in _pattern(_TAG).finditer(text):
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
    tags = [tag.span() for tag in _pattern(_TAG).finditer(text)]
    return [(start - 1, end + 1) for start, end in tags if _is_mention(text, start, end)]


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Where placeholders of ours stand already; the kind must be one of ours, so that nothing hides behind the form."""
    if "⟦" not in text:
        return []
    from commonplace.redact.kinds import kinds

    found = _pattern(r"⟦(?:private|secret:([a-z0-9-]{1,60}):[0-9a-f]{4})⟧").finditer(text)
    return [match.span() for match in found if match.group(1) is None or match.group(1) in kinds()]


def _is_mention(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start] == "`" == text[end : end + 1]


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    import re

    return re.compile(pattern)
