"""Tell whether a record says what a line of the pack already says."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from commonplace.model import Interval, Record
from commonplace.pack.lines import LONGEST
from commonplace.text import fold, tokens


class Said(Struct, frozen=True, dict=True):
    """What a record says, made ready for comparison."""

    id: str
    tokens: frozenset[str]
    names: frozenset[str]
    text: str = ""
    time: str = ""

    @cached_property
    def times(self) -> set[Interval]:
        """The times that it names, as they were when it was said."""
        from commonplace.when import find

        return {phrase.interval for phrase in find(self.text, self.time)} if self.time else set()


def said_by(record: Record) -> Said:
    """The tokens of a record's text and who it is about."""
    names = (record.speaker,) if record.speaker else record.entities
    text = record.text[:LONGEST]
    return Said(record.id, frozenset(tokens(text)), frozenset(map(fold, names)), text, record.time)


def duplicate_of(new: Said, taken: list[Said], threshold: float) -> str:
    """The id of the first taken record that says the same; empty if none does."""
    size = len(new.tokens)
    for one in taken:
        if one.id == new.id:
            return one.id
        other = len(one.tokens)
        if size >= threshold * other and other >= threshold * size and _alike(one, new, threshold):
            return one.id
    return ""


def _alike(a: Said, b: Said, threshold: float) -> bool:
    """Similar (Jaccard) and no two facts: those often differ by a number only, by whom they are about, or by when."""
    both = len(a.tokens & b.tokens)
    if not both or both < threshold * (len(a.tokens) + len(b.tokens) - both):
        return False
    about_others = a.names and b.names and a.names.isdisjoint(b.names)
    return _numbers(a) == _numbers(b) and not about_others and a.times == b.times


def _numbers(said: Said) -> set[str]:
    return {token for token in said.tokens if any(char.isdigit() for char in token)}
