"""What another memory holds goes through the funnel, batch by batch; or it is only told, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct, structs

from commonplace.capture.aside import Aside
from commonplace.capture.events import TRUST_OF, Brought, Event, Stood, checked, event_of
from commonplace.capture.funnel import Before, capture_checked, journal_key
from commonplace.capture.intake import EXAMPLES, Ingested, batches, sample_of
from commonplace.capture.keys import KEY_BYTES, Place
from commonplace.errors import BadArgument
from commonplace.imports import Blank, SetAside, Source
from commonplace.imports import Event as Found
from commonplace.model import Trust, least_trusted
from commonplace.redact import redact, redact_fields
from commonplace.redact.markers import has_marker
from commonplace.text import one_line

VOUCHED = ":mine"  # behind the key of what somebody vouched for: it counts for more than the same without
FIRST, SAMPLES, SAMPLE = 2, 6, 160  # shown of any kind; shown, of different kinds; characters of one
MOST_NAMED = 20  # people and reasons that are told apart
NO_KEY = bytes(KEY_BYTES)  # of a preview, which shows that there is a secret, and which sort, and keeps nothing
DAY = len("2025-11-27")

Item = Found | SetAside | Blank


class Wish(Struct, frozen=True):
    """Which memory it is, where it comes from, who vouches for what, and where all of it belongs.

    `is_mine` vouches for all; `owner` for what belongs to the person of this name there.
    """

    system: str
    source: Source
    owner: str = ""
    is_mine: bool = False
    scope: str = ""
    localised: Callable[[Event], Event] = lambda event: event


class Sample(Struct, frozen=True):
    """How one memory would look: its kind and day there, its trust here, its text without secrets."""

    kind: str
    day: str
    trust: Trust
    text: str


class Tally(Struct):
    """What was found: how many of which kind, how far they are trusted, whose they are, to which project they belong,
    the first and the last day, what was passed over and why, how many hold secrets."""

    kinds: dict[str, int] = {}
    trusts: dict[str, int] = {}
    people: dict[str, int] = {}
    scopes: dict[str, int] = {}
    passed_over: dict[str, int] = {}
    first: str = ""
    last: str = ""
    undated: int = 0
    masked: int = 0
    samples: list[Sample] = []


class Import(Struct, frozen=True):
    """What became, or would become, of another memory."""

    system: str
    applied: bool
    tally: Tally
    done: Ingested


def bring(place: Place, items: Iterable[Item], wish: Wish, before: Before, *, apply: bool) -> Import:
    """Capture what another memory holds, or only tell what would be captured. Raises BadArgument for what is said of
    all of it."""
    checked(Event(text="…", scope=wish.scope))
    intake = _Intake(place, wish, before, Tally(), Aside(place, wish.source), apply)
    done = Ingested()
    for batch in batches(iter(items)):
        done += intake.take(batch)
    return Import(wish.system, apply, intake.tally, done)


class _Intake(Struct):
    place: Place
    wish: Wish
    before: Before
    tally: Tally
    aside: Aside
    applies: bool

    def take(self, batch: list[Item]) -> Ingested:
        """Capture the memories of a batch, and set aside what is none; without `applies` do neither, and count."""
        refused = [item for item in batch if isinstance(item, SetAside)]
        events: list[Event] = []
        for found in batch:
            if isinstance(found, Blank):
                _count(self.tally.passed_over, found.reason or "blank")
            elif isinstance(found, Found):
                try:
                    events.append(self._event(found))
                except BadArgument as error:
                    refused.append(SetAside(found.offset, found.line, error.message, sample_of(found), found.part))
        better = self._better(events)
        fresh = [event for event, stands in zip(events, better, strict=True) if not stands]
        done = self._captured(fresh) if self.applies else self._previewed(fresh)
        if refused and self.applies:
            self.aside.keep(refused)
        return structs.replace(
            done,
            known=done.known + sum(better),
            blank=sum(isinstance(item, Blank) for item in batch),
            set_aside=len(refused),
            examples=tuple(refused[:EXAMPLES]),
            kept_in=self.aside.path if refused and self.applies else "",
        )

    def _captured(self, events: list[Event]) -> Ingested:
        taken = capture_checked(self.place, events, self.before)
        self.tally.masked += sum(bool(one.redacted) for one in taken)
        outcomes = [one.outcome for one in taken]
        return Ingested(
            captured=outcomes.count("captured"),
            known=outcomes.count("known"),
            skipped=outcomes.count("not to be kept") + outcomes.count("empty"),
            redacted=tuple(sorted({kind for one in taken for kind in one.redacted})),
        )

    def _previewed(self, events: list[Event]) -> Ingested:
        """What would become of events: nothing is written, no key is made."""
        known = self.before.known([journal_key(key) for event in events for key in event.keys])
        captured = skipped = 0
        kinds: set[str] = set()
        for event in events:
            if any(journal_key(key) in known for key in event.keys):
                continue
            if has_marker(event.text, "NOMEM"):
                skipped += 1
                continue
            captured += 1
            found = self._secrets(event)
            self.tally.masked += bool(found)
            kinds |= found
        return Ingested(captured, len(events) - captured - skipped, skipped, redacted=tuple(sorted(kinds)))

    def _secrets(self, event: Event) -> set[str]:
        exact = self.place.exact
        said: dict[str, Any] = {**event.detail, "names": [event.session, event.agent, event.scope]}
        found = redact(event.text, key=NO_KEY, exact=exact).found
        return {one.kind for one in (*found, *redact_fields(said, key=NO_KEY, exact=exact)[1])}

    def _better(self, events: Sequence[Event]) -> list[bool]:
        """Which of the events came in before with somebody vouching for them, as now nobody does."""
        keys = [[journal_key(key + VOUCHED) for key in event.keys if not key.endswith(VOUCHED)] for event in events]
        asked = [key for own in keys for key in own]
        known = self.before.known(asked) if asked else frozenset()
        return [not known.isdisjoint(own) for own in keys]

    def _event(self, found: Found) -> Event:
        """A memory as it is to be captured: for what nobody vouches, it is a stranger's."""
        fields = found.fields | {"scope": self.wish.scope or found.fields.get("scope")}
        is_vouched = self.wish.is_mine or _is_same(found.whose, self.wish.owner)
        if not is_vouched:
            fields["origin"] = least_trusted(fields.get("origin") or "trusted", "untrusted")
            fields["actor"] = "tool" if fields.get("actor") == "owner" else fields.get("actor")
        keys = tuple(key + VOUCHED for key in found.keys) if is_vouched else found.keys
        name = f"{self.wish.source.name}/{found.part}" if found.part else self.wish.source.name
        event = event_of(fields, keys, Stood(name, found.offset, found.line), Brought(**found.brought))
        event = checked(self.wish.localised(event))
        self._tell(event, found)
        return event

    def _tell(self, event: Event, found: Found) -> None:
        tally, trust, day = self.tally, least_trusted(TRUST_OF[event.actor], event.origin), event.ts[:DAY]
        kind = event.brought.kind if event.brought else event.type
        _count(tally.kinds, kind)
        _count(tally.trusts, trust)
        for counts, name in ((tally.people, found.whose), (tally.scopes, event.scope)):
            if name:
                _count(counts, name)
        tally.undated += not day
        tally.first = min(tally.first or day, day or tally.first)
        tally.last = max(tally.last, day)
        seen = len(tally.samples)
        if seen < FIRST or (seen < SAMPLES and all(one.kind != kind for one in tally.samples)):
            text = one_line(redact(event.text[: 8 * SAMPLE], key=NO_KEY, exact=self.place.exact).text)
            text = text if len(text) <= SAMPLE else f"{text[:SAMPLE]}…"
            tally.samples.append(Sample(kind, day, trust, text))


def _is_same(whose: str, owner: str) -> bool:
    return bool(owner) and whose.casefold() == owner.casefold()


def _count(counts: dict[str, int], name: str) -> None:
    name = one_line(name)[:200]
    if name in counts or len(counts) < MOST_NAMED:
        counts[name] = counts.get(name, 0) + 1
    else:
        counts["…"] = counts.get("…", 0) + 1
