"""The commands that add to memory: `init`, `retain`, `log`, `capture`, `ingest` and `import`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, get_args

from commonplace.cli.open_memory import check_folder_name, open_memory, open_memory_or_daemon
from commonplace.cli.options import add_writing_options, read_text_argument
from commonplace.cli.render import display_path, pluralize
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.model import ACTORS, CaptureType, TranscriptFormat
from commonplace.storage import files

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture import RetainResult
    from commonplace.capture.ingestion import IngestResult
    from commonplace.capture.migration import ImportResult
    from commonplace.shapes import Json


def init_arguments(parser: ArgumentParser) -> None:
    """Arguments of `init`."""
    parser.add_argument("folder", nargs="?", default=None, help="where; else --workspace or the default place")


def init_run(options: Namespace) -> int:
    """Make a workspace."""
    if options.folder == "":
        raise BadArgument("the folder has no name", hint="commonplace init ~/notes")
    folder = options.folder or options.workspace
    check_folder_name(folder or "")
    made = Memory.init(folder)
    if options.json:
        from commonplace.serve.dispatch.serializers import init_json

        print_json(init_json(made))
        return 0
    print_lines([display_path(made.root)])
    print_messages(f"made {', '.join(made.created)}" if made.created else "everything was there already")
    return 0


def retain_arguments(parser: ArgumentParser) -> None:
    """Arguments of `retain`."""
    add_writing_options(parser)
    parser.add_argument("--importance", type=float, default=None, metavar="0..1", help="how much it matters")
    parser.add_argument("--valid", default="", metavar="A..B", help="when it holds: 2025-11-27..2025-12-01")
    parser.add_argument("--from", dest="sources", action="append", default=[], metavar="ID", help="what it rests on")
    parser.add_argument("--supersedes", action="append", default=[], metavar="ID", help="the record it replaces")


def retain_run(options: Namespace) -> int:
    """Keep a sentence as a record."""
    with open_memory_or_daemon(options) as memory:
        result = memory.retain(
            read_text_argument(options),
            actor=options.actor,
            scope=options.scope,
            session=options.session,
            importance=options.importance,
            valid=options.valid,
            sources=tuple(options.sources),
            supersedes=tuple(options.supersedes),
        )
        return _print_retained(result, options.json)


def log_arguments(parser: ArgumentParser) -> None:
    """Arguments of `log`."""
    add_writing_options(parser)


def log_run(options: Namespace) -> int:
    """Add a line to the narrative of today's log."""
    with open_memory_or_daemon(options) as memory:
        result = memory.log(
            read_text_argument(options), actor=options.actor, scope=options.scope, session=options.session
        )
        return _print_retained(result, options.json)


def _print_retained(retain_result: RetainResult, as_json: bool) -> int:
    if as_json:
        from commonplace.serve.dispatch.serializers import retained_json

        print_json(retained_json(retain_result))
        return 0
    if retain_result.record is None:
        print_messages("not kept: the text asks not to be ([NOMEM], or nothing is left of it)")
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
    parser.add_argument("words", nargs="+", metavar="TEXT", help="what was said or happened; `-` reads standard input")
    parser.add_argument("--actor", choices=ACTORS, default="owner", help="who did it (decides how far it is trusted)")
    parser.add_argument("--type", choices=get_args(CaptureType), default="message", help="what sort of event")
    parser.add_argument("--session", default="", help="the session it belongs to")
    parser.add_argument("--agent", default="", help="the agent that captured it")
    parser.add_argument("--scope", default="", help="the project it belongs to")
    parser.add_argument("--at", default="", metavar="TIME", help="when it happened, in ISO; now if not said")
    parser.add_argument("--speaker", default="", metavar="NAME", help="who speaks, by name")
    parser.add_argument("--tool", default="", metavar="NAME", help="the tool whose result it is")
    parser.add_argument("--arguments", default="", metavar="JSON", help="what the tool was called with")
    parser.add_argument("--exit-code", type=int, default=None, metavar="N", help="how the tool ended")
    parser.add_argument("--duration-ms", type=float, default=None, metavar="N", help="how long the tool ran")
    parser.add_argument("--from", dest="sources", action="append", default=[], metavar="ID", help="what it rests on")
    parser.add_argument(
        "--key", action="append", default=[], help="its name at its source: a second event of that name adds nothing"
    )


def capture_run(options: Namespace) -> int:
    """Capture one event."""
    with open_memory_or_daemon(options) as memory:
        taken = memory.capture(
            _read_captured_text(options),
            type=options.type,
            actor=options.actor,
            ts=options.at,
            session=options.session,
            agent=options.agent,
            scope=options.scope,
            detail=_capture_detail(options),
            sources=tuple(options.sources),
            keys=tuple(options.key),
        )
    if options.json:
        from commonplace.serve.dispatch.serializers import captured_json

        print_json(captured_json(taken))
        return 0
    print_lines([taken.id] if taken.id else [])
    if not taken.id:
        print_messages(
            "captured before" if taken.outcome == "known" else "not captured: the text asks not to be, or is empty"
        )
    if taken.redacted:
        print_messages(f"redacted: {', '.join(taken.redacted)}")
    return 0


def _read_captured_text(options: Namespace) -> str:
    """The words of the command line, or all of standard input: cut here, the end of it could be half a secret."""
    if options.words != ["-"]:
        return read_text_argument(options)
    return sys.stdin.buffer.read(MAX_CAPTURE_BYTES).decode("utf-8", "replace")


