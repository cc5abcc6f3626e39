"""Reads a transcript: detects its format and passes the stream to the reader of that format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, assert_never

from commonplace.capture.imports.events import StreamItem, StreamSource

if TYPE_CHECKING:
    from commonplace.model import TranscriptFormat


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
    from commonplace.capture.imports.format_detection import detect_format
    from commonplace.capture.imports.keyed_events import EventKeys, read_json_lines
    from commonplace.capture.imports.streams import ByteStream, LineReader

    byte_stream, owner = ByteStream(stream), owner.strip()
    detected = detect_format(byte_stream.head_text) if format == "auto" else format
    keys = EventKeys(detected, source)
    lines = LineReader(byte_stream, keys.skip_bytes)
    match detected:
        case "chatgpt" | "claude":
            from commonplace.capture.imports import conversation_exports as exports

            shape = exports.ChatGptConversation if detected == "chatgpt" else exports.ClaudeConversation
            yield from exports.read_conversations(byte_stream, shape, keys, owner=owner)
        case "chat":
            from commonplace.capture.imports.chat_log import ChatLogReader, detect_stamp_layout

            yield from ChatLogReader(detect_stamp_layout(byte_stream.head_text), keys, owner).read_items(lines)
        case "openclaw":
            from commonplace.capture.imports.openclaw import OpenClawTranscript

            yield from read_json_lines(lines, OpenClawTranscript(owner), keys)
        case "openclaw-mem":
            from commonplace.capture.imports.json_lines import ObservationReader

            yield from read_json_lines(lines, ObservationReader(), keys)
        case "claude-code":
            from commonplace.capture.imports.claude_code import ClaudeCodeTranscript

            yield from read_json_lines(lines, ClaudeCodeTranscript(owner), keys)
        case "jsonl" | "auto":
            from commonplace.capture.imports.json_lines import CaptureLineReader

            yield from read_json_lines(lines, CaptureLineReader(owner), keys)
        case _:
            assert_never(detected)
