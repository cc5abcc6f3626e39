"""How well a line fits the form of the question: who speaks, what kind of answer it may hold, how much it says."""

from __future__ import annotations

from math import log1p, prod

from commonplace.recall.intents import is_agent
from commonplace.recall.parts import Part, Strengths, counted
from commonplace.recall.understand import Understood

SPEAKS = 0.8  # what the speaker who is asked about said himself
AGENT = 0.4  # what an assistant said, unless it is asked for
AGENT_ASKED = 1.18  # the same where it is asked for
ANSWERS = 0.3  # a time where it is asked when, a number where it is asked how many, a name where who or where
ABSENT = 0.5  # talk among others than those who are asked about
ADDRESSES = 0.2  # what who is asked about says to another, and so of that other
ASKS = 0.2  # a question of one person to another
RETELLS = 0.06  # what was kept of a capture that was found too: in fewer words than the capture
SAYS = 0.5  # a line of fifty words and more, beside one of none


def absent(found: Strengths, _asked: Understood) -> float:
    """1 - .5 · absent: talk between people in which who is asked about neither speaks nor is named."""
    return 1 - ABSENT * found.absent


def addressed(found: Strengths, _asked: Understood) -> float:
    """1 - .2 · addresses: who is asked about has the words of the question only where he asks another or says `you`."""
    return 1 - ADDRESSES * found.addresses


def agent(found: Strengths, asked: Understood) -> float:
    """.4 for what an assistant said, for people ask for what they said themselves; 1.18 if it is asked what it said."""
    if not found.by_agent:
        return 1.0
    return AGENT_ASKED if asked.of_agent else AGENT


def answer(found: Strengths, _asked: Understood) -> float:
    """1 + .3 · holds: a line with a time where it is asked when, a number for how many, a name for who and where."""
    return 1 + ANSWERS * found.holds


def length(found: Strengths, _asked: Understood) -> float:
    """1 + .5 · length: a line that says more; length = min(ln(1 + tokens) / 4, 1)."""
    return 1 + SAYS * found.length


def question(found: Strengths, _asked: Understood) -> float:
    """1 - .2 · asks: who asks another person tells nothing; who asks an assistant tells what is wanted."""
    return 1 - ASKS * found.asks


def retells(found: Strengths, _asked: Understood) -> float:
    """1 - .06 · retells: what was kept of a capture that was found too, and does not stand in its place."""
    return 1 - RETELLS * found.retells


def speaker(found: Strengths, _asked: Understood) -> float:
    """1 + .8 · speaks: what was said by a speaker whom the question names."""
    return 1 + SPEAKS * found.speaks


FITS: dict[str, Part] = {
    "absent": absent,
    "addressed": addressed,
    "agent": agent,
    "answer": answer,
    "length": length,
    "question": question,
    "retells": retells,
    "speaker": speaker,
}


def fits(asked: Understood) -> dict[str, Part]:
    """The factors that are not switched off; a question for all that is known of a name has none."""
    return {} if asked.intent == "about" else counted(FITS, asked)


def most(asked: Understood, *, speaks: bool) -> float:
    """What the factors come to at the most for a line of which nothing is known but whether `speaks` holds of it."""
    best = Strengths(speaks=float(speaks), length=1.0, holds=float(asked.answer != "any"), by_agent=asked.of_agent)
    return prod(factor(best, asked) for factor in counted(FITS, asked).values())


def share(asked: Understood, tokens: int) -> float:
    """What is left of the most that the factors come to, for a line of so many tokens."""
    return 1.0 if "length" in asked.without else (1 + SAYS * fullness(tokens)) / (1 + SAYS)


def fullness(tokens: int) -> float:
    """How much a line says by its length: min(ln(1 + tokens) / 4, 1)."""
    return min(log1p(tokens) / 4, 1.0)


def is_by_agent(speaker: str, actor: str) -> bool:
    """Whether an assistant said a line, by the name in a log or by who was captured."""
    return actor == "agent" or is_agent(speaker)
