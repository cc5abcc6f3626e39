"""Reads OpenClaw transcripts and hook messages, without what OpenClaw itself puts around the words of a user."""

from __future__ import annotations

import re

from commonplace.capture.imports import message_content as msg
from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, ReadResult, StreamPosition

CONTEXT_MARK = "⟦openclaw:ctx⟧"  # ends the heading of each block of context
INTERNAL_CONTEXT_BEGIN = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
INTERNAL_CONTEXT = rf"(?s){INTERNAL_CONTEXT_BEGIN}.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)"
LEADING_STAMP = r"\A\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,60}\] ?"
FINAL_CONTEXT_HEADING = f"Context: {CONTEXT_MARK}"  # the heading of a block that runs to the end
GROUP_HISTORY_HEADINGS = ("[Chat messages since your last reply - for context]", "[Recent chat messages - for context]")
CURRENT_MESSAGE_HEADING = "[Current message - respond to this]"  # after the earlier messages of a group
SILENT_REPLIES = frozenset({"NO_REPLY", "HEARTBEAT_OK"})  # an answer that says nothing


def strip_envelope(text: str) -> str:
    """A message without its time and context, and without what others wrote before it in a group.

    Only for messages of the owner: a stranger could hide his own words behind such marks.
    """
    text = re.sub(LEADING_STAMP, "", text, count=1)
    if INTERNAL_CONTEXT_BEGIN in text:
        text = re.sub(INTERNAL_CONTEXT, "", text)
    if any(heading in text for heading in GROUP_HISTORY_HEADINGS):
        text = text.rpartition(CURRENT_MESSAGE_HEADING)[2].strip() if CURRENT_MESSAGE_HEADING in text else ""
    return _strip_context_blocks(text).strip() if CONTEXT_MARK in text else text


def _strip_context_blocks(text: str) -> str:
    """The text without its blocks: a heading, then a fenced object, or lines up to an empty one."""
    kept: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        heading = line.strip()
        if heading == FINAL_CONTEXT_HEADING:
            break
        if not heading.endswith(CONTEXT_MARK):
            kept.append(line)
            continue
        end = "```" if next(lines, "").strip() == "```json" else ""
        for inside in lines:
            if inside.strip() == end:
                break
    return "\n".join(kept)


TOOL_ROLES = frozenset({"toolResult", "tool_result", "tool", "function"})
ROLE_ACTORS = {"user": "owner", "human": "owner", "assistant": "agent"}
PROVENANCE_ACTORS = {"inter_session": "agent", "internal_system": "system"}  # of a message with the role `user`
MESSAGE_ID_KEYS = ("idempotencyKey", "responseId", "messageId")
CONTEXT_KEYS = ("sessionKey", "sessionId", "agentId", "channel", "chat", "conversation", "sender")
CHANNEL_KEYS = ("channel", "chat", "conversation", "sender")  # of a turn, in the context of a hook
MAX_CALL_ID_CHARS, MAX_TEXT_KEY_CHARS = 32, 200  # characters that identify a call, and a text
MAX_MESSAGES_PER_LINE = 20_000


