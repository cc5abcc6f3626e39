"""Optional models: embedders turn texts into vectors, language models answer the prompts of single steps.

There are endpoints, programs, installed packages and our own runtime; none is loaded, nor numpy, unless the settings
name it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.models.answers import *
    from commonplace.models.chain import *
    from commonplace.models.embedders import *
    from commonplace.models.weights import *
else:
    __getattr__ = lazy_names(
        __name__,
        answers="Answer answer_schema max_chars max_items",
        chain="ChainContext ModelChain StepOutcome",
        embedders="Embedder EmbedderChoice model_prefixes open_embedder",
        weights="normalize_rows",
    )
