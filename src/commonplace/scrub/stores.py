"""Which files of a workspace can hold a secret, and what each of them is."""

from __future__ import annotations

import os
from collections.abc import Iterator

from commonplace.scrub.findings import Store

STATE = ".memory"
SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
PROSE = (".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".org", ".adoc")  # a placeholder breaks nothing there
_NOT_READ = (f"{STATE}/index.sqlite", f"{STATE}/vectors.sqlite", f"{STATE}/locks/", f"{STATE}/key")
_STORES: tuple[tuple[str, Store], ...] = (
    (f"{STATE}/journal/", "journal"),
    (f"{STATE}/receipts/", "receipt"),
    (f"{STATE}/changes/", "change"),
    (f"{STATE}/artifacts/", "artifact"),
    (f"{STATE}/", "state"),
)


def paths(root: str, troubles: list[OSError] | None = None) -> Iterator[str]:
    """Every plain file below the root in order, but for version control, derived files and `.env`, where secrets live.

    Links are not followed: what they name within the root is met there. `troubles` takes the folders that cannot be
    read.
    """
    for folder, folders, names in os.walk(root, onerror=None if troubles is None else troubles.append):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        below = os.path.relpath(folder, root)
        for name in sorted(names):
            path = name if below == "." else f"{below}/{name}"
            whole = f"{folder}/{name}"
            if is_read(path) and not os.path.islink(whole) and os.path.isfile(whole):
                yield path


def is_read(path: str) -> bool:
    """Whether a file is looked into."""
    name = path.rpartition("/")[2]
    is_environment = name == ".envrc" or name == ".env" or (name.startswith(".env.") and not name.endswith(".example"))
    return not (is_environment or path.startswith(_NOT_READ))


def store_of(path: str) -> Store:
    """What a file is."""
    for start, store in _STORES:
        if path.startswith(start):
            return store
    return "text" if is_prose(path) else "settings"


def is_lines(path: str) -> bool:
    """Whether a file of ours is JSON, one object a line."""
    return path.startswith(f"{STATE}/") and path.endswith((".json", ".jsonl", ".head"))


def is_prose(path: str) -> bool:
    """Whether people read the file rather than programs."""
    return path.lower().endswith(PROSE)


def shown(path: str) -> str:
    """A path as text: names of files may be any bytes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
