"""Review: the queue page by page, and decisions on one item or several."""

from __future__ import annotations

from starlette.responses import Response

from commonplace.errors import BadArgument, CommonplaceError
from commonplace.serve.page.app import Visit

ITEMS_PER_PAGE = 25
DEEDS = {
    "approve": ("approve", {}, "approved"),
    "both": ("approve", {"both": True}, "approved beside what it contradicts"),
    "reject": ("reject", {}, "rejected"),
}


async def review(visit: Visit) -> Response:
    """A page of the queue; the last one where the queue is shorter by now."""
    queue, number = await visit.ask("pending", limit=ITEMS_PER_PAGE, skip=(visit.page - 1) * ITEMS_PER_PAGE), visit.page
    pages = max(-(-queue["total"] // ITEMS_PER_PAGE), 1)
    if number > pages:
        number = pages
        queue = await visit.ask("pending", limit=ITEMS_PER_PAGE, skip=(pages - 1) * ITEMS_PER_PAGE)
    return visit.render("review.html", items=queue["items"], total=queue["total"], page=number, pages=pages)


async def decide(visit: Visit) -> Response:
    """Decide on the items of a form, and go back to the page; what could not be decided is named there."""
    deed, items = visit.sent("deed"), visit.form.get("item", [])
    if deed == "edit":
        edited = await visit.ask("edit", item_id=visit.sent("item"), text=visit.sent("text").strip())
        return visit.back("The words were changed.", reversed(edited["changes"]))
    if deed not in DEEDS:
        raise BadArgument(f"there is no decision {deed!r}", hint="reload the page and try again")
    if not items:
        return visit.back("No item was chosen, so nothing was decided.")
    operation, options, done = DEEDS[deed]
    changes, failures, path = [], [], ""
    for item in items:
        try:
            decided = await visit.ask(operation, item_id=item, **options)
        except CommonplaceError as error:
            if len(items) == 1:
                raise
            failures.append(f"{item}: {error.message}")
            continue
        path = decided["path"]
        changes += decided["changes"]
    return visit.back(_describe(len(items) - len(failures), done, path, failures), reversed(changes))


def _describe(count: int, done: str, path: str, failures: list[str]) -> str:
    told = f"{count} {'item was' if count == 1 else 'items were'} {done}" + (f", now in {path}" if path else "")
    return ". ".join((told, *(f"Not decided: {failure}" for failure in failures))) + "."


async def undo(visit: Visit) -> Response:
    """Undo the changes of a form, newest first, and go back to the page; what cannot be undone is named there."""
    changes = [change for sent in visit.form.get("change", []) for change in sent.split()]
    if not changes:
        raise BadArgument("no write is chosen")
    failures = []
    for change in changes:
        try:
            await visit.ask("undo", change_id=change)
        except CommonplaceError as error:
            if len(changes) == 1:
                raise
            failures.append(f"{error.message}{f' ({error.hint})' if error.hint else ''}")
    count = len(changes) - len(failures)
    told = "It was undone" if len(changes) == 1 else f"{count} {'write was' if count == 1 else 'writes were'} undone"
    return visit.back(". ".join((told, *(f"Not undone: {failure}" for failure in failures))) + ".")
