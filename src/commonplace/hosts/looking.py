"""Which hosts have us, and all that is wrong between them and us."""

from __future__ import annotations

from commonplace.hosts.nouns import Choice, Finding, Places
from commonplace.hosts.records import records
from commonplace.hosts.table import HOSTS


def installed(where: Places) -> tuple[str, ...]:
    """The hosts that we were installed into, by our records and by what their configuration says."""
    known = {one.host for one in records(where)}
    return tuple(name for name in HOSTS if name in known or _has_traces(name, where))


def examine(choice: Choice, where: Places) -> tuple[Finding, ...]:
    """All that is wrong between one host and us."""
    return HOSTS[choice.host].examine(choice, where)


def _has_traces(name: str, where: Places) -> bool:
    from commonplace.errors import BadHostFile

    try:
        return any(target.wants or target.block for target in HOSTS[name].traces(Choice(name), where))
    except BadHostFile:
        return False
