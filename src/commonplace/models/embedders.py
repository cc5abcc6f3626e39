"""The Protocol of embedders, the one that the settings choose, its prefixes, and vectors from an endpoint.

An endpoint has the API of Ollama or that of OpenAI, which many servers have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import Struct

from commonplace.errors import EmbedderUnavailable, ModelUnavailable
from commonplace.models.endpoints import Endpoint, bearer_headers
from commonplace.models.local_embedders import MiniLMEmbedder
from commonplace.models.sentence_encoder import SentenceEncoder
from commonplace.models.weights import normalize_rows, require_numpy
from commonplace.storage.settings import EXTRA_PROVIDER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """A model that turns texts into vectors.

    `model` identifies it, so that vectors of two models are never compared; `local`: nothing leaves the machine, and a
    few texts are cheap; `reads_context`: it understands a turn better together with the turn before.
    """

    model: str
    local: bool
    reads_context: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dimensions), rows of unit length in the order of the texts. Raises EmbedderUnavailable."""


class EmbedderChoice(Struct, frozen=True):
    """The embedding model of the settings: `model` is a name at an endpoint or a local folder, `key` its key."""

    provider: str
    model: str
    endpoint: str = ""
    key: str = ""
    seconds: float = 3.0


def open_embedder(choice: EmbedderChoice) -> Embedder:
    """Return the chosen embedder. Raises EmbedderUnavailable if something that it needs is missing."""
    if choice.provider in ("ollama", "openai"):
        dialect: EndpointDialect = "ollama" if choice.provider == "ollama" else "openai"
        return EndpointEmbedder(dialect, choice.model, choice.endpoint, key=choice.key, seconds=choice.seconds)
    return SentenceEncoder() if choice.provider == EXTRA_PROVIDER else MiniLMEmbedder(choice.model)


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


EndpointDialect = Literal["ollama", "openai"]

TEXTS_PER_REQUEST = 32
MAX_RESPONSE_BYTES = 64 << 20
MAX_COMPONENT = 1e15  # whose square single precision still holds
PATH_BY_DIALECT: dict[EndpointDialect, str] = {"ollama": "/api/embed", "openai": "/embeddings"}


class _OpenAIEmbedding(Struct):
    embedding: list[float]
    index: int


class _Response(Struct):
    """What an endpoint answers: `embeddings` by Ollama, `data` by OpenAI."""

    embeddings: list[list[float]] = []
    data: list[_OpenAIEmbedding] = []


class EndpointEmbedder:
    """An `Embedder` that sends one POST for each batch of texts.

    `url` is the base that the settings name, `key` is sent with each request unless empty, and each request may take
    `seconds` in all.
    """

    local, reads_context = False, False

    def __init__(self, dialect: EndpointDialect, model: str, url: str, *, key: str = "", seconds: float = 3.0) -> None:
        require_numpy()
        self.model = f"{dialect}:{model}"
        self._dialect, self._name, self._url, self._key, self._seconds = dialect, model, url, key, seconds

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dimensions) of unit length in the order of the texts. Raises EmbedderUnavailable."""
        import numpy as np

        path, headers = PATH_BY_DIALECT[self._dialect], bearer_headers(self._key)
        endpoint = Endpoint(self._url, path, headers=headers, seconds=self._seconds)
        try:
            batches = (texts[start : start + TEXTS_PER_REQUEST] for start in range(0, len(texts), TEXTS_PER_REQUEST))
            found = [vector for batch in batches for vector in self._request_vectors(endpoint, batch)]
        except ModelUnavailable as error:
            raise self._unavailable(error.message) from None
        finally:
            endpoint.close()
        vectors = np.array(found, np.float64).reshape(len(texts), -1)
        if not (np.abs(vectors) < MAX_COMPONENT).all():
            raise self._unavailable("it answers with numbers that are too great")
        return normalize_rows(vectors.astype(np.float32))

    def _request_vectors(self, endpoint: Endpoint, texts: Sequence[str]) -> list[list[float]]:
        inputs = [text.encode("utf-8", "replace").decode() or " " for text in texts]  # some servers refuse an empty one
        data = endpoint.post(msgspec.json.encode({"model": self._name, "input": inputs}), MAX_RESPONSE_BYTES)
        return self._decode_vectors(data, len(texts))

    def _decode_vectors(self, data: bytes, count: int) -> list[list[float]]:
        try:
            answer = msgspec.json.decode(data, type=_Response)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise self._unavailable("its answer is not what this interface answers") from None
        vectors = answer.embeddings or [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]
        sizes = {len(one) for one in vectors}
        if len(vectors) != count or len(sizes) != 1 or 0 in sizes:
            raise self._unavailable(f"it answers {count} texts with {len(vectors)} vectors of {sorted(sizes)} numbers")
        return vectors

    def _unavailable(self, why: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"no vectors from {self._url}: {why}", hint="`vectors.endpoint` names it")
