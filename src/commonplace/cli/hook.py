"""`hook`: answer the hook of an agent's host; it always exits with 0, so that the host continues if memory fails."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

import msgspec

from commonplace.cli.streams import close_stdout, print_json, print_messages
from commonplace.errors import BadArgument, CommonplaceError, DeadlinePassed, Unreachable
from commonplace.operations.parameters import HookCall
from commonplace.serve import client
from commonplace.shapes import Json, decode_json
from commonplace.storage import config
from commonplace.turns import claude_code

MAX_EVENT_BYTES = 32 << 20  # bytes of a hook's JSON
DRAIN_PIECE_BYTES = 1 << 20
PLUGIN_OPTIONS = (  # the parameter, its option, its value, its help
    ("scope", "--scope", "SCOPE", "The scope: `project` (by the folder), `shared`, or a name."),
    ("headless", "--headless", "HEADLESS", "The trust of prompts from programs: `untrusted`, `owner` or `off`."),
    ("tools", "--tools", "TOOLS", "The capture of tool results: `keep` or `off`."),
    ("budget_tokens", "--budget", "TOKENS", "The token budget for a prompt."),
    ("start_tokens", "--start-budget", "TOKENS", "The token budget for the start of a session."),
    ("consolidate", "--consolidate", "PROGRAM", "The `claude` that consolidates each session when it ends, or `off`."),
)
TIMEOUT_BY_EVENT_S = {"SessionStart": 8.0, "UserPromptSubmit": 4.0}  # less than hooks.json grants
DEFAULT_TIMEOUT_S = 25.0
SESSION_END = "SessionEnd"


def hook_arguments(parser: ArgumentParser) -> None:
    """Arguments of `hook`."""
    parser.add_argument("host", choices=("claude-code",), help="The host; its JSON is read from standard input.")
    for name, option, metavar, told in PLUGIN_OPTIONS:
        parser.add_argument(option, dest=name, default="", metavar=metavar, help=told)


def hook_run(options: Namespace) -> int:
    """Answer one hook; an error is one line on stderr, and the exit code is 0."""
    answered, words, name = False, [], "hook"
    try:
        event = _read_hook_event()
        if not config.read_environment().runs_hooks:
            return 0
        hooked = _hook_arguments(options, event)
        name = str(event.get("hook_event_name", ""))
        with _time_limit(TIMEOUT_BY_EVENT_S.get(name, DEFAULT_TIMEOUT_S)):
            for operation, told in _answer_operations(options, name, hooked):
                if operation == "prompt":
                    answered = _print_hook_answer(name, told["inject"])
                words += told["notes"]
        if name == SESSION_END and hooked["options"]["consolidate"]:
            _start_consolidation(options, hooked)
    except (CommonplaceError, OSError) as error:
        words.append(f"this hook stopped: {error_with_hint(error)}")
    finally:
        if not answered:
            print_json({})
    if words:
        print_hook_messages(name, words)
    return 0


def print_hook_messages(name: str, messages: Sequence[str]) -> None:
    """Words for a person, in one line: hosts show no more of what a hook says."""
    from commonplace.language.text import sanitize_line

    print_messages(sanitize_line(f"commonplace: {name}: {'; '.join(messages)}"))


def error_with_hint(exc: CommonplaceError | OSError) -> str:
    """The message of an error, with its hint."""
    if isinstance(exc, CommonplaceError):
        return f"{exc.message} ({exc.hint})" if exc.hint else exc.message
    return exc.strerror or str(exc)


def _answer_operations(options: Namespace, name: str, arguments: Json) -> Iterator[tuple[str, Json]]:
    """The answers to the operations that the event needs, one after another."""
    if name not in claude_code.EVENT_OPERATIONS:
        raise BadArgument(
            f"nothing is done at the event {name!r}", hint=f"it is for {', '.join(claude_code.EVENT_OPERATIONS)}"
        )
    with ExitStack() as stack:
        root = _resolve_root(options)
        ask: Callable[[str, Json], Json] = partial(
            client.post, root, deadline_s=TIMEOUT_BY_EVENT_S.get(name, DEFAULT_TIMEOUT_S)
        )
        for operation in claude_code.EVENT_OPERATIONS[name]:
            try:
                told = ask(operation, arguments)
            except Unreachable:  # what was asked and perhaps done is known by its keys: it can be asked again
                from commonplace.cli.options import open_memory
                from commonplace.serve.dispatch import run_operation

                ask = partial(run_operation, stack.enter_context(open_memory(options)))
                told = ask(operation, arguments)
            yield operation, told


def _resolve_root(options: Namespace) -> str:
    """The workspace as the daemon has it."""
    named = options.workspace or config.default_workspace(config.read_environment())
    return os.path.realpath(os.path.expanduser(named))


def _start_consolidation(options: Namespace, arguments: Json) -> None:
    """Start the consolidation of a session that has ended, in a session of its own: the host neither waits for it nor
    ends it."""
    import subprocess

    from commonplace.bridges.hosts import build_launch_command

    words = claude_code.build_consolidation_arguments(HookCall(**arguments))
    if words:
        null = subprocess.DEVNULL
        command = build_launch_command("consolidate", *words, "--workspace", _resolve_root(options))
        subprocess.Popen(command, stdin=null, stdout=null, stderr=null, cwd="/", start_new_session=True)  # noqa: S603


def _print_hook_answer(name: str, context: str) -> bool:
    """Print the answer at once, because the captures that follow may take longer than the host waits."""
    try:
        print_json(claude_code.render_hook_output(name, context))
        sys.stdout.flush()
    except BrokenPipeError:  # the host has gone; what it told is captured all the same
        close_stdout()
    return True


def _read_hook_event() -> Json:
    """The JSON on standard input. Raises BadArgument."""
    data = sys.stdin.buffer.read(MAX_EVENT_BYTES + 1)
    if len(data) > MAX_EVENT_BYTES:
        while sys.stdin.buffer.read(DRAIN_PIECE_BYTES):
            pass  # whoever writes must not find the pipe broken
        raise BadArgument(f"standard input has more than {MAX_EVENT_BYTES} bytes")
    try:
        found = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArgument(f"standard input is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadArgument("standard input is not a JSON object")
    return found


def _hook_arguments(options: Namespace, hook_event: Json) -> Json:
    """The event with the host's environment; an option on the command line takes precedence over one of the plugin."""
    variables = {name: f"{claude_code.OPTION_VARIABLE_PREFIX}{name.upper()}" for name, *_spelling in PLUGIN_OPTIONS}
    chosen = {name: getattr(options, name) or config.environment_variable(one) for name, one in variables.items()}
    around = {
        "project": config.environment_variable(claude_code.PROJECT_VARIABLE),
        "entrypoint": config.environment_variable(claude_code.ENTRYPOINT_VARIABLE),
        "home": config.read_environment().home,
    }
    return {"host": claude_code.HOST, "event": hook_event, "context": around, "options": chosen}


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of a hook: a lock may be held, or an index being built."""

    def give_up(_number: int, _frame: object) -> None:
        raise DeadlinePassed(f"this took longer than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
