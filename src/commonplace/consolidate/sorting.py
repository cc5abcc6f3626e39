"""Put each claim where it belongs: the gate first, then what is stated already, then how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, structs

from commonplace.consolidate.candidates import Near
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.gate import SENTENCES, judge
from commonplace.consolidate.past import Past, Statement, statement_key, value_key, words_key
from commonplace.consolidate.pending import Item
from commonplace.consolidate.recalled import Recalled
from commonplace.consolidate.rivals import Ruling, Stated, rule
from commonplace.consolidate.routing import Home, home_of
from commonplace.consolidate.shelf import Shelf
from commonplace.model import TRUSTS, least_trusted

SURE = 0.6  # of a claim's confidence; what is less sure waits for a person
DEAD_ENDS = "Dead ends"  # what was tried and failed stands apart: it warns, and is no advice

REASONS: dict[str, str] = {
    **dict(SENTENCES.items()),
    "rejected": "says what a person rejected",
    "taken": "an agent took it from what cannot be trusted",
    "known": "states what is known",
    "past": "states what held before, and is known",
    "waiting": "waits for review already",
}

Telling = Callable[[Stated, Iterable[str]], tuple[str, ...]]


class Skipped(Struct, frozen=True):
    """A claim that is not kept: which, why, and the record that says it already, if that is why."""

    draft: Draft
    reason: str
    duplicate_of: str = ""

    @property
    def why(self) -> str:
        """The reason in a sentence for people."""
        return REASONS[self.reason]


class Kept(Struct, frozen=True):
    """A line to be written, where it goes, and the statements that it replaces.

    One that `is_over` holds no more: it came in late, or a later one of the same run replaces it. `states` is what
    the ledger is told of it, where the draft does not know.
    """

    draft: Draft
    home: Home
    replaces: tuple[Stated, ...] = ()
    is_over: bool = False
    states: Statement | None = None


class Late(Struct, frozen=True):
    """Records and captures that a line on disk is to say it replaces, for they came in after it."""

    by: Stated
    ids: tuple[str, ...]


class Sorting:
    """The claims of one run by what becomes of them."""

    def __init__(
        self, shelf: Shelf, past: Past, recalled: Recalled, *, waiting: tuple[Item, ...] = (), lately: str = ""
    ) -> None:
        self._shelf, self._past, self._recalled, self._lately = shelf, past, recalled, lately
        self._waiting = {_words(item.text, item.scope): item for item in waiting}
        self._kept: dict[str, Kept] = {}
        self._pending: dict[str, Item] = {}
        self._repeats: dict[str, list[str]] = {}
        self._late: list[tuple[Stated, Stated]] = []
        self.skipped: list[Skipped] = []
        self.settled: list[Item] = []

    @property
    def pending(self) -> tuple[Item, ...]:
        """What waits for review from now on."""
        return tuple(self._pending.values())

    def sort(self, draft: Draft) -> bool:
        """Put a draft where it belongs; whether it is kept."""
        if words_key(draft.text) in self._past.refused:
            return self._skip(draft, "rejected")
        if draft.actor == "agent" and self._shelf.is_taken(draft.text):
            return self._skip(draft, "taken")
        near = self._shelf.near(draft)
        verdict = judge(draft.candidate, near, self._recalled.guards(draft))
        ruling = rule(draft, self._shelf.rivals(draft), self._lately)
        if not verdict.keep and not (verdict.reason == "duplicate" and ruling.way == "newer"):
            return self._skip(draft, verdict.reason, verdict.duplicate_of)
        if ruling.way == "same":
            return self._skip(draft, "known", ruling.others[0].id)
        draft = structs.replace(_dated(draft), importance=round(verdict.importance.score, 2))
        if ruling.way == "older" and (known := self._shelf.known(draft)):
            self._late.append((_stated(structs.replace(draft, id=known)), ruling.others[0]))
            return self._skip(draft, "past", known)
        if why := _doubt(draft, ruling):
            return self._wait(draft, ruling, why)
        return self._keep(draft, ruling, self._lesser(draft, near) if ruling.way == "new" else ())

    def finished(self, telling: Telling) -> tuple[tuple[Kept, ...], tuple[Late, ...]]:
        """What is kept, each line with all that it supersedes; and what lines on disk supersede besides.

        `telling` finds what else tells a statement: captures, what was made of them, and of more captures.
        """
        late: dict[str, Late] = {}
        for stated, by in self._late:
            kept = self._kept.get(by.id)
            if kept is not None:
                self._kept[by.id] = structs.replace(kept, replaces=(*kept.replaces, stated))
            else:
                ids = (stated.id, *telling(stated, self._repeats.get(stated.id, ())))
                late[by.id] = Late(by, (*late[by.id].ids, *ids) if by.id in late else ids)
        return tuple(self._superseding(kept, telling) for kept in self._kept.values()), tuple(late.values())

    def _superseding(self, kept: Kept, telling: Telling) -> Kept:
        ids = [found for one in kept.replaces for found in (one.id, *telling(one, self._repeats.get(one.id, ())))]
        return structs.replace(kept, draft=structs.replace(kept.draft, supersedes=tuple(dict.fromkeys(ids))))

    def _skip(self, draft: Draft, reason: str, duplicate_of: str = "") -> bool:
        self.skipped.append(Skipped(draft, reason, duplicate_of))
        if duplicate_of:
            self._repeats.setdefault(duplicate_of, []).extend(draft.sources)
        return False

    def _lesser(self, draft: Draft, near: Iterable[Near]) -> tuple[Stated, ...]:
        """The line that says the same and is trusted less, which the draft replaces."""
        below = [one for one in near if TRUSTS.index(one.trust) < TRUSTS.index(draft.trust)]
        raised = [structs.replace(one, trust=draft.trust) for one in below]
        same = judge(draft.candidate, raised, self._recalled.guards(draft)).duplicate_of if below else ""
        if same in self._kept:
            return (_stated(self._kept[same].draft),)
        record = self._shelf.find(same)
        return (self._shelf.stated(record),) if record is not None else ()

    def _wait(self, draft: Draft, ruling: Ruling, why: str) -> bool:
        """Queue a draft for review; one that waits already and is said again, independently and by somebody who is
        trusted, is kept instead."""
        if self._shelf.stands(draft):  # a run that was stopped kept it
            return self._keep(draft, ruling)
        words = _words(draft.text, draft.scope)
        twin = self._pending.get(words) or self._waiting.get(words)
        if twin is None:
            self._pending[words] = _item(draft, ruling, why)
            return False
        if twin.id == draft.id:  # a run that was stopped queued it
            return False
        if ruling.way == "conflict" or draft.trust != "trusted" or not self._is_independent(draft, twin):
            return self._skip(draft, "waiting", twin.id)
        sources = tuple(dict.fromkeys((*twin.sources, *draft.sources)))
        trust = least_trusted(draft.trust, twin.trust)
        return self._keep(structs.replace(draft, sources=sources, trust=trust, confidence=SURE), ruling)

    def _is_independent(self, draft: Draft, twin: Item) -> bool:
        """Whether a draft was said in another session than what waits, or on another day."""
        heard = [self._shelf.find(source) for source in twin.sources]
        return bool(heard) and all(
            one is not None and (one.session != draft.session or one.time[:10] != draft.time[:10]) for one in heard
        )

    def _keep(self, draft: Draft, ruling: Ruling, lesser: tuple[Stated, ...] = ()) -> bool:
        self._settle(draft)
        home = home_of(draft.category, draft.entity, draft.time, self._shelf.page_of)
        if draft.sort == "dead_end" and draft.category == "lesson":
            home = structs.replace(home, heading=DEAD_ENDS)
        self._shelf.put(draft)
        if ruling.way == "older":
            self._kept[draft.id] = _over(Kept(draft, home), ruling.others[0].time)
            self._shelf.drop(draft.id)
            self._late.append((_stated(draft), ruling.others[0]))
            return True
        replaced = ruling.others if ruling.way == "newer" else lesser
        for other in replaced:
            self._shelf.drop(other.id)
            if other.id in self._kept:
                self._kept[other.id] = _over(self._kept[other.id], draft.time)
        self._kept[draft.id] = Kept(draft, home, replaced)
        return True

    def _settle(self, draft: Draft) -> None:
        """What is kept needs no review any more."""
        words = _words(draft.text, draft.scope)
        self._pending.pop(words, None)
        if item := self._waiting.pop(words, None):
            self.settled.append(item)


def _dated(draft: Draft) -> Draft:
    """What has one value at a time holds from the day on which it was said, if it does not say from when."""
    undated = draft.is_exclusive and not draft.valid_from
    return structs.replace(draft, valid_from=draft.time[:10]) if undated else draft


def _doubt(draft: Draft, ruling: Ruling) -> str:
    """Why a person should look at it first; empty if nobody has to."""
    if ruling.way == "conflict":
        others = ", ".join(other.id for other in ruling.others)
        stronger = all(TRUSTS.index(other.trust) > TRUSTS.index(draft.trust) for other in ruling.others)
        return f"contradicts {'what is trusted more' if stronger else 'a line without a date'}: {others}"
    return f"not sure: {draft.confidence:.2f}" if draft.confidence < SURE else ""


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
        importance=draft.importance,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        states=statement_of(draft),
    )


def statement_of(draft: Draft) -> Statement:
    """What the ledger is told of a draft."""
    key = statement_key(draft.entity, draft.attribute)
    return Statement(draft.id, words_key(draft.text), key, value_key(draft.value) if key else "", draft.time)


def _over(kept: Kept, end: str) -> Kept:
    """A line that held until a day."""
    start = min(kept.draft.valid_from or kept.draft.time, end)[:10]
    return structs.replace(kept, draft=structs.replace(kept.draft, valid_from=start, valid_to=end[:10]), is_over=True)


def _stated(draft: Draft) -> Stated:
    return Stated(draft.id, draft.text, value_key(draft.value), draft.time, draft.trust, draft.sources)


def _words(text: str, scope: str) -> str:
    return f"{words_key(text)} {scope}"
