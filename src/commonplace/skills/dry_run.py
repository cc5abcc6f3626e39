"""The steps of a skill with its parameters filled in; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.skills.drafts import Skill
from commonplace.skills.slots import fits


class Filled(Struct, frozen=True):
    """What a skill would do: its calls as (tool, input), and the parameters that nobody gave."""

    skill: str
    steps: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def fill(skill: Skill, values: Mapping[str, str]) -> Filled:
    """The steps with these values; an optional parameter without one takes its default, or is left out.

    In a command a value is quoted, so that it stays one word. Raises BadArgument for a parameter that the skill does
    not have, or a value that is not of its type.
    """
    needs = skill.preconditions
    unknown = sorted(set(values) - set(needs))
    if unknown:
        names = ", ".join(needs) or "none"
        raise BadArgument(f"{skill.name!r} has no parameter {unknown[0]!r}", hint=f"its parameters: {names}")
    for name, value in values.items():
        if not fits(needs[name].type, value):
            raise BadArgument(f"{name!r} must be a {needs[name].type}, not {value!r}")
    defaults = {name: need.default for name, need in needs.items() if need.optional or need.default}
    given = {**defaults, **values}
    steps = tuple((tool, _filled(text, given, is_command=tool == "shell")) for tool, text in skill.steps)
    return Filled(skill.name, steps, tuple(name for name in needs if name not in given))


def _filled(text: str, given: Mapping[str, str], *, is_command: bool) -> str:
    def value(match: re.Match[str]) -> str:
        known = given.get(match[1])
        if known is None:
            return match[0]
        return _quoted(known) if is_command and known and not _in_quotes(text[: match.start()]) else known

    return re.sub(r"\$([a-z][a-z0-9_]*)", value, text)


def _in_quotes(before: str) -> bool:
    bare = re.sub(r"\\.", "", before)
    return bare.count('"') % 2 == 1 or bare.count("'") % 2 == 1


def _quoted(value: str) -> str:
    from shlex import quote

    return quote(value)
