"""Transcripts of OpenClaw: the lines of a session file, and messages and tool results as its hooks deliver them."""

from __future__ import annotations

from typing import Any

from commonplace.imports.blocks import (
    Call,
    Result,
    call_of,
    exit_code,
    name_of,
    number,
    result_of,
    spoken,
    text_of,
    whole,
)
from commonplace.imports.calls import Calls, tool_event
from commonplace.imports.envelopes import bare, is_silence
from commonplace.imports.nouns import Answer, Fields, Quiet, Refused, Spot, Told
from commonplace.imports.times import set_time

TOOL_ROLES = frozenset({"toolResult", "tool_result", "tool", "function"})
ACTORS = {"user": "owner", "human": "owner", "assistant": "agent"}
PROVENANCE = {"inter_session": "agent", "internal_system": "system"}  # who wrote a message that has the role `user`
IDS = ("idempotencyKey", "responseId", "messageId")
AROUND = ("sessionKey", "sessionId", "agentId", "channel", "chat", "conversation", "sender")
WHERE = ("channel", "chat", "conversation", "sender")  # of a turn, as the hook's context tells it
MOST_CALL, MOST_WORDS = 32, 200  # characters by which a call, and a text, is known again
MOST_MESSAGES = 20_000  # of one line


class Transcript:
    """The format `openclaw`."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner
        self._session = ""
        self._calls = Calls()
        self._stranger = False  # spoke last, and no owner since

    def told(self, found: Fields, spot: Spot) -> Answer:
        """The events of one line."""
        found = _unwrapped(found)
        if found.get("type") == "session":
            self._session = name_of(found.get("id"))
            return Quiet("the header of a session")
        message = found.get("message")
        if isinstance(message, dict) and ("role" in message or "content" in message):
            return self._message(message, found, spot)
        if isinstance(found.get("messages"), list):
            return self._messages(found, spot)
        if found.get("toolName") and "content" not in found:
            return self._hooked(found, spot)
        if "role" in found or "content" in found:
            return self._message(found, found, spot)
        return Quiet(f"an entry of type {name_of(found.get('type'))!r}") if found.get("type") else Refused("no message")

    def left(self) -> list[Told]:
        """Calls without a result."""
        return self._calls.left()

    def _messages(self, found: Fields, spot: Spot) -> Answer:
        """Each message of a session that was handed over whole."""
        around: Fields = {word: found[word] for word in AROUND if word in found}
        told: list[Told] = []
        for message in found["messages"][:MOST_MESSAGES]:
            if not isinstance(message, dict):
                continue
            answer = self._message(message, around, spot)
            for one in answer if isinstance(answer, list) else []:
                one.names = _names(one, message, name_of(around.get("sessionKey")))
                if not one.ids and one.dated:  # the line changes with each turn, its messages do not
                    one.ids = (f"at:{message.get('timestamp')}",)
                told.append(one)
        return told or Quiet("no message with text")

    def _message(self, message: Fields, around: Fields, spot: Spot) -> Answer:
        role = name_of(message.get("role"))
        fields = self._fields(message, around)
        if role in TOOL_ROLES:
            return [self._calls.answered(_tool_result(message, around), fields)]
        if role == "bashExecution":
            return [_command(message, fields)]
        if role not in ACTORS and not (role == "" and _sender(message)):
            return Quiet(f"a message of the role {role!r}")
        found = spoken(message.get("content"))
        speaker = self._speaker(role, message, fields)
        if speaker["actor"] == "owner":
            found.text = bare(found.text)
        elif speaker["actor"] == "agent" and is_silence(found.text):
            found.text = ""
        extra = message["tool_calls"] if isinstance(message.get("tool_calls"), list) else []
        calls = [*found.calls, *(call_of(one) for one in extra if isinstance(one, dict))]
        told: list[Told] = []
        if found.text.strip():
            said = {**fields, **speaker, "type": "message", "text": found.text}
            told.append(Told(said, _ids(message, around), "ts" in fields))
        for call in calls:
            told += self._calls.called(call, fields, spot)
        told += [self._calls.answered(result, fields) for result in found.results]
        return told or Quiet("calls that wait for their results" if calls else "a message without text")

    def _fields(self, message: Fields, around: Fields) -> Fields:
        """When and where it was said."""
        fields: Fields = {}
        set_time(fields, message.get("timestamp", around.get("timestamp")))
        key = name_of(around.get("sessionKey"))
        if session := self._session or name_of(around.get("sessionId")) or key:
            fields["session"] = session
        if agent := name_of(around.get("agentId")) or (key.split(":")[1] if key.startswith("agent:") else ""):
            fields["agent"] = agent
        if where := {word: name for word in WHERE if (name := name_of(around.get(word)))}:
            fields["detail"] = {**fields.get("detail", {}), "host": "openclaw", **where}
        return fields

    def _speaker(self, role: str, message: Fields, fields: Fields) -> Fields:
        """The actor, as far as a role tells it: another person in a channel has the role `user` too."""
        actor = ACTORS.get(role, "owner")
        name = _sender(message)
        is_owner = message.get("senderIsOwner", _hidden(message).get("senderIsOwner"))
        provenance = message.get("provenance", message.get("inputProvenance"))
        kind = provenance.get("kind") if isinstance(provenance, dict) else None
        if actor == "owner" and isinstance(kind, str) and kind in PROVENANCE:
            actor = PROVENANCE[kind]
        elif actor == "owner" and not self._is_owner(role, is_owner, name):
            actor = "tool"
        if role in ("user", "human"):
            self._stranger = actor == "tool"
        detail = {**fields.get("detail", {}), **({"speaker": name} if name else {})}
        said = {"actor": actor, **({"detail": detail} if detail else {})}
        return {**said, "origin": "untrusted"} if actor == "agent" and self._is_tainted(role, message) else said

    def _is_tainted(self, role: str, message: Fields) -> bool:
        """Whether an agent answered a stranger, or the host says that it read what cannot be trusted."""
        return role == "assistant" and (self._stranger or _hidden(message).get("turnTainted") is True)

    def _is_owner(self, role: str, said: Any, name: str) -> bool:
        """Whether a message is the owner's: so it is said; else all of the role `user` are, and who has his name."""
        if isinstance(said, bool):
            return said
        return bool(role) or (bool(self._owner) and name.casefold() == self._owner.casefold())

    def _hooked(self, found: Fields, spot: Spot) -> Answer:
        """What the hooks around a tool call deliver: the call alone, or the call with its result."""
        fields = self._fields({}, found)
        call = Call(name_of(found.get("toolCallId")), name_of(found["toolName"]), found.get("params"))
        if "result" not in found and "error" not in found:
            return self._calls.called(call, fields, spot) or Quiet("a call that waits for its result")
        result = result_of(_as_dict(found.get("result")), found.get("result"), call.tool)
        failed = text_of(found.get("error"))
        result.id, result.text = call.id, failed or result.text
        result.exit_code = exit_code(result.exit_code, bool(failed), result.text)
        result.duration_ms = number(found.get("durationMs")) if result.duration_ms is None else result.duration_ms
        self._calls.answered(result, fields)  # if the call was seen before, it waits no longer
        told = tool_event(call, result, fields)
        told.names = _names(told, {}, name_of(found.get("sessionKey")))
        return [told]


