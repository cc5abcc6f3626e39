"""Whether a call worked: its exit code where there is one, else the last words of its output; and why it did not."""

from __future__ import annotations

import re
from functools import cache

MOST_CHARS = 6_000
MOST_LINES = 40

# What went wrong, in our own words: the output itself is a tool's text and never becomes part of a procedure.
REASONS: dict[str, tuple[str, str]] = {
    "permission": (
        "permission denied",
        r"permission denied|not permitted|eacces|eperm|access denied|\b403\b",
    ),
    "authentication": (
        "not logged in",
        (
            r"unauthori[sz]ed|not logged in|log ?in required|authenticat\w+ (?:failed|required)"
            r"|invalid (?:credentials|token)|eneedauth|\b401\b|need auth"
        ),
    ),
    "exists": ("it was there already", r"already exists|eexist|duplicate|previously published"),
    "dependency": ("a dependency was missing", r"cannot find module|modulenotfound|no module named|unmet|unresolved"),
    "missing": ("something was missing", r"no such file|not found|does not exist|enoent|\b404\b|unknown host"),
    "conflict": ("a conflict", r"\bconflict|non-fast-forward|\brejected\b|diverged|out of date|stale"),
    "busy": ("it was locked or in use", r"\block(?:ed)?\b|in use|eaddrinuse|\bbusy\b|another process"),
    "network": ("no connection", r"connection (?:refused|reset)|econnrefused|could not resolve|unreachable"),
    "timeout": ("it took too long", r"timed? ?out|deadline exceeded|etimedout"),
    "space": ("no space left", r"no space left|enospc|disk (?:is )?full|quota"),
    "memory": ("out of memory", r"out of memory|\boom\b|heap limit|cannot allocate"),
    "syntax": ("a syntax error", r"syntax ?error|unexpected token|parse error|invalid syntax"),
    "usage": ("it was called wrongly", r"usage:|unknown (?:option|command)|unrecognized|invalid (?:option|argument)"),
    "tests": ("tests failed", r"tests? failed|\d+ (?:failed|failing)|assertion"),
}
_FAILED = (
    r"\berror\b|\berr!|\bfailed\b|\bfailure\b|\bfail:|\bfatal\b|\bexception\b|traceback|\bdenied\b|\bnot found\b"
    r"|\bcannot\b|could not|couldn't|\brefused\b|\btimed out\b|\baborted\b|\bpanic\b|❌|✗|✘|\bfehler|\bfehlgeschlagen"
    r"|\berreur|\béchec|\bfalló|失败|失敗|错误|エラー"
)
_WORKED = (
    r"\bsuccess|\bsucceeded\b|\bdone\b|\bcompleted?\b|\bpublished\b|\bdeployed\b|\bcommitted\b|\binstalled\b|\bpushed\b"
    r"|\bmerged\b|\bcreated\b|\bupdated\b|\bsent\b|\bsaved\b|up to date|\bpassed\b|\bfinished\b|\bok\b|✅|✓|✔"
    r"|\berfolgreich|\bréussi|\bterminé|\bcompletado|\béxito|成功|完成|完了"
)
_NOT_FAILED = (
    r"\b(?:0|no|zero|without|keine?|sans|sin)\s+(?:\w+\s+)?"
    r"(?:errors?|failures?|failed|exceptions?|fehler|erreurs?|errores)\b"
)


def verdict(output: str, exit_code: int | None, *, masked: bool = False) -> bool | None:
    """Whether a call worked; None if nothing tells. An exit code of 0 that was masked counts unless words differ."""
    if exit_code is None:
        return spoken(output)
    if exit_code == 0 and masked:
        return spoken(output) is not False
    return exit_code == 0


def spoken(output: str) -> bool | None:
    """What the last telling line of an output says."""
    for line in reversed(output[-MOST_CHARS:].split("\n")[-MOST_LINES:]):
        plain = _pattern(_NOT_FAILED).sub(" ", line)
        if _pattern(_FAILED).search(plain):
            return False
        if plain != line or _pattern(_WORKED).search(plain):
            return True
    return None


def reason(output: str) -> str:
    """The sort of failure that an output tells of, a key of `REASONS`; empty if it is none of them."""
    tail = output[-MOST_CHARS:]
    return next((key for key, (_words, cue) in REASONS.items() if _pattern(cue).search(tail)), "")


def told(key: str, exit_code: int | None) -> str:
    """A failure for a person: `not logged in, exit code 1`."""
    said = [REASONS[key][0]] if key in REASONS else []
    return ", ".join(said + ([f"exit code {exit_code}"] if exit_code else []))


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.IGNORECASE)
