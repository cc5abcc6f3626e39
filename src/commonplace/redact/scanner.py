"""Find secrets in bytes: vendors' formats first, then key blocks, addresses, assignments, and what is encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.redact.assignments import find_assignments, find_below, find_far
from commonplace.redact.blocks import find_addresses, find_blocks, find_logins
from commonplace.redact.columns import find_columns
from commonplace.redact.forms import NONE, Forms, find_forms
from commonplace.redact.keys import find_keys, merge
from commonplace.redact.pins import find_pins
from commonplace.redact.views import find_encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.redact.found import Hit

DEPTH = 3  # an escaped base64 of a URL-encoded key is still looked into


def find(data: bytes, forms: Forms = NONE, *, depth: int = DEPTH) -> list[Hit]:
    """All findings, sorted and without overlaps; NUL bytes stand for what is masked already and are never crossed."""
    hits = list(find_forms(data, forms))
    hits += find_plain(data)
    if depth:
        hits += find_encoded(data, forms, depth=depth, known=hits, look=find)
    return merge(hits)


def find_plain(data: bytes) -> Iterator[Hit]:
    """Findings that need no decoding."""
    yield from find_keys(data)
    yield from find_blocks(data)
    yield from find_addresses(data)
    yield from find_logins(data)
    yield from find_assignments(data)
    yield from find_far(data)
    yield from find_pins(data)
    if b"\n" in data:
        yield from find_below(data)
        yield from find_columns(data)
