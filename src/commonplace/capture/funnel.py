"""The one way in: check, bound, redact, judge the origin, journal with fsync; then it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from msgspec import Struct

from commonplace import files
from commonplace.capture.artifacts import laid_aside
from commonplace.capture.events import MOST_TEXT, TRUST_OF, Event, bounded, bounded_text, checked
from commonplace.capture.keys import Place, workspace_key
from commonplace.journal import Journal
from commonplace.model import least_trusted
from commonplace.redact import redact
from commonplace.redact.markers import has_marker
from commonplace.text import one_line
from commonplace.text.frames import RECALLED, unframed

LOCK = "captures-known"
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
    keys = [key for event in events for key in event.keys]
    known = set(before.known(keys)) if keys else set()
    fresh = []
    for at, event in enumerate(events):
        if not known.intersection(event.keys):
            fresh.append(at)
        known.update(event.keys)
    return fresh


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
        detail = self._inner(bounded(event.detail))
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
            **({"keys": list(event.keys)} if event.keys else {}),
        }

    def _name(self, name: str) -> str:
        return self._masked(one_line(name))

    def _inner(self, value: Any) -> Any:
        """What is said besides, each text of it without its secrets."""
        if isinstance(value, str):
            return self._masked(value)
        if isinstance(value, dict):
            return {self._masked(key): self._assigned(key, inner) for key, inner in value.items()}
        return [self._inner(inner) for inner in value] if isinstance(value, list) else value

    def _assigned(self, name: str, value: Any) -> Any:
        """A value below its name: `{"password": "…"}` tells a secret as `password: …` does."""
        if not isinstance(value, str) or not value:
            return self._inner(value)
        lead = f'"{name}": "'
        said = redact(f'{lead}{value}"', key=self._key, exact=self._exact)
        if not said.found or not said.text.startswith(lead):
            return self._masked(value)
        self._kinds.update(found.kind for found in said.found)
        return said.text[len(lead) :].removesuffix('"')

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
