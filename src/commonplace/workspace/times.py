"""Dates and minutes as lines, headings and front matter write them; no clock is read."""

from __future__ import annotations

import re
from functools import cache, lru_cache

MOST_CHARACTERS = 50  # of a moment with its seconds, zone and blanks
DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date_in(text: str) -> str:
    """The first real date in a text, `2025-11-27` or `2025_11_27`, as an ISO date; empty if there is none."""
    for found in _date().finditer(text):
        day = "-".join(found.groups())
        if moment(day):
            return day
    return ""


def moment(text: str) -> str:
    """A year, month, date or minute in ISO form, seconds and zone cut off; empty if it is none or does not exist."""
    return _checked(text.strip()) if len(text) <= MOST_CHARACTERS else ""


def instant(text: str) -> str:
    """When a front matter says it was written: a moment, or seconds or milliseconds since 1970 (UTC)."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) in (10, 13)):
        return moment(text) or date_in(text)
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(text[:10]), UTC).strftime("%Y-%m-%dT%H:%M")


@lru_cache(4096)
def _checked(text: str) -> str:
    found = _moment().fullmatch(text)
    if not found:
        return ""
    year, month, day, hour, minute = found.groups()
    if month and not 1 <= int(month) <= 12:
        return ""
    if day and not _is_day(int(year), int(month), int(day)):
        return ""
    if hour and not (int(hour) < 24 and int(minute) < 60):
        return ""
    date = "-".join(part for part in (year, month, day) if part)
    return f"{date}T{hour}:{minute}" if hour else date


def _is_day(year: int, month: int, day: int) -> bool:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= DAYS[month - 1] - (month == 2 and not leap)


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"(?<![0-9])([0-9]{4})[-_]([0-9]{2})[-_]([0-9]{2})(?![0-9])")


@cache
def _moment() -> re.Pattern[str]:
    number = "[0-9]{2}"
    clock = f"[T ]({number}):({number})(?::{number}(?:[.,][0-9]{{1,9}})?)?(?:Z|[+-]{number}:?{number})?"
    return re.compile(f"([0-9]{{4}})(?:-({number})(?:-({number})(?:{clock})?)?)?")
