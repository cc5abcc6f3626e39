"""The content of a message as hosts and exports write it: time, text, tool calls, and their results."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from commonplace.capture.imports.events import (
    MAX_NAME_CHARS,
    EventDraft,
    Fields,
    StreamPosition,
    limit_detail,
    truncate_before_word,
)
from commonplace.capture.imports.streams import decode_embedded_json

ISO_DATE_LENGTH = len("2025-11-27")
EPOCH_SCALES = ((1e8, 1e10, 1), (1e11, 1e13, 1_000), (1e14, 1e16, 1_000_000))  # from 1973 to 2286
MAX_RAW_TIME_CHARS = 100


def to_iso_time(raw_value: Any) -> str:
    """An ISO time to the second, with its offset if it has one, or an ISO date; empty for what is no time."""
    if isinstance(raw_value, str):
        return _parse_time_text(raw_value.strip())
    if isinstance(raw_value, int | float) and not isinstance(raw_value, bool):
        return _parse_epoch(raw_value)
    return ""


def set_event_time(fields: Fields, raw_value: Any) -> bool:
    """Set when it happened, as far as it was said; what cannot be read is noted as `said_ts`. Whether it can."""
    if raw_value is None or raw_value == "":
        return False
    fields["ts"] = to_iso_time(raw_value)
    if fields["ts"]:
        return True
    del fields["ts"]
    fields.setdefault("detail", {})["said_ts"] = (
        truncate_before_word(raw_value, MAX_RAW_TIME_CHARS)
        if isinstance(raw_value, str)
        else str(raw_value)[:MAX_RAW_TIME_CHARS]
    )
    return False


def _parse_time_text(text: str) -> str:
    if text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) > ISO_DATE_LENGTH - 1 and "-" not in text:
        return _parse_epoch(float(text))
    try:
        if len(text) == ISO_DATE_LENGTH:
            return date.fromisoformat(text).isoformat()
        found = datetime.fromisoformat(text)
    except ValueError:
        return ""
    offset = found.utcoffset()
    if offset is not None and offset.total_seconds() % 60:
        return ""
    return found.isoformat(timespec="seconds")


def _parse_epoch(epoch: float) -> str:
    for low, high, scale in EPOCH_SCALES:
        if low <= epoch < high:
            return datetime.fromtimestamp(epoch / scale, UTC).isoformat(timespec="seconds")
    return ""


IMAGE_PLACEHOLDER = "[image]"
TOOL_CALL_TYPES = frozenset({"toolCall", "tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use"})
TOOL_RESULT_TYPES = frozenset({"toolResult", "tool_result", "function_call_output", "mcp_tool_result"})
ATTACHMENT_TYPES = frozenset({"image", "image_url", "document", "file"})
EXIT_CODE_KEYS = ("exitCode", "exit_code", "returncode")
DURATION_KEYS = ("durationMs", "duration_ms")
TOOL_NAME_KEYS = ("toolName", "tool_name", "name")
CALL_ID_KEYS = ("toolCallId", "tool_call_id", "tool_use_id", "call_id", "id")
MAX_CONTENT_DEPTH = 8  # of content within content


class ToolCall(Struct):
    """A tool that is called."""

    id: str
    tool: str
    arguments: Any = None


class ToolResult(Struct):
    """What a tool came back with; `exit_code` is None where nobody said how it went."""

    id: str
    tool: str
    text: str
    exit_code: int | None = None
    duration_ms: float | None = None


class MessageContent(Struct):
    """What one message holds."""

    text: str
    calls: list[ToolCall]
    results: list[ToolResult]


def parse_message_content(content: Any) -> MessageContent:
    """What a message holds; thoughts are left out, and so is what is no text."""
    found = MessageContent("", [], [])
    texts = []
    for block in content if isinstance(content, list) else [content]:
        kind = _block_type(block)
        if kind in TOOL_CALL_TYPES:
            found.calls.append(parse_tool_call(block))
        elif kind in TOOL_RESULT_TYPES:
            found.results.append(parse_tool_result(block, block.get("content", block.get("output"))))
        else:
            texts.append(extract_text(block))
    found.text = join_texts(texts)
    return found


def extract_text(raw_value: Any, depth: int = 0) -> str:
    """The text of a string, of a block, or of a list of them; a picture is a word."""
    if isinstance(raw_value, str):
        return raw_value
    if isinstance(raw_value, list) and depth < MAX_CONTENT_DEPTH:
        return join_texts([extract_text(one, depth + 1) for one in raw_value])
    if not isinstance(raw_value, dict):
        return ""
    kind = _block_type(raw_value)
    if kind in ATTACHMENT_TYPES:
        return IMAGE_PLACEHOLDER if kind in ("image", "image_url") else ""
    inner = raw_value.get("text")
    if not isinstance(inner, str) and depth < MAX_CONTENT_DEPTH and kind not in TOOL_CALL_TYPES:
        return extract_text(raw_value.get("content"), depth + 1)
    return inner if isinstance(inner, str) else ""


def join_texts(texts: list[str]) -> str:
    """Texts below each other, empty ones left out."""
    return "\n".join(text for text in texts if text and not text.isspace())


def parse_tool_call(block: Fields) -> ToolCall:
    """A call, as blocks and `tool_calls` have it."""
    inner = block.get("function")
    said = inner if isinstance(inner, dict) else block
    for name in ("arguments", "input", "params", "args"):
        if said.get(name) is not None:
            return ToolCall(find_call_id(block), shorten_name(said.get("name")), decode_embedded_json(said[name]))
    return ToolCall(find_call_id(block), shorten_name(said.get("name")))


def parse_tool_result(block: Fields, content: Any, tool: str = "") -> ToolResult:
    """A result: its text, and how it went as far as the block says so."""
    text = extract_text(content) or _encode_structured_result(content)
    details = block.get("details")
    details = details if isinstance(details, dict) else {}
    failed = next((block[name] for name in ("is_error", "isError") if isinstance(block.get(name), bool)), None)
    code = next(
        (
            code
            for one in (details, block)
            if (code := parse_integer(_first_present_value(one, EXIT_CODE_KEYS))) is not None
        ),
        None,
    )
    duration = next(
        (ms for one in (details, block) if (ms := parse_number(_first_present_value(one, DURATION_KEYS))) is not None),
        None,
    )
    return ToolResult(
        find_call_id(block),
        tool or shorten_name(_first_present_value(block, TOOL_NAME_KEYS)),
        text,
        infer_exit_code(code, failed, text),
        duration,
    )


def infer_exit_code(reported_code: int | None, failed: bool | None, text: str) -> int | None:
    """How a tool ended: what it said; else 0 if it did not fail, and if it did what its text says, or 1."""
    if reported_code is not None:
        return reported_code
    if failed is None:
        return None
    found = _exit_code_pattern().search(text, 0, 200) or _exit_code_pattern().search(text[-200:]) if failed else None
    return int(found[1]) if found else int(failed)


def find_call_id(block: Fields) -> str:
    """The id by which a call and its result know each other."""
    return shorten_name(_first_present_value(block, CALL_ID_KEYS))


def shorten_name(raw_value: Any) -> str:
    """A name, short enough; a number is one as well."""
    if isinstance(raw_value, str):
        return truncate_before_word(raw_value.strip(), MAX_NAME_CHARS)
    return (
        str(raw_value)[:MAX_NAME_CHARS]
        if isinstance(raw_value, int | float) and not isinstance(raw_value, bool)
        else ""
    )


def parse_integer(raw_value: Any) -> int | None:
    """A whole number, however it is written; None for anything else."""
    if isinstance(raw_value, str) and len(raw_value) < 10 and raw_value.strip().removeprefix("-").isdecimal():
        return int(raw_value)
    if isinstance(raw_value, float) and raw_value.is_integer():
        return int(raw_value)
    return raw_value if isinstance(raw_value, int) and not isinstance(raw_value, bool) else None


def parse_number(raw_value: Any) -> float | None:
    """A number that is one."""
    return raw_value if isinstance(raw_value, int | float) and not isinstance(raw_value, bool) else None


def object_or_empty(raw_value: Any) -> Fields:
    """A JSON object; an empty one for any other value."""
    return raw_value if isinstance(raw_value, dict) else {}


def _encode_structured_result(raw_value: Any) -> str:
    """A result that is no text but data, as JSON; blocks that have a type are pictures and files."""
    return (
        msgspec.json.encode(raw_value).decode()
        if isinstance(raw_value, dict) and raw_value and "type" not in raw_value
        else ""
    )


def _block_type(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else ""
    return kind if isinstance(kind, str) else ""


def _first_present_value(block: Fields, field_names: tuple[str, ...]) -> Any:
    return next((block[name] for name in field_names if block.get(name) is not None), None)


@cache
def _exit_code_pattern() -> re.Pattern[str]:
    return re.compile(r"(?i)exit(?:ed with)? (?:code|status):? ([0-9]{1,3})\b")


MAX_PENDING_CALLS = 512  # calls without a result
MAX_PENDING_CHARS = 4_000_000  # of their arguments, in characters


class PendingCall(Struct):
    """A call, the event that it will be, and where it stands."""

    call: ToolCall
    fields: Fields
    position: StreamPosition
    size: int


class CallPairing:
    """Calls that wait for their results; of too many the oldest is told without one."""

    def __init__(self) -> None:
        self._pending: dict[str, PendingCall] = {}
        self._size = 0

    def add_call(self, call: ToolCall, fields: Fields, position: StreamPosition) -> list[EventDraft]:
        """Take note of a call; what has to be told because of it."""
        call.arguments = limit_detail(call.arguments)
        waiting = PendingCall(call, fields, position, _estimate_argument_chars(call.arguments))
        if not call.id:
            return [build_unanswered_event(waiting)]
        told = [build_unanswered_event(self._pop_call(call.id))] if call.id in self._pending else []
        self._pending[call.id] = waiting
        self._size += waiting.size
        while len(self._pending) > MAX_PENDING_CALLS or self._size > MAX_PENDING_CHARS:
            told.append(build_unanswered_event(self._pop_call(next(iter(self._pending)))))
        return told

    def pair_result(self, result: ToolResult, fields: Fields) -> EventDraft:
        """The event of a result, with what was asked if its call was seen."""
        call = self._pop_call(result.id).call if result.id in self._pending else None
        return build_tool_event(call, result, fields)

    def flush(self) -> list[EventDraft]:
        """What still waits, in the order of the calls."""
        return [build_unanswered_event(self._pop_call(name)) for name in list(self._pending)]

    def _pop_call(self, name: str) -> PendingCall:
        waiting = self._pending.pop(name)
        self._size -= waiting.size
        return waiting


def build_tool_event(call: ToolCall | None, result: ToolResult, fields: Fields) -> EventDraft:
    """The event of a tool's result; `fields` are what else is known of it."""
    tool = result.tool or (call.tool if call else "")
    detail = {
        **fields.get("detail", {}),
        "tool": tool,
        "arguments": call.arguments if call else None,
        "exit_code": result.exit_code,
        "duration_ms": result.duration_ms,
        "call": result.id,
    }
    text = result.text if result.text.strip() else f"{tool or 'tool'}: (no output)"
    known = {name: value for name, value in detail.items() if name == "exit_code" or value not in (None, "")}
    event = {**fields, "type": "tool_result", "actor": "tool", "text": text, "detail": known}
    return EventDraft(event, (result.id,) if result.id else (), is_dated="ts" in fields)


def build_unanswered_event(pending_call: PendingCall) -> EventDraft:
    """The event of a call whose result never came."""
    call = pending_call.call
    draft = build_tool_event(
        call, ToolResult(call.id, call.tool, f"{call.tool or 'tool'}: (no result)"), pending_call.fields
    )
    draft.position = pending_call.position
    return draft


def _estimate_argument_chars(arguments: Any) -> int:
    """How much room arguments take, nearly."""
    if isinstance(arguments, str):
        return len(arguments)
    if isinstance(arguments, dict):
        return sum(map(_estimate_argument_chars, arguments.values())) + 64 * len(arguments)
    return sum(map(_estimate_argument_chars, arguments)) if isinstance(arguments, list) else 16
