"""A conversation of a Claude export: its messages in order, with what was attached to them."""

from __future__ import annotations

from msgspec import Raw, Struct

from commonplace.imports.blocks import Spoken, name_of, spoken, text_of
from commonplace.imports.calls import Calls
from commonplace.imports.decoding import parsed
from commonplace.imports.exports import message_of, small
from commonplace.imports.nouns import Fields, Refused, Spot, Told
from commonplace.imports.times import set_time

AGENT = "claude"
NOTHING = Raw(b"null")
ACTORS = {"human": "owner", "user": "owner", "assistant": "agent"}


class Conversation(Struct):
    """What is read of a conversation; what is large in it stays raw until it is told."""

    chat_messages: list[Raw]
    uuid: Raw = NOTHING
    name: Raw = NOTHING


class Export:
    """The format `claude`; `owner` is the name of the one who asked, if it is the owner."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner

    def read(self, data: bytes, calls: Calls) -> list[Told | Refused] | Refused:
        """The messages of one conversation."""
        found = parsed(data, Conversation)
        if not isinstance(found, Conversation):
            return Refused(f"no conversation: {found.reason}")
        session, title = name_of(small(found.uuid)), name_of(small(found.name))
        told: list[Told | Refused] = []
        for at, raw in enumerate(found.chat_messages):
            message = message_of(raw)
            if isinstance(message, dict):
                fields = {"session": session, "agent": AGENT, "detail": {"title": title} if title else {}}
                told += self._message(message, fields, f"#{at}", calls)
            elif isinstance(message, Refused):
                told.append(message)
        return told

    def _message(self, message: Fields, fields: Fields, place: str, calls: Calls) -> list[Told]:
        actor = ACTORS.get(name_of(message.get("sender")))
        if not actor:
            return []
        own = name_of(message.get("uuid")) or place
        set_time(fields, message.get("created_at"))
        said = _said(message)
        told: list[Told] = []
        if said.text.strip():
            detail = {**fields["detail"], **({"speaker": self._owner} if actor == "owner" and self._owner else {})}
            event = {**fields, "type": "message", "actor": actor, "text": said.text, "detail": detail}
            told.append(Told(event, (own,), "ts" in fields))
        told += _attached(message, fields, own)
        for call in said.calls:
            told += calls.called(call, fields, Spot(0, 0))
        return told + [calls.answered(result, fields) for result in said.results]


def _said(message: Fields) -> Spoken:
    """The blocks of a message; exports of earlier years have its text alone."""
    said = spoken(message.get("content"))
    if not said.text.strip() and not said.calls and not said.results:
        said.text = text_of(message.get("text"))
    return said


def _attached(message: Fields, fields: Fields, own: str) -> list[Told]:
    """The text of files that were attached: not what the user said."""
    files = message.get("attachments")
    told = []
    for number, file in enumerate(files if isinstance(files, list) else ()):
        text = text_of(file.get("extracted_content")) if isinstance(file, dict) else ""
        if text.strip():
            detail = {**fields["detail"], "file": name_of(file.get("file_name"))}
            event = {**fields, "type": "note", "actor": "tool", "text": text, "detail": detail}
            told.append(Told(event, (f"{own}/{number}",), "ts" in fields))
    return told
