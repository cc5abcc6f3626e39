"""Where a code fence or a comment ends, found without looking at any line again and again."""

from __future__ import annotations

import re
from functools import cache

from commonplace.workspace import starts


class Fences:
    """The ends of fenced blocks among the lines before `end`."""

    def __init__(self, lines: list[str], end: int) -> None:
        self._lines, self._end = lines, end
        self._known: dict[str, list[int]] = {}

    def can_close(self, number: int, opening: tuple[str, int]) -> bool:
        """Whether any line below this one could close the fence."""
        mark, run = opening
        longest = self._known.get(mark)
        if longest is None:
            longest = self._known[mark] = self._longest(mark)
        return longest[number + 1] >= run

    def closing(self, number: int, opening: tuple[str, int], least: int) -> tuple[int, bool]:
        """The last line of the block that opens on this line, and whether it is a fence.

        A line indented by less than `least` ends the list item that holds the block, and the block with it.
        """
        mark, run = opening
        last = number
        for index in range(number + 1, self._end):
            line = self._lines[index]
            body = line.strip()
            if not body:
                continue
            if body[0] == mark and len(body) >= run and body == mark * len(body):
                return index, True
            if starts.indent(line, starts.first(line, body)) < least:
                break
            last = index
        return last, False

    def _longest(self, mark: str) -> list[int]:
        """For each line the length of the longest closing fence at or below it."""
        known = [0] * (len(self._lines) + 1)
        longest = 0
        for index in range(self._end - 1, -1, -1):
            body = self._lines[index].strip()
            if body.startswith(mark * 3) and len(body) > longest and body == mark * len(body):
                longest = len(body)
            known[index] = longest
        return known


class Comments:
    """The ends of HTML comments among the lines before `end`."""

    def __init__(self, lines: list[str], end: int) -> None:
        self._lines, self._end = lines, end
        self._endless: set[str] = set()  # dreams that end nowhere
        self._next = -1  # the next line with a mark of a comment, from wherever it was looked for last

    def end(self, number: int) -> int:
        """The line that ends the comment which begins this line, if nothing but comments stands there; else -1.

        A comment in which another begins was never closed: the end it would find belongs to somebody's annotation.
        """
        line = self._lines[number]
        if line.find("-->", line.index("<!--") + 4) >= 0:
            return number if _only_comments(line) else -1
        if self._next <= number:
            below = range(number + 1, self._end)
            marks = (index for index in below if "-->" in self._lines[index] or "<!--" in self._lines[index])
            self._next = next(marks, self._end)
        if self._next == self._end:
            return -1
        line = self._lines[self._next]
        end = line.find("-->")
        return self._next if end >= 0 and "<!--" not in line[:end] and _only_comments("<!--" + line) else -1

    def is_mark(self, number: int) -> bool:
        """Whether this line, which begins with a comment, is one of the marks with which OpenClaw knows its lines."""
        return _mark().match(self._lines[number].strip()) is not None

    def end_of_dream(self, number: int) -> int:
        """The line that ends what OpenClaw dreamt, if such begins here; else the line itself."""
        begins = _dream().fullmatch(self._lines[number].strip())
        if not begins or begins[1] in self._endless:
            return number
        mark = f"<!-- openclaw:dreaming:{begins[1]}:end -->"
        end = next((at for at in range(number + 1, self._end) if self._lines[at].strip() == mark), number)
        if end == number:
            self._endless.add(begins[1])
        return end


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(r"<!--\s*openclaw(?::|-memory-promotion:)[^<>]*-->$")


@cache
def _dream() -> re.Pattern[str]:
    return re.compile(r"<!--\s*openclaw:dreaming:([a-z][a-z0-9-]*):start\s*-->")


def _only_comments(line: str) -> bool:
    at, line = 0, line.strip()
    while line.startswith("<!--", at):
        end = line.find("-->", at + 4)
        if end < 0:
            return False
        at = end + 3
        while at < len(line) and line[at].isspace():
            at += 1
    return at == len(line)
