"""Lines of `commonplace.capture.v1`, and of programs that say the same in other words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from commonplace.imports.blocks import name_of, number, text_of, whole
from commonplace.imports.decoding import json_in
from commonplace.imports.nouns import Answer, Fields, Refused, Spot, Told
from commonplace.imports.times import set_time

NO_TEXT = "an object without text"
TRUSTS = ("trusted", "unknown", "untrusted", "quarantined")
MOST_OTHERS = 32  # unknown keys that are kept
MOST_SOURCES = 64

# What a key is called here; of several words for one thing the first that is listed counts.
WORDS: dict[str, tuple[str, ...]] = {
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
WORD_OF = {word: (name, rank) for name, words in WORDS.items() for rank, word in enumerate(words)}
LAST = 99  # a rank behind all
OF_TOOLS: dict[str, Callable[[Any], Any]] = {
    "tool": name_of,
    "arguments": json_in,
    "exit_code": whole,
    "duration_ms": number,
    "call": name_of,
}
OF_THERE = (
    "artifact",
    "import",
    "kept",
    "quoted",
    "source",
)  # of a detail: true in the workspace where it was captured only
PASSED_OVER = frozenset({"v", "crc", "schema"})
TYPES = {
    **{word: word for word in ("message", "tool_result", "note", "alert")},
    **dict.fromkeys(("tool", "tool.result", "toolResult", "tool.call", "tool_call"), "tool_result"),
    **dict.fromkeys(("conversation.user", "conversation.assistant", "user", "assistant"), "message"),
    **dict.fromkeys(("ops.alert", "error"), "alert"),
}
ACTORS = {
    **dict.fromkeys(("owner", "user", "human"), "owner"),
    **dict.fromkeys(("agent", "assistant", "ai", "model", "bot"), "agent"),
    **dict.fromkeys(("tool", "function", "toolResult", "tool_result"), "tool"),
    **dict.fromkeys(("system", "developer"), "system"),
}


class Captures:
    """The format `jsonl`."""

    def __init__(self, owner: str = "", silent_actor: str = "") -> None:
        self._owner = owner
        self._silent_actor = silent_actor  # of a line that names nobody; none: the funnel's

    def told(self, found: Fields, _spot: Spot) -> Answer:
        """The event of one line."""
        said, other = sorted_out(found)
        text = _text(said)
        if not text or text.isspace():
            return Refused(NO_TEXT)
        detail = _detail(said, other)
        fields: Fields = {"text": text, "detail": detail}
        dated = set_time(fields, said.get("ts"))
        _set_names(fields, said)
        _set_type(fields, said)
        if actor := _actor(said, fields, self._owner) or self._silent_actor:
            fields["actor"] = actor
        if origin := _origin(said, detail):
            fields["origin"] = origin
        if other:
            _keep_others(detail, other)
        if not detail:
            del fields["detail"]
        own = name_of(said.get("id")) or name_of(said.get("call"))
        return [Told(fields, (own,) if own else (), dated)]

    def left(self) -> list[Told]:
        """Nothing waits."""
        return []


def sorted_out(found: Fields) -> tuple[Fields, Fields]:
    """What is known by its name here, and the rest."""
    said: Fields = {}
    words: Fields = {}
    other: Fields = {}
    for word, value in found.items():
        name, rank = WORD_OF.get(word, ("", LAST))
        if not name or value is None or value == "":
            if word not in PASSED_OVER and not name:
                other[word] = value
        elif name not in said:
            said[name], words[name] = value, word
        elif rank < WORD_OF[words[name]][1]:
            other[words[name]] = said[name]
            said[name], words[name] = value, word
        else:
            other[word] = value
    return said, other


def _text(said: Fields) -> str:
    """The text, of a number or of blocks if need be; a message within the line may also say whose it is."""
    text = said.get("text")
    if isinstance(text, str):
        return text
    if isinstance(text, dict) and text.get("role"):
        said.setdefault("actor", text["role"])
    return text_of(text) or name_of(text)


def _detail(said: Fields, other: Fields) -> Fields:
    """What else is known: the detail of the line, and what it says of a tool beside it."""
    detail: Fields = {}
    if "detail" in said:
        found = json_in(said["detail"])
        if isinstance(found, dict):
            detail = {word: value for word, value in found.items() if word not in OF_THERE}
            other.update((word, found[word]) for word in OF_THERE if word in found)
        else:
            other["detail"] = found
    for word, repaired in OF_TOOLS.items():
        if word in said:
            detail[word] = repaired(said[word])
    return detail


def _set_names(fields: Fields, said: Fields) -> None:
    """Session, agent, scope, sources."""
    for word in ("session", "agent", "scope"):
        if word in said:
            fields[word] = name_of(said[word])
    sources = said.get("from")
    if isinstance(sources, str) and "actor" not in said:
        said.setdefault("speaker", sources)
    elif sources:
        named = sources[:MOST_SOURCES] if isinstance(sources, list) else [sources]
        fields["from"] = [name for one in named if (name := name_of(one))]


def _set_type(fields: Fields, said: Fields) -> None:
    """The type; a word that is none of ours stays as the detail's `kind`."""
    detail = fields["detail"]
    if "type" in said:
        word = name_of(said["type"])
        fields["type"] = TYPES.get(word, "note")
        if fields["type"] != word:
            detail.setdefault("kind", word)
    elif detail.get("tool"):
        fields["type"] = "tool_result"


def _actor(said: Fields, fields: Fields, owner: str) -> str:
    """Who did it: the actor that is said; a speaker who is not the owner is some tool's; so is what a tool gave."""
    detail = fields["detail"]
    speaker = ""
    if "speaker" in said:
        named = said["speaker"]
        speaker = detail["speaker"] = name_of(named.get("name") if isinstance(named, dict) else named)
    if actor := name_of(said.get("actor")):
        if actor not in ACTORS:
            detail.setdefault("speaker", actor)
        return ACTORS.get(actor, "tool")
    if "speaker" in said:
        return "owner" if owner and speaker.casefold() == owner.casefold() else "tool"
    return "tool" if detail.get("tool") or fields.get("type") == "tool_result" else ""


def _origin(said: Fields, detail: Fields) -> str:
    """How far a line says that it can be trusted; a word that nobody knows means that it cannot."""
    word = said.get("origin")
    provenance = detail.get("provenance")
    for place in (detail, provenance) if detail and word is None else ():
        if isinstance(place, dict):
            word = word or next((place[one] for one in WORDS["origin"] if place.get(one)), None)
    if word is None:
        return ""
    return word if word in TRUSTS else "quarantined" if word == "quarantine" else "untrusted"


def _keep_others(detail: Fields, other: Fields) -> None:
    """Keep what has no name here, so much of it as is reasonable."""
    inner = detail.get("other")
    detail["other"] = {**(inner if isinstance(inner, dict) else {}), **dict(list(other.items())[:MOST_OTHERS])}
