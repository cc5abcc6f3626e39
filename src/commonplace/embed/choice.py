"""Which embedder the settings choose, what is wrong with such a choice, and how it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mode = Literal["none", "fallback", "hybrid"]
MODES: tuple[Mode, ...] = ("none", "fallback", "hybrid")
REMOTE = ("ollama", "openai")
PROVIDERS = ("minilm", "model2vec", "sentence-transformers", *REMOTE)
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Embedder(Protocol):
    """Texts to vectors. `model` names what makes them, so that vectors of two models are never compared; `local` says
    that nothing leaves the machine and a few texts cost little."""

    model: str
    local: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions), each row of unit length, in the order of the texts. Raises EmbedderUnavailable."""


class Choice(Struct, frozen=True):
    """What the settings say: `model` is a name at an endpoint, or the folder of a local one; `key` the key itself."""

    provider: str
    model: str
    endpoint: str = ""
    key: str = ""
    seconds: float = 3.0


def open_embedder(choice: Choice) -> Embedder:
    """The embedder that was chosen. Raises EmbedderUnavailable where something that it needs is missing."""
    if choice.provider in ("ollama", "openai"):
        from commonplace.embed.endpoint import Endpoint

        dialect: Literal["ollama", "openai"] = "ollama" if choice.provider == "ollama" else "openai"
        return Endpoint(dialect, choice.model, choice.endpoint, key=choice.key, seconds=choice.seconds)
    if choice.provider == "minilm":
        from commonplace.embed.minilm import MiniLM

        return MiniLM(choice.model)
    from commonplace.embed.installed import Installed

    return Installed(choice.provider, choice.model)


def problems(mode: str, choice: Choice, key_env: str) -> list[str]:
    """What is wrong with the settings of vectors, in sentences."""
    found: list[str] = []
    if mode not in MODES:
        found.append(f"vectors.mode {mode!r} is not known; use one of {', '.join(MODES)}")
    if choice.provider and choice.provider not in PROVIDERS:
        found.append(f"vectors.provider {choice.provider!r} is not known; use one of {', '.join(PROVIDERS)}")
    if choice.endpoint:
        found += _bad_endpoint(choice.endpoint, key_env)
    if mode in MODES[1:]:
        needed = {"provider": choice.provider, "model": choice.model}
        needed |= {"endpoint": choice.endpoint} if choice.provider in REMOTE else {}
        found += [f"vectors.mode {mode!r} needs vectors.{name}" for name, value in needed.items() if not value]
    return found


def _bad_endpoint(endpoint: str, key_env: str) -> list[str]:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(endpoint)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username or parts.password or parts.query or parts.fragment:
        return [f"vectors.endpoint {endpoint!r} must be the base of an interface, such as 'http://localhost:11434'"]
    if key_env and parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return [f"vectors.endpoint {endpoint!r} must begin with https://, or the key could be read on its way"]
    return []
