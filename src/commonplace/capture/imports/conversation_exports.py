"""Reads the data exports of ChatGPT and Claude: JSON arrays of conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Raw, Struct

from commonplace.capture.imports.events import (
    Blank,
    EventDraft,
    Fields,
    ParseFailure,
    SetAside,
    StreamItem,
    StreamPosition,
    build_event,
)
from commonplace.capture.imports.keyed_events import EventKeys
from commonplace.capture.imports.message_content import (
    IMAGE_PLACEHOLDER,
    CallPairing,
    MessageContent,
    ToolCall,
    ToolResult,
    extract_text,
    join_texts,
    parse_message_content,
    parse_number,
    set_event_time,
    shorten_name,
)
from commonplace.capture.imports.streams import (
    MAX_ELEMENT_BYTES,
    MAX_LINE_BYTES,
    TRUNCATED,
    ArrayElement,
    ByteStream,
    ElementReader,
    decode_embedded_json,
    decode_json_strictly,
    explain_non_object,
    sample_text,
)

ConversationReader = Callable[[bytes, CallPairing], "list[EventDraft | ParseFailure] | ParseFailure"]
MAX_FIELD_BYTES = 4096
MAX_CONVERSATION_VALUES = 1_000_000  # of one conversation: each takes room
NO_MESSAGE = "a conversation without a message"


def read_conversations(
    byte_stream: ByteStream, read_conversation: ConversationReader, event_keys: EventKeys, *, is_actor_trusted: bool
) -> Iterator[StreamItem]:
    """The events of each conversation of an export, in order; `read_conversation` tells of one."""
    if byte_stream.encoding != "utf-8":
        yield SetAside(0, 1, "an export in UTF-16; save it as UTF-8", sample_text(byte_stream.head_text.encode()))
        return
    for element in ElementReader(byte_stream):
        found = _read_conversation_element(element, read_conversation)
        offset, line = element.position.offset, element.position.line
        if isinstance(found, ParseFailure):
            yield SetAside(offset, line, found.reason, sample_text(element.data))
        elif not found:
            yield Blank(offset, line, NO_MESSAGE)
        else:
            told = [one for one in found if isinstance(one, EventDraft)]
            for one, known in zip(told, event_keys.keys_for_drafts(told, element.data), strict=True):
                yield build_event(one, element.position, known, is_actor_trusted=is_actor_trusted)
            yield from (SetAside(offset, line, one.reason) for one in found if isinstance(one, ParseFailure))


def decode_message(raw: Raw) -> Any:
    """One message of a conversation, decoded if it is of reasonable size."""
    data = bytes(raw)
    if len(data) > MAX_LINE_BYTES:
        return ParseFailure(f"a message of {len(data)} bytes, more than {MAX_LINE_BYTES}")
    return decode_json_strictly(data)


def decode_short_field(raw: Raw) -> Any:
    """A value beside the messages; None for what is as long as no name is."""
    return decode_json_strictly(bytes(raw)) if len(bytes(raw)) < MAX_FIELD_BYTES else None


def _read_conversation_element(
    element: ArrayElement, read_conversation: ConversationReader
) -> list[EventDraft | ParseFailure] | ParseFailure:
    if element.oversize_bytes:
        return ParseFailure(f"a conversation of {element.oversize_bytes} bytes, more than {MAX_ELEMENT_BYTES}")
    if not element.is_complete:
        return ParseFailure(TRUNCATED)
    if element.data.count(b",") > MAX_CONVERSATION_VALUES:
        return ParseFailure(f"a conversation of more than {MAX_CONVERSATION_VALUES} values")
    if not element.data.startswith(b"{"):
        value = decode_json_strictly(element.data[:MAX_FIELD_BYTES])
        return value if isinstance(value, ParseFailure) else ParseFailure(explain_non_object(value))
    calls = CallPairing()
    found = read_conversation(element.data, calls)
    return found if isinstance(found, ParseFailure) else [*found, *calls.flush()]


CHATGPT_AGENT = "chatgpt"
RAW_NULL = Raw(b"null")
CHATGPT_ACTORS = {"user": "owner", "assistant": "agent"}
SHOWN_CONTENT_TYPES = frozenset(
    {"text", "multimodal_text", "code", "execution_output", "tether_quote", "system_error", ""}
)


class ChatGptConversation(Struct):
    """What is read of a conversation; what is large in it stays raw until it is told."""

    mapping: dict[str, Raw]
    conversation_id: Raw = RAW_NULL
    id: Raw = RAW_NULL
    title: Raw = RAW_NULL
    current_node: Raw = RAW_NULL


class ConversationNode(Struct):
    """One place in the tree."""

    parent: Raw = RAW_NULL
    message: Raw = RAW_NULL


class ChatGptExport:
    """The format `chatgpt`; `owner` is the name of the one who asked, if it is the owner."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner

    def read_conversation(self, data: bytes, pairing: CallPairing) -> list[EventDraft | ParseFailure] | ParseFailure:
        """The messages of one conversation."""
        found = decode_json_strictly(data, ChatGptConversation)
        if not isinstance(found, ChatGptConversation):
            return ParseFailure(f"no conversation: {found.reason}")
        session = shorten_name(decode_short_field(found.conversation_id)) or shorten_name(decode_short_field(found.id))
        title = shorten_name(decode_short_field(found.title))
        told: list[EventDraft | ParseFailure] = []
        for at, node in enumerate(_trace_shown_branch(found)):
            message = decode_message(node.message)
            if isinstance(message, dict) and not _is_visually_hidden(message):
                fields = {"session": session, "agent": CHATGPT_AGENT, "detail": {"title": title} if title else {}}
                told += self._read_message(
                    message, fields, shorten_name(decode_short_field(node.parent)) or f"#{at}", pairing
                )
            elif isinstance(message, ParseFailure):
                told.append(message)
        return told

    def _read_message(self, message: Fields, fields: Fields, parent: str, pairing: CallPairing) -> list[EventDraft]:
        author = _object_or_empty(message.get("author"))
        role, own = shorten_name(author.get("role")), shorten_name(message.get("id"))
        set_event_time(fields, message.get("create_time"))
        text = _join_content_parts(_object_or_empty(message.get("content")))
        if role == "tool":
            return [
                pairing.pair_result(_read_tool_message(message, parent, shorten_name(author.get("name")), text), fields)
            ]
        if role not in CHATGPT_ACTORS or not text.strip():
            return []
        recipient = shorten_name(message.get("recipient"))
        if role == "assistant" and recipient not in ("", "all"):
            return pairing.add_call(ToolCall(own, recipient, decode_embedded_json(text)), fields, StreamPosition(0, 0))
        if role == "user" and self._owner:
            fields["detail"]["speaker"] = self._owner
        event = {**fields, "type": "message", "actor": CHATGPT_ACTORS[role], "text": text}
        return [EventDraft(event, (own or f"below {parent}",), "ts" in fields)]


