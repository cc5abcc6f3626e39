"""Front matter: the few keys that are used, read as texts under caps, with every fault a value."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import yaml

Value = str | list[str]

MOST_CHARACTERS = 65_536
MOST_DEPTH = 20
MOST_ALIASES = 50
# What tells of the file and not of what it is about, beside the keys that are read.
OF_THE_FILE = frozenset(
    """
    alias, aliases, category, categories, confidence, created, created_at, cssclass, cssclasses, date, draft, id, kind,
    lang, language, last_modified, last_updated, layout, modified, participants, permalink, project, publish, published,
    scope, slug, source, summary, tag, tags, template, timestamp, title, trigger, type, uid, updated, updated_at, uuid,
    version
    """.strip()
    .replace("\n    ", " ")
    .split(", ")
)
NOTHING = ("~", "null", "Null", "NULL")
HINT = "mend the YAML between the `---` lines"


class FrontMatter(Struct):
    """What was read: `body` is the index of the first line after it, `fields` the texts by key."""

    body: int = 0
    fields: dict[str, Value] = {}
    faults: list[tuple[str, int]] = []  # message, index of the line
    summary: Passage | None = None
    properties: list[Passage] = []

    def text(self, *keys: str) -> str:
        """The first of these keys that holds a text."""
        values = (self.fields.get(key) for key in keys)
        return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")

    def texts(self, *keys: str) -> tuple[str, ...]:
        """The values of the first of these keys that holds any: a list as it is, a text split at commas."""
        for key in keys:
            value = self.fields.get(key, "")
            parts = value.split(",") if isinstance(value, str) else value
            found = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
            if found:
                return found
        return ()


class Passage(Struct):
    """A text of the front matter, verbatim, and the lines it stands on."""

    text: str
    first: int
    last: int


class Refused(Exception):
    """Front matter that is not read any further; it never leaves this module."""


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter at the top of these lines; where there is none, or it is no mapping, the body begins at once."""
    if lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((n for n, line in enumerate(lines) if n and line.rstrip() in ("---", "...")), 0)
    if not end:
        return FrontMatter(faults=[("front matter that is never closed", 0)])
    text = "\n".join(lines[1:end]).replace("\r", "") + "\n"
    if len(text) > MOST_CHARACTERS:
        return FrontMatter(end + 1, faults=[(f"front matter of more than {MOST_CHARACTERS} characters", 0)])
    fields = flat_fields(text)
    faults: list[tuple[str, int]] = []
    if fields is None:
        fields, faults = yaml_fields(text)
        if fields is None or (faults and not fields and not _begins_with_key(lines[1:end])):
            return FrontMatter(faults=faults)
    summary = _summary(lines, end) if fields.get("summary") else None
    return FrontMatter(end + 1, fields, faults, summary, _properties(lines, end, fields))


def flat_fields(text: str) -> dict[str, Value] | None:
    """The fields of front matter so plain that YAML could not read it otherwise; None if a parser has to judge."""
    fields: dict[str, Value] = {}
    for line in text.split("\n"):
        if not line:
            continue
        found = _plain().fullmatch(line)
        if not found or found[1] in fields:
            return None
        key, value, items = found.groups()
        if items is None:
            fields[key] = (value or "").rstrip()
        else:
            fields[key] = [item.strip() for item in items.split(",")] if items.strip() else []
    return fields


def yaml_fields(text: str) -> tuple[dict[str, Value] | None, list[tuple[str, int]]]:
    """The texts of the top-level mapping and what is wrong with it; None for the fields if it is no mapping."""
    import yaml

    reader = _Reader()
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        return {}, [(f"front matter is not YAML: {error.problem or error}", line)]
    except (yaml.YAMLError, Refused, ValueError, RecursionError, OverflowError, TypeError) as error:
        return {}, [(f"front matter cannot be read: {str(error).partition(chr(10))[0]}", 0)]
    if reader.no_mapping:
        return None, [("front matter that holds no mapping of keys to values", 0)]
    return reader.fields, reader.faults


