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
from commonplace.models import Embedder, model_prefixes

if TYPE_CHECKING:
    from commonplace.index import VectorModel
    from commonplace.retrieval.vectors.vector_index import Vector, VectorIndex

MIN_PASSAGE_CHARS = 20  # characters; a shorter sentence goes with the next
MAX_PASSAGES = 16  # pieces; the sentences of a longer text are joined, about as many to a piece
# Texts without a vector; a local model embeds so many when it is asked, more take a command.
MAX_EMBEDDED_ON_DEMAND = 16
MAX_CACHED_QUESTIONS = 16
RETRY_AFTER_S = 30.0  # after a failure, in which nothing is asked of the embedder
MAX_CONTEXT_CHARS = 300  # characters of the turn before
EMBED_HINT = "run `commonplace embed`"


def split_passages(text: str, before: str = "") -> list[str]:
    """The text, and its pieces from the first to the last if there are two and more; with a text `before` it, first
    the end of that and the text as one."""
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
    wholes = [f"{before[-MAX_CONTEXT_CHARS:]} {text}", text] if before else [text]
    return [*wholes, *(piece.strip() for piece in pieces)] if len(pieces) > 1 else wholes


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


class Coverage(Struct):
    """The keys of texts that have no vector of a model, each with the number of its records; the number of all records
    and texts; and whether it has vectors of texts that are gone."""

    missing: dict[str, int] = {}
    records: int = 0
    texts: int = 0
    has_unused: bool = False

    def __str__(self) -> str:
        return f"{self.records - sum(self.missing.values())} of {self.records} records"


def embed_missing_texts(
    index: Index, store: VectorStore, embedder: Embedder, report_progress: ReportProgress | None = None
) -> EmbeddingSummary:
    """Embed what has no vector of this model yet and drop the vectors of texts that are gone; `report_progress` hears
    (done, all). Raises EmbedderUnavailable, LockBusy."""
    filling = Filling(index, store, embedder)
    model, dropped = filling.add_model(), drop_unused(index, store)
    coverage = filling.measure_coverage(model)
    missing = list(coverage.missing)
    for start in range(0, len(missing), EMBED_BATCH):
        batch = missing[start : start + EMBED_BATCH]
        filling.embed(model, batch)
        if report_progress is not None:
            report_progress(start + len(batch), len(missing))
    store.mark_complete(model)
    return EmbeddingSummary(embedder.model, model.dimensions, len(missing), dropped, coverage.texts)


def drop_unused(index: Index, store: VectorStore) -> int:
    """Drop the vectors of texts, and of texts in contexts, that are not in the index; returns of how many."""
    return store.keep_only(index.all_vector_keys(with_context=False) | index.all_vector_keys(with_context=True))


class Filling(Struct, frozen=True):
    """The texts of an index, and the cache and the embedder for their vectors."""

    index: Index
    store: VectorStore
    embedder: Embedder

    def newest_model(self) -> VectorModel | None:
        """The model of the embedder's name that was completed last, else the newest."""
        named = [model for model in self.store.models() if model.name == self.embedder.model]
        return named[-1] if named else None

    def add_model(self) -> VectorModel:
        """The model of the embedder, with its baseline: the mean cosine of two texts that have nothing in common."""
        _question_prefix, text_prefix = model_prefixes(self.embedder.model)
        unrelated = self.embedder.embed([text_prefix + text for text in UNRELATED_TEXTS])
        count, dimensions = len(unrelated), int(unrelated.shape[1])
        alike = (float((unrelated @ unrelated.T).sum()) - count) / (count * (count - 1))
        baseline = round(min(max(alike, 0.0), MAX_BASELINE), 4)
        return self.store.get_or_add_model(self.embedder.model, dimensions, baseline)

    def measure_coverage(self, model: VectorModel | None) -> Coverage:
        """The coverage of a model; that of None is empty."""
        keys = self.index.all_vector_keys(with_context=self.embedder.reads_context)
        stored = self.store.list_digests(model) if model else set()
        missing = {key: keys[key] for key in sorted(keys.keys() - stored)}
        return Coverage(missing, sum(keys.values()), len(keys), len(keys) - len(missing) < len(stored))

    def embed(self, model: VectorModel, keys: Collection[str]) -> None:
        """Store the vectors of these texts, all or none. Raises EmbedderUnavailable, LockBusy."""
        from commonplace.retrieval.vectors.vector_index import encode_vectors

        _question_prefix, text_prefix = model_prefixes(self.embedder.model)
        texts = list(self.index.read_texts(keys))
        pieces = [split_passages(text, before) for _key, text, before in texts]
        vectors = self.embedder.embed([text_prefix + piece for of_one in pieces for piece in of_one])
        if vectors.shape[1] != model.dimensions:
            sizes = f"{vectors.shape[1]} numbers and not {model.dimensions}"
            raise EmbedderUnavailable(f"{model.name} now answers with {sizes}", hint=EMBED_HINT)
        ends = accumulate(map(len, pieces))
        parts = [vectors[end - len(of_one) : end] for end, of_one in zip(ends, pieces, strict=True)]
        self.store.put_vectors(model, encode_vectors((key for key, *_texts in texts), parts))


