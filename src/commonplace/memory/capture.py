"""The writing methods of Memory: capture events, ingest transcripts, import memories, retain a sentence, log a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import structs

from commonplace.errors import BadArgument, LockBusy, NotFound, WorkspaceUnusable
from commonplace.memory.open_workspace import TRANSIENT_ERRORS, OpenWorkspace
from commonplace.memory.recall import RecallMixin
from commonplace.sync import index_new_captures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonplace.capture import CaptureResult, Event, RetainResult
    from commonplace.capture.ingestion import IngestResult
    from commonplace.capture.migration import ImportResult
    from commonplace.capture.pipeline import CaptureLookups, Span
    from commonplace.index import Index
    from commonplace.model import Actor, CaptureType, TranscriptFormat, Trust


class CaptureMixin(OpenWorkspace):
    """What happens, as it happens."""

    def capture(
        self,
        text: str,
        *,
        type: CaptureType = "message",  # noqa: A002 - the word of the shape
        actor: Actor = "owner",
        ts: str = "",
        session: str = "",
        agent: str = "",
        scope: str = "",
        origin: Trust = "trusted",
        detail: dict[str, Any] | None = None,
        sources: tuple[str, ...] = (),
        keys: tuple[str, ...] = (),
        now: str | None = None,
    ) -> CaptureResult:
        """Capture one event: redacted, bounded, on disk when this returns. It is found as evidence from then on.

        `ts` is when it happened (ISO, now if empty). `origin` can lower the trust that comes with the actor, never
        raise it. An event of whose `keys` one is known is not captured again. Raises BadArgument.
        """
        from commonplace.capture import Event

        event = Event(
            text=text,
            type=type,
            actor=actor,
            ts=ts,
            session=session,
            agent=agent,
            scope=scope,
            origin=origin,
            detail=detail or {},
            from_=sources,
            keys=keys,
        )
        return self.capture_all((event,), now=now)[0]

    def capture_all(self, events: Sequence[Event], *, now: str | None = None) -> tuple[CaptureResult, ...]:
        """Capture events with one write and one fsync; see `capture`."""
        from commonplace.capture import capture_events

        return capture_events(
            self._write_context(now), [self._localise_event(event) for event in events], self._capture_lookups()
        )

    def ingest(
        self,
        stream: BinaryIO,
        *,
        format: TranscriptFormat = "auto",  # noqa: A002 - the word of the command
        owner: str = "",
        scope: str = "",
        session: str = "",
        name: str = "",
        identity: tuple[str, ...] = (),
        now: str | None = None,
    ) -> IngestResult:
        """Capture what a stream of transcripts holds; the same again adds nothing, a bad line stops nothing.

        `owner` names the person whose words are the owner's own in a format that another program exported, or in a
        chat log. `name` and `identity` tell where the stream comes from. What is no event is set aside in
        `.memory/set-aside`, with its place and the reason.
        """
        from commonplace.capture.imports import StreamSource
        from commonplace.capture.ingestion import IngestOptions, ingest

        origin = IngestOptions(StreamSource(name, identity), format, owner, scope, session, self._localise_event)
        return ingest(self._write_context(now), stream, origin, self._capture_lookups())

    def _localise_event(self, event: Event) -> Event:
        """The event with its time in the zone of the workspace, as all times are kept."""
        from msgspec import structs

        from commonplace.storage import config

        return structs.replace(event, ts=config.to_local_time(event.ts, self.settings)) if event.ts else event

    def _capture_lookups(self) -> CaptureLookups:
        from commonplace.capture import CaptureLookups

        return CaptureLookups(self._find_captured_keys, self._find_quoted_spans, self._find_trusts)

    def _find_captured_keys(self, journal_keys: Sequence[str]) -> frozenset[str]:
        return self._index_with_captures().find_captured_keys(journal_keys)

    def _find_trusts(self, record_ids: Sequence[str]) -> tuple[Trust, ...]:
        index = self._index_with_captures()
        return tuple(record.trust for name in record_ids if (record := index.find(name)) is not None)

    def _find_quoted_spans(self, texts_with_trust: Sequence[tuple[str, Trust]]) -> Sequence[Sequence[Span]]:
        """What of some texts stands in memory; nothing where the index cannot be asked now, for a capture is not
        refused for that: what is not known to be quoted is less trusted, not more."""
        from commonplace.index.reconcile import find_repeated_spans

        try:
            return find_repeated_spans(self._index_with_captures(), texts_with_trust)
        except (LockBusy, WorkspaceUnusable):
            return [()] * len(texts_with_trust)

    def _index_with_captures(self) -> Index:
        """The index with all that was captured, without a look at the Markdown: that was indexed when it was shown."""
        index = self._open_index()
        index_new_captures(index, self._sync_source())
        return index


MARKDOWN_SYSTEMS = (
    "basic-memory",
    "obsidian",
    "memoryclaw",
)  # folders of Markdown, which a workspace reads where it holds them


class ImportMixin(CaptureMixin):
    """What other memories hold."""

    def import_from(
        self,
        path: str,
        *,
        system: str = "auto",
        owner: str = "",
        mine: bool = False,
        scope: str = "",
        apply: bool = False,
        now: str | None = None,
    ) -> ImportResult:
        """What would be captured of another memory, and with `apply` is: a folder, a database or an export.

        Nobody vouches for what it holds, so it is untrusted, except for all of it with `mine`, or for what belongs to
        the person of the name `owner` there. The same again adds nothing. Without `apply` no file of the workspace is
        written but the index. Raises BadArgument, NotFound, OutsideWorkspace.
        """
        import os

        from commonplace.capture.imports import StreamSource
        from commonplace.capture.imports.memories import SYSTEMS
        from commonplace.capture.imports.memories.reader import find_memory
        from commonplace.capture.imports.memories.reader import read_memory as read
        from commonplace.capture.migration import ImportOptions, import_memory

        if system != "auto" and system not in SYSTEMS:
            raise BadArgument(f"there is no format {system!r}", hint=f"one of {', '.join(SYSTEMS)}")
        found, location = find_memory(path, None if system == "auto" else next(one for one in SYSTEMS if one == system))
        real = os.path.realpath(location.path)
        if location.is_folder and found in MARKDOWN_SYSTEMS and f"{real}/".startswith(f"{self.root}/"):
            message = f"{path!r} lies in this workspace"
            raise BadArgument(message, path=path, hint="its notes are read as they are; name another --workspace")
        source = StreamSource(os.path.basename(real), (f"import:{found}:{real}",))
        options = ImportOptions(found, source, owner.strip(), mine, scope, self._localise_event)
        lookups = self._capture_lookups() if apply else self._preview_lookups()
        return import_memory(self._write_context(now), read(found, location), options, lookups, apply=apply)

    def _preview_lookups(self) -> CaptureLookups:
        """What is known before a preview; a workspace in which nothing was ever captured gets no index for it."""
        from commonplace.capture.pipeline import NO_LOOKUPS
        from commonplace.storage import files

        has_captures = any(name.startswith("captures-") for name in files.list_file_sizes(self.root, ".memory/journal"))
        return self._capture_lookups() if has_captures else NO_LOOKUPS


class RetainMixin(RecallMixin):
    """What goes in."""

    def retain(
        self,
        text: str,
        *,
        actor: Actor = "owner",
        scope: str = "",
        session: str = "",
        importance: float | None = None,
        valid: str = "",
        sources: tuple[str, ...] = (),
        supersedes: tuple[str, ...] = (),
        now: str | None = None,
    ) -> RetainResult:
        """Keep a sentence: redact, journal, write a bullet to today's log, index it.

        `text` is plain, or begins like a Retain bullet: `W @Peter: …`, `B …`, `O(c=0.9) …`, `S …`.
        `valid` is `2025-11-27..2025-12-01`, either end open. What an agent keeps of what it read is trusted no more
        than that. The answer tells at which rank a question about it finds it again. Raises BadArgument.
        """
        from commonplace import capture

        basis = (*self._source_trusts(sources, supersedes), *self._quoted_text_trusts(text, actor))
        said = capture.AttributedSentence(text, actor, scope, session, importance, valid, sources, supersedes, basis)
        return self._check_findability(self._index_retained(capture.retain(self._write_context(now), said)))

    def _source_trusts(self, sources: tuple[str, ...], supersedes: tuple[str, ...]) -> tuple[Trust, ...]:
        """The trust of those sources that are records. Raises NotFound for a superseded record that does not exist."""
        if not sources and not supersedes:
            return ()
        index = self._synced_index()
        for record_id in supersedes:
            if index.find(record_id) is None:
                raise NotFound("record", record_id)
        return tuple(record.trust for source in sources if (record := index.find(source)) is not None)

    def _quoted_text_trusts(self, text: str, actor: Actor) -> tuple[Trust, ...]:
        """What it is worth that an agent takes its words from what tools and strangers said."""
        if actor != "agent":
            return ()
        from commonplace.index.reconcile import are_from_untrusted

        return ("untrusted",) if are_from_untrusted(self._synced_index(), [text])[0] else ()

    def _check_findability(self, result: RetainResult) -> RetainResult:
        """Ask for what was kept as somebody would who does not know its words; a warning if that does not find it."""
        if result.record is None or self._notes:  # what the index does not have it cannot find
            return result
        from commonplace.upkeep.consolidate.findability import (
            claim_from_record,
            findability_warning,
            make_questions,
            rank_in_hits,
        )

        asked = next(iter(make_questions(claim_from_record(result.record))), "")
        if not asked:
            return result
        try:
            found = self.recall(asked, evidence="none", sync=False, all_scopes=True).hits
        except TRANSIENT_ERRORS:
            return result  # it stands, and that it could not be asked for now says nothing about it
        rank = rank_in_hits(result.record.id, [hit.record.id for hit in found])
        warned = findability_warning(rank, asked, result.record.source.citation)
        return structs.replace(result, asked=asked, rank=rank, notes=(*result.notes, *filter(None, (warned,))))

    def log(
        self, text: str, *, actor: Actor = "owner", scope: str = "", session: str = "", now: str | None = None
    ) -> RetainResult:
        """Add a line to the narrative of today's log, redacted and journalled."""
        from commonplace import capture

        return self._index_retained(
            capture.log_sentence(self._write_context(now), capture.AttributedSentence(text, actor, scope, session))
        )

    def _index_retained(self, result: RetainResult) -> RetainResult:
        """The index after something was written; the record as it stands in the file."""
        if result.record is None:
            return result
        record = self._index_after_write(result.record.id)
        return structs.replace(result, record=record or result.record, notes=(*result.notes, *self._notes))
