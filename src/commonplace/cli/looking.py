"""`show`, `entity` and `timeline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_nearby
from commonplace.cli.options import add_evidence, add_times, at_least
from commonplace.cli.render import Ink, record_line
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.model import View


def show_arguments(parser: ArgumentParser) -> None:
    """Arguments of `show`."""
    parser.add_argument("reference", help="a record's id, PATH, PATH#L12 or PATH#L12-L15, with or without ~ANCHOR")
    parser.add_argument("--cite", action="store_true", help="print a citation that lasts, and not the lines")


def show_run(options: Namespace) -> int:
    """Print a record or lines of a file as they stand on disk."""
    with open_nearby(options) as memory:
        if options.cite and not options.json:
            print_lines([memory.cite(options.reference)])
            return 0
        view = memory.show(options.reference)
        if options.json:
            from commonplace.operations.answers import view_json

            print_json(view_json(view, memory.cite(options.reference) if options.cite else ""))
            return 0
        _say_resolved(view)
        print_lines(f"{number:>5}  {line}" for number, line in enumerate(view.text.split("\n"), view.line_start))
        for record in view.records:
            say(f"record {record.id}: {record.kind} {record.category}, {record.trust}, {record.source.citation}")
        return 0


def _say_resolved(view: View) -> None:
    """What became of the lines that an anchored citation meant; nothing for any other reference."""
    from commonplace.recall.citations import Resolved

    if isinstance(view, Resolved) and view.status != "same":
        say(one_line(view.note))
        say(*([f"difference: {one_line(view.difference)}"] if view.difference else []))
        say(*(f"perhaps {one_line(place)}" for place in view.also))


def entity_arguments(parser: ArgumentParser) -> None:
    """Arguments of `entity`."""
    parser.add_argument("words", nargs="*", metavar="NAME", help="a name; without one, all entities")


def entity_run(options: Namespace) -> int:
    """Print the page of an entity and what names it."""
    with open_nearby(options) as memory:
        if not options.words:
            return _list_entities(memory.entities(), options.json)
        view = memory.entity(" ".join(options.words))
        if options.json:
            from commonplace.operations.answers import entity_json

            print_json(entity_json(view))
            return 0
        ink = Ink(memory.around)
        print_lines([ink.bold(one_line(view.name))])
        print_lines(record_line(record, ink) for record in (*view.page, *view.mentions))
        return 0


def _list_entities(entities: tuple[tuple[str, int], ...], as_json: bool) -> int:
    if as_json:
        from commonplace.operations.answers import entities_json

        print_json(entities_json(entities))
    else:
        print_lines(f"{number:>6}  {one_line(name)}" for name, number in entities)
    return 0


def timeline_arguments(parser: ArgumentParser) -> None:
    """Arguments of `timeline`."""
    add_times(parser)
    add_evidence(parser, "none")
    parser.add_argument("-n", type=at_least(1), default=50, help="how many records at most (50)")


def timeline_run(options: Namespace) -> int:
    """Print records in order of time."""
    with open_nearby(options) as memory:
        records = memory.timeline(
            since=options.since,
            until=options.until,
            around=options.around,
            scope=options.scope,
            all_scopes=options.all_scopes,
            evidence=options.evidence,
            at_most=options.n,
        )
        if options.json:
            from commonplace.operations.answers import timeline_json

            print_json(timeline_json(records))
            return 0
        ink = Ink(memory.around)
        print_lines(record_line(record, ink) for record in records)
        if not records:
            say("nothing with a date in that time")
        return 0