class _Reader:
    """Collects the top-level keys from the parser's events, so that nothing is built and nothing expands."""

    def __init__(self) -> None:
        self.fields: dict[str, Value] = {}
        self.faults: list[tuple[str, int]] = []
        self.no_mapping = False
        self._depth = self._aliases = 0
        self._key: str | None = None
        self._list: list[str] = []  # the list that is being read; one that nobody keeps in a nested mapping
        self._anchors: dict[str, Value] = {}

    def take(self, event: yaml.Event) -> None:
        """One event of the parser."""
        from yaml import events

        if isinstance(event, events.AliasEvent):
            self._aliases += 1
            if self._aliases > MOST_ALIASES:
                raise Refused(f"more than {MOST_ALIASES} aliases")
            self._value(self._anchors.get(event.anchor or "", ""), event)
        elif isinstance(event, events.ScalarEvent):
            if event.anchor:
                self._anchors[event.anchor] = event.value
            self._value(event.value, event)
        elif isinstance(event, events.CollectionStartEvent):
            self._open(event, isinstance(event, events.SequenceStartEvent))
        elif isinstance(event, events.CollectionEndEvent):
            self._close()

    def _open(self, event: yaml.CollectionStartEvent, sequence: bool) -> None:
        if self._depth == 0:
            self.no_mapping |= sequence
        elif self._depth == 1:
            if self._key is None:  # a collection as a key: its value is passed over
                self._key = ""
                self._list = []
            else:
                self._list = self._put([]) if sequence else self._put("")
                if event.anchor:
                    self._anchors[event.anchor] = self._list
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise Refused(f"deeper than {MOST_DEPTH} levels")

    def _close(self) -> None:
        self._depth -= 1

    def _value(self, value: Value, event: yaml.Event) -> None:
        if self._depth == 0:
            self.no_mapping |= bool(value)
        elif self._depth == 2 and isinstance(value, str):
            self._list.append(value)
        elif self._depth == 1 and self._key is None:
            self._key = value if isinstance(value, str) else ""
            self._note_twice(event)
        elif self._depth == 1:
            self._put(value)

    def _note_twice(self, event: yaml.Event) -> None:
        if self._key in self.fields:
            line = event.start_mark.line + 1 if event.start_mark else 0
            self.faults.append((f"the key {self._key!r} twice; the first counts", line))

    def _put(self, value: Value) -> list[str]:
        """Keep a value under its key; a list is returned, to be filled."""
        key, self._key = self._key or "", None
        kept = self.fields.setdefault(key, value)
        return value if isinstance(value, list) and kept is value else []


def _begins_with_key(lines: list[str]) -> bool:
    """Whether this was meant to be front matter, rather than text between two rules."""
    first = next((line for line in lines if line.strip()), "")
    return re.match(r"""["']?\w[\w .-]*["']?\s*:(\s|$)""", first) is not None


def _properties(lines: list[str], end: int, fields: dict[str, Value]) -> list[Passage]:
    """The keys above `end` that say something of what the file is about, each with the lines of its value."""
    kept = {key for key, value in fields.items() if value and value not in NOTHING}
    wanted = {key for key in kept if key and key.casefold().replace("-", "_") not in OF_THE_FILE}
    if not wanted:
        return []
    keys = [(n, _key_of(lines[n])) for n in range(1, end)]
    begins = [(n, key) for n, key in keys if key and key in fields]
    found: list[Passage] = []
    for (first, key), (after, _key) in pairwise([*begins, (end, "")]):
        if key not in wanted:
            continue
        wanted.discard(key)
        last = next(n for n in range(after - 1, first - 1, -1) if lines[n].strip() and lines[n][0] != "#")
        found.append(Passage("\n".join(lines[first : last + 1]).strip(), first, last))
    return found


def _key_of(line: str) -> str:
    """The key that a line of the top level begins with."""
    if line[:1] in ("", " ", "\t", "#"):
        return ""
    return line[1:].partition(line[0])[0] if line[0] in "\"'" else line.partition(":")[0].strip()


def _summary(lines: list[str], end: int) -> Passage | None:
    """The value of `summary` as it stands in the lines above `end`, quotes and block marks aside."""
    first = next((n for n in range(1, end) if lines[n].startswith("summary:")), 0)
    if not first:
        return None
    last = first
    while last + 1 < end and (not lines[last + 1].strip() or lines[last + 1][0] in " \t"):
        last += 1
    while last > first and not lines[last].strip():
        last -= 1
    value = lines[first].removeprefix("summary:").strip()
    if value[:1] in (">", "|") and last > first:
        return Passage("\n".join(lines[first + 1 : last + 1]).strip(), first, last)
    text = "\n".join((lines[first].removeprefix("summary:"), *lines[first + 1 : last + 1])).strip()
    quote = text[:1] if text[:1] in ("'", '"') else ""
    if quote:
        text = text[1:].rpartition(quote)[0]
    elif " #" in text:
        text = text.partition(" #")[0].rstrip()
    return Passage(text, first, last) if text else None


@cache
def _plain() -> re.Pattern[str]:
    """One line `key: value` or `key: [a, b]` whose values are plain scalars by any reading of YAML."""
    value = r"""[^\W_](?:[\w .,;/()'"=+~?!@%$-]|:(?=[^\s]))*"""
    item = r"[^\W_][\w ./()'+~@%$-]*"
    return re.compile(rf"([^\W\d][\w-]{{0,60}}):(?: +(?:({value})|\[((?: *{item}(?:, *{item})*)?)\]) *| *)")
