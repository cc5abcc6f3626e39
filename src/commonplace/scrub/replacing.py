"""Texts and lines without their secrets, and a diff that shows none of them; pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from commonplace import journal
from commonplace.redact import Found
from commonplace.redact import scan as secrets_in
from commonplace.scrub.eye import Eye, cleaned_fields

_PACKED = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")


def secrets_of(eye: Eye, data: bytes) -> tuple[str, tuple[Found, ...]]:
    """The text of a file that is plain UTF-8, whatever else is in it, and its secrets; none of any other file."""
    if data.startswith(_PACKED) or b"\x00" in data:
        return "", ()
    text = data.decode("utf-8", "surrogateescape")
    return text, secrets_in(text, key=eye.key, exact=eye.exact)


def cleaned_text(eye: Eye, data: bytes) -> tuple[bytes, int]:
    """The bytes of a text with placeholders in place of its secrets, and how many; every other byte stays."""
    text, found = secrets_of(eye, data)
    if not found:
        return data, 0
    return _with(text, found, _placeholder).encode("utf-8", "surrogateescape"), len(found)


def diff_of(path: str, text: str, found: tuple[Found, ...]) -> str:
    """A unified diff without context, in whose old lines each secret is blotted out: `‹github-pat, 40 characters›`."""
    breaks = [place for place, char in enumerate(text) if char == "\n"]
    lines = [f"--- a/{path}", f"+++ b/{path}"]
    shift = 0
    for first, last, group in _groups(breaks, found):
        start = breaks[first - 1] + 1 if first else 0
        end = breaks[last] if last < len(breaks) else len(text)
        inner = tuple(Found(one.kind, one.start - start, one.end - start, one.placeholder) for one in group)
        old = _with(text[start:end], inner, _blot).split("\n")
        new = _with(text[start:end], inner, _placeholder).split("\n")
        lines.append(f"@@ -{first + 1},{last - first + 1} +{first + 1 + shift},{len(new)} @@")
        lines += [*("-" + line for line in old), *("+" + line for line in new)]
        shift += len(new) - (last - first + 1)
    return "\n".join(lines).encode("utf-8", "replace").decode()


def cleaned_lines(eye: Eye, data: bytes) -> tuple[bytes, int]:
    """A file of JSON lines without its secrets, and how many there were; sealed lines are sealed anew."""
    done = [cleaned_line(eye, line) for line in data.split(b"\n")]
    return b"\n".join(line for line, _ in done), sum(count for _, count in done)


def cleaned_line(eye: Eye, line: bytes) -> tuple[bytes, int]:
    """One line of JSON, or of what should be that, without its secrets."""
    fields = journal.parse(line) if line else ""
    if not isinstance(fields, dict):
        return cleaned_text(eye, line)
    clean, found = cleaned_fields(eye, fields)
    if not found:
        return line, 0
    sealed = journal.encode(clean)
    if journal.is_sealed(line):
        return sealed, len(found)
    from msgspec import json

    return json.encode(clean), len(found)


def _groups(breaks: list[int], found: tuple[Found, ...]) -> Iterator[tuple[int, int, list[Found]]]:
    """Findings that share lines, with the first and last of these, counted from 0."""
    first, last, group = 0, -1, list[Found]()
    for one in found:
        line, end = bisect_right(breaks, one.start - 1), bisect_right(breaks, one.end - 1)
        if group and line > last:
            yield first, last, group
            group = []
        first = first if group else line
        last = end
        group.append(one)
    if group:
        yield first, last, group


def _with(text: str, found: tuple[Found, ...], instead: Callable[[Found], str]) -> str:
    pieces, last = [], 0
    for one in found:
        pieces += [text[last : one.start], instead(one)]
        last = one.end
    return "".join([*pieces, text[last:]])


def _placeholder(found: Found) -> str:
    return found.placeholder


def _blot(found: Found) -> str:
    return f"‹{found.kind}, {found.end - found.start} characters›"
