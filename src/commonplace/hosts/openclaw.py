"""The host OpenClaw: its companion plugin, on request its memory slot too."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from commonplace import files
from commonplace.hosts.json5 import Node, parse
from commonplace.hosts.nouns import Choice, Places, Pointer, Target, Want
from commonplace.hosts.shipment import shipped
from commonplace.hosts.whereabouts import command, expanded, notebook

HOST = "openclaw"
TESTED = "2026.9.6"
PLUGIN, SLOT = "commonplace", "commonplace-slot"
PATHS: Pointer = ("plugins", "load", "paths")
ENTRIES: Pointer = ("plugins", "entries")
ALLOW: Pointer = ("plugins", "allow")
MEMORY: Pointer = ("plugins", "slots", "memory")
ACCESS = ("hooks", "allowConversationAccess")
OWNED: tuple[Pointer, ...] = ((*ENTRIES, PLUGIN), (*ENTRIES, SLOT))
SHOWN: tuple[Pointer, ...] = (("plugins", "load"), ("plugins", "slots"), ALLOW, ("plugins", "deny"))


def targets(choice: Choice, where: Places) -> tuple[Target, ...]:
    """OpenClaw's configuration and what we want in it."""
    root = read(where)
    workspace = notebook(choice.workspace or host_workspace(root, where))
    wants = list(_plugin(PLUGIN, shipped("openclaw"), workspace))
    if choice.slot:
        wants += _plugin(SLOT, shipped("openclaw-slot"), workspace)
        wants += [Want(MEMORY, SLOT), Want((*ENTRIES, "memory-core", "enabled"), value=False)]
    return (Target(where.openclaw_config, "json", tuple(wants), OWNED, SHOWN),)


def traces(_choice: Choice, where: Places) -> tuple[Target, ...]:
    """What is ours by its name in the configuration, for a host of which we kept no record."""
    root = read(where)
    wants: list[Want] = []
    for name in (PLUGIN, SLOT):
        if root is not None and (entry := root.at((*ENTRIES, name))) is not None:
            wants.append(Want((*ENTRIES, name), entry.value()))
        if has_element(root, ALLOW, name):
            wants.append(Want(ALLOW, name, element=True))
    wants += [Want(PATHS, path, element=True) for path, _folder in our_paths(root, where)]
    if root is not None and (slot := root.at(MEMORY)) is not None and slot.scalar == SLOT:
        wants.append(Want(MEMORY, SLOT))
    return (Target(where.openclaw_config, "json", tuple(wants), OWNED, SHOWN),)


def paths(_choice: Choice, where: Places) -> tuple[str, ...]:
    """The one file that OpenClaw reads."""
    return (where.openclaw_config,)


def notes(choice: Choice, where: Places) -> tuple[str, ...]:
    """What the person should know before saying yes."""
    root = read(where)
    workspace = notebook(choice.workspace or host_workspace(root, where))
    said = [f"the notebook is {workspace}"]
    if not os.path.isdir(workspace):
        said.append(f"it is not there yet: OpenClaw makes it, or `commonplace init {shlex.quote(workspace)}`")
    others = [name for name, own in agents(root) if expanded(own, where.home, where.here) != workspace]
    if others:
        said.append(f"agents with a notebook of their own, which is not this one: {', '.join(others)}")
    if root is not None and (owner := root.at(MEMORY)) is not None and choice.slot and owner.scalar != SLOT:
        said.append(f"the memory slot goes from {owner.scalar!r} to {SLOT!r}; uninstalling gives it back")
    return tuple(said)


def read(where: Places) -> Node | None:
    """The configuration as values with their places; None if there is none. Raises BadHostFile."""
    data = files.read_foreign(where.openclaw_config).data
    text = "" if data is None else data.decode("utf-8", "replace")
    return parse(text, where.openclaw_config) if text.strip() else None


def host_workspace(root: Node | None, where: Places) -> str:
    """The notebook that OpenClaw itself uses: of its only agent, else of its settings, else of the environment, else in
    its state folder."""
    entries = root.at(("agents", "entries")) if root is not None else None
    own = [path for _name, path in agents(root)] if entries is not None and len(entries.items) == 1 else []
    said = root.at(("agents", "defaults", "workspace")) if root is not None else None
    if said is not None and isinstance(said.scalar, str):
        own.append(said.scalar)
    return expanded(own[0], where.home, where.here) if own else where.openclaw_workspace


def agents(root: Node | None) -> Iterator[tuple[str, str]]:
    """The agents that have a notebook of their own: name and path as written."""
    entries = root.at(("agents", "entries")) if root is not None else None
    for item in entries.items if entries is not None and entries.kind == "object" else ():
        own = item.node.member("workspace")
        if own is not None and isinstance(own.scalar, str):
            yield item.key, own.scalar


def our_paths(root: Node | None, where: Places) -> Iterator[tuple[str, str]]:
    """The folders among `plugins.load.paths` that are ours: as written, and absolute."""
    listed = root.at(PATHS) if root is not None else None
    for item in listed.items if listed is not None else ():
        if isinstance(item.node.scalar, str):
            folder = expanded(item.node.scalar, where.home, os.path.dirname(where.openclaw_config))
            if plugin_id(folder) in (PLUGIN, SLOT) or _looks_like_ours(folder):
                yield item.node.scalar, folder


def plugin_id(folder: str) -> str:
    """The id that the plugin in a folder has; empty if there is none that can be read."""
    data = files.read_foreign(os.path.join(folder, "openclaw.plugin.json")).data
    if data is None:
        return ""
    said = parse(data.decode("utf-8", "replace"), folder).member("id")
    return str(said.scalar) if said is not None else ""


def has_element(root: Node | None, pointer: Pointer, value: str) -> bool:
    """Whether a list of the configuration holds a text."""
    listed = root.at(pointer) if root is not None else None
    return listed is not None and any(item.node.scalar == value for item in listed.items)


def _plugin(name: str, folder: str, workspace: str) -> tuple[Want, ...]:
    entry = (*ENTRIES, name)
    return (
        Want(PATHS, folder, element=True),
        Want((*entry, "enabled"), value=True),
        Want((*entry, *ACCESS), value=True),
        Want((*entry, "config", "command"), command("serve", "--stdio")),
        Want((*entry, "config", "workspace"), workspace),
        Want(ALLOW, name, element=True, if_there=True),
    )


def _looks_like_ours(folder: str) -> bool:
    """Whether a folder that is gone by now bears the name under which we are installed."""
    return folder.endswith(("/commonplace/hosts/data/openclaw", "/commonplace/hosts/data/openclaw-slot"))
