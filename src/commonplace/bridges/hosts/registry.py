"""The table of hosts, which of them have Commonplace installed, and the checks of one host."""

from __future__ import annotations

import shlex

from msgspec import structs

from commonplace.bridges.hosts.adapter import HostAdapter
from commonplace.bridges.hosts.git import GitHost
from commonplace.bridges.hosts.locations import list_install_records
from commonplace.bridges.hosts.mcp_clients import ClaudeCodeHost, CodexHost, CursorHost, GenericMcpHost
from commonplace.bridges.hosts.openclaw import OpenClawHost
from commonplace.bridges.hosts.plans import Finding, HostPaths, InstallChoice
from commonplace.errors import BadHostFile
from commonplace.storage import files

HOSTS: dict[str, type[HostAdapter]] = {
    host.name: host for host in (OpenClawHost, ClaudeCodeHost, CodexHost, CursorHost, GenericMcpHost, GitHost)
}
HINT_COMMANDS = ("install", "uninstall", "doctor")


def list_installed_hosts(host_paths: HostPaths, workspace: str = "") -> tuple[str, ...]:
    """The hosts that we are installed into, by our records or their files; git where the workspace is in one."""
    known = {one.host for one in list_install_records(host_paths)}
    return tuple(
        name for name in HOSTS if name in known or _has_host_traces(InstallChoice(name, workspace), host_paths)
    )


def examine_host(choice: InstallChoice, host_paths: HostPaths) -> tuple[Finding, ...]:
    """All problems between one host and us, with commands that can be pasted."""
    host = HOSTS[choice.host](choice, host_paths)
    found = list(host.examine())
    told = "an interrupted write has left a copy of the configuration"
    hint = f"`commonplace install {host.name}` removes it, unless another program saved it: then check it yourself"
    for path in host.config_paths():  # hidden, may hold keys, and nobody else looks for them
        found += [host.finding("left-behind", told, path=one, hint=hint) for one in files.list_write_leftovers(path)]
    return tuple(_complete_hint(one, choice) for one in found)


def _complete_hint(finding: Finding, choice: InstallChoice) -> Finding:
    """The finding, with the paths that were given, or where it was found, added to its hint."""
    file = (choice.file or finding.path) if choice.host == "generic-mcp" else ""
    words = ["--project"] if choice.project and choice.host == "cursor" else []
    words += ["--file", file] if file else []
    words += ["--workspace", choice.workspace] if choice.workspace and "--workspace" not in finding.hint else []
    hint = finding.hint
    for verb in HINT_COMMANDS if words else ():
        line = f"`commonplace {verb} {choice.host}"
        hint = hint.replace(line, f"{line} {shlex.join(words)}")
    return structs.replace(finding, hint=hint)


def _has_host_traces(choice: InstallChoice, host_paths: HostPaths) -> bool:
    try:
        return any(target.values or target.block for target in HOSTS[choice.host](choice, host_paths).traces())
    except BadHostFile:
        return False
