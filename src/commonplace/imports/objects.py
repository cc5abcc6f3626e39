"""Lines of JSON objects become events, one format's way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from commonplace.imports.bounds import event_of
from commonplace.imports.decoding import object_of
from commonplace.imports.keys import Keys
from commonplace.imports.lines import Line, Lines, aside
from commonplace.imports.nouns import Answer, Blank, Event, Fields, Item, Quiet, Refused, Spot, Told


class Reader(Protocol):
    """One format: what an object tells, and what is left to tell when the stream ends."""

    def told(self, found: Fields, spot: Spot) -> Answer:
        """What one object tells; never raises."""

    def left(self) -> list[Told]:
        """What could not be told earlier."""


def objects(lines: Lines, reader: Reader, keys: Keys) -> Iterator[Item]:
    """The events of each line, in order; each line is an event at least, or blank, or set aside."""
    for line in lines:
        found = object_of(line)
        if not isinstance(found, dict):
            yield found
            continue
        answer = reader.told(found, line.spot)
        if isinstance(answer, Refused):
            yield aside(line, answer.reason)
        elif isinstance(answer, Quiet):
            yield Blank(line.offset, line.number, answer.reason)
        else:
            yield from _events(answer, line, keys)
        del found, answer  # a large one must not stay while the next one is decoded
    yield from _events(reader.left(), Line(b"", 0, 0), keys)


def _events(told: list[Told], line: Line, keys: Keys) -> Iterator[Event]:
    for one, known in zip(told, keys.of(told, line.data), strict=True):
        yield event_of(one, one.spot or line.spot, known, believed=True)
