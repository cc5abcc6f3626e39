"""Unit vectors in numpy, and the weights of a model in a local folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from commonplace.errors import CommonplaceError, EmbedderUnavailable
from commonplace.shapes import Json
from commonplace.storage import config, files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
NUMPY_INSTALL_HINT = "install the extra `vectors`: in the clone, `pipx install --force '.[vectors]'`"


def require_numpy() -> None:
    """Load numpy so that it computes in one thread. Raises EmbedderUnavailable if it is not installed."""
    config.limit_math_threads()
    try:
        import numpy as np  # noqa: F401 - to see whether it is there
    except ImportError:
        raise EmbedderUnavailable("vectors need numpy, which is not installed", hint=NUMPY_INSTALL_HINT) from None


def normalize_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows at unit length; a row of zeros is unchanged."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: NDArray[np.float32] = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
    return made


MAX_MODEL_BYTES = 8 << 30
HEADER_LENGTH_BYTES = 8  # bytes: the length of the JSON header, little-endian
FINGERPRINT_SAMPLES, SAMPLE_BYTES = 256, 4_096  # of the bytes of large weights
_NUMPY_DTYPES = {"F32": "<f4", "F16": "<f2"}


class _TensorHeader(Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def find_model_file(folder: str, name: str) -> bytes | None:
    """Return a file of the model's folder, or what it links to; None if missing. Raises EmbedderUnavailable."""
    path = os.path.realpath(os.path.join(os.path.expanduser(folder), name))
    try:
        return files.read_file_if_exists(os.path.dirname(path), os.path.basename(path), MAX_MODEL_BYTES)
    except CommonplaceError as error:
        raise EmbedderUnavailable(f"the model in {folder!r} cannot be read: {error.message}") from None


def read_model_file(folder: str, name: str) -> bytes:
    """Return a file that must exist. Raises EmbedderUnavailable."""
    data = find_model_file(folder, name)
    if data is None:
        hint = "`vectors.model` names the folder with model.safetensors, config.json and vocab.txt"
        raise EmbedderUnavailable(f"there is no {name} in {folder!r}", hint=hint)
    return data


def read_model_json(folder: str, name: str) -> Json:
    """Return a JSON file of the folder as a table; empty if missing. Raises EmbedderUnavailable."""
    data = find_model_file(folder, name)
    if data is None:
        return {}
    try:
        return msgspec.json.decode(data, type=Json)
    except msgspec.MsgspecError as error:
        raise EmbedderUnavailable(f"{name} in {folder!r} is not what it should be: {error}") from None


def decode_safetensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the floating-point tensors of a safetensors file by name; those of single precision are views of the
    bytes.

    The file is a little-endian length, so many bytes of JSON (name -> dtype, shape, offsets), then the numbers. Raises
    EmbedderUnavailable.
    """
    import numpy as np

    try:
        start = HEADER_LENGTH_BYTES + int.from_bytes(data[:HEADER_LENGTH_BYTES], "little")
        header = msgspec.json.decode(data[HEADER_LENGTH_BYTES:start], type=Json)
        header.pop("__metadata__", None)
        found: dict[str, NDArray[np.float32]] = {}
        for name, fields in header.items():
            tensor = msgspec.convert(fields, _TensorHeader)
            if tensor.dtype in _NUMPY_DTYPES:
                first, last = (start + offset for offset in tensor.data_offsets)
                numbers = np.frombuffer(memoryview(data)[first:last], dtype=_NUMPY_DTYPES[tensor.dtype])
                found[name] = numbers.reshape(tensor.shape).astype(np.float32, copy=False)
        return found
    except (msgspec.MsgspecError, ValueError) as error:
        raise EmbedderUnavailable(f"model.safetensors is not what it should be: {error}") from None


def fingerprint_model(*parts: bytes) -> str:
    """Return eight hex characters that identify a model, from samples of large files."""
    step = [max(len(part) // FINGERPRINT_SAMPLES, SAMPLE_BYTES) for part in parts]
    sampled = [
        b"".join(part[at : at + SAMPLE_BYTES] for at in range(0, len(part), apart))
        for part, apart in zip(parts, step, strict=True)
    ]
    return files.content_digest(b"\0".join((*(str(len(part)).encode() for part in parts), *sampled)))[:8]
