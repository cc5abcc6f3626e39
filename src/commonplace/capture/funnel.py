"""The one way in: check, bound, redact, judge the origin, journal with fsync; then it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from msgspec import Struct

from commonplace import files
from commonplace.capture.artifacts import laid_aside
from commonplace.capture.events import LOOSE_STRING, MOST_TEXT, TRUST_OF, Event, bounded, bounded_text, checked
from commonplace.capture.keys import Place, workspace_key
from commonplace.journal import Journal
from commonplace.model import least_trusted
from commonplace.redact import redact, redact_fields
from commonplace.redact.markers import has_marker
from commonplace.text import one_line
from commonplace.text.frames import RECALLED, unframed

LOCK = "captures-known"
KEY_CHARS = 20
ECHO = 0.8  # of its words; a text that says hardly anything else is an echo as a whole

Span = tuple[int, int]
Outcome = Literal["captured", "known", "not to be kept", "empty"]


class Before(Struct, frozen=True):
    """What was there before: which of some keys are known, and which stretches of some texts stand in memory."""

    known: Callable[[Sequence[str]], frozenset[str]]
    standing: Callable[[Sequence[str]], Sequence[Sequence[Span]]]


class Taken(Struct, frozen=True):
    """What became of an event: its capture's id (empty if there is none), and the kinds of secrets masked in it."""

    outcome: Outcome
    id: str = ""
    redacted: tuple[str, ...] = ()


NOTHING_BEFORE = Before(lambda _keys: frozenset(), lambda texts: [() for _ in texts])


def capture(place: Place, events: Sequence[Event], before: Before = NOTHING_BEFORE) -> tuple[Taken, ...]:
    """Capture events with one write and one fsync; when this returns, they are on disk. Raises BadArgument.

    An event that its source knows under a known key is not captured again; nor is one that asks not to be kept.
    What stands in a pack's frame is taken out; what an agent or a tool repeats of trusted memory is noted as quoted.
    """
    for event in events:
        checked(event)
    keyed = any(event.keys for event in events)
    with files.hold(place.root, LOCK) if keyed else nullcontext():  # two that ask at once must not both be told no
        fresh = _fresh(events, before)
        cleaned = {at: _Cleaned(place, events[at]) for at in fresh}
        _note_quotes([one for one in cleaned.values() if one.outcome == "captured"], before)
        journal = Journal(place.root, place.device)
        places = iter(journal.extend([one.fields for one in cleaned.values() if one.outcome == "captured"], "captures"))
    return tuple(_taken(cleaned.get(at), places) for at in range(len(events)))


def _fresh(events: Sequence[Event], before: Before) -> list[int]:
    """The events that no key says were captured before, nor an earlier one of these."""
    keys = [[_key(name) for name in event.keys] for event in events]
    known = set(before.known([key for own in keys for key in own])) if any(keys) else set()
    fresh = []
    for at, own in enumerate(keys):
        if not known.intersection(own):
            fresh.append(at)
        known.update(own)
    return fresh


def _key(name: str) -> str:
    """A key as the journal has it: a digest, for a source may put anything into the name of an event."""
    return files.digest(name.encode("utf-8", "surrogatepass"))[:KEY_CHARS]


def _taken(cleaned: _Cleaned | None, places: Iterator[Any]) -> Taken:
    if cleaned is None:
        return Taken("known")
    if cleaned.outcome != "captured":
        return Taken(cleaned.outcome, redacted=cleaned.masked)
    return Taken("captured", next(places).id, cleaned.masked)


class _Cleaned:
    """An event without its secrets, as its line in the journal will be."""

    def __init__(self, place: Place, event: Event) -> None:
        self._kinds: set[str] = set()
        self.outcome: Outcome = "not to be kept" if has_marker(event.text, "NOMEM") else "captured"
        self.fields: dict[str, Any] = {}
        if self.outcome == "captured":
            self._key, self._exact = workspace_key(place.root), place.exact
            self._clean(place, event)

    @property
    def masked(self) -> tuple[str, ...]:
        """The kinds of secrets that were masked."""
        return tuple(sorted(self._kinds))

    def _clean(self, place: Place, event: Event) -> None:
        redacted = redact(unframed(bounded_text(event.text)), key=self._key, exact=self._exact)
        self._kinds.update(found.kind for found in redacted.found)
        if not one_line(redacted.text.replace(RECALLED, "")):
            self.outcome = "empty"
            return
        detail = bounded(self._inner(bounded(event.detail, LOOSE_STRING)))
        text, aside = laid_aside(place.root, redacted.text)
        said = {"private": redacted.private, "export": redacted.export, "cut": len(event.text) > MOST_TEXT}
        flags = {name: value for name, value in said.items() if value is (name != "export")}
        self.fields = {
            "ts": event.ts or place.now,
            "type": event.type,
            "actor": event.actor,
            "text": text,
            **{name: self._name(getattr(event, name)) for name in ("session", "agent", "scope")},
            "origin": least_trusted(TRUST_OF[event.actor], event.origin),
            "detail": {**detail, **flags, **({"artifact": aside} if aside else {})},
            "from": [self._name(name) for name in event.from_],
            **({"keys": [_key(name) for name in event.keys]} if event.keys else {}),
        }

    def _name(self, name: str) -> str:
        return self._masked(one_line(name))

    def _inner(self, value: Any) -> Any:
        """What is said besides, without its secrets."""
        clean, found = redact_fields(value, key=self._key, exact=self._exact)
        self._kinds.update(one.kind for one in found)
        return clean

    def _masked(self, text: str) -> str:
        if not text:
            return text
        redacted = redact(text, key=self._key, exact=self._exact)
        self._kinds.update(found.kind for found in redacted.found)
        return redacted.text


def _note_quotes(cleaned: Sequence[_Cleaned], before: Before) -> None:
    """Note which stretches of what agents and tools say stand in trusted memory already: an echo is no news."""
    heard = [one.fields for one in cleaned if one.fields["actor"] != "owner"]
    for fields, spans in zip(
        heard, before.standing([fields["text"] for fields in heard]) if heard else (), strict=True
    ):
        if spans:
            text = fields["text"]
            quoted = sum(len(text[start:end].split()) for start, end in spans)
            fields["detail"]["quoted"] = [list(span) for span in spans]
            if quoted >= ECHO * len(text.split()):
                fields["detail"]["echo"] = True
