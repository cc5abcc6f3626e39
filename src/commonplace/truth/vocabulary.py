"""What a notebook declares of names and keys: its owner, the aliases of its entities, keys of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from msgspec import Struct, structs

from commonplace.extract import KeyDefinition, KeyRegistry, ValueKind, packaged_registry
from commonplace.language.text import name_key
from commonplace.lazy import lazy_pattern
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.settings import Settings
from commonplace.storage.workspace import YamlEntry, parse_yaml_entries
from commonplace.truth.names import NameTable, build_name_table

ALIASES_PATH, PREDICATES_PATH, OWNER_PATH = "memory/aliases.yaml", "memory/predicates.yaml", "USER.md"
_OWNER_PATTERN = lazy_pattern(rb"(?m)^[-*+\s]*\**name\**:\**[ \t]*([^\s_(\[*<][^\r\n]{0,60})", 2)
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
    read: Callable[[str], bytes | None], settings: Settings, pages: Iterable[tuple[str, Sequence[str]]]
) -> Vocabulary:
    """The vocabulary of a notebook: `read` gives the bytes of a file if it exists; `pages` are the names and aliases
    of the pages of entities."""
    owner, declared_keys = find_owner(read, settings), read(PREDICATES_PATH) or b""
    entries, faults = parse_yaml_entries(read(ALIASES_PATH) or b"")
    aliases = {one.key: tuple(one.value) for one in entries if isinstance(one.value, list)}
    nested = [("the aliases of a name are a list", one.line) for one in entries if not isinstance(one.value, list)]
    problems = [_problem(ALIASES_PATH, message, line) for message, line in [*faults, *nested]]
    registry, key_problems = load_key_registry(declared_keys)
    groups = [*pages, *aliases.items(), *([(owner, ("owner",))] if owner else [])]
    folded = sorted((name, sorted(set(map(name_key, others)))) for name, others in groups if others)
    said = repr((owner, folded, declared_keys))
    return Vocabulary(
        build_name_table(owner, groups),
        registry,
        aliases,
        (*problems, *key_problems),
        settings.language,
        files.content_digest(said.encode()),
    )


def find_owner(read: Callable[[str], bytes | None], settings: Settings) -> str:
    """The name of the owner: the setting, else `Name:` in `USER.md`; empty if there is neither."""
    name = None if settings.owner else _OWNER_PATTERN.search(read(OWNER_PATH) or b"")
    return name[1].decode("utf-8", "replace").strip(" *") if name else settings.owner


def load_key_registry(overrides: bytes) -> tuple[KeyRegistry, tuple[Problem, ...]]:
    """The packaged registry with the keys of a `predicates.yaml`, and what is wrong in it; the rest is read."""
    packaged = packaged_registry()
    entries, faults = parse_yaml_entries(overrides)
    keys: dict[str, KeyDefinition] = {}
    for entry in entries:
        known = packaged.tables.keys.get(packaged.find(entry.key))
        key = packaged.find(entry.key) if known else "_".join(entry.key.casefold().split())
        keys[key], wrong = _read_definition(entry, known or KeyDefinition())
        faults += [(f"{message} of the key {entry.key!r}", entry.line) for message in wrong]
    problems = tuple(_problem(PREDICATES_PATH, message, line) for message, line in faults)
    return packaged.with_keys(keys) if keys else packaged, problems


def _read_definition(entry: YamlEntry, declared: KeyDefinition) -> tuple[KeyDefinition, list[str]]:
    """A definition with what an entry declares in place of what was declared before, and what is wrong in it."""
    if not isinstance(entry.value, dict):
        return declared, ["no fields `values`, `kind`, `aliases`"]
    wrong: list[str] = []
    for field, texts in entry.value.items():
        if field == "aliases":
            declared = structs.replace(declared, aliases={**declared.aliases, "": tuple(texts)})
        elif (
            field in ("values", "kind")
            and texts
            and texts[0] in (("one", "many") if field == "values" else get_args(ValueKind))
        ):
            declared = structs.replace(declared, **{field: texts[0]})
        else:
            wrong.append(f"unreadable field `{field}`")
    return declared, wrong


def _problem(path: str, message: str, line: int) -> Problem:
    return Problem("bad-vocabulary", message, path, line, "see docs/format.md, section 13")
