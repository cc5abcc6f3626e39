"""Install into the hosts of agents, take out again, and find what is wrong: their configuration, our part of it."""

from __future__ import annotations

from commonplace.bridges.hosts.installation import apply_install as apply_install
from commonplace.bridges.hosts.installation import apply_uninstall as apply_uninstall
from commonplace.bridges.hosts.installation import plan_install as plan_install
from commonplace.bridges.hosts.installation import plan_uninstall as plan_uninstall
from commonplace.bridges.hosts.locations import build_launch_command as build_launch_command
from commonplace.bridges.hosts.locations import find_plugin_folder as find_plugin_folder
from commonplace.bridges.hosts.locations import read_host_paths as read_host_paths
from commonplace.bridges.hosts.plans import Finding as Finding
from commonplace.bridges.hosts.plans import InstallChoice as InstallChoice
from commonplace.bridges.hosts.plans import InstallPlan as InstallPlan
from commonplace.bridges.hosts.plans import InstallResult as InstallResult
from commonplace.bridges.hosts.probes import ConsolidationFailure as ConsolidationFailure
from commonplace.bridges.hosts.probes import note_consolidation as note_consolidation
from commonplace.bridges.hosts.registry import HOSTS as HOSTS
from commonplace.bridges.hosts.registry import examine_host as examine_host
from commonplace.bridges.hosts.registry import list_installed_hosts as list_installed_hosts
