"""What is said beside a text, made small: a line of four megabytes must not live on in what is noted about it."""

from __future__ import annotations

from typing import Any

from commonplace.imports.nouns import Event, Spot, Told

DEEPEST, MOST_ITEMS, MOST_STRING, MOST_NAME = 5, 48, 8_000, 200  # levels, items of one, characters of a text, of a key
MOST_VALUES, MOST_CHARACTERS = 1_000, 100_000  # of all together
IN_SECRETS = "_-./+=~%:@"  # besides letters and digits


def event_of(told: Told, spot: Spot, keys: tuple[str, ...], *, believed: bool) -> Event:
    """The event that was told, its detail of reasonable size."""
    if "detail" in told.fields:
        told.fields["detail"] = bounded(told.fields["detail"])
    return Event(told.fields, spot.offset, spot.line, keys, believed)


def cut(text: str, most: int) -> str:
    """As much of a text as may stay, cut before a word: half a secret would not be known for one."""
    if len(text) <= most:
        return text
    end = most
    while end and ((text[end - 1].isascii() and text[end - 1].isalnum()) or text[end - 1] in IN_SECRETS):
        end -= 1
    return text[:end]


def bounded(value: Any) -> Any:
    """The value with its outer levels, its first items, the beginnings of its texts."""
    return _Bounds().cut(value, 0)


class _Bounds:
    def __init__(self) -> None:
        self._values, self._characters = MOST_VALUES, MOST_CHARACTERS

    def cut(self, value: Any, depth: int) -> Any:
        self._values -= 1
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            items = list(value.items())[:MOST_ITEMS] if depth < DEEPEST else []
            return {cut(key, MOST_NAME): self.cut(inner, depth + 1) for key, inner in items if self._values > 0}
        if isinstance(value, list):
            items = value[:MOST_ITEMS] if depth < DEEPEST else []
            return [self.cut(inner, depth + 1) for inner in items if self._values > 0]
        return value

    def _text(self, text: str) -> str:
        most = min(MOST_STRING, self._characters)
        self._characters -= min(len(text), most)
        return text if len(text) <= most else cut(text, most) + "…"
