"""Recognise what is to be erased, by digests alone: so that what broke off can be finished, and checked again later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct

from commonplace.language.text import fold_name, split_units
from commonplace.shapes import Json
from commonplace.storage.tombstones import Tombstones, decode_tombstones, encode_tombstones

DIGEST_BYTES = 8
ERASED_PLACEHOLDER = "(forgotten)"  # as a value of front matter it is a plain text


class ErasedTexts(Struct, frozen=True, dict=True):
    """What is to be erased, as digests under a salt (hex).

    `tombstones` are lines as in the files of tombstones, one for each text; `word_sets` the digests of words of which a
    text that has them all is to be erased too; `ids` those of the records and captures.
    """

    salt: str
    tombstones: tuple[Json, ...]
    word_sets: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]

    @cached_property
    def id_set(self) -> frozenset[str]:
        """The ids, to look them up."""
        return frozenset(self.ids)

    @cached_property
    def _tombstones(self) -> Tombstones:
        return decode_tombstones(bytes.fromhex(self.salt), self.tombstones)

    @cached_property
    def _word_sets(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(one) for one in self.word_sets if one)

    def match(self, text: str) -> bool:
        """Whether a text is one of them, contains one, is a part of one, or has all words of a set."""
        if self._word_sets:
            words = set(digest_words(text, self.salt))
            if any(one <= words for one in self._word_sets):
                return True
        return self._tombstones.find(text) is not None

    def contains(self, text: str) -> bool:
        """Whether a text of any length has one of them in it, also over several lines."""
        return self._tombstones.find(text) is not None

    def match_any(self, value: Any) -> bool:
        """Whether a JSON value has such a text in it, as a value or as a key."""
        return any(map(self.match, iter_texts(value)))


def describe_texts(texts: Iterable[str], wordings: Iterable[str], ids: Iterable[str], salt: bytes) -> ErasedTexts:
    """What is to be erased: texts, what has all words of a wording, and the records and captures with these ids."""
    lines = encode_tombstones(tuple(texts), salt, "")
    word_sets = (tuple(sorted(set(digest_words(wording, salt.hex())))) for wording in wordings)
    return ErasedTexts(salt.hex(), tuple(lines), tuple(filter(None, word_sets)), tuple(ids))


def digest_words(text: str, salt: str) -> Iterator[str]:
    """The digest of each word of a text, folded, in hex."""
    from hashlib import blake2b

    keyed = blake2b(key=bytes.fromhex(salt), digest_size=DIGEST_BYTES)
    for word in split_units(fold_name(text)):
        own = keyed.copy()
        own.update(word.encode("utf-8", "surrogatepass"))
        yield own.hexdigest()


def iter_texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from iter_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from iter_texts(one)
