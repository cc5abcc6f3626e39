"""`install`, `uninstall` and `doctor`: the configuration of hosts."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence

from commonplace.bridges import hosts
from commonplace.cli.options import argument_table
from commonplace.cli.render import display_path, pluralize
from commonplace.cli.streams import EXIT_FINDINGS, print_json, print_lines, print_messages, print_result
from commonplace.errors import BadArgument, BadHostFile
from commonplace.language.text import sanitize_line
from commonplace.shapes import Json, pick_fields
from commonplace.storage.config import current_minute, read_environment
from commonplace.storage.settings import Settings

FINDING_FIELDS = "host code level message path hint"
RESULT_FIELDS = (
    "files:plan.files(path changes:has_changes diff) backups verified"
    f" findings({FINDING_FIELDS}) notes:plan.notes printed:plan.printed"
)
CHANGE, DOCTOR = "commonplace.host-change.v1", "commonplace.doctor.v1"
EXIT_DECLINED = 1  # nobody said yes
NOTHING_TO_CHANGE = "nothing to change in"
OF_ONE_HOST = {"slot": "openclaw", "project": "cursor", "file": "generic-mcp"}


TARGET_OPTIONS = """\
--project  For `cursor`: only the project in the working folder.
--file FILE  For `generic-mcp`: the configuration file."""
CHANGE_OPTIONS = f"""
host={{{",".join(hosts.HOSTS)}}}  The host to change.
--yes  Write the change without asking.
--dry-run  Only show the change.
{TARGET_OPTIONS}"""
install_arguments = argument_table(f"""{CHANGE_OPTIONS}
--[no-]slot  For `openclaw`: also take the memory slot from memory-core; default: unchanged.
--[no-]consolidate  For `claude-code` and `openclaw`: let the model of the host consolidate each session when it ends;
  default: unchanged.
""")
uninstall_arguments = argument_table(CHANGE_OPTIONS)
doctor_arguments = argument_table(f"""
[host={{{",".join(hosts.HOSTS)}}}]  The host; default: all hosts where Commonplace is installed.
{TARGET_OPTIONS}""")


def install_run(options: Namespace) -> int:
    """Show what would be written into a host's configuration; write it after a yes."""
    host_paths, choice = hosts.read_host_paths(), _host_choice(options)
    plan = hosts.plan_install(choice, host_paths)
    if plan.printed and not options.json:
        print_lines(plan.printed.split("\n"))
    if not _confirm_plan(plan, options):
        return _report_not_written(plan, options)
    done = hosts.apply_install(plan, host_paths, _backup_stamp())
    unchanged = "to be added to the configuration of" if plan.printed else NOTHING_TO_CHANGE
    return _report_written(done, options, "installed into" if plan.has_changes else unchanged)


def uninstall_run(options: Namespace) -> int:
    """Show what would be removed from a host's configuration; take it out after a yes."""
    host_paths, choice = hosts.read_host_paths(), _host_choice(options)
    plan = hosts.plan_uninstall(choice, host_paths)
    if not _confirm_plan(plan, options):
        return _report_not_written(plan, options)
    done = hosts.apply_uninstall(plan, host_paths, _backup_stamp())
    return _report_written(done, options, "removed from" if plan.has_changes else "Commonplace is not in")


def doctor_run(options: Namespace) -> int:
    """Look for all that is wrong between hosts and us."""
    host_paths = hosts.read_host_paths()
    names = (options.host,) if options.host else hosts.list_installed_hosts(host_paths, options.workspace or "")
    found = [one for name in names for one in hosts.examine_host(_host_choice(options, name), host_paths)]
    problems = [one for one in found if one.level == "problem"]
    document = _doctor_json(names, found)
    looked = ", ".join(names) or "no host: Commonplace is not installed in any; see `commonplace install --help`"
    summary = f"{pluralize(len(problems), 'problem')}; looked at {looked}"
    print_result(options, document, map(_finding_line, found), [summary])
    return EXIT_FINDINGS if problems else 0


def examine_hosts(workspace: str) -> Json:
    """What `doctor` has to say of all hosts of a workspace, as `commonplace.doctor.v1`; a host that cannot be looked at
    is a finding."""
    host_paths = hosts.read_host_paths()
    names, findings = hosts.list_installed_hosts(host_paths, workspace), list[hosts.Finding]()
    for name in names:
        try:
            findings += hosts.examine_host(hosts.InstallChoice(name, workspace), host_paths)
        except BadHostFile as error:
            findings.append(hosts.Finding(name, error.code, error.message, path=error.path, hint=error.hint))
    return _doctor_json(names, findings)


def _doctor_json(names: Sequence[str], findings: Iterable[hosts.Finding]) -> Json:
    return {"schema": DOCTOR, "hosts": list(names), "findings": [pick_fields(one, FINDING_FIELDS) for one in findings]}


def _host_choice(options: Namespace, host: str = "") -> hosts.InstallChoice:
    slot = getattr(options, "slot", None)
    given = {"slot": slot is not None, "project": options.project, "file": bool(options.file)}
    for option, its_host in OF_ONE_HOST.items():
        if given[option] and (options.host or its_host) != its_host:
            raise BadArgument(f"--{option} is for {its_host}, not for {options.host}")
    consolidate = getattr(options, "consolidate", None)
    workspace = options.workspace or ""
    return hosts.InstallChoice(host or options.host, workspace, slot, consolidate, options.project, options.file or "")


def _confirm_plan(plan: hosts.InstallPlan, options: Namespace) -> bool:
    """Show the plan, and whether it may be written: nothing to write, `--yes`, or a yes on the terminal."""
    if not options.json:
        print_lines(line for change in plan.files for line in change.diff)
        print_messages(*(sanitize_line(note) for note in plan.notes))
    if options.dry_run:
        return False
    if not plan.has_changes or options.yes:
        return True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write("write this? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _report_not_written(plan: hosts.InstallPlan, options: Namespace) -> int:
    if options.json:
        print_json(_change_json(hosts.InstallResult(plan), applied=False))
    if options.dry_run:
        return 0
    print_messages("nothing was written; use `--yes` to write without asking")
    return EXIT_DECLINED


def _report_written(outcome: hosts.InstallResult, options: Namespace, action: str) -> int:
    copies = (f"as it was: {display_path(path)}" for path in outcome.backups)
    messages = (*copies, *outcome.verified, f"{action} {outcome.plan.choice.host}")
    print_result(options, _change_json(outcome, applied=True), map(_finding_line, outcome.findings), messages)
    return EXIT_FINDINGS if any(one.level == "problem" for one in outcome.findings) else 0


def _change_json(outcome: hosts.InstallResult, *, applied: bool) -> Json:
    """`commonplace.host-change.v1`."""
    head = {"schema": CHANGE, "host": outcome.plan.choice.host, "applied": applied and outcome.plan.has_changes}
    return head | pick_fields(outcome, RESULT_FIELDS)


def _finding_line(finding: hosts.Finding) -> str:
    """`openclaw: plugin-gone: … (/…/openclaw.json): what to do`"""
    where = f" [{sanitize_line(display_path(finding.path))}]" if finding.path else ""
    told = "" if finding.level == "problem" else "note: "
    hint = f"; {sanitize_line(finding.hint)}" if finding.hint else ""
    return f"{finding.host}: {told}{finding.code}: {sanitize_line(finding.message)}{where}{hint}"


def _backup_stamp() -> str:
    """The minute, for the names of copies."""
    return current_minute(Settings(), read_environment()).replace(":", "")
