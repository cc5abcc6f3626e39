"""Compile patterns when they are first needed."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def compile_re2(pattern: str) -> Any:
    """RE2 over Latin-1 bytes: linear in time, and one byte is one character, so offsets need no translation."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode(), options)
