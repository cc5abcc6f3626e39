"""Unite a copy that a sync tool made with the file that it is a copy of, and finish what follows a merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff

from msgspec import Struct

from commonplace.capture import WriteContext
from commonplace.errors import BadArgument, NotFound
from commonplace.storage import files, journal
from commonplace.storage.workspace import is_conflict_copy, original_path, update_file
from commonplace.upkeep.merge import driver, settling

COPY_FOLDER = ".memory/set-aside"
MIN_COMMON_SHARE = 0.5  # of the lines of the shorter file, where the name alone may be somebody's own


class CopyMerge(Struct, frozen=True):
    """A copy and its original: the difference that uniting them makes to the original, the number of records that
    differ on both sides, and the change to undo, once it is applied."""

    path: str
    original: str
    diff: str
    questions: int
    applied: bool = False
    change_id: str = ""


def merge_copy(context: WriteContext, path: str, *, apply: bool = False) -> CopyMerge:
    """Unite a copy with its original; without `apply` nothing is written.

    The copy is moved to the set-aside files: its lines are in the original. Raises NotFound, BadArgument, LockBusy.
    """
    path = files.normalize_path(path)
    copy = files.read_file(context.root, path)
    original = original_path(path)
    data = files.read_file_if_exists(context.root, original) if original else None
    if data is None:
        hint = "name the copy: a file such as `boat.sync-conflict-20261101-101010-ABCDEFG.md` beside `boat.md`"
        raise BadArgument(f"{path!r} is not the copy of a file that is there", hint=hint)
    if not is_conflict_copy(path) and common_share(data, copy) < MIN_COMMON_SHARE:
        raise BadArgument(f"{path!r} has little in common with {original!r}", hint="it is a file of its own; rename it")
    merged = driver.merge_versions(original, b"", data, copy)
    old, new = (one.decode("utf-8", "replace").split("\n") for one in (data, merged.data))
    diff = "\n".join(unified_diff(old, new, original, original, n=1, lineterm=""))
    if not apply:
        return CopyMerge(path, original, diff, len(merged.reworded))
    target = f"{COPY_FOLDER}/{files.text_digest(path + context.now)[:8]}-{path.rpartition('/')[2]}"
    intent = driver.MergeIntent(original, merged.reworded, path, target)
    with files.log_intent(context.root, driver.encode_intent(intent), durable=True):
        change_id = _apply_copy(context, intent)
    return CopyMerge(path, original, diff, len(merged.reworded), applied=True, change_id=change_id)


def find_copies(root: str, paths: Iterable[str]) -> Iterator[str]:
    """The copies that no name says for sure to be one: those by iCloud, and those of journals.

    `paths` are the Markdown files of the workspace.
    """
    known = set(paths)
    for path in sorted(known):
        original = original_path(path)
        if original in known and not is_conflict_copy(path):
            copy, data = (files.read_file_if_exists(root, one) or b"" for one in (path, original))
            if common_share(data, copy) >= MIN_COMMON_SHARE:
                yield path
    for folder in sorted(set(journal.CHAIN_FOLDERS.values())):
        names = files.list_file_sizes(root, folder)
        yield from (f"{folder}/{name}" for name in names if is_conflict_copy(name) and original_path(name) in names)


def finish_merge(context: WriteContext, intent_bytes: bytes) -> bool:
    """Do what is left to do for a file that was merged; whether the index has to be made anew. Raises LockBusy."""
    intent = journal.decode_with_checksum(intent_bytes, driver.MergeIntent)
    if intent is None:
        return False
    _apply_copy(context, intent)
    return intent.merged_path.startswith(driver.STATE_FOLDER)


def common_share(first: bytes, second: bytes) -> float:
    """The share of the lines of the shorter of two files that the other has too."""
    lines = [{line.strip() for line in data.split(b"\n") if line.strip()} for data in (first, second)]
    return len(lines[0] & lines[1]) / max(1, min(map(len, lines)))


def _apply_copy(context: WriteContext, intent: driver.MergeIntent) -> str:
    """Write the original, do what follows, move the copy; every step may be repeated. The change to undo."""
    root, original, change_id = context.root, intent.merged_path, ""
    copy = files.read_file_if_exists(root, intent.copy_path) if intent.copy_path else None
    if copy is not None:

        def unite(data: bytes) -> bytes:
            return driver.merge_versions(original, b"", data, copy).data

        if original.startswith(driver.STATE_FOLDER):
            with files.hold_workspace_lock(root, journal.lock_name(original)):
                files.write_atomic(root, original, unite(files.read_file(root, original)))
        else:
            change_id = update_file(root, original, unite, now=context.now).change_id
    settling.queue_reworded(context, original, intent.reworded)
    settling.settle_chains(root, original)
    if copy is not None and not files.move_file(root, intent.copy_path, intent.copy_target):
        raise NotFound("free name for", intent.copy_path)
    if intent.copy_path:
        files.write_atomic(root, intent.copy_target, files.read_file(root, intent.copy_target), mode=0o600)
    return change_id
