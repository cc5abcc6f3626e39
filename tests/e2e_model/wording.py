"""Lines of Markdown against the captures that they cite: verbatim, or without a name, number or date of their own."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

NOTHING_BUT_MARKS = re.compile(r"(?:[-*>#]+ |\*\*|~~|\[[ x]\] )+")
LABEL = re.compile(r"(?:\d\d:\d\d )?\w+: ")  # of an episode's line: the time and the speaker
SOURCES = re.compile(r"from: ([^·>]*)")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")
WORD = re.compile(r"\w+(?:[.:'’-]\w+)*")
DAY_FORMS = "%Y-%m-%d %Y %B %b %A %a %d %m"


class Captured(NamedTuple):
    """A capture of the journal."""

    id: str
    text: str
    day: date
    speaker: str
    origin: str

    @property
    def words(self) -> set[str]:
        """Its words, small, and those that the date and the days beside it are told with."""
        days = [(self.day + timedelta(days=apart)).strftime(DAY_FORMS) for apart in (-1, 0, 1)]
        return set(words(" ".join((self.text, self.speaker, *days)).casefold())) | {str(self.day.day)}


def read_captures(root: Path) -> list[Captured]:
    """The captures of a workspace."""
    (path,) = (root / ".memory/journal").glob("captures-*.jsonl")
    lines = map(json.loads, path.read_text(encoding="utf-8").strip().split("\n"))
    return [
        Captured(
            line["id"].removeprefix("obs:"),
            line["text"],
            date.fromisoformat(line["ts"][:10]),
            line["detail"].get("speaker", ""),
            line["origin"],
        )
        for line in lines
    ]


def cited(line: str, captures: list[Captured]) -> list[Captured]:
    """The captures that the annotation of a line names."""
    names = " ".join(SOURCES.findall(line))
    return [capture for capture in captures if capture.id in names]


def unsupported(line: str, captures: list[Captured]) -> list[str]:
    """The names, numbers and dates of a line that no capture has; none where it is one's own words.

    A name is a capital behind the first word of a sentence, which may be any word.
    """
    text = NOTHING_BUT_MARKS.sub("", line.partition("<!--")[0]).strip()
    folded = " ".join(LABEL.sub("", text, count=1).split())
    if any(folded in " ".join(capture.text.split()) for capture in captures):
        return []
    known = set().union(*(capture.words for capture in captures))
    later = [word for sentence in SENTENCE_END.split(text) for word in words(sentence)[1:]]
    names = [word for word in later if word[0].isupper()]
    numbers = [word for word in words(text) if any(map(str.isdigit, word))]
    return [word for word in dict.fromkeys((*names, *numbers)) if word.casefold() not in known]


def words(text: str) -> list[str]:
    """The words of a text, without the 's of a possessive."""
    return [re.sub(r"['’]s$", "", word) for word in WORD.findall(text)]
