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

FORK_PATTERN = re.compile(rf"-[0-9a-f]{{{journals.FORK_DIGEST_CHARS}}}")
MERGE_AUTHOR = "merge"


def settle_chains(root: str, path: str) -> None:
    """Split the chains of the device whose journal, receipts or head this file is, where two copies continued them, and
    make its heads anew. Every step may be repeated."""
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
    """Ask the owner which of two wordings in a file holds, for each pair of lines that is in it; the second, which has
    an id of its own, has the origin of the first."""
    data = (files.read_file_if_exists(context.root, path) or b"") if pairs else b""
    records = {_cited_lines(data, record): record for record in parse_document(path, data).records}
    present = [pair for pair in pairs if records.keys() >= {*pair}]
    if not present:
        return
    journal_log = journal.Journal(context.root, context.device)
    entries = (entry.fields for entry in journal_log.read("ledger").entries)
    origins = {entry["record"]: entry for entry in entries if entry.get("op") == "origin" and "record" in entry}
    items, inherited = [], []
    for first, second in ((records[one], records[other]) for one, other in present):
        origin = {key: value for key, value in origins.get(first.id, {}).items() if key in ("trust", "actor")}
        items.append(_reworded_item(first, structs.replace(second, trust=origin.get("trust", second.trust))))
        if first.id in origins and second.id not in origins:
            entry = {"op": "origin", "ts": context.now, "record": second.id, "digest": text_key(second.text)}
            inherited.append(entry | origin)
    journal_log.append_all(inherited, "ledger")
    plan = consolidate.ConsolidationPlan(pending=tuple(items))
    consolidate.write_plan(context, plan, consolidate.LedgerHistory(journal_log), MERGE_AUTHOR)


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
