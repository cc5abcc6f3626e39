"""Find canaries in the bytes of files, however they are written there; nothing of the product is used.

A canary is a word of five letters that number it and an ending that all have and nobody writes; the ending is looked
for. So one is found as well where an index keeps only what differs from the word before it.
"""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ENDING = "qzvkwx"
LETTERS = "bdfgjklmnp"
NUMBER_LETTERS = 5
VIEWS = ("plain", "base64", "hex", "UTF-16", "JSON-escaped", "URL-encoded", "gzip", "SQLite")
MAX_DEPTH = 3  # of archives in archives
UNKNOWN = -1
SCRATCH = tempfile.gettempdir()  # as it is before a run names another


class Hit(NamedTuple):
    """Where a canary is: a path, the view in which it was seen, and its number, as far as that could be read."""

    path: str
    view: str
    number: int


def canary_word(number: int) -> str:
    """The word of a canary; the same for one number, and another for each other."""
    digits = f"{number:0{NUMBER_LETTERS}d}"
    return "".join(LETTERS[int(digit)] for digit in digits) + ENDING


def number_of(text: str) -> int:
    """The number of the canary whose word a text ends with; UNKNOWN if it is not whole."""
    code = text.lower()[-len(ENDING) - NUMBER_LETTERS : -len(ENDING)]
    whole = len(code) == NUMBER_LETTERS and all(letter in LETTERS for letter in code)
    return int("".join(str(LETTERS.index(letter)) for letter in code)) if whole else UNKNOWN


def scan(folders: Iterable[Path]) -> list[Hit]:
    """Every hit in the files below folders, and in their names."""
    return [hit for folder in folders for path in _files_below(folder) for hit in scan_file(path)]


def scan_file(path: Path) -> Iterator[Hit]:
    """Every hit in one file and in its name; of a database also in its free pages, its log and its values."""
    named = str(path)
    yield from (Hit(named, "name", number) for number in _plain_numbers(named.encode("utf-8", "surrogateescape")))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    is_database = data.startswith(b"SQLite format 3\0")
    if is_database or path.name.endswith(("-wal", "-shm", "-journal")):
        for view, number in scan_bytes(data):
            yield Hit(named, "SQLite" if view == "plain" else view, number)
        if is_database:
            yield from (Hit(named, "SQLite", number) for number in _value_numbers(path))
    else:
        yield from (Hit(named, view, number) for view, number in scan_bytes(data))


def by_view(hits: Iterable[Hit]) -> Counter[str]:
    """The number of hits in each view."""
    return Counter(hit.view for hit in hits)


def by_store(hits: Iterable[Hit], root: Path) -> Counter[str]:
    """The number of hits in each folder of the workspace, and by the whole path elsewhere."""
    return Counter(_store_of(Path(hit.path), root) for hit in hits)


def _store_of(path: Path, root: Path) -> str:
    if not path.is_relative_to(root):
        return f"outside: {path.parent.name}/{path.name}"
    parts = path.relative_to(root).parts
    return "/".join(parts[:-1] or parts) if parts[0] == ".memory" and len(parts) > 2 else "/".join(parts)


