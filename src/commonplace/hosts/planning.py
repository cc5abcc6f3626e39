"""What an installation, or its undoing, would change: all of it decided before anything is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import structs

from commonplace import files
from commonplace.errors import BadHostFile
from commonplace.hosts import steps, toml_block
from commonplace.hosts.diff import diff_lines
from commonplace.hosts.nouns import Choice, FileChange, Places, Plan, Step, Target, Written
from commonplace.hosts.records import find_record, records
from commonplace.hosts.table import HOSTS

if TYPE_CHECKING:
    from commonplace.files import Foreign


def plan_install(choice: Choice, where: Places) -> Plan:
    """What it takes that the host has us; nothing, if it has. Raises CommonplaceError, BadHostFile."""
    choice = _as_before(choice, where)
    host = HOSTS[choice.host]
    changes, notes = [], list(host.notes(choice, where))
    for target in host.targets(choice, where):
        seen = files.read_foreign(target.path)
        record = find_record(where, choice.host, seen.real)
        text, old = _text(seen), record.steps if record else ()
        if target.form == "toml":
            new, done = toml_block.brought(text, target, old)
        else:
            new, done = steps.brought(text, target, old)
        changes.append(_shown(target, seen, new, done))
        notes += _warnings(seen)
    return Plan(choice, tuple(changes), tuple(notes), host.printed(choice, where))


def plan_uninstall(choice: Choice, where: Places) -> Plan:
    """What it takes that the host is as it was, for every file of it that we changed. Raises BadHostFile."""
    changes, notes = [], []
    for target, record in _ours(choice, where):
        seen = files.read_foreign(target.path)
        if seen.data is None:
            notes.append(f"{target.path} is gone: there is nothing to undo")
            continue
        after, said = _without_us(target, seen, record)
        changes.append(_shown(target, seen, after, record.steps if record else ()))
        notes += said
    return Plan(choice, tuple(changes), tuple(notes))


def _ours(choice: Choice, where: Places) -> list[tuple[Target, Written | None]]:
    """The files of a host that we changed: by our records, else by what in them has our name."""
    known = [one for one in records(where) if one.host == choice.host and _is_meant(choice, one.path, where)]
    traced = HOSTS[choice.host].traces(choice, where)
    if known:
        by_path = {os.path.realpath(target.path): target for target in traced}
        return [(structs.replace(by_path.get(one.path) or Target(one.path), path=one.path), one) for one in known]
    return [(target, None) for target in traced]


def _is_meant(choice: Choice, path: str, where: Places) -> bool:
    """Whether a record is of the files that the choice names: hosts can have several sets of them."""
    return any(os.path.realpath(one) == path for one in HOSTS[choice.host].paths(choice, where))


def _without_us(target: Target, seen: Foreign, record: Written | None) -> tuple[str | None, tuple[str, ...]]:
    """The file without our part; None if it was not there before us. What we kept of it decides in the end."""
    text = _text(seen)
    if target.form == "toml":
        new, notes = toml_block.taken_back(text, target, record.steps if record else ())
    else:
        did = record.steps if record else tuple(_assumed(target))
        new, notes = steps.taken_back(text, target, did, target.owned)
    if record is None:
        return new, notes
    if not record.existed and new.strip() in ("", "{}", "{\n}"):
        return None, notes
    if seen.digest == record.after and record.before and files.digest(new.encode()) != record.before:
        copy = files.read_foreign(record.backup) if record.backup else None
        if copy is not None and copy.digest == record.before:
            return _text(copy), ()
    return new, notes


def _assumed(target: Target) -> list[Step]:
    """The steps that must have been taken, where nobody wrote them down."""
    return [Step("added" if want.element else "put", want.pointer, want.value) for want in target.wants]


def _as_before(choice: Choice, where: Places) -> Choice:
    """The choice with what an earlier installation chose, where this one does not say."""
    known = [one for one in records(where) if one.host == choice.host and _is_meant(choice, one.path, where)]
    slot = any(one.slot for one in known) if choice.slot is None else choice.slot
    earlier = next((one.workspace for one in known if one.workspace), "")
    return structs.replace(choice, slot=slot, workspace=choice.workspace or earlier)


def _shown(target: Target, seen: Foreign, new: str | None, done: tuple[Step, ...]) -> FileChange:
    change = FileChange(target.path, seen.real, seen.data, None if new is None else new.encode(), done)
    return structs.replace(change, diff=diff_lines(change, target)) if change.changes else change


def _text(seen: Foreign) -> str:
    try:
        return (seen.data or b"").decode()
    except UnicodeDecodeError:
        hint = "nothing was changed; save it as UTF-8, then repeat"
        raise BadHostFile(f"{seen.path!r} is not UTF-8", path=seen.path, hint=hint) from None


def _warnings(seen: Foreign) -> list[str]:
    return [f"{seen.path} is a link; {seen.real} is edited"] if os.path.islink(seen.path) else []
