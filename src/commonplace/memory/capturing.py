"""Memory's verbs of capturing: an event, many events, a file of somebody else's transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from commonplace.errors import LockBusy, WorkspaceUnusable
from commonplace.memory.opening import Opened
from commonplace.sync import catch_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonplace.capture import Event, Taken
    from commonplace.capture.funnel import Before, Span
    from commonplace.capture.intake import Ingested
    from commonplace.imports import Format
    from commonplace.index import Index
    from commonplace.model import Actor, CaptureType, Trust


class Capturing(Opened):
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
    ) -> Taken:
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

    def capture_all(self, events: Sequence[Event], *, now: str | None = None) -> tuple[Taken, ...]:
        """Capture events with one write and one fsync; see `capture`."""
        from commonplace.capture import capture

        return capture(self._place(now), [self._localised(event) for event in events], self._before())

    def ingest(
        self,
        stream: BinaryIO,
        *,
        format: Format = "auto",  # noqa: A002 - the word of the command
        owner: str = "",
        scope: str = "",
        session: str = "",
        name: str = "",
        identity: tuple[str, ...] = (),
        now: str | None = None,
    ) -> Ingested:
        """Capture what a stream of transcripts holds; the same again adds nothing, a bad line stops nothing.

        `owner` names the person whose words are the owner's own in a format that another program exported, or in a
        chat log. `name` and `identity` tell where the stream comes from. What is no event is set aside in
        `.memory/set-aside`, with its place and the reason.
        """
        from commonplace.capture.intake import Origin, ingest
        from commonplace.imports import Source

        origin = Origin(Source(name, identity), format, owner, scope, session, self._localised)
        return ingest(self._place(now), stream, origin, self._before())

    def _localised(self, event: Event) -> Event:
        """The event with its time in the zone of the workspace, as all times are kept."""
        from msgspec import structs

        from commonplace import config

        return structs.replace(event, ts=config.local_time(event.ts, self.settings)) if event.ts else event

    def _before(self) -> Before:
        from commonplace.capture import Before

        return Before(self._known, self._standing, self._trusts)

    def _known(self, keys: Sequence[str]) -> frozenset[str]:
        return self._heard().captured(keys)

    def _trusts(self, ids: Sequence[str]) -> tuple[Trust, ...]:
        index = self._heard()
        return tuple(record.trust for name in ids if (record := index.find(name)) is not None)

    def _standing(self, said: Sequence[tuple[str, Trust]]) -> Sequence[Sequence[Span]]:
        """What of some texts stands in memory; nothing where the index cannot be asked now, for a capture is not
        refused for that: what is not known to be quoted is less trusted, not more."""
        from commonplace.index.standing import standings

        try:
            return standings(self._heard(), said)
        except (LockBusy, WorkspaceUnusable):
            return [()] * len(said)

    def _heard(self) -> Index:
        """The index with all that was captured, without a look at the Markdown: that was indexed when it was shown."""
        index = self._opened()
        catch_up(index, self._notebook())
        return index
