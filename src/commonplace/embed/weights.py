"""The weights of a model as they lie in a folder: `model.safetensors` read without a copy, and small JSON files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import CommonplaceError, EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BYTES = 8 << 30
HEADER = 8  # bytes: the length of the JSON header, little-endian
SAMPLES, SAMPLE_BYTES = 256, 4_096  # by which weights are told from others
_TYPES = {"F32": "<f4", "F16": "<f2"}


class _Tensor(Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def find(folder: str, name: str, most: int = MOST_BYTES) -> bytes | None:
    """A file of the model's folder, or what it links to; None if it is not there. Raises EmbedderUnavailable."""
    path = os.path.realpath(os.path.join(os.path.expanduser(folder), name))
    try:
        return files.find(os.path.dirname(path), os.path.basename(path), most)
    except CommonplaceError as error:
        raise EmbedderUnavailable(f"the model in {folder!r} cannot be read: {error.message}") from None


def read(folder: str, name: str) -> bytes:
    """A file that must be there. Raises EmbedderUnavailable."""
    data = find(folder, name)
    if data is None:
        hint = "`vectors.model` names the folder with model.safetensors, config.json and vocab.txt"
        raise EmbedderUnavailable(f"there is no {name} in {folder!r}", hint=hint)
    return data


def facts(folder: str, name: str) -> dict[str, Any]:
    """A JSON file of the folder as a table; empty if there is none. Raises EmbedderUnavailable."""
    data = find(folder, name)
    if data is None:
        return {}
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise EmbedderUnavailable(f"{name} in {folder!r} is not what it should be: {error}") from None


def tensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The tensors of a safetensors file by name, floats only; those of single precision are views of the bytes.

    The file is a little-endian length, so many bytes of JSON (name -> dtype, shape, offsets), then the numbers.
    Raises EmbedderUnavailable.
    """
    import numpy as np

    try:
        start = HEADER + int.from_bytes(data[:HEADER], "little")
        header = msgspec.json.decode(data[HEADER:start], type=dict[str, Any])
        header.pop("__metadata__", None)
        found: dict[str, NDArray[np.float32]] = {}
        for name, told in header.items():
            tensor = msgspec.convert(told, _Tensor)
            if tensor.dtype in _TYPES:
                first, last = (start + offset for offset in tensor.data_offsets)
                numbers = np.frombuffer(memoryview(data)[first:last], dtype=_TYPES[tensor.dtype])
                found[name] = numbers.reshape(tensor.shape).astype(np.float32, copy=False)
        return found
    except (msgspec.MsgspecError, ValueError) as error:
        raise EmbedderUnavailable(f"model.safetensors is not what it should be: {error}") from None


def fingerprint(*parts: bytes) -> str:
    """Eight hex characters by which a model is told from another, from samples of what is very large."""
    step = [max(len(part) // SAMPLES, SAMPLE_BYTES) for part in parts]
    sampled = [
        b"".join(part[at : at + SAMPLE_BYTES] for at in range(0, len(part), apart))
        for part, apart in zip(parts, step, strict=True)
    ]
    return files.digest(b"\0".join((*(str(len(part)).encode() for part in parts), *sampled)))[:8]
