"""Carry a plan out: a copy first, then the write, then a look at what stands there now."""

from __future__ import annotations

import os
from importlib.metadata import version

from msgspec import structs

from commonplace import files
from commonplace.files import Foreign
from commonplace.hosts.nouns import Done, FileChange, Places, Plan, Written
from commonplace.hosts.records import drop_record, find_record, keep_record, tidy_records
from commonplace.hosts.table import HOSTS


def install(plan: Plan, where: Places, stamp: str) -> Done:
    """Write what the plan says, and verify it; `stamp` says when, in the names of the copies.

    Raises WriteConflict if a file is not any more what the plan was made from.
    """
    removed = _tidied(plan, where)
    backups = tuple(copy for change in plan.files if (copy := _install_one(plan, change, where, stamp)))
    verified, findings = HOSTS[plan.choice.host].verify(plan.choice, where)
    return Done(plan, backups, (*removed, *verified), findings)


def uninstall(plan: Plan, where: Places, stamp: str) -> Done:
    """Write what the plan says, and forget what we kept of it. Raises WriteConflict."""
    removed, backups = _tidied(plan, where), []
    for change in plan.files:
        if change.changes:
            seen = Foreign(change.path, change.real, change.before)
            if change.after is None:  # we made it, and nobody put anything into it
                files.remove_foreign(seen)
            else:
                backups.append(files.back_up(seen, stamp))
                files.write_foreign(seen, change.after)
        drop_record(where, plan.choice.host, change.real)
    return Done(plan, tuple(backups), removed)


def _tidied(plan: Plan, where: Places) -> tuple[str, ...]:
    """Remove what a write that was killed has left; in words, what that was."""
    tidy_records(where)
    found = (one for change in plan.files for one in files.left_beside(change.path, remove=True))
    return tuple(f"{one}: left by a write that was broken off, and removed" for one in found)


def _install_one(plan: Plan, change: FileChange, where: Places, stamp: str) -> str:
    """Write one file and keep what is needed to undo it; returns the path of its copy, if one was made."""
    if not change.changes or change.after is None:
        return ""
    host, seen = plan.choice.host, Foreign(change.path, change.real, change.before)
    earlier = find_record(where, host, change.real)
    backup = files.back_up(seen, stamp) if change.before is not None else ""
    record = Written(
        host=host,
        path=change.real,
        before=seen.digest,
        after=files.digest(change.after),
        backup=backup,
        steps=change.steps,
        existed=change.before is not None,
        version=version("commonplace"),
        slot=bool(plan.choice.slot),
        workspace=os.path.abspath(plan.choice.workspace) if plan.choice.workspace else "",
    )
    if earlier is not None:
        record = _continued(record, earlier, seen)
    keep_record(where, record)  # first: what is not written yet can be undone, too
    files.write_foreign(seen, change.after)
    return backup


def _continued(record: Written, earlier: Written, seen: Foreign) -> Written:
    """A record that goes on where an earlier one ended: what counts as before is what was there before that."""
    if seen.digest != earlier.after:
        return structs.replace(record, before="", backup="", existed=earlier.existed)
    return structs.replace(record, before=earlier.before, backup=earlier.backup, existed=earlier.existed)
