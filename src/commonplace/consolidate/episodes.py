"""One interaction as an episode file: front matter, a summary in its own words, details with their sources."""

from __future__ import annotations

from collections.abc import Container

import yaml
from msgspec import Struct

from commonplace import files, text
from commonplace.consolidate.summary import Said, summary_of
from commonplace.consolidate.units import Unit
from commonplace.model import Trust, least_trusted
from commonplace.workspace.render import one_line, render_annotation
from commonplace.workspace.slug import slug

FOLDER = "memory/episodes"
MOST_SLUG = 50
MOST_TAGS = 7
MOST_PARTICIPANTS = 12
CONFIDENCE: dict[Trust, str] = {"trusted": "high", "unknown": "medium", "untrusted": "low", "quarantined": "low"}


class Line(Struct, frozen=True):
    """A line that the ledger is told of: its record's id, its text as the parser reads it, how far it is trusted."""

    id: str
    text: str
    trust: Trust


class Episode(Struct, frozen=True):
    """An episode file to be, and its lines."""

    path: str
    data: bytes
    summary: str
    lines: tuple[Line, ...]


def episode_of(unit: Unit, said: tuple[Said, ...], vocabulary: Container[str] = ()) -> Episode | None:
    """The episode of an interaction; None if nothing in it is worth telling again."""
    if not said:
        return None
    written, told = summary_of(said)
    summary = one_line(written)
    trust = least_trusted(*(one.capture.origin for one in told))
    details, tags = [_detail(one) for one in said], _tags(said, vocabulary)
    front = (
        {
            "timestamp": _second(unit.start),
            "summary": summary,
            "participants": list(dict.fromkeys(one.speaker for one in said))[:MOST_PARTICIPANTS],
            "confidence": CONFIDENCE[trust],
            "source": list(dict.fromkeys(one.capture.id for one in told)),
        }
        | ({"project": unit.scope} if unit.scope else {})
        | ({"tags": tags} if tags else {})
    )
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)
    body = "\n".join(line for line, _record in details)
    data = f"---\n{head}---\n\n**Details:**\n\n{body}\n".encode()
    lines = (Line("", summary, trust), *(record for _line, record in details))
    return Episode(_path(unit, summary), data, summary, lines)


def _detail(said: Said) -> tuple[str, Line]:
    """`- 13:56 Caroline: …`: a line of dialogue with its capture."""
    capture = said.capture
    made = f"{capture.id}\0{said.sentence}".encode("utf-8", "surrogatepass")
    record_id = "e" + files.digest(made)[:14]
    origin = "" if capture.origin == "trusted" else capture.origin
    annotation = render_annotation({"id": record_id, "origin": origin, "from": (capture.id,)})
    spoken = f"{one_line(said.speaker)}: {one_line(said.sentence)}"
    return f"- {_second(capture.ts)[11:16]} {spoken} {annotation}", Line(record_id, spoken, capture.origin)


def _second(ts: str) -> str:
    """An ISO time to the second; a mere date is its first."""
    return (ts[:19] + "T00:00:00"[len(ts[:19]) - 10 :]) if len(ts) < 19 else ts[:19]


def _path(unit: Unit, summary: str) -> str:
    """By the time and what it says; the digest of its first capture tells it from another of the same second."""
    stamp = _second(unit.start).replace("T", "_").replace(":", "-")
    words = slug(summary.replace(".", " "))[:MOST_SLUG].rstrip("-._")
    mark = files.digest(unit.captures[0].id.encode())[:4]
    return f"{FOLDER}/{stamp}_{words}-{mark}.md"


def _tags(said: tuple[Said, ...], vocabulary: Container[str]) -> list[str]:
    """The words of the frozen vocabulary that the details say, most said first."""
    counts: dict[str, int] = {}
    for one in said:
        for word in dict.fromkeys(text.fold(one.sentence).replace(".", " ").replace(",", " ").split()):
            if word in vocabulary:
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:MOST_TAGS]
