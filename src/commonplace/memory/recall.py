"""The reading methods of Memory: recall, pack and their vectors; show, cite, entities and timeline."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from commonplace.errors import BadArgument, NotFound
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count
from commonplace.model import VISIBLE_TRUSTS, Category, EntityView, Evidence, Hits, Kind, Query, Record, View
from commonplace.retrieval.recall import find_entity_records, list_timeline, recall
from commonplace.retrieval.recall.citations import format_anchored_citation, format_citation
from commonplace.retrieval.recall.lookup import JOURNAL_FOLDER, find_surroundings, show_reference
from commonplace.storage import config, files

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.model import Pack, Receipt, Trust
    from commonplace.models import Embedder
    from commonplace.retrieval.pack.pipeline import ActiveTask, PackSpec
    from commonplace.retrieval.recall.lane_input import VectorSource
    from commonplace.retrieval.vectors import EmbeddingSummary, VectorSearch
VECTORS_FILE = "vectors.sqlite"  # beside the index
EMBED_TIMEOUT_S = 120.0  # that the endpoint may take for some texts while nobody waits


class VectorMixin(OpenWorkspace):
    """Vectors, where they are wanted."""

    _vector_search: VectorSearch | None = None

    def embed(self, tell: Callable[[int, int], None] | None = None) -> EmbeddingSummary:
        """Give every text that has none a vector, and drop those of texts that are gone; `tell` hears (done, all).

        What is done stays done where it breaks off. Raises BadArgument where the settings want no vectors,
        EmbedderUnavailable.
        """
        from commonplace.index.vector_store import VectorStore
        from commonplace.retrieval.vectors import embed_missing_texts

        if self.settings.vectors_mode == "none":
            raise BadArgument("the settings want no vectors", hint='set `vectors.mode = "hybrid"` in commonplace.toml')
        embedder = self._open_embedder(EMBED_TIMEOUT_S)
        index = self._synced_index()
        store = VectorStore(self._vectors_path())
        try:
            return embed_missing_texts(index, store, embedder, tell)
        finally:
            store.close()

    def close(self) -> None:
        """Let go of the index and of the vectors."""
        super().close()
        if self._vector_search is not None:
            self._vector_search.close()

    def _recall_vectors(self) -> VectorSource | None:
        """What recall is given; None, and nothing is loaded, where the settings want none."""
        settings = self.settings
        if settings.vectors_mode == "none":
            return None
        from commonplace.retrieval.recall.lane_input import VectorSource
        from commonplace.retrieval.vectors import VectorSearch

        if self._vector_search is None:
            self._vector_search = VectorSearch(
                self._vectors_path(), lambda: self._open_embedder(settings.vectors_timeout_ms / 1e3)
            )
        return VectorSource(settings.vectors_mode, settings.vectors_min_primary_results, self._vector_search.ask)

    def _open_embedder(self, timeout_s: float) -> Embedder:
        from commonplace.models import EmbedderChoice, open_embedder

        said = self.settings
        key = config.environment_variable(said.vectors_key_env)
        model = said.vectors_model
        folder = os.path.join(self.root, os.path.expanduser(model))
        model = folder if os.path.isdir(folder) else model
        return open_embedder(EmbedderChoice(said.vectors_provider, model, said.vectors_endpoint, key, timeout_s))

    def _vectors_path(self) -> str:
        folder, name = os.path.split(self._index_path)
        return f"{folder}/{VECTORS_FILE}" if name == "index.sqlite" else f"{self._index_path}.{VECTORS_FILE}"


QUERY_LANGUAGES = ("en",)
PACK_HIT_COUNT = 60  # hits that a pack chooses from: more than 2,000 tokens hold


class RecallMixin(VectorMixin):
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
        trust: tuple[Trust, ...] = VISIBLE_TRUSTS,
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
            now=self._resolve_now(now),
            k=require_result_count(self.settings.recall_k if k is None else k, "k"),
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
        index = self._synced_index() if sync else self._open_index()
        with index.snapshot():
            hits = recall(index, query, QUERY_LANGUAGES, vectors=self._recall_vectors())
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
        return self._recall_and_pack(text, {**order, "heard": heard, "now": now, **query})[0]

    def core(self, *, budget_tokens: int | None = None, scope: str | None = None, now: str | None = None) -> Pack:
        """The core by itself, as a pack of this budget would begin with it; makes no receipt and writes nothing.

        The same core and budget give the same bytes, so that prompt caches keep it. Raises BadArgument.
        """
        from commonplace.retrieval.pack.pipeline import preview_pack

        asked = Query(text="", now=self._resolve_now(now), scope=self.settings.scope if scope is None else scope)
        self._synced_index()
        pack_spec = self._pack_spec(budget_tokens, automatic=True, core=True)
        packed, _considered = preview_pack(self._open_index(), Hits(asked, ()), pack_spec)
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
        from commonplace.retrieval.pack import to_context_pack_v1

        order = {"budget_tokens": budget_tokens, "automatic": automatic, "session": session, "core": core}
        packed, hits = self._recall_and_pack(text, {**order, "heard": heard, "now": now, **query})
        asked = hits.query
        return to_context_pack_v1(packed, hits, ts=asked.now, scope=asked.scope, max_items=asked.k)

    def _recall_and_pack(self, text: str, choices: dict[str, Any]) -> tuple[Pack, Hits]:
        from commonplace.retrieval.pack.pipeline import make_pack

        automatic, session, heard = (choices.pop(name) for name in ("automatic", "session", "heard"))
        pack_spec = self._pack_spec(choices.pop("budget_tokens"), automatic=automatic, core=choices.pop("core"))
        start = time.perf_counter()
        choices = with_pack_hit_count(choices)
        hits = self.recall(text, **choices)
        if automatic and not self.settings.pack_untrusted:
            hits = self._fill_with_packable_hits(hits, choices)
        taken_ms = (time.perf_counter() - start) * 1e3
        task = self._active_task(session, hits.query.now) if automatic else pack_spec.task
        pack_spec = structs.replace(pack_spec, recall_ms=taken_ms, current_session=heard, task=task)
        packed = make_pack(self._open_index(), self._sync_source().journal, hits, pack_spec)
        return structs.replace(packed, notes=(*hits.notes, *packed.notes)), hits

    def _pack_spec(self, budget_tokens: int | None, *, automatic: bool, core: bool | None) -> PackSpec:
        """What is to be packed, as far as it is known before anything is recalled. Raises BadArgument."""
        from commonplace.retrieval.pack.pipeline import PackSpec

        budget_tokens = self.settings.pack_budget_tokens if budget_tokens is None else budget_tokens
        if budget_tokens < 0:
            raise BadArgument(f"the budget must not be negative: {budget_tokens}")
        settings = self.settings if core is None else structs.replace(self.settings, pack_core=core)
        return PackSpec(
            settings, budget_tokens, automatic, self.root, known_secrets=partial(config.read_secret_values, self.root)
        )

    def _active_task(self, session: str, now: str) -> ActiveTask:
        """The task under way, whose newest lines end an automatic pack."""
        from commonplace.retrieval.pack.pipeline import ActiveTask
        from commonplace.upkeep import sessions

        return ActiveTask(session, sessions.is_buffer_active(self.root, now))

    def _fill_with_packable_hits(self, hits: Hits, choices: dict[str, Any]) -> Hits:
        """The hits with as many that may be packed as if there were no others; those stay, for the receipt."""
        from commonplace.retrieval.pack.policy import AUTOMATIC_TRUSTS, is_never_automatic

        refused = tuple(hit for hit in hits.hits if is_never_automatic(hit.record))
        trust = tuple(one for one in hits.query.trust if one in AUTOMATIC_TRUSTS)
        if not refused or not trust:
            return hits
        others = self.recall(hits.query.text, **(choices | {"trust": trust, "sync": False}))
        return structs.replace(others, query=hits.query, hits=(*refused, *others.hits), notes=hits.notes)

    def receipt(self, receipt_id: str = "last") -> Receipt:
        """The receipt of a pack by its id, or the last one. Raises NotFound."""
        from commonplace.storage import receipts

        return receipts.get_receipt(self.root, receipt_id)

    def why(self, receipt_id: str = "last", record_id: str | None = None) -> str:
        """Explain a pack to a person; with a record, the whole arithmetic of its score. Raises NotFound."""
        from commonplace.retrieval.pack import explain_receipt

        return explain_receipt(self.receipt(receipt_id), record_id, self._open_index().find)


def with_pack_hit_count(choices: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of the recall for a pack: where no number of hits is said, as many as one chooses from."""
    return choices if choices.get("k") is not None else {**choices, "k": PACK_HIT_COUNT}


