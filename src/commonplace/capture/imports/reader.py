"""Reads a transcript: detects its format and passes the stream to the reader of that format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from commonplace.capture.imports.events import StreamItem, StreamSource

if TYPE_CHECKING:
    from commonplace.capture.imports.keyed_events import EventKeys, ObjectReader
    from commonplace.capture.imports.streams import ByteStream
    from commonplace.model import TranscriptFormat


def read_transcript(
    stream: BinaryIO,
    *,
    source: StreamSource,
    format: TranscriptFormat = "auto",  # noqa: A002 - the word of the command
    owner: str = "",
) -> Iterator[StreamItem]:
    """The events of a transcript in order, with what is none of them; never raises for what a stream holds.

    `auto` tells the format by the first kilobytes. `owner` is the name by which the owner goes in an export or a chat
    log, whose speakers are not believed without it. A line, or a conversation of an export, is held at a time.
    """
    from commonplace.capture.imports.format_detection import detect_format
    from commonplace.capture.imports.keyed_events import EventKeys
    from commonplace.capture.imports.streams import ByteStream

    found = ByteStream(stream)
    told = detect_format(found.head_text) if format == "auto" else format
    keys = EventKeys(told, source)
    owner = owner.strip()
    if told == "chatgpt" or told == "claude":
        yield from _read_export(found, told, owner, keys)
    elif told == "chat":
        yield from _read_chat_log(found, owner, keys)
    else:
        yield from _read_object_lines(found, told, owner, keys)


def _read_export(
    byte_stream: ByteStream, transcript_format: TranscriptFormat, owner: str, event_keys: EventKeys
) -> Iterator[StreamItem]:
    from commonplace.capture.imports.conversation_exports import read_conversations

    if transcript_format == "chatgpt":
        from commonplace.capture.imports import conversation_exports

        read = conversation_exports.ChatGptExport(owner).read_conversation
    else:
        from commonplace.capture.imports import conversation_exports

        read = conversation_exports.ClaudeExport(owner).read_conversation
    return read_conversations(byte_stream, read, event_keys, is_actor_trusted=bool(owner))


def _read_chat_log(byte_stream: ByteStream, owner: str, event_keys: EventKeys) -> Iterator[StreamItem]:
    from commonplace.capture.imports.chat_log import ChatLogReader, detect_stamp_layout
    from commonplace.capture.imports.streams import LineReader

    return ChatLogReader(detect_stamp_layout(byte_stream.head_text), event_keys, owner).read_items(
        LineReader(byte_stream, event_keys.skip_bytes)
    )


def _read_object_lines(
    byte_stream: ByteStream, transcript_format: TranscriptFormat, owner: str, event_keys: EventKeys
) -> Iterator[StreamItem]:
    from commonplace.capture.imports.keyed_events import read_json_lines
    from commonplace.capture.imports.streams import LineReader

    return read_json_lines(
        LineReader(byte_stream, event_keys.skip_bytes), _make_object_reader(transcript_format, owner), event_keys
    )


def _make_object_reader(transcript_format: TranscriptFormat, owner: str) -> ObjectReader:
    """The format, of those in which each line is an object."""
    if transcript_format == "openclaw":
        from commonplace.capture.imports import openclaw

        return openclaw.OpenClawTranscript(owner)
    if transcript_format == "openclaw-mem":
        from commonplace.capture.imports import json_lines

        return json_lines.ObservationReader()
    if transcript_format == "claude-code":
        from commonplace.capture.imports import claude_code

        return claude_code.ClaudeCodeTranscript(owner)
    from commonplace.capture.imports.json_lines import CaptureLineReader

    return CaptureLineReader(owner)
