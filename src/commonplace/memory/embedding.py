"""Memory's verb of embedding, and the vectors that recall asks where the settings want them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace import config
from commonplace.errors import BadArgument
from commonplace.memory.opening import Opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.embed import Embedder
    from commonplace.likeness import Asking, Filled
    from commonplace.recall.vectors import Vectors

FILE = "vectors.sqlite"  # beside the index
FILLING_S = 120.0  # that the endpoint may take for some texts while nobody waits


class Embedding(Opened):
    """Vectors, where they are wanted."""

    _asking: Asking | None = None

    def embed(self, tell: Callable[[int, int], None] | None = None) -> Filled:
        """Give every text that has none a vector, and drop those of texts that are gone; `tell` hears (done, all).

        What is done stays done where it breaks off. Raises BadArgument where the settings want no vectors,
        EmbedderUnavailable.
        """
        from commonplace.index.vectors import VectorStore
        from commonplace.likeness import fill

        if self.settings.vectors_mode == "none":
            raise BadArgument("the settings want no vectors", hint='set `vectors.mode = "hybrid"` in commonplace.toml')
        embedder = self._embedder(FILLING_S)
        index = self._fresh()
        store = VectorStore(self._vectors_path())
        try:
            return fill(index, store, embedder, tell)
        finally:
            store.close()

    def close(self) -> None:
        """Let go of the index and of the vectors."""
        super().close()
        if self._asking is not None:
            self._asking.close()

    def _vectors(self) -> Vectors | None:
        """What recall is given; None, and nothing is loaded, where the settings want none."""
        settings = self.settings
        if settings.vectors_mode == "none":
            return None
        from commonplace.likeness import Asking
        from commonplace.recall.vectors import Vectors

        if self._asking is None:
            self._asking = Asking(self._vectors_path(), lambda: self._embedder(settings.vectors_timeout_ms / 1e3))
        return Vectors(settings.vectors_mode, settings.vectors_min_primary_results, self._asking.ask)

    def _embedder(self, seconds: float) -> Embedder:
        from commonplace.embed import Choice, open_embedder

        said = self.settings
        key = config.variable(said.vectors_key_env)
        model = said.vectors_model
        folder = os.path.join(self.root, os.path.expanduser(model))
        model = folder if os.path.isdir(folder) else model
        return open_embedder(Choice(said.vectors_provider, model, said.vectors_endpoint, key, seconds))

    def _vectors_path(self) -> str:
        folder, name = os.path.split(self._path)
        return f"{folder}/{FILE}" if name == "index.sqlite" else f"{self._path}.{FILE}"
