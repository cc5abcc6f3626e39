"""Decide who a subject is: names of the owner and of entities, words for who speaks, and what stands around a line."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from commonplace.extract import KeyRegistry, packaged_registry
from commonplace.language.text import fold_name, name_key
from commonplace.lazy import lazy_pattern

_OWNER_ROLES = frozenset(("", "owner", "user", "human", "me"))  # what captures call the owner
_AGENT_ROLES = frozenset(("agent", "assistant"))
_POSSESSIVE_PATTERN = lazy_pattern(r"['’]s?\s+")


class NameTable(Struct, frozen=True):
    """The name of the owner, and the folded name of the bearer of each folded alias."""

    owner: str = ""
    bearers: dict[str, str] = {}

    def resolve(self, name: str) -> str:
        """The folded name of whoever has this name or alias."""
        key = name_key(name)
        return self.bearers.get(key, key)

    def names_of(self, name: str) -> frozenset[str]:
        """The folded name and aliases of whoever has this name or alias."""
        bearer = self.resolve(name)
        return frozenset((bearer, *(alias for alias, other in self.bearers.items() if other == bearer)))

    def speaker_name(self, speaker: str) -> str:
        """The name of a speaker: the owner's for their roles in captures."""
        return self.owner or speaker if speaker.casefold() in _OWNER_ROLES else speaker


class LineContext(Struct, frozen=True):
    """The surroundings of a text that decide what it means.

    `language` is a code, empty to detect it; `speaker` is who says it; `entities` are its marks, `heading` the titles
    above it. `is_talk` is true for captured messages, and false for lines that somebody wrote down.
    `names` are those of the notebook, `registry` its keys; None means the packaged ones.
    """

    language: str = ""
    speaker: str = ""
    entities: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    is_talk: bool = False
    names: NameTable = NameTable()
    registry: KeyRegistry | None = None


def build_name_table(owner: str, aliases_by_name: Iterable[tuple[str, Iterable[str]]]) -> NameTable:
    """The table of the owner's name and of names with their aliases; an alias of two names is one of neither."""
    bearers: dict[str, str] = {}
    shared: set[str] = set()
    for name, aliases in aliases_by_name:
        bearer = name_key(name)
        for alias in {name_key(alias) for alias in aliases} - {bearer, ""}:
            if bearers.setdefault(alias, bearer) != bearer:
                shared.add(alias)
    direct = {alias: bearer for alias, bearer in bearers.items() if alias not in shared}
    for alias, bearer in direct.items():
        passed = [alias]
        while bearer in direct and bearer not in passed:
            passed.append(bearer)
            bearer = direct[bearer]
        circle = passed[passed.index(bearer) :] if bearer in passed else [bearer]
        bearers[alias] = min(circle)  # a circle has the first of its names
    return NameTable(owner, {alias: bearers[alias] for alias in direct})


def resolve_subject(subject: str, speaker: str, names: NameTable) -> str:
    """The folded name of what a subject means: `I` of the speaker is the speaker, `my sister` the speaker's sister.

    An alias is its bearer, also one such as `my sister`, which the owner says; *you* said by an agent is the owner.
    Nothing else is resolved.
    """
    holder, *rest = _POSSESSIVE_PATTERN.split(subject, maxsplit=1)
    if rest:
        return f"{resolve_subject(holder, speaker, names)} {name_key(rest[0])}"
    person, tables, folded = names.speaker_name(speaker), packaged_registry().tables, fold_name(subject)
    if names.bearers and names.resolve(person) == names.resolve(names.owner):
        words = name_key(subject).split()
        for end in range(len(words), 1, -1):  # `my daughter`, or `my daughter Lena` where that is Lena
            bearer = names.bearers.get(" ".join(words[:end]), "")
            if bearer and (end == len(words) or names.resolve(" ".join(words[end:])) == bearer):
                return bearer
    folded = folded.replace("' ", "'")
    listener = names.owner if speaker.casefold() in _AGENT_ROLES else ""
    for pronouns, meant in ((tables.first_person, person), (tables.second_person, listener)):
        first, _, others = folded.partition(" ")
        if not folded.isascii() and first not in pronouns:
            first = max((one for one in pronouns if first.startswith(one) and not one.isascii()), key=len, default="")
            others = folded.removeprefix(first)
        if meant and first in pronouns:
            return f"{names.resolve(meant)} {name_key(others)}".strip()
    words = folded.split()
    while len(words) > 1 and words[0] in tables.articles:
        del words[0]
    return names.resolve(" ".join(words))
