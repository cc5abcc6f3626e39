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
    remove_empty,
    renewed_secret,
    secret,
    sizes,
    write_atomic,
    write_sealed,
)
from commonplace.files.doing import doing, tidy, undone
from commonplace.files.foreign import (
    Foreign,
    back_up,
    kept_names,
    left_beside,
    openness,
    read_foreign,
    remove_foreign,
    write_foreign,
)
from commonplace.files.locks import LOCKS, WAIT_S, hold, lock, lock_name
from commonplace.files.named import named, own
from commonplace.files.paths import digest, entries, is_missing, make_folders, normal
from commonplace.files.swap import MovedOn

__all__ = [
    "LOCKS",
    "MOST_BYTES",
    "WAIT_S",
    "Foreign",
    "MovedOn",
    "append_line",
    "append_lines",
    "back_up",
    "create",
    "create_missing",
    "digest",
    "doing",
    "entries",
    "find",
    "flush",
    "hold",
    "is_missing",
    "kept_names",
    "left_beside",
    "lock",
    "lock_name",
    "make_folders",
    "make_private",
    "move",
    "named",
    "normal",
    "openness",
    "own",
    "piece",
    "read",
    "read_foreign",
    "remove",
    "remove_empty",
    "remove_foreign",
    "renewed_secret",
    "secret",
    "sizes",
    "tidy",
    "undone",
    "write_atomic",
    "write_foreign",
    "write_sealed",
]
