"""What of a text stands in memory already, and whether a text was taken from what cannot be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.index.protocol import Index
from commonplace.model import Trust
from commonplace.text.shingles import LEAST, Span, is_taken, shingles, stretches, windows


def standings(index: Index, said: Sequence[tuple[str, Trust]]) -> list[tuple[Span, ...]]:
    """Which stretches of each text stand in records already, in characters, in order; one question for all.

    Each text comes with the trust that its capture has. Of an untrusted one every run of four words counts that stands
    in a trusted record, so that it taints nothing that was there before it. Of others a stretch has five words, or is
    the whole of a short record, and records of unknown trust count too: an agent's own notes are an echo in its mouth.
    The first question makes the index keep the shingles of its records. Raises LockBusy then.
    """
    found: list[tuple[Span, ...]] = [()] * len(said)
    low = [at for at, (_text, trust) in enumerate(said) if trust not in ("trusted", "unknown")]
    rest = [at for at in range(len(said)) if at not in set(low)]
    asked: tuple[tuple[list[int], tuple[Trust, ...], int], ...] = (
        (low, ("trusted",), 1),
        (rest, ("trusted", "unknown"), LEAST),
    )
    for places, trusts, least in asked:
        made = {at: windows(said[at][0]) for at in places}
        stands = index.standing({one for each in made.values() for one in each.shingles}, trusts) if made else {}
        for at, each in made.items():
            found[at] = stretches(each, stands, least)
    return found


def taken(index: Index, texts: Sequence[str]) -> list[bool]:
    """Whether each text shares so many of its shingles with untrusted captures that it was taken from them."""
    made = [shingles(text) for text in texts]
    bad = index.shared({one for own in made for one in own})
    return [is_taken(own, len(bad.intersection(own))) for own in made]
