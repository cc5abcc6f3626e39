"""The command line: read the arguments, call `Memory` once, print what it returns."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commonplace.cli.commands import COMMANDS, find_command
from commonplace.errors import CommonplaceError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

USAGE = "usage: commonplace [--workspace FOLDER] [--json] COMMAND …"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 could not, 2 misused, 3 a check found something."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except CommonplaceError as error:
        _report(error, as_json="--json" in given)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing is left to say, and to whom
        return 1
    except Exception as error:  # noqa: BLE001 - the outermost frame: a person gets a sentence, never a traceback
        _report(CommonplaceError(f"{type(error).__name__}: {error}", hint="this is a bug; please report it"), False)
        return 1


def _run(given: list[str]) -> int:
    before, name, after = _split(given)
    if "--version" in before or name == "version":
        from importlib.metadata import version

        print(f"commonplace {version('commonplace')}")
        return 0
    if not name or "-h" in before or "--help" in before:
        print(_help())
        return 0 if name or before else 2
    return find_command(name).run([*before, *after])


def _split(given: list[str]) -> tuple[list[str], str, list[str]]:
    """Options before the command's name, the name, and what follows it."""
    position = 0
    while position < len(given) and given[position].startswith("-"):
        position += 2 if given[position] == "--workspace" else 1
    return given[:position], given[position] if position < len(given) else "", given[position + 1 :]


def _help() -> str:
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    return "\n".join((USAGE, "", "The memory of AI agents, in Markdown that people own.", "", *lines, "", FOOTER))


FOOTER = (
    "`commonplace COMMAND --help` says more. Data goes to stdout, words to stderr; --json prints documented shapes."
)


def _report(error: CommonplaceError, as_json: bool) -> None:
    if as_json:
        from msgspec import json

        from commonplace.shapes import error_json

        print(json.encode(error_json(error)).decode(), file=sys.stderr)
        return
    from commonplace.text import one_line

    where = f" ({one_line(error.path)}{f' line {error.line}' if error.line else ''})" if error.line else ""
    print("commonplace: " + "\n".join(one_line(line) for line in error.message.split("\n")) + where, file=sys.stderr)
    if error.hint:
        print(f"hint: {one_line(error.hint)}", file=sys.stderr)
