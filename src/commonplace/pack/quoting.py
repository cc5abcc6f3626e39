"""Quote memory text for a prompt, so that it can neither close its own frame nor start a role."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from commonplace.text.frames import FOOT, HEAD

# What stands in for a character that would have opened something: a reader still sees what was written.
STAND_INS = {"<": "‹", "＜": "‹", "﹤": "‹", "[": "⟦", "`": "ˋ"}

_GAP = r"[\s/\\\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]{0,8}"  # bounded: linear time
_TAGS = "s|bos|eos|pad|unk|cls|sep|start_of_turn|end_of_turn|start_header_id|end_header_id|eot_id|begin_of_text"
_NAMES = "memory|system|assistant|user|human|developer|tool|function|invoke|parameter|think|im_start|im_end"
_BRACKETED = "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT"


def framed(lines: Iterable[str]) -> str:
    """Lines inside their frame, as they go into a prompt."""
    return "\n".join((HEAD, *lines, FOOT))


def quoted(line: str) -> str:
    """One line in which every opening of a frame, a special token, a role tag or a code fence has its stand-in."""
    return _openings().sub(_stand_in, line)


def _stand_in(match: re.Match[str]) -> str:
    return "".join(STAND_INS[char] for char in match[0])


@cache
def _openings() -> re.Pattern[str]:
    """Frames, ChatML and its like (`<|…|>`), Llama and Mistral tokens, `<<SYS>>`, role and tool tags, fences."""
    sys = f"<?{_GAP}SYS>>"
    angle = f"[<＜﹤](?={_GAP}(?:[|｜]|(?:{_TAGS}){_GAP}[>＞]|(?:\\w{{1,12}}:)?(?:{_NAMES})|{sys}))"
    return re.compile(f"{angle}|\\[(?={_GAP}(?:{_BRACKETED})\\])|`{{3,}}", re.IGNORECASE)
