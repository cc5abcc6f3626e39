"""The messages of OpenClaw's hooks as lines for the capture funnel: less what is not anybody's words, owners marked."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.imports.blocks import CALLS, name_of, spoken
from commonplace.imports.openclaw import TOOL_ROLES
from commonplace.turns.openclaw.place import is_stranger, work_told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.turns.openclaw.place import Options, Place

OURS = frozenset({"memory_search", "memory_get"})  # besides those that begin with the next: what they tell is no news
OURS_BEGIN = "commonplace_"
INTER_SESSION = re.compile(r"\[Inter-session message\][^\n]{0,2000}\bisUser=false\b")
CALLED = ("toolName", "params", "toolCallId", "result", "error", "durationMs", "timestamp")

Message = dict[str, Any]


def stream_of(messages: list[Any], place: Place, options: Options) -> BytesIO:
    """One line a message, as the format `openclaw` reads them; nothing for those that are not to be captured."""
    around = _around(place)
    return _lines({"messages": [one], **around} for one in _wanted(messages, place, options))


def stream_of_call(event: Message, place: Place) -> BytesIO:
    """The line of a tool's call that has just ended; nothing for one of memory's own.

    It is captured at once and not with its turn: what an agent keeps right after it must not have stood there first.
    """
    if not isinstance(event.get("toolName"), str) or _is_ours(event["toolName"]):
        return BytesIO()
    told = {name: event[name] for name in CALLED if name in event}
    return _lines(iter([{**told, **_around(place)}]))


def _around(place: Place) -> Message:
    """What else is known of a message, under the host's names."""
    around = {
        "sessionKey": place.key,
        "sessionId": place.session,
        "agentId": place.agent,
        "channel": place.channel,
        "chat": place.chat,
        "conversation": place.conversation,
        "sender": place.sender,
    }
    return {name: value for name, value in around.items() if value}


def _lines(found: Iterator[Message]) -> BytesIO:
    return BytesIO(b"".join(msgspec.json.encode(one) + b"\n" for one in found))


def _wanted(messages: list[Any], place: Place, options: Options) -> Iterator[Message]:
    """The messages that may be captured; what was said in a turn that nobody asked for is left out with the turn."""
    passed_over = False
    found = [message for message in messages if isinstance(message, dict)]
    for message, following in zip(found, [*found[1:], {}], strict=False):
        if message.get("role") == "user":
            work = _work(message)
            passed_over = bool(work) and work not in options.triggers
            message = _marked(message, place, options) | {"followedAt": following.get("timestamp")}
        if not passed_over and (own := _without_ours(message)) is not None:
            yield own


def _work(message: Message) -> str:
    """What kind of work a message with the role `user` begins that no person wrote; empty if one did."""
    work = work_told(message.get("provenance", message.get("inputProvenance")))
    return work or ("inter_session" if INTER_SESSION.search(spoken(message.get("content")).text) else "")


def _marked(message: Message, place: Place, options: Options) -> Message:
    """A user's message with whether it is the owner's: as the settings or the host say; where nobody says, in private
    it is his unless the sender is known for another, in a group it is not."""
    hidden = message.get("__openclaw")
    hidden = hidden if isinstance(hidden, dict) else {}
    sender = message.get("senderId", hidden.get("senderId"))
    said = message.get("senderIsOwner", hidden.get("senderIsOwner"))
    if options.owners and isinstance(sender, str | int):
        said = str(sender) in options.owners
    if not isinstance(said, bool):
        is_known = place.is_owner is True or (bool(place.sender) and place.sender in options.owners)
        said = is_known or (place.chat == "private" and not is_stranger(place, options))
    return {**message, "senderIsOwner": said}


def _without_ours(message: Message) -> Message | None:
    """The message less the calls of memory's own tools; None for their results."""
    if name_of(message.get("role")) in TOOL_ROLES and _is_ours(message.get("toolName", message.get("name"))):
        return None
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [block for block in content if not _calls_ours(block)]}


def _calls_ours(block: Any) -> bool:
    return isinstance(block, dict) and name_of(block.get("type")) in CALLS and _is_ours(block.get("name"))


def _is_ours(name: Any) -> bool:
    return isinstance(name, str) and (name in OURS or name.startswith(OURS_BEGIN))
