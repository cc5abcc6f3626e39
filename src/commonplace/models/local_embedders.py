"""The embedder of a local folder: a BERT encoder on numpy with WordPiece tokens."""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from commonplace.errors import EmbedderUnavailable
from commonplace.lazy import lazy_pattern
from commonplace.models import weights
from commonplace.models.weights import normalize_rows, require_numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]


MAX_WORD_CHARS = 100  # characters; a longer word is one unknown piece
CACHED_WORDS = 50_000  # words whose pieces are remembered
_IDEOGRAPH = lazy_pattern(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class WordPieceTokenizer:
    """The tokenizer of one model, from its `vocab.txt` (one piece a line). Wu et al. 2016, Devlin et al. 2019."""

    def __init__(self, vocabulary: str, *, lower: bool = True) -> None:
        self._id_by_piece = {piece: number for number, piece in enumerate(vocabulary.rstrip("\n").split("\n"))}
        self._lower = lower
        self._ids_by_word: dict[str, list[int]] = {}
        try:
            ids = (self._id_by_piece[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
            self._start_id, self._end_id, self._unknown_id = ids
        except KeyError as missing:
            raise EmbedderUnavailable(f"the vocabulary of the model has no {missing.args[0]}") from None

    def piece_ids(self, text: str, max_pieces: int) -> list[int]:
        """Return the ids of a text's pieces between the start and end markers, at most `max_pieces` in all."""
        found: list[int] = []
        cleaned = _IDEOGRAPH.sub(r" \g<0> ", "".join(map(_clean_character, text)))
        if self._lower:
            cleaned = _strip_combining_accents(cleaned).lower()
        for word in (part for written in cleaned.split() for part in _split_punctuation(written)):
            ids = self._ids_by_word.get(word)
            if ids is None:
                ids = self._split_word(word)
                if len(self._ids_by_word) < CACHED_WORDS:
                    self._ids_by_word[word] = ids
            found += ids
            if len(found) >= max_pieces - 2:
                break
        return [self._start_id, *found[: max_pieces - 2], self._end_id]

    def _split_word(self, word: str) -> list[int]:
        """Take the longest piece from the left repeatedly; a word with an unknown part is unknown."""
        if len(word) > MAX_WORD_CHARS:
            return [self._unknown_id]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._id_by_piece), 0)
            if not end:
                return [self._unknown_id]
            found.append(self._id_by_piece[mark + word[start:end]])
            start = end
        return found


def _clean_character(character: str) -> str:
    """Return a character for splitting: control characters are removed, white space becomes a blank."""
    if "\x20" < character < "\x7f":
        return character
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    return "" if character == "\ufffd" or unicodedata.category(character)[0] == "C" else character


def _strip_combining_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one) != "Mn")


def _split_punctuation(word: str) -> Iterator[str]:
    """Yield the parts of a word, each punctuation mark on its own."""
    for is_mark, characters in groupby(word, _is_bert_punctuation):
        part = "".join(characters)
        yield from part if is_mark else [part]


def _is_bert_punctuation(character: str) -> bool:
    """Return whether BERT treats it as punctuation: all of ASCII but letters and digits, `$` and `+` too."""
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character)[0] == "P"


DEFAULT_MAX_PIECES = 256  # of a text, where the model does not say
MAX_BATCH_PIECES = 2_048  # padding included
PADDING_SCORE = -1e9  # what padding gets before the softmax


class MiniLMEmbedder:
    """An `Embedder` for BERT encoders with mean or first-token pooling."""

    local, reads_context = True, False

    def __init__(self, folder: str) -> None:
        """Read the weights in `folder`. Raises EmbedderUnavailable."""
        require_numpy()
        config = weights.read_model_json(folder, "config.json")
        if config.get("model_type", "bert") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            hint = "let a server run it, such as Ollama, and use its provider"
            raise EmbedderUnavailable(f"the model in {folder!r} is no BERT encoder with gelu", hint=hint)
        data = weights.read_model_file(folder, "model.safetensors")
        self._encoder = _BertEncoder(weights.decode_safetensors(data), config)
        how = weights.read_model_json(folder, "tokenizer_config.json")
        vocabulary = weights.read_model_file(folder, "vocab.txt").decode("utf-8", "replace")
        self._tokenizer = WordPieceTokenizer(vocabulary, lower=bool(how.get("do_lower_case", True)))
        own = weights.read_model_json(folder, "sentence_bert_config.json").get("max_seq_length") or DEFAULT_MAX_PIECES
        self._max_pieces = min(int(own), int(config.get("max_position_embeddings", 512)))
        pooling = weights.read_model_json(folder, "1_Pooling/config.json")
        self._uses_first_token = bool(pooling.get("pooling_mode_cls_token"))
        name = os.path.basename(os.path.realpath(os.path.expanduser(folder)))
        self.model = f"minilm:{name}@{weights.fingerprint_model(data, vocabulary.encode())}"

    def embed(self, texts: Sequence[str]) -> Array:
        """Return (n, dimensions) of unit length in the order of the texts."""
        import numpy as np

        numbered = [self._tokenizer.piece_ids(text, self._max_pieces) for text in texts]
        found = np.zeros((len(texts), self._encoder.size), np.float32)
        for batch in _batch_by_length([len(one) for one in numbered]):
            found[batch] = self._embed_batch([numbered[place] for place in batch])
        return normalize_rows(found)

    def _embed_batch(self, piece_ids: list[list[int]]) -> Array:
        import numpy as np

        longest = max(map(len, piece_ids))
        pieces = np.zeros((len(piece_ids), longest), np.int64)
        seen = np.zeros((len(piece_ids), longest), np.float32)
        for row_id, one in enumerate(piece_ids):
            pieces[row_id, : len(one)] = one
            seen[row_id, : len(one)] = 1.0
        states = self._encoder.encode(pieces, seen)
        if self._uses_first_token:
            return states[:, 0]
        pooled: Array = (states * seen[:, :, None]).sum(1) / seen.sum(1, keepdims=True)
        return pooled


