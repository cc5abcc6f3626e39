"""Captures what is new in a Claude Code transcript, and renders a single hook event as transcript lines."""

from __future__ import annotations

import os
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
from msgspec import Struct

from commonplace.capture.imports import extract_text
from commonplace.errors import CommonplaceError, OutsideWorkspace
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.turns import TurnOutcome
from commonplace.turns.claude_code.session import read_text_field, resolve_transcript_owner

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.turns.claude_code.session import ClaudeCodeOptions, HookSession
MAX_LINE_BYTES = 3_000_000  # bytes of a line; of what is longer the transcript has more to say
LEFT_FOR_TRANSCRIPT = "left for the transcript"


def render_event_lines(event_fields: Json, hook_session: HookSession, hook_options: ClaudeCodeOptions) -> BytesIO | str:
    """The lines that the transcript will have for an event, or why there are none."""
    context: Json = {"sessionId": hook_session.session, "cwd": read_text_field(event_fields, "cwd")}
    if hook_session.agent:
        context |= {"agentId": hook_session.agent, "isSidechain": True}
    if hook_session.event == "UserPromptSubmit":
        lines = _build_prompt_lines(event_fields, hook_session)
    elif hook_session.event in ("PostToolUse", "PostToolUseFailure"):
        lines = _build_tool_lines(event_fields, hook_session, hook_options)
    else:
        lines = f"nothing is captured at {hook_session.event!r}"
    if isinstance(lines, str):
        return lines
    written = [msgspec.json.encode({**context, **line}) + b"\n" for line in lines]
    return LEFT_FOR_TRANSCRIPT if max(map(len, written)) > MAX_LINE_BYTES else BytesIO(b"".join(written))


def _build_prompt_lines(event_fields: Json, hook_session: HookSession) -> list[Json] | str:
    """A prompt; what has no id, or is a command, which the transcript has in other words, is not known again there."""
    said, prompt_id = event_fields.get("prompt"), read_text_field(event_fields, "prompt_id")
    if not isinstance(said, str) or not said.strip():
        return "nothing was said in words"
    if not prompt_id or said.lstrip().startswith("/"):
        return LEFT_FOR_TRANSCRIPT
    source, message = "sdk" if hook_session.is_headless else "typed", {"role": "user", "content": said}
    line = {"type": "user", "promptId": prompt_id, "entrypoint": hook_session.entrypoint, "promptSource": source}
    return [{**line, "message": message}]


def _build_tool_lines(
    event_fields: Json, hook_session: HookSession, hook_options: ClaudeCodeOptions
) -> list[Json] | str:
    """A call and its result, as the two lines that the transcript has for them."""
    if hook_options.tools == "off":
        return "the option `tools` is `off`"
    tool, call = read_text_field(event_fields, "tool_name"), read_text_field(event_fields, "tool_use_id")
    if not tool or not call:
        return LEFT_FOR_TRANSCRIPT
    use = {"type": "tool_use", "id": call, "name": tool, "input": event_fields.get("tool_input")}
    if failed := hook_session.event == "PostToolUseFailure":
        text = extract_text(event_fields.get("error"))
    else:
        text = _extract_response_text(event_fields.get("tool_response"))
    result: Json = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
    if isinstance(event_fields.get("duration_ms"), int | float):
        result["durationMs"] = event_fields["duration_ms"]
    messages = {"assistant": use, "user": result}
    return [{"type": role, "message": {"role": role, "content": [block]}} for role, block in messages.items()]


def _extract_response_text(response: Any) -> str:
    """The result of a tool as text: the output of a command, the content of a file, else the result as it is."""
    inner = response
    if isinstance(response, dict):
        outputs = [text for name in ("stdout", "stderr") if (text := extract_text(response.get(name)))]
        if outputs:
            return "\n".join(outputs)
        inner = response["file"] if isinstance(response.get("file"), dict) else response
    return extract_text(inner) or (msgspec.json.encode(response).decode() if response else "")


BOUNDARY_EVENTS = ("PreCompact", "Stop", "StopFailure", "SubagentStop", "SessionEnd")
PROGRESS_FOLDER = ".memory/turns"
READ_BYTES = 64 << 10
MAX_NEW_BYTES = 64 << 20  # bytes of one hook; what is behind them is for the next
PREFIX_BYTES = 256  # bytes before an end that must be as they were, or the file is another
SUBAGENT_FOLDER = "subagents"
MAX_SUBAGENTS = 100


class ReadPosition(Struct, array_like=True):
    """How far a transcript was read: the offset of what is new, and a digest of the bytes before it."""

    offset: int = 0
    prefix_digest: str = ""


class TranscriptProgress(Struct):
    """The progress of a session: how far each of its transcripts was read, whether the host cut off its beginning, and
    the ids of the lines that its model has in its context."""

    seen: dict[str, ReadPosition] = {}
    compacted: bool = False
    shown: tuple[str, ...] = ()


