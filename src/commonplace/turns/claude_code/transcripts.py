"""Captures what is new in a Claude Code transcript, and renders a single hook event as transcript lines."""

from __future__ import annotations

import os
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
    """The lines, or why there are none."""
    if hook_session.event == "UserPromptSubmit":
        return _render_prompt_line(event_fields, hook_session)
    if hook_session.event in ("PostToolUse", "PostToolUseFailure"):
        return _render_tool_lines(event_fields, hook_session, hook_options)
    return f"nothing is captured at {hook_session.event!r}"


def _render_prompt_line(event_fields: Json, hook_session: HookSession) -> BytesIO | str:
    """A prompt; without the id that the transcript will give it, it could not be known again there, nor could a
    command, which stands there in other words."""
    said, prompt_id = event_fields.get("prompt"), read_text_field(event_fields, "prompt_id")
    if not isinstance(said, str) or not said.strip():
        return "nothing was said in words"
    if not prompt_id or said.lstrip().startswith("/"):
        return LEFT_FOR_TRANSCRIPT
    line = {
        **_build_line_context(event_fields, hook_session),
        "type": "user",
        "promptId": prompt_id,
        "entrypoint": hook_session.entrypoint,
        "promptSource": "sdk" if hook_session.is_headless else "typed",
        "message": {"role": "user", "content": said},
    }
    return _encode_transcript_lines(line)


def _render_tool_lines(event_fields: Json, hook_session: HookSession, hook_options: ClaudeCodeOptions) -> BytesIO | str:
    """A call and its result, as the two lines that the transcript has for them."""
    if hook_options.tools == "off":
        return "the option `tools` is `off`"
    tool, call = read_text_field(event_fields, "tool_name"), read_text_field(event_fields, "tool_use_id")
    if not tool or not call:
        return LEFT_FOR_TRANSCRIPT
    around = _build_line_context(event_fields, hook_session)
    asked = {"type": "tool_use", "id": call, "name": tool, "input": event_fields.get("tool_input")}
    failed = hook_session.event == "PostToolUseFailure"
    told = (
        extract_text(event_fields.get("error")) if failed else _extract_response_text(event_fields.get("tool_response"))
    )
    result: Json = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}
    if isinstance(event_fields.get("duration_ms"), int | float):
        result["durationMs"] = event_fields["duration_ms"]
    return _encode_transcript_lines(
        {**around, "type": "assistant", "message": {"role": "assistant", "content": [asked]}},
        {**around, "type": "user", "message": {"role": "user", "content": [result]}},
    )


def _extract_response_text(response: Any) -> str:
    """What a tool answered, as text: the outputs of a command, the content of a file, else as it is."""
    if isinstance(response, dict):
        outputs = [extract_text(response.get(name)) for name in ("stdout", "stderr")]
        if any(outputs):
            return "\n".join(text for text in outputs if text)
        inner = response.get("file")
        found = extract_text(inner) if isinstance(inner, dict) else extract_text(response)
        if found:
            return found
    elif found := extract_text(response):
        return found
    return msgspec.json.encode(response).decode() if response else ""


def _build_line_context(event_fields: Json, hook_session: HookSession) -> Json:
    """Where it happened, as each line of a transcript says it."""
    around: Json = {"sessionId": hook_session.session, "cwd": read_text_field(event_fields, "cwd")}
    return {**around, "agentId": hook_session.agent, "isSidechain": True} if hook_session.agent else around


def _encode_transcript_lines(*lines: Json) -> BytesIO | str:
    written = [msgspec.json.encode(line) + b"\n" for line in lines]
    return LEFT_FOR_TRANSCRIPT if max(map(len, written)) > MAX_LINE_BYTES else BytesIO(b"".join(written))


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
    """What is noted of a session: how far each of its transcripts was read, and whether the host cut its beginning."""

    seen: dict[str, ReadPosition] = {}
    compacted: bool = False


def is_compacted(root: str, session: str) -> bool:
    """Whether the model has lost the beginning of a session."""
    return _read_progress(root, session).compacted


def capture_transcripts(
    memory: Memory, event_fields: Json, hook_session: HookSession, hook_options: ClaudeCodeOptions
) -> TurnOutcome:
    """Capture what is new in the transcripts that an event names. What cannot be read is said in the notes."""
    if hook_session.event == "SubagentStop" and not read_text_field(event_fields, "agent_type"):
        return TurnOutcome(skipped="an agent of the host's own, which leaves no transcript")
    noted = _read_progress(memory.root, hook_session.session)
    noted.compacted |= hook_session.event == "PreCompact"
    done = TurnOutcome()
    for path in _list_transcript_paths(event_fields, hook_session):
        done = _add_outcomes(
            done, _capture_transcript_file(memory, path, _TranscriptContext(hook_session, hook_options, noted))
        )
    _write_progress(
        memory.root,
        hook_session.session,
        TranscriptProgress() if hook_session.event == "SessionEnd" and not done.notes else noted,
    )
    return done


