"""When something happened, as other programs write it: ISO times of all sorts, seconds and milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from commonplace.imports.bounds import cut
from commonplace.imports.nouns import Fields

DAY = len("2025-11-27")
SCALES = ((1e8, 1e10, 1), (1e11, 1e13, 1_000), (1e14, 1e16, 1_000_000))  # from 1973 to 2286
MOST_SAID = 100


def iso(value: Any) -> str:
    """An ISO time to the second, with its offset if it has one, or an ISO date; empty for what is no time."""
    if isinstance(value, str):
        return _read(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    return ""


def set_time(fields: Fields, value: Any) -> bool:
    """Set when it happened, as far as it was said; what cannot be read is noted as `said_ts`. Whether it can."""
    if value is None or value == "":
        return False
    fields["ts"] = iso(value)
    if fields["ts"]:
        return True
    del fields["ts"]
    fields.setdefault("detail", {})["said_ts"] = (
        cut(value, MOST_SAID) if isinstance(value, str) else str(value)[:MOST_SAID]
    )
    return False


def _read(text: str) -> str:
    if text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) > DAY - 1 and "-" not in text:
        return _since_1970(float(text))
    try:
        if len(text) == DAY:
            return date.fromisoformat(text).isoformat()
        found = datetime.fromisoformat(text)
    except ValueError:
        return ""
    offset = found.utcoffset()
    if offset is not None and offset.total_seconds() % 60:
        return ""
    return found.isoformat(timespec="seconds")


def _since_1970(number: float) -> str:
    for low, high, scale in SCALES:
        if low <= number < high:
            return datetime.fromtimestamp(number / scale, UTC).isoformat(timespec="seconds")
    return ""
