"""The host OpenClaw: its plugin, its memory slot, and the checks of both."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from msgspec import DecodeError, json

from commonplace.bridges.hosts import locations, probes
from commonplace.bridges.hosts.adapter import HostAdapter, read_config_text, read_json_config
from commonplace.bridges.hosts.config_edits import find_value
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue, Finding, FindingLevel, Pointer
from commonplace.shapes import Json
from commonplace.storage import files

TESTED_VERSION = "2026.9.6"
PLUGIN_ID, SLOT_PLUGIN_ID = "commonplace", "commonplace-slot"
INSTALLED_FOLDERS = ("/commonplace/hosts/data/openclaw", "/commonplace/hosts/data/openclaw-slot")
LOAD_PATHS_POINTER: Pointer = ("plugins", "load", "paths")
ENTRIES_POINTER: Pointer = ("plugins", "entries")
OWN_ENTRY_POINTER: Pointer = (*ENTRIES_POINTER, PLUGIN_ID)
ALLOW_POINTER: Pointer = ("plugins", "allow")
MEMORY_SLOT_POINTER: Pointer = ("plugins", "slots", "memory")
CONVERSATION_ACCESS = ("hooks", "allowConversationAccess")
CONSOLIDATION = (("config", "consolidate"), ("llm", "allowAgentIdOverride"))  # by the model of the session's agent
OWNED_POINTERS: tuple[Pointer, ...] = (OWN_ENTRY_POINTER, (*ENTRIES_POINTER, SLOT_PLUGIN_ID))
PRINTABLE_POINTERS: tuple[Pointer, ...] = (*(("plugins", name) for name in ("load", "slots", "deny")), ALLOW_POINTER)
HIDING_PROFILES = ("minimal",)
OPEN_PROFILES = ("full", "coding", "messaging")
UNVERIFIED_MESSAGE = "can't verify where this plugin came from"  # what OpenClaw says of every folder on this machine
PLUGIN_TOOLS = ("commonplace_recall", "commonplace_retain", "commonplace_forget", "commonplace_why")
_PLUGIN_ENTRY_KEY = ".".join(OWN_ENTRY_POINTER)
VISIBLE_TO_ROLE = {
    "resident": "its own words, those said to 'main', the core and every line of the notebook",
    "member": "its own words, the core and the lines of the notebook",
    "guest": "only its own words",
}
INSTALL_HINT = "run `commonplace install openclaw`"


class OpenClawHost(HostAdapter):
    """OpenClaw: our plugin in its one configuration, and with `--slot` its memory."""

    name = "openclaw"
    tells_session_end = True
    workspace_advice = "OpenClaw makes it, or"

    @cached_property
    def _values(self) -> Json:
        return read_json_config(self.host_paths.openclaw_config)

    @property
    def workspace(self) -> str:
        """The absolute path of the notebook that was asked for, else of the one that OpenClaw uses."""
        return locations.absolute_workspace(self.choice.workspace or self._find_workspace())

    def config_paths(self) -> tuple[str, ...]:
        return (self.host_paths.openclaw_config,)

    def targets(self) -> tuple[ConfigTarget, ...]:
        """The plugin, and with `--slot` the memory slot."""
        wants = _build_plugin_values(PLUGIN_ID, locations.find_plugin_folder("openclaw"), self.workspace)
        if self.consolidates():
            wants += [ConfigValue((*OWN_ENTRY_POINTER, *pointer), value=True) for pointer in CONSOLIDATION]
        if self.choice.slot:
            wants += _build_plugin_values(SLOT_PLUGIN_ID, locations.find_plugin_folder("openclaw-slot"), self.workspace)
            wants.append(ConfigValue(MEMORY_SLOT_POINTER, SLOT_PLUGIN_ID))
            wants.append(ConfigValue((*ENTRIES_POINTER, "memory-core", "enabled"), value=False))
        return self._own_target(wants)

    def traces(self) -> tuple[ConfigTarget, ...]:
        """The entries of the configuration that are ours, for a host without a record of installation."""
        wants: list[ConfigValue] = []
        for name in (PLUGIN_ID, SLOT_PLUGIN_ID):
            if (entry := self._find(*ENTRIES_POINTER, name)) is not None:
                wants.append(ConfigValue((*ENTRIES_POINTER, name), entry))
            if name in self._find_list(*ALLOW_POINTER):
                wants.append(ConfigValue(ALLOW_POINTER, name, is_list_element=True))
        for path, _folder in self._find_plugin_folders():
            wants.append(ConfigValue(LOAD_PATHS_POINTER, path, is_list_element=True))
        if self._find(*MEMORY_SLOT_POINTER) == SLOT_PLUGIN_ID:
            wants.append(ConfigValue(MEMORY_SLOT_POINTER, SLOT_PLUGIN_ID))
        return self._own_target(wants)

    def _own_target(self, values: list[ConfigValue]) -> tuple[ConfigTarget, ...]:
        path = self.host_paths.openclaw_config
        return (ConfigTarget(path, "json", tuple(values), OWNED_POINTERS, PRINTABLE_POINTERS),)

    def notes(self) -> tuple[str, ...]:
        notes, owner = [*super().notes(), *self._describe_agents(self.workspace)], self._find(*MEMORY_SLOT_POINTER)
        if self.consolidates():
            notes.append("each session that ends is handed to its agent's model, without tools, which costs tokens")
        if owner is not None and self.choice.slot and owner != SLOT_PLUGIN_ID:
            notes.append(f"the memory slot goes from {owner!r} to {SLOT_PLUGIN_ID!r}; uninstalling restores it")
        return tuple(notes)

    def consolidates(self) -> bool:
        if self.choice.consolidate is not None:
            return self.choice.consolidate
        return self._find(*OWN_ENTRY_POINTER, *CONSOLIDATION[0]) is True

    def verify(self) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Read the file back, then ask OpenClaw itself, if it is there."""
        verified, findings = super().verify()
        if not probes.find_program("openclaw", self.host_paths):
            return (*verified, "`openclaw` is not on the PATH: the host itself could not be asked"), findings
        own = tuple(one for one in self._check_with_host() if UNVERIFIED_MESSAGE not in one.message)
        if not any(one.level == "problem" for one in own):
            verified += ("`openclaw plugins inspect`: the plugin is loaded, its hooks are registered",)
        return verified, (*findings, *own)

    def examine_config(self, path: str) -> Iterator[Finding]:
        """All that is wrong with the plugin and the slot, what hides others first."""
        if not read_config_text(path).strip():
            told, hint = "OpenClaw has no configuration here", "run `openclaw onboard`, or set OPENCLAW_CONFIG_PATH"
            yield self.finding("config-missing", told, hint)
        elif self._find(*OWN_ENTRY_POINTER) is None:
            yield self.finding("not-installed", "Commonplace is not in the configuration of OpenClaw", INSTALL_HINT)
        else:
            found = [*self._check_switches(), *self._check_plugin_folders(), *self._check_plugin_workspace()]
            found += [*self._check_tool_policy(), *self._check_memory_slot(), *self._check_plugin_copies()]
            found += probes.check_permissions(self.name, path)
            hints = {one.hint for one in found if one.hint}
            # What the host reports besides: in other words it says what is known already.
            found += [one for one in self._check_with_host() if one.hint not in hints]
            yield from found

    def _find(self, *pointer: str) -> Any:
        """The value at these keys; None if there is none."""
        return find_value(self._values, *pointer)

    def _find_list(self, *pointer: str) -> list[Any]:
        values = self._find(*pointer)
        return values if isinstance(values, list) else []

    def _expand_path(self, path: str) -> str:
        return locations.expand_host_path(path, self.host_paths.home, self.host_paths.working_folder)

    def _find_workspace(self) -> str:
        """The notebook of its only agent, else of its settings, of the environment, or in its state folder."""
        own = [*self._find_agent_workspaces().values()] if len(self._agents) == 1 else []
        default = self._find("agents", "defaults", "workspace")
        own += [default] if isinstance(default, str) else []
        return self._expand_path(own[0]) if own else self.host_paths.openclaw_workspace

    @property
    def _agents(self) -> Json:
        agents = self._find("agents", "entries")
        return agents if isinstance(agents, dict) else {}

    def _find_agent_workspaces(self) -> dict[str, str]:
        """The notebooks of agents that have one of their own, as written, by name."""
        paths = {name: find_value(agent, "workspace") for name, agent in self._agents.items()}
        return {name: path for name, path in paths.items() if isinstance(path, str)}

    def _describe_agents(self, notebook: str) -> Iterator[str]:
        """What each of several agents sees of a notebook, by where it works."""
        from commonplace.turns.openclaw import classify_agent

        workspaces = self._resolve_agent_workspaces()
        is_open = self._find(*OWN_ENTRY_POINTER, "config", "sharing") == "all"
        for name, folder in workspaces.items() if len(workspaces) > 1 else ():
            role = classify_agent(name, workspaces, notebook)
            sees = VISIBLE_TO_ROLE["member" if is_open and role == "guest" else role]
            yield f"the agent {name!r} works in {folder!r}: it sees {sees}"

    def _resolve_agent_workspaces(self) -> dict[str, str]:
        """The workspace of each agent of the configuration, as OpenClaw resolves it."""
        default = self._find("agents", "defaults", "workspace")
        implicit = f"{default}/" if isinstance(default, str) else f"{self.host_paths.openclaw_state}/workspace-"
        own = self._find_agent_workspaces()
        marked = {name for name, agent in self._agents.items() if find_value(agent, "default") is True}
        found = {name: self._find_workspace() if marked == {name} else implicit + name for name in self._agents}
        return {name: self._expand_path(own.get(name, path)) for name, path in found.items()}

    def _find_plugin_folders(self) -> Iterator[tuple[str, str]]:
        """The folders among `plugins.load.paths` that are ours: as written, and absolute."""
        base = os.path.dirname(self.host_paths.openclaw_config)
        for path in self._find_list(*LOAD_PATHS_POINTER):
            if isinstance(path, str):
                folder = locations.expand_host_path(path, self.host_paths.home, base)
                if read_plugin_id(folder) in (PLUGIN_ID, SLOT_PLUGIN_ID) or folder.endswith(INSTALLED_FOLDERS):
                    yield path, folder

    def _check_with_host(self) -> Iterator[Finding]:
        """What OpenClaw itself reports about its configuration and our plugin; a note if it is not on the PATH."""
        openclaw_program = probes.find_program("openclaw", self.host_paths)
        if not openclaw_program:
            told = "`openclaw` is not on the PATH, so it could not be asked itself"
            yield self.finding("host-not-asked", told, level="note")
            return
        said = probes.run_program([openclaw_program, "--version"]).stdout
        if TESTED_VERSION not in said:
            here = said.strip()[:60] or "one that does not say"
            told = f"this was tested with OpenClaw {TESTED_VERSION}, here is {here}"
            yield self.finding("host-version", told, "if a turn goes wrong, check this first", level="note")
        valid = probes.run_program([openclaw_program, "config", "validate"])
        if valid.exit_code != 0:
            told = f"`openclaw config validate` refuses the configuration: {probes.last_output_line(valid)}"
            hint = "`commonplace uninstall openclaw` undoes it"
            yield self.finding("config-refused", told, hint, path=self.host_paths.openclaw_config)
            return
        yield from self._check_inspection(
            probes.run_program([openclaw_program, "plugins", "inspect", PLUGIN_ID, "--runtime", "--json"])
        )

    def _check_inspection(self, output: Any) -> Iterator[Finding]:
        """The findings from `plugins inspect`: hooks that are not registered, and the host's own diagnostics."""
        try:
            said = json.decode(output.stdout[output.stdout.index("{") :])
        except (DecodeError, ValueError):
            yield self.finding("not-loaded", f"OpenClaw does not load the plugin: {probes.last_output_line(output)}")
            return
        for one in said.get("diagnostics") or []:
            told = str(one.get("message") if isinstance(one, dict) else one)
            level: FindingLevel = "note" if UNVERIFIED_MESSAGE in told else "problem"
            shown = f"OpenClaw says: {told.partition('. ')[0][:300]}"
            yield self.finding("host-diagnostic", shown, _build_access_hint(told), level=level)
        hooks = said.get("typedHooks") or said.get("plugin", {}).get("typedHooks") or []
        names = {one.get("name") if isinstance(one, dict) else one for one in hooks}
        for name in ("before_prompt_build", "agent_end"):
            if name not in names:
                told = f"the hook {name} is not registered"
                yield self.finding("hook-missing", told, _build_access_hint("hooks"))

    def _check_switches(self) -> Iterator[Finding]:
        if self._find("plugins", "enabled") is False:
            yield self.finding("disabled", "all plugins are switched off", "openclaw config set plugins.enabled true")
        if self._find(*OWN_ENTRY_POINTER, "enabled") is not True:
            hint = f"openclaw config set {_PLUGIN_ENTRY_KEY}.enabled true"
            yield self.finding("disabled", "the plugin is turned off", hint)
        if self._find(*OWN_ENTRY_POINTER, *CONVERSATION_ACCESS) is not True:
            told = "the plugin may not see conversations: it neither recalls nor captures, and OpenClaw does not report"
            yield self.finding("no-conversation-access", f"{told} that", _build_access_hint("allowConversationAccess"))
        if self._find(*OWN_ENTRY_POINTER, "hooks", "allowPromptInjection") is False:
            hint = f"openclaw config unset {_PLUGIN_ENTRY_KEY}.hooks.allowPromptInjection"
            yield self.finding("no-prompt-injection", "the plugin may not add to prompts, so nothing is recalled", hint)
        if self.consolidates() and self._find(*OWN_ENTRY_POINTER, *CONSOLIDATION[1]) is not True:
            told = "sessions are to be consolidated at their end, and the plugin may not ask the model of their agent"
            hint = f"openclaw config set {_PLUGIN_ENTRY_KEY}.{'.'.join(CONSOLIDATION[1])} true"
            yield self.finding("model-missing", told, hint)
        if self._find(*ALLOW_POINTER) is not None and PLUGIN_ID not in self._find_list(*ALLOW_POINTER):
            yield self.finding("not-allowed", "plugins.allow is set and does not contain commonplace", INSTALL_HINT)
        if PLUGIN_ID in self._find_list("plugins", "deny"):
            hint = f"take {PLUGIN_ID!r} out of plugins.deny"
            yield self.finding("not-allowed", "plugins.deny contains commonplace", hint)

    def _check_plugin_folders(self) -> Iterator[Finding]:
        folders = list(self._find_plugin_folders())
        for written, folder in folders:
            if not read_plugin_id(folder):
                told = f"there is no plugin in {written!r} any more"
                yield self.finding("plugin-gone", told, INSTALL_HINT, path=folder)
            elif files.access_by_others(folder) == "write":
                told = "others may write into the folder of the plugin, which the host runs"
                yield self.finding("open-to-others", told, f"chmod go-w {shlex.quote(folder)}", path=folder)
        ids = [read_plugin_id(folder) for _written, folder in folders]
        if PLUGIN_ID not in ids and not any(not one for one in ids):
            told = "plugins.load.paths does not contain the folder of the plugin"
            yield self.finding("plugin-gone", told, INSTALL_HINT)
        for name in (PLUGIN_ID, SLOT_PLUGIN_ID):
            if ids.count(name) > 1:
                told = f"plugins.load.paths names the plugin {name!r} {ids.count(name)} times; the host uses the first"
                yield self.finding("duplicate", told, "leave the one of this installation")

    def _check_plugin_workspace(self) -> Iterator[Finding]:
        theirs, ours = self._find_workspace(), self._find(*OWN_ENTRY_POINTER, "config", "workspace")
        command = self._find(*OWN_ENTRY_POINTER, "config", "command")
        if isinstance(ours, str) and ours and os.path.realpath(ours) != os.path.realpath(theirs):
            path = os.path.realpath(self.host_paths.openclaw_config)
            record = locations.find_install_record(self.host_paths, self.name, path)
            is_meant = record is not None and record.workspace == ours
            told = f"OpenClaw works in {theirs!r}, and Commonplace in {ours!r}: what it writes is not recalled"
            hint = f"run `commonplace install openclaw --workspace {shlex.quote(theirs)}`"
            yield self.finding("workspace-differs", told, hint, level="note" if is_meant else "problem")
        for told in self._describe_agents(str(ours or theirs)):
            yield self.finding("agent-sees", told, level="note")
        yield from probes.check_plugin_command(self.name, command, str(ours or theirs))

    def _check_tool_policy(self) -> Iterator[Finding]:
        profile = self._find("tools", "profile")
        if profile in HIDING_PROFILES:
            told = f"tools.profile is {profile!r}, which hides the tools of plugins"
            yield self.finding("tools-hidden", told, "openclaw config set tools.profile full", level="note")
        elif profile is not None and profile not in OPEN_PROFILES:
            told = f"tools.profile is {profile!r}; the tools are declared for {', '.join(OPEN_PROFILES)}"
            yield self.finding("tools-hidden", told, level="note")
        for name in ("deny", "allow"):
            texts = self._find_list("tools", name)
            hidden = [tool for tool in PLUGIN_TOOLS if (tool in texts) is (name == "deny")] if texts else []
            if hidden and not (name == "allow" and "*" in texts):
                yield self.finding("tools-hidden", f"tools.{name} hides {', '.join(hidden)}", level="note")

    def _check_memory_slot(self) -> Iterator[Finding]:
        owner = self._find(*MEMORY_SLOT_POINTER)
        enabled = self._find(*ENTRIES_POINTER, SLOT_PLUGIN_ID, "enabled")
        again = "run `commonplace install openclaw --slot`, or `--no-slot`"
        if owner == SLOT_PLUGIN_ID and enabled is not True:
            told = f"plugins.slots.memory is {SLOT_PLUGIN_ID!r}, which is not switched on"
            yield self.finding("slot-conflict", told, again)
        elif enabled is True and owner != SLOT_PLUGIN_ID:
            told = f"{SLOT_PLUGIN_ID!r} is switched on, and the memory slot has {owner!r}"
            yield self.finding("slot-conflict", told, again)
        if owner == SLOT_PLUGIN_ID and self._find(*ENTRIES_POINTER, "memory-core", "enabled") is not False:
            told = "memory-core is on as well as the slot plugin, and its tools have the same names"
            yield self.finding("slot-conflict", told, "openclaw config set plugins.entries.memory-core.enabled false")

    def _check_plugin_copies(self) -> Iterator[Finding]:
        """Copies of the plugin in the folders that OpenClaw searches by itself."""
        told = "a copy of the plugin is in a folder that OpenClaw searches by itself, so it would be loaded twice"
        workspace = self._find_workspace()
        for base in (f"{self.host_paths.openclaw_state}/extensions", f"{workspace}/.openclaw/extensions"):
            for name in files.list_folder_names(base):
                if read_plugin_id(f"{base}/{name}") in (PLUGIN_ID, SLOT_PLUGIN_ID):
                    yield self.finding("duplicate", told, "remove one of them", path=f"{base}/{name}")


def read_plugin_id(folder: str) -> str:
    """The id of the plugin in a folder; empty if there is none that can be read."""
    return str(read_json_config(os.path.join(folder, "openclaw.plugin.json")).get("id", ""))


def _build_plugin_values(name: str, folder: str, workspace: str) -> list[ConfigValue]:
    entry = (*ENTRIES_POINTER, name)
    return [
        ConfigValue(LOAD_PATHS_POINTER, folder, is_list_element=True),
        ConfigValue((*entry, "enabled"), value=True),
        ConfigValue((*entry, *CONVERSATION_ACCESS), value=True),
        ConfigValue((*entry, "config", "command"), locations.build_launch_command("serve", "--stdio")),
        ConfigValue((*entry, "config", "workspace"), workspace),
        ConfigValue(ALLOW_POINTER, name, is_list_element=True, if_list_exists=True),
    ]


def _build_access_hint(message: str) -> str:
    about = "allowConversationAccess" in message or message == "hooks"
    return f"openclaw config set {_PLUGIN_ENTRY_KEY}.{'.'.join(CONVERSATION_ACCESS)} true" if about else ""
