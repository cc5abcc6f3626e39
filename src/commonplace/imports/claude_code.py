"""Transcripts of Claude Code: one line for each message of a session, tool results among the user's."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from commonplace.imports.blocks import Result, Spoken, name_of, number, spoken, text_of
from commonplace.imports.calls import Calls
from commonplace.imports.nouns import Answer, Fields, Quiet, Refused, Spot, Told
from commonplace.imports.times import set_time

AGENT = "claude-code"
OURS = re.compile(r"mcp__(plugin_commonplace_)?commonplace__")  # what the tools of memory itself are called
HEADLESS = "sdk"  # the source of a prompt that a program handed over
PERSON = ("human", HEADLESS)  # where a turn comes from that nobody scheduled
# A message of the user that begins so was written by a program: output of a command, news of a task, another agent.
NOT_TYPED = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "<agent-message",
    "<cross-session-message",
    "Another Claude session sent a message:",
)
# What the host puts into a message of the user: what stands in an editor, what it tells the model by itself.
ADDED = (
    "ide_selection",
    "ide_opened_file",
    "ide_diagnostics",
    "system-reminder",
    "browser_instruction",
    "user-prompt-submit-hook",
)


class Transcript:
    """The format `claude-code`."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner
        self._calls = Calls()
        self._ours: dict[str, None] = {}  # ids of calls of memory's own tools: what they tell is no news

    def told(self, found: Fields, spot: Spot) -> Answer:
        """The events of one line."""
        kind = found.get("type")
        message = found.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            return Quiet(f"an entry of type {kind!r}") if isinstance(kind, str) else Refused("no message")
        for mark in ("isMeta", "isCompactSummary", "isApiErrorMessage"):
            if found.get(mark) is True:
                return Quiet(f"a message that is marked {mark}")
        said = spoken(_typed(message.get("content")) if kind == "user" else message.get("content"))
        fields = _fields(found)
        told = self._text(kind, found, said, fields)
        for call in said.calls:
            if call.id and OURS.match(call.tool):
                self._ours[call.id] = None
            else:
                told += self._calls.called(call, fields, spot)
        told += [self._answered(result, found, fields) for result in said.results if result.id not in self._ours]
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
        fields = {**fields, "type": "message", "actor": actor, "text": said.text}
        return [Told(self._judged(fields, found), ids, "ts" in fields, names=_prompt_names(fields, found))]

    def _judged(self, fields: Fields, found: Fields) -> Fields:
        """A user's message as far as he can be believed to have written it: what the host sends itself is a tool's,
        what a program hands over may hold anybody's words."""
        if fields["actor"] != "owner":
            return fields
        source, origin = found.get("promptSource"), found.get("turnOrigin", "human")
        sent = found.get("origin")
        kind = sent.get("kind", "human") if isinstance(sent, dict) else "human"
        if source == "system" or origin not in PERSON or kind not in PERSON:
            return {**fields, "actor": "tool"}
        entry = found.get("entrypoint")
        by_program = entry.startswith(f"{HEADLESS}-") if isinstance(entry, str) and entry else source == HEADLESS
        return {**fields, "origin": "untrusted"} if by_program and not self._owner else fields

    def _answered(self, result: Result, found: Fields, fields: Fields) -> Told:
        """A tool's result; by its call it is known again when a hook told it before the transcript did."""
        told = self._calls.answered(_with_outcome(result, found), fields)
        told.names = (f"tool\0{result.id}",) if result.id else ()
        return told


def _typed(content: Any) -> Any:
    """The content of a user's message without what the host put into it; a command as it was typed."""
    if isinstance(content, str):
        return _bare(content)
    if not isinstance(content, list):
        return content
    is_text = [
        isinstance(one, dict) and one.get("type") == "text" and isinstance(one.get("text"), str) for one in content
    ]
    return [{**one, "text": _bare(one["text"])} if text else one for one, text in zip(content, is_text, strict=True)]


def _bare(text: str) -> str:
    """A text without the host's blocks. A file that is quoted in one may hold its end: the last one counts, and what is
    not closed goes to the end of the text."""
    for name in ADDED if "<" in text else ():
        before, opened, rest = text.partition(f"<{name}>")
        if opened:
            text = before.rstrip() + (rest.rpartition(f"</{name}>")[2] if f"</{name}>" in rest else "")
    command = _command().match(text)
    return f"{command[1]} {command[2] or ''}".rstrip() if command else text


@cache
def _command() -> re.Pattern[str]:
    """How a transcript keeps a command that was typed: its name and its arguments, a message about it before."""
    message = r"\s*(?:<command-message>[^<]*</command-message>\s*)?"
    return re.compile(
        message + r"<command-name>([^<]*)</command-name>(?:.*?<command-args>(.*)</command-args>)?", re.DOTALL
    )


def _prompt_names(fields: Fields, found: Fields) -> tuple[str, ...]:
    """By what a prompt is known again that a hook told before it stood in the transcript: a hook knows no time."""
    prompt = name_of(found.get("promptId"))
    return (f"prompt\0{prompt}\0{fields['text'].strip()}",) if prompt and fields["actor"] == "owner" else ()


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