def note_shown(root: str, session: str, record_ids: tuple[str, ...], *, is_start: bool = False) -> None:
    """Note what a hook shows to the model; at a start that is all that it has."""
    noted = read_progress(root, session)
    before, noted.shown = noted.shown, tuple(sorted({*record_ids, *(() if is_start else noted.shown)}))
    if noted.shown != before and session:
        with suppress(CommonplaceError):  # then it is shown again
            _write_progress(root, session, noted)


def _write_progress(root: str, session: str, progress: TranscriptProgress) -> None:
    files.write_atomic(root, _progress_path(session), msgspec.json.encode(progress), durable=False)


def capture_transcripts(
    memory: Memory, event_fields: Json, hook_session: HookSession, hook_options: ClaudeCodeOptions
) -> TurnOutcome:
    """Capture what is new in the transcripts that an event names. What cannot be read is said in the notes."""
    if hook_session.event == "SubagentStop" and not read_text_field(event_fields, "agent_type"):
        return TurnOutcome(skipped="an agent of the host's own, which leaves no transcript")
    noted = read_progress(memory.root, hook_session.session)
    noted.compacted |= hook_session.event == "PreCompact"
    owner = resolve_transcript_owner(hook_options)
    paths = _list_transcript_paths(event_fields, hook_session)
    done = [_capture_transcript_file(memory, path, hook_session, noted, owner=owner) for path in paths]
    notes = tuple(note for outcome in done for note in outcome.notes)
    is_over = hook_session.event == "SessionEnd" and not notes  # then nothing is left behind
    path = _progress_path(hook_session.session)
    if not is_over and (noted.seen or noted.compacted or noted.shown):
        _write_progress(memory.root, hook_session.session, noted)
    elif files.read_file_if_exists(memory.root, path) is not None:
        files.remove_file(memory.root, path)
    return TurnOutcome(sum(one.captured for one in done), sum(one.known for one in done), notes=notes)


def _list_transcript_paths(event_fields: Json, hook_session: HookSession) -> list[str]:
    """The transcripts of an event: a subagent's own; the session's, and where something ends those of its subagents."""
    is_subagent = hook_session.event == "SubagentStop"
    main = read_text_field(event_fields, "agent_transcript_path" if is_subagent else "transcript_path")
    if not main or hook_session.event not in ("PreCompact", "SessionEnd"):
        return [main] if main else []
    beside = os.path.expanduser(main).removesuffix(".jsonl")
    names = list(files.list_file_sizes(beside, SUBAGENT_FOLDER)) if os.path.isdir(beside) else []
    own = [name for name in names[:MAX_SUBAGENTS] if name.endswith(".jsonl")]
    return [main, *(os.path.join(beside, SUBAGENT_FOLDER, name) for name in own)]


def _capture_transcript_file(
    memory: Memory, path: str, hook_session: HookSession, progress: TranscriptProgress, *, owner: str
) -> TurnOutcome:
    path = os.path.expanduser(path)
    try:
        if not path.endswith(".jsonl"):
            raise OutsideWorkspace(path, "a transcript of Claude Code ends in .jsonl")
        with files.open_user_file(path, must_own=True) as (stream, identity):
            start = progress.seen.get(path, ReadPosition()).offset
            if not start or _compute_read_position(stream, start) != progress.seen[path]:
                start = 0  # the file is not the one that was read
            end = _find_last_line_end(stream, start)
            if end <= start:
                return TurnOutcome()
            window, scope = cast("BinaryIO", _StreamWindow(stream, start, end)), hook_session.scope
            done = memory.ingest(window, identity=identity, format="claude-code", owner=owner, scope=scope, name=path)
            progress.seen[path] = _compute_read_position(stream, end)
    except CommonplaceError as error:
        return TurnOutcome(notes=(error.message,))
    aside = (f"{done.set_aside} lines set aside in {done.kept_in}",) if done.set_aside else ()
    return TurnOutcome(done.captured, done.known, notes=(*memory.notes, *aside))


def _compute_read_position(stream: BinaryIO, offset: int) -> ReadPosition:
    """An offset with what is before it."""
    start = max(0, offset - PREFIX_BYTES)
    stream.seek(start)
    return ReadPosition(offset, files.content_digest(stream.read(offset - start)))


def _find_last_line_end(stream: BinaryIO, start: int) -> int:
    """The end of the last whole line, within the part that one hook reads; an incomplete one is left for the next."""
    end = min(stream.seek(0, os.SEEK_END), start + MAX_NEW_BYTES)
    while end > start:
        begin = max(start, end - READ_BYTES)
        stream.seek(begin)
        newline = stream.read(end - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return start


class _StreamWindow:
    """A stretch of a stream, read as a stream."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        stream.seek(start)
        self._stream, self._left = stream, end - start

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _progress_path(session: str) -> str:
    return f"{PROGRESS_FOLDER}/{files.text_digest(session)[:20]}.json"


def read_progress(root: str, session: str) -> TranscriptProgress:
    """The stored progress; empty if it cannot be read, because the keys of captures prevent duplicates anyway."""
    try:
        data = files.read_file_if_exists(root, _progress_path(session)) or b"{}"
        return msgspec.json.decode(data, type=TranscriptProgress)
    except (msgspec.DecodeError, CommonplaceError):
        return TranscriptProgress()
