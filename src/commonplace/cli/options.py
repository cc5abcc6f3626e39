"""Options of commands: made from the parameters of operations, read as requests; and the workspace that they name."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from msgspec import Struct

from commonplace.cli.streams import is_encodable, print_messages
from commonplace.errors import BadArgument, WorkspaceUnusable
from commonplace.memory import Memory
from commonplace.model import ACTORS, VISIBLE_TRUSTS
from commonplace.operations import parameters
from commonplace.operations.declarations import Field, request_fields
from commonplace.operations.parameters import Request
from commonplace.storage import config

GivenRequest = TypeVar("GivenRequest", bound=Request)


class Spelling(Struct, frozen=True):
    """How the command line writes a parameter, where it is not just `--its-name`.

    `minimum` is checked while the arguments are parsed; `choices` are those that are offered, where an operation takes
    more.
    """

    option: str = ""
    metavar: str | None = None
    minimum: int | None = None
    choices: tuple[str, ...] = ()


WRITING_ACTORS = tuple(actor for actor in ACTORS if actor != "system")  # what the system says is never learned
# Parameters without an option: the clock comes from the environment, the others from the command itself.
NOT_OPTIONS = frozenset(
    (
        *("now", "core", "heard", "standing", "shown", "reader", "origin", "identity", "name", "detail"),
        *("observations", "shared"),
    )
)
SPELLINGS: dict[str, Spelling] = {  # by the parameter, or by the request and the parameter
    **dict.fromkeys(("around", "as_of", "known_at", "since", "until"), Spelling(metavar="TIME")),
    **dict.fromkeys(("entity", "owner", "skill", "task"), Spelling(metavar="NAME")),
    "BufferNoteRequest.session": Spelling(metavar="NAME"),
    "CaptureRequest.actor": Spelling(),
    "GoldenRequest.k": Spelling("-k", minimum=1),
    "ResumeRequest.budget_tokens": Spelling("--budget", "TOKENS", minimum=0),
    "ResumeRequest.session": Spelling(metavar="NAME"),
    "actor": Spelling(choices=WRITING_ACTORS),
    "all_values": Spelling("--all"),
    "at_most": Spelling("-n", minimum=1),
    "budget_tokens": Spelling("--budget"),
    "categories": Spelling("--category"),
    "done": Spelling("--did", "N", minimum=1),
    "entities": Spelling("--entity", "NAME"),
    "erase": Spelling("--now"),
    "facts": Spelling("--fact", "NAME=VALUE"),
    "idle_minutes": Spelling("--idle", "MINUTES", minimum=0),
    "importance": Spelling(metavar="0..1"),
    "k": Spelling("-k"),
    "keys": Spelling("--key"),
    "kinds": Spelling("--kind"),
    "paths": Spelling("--path"),
    "phrases": Spelling("--phrase", "WORDS"),
    "plan": Spelling(metavar="STEP"),
    "sources": Spelling("--from", "ID"),
    "supersedes": Spelling(metavar="ID"),
    "system": Spelling("--format"),
    "tags": Spelling("--tag"),
    "trust": Spelling(choices=VISIBLE_TRUSTS),
    "ts": Spelling("--at", "TIME"),
    "valid": Spelling(metavar="A..B"),
}


def parameter_help(request: type[Request], name: str) -> str:
    """The help of a parameter."""
    return request_fields(request)[name].help


def attribute_to_agent(options: Namespace) -> None:
    """Make what is typed in the shell of an agent the agent's words, in its session, whatever `--actor` says."""
    host, session = config.agent_shell()
    if host and options.actor == "owner":
        print_messages(f"these are the agent's words, for this is a shell of {host}")
        options.actor = "agent"
    options.session = options.session or session


def require_person(what: str) -> None:
    """Raises BadArgument in the shell of an agent; `what` is what only a person decides."""
    host, _session = config.agent_shell()
    if host:
        message = f"{what} is not for an agent to decide, and this is a shell of {host}"
        raise BadArgument(message, hint="a person does it in a terminal of their own")


