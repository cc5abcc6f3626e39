"""Optional models that turn texts into vectors, behind one Protocol.

There are endpoints, installed packages and our own runtime; none is loaded, nor numpy, unless the settings ask for
vectors.
"""

from __future__ import annotations

from commonplace.models.embedders import Embedder, EmbedderChoice, model_prefixes, open_embedder

__all__ = ["Embedder", "EmbedderChoice", "model_prefixes", "open_embedder"]
