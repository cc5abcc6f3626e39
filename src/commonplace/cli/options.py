"""Arguments that several commands share, and the parser that speaks our words for mistakes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from typing import TYPE_CHECKING, Any, NoReturn

from commonplace.cli.streams import is_encodable
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Callable

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
            "--workspace",
            metavar="FOLDER",
            help="The workspace folder; default: COMMONPLACE_WORKSPACE, or the default workspace.",
        )
        self.add_argument("--json", action="store_true", help="Print one line of JSON in a documented shape.")

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
            self.error("--workspace needs a folder")
        return options

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting."""
        dash = "; text that begins with `-` goes behind `--`" if "argument" in message else ""
        raise BadArgument(message, hint=f"see `{self.prog} --help`{dash}")


def read_text_argument(options: Namespace) -> str:
    """The words of the command line as one text, or standard input for `-`."""
    if options.words != ["-"]:
        return " ".join(options.words)
    return sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8", "replace")


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
