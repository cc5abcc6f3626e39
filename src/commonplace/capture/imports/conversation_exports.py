"""Reads the data exports of ChatGPT and Claude: JSON arrays of conversations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Raw, Struct

from commonplace.capture.imports import events, streams
from commonplace.capture.imports import message_content as msg
from commonplace.capture.imports.keyed_events import EventKeys

MAX_FIELD_BYTES = 4096
MAX_CONVERSATION_VALUES = 1_000_000  # of one conversation: each takes room
NULL = Raw(b"null")
CHATGPT_ACTORS = {"user": "owner", "assistant": "agent"}
CLAUDE_ACTORS = {"human": "owner", "user": "owner", "assistant": "agent"}
SHOWN_CONTENT_TYPES = ("text", "multimodal_text", "code", "execution_output", "tether_quote", "system_error", "")


class ChatGptNode(Struct):
    """One node in the tree of a conversation."""

    parent: Raw = NULL
    message: Raw = NULL


class ChatGptConversation(Struct):
    """The fields that are read of a conversation; its messages stay raw until each is read."""

    mapping: dict[str, Raw]
    conversation_id: Raw = NULL
    id: Raw = NULL
    title: Raw = NULL
    current_node: Raw = NULL

    def shared_fields(self) -> events.Fields:
        """The fields of every event of the conversation."""
        session = _decode_name(self.conversation_id) or _decode_name(self.id)
        return _conversation_fields("chatgpt", session, _decode_name(self.title))

    def raw_messages(self) -> Iterator[tuple[str, Raw]]:
        """The messages from the root to the current node, else to the last of the file, each with a fallback id."""
        name = _decode_short_field(self.current_node)
        if not isinstance(name, str) or name not in self.mapping:
            name = next(reversed(self.mapping), None)
        seen: set[str] = set()
        branch: list[ChatGptNode] = []
        while isinstance(name, str) and name in self.mapping and name not in seen:
            seen.add(name)
            node = streams.decode_json_strictly(bytes(self.mapping[name]), ChatGptNode)
            if isinstance(node, events.ParseFailure):
                break
            branch.append(node)
            name = _decode_short_field(node.parent)
        for at, node in enumerate(reversed(branch)):
            yield _decode_name(node.parent) or f"#{at}", node.message

    def read_message(
        self, message: events.Fields, fields: events.Fields, fallback_id: str, pairing: msg.CallPairing, *, owner: str
    ) -> list[events.EventDraft]:
        """The events of a message; `fallback_id` names its parent."""
        if msg.object_or_empty(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
            return []
        author = msg.object_or_empty(message.get("author"))
        role, own = msg.shorten_name(author.get("role")), msg.shorten_name(message.get("id"))
        msg.set_event_time(fields, message.get("create_time"))
        text = _join_content_parts(msg.object_or_empty(message.get("content")))
        if role == "tool":
            tool = msg.shorten_name(author.get("name"))
            return [pairing.pair_result(_read_tool_message(message, fallback_id, tool, text), fields)]
        if role not in CHATGPT_ACTORS or not text.strip():
            return []
        recipient = msg.shorten_name(message.get("recipient"))
        if role == "assistant" and recipient not in ("", "all"):
            return pairing.add_call(
                msg.ToolCall(own, recipient, streams.decode_embedded_json(text)), fields, events.StreamPosition(0, 0)
            )
        if role == "user" and owner:
            fields["detail"]["speaker"] = owner
        event = {**fields, "type": "message", "actor": CHATGPT_ACTORS[role], "text": text}
        return [events.EventDraft(event, (own or f"below {fallback_id}",), "ts" in fields)]


class ClaudeConversation(Struct):
    """The fields that are read of a conversation; its messages stay raw until each is read."""

    chat_messages: list[Raw]
    uuid: Raw = NULL
    name: Raw = NULL

    def shared_fields(self) -> events.Fields:
        """The fields of every event of the conversation."""
        return _conversation_fields("claude", _decode_name(self.uuid), _decode_name(self.name))

    def raw_messages(self) -> Iterator[tuple[str, Raw]]:
        """The messages in order, each with a fallback id."""
        return ((f"#{at}", raw) for at, raw in enumerate(self.chat_messages))

    def read_message(
        self, message: events.Fields, fields: events.Fields, fallback_id: str, pairing: msg.CallPairing, *, owner: str
    ) -> list[events.EventDraft]:
        """The events of a message: its text, its attachments, its calls and results."""
        actor = CLAUDE_ACTORS.get(msg.shorten_name(message.get("sender")))
        if not actor:
            return []
        own = msg.shorten_name(message.get("uuid")) or fallback_id
        msg.set_event_time(fields, message.get("created_at"))
        content = msg.parse_message_content(message.get("content"))
        if not content.text.strip() and not content.calls and not content.results:
            content.text = msg.extract_text(message.get("text"))  # exports of earlier years have no blocks
        drafts: list[events.EventDraft] = []
        if content.text.strip():
            detail = {**fields["detail"], **({"speaker": owner} if actor == "owner" and owner else {})}
            event = {**fields, "type": "message", "actor": actor, "text": content.text, "detail": detail}
            drafts.append(events.EventDraft(event, (own,), "ts" in fields))
        drafts += _read_attachments(message, fields, own)
        for call in content.calls:
            drafts += pairing.add_call(call, fields, events.StreamPosition(0, 0))
        return drafts + [pairing.pair_result(result, fields) for result in content.results]


Conversation = ChatGptConversation | ClaudeConversation


def read_conversations(
    byte_stream: streams.ByteStream, shape: type[Conversation], event_keys: EventKeys, *, owner: str
) -> Iterator[events.StreamItem]:
    """The events of each conversation of an export, in order; their actors are trusted if the owner is named."""
    if byte_stream.encoding != "utf-8":
        sample = streams.sample_text(byte_stream.head_text.encode())
        yield events.SetAside(0, 1, "an export in UTF-16; save it as UTF-8", sample)
        return
    for element in streams.ElementReader(byte_stream):
        conversation = _decode_conversation(element, shape)
        offset, line = element.position.offset, element.position.line
        if isinstance(conversation, events.ParseFailure):
            yield events.SetAside(offset, line, conversation.reason, streams.sample_text(element.data))
            continue
        items = _read_messages(conversation, owner)
        if not items:
            yield events.Blank(offset, line, "a conversation without a message")
        drafts = [item for item in items if isinstance(item, events.EventDraft)]
        yield from event_keys.build_events(drafts, element.data, element.position, is_actor_trusted=bool(owner))
        yield from (events.SetAside(offset, line, one.reason) for one in items if isinstance(one, events.ParseFailure))


def _decode_conversation(
    element: streams.ArrayElement, shape: type[Conversation]
) -> Conversation | events.ParseFailure:
    if fault := element.find_fault("a conversation"):
        return fault
    if element.data.count(b",") > MAX_CONVERSATION_VALUES:
        return events.ParseFailure(f"a conversation of more than {MAX_CONVERSATION_VALUES} values")
    if not element.data.startswith(b"{"):
        value = streams.decode_json_strictly(element.data[:MAX_FIELD_BYTES])
        is_fault = isinstance(value, events.ParseFailure)
        return value if is_fault else events.ParseFailure(streams.explain_non_object(value))
    conversation: Conversation | events.ParseFailure = streams.decode_json_strictly(element.data, shape)
    if isinstance(conversation, events.ParseFailure):
        return events.ParseFailure(f"no conversation: {conversation.reason}")
    return conversation


def _read_messages(conversation: Conversation, owner: str) -> list[events.EventDraft | events.ParseFailure]:
    """The events of a conversation and why its other messages are none; calls without a result come last."""
    pairing, shared = msg.CallPairing(), conversation.shared_fields()
    items: list[events.EventDraft | events.ParseFailure] = []
    for fallback_id, raw in conversation.raw_messages():
        data = bytes(raw)
        if len(data) > streams.MAX_LINE_BYTES:
            items.append(events.ParseFailure(f"a message of {len(data)} bytes, more than {streams.MAX_LINE_BYTES}"))
            continue
        message = streams.decode_json_strictly(data)
        if isinstance(message, dict):
            fields = {**shared, "detail": dict(shared["detail"])}
            items += conversation.read_message(message, fields, fallback_id, pairing, owner=owner)
        elif isinstance(message, events.ParseFailure):
            items.append(message)
    return [*items, *pairing.flush()]


def _conversation_fields(agent: str, session: str, title: str) -> events.Fields:
    return {"session": session, "agent": agent, "detail": {"title": title} if title else {}}


def _decode_short_field(raw: Raw) -> Any:
    """A value beside the messages; None for what is too long for a name."""
    return streams.decode_json_strictly(bytes(raw)) if len(bytes(raw)) < MAX_FIELD_BYTES else None


def _decode_name(raw: Raw) -> str:
    return msg.shorten_name(_decode_short_field(raw))


def _join_content_parts(content: events.Fields) -> str:
    """The text of a message, without thoughts and the user's standing instructions."""
    if msg.shorten_name(content.get("content_type")) not in SHOWN_CONTENT_TYPES:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        parts = [content.get(word) for word in ("text", "result") if content.get(word)][:1]
    kinds = [msg.shorten_name(msg.object_or_empty(part).get("content_type")) for part in parts]
    images = (msg.IMAGE_PLACEHOLDER if kind.startswith("image") else "" for kind in kinds)
    return msg.join_texts([msg.extract_text(part) or image for part, image in zip(parts, images, strict=True)])


