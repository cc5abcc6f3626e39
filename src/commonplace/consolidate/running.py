"""A run of consolidation, from the journal to what was written, some interactions at a time, resumable at any point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from commonplace import files
from commonplace.capture.keys import Place, workspace_key
from commonplace.consolidate import pending
from commonplace.consolidate.applying import Applied, apply
from commonplace.consolidate.drafts import OWNER
from commonplace.consolidate.past import Past
from commonplace.consolidate.planning import Desk, Plan, plan
from commonplace.consolidate.recalled import recalled
from commonplace.consolidate.shelf import Shelf
from commonplace.consolidate.units import Unit, units, whole_sessions
from commonplace.index import Index
from commonplace.journal import Journal
from commonplace.skills.learn import Learned, learn

LEAST_AT_ONCE = 100  # interactions that are planned and written together, before the index sees them
LOCK = "consolidate"
TAGS = "memory/tags.yaml"
LATELY = 30 * 24 * 60  # minutes: what was said in them is taken to be newer than a line without a date


class Wish(Struct, frozen=True):
    """What is wanted: whether to write, which interactions are over (`before`, an ISO minute), the owner's name."""

    write: bool = False
    before: str = ""
    owner: str = OWNER


class Run(Struct, frozen=True):
    """What a run did, or would do: its plans in order, what was written, and what it learned of how things are done."""

    plans: tuple[Plan, ...] = ()
    written: tuple[Applied, ...] = ()
    learned: Learned = Learned()

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
        learned = _learned(place, journal, found, wish)  # first: a session that is done is not looked at again
        plans: list[Plan] = []
        written: list[Applied] = []
        for some in _batches(found) if wish.write else filter(None, (found,)):
            plans.append(plan(some, _desk(place, index(), past, wish)))
            if wish.write:
                written.append(apply(place, plans[-1], past))
                past.catch_up()
        return Run(tuple(plans), tuple(written), learned)


def _learned(place: Place, journal: Journal, found: Sequence[Unit], wish: Wish) -> Learned:
    """What the sessions in which tools ran teach of how things are done."""
    sessions = {one.session for one in found if any(capture.type == "tool_result" for capture in one.captures)} - {""}
    if not sessions:
        return Learned()
    return learn(place.root, journal, whole_sessions(journal, sessions), place.now, apply=wish.write)


def _batches(found: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    """Each as large as all before it, so that what a batch costs by itself (a look at every file) does not add up."""
    start = 0
    while start < len(found):
        size = max(LEAST_AT_ONCE, start)
        yield found[start : start + size]
        start += size


def _desk(place: Place, index: Index, past: Past, wish: Wish) -> Desk:
    return Desk(
        shelf=Shelf(index, past),
        past=past,
        recalled=recalled(place.root, index, workspace_key(place.root)).without(past.tombstones),
        tags=vocabulary(place.root),
        waiting=pending.items_of(files.find(place.root, pending.PATH) or b""),
        owner=wish.owner,
        lately=minutes_before(place.now, LATELY),
    )


def minutes_before(now: str, minutes: int) -> str:
    """The ISO minute so many before another; empty, which is before all, where the calendar has none."""
    try:
        return (datetime.fromisoformat(now) - timedelta(minutes=minutes)).isoformat(timespec="minutes")
    except OverflowError:
        return ""


def vocabulary(root: str) -> frozenset[str]:
    """The frozen tags of `memory/tags.yaml`: every word in it, comments aside, that is a list's item or name."""
    data = files.find(root, TAGS) or b""
    said = (line.partition("#")[0] for line in data.decode("utf-8", "replace").split("\n"))
    words = " ".join(said).translate(dict.fromkeys(map(ord, ",[]{}"), " ")).split()
    return frozenset(word.strip("-:'\"").casefold() for word in words) - {""}
