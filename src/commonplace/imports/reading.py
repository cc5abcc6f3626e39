"""A stream of bytes becomes events: the one door of this room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from commonplace.imports.nouns import Format, Item, Source

if TYPE_CHECKING:
    from commonplace.imports.keys import Keys
    from commonplace.imports.lines import Stream
    from commonplace.imports.objects import Reader


def read(
    stream: BinaryIO,
    *,
    source: Source,
    format: Format = "auto",  # noqa: A002 - the word of the command
    owner: str = "",
) -> Iterator[Item]:
    """The events of a transcript in order, with what is none of them; never raises for what a stream holds.

    `auto` tells the format by the first kilobytes. `owner` is the name by which the owner goes in an export or a chat
    log, whose speakers are not believed without it. A line, or a conversation of an export, is held at a time.
    """
    from commonplace.imports.detect import format_of
    from commonplace.imports.keys import Keys
    from commonplace.imports.lines import Stream

    found = Stream(stream)
    told = format_of(found.beginning) if format == "auto" else format
    keys = Keys(told, source)
    owner = owner.strip()
    if told == "chatgpt" or told == "claude":
        yield from _export(found, told, owner, keys)
    elif told == "chat":
        yield from _chat(found, owner, keys)
    else:
        yield from _objects(found, told, owner, keys)


def _export(stream: Stream, told: Format, owner: str, keys: Keys) -> Iterator[Item]:
    from commonplace.imports.exports import conversations

    if told == "chatgpt":
        from commonplace.imports import chatgpt

        read = chatgpt.Export(owner).read
    else:
        from commonplace.imports import claude

        read = claude.Export(owner).read
    return conversations(stream, read, keys, believed=bool(owner))


def _chat(stream: Stream, owner: str, keys: Keys) -> Iterator[Item]:
    from commonplace.imports.chat import Chat
    from commonplace.imports.lines import Lines
    from commonplace.imports.stamps import how_to_read

    return Chat(how_to_read(stream.beginning), keys, owner).items(Lines(stream, keys.passed))


def _objects(stream: Stream, told: Format, owner: str, keys: Keys) -> Iterator[Item]:
    from commonplace.imports.lines import Lines
    from commonplace.imports.objects import objects

    return objects(Lines(stream, keys.passed), _reader(told, owner), keys)


def _reader(told: Format, owner: str) -> Reader:
    """The format, of those in which each line is an object."""
    if told == "openclaw":
        from commonplace.imports import openclaw

        return openclaw.Transcript(owner)
    if told == "openclaw-mem":
        from commonplace.imports import openclaw_mem

        return openclaw_mem.Observations()
    if told == "claude-code":
        from commonplace.imports import claude_code

        return claude_code.Transcript(owner)
    from commonplace.imports.captures import Captures

    return Captures(owner)
