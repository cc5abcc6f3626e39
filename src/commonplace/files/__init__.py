"""The only room that opens paths in a workspace: bounded reads, atomic writes, fenced appends, moves and locks."""

from __future__ import annotations

from commonplace.files.content import (
    MOST_BYTES,
    append_line,
    append_lines,
    create,
    create_missing,
    find,
    flush,
    make_private,
    move,
    piece,
    read,
    remove,
    renewed_secret,
    secret,
    sizes,
    write_atomic,
    write_sealed,
)
from commonplace.files.doing import doing, tidy, undone
from commonplace.files.locks import LOCKS, WAIT_S, hold, lock, lock_name
from commonplace.files.named import named, own
from commonplace.files.paths import digest, make_folders, normal
from commonplace.files.swap import MovedOn

__all__ = [
    "LOCKS",
    "MOST_BYTES",
    "WAIT_S",
    "MovedOn",
    "append_line",
    "append_lines",
    "create",
    "create_missing",
    "digest",
    "doing",
    "find",
    "flush",
    "hold",
    "lock",
    "lock_name",
    "make_folders",
    "make_private",
    "move",
    "named",
    "normal",
    "own",
    "piece",
    "read",
    "remove",
    "renewed_secret",
    "secret",
    "sizes",
    "tidy",
    "undone",
    "write_atomic",
    "write_sealed",
]
