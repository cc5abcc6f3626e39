"""Memory's verbs of explaining: how a score is made, why a line is not shown or not packed, what would show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from commonplace.errors import BadArgument
from commonplace.memory.asking import LANGUAGES, Asking, enough
from commonplace.memory.looking import Looking

if TYPE_CHECKING:
    from commonplace.model import Considered, Hits, Pack
    from commonplace.recall.explain import Explained
    from commonplace.recall.surfacing import Change
    from commonplace.recall.why_not import WhyNot

MOST_BUDGET = 65_536  # tokens; a larger pack is no advice
NOT_ASKED = ("text", "budget_tokens", "automatic", "session")  # of recall
STEP = 10  # tokens, to which the smallest budget is told


class Explaining(Asking, Looking):
    """Why, and why not."""

    def explain(self, text: str, **query: Any) -> Explained:
        """The same hits as `recall` with these keyword arguments, and how each score is made. Raises BadArgument."""
        from commonplace.recall.explain import explain

        return explain(self._opened(), self.recall(text, **query), LANGUAGES, vectors=self._vectors())

    def why_not(
        self,
        text: str,
        reference: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        session: str = "",
        **query: Any,
    ) -> WhyNot:
        """What every stage of a recall did with a line (`PATH#L12`, a record's or a capture's id). Writes nothing.

        `query` takes the keyword arguments of `recall`. With a budget the last stage is the pack that `pack` would make
        with it, `automatic` or not, in this `session`. Each change that is told was tried. Raises BadArgument.
        """
        from commonplace.recall.why_not import why_not

        if "~" in reference.rpartition("#L")[2]:  # a citation with an anchor
            view = self.show(reference)
            reference = f"{view.path}#L{view.line_start}"
        if budget_tokens is None:
            if automatic:
                raise BadArgument("only packs are automatic", hint="say with which budget: --budget 1200")
            asked = self.recall(text, **query).query
            return why_not(self._opened(), asked, reference, **self._means())
        if budget_tokens < 0:
            raise BadArgument(f"the budget must not be negative: {budget_tokens}")
        choices = {"text": text, "budget_tokens": budget_tokens, "automatic": automatic, "session": session}
        choices |= enough(query)
        hits = self._hits_for(choices)
        told = why_not(self._opened(), hits.query, reference, **self._means())
        return told if told.record is None else self._with_pack(told, hits, choices)

    def _means(self) -> dict[str, Any]:
        """What an explanation needs beside the index: the same that recall had."""
        return {"read": self._notebook().read, "languages": LANGUAGES, "vectors": self._vectors()}

    def _with_pack(self, told: WhyNot, hits: Hits, choices: dict[str, Any]) -> WhyNot:
        from commonplace.recall.why_not import Stage

        record_id = told.record.id if told.record else ""
        packed, considered = self._packs(hits, choices)
        mine = [one for one in considered if one.record_id == record_id]
        taken = next((one for one in mine if one.included), None)
        stage = Stage("pack", taken is not None, _pack_says(packed, taken or next(iter(mine), None), hits))
        if taken is not None:
            place = [item.record_id for item in packed.items].index(record_id) + 1
            return structs.replace(told, stages=(*told.stages, stage), rank=place, changes=())
        changes = self._to_pack(record_id, hits, choices, told.changes)
        return structs.replace(told, stages=(*told.stages, stage), rank=0, changes=changes)

    def _to_pack(
        self, record_id: str, hits: Hits, choices: dict[str, Any], changes: tuple[Change, ...]
    ) -> tuple[Change, ...]:
        """The changes that bring the record into the pack, each tried: a larger budget, an explicit pack, or what
        shows it in recall, then with as large a budget as it needs."""
        from commonplace.recall.surfacing import Change

        tried: list[dict[str, Any]] = [{}]
        tried += [{"automatic": False}] if choices["automatic"] else []
        tried += [change.choices for change in changes if "k" not in change.choices]
        words = {str(change.choices.get("text", "")): change.word for change in changes}
        found: list[Change] = []
        for one in tried:
            changed = self._hits_for({**choices, **one}) if one else hits
            place, budget = self._least_budget(record_id, changed, {**choices, **one})
            if place:
                more = {"budget_tokens": budget} if budget > choices["budget_tokens"] else {}
                found.append(Change({**one, **more}, place, words.get(str(one.get("text", "")), "")))
        return tuple(found)

    def _least_budget(self, record_id: str, hits: Hits, choices: dict[str, Any]) -> tuple[int, int]:
        """The place that a record gets in a pack of the least budget, not less than that given, that holds it."""

        def place(budget: int) -> int:
            items = self._packs(hits, {**choices, "budget_tokens": budget})[0].items
            return next((n for n, item in enumerate(items, 1) if item.record_id == record_id), 0)

        low = choices["budget_tokens"]
        if place(low):
            return place(low), low
        high = max(low, STEP)
        while not place(high):
            low, high = high, high * 2
            if high > MOST_BUDGET:
                return 0, 0
        while high - low > STEP:
            middle = (low + high) // 2
            low, high = (low, middle) if place(middle) else (middle, high)
        rounded = -(-high // STEP) * STEP
        return (place(rounded), rounded) if place(rounded) else (place(high), high)

    def _packs(self, hits: Hits, choices: dict[str, Any]) -> tuple[Pack, tuple[Considered, ...]]:
        from commonplace.pack.make import Order, Task, packed_of

        automatic = choices["automatic"]
        task = self._task(choices["session"], hits.query.now) if automatic else Task()
        order = Order(self.settings, choices["budget_tokens"], automatic, self.root, task=task)
        return packed_of(self._opened(), hits, order)

    def _hits_for(self, choices: dict[str, Any]) -> Hits:
        """The hits that a pack would choose from."""
        asked = {name: value for name, value in choices.items() if name not in NOT_ASKED}
        hits = self.recall(choices["text"], **asked)
        return self._uncrowded(hits, asked) if choices["automatic"] and not self.settings.pack_untrusted else hits


def _pack_says(packed: Pack, mine: Considered | None, hits: Hits) -> str:
    if mine is None:
        return f"not among the {len(hits.hits)} hits that the pack chose from"
    if mine.included:
        return f"{mine.reason} with {mine.tokens} tokens; the pack has {packed.tokens} of {packed.budget_tokens}"
    return f"{mine.reason}: the pack has {packed.tokens} of {packed.budget_tokens} tokens and {len(packed.items)} lines"
