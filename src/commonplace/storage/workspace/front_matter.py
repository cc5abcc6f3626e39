"""Front matter, header lines and closure block: what surrounds the body of a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.lazy import lazy_pattern
from commonplace.model import Category, Role
from commonplace.storage.workspace.block_scanner import Section, TextBlock
from commonplace.storage.workspace.inline import parse_tag_list
from commonplace.storage.workspace.markdown import NumberedPage
from commonplace.storage.workspace.timestamps import parse_timestamp

if TYPE_CHECKING:
    import yaml
FrontMatterValue = str | list[str]

MAX_FRONT_MATTER_CHARS = 65_536
MAX_YAML_DEPTH = 20
MAX_YAML_ALIASES = 50
# What tells of the file and not of what it is about, beside the keys that are read.
FILE_KEYS = frozenset(
    """
    alias, aliases, category, categories, confidence, created, created_at, cssclass, cssclasses, date, draft, id, kind,
    lang, language, last_modified, last_updated, layout, modified, participants, permalink, project, publish, published,
    scope, slug, source, summary, tag, tags, template, timestamp, title, trigger, type, uid, updated, updated_at, uuid,
    version
    """.replace(",", " ").split()
)
YAML_NULLS = ("~", "null", "Null", "NULL")
FRONT_MATTER_HINT = "mend the YAML between the `---` lines"


class FrontMatter(Struct):
    """The front matter: `body` is the index of the first line after it, `fields` the texts by key."""

    body: int = 0
    fields: dict[str, FrontMatterValue] = {}
    faults: list[tuple[str, int]] = []  # message, index of the line
    summary: FrontMatterPassage | None = None
    properties: list[FrontMatterPassage] = []

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


class FrontMatterPassage(Struct):
    """A text of the front matter, verbatim, and its lines."""

    text: str
    first: int
    last: int


class FrontMatterRefused(Exception):
    """Front matter that is not read any further; it never leaves this module."""


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter at the top of these lines; where it is missing, or no mapping, the body begins at once."""
    if lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((n for n, line in enumerate(lines) if n and line.rstrip() in ("---", "...")), 0)
    if not end:
        return FrontMatter(faults=[("front matter that is never closed", 0)])
    text = "\n".join(lines[1:end]).replace("\r", "") + "\n"
    if len(text) > MAX_FRONT_MATTER_CHARS:
        return FrontMatter(end + 1, faults=[(f"front matter of more than {MAX_FRONT_MATTER_CHARS} characters", 0)])
    fields = parse_flat_fields(text)
    faults: list[tuple[str, int]] = []
    if fields is None:
        fields, faults = parse_yaml_fields(text)
        first = next((line for line in lines[1:end] if line.strip()), "")
        is_meant = re.match(r"""["']?\w[\w .-]*["']?\s*:(\s|$)""", first)  # rather than text between two rules
        if fields is None or (faults and not fields and not is_meant):
            return FrontMatter(faults=faults)
    kept = [key for key, value in fields.items() if key and value and value not in YAML_NULLS]
    subjects = [key for key in kept if key.casefold().replace("-", "_") not in FILE_KEYS]
    places = _find_fields(lines, end, fields) if subjects or "summary" in kept else {}
    summary = _read_summary(lines, *places["summary"]) if "summary" in kept and "summary" in places else None
    spans = sorted(places[key] for key in subjects if key in places)
    texts = ("\n".join(lines[first : last + 1]).strip() for first, last in spans)
    properties = [FrontMatterPassage(text, *span) for text, span in zip(texts, spans, strict=True)]
    return FrontMatter(end + 1, fields, faults, summary, properties)


def parse_flat_fields(text: str) -> dict[str, FrontMatterValue] | None:
    """The fields of front matter so plain that YAML could not read it otherwise; None if a parser has to judge."""
    fields: dict[str, FrontMatterValue] = {}
    for line in text.split("\n"):
        if not line:
            continue
        found = _FLAT_FIELD_PATTERN.fullmatch(line)
        if not found or found[1] in fields:
            return None
        key, value, items = found.groups()
        if items is None:
            fields[key] = (value or "").rstrip()
        else:
            fields[key] = [item.strip() for item in items.split(",")] if items.strip() else []
    return fields


