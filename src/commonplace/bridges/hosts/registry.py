"""The table of hosts, which of them have Commonplace installed, and the checks of one host."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from msgspec import Struct, structs

from commonplace.bridges.hosts import claude_code, mcp_clients, openclaw
from commonplace.bridges.hosts.locations import list_install_records
from commonplace.bridges.hosts.plans import ConfigTarget, Finding, HostPaths, InstallChoice
from commonplace.errors import BadHostFile
from commonplace.storage import files

Verification = tuple[tuple[str, ...], tuple[Finding, ...]]


class HostAdapter(Struct, frozen=True):
    """One host: `paths` are the files that it may have us in, `targets` what we want in them, `traces` what there is of
    us; `verify` looks at them after a write, `examine` looks for all that can be wrong."""

    name: str
    paths: Callable[[InstallChoice, HostPaths], tuple[str, ...]]
    targets: Callable[[InstallChoice, HostPaths], tuple[ConfigTarget, ...]]
    traces: Callable[[InstallChoice, HostPaths], tuple[ConfigTarget, ...]]
    verify: Callable[[InstallChoice, HostPaths], Verification]
    examine: Callable[[InstallChoice, HostPaths], tuple[Finding, ...]]
    notes: Callable[[InstallChoice, HostPaths], tuple[str, ...]]
    render_printed: Callable[[InstallChoice, HostPaths], str] = lambda _choice, _host_paths: ""


_OPENCLAW = HostAdapter(
    "openclaw",
    paths=openclaw.list_plugin_config_paths,
    targets=openclaw.build_plugin_targets,
    traces=openclaw.find_plugin_traces,
    verify=openclaw.verify_plugin,
    examine=openclaw.examine_plugin,
    notes=openclaw.list_plugin_notes,
)
_CODEX = HostAdapter(
    "codex",
    paths=mcp_clients.codex_paths,
    targets=mcp_clients.codex_targets,
    traces=mcp_clients.codex_traces,
    verify=mcp_clients.verify_server_entries,
    examine=mcp_clients.examine_mcp_client,
    notes=mcp_clients.list_workspace_notes,
)
_CLAUDE_CODE = HostAdapter(
    "claude-code",
    paths=claude_code.list_settings_paths,
    targets=claude_code.build_hook_targets,
    traces=claude_code.find_hook_traces,
    verify=claude_code.verify_hooks,
    examine=claude_code.examine_hooks,
    notes=claude_code.list_hook_notes,
)
_CURSOR = structs.replace(
    _CODEX,
    name="cursor",
    paths=mcp_clients.json_paths,
    targets=mcp_clients.json_targets,
    traces=mcp_clients.json_traces,
)
_GENERIC_MCP = structs.replace(_CURSOR, name="generic-mcp", render_printed=mcp_clients.render_server_json)
HOSTS: dict[str, HostAdapter] = {host.name: host for host in (_OPENCLAW, _CLAUDE_CODE, _CODEX, _CURSOR, _GENERIC_MCP)}
HINT_COMMANDS = ("install", "uninstall", "doctor")


def list_installed_hosts(host_paths: HostPaths) -> tuple[str, ...]:
    """The hosts that we were installed into, by our records and by what their configuration says."""
    known = {one.host for one in list_install_records(host_paths)}
    return tuple(name for name in HOSTS if name in known or _has_host_traces(name, host_paths))


def examine_host(choice: InstallChoice, host_paths: HostPaths) -> tuple[Finding, ...]:
    """All problems between one host and us, with commands that can be pasted."""
    found = list(HOSTS[choice.host].examine(choice, host_paths))
    told = "an interrupted write has left a copy of the configuration"
    hint = f"`commonplace install {choice.host}` removes it, unless another program saved it: then check it yourself"
    for path in HOSTS[choice.host].paths(choice, host_paths):  # hidden, may hold keys, and nobody else looks for them
        leftovers = files.list_write_leftovers(path)
        found += [Finding(choice.host, "left-behind", told, path=one, hint=hint) for one in leftovers]
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


def _has_host_traces(name: str, host_paths: HostPaths) -> bool:
    try:
        return any(target.values or target.block for target in HOSTS[name].traces(InstallChoice(name), host_paths))
    except BadHostFile:
        return False
