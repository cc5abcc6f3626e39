"""Grade a tool's message as openclaw-mem's `heuristic-v1` does, substring tests and all, so that grades compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import normalize

from commonplace.consolidate.importance import Grade, graded

METHOD = "heuristic-v1"
BASE = 0.30

# What is looked for anywhere in the lower-cased text, also inside other words: `policy` in `retry-policy`.
_HOLDS: dict[str, tuple[str, ...]] = {
    "rule": (
        "prefer", "always", "never", "must", "should", "do not", "don't", "required", "rule", "policy",
        "偏好", "規則", "一定", "必須", "不要", "禁止", "原則", "硬性", "需求", "不做", "不改",
    ),
    "decision": (
        "decide", "decision", "chose", "we will", "we'll", "mvp", "scope", "architecture",
        "決定", "選擇", "採用", "方案", "架構", "範圍",
    ),
    "set up": ("create", "added", "set up", "setup"),
    "set up what": ("repo", "cron", "jobid", "github.com"),
    "command": ("uv run", "python -m", "openclaw ", "openclaw-mem"),
    "operation": ("cron", "every ", "tz", "asia/taipei", "how to", "openclaw ", "uv run", "python -m"),
    "error": (
        "error", "failed", "exception", "traceback", "timeout", "rate_limit", "unauthorized", "forbidden",
    ),
    "cause": ("root cause", "fixed by", "workaround", "mitigation", "resolved by"),
    "deadline": ("today", "tomorrow", "eod", "before", "今天", "明天", "之前"),
    "chat": ("收到", "謝謝", "哈哈"),
    "progress": ("done", "finished", "pushed", "merged", "wip"),
    "appointment": ("meeting", "call", "開會", "約"),
    "task": ("要做", "待辦"),
}  # fmt: skip
_SECRETS = ("sk-", "ghp_", "AKIA")  # as written: capitals count
_BRACKETS = dict(zip("[({【〔「『《〈«〖〘‹<", "])}】〕」』》〉»〗〙›>", strict=True))
_MARKERS = ("todo", "task", "reminder")
_AFTER_MARKER = ":;-.。–—−"
_SEVERAL_REASONS = 2


def heuristic_v1(text: str, *, tool: str = "", kind: str = "") -> Grade:
    """The grade of `tool: text`; `kind` is the observation's.

    Source: the table of openclaw-mem's heuristic-v1, in its order, which rounding follows. `reasons` are the first two
    distinct ones and the first penalty.
    """
    spoken = ": ".join(part for part in (tool.strip(), text.strip()) if part)
    score = BASE
    added: list[str] = []
    taken: list[str] = []
    for name, weight in _signals(spoken, kind):
        score += weight
        (added if weight > 0 else taken).append(name)
    return graded(score, (*tuple(dict.fromkeys(added))[:_SEVERAL_REASONS], *taken[:1]), METHOD)


def _signals(spoken: str, kind: str) -> Iterator[tuple[str, float]]:
    lowered = spoken.lower()
    task = _is_task(spoken, kind)
    yield from _merits(spoken, lowered, task)
    lasting = task or _is_identified(spoken) or _holds(lowered, "error")
    yield from _demerits(lowered, lasting)


def _merits(spoken: str, lowered: str, task: bool) -> Iterator[tuple[str, float]]:
    if any(sign in spoken for sign in _SECRETS) or _private_key().search(spoken):
        yield "secret", -0.40
    if _holds(lowered, "rule"):
        yield "rule", 0.40
    if not task and (_holds(lowered, "decision") or (_holds(lowered, "set up") and _holds(lowered, "set up what"))):
        yield "decision", 0.30
    if _is_identified(spoken):
        yield "identifier", 0.20
    if _holds(lowered, "operation"):
        yield "operation", 0.20
    if _holds(lowered, "error"):
        yield "error", 0.15
        if _holds(lowered, "cause"):
            yield "cause", 0.10
    if task:
        yield "task", 0.20
        if _holds(lowered, "deadline") or _by_date().search(lowered):
            yield "deadline", 0.10


def _demerits(lowered: str, lasting: bool) -> Iterator[tuple[str, float]]:
    if _chat().search(lowered) or _holds(lowered, "chat"):
        yield "chit-chat", -0.25
    if not lasting and _holds(lowered, "progress"):
        yield "progress", -0.20
    if not lasting and _holds(lowered, "appointment") and _clock().search(lowered):
        yield "calendar", -0.15


def _holds(lowered: str, what: str) -> bool:
    return any(sign in lowered for sign in _HOLDS[what])


def _is_identified(spoken: str) -> bool:
    return "OPENCLAW_" in spoken or _holds(spoken.lower(), "command") or _reference().search(spoken) is not None


def _is_task(spoken: str, kind: str) -> bool:
    if kind.strip().lower() == "task":
        return True
    plain = normalize("NFKC", spoken).strip()
    message = plain.partition(":")[2].strip()
    if any(_is_marked(part) or _is_marked(_unwrapped(part)) for part in (plain, message)):
        return True
    return _holds(_unwrapped(plain), "task")


def _is_marked(text: str) -> bool:
    """Whether a text begins with todo, task or reminder in any case, bare before a separator or in brackets."""
    closing = _BRACKETS.get(text[:1], "")
    for marker in _MARKERS:
        if text.lower().startswith(marker) and (text[len(marker) :][:1].isspace() or _ends_marker(text, len(marker))):
            return True
        if closing and text[1:].lower().startswith(marker) and text[1 + len(marker) :].startswith(closing):
            return True
    return False


def _ends_marker(text: str, at: int) -> bool:
    return at == len(text) or text[at] in _AFTER_MARKER


def _unwrapped(text: str) -> str:
    """A text less the quote signs, bullets, check boxes and ordinals before it.

    One that no blank follows is taken off only if another, or a marker, stands behind it.
    """
    while match := _wrapping().match(text):
        rest = text[match.end() :]
        if not rest or not (rest[0].isspace() or _is_marked(rest) or _wrapping().match(rest)):
            return text
        text = rest.lstrip()
    return text


@cache
def _wrapping() -> re.Pattern[str]:
    ordinal = r"(?:\d+|[A-Za-z]|(?=[IVXLCDMivxlcdm])(?i:M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})))"
    return re.compile(
        rf">+|[-*+•▪‣∙·●○◦・–—−](?=.)|\[[ xX✓✔☐☑☒✅]\](?=.)|\({ordinal}\)(?=.)|{ordinal}[.)\-–—−](?=.)", re.DOTALL
    )


@cache
def _private_key() -> re.Pattern[str]:
    return re.compile("BEGIN (?:RSA|OPENSSH) PRIVATE KEY", re.IGNORECASE)


@cache
def _reference() -> re.Pattern[str]:
    uuid = r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    return re.compile(rf"https?://\S|{uuid}|\bagents\.[a-z0-9_.]+\b", re.IGNORECASE)


@cache
def _by_date() -> re.Pattern[str]:
    return re.compile(r"\bby\s+\d{4}-\d{2}-\d{2}\b")


@cache
def _chat() -> re.Pattern[str]:
    return re.compile(r"\b(?:lol|thanks|thx|ok|got it|nice)\b")


@cache
def _clock() -> re.Pattern[str]:
    return re.compile(r"\b\d{1,2}(?:[ap]m|:\d{2})\b")
