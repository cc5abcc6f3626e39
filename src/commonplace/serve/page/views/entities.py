"""Entities: the names of the notebook, and all that is known of one of them on a day."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.responses import Response

from commonplace.errors import NotFound
from commonplace.serve.page.app import Visit
from commonplace.serve.page.views.paging import show_list
from commonplace.shapes import Json

NAMES_SHOWN = 200
MENTIONS_SHOWN = 50
NAMES_IN_GRAPH = 50
LINES_READ = 300  # for facts, beside those that are known to have one; as many more with each step
FACTS_SHOWN = 50


async def entities(visit: Visit) -> Response:
    """The names, those that begin with some letters, most mentioned first."""
    return await show_list(visit, "entities", "begins", NAMES_SHOWN)


async def entity(visit: Visit) -> Response:
    """The facts of a name on a day, its page, the lines that name it in order of time, and the names beside it."""
    name, as_of, part = visit.require("name", "person, place or thing"), visit.read("as_of"), visit.page
    found = await visit.ask("entity", name=name, at_most=part * MENTIONS_SHOWN + 1, until=as_of)
    related = await visit.ask("related", name=name, at_most=NAMES_IN_GRAPH)
    alike = await visit.ask("entities", begins=found["name"].split()[0], at_most=NAMES_IN_GRAPH)
    mentions = found["mentions"][(part - 1) * MENTIONS_SHOWN :][:MENTIONS_SHOWN]
    return visit.render(
        "entity.html",
        name=found["name"],
        as_of=as_of,
        own_page=found["page"],
        page=part,
        has_more=len(found["mentions"]) > part * MENTIONS_SHOWN,
        timeline=[one for one in mentions if one["time"] or one["valid_from"]],
        undated=[one for one in mentions if not one["time"] and not one["valid_from"]],
        unlinked=found["unlinked"],
        related=related["related"],
        alike=[one["name"] for one in alike["entities"] if _is_longer(one["name"], found["name"])],
        **await _facts(visit, name, as_of),
    )


async def _facts(visit: Visit, name: str, as_of: str) -> dict[str, Any]:
    """What holds on a day, what held on others, and what contradicts each other on that day."""
    days, older = {"as_of": as_of, "all_values": True, "all_scopes": True}, visit.read_number("older")
    every, unread = [], 0
    with suppress(NotFound):  # a name without facts
        found = await visit.ask("facts", name=name, newest=LINES_READ * (1 + older), **days)
        every, unread = found["facts"], found["unread"]
    values: dict[tuple[str, ...], list[Json]] = {}
    for fact in every:
        if fact["holds"]:
            values.setdefault((fact["subject"], fact["key"], fact["scope"]), []).append(fact)
    return {
        "facts": [fact for group in values.values() for fact in group if not _is_disputed(group)],
        "disputed": [fact for group in values.values() for fact in group if _is_disputed(group)],
        "other_days": [fact for fact in every if not fact["holds"]],
        "facts_shown": FACTS_SHOWN,
        "unread": unread,
        "lines_read": LINES_READ * (1 + older),
        "older": older + 1,
    }


def _is_longer(name: str, other_name: str) -> bool:
    """Whether one of two names has the words of the other, and more behind them."""
    short, long = sorted((name.lower().split(), other_name.lower().split()), key=len)
    return len(short) < len(long) and long[: len(short)] == short


def _is_disputed(facts: list[Json]) -> bool:
    return len(facts) > 1 and facts[0]["one"]
