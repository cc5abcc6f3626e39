"""The transcripts that Claude Code names: what is new in them is captured, and where that ended is noted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import CommonplaceError, OutsideWorkspace
from commonplace.turns.claude_code.place import owner_of, word
from commonplace.turns.nouns import Turned

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.turns.claude_code.place import Options, Place

BOUNDARIES = ("PreCompact", "Stop", "StopFailure", "SubagentStop", "SessionEnd")
NOTES = ".memory/turns"
PIECE = 64 << 10
MOST_NEW = 64 << 20  # bytes of one hook; what is behind them is for the next
BEFORE = 256  # bytes before an end that must be as they were, or the file is another
AGENTS = "subagents"
MOST_AGENTS = 100


class Seen(Struct, array_like=True):
    """How far a transcript was read: the offset of what is new, and a digest of the bytes before it."""

    offset: int = 0
    before: str = ""


class Session(Struct):
    """What is noted of a session: how far each of its transcripts was read, and whether the host cut its beginning."""

    seen: dict[str, Seen] = {}
    compacted: bool = False


def is_compacted(root: str, session: str) -> bool:
    """Whether the model has lost the beginning of a session."""
    return _noted(root, session).compacted


def take(memory: Memory, event: dict[str, Any], place: Place, options: Options) -> Turned:
    """Capture what is new in the transcripts that an event names. What cannot be read is said in the notes."""
    if place.event == "SubagentStop" and not word(event, "agent_type"):
        return Turned(skipped="an agent of the host's own, which leaves no transcript")
    noted = _noted(memory.root, place.session)
    noted.compacted |= place.event == "PreCompact"
    done = Turned()
    for path in _paths(event, place):
        done = _sum(done, _taken(memory, path, _Reading(place, options, noted)))
    _keep(memory.root, place.session, Session() if place.event == "SessionEnd" and not done.notes else noted)
    return done


class _Reading(Struct, frozen=True):
    place: Place
    options: Options
    noted: Session


def _paths(event: dict[str, Any], place: Place) -> list[str]:
    """The transcripts of an event: a subagent's own; the session's, and where something ends those of its subagents."""
    if place.event == "SubagentStop":
        return [path for path in [word(event, "agent_transcript_path")] if path]
    main = word(event, "transcript_path")
    if not main or place.event not in ("PreCompact", "SessionEnd"):
        return [main] if main else []
    beside = os.path.expanduser(main).removesuffix(".jsonl")
    names = list(files.sizes(beside, AGENTS)) if os.path.isdir(beside) else []
    return [main, *(os.path.join(beside, AGENTS, name) for name in names[:MOST_AGENTS] if name.endswith(".jsonl"))]


def _taken(memory: Memory, path: str, reading: _Reading) -> Turned:
    path = os.path.expanduser(path)
    try:
        if not path.endswith(".jsonl"):
            raise OutsideWorkspace(path, "a transcript of Claude Code ends in .jsonl")
        with files.own(path) as (stream, identity):
            return _ingested(memory, stream, (path, identity), reading)
    except CommonplaceError as error:
        return Turned(notes=(error.message,))


def _ingested(memory: Memory, stream: BinaryIO, named: tuple[str, tuple[str, ...]], reading: _Reading) -> Turned:
    path, identity = named
    start = _where(stream, reading.noted.seen.get(path, Seen())).offset
    end = _end(stream, start)
    if end <= start:
        return Turned()
    found = memory.ingest(
        cast("BinaryIO", _Window(stream, start, end)),
        format="claude-code",
        owner=owner_of(reading.options),
        scope=reading.place.scope,
        name=path,
        identity=identity,
    )
    reading.noted.seen[path] = _seen(stream, end)
    aside = (f"{found.set_aside} lines set aside in {found.kept_in}",) if found.set_aside else ()
    return Turned(found.captured, found.known, notes=(*memory.notes, *aside))


def _where(stream: BinaryIO, seen: Seen) -> Seen:
    """Where to go on: at the beginning if the file is not the one that was read."""
    return seen if seen.offset and _seen(stream, seen.offset) == seen else Seen()


def _seen(stream: BinaryIO, offset: int) -> Seen:
    """An offset with what stands before it."""
    start = max(0, offset - BEFORE)
    stream.seek(start)
    return Seen(offset, files.digest(stream.read(offset - start)))


def _end(stream: BinaryIO, start: int) -> int:
    """Where the last whole line ends, of as much as one hook reads; a line that is being written is for the next."""
    end = min(stream.seek(0, os.SEEK_END), start + MOST_NEW)
    while end > start:
        begin = max(start, end - PIECE)
        stream.seek(begin)
        newline = stream.read(end - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return start


class _Window:
    """A stretch of a stream, read as a stream."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        stream.seek(start)
        self._stream, self._left = stream, end - start

    def read(self, size: int = -1) -> bytes:
        """The next bytes, none at the end of the stretch."""
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _sum(one: Turned, more: Turned) -> Turned:
    return Turned(one.captured + more.captured, one.known + more.known, notes=(*one.notes, *more.notes))


def _note(session: str) -> str:
    return f"{NOTES}/{files.digest(session.encode('utf-8', 'surrogatepass'))[:20]}.json"


def _noted(root: str, session: str) -> Session:
    """What is noted; of what cannot be read nothing, for the keys know what was captured."""
    try:
        return msgspec.json.decode(files.find(root, _note(session)) or b"{}", type=Session)
    except (msgspec.DecodeError, CommonplaceError):
        return Session()


def _keep(root: str, session: str, noted: Session) -> None:
    """Note it for the next hook; of a session that is over nothing is left behind."""
    path = _note(session)
    if noted.seen or noted.compacted:
        files.write_atomic(root, path, msgspec.json.encode(noted), durable=False)
    elif files.find(root, path) is not None:
        files.remove(root, path)
