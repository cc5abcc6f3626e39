"""Times within a day: its parts, its hours."""

from __future__ import annotations

from datetime import datetime, timedelta

from commonplace.when import span
from commonplace.when.nouns import Values
from commonplace.when.span import DAY, Clock, Stretch


def night(v: Values, clock: Clock) -> Stretch:
    """`Last night`: from 18 o'clock to 6 on the next day."""
    start = clock.today + int(v["night"]) * DAY
    return Stretch(start + 18 * span.HOUR, start + 30 * span.HOUR, "part")


def shifted_part(v: Values, clock: Clock) -> Stretch:
    """`This morning`."""
    return _hours(v["daypart"], clock.today + int(v["shift"]) * DAY)


def part(v: Values, clock: Clock) -> Stretch:
    """The morning of the day that is named around it."""
    return _hours(v["daypart"], span.midnight(clock.anchor))


def part_of_day(v: Values, clock: Clock) -> Stretch:
    """`今朝`, `stamattina`: a part of a day so many days from today."""
    offset, _, hours = v["hours"].partition(" ")
    return _hours(hours, clock.today + int(offset) * DAY)


def part_of_weekday(v: Values, clock: Clock) -> Stretch:
    """`Montagabend`."""
    number, _, hours = v["weekdaypart"].partition(" ")
    return _hours(hours, span.weekday(clock, int(number)).start)


def clock_time(v: Values, clock: Clock) -> Stretch | None:
    """The hour that begins at a time of day; `3 pm` and `下午三点` are after noon."""
    hour, _, minute = (v.get("clock") or v["num"]).partition(":")
    half = v.get("meridiem") or ("12" if int(v.get("daypart", "0-").partition("-")[0]) >= 12 else "")
    moment = timedelta(hours=int(hour) % 12 + int(half) if half else int(hour), minutes=int(minute or 0))
    start = span.midnight(clock.anchor) + moment
    return Stretch(start, start + span.HOUR, "hour") if moment < DAY and not (half and int(hour) > 12) else None


def _hours(written: str, day: datetime) -> Stretch:
    first, last = (int(hour) for hour in written.split("-"))
    return Stretch(day + first * span.HOUR, day + last * span.HOUR, "part")
