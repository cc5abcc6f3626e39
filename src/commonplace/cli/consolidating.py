"""`consolidate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import at_least
from commonplace.cli.render import counted
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.consolidate import Kept, Run


def consolidate_arguments(parser: ArgumentParser) -> None:
    """Arguments of `consolidate`."""
    parser.add_argument("--apply", action="store_true", help="write it; without, it is only shown")
    parser.add_argument(
        "--idle", type=at_least(0), default=0, metavar="MINUTES", help="leave sessions that went on so lately"
    )
    parser.add_argument("--owner", default="", metavar="NAME", help="your name, where captures name nobody")


def consolidate_run(options: Namespace) -> int:
    """Show, or write, what is worth keeping of what was captured."""
    with open_memory(options) as memory:
        run = memory.consolidate(apply=options.apply, idle_minutes=options.idle, owner=options.owner)
        found = memory.findability(run) if options.apply else ()
        notes = memory.notes
    if options.json:
        from commonplace.operations.deeds import run_json

        print_json(run_json(run, found, notes, applied=options.apply))
        return 0
    print_lines((*_lines(run), *_learned_lines(run)))
    say(_total(run), *notes, *(one.warning for one in found if one.warning))
    if run.plans and not options.apply:
        say("nothing was written; `commonplace consolidate --apply` writes it")
    return 0


def _lines(run: Run) -> Iterator[str]:
    for plan in run.plans:
        for episode in plan.episodes:
            yield f"+ {episode.path}: {one_line(episode.summary)}"
        for kept in plan.kept:
            yield f"+ {kept.home.path}: {one_line(kept.draft.text)}{_standing(kept)}"
        for item in plan.pending:
            yield f"? {one_line(item.text)} ({item.why})"
        for skipped in plan.skipped:
            same = f": {skipped.duplicate_of}" if skipped.duplicate_of else ""
            yield f"- {one_line(skipped.draft.text)} ({skipped.why}{same})"


def _learned_lines(run: Run) -> Iterator[str]:
    for path in run.learned.pages:
        yield f"+ {path}: how it is done"
    for path in run.learned.drafts:
        yield f"? {path}: a skill that waits for `commonplace skills approve`"


def _standing(kept: Kept) -> str:
    """Whether a line holds no more, or what it replaces."""
    if kept.is_over:
        return f" (until {kept.draft.valid_to})"
    return f" (replaces {', '.join(one.id for one in kept.replaces)})" if kept.replaces else ""


def _total(run: Run) -> str:
    plans = run.plans
    counts = (
        counted(sum(plan.captures for plan in plans), "capture"),
        counted(sum(len(plan.episodes) for plan in plans), "episode"),
        counted(sum(len(plan.kept) for plan in plans), "line"),
        f"{sum(len(plan.pending) for plan in plans)} to review",
        f"{sum(len(plan.skipped) for plan in plans)} skipped",
    )
    return ", ".join(counts)
