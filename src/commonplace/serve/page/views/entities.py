"""Entities: the names of the notebook, and all that is known of one of them on a day."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from commonplace.errors import NotFound
from commonplace.serve.page.app import Visit
from commonplace.serve.page.views.paging import page_links, read_page
from commonplace.shapes import Json

NAMES_SHOWN = 200
MENTIONS_SHOWN = 50
NAMES_IN_GRAPH = 50
LINES_READ = 300  # for facts, beside those that are known to have one


async def entities(visit: Visit) -> Response:
    """The names, those that begin with some letters, most mentioned first."""
    begins, page = visit.read("begins"), read_page(visit)
    listed = await visit.ask("entities", begins=begins, skip=(page - 1) * NAMES_SHOWN, at_most=NAMES_SHOWN + 1)
    paging = page_links(visit, page, has_more=len(listed["entities"]) > NAMES_SHOWN)
    return visit.render("entities.html", entities=listed["entities"][:NAMES_SHOWN], begins=begins, paging=paging)


async def entity(visit: Visit) -> Response:
    """The facts of a name on a day, its page, the lines that name it in order of time, and the names beside it."""
    name, as_of, part = visit.require("name", "person, place or thing"), visit.read("as_of"), read_page(visit)
    found = await visit.ask("entity", name=name, at_most=part * MENTIONS_SHOWN + 1)
    related = await visit.ask("related", name=name, at_most=NAMES_IN_GRAPH)
    mentions = found["mentions"][(part - 1) * MENTIONS_SHOWN :][:MENTIONS_SHOWN]
    return visit.render(
        "entity.html",
        name=found["name"],
        as_of=as_of,
        page=found["page"],
        paging=page_links(visit, part, has_more=len(found["mentions"]) > part * MENTIONS_SHOWN),
        timeline=[one for one in mentions if one["time"] or one["valid_from"]],
        undated=[one for one in mentions if not one["time"] and not one["valid_from"]],
        unlinked=found["unlinked"],
        related=related["related"],
        **await _facts(visit, name, as_of),
    )


async def _facts(visit: Visit, name: str, as_of: str) -> dict[str, Any]:
    """What holds on a day, what held on others, and what contradicts each other on that day."""
    days = {"as_of": as_of, "all_values": True, "all_scopes": True}
    try:
        every = (await visit.ask("facts", name=name, newest=LINES_READ, **days))["facts"]
    except NotFound:  # a name without facts
        every = []
    values: dict[tuple[str, ...], list[Json]] = {}
    for fact in every:
        if fact["holds"]:
            values.setdefault((fact["subject"], fact["key"], fact["scope"]), []).append(fact)
    return {
        "facts": [fact for group in values.values() for fact in group if not _is_disputed(group)],
        "disputed": [fact for group in values.values() for fact in group if _is_disputed(group)],
        "other_days": [fact for fact in every if not fact["holds"]],
    }


def _is_disputed(facts: list[Json]) -> bool:
    return len(facts) > 1 and facts[0]["one"]
