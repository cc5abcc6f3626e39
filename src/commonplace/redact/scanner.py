"""Scan bytes for secrets with every detector, in plain text and behind escapes, base64, hex and line breaks."""

from __future__ import annotations

import re
from array import array
from binascii import a2b_base64
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact import normalization, secret_values, structures
from commonplace.redact.assignments import find_assignments, find_described_values, find_pins, find_values_on_next_line
from commonplace.redact.exact_secrets import NO_SPELLINGS, SecretSpellings, contains_exact_secret, find_exact_secrets
from commonplace.redact.findings import DecodedView, SecretMatch
from commonplace.redact.patterns import compile_re, compile_re2, key_formats
from commonplace.redact.secret_values import is_made_of_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = (
    rb"(?i:\\u(?:00[0-9a-f]{2}|20(?:0[b-f]|2[a-e]|6[0-9a-f])|fe(?:ff|0[0-9a-f])|034f|061c|180[b-e]|db40\\udc[0-9a-f]{2}))"
    rb"|\\x[0-9a-fA-F]{2}|\\[\"'\\/bfnrt]|%[0-9a-fA-F]{2}"
    rb"|&(?:quot|amp|lt|gt|apos|#[0-9]{2,3}|#x[0-9a-fA-F]{2});"
)
_HTML_ENTITIES = {b"quot": b'"', b"amp": b"&", b"lt": b"<", b"gt": b">", b"apos": b"'"}
_ESCAPE_LETTERS = {rb"\b": b"\b", rb"\f": b"\f", rb"\n": b"\n", rb"\r": b"\r", rb"\t": b"\t"}
_BASE64 = r"[A-Za-z0-9+/_-]{20,}={0,2}"
_HEX = r"(?:[0-9a-fA-F]{2}){12,}"
_PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_MIN_PREFIX_CHARS = 4
_CONTINUATION = rb"[\"']?[ \t]*[\\+][ \t]*\r?\n[ \t]*[\"']?[A-Za-z0-9_/+=.-]{4,}"
_BREAK_LEFT = b" \t\r\\+\"'"
_BREAK_RIGHT = b" \t>|*#+\"'"
MAX_DECODE_DEPTH = 3  # an escaped base64 of a URL-encoded key is still looked into
_MIN_HINT_CHARS = 4
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def scan_bytes(
    data: bytes, spellings: SecretSpellings = NO_SPELLINGS, *, depth: int = MAX_DECODE_DEPTH
) -> list[SecretMatch]:
    """All findings, sorted and without overlaps; NUL bytes stand for what is masked already and are never crossed."""
    plain_matches = list(_scan_plain_bytes(data))
    if contains_exact_secret(data, spellings):
        plain_matches += find_exact_secrets(data, spellings)
    secret_matches = plain_matches.copy()
    if depth:
        for view in _decoded_views(data):
            secret_matches += _to_source_matches(view, scan_bytes(view.data, spellings, depth=depth - 1))
        if b"\n" in data:
            secret_matches += _find_wrapped_keys(data, spellings, depth, plain_matches)
    return merge_matches(secret_matches)


def _scan_plain_bytes(data: bytes) -> Iterator[SecretMatch]:
    """Findings that need no decoding."""
    yield from find_vendor_keys(data)
    yield from structures.find_key_blocks(data)
    yield from structures.find_url_passwords(data)
    yield from structures.find_command_line_logins(data)
    yield from find_assignments(data)
    yield from find_described_values(data)
    yield from find_pins(data)
    if b"\n" in data:
        yield from find_values_on_next_line(data)
        yield from structures.find_table_secrets(data)


def _decoded_views(data: bytes) -> Iterator[DecodedView]:
    if (b"\\" in data or b"%" in data or b"&" in data) and (
        view := normalization.view_replacing(data, _ESCAPES, _decode_escape)
    ):
        yield view
    if normalization.has_hidden_characters(data):
        if view := normalization.view_replacing(data, normalization.HIDDEN, lambda _hidden: b""):
            yield view
        if view := normalization.view_without_nuls(data):
            yield view
    if view := _view_decoded_blobs(data):
        yield view


