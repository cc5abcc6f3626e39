"""Decide, as data, what a run of consolidation would write: episodes, lines in their homes, what waits for review."""

from __future__ import annotations

from collections.abc import Container, Iterable

from msgspec import Struct, structs

from commonplace.consolidate.drafts import OWNER, drafts_of
from commonplace.consolidate.episodes import Episode, episode_of
from commonplace.consolidate.past import Past
from commonplace.consolidate.pending import Item
from commonplace.consolidate.recalled import Recalled
from commonplace.consolidate.shelf import Shelf
from commonplace.consolidate.sorting import Kept, Late, Skipped, Sorting
from commonplace.consolidate.summary import salient
from commonplace.consolidate.units import Unit
from commonplace.model import Capture, Record


class Desk(Struct, frozen=True):
    """What planning looks things up in: what is kept, what was done before, what packs gave out, the frozen
    vocabulary, the queue. `owner` is the name of who speaks where captures name nobody; what was said since `lately`
    (an ISO time) is newer than any line without a date."""

    shelf: Shelf
    past: Past
    recalled: Recalled
    tags: Container[str] = ()
    waiting: tuple[Item, ...] = ()
    owner: str = OWNER
    lately: str = ""


class Plan(Struct, frozen=True):
    """What one run would do with some interactions.

    `settled` are items of the queue that need no review any more; `late` says which lines on disk replace statements
    that came in after them.
    """

    units: tuple[Unit, ...] = ()
    episodes: tuple[Episode, ...] = ()
    kept: tuple[Kept, ...] = ()
    pending: tuple[Item, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    settled: tuple[Item, ...] = ()
    late: tuple[Late, ...] = ()

    @property
    def captures(self) -> int:
        """How many captures it takes in."""
        return sum(len(unit.captures) for unit in self.units)


def plan(units: Iterable[Unit], desk: Desk) -> Plan:
    """What would be written for these interactions; nothing is."""
    found = tuple(_judged(unit, desk.shelf) for unit in units)
    sorting = Sorting(desk.shelf, desk.past, desk.recalled, waiting=desk.waiting, lately=desk.lately)
    episodes = tuple(episode for unit in found if (episode := _episode(unit, desk, sorting)) is not None)
    made_of: dict[str, list[Record]] = {}
    for record in (record for episode in episodes for record in episode.records):
        for source in record.sources:
            made_of.setdefault(source, []).append(record)
    kept, late = sorting.finished(lambda stated, more: desk.shelf.telling(stated, more, made_of))
    skipped, settled = tuple(sorting.skipped), tuple(sorting.settled)
    return Plan(found, episodes, kept, sorting.pending, skipped, settled, late)


def _judged(unit: Unit, shelf: Shelf) -> Unit:
    """The interaction, each of its captures trusted no further than what it rests on."""
    captures = tuple(structs.replace(one, origin=shelf.trust_of(one)) for one in unit.captures)
    return structs.replace(unit, captures=captures)


def _episode(unit: Unit, desk: Desk, sorting: Sorting) -> Episode | None:
    """Sort out what an interaction claims; and the episode that it is."""
    drafts = [draft for capture in unit.captures for draft in drafts_of(capture, desk.owner) if sorting.sort(draft)]

    def is_own(capture: Capture, sentence: str) -> bool:
        return capture.actor != "agent" or not desk.shelf.is_taken(sentence)

    return episode_of(unit, salient(unit, drafts, is_own, desk.owner), desk.tags)
