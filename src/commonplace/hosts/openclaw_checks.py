"""What can be wrong between OpenClaw and us: each finding says what, where, and what to do."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import DecodeError, Struct, json

from commonplace import files
from commonplace.errors import BadHostFile
from commonplace.hosts import openclaw
from commonplace.hosts.asking import ask, last_words, program
from commonplace.hosts.checks import engine_findings, open_to_others
from commonplace.hosts.json5 import Node
from commonplace.hosts.nouns import Choice, Finding, Level, Places
from commonplace.hosts.openclaw import ACCESS, ALLOW, ENTRIES, HOST, MEMORY, PLUGIN, SLOT, TESTED
from commonplace.hosts.records import find_record
from commonplace.hosts.steps import holds
from commonplace.hosts.whereabouts import expanded

HIDING_PROFILES = ("minimal",)
OPEN_PROFILES = ("full", "coding", "messaging")
UNVERIFIED = "can't verify where this plugin came from"  # what OpenClaw says of every folder on this machine
TOOLS = ("commonplace_recall", "commonplace_retain", "commonplace_why")
_ENTRY = ".".join((*ENTRIES, PLUGIN))


class Look(Struct, frozen=True):
    """OpenClaw's configuration as it is, and our entry in it."""

    root: Node
    entry: Node
    where: Places

    def says(self, *pointer: str) -> Any:
        """The scalar at these keys, None if there is none."""
        node = self.root.at(pointer)
        return node.scalar if node is not None else None


def examine(_choice: Choice, where: Places) -> tuple[Finding, ...]:
    """All findings, those that hide others first."""
    path = where.openclaw_config
    try:
        root = openclaw.read(where)
    except BadHostFile as error:
        return (_found("config-unreadable", error.message, hint=error.hint, path=path),)
    if root is None:
        told = "OpenClaw has no configuration here"
        return (_found("config-missing", told, path=path, hint="run `openclaw onboard`, or set OPENCLAW_CONFIG_PATH"),)
    entry = root.at((*ENTRIES, PLUGIN))
    if entry is None:
        told = "OpenClaw does not know us"
        return (_found("not-installed", told, path=path, hint="run `commonplace install openclaw`"),)
    look = Look(root, entry, where)
    found = [*_switches(look), *_folders(look), *_engine(look), *_tools(look), *_slot(look)]
    found += [*_copies(look), *open_to_others(HOST, path)]
    hints = {one.hint for one in found if one.hint}
    said = [one for one in host_findings(where) if one.hint not in hints]  # the host tells in other words what we know
    return tuple(_placed(one, path) for one in (*found, *said))


