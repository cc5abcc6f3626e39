"""Unite versions of a file by its kind: for git, or a copy that a sync tool made; and finish what follows a merge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff

from msgspec import Struct, structs

from commonplace.capture import WriteContext
from commonplace.errors import BadArgument, NotFound
from commonplace.storage import files, journal
from commonplace.storage.workspace import is_conflict_copy, original_path, update_file
from commonplace.upkeep.merge import journals, markdown, settling

STATE_FOLDER = ".memory/"


class MergeIntent(Struct, frozen=True):
    """What is left to do after a merge: pairs of lines to be asked about, and of a copy its path and target."""

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
        intent = journal.encode_journal_line(structs.asdict(MergeIntent(path, merged.reworded)))
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


COPY_FOLDER = ".memory/set-aside"
MIN_COMMON_SHARE = 0.5  # of the lines of the shorter file, where the name alone may be somebody's own


class CopyMerge(Struct, frozen=True):
    """A copy, its original and the change of that; `questions` are records that differ; the change to undo."""

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
    merged = merge_versions(original, b"", data, copy)
    old, new = (one.decode("utf-8", "replace").split("\n") for one in (data, merged.data))
    diff = "\n".join(unified_diff(old, new, original, original, n=1, lineterm=""))
    if not apply:
        return CopyMerge(path, original, diff, len(merged.reworded))
    target = f"{COPY_FOLDER}/{files.text_digest(path + context.now)[:8]}-{path.rpartition('/')[2]}"
    intent = MergeIntent(original, merged.reworded, path, target)
    line = journal.encode_journal_line(structs.asdict(intent))
    with files.log_intent(context.root, line, durable=True):
        change_id = _apply_copy(context, intent)
    return CopyMerge(path, original, diff, len(merged.reworded), applied=True, change_id=change_id)


def find_copies(root: str, paths: Iterable[str]) -> Iterator[str]:
    """The copies by iCloud among Markdown files, and those of journals: no name says for sure that it is one."""
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
    intent = journal.decode_with_checksum(intent_bytes, MergeIntent)
    if intent is None:
        return False
    _apply_copy(context, intent)
    return intent.merged_path.startswith(STATE_FOLDER)


def common_share(first: bytes, second: bytes) -> float:
    """The share of the lines of the shorter of two files that the other has too."""
    lines = [{line.strip() for line in data.split(b"\n") if line.strip()} for data in (first, second)]
    return len(lines[0] & lines[1]) / max(1, min(map(len, lines)))


def _apply_copy(context: WriteContext, intent: MergeIntent) -> str:
    """Write the original, do what follows, move the copy; every step may be repeated. The change to undo."""
    root, original, change_id = context.root, intent.merged_path, ""
    copy = files.read_file_if_exists(root, intent.copy_path) if intent.copy_path else None
    if copy is not None:

        def unite(data: bytes) -> bytes:
            return merge_versions(original, b"", data, copy).data

        if original.startswith(STATE_FOLDER):
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
