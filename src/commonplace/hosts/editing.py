"""Insert, replace and remove one value in a JSON or JSON5 text at known offsets; every other byte stays."""

from __future__ import annotations

import json
from typing import Any

from commonplace.hosts.json5 import Item, Node, parse

UNIT = "  "  # one step of indentation where the text shows none

Edit = tuple[int, int, str]  # from, to, what stands there then


def inserted(text: str, where: Node, key: str, value: Any) -> str:
    """The text with one more member (`key` is its name) or element (`key` is empty) at the end of a container."""
    root = parse(text)
    lines = "\n" in text[root.start : root.end] or (root.start == where.start and not where.items)
    indent = _indent(text, root, where)
    if not where.items:
        return _applied(text, [_first(text, where, _written(text, key, value, indent if lines else None), indent)])
    last = where.items[-1]
    end = last.comma + 1 if last.comma >= 0 else last.node.end
    tail = text[end : where.end - 1]
    if "\n" in tail and not tail.rpartition("\n")[2].strip():
        at = where.end - 1 - len(tail.rpartition("\n")[2])
        line = indent + _written(text, key, value, indent) + ("," if last.comma >= 0 else "") + _newline(text)
        return _applied(text, [(at, at, line), *([] if last.comma >= 0 else [(end, end, ",")])])
    own_line = not text[text.rfind("\n", 0, last.start) + 1 : last.start].strip() and lines
    gap = _newline(text) + indent if own_line else " "
    new = gap + _written(text, key, value, indent if own_line else None)
    return _applied(text, [(end, end, f"{new}," if last.comma >= 0 else f",{new}")])


def replaced(text: str, node: Node, raw: str) -> str:
    """The text with other characters in a value's place."""
    return _applied(text, [(node.start, node.end, raw)])


def rendered(text: str, node: Node, value: Any) -> str:
    """A value as it would be written in this node's place."""
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    indent = line[: len(line) - len(line.lstrip())]
    root = parse(text)
    return _written(text, "", value, indent if "\n" in text[root.start : root.end] else None)


def removed(text: str, where: Node, position: int) -> str:
    """The text without one item of a container: with its line where it has one, with one comma, with no more."""
    item = where.items[position]
    before = where.items[position - 1] if position else None
    is_last = position == len(where.items) - 1
    comma_before = before.comma if before and is_last and item.comma < 0 else -1
    end = item.comma + 1 if item.comma >= 0 else item.node.end
    start_of_line, newline = text.rfind("\n", 0, item.start) + 1, _newline(text)
    if not text[start_of_line : item.start].strip() and text.startswith(newline, end):
        return _applied(text, [(start_of_line, end + len(newline), ""), *_cut(comma_before)])
    if before and not text[before.comma + 1 : item.start].strip():
        return _applied(text, [(before.comma if item.comma < 0 else before.comma + 1, end, "")])
    if item.comma >= 0 and not is_last:
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    return _applied(text, [(item.start, end, ""), *_cut(comma_before)])


def position_of(where: Node, key: str, value: Any = None) -> int:
    """Where a container has this key, or an element that equals the value; -1 if nowhere."""
    if where.kind == "object":
        return max((n for n, item in enumerate(where.items) if item.key == key), default=-1)
    return next((n for n, item in enumerate(where.items) if where.kind == "array" and item.node.value() == value), -1)


def _first(text: str, where: Node, written: str, indent: str) -> Edit:
    """The edit that puts the first item into an empty container, which may hold comments."""
    closing = where.end - 1
    inner = text[where.start + 1 : closing]
    last_line = inner.rpartition("\n")[2]
    multiple = "\n" in written or "\n" in inner or indent
    if "\n" in inner and not last_line.strip():
        at = closing - len(last_line)
        return at, at, indent + written + _newline(text)
    if not multiple:
        return closing, closing, written
    outer = _line_indent(text, where.start)
    return closing, closing, _newline(text) + indent + written + _newline(text) + outer


def _indent(text: str, root: Node, where: Node) -> str:
    """How the items of a container are indented, or would be; empty in a text of one line."""
    if where.items:
        first = text[text.rfind("\n", 0, where.items[0].start) + 1 : where.items[0].start]
        if not first.strip():
            return first
    if "\n" not in text[root.start : root.end] and not (root.start == where.start and not where.items):
        return ""
    return _line_indent(text, where.start) + _unit(text, root)


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    """One step of indentation, as the first item that stands on a line of its own shows it."""
    for item in root.items:
        lead = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        if lead and not lead.strip(" \t"):
            return lead
    return UNIT


def _written(text: str, key: str, value: Any, indent: str | None) -> str:
    """A member or element as JSON: on lines of its own below `indent`, or on one line where that is None."""
    name = json.dumps(key, ensure_ascii=False) + ": " if key else ""
    if indent is None:
        return name + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text, parse(text))).split("\n")
    return name + (_newline(text) + indent).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _cut(comma: int) -> list[Edit]:
    return [(comma, comma + 1, "")] if comma >= 0 else []


def _applied(text: str, edits: list[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def path_to(root: Node, pointer: tuple[str, ...]) -> list[Node]:
    """The values on the way along these keys, the root first, as far as they are there."""
    way = [root]
    for key in pointer:
        below = way[-1].member(key)
        if below is None:
            break
        way.append(below)
    return way


__all__ = ["Item", "inserted", "path_to", "position_of", "removed", "rendered", "replaced"]
