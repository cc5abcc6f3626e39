"""`pending`, `undo`, `audit`, `tags` and `learnings`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import at_least
from commonplace.cli.render import Ink, record_line
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument, WriteConflict
from commonplace.operations import deeds
from commonplace.shapes import record_json
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.consolidate.pending import Item
    from commonplace.model import Record
    from commonplace.review.audit import Written

DEEDS = ("list", "approve", "reject", "edit")
SHOWN = 8  # lines of one change that are shown


def pending_arguments(parser: ArgumentParser) -> None:
    """Arguments of `pending`."""
    parser.add_argument("deed", nargs="?", choices=DEEDS, default="list", help="what to do")
    parser.add_argument("words", nargs="*", metavar="ID [TEXT]", help="which item; for `edit`, its new words")


def pending_run(options: Namespace) -> int:
    """List the review queue, or decide about one item."""
    with open_memory(options) as memory:
        if options.deed == "list":
            items = tuple((item, memory.evidence(item)) for item in memory.pending())
            return _list(items, Ink(memory.around), as_json=options.json)
        if not options.words:
            raise BadArgument(
                f"`pending {options.deed}` needs the id of an item", hint="`commonplace pending` lists them"
            )
        item_id, words = options.words[0], " ".join(options.words[1:])
        if options.deed == "edit":
            decided = memory.edit(item_id, words)
        elif words:
            raise BadArgument(f"`pending {options.deed}` takes one id; `edit` changes the words")
        else:
            decided = memory.approve(item_id) if options.deed == "approve" else memory.reject(item_id)
        notes = memory.notes
    if options.json:
        print_json(deeds.decided_json(options.deed, decided))
    else:
        print_lines([decided.path or "rejected"])
        say(*(f"undo with `commonplace undo {change}`" for change in decided.changes), *notes)
    return 0


def _list(items: tuple[tuple[Item, tuple[Record, ...]], ...], ink: Ink, *, as_json: bool) -> int:
    if as_json:
        print_json(deeds.pending_json(items))
        return 0
    for item, evidence in items:
        about = f", {one_line(item.entity)}" if item.entity else ""
        print_lines([f"{item.id}  {item.category}{about}: {one_line(item.text)}", f"    {one_line(item.why)}"])
        print_lines(f"    {record_line(record, ink)}" for record in evidence)
    if not items:
        say("nothing waits for review")
    return 0


def undo_arguments(parser: ArgumentParser) -> None:
    """Arguments of `undo`."""
    parser.add_argument("change", help="the id of a change, or `last`; `commonplace audit` tells them")


def undo_run(options: Namespace) -> int:
    """Take back an applied write."""
    with open_memory(options) as memory:
        try:
            path = memory.undo(options.change)
        except WriteConflict:
            if not options.json:
                say(*memory.difference(options.change))
            raise
        notes = memory.notes
    if options.json:
        print_json(deeds.undone_json(options.change, path))
    else:
        print_lines([path])
        say(*notes)
    return 0


def audit_arguments(parser: ArgumentParser) -> None:
    """Arguments of `audit`."""
    parser.add_argument("--since", default="", metavar="TIME", help="2025-11-27, 'last week'")
    parser.add_argument("-n", type=at_least(1), default=20, help="how many writes at most (20)")


def audit_run(options: Namespace) -> int:
    """Print what was written lately."""
    with open_memory(options) as memory:
        written = memory.audit(since=options.since, at_most=options.n)
        ink = Ink(memory.around)
    if options.json:
        print_json(deeds.audit_json(written))
        return 0
    for one in written:
        print_lines([ink.bold(f"{one.change_id}  {one.ts.replace('T', ' ')}  {one_line(one.path)}"), *_told(one)])
    if not written:
        say("nothing was written")
    return 0


def _told(one: Written) -> Iterator[str]:
    about = [", ".join(one.by), ", ".join(one.trust), f"from {', '.join(one.sources)}" if one.sources else ""]
    if any(about):
        yield f"   {' · '.join(filter(None, about))}"
    for sign, text in (("-", one.before), ("+", one.after)):
        lines = [line for line in text.split("\n") if line.strip()]
        yield from (f"   {sign} {one_line(line)}" for line in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"   {sign} … {len(lines) - SHOWN} more"


def tags_arguments(parser: ArgumentParser) -> None:
    """Arguments of `tags`."""
    parser.add_argument("tag", nargs="?", default="", help="a tag; without one, all of them")


def tags_run(options: Namespace) -> int:
    """Print the tags there are, or what bears one."""
    with open_memory(options) as memory:
        if options.tag:
            records = memory.tagged(options.tag)
            if options.json:
                print_json({"schema": "commonplace.timeline.v1", "records": [record_json(one) for one in records]})
            else:
                print_lines(record_line(record, Ink(memory.around)) for record in records)
            return 0
        found = memory.tags()
    if options.json:
        shown = [{"tag": one.name, "records": one.records, "paths": list(one.paths)} for one in found]
        print_json({"schema": "commonplace.tags.v1", "tags": shown})
    else:
        print_lines(
            f"{one.records:>6}  {one_line(one.name)}  ({', '.join(map(one_line, one.paths[:3]))})" for one in found
        )
    return 0


def learnings_arguments(parser: ArgumentParser) -> None:
    """Arguments of `learnings`."""
    parser.add_argument("--all", action="store_true", help="also those that do not repeat")


def learnings_run(options: Namespace) -> int:
    """Print the lessons that repeat."""
    with open_memory(options) as memory:
        found = [one for one in memory.learnings() if options.all or one.is_candidate]
    if options.json:
        shown = [{"text": one.text, "times": one.times, "citations": list(one.citations)} for one in found]
        print_json({"schema": "commonplace.learnings.v1", "learnings": shown})
        return 0
    print_lines(f"{one.times:>4}×  {one_line(one.text)} [{one.citations[0]}]" for one in found)
    if not found:
        say("nothing repeats three times; `--all` shows what there is")
    return 0
