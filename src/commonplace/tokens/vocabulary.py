"""Count with a model's own vocabulary: a `tokenizer.json`, read by the package `tokenizers` where that is installed."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from commonplace.tokens.estimate import Estimator


class Vocabulary:
    """A `Tokenizer` that counts exactly as one model does; marks that open or close a text are not counted."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        return len(self._encoder.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids)


@lru_cache(4)
def tokenizer(path: str) -> tuple[Estimator | Vocabulary, str]:
    """What counts, and why it is the estimate where a vocabulary was asked for; an empty path asks for none.

    Nothing is fetched from anywhere: the file has to be there, and the package `tokenizers` to be installed.
    """
    if not path:
        return Estimator(), ""
    if not os.path.isfile(path):
        return Estimator(), f"pack.tokenizer: there is no file {path!r}; tokens are estimated"
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return Estimator(), "pack.tokenizer needs the package tokenizers (pip install tokenizers); tokens are estimated"
    return Vocabulary(Tokenizer.from_file(path)), ""
