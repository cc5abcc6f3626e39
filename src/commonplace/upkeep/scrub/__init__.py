"""Find secrets that a workspace already holds, report where to rotate them, and take them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.upkeep.scrub.removal import finish_scrub, log_scrub_intent, scrub_workspace
    from commonplace.upkeep.scrub.scanner import (
        RemainingSecret,
        ScanResult,
        ScrubbedFile,
        ScrubResult,
        Secret,
        SecretLocation,
        SecretScanner,
    )
    from commonplace.upkeep.scrub.workspace_scan import scan_workspace

__all__ = [
    "RemainingSecret",
    "ScanResult",
    "ScrubResult",
    "ScrubbedFile",
    "Secret",
    "SecretLocation",
    "SecretScanner",
    "finish_scrub",
    "log_scrub_intent",
    "scan_workspace",
    "scrub_workspace",
]

_MODULES = {
    "commonplace.upkeep.scrub.scanner": (
        "RemainingSecret",
        "ScanResult",
        "ScrubResult",
        "ScrubbedFile",
        "Secret",
        "SecretLocation",
        "SecretScanner",
    ),
    "commonplace.upkeep.scrub.workspace_scan": ("scan_workspace",),
    "commonplace.upkeep.scrub.removal": (
        "finish_scrub",
        "log_scrub_intent",
        "scrub_workspace",
    ),
}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
