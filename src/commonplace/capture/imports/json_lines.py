"""Reads JSON Lines: captures of `commonplace.capture.v1`, lines of other programs, and those of openclaw-mem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, ReadResult, StreamPosition
from commonplace.capture.imports.message_content import (
    CallPairing,
    ToolCall,
    ToolResult,
    extract_text,
    find_call_id,
    infer_exit_code,
    parse_integer,
    parse_number,
    set_event_time,
    shorten_name,
)
from commonplace.capture.imports.streams import decode_embedded_json

NO_TEXT = "an object without text"
TRUST_LEVELS = ("trusted", "unknown", "untrusted", "quarantined")
MAX_UNKNOWN_KEYS = 32  # unknown keys that are kept
MAX_SOURCES = 64

# What a key is called here; of several words for one thing the first that is listed counts.
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
UNKNOWN_KEY_RANK = 99  # a rank behind all
TOOL_FIELD_PARSERS: dict[str, Callable[[Any], Any]] = {
    "tool": shorten_name,
    "arguments": decode_embedded_json,
    "exit_code": parse_integer,
    "duration_ms": parse_number,
    "call": shorten_name,
}
WORKSPACE_ONLY_KEYS = (
    "artifact",
    "import",
    "kept",
    "quoted",
    "source",
)  # of a detail: true in the workspace where it was captured only
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
        self._default_actor = default_actor  # of a line that names nobody; none: that of the capture

    def read_object(self, source_object: Fields, _position: StreamPosition) -> ReadResult:
        """The event of one line."""
        said, other = split_by_synonyms(source_object)
        text = _find_line_text(said)
        if not text or text.isspace():
            return ParseFailure(NO_TEXT)
        detail = _build_line_detail(said, other)
        fields: Fields = {"text": text, "detail": detail}
        dated = set_event_time(fields, said.get("ts"))
        _set_session_fields(fields, said)
        _set_event_type(fields, said)
        if actor := _infer_actor(said, fields, self._owner) or self._default_actor:
            fields["actor"] = actor
        if origin := _read_origin_trust(said, detail):
            fields["origin"] = origin
        if other:
            _add_unknown_fields(detail, other)
        if not detail:
            del fields["detail"]
        own = shorten_name(said.get("id")) or shorten_name(said.get("call"))
        return [EventDraft(fields, (own,) if own else (), dated)]

    def flush(self) -> list[EventDraft]:
        """Nothing waits."""
        return []


def split_by_synonyms(source_object: Fields) -> tuple[Fields, Fields]:
    """What is known by its name here, and the rest."""
    said: Fields = {}
    words: Fields = {}
    other: Fields = {}
    for word, value in source_object.items():
        name, rank = KEY_RANKS.get(word, ("", UNKNOWN_KEY_RANK))
        if not name or value is None or value == "":
            if word not in IGNORED_KEYS and not name:
                other[word] = value
        elif name not in said:
            said[name], words[name] = value, word
        elif rank < KEY_RANKS[words[name]][1]:
            other[words[name]] = said[name]
            said[name], words[name] = value, word
        else:
            other[word] = value
    return said, other


def _find_line_text(canonical: Fields) -> str:
    """The text, of a number or of blocks if need be; a message within the line may also say whose it is."""
    text = canonical.get("text")
    if isinstance(text, str):
        return text
    if isinstance(text, dict) and text.get("role"):
        canonical.setdefault("actor", text["role"])
    return extract_text(text) or shorten_name(text)


def _build_line_detail(canonical: Fields, unknown_fields: Fields) -> Fields:
    """What else is known: the detail of the line, and what it says of a tool beside it."""
    detail: Fields = {}
    if "detail" in canonical:
        found = decode_embedded_json(canonical["detail"])
        if isinstance(found, dict):
            detail = {word: value for word, value in found.items() if word not in WORKSPACE_ONLY_KEYS}
            unknown_fields.update((word, found[word]) for word in WORKSPACE_ONLY_KEYS if word in found)
        else:
            unknown_fields["detail"] = found
    for word, repaired in TOOL_FIELD_PARSERS.items():
        if word in canonical:
            detail[word] = repaired(canonical[word])
    return detail


def _set_session_fields(fields: Fields, canonical: Fields) -> None:
    """Session, agent, scope, sources."""
    for word in ("session", "agent", "scope"):
        if word in canonical:
            fields[word] = shorten_name(canonical[word])
    sources = canonical.get("from")
    if isinstance(sources, str) and "actor" not in canonical:
        canonical.setdefault("speaker", sources)
    elif sources:
        named = sources[:MAX_SOURCES] if isinstance(sources, list) else [sources]
        fields["from"] = [name for one in named if (name := shorten_name(one))]


def _set_event_type(fields: Fields, canonical: Fields) -> None:
    """The type; a word that is none of ours stays as the detail's `kind`."""
    detail = fields["detail"]
    if "type" in canonical:
        word = shorten_name(canonical["type"])
        fields["type"] = TYPE_SYNONYMS.get(word, "note")
        if fields["type"] != word:
            detail.setdefault("kind", word)
    elif detail.get("tool"):
        fields["type"] = "tool_result"


