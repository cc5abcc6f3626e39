"""Where each value of a JSON or JSON5 text stands, and what it is; nothing is changed, no comment is lost."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NoReturn

from msgspec import Struct

from commonplace.errors import BadHostFile

MOST_DEEP = 200  # nested values; a configuration has a dozen

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
_WORDS = {"true": True, "false": False, "null": None}


class Item(Struct, frozen=True):
    """One member of an object or element of an array: where it begins, its value, where its comma is (-1: none)."""

    key: str
    start: int
    node: Node
    comma: int = -1


class Node(Struct, frozen=True):
    """One value: the offsets of its first character and behind its last, and what is in it; `kind` is `object`,
    `array` or `scalar`."""

    kind: str
    start: int
    end: int
    scalar: Any = None
    items: tuple[Item, ...] = ()

    def member(self, key: str) -> Node | None:
        """The value of this key; of two the later one, as the hosts read it."""
        found = [item.node for item in self.items if item.key == key] if self.kind == "object" else []
        return found[-1] if found else None

    def at(self, pointer: tuple[str, ...]) -> Node | None:
        """The value at the end of these keys, None if there is none."""
        node: Node | None = self
        for key in pointer:
            node = node.member(key) if node is not None else None
        return node

    def value(self) -> Any:
        """What it says, as dicts, lists and scalars."""
        if self.kind == "object":
            return {item.key: item.node.value() for item in self.items}
        return [item.node.value() for item in self.items] if self.kind == "array" else self.scalar


def parse(text: str, path: str = "") -> Node:
    """The one value of a JSON or JSON5 text. Raises BadHostFile with the line at which it breaks."""
    try:
        return _parsed(text)
    except _Broken as broken:
        line = text.count("\n", 0, broken.at) + 1
        hint = "nothing was changed; mend the file, then repeat"
        raise BadHostFile(f"{path!r} is not valid JSON5: {broken.why}", path=path, line=line, hint=hint) from None


class _Broken(Exception):
    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


@lru_cache(maxsize=4)  # an edit asks for the same text several times, and such files can be large
def _parsed(text: str) -> Node:
    reader = _Reader(text)
    node = reader.value(reader.blank(0), 0)
    if reader.blank(node.end) != len(text):
        reader.fail(reader.blank(node.end), "something stands behind the value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def blank(self, at: int) -> int:
        """Past blanks and comments."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def fail(self, at: int, why: str) -> NoReturn:
        raise _Broken(at, why)

    def value(self, at: int, depth: int) -> Node:
        first = self.text[at : at + 1]
        if depth > MOST_DEEP:
            self.fail(at, f"it is nested deeper than {MOST_DEEP} values")
        if first in ("{", "["):
            return self.container(at, depth, "}" if first == "{" else "]")
        if first in _STRING:
            said, end = self.string(at)
            return Node("scalar", at, end, said)
        return self.word(at)

    def container(self, at: int, depth: int, closing: str) -> Node:
        items: list[Item] = []
        here = self.blank(at + 1)
        while self.text[here : here + 1] != closing:
            key, inner = self.key(here) if closing == "}" else ("", here)
            node = self.value(inner, depth + 1)
            behind = self.blank(node.end)
            comma = behind if self.text[behind : behind + 1] == "," else -1
            items.append(Item(key, here, node, comma))
            here = self.blank(behind + 1) if comma >= 0 else behind
            if comma < 0 and self.text[here : here + 1] != closing:
                self.fail(here, f"a comma or {closing!r} is missing")
        return Node("object" if closing == "}" else "array", at, here + 1, None, tuple(items))

    def key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] in _STRING:
            key, end = self.string(at)
        else:
            found = _NAME.match(self.text, at)
            if found is None:
                self.fail(at, "a key is missing" if at < len(self.text) else "it ends too early")
            key, end = _unescaped(found.group()), found.end()
        colon = self.blank(end)
        if self.text[colon : colon + 1] != ":":
            self.fail(colon, f"a colon is missing behind the key {key!r}")
        return key, self.blank(colon + 1)

    def string(self, at: int) -> tuple[str, int]:
        found = _STRING[self.text[at]].match(self.text, at)
        if found is None:
            self.fail(at, "a text is not closed")
        return _unescaped(found.group()[1:-1]), found.end()

    def word(self, at: int) -> Node:
        number = _NUMBER.match(self.text, at)
        found = number or _NAME.match(self.text, at)
        if found is None:
            self.fail(at, "a value is missing" if at < len(self.text) else "it ends too early")
        word = found.group()
        if number is None and word not in _WORDS:
            self.fail(at, f"{word[:40]!r} is no value")
        return Node("scalar", at, found.end(), _number(word) if number else _WORDS[word])


def _number(word: str) -> int | float:
    sign, digits = (-1 if word[0] == "-" else 1), word.lstrip("+-")
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits, 16)
    if digits.isdigit():
        return sign * int(digits) if len(digits) < 400 else float(word)
    return sign * float({"Infinity": "inf", "NaN": "nan"}.get(digits, digits))


def _unescaped(written: str) -> str:
    if "\\" not in written:
        return written
    said = _ESCAPE.sub(_escape, written)
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two halves become one character


def _escape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    return "" if found[3] in _LINE_ENDS else _PLAIN_ESCAPES.get(found[3], found[3])
