"""Secrets that a workspace holds already: find them, in its history too, say what to rotate, and take them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.scrub.eye import Eye
    from commonplace.scrub.findings import Left, Replaced, Scanned, Scrubbed, Secret, Spot
    from commonplace.scrub.looking import scan
    from commonplace.scrub.taking import finish, promised, scrub

__all__ = ["Eye", "Left", "Replaced", "Scanned", "Scrubbed", "Secret", "Spot", "finish", "promised", "scan", "scrub"]

_ROOMS = {"Eye": "eye", "scan": "looking", **dict.fromkeys(("finish", "promised", "scrub"), "taking")}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"commonplace.scrub.{_ROOMS.get(name, 'findings')}")
    return globals().setdefault(name, getattr(module, name))
