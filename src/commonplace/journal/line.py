"""One line of a journal: encoded with its checksum, decoded with what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar
from zlib import crc32

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument
from commonplace.model import Problem

T = TypeVar("T")
ACCEPTED = (0, 1, 2)  # our own version, the one before, which knew no checksums, and the one after
ID_CHARS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

_SEAL = len(b',"crc":"01234567"}')


class Entry(Struct, frozen=True):
    """One line as read, with fields that we do not know; `line` is 1-based, `offset` that of its first byte.

    `size` counts its bytes without the newline.
    """

    fields: dict[str, Any]
    path: str
    line: int
    offset: int
    size: int = 0


def entry_id(entry: Mapping[str, Any], device: str, position: int, prefix: str = "obs:") -> str:
    """An id from what was captured and where: 80 bits of (ts, device, actor, text, byte offset in the journal)."""
    said = (entry.get(key) for key in ("ts", "actor", "op", "text"))
    parts = (device, str(position), *(value if isinstance(value, str) else "" for value in said))
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    value = int(files.digest(content), 16)
    return prefix + "".join(ALPHABET[value >> 5 * place & 31] for place in range(ID_CHARS))


def encode(fields: Mapping[str, Any]) -> bytes:
    """One line without its newline, with its checksum last; a lone surrogate becomes U+FFFD. Raises BadArgument."""
    bare = {key: value for key, value in fields.items() if key != "crc"}
    try:
        try:
            body = msgspec.json.encode(bare)
        except UnicodeEncodeError:
            body = msgspec.json.encode(_mended(bare))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadArgument(f"this cannot be kept as JSON: {error}") from error
    return b'%s,"crc":"%08x"}' % (body[:-1], crc32(body))


def decode(line: bytes, path: str = "", number: int = 0, *, offset: int = 0) -> Entry | Problem:
    """One line of a journal as an entry, or what is wrong with it."""
    fields = parse(line)
    why = fields if isinstance(fields, str) else _why_not(fields, line)
    if why:
        return Problem("bad-line", f"this journal line is set aside: {why}", path, number)
    assert isinstance(fields, dict)
    return Entry(fields, path, number, offset, len(line))


def parse(line: bytes) -> dict[str, Any] | str:
    """The JSON object on a line, or why there is none."""
    try:
        fields = msgspec.json.decode(line)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:  # msgspec.DecodeError, and UnicodeDecodeError for invalid UTF-8
        return "it is not valid JSON"
    return fields if isinstance(fields, dict) else "it is no JSON object"


def is_sealed(line: bytes) -> bool:
    """Whether the line ends in the checksum of the rest."""
    rest = memoryview(line)[:-_SEAL]
    return line[-_SEAL:] == b',"crc":"%08x"}' % crc32(b"}", crc32(rest))


def unsealed(line: bytes, shape: type[T]) -> T | None:
    """What a sealed line says, in this shape; None for one that is not whole, or says something else."""
    try:
        return msgspec.json.decode(line, type=shape) if is_sealed(line) else None
    except msgspec.ValidationError:
        return None


def _why_not(fields: dict[str, Any], line: bytes) -> str:
    """Why an object is no entry; empty if it is one."""
    version = fields.get("v")
    if type(version) is not int or version not in ACCEPTED:
        return "it has no version that is known here"
    if (version or "crc" in fields) and not is_sealed(line):
        return "its checksum does not match" if "crc" in fields else "it has no checksum"
    if not all(isinstance(fields.get(key), str) and fields[key] for key in ("id", "ts")):
        return "it has no id or no time"
    return ""


def _mended(value: Any) -> Any:
    """Lone surrogates, which UTF-8 cannot hold, replaced wherever they stand."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(inner) for inner in value]
    return value
