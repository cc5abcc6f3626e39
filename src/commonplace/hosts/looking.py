"""Which hosts have us, and all that is wrong between them and us."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec import structs

from commonplace import files
from commonplace.hosts.nouns import Choice, Finding, Places
from commonplace.hosts.records import records
from commonplace.hosts.table import HOSTS

VERBS = ("install", "uninstall", "doctor")


def installed(where: Places) -> tuple[str, ...]:
    """The hosts that we were installed into, by our records and by what their configuration says."""
    known = {one.host for one in records(where)}
    return tuple(name for name in HOSTS if name in known or _has_traces(name, where))


def examine(choice: Choice, where: Places) -> tuple[Finding, ...]:
    """All that is wrong between one host and us, with commands that can be pasted as they are told."""
    found = (*HOSTS[choice.host].examine(choice, where), *_left_behind(choice, where))
    return tuple(_as_named(one, choice) for one in found)


def _as_named(one: Finding, choice: Choice) -> Finding:
    """The finding, whose hint tells to type the places too that were named, or where it was found."""
    file = (choice.file or one.path) if choice.host == "generic-mcp" else ""
    words = ["--project"] if choice.project and choice.host == "cursor" else []
    words += ["--file", file] if file else []
    words += ["--workspace", choice.workspace] if choice.workspace and "--workspace" not in one.hint else []
    hint = one.hint
    for verb in VERBS if words else ():
        line = f"`commonplace {verb} {choice.host}"
        hint = hint.replace(line, f"{line} {shlex.join(words)}")
    return structs.replace(one, hint=hint)


def _left_behind(choice: Choice, where: Places) -> Iterator[Finding]:
    """Hidden versions of a configuration, which may hold keys: nobody else would look for them."""
    told = "a write that was broken off has left a version of the configuration"
    hint = f"`commonplace install {choice.host}` removes it; what it leaves was saved by somebody else: look at it"
    for path in HOSTS[choice.host].paths(choice, where):
        for one in files.left_beside(path):
            yield Finding(choice.host, "left-behind", told, path=one, hint=hint)


def _has_traces(name: str, where: Places) -> bool:
    from commonplace.errors import BadHostFile

    try:
        return any(target.wants or target.block for target in HOSTS[name].traces(Choice(name), where))
    except BadHostFile:
        return False
