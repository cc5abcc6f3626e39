"""The vectors of a workspace in memory: search by sign bits (Hamming distance), then by exact cosine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from commonplace.index import Filter, Index, TextVectors, VectorModel, VectorStore, split_vector_key

Vector = NDArray[np.float32]
Slots = NDArray[np.int64]
Cosines = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)

MIN_MEASURED = 2_000  # vectors; of so few all are measured
SHARE_MEASURED = 0.03  # of more: bits alone find 99 of the 100 nearest among so many
MAX_MEASURED = 10_000
LOOKUP_FACTOR = 4  # times as many texts as rows are wanted are looked up at once
WORD_BITS = 64  # bits
BLOCK_VECTORS = 16_384  # vectors
# Rows that the filter lets through, measured one by one where hardly any of the nearest is seen.
MAX_FILTERED_ROWS = 20_000
CHANCE_PENALTY = 0.02  # of a cosine for each time the pieces of a text are e times as many
CONVERTED_VECTORS = 512  # vectors, which stay in the caches of the processor
EXPONENT_BIAS_FACTOR = np.float32(2.0 ** (127 - 15))
COSINE_DIGITS = 4  # of a cosine: half-precision numbers hold no more


class VectorIndex:
    """The vectors of one model, for one process; `refresh` takes in what others have added or dropped."""

    def __init__(self, store: VectorStore, model: VectorModel) -> None:
        self.model, self._store = model, store
        self._sign_words = -(-model.dimensions // WORD_BITS)
        self._drops = store.drop_count()
        self._clear()
        self.refresh()

    def _clear(self) -> None:
        self._text_numbers: list[int] = []  # of each text
        self._keys: list[str] = []
        self._position_by_key: dict[str, int] = {}
        self._key_by_digest: dict[str, str] = {}  # of a text; empty if it has vectors in several contexts
        self._is_loaded = np.zeros(0, bool)
        self._first_slots = np.zeros(1, np.int64)  # the slot of each text's first vector, and the end of all
        self._slot_texts = np.zeros(0, np.int32)  # the text of each slot
        self._chance_penalties = np.zeros(0, np.float32)
        self._signs = np.zeros((self._sign_words, 0), np.uint64)  # a row for each word: so they are compared fastest
        self._vectors = np.zeros((0, self.model.dimensions), np.float16)

    def __len__(self) -> int:
        return len(self._text_numbers)

    def refresh(self) -> None:
        """Take in what was added since; all anew where something was dropped."""
        drops = self._store.drop_count()
        if drops != self._drops:
            self._drops = drops
            self._clear()
        added = self._store.read_signs(self.model, self._text_numbers[-1] if self._text_numbers else 0)
        if not added:
            return
        texts = len(self)
        for number, key, _signs in added:
            self._position_by_key[key] = len(self._text_numbers)
            self._text_numbers.append(number)
            self._keys.append(key)
            digest = split_vector_key(key)[0]
            self._key_by_digest[digest] = "" if digest in self._key_by_digest else key
        counts = np.array([len(signs) for *_who, signs in added]) // (self._sign_words * WORD_BITS // 8)
        fresh = np.frombuffer(b"".join(signs for *_who, signs in added), np.uint64).reshape(-1, self._sign_words)
        self._signs = np.concatenate([self._signs, fresh.T], axis=1)
        self._reserve_vectors(self._signs.shape[1])
        self._is_loaded = _append_array(self._is_loaded, np.zeros(len(added), bool))
        numbers = np.repeat(np.arange(texts, len(self), dtype=np.int32), counts)
        self._slot_texts = _append_array(self._slot_texts, numbers)
        self._first_slots = np.append(self._first_slots, self._first_slots[-1] + np.cumsum(counts))
        less = np.repeat(CHANCE_PENALTY * np.log(np.maximum(counts - 1, 1)), counts).astype(np.float32)
        less[np.cumsum(counts) - counts] = 0.0  # the whole comes first
        self._chance_penalties = _append_array(self._chance_penalties, less)

    def _reserve_vectors(self, slots: int) -> None:
        """Make room for so many vectors; what was not read yet takes none, and grows seldom."""
        if slots > len(self._vectors):
            read = np.flatnonzero(self._is_loaded[self._slot_texts])
            grown = np.zeros((max(slots, len(self._vectors) * 2), self.model.dimensions), np.float16)
            grown[read] = self._vectors[read]
            self._vectors = grown

    def nearest(self, index: Index, query_vector: Vector, record_filter: Filter, k: int) -> dict[int, float]:
        """(row -> cosine) of the k records nearest to `query_vector` that the filter lets through; equals of the last
        too."""
        cosines: dict[int, float] = {}
        looked_up = 0
        for cosines_by_key in self.nearest_texts(query_vector, LOOKUP_FACTOR * k):
            rows = dict(index.rows_with_digests(split_vector_key(key)[0] for key in cosines_by_key))
            visible = {row_id: rows[row_id] for row_id in index.token_counts(rows, record_filter)}
            keyed = self.resolve_keys(index, visible).items()
            cosines |= {row_id: cosines_by_key[key] for row_id, key in keyed if key in cosines_by_key}
            looked_up += len(cosines_by_key)
            if len(cosines) >= k:
                break
        if len(cosines) >= k or looked_up == len(self):
            return _nearest_rows(cosines, k)
        # Of so many that are alike hardly any is visible: the filter lets few through.
        newest = index.newest_filtered_rows(record_filter, MAX_FILTERED_ROWS)
        keys_by_row = self.resolve_keys(index, index.text_digests(newest))
        return _nearest_rows(self.cosines(query_vector, keys_by_row), k)

    def resolve_keys(self, index: Index, digests_by_row: dict[int, str]) -> dict[int, str]:
        """(row -> key) of those of the rows whose texts have a vector: the only one of its text, or that of the text
        in the context of the row."""
        known = self._key_by_digest
        keys = {row_id: known[digest] for row_id, digest in digests_by_row.items() if digest in known}
        in_contexts = [row_id for row_id, key in keys.items() if not key]
        return keys | index.vector_keys(in_contexts) if in_contexts else keys

    def cosines(self, query_vector: Vector, keys_by_row: dict[int, str]) -> dict[int, float]:
        """(row -> cosine) of those of the rows whose texts have a vector."""
        known = self._position_by_key
        texts = {row_id: known[key] for row_id, key in keys_by_row.items() if key in known}
        needed = np.array(sorted(set(texts.values())), np.int64)
        starts, ends = self._first_slots[needed], self._first_slots[needed + 1]
        counts = ends - starts
        slots = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        measured, cosines = self._max_cosine_by_text(query_vector, slots)
        cosines_by_text = dict(zip(measured.tolist(), cosines.tolist(), strict=True))
        return {row_id: cosines_by_text[text] for row_id, text in texts.items()}

    def nearest_texts(self, query_vector: Vector, step: int) -> Iterator[dict[str, float]]:
        """(key -> cosine) of the texts whose vectors have the nearest signs, the nearest first: `step` of them, and
        the equals of the last, at a time."""
        texts, cosines = self._max_cosine_by_text(query_vector, self._probe_slots(query_vector))
        order = np.argsort(-cosines)
        texts, cosines = texts[order], cosines[order]
        start = 0
        while start < len(texts):
            last = cosines[min(start + step, len(texts)) - 1]
            end = int(np.searchsorted(-cosines, -last, side="right"))
            nearest = zip(texts[start:end].tolist(), cosines[start:end].tolist(), strict=True)
            yield {self._keys[text]: cosine for text, cosine in nearest}
            start = end

    def _probe_slots(self, query_vector: Vector) -> Slots:
        """Slots of the vectors whose signs are nearest to those of `query_vector`, in order, and equals of the last."""
        measured = max(MIN_MEASURED, min(int(SHARE_MEASURED * len(self._slot_texts)), MAX_MEASURED))
        if measured >= len(self._slot_texts):
            return np.arange(len(self._slot_texts))
        apart = self._hamming_distances(query_vector)
        within = np.cumsum(np.bincount(apart))
        return np.flatnonzero(apart <= np.searchsorted(within, measured))

    def _hamming_distances(self, query_vector: Vector) -> NDArray[np.uint16]:
        """In how many signs each vector differs, counted in blocks that stay in the caches of the processor."""
        signs = pack_signs(query_vector[None]).view(np.uint64)[0]
        apart = np.zeros(self._signs.shape[1], np.uint16)
        for start in range(0, len(apart), BLOCK_VECTORS):
            here = slice(start, start + BLOCK_VECTORS)
            for word, sign in zip(self._signs, signs, strict=True):
                apart[here] += np.bitwise_count(word[here] ^ sign)
        return apart

    def _max_cosine_by_text(self, query_vector: Vector, slots: Slots) -> tuple[Slots, Cosines]:
        """The texts of these slots, which are in order, and the cosine of each by these slots."""
        if not len(slots):
            return slots, slots.astype(np.float64)
        measured = self._measure_cosines(query_vector, slots) - self._chance_penalties[slots]
        texts, starts = np.unique(self._slot_texts[slots], return_index=True)
        return texts.astype(np.int64), _round_cosines(np.maximum.reduceat(measured, starts))

    def _measure_cosines(self, query_vector: Vector, slots: Slots) -> Vector:
        self._load_vectors(np.unique(self._slot_texts[slots]))
        parts = range(0, len(slots), CONVERTED_VECTORS)
        cosines = [_to_single(self._vectors[slots[at : at + CONVERTED_VECTORS]]) @ query_vector for at in parts]
        return np.concatenate(cosines) if cosines else np.zeros(0, np.float32)

    def _load_vectors(self, text_positions: Slots) -> None:
        missing = text_positions[~self._is_loaded[text_positions]].tolist()
        if not missing:
            return
        numbers = {self._text_numbers[text]: text for text in missing}
        for number, vectors in self._store.read_vectors(numbers):
            text = numbers[number]
            here = slice(self._first_slots[text], self._first_slots[text + 1])
            self._vectors[here] = np.frombuffer(vectors, np.float16).reshape(-1, self.model.dimensions)
        self._is_loaded[missing] = True


def _nearest_rows(cosines_by_row: dict[int, float], k: int) -> dict[int, float]:
    if len(cosines_by_row) <= k:
        return cosines_by_row
    bar = sorted(cosines_by_row.values(), reverse=True)[k - 1]
    return {row_id: cosine for row_id, cosine in cosines_by_row.items() if cosine >= bar}


def _to_single(vectors: NDArray[np.float16]) -> Vector:
    """The same numbers in single precision, in a quarter of the time of `astype`: the sign and the exponent are
    extended, and the difference of the biases of the exponents is made up for by a factor."""
    bits = vectors.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= ~0x70000000
    numbers = bits.view(np.float32)
    numbers *= EXPONENT_BIAS_FACTOR
    return numbers


def _round_cosines(cosines: Vector) -> Cosines:
    return cosines.astype(np.float64).round(COSINE_DIGITS)


def _append_array(array: NDArray[Number], addition: NDArray[Number]) -> NDArray[Number]:
    """Both, one behind the other; without a copy where there was nothing."""
    return np.concatenate([array, addition]) if len(array) else addition


def pack_signs(vectors: Vector) -> NDArray[np.uint8]:
    """The signs of each vector, one bit a number, padded to whole words of 64."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-vectors.shape[1] // WORD_BITS) * (WORD_BITS // 8)), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded


def encode_vectors(keys: Iterable[str], vectors: Iterable[Vector]) -> list[TextVectors]:
    """Texts as the cache keeps them: of each its vectors, that of the whole first."""
    return [
        TextVectors(key, pack_signs(of_one).tobytes(), of_one.astype(np.float16).tobytes())
        for key, of_one in zip(keys, vectors, strict=True)
    ]
