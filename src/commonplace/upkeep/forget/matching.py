"""Recognise what is to be erased, by digests alone: so that what broke off can be finished, and checked again later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from commonplace.language.text import fold_name, split_units
from commonplace.shapes import Json, iter_texts
from commonplace.storage.tombstones import decode_tombstones, encode_tombstones

DIGEST_BYTES = 8
ERASED_PLACEHOLDER = "(forgotten)"  # as a value of front matter it is a plain text


class ErasedTexts(Struct, frozen=True):
    """What is to be erased, as digests under a salt (hex).

    `tombstones` are lines as in the files of tombstones, one for each text; `word_sets` the digests of words of which a
    text that has them all is to be erased too; `ids` those of the records and captures.
    """

    salt: str
    tombstones: tuple[Json, ...]
    word_sets: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]


class TextMatcher:
    """Recognises what is to be erased by its digests.

    `texts`, if they are at hand, save the digests of what shares no rare word with them.
    """

    def __init__(self, erased: ErasedTexts, texts: Iterable[str] = ()) -> None:
        self.erased = erased
        self.ids = frozenset(erased.ids)
        self._salt = erased.salt
        self._tombstones = decode_tombstones(erased.salt, erased.tombstones)
        self._word_sets = [frozenset(one) for one in erased.word_sets if one]
        words_by_text = [words for text in texts if (words := split_units(fold_name(text)))]
        self._words = {word for words in words_by_text for word in words}
        self._anchors = {max(words, key=len) for words in words_by_text}
        self._digests: dict[str, str] = {}

    def match(self, text: str) -> bool:
        """Whether a text is one of them, contains one, is a part of one, or has all words of a set."""
        words = split_units(fold_name(text))
        return self._has_word_set(words) or (self._may_match(words) and self._tombstones.find(text) is not None)

    def contains(self, text: str) -> bool:
        """Whether a text of any length has one of them in it, also over several lines."""
        return self._may_match(split_units(fold_name(text))) and self._tombstones.find(text) is not None

    def match_any(self, value: Any) -> bool:
        """Whether a JSON value has such a text in it, as a value or as a key."""
        return any(map(self.match, iter_texts(value)))

    def _may_match(self, text_words: Sequence[str]) -> bool:
        """Whether words have the longest word of a text, or are all of some text; always if no text is at hand."""
        return not self._anchors or not self._anchors.isdisjoint(text_words) or self._words.issuperset(text_words)

    def _has_word_set(self, text_words: Sequence[str]) -> bool:
        if not self._word_sets:
            return False
        new = [word for word in set(text_words) if word not in self._digests]
        self._digests.update(zip(new, digest_words(new, self._salt), strict=True))
        own = {self._digests[word] for word in text_words}
        return any(one <= own for one in self._word_sets)


def describe_texts(texts: Sequence[str], wordings: Iterable[str], ids: Iterable[str], salt: str) -> TextMatcher:
    """What is to be erased: texts, what has all words of a wording, and the records and captures with these ids."""
    encoded = encode_tombstones(texts, salt, "")
    worded = (split_units(fold_name(wording)) for wording in wordings)
    word_sets = (tuple(sorted(set(digest_words(words, salt)))) for words in worded if words)
    return TextMatcher(ErasedTexts(salt, tuple(encoded), tuple(word_sets), tuple(ids)), texts)


def digest_words(text_words: Iterable[str], salt: str) -> Iterator[str]:
    """The digest of each word, in hex."""
    from hashlib import blake2b

    keyed = blake2b(key=bytes.fromhex(salt), digest_size=DIGEST_BYTES)
    for word in text_words:
        own = keyed.copy()
        own.update(word.encode("utf-8", "surrogatepass"))
        yield own.hexdigest()
