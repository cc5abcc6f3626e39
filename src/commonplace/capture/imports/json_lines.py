"""Reads JSON Lines: captures of `commonplace.capture.v1`, lines of other programs, and those of openclaw-mem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from commonplace.capture.imports import message_content as msg
from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, ReadResult, StreamPosition
from commonplace.capture.imports.streams import decode_embedded_json

NO_TEXT = "an object without text"
TRUST_LEVELS = ("trusted", "unknown", "untrusted", "quarantined")
MAX_UNKNOWN_KEYS = 32  # that are retained
MAX_SOURCES = 64

# The canonical name of a key; of several synonyms in one object the first that is listed counts.
KEY_SYNONYMS: dict[str, tuple[str, ...]] = {
    "text": ("text", "summary", "content", "message", "body", "text_en", "summary_en"),
    "ts": ("ts", "timestamp", "ts_ms", "time", "created_at", "createdAt"),
    "type": ("type", "kind"),
    "actor": ("actor", "role"),
    "session": ("session", "session_id", "sessionId", "session_key", "sessionKey"),
    "agent": ("agent", "agent_id", "agentId"),
    "scope": ("scope", "project"),
    "origin": ("origin", "trust", "trust_tier", "trustTier"),
    "detail": ("detail", "detail_json"),
    "from": ("from",),
    "tool": ("tool", "tool_name", "toolName"),
    "arguments": ("arguments", "args", "params"),
    "exit_code": ("exit_code", "exitCode"),
    "duration_ms": ("duration_ms", "durationMs"),
    "speaker": ("speaker", "sender", "author", "username", "user", "nick"),
    "call": ("call", "tool_call_id", "toolCallId", "call_id"),
    "id": ("id", "event_id", "observation_id", "observationId", "message_id", "messageId", "uuid"),
}
KEY_RANKS = {word: (name, rank) for name, words in KEY_SYNONYMS.items() for rank, word in enumerate(words)}
TOOL_FIELD_PARSERS: dict[str, Callable[[Any], Any]] = {
    "tool": msg.shorten_name,
    "arguments": decode_embedded_json,
    "exit_code": msg.parse_integer,
    "duration_ms": msg.parse_number,
    "call": msg.shorten_name,
}
# Keys of a detail that are true only in the workspace where it was captured.
WORKSPACE_ONLY_KEYS = ("artifact", "import", "kept", "quoted", "source")
IGNORED_KEYS = frozenset({"v", "crc", "schema"})
TYPE_SYNONYMS = {
    **{word: word for word in ("message", "tool_result", "note", "alert")},
    **dict.fromkeys(("tool", "tool.result", "toolResult", "tool.call", "tool_call"), "tool_result"),
    **dict.fromkeys(("conversation.user", "conversation.assistant", "user", "assistant"), "message"),
    **dict.fromkeys(("ops.alert", "error"), "alert"),
}
ACTOR_SYNONYMS = {
    **dict.fromkeys(("owner", "user", "human"), "owner"),
    **dict.fromkeys(("agent", "assistant", "ai", "model", "bot"), "agent"),
    **dict.fromkeys(("tool", "function", "toolResult", "tool_result"), "tool"),
    **dict.fromkeys(("system", "developer"), "system"),
}


class CaptureLineReader:
    """The format `jsonl`."""

    def __init__(self, owner: str = "", default_actor: str = "") -> None:
        self._owner = owner
        self._default_actor = default_actor  # of a line without an actor; if empty, that of the capture

    def read_object(self, source_object: Fields, _position: StreamPosition) -> ReadResult:
        """The event of one line."""
        canonical, other = split_by_synonyms(source_object)
        text = canonical.get("text")
        if not isinstance(text, str):
            if isinstance(text, dict) and text.get("role"):  # a message within the line may also name its actor
                canonical.setdefault("actor", text["role"])
            text = msg.extract_text(text) or msg.shorten_name(text)
        if not text or text.isspace():
            return ParseFailure(NO_TEXT)
        detail = _build_line_detail(canonical, other)
        fields: Fields = {"text": text, "detail": detail}
        is_dated = msg.set_event_time(fields, canonical.get("ts"))
        _set_session_fields(fields, canonical)
        _set_event_type(fields, canonical)
        if actor := _infer_actor(canonical, fields, self._owner) or self._default_actor:
            fields["actor"] = actor
        if origin := _read_origin_trust(canonical, detail):
            fields["origin"] = origin
        if other:
            inner = msg.object_or_empty(detail.get("other"))
            detail["other"] = {**inner, **dict(list(other.items())[:MAX_UNKNOWN_KEYS])}
        if not detail:
            del fields["detail"]
        own = msg.shorten_name(canonical.get("id")) or msg.shorten_name(canonical.get("call"))
        return [EventDraft(fields, (own,) if own else (), is_dated)]

    def flush(self) -> list[EventDraft]:
        """Nothing waits."""
        return []


def split_by_synonyms(source_object: Fields) -> tuple[Fields, Fields]:
    """The fields with a canonical name, and the rest."""
    canonical: Fields = {}
    words: dict[str, str] = {}
    other: Fields = {}
    for word, value in source_object.items():
        name, rank = KEY_RANKS.get(word, ("", 0))
        if not name:
            if word not in IGNORED_KEYS:
                other[word] = value
        elif value is None or value == "":
            continue
        elif name in canonical and rank > KEY_RANKS[words[name]][1]:
            other[word] = value
        else:
            if name in canonical:
                other[words[name]] = canonical[name]
            canonical[name], words[name] = value, word
    return canonical, other


def _build_line_detail(canonical: Fields, unknown_fields: Fields) -> Fields:
    """The detail of the line, and the fields beside it that belong to a tool."""
    raw = decode_embedded_json(canonical.get("detail", {}))
    if not isinstance(raw, dict):
        unknown_fields["detail"] = raw
        raw = {}
    unknown_fields.update((name, raw[name]) for name in WORKSPACE_ONLY_KEYS if name in raw)
    detail = {name: value for name, value in raw.items() if name not in WORKSPACE_ONLY_KEYS}
    return detail | {name: parse(canonical[name]) for name, parse in TOOL_FIELD_PARSERS.items() if name in canonical}


def _set_session_fields(fields: Fields, canonical: Fields) -> None:
    """Session, agent, scope, sources."""
    for word in ("session", "agent", "scope"):
        if word in canonical:
            fields[word] = msg.shorten_name(canonical[word])
    sources = canonical.get("from")
    if isinstance(sources, str) and "actor" not in canonical:
        canonical.setdefault("speaker", sources)
    elif sources:
        named = sources[:MAX_SOURCES] if isinstance(sources, list) else [sources]
        fields["from"] = [name for one in named if (name := msg.shorten_name(one))]


def _set_event_type(fields: Fields, canonical: Fields) -> None:
    """Set the type; an unknown type becomes the detail's `kind`."""
    detail = fields["detail"]
    if "type" in canonical:
        word = msg.shorten_name(canonical["type"])
        fields["type"] = TYPE_SYNONYMS.get(word, "note")
        if fields["type"] != word:
            detail.setdefault("kind", word)
    elif detail.get("tool"):
        fields["type"] = "tool_result"


