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
PEOPLE = ("user", "human")  # roles of what a person writes, or what stands where a person's words would
CALLED = ("toolName", "params", "toolCallId", "result", "error", "durationMs", "timestamp")

Message = dict[str, Any]


def stream_of(event: Message, place: Place, options: Options) -> BytesIO:
    """One line a message, as the format `openclaw` reads them; nothing for those that are not to be captured."""
    around, told = _around(place), event.get("messages")
    found = [message for message in told if isinstance(message, dict)] if isinstance(told, list) else []
    now = -1  # where who speaks now speaks: not in a batch that others follow
    if event.get("more") is not True:
        now = max((at for at, message in enumerate(found) if message.get("role") in PEOPLE), default=-1)
    return _lines({"messages": [one], **around} for one in _wanted(found, place, options, now))


def stream_of_call(event: Message, place: Place) -> BytesIO:
    """The line of a tool's call that has just ended; nothing for one of memory's own.

    It is captured at once and not with its turn: what an agent keeps right after it must not have stood there first.
    """
    if not isinstance(event.get("toolName"), str) or is_ours(event["toolName"]):
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


def _wanted(found: list[Message], place: Place, options: Options, now: int) -> Iterator[Message]:
    """The messages that may be captured; what was said in a turn that nobody asked for is left out with the turn."""
    passed_over, is_answered = False, place.chat == "private" and not is_stranger(place, options)
    for at, message in enumerate(found):
        if message.get("role") in PEOPLE:
            work, following = _work(message), found[at + 1] if at + 1 < len(found) else {}
            passed_over, is_answered = bool(work) and work not in options.triggers, True
            is_words = not (work or place.work)  # what begins a turn that nobody asked for is no person's
            said = _marked(message, place, options, is_now=at == now) if is_words else _of_nobody(message)
            message = {**said, "followedAt": following.get("timestamp")}
        elif not is_answered and message.get("role") == "assistant":
            message = _tainted(message)
        if not passed_over and (own := _without_ours(message)) is not None:
            yield own


def _work(message: Message) -> str:
    """What kind of work a message with a person's role begins that no person wrote; empty if one did."""
    work = work_told(message.get("provenance", message.get("inputProvenance")))
    return work or ("inter_session" if INTER_SESSION.search(spoken(message.get("content")).text) else "")


def _marked(message: Message, place: Place, options: Options, *, is_now: bool) -> Message:
    """A user's message with whether it is the owner's: as the settings or the host say; where nobody says, in private
    it is his unless the sender is known for another, in a group it is not. Who speaks now is told of one message
    alone: those before it may be another's."""
    hidden = _hidden(message)
    sender = message.get("senderId", hidden.get("senderId"))
    said = message.get("senderIsOwner", hidden.get("senderIsOwner"))
    if options.owners and isinstance(sender, str | int):
        said = str(sender) in options.owners
    if not isinstance(said, bool):
        is_known = place.is_owner is True or (bool(place.sender) and place.sender in options.owners)
        said = (is_known and (is_now or place.chat == "private")) or (
            place.chat == "private" and not is_stranger(place, options)
        )
    return {**message, "senderIsOwner": said}


def _of_nobody(message: Message) -> Message:
    """What a job, another session or the world outside told the agent, as it is told; none of it is the owner's."""
    outside = {"provenance": None, "inputProvenance": None} if _work(message) == "inter_session" else {}
    return {**message, **outside, "senderIsOwner": False}


def _tainted(message: Message) -> Message:
    """An answer to somebody who spoke before these messages, where others than the owner do."""
    return {**message, "__openclaw": {**_hidden(message), "turnTainted": True}}


def _hidden(message: Message) -> Message:
    """What the host notes in a message for itself."""
    hidden = message.get("__openclaw")
    return hidden if isinstance(hidden, dict) else {}


def _without_ours(message: Message) -> Message | None:
    """The message less the calls of memory's own tools; None for their results."""
    if name_of(message.get("role")) in TOOL_ROLES and is_ours(message.get("toolName", message.get("name"))):
        return None
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [block for block in content if not _calls_ours(block)]}


def _calls_ours(block: Any) -> bool:
    return isinstance(block, dict) and name_of(block.get("type")) in CALLS and is_ours(block.get("name"))


def is_ours(name: Any) -> bool:
    """Whether a tool is one of memory's own."""
    return isinstance(name, str) and (name in OURS or name.startswith(OURS_BEGIN))
