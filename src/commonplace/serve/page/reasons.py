"""The words of the page for what recall, packs and the queue give as reasons: each name with what a person reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import shorten

from commonplace.shapes import Json

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
NOTABLE_SHARE, NOTABLE_CHANGE = 0.15, 0.1  # of a score: what is said in words
# Why a line is in a pack, by its part of it, and what stands there of a line that is not whole.
ROLES = {
    "core": "it is in the core memory, with which packs begin",
    "standing": "it is a standing instruction or preference, which an agent gets whatever is asked",
    "correction": "it corrects what the agent has read",
    "recall": "it fits the question",
    "neighbour": "it stands right before a line that fits the question",
    "dissent": "it contradicts another line of the pack",
    "tail": "it is among the newest lines of the current task",
}
LAYERS = {"L0": "; only its opening found room", "L1": "; only its best sentences found room", "L2": ""}
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
QUOTED_CHARS = 100  # of another line that a reason names
# Why an item waits in the queue.
WAITS = {"conflict": "contradicts", "doubt": "not sure", "proposal": "proposed", "held": "held back"}
WAITS["forget"] = "to forget"


def describe_part(name: str, weight: float) -> str:
    """A part or factor of a score in words; of a version that has others its name."""
    if not name.endswith(FACTOR_SIGN):
        return f"found by {FOUND_BY[name]}" if name in FOUND_BY else name
    raised, lowered = CHANGED_BY.get(name.removesuffix(FACTOR_SIGN), (name, name))
    return (raised if weight >= 1 else lowered) or raised or lowered


def explain_score(scored: Json) -> Json:
    """What has a score, with what found it in words, and what raised or lowered it."""
    values = {one["name"]: one["value"] for one in scored["reasons"]}
    parts = {name: value for name, value in values.items() if not name.endswith(FACTOR_SIGN)}
    factors = {name.removesuffix(FACTOR_SIGN): value for name, value in values.items() if name not in parts}
    notable = NOTABLE_SHARE * sum(parts.values())
    found = [FOUND_BY.get(name, name) for name in sorted(parts, key=lambda one: -parts[one]) if parts[name] >= notable]
    known = {name: value for name, value in factors.items() if name in CHANGED_BY.keys() - QUIET_FACTORS}
    raised = [CHANGED_BY[name][0] for name, value in known.items() if value >= 1 + NOTABLE_CHANGE]
    lowered = [CHANGED_BY[name][1] for name, value in known.items() if value <= 1 - NOTABLE_CHANGE]
    return scored | {"found_by": found, "raised_by": [*filter(None, raised)], "lowered_by": [*filter(None, lowered)]}


def explain_entry(scored: Json) -> Json:
    """An entry of a receipt, and why its line is in the pack or not; other lines that this names stand there with their
    words."""
    quotes = {one["id"]: f"“{shorten(one['text'], QUOTED_CHARS, placeholder='…')}”" for one in scored["named"]}
    return explain_score(scored) | {"why": describe_reason(scored["reason"], quotes)}


def describe_reason(reason: str, quotes: Mapping[str, str] = {}) -> str:
    """Why a line is in a pack (`core L2`) or not (`cut by budget`) in words; of a version that has others as it is.
    `quotes` are what stands for the ids in it."""
    if taken := _TAKEN.fullmatch(reason):
        role, layer, host, newer = taken.groups()
        words = ROLES.get("recall" if role == "taken" else role, role) + LAYERS.get(layer, f", {layer}")
        host, newer = (quotes.get(one, one) for one in (host, newer))
        return words + (f": {host}" if host else "") + (f"; it held before {newer}" if newer else "")
    begins = next((one for one in LEFT_OUT if reason == one or reason.startswith(f"{one} ")), "")
    name, comma, rest = reason.removeprefix(begins).strip().partition(",")
    return f"{LEFT_OUT.get(begins, '')} {quotes.get(name, name)}{comma}{rest}".strip()
