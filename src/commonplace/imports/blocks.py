"""The content of a message, as hosts and exports write it: text, tool calls and tool results, in their order."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from commonplace.imports.bounds import MOST_NAME, cut
from commonplace.imports.decoding import json_in
from commonplace.imports.nouns import Fields

PICTURE = "[image]"
CALLS = frozenset({"toolCall", "tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use"})
RESULTS = frozenset({"toolResult", "tool_result", "function_call_output", "mcp_tool_result"})
FILES = frozenset({"image", "image_url", "document", "file"})
EXIT_CODES = ("exitCode", "exit_code", "returncode")
DURATIONS = ("durationMs", "duration_ms")
TOOLS = ("toolName", "tool_name", "name")
IDS = ("toolCallId", "tool_call_id", "tool_use_id", "call_id", "id")
MOST_DEPTH = 8  # of content within content


class Call(Struct):
    """A tool that is called."""

    id: str
    tool: str
    arguments: Any = None


class Result(Struct):
    """What a tool came back with; `exit_code` is None where nobody said how it went."""

    id: str
    tool: str
    text: str
    exit_code: int | None = None
    duration_ms: float | None = None


class Spoken(Struct):
    """What one message holds."""

    text: str
    calls: list[Call]
    results: list[Result]


def spoken(content: Any) -> Spoken:
    """What a message holds; thoughts are left out, and so is what is no text."""
    found = Spoken("", [], [])
    texts = []
    for block in content if isinstance(content, list) else [content]:
        kind = _kind(block)
        if kind in CALLS:
            found.calls.append(call_of(block))
        elif kind in RESULTS:
            found.results.append(result_of(block, block.get("content", block.get("output"))))
        else:
            texts.append(text_of(block))
    found.text = joined(texts)
    return found


def text_of(value: Any, depth: int = 0) -> str:
    """The text of a string, of a block, or of a list of them; a picture is a word."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth < MOST_DEPTH:
        return joined([text_of(one, depth + 1) for one in value])
    if not isinstance(value, dict):
        return ""
    kind = _kind(value)
    if kind in FILES:
        return PICTURE if kind in ("image", "image_url") else ""
    inner = value.get("text")
    if not isinstance(inner, str) and depth < MOST_DEPTH and kind not in CALLS:
        return text_of(value.get("content"), depth + 1)
    return inner if isinstance(inner, str) else ""


def joined(texts: list[str]) -> str:
    """Texts below each other, empty ones left out."""
    return "\n".join(text for text in texts if text and not text.isspace())


def call_of(block: Fields) -> Call:
    """A call, as blocks and `tool_calls` have it."""
    inner = block.get("function")
    said = inner if isinstance(inner, dict) else block
    for name in ("arguments", "input", "params", "args"):
        if said.get(name) is not None:
            return Call(call_id(block), name_of(said.get("name")), json_in(said[name]))
    return Call(call_id(block), name_of(said.get("name")))


def result_of(block: Fields, content: Any, tool: str = "") -> Result:
    """A result: its text, and how it went as far as the block says so."""
    text = text_of(content) or _structured(content)
    details = block.get("details")
    details = details if isinstance(details, dict) else {}
    failed = next((block[name] for name in ("is_error", "isError") if isinstance(block.get(name), bool)), None)
    code = next((code for one in (details, block) if (code := whole(_first(one, EXIT_CODES))) is not None), None)
    duration = next((ms for one in (details, block) if (ms := number(_first(one, DURATIONS))) is not None), None)
    return Result(call_id(block), tool or name_of(_first(block, TOOLS)), text, exit_code(code, failed, text), duration)


def exit_code(said: int | None, failed: bool | None, text: str) -> int | None:
    """How a tool ended: what it said; else 0 if it did not fail, and if it did what its text says, or 1."""
    if said is not None:
        return said
    if failed is None:
        return None
    found = _said_code().search(text, 0, 200) or _said_code().search(text[-200:]) if failed else None
    return int(found[1]) if found else int(failed)


def call_id(block: Fields) -> str:
    """The id by which a call and its result know each other."""
    return name_of(_first(block, IDS))


def name_of(value: Any) -> str:
    """A name, short enough; a number is one as well."""
    if isinstance(value, str):
        return cut(value.strip(), MOST_NAME)
    return str(value)[:MOST_NAME] if isinstance(value, int | float) and not isinstance(value, bool) else ""


def whole(value: Any) -> int | None:
    """A whole number, however it is written; None for anything else."""
    if isinstance(value, str) and len(value) < 10 and value.strip().removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Any) -> float | None:
    """A number that is one."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _structured(value: Any) -> str:
    """A result that is no text but data, as JSON; blocks that have a type are pictures and files."""
    return msgspec.json.encode(value).decode() if isinstance(value, dict) and value and "type" not in value else ""


def _kind(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else ""
    return kind if isinstance(kind, str) else ""


def _first(block: Fields, names: tuple[str, ...]) -> Any:
    return next((block[name] for name in names if block.get(name) is not None), None)


@cache
def _said_code() -> re.Pattern[str]:
    return re.compile(r"(?i)exit(?:ed with)? (?:code|status):? ([0-9]{1,3})\b")
