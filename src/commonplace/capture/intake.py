"""A stream of transcripts into the journal, batch by batch; what is no event is set aside with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import Struct, structs

from commonplace.capture.aside import Aside
from commonplace.capture.events import Event, Stood, checked, event_of
from commonplace.capture.funnel import Before, capture_checked
from commonplace.capture.keys import Place
from commonplace.errors import BadArgument
from commonplace.imports import Blank, Format, SetAside, Source, read
from commonplace.imports import Event as Found
from commonplace.imports.bounds import cut
from commonplace.imports.nouns import MOST_SAMPLE
from commonplace.model import least_trusted

BATCH = 500  # items that are dealt with at once; their events are captured with one write
BATCH_SIZE = 2_000_000  # characters of text, and bytes of the stream
EXAMPLES = 5

Item = Found | SetAside | Blank


class Origin(Struct, frozen=True):
    """Where a stream comes from, in which format, whose words are the owner's, and where what it tells belongs."""

    source: Source
    format: Format = "auto"
    owner: str = ""
    scope: str = ""
    session: str = ""
    localised: Callable[[Event], Event] = lambda event: event


class Ingested(Struct, frozen=True):
    """What became of a stream: events captured, known before, not to be kept (or empty), lines that were blank or say
    nothing, and stretches set aside (the first of them with offset, line and reason, all of them in the file
    `kept_in`); the kinds of secrets masked."""

    captured: int = 0
    known: int = 0
    skipped: int = 0
    blank: int = 0
    set_aside: int = 0
    examples: tuple[SetAside, ...] = ()
    redacted: tuple[str, ...] = ()
    kept_in: str = ""

    def __add__(self, more: Ingested) -> Ingested:
        """Both together."""
        return Ingested(
            self.captured + more.captured,
            self.known + more.known,
            self.skipped + more.skipped,
            self.blank + more.blank,
            self.set_aside + more.set_aside,
            (*self.examples, *more.examples)[:EXAMPLES],
            tuple(sorted({*self.redacted, *more.redacted})),
            more.kept_in or self.kept_in,
        )


def ingest(place: Place, stream: BinaryIO, origin: Origin, before: Before) -> Ingested:
    """Capture the events of a stream. What was acknowledged stays, wherever a later error stops it. Raises BadArgument
    for what is said of all of them."""
    checked(Event(text="…", session=origin.session, scope=origin.scope))
    intake = _Intake(place, origin, before, Aside(place, origin.source))
    items = read(stream, format=origin.format, owner=origin.owner, source=origin.source)
    done = Ingested()
    for batch in batches(items):
        done += intake.take(batch)
    return done


def batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Runs of items that one write can hold."""
    for first in items:
        batch, size = [first], _size(first)
        while len(batch) < BATCH and size < BATCH_SIZE and abs(batch[-1].offset - first.offset) < BATCH_SIZE:
            if (more := next(items, None)) is None:
                break
            batch.append(more)
            size += _size(more)
        yield batch


def _size(item: Item) -> int:
    return len(item.fields.get("text") or "") if isinstance(item, Found) else 0


class _Intake(Struct, frozen=True):
    place: Place
    origin: Origin
    before: Before
    aside: Aside

    def take(self, batch: list[Item]) -> Ingested:
        """Capture the events of a batch, and set aside what is none."""
        refused = [item for item in batch if isinstance(item, SetAside)]
        events: list[Event] = []
        for found in batch:
            if isinstance(found, Found):
                try:
                    events.append(self._event(found))
                except BadArgument as error:
                    refused.append(SetAside(found.offset, found.line, error.message, sample_of(found)))
        if refused:
            refused.sort(key=lambda one: one.offset)
            self.aside.keep(refused)
        taken = capture_checked(self.place, events, self.before)
        outcomes = [one.outcome for one in taken]
        return Ingested(
            captured=outcomes.count("captured"),
            known=outcomes.count("known"),
            skipped=outcomes.count("not to be kept") + outcomes.count("empty"),
            blank=sum(isinstance(item, Blank) for item in batch),
            set_aside=len(refused),
            examples=tuple(refused[:EXAMPLES]),
            redacted=tuple(sorted({kind for one in taken for kind in one.redacted})),
            kept_in=self.aside.path if refused else "",
        )

    def _event(self, found: Found) -> Event:
        """A found event as it is to be captured; what is not believed of a file is as from any tool."""
        fields = found.fields | {
            name: getattr(self.origin, name) or found.fields.get(name) for name in ("scope", "session")
        }
        event = event_of(fields, found.keys, Stood(self.origin.source.name, found.offset, found.line))
        if not found.believed:
            event = structs.replace(event, origin=least_trusted(event.origin, "untrusted"))
        return checked(self.origin.localised(event))


def sample_of(found: Found) -> str:
    """How an event begins that cannot be captured."""
    text = found.fields.get("text")
    return cut(text, MOST_SAMPLE) if isinstance(text, str) else ""
