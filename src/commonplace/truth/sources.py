"""Find lines that rest on something that changed: a source that was superseded, undone or removed."""

from __future__ import annotations

from msgspec import Struct

from commonplace.index import Index
from commonplace.model import Record
from commonplace.storage.workspace import ID_ALPHABET, is_valid_id

CAPTURE_PREFIX = "obs:"
DERIVED_ID_CHARS = 12  # of a line without an `id:`


class ChangedSource(Struct, frozen=True):
    """A source that changed: its id, the id of what supersedes it (empty if it was removed), and the source of the line
    through which the line rests on it."""

    id: str
    superseded_by: str
    through: str


def names_record(source: str) -> bool:
    """Whether a source names a capture or a record, and no file, address or other thing."""
    if source.startswith(CAPTURE_PREFIX):
        return True
    is_derived = len(source) == DERIVED_ID_CHARS and set(source) <= set(ID_ALPHABET)
    return is_valid_id(source) and (is_derived or any(map(str.isdigit, source)))


def find_changed_source(record: Record, index: Index) -> ChangedSource | None:
    """The first source of a record that changed, or that rests on one that did; None if all are as they were.

    A source that the line itself, or another source of it, supersedes is no change: the line knows what replaced it.
    """
    visited = {record.id}
    pending = [(record, source, source) for source in record.sources]
    for line, source_id, through in pending:
        source = index.find(source_id)
        if source is None:
            if _was_removed(source_id, index):
                return ChangedSource(source_id, "", through)
            continue
        if source.superseded_by and source.superseded_by not in (line.id, *line.sources):
            return ChangedSource(source_id, source.superseded_by, through)
        if source.id not in visited:
            visited.add(source.id)
            pending += [(source, one, through) for one in source.sources]
    return None


def _was_removed(source_id: str, index: Index) -> bool:
    """Whether an id without a record had one. Where there are no captures, the journals are elsewhere."""
    if not source_id.startswith(CAPTURE_PREFIX):
        return names_record(source_id)
    return index.capture_count() > 0 and not index.find_captured_keys((source_id,))
