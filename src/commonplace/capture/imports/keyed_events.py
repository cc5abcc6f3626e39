"""Turns JSON lines into events with keys, so that reading a file twice adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from commonplace.capture.imports import events
from commonplace.capture.imports.streams import LineReader, decode_line, reject_line

EVENT_KEY_BYTES = 10
MAX_COUNTED_LINES = 1 << 16  # dated lines of one generation, two of which are stored to count repeated lines
UUID_CHARACTERS = 36


class EventKeys:
    """The keys of a stream's events.

    An event with an id in its source is identified by format, session, id and content (a UUID needs no session: a host
    copies its messages into the session that continues), and by each of its global names. A dated line is identified by
    its bytes and by how often it occurred before; any other by each identity of its source and by all that precedes it
    there. A stream without identity has no keys for such lines: each line of a pipe is a new event.
    """

    def __init__(self, transcript_format: str, stream_source: events.StreamSource) -> None:
        from hashlib import blake2b  # loads OpenSSL, which no other command needs

        self._digest: Callable[[bytes], str] = lambda data: blake2b(data, digest_size=EVENT_KEY_BYTES).hexdigest()
        self._prefix_hash = blake2b(digest_size=EVENT_KEY_BYTES)
        self._format, self._identity = transcript_format, stream_source.identity
        self._counts: dict[str, int] = {}
        self._older_counts: dict[str, int] = {}

    def skip_bytes(self, data: bytes) -> None:
        """Count these bytes as read."""
        if self._identity:
            self._prefix_hash.update(data)

    def prefix_digest(self) -> str:
        """A digest of all bytes that were read; empty for a stream without identity."""
        return self._prefix_hash.hexdigest() if self._identity else ""

    def build_events(
        self,
        drafts: list[events.EventDraft],
        data: bytes,
        position: events.StreamPosition,
        *,
        is_actor_trusted: bool = True,
        prefix_digest: str | None = None,
    ) -> Iterator[events.ImportedEvent]:
        """The events of one stretch of the stream, with their keys; `prefix_digest` is that of all before it."""
        base: tuple[str, ...] | None = None
        for part, draft in enumerate(drafts):
            if draft.source_ids or draft.global_names:
                keys = self._id_keys(draft)
            else:
                if base is None and draft.is_dated:
                    base = self._dated_keys(data)
                elif base is None:
                    before = self.prefix_digest() if prefix_digest is None else prefix_digest
                    line = self._digest(data)
                    places = [f"{who}\0{before}\0{line}" for who in self._identity]
                    base = tuple(self._digest(place.encode("utf-8", "surrogatepass")) for place in places)
                keys = base if not part else tuple(self._digest(f"{key}#{part}".encode()) for key in base)
            if "detail" in draft.fields:
                draft.fields["detail"] = events.truncate_json(draft.fields["detail"])
            at = draft.position or position
            yield events.ImportedEvent(draft.fields, at.offset, at.line, keys, is_actor_trusted)

    def _id_keys(self, draft: events.EventDraft) -> tuple[str, ...]:
        fields = draft.fields
        content = "\0".join(str(fields.get(name, "")) for name in ("actor", "type", "ts", "text"))
        digest = self._digest(content.encode("utf-8", "surrogatepass"))
        session = str(fields.get("session", ""))
        names = []
        for name in draft.source_ids:
            is_uuid = len(name) == UUID_CHARACTERS and name.count("-") == 4
            names.append(f"{'' if is_uuid else session}\0{name}\0{digest}")
        names += [f"everywhere\0{name}" for name in draft.global_names]
        return tuple(self._digest(f"{self._format}\0{name}".encode("utf-8", "surrogatepass")) for name in names)

    def _dated_keys(self, data: bytes) -> tuple[str, ...]:
        line = self._digest(data)
        before = self._counts.get(line, self._older_counts.get(line, 0))
        if len(self._counts) >= MAX_COUNTED_LINES:
            self._counts, self._older_counts = {}, self._counts
        self._counts[line] = before + 1
        return (line if not before else self._digest(f"{line}*{before}".encode()),)


class ObjectReader(Protocol):
    """One format: the events of an object, and those that remain when the stream ends."""

    def read_object(self, source_object: events.Fields, position: events.StreamPosition) -> events.ReadResult:
        """The events of one object; never raises."""

    def flush(self) -> list[events.EventDraft]:
        """The events that waited for more."""


def read_json_lines(
    line_reader: LineReader, reader: ObjectReader, event_keys: EventKeys
) -> Iterator[events.StreamItem]:
    """The events of each line, in order; each line is an event at least, or blank, or set aside."""
    for line in line_reader:
        found = decode_line(line)
        if not isinstance(found, dict):
            yield found
            continue
        answer = reader.read_object(found, line.position)
        if isinstance(answer, events.ParseFailure):
            yield reject_line(line, answer.reason)
        elif isinstance(answer, events.NoEvent):
            yield events.Blank(line.offset, line.number, answer.reason)
        else:
            yield from event_keys.build_events(answer, line.data, line.position)
        del found, answer  # a large one must not stay while the next one is decoded
    yield from event_keys.build_events(reader.flush(), b"", events.StreamPosition(0, 0))
