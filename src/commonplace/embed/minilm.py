"""A light runtime for sentence models shaped like MiniLM: BERT encoders on numpy, with weights from a local folder."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace.embed import weights
from commonplace.embed.arrays import need_numpy, normalised
from commonplace.embed.wordpiece import WordPiece
from commonplace.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

MOST_PIECES = 256  # of a text, where the model does not say
PIECES_AT_ONCE = 2_048  # padding included
NOT_SEEN = -1e9  # what padding gets before the softmax


class MiniLM:
    """Implements `Embedder` for BERT encoders with mean or first-token pooling."""

    local = True

    def __init__(self, folder: str) -> None:
        """Read the weights in `folder`. Raises EmbedderUnavailable."""
        need_numpy()
        config = weights.facts(folder, "config.json")
        if config.get("model_type", "bert") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            hint = "use the provider sentence-transformers for it"
            raise EmbedderUnavailable(f"the model in {folder!r} is no BERT encoder with gelu", hint=hint)
        data = weights.read(folder, "model.safetensors")
        self._encoder = _Encoder(weights.tensors(data), config)
        how = weights.facts(folder, "tokenizer_config.json")
        vocabulary = weights.read(folder, "vocab.txt").decode("utf-8", "replace")
        self._words = WordPiece(vocabulary, lower=bool(how.get("do_lower_case", True)))
        said = weights.facts(folder, "sentence_bert_config.json").get("max_seq_length") or MOST_PIECES
        self._most = min(int(said), int(config.get("max_position_embeddings", 512)))
        self._first_only = bool(weights.facts(folder, "1_Pooling/config.json").get("pooling_mode_cls_token"))
        name = os.path.basename(os.path.realpath(os.path.expanduser(folder)))
        self.model = f"minilm:{name}@{weights.fingerprint(data, vocabulary.encode())}"

    def embed(self, texts: Sequence[str]) -> Array:
        """(n, dimensions) of unit length, in the order of the texts."""
        import numpy as np

        numbered = [self._words.numbers(text, self._most) for text in texts]
        found = np.zeros((len(texts), self._encoder.size), np.float32)
        for batch in _batches([len(one) for one in numbered]):
            found[batch] = self._pooled([numbered[place] for place in batch])
        return normalised(found)

    def _pooled(self, numbered: list[list[int]]) -> Array:
        import numpy as np

        longest = max(map(len, numbered))
        pieces = np.zeros((len(numbered), longest), np.int64)
        seen = np.zeros((len(numbered), longest), np.float32)
        for row, one in enumerate(numbered):
            pieces[row, : len(one)] = one
            seen[row, : len(one)] = 1.0
        states = self._encoder.states(pieces, seen)
        if self._first_only:
            return states[:, 0]
        pooled: Array = (states * seen[:, :, None]).sum(1) / seen.sum(1, keepdims=True)
        return pooled


class _Encoder:
    """The layers of a BERT encoder (Devlin et al. 2019): embeddings, then attention and a feed-forward net each."""

    def __init__(self, tensors: dict[str, Array], config: dict[str, Any]) -> None:
        self._tensors = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
        self._heads = int(config.get("num_attention_heads", 12))
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._layers = int(config.get("num_hidden_layers", 6))
        self._words = self._tensor("embeddings.word_embeddings.weight")
        self.size = int(self._words.shape[1])
        self._joined = [self._attention(layer) for layer in range(self._layers)]

    def _tensor(self, name: str) -> Array:
        try:
            return self._tensors[name]
        except KeyError:
            raise EmbedderUnavailable(f"model.safetensors has no {name!r}: it is no BERT encoder") from None

    def _attention(self, layer: int) -> tuple[Array, Array]:
        """Queries, keys and values in one matrix: one product in place of three."""
        import numpy as np

        inner = [f"encoder.layer.{layer}.attention.self.{name}" for name in ("query", "key", "value")]
        factors = np.concatenate([self._tensor(f"{one}.weight") for one in inner])
        return factors.T, np.concatenate([self._tensor(f"{one}.bias") for one in inner])

    def states(self, pieces: NDArray[np.int64], seen: Array) -> Array:
        """(texts, pieces, size): the last layer's states; `seen` is 0 for padding."""
        import numpy as np

        length = pieces.shape[1]
        states = self._words[pieces] + self._tensor("embeddings.position_embeddings.weight")[:length]
        states = states + self._tensor("embeddings.token_type_embeddings.weight")[0]
        states = self._norm(states, "embeddings.LayerNorm")
        hidden = ((1.0 - seen) * NOT_SEEN)[:, None, None, :].astype(np.float32)
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            told = self._linear(self._attended(states, hidden, layer), f"{name}.attention.output.dense")
            states = self._norm(told + states, f"{name}.attention.output.LayerNorm")
            wide = _gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._norm(self._linear(wide, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")
        return states

    def _attended(self, states: Array, hidden: Array, layer: int) -> Array:
        """Scaled dot-product attention of all heads (Vaswani et al. 2017)."""
        import numpy as np

        texts, length, size = states.shape
        factors, bias = self._joined[layer]
        joined = (states.reshape(-1, size) @ factors + bias).reshape(texts, length, 3, self._heads, -1)
        queries, keys, values = (joined[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        scores = queries @ keys.transpose(0, 1, 3, 2)
        scores *= np.float32(1 / math.sqrt(size / self._heads))
        scores += hidden
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        attended: Array = (scores @ values).transpose(0, 2, 1, 3).reshape(texts, length, size)
        return attended

    def _linear(self, states: Array, name: str) -> Array:
        weight = self._tensor(f"{name}.weight")
        flat = states.reshape(-1, states.shape[-1]) @ weight.T
        flat += self._tensor(f"{name}.bias")
        return flat.reshape(*states.shape[:-1], weight.shape[0])

    def _norm(self, states: Array, name: str) -> Array:
        """Layer normalisation (Ba et al. 2016), in place."""
        import numpy as np

        states -= states.mean(-1, keepdims=True)
        spread = np.einsum("...i,...i->...", states, states)[..., None] / np.float32(states.shape[-1])
        states /= np.sqrt(spread + np.float32(self._epsilon))
        states *= self._tensor(f"{name}.weight")
        states += self._tensor(f"{name}.bias")
        return states


def _batches(lengths: list[int]) -> list[list[int]]:
    """Places of texts of like length together, so that little of a batch is padding."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[place] <= PIECES_AT_ONCE:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


def _gelu(values: Array) -> Array:
    """x Φ(x), in place; erf by Abramowitz and Stegun 7.1.26, which is off by 1.5e-7 at most."""
    import numpy as np

    scaled = np.abs(values)
    scaled *= np.float32(math.sqrt(0.5))
    part = 1 / (1 + np.float32(0.3275911) * scaled)
    whole = np.full_like(part, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        whole *= part
        whole += np.float32(factor)
    whole *= part
    np.square(scaled, out=scaled)
    np.negative(scaled, out=scaled)
    whole *= np.exp(scaled, out=scaled)
    erf = np.copysign(1 - whole, values)
    erf += 1
    values *= erf
    values *= np.float32(0.5)
    return values
