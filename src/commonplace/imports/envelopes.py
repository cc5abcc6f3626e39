"""What OpenClaw itself puts around the words of a user: a stamp in front, blocks of context, its notes to the model."""

from __future__ import annotations

import re
from functools import cache

MARK = "⟦openclaw:ctx⟧"  # ends the heading of each block of context
BEGIN, END = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
LAST = f"Context: {MARK}"  # the heading of a block that runs to the end
BEFORE = ("[Chat messages since your last reply - for context]", "[Recent chat messages - for context]")
NOW = "[Current message - respond to this]"  # ends what others said in a group before
SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})  # an answer that says nothing


def bare(text: str) -> str:
    """The words alone, without what others said before him in a group. Only for what the owner said: a stranger could
    hide his own behind such marks."""
    text = _stamp().sub("", text, count=1)
    if BEGIN in text:
        text = _internal().sub("", text)
    if any(heading in text for heading in BEFORE):
        text = text.rpartition(NOW)[2].strip() if NOW in text else ""
    return _without_blocks(text).strip() if MARK in text else text


def is_silence(text: str) -> bool:
    """Whether an agent answered that it has nothing to say."""
    return text.strip() in SILENT


def _without_blocks(text: str) -> str:
    """The text without its blocks: a heading, then a fenced object, or lines up to an empty one."""
    kept: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        heading = line.strip()
        if heading == LAST:
            break
        if not heading.endswith(MARK):
            kept.append(line)
            continue
        end = "```" if next(lines, "").strip() == "```json" else ""
        for inside in lines:
            if inside.strip() == end:
                break
    return "\n".join(kept)


@cache
def _stamp() -> re.Pattern[str]:
    return re.compile(r"\A\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,60}\] ?")


@cache
def _internal() -> re.Pattern[str]:
    return re.compile(f"{re.escape(BEGIN)}.*?(?:{re.escape(END)}|\\Z)", re.DOTALL)
