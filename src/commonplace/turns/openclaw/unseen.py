"""Conversations that nobody captures and in which a tool answered: what an agent keeps there may be its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace import files
from commonplace.turns.openclaw.messages import is_ours

if TYPE_CHECKING:
    from commonplace.turns.openclaw.place import Place

CALLED = "after_tool_call"
NOTES = ".memory/turns"


def note(root: str, place: Place, event: dict[str, Any]) -> None:
    """Note that a tool answered in this conversation, if that is what the event tells; memory's own are none."""
    if event.get("name") == CALLED and not is_ours(event.get("toolName")) and not is_noted(root, place):
        files.write_atomic(root, _path(place), b"{}", durable=False)


def is_noted(root: str, place: Place) -> bool:
    """Whether a tool answered in this conversation since it began."""
    return files.find(root, _path(place)) is not None


def drop(root: str, place: Place) -> None:
    """The conversation is over."""
    if is_noted(root, place):
        files.remove(root, _path(place))


def _path(place: Place) -> str:
    name = "\0".join(("openclaw", place.key, place.session)).encode("utf-8", "surrogatepass")
    return f"{NOTES}/{files.digest(name)[:20]}.json"
