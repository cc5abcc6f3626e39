"""Read what a text says and is worth keeping, without a model: text in, claims out.

Names are imported when they are first asked for: who asks whether a sentence is clear by itself loads no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.extract.attributes import is_single_valued
    from commonplace.extract.claims import Claim, ClaimType
    from commonplace.extract.pipeline import extract_claims, extract_triples

__all__ = ["Claim", "ClaimType", "extract_claims", "extract_triples", "is_single_valued"]

_MODULES = {
    "commonplace.extract.attributes": ("is_single_valued",),
    "commonplace.extract.pipeline": (
        "extract_claims",
        "extract_triples",
    ),
    "commonplace.extract.claims": (
        "Claim",
        "ClaimType",
    ),
}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