class QuestionSpace:
    """The vectors of a workspace compared with a question."""

    def __init__(self, vector_index: VectorIndex, vector: Vector) -> None:
        self._vector_index, self._vector = vector_index, vector

    def nearest(self, index: Index, record_filter: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k nearest that the filter lets through."""
        return self._vector_index.nearest(index, self._vector, record_filter, k)

    def cosines(self, index: Index, row_ids: Collection[int]) -> dict[int, float]:
        """(row -> cosine) of those of the rows that have a vector."""
        keys_by_row = self._vector_index.resolve_keys(index, index.text_digests(row_ids))
        return self._vector_index.cosines(self._vector, keys_by_row)

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
        self._coverage = Coverage()
        self._checked_state: tuple[object, ...] = ()  # the state of the index and the cache that `_coverage` is of
        self._question_cache: dict[tuple[str, ...], Vector] = {}
        self._last_failure: tuple[float, str] = (0.0, "")

    def close(self) -> None:
        """Let go of the cache."""
        if self._store is not None:
            self._store.close()
        self._store = self._vector_index = None

    @property
    def coverage(self) -> Coverage | None:
        """What had vectors when that was last counted; None if it was not yet."""
        return self._coverage if self._checked_state else None

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

    def embed_some(self, index: Index, at_most: int) -> int:
        """Embed some of the texts that have no vector, with a local model; how many are left. Raises
        EmbedderUnavailable, LockBusy."""
        filling = self._open(index)
        if not filling.embedder.local:
            return 0
        model = self._check_coverage(filling) or filling.add_model()
        coverage, batch = self._coverage, list(islice(self._coverage.missing, at_most))
        if batch:
            filling.embed(model, batch)
        for key in batch:
            del coverage.missing[key]
        if not coverage.missing and coverage.has_unused:
            drop_unused(index, filling.store)
            coverage.has_unused = False
        if not coverage.missing and not model.is_complete:
            filling.store.mark_complete(model)
        self._checked_state = _filling_state(filling)
        return len(coverage.missing)

    def _open(self, index: Index) -> Filling:
        self._embedder = self._embedder or self._open_embedder()
        self._store = self._store or VectorStore(self._path)
        return Filling(index, self._store, self._embedder)

    def _check_coverage(self, filling: Filling) -> VectorModel | None:
        """The newest model of this name; what it has no vectors of is counted again after a change."""
        model = filling.newest_model()
        if (state := _filling_state(filling)) != self._checked_state:
            self._coverage, self._checked_state = filling.measure_coverage(model), state
        return model

    def _open_space(
        self, index: Index, question_texts: tuple[str, ...]
    ) -> tuple[QuestionSpace | None, tuple[str, ...]]:
        filling = self._open(index)
        model, coverage, name = self._check_coverage(filling), self._coverage, filling.embedder.model
        if not coverage.records:
            return None, ()  # there is nothing to find
        if 0 < len(coverage.missing) <= MAX_EMBEDDED_ON_DEMAND and filling.embedder.local:
            self.embed_some(index, MAX_EMBEDDED_ON_DEMAND)
            model = filling.newest_model()
        if model is None or not model.is_complete:
            return None, (f"without vectors: {coverage} have one of {name}; {EMBED_HINT}",)
        vector = self._embed_question(filling.embedder, question_texts)
        if len(vector) != model.dimensions:
            sizes = f"{len(vector)} numbers and not {model.dimensions}"
            return None, (f"without vectors: {name} now answers with {sizes}; {EMBED_HINT}",)
        if not vector.any():
            return None, (f"without vectors: {name} has nothing but zeros for this question",)
        from commonplace.retrieval.vectors.vector_index import VectorIndex

        if self._vector_index is None or self._vector_index.model.id != model.id:
            self._vector_index = VectorIndex(filling.store, model)
        self._vector_index.refresh()
        notes = (f"{coverage} have a vector; {EMBED_HINT}",) if coverage.missing else ()
        return QuestionSpace(self._vector_index, vector), notes

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


def _filling_state(filling: Filling) -> tuple[object, ...]:
    """A value that differs after every change of the index or the cache."""
    return filling.index.inode, filling.index.state(), filling.store.state(), filling.newest_model()
