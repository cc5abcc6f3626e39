"""What of a text gets a vector of its own: the whole, and its sentences, for one of them often answers alone."""

from __future__ import annotations

from commonplace.text import sentences

SHORTEST = 20  # characters; a shorter sentence goes with the next
MOST = 16  # pieces; the sentences of a longer text are joined, about as many to a piece


def passages(text: str) -> list[str]:
    """The text, and its pieces from the first to the last if there are two and more."""
    pieces = _joined(sentences(text))
    together = -(-len(pieces) // MOST)
    pieces = ["".join(pieces[start : start + together]) for start in range(0, len(pieces), together or 1)]
    return [text, *(piece.strip() for piece in pieces)] if len(pieces) > 1 else [text]


def _joined(found: list[str]) -> list[str]:
    """The sentences, with what is too short to say anything at the head of the next, or behind the last."""
    pieces: list[str] = []
    waiting = ""
    for sentence in found:
        waiting += sentence
        if len(waiting.strip()) >= SHORTEST:
            pieces.append(waiting)
            waiting = ""
    if waiting and pieces:
        pieces[-1] += waiting
    return pieces
