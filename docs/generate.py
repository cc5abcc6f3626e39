"""Write the reference pages that follow from the code: commands, settings, errors and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from commonplace import errors
from commonplace.cli.commands import COMMANDS, Command
from commonplace.cli.options import parser_of
from commonplace.config import SETTINGS, Setting, Settings

REFERENCE = Path(__file__).parent / "reference"
HEAD = "<!-- Made by `make docs`; edit the code instead. -->\n"


def pages() -> dict[str, str]:
    """Every generated page by file name."""
    os.environ["COLUMNS"] = "100"
    return {"cli.md": cli(), "settings.md": settings(), "errors.md": error_tree()}


def cli() -> str:
    """The commands with their help."""
    parts = ["# Commands\n", "Data goes to standard output, words to standard error.\n"]
    for command in COMMANDS:
        parts.append(f"## {command.name}\n\n{command.summary}\n\n```text\n{_help(command)}```\n")
    return HEAD + "\n" + "\n".join(parts)


def _help(command: Command) -> str:
    parser = parser_of(command.name, command.summary)
    getattr(import_module(f"commonplace.cli.{command.module}"), f"{command.name}_arguments")(parser)
    return "\n".join(line.rstrip() for line in parser.format_help().split("\n"))


def settings() -> str:
    """The keys of `commonplace.toml`."""
    rows = "\n".join(_setting(setting) for setting in SETTINGS)
    return f"""{HEAD}
# Settings

`commonplace.toml` in the workspace; every key is optional, and an unknown key is an error with a suggestion.

| key | type | default | what it does |
|---|---|---|---|
{rows}

A key with a dot stands in a table: `pack.budget_tokens` is `budget_tokens` under `[pack]`.

The environment is read once, at the door:

| variable | what it does |
|---|---|
| `COMMONPLACE_WORKSPACE` | the workspace, where no `--workspace` is given |
| `COMMONPLACE_NOW` | a fixed clock (ISO minute), for tests and for replaying |
| `COMMONPLACE_DEVICE` | the name of this machine in journal file names |
| `NO_COLOR` | no emphasis on a terminal |
"""


def _setting(setting: Setting) -> str:
    default = getattr(Settings(), setting.field)
    shown = {True: "true", False: "false"}.get(default, default) if isinstance(default, bool) else default
    written = "[]" if setting.type == "texts" else f'"{shown}"' if setting.type == "text" else str(shown)
    return f"| `{setting.key}` | {setting.type} | `{written}` | {setting.purpose} |"


def error_tree() -> str:
    """Exit codes, and every error by code."""
    rows = "\n".join(
        f"| `{_code(kind)}` | {kind.exit_code} | {_first(kind)} |" for kind in _kinds(errors.CommonplaceError)
    )
    return f"""{HEAD}
# Errors and exit codes

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | could not |
| 2 | misused: arguments or settings |
| 3 | a check found something |

With `--json` an error is one line on standard error: `{{"schema": "commonplace.error.v1", "code": …, "message": …}}`.

| code | exit code | when |
|---|---|---|
{rows}
"""


def _kinds(kind: type[errors.CommonplaceError]) -> Iterator[type[errors.CommonplaceError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _kinds(child)


def _code(kind: type[errors.CommonplaceError]) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("-")


def _first(kind: type[errors.CommonplaceError]) -> str:
    return (kind.__doc__ or "").strip().split("\n")[0].replace("|", "\\|")


def main() -> int:
    """Write the pages; with `--check` only say which are out of date."""
    stale = [name for name, text in pages().items() if _read(name) != text]
    if "--check" in sys.argv:
        sys.stdout.writelines(f"{name} is out of date: run `make docs`\n" for name in stale)
        return 1 if stale else 0
    for name in stale:
        (REFERENCE / name).write_text(pages()[name], encoding="utf-8")
    return 0


def _read(name: str) -> str:
    path = REFERENCE / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    raise SystemExit(main())
