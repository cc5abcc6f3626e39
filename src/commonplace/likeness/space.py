"""Which texts are alike in meaning: the vectors of a workspace in memory, searched by their signs and then exactly.

A text has a vector as a whole and one for each of its pieces, and is as near as the nearest of them:

    cosine of a text = max(cosine of the whole, greatest cosine of its n pieces - .02 · ln(n))

for of more pieces one is near by chance. The signs of all vectors (one bit a number) are compared first; the nearest of
them by Hamming distance, a few in a hundred, are then measured by cosine. Vectors are read when they are first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from commonplace.index import Filter, Index
from commonplace.index.vectors import Embedded, Model, VectorStore

Vector = NDArray[np.float32]
Slots = NDArray[np.int64]
Cosines = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)

LEAST_MEASURED = 2_000  # vectors; of so few all are measured
SHARE_MEASURED = 0.03  # of more: bits alone find 99 of the 100 nearest among so many
MOST_MEASURED = 10_000
STEP = 4  # times as many texts as rows are wanted are looked up at once
WORD = 64  # bits
BLOCK = 16_384  # vectors
MOST_SEEN = 20_000  # rows that the filter lets through, measured one by one where hardly any of the nearest is seen
BY_CHANCE = 0.02  # of a cosine for each time the pieces of a text are e times as many
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
        self._numbers: list[int] = []  # of each text
        self._digests: list[str] = []
        self._text: dict[str, int] = {}
        self._read = np.zeros(0, bool)
        self._first = np.zeros(1, np.int64)  # the slot of each text's first vector, and the end of all
        self._owner = np.zeros(0, np.int32)  # the text of each slot
        self._less = np.zeros(0, np.float32)
        self._signs = np.zeros((self._words, 0), np.uint64)  # a row for each word: so they are compared fastest
        self._vectors = np.zeros((0, self.model.dimensions), np.float16)

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
        texts = len(self)
        for number, digest, _signs in added:
            self._text[digest] = len(self._numbers)
            self._numbers.append(number)
            self._digests.append(digest)
        counts = np.array([len(signs) for *_who, signs in added]) // (self._words * WORD // 8)
        fresh = np.frombuffer(b"".join(signs for *_who, signs in added), np.uint64).reshape(-1, self._words)
        self._signs = np.concatenate([self._signs, fresh.T], axis=1)
        self._vectors = _longer(self._vectors, np.zeros((len(fresh), self.model.dimensions), np.float16))
        self._read = _longer(self._read, np.zeros(len(added), bool))
        self._owner = _longer(self._owner, np.repeat(np.arange(texts, len(self), dtype=np.int32), counts))
        self._first = np.append(self._first, self._first[-1] + np.cumsum(counts))
        less = np.repeat(BY_CHANCE * np.log(np.maximum(counts - 1, 1)), counts).astype(np.float32)
        less[np.cumsum(counts) - counts] = 0.0  # the whole comes first
        self._less = _longer(self._less, less)

    def nearest(self, index: Index, asked: Vector, only: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k records nearest to `asked` that the filter lets through; equals of the last too."""
        found: dict[int, float] = {}
        looked_up = 0
        for near in self.by_text(asked, STEP * k):
            rows = dict(index.rows_with(near))
            found |= {row: near[rows[row]] for row in index.lengths(rows, only)}
            looked_up += len(near)
            if len(found) >= k:
                break
        if len(found) >= k or looked_up == len(self):
            return _best(found, k)
        seen = index.count(only, MOST_SEEN)  # of so many that are alike hardly any is seen: the filter lets few through
        return _best(self.cosines(asked, index.digests_of(seen)), k)

    def cosines(self, asked: Vector, digests: dict[int, str]) -> dict[int, float]:
        """(row -> cosine) of those of the rows whose texts have a vector."""
        texts = {row: self._text[digest] for row, digest in digests.items() if digest in self._text}
        wanted = np.array(sorted(set(texts.values())), np.int64)
        slots = _ranges(self._first[wanted], self._first[wanted + 1])
        measured, cosines = self._of_texts(asked, slots)
        found = dict(zip(measured.tolist(), cosines.tolist(), strict=True))
        return {row: found[text] for row, text in texts.items()}

    def wholes(self, asked: Vector, digests: dict[int, str]) -> dict[int, float]:
        """(row -> cosine of the text as a whole) of those of the rows whose texts have a vector."""
        texts = {row: self._text[digest] for row, digest in digests.items() if digest in self._text}
        slots = self._first[np.array(list(texts.values()), np.int64)]
        return dict(zip(texts, _rounded(self._cosines(asked, slots)).tolist(), strict=True))

    def by_text(self, asked: Vector, step: int) -> Iterator[dict[str, float]]:
        """(digest -> cosine) of the texts whose vectors have the nearest signs, the nearest first: `step` of them, and
        the equals of the last, at a time."""
        texts, cosines = self._of_texts(asked, self._probed(asked))
        order = np.argsort(-cosines)
        texts, cosines = texts[order], cosines[order]
        start = 0
        while start < len(texts):
            last = cosines[min(start + step, len(texts)) - 1]
            end = int(np.searchsorted(-cosines, -last, side="right"))
            near = zip(texts[start:end].tolist(), cosines[start:end].tolist(), strict=True)
            yield {self._digests[text]: cosine for text, cosine in near}
            start = end

    def _probed(self, asked: Vector) -> Slots:
        """Slots of the vectors whose signs are nearest to those of `asked`, in order; with all equals of the last."""
        measured = max(LEAST_MEASURED, min(int(SHARE_MEASURED * len(self._owner)), MOST_MEASURED))
        if measured >= len(self._owner):
            return np.arange(len(self._owner))
        apart = self._apart(asked)
        within = np.cumsum(np.bincount(apart))
        return np.flatnonzero(apart <= np.searchsorted(within, measured))

    def _apart(self, asked: Vector) -> NDArray[np.uint16]:
        """In how many signs each vector differs, counted in blocks that stay in the caches of the processor."""
        signs = packed(asked[None]).view(np.uint64)[0]
        apart = np.zeros(self._signs.shape[1], np.uint16)
        for start in range(0, len(apart), BLOCK):
            here = slice(start, start + BLOCK)
            for word, sign in zip(self._signs, signs, strict=True):
                apart[here] += np.bitwise_count(word[here] ^ sign)
        return apart

    def _of_texts(self, asked: Vector, slots: Slots) -> tuple[Slots, Cosines]:
        """The texts of these slots, which are in order, and the cosine of each by these slots."""
        if not len(slots):
            return slots, slots.astype(np.float64)
        measured = self._cosines(asked, slots) - self._less[slots]
        texts, starts = np.unique(self._owner[slots], return_index=True)
        return texts.astype(np.int64), _rounded(np.maximum.reduceat(measured, starts))

    def _cosines(self, asked: Vector, slots: Slots) -> Vector:
        self._load(np.unique(self._owner[slots]))
        cosines: Vector = self._vectors[slots].astype(np.float32) @ asked
        return cosines

    def _load(self, texts: Slots) -> None:
        missing = texts[~self._read[texts]].tolist()
        if not missing:
            return
        numbers = {self._numbers[text]: text for text in missing}
        for number, vectors in self._store.vectors(numbers):
            text = numbers[number]
            here = slice(self._first[text], self._first[text + 1])
            self._vectors[here] = np.frombuffer(vectors, np.float16).reshape(-1, self.model.dimensions)
        self._read[missing] = True


def _best(found: dict[int, float], k: int) -> dict[int, float]:
    if len(found) <= k:
        return found
    bar = sorted(found.values(), reverse=True)[k - 1]
    return {row: cosine for row, cosine in found.items() if cosine >= bar}


def _rounded(cosines: Vector) -> Cosines:
    return cosines.astype(np.float64).round(PLACES)


def _longer(had: NDArray[Number], more: NDArray[Number]) -> NDArray[Number]:
    """Both, one behind the other; without a copy where there was nothing."""
    return np.concatenate([had, more]) if len(had) else more


def _ranges(starts: Slots, ends: Slots) -> Slots:
    """All numbers from each start to its end."""
    counts = ends - starts
    return np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())


def packed(vectors: Vector) -> NDArray[np.uint8]:
    """The signs of each vector, one bit a number, padded to whole words of 64."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-vectors.shape[1] // WORD) * (WORD // 8)), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded


def kept(digests: Iterable[str], vectors: Iterable[Vector]) -> list[Embedded]:
    """Texts as the cache keeps them: of each its vectors, that of the whole first."""
    return [
        Embedded(digest, packed(of_one).tobytes(), of_one.astype(np.float16).tobytes())
        for digest, of_one in zip(digests, vectors, strict=True)
    ]