def _find_wrapped_keys(
    data: bytes, spellings: SecretSpellings, depth: int, plain_matches: list[SecretMatch]
) -> list[SecretMatch]:
    """Keys that a line break, a continuation or a string concatenation runs through."""
    view = _view_joined_lines(data)
    prefixes = tuple(word.encode() for word, _ in find_keywords(view.data) if len(word) >= _MIN_PREFIX_CHARS)
    if prefixes:
        view = _view_joined_lines(data, prefixes)
    inner = list(find_vendor_keys(view.data))
    if contains_exact_secret(view.data, spellings):
        inner += find_exact_secrets(view.data, spellings)
    blobs = _view_decoded_blobs(view.data)
    if blobs:
        inner += _to_source_matches(blobs, scan_bytes(blobs.data, spellings, depth=depth - 1))
    sure = merge_matches(plain_matches)
    broken = (hit for hit in _to_source_matches(view, inner) if b"\n" in data[hit.start : hit.end])
    wrapped = [hit for hit in broken if _is_new_or_longer(data, hit, sure)]
    if sure and compile_re(_CONTINUATION).search(data):
        ends = {plain.start: plain.end for plain in sure}  # an assigned value that continues on the next line
        for hit in _to_source_matches(view, list(find_assignments(view.data))):
            end = ends.get(hit.start, hit.end)
            wrapped += [hit] if end < hit.end and compile_re(_CONTINUATION).match(data, end, hit.end) else []
    return wrapped


def _is_new_or_longer(data: bytes, hit: SecretMatch, plain_matches: list[SecretMatch]) -> bool:
    """Whether a broken key is new, or continues a plain match in a line that contains nothing else."""
    first = bisect_right(plain_matches, hit.start, key=lambda other: other.end)
    touched = [plain for plain in plain_matches[first : first + 2] if plain.start < hit.end]
    if not touched:
        return True
    if len(touched) > 1 or touched[0].start != hit.start or touched[0].end >= hit.end:
        return False
    more = compile_re(rb"[\s\"'+\\>]*\n[\s\"'>]*([A-Za-z0-9_/+=.-]{4,})").fullmatch(data[touched[0].end : hit.end])
    ends_there = data[hit.end : hit.end + 1] in b"\n\r\"' "
    return more is not None and ends_there and not (more[1].isdigit() or is_made_of_words(more[1]))


def _to_source_matches(view: DecodedView, matches: list[SecretMatch]) -> list[SecretMatch]:
    """Findings in a view as findings in the text that it was made of."""
    return [
        SecretMatch(hit.kind, view.starts[hit.start], view.ends[hit.end - 1], hit.secret, hit.rank)
        for hit in matches
        if hit.end > hit.start
    ]


def _decode_escape(escape: bytes) -> bytes:
    """The byte that a JSON, URL, HTML or source escape represents."""
    if escape[:1] == b"%":
        return bytes.fromhex(escape[1:].decode())
    if escape[:1] == b"&":
        name = escape[1:-1]
        if name in _HTML_ENTITIES:
            return _HTML_ENTITIES[name]
        code = int(name[2:], 16) if name[:2] == b"#x" else int(name[1:])
        return bytes((code & 0xFF,))
    if len(escape) > 2:
        code = int(escape[2:6], 16)
        return bytes((code if code < 256 else ord(normalization.HIDDEN_SIGN),))  # other characters that show nothing
    return _ESCAPE_LETTERS.get(escape, escape[1:])


def _view_joined_lines(data: bytes, prefixes: tuple[bytes, ...] = ()) -> DecodedView:
    """The text with line breaks, and what wraps a line around them, taken out, but for NUL before what starts a key."""
    out, starts, ends, at = [], array("I"), array("I"), 0
    lines = data.split(b"\n")
    for number, raw_line in enumerate(lines):
        left = len(raw_line) - len(raw_line.lstrip(_BREAK_RIGHT)) if number else 0
        right = len(raw_line.rstrip(_BREAK_LEFT)) if number + 1 < len(lines) else len(raw_line)
        if number and raw_line.startswith(prefixes, left):
            out.append(b"\x00")
            starts.append(at)
            ends.append(at)
        if right > left:
            out.append(raw_line[left:right])
            starts.extend(range(at + left, at + right))
            ends.extend(range(at + left + 1, at + right + 1))
        at += len(raw_line) + 1
    return DecodedView(b"".join(out), starts, ends)


def _view_decoded_blobs(data: bytes) -> DecodedView | None:
    """The decoded base64 and hex runs of a text, if readable, with NUL between them."""
    out, starts, ends = bytearray(), array("I"), array("I")
    for pattern, decode in ((_BASE64, _decode_base64), (_HEX, _decode_hex)):
        for match in compile_re2(pattern).finditer(data):
            start, end = match.span()
            text = decode(data[start:end])
            if text:
                out += text + b"\x00"
                starts.extend([start] * (len(text) + 1))
                ends.extend([end] * (len(text) + 1))
    return DecodedView(bytes(out), starts, ends) if out else None


