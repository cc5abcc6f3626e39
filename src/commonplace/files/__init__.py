"""The only room that opens paths in a workspace: bounded reads, atomic writes, fenced appends, moves and locks."""

from __future__ import annotations

from commonplace.files.content import (
    MOST_BYTES,
    append_line,
    append_lines,
    create,
    create_missing,
    find,
    make_private,
    move,
    piece,
    read,
    remove,
    secret,
    sizes,
    write_atomic,
)
from commonplace.files.locks import LOCKS, WAIT_S, hold, lock, lock_name
from commonplace.files.named import named
from commonplace.files.paths import digest, normal

__all__ = [
    "LOCKS",
    "MOST_BYTES",
    "WAIT_S",
    "append_line",
    "append_lines",
    "create",
    "create_missing",
    "digest",
    "find",
    "hold",
    "lock",
    "lock_name",
    "make_private",
    "move",
    "named",
    "normal",
    "piece",
    "read",
    "remove",
    "secret",
    "sizes",
    "write_atomic",
]
