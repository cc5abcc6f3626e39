"""What the lanes say of a record, and the parts that relevance adds up: one function each, in one table."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.recall.understand import Understood

CLOSE, TIME, VECTOR, ORDER = 0.3, 1.2, 1.2, 0.3
EVENT = 0.8  # of the time that is meant: a line that was written then comes before one that tells of it
ALONE = 0.1  # what an entity or a sort that is asked for finds by itself; what matches, it doubles
ASKED_ALONE = 1.0  # the same for a sort if nothing else is asked for
BESIDE = 0.4  # what only says a name, beside what is about its bearer: below the least strength of that lane


class Strengths(Struct, frozen=True, gc=False):
    """What the lanes say of one record: between 0 and 1, but for what is measured by the best match, which may be more.

    Those from `speaks` on say what a line is like: `speaks` is 1 where who said it is asked about, `length` how much it
    says (min(ln(1 + tokens) / 4, 1)), `asks` 1 where one person asks another, `addresses` 1 where what it has of the
    question is said to another, `absent` the share of those the question names of whom the talk knows nothing,
    `by_agent` 1 where an assistant said it, `holds` 1 where it may hold the answer. `retells` is 1 where the capture
    that a line was kept of was found too, `stands` 1 where all these are those of the capture, in whose place the line
    stands.
    """

    lexical: float = 0.0
    entity: float = 0.0
    kind: float = 0.0
    time: float = 0.0
    event: float = 0.0
    about: float = 0.0
    session: float = 0.0
    near: float = 0.0
    window: float = 0.0
    answers: float = 0.0
    close: float = 0.0
    vector: float = 0.0
    order: float = 0.0
    speaks: float = 0.0
    length: float = 0.0
    asks: float = 0.0
    addresses: float = 0.0
    absent: float = 0.0
    by_agent: float = 0.0
    holds: float = 0.0
    retells: float = 0.0
    stands: float = 0.0


Part = Callable[[Strengths, Understood], float]


def about(found: Strengths, _asked: Understood) -> float:
    """as found: its place among all that is known of a name, from 1 down to .5; the question is for nothing else."""
    return found.about


def lexical(found: Strengths, asked: Understood) -> float:
    """as found: the words of the question, BM25 over that of the best match (Robertson & Zaragoza 2009).

    Where all that is known of a name is asked for, .4 · lexical for what only says the name.
    """
    if asked.intent == "about":
        return 0.0 if found.about else BESIDE * found.lexical
    return found.lexical


def session(found: Strengths, _asked: Understood) -> float:
    """as found: the dialogue as a whole, .47 of its own BM25 and .05 of its best line, over the best match's."""
    return found.session


def near(found: Strengths, _asked: Understood) -> float:
    """as found: .2 of the BM25 of each line two turns away and .08 three turns away, over the best match's."""
    return found.near


def window(found: Strengths, _asked: Understood) -> float:
    """as found: .2 of what six lines around add to the BM25 of all seven as one text, over the best match's."""
    return found.window


def answers(found: Strengths, _asked: Understood) -> float:
    """as found: .64 of the BM25 of a question of somebody else right before, over the best match's."""
    return found.answers


def close(found: Strengths, _asked: Understood) -> float:
    """.3 · close: pairs of words that stand together, over the best match's BM25 (Metzler & Croft 2005)."""
    return CLOSE * found.close


def entity(found: Strengths, asked: Understood) -> float:
    """entity · (lexical + .1), or entity · .1 for what its bearer said: a name doubles what matches.

    What its bearer said has the factor `speaker` besides.
    """
    if asked.intent == "about":
        return 0.0
    return found.entity * (ALONE if found.speaks else found.lexical + ALONE)


def kind(found: Strengths, asked: Understood) -> float:
    """kind · (lexical + .1), or kind · (lexical + 1) if nothing else is asked for: the sort that is asked for."""
    return found.kind * (found.lexical + (ASKED_ALONE if asked.bare else ALONE))


def time(found: Strengths, _asked: Understood) -> float:
    """1.2 · time: how near the record lies to the time that is meant."""
    return TIME * found.time


def event(found: Strengths, _asked: Understood) -> float:
    """1.2 · (.8 · event - time), what the time that a line tells of gains on when it was written; never below 0."""
    return max(TIME * (EVENT * found.event - found.time), 0.0)


def vector(found: Strengths, asked: Understood) -> float:
    """1.2 · vector: how near the line, those beside it and its dialogue come to the question in meaning."""
    return 0.0 if asked.intent == "about" else VECTOR * found.vector


def order(found: Strengths, _asked: Understood) -> float:
    """.3 · order · lexical: of what matches alike the last, or the first, where that is asked for."""
    return ORDER * found.order * found.lexical


PARTS: dict[str, Part] = {
    "about": about,
    "lexical": lexical,
    "session": session,
    "near": near,
    "window": window,
    "answers": answers,
    "close": close,
    "entity": entity,
    "kind": kind,
    "time": time,
    "event": event,
    "vector": vector,
    "order": order,
}


def counted(table: dict[str, Part], asked: Understood) -> dict[str, Part]:
    """The parts of a table that are not switched off."""
    return {name: part for name, part in table.items() if name not in asked.without}
