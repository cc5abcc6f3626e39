"""The command line: read the arguments, call `Memory` once, print what it returns."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from itertools import pairwise

from commonplace import __version__
from commonplace.cli import streams
from commonplace.cli.commands import COMMANDS, find_command
from commonplace.errors import BadArgument, CommonplaceError, to_commonplace_error

__all__ = ["main"]

HOOK_COMMAND = "hook"  # a host takes any other exit code for a refusal, and stops its user
EXIT_MISUSED = 2
USAGE = "usage: commonplace [--workspace FOLDER] [--json] COMMAND …"
FOOTER = (
    "`commonplace COMMAND --help` explains a command; `cpl` is short for `commonplace`.",
    "Data is written to stdout, messages to stderr; --json prints documented shapes.",
    "Exit codes: 0 success, 1 failure, 2 wrong arguments or settings, 3 a check found a problem.",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 could not, 2 misused, 3 a check found something."""
    if argv is None:
        gc.disable()  # a process of one command ends before cycles matter; collecting them costs 5 % of a recall
    given = list(sys.argv[1:] if argv is None else argv)
    code = _run_catching_errors(given)
    if _split_command_line(given)[1] != HOOK_COMMAND:
        return code
    if code == EXIT_MISUSED:  # else the command has answered, whatever went wrong then
        streams.print_lines(["{}"])
    if argv is None:
        streams.exit_process()
    return 0


def _run_catching_errors(argv: list[str]) -> int:
    streams.replace_broken_streams()
    try:
        code = _run_command_line(argv)
        sys.stdout.flush()
        return code
    except CommonplaceError as error:
        return _report_error(error, argv)
    except BrokenPipeError:
        streams.close_stdout()
        return 0  # the reader has what it wanted: nothing went wrong
    except OSError as error:
        if error.filename is None:  # no file of ours: stdout itself
            streams.close_stdout()
        return _report_error(to_commonplace_error(error), argv)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the outermost frame: a person gets a sentence, never a traceback
        return _report_error(to_commonplace_error(error), argv)


def _report_error(error: CommonplaceError, argv: list[str]) -> int:
    """Print the error on stderr, without secrets that were typed; returns the exit code."""
    from commonplace.redact import mask_error

    options = (f"{name.lstrip('-')}: {value}" for name, value in pairwise(argv) if name.startswith("--"))
    mask_error(error, "\n".join((" ".join(argv), *options)))
    # Also when the arguments could not be parsed; what follows `--` is text.
    as_json = "--json" in argv[: argv.index("--") if "--" in argv else None]
    if as_json or _split_command_line(argv)[1] != HOOK_COMMAND:
        return streams.print_error(error, as_json=as_json)
    from commonplace.cli.hook import error_with_hint, print_hook_messages

    print_hook_messages(HOOK_COMMAND, [error_with_hint(error)])
    return error.exit_code


def _run_command_line(argv: list[str]) -> int:
    before, name, after = _split_command_line(argv)
    try:
        if name:
            return find_command(name).run([*before, *after])
        return _run_without_command(before)
    except SystemExit as stop:  # argparse ends `--help` so
        return stop.code if isinstance(stop.code, int) else 0


def _split_command_line(argv: list[str]) -> tuple[list[str], str, list[str]]:
    """Options before the command's name, the name, and what follows it."""
    position = 0
    while position < len(argv) and argv[position].startswith("-"):
        position += 2 if argv[position] == "--workspace" else 1
    return argv[:position], argv[position] if position < len(argv) else "", argv[position + 1 :]


def _run_without_command(argv: list[str]) -> int:
    if "--version" in argv:
        streams.print_lines([f"commonplace {__version__}"])
    elif "-h" in argv or "--help" in argv:
        streams.print_lines(_overview_lines())
    elif argv:
        raise BadArgument("no command was given", hint="`commonplace --help` lists the commands")
    else:
        streams.print_messages(*_overview_lines())
        return 2
    return 0


def _overview_lines() -> list[str]:
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    return [USAGE, "", "A memory for AI agents, in Markdown files that you own.", "", *lines, "", *FOOTER]