def _infer_actor(canonical: Fields, fields: Fields, owner: str) -> str:
    """The actor that is named; `tool` for a speaker who is not the owner, and for the result of a tool."""
    detail = fields["detail"]
    speaker = ""
    if "speaker" in canonical:
        named = canonical["speaker"]
        speaker = detail["speaker"] = msg.shorten_name(named.get("name") if isinstance(named, dict) else named)
    if actor := msg.shorten_name(canonical.get("actor")):
        if actor not in ACTOR_SYNONYMS:
            detail.setdefault("speaker", actor)
        return ACTOR_SYNONYMS.get(actor, "tool")
    if "speaker" in canonical:
        return "owner" if owner and speaker.casefold() == owner.casefold() else "tool"
    return "tool" if detail.get("tool") or fields.get("type") == "tool_result" else ""


def _read_origin_trust(canonical: Fields, detail: Fields) -> str:
    """The trust that a line or its detail claims, empty if none; an unknown word means `untrusted`."""
    word = canonical.get("origin")
    if word is None:
        places = (detail, msg.object_or_empty(detail.get("provenance")))
        word = next((place[name] for place in places for name in KEY_SYNONYMS["origin"] if place.get(name)), None)
    if word is None:
        return ""
    return word if word in TRUST_LEVELS else "quarantined" if word == "quarantine" else "untrusted"