def _capture_detail(options: Namespace) -> dict[str, Any]:
    said_of = {
        "speaker": options.speaker or None,
        "tool": options.tool or None,
        "arguments": _parse_tool_arguments(options.arguments),
        "exit_code": options.exit_code,
        "duration_ms": options.duration_ms,
    }
    return {name: value for name, value in said_of.items() if value is not None}


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
    parser.add_argument("paths", nargs="+", metavar="FILE", help="transcripts; `-` reads standard input")
    parser.add_argument("--format", choices=get_args(TranscriptFormat), default="auto", help="how they are written")
    parser.add_argument("--owner", default="", metavar="NAME", help="your name in an export or a chat log")
    parser.add_argument("--session", default="", help="the session it all belongs to")
    parser.add_argument("--scope", default="", help="the project it all belongs to")


def ingest_run(options: Namespace) -> int:
    """Capture what files of transcripts hold; bad lines are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        for path in options.paths:
            if path != "-":
                with files.open_user_file(path):
                    pass  # a name that is wrong is refused before anything is captured
        done = [(path, _ingest_file(memory, path, options)) for path in options.paths]
    if options.json:
        from commonplace.serve.dispatch.serializers import ingest_sources_json

        print_json(ingest_sources_json(done))
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
    choices = {name: getattr(options, name) for name in ("format", "owner", "scope", "session")}
    if path == "-":
        return memory.ingest(sys.stdin.buffer, name=path, **choices)
    with files.open_user_file(path) as (stream, identity):
        return memory.ingest(stream, name=path, identity=identity, **choices)


def _ingest_summary(path: str, ingest_result: IngestResult) -> str:
    parts = [f"{ingest_result.captured} captured", f"{ingest_result.known} known", f"{ingest_result.skipped} skipped"]
    parts += [f"{ingest_result.blank} blank", f"{ingest_result.set_aside} set aside"]
    masked = f"; redacted: {', '.join(ingest_result.redacted)}" if ingest_result.redacted else ""
    return f"{sanitize_line(path)}: {', '.join(parts)}{masked}"


def import_arguments(parser: ArgumentParser) -> None:
    """Arguments of `import`."""
    from commonplace.capture.imports.memories import SYSTEMS

    parser.add_argument("path", metavar="PATH", help="a database, a folder or an export of another memory")
    parser.add_argument("--format", choices=("auto", *SYSTEMS), default="auto", help="which memory it is")
    parser.add_argument("--mine", action="store_true", help="you vouch for all of it: it is as if you had said it")
    parser.add_argument("--owner", default="", metavar="NAME", help="your name there: you vouch for what is yours")
    parser.add_argument("--scope", default="", help="the project it all belongs to")
    parser.add_argument("--apply", action="store_true", help="capture it; else nothing is written")


def import_run(options: Namespace) -> int:
    """Tell what would come in, or let it in; bad rows are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        import_result = memory.import_from(
            options.path,
            system=options.format,
            owner=options.owner,
            mine=options.mine,
            scope=options.scope,
            apply=options.apply,
        )
    if options.json:
        print_json(imported_json(options.path, import_result))
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


def imported_json(path: str, import_result: ImportResult) -> Json:
    """`commonplace.imported.v1`."""
    tally, outcome = import_result.tally, import_result.ingest_result
    return {
        "schema": "commonplace.imported.v1",
        "source": sanitize_line(path),
        "system": import_result.system,
        "applied": import_result.applied,
        "kinds": tally.kinds,
        "trusts": tally.trusts,
        "people": tally.people,
        "scopes": tally.scopes,
        "first": tally.first,
        "last": tally.last,
        "undated": tally.undated,
        "captured": outcome.captured,
        "known": outcome.known,
        "skipped": outcome.skipped,
        "passed_over": tally.passed_over,
        "set_aside": outcome.set_aside,
        "examples": [
            {"part": sanitize_line(it.part), "offset": it.offset, "line": it.line, "reason": it.reason}
            for it in outcome.examples
        ],
        "kept_in": outcome.kept_in,
        "masked": tally.masked,
        "redacted": list(outcome.redacted),
        "samples": [{"kind": one.kind, "day": one.day, "trust": one.trust, "text": one.text} for one in tally.samples],
    }


def _import_summary(path: str, import_result: ImportResult) -> list[str]:
    tally, outcome = import_result.tally, import_result.ingest_result
    found = sum(tally.kinds.values())
    if not found and not outcome.set_aside and not tally.passed_over:
        return [f"{sanitize_line(path)}: {import_result.system}: there is nothing in it"]
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
    undated = f"; {tally.undated} without a date, which count as from now" if tally.undated else ""
    span = f"{tally.first} to {tally.last}" if tally.first else "none"
    return [f"  dates: {span}{undated}"] if tally.kinds else []


def _import_hints(options: Namespace, import_result: ImportResult) -> list[str]:
    hints = []
    if options.owner and not any(name.casefold() == options.owner.casefold() for name in import_result.tally.people):
        named = ", ".join(import_result.tally.people) or "nobody"
        hints.append(f"nothing there belongs to {sanitize_line(options.owner)}; it names {named}")
    if not import_result.applied and import_result.tally.kinds:
        hints.append("nothing was written; --apply captures it")
        if "trusted" not in import_result.tally.trusts and not options.mine:
            hints.append("none of it will be trusted; if it is yours, say --mine")
    return hints
