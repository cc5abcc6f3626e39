"""Parses JSON and JSON5 with offsets, and inserts, replaces or removes one value; every other byte stays."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from msgspec import Struct

from commonplace.errors import BadHostFile
from commonplace.shapes import repair_text

MAX_DEPTH = 200  # nested values; a configuration has a dozen

_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_BLANK = re.compile(rf"(?:[{_SPACE}]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4})+")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_STRING = {
    '"': re.compile(r'"(?:[^"\\\n\r]|\\(?:\r\n|.))*"', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\\n\r]|\\(?:\r\n|.))*'", re.DOTALL),
}
_PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_LINE_ENDS = ("\n", "\r\n", "\r", "\u2028", "\u2029")
DEFAULT_INDENT = "  "  # one step of indentation where the text shows none
_LITERALS = {"true": True, "false": False, "null": None}


class Json5Item(Struct, frozen=True):
    """One member of an object or element of an array: where it begins, its value, where its comma is (-1: none)."""

    key: str
    start: int
    node: Json5Node
    comma: int = -1


class Json5Node(Struct, frozen=True):
    """One value: where it begins and ends, and what is in it; `kind` is `object`, `array` or `scalar`."""

    kind: str
    start: int
    end: int
    scalar: Any = None
    items: tuple[Json5Item, ...] = ()

    def member(self, key: str) -> Json5Node | None:
        """The value of this key; of two the later one, as the hosts read it."""
        found = [item.node for item in self.items if item.key == key] if self.kind == "object" else []
        return found[-1] if found else None

    def find(self, pointer: tuple[str, ...]) -> Json5Node | None:
        """The value at the end of these keys; None if there is none."""
        node: Json5Node | None = self
        for key in pointer:
            node = node.member(key) if node is not None else None
        return node

    def value(self) -> Any:
        """The value, as dicts, lists and scalars."""
        if self.kind == "object":
            return {item.key: item.node.value() for item in self.items}
        return [item.node.value() for item in self.items] if self.kind == "array" else self.scalar


def parse_json5(text: str, path: str = "") -> Json5Node:
    """The one value of a JSON or JSON5 text. Raises BadHostFile with the line at which it breaks."""
    try:
        return _parse_json5_cached(text)
    except _Json5SyntaxError as broken:
        offset, reason = broken.args
        line = text.count("\n", 0, offset) + 1
        hint = "nothing was changed; correct the file, then repeat"
        raise BadHostFile(f"{path!r} is not valid JSON5: {reason}", path=path, line=line, hint=hint) from None


class _Json5SyntaxError(Exception):
    """Raised with the offset at which the text breaks, and the reason."""


@lru_cache(maxsize=4)  # an edit asks for the same text several times, and such files can be large
def _parse_json5_cached(text: str) -> Json5Node:
    reader = _Json5Parser(text)
    node = reader.parse_value(reader.skip_blank(0), 0)
    if reader.skip_blank(node.end) != len(text):
        raise _Json5SyntaxError(reader.skip_blank(node.end), "there is something after the value")
    return node


class _Json5Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def skip_blank(self, offset: int) -> int:
        """Past blanks and comments."""
        found = _BLANK.match(self.text, offset)
        return found.end() if found else offset

    def parse_value(self, offset: int, depth: int) -> Json5Node:
        first = self.text[offset : offset + 1]
        if depth > MAX_DEPTH:
            raise _Json5SyntaxError(offset, f"it is nested deeper than {MAX_DEPTH} values")
        if first in ("{", "["):
            return self.parse_container(offset, depth, "}" if first == "{" else "]")
        if first in _STRING:
            said, end = self.parse_string(offset)
            return Json5Node("scalar", offset, end, said)
        number = _NUMBER.match(self.text, offset)
        found = number or _NAME.match(self.text, offset)
        if found is None:
            raise _Json5SyntaxError(offset, "a value is missing" if first else "it ends too early")
        word = found.group()
        if number is None and word not in _LITERALS:
            raise _Json5SyntaxError(offset, f"{word[:40]!r} is no value")
        return Json5Node("scalar", offset, found.end(), _parse_json5_number(word) if number else _LITERALS[word])

    def parse_container(self, offset: int, depth: int, closing: str) -> Json5Node:
        items: list[Json5Item] = []
        here = self.skip_blank(offset + 1)
        while self.text[here : here + 1] != closing:
            key, inner = self.parse_key(here) if closing == "}" else ("", here)
            node = self.parse_value(inner, depth + 1)
            behind = self.skip_blank(node.end)
            comma = behind if self.text[behind : behind + 1] == "," else -1
            items.append(Json5Item(key, here, node, comma))
            here = self.skip_blank(behind + 1) if comma >= 0 else behind
            if comma < 0 and self.text[here : here + 1] != closing:
                raise _Json5SyntaxError(here, f"a comma or {closing!r} is missing")
        return Json5Node("object" if closing == "}" else "array", offset, here + 1, None, tuple(items))

    def parse_key(self, offset: int) -> tuple[str, int]:
        if self.text[offset : offset + 1] in _STRING:
            key, end = self.parse_string(offset)
        else:
            found = _NAME.match(self.text, offset)
            if found is None:
                raise _Json5SyntaxError(offset, "a key is missing" if offset < len(self.text) else "it ends too early")
            key, end = _unescape_string(found.group()), found.end()
        colon = self.skip_blank(end)
        if self.text[colon : colon + 1] != ":":
            raise _Json5SyntaxError(colon, f"a colon is missing after the key {key!r}")
        return key, self.skip_blank(colon + 1)

    def parse_string(self, offset: int) -> tuple[str, int]:
        found = _STRING[self.text[offset]].match(self.text, offset)
        if found is None:
            raise _Json5SyntaxError(offset, "a text is not closed")
        return _unescape_string(found.group()[1:-1]), found.end()


def _parse_json5_number(word: str) -> int | float:
    sign, digits = (-1 if word[0] == "-" else 1), word.lstrip("+-")
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits, 16)
    if digits.isdigit():
        return sign * int(digits) if len(digits) < 400 else float(word)
    return sign * float({"Infinity": "inf", "NaN": "nan"}.get(digits, digits))


def _unescape_string(raw: str) -> str:
    return repair_text(_ESCAPE.sub(_replace_escape, raw)) if "\\" in raw else raw


def _replace_escape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    return "" if match[3] in _LINE_ENDS else _PLAIN_ESCAPES.get(match[3], match[3])


def insert_item(text: str, container: Json5Node, key: str, json_value: Any) -> str:
    """The text with one more member (`key` is its name) or element (`key` is empty) at the end of a container."""
    root, newline, closing = parse_json5(text), _detect_line_ending(text), container.end - 1
    lines = "\n" in text[root.start : root.end] or (root.start == container.start and not container.items)
    indent = _find_item_indent(text, root, container)
    if not container.items:  # it may hold comments
        new = _render_item(text, key, json_value, indent if lines else None)
        inner = text[container.start + 1 : closing]
        last_line = inner.rpartition("\n")[2]
        if "\n" in inner and not last_line.strip():
            at = closing - len(last_line)
            return text[:at] + indent + new + newline + text[at:]
        if "\n" in new or "\n" in inner or indent:
            new = newline + indent + new + newline + _find_line_indent(text, container.start)
        return text[:closing] + new + text[closing:]
    last = container.items[-1]
    comma = "," if last.comma >= 0 else ""
    end = last.comma + 1 if comma else last.node.end
    tail = text[end:closing]
    if "\n" in tail and not tail.rpartition("\n")[2].strip():
        at = closing - len(tail.rpartition("\n")[2])
        line = indent + _render_item(text, key, json_value, indent) + comma + newline
        return text[:end] + ("" if comma else ",") + text[end:at] + line + text[at:]
    own_line = not text[text.rfind("\n", 0, last.start) + 1 : last.start].strip() and lines
    gap = newline + indent if own_line else " "
    new = gap + _render_item(text, key, json_value, indent if own_line else None)
    return text[:end] + (f"{new}," if comma else f",{new}") + text[end:]


def replace_node(text: str, node: Json5Node, raw: str) -> str:
    """The text with other characters in a value's place."""
    return text[: node.start] + raw + text[node.end :]


