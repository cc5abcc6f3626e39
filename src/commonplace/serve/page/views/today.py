"""Today: what came in, was kept and waits, what is new since the last visit, and a feed that tells of changes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from starlette.responses import Response, StreamingResponse

from commonplace.lazy import lazy_pattern
from commonplace.model import day_of
from commonplace.serve.page.app import Visit
from commonplace.shapes import Json

PLOT_DAYS = 30
MAX_NEW, MAX_WAITING = 8, 3  # that are listed
LISTED_RECORDS = 25  # of a day, on each page
VISIT_PAUSE = timedelta(minutes=30)  # a longer one ends a visit
VISIT_COOKIE_AGE_S = 366 * 86_400
_VISITS = lazy_pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)?/(\d{4}-\d\d-\d\dT\d\d:\d\d)", re.ASCII)


async def today(visit: Visit) -> Response:
    """The lines kept and the captures of a day, today or the last with any, beside the counts of the days before it."""
    activity = await visit.ask("activity", days=PLOT_DAYS, until=visit.read("day"), all_scopes=True)
    last_day, is_quiet = activity["last_day"], False
    if not visit.read("day") and last_day < activity["days"][-1]["day"]:
        is_quiet = True
        activity = await visit.ask("activity", days=PLOT_DAYS, until=last_day, all_scopes=True)
    counts = activity["days"][-1]
    day, skip = counts["day"], LISTED_RECORDS * (visit.page - 1)
    of_day = {"since": day, "until": day, "all_scopes": True, "at_most": LISTED_RECORDS, "skip": skip, "by": "recorded"}
    pending = await visit.ask("pending", limit=MAX_WAITING)
    last_visit, visits = _count_visit(visit.request.cookies.get(_visit_cookie(visit), ""), activity["now"])
    response = visit.render(
        "today.html",
        day=day,
        today=day_of(activity["now"]),
        is_quiet=is_quiet,
        last_day=last_day,
        days=activity["days"],
        day_before=str(datetime.fromisoformat(day).date() - timedelta(1)),
        day_after=str(datetime.fromisoformat(day).date() + timedelta(1)) if day < day_of(activity["now"]) else "",
        counts=counts,
        kept=(await visit.ask("timeline", evidence="none", **of_day))["records"],
        heard=(await visit.ask("timeline", evidence="only", **of_day))["records"],
        page=visit.page,
        has_more=skip + LISTED_RECORDS < max(counts["captures"], counts["lines"]),
        figures=await visit.ask("status"),
        waiting_count=pending["total"],
        waiting=[{"id": one["id"], "text": one["text"], "reason": one["reason"]} for one in pending["items"]],
        last_visit=last_visit,
        most_new=MAX_NEW,
        fresh=await _list_new(visit, last_visit) if last_visit else None,
    )
    if not visit.request.url.path.endswith(".json"):
        response.set_cookie(
            *(_visit_cookie(visit), visits),
            max_age=VISIT_COOKIE_AGE_S,
            path="/today",
            httponly=True,
            samesite="strict",
        )
    return response


async def _list_new(visit: Visit, since: str) -> Json:
    """The most important lines that were kept since then."""
    options = {"evidence": "none", "by": "importance", "all_scopes": True, "at_most": MAX_NEW + 1}
    return await visit.ask("timeline", since=since, **options)


def _visit_cookie(visit: Visit) -> str:
    return f"{visit.context.doors.cookie}-visits"


def _count_visit(cookie: str, now: str) -> tuple[str, str]:
    """When the visit before this one ended, empty where there was none, and the cookie that tells the next."""
    told = _VISITS.fullmatch(cookie)
    if told is None:
        return "", f"/{now}"
    before, current = told.groups()
    try:
        is_new_visit = datetime.fromisoformat(now) - datetime.fromisoformat(current) > VISIT_PAUSE
        last_visit = current if is_new_visit else str(before or "")
        return last_visit and datetime.fromisoformat(last_visit).isoformat(timespec="minutes"), f"{last_visit}/{now}"
    except ValueError:
        return "", f"/{now}"


async def feed(visit: Visit) -> Response:
    """Server-sent events: one `changed` for each change of the notebook, for as long as the browser listens."""

    async def events() -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        while True:
            await visit.context.next_change()
            yield "event: changed\ndata: \n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
