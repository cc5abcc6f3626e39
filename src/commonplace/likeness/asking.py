"""What recall asks of the vectors of a workspace; whatever is missing for it is a note, and never an error."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from itertools import islice
from typing import TYPE_CHECKING

from commonplace.embed import prefixes
from commonplace.errors import CommonplaceError, EmbedderUnavailable
from commonplace.index import Filter, Index
from commonplace.index.vectors import VectorStore
from commonplace.likeness.filling import fill

if TYPE_CHECKING:
    from commonplace.embed import Embedder
    from commonplace.index.vectors import Model
    from commonplace.likeness.space import Likeness, Vector

FEW = 16  # texts without a vector; a local model embeds so many when it is asked, more take a command
QUESTIONS_KEPT = 16
REST_S = 30.0  # after a failure, in which nothing is asked of the embedder
FILL = "run `commonplace embed`"

Questions = tuple[tuple[str, ...], ...]  # the texts of each


class Asked:
    """The vectors as one question sees them."""

    def __init__(self, likeness: Likeness, vector: Vector) -> None:
        self._likeness, self._vector = likeness, vector

    def nearest(self, index: Index, only: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest that the filter lets through."""
        return self._likeness.nearest(index, self._vector, only, k)

    def cosines(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""
        return self._likeness.cosines(self._vector, index.digests_of(rows))

    def wholes(self, index: Index, rows: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole) of those of the rows that have a vector."""
        return self._likeness.wholes(self._vector, index.digests_of(rows))

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common."""
        return self._likeness.model.baseline


class Asking:
    """The vectors of a workspace for a process: the embedder and the cache are opened at the first question."""

    def __init__(self, path: str, open_embedder: Callable[[], Embedder]) -> None:
        self._path, self._open_embedder = path, open_embedder
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._likeness: Likeness | None = None
        self._checked: tuple[object, ...] = ()  # the state of the index and the cache that `_missing` is of
        self._missing = 0
        self._questions: dict[tuple[str, ...], Vector] = {}
        self._failed: tuple[float, str] = (0.0, "")

    def close(self) -> None:
        """Let go of the cache."""
        if self._store is not None:
            self._store.close()
        self._store = self._likeness = None

    def ask(self, index: Index, questions: Questions) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
        """The vectors as each of the questions sees them, or none; and what the reader should know."""
        failed_at, why = self._failed
        if why and time.monotonic() - failed_at < REST_S:
            return (), (why,)
        try:
            return self._asked(index, questions)
        except CommonplaceError as error:
            self.close()
            why = f"without vectors: {error.message}" + (f" ({error.hint})" if error.hint else "")
            if isinstance(error, EmbedderUnavailable):
                self._failed = time.monotonic(), why
            return (), (why,)

    def _asked(self, index: Index, questions: Questions) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
        self._embedder = self._embedder or self._open_embedder()
        self._store = self._store or VectorStore(self._path)
        model = self._filled(index, self._embedder, self._store)
        if model is None and not self._missing:
            return (), ()  # there is nothing to find
        if model is None:
            return (), (f"without vectors: {self._missing} lines have none of {self._embedder.model}; {FILL}",)
        vectors = self._measured(self._embedder, questions)
        if odd := [len(vector) for vector in vectors if len(vector) != model.dimensions]:
            sizes = f"{odd[0]} numbers and not {model.dimensions}"
            return (), (f"without vectors: {self._embedder.model} now answers with {sizes}; {FILL}",)
        if not all(vector.any() for vector in vectors):
            return (), (f"without vectors: {self._embedder.model} has nothing but zeros for this question",)
        from commonplace.likeness.space import Likeness

        if self._likeness is None or self._likeness.model.id != model.id:
            self._likeness = Likeness(self._store, model)
        self._likeness.refresh()
        notes = (f"{self._missing} lines have no vector yet; {FILL}",) if self._missing else ()
        return tuple(Asked(self._likeness, vector) for vector in vectors), notes

    def _filled(self, index: Index, embedder: Embedder, store: VectorStore) -> Model | None:
        """The model if every text had a vector of it once; of a local one, a few that are missing are made now."""
        model = self._known(embedder, store)
        state = (index.inode, index.state(), store.state(), model)
        if state != self._checked:
            self._missing = len(index.all_digests() - (store.digests(model) if model else set()))
            if 0 < self._missing <= FEW and embedder.local:
                fill(index, store, embedder)
                self._missing, model = 0, self._known(embedder, store)
            self._checked = (index.inode, index.state(), store.state(), model)
        return model if model is not None and model.filled else None

    def _known(self, embedder: Embedder, store: VectorStore) -> Model | None:
        """The newest model of this name that was filled, else the newest."""
        named = [model for model in store.models() if model.name == embedder.model]
        return next((model for model in reversed(named) if model.filled), named[-1] if named else None)

    def _measured(self, embedder: Embedder, questions: Questions) -> list[Vector]:
        """For each question the mean of the vectors of its texts, at unit length; one request for all that are new."""
        from commonplace.embed.arrays import normalised

        known = {texts: self._questions[texts] for texts in questions if texts in self._questions}
        fresh = [texts for texts in dict.fromkeys(questions) if texts not in known]
        if fresh:
            asked, _told = prefixes(embedder.model)
            found = iter(embedder.embed([asked + text for texts in fresh for text in texts]))
            for texts in fresh:
                mean = sum(islice(found, len(texts))) / len(texts)
                known[texts] = self._questions[texts] = normalised(mean[None])[0]
            for texts in list(self._questions)[:-QUESTIONS_KEPT]:
                del self._questions[texts]
        return [known[texts] for texts in questions]
