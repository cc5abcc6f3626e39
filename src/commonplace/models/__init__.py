"""Optional models that turn texts into vectors, behind one Protocol.

There are endpoints, installed packages and our own runtime; none is loaded, nor numpy, unless the settings ask for
vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.models.embedders import *
    from commonplace.models.weights import *
else:
    __getattr__ = lazy_names(
        __name__,
        embedders="Embedder EmbedderChoice model_prefixes open_embedder",
        weights="normalize_rows",
    )
