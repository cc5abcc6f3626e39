"""What a transcript is read into: events, stretches that are none, lines that say nothing."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Format = Literal["auto", "jsonl", "openclaw", "openclaw-mem", "claude-code", "chatgpt", "claude", "chat"]
MOST_SAMPLE = 200  # characters of a stretch that is set aside
Fields = dict[str, Any]


class Source(Struct, frozen=True):
    """Where a stream comes from: its name; what tells it from others: `path:/x/y`, `inode:5:77`, none for a pipe."""

    name: str = ""
    identity: tuple[str, ...] = ()


class Event(Struct, frozen=True):
    """One event. `fields` are those of `commonplace.capture.v1` that are known (`ts type actor text session agent
    scope origin detail from`), of the right type and otherwise unchecked.

    `offset` and `line` (1-based) say where it stands in the stream. It was captured before if one of its `keys` was;
    without keys, nothing tells it from an earlier one. `believed` says whether its actor can be taken as it stands.
    Of what comes from another memory `part` names the file or table in it, `brought` says what it was there, and
    `whose` names the person it belongs to, if anything does.
    """

    fields: Fields
    offset: int
    line: int
    keys: tuple[str, ...] = ()
    believed: bool = True
    part: str = ""
    brought: Fields = {}
    whose: str = ""


class SetAside(Struct, frozen=True):
    """A stretch of the stream that is no event, and why; `sample` is how it begins, secrets included.

    `part` names the file or table, where a source has many.
    """

    offset: int
    line: int
    reason: str
    sample: str = ""
    part: str = ""


class Blank(Struct, frozen=True):
    """A line that is well and holds no event of its own; `reason` is empty for white space."""

    offset: int
    line: int
    reason: str = ""
    part: str = ""


Item = Event | SetAside | Blank


class Spot(Struct, frozen=True):
    """A place in the stream."""

    offset: int
    line: int


class Told(Struct):
    """An event as a format tells it, before it has its keys: what its source calls it, and whether it is dated there.

    `spot` is set for what is told later than where it stands. By its `names` it is known in whatever session.
    """

    fields: Fields
    ids: tuple[str, ...] = ()
    dated: bool = False
    spot: Spot | None = None
    names: tuple[str, ...] = ()


class Quiet(Struct, frozen=True):
    """The answer to an object that is well and tells of no event."""

    reason: str


class Refused(Struct, frozen=True):
    """The answer to an object that cannot be read as an event."""

    reason: str


Answer = list[Told] | Quiet | Refused
