"""Give every text of the index its vector, a few at a time: what is done stays done, whenever it breaks off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.embed import prefixes
from commonplace.index import Index
from commonplace.index.vectors import VectorStore
from commonplace.likeness.passages import passages

if TYPE_CHECKING:
    from commonplace.embed import Embedder
    from commonplace.index.vectors import Model
    from commonplace.likeness.space import Vector

AT_ONCE = 64  # texts, kept together
STRANGERS = (  # texts that have nothing in common: how alike a model finds even these is where its cosines begin
    "The trains to the coast run every forty minutes.",
    "Whisk the eggs until they are stiff.",
    "My password manager asks for an update again.",
    "She plays the cello in a quartet.",
    "The court will hear the appeal in spring.",
    "Our dog is afraid of thunder.",
    "Interest rates went down by a quarter.",
    "He climbed the north face in two days.",
)
MOST_BASELINE = 0.95

Tell = Callable[[int, int], None]


class Filled(Struct, frozen=True):
    """What a filling did: the model and its dimensions, texts that got a vector, vectors dropped, texts in all."""

    model: str
    dimensions: int
    added: int
    dropped: int
    texts: int


def fill(index: Index, store: VectorStore, embedder: Embedder, tell: Tell | None = None) -> Filled:
    """Embed what has no vector of this model yet and drop the vectors of texts that are gone; `tell` hears (done, all).

    Raises EmbedderUnavailable, LockBusy.
    """
    _asked, told = prefixes(embedder.model)
    strangers = embedder.embed([told + text for text in STRANGERS])
    dimensions = int(strangers.shape[1])
    model = store.model(embedder.model, dimensions, _baseline(strangers))
    wanted = index.all_digests()
    dropped = store.keep_only(wanted)
    missing = wanted - store.digests(model)
    done = 0
    texts = index.read_texts(missing)
    while some := list(islice(texts, AT_ONCE)):
        add(store, model, embedder, some)
        done += len(some)
        if tell is not None:
            tell(done, len(missing))
    store.mark_filled(model)
    return Filled(embedder.model, dimensions, done, dropped, len(wanted))


def _baseline(strangers: Vector) -> float:
    """The mean cosine of two different vectors."""
    count = len(strangers)
    among = float((strangers @ strangers.T).sum()) - count
    return round(min(max(among / (count * (count - 1)), 0.0), MOST_BASELINE), 4)


def add(store: VectorStore, model: Model, embedder: Embedder, texts: Sequence[tuple[str, str]]) -> None:
    """Embed and keep (digest, text) pairs, each whole and by its pieces. Raises EmbedderUnavailable, LockBusy."""
    from commonplace.likeness.space import kept

    _asked, told = prefixes(embedder.model)
    pieces = [passages(text) for _digest, text in texts]
    vectors = embedder.embed([told + piece for of_one in pieces for piece in of_one])
    ends = list(accumulate(map(len, pieces)))
    parts = [vectors[end - len(of_one) : end] for end, of_one in zip(ends, pieces, strict=True)]
    store.put(model, kept((digest for digest, _text in texts), parts))
