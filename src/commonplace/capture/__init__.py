"""What is said or happens becomes a redacted, dated, attributed capture in the journal; the only way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.capture.events import Event, Stood, event_of
    from commonplace.capture.funnel import Before, Taken, capture
    from commonplace.capture.keys import KEY, KEY_BYTES, Place, text_key, workspace_key
    from commonplace.capture.saying import Kept, Saying, finish, log, retain

__all__ = [
    "KEY",
    "KEY_BYTES",
    "Before",
    "Event",
    "Kept",
    "Place",
    "Saying",
    "Stood",
    "Taken",
    "capture",
    "event_of",
    "finish",
    "log",
    "retain",
    "text_key",
    "workspace_key",
]

_HOMES = {
    **dict.fromkeys(("KEY", "KEY_BYTES", "Place", "text_key", "workspace_key"), "keys"),
    **dict.fromkeys(("Event", "Stood", "event_of"), "events"),
    **dict.fromkeys(("Before", "Taken", "capture"), "funnel"),
}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for: a host that captures loads no parser of Markdown."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"commonplace.capture.{_HOMES.get(name, 'saying')}")
    return globals().setdefault(name, getattr(module, name))
