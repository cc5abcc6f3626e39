"""Which format a stream is in, by its first kilobytes."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from commonplace.imports.nouns import Fields, Format
from commonplace.imports.stamps import how_to_read, stamp_of

MOST_LINES = 50  # that are looked at
CLAUDE_CODE = frozenset({"summary", "file-history-snapshot", "queue-operation", "progress", "system", "attachment"})
PLAIN_SPEAKERS = 8  # at most, in a chat whose messages begin with no time
FEWEST_PLAIN = 2  # messages


def format_of(beginning: str) -> Format:
    """The format of a stream that begins so; `jsonl` for what is none of the others."""
    text = beginning.lstrip()
    if text[:1] in ("[", "{") and (export := _export(text)):
        return export
    lines = [line for line in text.split("\n")[:MOST_LINES] if line.strip()]
    votes = [vote for line in lines if line.lstrip()[:1] == "{" and (vote := _vote(line))]
    if votes:
        return max(dict.fromkeys(votes), key=votes.count)
    if text[:1] == "{" and "\n" not in text:  # a line so long that its end is not in sight
        return _by_keys(set(_key().findall(text)))
    return "chat" if text[:1] not in ("[{") and _is_chat(lines) else "jsonl"


def _export(text: str) -> Format | None:
    """An export, if it is one: an array of conversations, or a conversation that stands alone."""
    found = _conversation().search(text)
    if not found:
        return None
    if text[0] == "{":
        first = _object(text.partition("\n")[0])
        if first is not None and not {"mapping", "chat_messages"} & first.keys():
            return None
    return "chatgpt" if found[1] == "mapping" else "claude"


def _vote(line: str) -> Format | None:
    """What one line speaks for."""
    found = _object(line)
    return None if found is None else _kind(found)


def _kind(found: Fields) -> Format:
    """The format that has objects like this one."""
    kind, message = found.get("type"), found.get("message")
    if isinstance(message, dict) and kind in ("user", "assistant"):
        return "claude-code"
    if ("sessionId" in found or "leafUuid" in found) and isinstance(kind, str) and kind in CLAUDE_CODE:
        return "claude-code"
    if "event_id" in found and "ts_ms" in found:
        return "openclaw-mem"
    if _is_openclaw(found):
        return "openclaw"
    if "summary" in found and "text" not in found and {"kind", "tool_name", "detail_json"} & found.keys():
        return "openclaw-mem"
    return "jsonl"


def _by_keys(keys: set[str]) -> Format:
    """The format of an object of which only the first keys are known, inner ones among them."""
    if "actor" in keys:
        return "jsonl"
    if "parentUuid" in keys or {"sessionId", "uuid"} <= keys:
        return "claude-code"
    if {"event_id", "ts_ms"} <= keys:
        return "openclaw-mem"
    return "openclaw" if "toolName" in keys or {"role", "content"} <= keys else "jsonl"


def _is_openclaw(found: Fields) -> bool:
    event = found.get("event")
    if isinstance(event, dict):
        found = event
    message = found.get("message")
    if found.get("type") == "session" and "id" in found and "text" not in found:
        return True
    if isinstance(message, dict) and "role" in message and "text" not in found:
        return True
    if "role" in found and "content" in found and "text" not in found:
        return True
    messages = found.get("messages")
    if isinstance(messages, list) and messages and isinstance(messages[0], dict) and "role" in messages[0]:
        return True
    return "toolName" in found and bool({"params", "result", "error"} & found.keys())


def _is_chat(lines: list[str]) -> bool:
    """Whether at least half of the lines begin a message; without times, few speakers must take turns."""
    reading = how_to_read("\n".join(lines))
    stamps = [stamp for line in lines if (stamp := stamp_of(line, reading))]
    if 2 * len(stamps) < len(lines) or not stamps:
        return False
    return reading.timed or FEWEST_PLAIN <= len({stamp.speaker for stamp in stamps}) <= PLAIN_SPEAKERS


def _object(line: str) -> Fields | None:
    try:
        found = msgspec.json.decode(line.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@cache
def _key() -> re.Pattern[str]:
    return re.compile(r'"(\w+)"\s*:')


@cache
def _conversation() -> re.Pattern[str]:
    return re.compile(r'"(?:(mapping)"\s*:\s*\{|(chat_messages)"\s*:\s*\[)')