class _BertEncoder:
    """The layers of a BERT encoder (Devlin et al. 2019): embeddings, then attention and feed-forward layers."""

    def __init__(self, tensors: dict[str, Array], config: dict[str, Any]) -> None:
        self._tensors = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
        self._heads = int(config.get("num_attention_heads", 12))
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._layers = int(config.get("num_hidden_layers", 6))
        self._word_embeddings = self._tensor("embeddings.word_embeddings.weight")
        self.size = int(self._word_embeddings.shape[1])
        self._attention_matrices = list(map(self._attention_matrix, range(self._layers)))

    def _tensor(self, name: str) -> Array:
        try:
            return self._tensors[name]
        except KeyError:
            raise EmbedderUnavailable(f"model.safetensors has no {name!r}: it is no BERT encoder") from None

    def _attention_matrix(self, layer: int) -> tuple[Array, Array]:
        """Return queries, keys and values in one matrix: one product instead of three."""
        import numpy as np

        inner = [f"encoder.layer.{layer}.attention.self.{name}" for name in ("query", "key", "value")]
        factors = np.concatenate([self._tensor(f"{one}.weight") for one in inner])
        return factors.T, np.concatenate([self._tensor(f"{one}.bias") for one in inner])

    def encode(self, piece_ids: NDArray[np.int64], attention_mask: Array) -> Array:
        """Return the states of the last layer (texts, pieces, size); `attention_mask` is 0 for padding."""
        import numpy as np

        length = piece_ids.shape[1]
        states = self._word_embeddings[piece_ids] + self._tensor("embeddings.position_embeddings.weight")[:length]
        states = states + self._tensor("embeddings.token_type_embeddings.weight")[0]
        states = self._layer_norm(states, "embeddings.LayerNorm")
        hidden = ((1.0 - attention_mask) * PADDING_SCORE)[:, None, None, :].astype(np.float32)
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            attended = self._linear(self._attend(states, hidden, layer), f"{name}.attention.output.dense")
            states = self._layer_norm(attended + states, f"{name}.attention.output.LayerNorm")
            wide = _gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._layer_norm(self._linear(wide, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")
        return states

    def _attend(self, states: Array, hidden: Array, layer: int) -> Array:
        """Scaled dot-product attention of all heads (Vaswani et al. 2017)."""
        import numpy as np

        texts, length, size = states.shape
        factors, bias = self._attention_matrices[layer]
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

    def _layer_norm(self, states: Array, name: str) -> Array:
        """Layer normalisation (Ba et al. 2016), in place."""
        import numpy as np

        states -= states.mean(-1, keepdims=True)
        spread = np.einsum("...i,...i->...", states, states)[..., None] / np.float32(states.shape[-1])
        states /= np.sqrt(spread + np.float32(self._epsilon))
        states *= self._tensor(f"{name}.weight")
        states += self._tensor(f"{name}.bias")
        return states


def _batch_by_length(lengths: list[int]) -> list[list[int]]:
    """Return batches of indexes of texts of similar length, so that little of a batch is padding."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[place] <= MAX_BATCH_PIECES:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


def _gelu(activations: Array) -> Array:
    """Return x Φ(x), in place; erf by Abramowitz and Stegun 7.1.26, with an error of 1.5e-7 at most."""
    import numpy as np

    scaled = np.abs(activations)
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
    erf = np.copysign(1 - whole, activations)
    erf += 1
    activations *= erf
    activations *= np.float32(0.5)
    return activations
