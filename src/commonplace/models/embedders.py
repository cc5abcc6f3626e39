"""The Protocol of embedders, the one that the settings choose, and the prefixes that some models expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """A model that turns texts into vectors.

    `model` identifies it, so that vectors of two models are never compared; `local`: nothing leaves the machine, and a
    few texts are cheap.
    """

    model: str
    local: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dimensions), rows of unit length in the order of the texts. Raises EmbedderUnavailable."""


class EmbedderChoice(Struct, frozen=True):
    """The embedding model of the settings: `model` is a name at an endpoint or a local folder, `key` is the key
    itself."""

    provider: str
    model: str
    endpoint: str = ""
    key: str = ""
    seconds: float = 3.0


def open_embedder(choice: EmbedderChoice) -> Embedder:
    """Return the chosen embedder. Raises EmbedderUnavailable if something that it needs is missing."""
    if choice.provider in ("ollama", "openai"):
        from commonplace.models.embedding_endpoint import EndpointEmbedder

        dialect: Literal["ollama", "openai"] = "ollama" if choice.provider == "ollama" else "openai"
        return EndpointEmbedder(dialect, choice.model, choice.endpoint, key=choice.key, seconds=choice.seconds)
    if choice.provider == "minilm":
        from commonplace.models.local_embedders import MiniLMEmbedder

        return MiniLMEmbedder(choice.model)
    from commonplace.models.local_embedders import PackageEmbedder

    return PackageEmbedder(choice.provider, choice.model)


SEARCH_INSTRUCTION = "Represent this sentence for searching relevant passages: "
PREFIXES_BY_FAMILY: tuple[tuple[str, str, str], ...] = (  # part of a model's name, before a question, before a text
    ("nomic-embed-text", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("arctic-embed-l-v2", "query: ", ""),
    ("arctic-embed-m-v2", "query: ", ""),
    ("arctic-embed2", "query: ", ""),
    ("arctic-embed", SEARCH_INSTRUCTION, ""),
    ("mxbai-embed", SEARCH_INSTRUCTION, ""),
    ("bge-small-en", SEARCH_INSTRUCTION, ""),
    ("bge-base-en", SEARCH_INSTRUCTION, ""),
    ("bge-large-en", SEARCH_INSTRUCTION, ""),
    ("e5-small", "query: ", "passage: "),
    ("e5-base", "query: ", "passage: "),
    ("e5-large", "query: ", "passage: "),
)


def model_prefixes(model: str) -> tuple[str, str]:
    """Return the prefixes of questions and of texts for the model of this name; mostly empty."""
    name = model.lower()
    if "instruct" in name:  # these want a task in words, which nobody has named
        return "", ""
    return next((prefixes[1:] for prefixes in PREFIXES_BY_FAMILY if prefixes[0] in name), ("", ""))
