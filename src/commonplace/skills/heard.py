"""Whether what an agent did was copied from what tools or strangers said before, and so is theirs, not the owner's."""

from __future__ import annotations

from collections.abc import Iterable

GRAM = 4  # words
LEAST_CHARS = 20  # of a command that is shorter than that many words
COPIED = 0.3  # share of the grams
_EDGES = "`'\"$#>*.,;:()[]"

_Gram = tuple[str, ...]


class Heard:
    """What was said in a session so far, by strangers and by the owner or the agent itself, of the steps it will take.

    Only runs of words that some step holds are kept, so a session costs no more than reading it once.
    """

    def __init__(self, steps: Iterable[str]) -> None:
        self._watched: dict[str, set[_Gram]] = {}
        for step in steps:
            for gram in _grams(step):
                self._watched.setdefault(gram[0], set()).add(gram)
        self._foreign: set[_Gram] = set()
        self._own: set[_Gram] = set()

    def hear(self, text: str) -> None:
        """A tool or a stranger said this."""
        self._foreign |= self._met(text)

    def say(self, text: str) -> None:
        """The owner said this, or the agent did it by itself."""
        self._own |= self._met(text)

    def knows(self, step: str) -> bool:
        """Whether at least three tenths of a step stood in what others had said before anybody here did."""
        grams = _grams(step)
        copied = (grams & self._foreign) - self._own
        return bool(grams) and len(copied) >= COPIED * len(grams)

    def _met(self, text: str) -> set[_Gram]:
        if not self._watched:
            return set()
        words = _words(text)
        return {
            gram
            for at, word in enumerate(words)
            for gram in self._watched.get(word, ())
            if tuple(words[at : at + len(gram)]) == gram
        }


def _grams(step: str) -> set[_Gram]:
    """The runs of four words in a step; the whole of one that has fewer, if it is long enough to tell."""
    words = _words(step)
    if len(words) < GRAM:
        return {tuple(words)} if len(" ".join(words)) >= LEAST_CHARS else set()
    return {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}


def _words(text: str) -> list[str]:
    return [word for raw in text.casefold().split() if (word := raw.strip(_EDGES))]
