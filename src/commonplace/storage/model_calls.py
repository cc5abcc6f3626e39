"""How many calls and tokens language models took on a day, counted by all processes, and the answers that they gave."""

from __future__ import annotations

from contextlib import suppress

from msgspec import DecodeError, Struct, json

from commonplace.errors import CommonplaceError, ModelUnavailable, WorkspaceUnusable
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
    """Count a call of at most so many tokens before it is made. Raises ModelUnavailable for one beyond the limit."""
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


CACHE_FOLDER = ".memory/model-cache"
MAX_CACHED_ANSWERS = 1_000  # the newest
MAX_ANSWER_BYTES = 1_000_000


def find_cached_answer(root: str, digest: str) -> bytes | None:
    """The answer as it was stored, or what a crash left of it; None if there is none."""
    with suppress(CommonplaceError):
        return files.read_file_if_exists(root, _answer_path(digest), MAX_ANSWER_BYTES)
    return None


def cache_answer(root: str, digest: str, answer: bytes) -> None:
    """Store an answer, which only the owner can read, and remove the oldest of too many, if anything can be written."""
    with suppress(CommonplaceError):
        files.write_sealed(root, _answer_path(digest), answer)
        names = list(files.list_file_sizes(root, CACHE_FOLDER))
        names.sort(key=lambda name: files.file_stamp(root, f"{CACHE_FOLDER}/{name}"))
        for name in names[:-MAX_CACHED_ANSWERS]:
            files.remove_file(root, f"{CACHE_FOLDER}/{name}")


def _answer_path(digest: str) -> str:
    return f"{CACHE_FOLDER}/{digest}.json"