def argument_table(rows: str) -> Callable[[ArgumentParser], None]:
    """The `<name>_arguments` of a command: a row for each argument, and two blanks later its help.

    `[x]` may be left out, `x:NAME` is called NAME, `words=NAME...` takes several, `{a,b}=a` is one of these, `--[no-]x`
    is unset, on or off, of `| --x` and `| --y` one may be given, and `$ShowRequest.reference` is the help of a
    parameter. `ShowRequest TEXT -a` stands for all parameters of a request but this one, with its text as words;
    `ShowRequest +a` for this one only.
    """

    def named_help(named: re.Match[str]) -> str:
        return parameter_help(getattr(parameters, named[1]), named[2])

    def add_arguments(parser: ArgumentParser) -> None:
        group = None
        for row in rows.strip().replace("\n  ", " ").split("\n"):
            term, _, help_text = row.partition("  ")
            if term.partition(" ")[0].endswith("Request"):
                _add_request_row(parser, *term.split())
                continue
            name, keywords = _read_argument(term.removeprefix("| "))
            if term.startswith("| "):
                group = group or parser.add_mutually_exclusive_group()
            (group if group and term.startswith("| ") else parser).add_argument(
                name, help=re.sub(r"\$(\w+)\.(\w+)", named_help, help_text), **keywords
            )

    return add_arguments


def _add_request_row(parser: ArgumentParser, request_name: str, *words: str) -> None:
    request = getattr(parameters, request_name)
    only, without = (tuple(word[1:] for word in words if word[0] == sign) for sign in "+-")
    for metavar in (word for word in words if word.isupper()):
        text_help = f"{parameter_help(request, 'text')} `-` reads standard input."
        parser.add_argument("words", nargs="+", metavar=metavar, help=text_help)
    add_request_options(parser, request, only=only, without=without)


def _read_argument(term: str) -> tuple[str, dict[str, Any]]:
    """The name, and what argparse is given for it, of an argument as a usage line writes it."""
    is_option, may_lack = term.startswith("--"), term.startswith("[")
    name, _, shape = (term[1:-1] if may_lack else term).partition(" " if is_option else "=")
    if is_option and not shape:
        return name.replace("[no-]", ""), {"action": BooleanOptionalAction if "[no-]" in name else "store_true"}
    if shape.endswith("..."):
        return name, {"nargs": "*" if may_lack else "+", "metavar": shape.removesuffix("...")}
    name, _, metavar = name.partition(":")
    keywords: dict[str, Any] = {"metavar": metavar or None, **({"nargs": "?"} if may_lack else {})}
    if shape.startswith("{"):
        choices, _, default = shape[1:].partition("}")
        return name, {**keywords, "choices": tuple(choices.split(",")), "default": default[1:] or None}
    if is_option:
        metavar, _, type_name = shape.partition(":")
        return name, {"metavar": metavar, "type": {"int": int, "float": float}.get(type_name)}
    return name, {**keywords, "default": shape or None}


def add_request_options(
    parser: ArgumentParser,
    request: type[Request],
    *,
    only: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    choices: Mapping[str, tuple[str, ...]] = {},
) -> None:
    """An option for each parameter that is keyword-only, in the order of the request.

    `only` and `without` name parameters; `choices` are the values of parameters that the request does not list.
    """
    for name, field in request_fields(request).items():
        if name in NOT_OPTIONS or name in request.__match_args__ or name in without or (only and name not in only):
            continue
        keywords = _argument_keywords(field, _spelling_of(request, name))
        if name in choices:
            keywords |= {"choices": choices[name], "metavar": None}
        parser.add_argument(option_of(request, name), dest=name, **keywords)


def option_of(request: type[Request], name: str) -> str:
    """The option of a parameter: `--kind` of `kinds`, `--no-sync` of `sync`, which is on if nothing is given."""
    negation = "no-" if request_fields(request)[name].default is True else ""
    return _spelling_of(request, name).option or f"--{negation}{name.replace('_', '-')}"


def _spelling_of(request: type[Request], name: str) -> Spelling:
    return SPELLINGS.get(f"{request.__name__}.{name}") or SPELLINGS.get(name, Spelling())


def read_request(options: Namespace, request: type[GivenRequest], **given: object) -> GivenRequest:
    """The request that the options make, beside what the command itself gives. What is not given has its default."""
    values = vars(options)
    read = {
        name: tuple(value) if isinstance(value, list) else value
        for name, field in request_fields(request).items()
        if name in values and name not in NOT_OPTIONS and (value := values[name]) not in (None, [], field.default)
    }
    return request(**{**read, **given})


