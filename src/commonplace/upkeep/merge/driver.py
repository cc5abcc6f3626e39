"""The merge driver for git: three versions of a file become one, by the kind of the file."""

from __future__ import annotations

import os

from msgspec import Struct, to_builtins

from commonplace.storage import files, journal
from commonplace.upkeep.merge import journals, markdown

STATE_FOLDER = ".memory/"


class DriverFiles(Struct, frozen=True):
    """What git gives a merge driver: the files with the common version, ours and theirs, and the path of the file."""

    base: str
    ours: str
    theirs: str
    path: str


class MergeIntent(Struct, frozen=True):
    """What is left to do for a file that was merged: pairs of lines that are to be asked about."""

    merged_path: str
    reworded: tuple[tuple[str, str], ...]


def run_merge_driver(root: str, driver_files: DriverFiles) -> None:
    """Write the merged version over ours. What is in other files is done at the next start: git writes them just then.

    `path` is relative to the working folder, the top of the working tree. Raises NotFound, OutsideWorkspace.
    """
    names = (driver_files.base, driver_files.ours, driver_files.theirs)
    versions = [files.read_file(*os.path.split(os.path.abspath(name))) for name in names]
    path = os.path.relpath(os.path.realpath(driver_files.path), os.path.realpath(root)).replace(os.sep, "/")
    merged = merge_versions(path, *versions)
    files.write_atomic(*os.path.split(os.path.abspath(driver_files.ours)), merged.data, durable=False)
    if merged.reworded or path.rpartition("/")[0] in journal.CHAIN_FOLDERS.values():
        intent = encode_intent(path, merged)
        name = files.content_digest(intent)
        files.create_file(root, f"{files.INTENT_FOLDER}/{name}", intent)


def merge_versions(path: str, base: bytes, ours: bytes, theirs: bytes) -> markdown.MergedPage:
    """The merged version of a file, by its kind; of two versions of a head the one with the larger bytes, until it is
    made anew."""
    name = path.rpartition("/")[2]
    if path.endswith(".md"):
        return markdown.merge_markdown(path, base, ours, theirs)
    if path.startswith(STATE_FOLDER) and name.startswith("tombstones-"):
        return markdown.MergedPage(journals.merge_tombstones(ours, theirs))
    if path.startswith(STATE_FOLDER) and name.endswith(".jsonl"):
        return markdown.MergedPage(journals.merge_journal(ours, theirs))
    if name.endswith(".head"):
        return markdown.MergedPage(max(ours, theirs))
    if name.endswith((".yaml", ".yml")):
        texts = (data.decode("utf-8", "surrogateescape") for data in (base, ours, theirs))
        return markdown.MergedPage(markdown.merge_entries(*texts).encode("utf-8", "surrogateescape"))
    return markdown.MergedPage(journals.merge_state(base, ours, theirs))


def encode_intent(path: str, merged: markdown.MergedPage) -> bytes:
    """The note of what is left to do for a merged file."""
    return journal.encode_journal_line(to_builtins(MergeIntent(path, text_pairs(merged))))


def text_pairs(merged: markdown.MergedPage) -> tuple[tuple[str, str], ...]:
    """The lines of the records that both sides changed, as texts."""
    return tuple(
        (one.first.decode("utf-8", "replace"), one.second.decode("utf-8", "replace")) for one in merged.reworded
    )
