"""What follows a merge at the next start: chains that are split, heads made anew, questions for the owner."""

from __future__ import annotations

import re

from msgspec import structs

from commonplace.capture import WriteContext, text_key
from commonplace.model import Record
from commonplace.storage import files, journal
from commonplace.storage.workspace import parse_document
from commonplace.upkeep import consolidate
from commonplace.upkeep.merge import journals
from commonplace.upkeep.merge.driver import MergeIntent

FORK_PATTERN = re.compile(rf"-[0-9a-f]{{{journals.FORK_DIGEST_CHARS}}}")
MERGE_AUTHOR = "merge"


def lock_name(path: str) -> str:
    """The name of the lock under which a file below `.memory` is written."""
    folder, _, name = path.rpartition("/")
    streams = [stream for stream, its_folder in journal.CHAIN_FOLDERS.items() if its_folder == folder]
    locks = (f"{stream}-{device}" for stream in streams if (device := journal.stream_device(stream, name)))
    return next(locks, files.path_lock_name(path))


def finish_merge(context: WriteContext, intent_bytes: bytes) -> bool:
    """Do what is left to do for a file that was merged; whether the index has to be made anew. Raises LockBusy."""
    intent = journal.decode_with_checksum(intent_bytes, MergeIntent)
    if intent is None:
        return False
    queue_reworded(context, intent.merged_path, intent.reworded)
    return settle_chains(context.root, intent.merged_path)


def settle_chains(root: str, path: str) -> bool:
    """Split the chains of the device whose journal, receipts or head this file is, where two copies continued them, and
    make its heads anew; whether there is such a device. Every step may be repeated."""
    folder, _, name = path.rpartition("/")
    device = name[len("chains-") : -len(".head")] if name.startswith("chains-") and name.endswith(".head") else ""
    streams = [stream for stream, its_folder in journal.CHAIN_FOLDERS.items() if its_folder == folder]
    device = device or next(filter(None, (journal.stream_device(stream, name) for stream in streams)), "")
    if not device:
        return False
    for stream in streams:
        with files.hold_workspace_lock(root, f"{stream}-{device}"):
            changed = journals.split_forks(stream, device, _read_stream(root, stream, device))
            for new_name in sorted(changed, key=lambda one: journal.stream_device(stream, one) == device):
                if changed[new_name]:  # new files first: no line is nowhere
                    files.write_atomic(root, f"{folder}/{new_name}", changed[new_name])
                else:
                    files.remove_file(root, f"{folder}/{new_name}", durable=True)
    devices = {one for stream in streams for one in journal.list_chained_files(root, stream)}
    for one in sorted(devices):
        if one == device or (one.startswith(device) and FORK_PATTERN.fullmatch(one[len(device) :])):
            journal.renew_head(journal.Chain(root, folder, one))
    return True


def _read_stream(root: str, stream: journal.ChainedStream, device: str) -> dict[str, bytes]:
    """The files of a device, and of those whose names begin alike."""
    folder = journal.CHAIN_FOLDERS[stream]
    names = files.list_file_sizes(root, folder)
    names_of_device = [name for name in names if journal.stream_device(stream, name).startswith(device)]
    return {name: files.read_file(root, f"{folder}/{name}") for name in names_of_device}


def queue_reworded(context: WriteContext, path: str, pairs: tuple[tuple[str, str], ...]) -> None:
    """Ask the owner which of two wordings in a file holds, for each pair of lines that is in it; the second, which has
    an id of its own, has the origin of the first."""
    data = (files.read_file_if_exists(context.root, path) or b"") if pairs else b""
    records = {_cited_lines(data, record): record for record in parse_document(path, data).records}
    known = [(records[first], records[second]) for first, second in pairs if first in records and second in records]
    if not known:
        return
    journal_log = journal.Journal(context.root, context.device)
    entries = (entry.fields for entry in journal_log.read("ledger").entries)
    origins = {entry["record"]: entry for entry in entries if entry.get("op") == "origin" and "record" in entry}
    journal_log.append_all(
        [
            {
                "op": "origin",
                "ts": context.now,
                "record": second.id,
                "digest": text_key(second.text),
                **{key: origins[first.id][key] for key in ("trust", "actor") if key in origins[first.id]},
            }
            for first, second in known
            if first.id in origins and second.id not in origins
        ],
        "ledger",
    )
    items = tuple(
        _reworded_item(first, structs.replace(second, trust=origins.get(first.id, {}).get("trust", second.trust)))
        for first, second in known
    )
    history = consolidate.LedgerHistory(journal_log)
    consolidate.write_plan(context, consolidate.ConsolidationPlan(pending=items), history, MERGE_AUTHOR)


def _cited_lines(data: bytes, record: Record) -> str:
    return data[record.source.byte_start : record.source.byte_end].replace(b"\r\n", b"\n").decode("utf-8", "replace")


def _reworded_item(first: Record, second: Record) -> consolidate.ReviewItem:
    """The question about two wordings, which is the same on every device."""
    item_id = f"{consolidate.CHOICE_PREFIX}{second.id}"
    against = [(first.id, first.time, consolidate.strip_line_decoration(first))]
    return consolidate.ReviewItem(
        id=item_id,
        text=consolidate.strip_line_decoration(second),
        category=second.category,
        reason="conflict",
        why=consolidate.describe_choice("changed on two devices", second.time, against, "both hold"),
        entity=next(iter(second.entities), ""),
        against=(first.id,),
        **consolidate.annotated_fields(second),
        states=consolidate.LedgerStatement(item_id, consolidate.words_key(second.text), second.time),
    )


SHARED_NAME_CODE, SHARED_NAME_OP = "device-name-shared", "shared-name"  # the latter, in the ledger: it was reported


def find_shared_names(journal_log: journal.Journal) -> dict[str, tuple[str, ...]]:
    """The devices whose chains were continued by two copies, each with the names that the other continuations got;
    without those that were reported before."""
    forks: dict[str, tuple[str, ...]] = {}
    devices = {one for stream in journal.STREAMS for one in journal.list_chained_files(journal_log.root, stream)}
    for one in sorted(devices):
        device = one[: -journals.FORK_DIGEST_CHARS - 1]
        if device in devices and FORK_PATTERN.fullmatch(one[len(device) :]):
            forks[device] = (*forks.get(device, ()), one)
    entries = journal_log.read("ledger").entries if forks else ()
    reported = [name for entry in entries if entry.fields.get("op") == SHARED_NAME_OP for name in entry.fields["names"]]
    return {device: names for device, names in forks.items() if not set(names) <= set(reported)}


def note_shared_names(journal_log: journal.Journal, now: str) -> None:
    """Record that what `find_shared_names` returns was reported."""
    shared = find_shared_names(journal_log)
    entries = [{"op": SHARED_NAME_OP, "ts": now, "device": one, "names": list(names)} for one, names in shared.items()]
    journal_log.append_all(entries, "ledger")
