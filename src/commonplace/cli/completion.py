"""`completion`: scripts that complete commands, their options and the words an option takes, made from the table."""

from __future__ import annotations

from argparse import Action, Namespace
from collections.abc import Iterator

from commonplace.cli.commands import COMMANDS
from commonplace.cli.options import argument_table
from commonplace.cli.streams import print_result

GLOBAL_OPTIONS = ("--workspace", "--json", "--help", "--version")  # what may stand before the name of the command


completion_arguments = argument_table("shell={bash,zsh,fish}  The shell; add the output to its startup file.")


def completion_run(options: Namespace) -> int:
    """Print the script; `eval "$(commonplace completion bash)"` uses it."""
    script = {"bash": _bash_script, "zsh": _zsh_script, "fish": _fish_script}[options.shell]()
    document = {"schema": "commonplace.completion.v1", "shell": options.shell, "script": script}
    return print_result(options, document, script.split("\n"))


def _command_actions() -> Iterator[tuple[str, Action]]:
    for command in COMMANDS:
        for action in command.parser()._actions:
            yield command.name, action


def _long_options(action: Action) -> list[str]:
    return [option for option in action.option_strings if option.startswith("--")]


def _words_by_command() -> dict[str, str]:
    """The words to offer behind each command: its options, and the words of its own that it takes."""
    own: dict[str, list[str]] = {command.name: [] for command in COMMANDS}
    options: dict[str, list[str]] = {command.name: [] for command in COMMANDS}
    for name, action in _command_actions():
        options[name] += _long_options(action)
        own[name] += () if action.option_strings else action.choices or ()
    return {name: " ".join((*own[name], *options[name])) for name in own}


def _case_lines() -> str:
    """The words to offer by `COMMAND previous-word`: those an option takes (none where a file or free text follows),
    else those of the command."""
    taking = [(name, action) for name, action in _command_actions() if action.option_strings and action.nargs != 0]
    free = sorted({f"*' {option}'" for _, action in taking if not action.choices for option in _long_options(action)})
    choosing = ((name, option, action.choices) for name, action in taking for option in _long_options(action))
    lines = [f"'{name} {option}') words='{' '.join(words)}' ;;" for name, option, words in choosing if words]
    lines += [f"{'|'.join(free)}) words='' ;;"]
    lines += [f"'{name} '*) words='{words}' ;;" for name, words in _words_by_command().items()]
    lines += [f"*) words='{' '.join((*_words_by_command(), *GLOBAL_OPTIONS))}' ;;"]
    return "\n".join(f"    {line}" for line in lines)


def _bash_script() -> str:
    return f"""{_script_head("words", "place = 1; place < COMP_CWORD", "COMP_WORDS", "COMP_CWORD-1")}
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _commonplace commonplace cpl"""


def _zsh_script() -> str:
    return f"""#compdef commonplace cpl
{_script_head("offered", "place = 2; place < CURRENT", "words", "CURRENT-1")}
  [[ -n $offered ]] && compadd -- ${{=offered}}
  [[ -z $command || $PREFIX == -* ]] || _files
}}
compdef _commonplace commonplace cpl"""


def _script_head(offered: str, places: str, typed: str, previous: str) -> str:
    """The beginning of the function, which sets the variable `offered` by the array of what is `typed`."""
    return f"""_commonplace() {{
  local place command= {offered}=
  for (({places}; place++)); do
    case "${{{typed}[place]}}" in
      --workspace) ((place++)) ;;
      -*) ;;
      *) command=${{{typed}[place]}}; break ;;
    esac
  done
  case "$command ${{{typed}[{previous}]}}" in
{_case_lines().replace("words=", f"{offered}=")}
  esac"""


def _fish_script() -> str:
    return "\n".join(line for program in ("commonplace", "cpl") for line in _fish_completions(f"complete -c {program}"))


def _fish_completions(complete: str) -> Iterator[str]:
    first = f"{complete} -n __fish_use_subcommand"
    for command in COMMANDS:
        yield f"{first} -fa {command.name} -d {_fish_quote(command.summary)}"
    for option in GLOBAL_OPTIONS:
        yield f"{first} -l {option[2:]}{' -r' if option == '--workspace' else ''}"
    for name, action in _command_actions():
        seen = f"{complete} -n '__fish_seen_subcommand_from {name}'"
        takes = " -r" if action.option_strings and action.nargs != 0 else ""
        words = f" -xa {_fish_quote(' '.join(action.choices))}" if action.choices else takes
        yield from (f"{seen} -l {option[2:]}{words}" for option in _long_options(action))
        if action.choices and not action.option_strings:
            yield f"{seen}{words}"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
