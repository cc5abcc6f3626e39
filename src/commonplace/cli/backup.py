"""The commands for copies of a workspace: `backup` and `restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.options import check_folder_name, open_memory, parameter_help, read_request
from commonplace.cli.render import display_path, pluralize, problem_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.operations.parameters import BackupRequest, RestoreRequest
from commonplace.storage import config

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.upkeep.backup import BackupResult


def backup_arguments(parser: ArgumentParser) -> None:
    """Arguments of `backup`."""
    parser.add_argument("folder", help=parameter_help(BackupRequest, "folder"))
    parser.add_argument("--verify", action="store_true", help="Read all of the backup and compare the digests instead.")


def backup_run(options: Namespace) -> int:
    """Back up the workspace, or verify a backup, for which no workspace is needed."""
    check_folder_name(options.folder)
    if options.verify:
        return _print_verified(options)
    with open_memory(options) as memory:
        done = memory.backup(read_request(options, BackupRequest, folder=options.folder))
    print_answer(options, "backup", done, [f"{display_path(done.folder)} {done.snapshot}"], messages=_backed_up(done))
    return EXIT_FINDINGS if done.left_out else 0


def _backed_up(done: BackupResult) -> Iterator[str]:
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


def restore_arguments(parser: ArgumentParser) -> None:
    """Arguments of `restore`."""
    parser.add_argument("folder", help=parameter_help(RestoreRequest, "folder"))
    told = f"{parameter_help(RestoreRequest, 'target')[:-1]}; default: --workspace, or the default workspace."
    parser.add_argument("target", nargs="?", default="", help=told)
    for name in ("snapshot", "manifest"):
        metavar = {"snapshot": "TIME", "manifest": "FILE"}[name]
        parser.add_argument(f"--{name}", default="", metavar=metavar, help=parameter_help(RestoreRequest, name))


def restore_run(options: Namespace) -> int:
    """Restore a backup."""
    target = options.target or options.workspace or config.default_workspace(config.read_environment())
    for name in (options.folder, target):
        check_folder_name(name)
    done = Memory.restore(options.folder, target, snapshot=options.snapshot, manifest=options.manifest)
    messages = [f"{pluralize(done.files, 'file')}, {pluralize(done.bytes, 'byte')} of {done.time}", *done.notes]
    return print_answer(options, "restored", done, [display_path(done.workspace)], messages=messages)