def _files_below(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(above, name)
            if path.is_file() and not path.is_symlink():
                yield path


# views of bytes


def scan_bytes(data: bytes, depth: int = 0) -> Iterator[tuple[str, int]]:
    """(view, number) of each hit in bytes."""
    for number in _plain_numbers(data):
        yield "plain", number
    for pattern in _base64_patterns():
        for found in pattern.finditer(data):
            run = re.search(rb"[A-Za-z0-9+/_-]*$", data[max(0, found.start() - 12) : found.start()])
            rest = BASE64.match(data, found.start(), found.end() + 4)
            yield "base64", _decoded_number((run.group() if run else b"") + (rest.group() if rest else b""))
    for found in _HEX.finditer(data):
        before = data[max(0, found.start() - 2 * NUMBER_LETTERS) : found.end()]
        yield "hex", number_of(bytes.fromhex(before.decode()).decode("latin-1")) if _is_hex(before) else UNKNOWN
    for found in _UTF16.finditer(data):
        before = data[max(0, found.start() - 2 * NUMBER_LETTERS) : found.end()].replace(b"\0", b"")
        yield "UTF-16", number_of(before.decode("latin-1"))
    for view, pattern, escape in (("JSON-escaped", _JSON, _JSON_ESCAPE), ("URL-encoded", _URL, _URL_ESCAPE)):
        for found in pattern.finditer(data):
            if escape.search(found.group()):
                before = data[max(0, found.start() - 6 * NUMBER_LETTERS) : found.end()]
                plain = escape.sub(lambda one: bytes([int(one.group(1), 16)]), before)
                yield view, number_of(plain.decode("latin-1"))
    if depth < MAX_DEPTH:
        for inner in _packed(data):
            yield from (("gzip", number) for _view, number in scan_bytes(inner, depth + 1))


BASE64 = re.compile(rb"[A-Za-z0-9+/_-]*")
_PLAIN = re.compile(ENDING.encode(), re.IGNORECASE)
_HEX = re.compile(ENDING.encode().hex().encode(), re.IGNORECASE)
_UTF16 = re.compile(ENDING.encode("utf-16-le")[:-1], re.IGNORECASE)  # of either order of bytes
_JSON_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")
_URL_ESCAPE = re.compile(rb"%([0-7][0-9a-fA-F])")


def _escaped(form: str) -> re.Pattern[bytes]:
    """The ending, of which each letter may be escaped."""
    letters = (f"(?:{letter}|{form}(?i:{ord(letter):02x}|{ord(letter.upper()):02x}))" for letter in ENDING)
    return re.compile("".join(letters).encode(), re.IGNORECASE)


_JSON, _URL = _escaped(r"\\u00"), _escaped("%")


def _plain_numbers(data: bytes) -> Iterator[int]:
    for found in _PLAIN.finditer(data):
        yield number_of(data[max(0, found.start() - NUMBER_LETTERS) : found.end()].decode("latin-1"))


def _is_hex(data: bytes) -> bool:
    return not len(data) % 2 and re.fullmatch(rb"[0-9a-fA-F]*", data) is not None


@cache
def _base64_patterns() -> tuple[re.Pattern[bytes], ...]:
    """The characters that the ending alone decides, for each place in a group of three bytes at which it begins."""
    word = ENDING.encode()
    made = (
        base64.b64encode(b"\0" * shift + word)[-(-shift * 8 // 6) : (shift + len(word)) * 8 // 6] for shift in range(3)
    )
    return tuple(re.compile(re.escape(one).replace(b"\\+", b"[-+]").replace(b"/", b"[/_]")) for one in made)


def _decoded_number(run: bytes) -> int:
    """The number of a canary somewhere in characters of base64, of which nobody knows where a group begins."""
    text = run.replace(b"-", b"+").replace(b"_", b"/")
    for cut in range(4):
        part = text[cut:]
        if BASE64.fullmatch(part):
            data = base64.b64decode(part[: len(part) // 4 * 4])
            if (at := data.find(ENDING.encode())) >= 0:
                return number_of(data[: at + len(ENDING)].decode("latin-1"))
    return UNKNOWN


def _packed(data: bytes) -> Iterator[bytes]:
    """What is packed in bytes: members of gzip and streams of zlib at any place, members of a zip archive."""
    for found in re.finditer(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]", data):
        wbits = 31 if found.group().startswith(b"\x1f") else 15
        unpacking = zlib.decompressobj(wbits)
        made = bytearray()
        try:
            for at in range(found.start(), len(data), 1 << 16):
                made += unpacking.decompress(data[at : at + (1 << 16)])
                if unpacking.eof:
                    break
        except zlib.error:
            pass  # what came out before the damage counts
        if made:
            yield bytes(made)
    for found in re.finditer(rb"PK\x03\x04.{22}(..)(..)", data, re.DOTALL):
        start = found.end() + sum(int.from_bytes(size, "little") for size in found.groups())
        try:
            yield zlib.decompressobj(-15).decompress(data[start:])
        except zlib.error:
            continue  # stored, or no archive


def _value_numbers(path: Path) -> Iterator[int]:
    """The numbers in the values of a database, put together where pages part them. A copy is read: nothing is left."""
    with tempfile.TemporaryDirectory(prefix="scan-", dir=SCRATCH) as folder:
        for ending in ("", "-wal"):
            if (beside := path.with_name(path.name + ending)).exists():
                shutil.copyfile(beside, Path(folder, f"copy{ending}"))
        with closing(sqlite3.connect(Path(folder, "copy"))) as database:
            names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
            for name in names:
                with suppress(sqlite3.OperationalError):  # a table of a module that is not here: its own are read
                    for row in database.execute(f'select * from "{name}"'):
                        for value in row:
                            data = value.encode() if isinstance(value, str) else value
                            if isinstance(data, bytes):
                                yield from (number for _view, number in scan_bytes(data))


# the scanner itself


def planted_views(number: int) -> dict[str, list[bytes]]:
    """The bytes of a canary in each view, for the test of the scanner."""
    word = canary_word(number)
    line = f"The lamp {word} is lit.".encode()
    packed = zlib.compressobj(wbits=31)
    member = packed.compress(line) + packed.flush()
    again = zlib.compressobj(wbits=31)
    nested = again.compress(b"head" + member) + again.flush()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.txt", line)
    return {
        "plain": [line, line.upper()],
        "base64": [base64.b64encode(b"x" * shift + line) for shift in range(3)]
        + [base64.urlsafe_b64encode(b"\xff" * shift + line) for shift in range(3)],
        "hex": [line.hex().encode(), line.hex().upper().encode()],
        "UTF-16": [line.decode().encode("utf-16-le"), line.decode().encode("utf-16-be")],
        "JSON-escaped": [_escape(word, "\\u{:04x}", 1), _escape(word, "\\u{:04X}", 2)],
        "URL-encoded": [_escape(word, "%{:02X}", 1), _escape(word, "%{:02x}", 3)],
        "gzip": [b"before" + member + b"after", nested, zlib.compress(line), archive.getvalue()],
    }


def _escape(word: str, form: str, step: int) -> bytes:
    """A word, of which each so many-th letter is escaped."""
    return "".join(one if at % step else form.format(ord(one)) for at, one in enumerate(word)).encode()


def plant_in_database(path: Path, number: int, *, vacuum: bool = False) -> None:
    """A database that held a canary in a row, which was deleted."""
    database = sqlite3.connect(path)
    database.execute("pragma secure_delete = off")
    database.execute("create table said (text text)")
    database.executemany("insert into said values (?)", [(f"the {word} lamp " * 40,) for word in ["a"] * 40])
    database.execute("insert into said values (?)", (f"{canary_word(number)} " + "and so on " * 900,))
    database.commit()
    database.execute("delete from said")
    database.commit()
    if vacuum:
        database.execute("vacuum")
    database.close()
