"""Embed every text of the index and its sentences in batches; what was embedded stays if the run breaks off."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.index import Index, VectorStore
from commonplace.language.text import split_sentences
from commonplace.models import model_prefixes

if TYPE_CHECKING:
    from commonplace.models import Embedder
    from commonplace.retrieval.vectors.vector_index import Vector
MIN_PASSAGE_CHARS = 20  # characters; a shorter sentence goes with the next
MAX_PASSAGES = 16  # pieces; the sentences of a longer text are joined, about as many to a piece


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
    (done, all).

    Raises EmbedderUnavailable, LockBusy.
    """
    from commonplace.retrieval.vectors.vector_index import encode_vectors

    _question_prefix, text_prefix = model_prefixes(embedder.model)
    unrelated = embedder.embed([text_prefix + text for text in UNRELATED_TEXTS])
    dimensions = int(unrelated.shape[1])
    model = store.get_or_add_model(embedder.model, dimensions, _mean_unrelated_cosine(unrelated))
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


def _mean_unrelated_cosine(unrelated_vectors: Vector) -> float:
    """The mean cosine of two different vectors."""
    count = len(unrelated_vectors)
    among = float((unrelated_vectors @ unrelated_vectors.T).sum()) - count
    return round(min(max(among / (count * (count - 1)), 0.0), MAX_BASELINE), 4)
