"""The commands that add to memory: `init`, `retain`, `log`, `capture`, `ingest` and `import`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from commonplace.cli.open_memory import check_folder_name, open_memory, open_memory_or_daemon
from commonplace.cli.operation_options import add_request_options, add_text_argument, parameter_help, read_request
from commonplace.cli.options import read_text_argument
from commonplace.cli.render import display_path, pluralize
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.operations import serializers
from commonplace.operations.parameters import (
    CaptureRequest,
    ImportRequest,
    LogRequest,
    RetainRequest,
    StreamIngestRequest,
)
from commonplace.storage import files

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture import ImportResult, IngestResult, RetainResult
    from commonplace.shapes import Json


def init_arguments(parser: ArgumentParser) -> None:
    """Arguments of `init`."""
    parser.add_argument(
        "folder", nargs="?", default=None, help="The folder; default: --workspace, or the default workspace."
    )


def init_run(options: Namespace) -> int:
    """Make a workspace."""
    if options.folder == "":
        raise BadArgument("the name of the folder is empty", hint="commonplace init ~/notes")
    folder = options.folder or options.workspace
    check_folder_name(folder or "")
    made = Memory.init(folder)
    if options.json:
        print_json(serializers.init_json(made))
        return 0
    print_lines([display_path(made.root)])
    print_messages(f"made {', '.join(made.created)}" if made.created else "everything exists already")
    return 0


def retain_arguments(parser: ArgumentParser) -> None:
    """Arguments of `retain`."""
    add_text_argument(parser, RetainRequest, "TEXT")
    add_request_options(parser, RetainRequest)


def retain_run(options: Namespace) -> int:
    """Keep a sentence as a record."""
    with open_memory_or_daemon(options) as memory:
        request = read_request(options, RetainRequest, text=read_text_argument(options))
        return print_retained(memory.retain(request), options.json)


def log_arguments(parser: ArgumentParser) -> None:
    """Arguments of `log`."""
    add_text_argument(parser, LogRequest, "TEXT")
    add_request_options(parser, LogRequest)


def log_run(options: Namespace) -> int:
    """Add a line to today's log."""
    with open_memory_or_daemon(options) as memory:
        request = read_request(options, LogRequest, text=read_text_argument(options))
        return print_retained(memory.log(request), options.json)


def print_retained(retain_result: RetainResult, as_json: bool) -> int:
    """Print what was kept, where, and what a person should know about it; returns the exit code."""
    if as_json:
        print_json(serializers.retained_json(retain_result))
        return 0
    if retain_result.record is None:
        print_messages("not stored: the text is marked [NOMEM], or nothing remains of it")
        return 0
    print_lines([f"{retain_result.record.id} {retain_result.record.source.citation}"])
    if retain_result.redacted:
        print_messages(f"redacted: {', '.join(retain_result.redacted)}")
    if retain_result.rank:
        print_messages(f"found at rank {retain_result.rank} by {retain_result.asked!r}")
    print_messages(*retain_result.notes)
    return 0


MAX_CAPTURE_BYTES = 8 << 20  # bytes of standard input; of a text so long the capture keeps the beginning


def capture_arguments(parser: ArgumentParser) -> None:
    """Arguments of `capture`."""
    add_text_argument(parser, CaptureRequest, "TEXT")
    add_request_options(parser, CaptureRequest, without=("sources", "keys"))
    parser.add_argument("--speaker", default="", metavar="NAME", help="The name of the speaker.")
    parser.add_argument("--tool", default="", metavar="NAME", help="The tool that returned the result.")
    parser.add_argument("--arguments", default="", metavar="JSON", help="The arguments of the tool call, as JSON.")
    parser.add_argument("--exit-code", type=int, default=None, metavar="N", help="The exit code of the tool.")
    parser.add_argument(
        "--duration-ms", type=float, default=None, metavar="N", help="The duration of the tool call, in milliseconds."
    )
    add_request_options(parser, CaptureRequest, only=("sources", "keys"))


def capture_run(options: Namespace) -> int:
    """Capture one event."""
    with open_memory_or_daemon(options) as memory:
        request = read_request(
            options, CaptureRequest, text=_read_captured_text(options), detail=_capture_detail(options)
        )
        taken = memory.capture(request)
    if options.json:
        print_json(serializers.captured_json(taken))
        return 0
    print_lines([taken.id] if taken.id else [])
    if not taken.id:
        print_messages(
            "captured before" if taken.outcome == "known" else "not captured: the text is marked [NOMEM], or is empty"
        )
    if taken.redacted:
        print_messages(f"redacted: {', '.join(taken.redacted)}")
    return 0


def _read_captured_text(options: Namespace) -> str:
    """The words of the command line, or all of standard input: cut here, the end of it could be half a secret."""
    if options.words != ["-"]:
        return read_text_argument(options)
    return sys.stdin.buffer.read(MAX_CAPTURE_BYTES).decode("utf-8", "replace")


def _capture_detail(options: Namespace) -> Json:
    detail = {
        "speaker": options.speaker or None,
        "tool": options.tool or None,
        "arguments": _parse_tool_arguments(options.arguments),
        "exit_code": options.exit_code,
        "duration_ms": options.duration_ms,
    }
    return {name: value for name, value in detail.items() if value is not None}


def _parse_tool_arguments(text: str) -> Any:
    """Arguments as JSON, or as the text that they are."""
    if not text.startswith(("{", "[")):
        return text or None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"--arguments is not valid JSON: {type(error).__name__}") from None


