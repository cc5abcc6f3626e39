"""The command `forget`."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator

from commonplace.cli.options import argument_table, open_memory, read_request, require_person
from commonplace.cli.render import TerminalStyle, display_path, pluralize, record_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.operations.parameters import ForgetRequest, VerifyManifestRequest
from commonplace.upkeep import forget

REASON_WORDS = {"source": "its source: ", "derived": "made of it: ", "repeats": "repeats it: ", "quotes": "quotes it: "}


forget_arguments = argument_table("""
[words=REFERENCE...]  $ForgetRequest.references
ForgetRequest
--verify MANIFEST  Scan again for what was erased according to a manifest; exit code 3 if there is any of it.
""")


def forget_run(options: Namespace) -> int:
    """Print what would be forgotten, or forget it."""
    if options.apply:
        require_person("what is forgotten")
    with open_memory(options) as memory:
        if options.verify is not None:
            scan = memory.verify_forgotten(VerifyManifestRequest(options.verify))
            print_answer(options, "forget-scan", scan, _remaining_lines(scan), messages=[_scan_summary(scan)])
            return EXIT_FINDINGS if scan.remaining else 0
        result = memory.forget(read_request(options, ForgetRequest, references=tuple(options.words)))
        style = TerminalStyle(memory.environment)
        messages = (*_summary(result), *memory.notes)
    selected = () if result.manifest else result.selected
    lines = [REASON_WORDS.get(one.reason, "") + record_line(one.shown, style) for one in selected]
    lines += [f"{display_path(one.path)}: {pluralize(one.bytes, 'byte')} less" for one in result.files]
    print_answer(options, "forgotten", result, lines, messages=messages)
    left = result.manifest.scan if result.manifest else None
    return EXIT_FINDINGS if left and left.remaining else 0


def _remaining_lines(scan: forget.TextScan) -> Iterator[str]:
    for one in scan.remaining:
        yield f"left: {display_path(one.path)}{f'#L{one.line}' if one.line else ''} ({one.view})"
    yield from (f"not read: {display_path(path)}" for path in scan.unread)


def _scan_summary(scan: forget.TextScan) -> str:
    scanned = f"{pluralize(scan.files, 'file')}, {pluralize(scan.bytes, 'byte')}, in {', '.join(scan.folders)}"
    return f"{pluralize(len(scan.remaining), 'file')} left with it; looked at {scanned}"


def _summary(result: forget.ForgetResult) -> Iterator[str]:
    """What is, or would be, forgotten, by reason; what is left of it, and what only a person can do."""
    counts = Counter(one.reason for one in result.selected)
    what = ", ".join(f"{count} {reason}" for reason, count in counts.items()) or "nothing"
    total = pluralize(len(result.selected), "record")
    if result.manifest and result.manifest.scan:
        yield f"erased: {total} ({what}), from {pluralize(len(result.files), 'file')}; this cannot be undone"
        yield from _remaining_lines(result.manifest.scan)
        yield _scan_summary(result.manifest.scan)
        yield from (f"outside our reach: {command}" for command in result.manifest.commands)
        yield f"look again with `commonplace forget --verify {result.manifest.path}`"
    elif result.is_applied:
        yield f"hidden: {total} ({what}); undo with `commonplace undo {result.id}`"
    elif result.files:
        yield f"would be erased for good: {total} ({what}), from {pluralize(len(result.files), 'file')}; use --apply"
    else:
        yield f"would be forgotten: {total} ({what}); use --apply to hide them"
