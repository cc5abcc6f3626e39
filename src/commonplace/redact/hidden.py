"""Characters that show nothing and hide a secret in which they stand: soft hyphens, zero widths, controls, NULs."""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact.found import View

if TYPE_CHECKING:
    import re

SIGN = "\xad"  # stands for every invisible character, so that one byte stays one character

_CONTROLS = bytes({*range(1, 32), *range(127, 160), 0xAD} - {*b"\t\n\r", 0x85})
_INVISIBLE = (
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_UTF8 = (  # the same in decoded bytes, where they are spelled out
    rb"\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\xa0[\x8b-\x8e]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf"
)
_HIDDEN = rb"(?:" + _UTF8 + rb"|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad])+"
_SPACED = rb"(?:[\t\n\r -~]\x00){12,}|(?:\x00[\t\n\r -~]){12,}"


def signed(text: str) -> str:
    """The text with the sign in place of each invisible character."""
    return text if text.isascii() else _invisible().sub(SIGN, text)


def hides(data: bytes) -> bool:
    """Whether something in a text shows nothing."""
    if len(data.translate(None, _CONTROLS)) != len(data) or b"\xe2\x80" in data:
        return _pattern(_HIDDEN).search(data) is not None
    return b"\x00" in data and _pattern(_SPACED).search(data) is not None


def shown(data: bytes) -> View | None:
    """The text without what shows nothing; None if there is no such thing."""
    return _without(data, _HIDDEN)


def unspaced(data: bytes) -> View | None:
    """What has a NUL at each second place, as UTF-16 where it was taken for bytes; NUL between the runs."""
    out, starts, ends = bytearray(), array("I"), array("I")
    for run in _pattern(_SPACED).finditer(data) if b"\x00" in data else ():
        first, last = run.span()
        out += run.group().replace(b"\x00", b"") + b"\x00"
        starts.extend(range(first, last, 2))
        ends.extend(range(first + 2, last + 2, 2))
        starts.append(last)
        ends.append(last)
    return View(bytes(out), starts, ends) if out else None


def _without(data: bytes, pattern: bytes) -> View | None:
    out, starts, last = bytearray(), array("I"), 0
    for match in _pattern(pattern).finditer(data):
        out += data[last : match.start()]
        starts.extend(range(last, match.start()))
        last = match.end()
    if not last:
        return None
    out += data[last:]
    starts.extend(range(last, len(data)))
    return View(bytes(out), starts, array("I", (place + 1 for place in starts)))


@cache
def _invisible() -> re.Pattern[str]:
    import re

    return re.compile(_INVISIBLE)


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Python's own engine: these patterns have no choice to go back on."""
    import re

    return re.compile(pattern)
