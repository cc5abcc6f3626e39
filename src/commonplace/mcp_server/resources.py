"""What a person can attach to a conversation: records, files and entities by address; the list of them is constant."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct

from commonplace.errors import NotFound
from commonplace.mcp_server.wording import record_lines, worded

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.shapes import Json

SCHEME = "commonplace://"


class Place(Struct, frozen=True):
    """A sort of resource: its address with the part that is to be filled in, and the operation that reads it."""

    address: str
    name: str
    title: str
    description: str
    operation: str
    parameter: str
    words: Callable[[Json], str] = worded


def _entity(answer: Json) -> str:
    return record_lines((*answer["page"], *answer["mentions"]))


PLACES: tuple[Place, ...] = (
    Place(
        f"{SCHEME}record/{{id}}",
        "record",
        "A record",
        "One record or capture by its id, as `recall` gives it.",
        "show",
        "reference",
    ),
    Place(
        f"{SCHEME}file/{{+path}}",
        "file",
        "A file of the notebook",
        "A file by its path below the notebook, or with `#L12-L15` some of its lines.",
        "show",
        "reference",
    ),
    Place(
        f"{SCHEME}entity/{{name}}",
        "entity",
        "What is known of somebody or something",
        "The page of a person, place or thing, and the lines that name it.",
        "entity",
        "name",
        _entity,
    ),
)
CORE = (f"{SCHEME}file/MEMORY.md", "core", "The core of the notebook", "What every session should know.")


def find(address: str) -> tuple[Place, str]:
    """The sort of resource that an address means, and what fills it in. Raises NotFound."""
    for place in PLACES:
        lead = place.address.partition("{")[0]
        if address.startswith(lead) and len(address) > len(lead):
            return place, unquote(address[len(lead) :])
    raise NotFound("resource", address, tuple(place.address for place in PLACES))
