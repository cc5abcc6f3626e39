"""Scan files for what was erased, in every way in which bytes may hold a text: plain, encoded, compressed."""

from __future__ import annotations

import binascii
import os
import re
import zlib
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.shapes import iter_texts
from commonplace.storage import files
from commonplace.storage.journal import parse_json_line
from commonplace.upkeep.forget.erasure import TextMatcher

MAX_SCANNED_BYTES = 1 << 30  # of one file
PRINTABLE_PATTERN = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ufffd]{3,}")


class RemainingText(Struct, frozen=True):
    """A file that still has an erased text, how it is encoded, and the line where that is plain (else 0)."""

    path: str
    view: str
    line: int = 0


class TextScan(Struct, frozen=True):
    """What a scan looked at, and what it found; `unread` are files that could not be read."""

    folders: tuple[str, ...]
    files: int
    bytes: int
    remaining: tuple[RemainingText, ...]
    unread: tuple[str, ...] = ()


def scan_folders(folders: tuple[str, ...], matcher: TextMatcher) -> TextScan:
    """Scan every plain file below folders; links are not followed."""
    remaining: list[RemainingText] = []
    unread: list[str] = []
    file_count = byte_count = 0
    for folder in folders:
        for path in files.walk_paths(folder):
            whole = os.path.join(folder, path)
            if path.endswith("/") or os.path.islink(whole) or not os.path.isfile(whole):
                continue
            try:
                data = files.read_file(folder, path, MAX_SCANNED_BYTES)
            except (NotFound, OutsideWorkspace):
                unread.append(whole)
                continue
            file_count, byte_count = file_count + 1, byte_count + len(data)
            remaining += (RemainingText(whole, view, line) for view, line in find_texts(path, data, matcher))
    return TextScan(folders, file_count, byte_count, tuple(remaining), tuple(unread))


def find_texts(path: str, data: bytes, matcher: TextMatcher) -> Iterator[tuple[str, int]]:
    """The views of a file that have an erased text, each once, with its first line where it is plain; and its name."""
    if matcher.match(path.replace("_", " ").replace("-", " ")):
        yield "name", 0
    views: set[str] = set()
    for view, part in decoded_views(data):
        if view not in views and (line := _matching_line(part, matcher)) >= 0:
            views.add(view)
            yield view, line if view == "plain" else 0


def _matching_line(data: bytes, matcher: TextMatcher) -> int:
    """The number of the first line that has an erased text; 0 where it runs over several lines, -1 if there is none."""
    runs: list[str] = []
    for number, raw_line in enumerate(data.split(b"\n"), 1):
        fields = parse_json_line(raw_line) if raw_line.startswith(b"{") else ""
        if isinstance(fields, str):
            runs += (texts := PRINTABLE_PATTERN.findall(raw_line.decode("utf-8", "replace")))
        if any(map(matcher.match, texts if isinstance(fields, str) else iter_texts(fields))):
            return number
    return 0 if matcher.contains(" ".join(runs)) else -1


MAX_DEPTH = 3  # of one encoding inside another
MAX_UNPACKED_BYTES = 64_000_000
MIN_ENCODED_CHARS = 16
GZIP_MAGIC = b"\x1f\x8b\x08"
_BASE64_PATTERN = re.compile(rb"[A-Za-z0-9+/_-]{%d,}={0,2}(?:\r?\n[A-Za-z0-9+/_-]{4,}={0,2})*" % MIN_ENCODED_CHARS)
_HEX_PATTERN = re.compile(rb"(?:[0-9A-Fa-f]{2}){%d,}" % (MIN_ENCODED_CHARS // 2))
_WORD_PATTERN = re.compile(rb"[^\s\"'<>]+")
_URL_CODE_PATTERN = re.compile(rb"%[0-9A-Fa-f]{2}")
_UTF16_PATTERN = re.compile(rb"(?:[^\x00]\x00){8,}|(?:\x00[^\x00]){8,}")


def decoded_views(data: bytes, depth: int = MAX_DEPTH) -> Iterator[tuple[str, bytes]]:
    """The bytes as they are, and what is encoded in them, each with the name of the encoding, outermost first."""
    yield "plain", data
    if not depth:
        return
    for name, inner in _encoded_parts(data):
        for below, part in decoded_views(inner, depth - 1):
            yield (name if below == "plain" else f"{name}/{below}"), part


def _encoded_parts(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield from (("gzip", part) for part in _gzip_members(data))
    for match in _HEX_PATTERN.finditer(data):
        if _may_be_text(part := binascii.unhexlify(match[0])):
            yield "hex", part
    for match in _BASE64_PATTERN.finditer(data):
        if part := _decode_base64(match[0]):
            yield "base64", part
    if _URL_CODE_PATTERN.search(data):
        words = (match[0] for match in _WORD_PATTERN.finditer(data) if _URL_CODE_PATTERN.search(match[0]))
        yield from (("url", unquote_to_bytes(word.replace(b"+", b" "))) for word in words)
    for line in data.split(b"\n") if b"\\u" in data else ():
        if b"\\u" in line:
            yield "json", line.decode("raw_unicode_escape", "replace").encode("utf-8", "replace")
    for match in _UTF16_PATTERN.finditer(data):
        yield "utf-16", match[0].replace(b"\0", b"")
    for encoding in ("utf-16-le", "utf-16-be"):
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:2].count(b"\0") == 1:
            yield "utf-16", data.decode(encoding, "replace").encode("utf-8", "replace")


def _decode_base64(encoded: bytes) -> bytes:
    """What a run of base64 holds, or, if that is no text, what it holds from its second to fourth character on."""
    bare = re.sub(rb"[\r\n=]", b"", encoded).translate(bytes.maketrans(b"-_", b"+/"))
    for start in range(4):
        whole = bare[start : start + (len(bare) - start) // 4 * 4]
        rest = bare[start + len(whole) :]
        padded = whole + (rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b"")
        if _may_be_text(part := binascii.a2b_base64(padded)):
            return part
    return b""


def _may_be_text(data: bytes) -> bool:
    """Whether most of some bytes could be text, or they are compressed."""
    if data.startswith(GZIP_MAGIC):
        return True
    plain = data.decode("utf-8", "replace")
    return sum(char.isprintable() and char != "\ufffd" for char in plain) > 0.8 * len(plain)


def _gzip_members(data: bytes) -> Iterator[bytes]:
    at = data.find(GZIP_MAGIC)
    while at >= 0:
        unpacker = zlib.decompressobj(wbits=31)
        end = at + 1
        try:
            yield unpacker.decompress(data[at:], MAX_UNPACKED_BYTES)
            end = len(data) - len(unpacker.unused_data) if unpacker.eof else end
        except zlib.error:  # the same three bytes by chance
            pass
        at = data.find(GZIP_MAGIC, end)
