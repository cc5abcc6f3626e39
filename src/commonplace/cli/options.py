"""Arguments that several commands share, and the parser that speaks our words for mistakes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any, NoReturn

from commonplace.errors import BadArgument
from commonplace.model import ACTORS, CATEGORIES, KINDS


class Parser(ArgumentParser):
    """An argument parser whose errors are ours, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting."""
        raise BadArgument(message, hint=f"see `{self.prog} --help`")


def parser_of(name: str, summary: str) -> Parser:
    """The parser of one command with the options that every command takes."""
    parser = Parser(prog=f"commonplace {name}", description=summary)
    parser.add_argument("--workspace", metavar="FOLDER", help="the notebook; else COMMONPLACE_WORKSPACE or the default")
    parser.add_argument("--json", action="store_true", help="print the documented JSON shape")
    return parser


def add_query(parser: ArgumentParser) -> None:
    """What `recall` and `pack` are asked."""
    parser.add_argument("query", nargs="+", help="the question, in any words")
    parser.add_argument("--kind", action="append", choices=KINDS, default=[], help="only this kind (repeatable)")
    parser.add_argument("--category", action="append", choices=CATEGORIES, default=[], help="only this category")
    parser.add_argument("--entity", action="append", default=[], metavar="NAME", help="about this person or thing")
    add_times(parser)
    parser.add_argument("--as-of", default="", metavar="TIME", help="what was known and held then")
    parser.add_argument("--history", action="store_true", help="superseded records too")
    parser.add_argument("--no-sync", action="store_true", help="answer from the index as it is")


def add_times(parser: ArgumentParser) -> None:
    """Stretches of time and scopes."""
    parser.add_argument(
        "--since", default="", metavar="TIME", help="recorded or holding since: 2025-11-27, 'last week'"
    )
    parser.add_argument("--until", default="", metavar="TIME", help="recorded or holding until, that day included")
    parser.add_argument("--around", default="", metavar="TIME", help="near this time")
    parser.add_argument("--scope", default=None, help="this project's records and the shared ones")
    parser.add_argument("--all-scopes", action="store_true", help="records of every project")


def add_writing(parser: ArgumentParser) -> None:
    """What `retain` and `log` are told beside the text."""
    parser.add_argument("text", nargs="+", help="the text; `-` reads standard input")
    parser.add_argument("--actor", choices=ACTORS, default="owner", help="who says it (decides how far it is trusted)")
    parser.add_argument("--scope", default="", help="the project it belongs to")
    parser.add_argument("--session", default="", help="the session it was said in")


def query_of(options: Namespace) -> dict[str, Any]:
    """The keyword arguments of `Memory.recall` and `Memory.pack` from the options of `add_query`."""
    return {
        "kinds": tuple(options.kind),
        "categories": tuple(options.category),
        "entities": tuple(options.entity),
        "since": options.since,
        "until": options.until,
        "around": options.around,
        "as_of": options.as_of,
        "scope": options.scope,
        "all_scopes": options.all_scopes,
        "history": options.history,
        "sync": not options.no_sync,
    }
