"""A local model for benches: what it embeds is kept between runs, for it may take minutes."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def write_settings(root: Path, embedded: Embedded | None) -> None:
    """Settings that want vectors of the model, if there is one."""
    if embedded:
        written = f'[vectors]\nmode = "hybrid"\nprovider = "{embedded.provider}"\nmodel = "{embedded.folder}"\n'
        (root / "commonplace.toml").write_text(written, encoding="utf-8")
