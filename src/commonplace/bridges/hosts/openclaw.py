"""The host OpenClaw: its plugin, its memory slot, and the checks of both."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec import DecodeError, Struct, json, structs

from commonplace.bridges.hosts.json5 import Json5Node, parse_json5
from commonplace.bridges.hosts.locations import (
    absolute_workspace,
    build_launch_command,
    expand_host_path,
    find_install_record,
    find_plugin_folder,
)
from commonplace.bridges.hosts.mcp_clients import read_json_config, verify_json_targets
from commonplace.bridges.hosts.plans import (
    ConfigTarget,
    ConfigValue,
    Finding,
    FindingLevel,
    HostPaths,
    InstallChoice,
    Pointer,
)
from commonplace.bridges.hosts.probes import (
    check_permissions,
    check_plugin_command,
    find_program,
    last_output_line,
    run_program,
)
from commonplace.errors import BadHostFile
from commonplace.storage import files

HOST = "openclaw"
TESTED_VERSION = "2026.9.6"
PLUGIN_ID, SLOT_PLUGIN_ID = "commonplace", "commonplace-slot"
INSTALLED_FOLDERS = ("/commonplace/hosts/data/openclaw", "/commonplace/hosts/data/openclaw-slot")
LOAD_PATHS_POINTER: Pointer = ("plugins", "load", "paths")
ENTRIES_POINTER: Pointer = ("plugins", "entries")
ALLOW_POINTER: Pointer = ("plugins", "allow")
MEMORY_SLOT_POINTER: Pointer = ("plugins", "slots", "memory")
CONVERSATION_ACCESS = ("hooks", "allowConversationAccess")
OWNED_POINTERS: tuple[Pointer, ...] = ((*ENTRIES_POINTER, PLUGIN_ID), (*ENTRIES_POINTER, SLOT_PLUGIN_ID))
PRINTABLE_POINTERS: tuple[Pointer, ...] = (*(("plugins", name) for name in ("load", "slots", "deny")), ALLOW_POINTER)


def build_plugin_targets(choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """OpenClaw's configuration and what we want in it."""
    root = read_json_config(host_paths.openclaw_config)
    workspace = absolute_workspace(choice.workspace or find_host_workspace(root, host_paths))
    wants = list(_build_plugin_values(PLUGIN_ID, find_plugin_folder("openclaw"), workspace))
    if choice.slot:
        wants += _build_plugin_values(SLOT_PLUGIN_ID, find_plugin_folder("openclaw-slot"), workspace)
        wants += [
            ConfigValue(MEMORY_SLOT_POINTER, SLOT_PLUGIN_ID),
            ConfigValue((*ENTRIES_POINTER, "memory-core", "enabled"), value=False),
        ]
    return (ConfigTarget(host_paths.openclaw_config, "json", tuple(wants), OWNED_POINTERS, PRINTABLE_POINTERS),)


def find_plugin_traces(_choice: InstallChoice, host_paths: HostPaths) -> tuple[ConfigTarget, ...]:
    """The entries of the configuration that are ours, recognised by their names, for a host without a record of
    installation."""
    root = read_json_config(host_paths.openclaw_config)
    wants: list[ConfigValue] = []
    for name in (PLUGIN_ID, SLOT_PLUGIN_ID):
        if root is not None and (entry := root.find((*ENTRIES_POINTER, name))) is not None:
            wants.append(ConfigValue((*ENTRIES_POINTER, name), entry.value()))
        if is_in_config_list(root, ALLOW_POINTER, name):
            wants.append(ConfigValue(ALLOW_POINTER, name, is_list_element=True))
    for path, _folder in find_own_plugin_folders(root, host_paths):
        wants.append(ConfigValue(LOAD_PATHS_POINTER, path, is_list_element=True))
    if root is not None and (slot := root.find(MEMORY_SLOT_POINTER)) is not None and slot.scalar == SLOT_PLUGIN_ID:
        wants.append(ConfigValue(MEMORY_SLOT_POINTER, SLOT_PLUGIN_ID))
    return (ConfigTarget(host_paths.openclaw_config, "json", tuple(wants), OWNED_POINTERS, PRINTABLE_POINTERS),)


