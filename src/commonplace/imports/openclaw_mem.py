"""Lines that openclaw-mem writes: observations, and the spool of its episodes."""

from __future__ import annotations

from typing import Any

from commonplace.imports.blocks import Call, Result, call_id, exit_code, name_of, number, text_of, whole
from commonplace.imports.calls import Calls
from commonplace.imports.captures import NO_TEXT, Captures
from commonplace.imports.decoding import json_in
from commonplace.imports.nouns import Answer, Fields, Quiet, Refused, Spot, Told
from commonplace.imports.times import set_time

# Who acts in an episode, and what sort of event it is.
EPISODES = {
    "conversation.user": ("owner", "message"),
    "conversation.assistant": ("agent", "message"),
    "ops.alert": ("system", "alert"),
    "ops.decision": ("agent", "note"),
    "ops.observation": ("agent", "note"),
}
FULLER = ("text", "content", "message", "output", "result")  # of a payload: what its summary sums up


class Observations:
    """The format `openclaw-mem`."""

    def __init__(self) -> None:
        self._captures = Captures(silent_actor="agent")
        self._calls = Calls()

    def told(self, found: Fields, spot: Spot) -> Answer:
        """The events of one line."""
        if "event_id" in found and "ts_ms" in found:
            return self._episode(found, spot)
        detail = json_in(found.get("detail", found.get("detail_json")))
        message = text_of(detail.get("message")) if isinstance(detail, dict) else ""
        if len(message) > len(text_of(found.get("summary"))):
            found = {**found, "text": message}
        return self._captures.told(found, spot)

    def left(self) -> list[Told]:
        """Calls without a result."""
        return self._calls.left()

    def _episode(self, found: Fields, spot: Spot) -> Answer:
        kind = name_of(found.get("type"))
        payload = json_in(found.get("payload"))
        payload = payload if isinstance(payload, dict) else {}
        summary = text_of(found.get("summary"))
        fields = _fields(found, kind)
        if kind == "tool.call":
            told = self._calls.called(_call(found, payload), fields, spot)
            return told or Quiet("a call that waits for its result")
        text = max((text_of(payload.get(word)) for word in FULLER), key=len)
        text = text if len(text) > len(summary) else summary
        if kind == "tool.result":
            return [self._calls.answered(_result(payload, text), fields)]
        if not text or text.isspace():
            return Refused(NO_TEXT)
        fields["text"] = text
        fields["actor"], fields["type"] = EPISODES.get(kind, ("agent", "note"))
        return [Told(fields, (name_of(found["event_id"]),), "ts" in fields)]


def _fields(found: Fields, kind: str) -> Fields:
    fields: Fields = {"detail": {"kind": kind}}
    set_time(fields, found.get("ts_ms"))
    for word, name in (("session_id", "session"), ("agent_id", "agent"), ("scope", "scope")):
        if value := name_of(found.get(word)):
            fields[name] = value
    if found.get("refs"):
        fields["detail"]["other"] = {"refs": found["refs"]}
    return fields


def _call(found: Fields, payload: Fields) -> Call:
    arguments: Any = next((payload[word] for word in ("arguments", "params", "args", "input") if word in payload), None)
    return Call(call_id(payload) or f"episode:{name_of(found['event_id'])}", _tool(payload), json_in(arguments))


def _result(payload: Fields, text: str) -> Result:
    failed = next((payload[word] for word in ("is_error", "isError") if isinstance(payload.get(word), bool)), None)
    code = next((payload[word] for word in ("exit_code", "exitCode") if word in payload), None)
    duration = number(payload.get("duration_ms", payload.get("durationMs")))
    return Result(call_id(payload), _tool(payload), text, exit_code(whole(code), failed, text), duration)


def _tool(payload: Fields) -> str:
    return next(
        (name for word in ("tool_name", "toolName", "tool", "name") if (name := name_of(payload.get(word)))), ""
    )
