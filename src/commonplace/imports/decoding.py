"""Bytes to one JSON object, strictly; what is none comes back with the reason."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from commonplace.imports.lines import MOST_LINE_BYTES, Line, aside
from commonplace.imports.nouns import Blank, Fields, Item, Refused
from commonplace.shapes import repaired_json

TOO_DEEP = "nested too deeply"
TORN = "torn: the file ends within it"
NAMES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


def object_of(line: Line) -> Fields | Item:
    """The object that a line holds; else the line counted as blank, or set aside with the reason."""
    if line.too_long:
        return aside(line, f"a line of {line.too_long} bytes, more than {MOST_LINE_BYTES}")
    try:
        found = msgspec.json.decode(line.data)
    except (ValueError, RecursionError):
        if not line.data.strip():
            return Blank(line.offset, line.number)
        found = parsed(line.data)
    if isinstance(found, dict):
        return found
    if isinstance(found, Refused):
        return aside(line, found.reason if line.ended or found.reason == TOO_DEEP else TORN)
    return aside(line, not_an_object(found))


def not_an_object(value: object) -> str:
    """Why a JSON value is no event."""
    return f"{NAMES.get(type(value), 'null')}, not an object"


def parsed(data: bytes, shape: Any = Any) -> Any:
    """The JSON value of some bytes, half surrogates repaired to U+FFFD; Refused, if it is none or of another shape."""
    try:
        return msgspec.json.decode(data, type=shape)
    except RecursionError:
        return Refused(TOO_DEEP)
    except UnicodeDecodeError:
        repaired = _without_half_characters(data)
        return Refused(_encoding(data)) if repaired == data else parsed(repaired, shape)
    except msgspec.ValidationError as error:
        return Refused(_lower(str(error).partition(" - at")[0]))
    except ValueError as error:
        repaired = repaired_json(data)
        return Refused(_why(data, error)) if repaired == data else parsed(repaired, shape)


def json_in(value: Any) -> Any:
    """What a string holds that is JSON itself, as arguments and details often are; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    found = parsed(value.encode("utf-8", "replace"))
    return value if isinstance(found, Refused) else found


def _why(data: bytes, error: ValueError) -> str:
    if b"\0" in data:
        return _encoding(data)
    if _not_numbers().search(data):
        return "not JSON: NaN or Infinity"
    return f"not JSON: {_lower(str(error).removeprefix('JSON is malformed: '))}"


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]


def _encoding(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or 5 * data.count(0) >= 2 * len(data):
        return "not UTF-8: it looks like UTF-16"
    return "not JSON: it holds NUL bytes" if b"\0" in data else "not UTF-8"


def _without_half_characters(data: bytes) -> bytes:
    """Surrogates that were encoded as characters of their own: pairs become one character, halves U+FFFD."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


@cache
def _not_numbers() -> re.Pattern[bytes]:
    return re.compile(rb"[:,\[\s]-?(?:NaN|Infinity)[\s,\]}]")
