"""Word pieces as BERT models count them: fold, split off punctuation and ideographs, then the longest known pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from commonplace.errors import EmbedderUnavailable

LONGEST = 100  # characters; a longer word is one unknown piece
PIECES_KEPT = 50_000  # words whose pieces are remembered
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """The tokenizer of one model, from its `vocab.txt` (one piece a line). Wu et al. 2016, Devlin et al. 2019."""

    def __init__(self, vocabulary: str, *, lower: bool = True) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary.rstrip("\n").split("\n"))}
        self._lower = lower
        self._known: dict[str, list[int]] = {}
        try:
            self._first, self._last, self._unknown = (self._number[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        except KeyError as missing:
            raise EmbedderUnavailable(f"the vocabulary of the model has no {missing.args[0]}") from None

    def numbers(self, text: str, most: int) -> list[int]:
        """The numbers of a text's pieces between the marks of beginning and end; `most` in all, the rest is cut."""
        found: list[int] = []
        for word in self._words(text):
            found += self._pieces(word)
            if len(found) >= most - 2:
                break
        return [self._first, *found[: most - 2], self._last]

    def _words(self, text: str) -> Iterator[str]:
        cleaned = "".join(_spaced(character) for character in text)
        if self._lower:
            cleaned = _without_accents(cleaned).lower()
        for word in cleaned.split():
            yield from _parts(word)

    def _pieces(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is None:
            known = self._split(word)
            if len(self._known) < PIECES_KEPT:
                self._known[word] = known
        return known

    def _split(self, word: str) -> list[int]:
        """The longest piece from the left, again and again; a word with a part that nobody knows is unknown."""
        if len(word) > LONGEST:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._number), 0)
            if not end:
                return [self._unknown]
            found.append(self._number[mark + word[start:end]])
            start = end
        return found


def _spaced(character: str) -> str:
    """A character as it is split: controls vanish, white space is a blank, ideographs stand alone."""
    code = ord(character)
    if 0x20 < code < 0x7F:
        return character
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    if code == 0xFFFD or unicodedata.category(character)[0] == "C":
        return ""
    return f" {character} " if any(first <= code <= last for first, last in _IDEOGRAPHS) else character


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one) != "Mn")


def _parts(word: str) -> Iterator[str]:
    """A word with every mark of punctuation standing alone."""
    if word.isalnum():
        yield word
        return
    start = 0
    for place, character in enumerate(word):
        if _is_punctuation(character):
            if start < place:
                yield word[start:place]
            yield character
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_punctuation(character: str) -> bool:
    """All of ASCII but letters and digits counts, `$` and `+` as well."""
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character)[0] == "P"
