"""Which files of a workspace are copied: all that cannot be made anew and does not belong to one machine."""

from __future__ import annotations

import os
from collections.abc import Iterator

from commonplace.storage import files

STATE_FOLDER = ".memory"
JOURNAL_FOLDER, RECEIPT_FOLDER = f"{STATE_FOLDER}/journal/", f"{STATE_FOLDER}/receipts/"
TOMBSTONE_PREFIX = f"{STATE_FOLDER}/tombstones-"
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
# The key and what is made with it belong to the machine; the list of backups too; the rest can be made anew.
UNCOPIED_PREFIXES = tuple(
    f"{STATE_FOLDER}/{name}"
    for name in (
        "backups.json",
        "doing/",
        "index.sqlite",
        "key",
        "locks/",
        "masked",
        "model-cache/",
        "models-usage.json",
        "vectors.sqlite",
    )
)
# Markdown names captures, and heads name lines: what is named is copied after what names it, so that it is there.
_COPIED_LATE = (".head", "ledger-", "captures-", RECEIPT_FOLDER)


def walk_copied_files(root: str, folder_errors: list[OSError] | None = None) -> Iterator[str]:
    """The paths of the files and links to files that are copied, in the order in which that is to be done."""
    walked = files.walk_paths(root, skipped_folders=SKIPPED_FOLDERS, folder_errors=folder_errors)
    return iter(sorted((path for path in walked if _is_copied(path)), key=_copy_order))


def is_append_only(path: str) -> bool:
    """Whether lines are only ever added to a file, so that its last one may still be being written."""
    return path.startswith((JOURNAL_FOLDER, RECEIPT_FOLDER, TOMBSTONE_PREFIX)) and path.endswith(".jsonl")


def _is_copied(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(name) and not files.is_temporary_name(name) and not path.startswith(UNCOPIED_PREFIXES)


def _copy_order(path: str) -> tuple[int, str]:
    if not path.startswith((JOURNAL_FOLDER, RECEIPT_FOLDER)):
        return 0, path
    late = (mark in path for mark in _COPIED_LATE)
    return next((number for number, is_late in enumerate(late, 1) if is_late), 0), path


def printable_path(path: str) -> str:
    """A path as text: that of a file whose name is not valid UTF-8 is another."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
