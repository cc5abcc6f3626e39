"""Decide, as data, what a run of consolidation would write: episodes, lines in their homes, what waits for review."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Literal

from msgspec import Struct, structs

from commonplace.capture.keys import text_key
from commonplace.consolidate.candidates import Guards
from commonplace.consolidate.drafts import Draft, drafts_of
from commonplace.consolidate.episodes import Episode, episode_of
from commonplace.consolidate.gate import explain, judge
from commonplace.consolidate.past import Past
from commonplace.consolidate.pending import Item
from commonplace.consolidate.rivals import Ruling, rule
from commonplace.consolidate.routing import Home, home_of
from commonplace.consolidate.shelf import Shelf, Stated
from commonplace.consolidate.summary import salient
from commonplace.consolidate.units import Unit
from commonplace.facts import single_valued

SURE = 0.6  # of a claim's confidence; what is less sure waits for a person

Outcome = Literal["kept", "pending", "skipped"]


class Skipped(Struct, frozen=True):
    """A claim that is not kept: which, from which captures, and why."""

    draft: Draft
    why: str
    duplicate_of: str = ""


class Kept(Struct, frozen=True):
    """A line to be written, where it goes, and the statements that it replaces."""

    draft: Draft
    home: Home
    replaces: tuple[Stated, ...] = ()


class Plan(Struct, frozen=True):
    """What one run would do with some interactions."""

    units: tuple[Unit, ...]
    episodes: tuple[Episode, ...]
    kept: tuple[Kept, ...]
    pending: tuple[Item, ...]
    skipped: tuple[Skipped, ...]

    @property
    def captures(self) -> int:
        """How many captures it takes in."""
        return sum(len(unit.captures) for unit in self.units)


class Desk(Struct, frozen=True):
    """What planning looks things up in. `exists` tells whether a file is there, `tags` is the frozen vocabulary."""

    shelf: Shelf
    past: Past
    guards: Guards
    exists: Callable[[str], bool]
    tags: Container[str] = ()
    waiting: tuple[Item, ...] = ()
    owner: str = "Owner"


def plan(units: Iterable[Unit], desk: Desk) -> Plan:
    """What would be written for these interactions; nothing is."""
    taken: list[Unit] = []
    episodes: list[Episode] = []
    sorted_out = _Sorted([], [], [])
    for unit in units:
        taken.append(unit)
        drafts = [draft for capture in unit.captures for draft in drafts_of(capture, desk.owner)]
        kept = [draft for draft in drafts if _sort(draft, desk, sorted_out) == "kept"]
        episode = episode_of(unit, salient(unit, kept), desk.tags)
        episodes += [episode] if episode else []
    return Plan(tuple(taken), tuple(episodes), *(tuple(part) for part in structs.astuple(sorted_out)))


class _Sorted(Struct):
    """Drafts by what becomes of them."""

    kept: list[Kept]
    pending: list[Item]
    skipped: list[Skipped]


def _sort(draft: Draft, desk: Desk, found: _Sorted) -> Outcome:
    """Put a draft where it belongs: the gate first, then what is stated already, then how sure it is."""
    if text_key(draft.text) in desk.past.refused:
        found.skipped.append(Skipped(draft, "rejected before"))
        return "skipped"
    verdict = judge(draft.candidate, [near for near in desk.shelf.near(draft) if near.id != draft.id], desk.guards)
    ruling = rule(draft, desk.shelf.rivals(draft))
    if not verdict.keep and not (verdict.reason == "duplicate" and ruling.way == "newer"):
        found.skipped.append(Skipped(draft, explain(verdict), verdict.duplicate_of))
        return "skipped"
    draft = structs.replace(ruling.draft, importance=round(verdict.importance.score, 2))
    if ruling.way == "same":
        found.skipped.append(Skipped(draft, "says what is known", ruling.others[0].id))
        return "skipped"
    why = _doubt(draft, ruling)
    if why:
        return _wait(draft, ruling, why, (desk, found))
    _keep(draft, ruling, desk, found)
    return "kept"


def _doubt(draft: Draft, ruling: Ruling) -> str:
    """Why a person should look at it first; empty if nobody has to."""
    if ruling.way == "conflict":
        others = ", ".join(other.id for other in ruling.others)
        return f"contradicts what is trusted more: {others}"
    return f"not sure: {draft.confidence:.2f}" if draft.confidence < SURE else ""


def _wait(draft: Draft, ruling: Ruling, why: str, at: tuple[Desk, _Sorted]) -> Outcome:
    """Queue a draft for review; one that waits already and is said again, in another session and by somebody who is
    trusted, is kept instead."""
    desk, found = at
    twin = next((item for item in (*desk.waiting, *found.pending) if item.text == draft.text), None)
    if twin is None:
        found.pending.append(_item(draft, ruling, why))
        return "pending"
    independent = ruling.way != "conflict" and draft.trust == "trusted" and not set(draft.sources) & set(twin.sources)
    if independent and twin not in found.pending:
        draft = structs.replace(draft, id=twin.id, sources=(*twin.sources, *draft.sources), confidence=SURE)
        _keep(draft, ruling, desk, found)
        return "kept"
    found.skipped.append(Skipped(draft, "waits for review already", twin.id))
    return "skipped"


def _item(draft: Draft, ruling: Ruling, why: str) -> Item:
    conflict = ruling.way == "conflict"
    return Item(
        id=draft.id,
        text=draft.text,
        category=draft.category,
        reason="conflict" if conflict else "doubt",
        why=why,
        entity=draft.entity,
        sources=draft.sources,
        against=tuple(other.id for other in ruling.others) if conflict else (),
        trust=draft.trust,
        scope=draft.scope,
    )


def _keep(draft: Draft, ruling: Ruling, desk: Desk, found: _Sorted) -> None:
    home = home_of(draft.category, draft.entity, draft.time[:10], desk.exists)
    replaced = ruling.others if ruling.way == "newer" else ()
    if replaced:
        told = (found_id for other in replaced for found_id in desk.shelf.telling(other))
        draft = structs.replace(draft, supersedes=tuple(dict.fromkeys((*draft.supersedes, *told))))
    if draft.attribute and single_valued(draft.attribute) and not draft.valid_from:
        draft = structs.replace(draft, valid_from=draft.time[:10])
    for other in replaced:
        desk.shelf.drop(other.id)
    found.kept = [_closed(kept, draft) if kept.draft.id in draft.supersedes else kept for kept in found.kept]
    desk.shelf.put(draft)
    found.kept.append(Kept(draft, home, replaced))


def _closed(kept: Kept, by: Draft) -> Kept:
    """A line of the same run that a later one replaces: it held until then."""
    return structs.replace(kept, draft=structs.replace(kept.draft, valid_to=by.time[:10]))
