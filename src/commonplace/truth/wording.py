"""Decide whether two sentences of the same words say the same: on and off, only and all, before and after differ."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from msgspec import Struct

from commonplace.language.text import match_phrases


class Wording(Struct, frozen=True):
    """The restrictions of a sentence (`only`, `never`), and by group of opposites (on, off; I, she; before, after) the
    sides that it takes, without immediate repeats."""

    strict_labels: tuple[str, ...]
    polarity: dict[str, tuple[str, ...]]


def is_worded_alike(sentence: str, other_sentence: str, language: str) -> bool:
    """Whether two sentences have the same restrictions, and take no opposite sides."""
    wording, other = _read_wording(sentence, language), _read_wording(other_sentence, language)
    are_opposed = any(sides != other.polarity.get(group, sides) for group, sides in wording.polarity.items())
    return wording.strict_labels == other.strict_labels and not are_opposed


@lru_cache(4096)
def _read_wording(sentence: str, language: str) -> Wording:
    labels = [mark.label for mark in match_phrases(sentence, language)]
    sides = [tuple(label.split(" ")[1:]) for label in labels if label.startswith("pole ")]
    polarity = {
        group: tuple(side for side, _ in groupby(side for other, side in sides if other == group))
        for group in dict.fromkeys(group for group, _ in sides)
    }
    return Wording(tuple(label for label in labels if label.startswith("strict")), polarity)
