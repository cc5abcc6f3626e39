"""Dates and minutes as lines, headings and front matter write them, in ISO form."""

from __future__ import annotations

from functools import lru_cache

from commonplace.lazy import lazy_pattern

MAX_TIMESTAMP_CHARS = 50  # of a moment with its seconds, zone and blanks


def find_date(text: str) -> str:
    """The first valid date in a text, `2025-11-27` or `2025_11_27`, as an ISO date; empty if there is none."""
    for found in _DATE_PATTERN.finditer(text):
        day = "-".join(found.groups())
        if parse_timestamp(day):
            return day
    return ""


def parse_timestamp(text: str) -> str:
    """A year, month, date or minute in ISO form, without seconds and zone; empty for anything else."""
    return _parse_checked_timestamp(text.strip()) if len(text) <= MAX_TIMESTAMP_CHARS else ""


def parse_written_time(text: str) -> str:
    """The time of writing in a front matter: an ISO time, or seconds or milliseconds since 1970 (UTC)."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) in (10, 13)):
        return parse_timestamp(text) or find_date(text)
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(text[:10]), UTC).strftime("%Y-%m-%dT%H:%M")


@lru_cache(4096)
def _parse_checked_timestamp(text: str) -> str:
    from datetime import datetime

    found = _ISO_TIMESTAMP_PATTERN.fullmatch(text)
    if not found:
        return ""
    year, month, day, hour, minute = found.groups()
    try:  # of the year 0, which the calendar has not, as of one like it
        datetime(int(year) or 400, int(month or 1), int(day or 1), int(hour or 0), int(minute or 0))
    except ValueError:
        return ""
    date = "-".join(part for part in (year, month, day) if part)
    return f"{date}T{hour}:{minute}" if hour else date


_DATE_PATTERN = lazy_pattern(r"(?<![0-9])([0-9]{4})[-_]([0-9]{2})[-_]([0-9]{2})(?![0-9])")


_ISO_TIMESTAMP_PATTERN = lazy_pattern(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?"
)
