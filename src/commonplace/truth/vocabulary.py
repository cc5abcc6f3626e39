"""What a notebook declares of names and keys: its owner, the aliases of its entities, keys of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import get_args

from msgspec import Struct, structs

from commonplace.extract import KeyDefinition, KeyRegistry, ValueKind, packaged_registry
from commonplace.language.text import name_key
from commonplace.lazy import lazy_pattern
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.settings import Settings
from commonplace.storage.workspace import parse_yaml_entries
from commonplace.truth.names import NameTable, build_name_table

ALIASES_PATH, PREDICATES_PATH, OWNER_PATH = "memory/aliases.yaml", "memory/predicates.yaml", "USER.md"
_OWNER_PATTERN = lazy_pattern(rb"(?m)^[-*+\s]*\**name\**:\**[ \t]*([^\s_(\[*<][^\r\n]{0,60})", 2)
FIELD_VALUES: dict[str, tuple[str, ...]] = {"values": ("one", "many"), "kind": get_args(ValueKind)}
AliasesByName = dict[str, tuple[str, ...]]


class Vocabulary(Struct, frozen=True, eq=False):
    """The names and keys of a notebook, the problems in its files of them, and the language of its lines.

    `aliases` are those of `memory/aliases.yaml`; `fingerprint` differs wherever lines could be read otherwise.
    """

    names: NameTable = NameTable()
    registry: KeyRegistry | None = None
    aliases: AliasesByName = {}
    problems: tuple[Problem, ...] = ()
    language: str = "auto"
    fingerprint: str = ""


def read_vocabulary(
    read: Callable[[str], bytes | None], settings: Settings, pages: tuple[tuple[str, tuple[str, ...]], ...]
) -> Vocabulary:
    """The vocabulary of a notebook: `read` gives the bytes of a file if it exists; `pages` are the names and aliases
    of the pages of entities."""
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
    entries, faults = parse_yaml_entries(declared_aliases)
    aliases = {one.key: tuple(one.value) for one in entries if isinstance(one.value, list)}
    bearers: dict[str, str] = {}
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
    """The packaged registry with the keys of a `predicates.yaml`, and what is wrong in it, by line; the rest is
    read."""
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
