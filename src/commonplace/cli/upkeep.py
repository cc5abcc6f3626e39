"""The commands for the index, health and secrets: `sync`, `rebuild`, `status`, `check`, `embed`, `scan` and `scrub`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from commonplace import sync
from commonplace.cli.options import argument_table, open_memory, open_memory_or_daemon, progress_line, read_request
from commonplace.cli.render import change_line, display_path, pluralize, problem_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import sanitize_line
from commonplace.operations.parameters import ScanRequest, ScrubRequest, SyncRequest
from commonplace.upkeep import scrub

sync_arguments = argument_table("SyncRequest")


def sync_run(options: Namespace) -> int:
    """Bring the index up to date."""
    with open_memory(options) as memory:
        return _print_sync_result(memory.sync(read_request(options, SyncRequest)), options)


def rebuild_run(options: Namespace) -> int:
    """Rebuild the index."""
    with open_memory(options) as memory:
        return _print_sync_result(memory.rebuild(), options)


def _print_sync_result(synced: sync.SyncResult, options: Namespace) -> int:
    holds = f"{pluralize(synced.files, 'file')}, {pluralize(synced.records, 'record')}"
    messages = [f"{pluralize(len(synced.changes), 'change')}; {holds}"]
    if synced.problems:
        messages.append(f"{pluralize(len(synced.problems), 'problem')}: see `commonplace check`")
    return print_answer(options, "changes", synced, map(change_line, synced.changes), messages=messages)


def status_run(options: Namespace) -> int:
    """Show the workspace, its index and the number of records."""
    with open_memory_or_daemon(options) as memory:
        status = memory.status()
        width = max(map(len, status))
        shown = ((name, display_path(value) if isinstance(value, str) else value) for name, value in status.items())
        lines = (f"{name:<{width}}  {value}" for name, value in shown)
        return print_answer(options, "status", status, lines)


def check_run(options: Namespace) -> int:
    """Look for everything that is wrong."""
    with open_memory(options) as memory:
        health = memory.check()
        summary = f"{pluralize(len(health.problems), 'problem')}; looked at {', '.join(health.checks)}"
        print_answer(options, "health", health, map(problem_line, health.problems), messages=[summary])
        return EXIT_FINDINGS if health.problems else 0


def embed_run(options: Namespace) -> int:
    """Give every text a vector, with a bar on a terminal."""
    with open_memory(options) as memory:
        filled = memory.embed(progress_line("texts") if sys.stderr.isatty() else None)
        notes = memory.notes
    held = f"{pluralize(filled.added, 'text')} embedded, {pluralize(filled.dropped, 'vector')} dropped"
    messages = (f"{held}; {pluralize(filled.texts, 'text')} in all", *notes)
    lines = [f"{filled.model}, {filled.dimensions} numbers for each vector"]
    return print_answer(options, "embedded", filled, lines, messages=messages)


scan_arguments = argument_table("ScanRequest")


def scan_run(options: Namespace) -> int:
    """Print every secret that the workspace holds, and where to rotate it."""
    with open_memory(options) as memory:
        scan_result = memory.scan(read_request(options, ScanRequest))
        messages = (*scan_result.notes, _scan_summary(scan_result))
        print_answer(options, "secrets", scan_result, _secret_lines(scan_result), messages=messages)
        return EXIT_FINDINGS if scan_result.secrets else 0


scrub_arguments = argument_table("ScrubRequest")


def scrub_run(options: Namespace) -> int:
    """Print what would be taken out, or take it out."""
    with open_memory(options) as memory:
        scrub_result = memory.scrub(read_request(options, ScrubRequest))
        messages = (*scrub_result.notes, *_scrub_advice(scrub_result))
        print_answer(options, "scrub", scrub_result, _replacement_diff_lines(scrub_result), messages=messages)
        return EXIT_FINDINGS if scrub_result.left or (scrub_result.secrets and not scrub_result.applied) else 0


def _secret_lines(scan_result: scrub.ScanResult) -> Iterator[str]:
    for secret in scan_result.secrets:
        first, *others = (sanitize_line(location.citation) for location in secret.locations)
        yield f"{secret.placeholder} {first}"
        yield from (f"  also {place}" for place in others)
        yield f"  rotate: {_rotation_advice(secret)}"


def _rotation_advice(secret: scrub.Secret) -> str:
    if not secret.url.startswith("https:"):
        return secret.url or secret.vendor
    return f"{secret.vendor}, {secret.url}"


def _scan_summary(scan_result: scrub.ScanResult) -> str:
    looked = f"looked at {pluralize(scan_result.files, 'file')}"
    history = f" and {pluralize(scan_result.blobs, 'object')} of the git history" if scan_result.blobs else ""
    return f"{pluralize(len(scan_result.secrets), 'secret')}; {looked}{history}"


def _replacement_diff_lines(scrub_result: scrub.ScrubResult) -> Iterator[str]:
    yield from (line for one in scrub_result.replaced if one.diff for line in one.diff.split("\n"))
    for one in scrub_result.replaced:
        if not one.diff:
            yield f"{one.path}: {pluralize(one.secret_count, 'secret')}"


def _scrub_advice(scrub_result: scrub.ScrubResult) -> Iterator[str]:
    for one in scrub_result.left:
        yield f"left: {sanitize_line(one.location.citation)} {one.location.placeholder}: {one.hint}"
    for secret in scrub_result.secrets:
        yield f"rotate: {secret.placeholder} {_rotation_advice(secret)}"
    if scrub_result.commands:
        yield "to remove it from the git history (not done here):"
        yield from (f"  {command}" for command in scrub_result.commands)
    secrets = pluralize(sum(one.secret_count for one in scrub_result.replaced), "secret")
    where = pluralize(len(scrub_result.replaced), "file")
    if scrub_result.applied:
        yield f"removed {secrets} from {where}; this cannot be undone"
    else:
        yield f"would remove {secrets} from {where}; nothing was written; use --apply to write"