def parse_yaml_fields(text: str) -> tuple[dict[str, FrontMatterValue] | None, list[tuple[str, int]]]:
    """The texts of the top-level mapping and what is wrong with it; None for the fields if it is not a mapping."""
    root, problem = _read_yaml(text)
    if problem:
        return {}, [(f"front matter {problem[0]}", problem[1])]
    if root and not isinstance(root, tuple):
        return None, [("the front matter is not a mapping of keys to values", 0)]
    fields: dict[str, FrontMatterValue] = {}
    faults: list[tuple[str, int]] = []
    for key, line, node in root if isinstance(root, tuple) else ():
        if key in fields:
            faults.append((f"the key {key!r} twice; the first counts", line))
        elif isinstance(node, list):
            fields[key] = [text for text in node if isinstance(text, str)]
        else:
            fields[key] = node if isinstance(node, str) else ""
    return fields, faults


YamlNode = str | list[Any] | tuple[tuple[str, int, Any], ...]  # a text, nodes, or keys with their lines and nodes


def _read_yaml(text: str) -> tuple[YamlNode, tuple[str, int] | None]:
    """The node at the root of a YAML text, empty if there is none, and what is wrong with the text, with its line."""
    import yaml

    try:
        return _parse_yaml_events(yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))), None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        return "", (f"is not YAML: {error.problem or error}", line)
    except (yaml.YAMLError, FrontMatterRefused, ValueError, RecursionError, OverflowError, TypeError) as error:
        return "", (f"cannot be read: {str(error).partition(chr(10))[0]}", 0)


def _parse_yaml_events(yaml_events: Iterable[yaml.Event]) -> YamlNode:
    """The node that events of the parser spell: no object is built of a tag, and no alias expands."""
    from yaml import events

    anchors: dict[str, YamlNode] = {}
    alias_count = 0
    begun: list[events.CollectionStartEvent] = []
    nodes: list[list[tuple[YamlNode, int]]] = [[]]  # of the root and each collection that is open, with their lines
    for event in yaml_events:
        if isinstance(event, events.CollectionStartEvent):
            begun.append(event)
            nodes.append([])
            if len(begun) > MAX_YAML_DEPTH:
                raise FrontMatterRefused(f"deeper than {MAX_YAML_DEPTH} levels")
            continue
        start: Any = event
        node: YamlNode
        if isinstance(event, events.CollectionEndEvent):
            start, inner = begun.pop(), nodes.pop()
            pairs = zip(inner[::2], inner[1::2], strict=False)
            mapping = tuple((key, line, one) for (key, line), (one, _line) in pairs if isinstance(key, str))
            node = [one for one, _line in inner] if isinstance(start, events.SequenceStartEvent) else mapping
        elif isinstance(event, events.AliasEvent):
            alias_count += 1
            if alias_count > MAX_YAML_ALIASES:
                raise FrontMatterRefused(f"more than {MAX_YAML_ALIASES} aliases")
            node = anchors.get(event.anchor or "", "")
        elif isinstance(event, events.ScalarEvent):
            node = event.value
        else:
            continue
        if start.anchor:
            anchors[start.anchor] = node
        nodes[-1].append((node, start.start_mark.line + 1 if start.start_mark else 0))
    return nodes[0][0][0] if nodes[0] else ""


def _find_fields(lines: list[str], end: int, keys: Collection[str]) -> dict[str, tuple[int, int]]:
    """The first and the last line, above `end`, of each of the keys with its value."""
    begins: list[tuple[int, str]] = []
    for n, line in enumerate(lines[1:end], 1):
        quote = line[0] if line[:1] in ('"', "'") else ""
        key = line[1:].partition(quote)[0] if quote else line.partition(":")[0].strip()
        if line[:1] not in ("", " ", "\t", "#") and key and key in keys:
            begins.append((n, key))
    places: dict[str, tuple[int, int]] = {}
    for (first, key), (after, _key) in pairwise([*begins, (end, "")]):
        last = next(n for n in range(after - 1, first - 1, -1) if lines[n].strip() and lines[n][0] != "#")
        places.setdefault(key, (first, last))
    return places


def _read_summary(lines: list[str], first: int, last: int) -> FrontMatterPassage | None:
    """The value of `summary` as it is in its lines, quotes and block marks aside."""
    head = lines[first].partition(":")[2]
    is_block = head.strip()[:1] in (">", "|") and last > first
    text = "\n".join((*([] if is_block else [head]), *lines[first + 1 : last + 1])).strip()
    quote = text[:1] if text[:1] in ("'", '"') and not is_block else ""
    if quote:
        text = text[1:].rpartition(quote)[0]
    elif " #" in text and not is_block:
        text = text.partition(" #")[0].rstrip()
    return FrontMatterPassage(text, first, last) if text else None


