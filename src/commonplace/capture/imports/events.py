"""The items that a transcript is read into (events, rejected stretches, blank lines), with details cut to size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from commonplace.shapes import Json

MAX_SAMPLE_CHARS = 200  # characters of a stretch that is set aside
Fields = Json


class StreamSource(Struct, frozen=True):
    """The name of a stream, and what identifies it: `path:/x/y`, `inode:5:77`, nothing for a pipe."""

    name: str = ""
    identity: tuple[str, ...] = ()


class ImportedEvent(Struct, frozen=True):
    """One event; `fields` are those of `commonplace.capture.v1`, of the right type and otherwise unchecked.

    `offset` and `line` (1-based) are its position in the stream. It was captured before if one of its `keys` was;
    an event without keys is always new. `is_actor_trusted`: its actor is certain. Of an item of another memory `part`
    is the file or table, `import_detail` what it was there, `owner_name` the person it belongs to.
    """

    fields: Fields
    offset: int
    line: int
    keys: tuple[str, ...] = ()
    is_actor_trusted: bool = True
    part: str = ""
    import_detail: Fields = {}
    owner_name: str = ""


class SetAside(Struct, frozen=True):
    """A span of the stream that is not an event, and why; `sample` is its beginning, secrets included, `part` the file
    or table of a source that has many."""

    offset: int
    line: int
    reason: str
    sample: str = ""
    part: str = ""


class Blank(Struct, frozen=True):
    """A valid line without an event of its own; `reason` is empty for white space."""

    offset: int
    line: int
    reason: str = ""
    part: str = ""


StreamItem = ImportedEvent | SetAside | Blank


class StreamPosition(Struct, frozen=True):
    """A place in the stream."""

    offset: int
    line: int


class EventDraft(Struct):
    """An event without its keys: its ids in the source, whether it has a date there, its position if it comes later
    than its line, and the `global_names` that identify it in any session."""

    fields: Fields
    source_ids: tuple[str, ...] = ()
    is_dated: bool = False
    position: StreamPosition | None = None
    global_names: tuple[str, ...] = ()


class NoEvent(Struct, frozen=True):
    """A valid object that is not an event."""

    reason: str


class ParseFailure(Struct, frozen=True):
    """An object that cannot be read as an event."""

    reason: str


ReadResult = list[EventDraft] | NoEvent | ParseFailure
SECRET_PUNCTUATION = "_-./+=~%:@"  # besides letters and digits


def truncate_before_word(text: str, max_chars: int) -> str:
    """A text cut before a word: half a secret would not be recognized as one."""
    if len(text) <= max_chars:
        return text
    end = max_chars
    while end and ((text[end - 1].isascii() and text[end - 1].isalnum()) or text[end - 1] in SECRET_PUNCTUATION):
        end -= 1
    return text[:end]


MAX_DEPTH = 5  # levels
ELLIPSIS = "…"
MAX_INTEGER_BITS = 63  # of a whole number that any reader of JSON can read


class SizeLimits(Struct, frozen=True):
    """The most characters of one text, of one name, and of all together, the most values, and the most of one object
    or list; whether a text that is too long ends in a whole word."""

    text_chars: int
    name_chars: int
    total_chars: int
    total_values: int
    level_items: int | None = None
    keeps_words: bool = False


DETAIL_LIMITS = SizeLimits(8_000, 200, 100_000, 1_000, 48, keeps_words=True)


def truncate_json(detail: Any, limits: SizeLimits = DETAIL_LIMITS, transform_text: Callable[[str], str] = str) -> Any:
    """Return a JSON value within `limits` and five levels deep, with `transform_text` applied to every text.

    A value that is not JSON becomes a text. When the limits are used up, a text is left out as a whole: cut short it
    could hold half a secret, which no rule would find.
    """
    return _JsonTruncator(limits, transform_text).truncate(detail, 0)


class _JsonTruncator:
    def __init__(self, limits: SizeLimits, transform_text: Callable[[str], str]) -> None:
        self._limits, self._transform_text = limits, transform_text
        self._cut = truncate_before_word if limits.keeps_words else lambda text, size: text[:size]
        self._chars_left, self._values_left = limits.total_chars, limits.total_values

    def truncate(self, node: Any, depth: int) -> Any:
        self._values_left -= 1
        most = self._limits.level_items if depth < MAX_DEPTH else 0
        if node is None or isinstance(node, bool | float):
            return node
        if isinstance(node, int) and node.bit_length() <= MAX_INTEGER_BITS:
            return node
        if isinstance(node, dict):
            items = list(node.items())[:most]
            return {
                self._truncate_key(key): self.truncate(one, depth + 1) for key, one in items if self._values_left > 0
            }
        if isinstance(node, list | tuple):
            return [self.truncate(one, depth + 1) for one in node[:most] if self._values_left > 0]
        return self._truncate_text(_stringify_scalar(node))

    def _truncate_text(self, text: str) -> str:
        text = self._transform_text(text)
        if min(len(text), self._limits.text_chars) > self._chars_left:
            return ELLIPSIS
        self._chars_left -= min(len(text), self._limits.text_chars)
        return text if len(text) <= self._limits.text_chars else self._cut(text, self._limits.text_chars) + ELLIPSIS

    def _truncate_key(self, key: Any) -> str:
        text = self._transform_text(_stringify_scalar(key))
        self._chars_left -= min(len(text), self._limits.name_chars)
        return self._cut(text, self._limits.name_chars) if self._chars_left > 0 else ELLIPSIS


def _stringify_scalar(scalar: Any) -> str:
    """Return a value that is not JSON as a text; of a huge whole number only its length."""
    if isinstance(scalar, str):
        return scalar
    if isinstance(scalar, bytes | bytearray):
        return scalar.decode("utf-8", "replace")
    if isinstance(scalar, int) and scalar.bit_length() > 16 * MAX_INTEGER_BITS:
        return f"a number of {scalar.bit_length()} bits"
    return str(scalar)
