"""Long lists come page by page: `?page=2`."""

from __future__ import annotations

from starlette.responses import Response

from commonplace.serve.page.app import Visit


async def show_list(visit: Visit, operation: str, field: str, per_page: int) -> Response:
    """A page of what an operation lists; `field` is its parameter that says which part of all is wanted."""
    wanted = visit.read(field)
    part = {field: wanted, "skip": (visit.page - 1) * per_page, "at_most": per_page + 1}
    listed = (await visit.ask(operation, **part))[operation]
    shown = {operation: listed[:per_page], field: wanted}
    return visit.render(f"{operation}.html", **shown, page=visit.page, has_more=len(listed) > per_page)
