"""`capture` and `ingest`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, get_args

from commonplace import files
from commonplace.cli.opening import open_memory, open_nearby
from commonplace.cli.options import said
from commonplace.cli.render import counted
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.imports import Format
from commonplace.model import ACTORS, CaptureType
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture.intake import Ingested
    from commonplace.memory import Memory

MOST_INPUT = 8 << 20  # bytes of standard input; of a text so long the funnel keeps the beginning


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
    with open_nearby(options) as memory:
        taken = memory.capture(
            _text(options),
            type=options.type,
            actor=options.actor,
            ts=options.at,
            session=options.session,
            agent=options.agent,
            scope=options.scope,
            detail=_detail(options),
            sources=tuple(options.sources),
            keys=tuple(options.key),
        )
    if options.json:
        from commonplace.operations.deeds import taken_json

        print_json(taken_json(taken))
        return 0
    print_lines([taken.id] if taken.id else [])
    if not taken.id:
        say("captured before" if taken.outcome == "known" else "not captured: the text asks not to be, or is empty")
    if taken.redacted:
        say(f"redacted: {', '.join(taken.redacted)}")
    return 0


def _text(options: Namespace) -> str:
    """The words of the command line, or all of standard input: cut here, the end of it could be half a secret."""
    if options.words != ["-"]:
        return said(options)
    return sys.stdin.buffer.read(MOST_INPUT).decode("utf-8", "replace")


def _detail(options: Namespace) -> dict[str, Any]:
    said_of = {
        "speaker": options.speaker or None,
        "tool": options.tool or None,
        "arguments": _arguments(options.arguments),
        "exit_code": options.exit_code,
        "duration_ms": options.duration_ms,
    }
    return {name: value for name, value in said_of.items() if value is not None}


def _arguments(written: str) -> Any:
    """Arguments as JSON, or as the text that they are."""
    if not written.startswith(("{", "[")):
        return written or None
    try:
        return json.loads(written)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"--arguments is not valid JSON: {type(error).__name__}") from None


def ingest_arguments(parser: ArgumentParser) -> None:
    """Arguments of `ingest`."""
    parser.add_argument("paths", nargs="+", metavar="FILE", help="transcripts; `-` reads standard input")
    parser.add_argument("--format", choices=get_args(Format), default="auto", help="how they are written")
    parser.add_argument("--owner", default="", metavar="NAME", help="your name in an export or a chat log")
    parser.add_argument("--session", default="", help="the session it all belongs to")
    parser.add_argument("--scope", default="", help="the project it all belongs to")


def ingest_run(options: Namespace) -> int:
    """Capture what files of transcripts hold; bad lines are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        for path in options.paths:
            if path != "-":
                with files.named(path):
                    pass  # a name that is wrong is refused before anything is captured
        done = [(path, _ingested(memory, path, options)) for path in options.paths]
    if options.json:
        from commonplace.operations.deeds import sources_json

        print_json(sources_json(done))
        return 0
    for path, one in done:
        print_lines([_ingested_line(path, one)])
        say(*(f"{one_line(path)}: line {it.line}, byte {it.offset}: {it.reason}" for it in one.examples))
        if one.set_aside:
            say(f"{counted(one.set_aside, 'line')} set aside in {one.kept_in}")
    return 0


def _ingested(memory: Memory, path: str, options: Namespace) -> Ingested:
    choices = {name: getattr(options, name) for name in ("format", "owner", "scope", "session")}
    if path == "-":
        return memory.ingest(sys.stdin.buffer, name=path, **choices)
    with files.named(path) as (stream, identity):
        return memory.ingest(stream, name=path, identity=identity, **choices)


def _ingested_line(path: str, done: Ingested) -> str:
    parts = [f"{done.captured} captured", f"{done.known} known", f"{done.skipped} skipped"]
    parts += [f"{done.blank} blank", f"{done.set_aside} set aside"]
    masked = f"; redacted: {', '.join(done.redacted)}" if done.redacted else ""
    return f"{one_line(path)}: {', '.join(parts)}{masked}"
