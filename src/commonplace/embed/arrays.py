"""Vectors as numpy arrays: of unit length, and the one place that says what is missing when numpy is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = "pip install 'commonplace[vectors]'"


def need_numpy() -> None:
    """Raises EmbedderUnavailable where numpy is not installed."""
    try:
        import numpy as np  # noqa: F401 - to see whether it is there
    except ImportError:
        raise EmbedderUnavailable("vectors need numpy, which is not installed", hint=INSTALL) from None


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows at unit length; what has none stays as it is."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: NDArray[np.float32] = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
    return made
