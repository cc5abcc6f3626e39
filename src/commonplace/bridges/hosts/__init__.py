"""Install into the hosts of agents, take out again, and find what is wrong: their configuration, our part of it."""

from __future__ import annotations

from commonplace.bridges.hosts.installation import apply_install, apply_uninstall, plan_install, plan_uninstall
from commonplace.bridges.hosts.locations import find_plugin_folder, read_host_paths
from commonplace.bridges.hosts.plans import FileChange, Finding, HostPaths, InstallChoice, InstallPlan, InstallResult
from commonplace.bridges.hosts.registry import HOSTS, examine_host, list_installed_hosts

__all__ = [
    "HOSTS",
    "FileChange",
    "Finding",
    "HostPaths",
    "InstallChoice",
    "InstallPlan",
    "InstallResult",
    "apply_install",
    "apply_uninstall",
    "examine_host",
    "find_plugin_folder",
    "list_installed_hosts",
    "plan_install",
    "plan_uninstall",
    "read_host_paths",
]
