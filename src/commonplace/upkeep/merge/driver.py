"""The merge driver for git: three versions of a file become one, by the kind of the file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct, to_builtins

from commonplace.storage import files, journal
from commonplace.upkeep.merge import journals, markdown

STATE_FOLDER = ".memory/"


class MergeIntent(Struct, frozen=True):
    """What is left to do for a file that was merged: pairs of lines that are to be asked about, and, of a copy that is
    being united with it, where that is and where it goes."""

    merged_path: str
    reworded: tuple[tuple[str, str], ...]
    copy_path: str = ""
    copy_target: str = ""


def run_merge_driver(root: str, path: str, version_paths: Sequence[str]) -> None:
    """Write the merged version over ours. What is in other files is done at the next start: git writes them just then.

    `path` is relative to the working folder; the versions are the common one, ours, theirs. Raises NotFound.
    """
    places = [os.path.split(os.path.abspath(name)) for name in version_paths]
    path = os.path.relpath(os.path.realpath(path), os.path.realpath(root)).replace(os.sep, "/")
    merged = merge_versions(path, *(files.read_file(*place) for place in places))
    files.write_atomic(*places[1], merged.data, durable=False)
    if merged.reworded or path.rpartition("/")[0] in journal.CHAIN_FOLDERS.values():
        intent = encode_intent(MergeIntent(path, merged.reworded))
        files.create_file(root, f"{files.INTENT_FOLDER}/{files.content_digest(intent)}", intent)


def merge_versions(path: str, base: bytes, ours: bytes, theirs: bytes) -> markdown.MergedPage:
    """The merged version of a file, by its kind; of two heads any, until they are made anew."""
    name = path.rpartition("/")[2]
    if path.endswith(".md"):
        return markdown.merge_markdown(path, base, ours, theirs)
    if name.endswith((".yaml", ".yml")):
        texts = (data.decode("utf-8", "surrogateescape") for data in (base, ours, theirs))
        return markdown.MergedPage(markdown.merge_entries(*texts).encode("utf-8", "surrogateescape"))
    if path.startswith(STATE_FOLDER) and name.endswith(".jsonl"):
        merge = journals.merge_tombstones if name.startswith("tombstones-") else journals.merge_journal
        return markdown.MergedPage(merge(ours, theirs))
    return markdown.MergedPage(
        max(ours, theirs) if name.endswith(".head") else journals.merge_state(base, ours, theirs)
    )


def encode_intent(intent: MergeIntent) -> bytes:
    """The note of what is left to do for a merged file."""
    return journal.encode_journal_line(to_builtins(intent))