def _argument_keywords(field: Field, spelling: Spelling) -> dict[str, Any]:
    """What argparse is given for a parameter."""
    value_type = field.type
    if isinstance(value_type, UnionType):  # with None, which stands for what is not given
        value_type = next(one for one in get_args(value_type) if one is not NoneType)
    if value_type is bool and field.default is True:
        return {"action": "store_false", "help": f"Do not {field.help[:1].lower()}{field.help[1:]}"}
    if value_type is bool:
        return {"action": "store_true", "help": field.help}
    keywords: dict[str, Any] = {"default": field.default, "help": field.help}
    if get_origin(value_type) in (tuple, Mapping):
        value_type = get_args(value_type)[0]
        keywords |= {"action": "append", "default": None if field.default is None else []}
        keywords["help"] = f"{field.help} May be repeated."
    if get_origin(value_type) is Literal:
        return keywords | {"choices": spelling.choices or get_args(value_type)}
    keywords["metavar"] = spelling.metavar or (spelling.option.lstrip("-") or field.name).upper()
    if spelling.minimum is not None:
        return keywords | {"type": integer_from(spelling.minimum)}
    return keywords | ({"type": value_type} if value_type in (int, float) else {})


def parse_assignments(words: list[str], form: str) -> dict[str, str]:
    """The values by name of words of the form `name=value`. Raises BadArgument, which names the form."""
    pairs = [word.partition("=") for word in words]
    if wrong := [name for name, equals, _value in pairs if not equals]:
        raise BadArgument(f"{wrong[0]!r} does not have the form {form}")
    return {name.strip(): value.strip() for name, _equals, value in pairs}


def integer_from(minimum: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number from `minimum` on."""

    def number(written: str) -> int:
        if not written.isdecimal() or int(written) < minimum:
            message = f"{written!r} is not a whole number from {minimum} on"
            raise ArgumentTypeError(message)
        return int(written)

    return number


MAX_STDIN_BYTES = 1_000_000  # bytes read from standard input; more than any text that is kept may have
PROGRESS_STEP = 250  # files between two signs of life
BAR_WIDTH = 20  # characters


def read_text_argument(options: Namespace, max_bytes: int = MAX_STDIN_BYTES) -> str:
    """The words of the command line as one text, or so many bytes of standard input for `-`."""
    if options.words != ["-"]:
        return " ".join(options.words)
    return sys.stdin.buffer.read(max_bytes).decode("utf-8", "replace")


def open_memory(options: Namespace, progress: Callable[[int, int], None] | None = None) -> Memory:
    """The workspace of `--workspace`, COMMONPLACE_WORKSPACE or the default place; a terminal shows the progress.

    What is waited for, where that takes long, is said on standard error.
    """
    memory = Memory.open(
        options.workspace, progress=progress or (progress_line("files", PROGRESS_STEP) if sys.stderr.isatty() else None)
    )
    memory.workspace.report_wait = _print_wait_notice
    memory.workspace.answers_once = True
    check_folder_name(memory.root)
    return memory


def check_folder_name(folder: str) -> None:
    """Raise WorkspaceUnusable for a name that could not be printed, nor written into any configuration."""
    if not is_encodable(folder):
        raise WorkspaceUnusable(folder, "its name is not valid UTF-8")


def open_memory_or_daemon(options: Namespace) -> Memory:
    """The same with the running daemon before it, if there is one: that answers what it can, in the same words."""
    memory = open_memory(options)
    path = config.socket_path(memory.root, memory.environment) if memory.environment.asks_daemon else ""
    if not path or not os.path.exists(path):
        return memory
    from commonplace.serve.client import DaemonMemory

    return cast("Memory", DaemonMemory(memory, path))


def _print_wait_notice(message: str) -> None:
    with suppress(OSError):  # nobody there to read it
        print_messages(f"commonplace: {message}")
        sys.stderr.flush()


def progress_line(unit: str, step: int = 1) -> Callable[[int, int], None]:
    """Shows one line on the terminal that counts up in steps and is wiped at the end; nothing for less than a step."""

    def show(completed: int, total: int) -> None:
        if total < step:
            return
        if completed >= total:
            sys.stderr.write("\r\x1b[K")
        elif completed % step == 0:
            bar = "█" * (BAR_WIDTH * completed // total)
            sys.stderr.write(f"\r{bar:<{BAR_WIDTH}} {completed} of {total} {unit}")
        sys.stderr.flush()

    return show
