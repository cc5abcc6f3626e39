"""What language models reply, the JSON schema of an answer, and its text decoded to the type that the schema is of."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from commonplace.shapes import Json

Answer = TypeVar("Answer")


class Reply(Struct, frozen=True):
    """The text of an answer, and the tokens that prompt and answer took, 0 where the model does not say."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


def max_items(count: int) -> Meta:
    """How many items the schema of an answer allows, so that a model that follows it comes to an end; an answer with
    more is decoded all the same."""
    return Meta(extra_json_schema={"maxItems": count})


def max_chars(count: int) -> Meta:
    """How many characters the schema of an answer allows, in the same way."""
    return Meta(extra_json_schema={"maxLength": count})


class InvalidAnswer(Exception):
    """An answer is not JSON of the shape that was asked for; the message repeats words of the answer."""


def answer_schema(answer_type: type) -> Json:
    """The JSON schema of a Struct, without references: some servers know none. The type must not contain itself."""
    schema = msgspec.json.schema(answer_type)
    inlined: Json = _inline(schema, schema.get("$defs", {}))
    inlined.pop("$defs", None)
    return inlined


def _inline(schema: Any, definitions: Json) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inline(definitions[schema["$ref"].rpartition("/")[2]], definitions)
        return {key: _inline(inner, definitions) for key, inner in schema.items() if key != "$defs"}
    return [_inline(inner, definitions) for inner in schema] if isinstance(schema, list) else schema


def decode_answer(text: str, answer_type: type[Answer]) -> Answer:
    """The JSON object in a text, also if it is fenced or has words around it. Raises InvalidAnswer."""
    part = text[text.find("{") : text.rfind("}") + 1] or text
    try:
        return msgspec.json.decode(part.encode("utf-8", "replace"), type=answer_type)
    except msgspec.ValidationError as error:
        raise InvalidAnswer(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidAnswer(f"it is not JSON: {error}") from None
