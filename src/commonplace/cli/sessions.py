"""`resume`, `session` and `buffer`."""

from __future__ import annotations

from argparse import Namespace

from commonplace.cli.capture import print_retained
from commonplace.cli.options import (
    argument_table,
    attribute_to_agent,
    open_memory,
    parse_assignments,
    read_request,
    read_text_argument,
    require_person,
)
from commonplace.cli.render import view_lines
from commonplace.cli.streams import print_answer
from commonplace.errors import BadArgument
from commonplace.memory import Memory
from commonplace.operations import parameters
from commonplace.upkeep import sessions

resume_arguments = argument_table("ResumeRequest")


def resume_run(options: Namespace) -> int:
    """Print what a restarted agent should read."""
    with open_memory(options) as memory:
        resumed = memory.resume(read_request(options, parameters.ResumeRequest))
        lines, messages = resumed.text.split("\n") if resumed.text else [], resumed.notes
        if not resumed.text:
            messages += ("nothing fits into the budget" if resumed.notes else "there is nothing to resume",)
        return print_answer(options, "resume", resumed, lines, messages=messages)


session_arguments = argument_table("""
[action={start,step,show,done}=show]  The action.
[words=TEXT...]  For `start`, the goal; for `step`, an observation. `-` reads standard input.
--session NAME  The name of the session; without it, `show` lists all sessions.
| --off  Go off the record: nothing is captured until `--on`.
| --on  Go on the record again.
SessionStepRequest
""")


def session_run(options: Namespace) -> int:
    """Start, advance, show or clear the working memory of a session."""
    if options.action in ("start", "step"):
        attribute_to_agent(options)
    with open_memory(options) as memory:
        if options.off or options.on:
            return _set_off_record(memory, options)
        if options.action == "show" and not options.session:
            listed = memory.sessions()
            lines = (f"{one.updated.replace('T', ' ')}  {one.session}  {one.goal}".rstrip() for one in listed)
            messages = () if listed else ["there is no current session"]
            return print_answer(options, "sessions", listed, lines, messages=messages)
        if not options.session:
            raise BadArgument("which session?", hint="name it with --session")
        session = _run_session_action(memory, options)
    if options.action == "show":
        shown = sessions.render_working_memory(session.working).split("\n")
    else:
        words = {"start": "under way", "step": "noted", "done": "done"}
        shown = [f"{session.working.session}: {words[options.action]}"]
    return print_answer(options, "session", session, shown, messages=session.notes)


def _set_off_record(memory: Memory, options: Namespace) -> int:
    if options.words or options.session:
        raise BadArgument("`--off` and `--on` are for all sessions", hint="say only `commonplace session --off`")
    require_person("whether anything is captured")
    memory.set_off_record(off=options.off)
    status = memory.status()
    since = str(status.get("off_record", "")).replace("T", " ")
    shown = f"off the record since {since}: nothing is captured" if since else "on the record"
    return print_answer(options, "status", status, [shown])


buffer_arguments = argument_table("""
action={add,show,rotate}  Add a line, show the buffer, or move it to today's log.
[words=TEXT...]  For `add`, the text. `-` reads standard input.
BufferNoteRequest
""")


def buffer_run(options: Namespace) -> int:
    """Note a line in the working buffer, show it, or move it to the day's note."""
    attribute_to_agent(options)
    with open_memory(options) as memory:
        if options.action == "add":
            if not options.words:
                raise BadArgument("the text is empty")
            request = read_request(options, parameters.BufferNoteRequest, text=read_text_argument(options))
            return print_retained(memory.buffer_add(request), options)
        if options.words:
            raise BadArgument(f"`buffer {options.action}` takes no text")
        if options.action == "show":
            view = memory.show("memory/working-buffer.md")
            return print_answer(options, "view", view, view_lines(view))
        moved = memory.buffer_rotate()
    lines = [f"{moved.lines} lines moved to {moved.path}"] if moved.path else []
    messages = moved.notes if moved.path else (*moved.notes, "the buffer is empty")
    return print_answer(options, "rotated", moved, lines, messages=messages)


def _run_session_action(memory: Memory, options: Namespace) -> sessions.SessionState:
    text = read_text_argument(options) if options.words else None
    if options.action == "start":
        if options.done or options.facts:
            raise BadArgument("`session start` takes a goal, a plan and a skill", hint="facts come with `session step`")
        return memory.session_start(read_request(options, parameters.SessionStartRequest, goal=text or options.goal))
    if options.action == "step":
        observations, facts = (text,) if text else (), parse_assignments(options.facts or [], "NAME=VALUE")
        given = {"observations": observations, "facts": facts}
        return memory.session_step(read_request(options, parameters.SessionStepRequest, **given))
    if text:
        raise BadArgument(f"`session {options.action}` takes no text")
    return memory.session_done(options.session) if options.action == "done" else memory.session_show(options.session)
