"""Embed the texts of the index and search their vectors; what is missing for a search becomes a note, never an error.

A run embeds in batches; what was embedded stays if it breaks off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.errors import CommonplaceError, EmbedderUnavailable
from commonplace.index import Filter, Index, VectorStore
from commonplace.language.text import split_sentences
from commonplace.models import model_prefixes

if TYPE_CHECKING:
    from commonplace.index import VectorModel
    from commonplace.models import Embedder
    from commonplace.retrieval.vectors.vector_index import Vector, VectorIndex

MIN_PASSAGE_CHARS = 20  # characters; a shorter sentence goes with the next
MAX_PASSAGES = 16  # pieces; the sentences of a longer text are joined, about as many to a piece
# Texts without a vector; a local model embeds so many when it is asked, more take a command.
MAX_EMBEDDED_ON_DEMAND = 16
MAX_CACHED_QUESTIONS = 16
RETRY_AFTER_S = 30.0  # after a failure, in which nothing is asked of the embedder
EMBED_HINT = "run `commonplace embed`"


def split_passages(text: str) -> list[str]:
    """The text, and its pieces from the first to the last if there are two and more."""
    pieces: list[str] = []
    waiting = ""  # a sentence that is too short is joined with the next, the last ones with the piece before
    for sentence in split_sentences(text):
        waiting += sentence
        if len(waiting.strip()) >= MIN_PASSAGE_CHARS:
            pieces.append(waiting)
            waiting = ""
    if waiting and pieces:
        pieces[-1] += waiting
    together = -(-len(pieces) // MAX_PASSAGES)
    pieces = ["".join(pieces[start : start + together]) for start in range(0, len(pieces), together or 1)]
    return [text, *(piece.strip() for piece in pieces)] if len(pieces) > 1 else [text]


EMBED_BATCH = 64  # texts, kept together
UNRELATED_TEXTS = (  # texts that have nothing in common: how alike a model finds even these is where its cosines begin
    "The trains to the coast run every forty minutes.",
    "Whisk the eggs until they are stiff.",
    "My password manager asks for an update again.",
    "She plays the cello in a quartet.",
    "The court will hear the appeal in spring.",
    "Our dog is afraid of thunder.",
    "Interest rates went down by a quarter.",
    "He climbed the north face in two days.",
)
MAX_BASELINE = 0.95

ReportProgress = Callable[[int, int], None]


class EmbeddingSummary(Struct, frozen=True):
    """The result of computing vectors: the model and its dimensions, texts that got a vector, vectors dropped, texts in
    all."""

    model: str
    dimensions: int
    added: int
    dropped: int
    texts: int


def embed_missing_texts(
    index: Index, store: VectorStore, embedder: Embedder, report_progress: ReportProgress | None = None
) -> EmbeddingSummary:
    """Embed what has no vector of this model yet and drop the vectors of texts that are gone; `report_progress` hears
    (done, all). Raises EmbedderUnavailable, LockBusy."""
    from commonplace.retrieval.vectors.vector_index import encode_vectors

    _question_prefix, text_prefix = model_prefixes(embedder.model)
    unrelated = embedder.embed([text_prefix + text for text in UNRELATED_TEXTS])
    count, dimensions = len(unrelated), int(unrelated.shape[1])
    alike = (float((unrelated @ unrelated.T).sum()) - count) / (count * (count - 1))  # the mean cosine of two
    baseline = round(min(max(alike, 0.0), MAX_BASELINE), 4)
    model = store.get_or_add_model(embedder.model, dimensions, baseline)
    text_digests = index.all_text_digests()
    dropped = store.keep_only(text_digests)
    missing = text_digests - store.list_digests(model)
    done = 0
    texts = index.read_texts(missing)
    while batch := list(islice(texts, EMBED_BATCH)):
        pieces = [split_passages(text) for _digest, text in batch]
        vectors = embedder.embed([text_prefix + piece for of_one in pieces for piece in of_one])
        ends = accumulate(map(len, pieces))
        parts = [vectors[end - len(of_one) : end] for end, of_one in zip(ends, pieces, strict=True)]
        store.put_vectors(model, encode_vectors((digest for digest, _text in batch), parts))
        done += len(batch)
        if report_progress is not None:
            report_progress(done, len(missing))
    store.mark_complete(model)
    return EmbeddingSummary(embedder.model, dimensions, done, dropped, len(text_digests))


class QuestionSpace:
    """The vectors of a workspace compared with a question."""

    def __init__(self, vector_index: VectorIndex, vector: Vector) -> None:
        self._vector_index, self._vector = vector_index, vector

    def nearest(self, index: Index, record_filter: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest that the filter lets through."""
        return self._vector_index.nearest(index, self._vector, record_filter, k)

    def cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""
        return self._vector_index.cosines(self._vector, index.text_digests(row_ids))

    def whole_text_cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine of its text as a whole, whatever its pieces say) of those of the rows that have a vector."""
        return self._vector_index.whole_text_cosines(self._vector, index.text_digests(row_ids))

    def baseline(self) -> float:
        """The cosine of texts that have nothing in common, below 1."""
        return self._vector_index.model.baseline


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

    def ask(self, index: Index, question_texts: tuple[str, ...]) -> tuple[QuestionSpace | None, tuple[str, ...]]:
        """The vectors compared with the mean of those of a question's texts, None where that is not possible now; and
        notes for the reader."""
        failed_at, why = self._last_failure
        if why and time.monotonic() - failed_at < RETRY_AFTER_S:
            return None, (why,)
        try:
            return self._open_space(index, question_texts)
        except CommonplaceError as error:
            self.close()
            why = f"without vectors: {error.message}" + (f" ({error.hint})" if error.hint else "")
            if isinstance(error, EmbedderUnavailable):
                self._last_failure = time.monotonic(), why
            return None, (why,)

    def _open_space(
        self, index: Index, question_texts: tuple[str, ...]
    ) -> tuple[QuestionSpace | None, tuple[str, ...]]:
        self._embedder = self._embedder or self._open_embedder()
        self._store = self._store or VectorStore(self._path)
        model = self._embedded_model(index, self._embedder, self._store)
        if model is None and not self._missing_count:
            return None, ()  # there is nothing to find
        if model is None:
            missing = f"{self._missing_count} lines have none of {self._embedder.model}"
            return None, (f"without vectors: {missing}; {EMBED_HINT}",)
        vector = self._embed_question(self._embedder, question_texts)
        if len(vector) != model.dimensions:
            sizes = f"{len(vector)} numbers and not {model.dimensions}"
            return None, (f"without vectors: {self._embedder.model} now answers with {sizes}; {EMBED_HINT}",)
        if not vector.any():
            return None, (f"without vectors: {self._embedder.model} has nothing but zeros for this question",)
        from commonplace.retrieval.vectors.vector_index import VectorIndex

        if self._vector_index is None or self._vector_index.model.id != model.id:
            self._vector_index = VectorIndex(self._store, model)
        self._vector_index.refresh()
        notes = (f"{self._missing_count} lines have no vector yet; {EMBED_HINT}",) if self._missing_count else ()
        return QuestionSpace(self._vector_index, vector), notes

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

    def _embed_question(self, embedder: Embedder, texts: tuple[str, ...]) -> Vector:
        """The mean of the vectors of a question's texts, at unit length."""
        from commonplace.models import normalize_rows

        if texts not in self._question_cache:
            question_prefix, _text_prefix = model_prefixes(embedder.model)
            embedded = embedder.embed([question_prefix + text for text in texts])
            self._question_cache[texts] = normalize_rows(embedded.mean(axis=0, keepdims=True))[0]
            for others in list(self._question_cache)[:-MAX_CACHED_QUESTIONS]:
                del self._question_cache[others]
        return self._question_cache[texts]
