"""Preview another memory, or capture it in batches; what nobody vouches for is untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct, structs

from commonplace.capture import ingestion
from commonplace.capture.events import TRUST_BY_ACTOR, Event, SourcePosition, event_from_fields, validate_event
from commonplace.capture.imports import Blank, StreamItem, StreamSource
from commonplace.capture.imports import ImportedEvent as Found
from commonplace.capture.pipeline import CaptureLookups, CaptureResult, capture_validated, journal_key, mask_forgotten
from commonplace.capture.write_context import KEY_BYTES, WriteContext
from commonplace.language.text import sanitize_line
from commonplace.model import Trust, least_trusted
from commonplace.redact import has_marker, redact, redact_fields
from commonplace.storage.tombstones import read_tombstones

VOUCHED_SUFFIX = ":mine"  # of the key of an event that somebody vouched for, which counts for more than without
FIRST_SAMPLES, MAX_SAMPLES, SAMPLE_CHARS = 2, 6, 160  # shown of any kind; shown, of different kinds; characters of one
MAX_COUNTED_NAMES = 20  # names that are counted one by one
PREVIEW_KEY = bytes(KEY_BYTES)  # of a preview, which shows the kinds of secrets and keeps nothing
DAY_CHARS = len("2025-11-27")


class ImportOptions(Struct, frozen=True):
    """The name of the memory program, the source, and the scope for all of it. With `is_mine` all of it is trusted;
    with `owner`, what belongs to the person of this name there."""

    system: str
    source: StreamSource
    owner: str = ""
    is_mine: bool = False
    scope: str = ""
    localise_time: Callable[[Event], Event] = lambda event: event


class MemorySample(Struct, frozen=True):
    """One memory as it would be captured: its kind and day there, its trust here, its text without secrets."""

    kind: str
    day: str
    trust: Trust
    text: str


class Tally(Struct):
    """Counts by kind, trust, person, scope and reason for skipping, and of items with secrets; first and last day."""

    kinds: dict[str, int] = {}
    trusts: dict[str, int] = {}
    people: dict[str, int] = {}
    scopes: dict[str, int] = {}
    passed_over: dict[str, int] = {}
    first: str = ""
    last: str = ""
    undated: int = 0
    masked: int = 0
    samples: list[MemorySample] = []


class ImportResult(Struct, frozen=True):
    """The outcome of an import, or of its preview."""

    system: str
    applied: bool
    tally: Tally
    ingest_result: ingestion.IngestResult


def import_memory(
    context: WriteContext, items: Iterable[StreamItem], options: ImportOptions, lookups: CaptureLookups, *, apply: bool
) -> ImportResult:
    """Capture another memory, or without `apply` only count it. Raises BadArgument for an invalid scope."""
    validate_event(Event(text="…", scope=options.scope))
    intake = _MemoryImporter(context, options, lookups, Tally(), ingestion.SetAsideLog(context, options.source), apply)
    done = ingestion.IngestResult()
    for batch in ingestion.batch_items(iter(items)):
        done += intake.import_batch(batch)
    return ImportResult(options.system, apply, intake.tally, done)


class _MemoryImporter(Struct):
    context: WriteContext
    options: ImportOptions
    lookups: CaptureLookups
    tally: Tally
    set_aside_log: ingestion.SetAsideLog
    applies: bool

    def import_batch(self, batch: list[StreamItem]) -> ingestion.IngestResult:
        """Capture the memories of a batch and set aside the rest; without `applies` only count them."""
        events, refused = ingestion.split_batch(batch, self._to_event)
        blanks = [item for item in batch if isinstance(item, Blank)]
        for blank in blanks:
            _increment_count(self.tally.passed_over, blank.reason or "blank")
        better = self._was_vouched_before(events)
        fresh = [event for event, stands in zip(events, better, strict=True) if not stands]
        taken = capture_validated(self.context, fresh, self.lookups) if self.applies else self._preview_events(fresh)
        self.tally.masked += sum(bool(one.redacted) for one in taken)
        done = ingestion.count_outcomes(taken)
        if refused and self.applies:
            self.set_aside_log.append(refused)
        return structs.replace(
            done,
            known=done.known + sum(better),
            blank=len(blanks),
            set_aside=len(refused),
            examples=tuple(refused[: ingestion.MAX_EXAMPLES]),
            kept_in=self.set_aside_log.path if refused and self.applies else "",
        )

    def _preview_events(self, events: list[Event]) -> list[CaptureResult]:
        """Return the outcome that each event would have; nothing is written, no key is made."""
        captured_keys = self.lookups.find_captured_keys([journal_key(key) for event in events for key in event.keys])
        tombstones, exact = read_tombstones(self.context.root), self.context.exact
        results = []
        for event in events:
            if any(journal_key(key) in captured_keys for key in event.keys):
                results.append(CaptureResult("known"))
            elif has_marker(event.text, "NOMEM"):
                results.append(CaptureResult("not to be kept"))
            elif mask_forgotten(tombstones, event.text, event.detail) is None:
                results.append(CaptureResult("forgotten"))
            else:
                fields: dict[str, Any] = {**event.detail, "names": [event.session, event.agent, event.scope]}
                findings = redact(event.text, key=PREVIEW_KEY, exact=exact).findings
                findings += redact_fields(fields, key=PREVIEW_KEY, exact=exact)[1]
                results.append(CaptureResult("captured", redacted=tuple(finding.kind for finding in findings)))
        return results

    def _was_vouched_before(self, events: Sequence[Event]) -> list[bool]:
        """Return for each event whether it was captured before with somebody vouching for it, as now nobody does."""
        own = ([key for key in event.keys if not key.endswith(VOUCHED_SUFFIX)] for event in events)
        keys = [[journal_key(key + VOUCHED_SUFFIX) for key in own_keys] for own_keys in own]
        all_keys = [key for own in keys for key in own]
        captured = self.lookups.find_captured_keys(all_keys) if all_keys else frozenset()
        return [not captured.isdisjoint(own) for own in keys]

    def _to_event(self, imported_event: Found) -> Event:
        """Return the event to capture; one for which nobody vouches is a stranger's."""
        fields = imported_event.fields | {"scope": self.options.scope or imported_event.fields.get("scope")}
        is_vouched = self.options.is_mine or (
            bool(self.options.owner) and imported_event.owner_name.casefold() == self.options.owner.casefold()
        )
        if not is_vouched:
            fields["origin"] = least_trusted(fields.get("origin") or "trusted", "untrusted")
            fields["actor"] = "tool" if fields.get("actor") == "owner" else fields.get("actor")
        keys = tuple(key + VOUCHED_SUFFIX for key in imported_event.keys) if is_vouched else imported_event.keys
        name = f"{self.options.source.name}/{imported_event.part}" if imported_event.part else self.options.source.name
        position = SourcePosition(name, imported_event.offset, imported_event.line)
        event = event_from_fields(fields, keys, position, imported_event.import_detail)
        event = validate_event(self.options.localise_time(event))
        self._count_event(event, imported_event)
        return event

    def _count_event(self, event: Event, imported_event: Found) -> None:
        tally, trust, day = self.tally, least_trusted(TRUST_BY_ACTOR[event.actor], event.origin), event.ts[:DAY_CHARS]
        kind = event.import_detail.get("kind") or event.type
        _increment_count(tally.kinds, kind)
        _increment_count(tally.trusts, trust)
        for counts, name in ((tally.people, imported_event.owner_name), (tally.scopes, event.scope)):
            if name:
                _increment_count(counts, name)
        tally.undated += not day
        tally.first = min(tally.first or day, day or tally.first)
        tally.last = max(tally.last, day)
        seen = len(tally.samples)
        if seen < FIRST_SAMPLES or (seen < MAX_SAMPLES and all(one.kind != kind for one in tally.samples)):
            text = sanitize_line(redact(event.text[: 8 * SAMPLE_CHARS], key=PREVIEW_KEY, exact=self.context.exact).text)
            text = text if len(text) <= SAMPLE_CHARS else f"{text[:SAMPLE_CHARS]}…"
            tally.samples.append(MemorySample(kind, day, trust, text))


def _increment_count(counts: dict[str, int], name: str) -> None:
    name = sanitize_line(name)[:200]
    key = name if name in counts or len(counts) < MAX_COUNTED_NAMES else "…"
    counts[key] = counts.get(key, 0) + 1
