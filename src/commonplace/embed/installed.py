"""Vectors by packages that the user has installed: sentence-transformers and model2vec, from local folders only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace.embed import weights
from commonplace.embed.arrays import need_numpy, normalised
from commonplace.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Installed:
    """Implements `Embedder` with the `encode` that both packages have. Raises EmbedderUnavailable."""

    local = True

    def __init__(self, provider: str, folder: str) -> None:
        need_numpy()
        path = os.path.realpath(os.path.expanduser(folder))
        if not os.path.isdir(path):  # a name would be looked up on the network
            hint = "`vectors.model` names the folder that holds it; nothing is downloaded"
            raise EmbedderUnavailable(f"there is no folder {folder!r} with a model", hint=hint)
        self._model = _sentence_transformer(path) if provider == "sentence-transformers" else _static_model(path)
        data = weights.find(path, "model.safetensors") or b""
        self.model = f"{provider}:{os.path.basename(path)}@{weights.fingerprint(data)}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions) of unit length, in the order of the texts."""
        import numpy as np

        found = np.asarray(self._model.encode(list(texts)), np.float32).reshape(len(texts), -1)
        return normalised(found)


def _sentence_transformer(path: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise _missing("sentence-transformers") from None
    try:
        return SentenceTransformer(path, local_files_only=True)
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(f"the model in {path!r} cannot be used: {error}") from None


def _static_model(path: str) -> Any:
    try:
        from model2vec import StaticModel
    except ImportError:
        raise _missing("model2vec") from None
    try:
        return StaticModel.from_pretrained(path)
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(f"the model in {path!r} cannot be used: {error}") from None


def _missing(package: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"{package} is not installed", hint=f"pip install {package}")
