"""`init`, `retain` and `log`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import add_writing
from commonplace.cli.render import print_json, print_lines, say
from commonplace.memory import Memory
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture import Kept


def init_arguments(parser: ArgumentParser) -> None:
    """Arguments of `init`."""
    parser.add_argument("folder", nargs="?", default=None, help="where; else --workspace or the default place")


def init_run(options: Namespace) -> int:
    """Make a workspace."""
    made = Memory.init(options.folder or options.workspace)
    if options.json:
        print_json({"schema": "commonplace.init.v1", "workspace": made.root, "created": list(made.created)})
        return 0
    print_lines([made.root])
    say(f"made {', '.join(made.created)}" if made.created else "everything was there already")
    return 0


def retain_arguments(parser: ArgumentParser) -> None:
    """Arguments of `retain`."""
    add_writing(parser)
    parser.add_argument("--importance", type=float, default=None, metavar="0..1", help="how much it matters")
    parser.add_argument("--valid", default="", metavar="A..B", help="when it holds: 2025-11-27..2025-12-01")
    parser.add_argument("--from", dest="sources", action="append", default=[], metavar="ID", help="what it rests on")
    parser.add_argument("--supersedes", action="append", default=[], metavar="ID", help="the record it replaces")


def retain_run(options: Namespace) -> int:
    """Keep a sentence as a record."""
    with open_memory(options) as memory:
        kept = memory.retain(
            _text(options),
            actor=options.actor,
            scope=options.scope,
            session=options.session,
            importance=options.importance,
            valid=options.valid,
            sources=tuple(options.sources),
            supersedes=tuple(options.supersedes),
        )
        return _print_kept(kept, options.json)


def log_arguments(parser: ArgumentParser) -> None:
    """Arguments of `log`."""
    add_writing(parser)


def log_run(options: Namespace) -> int:
    """Add a line to the narrative of today's log."""
    with open_memory(options) as memory:
        kept = memory.log(_text(options), actor=options.actor, scope=options.scope, session=options.session)
        return _print_kept(kept, options.json)


def _text(options: Namespace) -> str:
    return sys.stdin.read() if options.text == ["-"] else " ".join(options.text)


def _print_kept(kept: Kept, as_json: bool) -> int:
    from commonplace.shapes import record_json

    if as_json:
        shape = {"schema": "commonplace.kept.v1", "capture": kept.capture_id, "redacted": list(kept.redacted)}
        print_json(shape | {"record": record_json(kept.record) if kept.record else None})
        return 0
    if kept.record is None:
        say("not kept: the text asks not to be ([NOMEM], or nothing is left of it)")
        return 0
    print_lines([f"{kept.record.id} {one_line(kept.record.source.citation)}"])
    if kept.redacted:
        say(f"redacted: {', '.join(kept.redacted)}")
    return 0