class OpenClawTranscript:
    """The format `openclaw`."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner
        self._session = ""
        self._calls = msg.CallPairing()
        self._is_stranger_last = False  # the last message of the role `user` was a stranger's

    def read_object(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The events of one line."""
        if isinstance(event := source_object.get("event"), dict):  # of a hook, with its context
            source_object = {**msg.object_or_empty(source_object.get("ctx", source_object.get("context"))), **event}
        if source_object.get("type") == "session":
            self._session = msg.shorten_name(source_object.get("id"))
            return NoEvent("the header of a session")
        message = source_object.get("message")
        if isinstance(message, dict) and ("role" in message or "content" in message):
            return self._read_message(message, source_object, position)
        if isinstance(source_object.get("messages"), list):
            return self._read_messages(source_object, position)
        if source_object.get("toolName") and "content" not in source_object:
            return self._read_tool_hook(source_object, position)
        if "role" in source_object or "content" in source_object:
            return self._read_message(source_object, source_object, position)
        kind = source_object.get("type")
        return NoEvent(f"an entry of type {msg.shorten_name(kind)!r}") if kind else ParseFailure("no message")

    def flush(self) -> list[EventDraft]:
        """Calls without a result."""
        return self._calls.flush()

    def _read_messages(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """Each message of a session that was delivered whole."""
        context: Fields = {name: source_object[name] for name in CONTEXT_KEYS if name in source_object}
        drafts: list[EventDraft] = []
        for message in msg.list_objects(source_object["messages"][:MAX_MESSAGES_PER_LINE]):
            answer = self._read_message(message, context, position)
            for draft in answer if isinstance(answer, list) else []:
                draft.global_names = _build_global_names(draft, message, msg.shorten_name(context.get("sessionKey")))
                if not draft.source_ids and draft.is_dated:  # the line changes with each turn, its messages do not
                    draft.source_ids = (f"at:{message.get('timestamp')}",)
                drafts.append(draft)
        return drafts or NoEvent("no message with text")

    def _read_message(self, message: Fields, context_fields: Fields, position: StreamPosition) -> ReadResult:
        role = msg.shorten_name(message.get("role"))
        fields = self._build_fields(message, context_fields)
        if role in TOOL_ROLES:
            result = msg.parse_tool_result(message, message.get("content"), msg.shorten_name(message.get("toolName")))
            result.id = result.id if "toolCallId" in message or "tool_call_id" in message else ""
            result.tool = result.tool or msg.shorten_name(context_fields.get("toolName"))
            return [self._calls.pair_result(result, fields)]
        if role == "bashExecution":  # a command that the user ran beside the agent
            call = msg.ToolCall("", "bash", {"command": message.get("command")})
            result = msg.ToolResult(
                "", "bash", msg.extract_text(message.get("output")), msg.parse_integer(message.get("exitCode"))
            )
            return [msg.build_tool_event(call, result, fields)]
        if role not in ROLE_ACTORS and not (role == "" and _find_sender_name(message)):
            return NoEvent(f"a message of the role {role!r}")
        content = msg.parse_message_content(message.get("content"))
        speaker = self._build_speaker_fields(role, message, fields)
        if speaker["actor"] == "owner":
            content.text = strip_envelope(content.text)
        elif speaker["actor"] == "agent" and content.text.strip() in SILENT_REPLIES:
            content.text = ""
        calls = [*content.calls, *map(msg.parse_tool_call, msg.list_objects(message.get("tool_calls")))]
        drafts: list[EventDraft] = []
        if content.text.strip():
            event = {**fields, **speaker, "type": "message", "text": content.text}
            names = (context_fields.get("id"), *(message.get(name) for name in ("id", *MESSAGE_ID_KEYS)))
            ids = tuple(dict.fromkeys(filter(None, map(msg.shorten_name, names))))
            drafts.append(EventDraft(event, ids, "ts" in fields))
        for call in calls:
            drafts += self._calls.add_call(call, fields, position)
        drafts += [self._calls.pair_result(result, fields) for result in content.results]
        return drafts or NoEvent("calls that wait for their results" if calls else "a message without text")

    def _build_fields(self, message: Fields, context_fields: Fields) -> Fields:
        """Time, session, agent and channel of a message."""
        fields: Fields = {}
        msg.set_event_time(fields, message.get("timestamp", context_fields.get("timestamp")))
        key = msg.shorten_name(context_fields.get("sessionKey"))
        if session := self._session or msg.shorten_name(context_fields.get("sessionId")) or key:
            fields["session"] = session
        agent_in_key = key.split(":")[1] if key.startswith("agent:") else ""
        if agent := msg.shorten_name(context_fields.get("agentId")) or agent_in_key:
            fields["agent"] = agent
        if where := {word: name for word in CHANNEL_KEYS if (name := msg.shorten_name(context_fields.get(word)))}:
            fields["detail"] = {**fields.get("detail", {}), "host": "openclaw", **where}
        return fields

    def _build_speaker_fields(self, role: str, message: Fields, fields: Fields) -> Fields:
        """The actor, speaker and trust of a message; in a channel, other people have the role `user` too."""
        actor, name = ROLE_ACTORS.get(role, "owner"), _find_sender_name(message)
        metadata = msg.object_or_empty(message.get("__openclaw"))
        is_owner = message.get("senderIsOwner", metadata.get("senderIsOwner"))
        if not isinstance(is_owner, bool):  # not declared: all of the role `user` are the owner's
            is_owner = bool(role) or (bool(self._owner) and name.casefold() == self._owner.casefold())
        provenance = message.get("provenance", message.get("inputProvenance"))
        kind = msg.object_or_empty(provenance).get("kind")
        if actor == "owner" and isinstance(kind, str) and kind in PROVENANCE_ACTORS:
            actor = PROVENANCE_ACTORS[kind]
        elif actor == "owner" and not is_owner:
            actor = "tool"
        if role in ("user", "human"):
            self._is_stranger_last = actor == "tool"
        detail = {**fields.get("detail", {}), **({"speaker": name} if name else {})}
        speaker = {"actor": actor, **({"detail": detail} if detail else {})}
        # An agent that answered a stranger, or read what the host calls tainted, is not trusted.
        if role == "assistant" and (self._is_stranger_last or metadata.get("turnTainted") is True):
            speaker["origin"] = "untrusted"
        return speaker

    def _read_tool_hook(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The event of a hook around a tool call: the call alone, or the call with its result."""
        fields = self._build_fields({}, source_object)
        call_id, tool = msg.shorten_name(source_object.get("toolCallId")), msg.shorten_name(source_object["toolName"])
        call = msg.ToolCall(call_id, tool, source_object.get("params"))
        if "result" not in source_object and "error" not in source_object:
            return self._calls.add_call(call, fields, position) or NoEvent("a call that waits for its result")
        returned = source_object.get("result")
        result = msg.parse_tool_result(msg.object_or_empty(returned), returned, call.tool)
        failed = msg.extract_text(source_object.get("error"))
        result.id, result.text = call.id, failed or result.text
        result.exit_code = msg.infer_exit_code(result.exit_code, bool(failed), result.text)
        if result.duration_ms is None:
            result.duration_ms = msg.parse_number(source_object.get("durationMs"))
        self._calls.pair_result(result, fields)  # if the call was seen before, it waits no longer
        draft = msg.build_tool_event(call, result, fields)
        draft.global_names = _build_global_names(draft, {}, msg.shorten_name(source_object.get("sessionKey")))
        return [draft]


def _build_global_names(draft: EventDraft, message: Fields, key: str) -> tuple[str, ...]:
    """The names by which a message of a hook is recognized with another session, id or time: by its words and the time
    of an answer, or of what follows the user's words, or the letters of a call."""
    if not key:
        return ()
    fields = draft.fields
    at = f"at:{message['timestamp']}" if draft.is_dated and "timestamp" in message else ""
    followed = f"followed:{message['followedAt']}" if message.get("followedAt") else ""
    call = "".join(filter(str.isalnum, msg.shorten_name(fields.get("detail", {}).get("call"))))[:MAX_CALL_ID_CHARS]
    words = fields.get("text", "")[:MAX_TEXT_KEY_CHARS]
    names = (at, followed, f"call:{call}" if call else "")
    return tuple(f"{key}\0{fields.get('type')}\0{name}\0{words}" for name in names if name)


def _find_sender_name(message: Fields) -> str:
    metadata = msg.object_or_empty(message.get("__openclaw"))
    values = [message.get(name) for name in ("senderName", "from", "senderId")]
    values += [metadata.get(name) for name in ("senderName", "senderUsername", "senderId")]
    return next(filter(None, map(msg.shorten_name, values)), "")
