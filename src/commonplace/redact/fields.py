"""Redact JSON values: each text by itself, and beside the name it stands under, which may be what gives it away."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from commonplace.redact.found import Found, Known
from commonplace.redact.redaction import redact

MOST_DEPTH = 64  # what is nested deeper is not looked into; readers of JSON refuse it anyway
_MOST_BESIDE = 512  # characters of a value that a name beside it can give away


def redact_fields(value: Any, *, key: bytes, exact: tuple[Known, ...] = ()) -> tuple[Any, tuple[Found, ...]]:
    """A JSON value (objects, lists, texts) with every secret replaced, and what was found.

    `{"password": "…"}` and `["--token", "…"]` are seen as the assignments that they are. The spans of what was found
    are those in the single texts.
    """
    done = _Fields(key, exact, [])
    return done.redacted(value, "", 0), tuple(done.found)


class _Fields(Struct, frozen=True):
    key: bytes
    exact: tuple[Known, ...]
    found: list[Found]

    def redacted(self, value: Any, name: str, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value, name)
        if depth >= MOST_DEPTH:
            return value
        if isinstance(value, dict):
            return {self.text(str(k), ""): self.redacted(inner, str(k), depth + 1) for k, inner in value.items()}
        if isinstance(value, list | tuple):
            flags = ["", *(item if isinstance(item, str) and item[:1] == "-" else "" for item in value)]
            return [self.redacted(item, flag or name, depth + 1) for item, flag in zip(value, flags, strict=False)]
        return value

    def text(self, text: str, name: str) -> str:
        """A text by itself; where nothing is found, as `"name": "text"` or `--name text` would have it."""
        done = redact(text, key=self.key, exact=self.exact)
        self.found.extend(done.found)
        if not name or done.found or not (4 if "pin" in name.lower() else 8) <= len(text) <= _MOST_BESIDE:
            return done.text
        before = f"{name} " if name[0] == "-" else f'"{name}": "'
        beside = redact(f'{before}{text}"', key=self.key, exact=self.exact)
        last = len(before) + len(text)
        if not beside.found or any(one.start < len(before) or one.end > last for one in beside.found):
            return done.text
        self.found.extend(beside.found)
        return beside.text[len(before) : -1]
