"""Reads Claude Code transcripts: one line for each message of a session, tool results among those of the user."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, ReadResult, StreamPosition
from commonplace.capture.imports.message_content import (
    CallPairing,
    MessageContent,
    ToolResult,
    extract_text,
    parse_message_content,
    parse_number,
    set_event_time,
    shorten_name,
)

AGENT = "claude-code"
OWN_TOOL_PATTERN = re.compile(r"mcp__(plugin_commonplace_)?commonplace__")  # what the tools of memory itself are called
HEADLESS_SOURCE = "sdk"  # the source of a prompt that a program handed over
PERSON_ORIGINS = ("human", HEADLESS_SOURCE)  # where a turn comes from that nobody scheduled
# A message of the user that begins so was written by a program: output of a command, news of a task, another agent.
PROGRAM_MESSAGE_PREFIXES = (
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
HOST_BLOCK_TAGS = (
    "ide_selection",
    "ide_opened_file",
    "ide_diagnostics",
    "system-reminder",
    "browser_instruction",
    "user-prompt-submit-hook",
)


class ClaudeCodeTranscript:
    """The format `claude-code`."""

    def __init__(self, owner: str = "") -> None:
        self._owner = owner
        self._calls = CallPairing()
        self._own_call_ids: dict[str, None] = {}  # ids of calls of memory's own tools: what they tell is no news

    def read_object(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The events of one line."""
        kind = source_object.get("type")
        message = source_object.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            return NoEvent(f"an entry of type {kind!r}") if isinstance(kind, str) else ParseFailure("no message")
        for mark in ("isMeta", "isCompactSummary", "isApiErrorMessage"):
            if source_object.get(mark) is True:
                return NoEvent(f"a message that is marked {mark}")
        said = parse_message_content(
            _strip_host_content(message.get("content")) if kind == "user" else message.get("content")
        )
        fields = _read_session_fields(source_object)
        told = self._read_text(kind, source_object, said, fields)
        for call in said.calls:
            if call.id and OWN_TOOL_PATTERN.match(call.tool):
                self._own_call_ids[call.id] = None
            else:
                told += self._calls.add_call(call, fields, position)
        told += [
            self._read_tool_result(result, source_object, fields)
            for result in said.results
            if result.id not in self._own_call_ids
        ]
        return told or NoEvent("calls that wait for their results" if said.calls else "a message without text")

    def flush(self) -> list[EventDraft]:
        """Calls without a result."""
        return self._calls.flush()

    def _read_text(
        self, kind: str, source_object: Fields, message_content: MessageContent, fields: Fields
    ) -> list[EventDraft]:
        """What was said in words, by whom: in a side chain the agent speaks to itself."""
        if not message_content.text.strip():
            return []
        ids = (shorten_name(source_object.get("uuid")),) if shorten_name(source_object.get("uuid")) else ()
        bare_result = "toolUseResult" in source_object and not message_content.results
        if kind == "user" and (bare_result or message_content.text.lstrip().startswith(PROGRAM_MESSAGE_PREFIXES)):
            actor = "tool"
        else:
            actor = "owner" if kind == "user" and source_object.get("isSidechain") is not True else "agent"
        fields = {**fields, "type": "message", "actor": actor, "text": message_content.text}
        return [
            EventDraft(
                self._apply_prompt_origin(fields, source_object),
                ids,
                "ts" in fields,
                global_names=_prompt_global_names(fields, source_object),
            )
        ]

    def _apply_prompt_origin(self, fields: Fields, source_object: Fields) -> Fields:
        """A user's message as far as he can be believed to have written it: what the host sends itself is a tool's,
        what a program hands over may hold anybody's words."""
        if fields["actor"] != "owner":
            return fields
        source, origin = source_object.get("promptSource"), source_object.get("turnOrigin", "human")
        sent = source_object.get("origin")
        kind = sent.get("kind", "human") if isinstance(sent, dict) else "human"
        if source == "system" or origin not in PERSON_ORIGINS or kind not in PERSON_ORIGINS:
            return {**fields, "actor": "tool"}
        entry = source_object.get("entrypoint")
        by_program = (
            entry.startswith(f"{HEADLESS_SOURCE}-") if isinstance(entry, str) and entry else source == HEADLESS_SOURCE
        )
        return {**fields, "origin": "untrusted"} if by_program and not self._owner else fields

    def _read_tool_result(self, result: ToolResult, source_object: Fields, fields: Fields) -> EventDraft:
        """A tool's result; by its call it is known again when a hook told it before the transcript did."""
        draft = self._calls.pair_result(_merge_tool_outcome(result, source_object), fields)
        draft.global_names = (f"tool\0{result.id}",) if result.id else ()
        return draft