def _decode_base64(blob: bytes) -> bytes:
    """The decoded text of a run of base64, with or without padding; empty if its beginning cannot be decoded."""
    text = b""
    for part in (blob[:24], blob):
        part = part.rstrip(b"=").translate(_URL_SAFE)
        part = part[:-1] if len(part) % 4 == 1 else part
        text = _readable_text(a2b_base64(part + b"=" * (-len(part) % 4)))
        if not text:
            break
    return text


def _decode_hex(blob: bytes) -> bytes:
    return _readable_text(bytes.fromhex(blob.decode("ascii"))) if blob[:1] in b"234567" else b""


def _readable_text(raw: bytes) -> bytes:
    """The text if nine bytes of ten are printable ASCII, else nothing; every second byte NUL is UTF-16."""
    if raw[1:2] == b"\x00" or raw[:1] == b"\x00":
        raw = raw.replace(b"\x00", b"")
    return raw if len(raw.translate(None, _PRINTABLE)) * 10 <= len(raw) else b""


def find_vendor_keys(data: bytes) -> Iterator[SecretMatch]:
    """Keys in a format that a vendor publishes."""
    rows = key_formats()
    for number in sorted({number for _, number in find_keywords(data)}):
        row = rows[number]
        for match in compile_re2(row.pattern).finditer(data):
            start, end = match.span(1 if match.re.groups else 0)
            secret = data[start:end]
            if _is_at_word_edges(data, start, end) and not _is_filler(secret, row.keywords):
                yield SecretMatch(row.kind, start, end, secret, 0)


def find_keywords(data: bytes) -> list[tuple[str, int]]:
    """The keywords in a text, with the numbers of their formats; none if no pattern can match."""
    if not compile_re2(_any_hint_pattern()).search(data):
        return []
    text = data.decode("latin-1")
    return [(word, number) for number, row in enumerate(key_formats()) for word in row.keywords if word in text]


def merge_matches(secret_matches: list[SecretMatch]) -> list[SecretMatch]:
    """The findings with overlapping ones merged; a merged one has the kind of the surest, then longest."""
    merged: list[SecretMatch] = []
    for secret_match in sorted(secret_matches, key=lambda hit: (hit.start, -hit.end)):
        if merged and secret_match.start < (left := merged[-1]).end:
            best = min(left, secret_match, key=lambda hit: (hit.rank, hit.start - hit.end))
            end = max(left.end, secret_match.end)
            merged[-1] = SecretMatch(best.kind, left.start, end, best.secret, best.rank)
        elif secret_match.end > secret_match.start:
            merged.append(secret_match)
    return merged


@cache
def _any_hint_pattern() -> str:
    """One pattern for all: a format's keywords, or its pattern where they are too short to mean anything."""
    hints: list[str] = []
    for row in key_formats():
        weak = min(map(len, row.keywords)) < _MIN_HINT_CHARS
        hints += [_loosen_repeats(row.pattern)] if weak else map(re.escape, row.keywords)
    return "|".join(hints)


def _loosen_repeats(pattern: str) -> str:
    """A pattern that matches wherever this one does and compiles faster: long repeats become short open ones."""
    return re.sub(r"\{([0-9]+)(,[0-9]*)?\}", lambda count: f"{{{min(int(count[1]), 12)},}}", pattern)


def _is_at_word_edges(data: bytes, start: int, end: int) -> bool:
    """Whether a match ends where the word ends and, unless its prefix is unmistakable, starts where one starts."""
    if end < len(data) and data[end] in _WORD_BYTES and data[end - 1] in _WORD_BYTES:
        return False
    # A key can start inside a word: `ghp_…`, `glpat-…`; `AKIA…`, `sk-…` may be the end of another word.
    is_distinct = b"_" in data[start + 1 : start + 5] or b"-" in data[start + 4 : start + 8]
    if start == 0 or data[start - 1] not in _WORD_BYTES or is_distinct:
        return True
    return data[max(0, start - 2) : start] in (rb"\n", rb"\t", rb"\r") or data[max(0, start - 3) : start - 2] == b"%"


def _is_filler(secret: bytes, keywords: tuple[str, ...]) -> bool:
    """Whether a key was blanked out, or is a name that only happens to have the shape of one."""
    if secret_values.has_filler(secret):
        return True
    weak = max(map(len, keywords)) < 4
    if weak and secret_values.is_made_of_words(secret, min_average_letters=4):
        return True
    letters = secret.translate(None, b"-_.")
    is_one_case = letters.isalpha() and (letters.islower() or letters.isupper())
    return is_one_case and (weak or keywords[0].endswith("-"))
