"""Reads a transcript: detects its format and passes the stream to the reader of that format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from commonplace.capture.imports.events import StreamItem, StreamSource

if TYPE_CHECKING:
    from commonplace.capture.imports.keyed_events import ObjectReader
    from commonplace.model import TranscriptFormat


def read_transcript(
    stream: BinaryIO,
    *,
    source: StreamSource,
    format: TranscriptFormat = "auto",  # noqa: A002 - the word of the command
    owner: str = "",
) -> Iterator[StreamItem]:
    """The events of a transcript in order, with what is none of them; never raises for what a stream holds.

    `auto` detects the format from the first kilobytes. `owner` is the owner's name in an export or a chat log, whose
    speakers are not trusted without it. A line, or a conversation of an export, is held at a time.
    """
    from commonplace.capture.imports.format_detection import detect_format
    from commonplace.capture.imports.keyed_events import EventKeys, read_json_lines
    from commonplace.capture.imports.streams import ByteStream, LineReader

    byte_stream, owner = ByteStream(stream), owner.strip()
    if format == "auto":
        format = detect_format(byte_stream.head_text)  # noqa: A001
    keys = EventKeys(format, source)
    lines = LineReader(byte_stream, keys.skip_bytes)
    if format in ("chatgpt", "claude"):
        from commonplace.capture.imports import conversation_exports as exports

        shape = exports.ChatGptConversation if format == "chatgpt" else exports.ClaudeConversation
        yield from exports.read_conversations(byte_stream, shape, keys, owner=owner)
    elif format == "chat":
        from commonplace.capture.imports.chat_log import ChatLogReader, detect_stamp_layout

        yield from ChatLogReader(detect_stamp_layout(byte_stream.head_text), keys, owner).read_items(lines)
    else:
        yield from read_json_lines(lines, _make_object_reader(format, owner), keys)


def _make_object_reader(transcript_format: TranscriptFormat, owner: str) -> ObjectReader:
    """The reader of a format in which each line is an object."""
    if transcript_format == "openclaw":
        from commonplace.capture.imports.openclaw import OpenClawTranscript

        return OpenClawTranscript(owner)
    if transcript_format == "claude-code":
        from commonplace.capture.imports.claude_code import ClaudeCodeTranscript

        return ClaudeCodeTranscript(owner)
    from commonplace.capture.imports.json_lines import CaptureLineReader, ObservationReader

    return ObservationReader() if transcript_format == "openclaw-mem" else CaptureLineReader(owner)