class _TranscriptContext(Struct, frozen=True):
    session: HookSession
    options: ClaudeCodeOptions
    progress: TranscriptProgress


def _list_transcript_paths(event_fields: Json, hook_session: HookSession) -> list[str]:
    """The transcripts of an event: a subagent's own; the session's, and where something ends those of its subagents."""
    if hook_session.event == "SubagentStop":
        return [path for path in [read_text_field(event_fields, "agent_transcript_path")] if path]
    main = read_text_field(event_fields, "transcript_path")
    if not main or hook_session.event not in ("PreCompact", "SessionEnd"):
        return [main] if main else []
    beside = os.path.expanduser(main).removesuffix(".jsonl")
    names = list(files.list_file_sizes(beside, SUBAGENT_FOLDER)) if os.path.isdir(beside) else []
    return [
        main,
        *(os.path.join(beside, SUBAGENT_FOLDER, name) for name in names[:MAX_SUBAGENTS] if name.endswith(".jsonl")),
    ]


def _capture_transcript_file(memory: Memory, path: str, transcript_context: _TranscriptContext) -> TurnOutcome:
    path = os.path.expanduser(path)
    try:
        if not path.endswith(".jsonl"):
            raise OutsideWorkspace(path, "a transcript of Claude Code ends in .jsonl")
        with files.open_owned_file(path) as (stream, identity):
            return _ingest_new_lines(memory, stream, (path, identity), transcript_context)
    except CommonplaceError as error:
        return TurnOutcome(notes=(error.message,))


def _ingest_new_lines(
    memory: Memory,
    stream: BinaryIO,
    path_and_identity: tuple[str, tuple[str, ...]],
    transcript_context: _TranscriptContext,
) -> TurnOutcome:
    path, identity = path_and_identity
    start = _find_resume_position(stream, transcript_context.progress.seen.get(path, ReadPosition())).offset
    end = _find_last_line_end(stream, start)
    if end <= start:
        return TurnOutcome()
    found = memory.ingest(
        cast("BinaryIO", _StreamWindow(stream, start, end)),
        format="claude-code",
        owner=resolve_transcript_owner(transcript_context.options),
        scope=transcript_context.session.scope,
        name=path,
        identity=identity,
    )
    transcript_context.progress.seen[path] = _compute_read_position(stream, end)
    aside = (f"{found.set_aside} lines set aside in {found.kept_in}",) if found.set_aside else ()
    return TurnOutcome(found.captured, found.known, notes=(*memory.notes, *aside))


def _find_resume_position(stream: BinaryIO, read_position: ReadPosition) -> ReadPosition:
    """Where to go on: at the beginning if the file is not the one that was read."""
    return (
        read_position
        if read_position.offset and _compute_read_position(stream, read_position.offset) == read_position
        else ReadPosition()
    )


def _compute_read_position(stream: BinaryIO, offset: int) -> ReadPosition:
    """An offset with what stands before it."""
    start = max(0, offset - PREFIX_BYTES)
    stream.seek(start)
    return ReadPosition(offset, files.content_digest(stream.read(offset - start)))


def _find_last_line_end(stream: BinaryIO, start: int) -> int:
    """Where the last whole line ends, of as much as one hook reads; a line that is being written is for the next."""
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
        """The next bytes, none at the end of the stretch."""
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _add_outcomes(turn_outcome: TurnOutcome, next_outcome: TurnOutcome) -> TurnOutcome:
    return TurnOutcome(
        turn_outcome.captured + next_outcome.captured,
        turn_outcome.known + next_outcome.known,
        notes=(*turn_outcome.notes, *next_outcome.notes),
    )


def _progress_path(session: str) -> str:
    return f"{PROGRESS_FOLDER}/{files.text_digest(session)[:20]}.json"


def _read_progress(root: str, session: str) -> TranscriptProgress:
    """What is noted; of what cannot be read nothing, for the keys know what was captured."""
    try:
        return msgspec.json.decode(
            files.read_file_if_exists(root, _progress_path(session)) or b"{}", type=TranscriptProgress
        )
    except (msgspec.DecodeError, CommonplaceError):
        return TranscriptProgress()


def _write_progress(root: str, session: str, progress: TranscriptProgress) -> None:
    """Note it for the next hook; of a session that is over nothing is left behind."""
    path = _progress_path(session)
    if progress.seen or progress.compacted:
        files.write_atomic(root, path, msgspec.json.encode(progress), durable=False)
    elif files.read_file_if_exists(root, path) is not None:
        files.remove_file(root, path)