def verify(choice: Choice, where: Places) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read the file back, then ask OpenClaw itself, if it is there."""
    verified, findings = [], []
    for target in openclaw.targets(choice, where):
        root = openclaw.read(where)
        missing = [want for want in target.wants if root is None or not holds(root, want)]
        findings += [
            _found("not-written", f"{'.'.join(one.pointer)} is not there", path=target.path) for one in missing
        ]
        verified += [] if missing else [f"{target.path}: read back, all {len(target.wants)} values are there"]
    asked = program("openclaw", where)
    if not asked:
        return (*verified, "`openclaw` is not on the PATH: the host itself could not be asked"), tuple(findings)
    own = tuple(one for one in host_findings(where) if UNVERIFIED not in one.message)
    if not any(one.level == "problem" for one in own):
        verified.append("`openclaw plugins inspect`: the plugin is loaded, its hooks are registered")
    return tuple(verified), (*findings, *own)


def host_findings(where: Places) -> Iterator[Finding]:
    """What OpenClaw itself says of its configuration and of our plugin; a note if it is not on the PATH."""
    openclaw_program = program("openclaw", where)
    if not openclaw_program:
        told = "`openclaw` is not on the PATH, so it could not be asked itself"
        yield _found("host-not-asked", told, level="note")
        return
    yield from _version(openclaw_program)
    valid = ask([openclaw_program, "config", "validate"])
    if valid.code != 0:
        told = f"`openclaw config validate` refuses the configuration: {last_words(valid)}"
        yield _found(
            "config-refused", told, path=where.openclaw_config, hint="`commonplace uninstall openclaw` undoes it"
        )
        return
    yield from _inspected(ask([openclaw_program, "plugins", "inspect", PLUGIN, "--runtime", "--json"]))


def _version(openclaw_program: str) -> Iterator[Finding]:
    said = ask([openclaw_program, "--version"]).out
    if TESTED not in said:
        told = f"this was tested with OpenClaw {TESTED}, here is {said.strip()[:60] or 'one that does not say'}"
        yield _found("host-version", told, level="note", hint="should a turn go wrong, look here first")


def _inspected(answer: Any) -> Iterator[Finding]:
    """What `plugins inspect` tells: hooks that are not registered, and the host's own diagnostics."""
    try:
        said = json.decode(answer.out[answer.out.index("{") :])
    except (DecodeError, ValueError):
        yield _found("not-loaded", f"OpenClaw does not load the plugin: {last_words(answer)}")
        return
    for one in said.get("diagnostics") or []:
        told = str(one.get("message") if isinstance(one, dict) else one)
        level: Level = "note" if UNVERIFIED in told else "problem"
        yield _found(
            "host-diagnostic", f"OpenClaw says: {told.partition('. ')[0][:300]}", level=level, hint=_access_hint(told)
        )
    hooks = said.get("typedHooks") or said.get("plugin", {}).get("typedHooks") or []
    names = {one.get("name") if isinstance(one, dict) else one for one in hooks}
    for name in ("before_prompt_build", "agent_end"):
        if name not in names:
            yield _found("hook-missing", f"the hook {name} is not registered", hint=_access_hint("hooks"))


def _switches(look: Look) -> Iterator[Finding]:
    if look.says("plugins", "enabled") is False:
        yield _found("disabled", "all plugins are switched off", hint="openclaw config set plugins.enabled true")
    if look.says(*ENTRIES, PLUGIN, "enabled") is not True:
        yield _found("disabled", "our plugin is switched off", hint=f"openclaw config set {_ENTRY}.enabled true")
    if look.says(*ENTRIES, PLUGIN, *ACCESS) is not True:
        told = "the plugin may not see conversations: it neither recalls nor captures, and nothing else would tell"
        yield _found("no-conversation-access", told, hint=_access_hint("allowConversationAccess"))
    if look.says(*ENTRIES, PLUGIN, "hooks", "allowPromptInjection") is False:
        hint = f"openclaw config unset {_ENTRY}.hooks.allowPromptInjection"
        yield _found("no-prompt-injection", "the plugin may not add to prompts, so nothing is recalled", hint=hint)
    if look.root.at(ALLOW) is not None and not openclaw.has_element(look.root, ALLOW, PLUGIN):
        told = "plugins.allow is set and does not name us"
        yield _found("not-allowed", told, hint="run `commonplace install openclaw`")
    if openclaw.has_element(look.root, ("plugins", "deny"), PLUGIN):
        yield _found("not-allowed", "plugins.deny names us", hint=f"take {PLUGIN!r} out of plugins.deny")


def _folders(look: Look) -> Iterator[Finding]:
    again = "run `commonplace install openclaw`"
    folders = list(openclaw.our_paths(look.root, look.where))
    for written, folder in folders:
        if not openclaw.plugin_id(folder):
            yield _found("plugin-gone", f"there is no plugin in {written!r} any more", hint=again, path=folder)
        elif files.openness(folder) == "write":
            told = "others may write into the folder of the plugin, which the host runs"
            yield _found("open-to-others", told, path=folder, hint=f"chmod go-w {shlex.quote(folder)}")
    ids = [openclaw.plugin_id(folder) for _written, folder in folders]
    if PLUGIN not in ids and not any(not one for one in ids):
        yield _found("plugin-gone", "plugins.load.paths does not name our folder", hint=again)
    for name in (PLUGIN, SLOT):
        if ids.count(name) > 1:
            told = f"plugins.load.paths names the plugin {name!r} {ids.count(name)} times; the host takes the first"
            yield _found("duplicate", told, hint="leave the one of this installation")


