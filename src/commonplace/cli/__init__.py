"""The command line: read the arguments, call `Memory` once, print what it returns."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from commonplace.cli.commands import COMMANDS, find_command
from commonplace.cli.streams import brace, hang_up, leave, print_error, print_lines, say
from commonplace.errors import BadArgument, CommonplaceError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

HARMLESS = "hook"  # a host takes any other exit code for a refusal, and stops its user
MISUSED = 2
USAGE = "usage: commonplace [--workspace FOLDER] [--json] COMMAND …"
FOOTER = (
    "`commonplace COMMAND --help` says more; `cpl` is short for `commonplace`.",
    "Data goes to stdout, words to stderr; --json prints documented shapes.",
    "Exit codes: 0 done, 1 could not, 2 misused, 3 a check found something.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 could not, 2 misused, 3 a check found something."""
    if arguments is None:
        gc.disable()  # a process of one command ends before cycles matter; collecting them costs 5 % of a recall
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = _answered(given)
    if _split(given)[1] != HARMLESS:
        return code
    if code == MISUSED:  # else the command has answered, whatever went wrong then
        print_lines(["{}"])
    if arguments is None:
        leave()
    return 0


def _answered(given: list[str]) -> int:
    brace()
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except CommonplaceError as error:
        return _told(error, given)
    except BrokenPipeError:
        hang_up()
        return 0  # the reader has what it wanted: nothing went wrong
    except OSError as error:
        if error.filename is None:  # no file of ours: stdout itself
            hang_up()
        return _told(_in_words(error), given)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the outermost frame: a person gets a sentence, never a traceback
        return _told(_in_words(error), given)


def _told(error: CommonplaceError, given: list[str]) -> int:
    """What went wrong, on stderr; returns the exit code."""
    as_json = _wants_json(given)
    if as_json or _split(given)[1] != HARMLESS:
        return print_error(error, as_json=as_json)
    from commonplace.cli.hooking import complain, in_one

    complain(HARMLESS, [in_one(error)])
    return error.exit_code


def _run(given: list[str]) -> int:
    before, name, after = _split(given)
    try:
        if name:
            return find_command(name).run([*before, *after])
        return _run_without_command(before)
    except SystemExit as stop:  # argparse ends `--help` so
        return stop.code if isinstance(stop.code, int) else 0


def _split(given: list[str]) -> tuple[list[str], str, list[str]]:
    """Options before the command's name, the name, and what follows it."""
    position = 0
    while position < len(given) and given[position].startswith("-"):
        position += 2 if given[position] == "--workspace" else 1
    return given[:position], given[position] if position < len(given) else "", given[position + 1 :]


def _run_without_command(options: list[str]) -> int:
    if "--version" in options:
        from commonplace import __version__

        print_lines([f"commonplace {__version__}"])
    elif "-h" in options or "--help" in options:
        print_lines(_help())
    elif options:
        raise BadArgument("no command is named", hint="`commonplace --help` lists the commands")
    else:
        say(*_help())
        return 2
    return 0


def _help() -> list[str]:
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    return [USAGE, "", "The memory of AI agents, in Markdown that people own.", "", *lines, "", *FOOTER]


def _wants_json(given: list[str]) -> bool:
    """Also when the arguments could not be parsed; what follows `--` is text."""
    return "--json" in given[: given.index("--") if "--" in given else None]


def _in_words(error: Exception) -> CommonplaceError:
    from commonplace.operations.failures import as_error

    return as_error(error)
