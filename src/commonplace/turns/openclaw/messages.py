"""Prepares the messages of OpenClaw hooks for capture, and notes tool calls in conversations that are not captured."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.capture.imports import TOOL_CALL_TYPES, TOOL_ROLES, parse_message_content, shorten_name
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.turns.openclaw.conversation import classify_provenance, is_stranger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.turns.openclaw.conversation import Conversation, OpenClawOptions
OWN_TOOLS = frozenset({"memory_search", "memory_get"})  # and those with the prefix below
OWN_TOOL_PREFIX = "commonplace_"
INTER_SESSION_PATTERN = re.compile(r"\[Inter-session message\][^\n]{0,2000}\bisUser=false\b")
PERSON_ROLES = ("user", "human")  # roles of what a person writes, or what stands where a person's words would
TOOL_CALL_FIELDS = ("toolName", "params", "toolCallId", "result", "error", "durationMs", "timestamp")

Message = Json


def render_message_lines(event_fields: Message, conversation: Conversation, plugin_options: OpenClawOptions) -> BytesIO:
    """One line a message, as the format `openclaw` reads them; nothing for those that are not to be captured."""
    around, told = _build_message_context(conversation), event_fields.get("messages")
    found = [message for message in told if isinstance(message, dict)] if isinstance(told, list) else []
    now = -1  # where who speaks now speaks: not in a batch that others follow
    if event_fields.get("more") is not True:
        now = max((at for at, message in enumerate(found) if message.get("role") in PERSON_ROLES), default=-1)
    return _encode_message_lines(
        {"messages": [one], **around} for one in _select_captured_messages(found, conversation, plugin_options, now)
    )


def render_tool_call_line(event_fields: Message, conversation: Conversation) -> BytesIO:
    """The line of a tool's call that has just ended; nothing for one of memory's own. It is captured at once and not
    with its turn: what an agent keeps right after it must not have stood there first."""
    if not isinstance(event_fields.get("toolName"), str) or is_own_tool(event_fields["toolName"]):
        return BytesIO()
    told = {name: event_fields[name] for name in TOOL_CALL_FIELDS if name in event_fields}
    return _encode_message_lines(iter([{**told, **_build_message_context(conversation)}]))


def _build_message_context(conversation: Conversation) -> Message:
    """The other metadata of a message, under the host's names."""
    renamed = {"sessionKey": "key", "sessionId": "session", "agentId": "agent"}
    renamed |= {name: name for name in ("channel", "chat", "conversation", "sender")}
    return {name: value for name, field in renamed.items() if (value := getattr(conversation, field))}


def _encode_message_lines(messages: Iterator[Message]) -> BytesIO:
    return BytesIO(b"".join(msgspec.json.encode(one) + b"\n" for one in messages))


def _select_captured_messages(
    messages: list[Message], conversation: Conversation, plugin_options: OpenClawOptions, current_index: int
) -> Iterator[Message]:
    """The messages that may be captured; what was said in a turn that nobody asked for is left out with the turn."""
    passed_over, is_answered = False, conversation.chat == "private" and not is_stranger(conversation, plugin_options)
    for at, message in enumerate(messages):
        if message.get("role") in PERSON_ROLES:
            work, following = _classify_message(message), messages[at + 1] if at + 1 < len(messages) else {}
            passed_over, is_answered = bool(work) and work not in plugin_options.triggers, True
            if work or conversation.turn_kind:  # what begins a turn that nobody asked for is no person's
                outside = {"provenance": None, "inputProvenance": None} if work == "inter_session" else {}
                message = {**message, **outside, "senderIsOwner": False}
            else:
                message = _mark_owner(message, conversation, plugin_options, is_now=at == current_index)
            message = {**message, "followedAt": following.get("timestamp")}
        elif not is_answered and message.get("role") == "assistant":  # to somebody else, before these messages
            message = {**message, "__openclaw": {**_read_message_metadata(message), "turnTainted": True}}
        if not passed_over and (own := _remove_own_calls(message)) is not None:
            yield own


def _classify_message(message: Message) -> str:
    """The kind of work that a message with a person's role starts if no person wrote it; empty if one did."""
    work = classify_provenance(message.get("provenance", message.get("inputProvenance")))
    if not work and INTER_SESSION_PATTERN.search(parse_message_content(message.get("content")).text):
        return "inter_session"
    return work


def _mark_owner(
    message: Message, conversation: Conversation, plugin_options: OpenClawOptions, *, is_now: bool
) -> Message:
    """A user's message with whether it is the owner's: as the settings or the host say; else in private it is, unless
    the sender is known for another, and in a group only the one that is said now (`is_now`) may be."""
    hidden = _read_message_metadata(message)
    sender = message.get("senderId", hidden.get("senderId"))
    said = message.get("senderIsOwner", hidden.get("senderIsOwner"))
    if plugin_options.owners and isinstance(sender, str | int):
        said = str(sender) in plugin_options.owners
    if not isinstance(said, bool):
        is_listed = bool(conversation.sender) and conversation.sender in plugin_options.owners
        is_known, is_private = conversation.is_owner is True or is_listed, conversation.chat == "private"
        said = (is_known or not is_stranger(conversation, plugin_options)) if is_private else (is_known and is_now)
    return {**message, "senderIsOwner": said}


def _read_message_metadata(message: Message) -> Message:
    """The metadata that the host stores in a message."""
    hidden = message.get("__openclaw")
    return hidden if isinstance(hidden, dict) else {}


def _remove_own_calls(message: Message) -> Message | None:
    """The message less the calls of memory's own tools; None for their results."""
    if shorten_name(message.get("role")) in TOOL_ROLES and is_own_tool(message.get("toolName", message.get("name"))):
        return None
    content = message.get("content")
    if not isinstance(content, list):
        return message
    calls = [isinstance(block, dict) and shorten_name(block.get("type")) in TOOL_CALL_TYPES for block in content]
    kept = [it for it, is_call in zip(content, calls, strict=True) if not (is_call and is_own_tool(it.get("name")))]
    return {**message, "content": kept}


def is_own_tool(tool_name: Any) -> bool:
    """Whether a tool is one of memory's own."""
    return isinstance(tool_name, str) and (tool_name in OWN_TOOLS or tool_name.startswith(OWN_TOOL_PREFIX))


TOOL_CALL_EVENT = "after_tool_call"
TURN_NOTE_FOLDER = ".memory/turns"


def note_tool_call(root: str, conversation: Conversation, event_fields: Json) -> None:
    """Record that a tool was called in this conversation if the event reports that, and it is not memory's own."""
    is_call = event_fields.get("name") == TOOL_CALL_EVENT and not is_own_tool(event_fields.get("toolName"))
    if is_call and not has_tool_call_note(root, conversation):
        files.write_atomic(root, _tool_call_note_path(conversation), b"{}", durable=False)


def has_tool_call_note(root: str, conversation: Conversation) -> bool:
    """Whether a tool answered in this conversation since it began."""
    return files.read_file_if_exists(root, _tool_call_note_path(conversation)) is not None


def remove_tool_call_note(root: str, conversation: Conversation) -> None:
    """The conversation is over."""
    if has_tool_call_note(root, conversation):
        files.remove_file(root, _tool_call_note_path(conversation))


def _tool_call_note_path(conversation: Conversation) -> str:
    name = "\0".join(("openclaw", conversation.key, conversation.session)).encode("utf-8", "surrogatepass")
    return f"{TURN_NOTE_FOLDER}/{files.content_digest(name)[:20]}.json"
