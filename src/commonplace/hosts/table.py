"""The table of hosts: what each wants written, what of ours it holds, how it is verified and examined."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.hosts import claude_code, mcp_hosts, openclaw, openclaw_checks
from commonplace.hosts.nouns import Choice, Finding, Places, Target

Verified = tuple[tuple[str, ...], tuple[Finding, ...]]


class Host(Struct, frozen=True):
    """One host: `paths` are the files that it may have us in, `targets` what we want in them, `traces` what there is of
    us; `verify` looks at them after a write, `examine` looks for all that can be wrong."""

    name: str
    paths: Callable[[Choice, Places], tuple[str, ...]]
    targets: Callable[[Choice, Places], tuple[Target, ...]]
    traces: Callable[[Choice, Places], tuple[Target, ...]]
    verify: Callable[[Choice, Places], Verified]
    examine: Callable[[Choice, Places], tuple[Finding, ...]]
    notes: Callable[[Choice, Places], tuple[str, ...]]
    printed: Callable[[Choice, Places], str]


def _nothing(_choice: Choice, _where: Places) -> str:
    return ""


def _mcp(name: str) -> Host:
    """A client that takes JSON with `mcpServers`."""
    return Host(
        name,
        paths=mcp_hosts.json_paths,
        targets=mcp_hosts.json_targets,
        traces=mcp_hosts.json_traces,
        verify=mcp_hosts.verify,
        examine=mcp_hosts.examine,
        notes=mcp_hosts.notes,
        printed=mcp_hosts.printed if name == "generic-mcp" else _nothing,
    )


_OPENCLAW = Host(
    "openclaw",
    paths=openclaw.paths,
    targets=openclaw.targets,
    traces=openclaw.traces,
    verify=openclaw_checks.verify,
    examine=openclaw_checks.examine,
    notes=openclaw.notes,
    printed=_nothing,
)
_CODEX = Host(
    "codex",
    paths=mcp_hosts.codex_paths,
    targets=mcp_hosts.codex_targets,
    traces=mcp_hosts.codex_traces,
    verify=mcp_hosts.verify,
    examine=mcp_hosts.examine,
    notes=mcp_hosts.notes,
    printed=_nothing,
)
_CLAUDE_CODE = Host(
    "claude-code",
    paths=claude_code.paths,
    targets=claude_code.targets,
    traces=claude_code.traces,
    verify=claude_code.verify,
    examine=claude_code.examine,
    notes=claude_code.notes,
    printed=_nothing,
)
HOSTS: dict[str, Host] = {
    host.name: host for host in (_OPENCLAW, _CLAUDE_CODE, _CODEX, _mcp("cursor"), _mcp("generic-mcp"))
}
