"""Tell whether two lines contradict each other: both give the one value that a thing can have, and not the same one."""

from __future__ import annotations

from functools import lru_cache

from commonplace.model import Form, Record
from commonplace.text import fold

STATING: tuple[Form, ...] = ("retain", "keyvalue", "row", "item", "paragraph")  # what is merely said states nothing
PASSING = ("memory/episodes/", "memory/working-buffer.md", "memory/pending.md")
LONGEST = 400  # characters of a line that states something

Stated = dict[tuple[str, str], str]


def contradict(one: Record, other: Record) -> bool:
    """Whether two records state different values of an attribute that has one value at a time, of the same thing, in
    the same scope, and may both hold at once."""
    if one.id == other.id or one.scope != other.scope or not (_may_state(one) and _may_state(other)):
        return False
    if not _alike(one, other) or not _at_once(one, other):
        return False
    mine, theirs = _stated(one), _stated(other)
    return any(_differ(mine[key], theirs[key]) for key in mine.keys() & theirs.keys())


def _may_state(record: Record) -> bool:
    is_home = not record.source.path.startswith(PASSING)
    return not record.is_evidence and record.form in STATING and is_home and len(record.text) <= LONGEST


def _alike(one: Record, other: Record) -> bool:
    """Whether they may be about one thing: reading what a line states takes long."""
    about, also = set(map(fold, one.entities)), set(map(fold, other.entities))
    return not (about and also and about.isdisjoint(also)) and not _words(one).isdisjoint(_words(other))


@lru_cache(maxsize=256)
def _words(record: Record) -> frozenset[str]:
    """Its words, and those of its title and of whom it is about, that are no function words."""
    from commonplace.text import is_stop, tokens

    told = " ".join((*record.heading[-1:], *record.entities, record.text))
    return frozenset(word for word in tokens(told) if not is_stop(word, "en"))


def _at_once(one: Record, other: Record) -> bool:
    """Whether the stretches in which they hold meet; an open end reaches any time."""
    ended = one.valid_to and other.valid_from and one.valid_to < other.valid_from
    return not ended and not (other.valid_to and one.valid_from and other.valid_to < one.valid_from)


@lru_cache(maxsize=256)
def _stated(record: Record) -> Stated:
    """(thing, attribute): the value that a record states of it, of attributes that have one value at a time."""
    from commonplace.facts import keyed, single_valued

    triples = keyed(record.text, record.entities, record.heading, now=record.time)
    return {(thing, attribute): value for thing, attribute, value in triples if single_valued(attribute)}


def _differ(one: str, other: str) -> bool:
    """Whether two values are not the same; one that says more (`bern`, `bern in switzerland`) is."""
    return one not in other and other not in one
