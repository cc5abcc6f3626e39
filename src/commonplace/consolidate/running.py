"""A run of consolidation, from the journal to what was written, interaction by interaction, resumable at any point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from commonplace import files
from commonplace.capture.keys import Place, workspace_key
from commonplace.consolidate import pending
from commonplace.consolidate.applying import Applied, apply
from commonplace.consolidate.candidates import Guards
from commonplace.consolidate.echoes import echo_keys
from commonplace.consolidate.past import Past
from commonplace.consolidate.planning import Desk, Plan, plan
from commonplace.consolidate.shelf import Shelf
from commonplace.consolidate.units import Unit, units
from commonplace.index import Index
from commonplace.journal import Journal
from commonplace.receipts import read_all

AT_ONCE = 100  # interactions that are planned and written together, before the index sees them
LOCK = "consolidate"
TAGS = "memory/tags.yaml"
RECENT_PACKS = 200  # whose lines an agent may still be repeating


class Wish(Struct, frozen=True):
    """What is wanted: whether to write, which interactions are over (`before`, an ISO minute), the owner's name."""

    write: bool = False
    before: str = ""
    owner: str = "Owner"


class Run(Struct, frozen=True):
    """What a run did, or would do: its plans in order, and what was written."""

    plans: tuple[Plan, ...] = ()
    written: tuple[Applied, ...] = ()

    @property
    def skipped(self) -> dict[str, int]:
        """Why claims were not kept, and how many for each reason."""
        counts = Counter(one.why for plan in self.plans for one in plan.skipped)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def run(place: Place, index: Callable[[], Index], wish: Wish) -> Run:
    """Consolidate what was captured. `index` gives the index as it is after what was written last. Raises LockBusy."""
    with files.hold(place.root, LOCK):
        journal = Journal(place.root, place.device)
        past = Past(journal)
        found = units(journal, past.consolidated, before=wish.before)
        if not found:
            return Run()
        plans: list[Plan] = []
        written: list[Applied] = []
        desk = _desk(place, index(), past, wish)
        for some in _batches(found):
            if wish.write and plans:
                past = Past(journal)
                desk = _desk(place, index(), past, wish)
            plans.append(plan(some, desk))
            if wish.write:
                written.append(apply(place, plans[-1], past))
        return Run(tuple(plans), tuple(written))


def _batches(found: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    for start in range(0, len(found), AT_ONCE):
        yield found[start : start + AT_ONCE]


def _desk(place: Place, index: Index, past: Past, wish: Wish) -> Desk:
    key = workspace_key(place.root)
    return Desk(
        shelf=Shelf(index, past),
        past=past,
        guards=Guards(_recalled(place, index, key), frozenset(past.tombstones), key),
        exists=lambda path: path in index.files(),
        tags=vocabulary(place.root),
        waiting=pending.items_of(files.find(place.root, pending.PATH) or b""),
        owner=wish.owner,
    )


def _recalled(place: Place, index: Index, key: bytes) -> frozenset[str]:
    """What the last packs gave out, as keys."""
    last = read_all(place.root).receipts[-RECENT_PACKS:]
    given = {one.record_id for receipt in last for one in receipt.considered if one.included}
    records = [record for record_id in sorted(given) if (record := index.find(record_id)) is not None]
    return frozenset(found for record in records for found in echo_keys(record.text, key))


def vocabulary(root: str) -> frozenset[str]:
    """The frozen tags of `memory/tags.yaml`: every word in it that is a list's item or a list's name."""
    data = files.find(root, TAGS)
    if data is None:
        return frozenset()
    words = data.decode("utf-8", "replace").replace(",", " ").replace("[", " ").replace("]", " ").split()
    return frozenset(word.strip("-:#'\"").lower() for word in words) - {""}