class BrowseMixin(OpenWorkspace):
    """What is there."""

    def show(self, reference: str) -> View:
        """A record by id, or lines of a file by `PATH`, `PATH#L12` or `PATH#L12-L15`, as they stand on disk.

        A citation with an anchor, as `cite` makes it, gives a `ResolvedCitation`: the lines that it means today, which
        may stand elsewhere or say something else by now; it says so. Raises NotFound, BadArgument, OutsideWorkspace.
        """
        return show_reference(
            self._synced_index(), self._sync_source().read, reference, earlier_lines=self._earlier_lines
        )

    def cite(self, reference: str) -> str:
        """A citation that lasts: where the lines stand, and an anchor made of their words. Raises as `show`."""
        view = self.show(reference)
        return format_citation(view) if view.path.startswith(JOURNAL_FOLDER) else format_anchored_citation(view)

    def _earlier_lines(self, path: str) -> Iterator[str]:
        """Lines that were written to a file by us, or replaced there, as far as the changes are still kept."""
        from commonplace.storage.workspace.edits import CHANGES_FOLDER, find_change

        for name in files.list_file_sizes(self.root, CHANGES_FOLDER):
            if name.endswith(".json"):
                with suppress(NotFound):  # a note that is being written, or one that `check` complains about
                    change = find_change(self.root, name.removesuffix(".json"))
                    if change.path == path:
                        yield from (*change.before.split("\n"), *change.after.split("\n"))

    def entity(self, name: str, *, at_most: int = 50) -> EntityView:
        """The page of an entity and the records that name it. Raises NotFound with near names."""
        index = self._synced_index()
        with index.snapshot():
            found = find_entity_records(index, name, require_result_count(at_most))
        if found is None:
            import difflib

            names = [known for _key, known, _records in index.entities()]
            raise NotFound("entity", name, tuple(difflib.get_close_matches(name, names, 3)))
        return EntityView(*found)

    def entities(self) -> tuple[tuple[str, int], ...]:
        """Every entity with the number of records that name it, most named first."""
        return tuple((name, record_count) for _key, name, record_count in self._synced_index().entities())

    def timeline(
        self,
        *,
        since: str = "",
        until: str = "",
        around: str = "",
        scope: str | None = None,
        all_scopes: bool = False,
        evidence: Evidence = "none",
        at_most: int = 50,
        now: str | None = None,
    ) -> tuple[Record, ...]:
        """Dated records in order of time, the newest `at_most` of the stretch. Raises BadArgument.

        `around` is a time, or the id of a record or capture: then what stands or was said around it.
        """
        query = Query(
            text="",
            now=self._resolve_now(now),
            since=since,
            until=until,
            scope=self.settings.scope if scope is None else scope,
            all_scopes=all_scopes,
            evidence=evidence,
        )
        with (index := self._synced_index()).snapshot():
            if around and index.row_of_record(around):
                return find_surroundings(index, query, around, require_result_count(at_most))
            query = structs.replace(query, around=around)
            return list_timeline(index, query, require_result_count(at_most))
