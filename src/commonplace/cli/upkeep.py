"""The commands for the index, health and secrets: `sync`, `rebuild`, `status`, `check`, `embed`, `scan` and `scrub`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commonplace.cli.open_memory import open_memory, open_memory_or_daemon, progress_line
from commonplace.cli.operation_options import add_request_options, read_request
from commonplace.cli.render import change_line, display_path, pluralize, problem_line
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.language.text import sanitize_line
from commonplace.operations import serializers
from commonplace.operations.parameters import ScanRequest, ScrubRequest, SyncRequest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.sync import SyncResult
    from commonplace.upkeep.scrub import ScanResult, ScrubResult, Secret


def sync_arguments(parser: ArgumentParser) -> None:
    """Arguments of `sync`."""
    add_request_options(parser, SyncRequest)


def sync_run(options: Namespace) -> int:
    """Bring the index up to date."""
    with open_memory(options) as memory:
        return _print_sync_result(memory.sync(read_request(options, SyncRequest)), options.json)


def rebuild_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `rebuild`: none."""


def rebuild_run(options: Namespace) -> int:
    """Make the index anew."""
    with open_memory(options) as memory:
        return _print_sync_result(memory.rebuild(), options.json)


def _print_sync_result(synced: SyncResult, as_json: bool) -> int:
    if as_json:
        print_json(serializers.changes_json(synced))
        return 0
    print_lines(change_line(change) for change in synced.changes)
    holds = f"{pluralize(synced.files, 'file')}, {pluralize(synced.records, 'record')}"
    print_messages(f"{pluralize(len(synced.changes), 'change')}; {holds}")
    if synced.problems:
        print_messages(f"{pluralize(len(synced.problems), 'problem')}: see `commonplace check`")
    return 0


def status_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `status`: none."""


def status_run(options: Namespace) -> int:
    """Show the workspace, its index and the number of records."""
    with open_memory_or_daemon(options) as memory:
        status = memory.status()
        if options.json:
            print_json(serializers.status_json(status))
            return 0
        width = max(len(name) for name in status)
        for name, value in status.items():
            print_lines([f"{name:<{width}}  {display_path(value) if isinstance(value, str) else value}"])
        return 0


def check_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `check`: none."""


def check_run(options: Namespace) -> int:
    """Look for everything that is wrong."""
    with open_memory(options) as memory:
        health = memory.check()
        if options.json:
            print_json(serializers.health_json(health))
        else:
            print_lines(problem_line(problem) for problem in health.problems)
            print_messages(f"{pluralize(len(health.problems), 'problem')}; looked at {', '.join(health.checks)}")
        return 3 if health.problems else 0


def embed_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `embed`: none."""


def embed_run(options: Namespace) -> int:
    """Give every text a vector, with a bar on a terminal."""
    with open_memory(options) as memory:
        filled = memory.embed(progress_line("texts") if sys.stderr.isatty() else None)
        notes = memory.notes
    if options.json:
        told = {name: getattr(filled, name) for name in filled.__struct_fields__}
        print_json({"schema": "commonplace.embedded.v1", **told})
        return 0
    print_lines([f"{filled.model}, {filled.dimensions} numbers for each vector"])
    held = f"{pluralize(filled.added, 'text')} embedded, {pluralize(filled.dropped, 'vector')} dropped"
    print_messages(f"{held}; {pluralize(filled.texts, 'text')} in all", *notes)
    return 0


EXIT_SECRETS_FOUND = 3  # the exit code, as that of `check`


def scan_arguments(parser: ArgumentParser) -> None:
    """Arguments of `scan`."""
    add_request_options(parser, ScanRequest)


def scan_run(options: Namespace) -> int:
    """Print every secret that the workspace holds, and where to rotate it."""
    with open_memory(options) as memory:
        scan_result = memory.scan(read_request(options, ScanRequest))
        if options.json:
            print_json(serializers.scan_json(scan_result))
        else:
            print_lines(_secret_lines(scan_result))
            print_messages(*scan_result.notes)
            print_messages(_scan_summary(scan_result))
        return EXIT_SECRETS_FOUND if scan_result.secrets else 0


def scrub_arguments(parser: ArgumentParser) -> None:
    """Arguments of `scrub`."""
    add_request_options(parser, ScrubRequest)


def scrub_run(options: Namespace) -> int:
    """Print what would be taken out, or take it out."""
    with open_memory(options) as memory:
        scrub_result = memory.scrub(read_request(options, ScrubRequest))
        if options.json:
            print_json(serializers.scrub_json(scrub_result))
        else:
            print_lines(_replacement_diff_lines(scrub_result))
            print_messages(*scrub_result.notes)
            _print_scrub_advice(scrub_result)
        return EXIT_SECRETS_FOUND if scrub_result.left or (scrub_result.secrets and not scrub_result.applied) else 0


def _secret_lines(scan_result: ScanResult) -> Iterator[str]:
    for secret in scan_result.secrets:
        first, *others = (sanitize_line(location.citation) for location in secret.locations)
        yield f"{secret.placeholder} {first}"
        yield from (f"  also {place}" for place in others)
        yield f"  rotate: {_rotation_advice(secret)}"


def _rotation_advice(secret: Secret) -> str:
    if not secret.url.startswith("https:"):
        return secret.url or secret.vendor
    return f"{secret.vendor}, {secret.url}"


def _scan_summary(scan_result: ScanResult) -> str:
    looked = f"looked at {pluralize(scan_result.files, 'file')}"
    history = f" and {pluralize(scan_result.blobs, 'object')} of the git history" if scan_result.blobs else ""
    return f"{pluralize(len(scan_result.secrets), 'secret')}; {looked}{history}"


def _replacement_diff_lines(scrub_result: ScrubResult) -> Iterator[str]:
    for one in scrub_result.replaced:
        if one.diff:
            yield from one.diff.split("\n")
    for one in scrub_result.replaced:
        if not one.diff:
            yield f"{one.path}: {pluralize(one.secret_count, 'secret')}"


def _print_scrub_advice(scrub_result: ScrubResult) -> None:
    for one in scrub_result.left:
        print_messages(f"left: {sanitize_line(one.location.citation)} {one.location.placeholder}: {one.hint}")
    for secret in scrub_result.secrets:
        print_messages(f"rotate: {secret.placeholder} {_rotation_advice(secret)}")
    if scrub_result.commands:
        print_messages(
            "to remove it from the git history (not done here):", *(f"  {command}" for command in scrub_result.commands)
        )
    total = sum(one.secret_count for one in scrub_result.replaced)
    where = pluralize(len(scrub_result.replaced), "file")
    if scrub_result.applied:
        print_messages(f"removed {pluralize(total, 'secret')} from {where}; this cannot be undone")
    else:
        print_messages(
            f"would remove {pluralize(total, 'secret')} from {where}; nothing was written; use --apply to write"
        )
