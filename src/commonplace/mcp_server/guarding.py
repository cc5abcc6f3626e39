"""Memory text on its way to a model: whatever nobody vouched for can neither close a frame nor speak as somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.pack.quoting import quoted
from commonplace.shapes import PACK, mended

if TYPE_CHECKING:
    from commonplace.shapes import Json

VOUCHED = "trusted"


def guarded(answer: Json) -> Json:
    """The answer, in which every opening of a frame, a role or a token has its stand-in unless the record is trusted.

    JSON quotes the rest: no text ends its string. The text of a pack is framed already. What is no text at all (a
    file's name of bytes that are not UTF-8) has U+FFFD in its place.
    """
    framed = {"text": answer["text"]} if answer.get("schema") == PACK else {}
    return dict(mended(_object(answer, vouched=False) | framed))


def _object(found: Json, *, vouched: bool) -> Json:
    vouched = vouched or _is_vouched(found)
    return {key: _value(value, vouched=vouched) for key, value in found.items()}


def _value(value: Any, *, vouched: bool) -> Any:
    if isinstance(value, str):
        return value if vouched else quoted(value)
    if isinstance(value, dict):
        return _object(value, vouched=vouched and "trust" not in value)
    if isinstance(value, list | tuple):
        return [_value(one, vouched=vouched) for one in value]
    return value


def _is_vouched(found: Json) -> bool:
    """Whether this is a trusted record, or lines of a file on which there are only such."""
    if "trust" in found:
        return bool(found["trust"] == VOUCHED)
    records = found.get("records")
    return bool(records) and all(record.get("trust") == VOUCHED for record in records or ())
