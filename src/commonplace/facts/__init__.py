"""Read what a text says and is worth keeping, without a model: text in, claims out.

Names are imported when they are first asked for: who asks whether a sentence is clear by itself loads no rules.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.facts.attributes import single_valued
    from commonplace.facts.extracting import extract
    from commonplace.facts.keys import keyed
    from commonplace.facts.nouns import Claim, Sort

__all__ = ["Claim", "Sort", "extract", "keyed", "single_valued"]

_HOMES = {"Claim": "nouns", "Sort": "nouns", "extract": "extracting", "keyed": "keys", "single_valued": "attributes"}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"commonplace.facts.{_HOMES[name]}"), name)