def _strip_host_content(content: Any) -> Any:
    """The content of a user's message without what the host put into it; a command as it was typed."""
    if isinstance(content, str):
        return _strip_host_blocks(content)
    if not isinstance(content, list):
        return content
    is_text = [
        isinstance(one, dict) and one.get("type") == "text" and isinstance(one.get("text"), str) for one in content
    ]
    return [
        {**one, "text": _strip_host_blocks(one["text"])} if text else one
        for one, text in zip(content, is_text, strict=True)
    ]


def _strip_host_blocks(text: str) -> str:
    """A text without the host's blocks. A file that is quoted in one may hold its end: the last one counts, and what is
    not closed goes to the end of the text."""
    for name in HOST_BLOCK_TAGS if "<" in text else ():
        before, opened, rest = text.partition(f"<{name}>")
        if opened:
            text = before.rstrip() + (rest.rpartition(f"</{name}>")[2] if f"</{name}>" in rest else "")
    command = _typed_command_pattern().match(text)
    return f"{command[1]} {command[2] or ''}".rstrip() if command else text


@cache
def _typed_command_pattern() -> re.Pattern[str]:
    """How a transcript keeps a command that was typed: its name and its arguments, a message about it before."""
    message = r"\s*(?:<command-message>[^<]*</command-message>\s*)?"
    return re.compile(
        message + r"<command-name>([^<]*)</command-name>(?:.*?<command-args>(.*)</command-args>)?", re.DOTALL
    )


def _prompt_global_names(fields: Fields, source_object: Fields) -> tuple[str, ...]:
    """By what a prompt is known again that a hook told before it stood in the transcript: a hook knows no time."""
    prompt = shorten_name(source_object.get("promptId"))
    return (f"prompt\0{prompt}\0{fields['text'].strip()}",) if prompt and fields["actor"] == "owner" else ()


def _read_session_fields(source_object: Fields) -> Fields:
    """When and where it was said."""
    fields: Fields = {"agent": shorten_name(source_object.get("agentId")) or AGENT}
    set_event_time(fields, source_object.get("timestamp"))
    if session := shorten_name(source_object.get("sessionId")):
        fields["session"] = session
    detail: Fields = {word: name for word in ("cwd", "gitBranch") if (name := shorten_name(source_object.get(word)))}
    if source_object.get("isSidechain") is True:
        detail["sidechain"] = True
    if detail:
        fields["detail"] = {**fields.get("detail", {}), **detail}
    return fields


def _merge_tool_outcome(result: ToolResult, source_object: Fields) -> ToolResult:
    """The result with what the line says beside it; without a word of failure it went well."""
    outcome: Any = source_object.get("toolUseResult")
    outcome = outcome if isinstance(outcome, dict) else {}
    stopped = outcome.get("interrupted") is True or bool(outcome.get("backgroundTaskId"))
    if result.exit_code is None:
        result.exit_code = 0
    if stopped:
        result.exit_code = None
    if not result.text.strip():
        result.text = "\n".join(text for word in ("stdout", "stderr") if (text := extract_text(outcome.get(word))))
    if result.duration_ms is None:
        result.duration_ms = parse_number(outcome.get("durationMs", outcome.get("totalDurationMs")))
    return result
