"""What consolidation keeps of real conversations, to be judged by hand: a sample to label, and the labels applied."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.quality import SHARED
from commonplace import Memory
from commonplace.capture import Event, text_key

LABELLED = Path(__file__).parents[1] / "tests/data/junk"
SETS = {"locomo": 5, "lme_s_mini": 4}  # conversations of each
SAMPLE = 200
MOST_OF_SET = 3_000  # captures


class Kept(Struct, frozen=True):
    """A line that consolidation keeps, the key under which its label knows it, and the words it comes from."""

    key: str
    text: str
    home: str
    said: str


def run() -> None:
    """Print the junk rate of the sample that was judged by hand, and of lines from conversations nobody had read."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: junk was not measured")
        return
    lines = list(kept())
    junk, judged = rate(sample(lines), "labels")
    print(f"{len(lines)} lines kept; {judged} of a sample of {SAMPLE} judged by hand: {junk} junk, {junk / judged:.1%}")
    junk, judged = rate(unseen(), "unseen")
    print(f"of conversations that nobody had read: {judged} judged by hand: {junk} junk, {junk / judged:.1%}")


def rate(lines: Iterable[Kept], labels: str) -> tuple[int, int]:
    """How many of the lines that were judged by hand are junk, and how many were judged."""
    known = {one["key"]: one["junk"] for one in _lines(LABELLED / f"{labels}.jsonl")}
    judged = [known[key] for key in dict.fromkeys(one.key for one in lines) if key in known]
    return sum(judged), len(judged)


def sample(lines: Iterable[Kept]) -> list[Kept]:
    """Lines to be judged: the first by their keys, which are digests, so that a change elsewhere draws no others."""
    return sorted({one.key: one for one in lines}.values(), key=lambda one: one.key)[:SAMPLE]


def unseen() -> Iterator[Kept]:
    """The lines and summaries made of a set that the rules were written without."""
    docs = [doc for docs in _spaces("lme_pool").values() for doc in docs]
    yield from _kept_of(docs[:MOST_OF_SET])


def kept(sets: Mapping[str, int] = SETS) -> Iterator[Kept]:
    """The lines and summaries that consolidation makes of so many conversations of each set, each by itself."""
    for name, many in sets.items():
        for docs in islice(_spaces(name).values(), many):
            yield from _kept_of(docs[:MOST_OF_SET])


def _spaces(name: str) -> dict[str, list[dict[str, Any]]]:
    spaces: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(SHARED / "bench" / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            doc = json.loads(line)
            spaces.setdefault(doc["ns"], []).append(doc)
    return spaces


def _kept_of(docs: list[dict[str, Any]]) -> Iterator[Kept]:
    with tempfile.TemporaryDirectory(prefix="commonplace-junk-") as root, Memory.open(root) as memory:
        now = max(doc["timestamp"] or "" for doc in docs)[:16]
        taken = memory.capture_all([_event(doc) for doc in docs], now=now)
        said = {one.id: doc["text"] for one, doc in zip(taken, docs, strict=True)}
        for plan in memory.consolidate(now=now).plans:
            for line in plan.lines:
                words = " / ".join(said.get(source, "") for source in line.sources)
                yield Kept(text_key(line.text), line.text, line.destination.path, words)
            for episode in plan.episodes:
                yield Kept(text_key(episode.summary), episode.summary, "summary", "")


def _event(doc: dict[str, Any]) -> Event:
    detail = {"speaker": doc["speaker"]} if doc.get("speaker") not in (None, "", "user", "assistant") else {}
    actor = "agent" if doc.get("speaker") == "assistant" else "owner"
    return Event(text=doc["text"] or ".", ts=doc["timestamp"] or "", session=doc["session"], actor=actor, detail=detail)


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
