"""Memory's verbs of asking: recall, pack, and why a pack holds what it holds."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from commonplace import config
from commonplace.errors import BadArgument
from commonplace.memory.embedding import Embedding
from commonplace.memory.opening import at_least_one
from commonplace.model import SHOWN, Category, Evidence, Hits, Kind, Query
from commonplace.recall import recall

if TYPE_CHECKING:
    from commonplace.model import Pack, Receipt, Trust
    from commonplace.pack.make import Order, Task

LANGUAGES = ("en",)
PACKED_HITS = 60  # hits that a pack chooses from: more than 2,000 tokens hold


class Asking(Embedding):
    """What comes out."""

    def recall(
        self,
        text: str,
        *,
        k: int | None = None,
        kinds: tuple[Kind, ...] = (),
        categories: tuple[Category, ...] = (),
        entities: tuple[str, ...] = (),
        since: str = "",
        until: str = "",
        around: str = "",
        as_of: str = "",
        scope: str | None = None,
        all_scopes: bool = False,
        history: bool = False,
        evidence: Evidence = "auto",
        trust: tuple[Trust, ...] = SHOWN,
        now: str | None = None,
        sync: bool = True,
    ) -> Hits:
        """What bears on a question, best first, with reasons. Reads only; looks at changed files first.

        Times are dates, minutes or words (`last week`). `as_of` asks for what was known and held then; `history`
        shows superseded records too; `evidence` is `none`, `auto` or `only`; `trust` says how far hits must be trusted
        (of captures only trusted ones, if nothing untrusted is let through); `sync=False` answers from the index as it
        is. Raises BadArgument.
        """
        query = Query(
            text=text,
            now=self._moment(now),
            k=at_least_one(self.settings.recall_k if k is None else k, "k"),
            kinds=kinds,
            categories=categories,
            entities=entities,
            since=since,
            until=until,
            around=around,
            as_of=as_of,
            scope=self.settings.scope if scope is None else scope,
            all_scopes=all_scopes,
            history=history,
            evidence=evidence,
            trust=trust,
            without=self.settings.recall_without,
        )
        index = self._fresh() if sync else self._opened()
        with index.snapshot():
            hits = recall(index, query, LANGUAGES, vectors=self._vectors())
        return structs.replace(hits, notes=(*self._notes, *hits.notes))

    def pack(
        self,
        text: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        session: str = "",
        core: bool | None = None,
        heard: str = "",
        now: str | None = None,
        **query: Any,
    ) -> Pack:
        """Cited lines that bear on a request and fit a token budget, with a receipt that `why` explains.

        `query` takes the keyword arguments of `recall`. `automatic` packs as a host does, only what is trusted, with
        the newest lines of the working buffer and of `session` at the end. `core` says whether MEMORY.md is packed, as
        the settings have it if None; what was captured in the session `heard` is not, for its reader has it at hand.
        The budget counts all of the text, its frame included. Raises BadArgument.
        """
        order = {"budget_tokens": budget_tokens, "automatic": automatic, "session": session, "core": core}
        return self._packed(text, {**order, "heard": heard, "now": now, **query})[0]

    def core(self, *, budget_tokens: int | None = None, scope: str | None = None, now: str | None = None) -> Pack:
        """The core by itself, as a pack of this budget would begin with it; makes no receipt and writes nothing.

        The same core and budget give the same bytes, so that prompt caches keep it. Raises BadArgument.
        """
        from commonplace.pack.make import packed_of

        asked = Query(text="", now=self._moment(now), scope=self.settings.scope if scope is None else scope)
        self._fresh()
        order = self._order(budget_tokens, automatic=True, core=True)
        packed, _considered = packed_of(self._opened(), Hits(asked, ()), order)
        return structs.replace(packed, notes=(*self._notes, *packed.notes))

    def context_pack(
        self,
        text: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        session: str = "",
        core: bool | None = None,
        heard: str = "",
        now: str | None = None,
        **query: Any,
    ) -> dict[str, Any]:
        """The same pack in the shape `openclaw-mem.context-pack.v1`, for programs that read that."""
        from commonplace.pack import to_context_pack_v1

        order = {"budget_tokens": budget_tokens, "automatic": automatic, "session": session, "core": core}
        packed, hits = self._packed(text, {**order, "heard": heard, "now": now, **query})
        asked = hits.query
        return to_context_pack_v1(packed, hits, ts=asked.now, scope=asked.scope, max_items=asked.k)

    def _packed(self, text: str, choices: dict[str, Any]) -> tuple[Pack, Hits]:
        from commonplace.pack.make import make

        automatic, session, heard = (choices.pop(name) for name in ("automatic", "session", "heard"))
        order = self._order(choices.pop("budget_tokens"), automatic=automatic, core=choices.pop("core"))
        start = time.perf_counter()
        choices = enough(choices)
        hits = self.recall(text, **choices)
        if automatic and not self.settings.pack_untrusted:
            hits = self._uncrowded(hits, choices)
        taken_ms = (time.perf_counter() - start) * 1e3
        task = self._task(session, hits.query.now) if automatic else order.task
        order = structs.replace(order, recall_ms=taken_ms, heard=heard, task=task)
        packed = make(self._opened(), self._notebook().journal, hits, order)
        return structs.replace(packed, notes=(*hits.notes, *packed.notes)), hits

    def _order(self, budget: int | None, *, automatic: bool, core: bool | None) -> Order:
        """What is to be packed, as far as it is known before anything is recalled. Raises BadArgument."""
        from commonplace.pack.make import Order

        budget = self.settings.pack_budget_tokens if budget is None else budget
        if budget < 0:
            raise BadArgument(f"the budget must not be negative: {budget}")
        settings = self.settings if core is None else structs.replace(self.settings, pack_core=core)
        return Order(settings, budget, automatic, self.root, known=partial(config.secret_values, self.root))

    def _task(self, session: str, now: str) -> Task:
        """The task under way, whose newest lines end an automatic pack."""
        from commonplace import sessions
        from commonplace.pack.make import Task

        return Task(session, sessions.is_at_work(self.root, now))

    def _uncrowded(self, hits: Hits, choices: dict[str, Any]) -> Hits:
        """The hits with as many that may be packed as if there were no others; those stay, for the receipt."""
        from commonplace.pack.policy import RELIED_ON, is_never_automatic

        refused = tuple(hit for hit in hits.hits if is_never_automatic(hit.record))
        trust = tuple(one for one in hits.query.trust if one in RELIED_ON)
        if not refused or not trust:
            return hits
        others = self.recall(hits.query.text, **(choices | {"trust": trust, "sync": False}))
        return structs.replace(others, query=hits.query, hits=(*refused, *others.hits), notes=hits.notes)

    def receipt(self, receipt_id: str = "last") -> Receipt:
        """The receipt of a pack by its id, or the last one. Raises NotFound."""
        from commonplace import receipts

        return receipts.find(self.root, receipt_id)

    def why(self, receipt_id: str = "last", record_id: str | None = None) -> str:
        """Explain a pack to a person; with a record, the whole arithmetic of its score. Raises NotFound."""
        from commonplace.pack import explain

        return explain(self.receipt(receipt_id), record_id, self._opened().find)


def enough(query: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of the recall for a pack: where no number of hits is said, as many as one chooses from."""
    return query if query.get("k") is not None else {**query, "k": PACKED_HITS}
