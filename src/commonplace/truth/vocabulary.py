"""Names and keys: who a subject is, what stands around a line, and what a notebook declares of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import get_args

from msgspec import Struct, structs

from commonplace.extract.key_registry import KeyDefinition, KeyRegistry, ValueKind, packaged_registry
from commonplace.language.text import fold_name, name_key
from commonplace.lazy import lazy_pattern
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.settings import Settings

_OWNER_ROLES = frozenset(("", "owner", "user", "human", "me"))  # what captures call the owner
_AGENT_ROLES = frozenset(("agent", "assistant"))
_POSSESSIVE_PATTERN = lazy_pattern(r"['’]s?\s+")
ALIASES_PATH, PREDICATES_PATH, OWNER_PATH = "memory/aliases.yaml", "memory/predicates.yaml", "USER.md"
_OWNER_PATTERN = lazy_pattern(rb"(?m)^[-*+\s]*\**name\**:\**[ \t]*([^\s_(\[*<][^\r\n]{0,60})", 2)
FIELD_VALUES: dict[str, tuple[str, ...]] = {"values": ("one", "many"), "kind": get_args(ValueKind)}
AliasesByName = dict[str, tuple[str, ...]]


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
    """The surroundings of a text that decide what it means: its language (empty to detect it), who says it, its marks,
    the titles above it, whether it is a captured message (`is_talk`) or was written down, and the names and keys of the
    notebook (None: the packaged ones)."""

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
    """The folded name of what a subject means: `I` of the speaker is the speaker, `my sister` the speaker's sister, an
    alias its bearer, also one such as `my sister` that the owner says; *you* said by an agent is the owner."""
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


class Vocabulary(Struct, frozen=True, eq=False):
    """The names and keys of a notebook, the `aliases` and problems in its files of them, and the language of its lines;
    `fingerprint` differs wherever lines could be read otherwise."""

    names: NameTable = NameTable()
    registry: KeyRegistry | None = None
    aliases: AliasesByName = {}
    problems: tuple[Problem, ...] = ()
    language: str = "auto"
    fingerprint: str = ""


def read_vocabulary(
    read: Callable[[str], bytes | None], settings: Settings, pages: tuple[tuple[str, tuple[str, ...]], ...]
) -> Vocabulary:
    """The vocabulary of a notebook: `read` gives the bytes of a file, `pages` are the names and aliases of entities."""
    owner, declared = find_owner(read, settings), (read(ALIASES_PATH) or b"", read(PREDICATES_PATH) or b"")
    return _parse_vocabulary(owner, *declared, pages=pages, language=settings.language)


@lru_cache(2)  # every sync asks
def _parse_vocabulary(
    owner: str,
    declared_aliases: bytes,
    declared_keys: bytes,
    *,
    pages: tuple[tuple[str, tuple[str, ...]], ...],
    language: str,
) -> Vocabulary:
    from commonplace.storage.workspace import parse_yaml_entries

    entries, faults = parse_yaml_entries(declared_aliases)
    aliases, bearers = {one.key: tuple(one.value) for one in entries if isinstance(one.value, list)}, dict[str, str]()
    for entry in entries:
        if not isinstance(entry.value, list):
            faults.append((f"the aliases of {entry.key!r} must be a list", entry.line))
            continue
        for alias in entry.value:
            if (other := bearers.setdefault(name_key(alias), entry.key)) != entry.key:
                faults.append((f"{alias!r} is an alias of {other!r} and {entry.key!r}, so of neither", entry.line))
    registry, key_faults = _read_keys(declared_keys)
    groups = [*pages, *aliases.items(), *([(owner, ("owner",))] if owner else [])]
    folded = sorted((name, sorted(set(map(name_key, others)))) for name, others in groups if others)
    said = repr((owner, folded, declared_keys))
    problems = tuple(
        Problem("bad-vocabulary", message, path, line, "see docs/format.md, section 13")
        for path, found in ((ALIASES_PATH, faults), (PREDICATES_PATH, key_faults))
        for message, line in found
    )
    names, fingerprint = build_name_table(owner, groups), files.content_digest(said.encode())
    return Vocabulary(names, registry, aliases, problems, language, fingerprint)


def find_owner(read: Callable[[str], bytes | None], settings: Settings) -> str:
    """The name of the owner: the setting, else `Name:` in `USER.md`; empty if there is neither."""
    name = None if settings.owner else _OWNER_PATTERN.search(read(OWNER_PATH) or b"")
    return name[1].decode("utf-8", "replace").strip(" *") if name else settings.owner


def _read_keys(overrides: bytes) -> tuple[KeyRegistry, list[tuple[str, int]]]:
    """The packaged registry with the keys of a `predicates.yaml`, and its problems by line; the rest is read."""
    from commonplace.storage.workspace import parse_yaml_entries

    packaged = packaged_registry()
    entries, faults = parse_yaml_entries(overrides)
    keys: dict[str, KeyDefinition] = {}
    for entry in entries:
        key = packaged.find(entry.key)
        declared = packaged.tables.keys.get(key, KeyDefinition())
        fields = entry.value if isinstance(entry.value, dict) else {}
        if not fields:
            faults.append((f"the key {entry.key!r} has none of the fields `values`, `kind` and `aliases`", entry.line))
        for field, texts in fields.items():
            if field == "aliases":
                declared = structs.replace(declared, aliases={**declared.aliases, "": tuple(texts)})
            elif texts and texts[0] in FIELD_VALUES.get(field, ()):
                declared = structs.replace(declared, **{field: texts[0]})
            else:
                allowed = " or ".join(FIELD_VALUES.get(field, ()))
                is_wrong = f"must be {allowed}, not {', '.join(texts)!r}" if allowed else "is no field of a key"
                faults.append((f"`{field}` of the key {entry.key!r} {is_wrong}", entry.line))
        keys[key or "_".join(entry.key.casefold().split())] = declared
    return packaged.with_keys(keys) if keys else packaged, faults
