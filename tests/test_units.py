"""The units that start the daemon: they say what they should whatever the folder is called."""

from __future__ import annotations

import plistlib
import shlex
from configparser import ConfigParser

import pytest

from commonplace.serve.http.login_units import ServiceCommand, ServiceUnit, launchd_agent, systemd_unit

NAMES = ("/home/ana/notes", '/home/ana/my "notes" & 50% of $HOME', "/home/ana/Ünïcode <b>")


def start(workspace: str) -> ServiceCommand:
    return ServiceCommand(
        ("/opt/venv/bin/python", "-m", "commonplace", "serve", "--workspace", workspace), workspace, "/home/ana"
    )


def said(unit: ServiceUnit) -> list[str]:
    """The command that a unit starts, as its reader takes it apart."""
    if unit.kind == "launchd":
        return list(plistlib.loads(unit.text.encode())["ProgramArguments"])
    parser = ConfigParser(interpolation=None)
    parser.read_string(unit.text)
    return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(parser["Service"]["ExecStart"])]


@pytest.mark.parametrize("workspace", NAMES)
@pytest.mark.parametrize("made", [systemd_unit, launchd_agent])
def test_a_unit_starts_the_daemon_of_this_workspace_by_absolute_paths(made: type, workspace: str) -> None:
    unit = made(start(workspace))
    assert said(unit) == list(start(workspace).command)
    assert unit.path.startswith("/home/ana/")


@pytest.mark.parametrize("made", [systemd_unit, launchd_agent])
def test_units_of_two_workspaces_do_not_replace_each_other(made: type) -> None:
    units = [made(start(workspace)) for workspace in (*NAMES, "/home/bo/notes", "/home/ana/notes")]
    assert len({unit.path for unit in units}) == len({unit.enable for unit in units}) == 4
    assert units[0] == units[-1]
    assert "notes-" in units[0].path
    if made is launchd_agent:
        labels = [plistlib.loads(unit.text.encode())["Label"] for unit in units]
        assert [f"/home/ana/Library/LaunchAgents/{label}.plist" for label in labels] == [unit.path for unit in units]


def test_what_switches_a_unit_on_can_be_pasted() -> None:
    unit = launchd_agent(ServiceCommand(("serve",), "/notes", "/Users/ana maria"))
    assert shlex.split(unit.enable) == ["launchctl", "load", "-w", unit.path]


def test_a_unit_of_systemd_takes_leave_away_and_gives_time_to_end() -> None:
    parser = ConfigParser(interpolation=None)
    parser.read_string(systemd_unit(start(NAMES[0])).text)
    service = parser["Service"]
    assert (service["NoNewPrivileges"], service["UMask"], service["Restart"]) == ("yes", "0077", "on-failure")
    assert int(service["TimeoutStopSec"]) > 40  # what was begun may take 20, and what was asked 20 more
    assert service["KillMode"] == "mixed"  # the daemon tells its own processes
    assert service["RestrictAddressFamilies"] == "AF_UNIX AF_INET AF_INET6"
    assert plistlib.loads(launchd_agent(start(NAMES[0])).text.encode())["Umask"] == 0o077
