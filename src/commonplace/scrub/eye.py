"""What one looks for secrets with, and where they stand in one file, its name, or one of its earlier versions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from commonplace.journal import parse
from commonplace.redact import Found, Known, redact_fields
from commonplace.redact import scan as secrets_in
from commonplace.scrub.findings import Spot, Store
from commonplace.scrub.stores import is_lines, shown, store_of

MOST_UNPACKED = 16_000_000  # bytes of a compressed file
_GZIP = b"\x1f\x8b"
_SNIFFED = 8192
_DIGESTS = ("words", "key", "value")  # of what a line states, in the ledger
_DIGEST_LENGTH = 20


class Eye(Struct, frozen=True):
    """What one looks with: the workspace's key, the secrets that the environment holds, the largest file to read."""

    root: str
    key: bytes
    exact: tuple[Known, ...] = ()
    most_bytes: int = 16_000_000


def named(eye: Eye, path: str) -> list[Spot]:
    """The secrets in a path, each folder and the name by itself."""
    place = safe_path(eye, path)
    parts = [part for part in shown(path).split("/") if len(part) >= 8]
    found = [one for part in parts for one in secrets_in(part, key=eye.key, exact=eye.exact)]
    return [Spot(place, 0, one.kind, one.placeholder, "name") for one in found]


def safe_path(eye: Eye, path: str) -> str:
    """A path that can be printed: a secret in it is replaced."""
    whole = []
    for part in shown(path).split("/"):
        last = 0
        for one in secrets_in(part, key=eye.key, exact=eye.exact) if len(part) >= 8 else ():
            whole.append(part[last : one.start] + one.placeholder)
            last = one.end
        whole.append(part[last:] + "/")
    return "".join(whole)[:-1]


def spots_in(eye: Eye, path: str, data: bytes, *, store: Store | None = None, commit: str = "") -> list[Spot]:
    """Where the secrets of a file stand; journals and other lines of JSON are read as what they say."""
    place = safe_path(eye, path)
    kept = store or store_of(path)
    found = _in_lines(eye, data) if is_lines(path) else _in_text(eye, text_of(data))
    return [Spot(place, line, kind, placeholder, kept, commit) for line, kind, placeholder in found]


def cleaned_fields(eye: Eye, fields: dict[str, Any]) -> tuple[dict[str, Any], tuple[Found, ...]]:
    """The fields of a line without their secrets, and these; a digest that the ledger calls `key` is no key."""
    ours = {name: fields[name] for name in _DIGESTS if _is_digest(fields.get(name))} if "op" in fields else {}
    clean, found = redact_fields(fields | dict.fromkeys(ours, ""), key=eye.key, exact=eye.exact)
    return clean | ours, found


def text_of(data: bytes) -> str:
    """The text of a file, packed or not; empty for a binary one. Bytes that are no UTF-8 stay as surrogates."""
    if data.startswith(_GZIP):
        data = _unpacked(data)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return "" if _is_binary(data[:_SNIFFED]) else data.decode("utf-8", "surrogateescape")


def _in_text(eye: Eye, text: str) -> Iterator[tuple[int, str, str]]:
    found = secrets_in(text, key=eye.key, exact=eye.exact)
    if found:
        breaks = [place for place, char in enumerate(text) if char == "\n"]
        for one in found:
            yield bisect_right(breaks, one.start - 1) + 1, one.kind, one.placeholder


def _in_lines(eye: Eye, data: bytes) -> Iterator[tuple[int, str, str]]:
    """Line by line, each as the JSON that it is, else as text."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line:
            for kind, placeholder in dict.fromkeys(_in_line(eye, line)):
                yield number, kind, placeholder


def _in_line(eye: Eye, line: bytes) -> Iterator[tuple[str, str]]:
    fields: dict[str, Any] | str = parse(line)
    if isinstance(fields, dict):
        found = cleaned_fields(eye, fields)[1]
    else:
        found = secrets_in(line.decode("utf-8", "replace"), key=eye.key, exact=eye.exact)
    return ((one.kind, one.placeholder) for one in found if one.kind != "private")


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == _DIGEST_LENGTH and not set(value) - set("0123456789abcdef")


def _unpacked(data: bytes) -> bytes:
    import zlib

    try:
        return zlib.decompressobj(wbits=31).decompress(data, MOST_UNPACKED)
    except zlib.error:
        return b""


def _is_binary(head: bytes) -> bool:
    """A NUL here and there; at each second place it is UTF-16 without a mark, which `redact` reads."""
    nuls = head.count(b"\x00")
    return bool(nuls) and not 0.4 < nuls / len(head) < 0.6
