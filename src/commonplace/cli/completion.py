"""`completion`: scripts that complete commands, their options and the words an option takes, made from the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.commands import COMMANDS
from commonplace.cli.streams import print_json, print_lines

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser, Namespace
    from collections.abc import Iterator

BEFORE = ("--workspace", "--json", "--help", "--version")  # what may stand before the name of the command


def completion_arguments(parser: ArgumentParser) -> None:
    """Arguments of `completion`."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="put its output into the shell's start file")


def completion_run(options: Namespace) -> int:
    """Print the script; `eval "$(commonplace completion bash)"` uses it."""
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]()
    if options.json:
        print_json({"schema": "commonplace.completion.v1", "shell": options.shell, "script": script})
    else:
        print_lines(script.split("\n"))
    return 0


def _actions() -> Iterator[tuple[str, Action]]:
    for command in COMMANDS:
        for action in command.parser()._actions:
            yield command.name, action


def _options(action: Action) -> list[str]:
    return [option for option in action.option_strings if option.startswith("--")]


def _offered() -> dict[str, str]:
    """The words to offer behind each command: its options, and the words of its own that it takes."""
    offered: dict[str, list[str]] = {}
    for name, action in _actions():
        own = () if action.option_strings else action.choices or ()
        offered.setdefault(name, []).extend([*own, *_options(action)])
    return {name: " ".join(words) for name, words in offered.items()}


def _cases(indent: str) -> str:
    """The words to offer by `COMMAND previous-word`: those an option takes (none where a file or free text follows),
    else those of the command."""
    taking = [(name, action) for name, action in _actions() if action.option_strings and action.nargs != 0]
    free = sorted({f"*' {option}'" for _name, action in taking if not action.choices for option in _options(action)})
    lines = [
        f"'{name} {option}') words='{' '.join(action.choices)}' ;;"
        for name, action in taking
        if action.choices
        for option in _options(action)
    ]
    lines += [f"{'|'.join(free)}) words='' ;;"]
    lines += [f"'{name} '*) words='{words}' ;;" for name, words in _offered().items()]
    lines += [f"*) words='{' '.join((*_offered(), *BEFORE))}' ;;"]
    return "\n".join(indent + line for line in lines)


def _bash() -> str:
    return f"""_commonplace() {{
  local place command= words=
  for ((place = 1; place < COMP_CWORD; place++)); do
    case "${{COMP_WORDS[place]}}" in
      --workspace) ((place++)) ;;
      -*) ;;
      *) command=${{COMP_WORDS[place]}}; break ;;
    esac
  done
  case "$command ${{COMP_WORDS[COMP_CWORD-1]}}" in
{_cases("    ")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _commonplace commonplace cpl"""


def _zsh() -> str:
    return f"""#compdef commonplace cpl
_commonplace() {{
  local place command= offered=
  for ((place = 2; place < CURRENT; place++)); do
    case "${{words[place]}}" in
      --workspace) ((place++)) ;;
      -*) ;;
      *) command=${{words[place]}}; break ;;
    esac
  done
  case "$command ${{words[CURRENT-1]}}" in
{_cases("    ").replace("words=", "offered=")}
  esac
  [[ -n $offered ]] && compadd -- ${{=offered}}
  [[ $PREFIX == -* ]] || _files
}}
compdef _commonplace commonplace cpl"""


def _fish() -> str:
    lines: list[str] = []
    for program in ("commonplace", "cpl"):
        lines += [
            f"complete -c {program} -n __fish_use_subcommand -a {c.name} -d {_quoted(c.summary)}" for c in COMMANDS
        ]
        for name, action in _actions():
            seen = f"complete -c {program} -n '__fish_seen_subcommand_from {name}'"
            takes = " -r" if action.option_strings and action.nargs != 0 else ""
            words = f" -xa {_quoted(' '.join(action.choices))}" if action.choices else takes
            lines += [f"{seen} -l {option[2:]}{words}" for option in _options(action)]
            if action.choices and not action.option_strings:
                lines.append(f"{seen}{words}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
