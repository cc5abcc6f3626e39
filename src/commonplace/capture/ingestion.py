"""Capture a stream of transcripts in batches, and set aside what is not an event, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import BinaryIO

import msgspec
from msgspec import Struct, structs

from commonplace.capture import imports
from commonplace.capture.events import Event, SourcePosition, event_from_fields, validate_event
from commonplace.capture.imports import ImportedEvent as Found
from commonplace.capture.pipeline import CaptureLookups, CaptureResult, capture_validated
from commonplace.capture.write_context import WriteContext, mask_text
from commonplace.errors import BadArgument
from commonplace.model import TranscriptFormat, least_trusted
from commonplace.storage import files
from commonplace.storage.tombstones import read_tombstones

SET_ASIDE_FOLDER = ".memory/set-aside"
SET_ASIDE_LOCK = "set-aside"
IDENTITY_DIGEST_CHARS = 12
MAX_SET_ASIDE_LINES = 100_000  # lines of one source; of more only the number is told


class SetAsideLine(Struct, frozen=True):
    """One line of a file of items that were set aside."""

    source: str
    offset: int
    line: int
    reason: str
    sample: str

    @property
    def deduplication_key(self) -> int:
        """The key by which repeats are found, whatever the name of the source is today."""
        return hash((self.offset, self.reason, self.sample))


class SetAsideLog:
    """The items of one source that were set aside; `path` is their file, whose name has digests of the source's path
    and inode, so that it is found again when the source was renamed or replaced."""

    def __init__(self, context: WriteContext, source: imports.StreamSource) -> None:
        self._context, self._source = context, source
        names = source.identity or (source.name,)
        self._identity_digests = [files.text_digest(name)[:IDENTITY_DIGEST_CHARS] for name in names]
        self.path = f"{SET_ASIDE_FOLDER}/{'-'.join(self._identity_digests)}.jsonl"
        self._stored_keys: set[int] = set()
        self._bytes_read: dict[str, int] = {}  # how far, by name of a file

    def append(self, items: Sequence[imports.SetAside]) -> None:
        """Add the items that are new; they are on disk when this returns."""
        tombstones = read_tombstones(self._context.root)
        new = [self._redact_item(one) for one in items if tombstones.find(one.sample) is None]
        with files.hold_workspace_lock(self._context.root, SET_ASIDE_LOCK):
            for name in files.list_file_sizes(self._context.root, SET_ASIDE_FOLDER):
                if not set(name.removesuffix(".jsonl").split("-")).isdisjoint(self._identity_digests):
                    self._stored_keys.update(line.deduplication_key for line in self._read_new_lines(name))
            unstored = {one.deduplication_key: one for one in new if one.deduplication_key not in self._stored_keys}
            room = max(0, MAX_SET_ASIDE_LINES - len(self._stored_keys))
            lines = [msgspec.json.encode(one) for one in list(unstored.values())[:room]]
            if lines:
                files.append_lines(self._context.root, self.path, lines)

    def _read_new_lines(self, file_name: str) -> Iterator[SetAsideLine]:
        """The lines of a file after those that were read before; one that a crash left torn is skipped."""
        start = self._bytes_read.get(file_name, 0)
        data = files.read_file(self._context.root, f"{SET_ASIDE_FOLDER}/{file_name}", start=start)
        self._bytes_read[file_name] = start + len(data)
        for raw_line in data.split(b"\n"):
            with suppress(ValueError):
                yield msgspec.json.decode(raw_line, type=SetAsideLine)

    def _redact_item(self, item: imports.SetAside) -> SetAsideLine:
        is_cut = item.reason == imports.TRUNCATED  # it may end in half a secret
        source, part, sample = (
            mask_text(self._context, text).text.encode("utf-8", "replace").decode()
            for text in (
                self._source.name,
                item.part,
                imports.truncate_before_word(item.sample, len(item.sample) - 1) if is_cut else item.sample,
            )
        )
        reason = f"{part}: {item.reason}" if part else item.reason
        return SetAsideLine(source, item.offset, item.line, reason, sample)


BATCH_ITEMS = 500  # items that are dealt with at once; their events are captured with one write
BATCH_CHARS = 2_000_000  # characters of text, and bytes of the stream
MAX_EXAMPLES = 5
MAX_LINES_BEFORE_EVENT = 10_000  # lines that are no events, from which on a file is taken for something else


class IngestOptions(Struct, frozen=True):
    """The source and format of a stream, the name of the owner in it, and the scope and session of its events.

    It is `vouched` for if a host says who speaks in it; else, without an `owner`, all of it is untrusted.
    """

    source: imports.StreamSource
    format: TranscriptFormat = "auto"
    owner: str = ""
    scope: str = ""
    session: str = ""
    localise_time: Callable[[Event], Event] = lambda event: event
    vouched: bool = True


class IngestResult(Struct, frozen=True):
    """The outcome of a stream: the number of events that were captured, known before, skipped because they are empty or
    ask not to be kept, or were forgotten, of blank lines, and of items set aside (the first as examples, all in the
    file `kept_in`); the kinds of masked secrets."""

    captured: int = 0
    known: int = 0
    skipped: int = 0
    forgotten: int = 0
    blank: int = 0
    set_aside: int = 0
    examples: tuple[imports.SetAside, ...] = ()
    redacted: tuple[str, ...] = ()
    kept_in: str = ""

    def __add__(self, result: IngestResult) -> IngestResult:
        """Return the sum of both."""
        counts = ("captured", "known", "skipped", "forgotten", "blank", "set_aside")
        return IngestResult(
            **{name: getattr(self, name) + getattr(result, name) for name in counts},
            examples=(*self.examples, *result.examples)[:MAX_EXAMPLES],
            redacted=tuple(sorted({*self.redacted, *result.redacted})),
            kept_in=result.kept_in or self.kept_in,
        )


def ingest(context: WriteContext, stream: BinaryIO, options: IngestOptions, lookups: CaptureLookups) -> IngestResult:
    """Capture the events of a stream. What was captured stays, wherever a later error stops it. Raises BadArgument for
    an invalid scope or session, and for a file without events."""
    validate_event(Event(text="…", session=options.session, scope=options.scope))
    set_aside_log, done = SetAsideLog(context, options.source), IngestResult()
    items = imports.read_transcript(stream, format=options.format, owner=options.owner, source=options.source)
    batches = batch_items(items)
    for batch in batches if options.vouched else _require_events(batches, options.source.name):
        events, refused = split_batch(batch, partial(_to_event, options))
        if refused:
            refused.sort(key=lambda one: one.offset)
            set_aside_log.append(refused)
        done += structs.replace(
            count_outcomes(capture_validated(context, events, lookups)),
            blank=sum(isinstance(item, imports.Blank) for item in batch),
            set_aside=len(refused),
            examples=tuple(refused[:MAX_EXAMPLES]),
            kept_in=set_aside_log.path if refused else "",
        )
    return done


def batch_items(items: Iterator[imports.StreamItem]) -> Iterator[list[imports.StreamItem]]:
    """Batches of items, each for one write."""
    for first in items:
        batch, size = [first], _item_chars(first)
        while len(batch) < BATCH_ITEMS and size < BATCH_CHARS and abs(batch[-1].offset - first.offset) < BATCH_CHARS:
            if (more := next(items, None)) is None:
                break
            batch.append(more)
            size += _item_chars(more)
        yield batch


def _require_events(batches: Iterator[list[imports.StreamItem]], name: str) -> Iterator[list[imports.StreamItem]]:
    """The batches, from the first event on. Raises BadArgument where none comes before very many other lines."""
    waiting: list[list[imports.StreamItem]] = []
    refused = 0
    for batch in batches:
        waiting.append(batch)
        refused += sum(isinstance(item, imports.SetAside) for item in batch)
        if any(isinstance(item, Found) for item in batch):
            yield from waiting
            yield from batches
            return
        if refused > MAX_LINES_BEFORE_EVENT:
            break
    if refused:
        reason = next(item.reason for batch in waiting for item in batch if isinstance(item, imports.SetAside))
        message = f"{name!r} has no messages; its first line is {reason}"
        raise BadArgument(message, path=name, hint="say what it is with --format; nothing of it was stored")
    yield from waiting


def _item_chars(item: imports.StreamItem) -> int:
    return len(item.fields.get("text") or "") if isinstance(item, Found) else 0


def _to_event(options: IngestOptions, imported_event: Found) -> Event:
    """Return the event to capture; one whose actor nobody vouches for is as untrusted as a tool's."""
    fields = imported_event.fields | {
        name: getattr(options, name) or imported_event.fields.get(name) for name in ("scope", "session")
    }
    position = SourcePosition(options.source.name, imported_event.offset, imported_event.line)
    event = event_from_fields(fields, imported_event.keys, position)
    if not (imported_event.is_actor_trusted and (options.vouched or options.owner.strip())):
        event = structs.replace(event, origin=least_trusted(event.origin, "untrusted"))
    return validate_event(options.localise_time(event))


def split_batch(
    batch: Sequence[imports.StreamItem], to_event: Callable[[Found], Event]
) -> tuple[list[Event], list[imports.SetAside]]:
    """Return the events of a batch, and the items to set aside, among them the events that cannot be captured."""
    events: list[Event] = []
    refused = [item for item in batch if isinstance(item, imports.SetAside)]
    for found in batch:
        if isinstance(found, Found):
            try:
                events.append(to_event(found))
            except BadArgument as error:
                text = found.fields.get("text")
                sample = imports.truncate_before_word(text, imports.MAX_SAMPLE_CHARS) if isinstance(text, str) else ""
                refused.append(imports.SetAside(found.offset, found.line, error.message, sample, found.part))
    return events, refused


def count_outcomes(results: Sequence[CaptureResult]) -> IngestResult:
    """Return how many events were captured, already known, skipped or forgotten, and the kinds of masked secrets."""
    outcomes = [result.outcome for result in results]
    return IngestResult(
        captured=outcomes.count("captured"),
        known=outcomes.count("known"),
        skipped=outcomes.count("not to be kept") + outcomes.count("empty"),
        forgotten=outcomes.count("forgotten"),
        redacted=tuple(sorted({kind for result in results for kind in result.redacted})),
    )
