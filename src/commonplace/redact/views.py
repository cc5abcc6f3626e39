"""Look behind encodings: escapes, what shows nothing, wrapped lines, base64 and hex are decoded and searched.

A view is decoded bytes with, for each byte, where its source starts and ends in the text above it.
"""

from __future__ import annotations

from array import array
from binascii import a2b_base64
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact.assignments import find_assignments
from commonplace.redact.forms import NONE, Forms, find_forms
from commonplace.redact.found import Hit, View
from commonplace.redact.hidden import SIGN, hides, shown, unspaced
from commonplace.redact.judge import is_wordy
from commonplace.redact.keys import find_keys, literals_in, merge
from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import Protocol

    class Look(Protocol):
        """A search that a view is handed to: that of `scanner.find`."""

        def __call__(self, data: bytes, forms: Forms = NONE, *, depth: int = 0) -> list[Hit]:
            """Findings in decoded bytes, looking `depth` encodings deeper."""


_ESCAPES = (
    rb"(?i:\\u(?:00[0-9a-f]{2}|20(?:0[b-f]|2[a-e]|6[0-9a-f])|fe(?:ff|0[0-9a-f])|034f|061c|180[b-e]|db40\\udc[0-9a-f]{2}))"
    rb"|\\x[0-9a-fA-F]{2}|\\[\"'\\/bfnrt]|%[0-9a-fA-F]{2}"
    rb"|&(?:quot|amp|lt|gt|apos|#[0-9]{2,3}|#x[0-9a-fA-F]{2});"
)
_NAMED = {b"quot": 34, b"amp": 38, b"lt": 60, b"gt": 62, b"apos": 39}
_LETTERS = {98: 8, 102: 12, 110: 10, 114: 13, 116: 9}
_BASE64 = r"[A-Za-z0-9+/_-]{20,}={0,2}"
_HEX = r"(?:[0-9a-fA-F]{2}){12,}"
_PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_TELLING_PREFIX = 4
_CONTINUED = rb"[\"']?[ \t]*[\\+][ \t]*\r?\n[ \t]*[\"']?[A-Za-z0-9_/+=.-]{4,}"
_BREAK_LEFT = b" \t\r\\+\"'"
_BREAK_RIGHT = b" \t>|*#+\"'"


def find_encoded(data: bytes, forms: Forms, *, depth: int, known: list[Hit], look: Look) -> list[Hit]:
    """Findings in the decoded views of a text, with the outer spans that hold them; `known` are in plain sight."""
    hits: list[Hit] = []
    for view in _views(data):
        hits += _outer(view, look(view.data, forms, depth=depth - 1))
    if b"\n" in data:
        hits += _find_wrapped(data, forms, depth=depth, known=known, look=look)
    return hits


def _views(data: bytes) -> Iterator[View]:
    escaped = b"\\" in data or b"%" in data or b"&" in data
    hidden = hides(data)
    for view in (
        _unescape(data) if escaped else None,
        shown(data) if hidden else None,
        unspaced(data) if hidden else None,
        _decode_blobs(data),
    ):
        if view:
            yield view


def _find_wrapped(data: bytes, forms: Forms, *, depth: int, known: list[Hit], look: Look) -> list[Hit]:
    """Keys that a line break, a continuation or a string concatenation runs through."""
    view = _join_lines(data)
    prefixes = tuple(literal.encode() for literal, _ in literals_in(view.data) if len(literal) >= _TELLING_PREFIX)
    if prefixes:
        view = _join_lines(data, prefixes)
    inner = [*find_forms(view.data, forms), *find_keys(view.data)]
    blobs = _decode_blobs(view.data)
    if blobs:
        inner += _outer(blobs, look(blobs.data, forms, depth=depth - 1))
    broken = [hit for hit in _outer(view, inner) if b"\n" in data[hit.start : hit.end]]
    sure = merge(list(known))
    found = [hit for hit in broken if _adds(data, hit, sure)]
    if sure and _pattern(_CONTINUED).search(data):
        found += [hit for hit in _outer(view, list(find_assignments(view.data))) if _goes_on(data, hit, sure)]
    return found


def _goes_on(data: bytes, hit: Hit, known: list[Hit]) -> bool:
    """Whether an assigned value is a known one that a sign of continuation at a line's end carries on."""
    first = bisect_right(known, hit.start, key=lambda other: other.end)
    same = known[first : first + 1]
    if not same or same[0].start != hit.start or same[0].end >= hit.end:
        return False
    return _pattern(_CONTINUED).match(data, same[0].end, hit.end) is not None


