"""`init`, `retain` and `log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_nearby, refuse_odd
from commonplace.cli.options import add_writing, said
from commonplace.cli.render import place
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.memory import Memory

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture import Kept


def init_arguments(parser: ArgumentParser) -> None:
    """Arguments of `init`."""
    parser.add_argument("folder", nargs="?", default=None, help="where; else --workspace or the default place")


def init_run(options: Namespace) -> int:
    """Make a workspace."""
    if options.folder == "":
        raise BadArgument("the folder has no name", hint="commonplace init ~/notes")
    folder = options.folder or options.workspace
    refuse_odd(folder or "")
    made = Memory.init(folder)
    if options.json:
        from commonplace.operations.answers import init_json

        print_json(init_json(made))
        return 0
    print_lines([place(made.root)])
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
    with open_nearby(options) as memory:
        kept = memory.retain(
            said(options),
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
    with open_nearby(options) as memory:
        kept = memory.log(said(options), actor=options.actor, scope=options.scope, session=options.session)
        return _print_kept(kept, options.json)


def _print_kept(kept: Kept, as_json: bool) -> int:
    if as_json:
        from commonplace.operations.answers import kept_json

        print_json(kept_json(kept))
        return 0
    if kept.record is None:
        say("not kept: the text asks not to be ([NOMEM], or nothing is left of it)")
        return 0
    print_lines([f"{kept.record.id} {kept.record.source.citation}"])
    if kept.redacted:
        say(f"redacted: {', '.join(kept.redacted)}")
    if kept.rank:
        say(f"found at rank {kept.rank} by {kept.asked!r}")
    say(*kept.notes)
    return 0
