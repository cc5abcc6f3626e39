"""Local models for benches: one whose vectors are kept between runs, for it may take minutes, and one by lot."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from commonplace import Memory
from commonplace.models import EmbedderChoice, open_embedder
from commonplace.storage import settings

EXTRA_PROVIDER = getattr(settings, "EXTRA_PROVIDER", "")  # which an older tree, measured as `--base`, has not
CACHE = Path(tempfile.gettempdir()) / f"commonplace-bench-vectors-{os.getuid()}.sqlite"
SETTINGS = f'[vectors]\nmode = "hybrid"\nprovider = "{EXTRA_PROVIDER}"\n'  # of a workspace with the extra


class Embedded:
    """A local model whose vectors are kept between runs, in a private file among the system's temporary ones: that of
    a folder, or `use`, that of the extra."""

    local = True

    def __init__(self, name: str) -> None:
        self.provider, self.folder = (EXTRA_PROVIDER, "") if name == EXTRA_PROVIDER else ("minilm", name)
        self._model = open_embedder(EmbedderChoice(self.provider, self.folder))
        self.model, self.reads_context = self._model.model, self._model.reads_context
        self._kept = sqlite3.connect(CACHE)
        CACHE.chmod(0o600)
        self._kept.execute("create table if not exists kept (model, text, vector, primary key (model, text))")

    def embed(self, texts: Sequence[str]) -> Any:
        """The vectors that are kept, and those that are made now."""
        import numpy as np

        query = "select vector from kept where model = ? and text = ?"
        found = {text: self._kept.execute(query, (self.model, text)).fetchone() for text in texts}
        missing = [text for text, row in found.items() if row is None]
        made = {text: vector.tobytes() for text, vector in zip(missing, self._made(missing), strict=True)}
        self._kept.executemany(
            "insert or ignore into kept values (?, ?, ?)", [(self.model, text, vector) for text, vector in made.items()]
        )
        self._kept.commit()
        whole = made | {text: row[0] for text, row in found.items() if row is not None}
        return np.array([np.frombuffer(whole[text], np.float32) for text in texts])

    def _made(self, texts: list[str]) -> Any:
        return self._model.embed(texts) if texts else ()

    def fill(self, memory: Memory) -> None:
        """Give every text of a workspace its vector, and let recall ask this model."""
        memory.workspace.open_embedder = lambda _seconds: self  # its own model, with what it embedded before
        memory.embed()


class Seeded:
    """An `Embedder` that gives each word a vector by lot and a text the mean of its words; it adds up the seconds that
    it takes, on the clock and of the processor. Another model has other vectors."""

    local = reads_context = True

    def __init__(self, model: str = "seeded", dimensions: int = 512) -> None:
        self.model, self.dimensions = model, dimensions
        self.wall = self.cpu = 0.0

    def embed(self, texts: Sequence[str]) -> Any:
        """(n, dimensions) of unit length."""
        import numpy as np

        began = time.perf_counter(), time.process_time()
        words = [text.split() or [""] for text in texts]
        made = np.array([sum(self._word_vector(word) for word in of_one) for of_one in words], np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        self.wall += time.perf_counter() - began[0]
        self.cpu += time.process_time() - began[1]
        return made

    def _word_vector(self, word: str) -> Any:
        return _vector_by_lot(self.model, word, self.dimensions)


@cache
def _vector_by_lot(model: str, word: str, dimensions: int) -> Any:
    import numpy as np

    seed = crc32(f"{model} {word}".encode())
    return np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)


def write_settings(root: Path, embedded: Embedded | None) -> None:
    """Settings that want vectors of the model, if there is one."""
    if embedded:
        written = f'[vectors]\nmode = "hybrid"\nprovider = "{embedded.provider}"\nmodel = "{embedded.folder}"\n'
        (root / "commonplace.toml").write_text(written, encoding="utf-8")