def _infer_actor(canonical: Fields, fields: Fields, owner: str) -> str:
    """Who did it: the actor that is said; a speaker who is not the owner is some tool's; so is what a tool gave."""
    detail = fields["detail"]
    speaker = ""
    if "speaker" in canonical:
        named = canonical["speaker"]
        speaker = detail["speaker"] = shorten_name(named.get("name") if isinstance(named, dict) else named)
    if actor := shorten_name(canonical.get("actor")):
        if actor not in ACTOR_SYNONYMS:
            detail.setdefault("speaker", actor)
        return ACTOR_SYNONYMS.get(actor, "tool")
    if "speaker" in canonical:
        return "owner" if owner and speaker.casefold() == owner.casefold() else "tool"
    return "tool" if detail.get("tool") or fields.get("type") == "tool_result" else ""


def _read_origin_trust(canonical: Fields, detail: Fields) -> str:
    """How far a line says that it can be trusted; a word that nobody knows means that it cannot."""
    word = canonical.get("origin")
    provenance = detail.get("provenance")
    for place in (detail, provenance) if detail and word is None else ():
        if isinstance(place, dict):
            word = word or next((place[one] for one in KEY_SYNONYMS["origin"] if place.get(one)), None)
    if word is None:
        return ""
    return word if word in TRUST_LEVELS else "quarantined" if word == "quarantine" else "untrusted"


def _add_unknown_fields(detail: Fields, unknown_fields: Fields) -> None:
    """Keep what has no name here, so much of it as is reasonable."""
    inner = detail.get("other")
    detail["other"] = {
        **(inner if isinstance(inner, dict) else {}),
        **dict(list(unknown_fields.items())[:MAX_UNKNOWN_KEYS]),
    }


# Who acts in an episode, and what sort of event it is.
EPISODE_EVENTS = {
    "conversation.user": ("owner", "message"),
    "conversation.assistant": ("agent", "message"),
    "ops.alert": ("system", "alert"),
    "ops.decision": ("agent", "note"),
    "ops.observation": ("agent", "note"),
}
FULL_TEXT_KEYS = ("text", "content", "message", "output", "result")  # of a payload: what its summary sums up


class ObservationReader:
    """The format `openclaw-mem`."""

    def __init__(self) -> None:
        self._captures = CaptureLineReader(default_actor="agent")
        self._calls = CallPairing()

    def read_object(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The events of one line."""
        if "event_id" in source_object and "ts_ms" in source_object:
            return self._read_episode(source_object, position)
        detail = decode_embedded_json(source_object.get("detail", source_object.get("detail_json")))
        message = extract_text(detail.get("message")) if isinstance(detail, dict) else ""
        if len(message) > len(extract_text(source_object.get("summary"))):
            source_object = {**source_object, "text": message}
        return self._captures.read_object(source_object, position)

    def flush(self) -> list[EventDraft]:
        """Calls without a result."""
        return self._calls.flush()

    def _read_episode(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        kind = shorten_name(source_object.get("type"))
        payload = decode_embedded_json(source_object.get("payload"))
        payload = payload if isinstance(payload, dict) else {}
        summary = extract_text(source_object.get("summary"))
        fields = _build_episode_fields(source_object, kind)
        if kind == "tool.call":
            told = self._calls.add_call(_build_episode_call(source_object, payload), fields, position)
            return told or NoEvent("a call that waits for its result")
        text = max((extract_text(payload.get(word)) for word in FULL_TEXT_KEYS), key=len)
        text = text if len(text) > len(summary) else summary
        if kind == "tool.result":
            return [self._calls.pair_result(_build_episode_result(payload, text), fields)]
        if not text or text.isspace():
            return ParseFailure(NO_TEXT)
        fields["text"] = text
        fields["actor"], fields["type"] = EPISODE_EVENTS.get(kind, ("agent", "note"))
        return [EventDraft(fields, (shorten_name(source_object["event_id"]),), "ts" in fields)]


def _build_episode_fields(source_object: Fields, kind: str) -> Fields:
    fields: Fields = {"detail": {"kind": kind}}
    set_event_time(fields, source_object.get("ts_ms"))
    for word, name in (("session_id", "session"), ("agent_id", "agent"), ("scope", "scope")):
        if value := shorten_name(source_object.get(word)):
            fields[name] = value
    if source_object.get("refs"):
        fields["detail"]["other"] = {"refs": source_object["refs"]}
    return fields


def _build_episode_call(source_object: Fields, payload: Fields) -> ToolCall:
    arguments: Any = next((payload[word] for word in ("arguments", "params", "args", "input") if word in payload), None)
    return ToolCall(
        find_call_id(payload) or f"episode:{shorten_name(source_object['event_id'])}",
        _find_tool_name(payload),
        decode_embedded_json(arguments),
    )


def _build_episode_result(payload: Fields, text: str) -> ToolResult:
    failed = next((payload[word] for word in ("is_error", "isError") if isinstance(payload.get(word), bool)), None)
    code = next((payload[word] for word in ("exit_code", "exitCode") if word in payload), None)
    duration = parse_number(payload.get("duration_ms", payload.get("durationMs")))
    return ToolResult(
        find_call_id(payload),
        _find_tool_name(payload),
        text,
        infer_exit_code(parse_integer(code), failed, text),
        duration,
    )


def _find_tool_name(payload: Fields) -> str:
    return next(
        (name for word in ("tool_name", "toolName", "tool", "name") if (name := shorten_name(payload.get(word)))), ""
    )
