"""The items that a transcript is read into (events, rejected stretches, blank lines), with details cut to size."""

from __future__ import annotations

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
    """A span of the stream that is not an event, and why; `sample` is its beginning, secrets included.

    `part` is the file or table, where a source has many.
    """

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
    """An event without its keys: its ids in the source, and whether it has a date there.

    `position` is set for an event that comes later than its line. Its `global_names` identify it in any session.
    """

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
MAX_DETAIL_DEPTH, MAX_ITEMS_PER_LEVEL, MAX_STRING_CHARS, MAX_NAME_CHARS = 5, 48, 8_000, 200
MAX_DETAIL_VALUES, MAX_DETAIL_CHARS = 1_000, 100_000  # of all values together
SECRET_PUNCTUATION = "_-./+=~%:@"  # besides letters and digits


def truncate_before_word(text: str, max_chars: int) -> str:
    """A text cut before a word: half a secret would not be recognized as one."""
    if len(text) <= max_chars:
        return text
    end = max_chars
    while end and ((text[end - 1].isascii() and text[end - 1].isalnum()) or text[end - 1] in SECRET_PUNCTUATION):
        end -= 1
    return text[:end]


def limit_detail(raw_value: Any) -> Any:
    """The value with its outer levels, its first items, the beginnings of its texts."""
    return _DetailLimiter().limit(raw_value, 0)


class _DetailLimiter:
    def __init__(self) -> None:
        self._values_left, self._characters_left = MAX_DETAIL_VALUES, MAX_DETAIL_CHARS

    def limit(self, raw_value: Any, depth: int) -> Any:
        self._values_left -= 1
        if isinstance(raw_value, str):
            most = min(MAX_STRING_CHARS, self._characters_left)
            self._characters_left -= min(len(raw_value), most)
            return raw_value if len(raw_value) <= most else truncate_before_word(raw_value, most) + "…"
        if isinstance(raw_value, dict):
            items = list(raw_value.items())[:MAX_ITEMS_PER_LEVEL] if depth < MAX_DETAIL_DEPTH else []
            return {
                truncate_before_word(key, MAX_NAME_CHARS): self.limit(inner, depth + 1)
                for key, inner in items
                if self._values_left > 0
            }
        if isinstance(raw_value, list):
            items = raw_value[:MAX_ITEMS_PER_LEVEL] if depth < MAX_DETAIL_DEPTH else []
            return [self.limit(inner, depth + 1) for inner in items if self._values_left > 0]
        return raw_value