def _copies(look: Look) -> Iterator[Finding]:
    """Copies of the plugin in the folders that OpenClaw searches by itself."""
    workspace = openclaw.host_workspace(look.root, look.where)
    for base in (f"{look.where.openclaw_state}/extensions", f"{workspace}/.openclaw/extensions"):
        for name in files.kept_names(base):
            if openclaw.plugin_id(f"{base}/{name}") in (PLUGIN, SLOT):
                told = "a copy of our plugin lies where OpenClaw searches by itself; two would answer"
                yield _found("duplicate", told, path=f"{base}/{name}", hint="remove one of them")


def _engine(look: Look) -> Iterator[Finding]:
    config = look.entry.member("config")
    said = config.value() if config is not None and config.kind == "object" else {}
    theirs = openclaw.host_workspace(look.root, look.where)
    ours = said.get("workspace", "")
    if isinstance(ours, str) and ours and os.path.realpath(ours) != os.path.realpath(theirs):
        record = find_record(look.where, HOST, os.path.realpath(look.where.openclaw_config))
        is_meant = record is not None and record.workspace == ours
        told = f"OpenClaw works in {theirs!r}, and we in {ours!r}: what it writes is not recalled"
        hint = f"run `commonplace install openclaw --workspace {shlex.quote(theirs)}`"
        yield _found("workspace-differs", told, level="note" if is_meant else "problem", hint=hint)
    for name, own in openclaw.agents(look.root):
        own = expanded(own, look.where.home, look.where.here)
        if os.path.realpath(own) != os.path.realpath(str(ours or theirs)):
            told = f"the agent {name!r} has a notebook of its own, {own!r}, which is not ours"
            yield _found("workspace-differs", told, level="note")
    command = said.get("command")
    yield from engine_findings(HOST, command, str(ours or theirs))


def _tools(look: Look) -> Iterator[Finding]:
    profile = look.says("tools", "profile")
    if profile in HIDING_PROFILES:
        told = f"tools.profile is {profile!r}, which hides the tools of plugins"
        yield _found("tools-hidden", told, level="note", hint="openclaw config set tools.profile full")
    elif profile is not None and profile not in OPEN_PROFILES:
        told = f"tools.profile is {profile!r}; our tools are declared for {', '.join(OPEN_PROFILES)}"
        yield _found("tools-hidden", told, level="note")
    for name in ("deny", "allow"):
        listed = look.root.at(("tools", name))
        texts = [item.node.scalar for item in listed.items] if listed is not None else []
        hidden = [tool for tool in TOOLS if (tool in texts) is (name == "deny")] if texts else []
        if hidden and not (name == "allow" and "*" in texts):
            yield _found("tools-hidden", f"tools.{name} hides {', '.join(hidden)}", level="note")


def _slot(look: Look) -> Iterator[Finding]:
    owner = look.says(*MEMORY)
    enabled = look.says(*ENTRIES, SLOT, "enabled")
    again = "run `commonplace install openclaw --slot`, or `--no-slot`"
    if owner == SLOT and enabled is not True:
        yield _found("slot-conflict", f"plugins.slots.memory is {SLOT!r}, which is not switched on", hint=again)
    elif enabled is True and owner != SLOT:
        yield _found("slot-conflict", f"{SLOT!r} is switched on, and the memory slot has {owner!r}", hint=again)
    if owner == SLOT and look.says(*ENTRIES, "memory-core", "enabled") is not False:
        told = "memory-core runs beside our slot, and its tools have the same names"
        hint = "openclaw config set plugins.entries.memory-core.enabled false"
        yield _found("slot-conflict", told, hint=hint)


def _access_hint(told: str) -> str:
    about = "allowConversationAccess" in told or told == "hooks"
    return f"openclaw config set {_ENTRY}.{'.'.join(ACCESS)} true" if about else ""


def _found(code: str, message: str, *, level: Level = "problem", path: str = "", hint: str = "") -> Finding:
    return Finding(HOST, code, message, level, path, hint)


def _placed(one: Finding, path: str) -> Finding:
    return one if one.path else Finding(one.host, one.code, one.message, one.level, path, one.hint)
