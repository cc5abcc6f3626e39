"""`resume`, `session` and `buffer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.open_memory import open_memory
from commonplace.cli.options import WRITING_ACTORS, integer_from, read_text_argument
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.memory import Memory
    from commonplace.shapes import Json
    from commonplace.upkeep.sessions import RotationResult, SessionState, WorkingMemory
SESSION_ACTIONS = ("start", "step", "show", "done")
BUFFER_ACTIONS = ("add", "show", "rotate")
NOTE_KINDS = ("decision", "correction", "fact", "note")


def resume_arguments(parser: ArgumentParser) -> None:
    """Arguments of `resume`."""
    parser.add_argument("--session", default="", metavar="NAME", help="whose working memory; else the only one's")
    parser.add_argument("--budget", type=integer_from(0), default=None, metavar="TOKENS", help="how much to say (3000)")
    parser.add_argument("--scope", default=None, help="this project's records and the shared ones")
    parser.add_argument("--all-scopes", action="store_true", help="records of every project")


def resume_run(options: Namespace) -> int:
    """Print what a restarted agent should read."""
    with open_memory(options) as memory:
        resumed = memory.resume(
            session=options.session,
            budget_tokens=options.budget,
            scope=options.scope,
            all_scopes=options.all_scopes,
        )
        if options.json:
            from commonplace.serve.dispatch.serializers import resume_json

            print_json(resume_json(resumed))
            return 0
        print_lines(resumed.text.split("\n") if resumed.text else [])
        print_messages(*resumed.notes)
        if not resumed.text:
            print_messages("nothing to resume from" if not resumed.notes else "nothing fits into the budget")
        return 0


def session_arguments(parser: ArgumentParser) -> None:
    """Arguments of `session`."""
    parser.add_argument("action", choices=SESSION_ACTIONS, help="what happens to the working memory")
    parser.add_argument(
        "words", nargs="*", metavar="TEXT", help="start: the goal; step: what was observed; `-` reads standard input"
    )
    parser.add_argument("--session", default="", metavar="NAME", help="which one; `show` without it lists all")
    parser.add_argument("--goal", default=None, help="step: another goal")
    parser.add_argument("--plan", action="append", default=None, metavar="STEP", help="the plan (repeatable)")
    parser.add_argument("--did", action="append", type=integer_from(1), default=[], metavar="N", help="step N is done")
    parser.add_argument("--fact", action="append", default=[], metavar="NAME=VALUE", help="no value: forget it")
    parser.add_argument("--skill", default=None, metavar="NAME", help="the skill in use")
    parser.add_argument("--actor", choices=WRITING_ACTORS, default="agent", help="who observed it (what it is worth)")


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
    parser.add_argument("action", choices=BUFFER_ACTIONS, help="add a line, show the buffer, move it to today's log")
    parser.add_argument("words", nargs="*", metavar="TEXT", help="add: the text; `-` reads standard input")
    parser.add_argument("--kind", choices=NOTE_KINDS, default="note", help="what it is")
    parser.add_argument("--task", default="", metavar="NAME", help="the task; else the session's goal or the last task")
    parser.add_argument("--actor", choices=WRITING_ACTORS, default="agent", help="who says it (how far it is trusted)")
    parser.add_argument("--scope", default="", help="the project it belongs to")
    parser.add_argument("--session", default="", metavar="NAME", help="the session it was said in")
    parser.add_argument("--from", dest="sources", action="append", default=[], metavar="ID", help="what it rests on")


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
            print_json(rotated_json(moved))
            return 0
        print_messages(*moved.notes)
        if moved.path:
            print_lines([f"{moved.lines} lines moved to {moved.path}"])
        else:
            print_messages("the buffer is empty")
        return 0


def session_json(session: SessionState) -> Json:
    """`commonplace.session.v1`."""
    return {"schema": "commonplace.session.v1", **_working_memory_json(session.working), "notes": list(session.notes)}


def sessions_json(sessions: tuple[WorkingMemory, ...]) -> Json:
    """`commonplace.sessions.v1`."""
    named = [{"session": one.session, "goal": one.goal, "updated": one.updated} for one in sessions]
    return {"schema": "commonplace.sessions.v1", "sessions": named}


def rotated_json(rotation: RotationResult) -> Json:
    """`commonplace.rotated.v1`."""
    return {
        "schema": "commonplace.rotated.v1",
        "path": rotation.path,
        "lines": rotation.lines,
        "notes": list(rotation.notes),
    }


def _working_memory_json(working: WorkingMemory) -> Json:
    return {
        "session": working.session,
        "started": working.started,
        "updated": working.updated,
        "goal": working.goal,
        "plan": [{"text": step.text, "done": step.done} for step in working.plan],
        "skill": working.skill,
        "facts": [{"name": name, "value": fact.text, "trust": fact.trust} for name, fact in working.facts.items()],
        "observations": [{"text": seen.text, "trust": seen.trust} for seen in working.observations],
    }


def _run_session_action(memory: Memory, options: Namespace) -> SessionState:
    text = read_text_argument(options) if options.words else None
    plan = None if options.plan is None else tuple(options.plan)
    if options.action == "start":
        if options.did or options.fact:
            raise BadArgument("`session start` takes a goal, a plan and a skill", hint="facts come with `session step`")
        return memory.session_start(options.session, goal=text or options.goal, plan=plan, skill=options.skill)
    if options.action == "step":
        return memory.session_step(
            options.session,
            observations=(text,) if text else (),
            facts=_parse_fact_options(options.fact),
            done=tuple(options.did),
            goal=options.goal,
            plan=plan,
            skill=options.skill,
            actor=options.actor,
        )
    if text:
        raise BadArgument(f"`session {options.action}` takes no text")
    return memory.session_done(options.session) if options.action == "done" else memory.session_show(options.session)


def _parse_fact_options(assignments: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in assignments]
    if not all(equals for _name, equals, _value in pairs):
        raise BadArgument("a fact is written NAME=VALUE")
    return {name.strip(): value.strip() for name, _equals, value in pairs}


def _print_session(session: SessionState, options: Namespace) -> int:
    if options.json:
        print_json(session_json(session))
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
        print_json(sessions_json(sessions))
    else:
        print_lines(f"{one.updated.replace('T', ' ')}  {one.session}  {one.goal}".rstrip() for one in sessions)
        if not sessions:
            print_messages("no session is under way")
    return 0


def _add_buffer_note(memory: Memory, options: Namespace) -> int:
    if not options.words:
        raise BadArgument("there is no text to keep")
    result = memory.buffer_add(
        read_text_argument(options),
        kind=options.kind,
        task=options.task,
        actor=options.actor,
        scope=options.scope,
        session=options.session,
        sources=tuple(options.sources),
    )
    if options.json:
        from commonplace.serve.dispatch.serializers import retained_json

        print_json(retained_json(result))
        return 0
    if result.record is None:
        print_messages("not kept: the text asks not to be ([NOMEM], or nothing is left of it)")
        return 0
    print_lines([f"{result.record.id} {result.record.source.citation}"])
    if result.redacted:
        print_messages(f"redacted: {', '.join(result.redacted)}")
    print_messages(*result.notes)
    return 0


def _print_buffer(memory: Memory, as_json: bool) -> int:
    view = memory.show("memory/working-buffer.md")
    if as_json:
        from commonplace.serve.dispatch.serializers import view_json

        print_json(view_json(view))
        return 0
    print_lines(f"{number:>5}  {line}" for number, line in enumerate(view.text.split("\n"), view.line_start))
    return 0
