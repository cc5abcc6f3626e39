"""Memory: open a workspace and retain, recall, pack, explain and check; the one face that every other face calls."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from msgspec import structs

from commonplace import config, files
from commonplace.errors import BadArgument, LockBusy, NotFound, SuspiciousLoss, WorkspaceNotFound, WorkspaceUnusable
from commonplace.index import Index, is_same_file, open_index, rebuild
from commonplace.model import Actor, Category, Change, EntityView, Hits, Kind, Made, Query, Record, Trust, View
from commonplace.recall import entity_records, recall, timeline
from commonplace.recall.show import show
from commonplace.sync import Notebook, Synced, build, plan, synchronise

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from commonplace.capture import Kept, Place
    from commonplace.model import Health, Pack, Receipt

LANGUAGES = ("en",)
MOST_WANTED = 1_000_000
PACKED_HITS = 24  # hits that a pack chooses from


class Memory:
    """An open workspace; use it with `with`, or close it.

    >>> import tempfile
    >>> with Memory.open(tempfile.mkdtemp()) as memory:
    ...     kept = memory.retain("W @Peter: In Marrakech for Andy's birthday.")
    ...     hits = memory.recall("who is in Marrakech?").hits
    >>> hits[0].record.text
    "@Peter: In Marrakech for Andy's birthday."
    """

    def __init__(self, root: str, around: config.Surroundings, progress: Callable[[int, int], None] | None) -> None:
        self.root = root
        self.around = around
        self.settings = config.read_settings(root)
        self._progress = progress
        self._path = config.index_path(root, self.settings, around)
        self._index: Index | None = None
        self._notes: tuple[str, ...] = ()

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> Memory:
        """Open a workspace: any folder of Markdown, also an empty one.

        Without `folder`: COMMONPLACE_WORKSPACE, else OpenClaw's workspace, else `~/commonplace`.
        Raises WorkspaceNotFound, BadSettings.
        """
        around = config.surroundings()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(around)))
        if not os.path.isdir(root):
            raise WorkspaceNotFound(str(folder or root))
        return cls(root, around, progress)

    @staticmethod
    def init(folder: str | os.PathLike[str] | None = None) -> Made:
        """Make a workspace, or add what an existing folder lacks; nothing that is there is changed."""
        from commonplace.workspace.starter import STARTER

        around = config.surroundings()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(around)))
        try:
            os.makedirs(root, 0o700, exist_ok=True)
        except OSError as error:
            raise WorkspaceUnusable(str(folder or root), (error.strerror or str(error)).lower()) from None
        day = config.clock(config.read_settings(root), around)[:10]
        texts = {path.format(day=day): text.format(day=day) for path, text in STARTER.items()}
        return Made(root, files.create_missing(root, texts))

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    # keeping

    def retain(
        self,
        text: str,
        *,
        actor: Actor = "owner",
        scope: str = "",
        session: str = "",
        importance: float | None = None,
        valid: str = "",
        sources: tuple[str, ...] = (),
        supersedes: tuple[str, ...] = (),
        now: str | None = None,
    ) -> Kept:
        """Keep a sentence: redact, journal, write a bullet to today's log, index it.

        `text` is plain, or begins like a Retain bullet: `W @Peter: …`, `B …`, `O(c=0.9) …`, `S …`.
        `valid` is `2025-11-27..2025-12-01`, either end open. Raises BadArgument.
        """
        from commonplace import capture

        basis = self._basis(sources, supersedes)
        said = capture.Saying(text, actor, scope, session, importance, valid, sources, supersedes, basis)
        return self._keep(capture.retain(self._place(now), said))

    def _basis(self, sources: tuple[str, ...], supersedes: tuple[str, ...]) -> tuple[Trust, ...]:
        """The trust of those sources that are records. Raises NotFound for a superseded record that does not exist."""
        if not sources and not supersedes:
            return ()
        index = self._fresh()
        for record_id in supersedes:
            if index.find(record_id) is None:
                raise NotFound("record", record_id)
        return tuple(record.trust for source in sources if (record := index.find(source)) is not None)

    def log(
        self, text: str, *, actor: Actor = "owner", scope: str = "", session: str = "", now: str | None = None
    ) -> Kept:
        """Add a line to the narrative of today's log, redacted and journalled."""
        from commonplace import capture

        return self._keep(capture.log(self._place(now), capture.Saying(text, actor, scope, session)))

    def _place(self, now: str | None) -> Place:
        from commonplace.capture import Place

        return Place(self.root, config.device_name(self.settings, self.around), self._moment(now))

    def _keep(self, kept: Kept) -> Kept:
        """The index after something was written; the record as it stands in the file."""
        if kept.record is None:
            return kept
        self._fresh()
        record = self._opened().find(kept.record.id)
        return structs.replace(kept, record=record or kept.record, notes=self._notes)

    # asking

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
        now: str | None = None,
        sync: bool = True,
    ) -> Hits:
        """What bears on a question, best first, with reasons. Reads only; looks at changed files first.

        Times are dates, minutes or words (`last week`). `as_of` asks for what was known and held then; `history`
        shows superseded records too; `sync=False` answers from the index as it is. Raises BadArgument.
        """
        query = Query(
            text=text,
            now=self._moment(now),
            k=_at_least_one(self.settings.recall_k if k is None else k, "k"),
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
        )
        index = self._fresh() if sync else self._opened()
        with index.snapshot():
            hits = recall(index, query, LANGUAGES)
        return structs.replace(hits, notes=(*self._notes, *hits.notes))

    def pack(
        self,
        text: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        now: str | None = None,
        **query: Any,
    ) -> Pack:
        """Cited lines that bear on a request and fit a token budget, with a receipt that `why` explains.

        `query` takes the keyword arguments of `recall`. `automatic` packs as a host does, only what is trusted.
        The budget counts all of the text, its frame included. Raises BadArgument.
        """
        return self._packed(text, {"budget_tokens": budget_tokens, "automatic": automatic, "now": now, **query})[0]

    def context_pack(
        self,
        text: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        now: str | None = None,
        **query: Any,
    ) -> dict[str, Any]:
        """The same pack in the shape `openclaw-mem.context-pack.v1`, for programs that read that."""
        from commonplace.pack import to_context_pack_v1

        choices = {"budget_tokens": budget_tokens, "automatic": automatic, "now": now, **query}
        packed, hits = self._packed(text, choices)
        asked = hits.query
        return to_context_pack_v1(packed, hits, ts=asked.now, scope=asked.scope, max_items=asked.k)

    def _packed(self, text: str, choices: dict[str, Any]) -> tuple[Pack, Hits]:
        from commonplace.pack.make import Order, make

        budget = choices.pop("budget_tokens")
        budget = self.settings.pack_budget_tokens if budget is None else budget
        if budget < 0:
            raise BadArgument(f"the budget must not be negative: {budget}")
        automatic = choices.pop("automatic")
        start = time.perf_counter()
        hits = self.recall(text, **({"k": PACKED_HITS} | choices))
        order = Order(self.settings, budget, automatic, (time.perf_counter() - start) * 1e3)
        packed = make(self._opened(), self._notebook().journal, hits, order)
        return structs.replace(packed, notes=hits.notes), hits

    def receipt(self, receipt_id: str = "last") -> Receipt:
        """The receipt of a pack by its id, or the last one. Raises NotFound."""
        from commonplace import receipts

        return receipts.find(self.root, receipt_id)

    def why(self, receipt_id: str = "last", record_id: str | None = None) -> str:
        """Explain a pack to a person; with a record, the whole arithmetic of its score. Raises NotFound."""
        from commonplace.pack import explain

        return explain(self.receipt(receipt_id), record_id, self._opened().find)

    # looking

    def show(self, reference: str) -> View:
        """A record by id, or lines of a file by `PATH`, `PATH#L12` or `PATH#L12-L15`, as they stand on disk.

        Raises NotFound, BadArgument, OutsideWorkspace.
        """
        return show(self._fresh(), self._notebook().read, reference)

    def entity(self, name: str, *, at_most: int = 50) -> EntityView:
        """The page of an entity and the records that name it. Raises NotFound with near names."""
        index = self._fresh()
        with index.snapshot():
            found = entity_records(index, name, _at_least_one(at_most))
        if found is None:
            import difflib

            names = [known for _key, known, _records in index.entities()]
            raise NotFound("entity", name, tuple(difflib.get_close_matches(name, names, 3)))
        return EntityView(*found)

    def entities(self) -> tuple[tuple[str, int], ...]:
        """Every entity with the number of records that name it, most named first."""
        return tuple((name, records) for _key, name, records in self._fresh().entities())

    def timeline(
        self,
        *,
        since: str = "",
        until: str = "",
        around: str = "",
        scope: str | None = None,
        all_scopes: bool = False,
        at_most: int = 50,
        now: str | None = None,
    ) -> tuple[Record, ...]:
        """Dated records in order of time, the newest `at_most` of the stretch. Raises BadArgument."""
        query = Query(
            text="",
            now=self._moment(now),
            since=since,
            until=until,
            around=around,
            scope=self.settings.scope if scope is None else scope,
            all_scopes=all_scopes,
        )
        with (index := self._fresh()).snapshot():
            return timeline(index, query, _at_least_one(at_most))

    # upkeep

    def sync(self, *, force: bool = False, dry_run: bool = False) -> Synced:
        """Bring the index up to date with the files. Raises SuspiciousLoss (unless `force`), LockBusy."""
        was_there = self._index is not None or os.path.exists(self._path)
        index = self._opened()
        notebook = self._notebook()
        changes = plan(index, notebook).changes if dry_run else synchronise(index, notebook, force=force)
        if not was_there:  # opening it read everything
            changes = tuple(Change("added", path) for path in index.files())
        return self._synced(index, changes)

    def rebuild(self) -> Synced:
        """Make the index anew from the files and journals, beside the old one, and swap it in."""
        self.close()
        notebook = self._notebook()
        rebuild(self._path, lambda index: build(index, notebook))
        index = self._opened()
        return self._synced(index, tuple(Change("added", path) for path in index.files()))

    def status(self) -> dict[str, str | int]:
        """What the workspace holds, by name."""
        index = self._fresh()
        size = os.stat(self._path).st_size
        return {"workspace": self.root, "index": self._path, "index_bytes": size, **index.counts()}

    def check(self) -> Health:
        """Run the health checks; what they find are values, never errors."""
        from commonplace.check import Subject, check

        index = self._fresh()
        return check(
            Subject(
                self.root,
                index,
                self._notebook().journal,
                self._rebuilt,
                self.settings.files_max_bytes,
                self._notes,
                self._path,
            )
        )

    def dump(self) -> list[str]:
        """The index in a canonical form, one line an item: equal notebooks dump equally."""
        return self._fresh().dump()

    # inside

    def _rebuilt(self) -> list[str]:
        """The canonical dump of an index made anew, which is thrown away."""
        import tempfile

        notebook = self._notebook()
        with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
            fresh = open_index(f"{folder}/index.sqlite", lambda index: build(index, notebook))
            dump = fresh.dump()
            fresh.close()
        return dump

    def _opened(self) -> Index:
        """The index, made where it is missing or cannot be used, opened again where another process swapped it."""
        if self._index is not None and not is_same_file(self._path, self._index.inode):
            self.close()
        if self._index is None:
            notebook = self._notebook()
            self._index = open_index(self._path, lambda index: build(index, notebook))
        return self._index

    def _fresh(self) -> Index:
        """The index after a sweep; where that cannot be done now, as it is, with a note that says so."""
        index = self._opened()
        self._notes = ()
        try:
            synchronise(index, self._notebook())
        except LockBusy:
            self._notes = ("the index is being written by another process; this answer is from before that",)
        except SuspiciousLoss as error:
            self._notes = (f"{error.message} ({error.hint})",)
        return index

    def _synced(self, index: Index, changes: tuple[Change, ...]) -> Synced:
        records, _length = index.size()
        return Synced(changes, len(index.files()), records, index.problems())

    def _notebook(self, now: str | None = None) -> Notebook:
        device = config.device_name(self.settings, self.around)
        return Notebook(self.root, self.settings, device, self._moment(now), time.time_ns(), self._progress)

    def _moment(self, now: str | None) -> str:
        """The given clock as an ISO minute, or the time now. Raises BadArgument."""
        return config.clock(self.settings, self.around) if now is None else config.minute(now)


def _at_least_one(wanted: int, name: str = "at_most") -> int:
    if not 1 <= wanted <= MOST_WANTED:
        raise BadArgument(f"{name} must lie between 1 and {MOST_WANTED}, not {wanted}")
    return wanted
