"""A conversation of a ChatGPT export: a tree of messages, of which the branch that is shown is told."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from commonplace.imports.blocks import PICTURE, Call, Result, joined, name_of, number
from commonplace.imports.calls import Calls
from commonplace.imports.decoding import json_in, parsed
from commonplace.imports.exports import message_of, small
from commonplace.imports.nouns import Fields, Refused, Spot, Told
from commonplace.imports.times import set_time

AGENT = "chatgpt"
NOTHING = Raw(b"null")
ACTORS = {"user": "owner", "assistant": "agent"}
SAID = frozenset({"text", "multimodal_text", "code", "execution_output", "tether_quote", "system_error", ""})


class Conversation(Struct):
    """What is read of a conversation; what is large in it stays raw until it is told."""

    mapping: dict[str, Raw]
    conversation_id: Raw = NOTHING
    id: Raw = NOTHING
    title: Raw = NOTHING
    current_node: Raw = NOTHING


class Node(Struct):
    """One place in the tree."""

    parent: Raw = NOTHING
    message: Raw = NOTHING


class Export:
    """The format `chatgpt`; `owner` is the name of the one who asked, if it is the owner."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner

    def read(self, data: bytes, calls: Calls) -> list[Told | Refused] | Refused:
        """The messages of one conversation."""
        found = parsed(data, Conversation)
        if not isinstance(found, Conversation):
            return Refused(f"no conversation: {found.reason}")
        session = name_of(small(found.conversation_id)) or name_of(small(found.id))
        title = name_of(small(found.title))
        told: list[Told | Refused] = []
        for at, node in enumerate(_branch(found)):
            message = message_of(node.message)
            if isinstance(message, dict) and not _is_hidden(message):
                fields = {"session": session, "agent": AGENT, "detail": {"title": title} if title else {}}
                told += self._message(message, fields, name_of(small(node.parent)) or f"#{at}", calls)
            elif isinstance(message, Refused):
                told.append(message)
        return told

    def _message(self, message: Fields, fields: Fields, parent: str, calls: Calls) -> list[Told]:
        author = _dict(message.get("author"))
        role, own = name_of(author.get("role")), name_of(message.get("id"))
        set_time(fields, message.get("create_time"))
        text = _text(_dict(message.get("content")))
        if role == "tool":
            return [calls.answered(_result(message, parent, name_of(author.get("name")), text), fields)]
        if role not in ACTORS or not text.strip():
            return []
        recipient = name_of(message.get("recipient"))
        if role == "assistant" and recipient not in ("", "all"):
            return calls.called(Call(own, recipient, json_in(text)), fields, Spot(0, 0))
        if role == "user" and self._owner:
            fields["detail"]["speaker"] = self._owner
        event = {**fields, "type": "message", "actor": ACTORS[role], "text": text}
        return [Told(event, (own or f"below {parent}",), "ts" in fields)]


def _branch(found: Conversation) -> list[Node]:
    """From the root to the message that is shown last; without one, to the last of the file."""
    name = small(found.current_node)
    if not isinstance(name, str) or name not in found.mapping:
        name = next(reversed(found.mapping), None)
    seen: set[str] = set()
    branch: list[Node] = []
    while isinstance(name, str) and name in found.mapping and name not in seen:
        seen.add(name)
        node = parsed(bytes(found.mapping[name]), Node)
        if isinstance(node, Refused):
            break
        branch.append(node)
        name = small(node.parent)
    return branch[::-1]


def _is_hidden(message: Fields) -> bool:
    metadata = _dict(message.get("metadata"))
    return metadata.get("is_visually_hidden_from_conversation") is True


def _text(content: Fields) -> str:
    """The text of a message; thoughts and the user's standing instructions are none."""
    if name_of(content.get("content_type")) not in SAID:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        parts = [content.get(word) for word in ("text", "result") if content.get(word)][:1]
    return joined([_part(part) for part in parts])


def _part(part: Any) -> str:
    if isinstance(part, dict):
        kind = name_of(part.get("content_type"))
        text = part.get("text")
        return text if isinstance(text, str) else PICTURE if kind.startswith("image") else ""
    return part if isinstance(part, str) else ""


def _result(message: Fields, call: str, tool: str, text: str) -> Result:
    """What a tool came back with, below the message that called it."""
    run = _dict(_dict(message.get("metadata")).get("aggregate_result"))
    status = name_of(run.get("status"))
    code = None if not status else 0 if status == "success" else 1
    start, end = number(run.get("start_time")), number(run.get("end_time"))
    duration = round((end - start) * 1000) if start is not None and end is not None else None
    return Result(call, tool, text, code, duration)


def _dict(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}
