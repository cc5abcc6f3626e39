"""What is said besides a text, as JSON of bounded size: its outer levels, its first items, the beginnings of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

DEEPEST = 5  # levels
CUT = "…"
BITS = 63  # of a whole number that any reader of JSON can read


class Most(Struct, frozen=True):
    """How much stays: characters of one text and of one name, characters and values of all together."""

    text: int
    name: int
    texts: int
    values: int


LOOSE = Most(64_000, 64_000, 256_000, 1_000)  # before secrets are masked, so that few texts are cut then
KEPT = Most(2_000, 200, 16_000, 500)


def bounded(value: dict[str, Any], most: Most, each: Callable[[str], str] = str) -> dict[str, Any]:
    """A JSON object made small: no more than `most`, five levels deep; `each` is told every text, and gives it back.

    What JSON has no word for becomes a text. When all that may stay is used up, a text is left out as a whole: cut
    short it could hold half a secret, which nothing would know for one.
    """
    small: dict[str, Any] = _Bounds(most, each).of(value, 0)
    return small


class _Bounds:
    def __init__(self, most: Most, each: Callable[[str], str]) -> None:
        self._most, self._each = most, each
        self._texts, self._values = most.texts, most.values

    def of(self, value: Any, depth: int) -> Any:
        self._values -= 1
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int) and value.bit_length() <= BITS:
            return value
        if isinstance(value, dict):
            items = value.items() if depth < DEEPEST else ()
            return {self._name(key): self.of(inner, depth + 1) for key, inner in items if self._values > 0}
        if isinstance(value, list | tuple):
            return [self.of(inner, depth + 1) for inner in value if self._values > 0] if depth < DEEPEST else []
        return self._text(_said(value))

    def _text(self, text: str) -> str:
        text = self._each(text)
        if min(len(text), self._most.text) > self._texts:
            return CUT
        self._texts -= min(len(text), self._most.text)
        return text if len(text) <= self._most.text else text[: self._most.text] + CUT

    def _name(self, name: Any) -> str:
        text = self._each(_said(name))
        self._texts -= min(len(text), self._most.name)
        return text[: self._most.name] if self._texts > 0 else CUT


def _said(value: Any) -> str:
    """A value that is no JSON as a text; of a whole number without end only how long it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, int) and value.bit_length() > 16 * BITS:
        return f"a number of {value.bit_length()} bits"
    return str(value)
