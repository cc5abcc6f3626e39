"""Ask a memory that another process serves, as if it were here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.client.asking import Asks, error_of
    from commonplace.client.piped import Piped, spawn

__all__ = ["Asks", "Piped", "error_of", "spawn"]

_HOMES = {"Asks": "asking", "error_of": "asking", "Piped": "piped", "spawn": "piped"}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for: a hook that asks the daemon starts no process."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return globals().setdefault(name, getattr(import_module(f"commonplace.client.{_HOMES[name]}"), name))