_FLAT_VALUE = r"""[^\W_](?:[\w .,;/()'"=+~?!@%$-]|:(?=[^\s]))*"""
_FLAT_ITEM = r"[^\W_][\w ./()'+~@%$-]*"
# One line `key: value` or `key: [a, b]` whose values are plain scalars by any reading of YAML.
_FLAT_FIELD_PATTERN = lazy_pattern(
    rf"([^\W\d][\w-]{{0,60}}):(?: +(?:({_FLAT_VALUE})|\[((?: *{_FLAT_ITEM}(?:, *{_FLAT_ITEM})*)?)\]) *| *)"
)
HEADER_LINES = 5
DEFAULT_TITLES: dict[Role, str] = {"core": "Agent Memory", "buffer": "Working Buffer"}
CLOSURE_KEYS: tuple[tuple[str, Category | None], ...] = (
    ("Updated:", None),
    ("Decisions:", "decision"),
    ("Signal:", "lesson"),
    ("Open:", "plan"),
)
EMPTY_CLOSURE_VALUES = frozenset({"", "none", "none.", "-", "–", "—", "n/a", "nothing"})


def read_frame(page: NumberedPage, first: int, role: Role) -> tuple[tuple[str, ...], int, list[TextBlock]]:
    """The tags of the file whose body begins at the line `first`, where its body ends, and the lines of its closure
    block that say something. What frames the body is blanked, so that the scanner passes it over."""
    tags: tuple[str, ...] = ()
    for number in range(first, min(first + HEADER_LINES, len(page.lines))):
        body = page.lines[number].strip()
        if body.startswith(("```", "~~~")):
            break
        if body[:6].lower() == "#tags:":
            tags += parse_tag_list(body[6:])
        elif not _is_date_header(page, number, body) and not (
            role == "buffer" and body.startswith(("created:", "last_active:"))
        ):
            continue
        page.lines[number] = ""
    end, closure = read_closure(page.lines, first)
    return tuple(dict.fromkeys(tags)), end, closure


def _is_date_header(page: NumberedPage, number: int, body: str) -> bool:
    key, colon, value = body.lstrip("> ").partition(":")
    if not colon or key not in ("last_verified", "last_updated"):
        return False
    if len(parse_timestamp(value)) < len("2025-11-27"):
        message = f"`{key}` is not a date: {value.strip()[:40]!r}"
        page.add_problem("bad-last-verified", message, number, "write YYYY-MM-DD")
    return True


def read_closure(lines: list[str], first: int) -> tuple[int, list[TextBlock]]:
    """The line on which the closure block begins (without one the number of lines), and its lines with a value."""
    number = len(lines)
    found: list[TextBlock] = []
    for key, category in reversed(CLOSURE_KEYS):
        number -= 1
        while number >= first and not lines[number].strip():
            number -= 1
        if number < first or not lines[number].startswith(key):
            return len(lines), []
        value = lines[number].removeprefix(key).strip()
        if category and value.lower() not in EMPTY_CLOSURE_VALUES:
            found.append(TextBlock("keyvalue", number, number, 0, Section(), category=category))
    return number, found[::-1]


class YamlEntry(Struct, frozen=True):
    """One key of a YAML file on its line, with its texts: a list, or lists by key."""

    key: str
    line: int
    value: list[str] | dict[str, list[str]]


def parse_yaml_entries(data: bytes) -> tuple[list[YamlEntry], list[tuple[str, int]]]:
    """The keys of a YAML file, with texts, lists of texts, or mappings of these; and what is wrong, with its line."""
    if not data.strip():
        return [], []
    root, problem = _read_yaml(data[:MAX_FRONT_MATTER_CHARS].decode("utf-8-sig", "replace"))
    if problem:
        return [], [(problem[0].removeprefix("is "), problem[1])]
    if not isinstance(root, tuple):
        return [], [("not a mapping of keys to values", 1)] if root else []
    entries: dict[str, YamlEntry] = {}
    faults: list[tuple[str, int]] = []
    for name, line, node in root:
        key = name.strip()
        value: list[str] | dict[str, list[str]] = _yaml_texts(node)
        if isinstance(node, tuple):
            value = {inner: _yaml_texts(one) for inner, _line, one in node}
        if not value or key in entries:
            faults.append((f"the key {key!r} twice, or without a value", line))
        else:
            entries[key] = YamlEntry(key, line, value)
    return [*entries.values()], faults


def _yaml_texts(node: YamlNode) -> list[str]:
    """The texts of a scalar, split at commas, or of a list of scalars."""
    return [
        text
        for one in (node.split(",") if isinstance(node, str) else node)
        if isinstance(one, str) and (text := one.strip())
    ]
