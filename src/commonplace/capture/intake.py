"""A stream of transcripts into the journal, batch by batch; what is no event is set aside with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct, structs

from commonplace import files
from commonplace.capture.events import Event, event_of
from commonplace.capture.funnel import Before, capture
from commonplace.capture.keys import Place, workspace_key
from commonplace.errors import BadArgument
from commonplace.imports import Blank, Format, SetAside, Source, read
from commonplace.imports import Event as Found
from commonplace.redact import redact

FOLDER = ".memory/set-aside"
BATCH = 500  # events that are captured with one write
BATCH_CHARACTERS = 4_000_000
EXAMPLES = 5
SAMPLE = 200  # characters of what is set aside

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
    nothing, and stretches set aside (the first of them with offset, line and reason); the kinds of secrets masked."""

    captured: int = 0
    known: int = 0
    skipped: int = 0
    blank: int = 0
    set_aside: int = 0
    examples: tuple[SetAside, ...] = ()
    redacted: tuple[str, ...] = ()
    kept_in: str = ""


def ingest(place: Place, stream: BinaryIO, origin: Origin, before: Before) -> Ingested:
    """Capture the events of a stream. What was acknowledged stays, wherever a later error stops it."""
    done = Ingested()
    items = read(stream, format=origin.format, owner=origin.owner, source=origin.source)
    for batch in _batches(items):
        done = _sum(done, _taken_in(place, batch, origin, before))
    return done


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Runs of items that one write can hold."""
    while first := list(islice(items, 1)):
        batch, size = first, _size(first[0])
        while len(batch) < BATCH and size < BATCH_CHARACTERS and (more := next(items, None)) is not None:
            batch.append(more)
            size += _size(more)
        yield batch


def _size(item: Item) -> int:
    return len(item.fields.get("text") or "") if isinstance(item, Found) else 0


def _taken_in(place: Place, batch: list[Item], origin: Origin, before: Before) -> Ingested:
    """Capture the events of a batch, and set aside what is none."""
    aside = [item for item in batch if isinstance(item, SetAside)]
    events: list[Event] = []
    for item in batch:
        if isinstance(item, Found):
            try:
                events.append(_event(item, origin))
            except BadArgument as error:
                said = str(item.fields.get("text") or "")[:SAMPLE]
                aside.append(SetAside(item.offset, item.line, error.message, said))
    taken = capture(place, events, before)
    outcomes = [one.outcome for one in taken]
    return Ingested(
        captured=outcomes.count("captured"),
        known=outcomes.count("known"),
        skipped=outcomes.count("not to be kept") + outcomes.count("empty"),
        blank=sum(isinstance(item, Blank) for item in batch),
        set_aside=len(aside),
        examples=tuple(aside[:EXAMPLES]),
        redacted=tuple(sorted({kind for one in taken for kind in one.redacted})),
        kept_in=_set_aside(place, origin.source.name, aside) if aside else "",
    )


def _sum(done: Ingested, more: Ingested) -> Ingested:
    """Both together: numbers are added, examples and kinds joined."""
    first, second = structs.asdict(done), structs.asdict(more)
    whole = {name: value + second[name] for name, value in first.items() if isinstance(value, int | tuple)}
    whole["examples"] = whole["examples"][:EXAMPLES]
    whole["redacted"] = tuple(sorted(set(whole["redacted"])))
    return Ingested(**whole, kept_in=more.kept_in or done.kept_in)


def _event(found: Found, origin: Origin) -> Event:
    """A found event as it is to be captured; roles of a file that another program exported are not believed."""
    fields = dict(found.fields)
    for name in ("scope", "session"):
        fields[name] = getattr(origin, name) or fields.get(name) or ""
    detail = fields.get("detail")
    place = {"name": origin.source.name, "offset": found.offset, "line": found.line}
    fields["detail"] = {**(detail if isinstance(detail, dict) else {}), "source": place}
    event = event_of(fields, found.keys)
    return origin.localised(event if found.believed else structs.replace(event, origin="untrusted"))


def _set_aside(place: Place, source: str, aside: list[SetAside]) -> str:
    """Keep what was set aside, redacted, one line each; what is there already is not said twice. Returns the file."""
    path = f"{FOLDER}/{files.digest(source.encode('utf-8', 'surrogatepass'))[:16]}.jsonl"
    key = workspace_key(place.root)
    there = set((files.find(place.root, path) or b"").split(b"\n"))
    lines = [msgspec.json.encode(_line(source, one, place, key)) for one in aside]
    files.append_lines(place.root, path, [line for line in dict.fromkeys(lines) if line not in there])
    return path


def _line(source: str, one: SetAside, place: Place, key: bytes) -> dict[str, Any]:
    sample = redact(one.sample, key=key, exact=place.exact).text
    return {
        "source": redact(source, key=key, exact=place.exact).text,
        "offset": one.offset,
        "line": one.line,
        "reason": one.reason,
        "sample": sample.encode("utf-8", "replace").decode(),
    }
