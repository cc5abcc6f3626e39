"""How many calls and tokens language models took on a day, counted by all processes together."""

from __future__ import annotations

from msgspec import DecodeError, Struct, json

from commonplace.errors import ModelUnavailable, WorkspaceUnusable
from commonplace.storage import files

USAGE_PATH = ".memory/models-usage.json"
USAGE_LOCK = "models-usage"
MAX_USAGE_BYTES = 100_000
COUNTED_DAYS = 7  # a clock that is put back does not begin a day anew


class ModelUsage(Struct, frozen=True):
    """The calls and tokens of a day; or how many of them a day may have."""

    calls: int = 0
    tokens: int = 0


def read_model_usage(root: str, day: str) -> ModelUsage:
    """The usage of a day, and the most that calls under way may take. Raises WorkspaceUnusable if it is damaged."""
    return _read_days(root).get(day, ModelUsage())


def reserve_model_call(root: str, day: str, tokens: int, limit: ModelUsage) -> None:
    """Count a call that takes at most so many tokens, before it is made. Raises ModelUnavailable, and counts nothing,
    if that would exceed the limit."""
    with files.hold_workspace_lock(root, USAGE_LOCK):
        days = _read_days(root)
        usage = days.get(day, ModelUsage())
        if usage.calls >= limit.calls:
            raise ModelUnavailable(f"the limit of {limit.calls} calls a day is reached")
        if usage.tokens + tokens > limit.tokens:
            raise ModelUnavailable(f"the limit of {limit.tokens} tokens a day could be exceeded")
        _write_days(root, days | {day: ModelUsage(usage.calls + 1, usage.tokens + tokens)}, day)


def settle_model_call(root: str, day: str, reserved_tokens: int, tokens: int) -> None:
    """Count the tokens that a call took, in place of those that were reserved for it."""
    with files.hold_workspace_lock(root, USAGE_LOCK):
        days = _read_days(root)
        usage = days.get(day, ModelUsage())
        left = max(0, usage.tokens - reserved_tokens) + tokens
        _write_days(root, days | {day: ModelUsage(usage.calls, left)}, day)


def _read_days(root: str) -> dict[str, ModelUsage]:
    data = files.read_file_if_exists(root, USAGE_PATH, MAX_USAGE_BYTES)
    try:
        return json.decode(data, type=dict[str, ModelUsage]) if data is not None else {}
    except DecodeError:
        raise WorkspaceUnusable(USAGE_PATH, "it is damaged; remove it, and calls are counted anew") from None


def _write_days(root: str, days: dict[str, ModelUsage], today: str) -> None:
    newest = sorted(days)[-COUNTED_DAYS:]
    files.write_atomic(root, USAGE_PATH, json.encode({day: days[day] for day in sorted({*newest, today})}), mode=0o600)
