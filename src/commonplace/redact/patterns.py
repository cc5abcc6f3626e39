"""Compile patterns and read tables when they are first needed."""

from __future__ import annotations

import os
from functools import cache
from io import FileIO
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import json

if TYPE_CHECKING:
    import re
Table = TypeVar("Table")


def read_table(name: str, shape: type[Table]) -> Table:
    """Return the table `data/<name>.json`. Raises msgspec.ValidationError for an unknown or missing field."""
    with FileIO(os.path.join(os.path.dirname(__file__), "data", f"{name}.json")) as file:
        return json.decode(file.readall(), type=shape)


@cache
def compile_re(pattern: str | bytes, flags: int = 0) -> re.Pattern[Any]:
    """Python's own engine, for short windows, and for patterns in which no repeat contains another."""
    import re

    return re.compile(pattern, flags)


@cache
def compile_re2(pattern: str) -> Any:
    """RE2 over Latin-1 bytes: linear in time, and one byte is one character, so offsets need no translation."""
    return make_re2(pattern.encode())


def make_re2(pattern: bytes, *, max_bytes: int = 8 << 20) -> Any:
    """An RE2 pattern that no cache retains; `max_bytes` bounds its memory."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = max_bytes
    return re2.compile(pattern, options)