def _trace_shown_branch(conversation: ChatGptConversation) -> list[ConversationNode]:
    """From the root to the message that is shown last; without one, to the last of the file."""
    name = decode_short_field(conversation.current_node)
    if not isinstance(name, str) or name not in conversation.mapping:
        name = next(reversed(conversation.mapping), None)
    seen: set[str] = set()
    branch: list[ConversationNode] = []
    while isinstance(name, str) and name in conversation.mapping and name not in seen:
        seen.add(name)
        node = decode_json_strictly(bytes(conversation.mapping[name]), ConversationNode)
        if isinstance(node, ParseFailure):
            break
        branch.append(node)
        name = decode_short_field(node.parent)
    return branch[::-1]


def _is_visually_hidden(message: Fields) -> bool:
    metadata = _object_or_empty(message.get("metadata"))
    return metadata.get("is_visually_hidden_from_conversation") is True


def _join_content_parts(content: Fields) -> str:
    """The text of a message; thoughts and the user's standing instructions are none."""
    if shorten_name(content.get("content_type")) not in SHOWN_CONTENT_TYPES:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        parts = [content.get(word) for word in ("text", "result") if content.get(word)][:1]
    return join_texts([_extract_part_text(part) for part in parts])


def _extract_part_text(part: Any) -> str:
    if isinstance(part, dict):
        kind = shorten_name(part.get("content_type"))
        text = part.get("text")
        return text if isinstance(text, str) else IMAGE_PLACEHOLDER if kind.startswith("image") else ""
    return part if isinstance(part, str) else ""


