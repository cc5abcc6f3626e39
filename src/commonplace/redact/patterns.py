"""Compile patterns and read tables when they are first needed."""

from __future__ import annotations

import os
import re
from functools import cache
from io import FileIO
from typing import Any, TypeVar

from msgspec import json

Table = TypeVar("Table")


def read_table(name: str, shape: type[Table]) -> Table:
    """Return the table `data/<name>.json`. Raises msgspec.ValidationError for an unknown or missing field."""
    with FileIO(os.path.join(os.path.dirname(__file__), "data", f"{name}.json")) as file:
        return json.decode(file.readall(), type=shape)


@cache
def compile_re(pattern: str | bytes) -> re.Pattern[Any]:
    """A pattern of Python's own engine: for short windows, or without a repeat inside another."""
    return re.compile(pattern)


@cache
def compile_re2(pattern: str) -> Any:
    """A pattern of RE2 over Latin-1: its time is linear, and a byte is a character, so offsets are equal."""
    return make_re2(pattern.encode())


def make_re2(pattern: bytes, *, max_bytes: int = 8 << 20) -> Any:
    """An RE2 pattern that no cache retains; `max_bytes` bounds its memory."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = max_bytes
    return re2.compile(pattern, options)
