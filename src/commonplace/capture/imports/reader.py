"""Reads a transcript: detects its format and passes the stream to the reader of that format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

from commonplace.capture.imports import conversation_exports as exports
from commonplace.capture.imports.chat_log import ChatLogReader, detect_stamp_layout, parse_stamp
from commonplace.capture.imports.claude_code import ClaudeCodeTranscript
from commonplace.capture.imports.events import Fields, StreamItem, StreamSource
from commonplace.capture.imports.json_lines import CaptureLineReader, ObservationReader
from commonplace.capture.imports.keyed_events import EventKeys, ObjectReader, read_json_lines
from commonplace.capture.imports.openclaw import OpenClawTranscript
from commonplace.capture.imports.streams import ByteStream, LineReader
from commonplace.model import TranscriptFormat

MAX_SAMPLED_LINES = 50
CLAUDE_CODE_ENTRY_TYPES = ("summary", "file-history-snapshot", "queue-operation", "progress", "system", "attachment")
MIN_UNTIMED_SPEAKERS, MAX_UNTIMED_SPEAKERS = 2, 8  # in a chat whose messages begin with no time
OBJECT_READERS: dict[TranscriptFormat, Callable[[str], ObjectReader]] = {  # by format: of the name of the owner
    "openclaw": OpenClawTranscript,
    "openclaw-mem": lambda _owner: ObservationReader(),
    "claude-code": ClaudeCodeTranscript,
    "jsonl": CaptureLineReader,
    "auto": CaptureLineReader,
}
EXPORT_START = r'"(?:(mapping)"\s*:\s*\{|(chat_messages)"\s*:\s*\[)'


def read_transcript(
    stream: BinaryIO,
    *,
    source: StreamSource,
    format: TranscriptFormat = "auto",  # noqa: A002 - the word of the command
    owner: str = "",
) -> Iterator[StreamItem]:
    """The events of a transcript in order, and the lines that are not events; never raises because of the content.

    `auto` detects the format from the first kilobytes. `owner` is the owner's name in an export or a chat log, whose
    speakers are not trusted without it. A line, or a conversation of an export, is held at a time.
    """
    byte_stream, owner = ByteStream(stream), owner.strip()
    detected = detect_format(byte_stream.head_text) if format == "auto" else format
    keys = EventKeys(detected, source)
    lines = LineReader(byte_stream, keys.skip_bytes)
    if detected in ("chatgpt", "claude"):
        shape = exports.ChatGptConversation if detected == "chatgpt" else exports.ClaudeConversation
        yield from exports.read_conversations(byte_stream, shape, keys, owner=owner)
    elif detected == "chat":
        yield from ChatLogReader(detect_stamp_layout(byte_stream.head_text), keys, owner).read_items(lines)
    else:
        yield from read_json_lines(lines, OBJECT_READERS[detected](owner), keys)


def detect_format(beginning: str) -> TranscriptFormat:
    """The format of a stream by its beginning; `jsonl` if it is none of the others."""
    text = beginning.lstrip()
    if text[:1] in ("[", "{") and (export := re.search(EXPORT_START, text)):
        first = _decode_object_or_none(text.partition("\n")[0]) if text[0] == "{" else None
        if first is None or {"mapping", "chat_messages"} & first.keys():
            return "chatgpt" if export[1] == "mapping" else "claude"
    lines = [line for line in text.split("\n")[:MAX_SAMPLED_LINES] if line.strip()]
    objects = [_decode_object_or_none(line) for line in lines if line.lstrip()[:1] == "{"]
    votes = [_classify_json_object(one) for one in objects if one is not None]
    if votes:
        return max(dict.fromkeys(votes), key=votes.count)
    if text[:1] == "{" and "\n" not in text:  # a line so long that its end is not in sight
        return _classify_by_keys(set(re.findall(r'"(\w+)"\s*:', text)))
    return "chat" if text[:1] not in ("[{") and _is_chat_log(lines) else "jsonl"


def _classify_json_object(source_object: Fields) -> TranscriptFormat:
    """The format of one object."""
    kind, message = source_object.get("type"), source_object.get("message")
    if isinstance(message, dict) and kind in ("user", "assistant"):
        return "claude-code"
    if kind in CLAUDE_CODE_ENTRY_TYPES and ("sessionId" in source_object or "leafUuid" in source_object):
        return "claude-code"
    if "event_id" in source_object and "ts_ms" in source_object:
        return "openclaw-mem"
    if _is_openclaw_object(source_object):
        return "openclaw"
    is_summary = "summary" in source_object and "text" not in source_object
    if is_summary and {"kind", "tool_name", "detail_json"} & source_object.keys():
        return "openclaw-mem"
    return "jsonl"


def _classify_by_keys(key_names: set[str]) -> TranscriptFormat:
    """The format of an object by its first keys, inner ones among them."""
    if "actor" in key_names:
        return "jsonl"
    if "parentUuid" in key_names or {"sessionId", "uuid"} <= key_names:
        return "claude-code"
    if {"event_id", "ts_ms"} <= key_names:
        return "openclaw-mem"
    return "openclaw" if "toolName" in key_names or {"role", "content"} <= key_names else "jsonl"


def _is_openclaw_object(source_object: Fields) -> bool:
    event = source_object.get("event")
    if isinstance(event, dict):
        source_object = event
    message, messages = source_object.get("message"), source_object.get("messages")
    if "text" not in source_object and (
        (source_object.get("type") == "session" and "id" in source_object)
        or (isinstance(message, dict) and "role" in message)
        or ("role" in source_object and "content" in source_object)
    ):
        return True
    if isinstance(messages, list) and messages and isinstance(messages[0], dict) and "role" in messages[0]:
        return True
    return "toolName" in source_object and bool({"params", "result", "error"} & source_object.keys())


def _is_chat_log(lines: list[str]) -> bool:
    """Whether at least half of the lines begin a message; without times, few speakers must take turns."""
    layout = detect_stamp_layout("\n".join(lines))
    stamps = [stamp for line in lines if (stamp := parse_stamp(line, layout))]
    if 2 * len(stamps) < len(lines) or not stamps:
        return False
    return layout.has_times or MIN_UNTIMED_SPEAKERS <= len({stamp.speaker for stamp in stamps}) <= MAX_UNTIMED_SPEAKERS


def _decode_object_or_none(line: str) -> Fields | None:
    try:
        found = msgspec.json.decode(line.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
