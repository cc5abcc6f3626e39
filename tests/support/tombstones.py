"""Tombstones of texts, left without forgetting any record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commonplace.storage.tombstones import append_tombstones, encode_tombstones, find_salt


def leave_tombstones(root: str, device: str, texts: Sequence[str], month: str) -> tuple[str, ...]:
    """Leave a tombstone of each text that has none of this device; returns the citations of the new ones."""
    path = Path(root, f".memory/tombstones-{device}.jsonl")
    salt = find_salt(root, device)
    before = len(path.read_bytes().splitlines()) if path.exists() else 0
    append_tombstones(root, device, salt, encode_tombstones(texts, salt, month))
    lines = path.read_bytes().splitlines() if path.exists() else []
    new = (number for number, line in enumerate(lines, 1) if number > before and b'"salt"' not in line)
    return tuple(f".memory/{path.name}#L{number}" for number in new)
