"""Install into the hosts of agents, take out again, and find what is wrong: their configuration, our part of it."""

from __future__ import annotations

from commonplace.hosts.applying import install, uninstall
from commonplace.hosts.looking import examine, installed
from commonplace.hosts.nouns import Choice, Done, FileChange, Finding, Places, Plan
from commonplace.hosts.planning import plan_install, plan_uninstall
from commonplace.hosts.shipment import shipped
from commonplace.hosts.table import HOSTS
from commonplace.hosts.whereabouts import places

__all__ = [
    "HOSTS",
    "Choice",
    "Done",
    "FileChange",
    "Finding",
    "Places",
    "Plan",
    "examine",
    "install",
    "installed",
    "places",
    "plan_install",
    "plan_uninstall",
    "shipped",
    "uninstall",
]
