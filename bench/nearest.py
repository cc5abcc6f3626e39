"""The search for the nearest vectors by itself: how fast it is at a size, and how many of the true nearest it finds."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import TYPE_CHECKING, Any

from commonplace.index.vector_store import VectorStore

if TYPE_CHECKING:
    from commonplace.retrieval.vectors.vector_index import VectorIndex
DIMENSIONS, MIDDLES, SPREAD = 384, 500, 1.2
QUESTIONS, BEST = 50, 10
SIZES = (10_000, 100_000, 200_000, 1_000_000)
APPROXIMATED = 200_000  # vectors, and fewer: to build such an index for a million takes a quarter of an hour
REACH = 256  # of the search in a graph: with less it finds fewer than the signs do


def run() -> None:
    """Print, for each size, CPU medians of the search warm and of one product with all vectors, and the share found;
    beside it, where the package usearch is installed, those of an approximate index."""
    for size in SIZES:
        print(measured(size), flush=True)


def measured(size: int) -> str:
    """The figures of one size, on vectors around so many middles."""
    import numpy as np

    from commonplace.retrieval.vectors.vector_index import VectorIndex, encode_vectors

    rng = np.random.default_rng(1)
    middles = rng.normal(size=(MIDDLES, DIMENSIONS)).astype(np.float32)
    vectors = middles[rng.integers(0, MIDDLES, size)]
    vectors += np.float32(SPREAD) * rng.normal(size=vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with tempfile.TemporaryDirectory(prefix="commonplace-nearest-") as folder:
        store = VectorStore(f"{folder}/vectors.sqlite")
        model = store.get_or_add_model("random", DIMENSIONS)
        store.put_vectors(model, encode_vectors((f"t:{number:07}" for number in range(size)), vectors[:, None]))
        start = time.process_time()
        likeness = VectorIndex(store, model)
        opened = (time.process_time() - start) * 1e3
        questions = vectors[rng.integers(0, size, QUESTIONS)] + np.float32(0.03) * rng.normal(
            size=(QUESTIONS, DIMENSIONS)
        ).astype(np.float32)
        questions /= np.linalg.norm(questions, axis=1, keepdims=True)
        found, cold, warm, whole = _asked(likeness, vectors, questions)
        store.close()
    beside = _approximate(vectors, questions) if size <= APPROXIMATED else ""
    times = f"first {cold:.1f} ms, warm {warm:.1f} ms, product with all {whole:.1f} ms, signs read in {opened:.0f} ms"
    return f"{size:,} vectors: {100 * found:.1f} % of the {BEST} nearest found; {times}{beside}"


def _asked(likeness: VectorIndex, vectors: Any, questions: Any) -> tuple[float, float, float, float]:
    import numpy as np

    found, cold, warm, whole = 0, [], [], []
    for asked in questions:
        for times in (cold, warm):
            start = time.process_time()
            nearest = list(next(likeness.nearest_texts(asked, BEST)))[:BEST]
            times.append((time.process_time() - start) * 1e3)
        start = time.process_time()
        cosines = vectors @ asked
        true = np.argpartition(-cosines, BEST)[:BEST]
        whole.append((time.process_time() - start) * 1e3)
        found += len({f"t:{number:07}" for number in true} & set(nearest))
    return found / (BEST * len(questions)), *(statistics.median(times) for times in (cold[:5], warm, whole))


def _approximate(vectors: Any, questions: Any) -> str:
    """The same of a graph of neighbours (HNSW) at half precision; nothing where the package is not installed."""
    try:
        from usearch.index import Index
    except ImportError:
        return ""
    import numpy as np

    graph = Index(ndim=DIMENSIONS, metric="cos", dtype="f16")
    start = time.process_time()
    graph.add(np.arange(len(vectors)), vectors, threads=1)
    built = time.process_time() - start
    graph.expansion_search = REACH
    times, found = [], 0
    for asked in questions:
        start = time.process_time()
        keys = graph.search(asked, 100, threads=1).keys[:BEST]
        times.append((time.process_time() - start) * 1e3)
        found += len(set(keys.tolist()) & set(np.argpartition(-(vectors @ asked), BEST)[:BEST].tolist()))
    share = 100 * found / (BEST * len(questions))
    size = graph.serialized_length / 1e6
    return f"; usearch: {share:.1f} % in {statistics.median(times):.1f} ms, built in {built:.0f} s, {size:.0f} MB"
