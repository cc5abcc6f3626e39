"""Puts a stream of transcripts into the journal in batches, and logs what is not an event with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import msgspec
from msgspec import Struct, structs

from commonplace.capture.events import Event, SourcePosition, event_from_fields, validate_event
from commonplace.capture.imports import Blank, SetAside, StreamSource, read_transcript
from commonplace.capture.imports import ImportedEvent as Found
from commonplace.capture.imports.events import MAX_SAMPLE_CHARS, truncate_before_word
from commonplace.capture.imports.streams import TRUNCATED
from commonplace.capture.pipeline import CaptureLookups, CaptureResult, capture_validated
from commonplace.capture.write_context import WriteContext, workspace_key
from commonplace.errors import BadArgument
from commonplace.model import TranscriptFormat, least_trusted
from commonplace.redact import redact
from commonplace.storage import files

SET_ASIDE_FOLDER = ".memory/set-aside"
SET_ASIDE_LOCK = "set-aside"
IDENTITY_DIGEST_CHARS = 12
MAX_SET_ASIDE_LINES = 100_000  # lines of one source; of more only the number is told
READ_CHUNK_BYTES = 1 << 20  # bytes


class SetAsideLine(Struct, frozen=True):
    """One line of a file of what was set aside."""

    source: str
    offset: int
    line: int
    reason: str
    sample: str

    @property
    def deduplication_key(self) -> int:
        """What it is known by, under whatever name its source goes today."""
        return hash((self.offset, self.reason, self.sample))


class SetAsideLog:
    """What was set aside of one source; `path` is the file in which that is kept.

    The name of the file tells the identities of the source, its path and its inode: under either it is known again when
    the source was renamed, or written anew in its place.
    """

    def __init__(self, context: WriteContext, source: StreamSource) -> None:
        self._context, self._source = context, source
        self._identity_digests = [_identity_digest(name) for name in source.identity or (source.name,)]
        self.path = f"{SET_ASIDE_FOLDER}/{'-'.join(self._identity_digests)}.jsonl"
        self._stored_keys: set[int] = set()
        self._bytes_read: dict[str, int] = {}  # how far, by name of a file

    def append(self, items: Sequence[SetAside]) -> None:
        """Add those that are not there yet; they are on disk when this returns."""
        new = [self._redact_item(one) for one in items]
        with files.hold_workspace_lock(self._context.root, SET_ASIDE_LOCK):
            for name in files.list_file_sizes(self._context.root, SET_ASIDE_FOLDER):
                if not set(name.removesuffix(".jsonl").split("-")).isdisjoint(self._identity_digests):
                    self._stored_keys.update(kept.deduplication_key for kept in self._read_new_lines(name))
            left = {one.deduplication_key: one for one in new if one.deduplication_key not in self._stored_keys}
            lines = [msgspec.json.encode(one) for one in left.values()][
                : max(0, MAX_SET_ASIDE_LINES - len(self._stored_keys))
            ]
            if lines:
                files.append_lines(self._context.root, self.path, lines)

    def _read_new_lines(self, file_name: str) -> Iterator[SetAsideLine]:
        """What a file holds beyond what was read of it."""
        held = b""
        while piece := files.read_range(
            self._context.root, f"{SET_ASIDE_FOLDER}/{file_name}", self._bytes_read.get(file_name, 0), READ_CHUNK_BYTES
        ):
            self._bytes_read[file_name] = self._bytes_read.get(file_name, 0) + len(piece)
            *lines, held = (held + piece).split(b"\n")
            yield from (kept for raw_line in lines if (kept := _decode_set_aside_line(raw_line)))

    def _redact_item(self, item: SetAside) -> SetAsideLine:
        key, exact = workspace_key(self._context.root), self._context.exact
        said = (
            truncate_before_word(item.sample, len(item.sample) - 1) if item.reason == TRUNCATED else item.sample
        )  # it may end in half a secret
        source, part, sample = (
            redact(text, key=key, exact=exact).text for text in (self._source.name, item.part, said)
        )
        reason = f"{_replace_unencodable(part)}: {item.reason}" if part else item.reason
        return SetAsideLine(_replace_unencodable(source), item.offset, item.line, reason, _replace_unencodable(sample))


def _identity_digest(identity: str) -> str:
    return files.content_digest(identity.encode("utf-8", "surrogatepass"))[:IDENTITY_DIGEST_CHARS]


def _decode_set_aside_line(encoded_line: bytes) -> SetAsideLine | None:
    """What a line says; None for one that a crash left torn."""
    try:
        return msgspec.json.decode(encoded_line, type=SetAsideLine)
    except ValueError:
        return None


def _replace_unencodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


BATCH_ITEMS = 500  # items that are dealt with at once; their events are captured with one write
BATCH_CHARS = 2_000_000  # characters of text, and bytes of the stream
MAX_EXAMPLES = 5

StreamItem = Found | SetAside | Blank


class IngestOptions(Struct, frozen=True):
    """Where a stream comes from, in which format, whose words are the owner's, and where what it tells belongs."""

    source: StreamSource
    format: TranscriptFormat = "auto"
    owner: str = ""
    scope: str = ""
    session: str = ""
    localise_time: Callable[[Event], Event] = lambda event: event


