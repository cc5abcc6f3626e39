"""Where a line belongs: each class of fact has one home, and what has none goes into the log of its day."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.model import Category
from commonplace.workspace.slug import slug

HOMES: dict[Category, str] = {
    "preference": "memory/semantic/preferences.md",
    "person": "memory/semantic/contacts.md",
    "project": "memory/semantic/projects.md",
    "decision": "memory/semantic/decisions.md",
    "tool": "memory/semantic/infrastructure.md",
    "lesson": "memory/procedural/lessons-learned.md",
}
HISTORY = "History"
RETAIN = "Retain"
LESSONS = "Lessons"


class Home(Struct, frozen=True):
    """A file and the heading below which a line stands; `note` says why it is there, where that is in doubt."""

    path: str
    heading: str
    note: str = ""

    @property
    def is_log(self) -> bool:
        """Whether lines here are Retain bullets of a day."""
        return self.heading == RETAIN


def home_of(category: Category, entity: str, day: str, exists: Callable[[str], bool]) -> Home:
    """The home of a line of this category about this entity, said on this day.

    A fact goes to the entity's page if there is one; plans, events, notes, and whatever nobody is named for go to the
    day's log, there with a note where another home was looked for.
    """
    log = f"memory/{day}.md"
    if category == "fact" and entity:
        page = page_of(entity)
        return Home(page, "Facts") if exists(page) else Home(log, RETAIN)
    path = HOMES.get(category)
    if path is None:
        return Home(log, RETAIN)
    if category == "lesson":
        return Home(path, LESSONS)
    if category == "decision":
        return Home(path, entity or "Decisions")
    return Home(path, entity) if entity else Home(log, RETAIN, f"{category}, of whom?")


def page_of(entity: str) -> str:
    """The path of an entity's page."""
    return f"bank/entities/{slug(entity)}.md"


def header_of(path: str, day: str) -> bytes:
    """The first lines of a file that does not exist yet."""
    name = path.rpartition("/")[2].removesuffix(".md")
    if path.startswith(("memory/semantic/", "memory/procedural/")):
        title = name.replace("-", " ").capitalize()
        return f"# {title}\n#tags: {name}\n> last_verified: {day}\n".encode()
    return f"# {name}\n".encode()
