"""Optional models that turn texts into vectors, behind one Protocol.

There are endpoints, installed packages and a light runtime of our own; none is loaded, and numpy neither, unless the
settings ask for vectors.
"""

from __future__ import annotations

from commonplace.embed.choice import MODES, PROVIDERS, Choice, Embedder, Mode, open_embedder, problems
from commonplace.embed.prefixes import prefixes

__all__ = ["MODES", "PROVIDERS", "Choice", "Embedder", "Mode", "open_embedder", "prefixes", "problems"]
