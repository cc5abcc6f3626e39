"""`completion`: scripts that complete commands and their options, made from the table of commands."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from commonplace.cli.commands import COMMANDS
from commonplace.cli.options import parser_of
from commonplace.cli.render import print_lines

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def completion_arguments(parser: ArgumentParser) -> None:
    """Arguments of `completion`."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def completion_run(options: Namespace) -> int:
    """Print the script; `eval "$(commonplace completion bash)"` uses it."""
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]()
    print_lines(script.split("\n"))
    return 0


def _options_of(name: str) -> list[str]:
    command = next(command for command in COMMANDS if command.name == name)
    parser = parser_of(name, command.summary)
    getattr(import_module(f"commonplace.cli.{command.module}"), f"{name}_arguments")(parser)
    return [option for action in parser._actions for option in action.option_strings if option.startswith("--")]


def _bash() -> str:
    cases = "\n".join(f"    {c.name}) words='{' '.join(_options_of(c.name))}' ;;" for c in COMMANDS)
    names = " ".join(command.name for command in COMMANDS)
    return f"""_commonplace() {{
  local words='{names}'
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='{names}'
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _commonplace commonplace cpl"""


def _zsh() -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash()}"


def _fish() -> str:
    lines = [
        f"complete -c {program} -n __fish_use_subcommand -a {c.name} -d '{c.summary.replace(chr(39), '’')}'"
        for program in ("commonplace", "cpl")
        for c in COMMANDS
    ]
    lines += [
        f"complete -c {program} -n '__fish_seen_subcommand_from {c.name}' -l {option[2:]}"
        for program in ("commonplace", "cpl")
        for c in COMMANDS
        for option in _options_of(c.name)
    ]
    return "\n".join(lines)
