"""Plans an installation or its removal, shows the plan as a diff without secrets, and carries it out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import unified_diff

from msgspec import structs

from commonplace.bridges.hosts import config_edits, locations, plans
from commonplace.bridges.hosts.config_edits import BLOCK_BEGIN, BLOCK_END
from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.registry import HOSTS
from commonplace.errors import BadArgument, BadHostFile, CommonplaceError
from commonplace.redact import find_secrets
from commonplace.storage import files
from commonplace.storage.files import ForeignFile

MASK = "…"
MAX_DIFF_LINE_CHARS = 400  # characters
CONTEXT_LINES = 2  # lines shown before and behind a change

_TOML_VALUE = re.compile(r"^(\s*[\w.\"'-]+\s*=\s*)\S.*$")
_TOML_STRUCTURE = re.compile(r"^\s*(#.*|\[.*\]\s*(#.*)?)?$")

TextSpan = tuple[int, int]


def render_diff(change: plans.FileChange, target: plans.ConfigTarget) -> tuple[str, ...]:
    """A unified diff of the two versions, with all values masked that are not ours."""
    texts = [(data or b"").decode("utf-8", "replace") for data in (change.before, change.after)]
    if target.syntax != "json":
        old, new = map(_mask_toml, texts)
    else:
        nodes = [parse_json5(text, target.path) if text.strip() else None for text in texts]
        spans = [tuple(_find_foreign_strings(node, (), target)) if node else () for node in nodes]
        old, new = map(_mask_spans, texts, spans)
    before, after = ("/dev/null" if data is None else change.path for data in (change.before, change.after))
    old_lines, new_lines = (text.removesuffix("\n").split("\n") if text else [] for text in (old, new))
    diff = unified_diff(old_lines, new_lines, before, after, n=CONTEXT_LINES, lineterm="")
    text = "\n".join(_shorten_line_pairs([line.rstrip("\r\n") for line in diff]))
    secrets = tuple((one.start, one.end) for one in find_secrets(text))  # comments can hold a key as well
    return tuple(_mask_spans(text, secrets).split("\n"))


def _shorten_line_pairs(lines: list[str]) -> list[str]:
    """A pair of long lines is cut to where they differ: a file on one line would be shown as a whole, twice."""
    for at in range(2, len(lines) - 1):
        old, new = lines[at], lines[at + 1]
        if old[:1] == "-" and new[:1] == "+" and max(len(old), len(new)) > MAX_DIFF_LINE_CHARS:
            start = _common_prefix_length(old[1:], new[1:])
            end = _common_prefix_length(old[:start:-1], new[:start:-1])
            first = max(1, start - MAX_DIFF_LINE_CHARS // 4)
            for number, line in enumerate((old, new), at):
                last = min(len(line), len(line) - end + MAX_DIFF_LINE_CHARS // 4)
                before, behind = "… " if first > 1 else "", " …" if last < len(line) else ""
                lines[number] = line[0] + before + line[first:last] + behind
    return [line if len(line) <= 2 * MAX_DIFF_LINE_CHARS else f"{line[:MAX_DIFF_LINE_CHARS]} …" for line in lines]


def _common_prefix_length(left: str, right: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _find_foreign_strings(node: Json5Node, pointer: plans.Pointer, target: plans.ConfigTarget) -> Iterator[TextSpan]:
    """The positions of texts that are not ours."""
    if node.kind == "scalar":
        if isinstance(node.scalar, str) and not _is_printable_value(pointer, node, target):
            yield node.start, node.end
        return
    elements = (want for want in target.values if want.is_list_element)
    if any(want.pointer == pointer[:-1] and want.value == node.value() for want in elements):
        return
    for item in node.items:
        yield from _find_foreign_strings(item.node, (*pointer, item.key), target)


def _is_printable_value(pointer: plans.Pointer, node: Json5Node, target: plans.ConfigTarget) -> bool:
    if any(pointer[: len(above)] == above for above in (*target.owned_pointers, *target.printable)):
        return True
    return any(
        want.value == node.scalar
        if want.is_list_element and want.pointer == pointer[:-1]
        else want.pointer == pointer[: len(want.pointer)]
        for want in target.values
    )


def _mask_toml(text: str) -> str:
    lines, is_ours = [], False
    for line in text.split("\n"):
        bare = line.rstrip("\r")
        is_ours = bare == BLOCK_BEGIN or (is_ours and bare != BLOCK_END)
        is_shown = is_ours or _TOML_STRUCTURE.match(bare)
        found = None if is_shown else _TOML_VALUE.match(bare)
        lines.append(line if is_shown else (found[1] if found else "") + MASK)
    return "\n".join(lines)


def _mask_spans(text: str, spans: tuple[TextSpan, ...]) -> str:
    """The text with a mask in place of these stretches, which do not overlap; line ends in them stay."""
    pieces, last = [], 0
    for start, end in sorted(spans):
        held = text[start:end]
        quote = held[0] if held[:1] in ('"', "'") and held[-1:] == held[:1] else ""
        pieces += [text[last:start], quote, MASK, quote, "\n" * held.count("\n")]
        last = end
    return "".join([*pieces, text[last:]])


def plan_install(choice: plans.InstallChoice, host_paths: plans.HostPaths) -> plans.InstallPlan:
    """The plan for an installation; None if everything is installed already. Raises CommonplaceError, BadHostFile."""
    known = _list_chosen_records(choice, host_paths)  # what an earlier installation chose, where this one does not say
    slot = any(one.slot for one in known) if choice.slot is None else choice.slot
    earlier = next((one.workspace for one in known if one.workspace), "")
    choice = structs.replace(choice, slot=slot, workspace=choice.workspace or earlier)
    host = HOSTS[choice.host](choice, host_paths)
    if choice.consolidate and not host.tells_session_end:
        message = f"{host.name} does not tell Commonplace when a session ends, so nothing can be done then"
        hint = "name a model, which may be the command line of an agent (models.provider), and let the daemon"
        raise BadArgument(message, hint=f"{hint} consolidate (daemon.consolidate_minutes); see docs/concepts/models.md")
    changes, notes = [], list(host.notes())
    for target in host.targets():
        expected_file = files.read_foreign_file(target.path)
        record = locations.find_install_record(host_paths, choice.host, expected_file.real_path)
        text, old = _decode_config(expected_file), record.steps if record else ()
        write = config_edits.write_json_values if target.syntax == "json" else config_edits.write_block
        new, done = write(text, target, old)
        changes.append(_build_file_change(target, expected_file, new, done))
        if os.path.islink(target.path):
            notes.append(f"{target.path} is a link; {expected_file.real_path} is edited")
    return plans.InstallPlan(choice, tuple(changes), tuple(notes), host.render_printed())


def plan_uninstall(choice: plans.InstallChoice, host_paths: plans.HostPaths) -> plans.InstallPlan:
    """The plan that restores every file of the host that we changed. Raises BadHostFile."""
    changes, notes = [], []
    traced = HOSTS[choice.host](choice, host_paths).traces()
    by_path = {os.path.realpath(target.path): target for target in traced}
    recorded: list[tuple[plans.ConfigTarget, plans.InstallRecord | None]] = [
        (structs.replace(by_path.get(one.path) or plans.ConfigTarget(one.path), path=one.path), one)
        for one in _list_chosen_records(choice, host_paths)
    ]
    for target, record in recorded or [(target, None) for target in traced]:  # without records: what has our name
        expected_file = files.read_foreign_file(target.path)
        if expected_file.data is None:
            notes.append(f"{target.path} does not exist: there is nothing to undo")
            continue
        after, said = _remove_own_part(target, expected_file, record)
        changes.append(_build_file_change(target, expected_file, after, record.steps if record else ()))
        notes += said
    return plans.InstallPlan(choice, tuple(changes), tuple(notes))


def _list_chosen_records(choice: plans.InstallChoice, host_paths: plans.HostPaths) -> list[plans.InstallRecord]:
    """The records of the files that the choice names: hosts can have several sets of them."""
    paths = set(map(os.path.realpath, HOSTS[choice.host](choice, host_paths).config_paths()))
    return [one for one in locations.list_install_records(host_paths) if one.host == choice.host and one.path in paths]


def _remove_own_part(
    target: plans.ConfigTarget, foreign_file: ForeignFile, install_record: plans.InstallRecord | None
) -> tuple[str | None, tuple[str, ...]]:
    """The file without our part; None if it was not there before us. What we kept of it decides in the end."""
    text, steps = _decode_config(foreign_file), install_record.steps if install_record else ()
    if target.syntax == "block":
        new, notes = config_edits.remove_block(text, target, steps)
    else:
        if install_record is None:  # those that must have been taken, where nobody wrote them down
            for want in target.values:
                steps += (plans.ConfigStep("added" if want.is_list_element else "put", want.pointer, want.value),)
        new, notes = config_edits.undo_json_steps(text, target, steps, target.owned_pointers)
    if install_record is None:
        return new, notes
    if not install_record.existed and new.strip() in ("", "{}", "{\n}"):
        return None, notes
    before = install_record.before
    if foreign_file.digest == install_record.after and before and files.content_digest(new.encode()) != before:
        copy = files.read_foreign_file(install_record.backup) if install_record.backup else None
        if copy is not None and copy.digest == before:
            return _decode_config(copy), ()
    return new, notes


def _build_file_change(
    target: plans.ConfigTarget, foreign_file: ForeignFile, new_text: str | None, steps: tuple[plans.ConfigStep, ...]
) -> plans.FileChange:
    after = None if new_text is None else new_text.encode()
    change = plans.FileChange(target.path, foreign_file.real_path, foreign_file.data, after, steps)
    return structs.replace(change, diff=render_diff(change, target)) if change.has_changes else change


def _decode_config(foreign_file: ForeignFile) -> str:
    try:
        return (foreign_file.data or b"").decode()
    except UnicodeDecodeError:
        hint = "nothing was changed; save it as UTF-8, then repeat"
        raise BadHostFile(f"{foreign_file.path!r} is not UTF-8", path=foreign_file.path, hint=hint) from None


def apply_install(plan: plans.InstallPlan, host_paths: plans.HostPaths, stamp: str) -> plans.InstallResult:
    """Write what the plan says, and verify it; `stamp` is in the names of the copies. Raises WriteConflict."""
    removed = _remove_leftovers(plan, host_paths)
    backups = tuple(copy for change in plan.files if (copy := _install_file(plan, change, host_paths, stamp)))
    host = HOSTS[plan.choice.host](plan.choice, host_paths)
    verified, findings = host.verify()
    return plans.InstallResult(plan, backups, (*removed, *verified, *_build_index(host.workspace)), findings)


def _build_index(workspace: str) -> Iterator[str]:
    """Build the index of a workspace, so that the first turn does not wait for it; in words, what became of it."""
    from commonplace.memory import Memory

    if not os.path.isdir(workspace):
        return
    try:
        with Memory.open(workspace) as memory:
            memory.sync()
    except CommonplaceError as error:
        yield f"the index is built with the first question, and not now: {error.message}"
    else:
        yield f"the index of {workspace} is built"


def apply_uninstall(plan: plans.InstallPlan, host_paths: plans.HostPaths, stamp: str) -> plans.InstallResult:
    """Write what the plan says, and forget what we kept of it. Raises WriteConflict."""
    removed, backups = _remove_leftovers(plan, host_paths), []
    for change in plan.files:
        expected_file = ForeignFile(change.path, change.real_path, change.before)
        if change.has_changes and change.after is None:  # we made it, and nobody put anything into it
            files.remove_foreign_file(expected_file)
        elif change.has_changes and change.after is not None:
            backups.append(files.back_up_foreign_file(expected_file, stamp))
            files.write_foreign_file(expected_file, change.after)
        locations.remove_install_record(host_paths, plan.choice.host, change.real_path)
    return plans.InstallResult(plan, tuple(backups), removed)


def _remove_leftovers(plan: plans.InstallPlan, host_paths: plans.HostPaths) -> tuple[str, ...]:
    """Remove what a write that was killed has left; in words, what that was."""
    if os.path.isdir(records := f"{host_paths.state_home}/{locations.RECORD_FOLDER}"):
        files.remove_abandoned_files(records)
    found = (one for change in plan.files for one in files.list_write_leftovers(change.path, remove=True))
    return tuple(f"{one}: left by an interrupted write; removed" for one in found)


def _install_file(plan: plans.InstallPlan, change: plans.FileChange, host_paths: plans.HostPaths, stamp: str) -> str:
    """Write one file and keep what is needed to undo it; returns the path of its copy, if one was made."""
    if not change.has_changes or change.after is None:
        return ""
    host, expected_file = plan.choice.host, ForeignFile(change.path, change.real_path, change.before)
    earlier = locations.find_install_record(host_paths, host, change.real_path)
    copy = backup = files.back_up_foreign_file(expected_file, stamp) if change.before is not None else ""
    before, existed = expected_file.digest, change.before is not None
    if earlier is not None:  # what counts as before is what was there before the earlier one, if it still stands
        before, copy = (earlier.before, earlier.backup) if before == earlier.after else ("", "")
        existed = earlier.existed
    record = plans.InstallRecord(
        host=host,
        path=change.real_path,
        before=before,
        after=files.content_digest(change.after),
        backup=copy,
        steps=change.steps,
        existed=existed,
        slot=bool(plan.choice.slot),
        workspace=os.path.abspath(plan.choice.workspace) if plan.choice.workspace else "",
    )
    locations.write_install_record(host_paths, record)  # first: what is not written yet can be undone, too
    files.write_foreign_file(expected_file, change.after)
    return backup
