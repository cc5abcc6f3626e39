"""Unite versions of a file by its kind: for git, or a copy that a sync tool made; and finish what follows a merge."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff

from msgspec import Struct, structs

from commonplace.capture import WriteContext, text_key
from commonplace.errors import BadArgument, NotFound
from commonplace.storage import files, journal
from commonplace.storage.workspace import is_conflict_copy, original_path, parse_document, update_file
from commonplace.upkeep import consolidate
from commonplace.upkeep.merge import journals, markdown

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
    queue_reworded(context, original, intent.reworded)
    settle_chains(root, original)
    if copy is not None and not files.move_file(root, intent.copy_path, intent.copy_target):
        raise NotFound("free name for", intent.copy_path)
    if intent.copy_path:
        files.write_atomic(root, intent.copy_target, files.read_file(root, intent.copy_target), mode=0o600)
    return change_id


FORK_PATTERN = re.compile(rf"-[0-9a-f]{{{journals.FORK_DIGEST_CHARS}}}")
MERGE_AUTHOR = "merge"


def settle_chains(root: str, path: str) -> None:
    """Split the chains of the device of a file where two copies continued them; renew its heads. May be repeated."""
    folder, _, name = path.rpartition("/")
    streams = [stream for stream, its_folder in journal.CHAIN_FOLDERS.items() if its_folder == folder]
    devices = [journal.stream_device(stream, name) for stream in streams]
    devices += [name[len("chains-") : -len(".head")]] if name.startswith("chains-") and name.endswith(".head") else []
    device = next(filter(None, devices), "")
    if not (streams and device):
        return
    for stream in streams:
        with files.hold_workspace_lock(root, f"{stream}-{device}"):
            names = files.list_file_sizes(root, folder)
            names_of_device = [one for one in names if journal.stream_device(stream, one).startswith(device)]
            data_by_name = {one: files.read_file(root, f"{folder}/{one}") for one in names_of_device}
            changed = journals.split_forks(stream, device, data_by_name)
            for new_name in sorted(changed, key=lambda one: journal.stream_device(stream, one) == device):
                if changed[new_name]:  # new files first: no line is nowhere
                    files.write_atomic(root, f"{folder}/{new_name}", changed[new_name])
                else:
                    files.remove_file(root, f"{folder}/{new_name}", durable=True)
    for one in sorted(journal.list_chained_files(root, *streams)):
        if device in (one, _forked_from(one)):
            journal.renew_head(journal.Chain(root, folder, one))


def _forked_from(device: str) -> str:
    """The device whose chain was split, if the name of another one has the form of what was split off."""
    base = device[: -journals.FORK_DIGEST_CHARS - 1]
    return base if FORK_PATTERN.fullmatch(device[len(base) :]) else ""


def queue_reworded(context: WriteContext, path: str, pairs: tuple[tuple[str, str], ...]) -> None:
    """Ask the owner which wording of each pair in a file holds; the second has the origin of the first."""
    data = (files.read_file_if_exists(context.root, path) or b"") if pairs else b""
    lines = ((data[one.source.byte_start : one.source.byte_end], one) for one in parse_document(path, data).records)
    records = {line.replace(b"\r\n", b"\n").decode("utf-8", "replace"): one for line, one in lines}
    present = [pair for pair in pairs if records.keys() >= {*pair}]
    if not present:
        return
    journal_log = journal.Journal(context.root, context.device)
    entries = (entry.fields for entry in journal_log.read("ledger").entries)
    origins = {entry["record"]: entry for entry in entries if entry.get("op") == "origin" and "record" in entry}
    items, inherited = [], []
    for first, second in ((records[one], records[other]) for one, other in present):
        origin = {key: value for key, value in origins.get(first.id, {}).items() if key in ("trust", "actor")}
        known = [(first.id, first.time, consolidate.strip_line_decoration(first))]
        why = consolidate.describe_choice("changed on two devices", second.time, known, "both hold")
        traced = structs.replace(second, trust=origin.get("trust", second.trust))
        items.append(consolidate.make_choice_item(traced, why, (first.id,), second.time))  # the same on every device
        if first.id in origins and second.id not in origins:
            entry = {"op": "origin", "ts": context.now, "record": second.id, "digest": text_key(second.text)}
            inherited.append(entry | origin)
    journal_log.append_all(inherited, "ledger")
    plan = consolidate.ConsolidationPlan(pending=tuple(items))
    consolidate.write_plan(context, plan, consolidate.LedgerHistory(journal_log), MERGE_AUTHOR)


SHARED_NAME_CODE, SHARED_NAME_OP = "device-name-shared", "shared-name"  # the latter, in the ledger: it was reported


def find_shared_names(journal_log: journal.Journal) -> dict[str, tuple[str, ...]]:
    """The devices whose chains two copies continued, with the names of what was split off, until reported."""
    devices = {one for stream in journal.STREAMS for one in journal.list_chained_files(journal_log.root, stream)}
    forks: dict[str, tuple[str, ...]] = {}
    for one in sorted(devices):
        if (device := _forked_from(one)) in devices:
            forks[device] = (*forks.get(device, ()), one)
    entries = journal_log.read("ledger").entries if forks else ()
    reported = [name for entry in entries if entry.fields.get("op") == SHARED_NAME_OP for name in entry.fields["names"]]
    return {device: names for device, names in forks.items() if not set(names) <= set(reported)}


def note_shared_names(journal_log: journal.Journal, now: str) -> None:
    """Record that what `find_shared_names` returns was reported."""
    shared = find_shared_names(journal_log)
    entries = [{"op": SHARED_NAME_OP, "ts": now, "device": one, "names": list(names)} for one, names in shared.items()]
    journal_log.append_all(entries, "ledger")