class IngestResult(Struct, frozen=True):
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

    def __add__(self, result: IngestResult) -> IngestResult:
        """Both together."""
        return IngestResult(
            self.captured + result.captured,
            self.known + result.known,
            self.skipped + result.skipped,
            self.blank + result.blank,
            self.set_aside + result.set_aside,
            (*self.examples, *result.examples)[:MAX_EXAMPLES],
            tuple(sorted({*self.redacted, *result.redacted})),
            result.kept_in or self.kept_in,
        )


def ingest(context: WriteContext, stream: BinaryIO, options: IngestOptions, lookups: CaptureLookups) -> IngestResult:
    """Capture the events of a stream. What was acknowledged stays, wherever a later error stops it. Raises BadArgument
    for what is said of all of them."""
    validate_event(Event(text="…", session=options.session, scope=options.scope))
    intake = _StreamIngester(context, options, lookups, SetAsideLog(context, options.source))
    items = read_transcript(stream, format=options.format, owner=options.owner, source=options.source)
    done = IngestResult()
    for batch in batch_items(items):
        done += intake.ingest_batch(batch)
    return done


def batch_items(items: Iterator[StreamItem]) -> Iterator[list[StreamItem]]:
    """Runs of items that one write can hold."""
    for first in items:
        batch, size = [first], _item_chars(first)
        while len(batch) < BATCH_ITEMS and size < BATCH_CHARS and abs(batch[-1].offset - first.offset) < BATCH_CHARS:
            if (more := next(items, None)) is None:
                break
            batch.append(more)
            size += _item_chars(more)
        yield batch


def _item_chars(item: StreamItem) -> int:
    return len(item.fields.get("text") or "") if isinstance(item, Found) else 0


class _StreamIngester(Struct, frozen=True):
    context: WriteContext
    options: IngestOptions
    lookups: CaptureLookups
    set_aside_log: SetAsideLog

    def ingest_batch(self, batch: list[StreamItem]) -> IngestResult:
        """Capture the events of a batch, and set aside what is none."""
        events, refused = split_batch(batch, self._to_event)
        if refused:
            refused.sort(key=lambda one: one.offset)
            self.set_aside_log.append(refused)
        return structs.replace(
            count_outcomes(capture_validated(self.context, events, self.lookups)),
            blank=sum(isinstance(item, Blank) for item in batch),
            set_aside=len(refused),
            examples=tuple(refused[:MAX_EXAMPLES]),
            kept_in=self.set_aside_log.path if refused else "",
        )

    def _to_event(self, imported_event: Found) -> Event:
        """A found event as it is to be captured; what is not believed of a file is as from any tool."""
        fields = imported_event.fields | {
            name: getattr(self.options, name) or imported_event.fields.get(name) for name in ("scope", "session")
        }
        event = event_from_fields(
            fields,
            imported_event.keys,
            SourcePosition(self.options.source.name, imported_event.offset, imported_event.line),
        )
        if not imported_event.is_actor_trusted:
            event = structs.replace(event, origin=least_trusted(event.origin, "untrusted"))
        return validate_event(self.options.localise_time(event))


def split_batch(batch: Sequence[StreamItem], to_event: Callable[[Found], Event]) -> tuple[list[Event], list[SetAside]]:
    """The events of a batch, and what is set aside of it, with the events that cannot be captured."""
    events: list[Event] = []
    refused = [item for item in batch if isinstance(item, SetAside)]
    for found in batch:
        if isinstance(found, Found):
            try:
                events.append(to_event(found))
            except BadArgument as error:
                text = found.fields.get("text")
                sample = truncate_before_word(text, MAX_SAMPLE_CHARS) if isinstance(text, str) else ""
                refused.append(SetAside(found.offset, found.line, error.message, sample, found.part))
    return events, refused


def count_outcomes(results: Sequence[CaptureResult]) -> IngestResult:
    """How many events were captured, known before, or skipped, and the kinds of secrets masked."""
    outcomes = [result.outcome for result in results]
    return IngestResult(
        captured=outcomes.count("captured"),
        known=outcomes.count("known"),
        skipped=outcomes.count("not to be kept") + outcomes.count("empty"),
        redacted=tuple(sorted({kind for result in results for kind in result.redacted})),
    )
