"""`show`, `entity` and `timeline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import add_times
from commonplace.cli.render import Ink, print_json, print_lines, record_line, say
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def show_arguments(parser: ArgumentParser) -> None:
    """Arguments of `show`."""
    parser.add_argument("reference", help="a record's id, PATH, PATH#L12 or PATH#L12-L15")


def show_run(options: Namespace) -> int:
    """Print a record or lines of a file as they stand on disk."""
    with open_memory(options) as memory:
        view = memory.show(options.reference)
        if options.json:
            from commonplace.shapes import record_json

            shape = {"schema": "commonplace.view.v1", "path": view.path, "line_start": view.line_start}
            records = [record_json(record) for record in view.records]
            print_json(shape | {"line_end": view.line_end, "text": view.text, "records": records})
            return 0
        lines = view.text.split("\n")
        print_lines(f"{number:>5}  {one_line(line)}" for number, line in enumerate(lines, view.line_start))
        for record in view.records:
            say(f"record {record.id}: {record.kind} {record.category}, {record.trust}, {record.source.citation}")
        return 0


def entity_arguments(parser: ArgumentParser) -> None:
    """Arguments of `entity`."""
    parser.add_argument("name", nargs="*", help="a name; without one, all entities")


def entity_run(options: Namespace) -> int:
    """Print the page of an entity and what names it."""
    with open_memory(options) as memory:
        if not options.name:
            return _list_entities(memory.entities(), options.json)
        view = memory.entity(" ".join(options.name))
        if options.json:
            from commonplace.shapes import record_json

            shape = {"schema": "commonplace.entity.v1", "name": view.name}
            page = [record_json(record) for record in view.page]
            print_json(shape | {"page": page, "mentions": [record_json(record) for record in view.mentions]})
            return 0
        ink = Ink(memory.around)
        print_lines([ink.bold(one_line(view.name))])
        print_lines(record_line(record, ink) for record in (*view.page, *view.mentions))
        return 0


def _list_entities(entities: tuple[tuple[str, int], ...], as_json: bool) -> int:
    if as_json:
        named = [{"name": name, "records": number} for name, number in entities]
        print_json({"schema": "commonplace.entities.v1", "entities": named})
    else:
        print_lines(f"{number:>6}  {one_line(name)}" for name, number in entities)
    return 0


def timeline_arguments(parser: ArgumentParser) -> None:
    """Arguments of `timeline`."""
    add_times(parser)
    parser.add_argument("-n", type=int, default=50, help="how many records at most (50)")


def timeline_run(options: Namespace) -> int:
    """Print records in order of time."""
    with open_memory(options) as memory:
        records = memory.timeline(
            since=options.since,
            until=options.until,
            around=options.around,
            scope=options.scope,
            all_scopes=options.all_scopes,
            at_most=options.n,
        )
        if options.json:
            from commonplace.shapes import record_json

            print_json({"schema": "commonplace.timeline.v1", "records": [record_json(record) for record in records]})
            return 0
        ink = Ink(memory.around)
        print_lines(record_line(record, ink) for record in records)
        if not records:
            say("nothing with a date in that time")
        return 0
