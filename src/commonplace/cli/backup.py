"""The commands for copies of a workspace: `backup`, `restore` and `export`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from commonplace.cli.options import argument_table, check_folder_name, open_memory, read_request
from commonplace.cli.render import display_path, pluralize, problem_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.operations.parameters import BackupRequest, ExportRequest
from commonplace.storage import config
from commonplace.upkeep import backup

backup_arguments = argument_table("""
folder  $BackupRequest.folder
--verify  Read all of the backup and compare the digests instead.
""")


def backup_run(options: Namespace) -> int:
    """Back up the workspace, or verify a backup, for which no workspace is needed."""
    check_folder_name(options.folder)
    if options.verify:
        return _print_verified(options)
    with open_memory(options) as memory:
        done = memory.backup(read_request(options, BackupRequest, folder=options.folder))
    print_answer(
        options, "backup", done, [f"{display_path(options.folder)} {done.snapshot}"], messages=_backed_up(done)
    )
    return EXIT_FINDINGS if done.left_out else 0


def _backed_up(done: backup.BackupResult) -> Iterator[str]:
    stored = f"{pluralize(done.stored_objects, 'object')} stored, {pluralize(done.stored_bytes, 'byte')}"
    yield f"{pluralize(done.files, 'file')}, {pluralize(done.bytes, 'byte')}; {stored}"
    yield from (f"left out: {sanitize_line(one.path)}: {one.reason}" for one in done.left_out)
    yield from (f"{sanitize_line(path)} was written all the time; back up again" for path in done.unsettled)


def _print_verified(options: Namespace) -> int:
    verified = Memory.verify_backup(options.folder)
    read = f"{pluralize(len(verified.snapshots), 'snapshot')}, {pluralize(verified.objects, 'object')}"
    messages = [f"{pluralize(len(verified.problems), 'problem')}; read {read}, {pluralize(verified.bytes, 'byte')}"]
    print_answer(options, "verified", verified, map(problem_line, verified.problems), messages=messages)
    return EXIT_FINDINGS if verified.problems else 0


restore_arguments = argument_table("""
folder  The folder of the backup.
[target]  A folder that is empty, or does not exist; default: --workspace, or the default workspace.
--snapshot TIME  The time of the snapshot, or the beginning of it; default: the newest.
--manifest FILE  A manifest of `forget --now`; a warning if it is newer than the backup.
""")


def restore_run(options: Namespace) -> int:
    """Restore a backup."""
    target = options.target or options.workspace or config.default_workspace(config.read_environment())
    for name in (options.folder, target):
        check_folder_name(name)
    done = Memory.restore(options.folder, target, snapshot=options.snapshot or "", manifest=options.manifest or "")
    messages = [f"{pluralize(done.files, 'file')}, {pluralize(done.bytes, 'byte')} of {done.time}", *done.notes]
    return print_answer(options, "restored", done, [display_path(target)], messages=messages)


export_arguments = argument_table("""
[paths=FILE...]  The archive to write; without it, the result has the content, with --json; two archives with --diff.
ExportRequest -path
--diff  Compare two archives, the earlier first, and write nothing.
""")


def export_run(options: Namespace) -> int:
    """Export the memory, or compare two exports."""
    for path in options.paths:
        check_folder_name(path)
    if len(options.paths) != 2 if options.diff else len(options.paths) > 1 or not (options.paths or options.json):
        raise BadArgument("name one archive, or two with --diff", hint="without one, --json prints the content")
    if options.diff:
        differences = Memory.compare_exports(*options.paths)
        lines = (sanitize_line(f"{one.change:<8} {one.path} {one.id}".rstrip()) for one in differences)
        messages = [pluralize(len(differences), "difference")]
        return print_answer(options, "export-diff", differences, lines, messages=messages)
    with open_memory(options) as memory:
        done = memory.export(read_request(options, ExportRequest, path="".join(options.paths)))
    messages = [f"{pluralize(len(done.files), 'file')}, {pluralize(sum(one.size for one in done.files), 'byte')}"]
    return print_answer(options, "exported", done, [display_path(done.path)], messages=messages)
