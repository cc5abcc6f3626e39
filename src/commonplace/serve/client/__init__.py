"""Ask a memory that another process serves, as if it were here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.serve.client.base import OperationClient, error_from_json
    from commonplace.serve.client.process import ProcessClient, spawn

__all__ = ["OperationClient", "ProcessClient", "error_from_json", "spawn"]

_MODULES = {
    "commonplace.serve.client.base": (
        "OperationClient",
        "error_from_json",
    ),
    "commonplace.serve.client.process": (
        "ProcessClient",
        "spawn",
    ),
}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for: a hook that asks the daemon starts no process."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
