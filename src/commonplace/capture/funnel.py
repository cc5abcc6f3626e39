"""The one way in: check, bound, redact, judge the origin, journal with fsync; then it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from msgspec import Struct

from commonplace import files
from commonplace.capture.cleaning import Cleaned, Cleaner, Outcome
from commonplace.capture.events import Event, checked
from commonplace.capture.keys import Place
from commonplace.journal import Journal
from commonplace.model import Trust, least_trusted

LOCK = "captures-known"
KEY_CHARS = 20
MOST_QUOTES = 20_000  # stretches of one text that are noted

Span = tuple[int, int]


class Before(Struct, frozen=True):
    """What was there before.

    `known` tells which of some keys are; `standing` which stretches of some texts, each with the trust of its capture,
    stand in memory; `trusts` how far those of some captures and records that there are can be trusted.
    """

    known: Callable[[Sequence[str]], frozenset[str]] = lambda _keys: frozenset()
    standing: Callable[[Sequence[tuple[str, Trust]]], Sequence[Sequence[Span]]] = lambda said: [() for _ in said]
    trusts: Callable[[Sequence[str]], Sequence[Trust]] = lambda _ids: ()


class Taken(Struct, frozen=True):
    """What became of an event: its capture's id (empty if there is none), and the kinds of secrets masked in it."""

    outcome: Outcome
    id: str = ""
    redacted: tuple[str, ...] = ()


NOTHING_BEFORE = Before()


def capture(place: Place, events: Sequence[Event], before: Before = NOTHING_BEFORE) -> tuple[Taken, ...]:
    """Capture events with one write and one fsync; when this returns, they are on disk. Raises BadArgument.

    An event that its source knows under a known key is not captured again; nor is one that asks not to be kept.
    What stands in a pack's frame is taken out; what an agent or a tool repeats of memory is noted as quoted.
    """
    return capture_checked(place, [checked(event) for event in events], before)


def capture_checked(place: Place, events: Sequence[Event], before: Before) -> tuple[Taken, ...]:
    """The same for events that were checked one by one, so that a bad one among them did not stop the rest."""
    keys = [tuple(map(journal_key, event.keys)) for event in events]
    cleaner = Cleaner(place)
    cleaned = {at: cleaner.cleaned(events[at], keys[at]) for at in _fresh(keys, before)}
    new = {at: one for at, one in cleaned.items() if one.outcome == "captured"}
    _judge(list(new.values()), before)
    ids = _written(place, {at: one.fields for at, one in new.items()}, before) if new else {}
    return tuple(_taken(cleaned.get(at), ids.get(at, "")) for at in range(len(events)))


def journal_key(name: str) -> str:
    """A key as the journal has it: a digest, for a source may put anything into the name of an event."""
    return files.digest(name.encode("utf-8", "surrogatepass"))[:KEY_CHARS]


def _fresh(keys: Sequence[tuple[str, ...]], before: Before) -> list[int]:
    """The events that no key says were captured before, nor an earlier one of these."""
    known = set(before.known([key for own in keys for key in own])) if any(keys) else set()
    fresh = []
    for at, own in enumerate(keys):
        if known.isdisjoint(own):
            fresh.append(at)
        known.update(own)
    return fresh


def _judge(new: Sequence[Cleaned], before: Before) -> None:
    """Note what of the words of agents, tools and the system stands in memory already, for an echo is no news; and
    lower the trust of what they say to that of what it rests on."""
    heard = [one for one in new if one.fields["actor"] != "owner"]
    for fields in (one.fields for one in heard if one.fields["from"]):
        fields["origin"] = least_trusted(fields["origin"], *before.trusts(fields["from"]))
    said = [(text, one.fields["origin"]) for one in heard for text in (one.fields["text"], one.whole) if text]
    quotes = iter(before.standing(said) if said else ())
    for one in heard:
        _note_quotes(one, next(quotes), next(quotes) if one.whole else ())


def _note_quotes(one: Cleaned, quoted: Sequence[Span], in_whole: Sequence[Span]) -> None:
    """Note them in the detail: those of the text as the line has it, and of all of it where that lies in a file."""
    detail = one.fields["detail"]
    if one.whole:
        detail["artifact"]["quoted"] = in_whole[:MOST_QUOTES]
    if not quoted and not in_whole:
        return
    from commonplace.text.shingles import is_echo

    detail["quoted"] = quoted[:MOST_QUOTES]
    if is_echo(one.whole, in_whole) if one.whole else is_echo(one.fields["text"], quoted):
        detail["echo"] = True


def _written(place: Place, new: dict[int, dict[str, Any]], before: Before) -> dict[int, str]:
    """Write what nobody captured meanwhile: of two that bring the same event at once the second is told so."""
    keys = [key for fields in new.values() for key in fields.get("keys", ())]
    with files.hold(place.root, LOCK) if keys else nullcontext():
        known = before.known(keys) if keys else frozenset()
        left = {at: fields for at, fields in new.items() if known.isdisjoint(fields.get("keys", ()))}
        places = Journal(place.root, place.device).extend(list(left.values()), "captures")
    return {at: one.id for at, one in zip(left, places, strict=True)}


def _taken(cleaned: Cleaned | None, capture_id: str) -> Taken:
    if cleaned is None or (cleaned.outcome == "captured" and not capture_id):
        return Taken("known")
    return Taken(cleaned.outcome, capture_id, cleaned.masked)
