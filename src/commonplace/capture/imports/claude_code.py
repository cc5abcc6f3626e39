"""Reads Claude Code transcripts: one line for each message of a session, tool results among those of the user."""

from __future__ import annotations

import re
from typing import Any

from commonplace.capture.imports import message_content as msg
from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, ReadResult, StreamPosition

AGENT = "claude-code"
OWN_TOOL_PREFIXES = ("mcp__commonplace__", "mcp__plugin_commonplace_commonplace__")  # of the tools of this program
# A typed command in a transcript: its name and its arguments, a message about it before.
TYPED_COMMAND = (
    r"(?s)\s*(?:<command-message>[^<]*</command-message>\s*)?"
    r"<command-name>([^<]*)</command-name>(?:.*?<command-args>(.*)</command-args>)?"
)
HEADLESS_SOURCE = "sdk"  # the source of a prompt that a program handed over
PERSON_ORIGINS = ("human", HEADLESS_SOURCE)  # of turns that were not scheduled
# Beginnings of user messages that a program wrote: output of a command, status of a task, another agent.
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
# Blocks that the host puts into a message of the user: the editor's selection, reminders for the model.
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
        self._calls = msg.CallPairing()
        self._own_call_ids: set[str] = set()  # of calls of this program's tools, whose results are no news

    def read_object(self, source_object: Fields, position: StreamPosition) -> ReadResult:
        """The events of one line."""
        kind = source_object.get("type")
        message = source_object.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            return NoEvent(f"an entry of type {kind!r}") if isinstance(kind, str) else ParseFailure("no message")
        for mark in ("isMeta", "isCompactSummary", "isApiErrorMessage"):
            if source_object.get(mark) is True:
                return NoEvent(f"a message that is marked {mark}")
        content = message.get("content")
        parsed = msg.parse_message_content(_strip_host_content(content) if kind == "user" else content)
        fields = _read_session_fields(source_object)
        drafts = self._read_text(kind, source_object, parsed, fields)
        for call in parsed.calls:
            if call.id and call.tool.startswith(OWN_TOOL_PREFIXES):
                self._own_call_ids.add(call.id)
            else:
                drafts += self._calls.add_call(call, fields, position)
        for result in parsed.results:
            if result.id not in self._own_call_ids:
                draft = self._calls.pair_result(_merge_tool_outcome(result, source_object), fields)
                # By its call it is recognized when a hook delivered it before the transcript did.
                draft.global_names = (f"tool\0{result.id}",) if result.id else ()
                drafts.append(draft)
        return drafts or NoEvent("calls that wait for their results" if parsed.calls else "a message without text")

    def flush(self) -> list[EventDraft]:
        """Calls without a result."""
        return self._calls.flush()

    def _read_text(
        self, kind: str, source_object: Fields, message_content: msg.MessageContent, fields: Fields
    ) -> list[EventDraft]:
        """The text of a message and its actor; in a side chain both sides are the agent."""
        if not message_content.text.strip():
            return []
        own = msg.shorten_name(source_object.get("uuid"))
        bare_result = "toolUseResult" in source_object and not message_content.results
        if kind == "user" and (bare_result or message_content.text.lstrip().startswith(PROGRAM_MESSAGE_PREFIXES)):
            actor = "tool"
        else:
            actor = "owner" if kind == "user" and source_object.get("isSidechain") is not True else "agent"
        fields = {**fields, "type": "message", "actor": actor, "text": message_content.text}
        # A hook that delivered a prompt before knew its id and no time.
        prompt = msg.shorten_name(source_object.get("promptId")) if actor == "owner" else ""
        names = (f"prompt\0{prompt}\0{message_content.text.strip()}",) if prompt else ()
        fields = self._apply_prompt_origin(fields, source_object)
        return [EventDraft(fields, (own,) if own else (), "ts" in fields, global_names=names)]

    def _apply_prompt_origin(self, fields: Fields, source_object: Fields) -> Fields:
        """A user's message as its origin allows: the host's own is a tool's, a program may pass on anybody's words."""
        if fields["actor"] != "owner":
            return fields
        source, origin = source_object.get("promptSource"), source_object.get("turnOrigin", "human")
        sent = source_object.get("origin")
        kind = sent.get("kind", "human") if isinstance(sent, dict) else "human"
        if source == "system" or origin not in PERSON_ORIGINS or kind not in PERSON_ORIGINS:
            return {**fields, "actor": "tool"}
        entry = source_object.get("entrypoint")
        name = entry if isinstance(entry, str) else ""
        by_program = name.startswith(f"{HEADLESS_SOURCE}-") if name else source == HEADLESS_SOURCE
        return {**fields, "origin": "untrusted"} if by_program and not self._owner else fields


def _strip_host_content(content: Any) -> Any:
    """The content of a user's message without what the host put into it; a command as it was typed."""
    if isinstance(content, str):
        return _strip_host_blocks(content)
    if not isinstance(content, list):
        return content
    return [
        {**block, "text": _strip_host_blocks(block["text"])}
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
        else block
        for block in content
    ]


def _strip_host_blocks(text: str) -> str:
    """A text without the host's blocks; a file quoted in one may contain its end tag, so the last one counts."""
    for name in HOST_BLOCK_TAGS if "<" in text else ():
        before, opened, rest = text.partition(f"<{name}>")
        if opened:
            text = before.rstrip() + (rest.rpartition(f"</{name}>")[2] if f"</{name}>" in rest else "")
    command = re.match(TYPED_COMMAND, text)
    return f"{command[1]} {command[2] or ''}".rstrip() if command else text


def _read_session_fields(source_object: Fields) -> Fields:
    """Agent, time, session and folder of a message."""
    fields: Fields = {"agent": msg.shorten_name(source_object.get("agentId")) or AGENT}
    msg.set_event_time(fields, source_object.get("timestamp"))
    if session := msg.shorten_name(source_object.get("sessionId")):
        fields["session"] = session
    detail: Fields = {key: name for key in ("cwd", "gitBranch") if (name := msg.shorten_name(source_object.get(key)))}
    if source_object.get("isSidechain") is True:
        detail["sidechain"] = True
    if detail:
        fields["detail"] = {**fields.get("detail", {}), **detail}
    return fields


def _merge_tool_outcome(result: msg.ToolResult, source_object: Fields) -> msg.ToolResult:
    """The result with the outcome that the line states beside it; without a failure the exit code is 0."""
    outcome = msg.object_or_empty(source_object.get("toolUseResult"))
    if outcome.get("interrupted") is True or outcome.get("backgroundTaskId"):
        result.exit_code = None
    elif result.exit_code is None:
        result.exit_code = 0
    if not result.text.strip():
        result.text = "\n".join(text for word in ("stdout", "stderr") if (text := msg.extract_text(outcome.get(word))))
    if result.duration_ms is None:
        result.duration_ms = msg.parse_number(outcome.get("durationMs", outcome.get("totalDurationMs")))
    return result
