"""`sync`, `rebuild`, `status` and `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory, open_nearby
from commonplace.cli.render import change_line, counted, place, problem_line
from commonplace.cli.streams import print_json, print_lines, say

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.sync import Synced


def sync_arguments(parser: ArgumentParser) -> None:
    """Arguments of `sync`."""
    parser.add_argument("--force", action="store_true", help="even if more than half of the records are gone")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, change nothing")


def sync_run(options: Namespace) -> int:
    """Bring the index up to date."""
    with open_memory(options) as memory:
        return _print_synced(memory.sync(force=options.force, dry_run=options.dry_run), options.json)


def rebuild_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `rebuild`: none."""


def rebuild_run(options: Namespace) -> int:
    """Make the index anew."""
    with open_memory(options) as memory:
        return _print_synced(memory.rebuild(), options.json)


def _print_synced(synced: Synced, as_json: bool) -> int:
    if as_json:
        from commonplace.operations.answers import changes_json

        print_json(changes_json(synced))
        return 0
    print_lines(change_line(change) for change in synced.changes)
    holds = f"{counted(synced.files, 'file')}, {counted(synced.records, 'record')}"
    say(f"{counted(len(synced.changes), 'change')}; {holds}")
    if synced.problems:
        say(f"{counted(len(synced.problems), 'problem')}: see `commonplace check`")
    return 0


def status_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `status`: none."""


def status_run(options: Namespace) -> int:
    """What the workspace holds."""
    with open_nearby(options) as memory:
        status = memory.status()
        if options.json:
            from commonplace.operations.answers import status_json

            print_json(status_json(status))
            return 0
        width = max(len(name) for name in status)
        for name, value in status.items():
            print_lines([f"{name:<{width}}  {place(value) if isinstance(value, str) else value}"])
        return 0


def check_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `check`: none."""


def check_run(options: Namespace) -> int:
    """Look for everything that is wrong."""
    with open_memory(options) as memory:
        health = memory.check()
        if options.json:
            from commonplace.operations.answers import health_json

            print_json(health_json(health))
        else:
            print_lines(problem_line(problem) for problem in health.problems)
            say(f"{counted(len(health.problems), 'problem')}; looked at {', '.join(health.checks)}")
        return 3 if health.problems else 0
