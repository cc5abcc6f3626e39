"""The words of the page for what recall, packs and the queue give as reasons: each name with what a person reads."""

from __future__ import annotations

import re

# What found a line, by the part of its score.
FOUND_BY = {
    "about": "being about the name",
    "lexical": "the words",
    "session": "the talk around it",
    "near": "the lines beside it",
    "answers": "the question right before it",
    "close": "words that stand together",
    "entity": "the name",
    "kind": "the kind of statement asked for",
    "time": "the time",
    "event": "the time it tells of",
    "vector": "the meaning",
    "order": "being the first or last of its like",
}
# Why a line counts for more, and why for less, by the factor of its score.
CHANGED_BY = {
    "addressed": ("", "asks somebody else"),
    "agent": ("was said by the assistant", "was said by the assistant"),
    "answer": ("may hold the answer", ""),
    "confidence": ("is sure", "is not sure"),
    "ended": ("", "is over or replaced"),
    "evidence": ("", "is a capture"),
    "exact": ("has every word asked for, or answers one of several questions", ""),
    "file": ("is in a file that hosts always load", "is in an archive"),
    "form": ("is a statement", "is no statement"),
    "importance": ("is important", "is not important"),
    "length": ("says more", ""),
    "limit": ("has many marks against it, which together count a limited share", "has many marks for it, likewise"),
    "recent": ("is recent", "is old"),
    "retells": ("", "retells a capture"),
    "speaker": ("was said by whom you ask about", ""),
    "trust": ("", "is less trusted"),
}
QUIET_FACTORS = frozenset({"exact", "length", "limit"})  # in the table of the score only: nearly all lines have them
FACTOR_SIGN = "×"
# The part of a pack in which a line is, and how much of it.
ROLES = {
    "core": "core",
    "standing": "standing instruction",
    "correction": "correction",
    "recall": "hit",
    "neighbour": "line before a hit",
    "dissent": "contradicts another",
    "tail": "current task",
}
LAYERS = {"L0": "its opening", "L1": "its best sentences", "L2": "the whole line"}
# Why a line is not in a pack, by how that begins; what comes behind it (an id, a day, a trust) stays behind it.
LEFT_OUT = {
    "a heading; its lines name it": "it is a heading, which its lines show already",
    "already in the pack": "the pack has it already",
    "below the floor": "it fits the question far less than the best hit",
    "cut by budget": "it does not fit into the budget",
    "evidence:": "it is a capture whose words nobody has vouched for:",
    "held until": "it held only until",
    "in a file with a conflict": "its file has a conflict of two versions",
    "near-duplicate of": "the pack says the same with",
    "noise: it states nothing": "it states nothing",
    "not considered": "it was not among the hits",
    "nothing to show": "nothing of its text can be shown",
    "older than": "a newer line took its place:",
    "only a": "it states nothing, and is only a",
    "ranked below k": "other hits rank before it",
    "said in this conversation": "it was said in this conversation",
    "shown to the reader elsewhere": "the reader has it already",
    "superseded by": "it was replaced by",
    "trust:": "it is not trusted enough:",
    "waits for review": "it waits for your decision in Review",
}
_TAKEN = re.compile(r"(\w+) (L\d)(?: of (\S+?))?(?:, earlier than (\S+))?")
# Why an item waits in the queue.
WAITS = {"conflict": "contradicts", "doubt": "not sure", "proposal": "proposed", "held": "held back"}
WAITS["forget"] = "to forget"


def describe_part(name: str, weight: float) -> str:
    """A part or factor of a score in words; of a version that has others its name."""
    if not name.endswith(FACTOR_SIGN):
        return f"found by {FOUND_BY[name]}" if name in FOUND_BY else name
    raised, lowered = CHANGED_BY.get(name.removesuffix(FACTOR_SIGN), (name, name))
    return (raised if weight >= 1 else lowered) or raised or lowered


def describe_reason(reason: str) -> str:
    """Why a line is in a pack (`core L2`) or not (`cut by budget`) in words; of a version that has others as it is."""
    if taken := _TAKEN.fullmatch(reason):
        role, layer, host, newer = taken.groups()
        words = f"{ROLES.get(role, 'hit' if role == 'taken' else role)}: {LAYERS.get(layer, layer)}"
        return words + (f", for {host}" if host else "") + (f", the value before {newer}" if newer else "")
    begins = next((one for one in LEFT_OUT if reason == one or reason.startswith(f"{one} ")), "")
    return LEFT_OUT.get(begins, "") + reason.removeprefix(begins)


def describe_wait(reason: str) -> str:
    """Why an item waits in the queue, in words."""
    return WAITS.get(reason, reason)
