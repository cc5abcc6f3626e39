"""`install`, `uninstall` and `doctor`."""

from __future__ import annotations

import sys
from argparse import BooleanOptionalAction
from typing import TYPE_CHECKING, Any

from commonplace import hosts
from commonplace.cli.render import counted, place
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.config import Settings, clock, surroundings
from commonplace.errors import BadArgument
from commonplace.hosts import HOSTS, Choice
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.hosts import Done, Finding, Plan

CHANGE, DOCTOR = "commonplace.host-change.v1", "commonplace.doctor.v1"
REFUSED = 1  # nobody said yes
UNCHANGED = "nothing to change in"
OF_ONE_HOST = {"slot": "openclaw", "project": "cursor", "file": "generic-mcp"}
FOUND = 3  # the exit code, as that of `check`


def install_arguments(parser: ArgumentParser) -> None:
    """Arguments of `install`."""
    _add_shared(parser)
    told = "openclaw: take the memory slot too, in place of memory-core (as before)"
    parser.add_argument("--slot", action=BooleanOptionalAction, default=None, help=told)


def install_run(options: Namespace) -> int:
    """Show what would be written into a host's configuration; write it after a yes."""
    where, choice = hosts.places(), _choice(options)
    plan = hosts.plan_install(choice, where)
    if plan.printed and not options.json:
        print_lines(plan.printed.split("\n"))
    if not _agreed(plan, options):
        return _left(plan, options)
    done = hosts.install(plan, where, _stamp())
    deed = "installed into" if plan.changes else "to be put into the configuration of" if plan.printed else UNCHANGED
    return _told(done, options, deed)


def uninstall_arguments(parser: ArgumentParser) -> None:
    """Arguments of `uninstall`."""
    _add_shared(parser)


def uninstall_run(options: Namespace) -> int:
    """Show what would be taken out of a host's configuration; take it out after a yes."""
    where, choice = hosts.places(), _choice(options)
    plan = hosts.plan_uninstall(choice, where)
    if not _agreed(plan, options):
        return _left(plan, options)
    done = hosts.uninstall(plan, where, _stamp())
    return _told(done, options, "taken out of" if plan.changes else "nothing of ours is in")


def doctor_arguments(parser: ArgumentParser) -> None:
    """Arguments of `doctor`."""
    parser.add_argument("host", nargs="?", choices=tuple(HOSTS), help="which host; else all that have us")
    _add_places(parser)


def doctor_run(options: Namespace) -> int:
    """Look for all that is wrong between hosts and us."""
    where = hosts.places()
    names = (options.host,) if options.host else hosts.installed(where)
    found = [one for name in names for one in hosts.examine(_choice(options, name), where)]
    problems = [one for one in found if one.level == "problem"]
    if options.json:
        shown = [_finding_json(one) for one in found]
        print_json({"schema": DOCTOR, "hosts": list(names), "findings": shown})
    else:
        print_lines(_finding_line(one) for one in found)
        looked = ", ".join(names) or "no host: none has us; `commonplace install` changes that"
        say(f"{counted(len(problems), 'problem')}; looked at {looked}")
    return FOUND if problems else 0


def _add_shared(parser: ArgumentParser) -> None:
    parser.add_argument("host", choices=tuple(HOSTS), help="which host")
    parser.add_argument("--yes", action="store_true", help="write it without asking")
    parser.add_argument("--dry-run", action="store_true", help="show it, write nothing")
    _add_places(parser)


def _add_places(parser: ArgumentParser) -> None:
    parser.add_argument("--project", action="store_true", help="cursor: the project in the working folder, not all")
    parser.add_argument("--file", default="", metavar="FILE", help="generic-mcp: write it into this file")


def _choice(options: Namespace, host: str = "") -> Choice:
    slot = getattr(options, "slot", None)
    given = {"slot": slot is not None, "project": options.project, "file": bool(options.file)}
    for option, its_host in OF_ONE_HOST.items():
        if given[option] and (options.host or its_host) != its_host:
            raise BadArgument(f"--{option} is for {its_host}, not for {options.host}")
    return Choice(host or options.host, options.workspace or "", slot, options.project, options.file)


def _agreed(plan: Plan, options: Namespace) -> bool:
    """Show the plan, and whether it may be written: nothing to write, `--yes`, or a yes on the terminal."""
    if not options.json:
        print_lines(line for change in plan.files for line in change.diff)
        say(*(one_line(note) for note in plan.notes))
    if options.dry_run:
        return False
    return not plan.changes or options.yes or _asked()


def _asked() -> bool:
    """Ask the person at the terminal; without one nobody says yes."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write("write this? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _left(plan: Plan, options: Namespace) -> int:
    if options.json:
        print_json(_change_json(plan, None))
    if options.dry_run:
        return 0
    say("nothing was written; `--yes` writes it")
    return REFUSED


def _told(done: Done, options: Namespace, deed: str) -> int:
    problems = [one for one in done.findings if one.level == "problem"]
    if options.json:
        print_json(_change_json(done.plan, done))
    else:
        print_lines(_finding_line(one) for one in done.findings)
        say(*(f"as it was: {place(path)}" for path in done.backups), *done.verified)
        say(f"{deed} {done.plan.choice.host}")
    return FOUND if problems else 0


def _change_json(plan: Plan, done: Done | None) -> dict[str, Any]:
    """`commonplace.host-change.v1`."""
    return {
        "schema": CHANGE,
        "host": plan.choice.host,
        "applied": done is not None and plan.changes,
        "files": [{"path": one.path, "changes": one.changes, "diff": list(one.diff)} for one in plan.files],
        "backups": list(done.backups) if done else [],
        "verified": list(done.verified) if done else [],
        "findings": [_finding_json(one) for one in done.findings] if done else [],
        "notes": list(plan.notes),
        "printed": plan.printed,
    }


def _finding_json(one: Finding) -> dict[str, Any]:
    named = {"code": one.code, "level": one.level, "message": one.message}
    return {"host": one.host, **named, "path": one.path, "hint": one.hint}


def _finding_line(one: Finding) -> str:
    """`openclaw: plugin-gone: … (/…/openclaw.json): what to do`"""
    where = f" [{one_line(place(one.path))}]" if one.path else ""
    told = "" if one.level == "problem" else "note: "
    hint = f"; {one_line(one.hint)}" if one.hint else ""
    return f"{one.host}: {told}{one.code}: {one_line(one.message)}{where}{hint}"


def _stamp() -> str:
    """The minute, for the names of copies."""
    return clock(Settings(), surroundings()).replace(":", "")
