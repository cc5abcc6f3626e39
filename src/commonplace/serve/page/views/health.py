"""Health: what the index contains, how the notebook grows, how long recall took, the checks, and the settings."""

from __future__ import annotations

import asyncio
from statistics import median
from typing import Any

from starlette.responses import Response

from commonplace.serve.page.app import Visit
from commonplace.shapes import Json

GROWTH_DAYS = 60
MAX_RECEIPTS = 100  # the newest, whose times are shown


async def health(visit: Visit) -> Response:
    """Figures, plots and settings; the checks, which read everything, run where `check=1` asks for them,
    and the look at hosts where `hosts=1` does."""
    figures = await visit.ask("status")
    receipts = (await visit.ask("receipts", at_most=MAX_RECEIPTS))["receipts"]
    return visit.render(
        "health.html",
        figures=figures,
        growth=count_up(await _last_days(visit), figures["records"] + figures["captures"]),
        recall_times=summarize_times(receipts),
        settings=(await visit.ask("list_settings"))["settings"],
        checked=await visit.ask("check") if visit.read("check") else None,
        hosts=await asyncio.to_thread(visit.context.examine_hosts) if visit.read("hosts") else None,
    )


async def _last_days(visit: Visit) -> list[Json]:
    """The counts of the newest days on which anything was written down, with those before them."""
    activity = await visit.ask("activity", days=GROWTH_DAYS, all_scopes=True)
    if activity["last_day"] and activity["last_day"] < activity["days"][0]["day"]:
        activity = await visit.ask("activity", days=GROWTH_DAYS, all_scopes=True, until=activity["last_day"])
    return list(activity["days"])


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
