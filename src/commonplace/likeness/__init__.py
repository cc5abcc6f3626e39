"""The vectors of a workspace: filled from the texts of the index, kept in a cache, searched for recall."""

from __future__ import annotations

from commonplace.likeness.asking import Asked, Asking
from commonplace.likeness.filling import Filled, fill

__all__ = ["Asked", "Asking", "Filled", "fill"]