def _adds(data: bytes, hit: Hit, known: list[Hit]) -> bool:
    """Whether a broken key is new, or carries a known one on into a line of nothing but key."""
    first = bisect_right(known, hit.start, key=lambda other: other.end)
    touched = [other for other in known[first : first + 2] if other.start < hit.end]
    if not touched:
        return True
    if len(touched) > 1 or touched[0].start != hit.start or touched[0].end >= hit.end:
        return False
    more = _pattern(rb"[\s\"'+\\>]*\n[\s\"'>]*([A-Za-z0-9_/+=.-]{4,})").fullmatch(data[touched[0].end : hit.end])
    ends_there = data[hit.end : hit.end + 1] in b"\n\r\"' "
    return more is not None and ends_there and not (more[1].isdigit() or is_wordy(more[1]))


def _outer(view: View, hits: list[Hit]) -> list[Hit]:
    """Findings in a view as findings in the text that it was made of."""
    return [
        Hit(hit.kind, view.starts[hit.start], view.ends[hit.end - 1], hit.secret, hit.rank)
        for hit in hits
        if hit.end > hit.start
    ]


def _unescape(data: bytes) -> View | None:
    """The text without its JSON, URL, HTML and source escapes; nothing if it has none."""
    out, starts, ends, last = bytearray(), array("I"), array("I"), 0
    for match in _pattern(_ESCAPES).finditer(data):
        start, end = match.span()
        out += data[last:start]
        starts.extend(range(last, start))
        ends.extend(range(last + 1, start + 1))
        out.append(_unescaped(match.group()))
        starts.append(start)
        ends.append(end)
        last = end
    if not last:
        return None
    out += data[last:]
    starts.extend(range(last, len(data)))
    ends.extend(range(last + 1, len(data) + 1))
    return View(bytes(out), starts, ends)


def _unescaped(escape: bytes) -> int:
    if escape[:1] == b"%":
        return int(escape[1:], 16)
    if escape[:1] == b"&":
        name = escape[1:-1]
        number = name[2:] if name[:2] == b"#x" else name[1:]
        return _NAMED[name] if name in _NAMED else int(number, 16 if name[1:2] == b"x" else 10) & 0xFF
    if len(escape) > 2:
        code = int(escape[2:6], 16)
        return code if code < 256 else ord(SIGN)  # the escapes of other characters that show nothing
    return _LETTERS.get(escape[1], escape[1])


def _join_lines(data: bytes, prefixes: tuple[bytes, ...] = ()) -> View:
    """The text with line breaks, and what wraps a line around them, taken out, but for NUL before what starts a key."""
    out, starts, ends, at = [], array("I"), array("I"), 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        left = len(line) - len(line.lstrip(_BREAK_RIGHT)) if number else 0
        right = len(line.rstrip(_BREAK_LEFT)) if number + 1 < len(lines) else len(line)
        if number and line.startswith(prefixes, left):
            out.append(b"\x00")
            starts.append(at)
            ends.append(at)
        if right > left:
            out.append(line[left:right])
            starts.extend(range(at + left, at + right))
            ends.extend(range(at + left + 1, at + right + 1))
        at += len(line) + 1
    return View(b"".join(out), starts, ends)


def _decode_blobs(data: bytes) -> View | None:
    """What base64 and hex runs of a text say, where it is readable; NUL between them."""
    out, starts, ends = bytearray(), array("I"), array("I")
    for pattern, decode in ((_BASE64, _decode_base64), (_HEX, _decode_hex)):
        for match in compiled(pattern).finditer(data):
            start, end = match.span()
            text = decode(data[start:end])
            if text:
                out += text + b"\x00"
                starts.extend([start] * (len(text) + 1))
                ends.extend([end] * (len(text) + 1))
    return View(bytes(out), starts, ends) if out else None


def _decode_base64(blob: bytes) -> bytes:
    if not _readable(_raw_base64(blob[:24])):
        return b""
    return _readable(_raw_base64(blob))


def _raw_base64(blob: bytes) -> bytes:
    blob = blob.rstrip(b"=").translate(_URL_SAFE)
    if len(blob) % 4 == 1:
        blob = blob[:-1]
    return a2b_base64(blob + b"=" * (-len(blob) % 4))


def _decode_hex(blob: bytes) -> bytes:
    return _readable(bytes.fromhex(blob.decode("ascii"))) if blob[:1] in b"234567" else b""


def _readable(raw: bytes) -> bytes:
    """The text, or nothing where it is none; every second byte NUL is UTF-16."""
    if raw[1:2] == b"\x00" or raw[:1] == b"\x00":
        raw = raw.replace(b"\x00", b"")
    return raw if _is_readable(raw) else b""


def _is_readable(raw: bytes) -> bool:
    """Whether nine bytes of ten are printable ASCII."""
    return len(raw.translate(None, _PRINTABLE)) * 10 <= len(raw)


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Python's own engine: these patterns have no choice to go back on."""
    import re

    return re.compile(pattern)
