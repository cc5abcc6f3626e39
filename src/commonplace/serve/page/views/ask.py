"""Ask: hits with their reasons in words, and the pack that a host would get."""

from __future__ import annotations

from starlette.responses import Response

from commonplace.serve.page.app import Visit

DEFAULT_BUDGET = 1_000


async def ask(visit: Visit) -> Response:
    """The hits of a question; nothing but the form without one."""
    question = visit.read("q")
    hits = await visit.ask("recall", text=question) if question else None
    return visit.render("ask.html", question=question, answer=hits)
