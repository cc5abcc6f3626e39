"""Where a line belongs: each class of fact has one home, and what has none goes into the log of its day."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.model import Category
from commonplace.text import one_line
from commonplace.workspace.slug import slug

HOMES: dict[Category, str] = {
    "preference": "memory/semantic/preferences.md",
    "person": "memory/semantic/contacts.md",
    "project": "memory/semantic/projects.md",
    "decision": "memory/semantic/decisions.md",
    "tool": "memory/semantic/infrastructure.md",
    "lesson": "memory/procedural/lessons-learned.md",
}
PAGES = "bank/entities/"
HISTORY = "History"
RETAIN = "Retain"
MOST_HEADING = 80


class Home(Struct, frozen=True):
    """A file and the heading below which a line stands; `note` says why it is there, where that is in doubt.

    In the log of a day (`is_log`) lines are Retain bullets, and stay where they are when they are over; elsewhere
    these go below `## History`.
    """

    path: str
    heading: str
    note: str = ""
    is_log: bool = False


def home_of(category: Category, entity: str, day: str, page_of: Callable[[str], str]) -> Home:
    """The home of a line of this category about this entity, said on this day.

    A fact goes to the entity's page, if `page_of` knows one. Plans, events and notes, and facts about what has no
    page, go to the day's log; so does what would need a name and has none, with a note that says so.
    """
    log = f"memory/{day[:10]}.md"
    if category == "fact" and entity and (page := page_of(entity)):
        return Home(page, "Facts")
    if category == "lesson":
        return Home(HOMES[category], "Lessons")
    if category == "decision":
        return Home(HOMES[category], heading_of(entity) if entity else "Decisions")
    if category == "procedure" or category in HOMES:
        if not entity:
            return Home(log, RETAIN, f"{category}, of what or whom?", is_log=True)
        return Home(HOMES.get(category) or f"memory/procedural/{slug(entity)}.md", heading_of(entity))
    return Home(log, RETAIN, is_log=True)


def heading_of(entity: str) -> str:
    """An entity as a heading: on one line, and none of the headings that mean something by themselves."""
    title = one_line(entity).strip("# ")[:MOST_HEADING].rstrip() or "Other"
    return f"About {title}" if title.rstrip(":").casefold() in (RETAIN.casefold(), HISTORY.casefold()) else title


def header_of(path: str, day: str) -> bytes:
    """The first lines of a file that does not exist yet."""
    name = path.rpartition("/")[2].removesuffix(".md")
    if path.startswith(("memory/semantic/", "memory/procedural/")):
        title = name.replace("-", " ").capitalize()
        return f"# {title}\n#tags: {name}\n> last_verified: {day}\n".encode()
    return f"# {name}\n".encode()