def _read_tool_message(message: Fields, call_id: str, tool: str, text: str) -> ToolResult:
    """What a tool came back with, below the message that called it."""
    run = _object_or_empty(_object_or_empty(message.get("metadata")).get("aggregate_result"))
    status = shorten_name(run.get("status"))
    code = None if not status else 0 if status == "success" else 1
    start, end = parse_number(run.get("start_time")), parse_number(run.get("end_time"))
    duration = round((end - start) * 1000) if start is not None and end is not None else None
    return ToolResult(call_id, tool, text, code, duration)


def _object_or_empty(raw_value: Any) -> Fields:
    return raw_value if isinstance(raw_value, dict) else {}


CLAUDE_AGENT = "claude"
ABSENT_FIELD = Raw(b"null")
SENDER_ACTORS = {"human": "owner", "user": "owner", "assistant": "agent"}


class ClaudeConversation(Struct):
    """What is read of a conversation; what is large in it stays raw until it is told."""

    chat_messages: list[Raw]
    uuid: Raw = ABSENT_FIELD
    name: Raw = ABSENT_FIELD


class ClaudeExport:
    """The format `claude`; `owner` is the name of the one who asked, if it is the owner."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner

    def read_conversation(self, data: bytes, pairing: CallPairing) -> list[EventDraft | ParseFailure] | ParseFailure:
        """The messages of one conversation."""
        found = decode_json_strictly(data, ClaudeConversation)
        if not isinstance(found, ClaudeConversation):
            return ParseFailure(f"no conversation: {found.reason}")
        session, title = shorten_name(decode_short_field(found.uuid)), shorten_name(decode_short_field(found.name))
        told: list[EventDraft | ParseFailure] = []
        for at, raw in enumerate(found.chat_messages):
            message = decode_message(raw)
            if isinstance(message, dict):
                fields = {"session": session, "agent": CLAUDE_AGENT, "detail": {"title": title} if title else {}}
                told += self._read_message(message, fields, f"#{at}", pairing)
            elif isinstance(message, ParseFailure):
                told.append(message)
        return told

    def _read_message(
        self, message: Fields, fields: Fields, fallback_id: str, pairing: CallPairing
    ) -> list[EventDraft]:
        actor = SENDER_ACTORS.get(shorten_name(message.get("sender")))
        if not actor:
            return []
        own = shorten_name(message.get("uuid")) or fallback_id
        set_event_time(fields, message.get("created_at"))
        said = _read_sender_content(message)
        told: list[EventDraft] = []
        if said.text.strip():
            detail = {**fields["detail"], **({"speaker": self._owner} if actor == "owner" and self._owner else {})}
            event = {**fields, "type": "message", "actor": actor, "text": said.text, "detail": detail}
            told.append(EventDraft(event, (own,), "ts" in fields))
        told += _read_attachments(message, fields, own)
        for call in said.calls:
            told += pairing.add_call(call, fields, StreamPosition(0, 0))
        return told + [pairing.pair_result(result, fields) for result in said.results]


def _read_sender_content(message: Fields) -> MessageContent:
    """The blocks of a message; exports of earlier years have its text alone."""
    said = parse_message_content(message.get("content"))
    if not said.text.strip() and not said.calls and not said.results:
        said.text = extract_text(message.get("text"))
    return said


def _read_attachments(message: Fields, fields: Fields, message_id: str) -> list[EventDraft]:
    """The text of files that were attached: not what the user said."""
    files = message.get("attachments")
    told = []
    for number, file in enumerate(files if isinstance(files, list) else ()):
        text = extract_text(file.get("extracted_content")) if isinstance(file, dict) else ""
        if text.strip():
            detail = {**fields["detail"], "file": shorten_name(file.get("file_name"))}
            event = {**fields, "type": "note", "actor": "tool", "text": text, "detail": detail}
            told.append(EventDraft(event, (f"{message_id}/{number}",), "ts" in fields))
    return told
