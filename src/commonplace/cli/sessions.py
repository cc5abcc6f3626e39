"""`resume`, `session` and `buffer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.capture import print_retained
from commonplace.cli.open_memory import open_memory
from commonplace.cli.operation_options import add_request_options, read_request
from commonplace.cli.options import read_text_argument
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.operations import serializers
from commonplace.operations.parameters import (
    BufferNoteRequest,
    ResumeRequest,
    SessionStartRequest,
    SessionStepRequest,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.memory import Memory
    from commonplace.upkeep.sessions import SessionState, WorkingMemory
SESSION_ACTIONS = ("start", "step", "show", "done")
BUFFER_ACTIONS = ("add", "show", "rotate")


def resume_arguments(parser: ArgumentParser) -> None:
    """Arguments of `resume`."""
    add_request_options(parser, ResumeRequest)


def resume_run(options: Namespace) -> int:
    """Print what a restarted agent should read."""
    with open_memory(options) as memory:
        resumed = memory.resume(read_request(options, ResumeRequest))
        if options.json:
            print_json(serializers.resume_json(resumed))
            return 0
        print_lines(resumed.text.split("\n") if resumed.text else [])
        print_messages(*resumed.notes)
        if not resumed.text:
            print_messages("there is nothing to resume" if not resumed.notes else "nothing fits into the budget")
        return 0


def session_arguments(parser: ArgumentParser) -> None:
    """Arguments of `session`."""
    parser.add_argument("action", choices=SESSION_ACTIONS, help="The action.")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="TEXT",
        help="For `start`, the goal; for `step`, an observation. `-` reads standard input.",
    )
    parser.add_argument(
        "--session", default="", metavar="NAME", help="The name of the session; without it, `show` lists all sessions."
    )
    add_request_options(parser, SessionStepRequest)


def session_run(options: Namespace) -> int:
    """Start, advance, show or clear the working memory of a session."""
    with open_memory(options) as memory:
        if options.action == "show" and not options.session:
            return _print_sessions(memory.sessions(), options.json)
        if not options.session:
            raise BadArgument("which session?", hint="name it with --session")
        return _print_session(_run_session_action(memory, options), options)


def buffer_arguments(parser: ArgumentParser) -> None:
    """Arguments of `buffer`."""
    parser.add_argument(
        "action", choices=BUFFER_ACTIONS, help="Add a line, show the buffer, or move it to today's log."
    )
    parser.add_argument("words", nargs="*", metavar="TEXT", help="For `add`, the text. `-` reads standard input.")
    add_request_options(parser, BufferNoteRequest)


def buffer_run(options: Namespace) -> int:
    """Note a line in the working buffer, show it, or move it to the day's note."""
    with open_memory(options) as memory:
        if options.action == "add":
            return _add_buffer_note(memory, options)
        if options.words:
            raise BadArgument(f"`buffer {options.action}` takes no text")
        if options.action == "show":
            return _print_buffer(memory, options.json)
        moved = memory.buffer_rotate()
        if options.json:
            print_json(serializers.rotated_json(moved))
            return 0
        print_messages(*moved.notes)
        if moved.path:
            print_lines([f"{moved.lines} lines moved to {moved.path}"])
        else:
            print_messages("the buffer is empty")
        return 0


def _run_session_action(memory: Memory, options: Namespace) -> SessionState:
    text = read_text_argument(options) if options.words else None
    if options.action == "start":
        if options.done or options.facts:
            raise BadArgument("`session start` takes a goal, a plan and a skill", hint="facts come with `session step`")
        return memory.session_start(read_request(options, SessionStartRequest, goal=text or options.goal))
    if options.action == "step":
        observations, facts = (text,) if text else (), _parse_fact_options(options.facts or [])
        return memory.session_step(read_request(options, SessionStepRequest, observations=observations, facts=facts))
    if text:
        raise BadArgument(f"`session {options.action}` takes no text")
    return memory.session_done(options.session) if options.action == "done" else memory.session_show(options.session)


def _parse_fact_options(assignments: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in assignments]
    if not all(equals for _name, equals, _value in pairs):
        raise BadArgument("a fact must have the form NAME=VALUE")
    return {name.strip(): value.strip() for name, _equals, value in pairs}


def _print_session(session: SessionState, options: Namespace) -> int:
    if options.json:
        print_json(serializers.session_json(session))
        return 0
    if options.action == "show":
        from commonplace.upkeep.sessions import render_working_memory

        print_lines(render_working_memory(session.working).split("\n"))
    else:
        words = {"start": "under way", "step": "noted", "done": "done"}
        print_lines([f"{session.working.session}: {words[options.action]}"])
    print_messages(*session.notes)
    return 0


def _print_sessions(sessions: tuple[WorkingMemory, ...], as_json: bool) -> int:
    if as_json:
        print_json(serializers.sessions_json(sessions))
    else:
        print_lines(f"{one.updated.replace('T', ' ')}  {one.session}  {one.goal}".rstrip() for one in sessions)
        if not sessions:
            print_messages("there is no current session")
    return 0


def _add_buffer_note(memory: Memory, options: Namespace) -> int:
    if not options.words:
        raise BadArgument("the text is empty")
    request = read_request(options, BufferNoteRequest, text=read_text_argument(options))
    return print_retained(memory.buffer_add(request), options.json)


def _print_buffer(memory: Memory, as_json: bool) -> int:
    view = memory.show("memory/working-buffer.md")
    if as_json:
        print_json(serializers.view_json(view))
        return 0
    print_lines(f"{number:>5}  {line}" for number, line in enumerate(view.text.split("\n"), view.line_start))
    return 0
