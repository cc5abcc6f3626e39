"""Transcripts of Claude Code: one line for each message of a session, tool results among the user's."""

from __future__ import annotations

from typing import Any

from commonplace.imports.blocks import Result, Spoken, name_of, number, spoken, text_of
from commonplace.imports.calls import Calls
from commonplace.imports.nouns import Answer, Fields, Quiet, Refused, Spot, Told
from commonplace.imports.times import set_time

AGENT = "claude-code"
# A message of the user that begins so was written by a program: output of a command, news of a task.
NOT_TYPED = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
)


class Transcript:
    """The format `claude-code`."""

    def __init__(self) -> None:
        self._calls = Calls()

    def told(self, found: Fields, spot: Spot) -> Answer:
        """The events of one line."""
        kind = found.get("type")
        message = found.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            return Quiet(f"an entry of type {kind!r}") if isinstance(kind, str) else Refused("no message")
        for mark in ("isMeta", "isCompactSummary", "isApiErrorMessage"):
            if found.get(mark) is True:
                return Quiet(f"a message that is marked {mark}")
        said = spoken(message.get("content"))
        fields = _fields(found)
        told = self._text(kind, found, said, fields)
        for call in said.calls:
            told += self._calls.called(call, fields, spot)
        told += [self._calls.answered(_with_outcome(result, found), fields) for result in said.results]
        return told or Quiet("calls that wait for their results" if said.calls else "a message without text")

    def left(self) -> list[Told]:
        """Calls without a result."""
        return self._calls.left()

    def _text(self, kind: str, found: Fields, said: Spoken, fields: Fields) -> list[Told]:
        """What was said in words, by whom: in a side chain the agent speaks to itself."""
        if not said.text.strip():
            return []
        ids = (name_of(found.get("uuid")),) if name_of(found.get("uuid")) else ()
        bare_result = "toolUseResult" in found and not said.results
        if kind == "user" and (bare_result or said.text.lstrip().startswith(NOT_TYPED)):
            actor = "tool"
        else:
            actor = "owner" if kind == "user" and found.get("isSidechain") is not True else "agent"
        return [Told({**fields, "type": "message", "actor": actor, "text": said.text}, ids, "ts" in fields)]


def _fields(found: Fields) -> Fields:
    """When and where it was said."""
    fields: Fields = {"agent": name_of(found.get("agentId")) or AGENT}
    set_time(fields, found.get("timestamp"))
    if session := name_of(found.get("sessionId")):
        fields["session"] = session
    detail: Fields = {word: name for word in ("cwd", "gitBranch") if (name := name_of(found.get(word)))}
    if found.get("isSidechain") is True:
        detail["sidechain"] = True
    if detail:
        fields["detail"] = {**fields.get("detail", {}), **detail}
    return fields


def _with_outcome(result: Result, found: Fields) -> Result:
    """The result with what the line says beside it; without a word of failure it went well."""
    outcome: Any = found.get("toolUseResult")
    outcome = outcome if isinstance(outcome, dict) else {}
    stopped = outcome.get("interrupted") is True or bool(outcome.get("backgroundTaskId"))
    if result.exit_code is None:
        result.exit_code = 0
    if stopped:
        result.exit_code = None
    if not result.text.strip():
        result.text = "\n".join(text for word in ("stdout", "stderr") if (text := text_of(outcome.get(word))))
    if result.duration_ms is None:
        result.duration_ms = number(outcome.get("durationMs", outcome.get("totalDurationMs")))
    return result
