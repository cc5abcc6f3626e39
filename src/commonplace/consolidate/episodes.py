"""One interaction as an episode file: front matter, a summary in its own words, details with their sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from msgspec import Struct

from commonplace import files, text
from commonplace.consolidate.summary import Said, summary_of
from commonplace.consolidate.units import Unit
from commonplace.model import Record, Trust, least_trusted
from commonplace.workspace import parse
from commonplace.workspace.render import one_line, render_annotation
from commonplace.workspace.slug import slug
from commonplace.workspace.times import moment

FOLDER = "memory/episodes"
MOST_SLUG = 50
MARK_CHARS = 8  # of the digest of its first capture, by which two of one second are told apart
MOST_TAGS = 7
MOST_PARTICIPANTS = 12
CONFIDENCE: dict[Trust, str] = {"trusted": "high", "unknown": "medium", "untrusted": "low", "quarantined": "low"}


class Episode(Struct, frozen=True):
    """An episode file to be: its records, as the parser reads them, and how far its summary is trusted."""

    path: str
    data: bytes
    summary: str
    trust: Trust
    records: tuple[Record, ...]

    def trust_of(self, record: Record) -> Trust:
        """How far one of its records is trusted; the summary no further than the least of what it tells."""
        return self.trust if record.form == "summary" else record.trust


def episode_of(unit: Unit, said: tuple[Said, ...], vocabulary: Container[str] = ()) -> Episode | None:
    """The episode of an interaction; None if nothing in it is worth telling again."""
    if not said:
        return None
    written, told = summary_of(said)
    summary = one_line(written)
    trust = least_trusted(*(one.capture.origin for one in told))
    front: dict[str, object] = {
        "timestamp": _second(unit.start),
        "participants": list(dict.fromkeys(one_line(one.speaker) for one in said))[:MOST_PARTICIPANTS],
        "confidence": CONFIDENCE[trust],
        "source": list(dict.fromkeys(one.capture.id for one in told)),
    }
    optional = {"project": unit.scope, "tags": _tags(said, vocabulary)}
    path = _path(unit, summary)
    data = _page(summary, front | {key: value for key, value in optional.items() if value}, said)
    return Episode(path, data, summary, trust, parse(path, data).records)


def _page(summary: str, front: dict[str, object], said: tuple[Said, ...]) -> bytes:
    """The file; the summary stands in a block, where it needs no quotes and is read as it was said."""
    import yaml

    rest = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)
    head = f"summary: >-\n  {summary}\n{rest}"
    details = "\n".join(map(_detail, said))
    return f"---\n{head}---\n\n**Details:**\n\n{details}\n".encode()


def _detail(said: Said) -> str:
    """`- 13:56 Caroline: …`: a line of dialogue with its capture."""
    capture = said.capture
    made = f"{capture.id}\0{said.sentence}".encode("utf-8", "surrogatepass")
    origin = "" if capture.origin == "trusted" else capture.origin
    note = {"id": "e" + files.digest(made)[:14], "origin": origin, "from": (capture.id,)}
    spoken = f"{one_line(said.speaker)}: {one_line(said.sentence)}"
    return f"- {_second(capture.ts)[11:16]} {spoken} {render_annotation(note)}"


def _second(ts: str) -> str:
    """An ISO time to the second, its zone cut off; a mere date is its first."""
    seconds = ts[16:19] if ts[16:17] == ":" and ts[17:19].isdigit() else ":00"
    return (moment(ts) + "T00:00")[:16] + seconds


def _path(unit: Unit, summary: str) -> str:
    """By the time and what it says; the digest of its first capture tells it from another of the same second."""
    stamp = _second(unit.start).replace("T", "_").replace(":", "-")
    words = slug(summary.replace(".", " "))[:MOST_SLUG].rstrip("-._")
    mark = files.digest(unit.captures[0].id.encode("utf-8", "surrogatepass"))[:MARK_CHARS]
    return f"{FOLDER}/{stamp}_{words}-{mark}.md"


def _tags(said: tuple[Said, ...], vocabulary: Container[str]) -> list[str]:
    """The words of the frozen vocabulary that the details say, most said first."""
    words = (word for one in said for word in set(_words(one.sentence)))
    counts = Counter(word for word in words if word in vocabulary)
    return sorted(counts, key=lambda word: (-counts[word], word))[:MOST_TAGS]


def _words(sentence: str) -> list[str]:
    kept = (char if char.isalnum() or char == "-" else " " for char in text.fold(sentence))
    return [word.strip("-") for word in "".join(kept).split()]
