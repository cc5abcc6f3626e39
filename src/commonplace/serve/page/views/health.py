"""Health: what the index contains, how the notebook grows, how long recall took, the checks, and the settings."""

from __future__ import annotations

import asyncio
import sys
from statistics import median
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from commonplace.model import day_of
from commonplace.serve import client
from commonplace.serve.page.app import Visit
from commonplace.shapes import Json

if TYPE_CHECKING:
    from subprocess import Popen

GROWTH_DAYS = 60
MAX_RECEIPTS = 100  # the newest, whose times are shown


async def health(visit: Visit) -> Response:
    """Figures, plots and settings; the checks, which read everything, run where `check=1` asks for them,
    and the look at hosts where `hosts=1` does."""
    figures = await visit.ask("status")
    activity = await _last_activity(visit)
    receipts = (await visit.ask("receipts", at_most=MAX_RECEIPTS))["receipts"]
    return visit.render(
        "health.html",
        figures=figures,
        growth=count_up(activity["days"], figures["records"] + figures["captures"]),
        recall_times=summarize_times(receipts),
        today=day_of(activity["now"]),
        settings=(await visit.ask("list_settings"))["settings"],
        checked=await check_apart(visit.context.workspace) if visit.read("check") else None,
        hosts=await asyncio.to_thread(visit.context.examine_hosts) if visit.read("hosts") else None,
    )


async def check_apart(workspace: str) -> Json:
    """The findings of the checks, by a process of their own: nobody waits behind them, and no deadline ends them.
    Raises CommonplaceError."""
    command, started = (sys.executable, "-P", "-m", "commonplace"), list["Popen[bytes]"]()

    def check() -> Json:
        with client.spawn(workspace, command=command, on_start=started.append) as other:
            return other.ask("check", {})

    try:
        return await asyncio.to_thread(check)
    finally:
        for process in started:  # the daemon ends, and waits for no check
            process.kill()


async def _last_activity(visit: Visit) -> Json:
    """The counts of the newest days on which anything was written down, with those before them."""
    activity = await visit.ask("activity", days=GROWTH_DAYS, all_scopes=True)
    if activity["last_day"] and activity["last_day"] < activity["days"][0]["day"]:
        activity = await visit.ask("activity", days=GROWTH_DAYS, all_scopes=True, until=activity["last_day"])
    return activity


def count_up(days: list[Json], total: int) -> list[dict[str, Any]]:
    """How many records and captures there were at the end of each day, given how many there are now."""
    counted: list[dict[str, Any]] = []
    for one in reversed(days):
        counted.append({"day": one["day"], "total": total, "added": one["captures"] + one["lines"]})
        total -= one["captures"] + one["lines"]
    return counted[::-1]


def summarize_times(receipts: list[Json]) -> list[dict[str, Any]]:
    """The slowest and the median recall of each day, in milliseconds, by the receipts of packs; oldest day first."""
    by_day: dict[str, list[float]] = {}
    for receipt in reversed(receipts):
        if "recall" in receipt["timings_ms"]:
            by_day.setdefault(receipt["ts"][:10], []).append(receipt["timings_ms"]["recall"])
    return [
        {"day": day, "slowest": round(max(times), 1), "median": round(median(times), 1), "count": len(times)}
        for day, times in by_day.items()
    ]
