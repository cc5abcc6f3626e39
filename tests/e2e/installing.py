"""`commonplace install`, `doctor` and `uninstall` against the host's own commands, without a gateway."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.host import Host, Json
from e2e.report import Stage
from e2e.scene import PLUGIN, SLOT, Lab

HOOKS = {"before_prompt_build", "agent_end", "before_reset", "session_end", "before_compaction", "after_compaction"}
TOOLS = {"commonplace_recall", "commonplace_retain", "commonplace_forget", "commonplace_why"}
GRANT = f"openclaw config set plugins.entries.{PLUGIN}.hooks.allowConversationAccess true"


@contextmanager
def bare(lab: Lab) -> Iterator[Host]:
    """A host that has never heard of us; its settings are written as a person might have left them."""
    host = lab.host("installing")
    written = json.dumps(host.read_settings(), indent=4)
    host.settings.write_text(f"// mine\n{written}\n\n", encoding="utf-8")
    try:
        yield host
    finally:
        host.close()


def inspected(host: Host, plugin: str) -> Json:
    """What OpenClaw says of a plugin once it has loaded it."""
    said = host.command("plugins", "inspect", plugin, "--runtime", "--json").stdout
    return dict(json.loads(said[said.index("{") :]))


def hooks_of(found: Json) -> set[str]:
    """The hooks that the host lets the plugin have."""
    return {one["name"] if isinstance(one, dict) else one for one in found["typedHooks"]}


def install_writes(host: Host) -> str:
    """`commonplace install openclaw` writes the configuration, and ends with 0"""
    host.before = host.settings.read_bytes()
    done = host.commonplace("install", "openclaw", "--yes", check=False)
    assert b'"commonplace"' in host.settings.read_bytes(), f"nothing was written: {done.stderr}"
    host.command("config", "validate")
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout[-300:]}"
    return "and `openclaw config validate` agrees"


def inspect_agrees(host: Host) -> str:
    """`openclaw plugins inspect --runtime` shows our hooks and our tools"""
    found = inspected(host, PLUGIN)
    missing = HOOKS - hooks_of(found)
    assert not missing, f"hooks that are not there: {missing}"
    shown = json.dumps(found)
    assert all(tool in shown for tool in TOOLS), f"tools that are not there: {[t for t in TOOLS if t not in shown]}"
    return f"{len(HOOKS)} hooks, {len(TOOLS)} tools"


def doctor_is_content(host: Host) -> str:
    """`commonplace doctor openclaw` finds no problem behind an install"""
    host.settings.chmod(0o600)
    done = host.commonplace("doctor", "openclaw", check=False)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout[-400:]}"
    return ""


def doctor_misses_access(host: Host) -> str:
    """`commonplace doctor openclaw` tells a missing allowConversationAccess, with the command that grants it"""
    kept = host.settings.read_bytes()
    host.settings.write_bytes(kept.replace(b'"allowConversationAccess": true', b'"allowConversationAccess": false'))
    done = host.commonplace("doctor", "openclaw", check=False)
    host.settings.write_bytes(kept)
    assert done.returncode == 3, f"exit code {done.returncode}: {done.stdout}"
    assert GRANT in done.stdout + done.stderr, f"not told: {done.stdout[-500:]}"
    return GRANT


def uninstall_restores(host: Host) -> str:
    """`commonplace uninstall openclaw` restores the configuration byte for byte, of companion and slot"""
    host.commonplace("install", "openclaw", "--yes", "--slot", check=False)
    assert SLOT.encode() in host.settings.read_bytes(), "the slot was not installed"
    host.commonplace("uninstall", "openclaw", "--yes", check=False)
    assert host.settings.read_bytes() == host.before, "other bytes than before"
    return f"{host.settings.stat().st_size} bytes"


STAGE = Stage(
    "Installing",
    bare,
    (install_writes, inspect_agrees, doctor_is_content, doctor_misses_access, uninstall_restores),
)
