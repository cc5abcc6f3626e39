"""Today: what came in, what was kept, what waits, and a feed that says when the notebook changes."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import Response, StreamingResponse

from commonplace.serve.page.app import Visit

MAX_LISTED = 50
MAX_WRITES = 20


async def today(visit: Visit) -> Response:
    """The newest kept lines and captures, the last writes, and how much waits for a decision."""
    kept = await visit.ask("timeline", evidence="none", at_most=MAX_LISTED)
    heard = await visit.ask("timeline", evidence="only", at_most=MAX_LISTED)
    return visit.render(
        "today.html",
        figures=await visit.ask("status"),
        kept=kept["records"],
        heard=heard["records"],
        waiting=len((await visit.ask("pending"))["items"]),
        writes=(await visit.ask("audit", at_most=MAX_WRITES))["writes"],
    )


async def feed(visit: Visit) -> Response:
    """Server-sent events: one `changed` for each change of the notebook, for as long as the browser listens."""

    async def events() -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        while True:
            await visit.context.next_change()
            yield "event: changed\ndata: \n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
