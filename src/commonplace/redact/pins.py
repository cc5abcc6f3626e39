"""Personal numbers of four to eight digits, only where the word PIN stands: `PIN: 4821`, `pin code 4821`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact import judge
from commonplace.redact.found import Hit
from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_PIN = (  # behind a mere space only a `pin code` or the PIN of something: `PIN 8080` may be anything
    r"(?i)(?:^|[^a-z0-9$.])"
    r"(?:(?:(?:my|our|his|her|sim|card|bank|door|gate|alarm|safe|atm)[ _-]pin|pin[ _-]?{code})[ \t]+|"
    r"pin(?:[ _-]?{code})?[\"'`]?(?:\*\*)?(?:[ \t]+\([^()\n\x00]{1,30}\))?"
    r"(?:[ \t]+(?:for|of|f\xfcr|de|du|der|zum)[ \t]+[^\n:=\x00]{1,40}?)?"
    r"(?:[ \t]*(?:\*\*)?(?:[:=|]|[-=]>)(?:\*\*)?[ \t]*|[ \t]+(?:is|was|is now|ist|lautet|est|es)[ \t]*:?[ \t]+))"
    r"[\"'`]?([0-9]{4,8})"
)
_CODE = r"(?:code|cod|number|nummer|nr|kod|\?{3})"
_NO_END = (  # a number goes on, or is one of something
    rb"[A-Za-z0-9_%/\xb0-]|[.,:][0-9A-Za-z]|[ \t]?(?:of|and|to|x|times|[kmM]?(?:Ah?|V|W|[Oo]hms?|Hz|mm?|g))\b"
)
_NO_SECRET = rb"(?i)\b(?:gpio|rolling|postal|zip|area)[ _-]$"  # what is no personal number


def find_pins(data: bytes) -> Iterator[Hit]:
    """Numbers behind the word PIN and a sign, or what says that they are its value."""
    for match in compiled(_PIN.replace("{code}", _CODE)).finditer(data):
        start, end = match.span(1)
        before = data[max(0, match.start() - 8) : match.start() + 1]
        if (
            judge.is_secret(match[1], "pin")
            and not _pattern(_NO_END).match(data, end)
            and not _pattern(_NO_SECRET).search(before)
        ):
            yield Hit("password", start, end, match[1], 2)


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    import re

    return re.compile(pattern)
