"""What packs gave out lately, so that who only says it again says nothing new."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, structs

from commonplace import receipts
from commonplace.consolidate.candidates import Guards
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.echoes import echo_keys
from commonplace.index import Index
from commonplace.model import Record
from commonplace.pack.lines import line_of
from commonplace.pack.policy import PackOptions
from commonplace.workspace.times import moment

RECENT_PACKS = 200  # whose lines somebody may still be repeating


class Given(Struct, frozen=True):
    """A line that a pack gave out: when first, what it rests on (itself, if it is a capture), whether it holds."""

    first: str
    rests_on: frozenset[str]
    holds: bool


class Recalled(Struct, frozen=True):
    """The lines by the keys of what they say; `tombstones` and `key` as the gate's guards have them."""

    given: dict[str, list[Given]]
    tombstones: frozenset[str] = frozenset()
    key: bytes = b""

    def without(self, tombstones: Iterable[str]) -> Recalled:
        """The same, and nothing that was forgotten on request comes in either."""
        return structs.replace(self, tombstones=frozenset(tombstones))

    def guards(self, draft: Draft) -> Guards:
        """What must not come in again with this draft: what was given out before it was said, and did not come from
        there itself. Of what holds no more an agent may still repeat the old; who owns it says that it holds again."""

        def counts(one: Given) -> bool:
            echoed = one.first <= draft.time and one.rests_on.isdisjoint(draft.sources)
            return echoed and (one.holds or draft.actor == "agent")

        keys = echo_keys(draft.text, self.key) if self.given else ()
        known = frozenset(key for key in keys if any(map(counts, self.given.get(key, ()))))
        return Guards(known, self.tombstones, self.key)


def recalled(root: str, index: Index, key: bytes) -> Recalled:
    """What the last packs of a workspace gave out."""
    first: dict[tuple[str, str], str] = {}
    for receipt in receipts.read_all(root).receipts[-RECENT_PACKS:]:
        for one in receipt.considered:
            if one.included:
                first.setdefault((one.record_id, one.citation), receipt.ts)
    given: dict[str, list[Given]] = {}
    for (record_id, citation), ts in sorted(first.items()):
        record = index.find(record_id)
        if record is not None:
            line = Given(moment(ts), frozenset((record.id, *record.sources)), not record.superseded_by)
            for found in _said(record, citation, key):
                given.setdefault(found, []).append(line)
    return Recalled(given, key=key)


def _said(record: Record, citation: str, key: bytes) -> frozenset[str]:
    """The keys of a line as it was printed, its marks before it and its citation behind it, and of its text alone."""
    printed = line_of(record, PackOptions(count=len))
    return echo_keys(record.text, key) | echo_keys(f"{printed.lead}{printed.body} {citation}", key)
