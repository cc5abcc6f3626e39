"""`hook`: what a host's hook prints; it always ends well, for a host must go on when memory cannot."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from commonplace.cli.streams import hang_up, print_json, say
from commonplace.errors import BadArgument, CommonplaceError, DeadlinePassed, Unreachable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence

    from commonplace.shapes import Json

MOST_INPUT = 32 << 20  # bytes of a hook's JSON
DRAINED = 1 << 20
OPTIONS = ("scope", "headless", "tools", "budget_tokens", "start_tokens")
PATIENCE_S = {"SessionStart": 8.0, "UserPromptSubmit": 4.0}  # less than hooks.json grants, or the answer were dropped
LONGEST_S = 25.0


def hook_arguments(parser: ArgumentParser) -> None:
    """Arguments of `hook`."""
    parser.add_argument("host", choices=("claude-code",), help="whose hook it is; its JSON comes on standard input")
    parser.add_argument("--scope", default="", help="`project` (by the folder), `shared`, or a name")
    parser.add_argument("--headless", default="", help="prompts of programs: `untrusted`, `owner` or `off`")
    parser.add_argument("--tools", default="", help="what tools answer: `keep` or `off`")
    parser.add_argument("--budget", dest="budget_tokens", default="", metavar="TOKENS", help="of what a prompt gets")
    parser.add_argument(
        "--start-budget", dest="start_tokens", default="", metavar="TOKENS", help="of a session's start"
    )


def hook_run(options: Namespace) -> int:
    """Answer one hook; what goes wrong is one line on stderr, and the exit code is 0."""
    answered, words, name = False, [], "hook"
    try:
        event = _event()
        hooked = _hooked(options, event)
        name = str(event.get("hook_event_name", ""))
        with _patience(PATIENCE_S.get(name, LONGEST_S)):
            for operation, told in _told(options, name, hooked):
                if operation == "prompt":
                    answered = _answer(name, told["inject"])
                words += told["notes"]
    except (CommonplaceError, OSError) as error:
        words.append(f"this hook did nothing more: {in_one(error)}")
    finally:
        if not answered:
            print_json({})
    if words:
        complain(name, words)
    return 0


def complain(name: str, words: Sequence[str]) -> None:
    """Words for a person, in one line: hosts show no more of what a hook says."""
    from commonplace.text import one_line

    say(one_line(f"commonplace: {name}: {'; '.join(words)}"))


def in_one(error: CommonplaceError | OSError) -> str:
    """What went wrong, and what to do about it."""
    if isinstance(error, CommonplaceError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return error.strerror or str(error)


def _told(options: Namespace, name: str, hooked: dict[str, Any]) -> Iterator[tuple[str, Json]]:
    """What memory says to each operation that the event asks for, one after another."""
    from commonplace.turns.claude_code.hooks import ASKS

    if name not in ASKS:
        raise BadArgument(f"there is nothing to do at the event {name!r}", hint=f"it is for {', '.join(ASKS)}")
    with ExitStack() as stack:
        ask: Callable[[str, dict[str, Any]], Json] = partial(_posted, _root(options), PATIENCE_S.get(name, LONGEST_S))
        for operation in ASKS[name]:
            try:
                told = ask(operation, hooked)
            except Unreachable:  # what was asked and perhaps done is known by its keys: it can be asked again
                ask = _performed(options, stack)
                told = ask(operation, hooked)
            yield operation, told


def _posted(root: str, seconds: float, operation: str, hooked: dict[str, Any]) -> Json:
    """The answer of the daemon that runs. Raises Unreachable where none does."""
    from commonplace.client.post import post

    return post(root, operation, hooked, deadline_s=seconds)


def _performed(options: Namespace, stack: ExitStack) -> Callable[[str, dict[str, Any]], Json]:
    """The same here; the memory is open until the stack ends."""
    from commonplace.cli.opening import open_memory
    from commonplace.operations import perform

    return partial(perform, stack.enter_context(open_memory(options)))


def _root(options: Namespace) -> str:
    """The workspace as the daemon knows it."""
    from commonplace import config

    named = options.workspace or config.default_workspace(config.surroundings())
    return os.path.realpath(os.path.expanduser(named))


def _answer(name: str, context: str) -> bool:
    """Print the answer at once: what is captured behind it may take longer than the host waits."""
    from commonplace.turns.claude_code.hooks import answer

    try:
        print_json(answer(name, context))
        sys.stdout.flush()
    except BrokenPipeError:  # the host has gone; what it told is captured all the same
        hang_up()
    return True


def _event() -> dict[str, Any]:
    """The JSON on standard input. Raises BadArgument."""
    import msgspec

    from commonplace.shapes import decoded

    data = sys.stdin.buffer.read(MOST_INPUT + 1)
    if len(data) > MOST_INPUT:
        while sys.stdin.buffer.read(DRAINED):
            pass  # whoever writes must not find the pipe broken
        raise BadArgument(f"standard input has more than {MOST_INPUT} bytes")
    try:
        found = decoded(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArgument(f"standard input is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadArgument("standard input is no JSON object")
    return found


def _hooked(options: Namespace, event: dict[str, Any]) -> dict[str, Any]:
    """The event with what the host's environment says; an option on the command line goes before one of the plugin."""
    from commonplace import config
    from commonplace.turns.claude_code.hooks import ENTRYPOINT, HOST, OPTION, PROJECT

    chosen = {name: getattr(options, name) or config.variable(f"{OPTION}{name.upper()}") for name in OPTIONS}
    around = {
        "project": config.variable(PROJECT),
        "entrypoint": config.variable(ENTRYPOINT),
        "home": config.surroundings().home,
    }
    return {"host": HOST, "event": event, "context": around, "options": chosen}


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Give up after a while, wherever the work stands: a lock may be held, an index be built."""
    import signal

    def give_up(_number: int, _frame: object) -> None:
        raise DeadlinePassed(f"this took longer than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
