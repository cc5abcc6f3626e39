"""What came in and what was kept: counts by day."""

from __future__ import annotations

from datetime import date, timedelta

from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.memory.open_workspace import OpenWorkspace
from commonplace.memory.recall import resolve_query
from commonplace.model import Interval, day_of
from commonplace.operations import parameters
from commonplace.retrieval import recall

MAX_DAYS = 3_660  # that are counted at once


class DayCount(Struct, frozen=True):
    """How many captures came in on a day, and how many lines were kept."""

    day: str
    captures: int = 0
    lines: int = 0


class Activity(Struct, frozen=True):
    """The counts of each day, in order; `last_day` is the newest on which anything was written down."""

    days: tuple[DayCount, ...]
    last_day: str
    now: str


def count_activity(workspace: OpenWorkspace, request: parameters.ActivityRequest) -> Activity:
    """How many captures came in and how many lines were kept on each of the last `days`, up to `until`.

    A line counts on the day on which it was written down; lines of episodes, which repeat captures, do not count.
    Raises BadArgument.
    """
    if not 1 <= request.days <= MAX_DAYS:
        raise BadArgument(f"days must lie between 1 and {MAX_DAYS}, not {request.days}")
    query = structs.replace(resolve_query(workspace, request), since="")
    record_filter = recall.build_record_filter(query)
    # The end of the filter is exclusive: the minute before it is of the last day.
    end = record_filter.until or f"{date.fromisoformat(day_of(query.now)) + timedelta(1)}T00:00"
    last = date.fromisoformat(Interval("", end).last_day)
    days = [str(last - timedelta(back)) for back in range(min(request.days, last.toordinal()))][::-1]
    with (index := workspace.synced_index()).snapshot():
        counts = index.recorded_days(Interval(days[0], f"{days[-1]}~"), record_filter)
        last_day = index.last_recorded_day()
    found = {day: DayCount(day, captures, lines) for day, captures, lines in counts}
    return Activity(tuple(found.get(day, DayCount(day)) for day in days), last_day, query.now)