# The actor and the type of an episode, by its kind.
EPISODE_EVENTS = {
    "conversation.user": ("owner", "message"),
    "conversation.assistant": ("agent", "message"),
    "ops.alert": ("system", "alert"),
    "ops.decision": ("agent", "note"),
    "ops.observation": ("agent", "note"),
}
FULL_TEXT_KEYS = ("text", "content", "message", "output", "result")  # of a payload, which the summary sums up


class ObservationReader:
    """The format `openclaw-mem`."""

    def __init__(self) -> None:
        self._captures = CaptureLineReader(default_actor="agent")
        self._calls = msg.CallPairing()

    def read_object(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The events of one line."""
        if "event_id" in source_object and "ts_ms" in source_object:
            return self._read_episode(source_object, position)
        detail = decode_embedded_json(source_object.get("detail", source_object.get("detail_json")))
        message = msg.extract_text(detail.get("message")) if isinstance(detail, dict) else ""
        if len(message) > len(msg.extract_text(source_object.get("summary"))):
            source_object = {**source_object, "text": message}
        return self._captures.read_object(source_object, position)

    def flush(self) -> list[EventDraft]:
        """Calls without a result."""
        return self._calls.flush()

    def _read_episode(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        kind = msg.shorten_name(source_object.get("type"))
        payload = msg.object_or_empty(decode_embedded_json(source_object.get("payload")))
        summary = msg.extract_text(source_object.get("summary"))
        fields: Fields = {"detail": {"kind": kind}}
        msg.set_event_time(fields, source_object.get("ts_ms"))
        for word, name in (("session_id", "session"), ("agent_id", "agent"), ("scope", "scope")):
            if value := msg.shorten_name(source_object.get(word)):
                fields[name] = value
        if source_object.get("refs"):
            fields["detail"]["other"] = {"refs": source_object["refs"]}
        if kind == "tool.call":
            names = ("arguments", "params", "args", "input")
            arguments: Any = next((payload[name] for name in names if name in payload), None)
            call_id = msg.find_call_id(payload) or f"episode:{msg.shorten_name(source_object['event_id'])}"
            call = msg.ToolCall(call_id, _find_tool_name(payload), decode_embedded_json(arguments))
            return self._calls.add_call(call, fields, position) or NoEvent("a call that waits for its result")
        text = max((msg.extract_text(payload.get(word)) for word in FULL_TEXT_KEYS), key=len)
        text = text if len(text) > len(summary) else summary
        if kind == "tool.result":
            duration = msg.parse_number(payload.get("duration_ms", payload.get("durationMs")))
            code = msg.parse_integer(payload.get("exit_code", payload.get("exitCode")))
            code = msg.infer_exit_code(code, msg.find_error_flag(payload), text)
            result = msg.ToolResult(msg.find_call_id(payload), _find_tool_name(payload), text, code, duration)
            return [self._calls.pair_result(result, fields)]
        if not text or text.isspace():
            return ParseFailure(NO_TEXT)
        fields["text"] = text
        fields["actor"], fields["type"] = EPISODE_EVENTS.get(kind, ("agent", "note"))
        return [EventDraft(fields, (msg.shorten_name(source_object["event_id"]),), "ts" in fields)]


def _find_tool_name(payload: Fields) -> str:
    names = (msg.shorten_name(payload.get(word)) for word in ("tool_name", "toolName", "tool", "name"))
    return next(filter(None, names), "")