def ingest_arguments(parser: ArgumentParser) -> None:
    """Arguments of `ingest`."""
    parser.add_argument("paths", nargs="+", metavar="FILE", help="Transcript files. `-` reads standard input.")
    add_request_options(parser, StreamIngestRequest)


def ingest_run(options: Namespace) -> int:
    """Capture what files of transcripts hold; bad lines are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        for path in options.paths:
            if path != "-":
                with files.open_user_file(path):
                    pass  # a name that is wrong is refused before anything is captured
        done = [(path, _ingest_file(memory, path, options)) for path in options.paths]
    if options.json:
        print_json(serializers.ingest_sources_json(done))
        return 0
    for path, one in done:
        print_lines([_ingest_summary(path, one)])
        print_messages(
            *(f"{sanitize_line(path)}: line {it.line}, byte {it.offset}: {it.reason}" for it in one.examples)
        )
        if one.set_aside:
            print_messages(f"{pluralize(one.set_aside, 'line')} set aside in {one.kept_in}")
    return 0


def _ingest_file(memory: Memory, path: str, options: Namespace) -> IngestResult:
    if path == "-":
        return memory.ingest(read_request(options, StreamIngestRequest, stream=sys.stdin.buffer, name=path))
    with files.open_user_file(path) as (stream, identity):
        return memory.ingest(read_request(options, StreamIngestRequest, stream=stream, name=path, identity=identity))


def _ingest_summary(path: str, ingest_result: IngestResult) -> str:
    parts = [f"{ingest_result.captured} captured", f"{ingest_result.known} known", f"{ingest_result.skipped} skipped"]
    parts += [f"{ingest_result.blank} blank", f"{ingest_result.set_aside} set aside"]
    masked = f"; redacted: {', '.join(ingest_result.redacted)}" if ingest_result.redacted else ""
    return f"{sanitize_line(path)}: {', '.join(parts)}{masked}"


def import_arguments(parser: ArgumentParser) -> None:
    """Arguments of `import`."""
    from commonplace.capture.imports.memories import SYSTEMS

    parser.add_argument("path", metavar="PATH", help=parameter_help(ImportRequest, "path"))
    add_request_options(parser, ImportRequest, choices={"system": ("auto", *SYSTEMS)})


def import_run(options: Namespace) -> int:
    """Tell what would come in, or let it in; bad rows are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        import_result = memory.import_from(read_request(options, ImportRequest))
    if options.json:
        print_json(serializers.imported_json(options.path, import_result))
        return 0
    print_lines(_import_summary(options.path, import_result))
    for one in import_result.ingest_result.examples:
        where = f"{sanitize_line(one.part)}, " if one.part else ""
        print_messages(f"set aside: {where}line {one.line}: {one.reason}")
    if import_result.ingest_result.kept_in:
        print_messages(
            f"{pluralize(import_result.ingest_result.set_aside, 'item')} "
            f"set aside in {import_result.ingest_result.kept_in}"
        )
    for hint in _import_hints(options, import_result):
        print_messages(hint)
    return 0


def _import_summary(path: str, import_result: ImportResult) -> list[str]:
    tally, outcome = import_result.tally, import_result.ingest_result
    found = sum(tally.kinds.values())
    if not found and not outcome.set_aside and not tally.passed_over:
        return [f"{sanitize_line(path)}: {import_result.system}: it contains no memories"]
    lines = [
        f"{sanitize_line(path)}: {import_result.system}, {pluralize(found, 'memory').replace('memorys', 'memories')}"
    ]
    lines += _count_lines("kinds", tally.kinds) + _date_range_lines(import_result) + _count_lines("trust", tally.trusts)
    lines += (
        _count_lines("of", tally.people)
        + _count_lines("scope", tally.scopes)
        + _count_lines("passed over", tally.passed_over)
    )
    if tally.masked:
        lines.append(f"  masked: {', '.join(outcome.redacted)} (in {tally.masked})")
    lines += [f"  e.g. {one.day or 'undated'} {one.kind} ({one.trust}): {one.text}" for one in tally.samples]
    verb = "captured" if import_result.applied else "to capture"
    parts = [f"{outcome.captured} {verb}", f"{outcome.known} known", f"{outcome.skipped} skipped"]
    return [*lines, f"  {', '.join([*parts, f'{outcome.set_aside} set aside'])}"]


def _count_lines(name: str, counts: dict[str, int]) -> list[str]:
    told = ", ".join(f"{number} {word}" for word, number in sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    return [f"  {name}: {told}"] if counts else []


def _date_range_lines(import_result: ImportResult) -> list[str]:
    tally = import_result.tally
    undated = f"; {tally.undated} without a date; they get the current time" if tally.undated else ""
    span = f"{tally.first} to {tally.last}" if tally.first else "none"
    return [f"  dates: {span}{undated}"] if tally.kinds else []


def _import_hints(options: Namespace, import_result: ImportResult) -> list[str]:
    hints = []
    if options.owner and not any(name.casefold() == options.owner.casefold() for name in import_result.tally.people):
        named = ", ".join(import_result.tally.people) or "nobody"
        hints.append(f"nothing in it belongs to {sanitize_line(options.owner)}; it names {named}")
    if not import_result.applied and import_result.tally.kinds:
        hints.append("nothing was written; use --apply to capture it")
        if "trusted" not in import_result.tally.trusts and not options.mine:
            hints.append("none of it will be trusted; if it is yours, use --mine")
    return hints