def _read_tool_message(message: events.Fields, call_id: str, tool: str, text: str) -> msg.ToolResult:
    """A tool's result, below the message that called it."""
    run = msg.object_or_empty(msg.object_or_empty(message.get("metadata")).get("aggregate_result"))
    status = msg.shorten_name(run.get("status"))
    code = None if not status else 0 if status == "success" else 1
    start, end = msg.parse_number(run.get("start_time")), msg.parse_number(run.get("end_time"))
    duration = round((end - start) * 1000) if start is not None and end is not None else None
    return msg.ToolResult(call_id, tool, text, code, duration)


def _read_attachments(message: events.Fields, fields: events.Fields, message_id: str) -> list[events.EventDraft]:
    """The text of attached files, as notes of a tool."""
    attachments = message.get("attachments")
    drafts = []
    for number, file in enumerate(attachments if isinstance(attachments, list) else ()):
        text = msg.extract_text(file.get("extracted_content")) if isinstance(file, dict) else ""
        if text.strip():
            detail = {**fields["detail"], "file": msg.shorten_name(file.get("file_name"))}
            event = {**fields, "type": "note", "actor": "tool", "text": text, "detail": detail}
            drafts.append(events.EventDraft(event, (f"{message_id}/{number}",), "ts" in fields))
    return drafts
