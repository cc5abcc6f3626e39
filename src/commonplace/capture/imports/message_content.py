"""The content of a message as hosts and exports write it: time, text, tool calls, and their results."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from commonplace.capture.imports.events import EventDraft, Fields, StreamPosition, truncate_before_word, truncate_json
from commonplace.capture.imports.streams import decode_embedded_json

Parsed = TypeVar("Parsed")
ISO_DATE_LENGTH = len("2025-11-27")
EPOCH_SCALES = ((1e8, 1e10, 1), (1e11, 1e13, 1_000), (1e14, 1e16, 1_000_000))  # from 1973 to 2286
MAX_RAW_TIME_CHARS, MAX_NAME_CHARS = 100, 200


def to_iso_time(raw_value: Any) -> str:
    """An ISO time to the second, with its offset if it has one, or an ISO date; empty if the value is not a time."""
    if isinstance(raw_value, int | float) and not isinstance(raw_value, bool):
        return _parse_epoch(raw_value)
    text = raw_value.strip() if isinstance(raw_value, str) else ""
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


def set_event_time(fields: Fields, raw_value: Any) -> bool:
    """Set `ts` and return whether there is a time; a time that cannot be read is stored in the detail as `said_ts`."""
    if raw_value is None or raw_value == "":
        return False
    if time := to_iso_time(raw_value):
        fields["ts"] = time
        return True
    is_text = isinstance(raw_value, str)
    short = truncate_before_word(raw_value, MAX_RAW_TIME_CHARS) if is_text else str(raw_value)[:MAX_RAW_TIME_CHARS]
    fields.setdefault("detail", {})["said_ts"] = short
    return False


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
EXIT_CODE = re.compile(r"(?i)exit(?:ed with)? (?:code|status):? ([0-9]{1,3})\b")


class ToolCall(Struct):
    """A tool that is called."""

    id: str
    tool: str
    arguments: Any = None


class ToolResult(Struct):
    """The result of a tool; `exit_code` is None where it is unknown."""

    id: str
    tool: str
    text: str
    exit_code: int | None = None
    duration_ms: float | None = None


class MessageContent(Struct):
    """The content of one message."""

    text: str
    calls: list[ToolCall]
    results: list[ToolResult]


def parse_message_content(content: Any) -> MessageContent:
    """The text, calls and results of a message; thoughts and other parts that are not text are left out."""
    parsed = MessageContent("", [], [])
    texts = []
    for block in content if isinstance(content, list) else [content]:
        kind = _block_type(block)
        if kind in TOOL_CALL_TYPES:
            parsed.calls.append(parse_tool_call(block))
        elif kind in TOOL_RESULT_TYPES:
            parsed.results.append(parse_tool_result(block, block.get("content", block.get("output"))))
        else:
            texts.append(extract_text(block))
    parsed.text = join_texts(texts)
    return parsed


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
    """Texts joined by newlines, empty ones left out."""
    return "\n".join(text for text in texts if text and not text.isspace())


def parse_tool_call(block: Fields) -> ToolCall:
    """A call, as blocks and `tool_calls` have it."""
    inner = block.get("function")
    call = inner if isinstance(inner, dict) else block
    arguments = decode_embedded_json(_first_present_value(call, ("arguments", "input", "params", "args")))
    return ToolCall(find_call_id(block), shorten_name(call.get("name")), arguments)


def parse_tool_result(block: Fields, content: Any, tool: str = "") -> ToolResult:
    """A result: its text, exit code and duration as far as the block states them."""
    text = extract_text(content)
    if not text and isinstance(content, dict) and content and "type" not in content:  # data; else pictures and files
        text = msgspec.json.encode(content).decode()
    places = (object_or_empty(block.get("details")), block)
    code = infer_exit_code(_first_parsed(places, EXIT_CODE_KEYS, parse_integer), find_error_flag(block), text)
    tool = tool or shorten_name(_first_present_value(block, TOOL_NAME_KEYS))
    return ToolResult(find_call_id(block), tool, text, code, _first_parsed(places, DURATION_KEYS, parse_number))


def find_error_flag(block: Fields) -> bool | None:
    """Whether a tool failed, if the block states it."""
    return next((block[name] for name in ("is_error", "isError") if isinstance(block.get(name), bool)), None)


def infer_exit_code(reported_code: int | None, failed: bool | None, text: str) -> int | None:
    """The reported exit code; else 0 without failure, and after one the code in the text, or 1; None if unknown."""
    if reported_code is not None:
        return reported_code
    if failed is None:
        return None
    found = EXIT_CODE.search(text, 0, 200) or EXIT_CODE.search(text[-200:]) if failed else None
    return int(found[1]) if found else int(failed)


def find_call_id(block: Fields) -> str:
    """The id that a call and its result share."""
    return shorten_name(_first_present_value(block, CALL_ID_KEYS))


def shorten_name(raw_value: Any) -> str:
    """A string or number as a name of limited length; empty for any other value."""
    if isinstance(raw_value, str):
        return truncate_before_word(raw_value.strip(), MAX_NAME_CHARS)
    return "" if parse_number(raw_value) is None else str(raw_value)[:MAX_NAME_CHARS]


def parse_integer(raw_value: Any) -> int | None:
    """A whole number, however it is written; None for anything else."""
    if isinstance(raw_value, str) and len(raw_value) < 10 and raw_value.strip().removeprefix("-").isdecimal():
        return int(raw_value)
    if isinstance(raw_value, float) and raw_value.is_integer():
        return int(raw_value)
    return raw_value if isinstance(raw_value, int) and not isinstance(raw_value, bool) else None


def parse_number(raw_value: Any) -> float | None:
    """A number; None for any other value, also a bool."""
    return raw_value if isinstance(raw_value, int | float) and not isinstance(raw_value, bool) else None


def object_or_empty(raw_value: Any) -> Fields:
    """A JSON object; an empty one for any other value."""
    return raw_value if isinstance(raw_value, dict) else {}


def list_objects(raw_value: Any) -> list[Fields]:
    """The objects in a JSON array; none for any other value."""
    return [item for item in raw_value if isinstance(item, dict)] if isinstance(raw_value, list) else []


def _block_type(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else ""
    return kind if isinstance(kind, str) else ""


def _first_present_value(block: Fields, field_names: tuple[str, ...]) -> Any:
    return next((block[name] for name in field_names if block.get(name) is not None), None)


def _first_parsed(
    blocks: tuple[Fields, ...], field_names: tuple[str, ...], parse: Callable[[Any], Parsed | None]
) -> Parsed | None:
    values = (parse(_first_present_value(block, field_names)) for block in blocks)
    return next((value for value in values if value is not None), None)


MAX_PENDING_CALLS = 512
MAX_PENDING_BYTES = 4_000_000  # of their arguments


class PendingCall(Struct):
    """A call without a result, the fields of its event, its position, and how long its arguments are."""

    call: ToolCall
    fields: Fields
    position: StreamPosition
    size: int


class CallPairing:
    """Calls that wait for their results; of too many the oldest becomes an event without one."""

    def __init__(self) -> None:
        self._pending: dict[str, PendingCall] = {}
        self._size = 0

    def add_call(self, call: ToolCall, fields: Fields, position: StreamPosition) -> list[EventDraft]:
        """Store a call, and return the events of calls that will get no result."""
        call.arguments = truncate_json(call.arguments)
        pending = PendingCall(call, fields, position, len(msgspec.json.encode(call.arguments)))
        if not call.id:
            return [build_unanswered_event(pending)]
        drafts = [build_unanswered_event(self._pop_call(call.id))] if call.id in self._pending else []
        self._pending[call.id] = pending
        self._size += pending.size
        while len(self._pending) > MAX_PENDING_CALLS or self._size > MAX_PENDING_BYTES:
            drafts.append(build_unanswered_event(self._pop_call(next(iter(self._pending)))))
        return drafts

    def pair_result(self, result: ToolResult, fields: Fields) -> EventDraft:
        """The event of a result, with the arguments of its call if that was seen."""
        call = self._pop_call(result.id).call if result.id in self._pending else None
        return build_tool_event(call, result, fields)

    def flush(self) -> list[EventDraft]:
        """The events of the calls that still have no result, in order."""
        return [build_unanswered_event(self._pop_call(name)) for name in list(self._pending)]

    def _pop_call(self, name: str) -> PendingCall:
        pending = self._pending.pop(name)
        self._size -= pending.size
        return pending


def build_tool_event(call: ToolCall | None, result: ToolResult, fields: Fields) -> EventDraft:
    """The event of a tool's result; `fields` are the other fields of the event."""
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
    detail = {name: value for name, value in detail.items() if name == "exit_code" or value not in (None, "")}
    event = {**fields, "type": "tool_result", "actor": "tool", "text": text, "detail": detail}
    return EventDraft(event, (result.id,) if result.id else (), is_dated="ts" in fields)


def build_unanswered_event(pending_call: PendingCall) -> EventDraft:
    """The event of a call whose result never came."""
    call = pending_call.call
    result = ToolResult(call.id, call.tool, f"{call.tool or 'tool'}: (no result)")
    draft = build_tool_event(call, result, pending_call.fields)
    draft.position = pending_call.position
    return draft
