"""Which texts are alike in meaning: the vectors of a workspace in memory, searched by their signs and then exactly.

The signs of all vectors (one bit a number) are compared first; the nearest of them by Hamming distance, a few in a
hundred, are then measured by cosine. Vectors are read when they are first needed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from commonplace.index import Filter, Index
from commonplace.index.vectors import Embedded, Model, VectorStore

Vector = NDArray[np.float32]

LEAST_MEASURED = 2_000  # vectors; of so few all are measured
SHARE_MEASURED = 0.03  # of more: bits alone find 98 of the 100 nearest among so many
STEP = 4  # times as many texts as rows are wanted are looked up at once
WORD = 64  # bits
MOST_SEEN = 20_000  # rows that the filter lets through, measured one by one where hardly any of the nearest is seen
PLACES = 4  # of a cosine: half-precision numbers hold no more


class Likeness:
    """The vectors of one model, for one process; `refresh` takes in what others have added or dropped."""

    def __init__(self, store: VectorStore, model: Model) -> None:
        self.model, self._store = model, store
        self._words = -(-model.dimensions // WORD)
        self._drops = store.drops()
        self._forget()
        self.refresh()

    def _forget(self) -> None:
        self._numbers: list[int] = []
        self._digests: list[str] = []
        self._slot: dict[str, int] = {}
        self._signs = np.zeros((0, self._words), np.uint64)
        self._vectors = np.zeros((0, self.model.dimensions), np.float16)
        self._read = np.zeros(0, bool)

    def __len__(self) -> int:
        return len(self._numbers)

    def refresh(self) -> None:
        """Take in what was added since; all anew where something was dropped."""
        drops = self._store.drops()
        if drops != self._drops:
            self._drops = drops
            self._forget()
        added = self._store.signs(self.model, self._numbers[-1] if self._numbers else 0)
        if not added:
            return
        for number, digest, _signs in added:
            self._slot[digest] = len(self._numbers)
            self._numbers.append(number)
            self._digests.append(digest)
        fresh = np.frombuffer(b"".join(signs for *_who, signs in added), np.uint64).reshape(len(added), self._words)
        self._signs = np.concatenate([self._signs, fresh])
        self._vectors = np.concatenate([self._vectors, np.zeros((len(added), self.model.dimensions), np.float16)])
        self._read = np.concatenate([self._read, np.zeros(len(added), bool)])

    def nearest(self, index: Index, asked: Vector, only: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k records nearest to `asked` that the filter lets through; equals of the last too."""
        order = self.by_text(asked)
        found = self._seen(index, order, only, k)
        if len(found) >= k or len(order) == len(self):
            return found
        seen = index.count(only, MOST_SEEN)  # of so many that are alike hardly any is seen: the filter lets few through
        return _best(self.cosines(asked, index.digests_of(seen)), k)

    def cosines(self, asked: Vector, digests: dict[int, str]) -> dict[int, float]:
        """(row -> cosine) of those of the rows whose texts have a vector."""
        rows = [row for row, digest in digests.items() if digest in self._slot]
        slots = np.array([self._slot[digests[row]] for row in rows], np.int64)
        return dict(zip(rows, self._cosines(asked, slots), strict=True))

    def by_text(self, asked: Vector) -> list[tuple[str, float]]:
        """(digest, cosine) of the vectors whose signs are nearest, the nearest first; equals by digest."""
        slots = self._probed(asked)
        found = [
            (self._digests[s], cosine) for s, cosine in zip(slots.tolist(), self._cosines(asked, slots), strict=True)
        ]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def _apart(self, asked: Vector) -> NDArray[np.uint16]:
        """In how many signs each vector differs."""
        signs = np.frombuffer(packed(asked[None])[0], np.uint64)
        apart: NDArray[np.uint16] = np.bitwise_count(self._signs ^ signs).sum(1, dtype=np.uint16)
        return apart

    def _probed(self, asked: Vector) -> NDArray[np.int64]:
        """Slots of the vectors whose signs are nearest to those of `asked`."""
        measured = max(LEAST_MEASURED, int(SHARE_MEASURED * len(self)))
        if measured >= len(self):
            everything: NDArray[np.int64] = np.arange(len(self))
            return everything
        slots: NDArray[np.int64] = np.sort(np.argpartition(self._apart(asked), measured)[:measured])
        return slots

    def _cosines(self, asked: Vector, slots: NDArray[np.int64]) -> list[float]:
        self._load(slots)
        measured = self._vectors[slots].astype(np.float32) @ asked
        return [round(value, PLACES) for value in measured.tolist()]

    def _load(self, slots: NDArray[np.int64]) -> None:
        missing = slots[~self._read[slots]].tolist()
        if not missing:
            return
        numbers = {self._numbers[slot]: slot for slot in missing}
        for number, vector in self._store.vectors(numbers):
            self._vectors[numbers[number]] = np.frombuffer(vector, np.float16)
        self._read[missing] = True

    def _seen(self, index: Index, order: list[tuple[str, float]], only: Filter, k: int) -> dict[int, float]:
        """The best of these that the filter lets through, looked up from the best on until there are k."""
        found: dict[int, float] = {}
        for start in range(0, len(order), STEP * k):
            if len(found) >= k:
                break
            cosine = dict(order[start : start + STEP * k])
            rows = dict(index.rows_with(cosine))
            found |= {row: cosine[rows[row]] for row in index.lengths(rows, only)}
        return _best(found, k)


def _best(found: dict[int, float], k: int) -> dict[int, float]:
    if len(found) <= k:
        return found
    bar = sorted(found.values(), reverse=True)[k - 1]
    return {row: cosine for row, cosine in found.items() if cosine >= bar}


def packed(vectors: Vector) -> list[bytes]:
    """The signs of each vector, one bit a number, padded to whole words of 64."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-vectors.shape[1] // WORD) * (WORD // 8)), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return [row.tobytes() for row in padded]


def kept(digests: Iterable[str], vectors: Vector) -> list[Embedded]:
    """Vectors as the cache keeps them."""
    halves = vectors.astype(np.float16)
    return [
        Embedded(digest, signs, half.tobytes())
        for digest, signs, half in zip(digests, packed(vectors), halves, strict=True)
    ]