def render_value(text: str, node: Json5Node, json_value: Any) -> str:
    """A value as it would be written in this node's place."""
    root = parse_json5(text)
    indent = _find_line_indent(text, node.start) if "\n" in text[root.start : root.end] else None
    return _render_item(text, "", json_value, indent)


def remove_item(text: str, container: Json5Node, position: int) -> str:
    """The text without one item of a container: with its line where it has one, with one comma, with no more."""
    item = container.items[position]
    before = container.items[position - 1] if position else None
    is_last = position == len(container.items) - 1
    kept = text[: item.start]
    if before and before.comma >= 0 and is_last and item.comma < 0:
        kept = text[: before.comma] + text[before.comma + 1 : item.start]
    end = item.comma + 1 if item.comma >= 0 else item.node.end
    start_of_line, newline = text.rfind("\n", 0, item.start) + 1, _detect_line_ending(text)
    if not text[start_of_line : item.start].strip() and text.startswith(newline, end):
        return kept[: len(kept) - (item.start - start_of_line)] + text[end + len(newline) :]
    if before and not text[before.comma + 1 : item.start].strip():
        return text[: before.comma if item.comma < 0 else before.comma + 1] + text[end:]
    if item.comma >= 0 and not is_last:
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    return kept + text[end:]


def find_position(container: Json5Node, key: str, json_value: Any = None) -> int:
    """The position of a key in a container, or of an element that equals the value; -1 if it is not there."""
    if container.kind == "object":
        return max((n for n, item in enumerate(container.items) if item.key == key), default=-1)
    elements = container.items if container.kind == "array" else ()
    return next((n for n, item in enumerate(elements) if item.node.value() == json_value), -1)


