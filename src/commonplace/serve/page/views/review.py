"""Review: the queue page by page, and decisions on one item or several."""

from __future__ import annotations

from textwrap import shorten

from starlette.responses import Response

from commonplace.errors import BadArgument, CommonplaceError
from commonplace.serve.page.app import Visit
from commonplace.shapes import Json

ITEMS_PER_PAGE = 25
NAMED_CHARS, MAX_NAMED = 80, 5  # of the items in a notice
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
    decisions: list[Json] = []
    failures = []
    for item in items:
        try:
            decisions.append(await visit.ask(operation, item_id=item, **options))
        except CommonplaceError as error:
            if len(items) == 1:
                raise
            failures.append(f"{item}: {error.message}")
    changes = [change for decided in decisions for change in decided["changes"]]
    return visit.back(_describe(decisions, done, failures), reversed(changes))


def _describe(decisions: list[Json], done: str, failures: list[str]) -> str:
    """What was decided about which items, and where their lines are now."""
    count = len(decisions)
    named = [f"“{shorten(one['text'], NAMED_CHARS, placeholder='…')}”" for one in decisions[:MAX_NAMED]]
    places = [f"now in {one['path']}" if one["path"] else "" for one in decisions]
    if count == 1:
        told = ": ".join((", ".join(filter(None, (f"1 item was {done}", *places))), *named))
    else:
        each = (", ".join(filter(None, one)) for one in zip(named, places, strict=False))
        more = [f"and {count - MAX_NAMED} more"] if count > MAX_NAMED else []
        told = f"{count} items were {done}: {'; '.join((*each, *more))}" if count else f"No item was {done}"
    return ". ".join((told.removesuffix("."), *(f"Not decided: {failure}" for failure in failures))) + "."


async def undo(visit: Visit) -> Response:
    """Undo the changes of a form, newest first, and go back to the page; what cannot be undone is named there."""
    changes = [change for sent in visit.form.get("change", []) for change in sent.split()]
    if not changes:
        raise BadArgument("no write is chosen")
    failures, count = [], 0
    for change in changes:
        try:
            count += bool((await visit.ask("undo", change_id=change))["path"])
        except CommonplaceError as error:
            if len(changes) == 1:
                raise
            failures.append(f"{error.message}{f' ({error.hint})' if error.hint else ''}")
    told = "It was undone" if len(changes) == 1 else f"{count} {'write was' if count == 1 else 'writes were'} undone"
    told = told if count else "Nothing was undone" if failures else "Nothing was left to undo"
    return visit.back(". ".join((told, *(f"Not undone: {failure}" for failure in failures))) + ".")