def list_plugin_config_paths(_choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """The one file that OpenClaw reads."""
    return (host_paths.openclaw_config,)


def list_plugin_notes(choice: InstallChoice, host_paths: HostPaths) -> tuple[str, ...]:
    """Notes to show before the user confirms."""
    root = read_json_config(host_paths.openclaw_config)
    workspace = absolute_workspace(choice.workspace or find_host_workspace(root, host_paths))
    said = [f"the workspace is {workspace}"]
    if not os.path.isdir(workspace):
        said.append(f"it is not there yet: OpenClaw makes it, or `commonplace init {shlex.quote(workspace)}`")
    home, base = host_paths.home, host_paths.working_folder
    others = [name for name, own in list_agent_workspaces(root) if expand_host_path(own, home, base) != workspace]
    if others:
        said.append(f"agents with a different workspace: {', '.join(others)}")
    owner = root.find(MEMORY_SLOT_POINTER) if root is not None else None
    if owner is not None and choice.slot and owner.scalar != SLOT_PLUGIN_ID:
        said.append(f"the memory slot goes from {owner.scalar!r} to {SLOT_PLUGIN_ID!r}; uninstalling restores it")
    return tuple(said)


def find_host_workspace(root_node: Json5Node | None, host_paths: HostPaths) -> str:
    """The notebook that OpenClaw itself uses: of its only agent, else of its settings, else of the environment, else in
    its state folder."""
    entries = root_node.find(("agents", "entries")) if root_node is not None else None
    is_only_agent = entries is not None and len(entries.items) == 1
    own = [path for _name, path in list_agent_workspaces(root_node)] if is_only_agent else []
    said = root_node.find(("agents", "defaults", "workspace")) if root_node is not None else None
    if said is not None and isinstance(said.scalar, str):
        own.append(said.scalar)
    home, base = host_paths.home, host_paths.working_folder
    return expand_host_path(own[0], home, base) if own else host_paths.openclaw_workspace


def list_agent_workspaces(root_node: Json5Node | None) -> Iterator[tuple[str, str]]:
    """The agents that have a notebook of their own: name and path as written."""
    entries = root_node.find(("agents", "entries")) if root_node is not None else None
    for item in entries.items if entries is not None and entries.kind == "object" else ():
        own = item.node.member("workspace")
        if own is not None and isinstance(own.scalar, str):
            yield item.key, own.scalar


def find_own_plugin_folders(root_node: Json5Node | None, host_paths: HostPaths) -> Iterator[tuple[str, str]]:
    """The folders among `plugins.load.paths` that are ours: as written, and absolute."""
    listed = root_node.find(LOAD_PATHS_POINTER) if root_node is not None else None
    for item in listed.items if listed is not None else ():
        if isinstance(item.node.scalar, str):
            folder = expand_host_path(item.node.scalar, host_paths.home, os.path.dirname(host_paths.openclaw_config))
            if read_plugin_id(folder) in (PLUGIN_ID, SLOT_PLUGIN_ID) or folder.endswith(INSTALLED_FOLDERS):
                yield item.node.scalar, folder


def read_plugin_id(folder: str) -> str:
    """The id of the plugin in a folder; empty if there is none that can be read."""
    data = files.read_foreign_file(os.path.join(folder, "openclaw.plugin.json")).data
    if data is None:
        return ""
    said = parse_json5(data.decode("utf-8", "replace"), folder).member("id")
    return str(said.scalar) if said is not None else ""


def is_in_config_list(root_node: Json5Node | None, pointer: Pointer, element: str) -> bool:
    """Whether a list of the configuration holds a text."""
    listed = root_node.find(pointer) if root_node is not None else None
    return listed is not None and any(item.node.scalar == element for item in listed.items)


def _build_plugin_values(name: str, folder: str, workspace: str) -> tuple[ConfigValue, ...]:
    entry = (*ENTRIES_POINTER, name)
    return (
        ConfigValue(LOAD_PATHS_POINTER, folder, is_list_element=True),
        ConfigValue((*entry, "enabled"), value=True),
        ConfigValue((*entry, *CONVERSATION_ACCESS), value=True),
        ConfigValue((*entry, "config", "command"), build_launch_command("serve", "--stdio")),
        ConfigValue((*entry, "config", "workspace"), workspace),
        ConfigValue(ALLOW_POINTER, name, is_list_element=True, if_list_exists=True),
    )


HIDING_PROFILES = ("minimal",)
OPEN_PROFILES = ("full", "coding", "messaging")
UNVERIFIED_MESSAGE = "can't verify where this plugin came from"  # what OpenClaw says of every folder on this machine
PLUGIN_TOOLS = ("commonplace_recall", "commonplace_retain", "commonplace_why")
_PLUGIN_ENTRY_KEY = ".".join((*ENTRIES_POINTER, PLUGIN_ID))

_build_finding = partial(Finding, HOST)


class PluginConfig(Struct, frozen=True):
    """OpenClaw's configuration as it is, and our entry in it."""

    root: Json5Node
    entry: Json5Node
    host_paths: HostPaths

    def find_scalar(self, *pointer: str) -> Any:
        """The scalar at these keys; None if there is none."""
        node = self.root.find(pointer)
        return node.scalar if node is not None else None


def examine_plugin(_choice: InstallChoice, host_paths: HostPaths) -> tuple[Finding, ...]:
    """All findings, those that hide others first."""
    path = host_paths.openclaw_config
    try:
        root = read_json_config(host_paths.openclaw_config)
    except BadHostFile as error:
        return (_build_finding("config-unreadable", error.message, hint=error.hint, path=path),)
    if root is None:
        told, hint = "OpenClaw has no configuration here", "run `openclaw onboard`, or set OPENCLAW_CONFIG_PATH"
        return (_build_finding("config-missing", told, path=path, hint=hint),)
    entry = root.find((*ENTRIES_POINTER, PLUGIN_ID))
    if entry is None:
        told = "Commonplace is not in the configuration of OpenClaw"
        return (_build_finding("not-installed", told, path=path, hint="run `commonplace install openclaw`"),)
    look = PluginConfig(root, entry, host_paths)
    found = [finding for check in CONFIG_CHECKS for finding in check(look)] + list(check_permissions(HOST, path))
    hints = {one.hint for one in found if one.hint}
    # What the host reports besides: in other words it says what is known already.
    said = [one for one in check_with_host(host_paths) if one.hint not in hints]
    return tuple(structs.replace(one, path=one.path or path) for one in (*found, *said))


def verify_plugin(choice: InstallChoice, host_paths: HostPaths) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Read the file back, then ask OpenClaw itself, if it is there."""
    verified, findings = verify_json_targets(HOST, build_plugin_targets(choice, host_paths))
    if not find_program("openclaw", host_paths):
        return (*verified, "`openclaw` is not on the PATH: the host itself could not be asked"), findings
    own = tuple(one for one in check_with_host(host_paths) if UNVERIFIED_MESSAGE not in one.message)
    if not any(one.level == "problem" for one in own):
        verified += ("`openclaw plugins inspect`: the plugin is loaded, its hooks are registered",)
    return verified, (*findings, *own)


def check_with_host(host_paths: HostPaths) -> Iterator[Finding]:
    """The findings that OpenClaw itself reports about its configuration and our plugin; a note if it is not on the
    PATH."""
    openclaw_program = find_program("openclaw", host_paths)
    if not openclaw_program:
        told = "`openclaw` is not on the PATH, so it could not be asked itself"
        yield _build_finding("host-not-asked", told, level="note")
        return
    said = run_program([openclaw_program, "--version"]).stdout
    if TESTED_VERSION not in said:
        told = f"this was tested with OpenClaw {TESTED_VERSION}, here is {said.strip()[:60] or 'one that does not say'}"
        yield _build_finding("host-version", told, level="note", hint="if a turn goes wrong, check this first")
    valid = run_program([openclaw_program, "config", "validate"])
    if valid.exit_code != 0:
        told = f"`openclaw config validate` refuses the configuration: {last_output_line(valid)}"
        hint = "`commonplace uninstall openclaw` undoes it"
        yield _build_finding("config-refused", told, path=host_paths.openclaw_config, hint=hint)
        return
    yield from _check_inspection(
        run_program([openclaw_program, "plugins", "inspect", PLUGIN_ID, "--runtime", "--json"])
    )


def _check_inspection(output: Any) -> Iterator[Finding]:
    """The findings from `plugins inspect`: hooks that are not registered, and the host's own diagnostics."""
    try:
        said = json.decode(output.stdout[output.stdout.index("{") :])
    except (DecodeError, ValueError):
        yield _build_finding("not-loaded", f"OpenClaw does not load the plugin: {last_output_line(output)}")
        return
    for one in said.get("diagnostics") or []:
        told = str(one.get("message") if isinstance(one, dict) else one)
        level: FindingLevel = "note" if UNVERIFIED_MESSAGE in told else "problem"
        shown = f"OpenClaw says: {told.partition('. ')[0][:300]}"
        yield _build_finding("host-diagnostic", shown, level=level, hint=_build_access_hint(told))
    hooks = said.get("typedHooks") or said.get("plugin", {}).get("typedHooks") or []
    names = {one.get("name") if isinstance(one, dict) else one for one in hooks}
    for name in ("before_prompt_build", "agent_end"):
        if name not in names:
            yield _build_finding("hook-missing", f"the hook {name} is not registered", hint=_build_access_hint("hooks"))


def _check_switches(plugin_config: PluginConfig) -> Iterator[Finding]:
    if plugin_config.find_scalar("plugins", "enabled") is False:
        hint = "openclaw config set plugins.enabled true"
        yield _build_finding("disabled", "all plugins are switched off", hint=hint)
    if plugin_config.find_scalar(*ENTRIES_POINTER, PLUGIN_ID, "enabled") is not True:
        hint = f"openclaw config set {_PLUGIN_ENTRY_KEY}.enabled true"
        yield _build_finding("disabled", "the plugin is turned off", hint=hint)
    if plugin_config.find_scalar(*ENTRIES_POINTER, PLUGIN_ID, *CONVERSATION_ACCESS) is not True:
        told = (
            "the plugin may not see conversations: it neither recalls nor captures, and OpenClaw does not report that"
        )
        yield _build_finding("no-conversation-access", told, hint=_build_access_hint("allowConversationAccess"))
    if plugin_config.find_scalar(*ENTRIES_POINTER, PLUGIN_ID, "hooks", "allowPromptInjection") is False:
        hint = f"openclaw config unset {_PLUGIN_ENTRY_KEY}.hooks.allowPromptInjection"
        told = "the plugin may not add to prompts, so nothing is recalled"
        yield _build_finding("no-prompt-injection", told, hint=hint)
    root = plugin_config.root
    if root.find(ALLOW_POINTER) is not None and not is_in_config_list(root, ALLOW_POINTER, PLUGIN_ID):
        told = "plugins.allow is set and does not contain commonplace"
        yield _build_finding("not-allowed", told, hint="run `commonplace install openclaw`")
    if is_in_config_list(root, ("plugins", "deny"), PLUGIN_ID):
        hint = f"take {PLUGIN_ID!r} out of plugins.deny"
        yield _build_finding("not-allowed", "plugins.deny contains commonplace", hint=hint)


def _check_plugin_folders(plugin_config: PluginConfig) -> Iterator[Finding]:
    again = "run `commonplace install openclaw`"
    folders = list(find_own_plugin_folders(plugin_config.root, plugin_config.host_paths))
    for written, folder in folders:
        if not read_plugin_id(folder):
            yield _build_finding("plugin-gone", f"there is no plugin in {written!r} any more", hint=again, path=folder)
        elif files.access_by_others(folder) == "write":
            told = "others may write into the folder of the plugin, which the host runs"
            yield _build_finding("open-to-others", told, path=folder, hint=f"chmod go-w {shlex.quote(folder)}")
    ids = [read_plugin_id(folder) for _written, folder in folders]
    if PLUGIN_ID not in ids and not any(not one for one in ids):
        yield _build_finding("plugin-gone", "plugins.load.paths does not contain the folder of the plugin", hint=again)
    for name in (PLUGIN_ID, SLOT_PLUGIN_ID):
        if ids.count(name) > 1:
            told = f"plugins.load.paths names the plugin {name!r} {ids.count(name)} times; the host uses the first"
            yield _build_finding("duplicate", told, hint="leave the one of this installation")


def _check_plugin_workspace(plugin_config: PluginConfig) -> Iterator[Finding]:
    config = plugin_config.entry.member("config")
    said = config.value() if config is not None and config.kind == "object" else {}
    theirs = find_host_workspace(plugin_config.root, plugin_config.host_paths)
    ours = said.get("workspace", "")
    if isinstance(ours, str) and ours and os.path.realpath(ours) != os.path.realpath(theirs):
        path = os.path.realpath(plugin_config.host_paths.openclaw_config)
        record = find_install_record(plugin_config.host_paths, HOST, path)
        is_meant = record is not None and record.workspace == ours
        told = f"OpenClaw works in {theirs!r}, and Commonplace in {ours!r}: what it writes is not recalled"
        hint = f"run `commonplace install openclaw --workspace {shlex.quote(theirs)}`"
        yield _build_finding("workspace-differs", told, level="note" if is_meant else "problem", hint=hint)
    for name, own in list_agent_workspaces(plugin_config.root):
        own = expand_host_path(own, plugin_config.host_paths.home, plugin_config.host_paths.working_folder)
        if os.path.realpath(own) != os.path.realpath(str(ours or theirs)):
            told = f"the agent {name!r} has a notebook of its own, {own!r}, which is not ours"
            yield _build_finding("workspace-differs", told, level="note")
    yield from check_plugin_command(HOST, said.get("command"), str(ours or theirs))


def _check_tool_policy(plugin_config: PluginConfig) -> Iterator[Finding]:
    profile = plugin_config.find_scalar("tools", "profile")
    if profile in HIDING_PROFILES:
        told = f"tools.profile is {profile!r}, which hides the tools of plugins"
        yield _build_finding("tools-hidden", told, level="note", hint="openclaw config set tools.profile full")
    elif profile is not None and profile not in OPEN_PROFILES:
        told = f"tools.profile is {profile!r}; the tools are declared for {', '.join(OPEN_PROFILES)}"
        yield _build_finding("tools-hidden", told, level="note")
    for name in ("deny", "allow"):
        listed = plugin_config.root.find(("tools", name))
        texts = [item.node.scalar for item in listed.items] if listed is not None else []
        hidden = [tool for tool in PLUGIN_TOOLS if (tool in texts) is (name == "deny")] if texts else []
        if hidden and not (name == "allow" and "*" in texts):
            yield _build_finding("tools-hidden", f"tools.{name} hides {', '.join(hidden)}", level="note")


def _check_memory_slot(plugin_config: PluginConfig) -> Iterator[Finding]:
    owner = plugin_config.find_scalar(*MEMORY_SLOT_POINTER)
    enabled = plugin_config.find_scalar(*ENTRIES_POINTER, SLOT_PLUGIN_ID, "enabled")
    again = "run `commonplace install openclaw --slot`, or `--no-slot`"
    if owner == SLOT_PLUGIN_ID and enabled is not True:
        told = f"plugins.slots.memory is {SLOT_PLUGIN_ID!r}, which is not switched on"
        yield _build_finding("slot-conflict", told, hint=again)
    elif enabled is True and owner != SLOT_PLUGIN_ID:
        told = f"{SLOT_PLUGIN_ID!r} is switched on, and the memory slot has {owner!r}"
        yield _build_finding("slot-conflict", told, hint=again)
    if owner == SLOT_PLUGIN_ID and plugin_config.find_scalar(*ENTRIES_POINTER, "memory-core", "enabled") is not False:
        told = "memory-core is on as well as the slot plugin, and its tools have the same names"
        hint = "openclaw config set plugins.entries.memory-core.enabled false"
        yield _build_finding("slot-conflict", told, hint=hint)


def _build_access_hint(message: str) -> str:
    about = "allowConversationAccess" in message or message == "hooks"
    return f"openclaw config set {_PLUGIN_ENTRY_KEY}.{'.'.join(CONVERSATION_ACCESS)} true" if about else ""


def _check_plugin_copies(plugin_config: PluginConfig) -> Iterator[Finding]:
    """Copies of the plugin in the folders that OpenClaw searches by itself."""
    told = "a copy of the plugin is in a folder that OpenClaw searches by itself, so it would be loaded twice"
    workspace = find_host_workspace(plugin_config.root, plugin_config.host_paths)
    for base in (f"{plugin_config.host_paths.openclaw_state}/extensions", f"{workspace}/.openclaw/extensions"):
        for name in files.list_folder_names(base):
            if read_plugin_id(f"{base}/{name}") in (PLUGIN_ID, SLOT_PLUGIN_ID):
                yield _build_finding("duplicate", told, path=f"{base}/{name}", hint="remove one of them")


CONFIG_CHECKS = (
    _check_switches,
    _check_plugin_folders,
    _check_plugin_workspace,
    _check_tool_policy,
    _check_memory_slot,
    _check_plugin_copies,
)