def _find_item_indent(text: str, root_node: Json5Node, container: Json5Node) -> str:
    """The indentation of the items of a container, existing or new; empty in a text of one line."""
    if container.items:
        first = text[text.rfind("\n", 0, container.items[0].start) + 1 : container.items[0].start]
        if not first.strip():
            return first
    is_empty_root = root_node.start == container.start and not container.items
    if "\n" not in text[root_node.start : root_node.end] and not is_empty_root:
        return ""
    return _find_line_indent(text, container.start) + _find_indent_unit(text, root_node)


def _find_line_indent(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_indent_unit(text: str, root_node: Json5Node) -> str:
    """One step of indentation, as the first item that is on a line of its own shows it."""
    leads = (text[text.rfind("\n", 0, item.start) + 1 : item.start] for item in root_node.items)
    return next((lead for lead in leads if lead and not lead.strip(" \t")), DEFAULT_INDENT)


def _render_item(text: str, key: str, json_value: Any, indent: str | None) -> str:
    """A member or element as JSON: on lines of its own below `indent`, or on one line where that is None."""
    name = json.dumps(key, ensure_ascii=False) + ": " if key else ""
    if indent is None:
        return name + json.dumps(json_value, ensure_ascii=False)
    lines = json.dumps(json_value, ensure_ascii=False, indent=_find_indent_unit(text, parse_json5(text))).split("\n")
    return name + (_detect_line_ending(text) + indent).join(lines)


def _detect_line_ending(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def list_nodes_on_path(root_node: Json5Node, pointer: tuple[str, ...]) -> list[Json5Node]:
    """The values on the way along these keys, the root first, as far as they are there."""
    way = [root_node]
    for key in pointer:
        below = way[-1].member(key)
        if below is None:
            break
        way.append(below)
    return way