def _unwrapped(found: Fields) -> Fields:
    """An event of a hook together with its context."""
    event = found.get("event")
    if not isinstance(event, dict):
        return found
    return {**_as_dict(found.get("ctx", found.get("context"))), **event}


def _tool_result(message: Fields, around: Fields) -> Result:
    result = result_of(message, message.get("content"), name_of(message.get("toolName")))
    result.id = result.id if "toolCallId" in message or "tool_call_id" in message else ""
    result.tool = result.tool or name_of(around.get("toolName"))
    return result


def _command(message: Fields, fields: Fields) -> Told:
    """A command that the user ran beside the agent."""
    call = Call("", "bash", {"command": message.get("command")})
    result = Result("", "bash", text_of(message.get("output")), whole(message.get("exitCode")))
    return tool_event(call, result, fields)


def _ids(message: Fields, around: Fields) -> tuple[str, ...]:
    """What its source calls a message: the entry in a transcript has one id, the message within it others."""
    names = (name_of(around.get("id")), *(name_of(message.get(word)) for word in ("id", *IDS)))
    return tuple(dict.fromkeys(name for name in names if name))


def _names(told: Told, message: Fields, key: str) -> tuple[str, ...]:
    """By what a message of a hook is known again when it comes in another shape: a restart, a reset or a compaction
    hands it over with another session; a call gets another id, and what the user said another time and an id at all.
    What stays are the words, the time of an answer, the time of what follows the user's words, the letters of a call.
    """
    if not key:
        return ()
    fields = told.fields
    at = f"at:{message['timestamp']}" if told.dated and "timestamp" in message else ""
    followed = f"followed:{message['followedAt']}" if message.get("followedAt") else ""
    call = "".join(filter(str.isalnum, name_of(fields.get("detail", {}).get("call"))))[:MOST_CALL]
    words = fields.get("text", "")[:MOST_WORDS]
    names = (at, followed, f"call:{call}" if call else "")
    return tuple(f"{key}\0{fields.get('type')}\0{name}\0{words}" for name in names if name)


def _hidden(message: Fields) -> Fields:
    """What the host notes in a message for itself."""
    return _as_dict(message.get("__openclaw"))


def _sender(message: Fields) -> str:
    said = (message.get(word) for word in ("senderName", "from", "senderId"))
    noted = (_hidden(message).get(word) for word in ("senderName", "senderUsername", "senderId"))
    return next((name for value in (*said, *noted) if (name := name_of(value))), "")


def _as_dict(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}
