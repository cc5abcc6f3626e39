"""Nearest-neighbour search over the vectors of a workspace; what is missing becomes a note, never an error."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from itertools import islice
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError, EmbedderUnavailable
from commonplace.index import Filter, Index, VectorStore
from commonplace.models import model_prefixes
from commonplace.retrieval.vectors.embedding import embed_missing_texts

if TYPE_CHECKING:
    from commonplace.index import VectorModel
    from commonplace.models import Embedder
    from commonplace.retrieval.vectors.vector_index import Vector, VectorIndex
# Texts without a vector; a local model embeds so many when it is asked, more take a command.
MAX_EMBEDDED_ON_DEMAND = 16
MAX_CACHED_QUESTIONS = 16
COMPARISON_PENALTY = 0.1  # less for the cosine to one of two things that are asked for
RETRY_AFTER_S = 30.0  # after a failure, in which nothing is asked of the embedder
EMBED_HINT = "run `commonplace embed`"

QuestionTexts = tuple[tuple[str, ...], ...]  # the texts of each


class QuestionSpace:
    """The vectors of a workspace compared with a question, and with each of the two things that it may compare, as
    `VectorSpace` of recall says.

    The greatest cosine counts, that to one of two things for less: fewer words say less of what is meant.
    """

    def __init__(self, vector_index: VectorIndex, vectors: list[Vector]) -> None:
        self._vector_index, self._vectors = vector_index, vectors

    def nearest(self, index: Index, record_filter: Filter, k: int) -> dict[int, float]:
        return self._greatest(lambda vector: self._vector_index.nearest(index, vector, record_filter, k))

    def cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        digests = index.text_digests(row_ids)
        return self._greatest(lambda vector: self._vector_index.cosines(vector, digests))

    def whole_text_cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        digests = index.text_digests(row_ids)
        return self._greatest(lambda vector: self._vector_index.whole_text_cosines(vector, digests))

    def baseline(self) -> float:
        return self._vector_index.model.baseline

    def _greatest(self, compare: Callable[[Vector], dict[int, float]]) -> dict[int, float]:
        less = COMPARISON_PENALTY * (1 - self.baseline())
        greatest, *sides = map(compare, self._vectors)
        for side in sides:
            for row_id, cosine in side.items():
                if cosine - less > greatest.get(row_id, -1.0):
                    greatest[row_id] = cosine - less
        return greatest


class VectorSearch:
    """The vectors of a workspace for a process: the embedder and the cache are opened at the first question."""

    def __init__(self, path: str, open_embedder: Callable[[], Embedder]) -> None:
        self._path, self._open_embedder = path, open_embedder
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._vector_index: VectorIndex | None = None
        self._checked_state: tuple[object, ...] = ()  # the state of the index and the cache that `_missing_count` is of
        self._missing_count = 0
        self._question_cache: dict[tuple[str, ...], Vector] = {}
        self._last_failure: tuple[float, str] = (0.0, "")

    def close(self) -> None:
        """Let go of the cache."""
        if self._store is not None:
            self._store.close()
        self._store = self._vector_index = None

    def ask(self, index: Index, questions: QuestionTexts) -> tuple[QuestionSpace | None, tuple[str, ...]]:
        """The vectors compared with these questions, None where that is not possible now; and notes for the reader."""
        failed_at, why = self._last_failure
        if why and time.monotonic() - failed_at < RETRY_AFTER_S:
            return None, (why,)
        try:
            return self._open_spaces(index, questions)
        except CommonplaceError as error:
            self.close()
            why = f"without vectors: {error.message}" + (f" ({error.hint})" if error.hint else "")
            if isinstance(error, EmbedderUnavailable):
                self._last_failure = time.monotonic(), why
            return None, (why,)

    def _open_spaces(self, index: Index, questions: QuestionTexts) -> tuple[QuestionSpace | None, tuple[str, ...]]:
        self._embedder = self._embedder or self._open_embedder()
        self._store = self._store or VectorStore(self._path)
        model = self._embedded_model(index, self._embedder, self._store)
        if model is None and not self._missing_count:
            return None, ()  # there is nothing to find
        if model is None:
            return None, (
                f"without vectors: {self._missing_count} lines have none of {self._embedder.model}; {EMBED_HINT}",
            )
        vectors = self._embed_questions(self._embedder, questions)
        if odd := [len(vector) for vector in vectors if len(vector) != model.dimensions]:
            sizes = f"{odd[0]} numbers and not {model.dimensions}"
            return None, (f"without vectors: {self._embedder.model} now answers with {sizes}; {EMBED_HINT}",)
        if not all(vector.any() for vector in vectors):
            return None, (f"without vectors: {self._embedder.model} has nothing but zeros for this question",)
        from commonplace.retrieval.vectors.vector_index import VectorIndex

        if self._vector_index is None or self._vector_index.model.id != model.id:
            self._vector_index = VectorIndex(self._store, model)
        self._vector_index.refresh()
        notes = (f"{self._missing_count} lines have no vector yet; {EMBED_HINT}",) if self._missing_count else ()
        return QuestionSpace(self._vector_index, vectors), notes

    def _embedded_model(self, index: Index, embedder: Embedder, store: VectorStore) -> VectorModel | None:
        """The model if every text had a vector of it once; of a local one, a few that are missing are made now."""
        model = self._newest_model(embedder, store)
        state = (index.inode, index.state(), store.state(), model)
        if state != self._checked_state:
            self._missing_count = len(index.all_text_digests() - (store.list_digests(model) if model else set()))
            if 0 < self._missing_count <= MAX_EMBEDDED_ON_DEMAND and embedder.local:
                embed_missing_texts(index, store, embedder)
                self._missing_count, model = 0, self._newest_model(embedder, store)
            self._checked_state = (index.inode, index.state(), store.state(), model)
        return model if model is not None and model.is_complete else None

    def _newest_model(self, embedder: Embedder, store: VectorStore) -> VectorModel | None:
        """The newest model of this name that was filled, else the newest."""
        named = [model for model in store.models() if model.name == embedder.model]
        return next((model for model in reversed(named) if model.is_complete), named[-1] if named else None)

    def _embed_questions(self, embedder: Embedder, questions: QuestionTexts) -> list[Vector]:
        """For each question the mean of the vectors of its texts, at unit length; one request for all that are new."""
        from commonplace.models import normalize_rows

        vectors = {texts: self._question_cache[texts] for texts in questions if texts in self._question_cache}
        fresh = [texts for texts in dict.fromkeys(questions) if texts not in vectors]
        if fresh:
            question_prefix, _text_prefix = model_prefixes(embedder.model)
            embedded = iter(embedder.embed([question_prefix + text for texts in fresh for text in texts]))
            for texts in fresh:
                mean = sum(islice(embedded, len(texts))) / len(texts)
                vectors[texts] = self._question_cache[texts] = normalize_rows(mean[None])[0]
            for texts in list(self._question_cache)[:-MAX_CACHED_QUESTIONS]:
                del self._question_cache[texts]
        return [vectors[texts] for texts in questions]
