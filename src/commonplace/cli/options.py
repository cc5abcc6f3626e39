"""Arguments that several commands share, and the parser that speaks our words for mistakes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from typing import TYPE_CHECKING, Any, NoReturn

from commonplace.cli.streams import is_encodable
from commonplace.errors import BadArgument
from commonplace.model import ACTORS, CATEGORIES, EVIDENCE_MODES, KINDS, VISIBLE_TRUSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.model import Evidence
WRITING_ACTORS = tuple(actor for actor in ACTORS if actor != "system")  # what the system says is never learned
PATH_OPTIONS = ("workspace", "folder", "paths")  # names of files may hold any bytes; all other arguments are text
HELP_WIDTH = 98  # of help; argparse would import shutil at each start to ask the terminal
MAX_STDIN_BYTES = 1_000_000  # bytes read from standard input; more than any text that is kept may have


class _WideHelpFormatter(HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH)


class Parser(ArgumentParser):
    """The parser of one command with the options that every command takes; its errors are ours, with exit code 2."""

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(
            prog=f"commonplace {name}", description=summary, allow_abbrev=False, formatter_class=_WideHelpFormatter
        )
        self.add_argument(
            "--workspace", metavar="FOLDER", help="the notebook; else COMMONPLACE_WORKSPACE or the default"
        )
        self.add_argument("--json", action="store_true", help="print the documented JSON shape")

    def read(self, argv: list[str]) -> Namespace:
        """The arguments as options; words may stand on both sides of an option. Raises BadArgument."""
        options, rest = self.parse_known_args(argv)
        if rest and (not hasattr(options, "words") or any(word.startswith("-") for word in rest)):
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        if rest:
            options.words = [*options.words, *rest]
        for name, value in vars(options).items():
            if name not in PATH_OPTIONS:
                setattr(options, name, _repair_argument(value))
        if options.workspace == "":
            self.error("--workspace names no folder")
        return options

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting."""
        dash = "; text that begins with `-` goes behind `--`" if "argument" in message else ""
        raise BadArgument(message, hint=f"see `{self.prog} --help`{dash}")


def add_query_options(parser: ArgumentParser) -> None:
    """What `recall` and `pack` are asked."""
    parser.add_argument("words", nargs="+", metavar="QUESTION", help="in any words; `-` reads standard input")
    parser.add_argument("--kind", action="append", choices=KINDS, default=[], help="only this kind (repeatable)")
    parser.add_argument("--category", action="append", choices=CATEGORIES, default=[], help="only this category")
    parser.add_argument("--entity", action="append", default=[], metavar="NAME", help="about this person or thing")
    add_time_and_scope_options(parser)
    parser.add_argument("--as-of", default="", metavar="TIME", help="what was known and held then")
    parser.add_argument("--history", action="store_true", help="superseded records too")
    add_evidence_option(parser, "auto")
    parser.add_argument(
        "--trust", action="append", choices=VISIBLE_TRUSTS, default=[], help="only what is trusted so far"
    )
    parser.add_argument("--no-sync", action="store_true", help="answer from the index as it is")


def add_evidence_option(parser: ArgumentParser, default: Evidence) -> None:
    """Which captures count."""
    text = f"captures beside records, none of them, or they alone ({default})"
    parser.add_argument("--evidence", choices=EVIDENCE_MODES, default=default, help=text)


def add_time_and_scope_options(parser: ArgumentParser) -> None:
    """Stretches of time and scopes."""
    parser.add_argument(
        "--since", default="", metavar="TIME", help="recorded or holding since: 2025-11-27, 'last week'"
    )
    parser.add_argument("--until", default="", metavar="TIME", help="recorded or holding until, that day included")
    parser.add_argument("--around", default="", metavar="TIME", help="near this time")
    parser.add_argument("--scope", default=None, help="this project's records and the shared ones")
    parser.add_argument("--all-scopes", action="store_true", help="records of every project")


def add_writing_options(parser: ArgumentParser) -> None:
    """What `retain` and `log` are told beside the text."""
    parser.add_argument("words", nargs="+", metavar="TEXT", help="the text; `-` reads standard input")
    parser.add_argument(
        "--actor", choices=WRITING_ACTORS, default="owner", help="who says it (decides how far it is trusted)"
    )
    parser.add_argument("--scope", default="", help="the project it belongs to")
    parser.add_argument("--session", default="", help="the session it was said in")


def read_text_argument(options: Namespace) -> str:
    """The words of the command line as one text, or standard input for `-`."""
    if options.words != ["-"]:
        return " ".join(options.words)
    return sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8", "replace")


def recall_keywords(options: Namespace) -> dict[str, Any]:
    """The keyword arguments of `Memory.recall` and `Memory.pack` from the options of `add_query_options`."""
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
        "evidence": options.evidence,
        "trust": tuple(options.trust) or VISIBLE_TRUSTS,
        "sync": not options.no_sync,
    }


def integer_from(minimum: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number from `minimum` on."""

    def number(written: str) -> int:
        if not written.isdecimal() or int(written) < minimum:
            message = f"{written!r} is not a whole number from {minimum} on"
            raise ArgumentTypeError(message)
        return int(written)

    return number


def _repair_argument(argument: Any) -> Any:
    """An argument as text: bytes that the locale could not read arrive as surrogates, which no file can hold."""
    if isinstance(argument, list):
        return [_repair_argument(inner) for inner in argument]
    if not isinstance(argument, str) or is_encodable(argument):
        return argument
    try:
        return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        from commonplace.shapes import repair_text

        return repair_text(argument)
