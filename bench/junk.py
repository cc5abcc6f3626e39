"""What consolidation keeps of real conversations, to be judged by hand: a sample to label, and the labels applied."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.quality import SHARED
from commonplace import Memory
from commonplace.capture import Event, text_key

LABELS = Path(__file__).parents[1] / "tests/data/junk/labels.jsonl"
SETS = ("locomo", "lme_s_mini")
SAMPLE = 200
MOST_OF_SET = 3_000  # captures


class Kept(Struct, frozen=True):
    """A line that consolidation keeps, the key under which its label knows it, and the words it comes from."""

    key: str
    text: str
    home: str
    said: str


def run() -> None:
    """Print the junk rate among the lines that were judged by hand, and how many of those are still made."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: junk was not measured")
        return
    made, junk, judged = rate()
    print(f"{made} lines kept; {judged} of them judged by hand: {junk} junk, {junk / max(judged, 1):.1%}")


def rate() -> tuple[int, int, int]:
    """How many lines are kept, and of those that were judged by hand how many are junk, and how many there are."""
    labels = {one["key"]: one["junk"] for one in _lines(LABELS)}
    lines = list(kept())
    judged = [labels[one.key] for one in lines if one.key in labels]
    return len(lines), sum(judged), len(judged)


def sample() -> list[Kept]:
    """Lines to be judged: the first by their keys, which are digests, so that a change elsewhere draws no others."""
    return sorted({one.key: one for one in kept()}.values(), key=lambda one: one.key)[:SAMPLE]


def kept() -> Iterator[Kept]:
    """The lines and summaries that consolidation makes of the conversations, each conversation by itself."""
    for name in SETS:
        spaces: dict[str, list[dict[str, Any]]] = {}
        with gzip.open(SHARED / "bench" / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                doc = json.loads(line)
                spaces.setdefault(doc["ns"], []).append(doc)
        for docs in spaces.values():
            yield from _kept_of(docs[:MOST_OF_SET])


def _kept_of(docs: list[dict[str, Any]]) -> Iterator[Kept]:
    with tempfile.TemporaryDirectory(prefix="commonplace-junk-") as root, Memory.open(root) as memory:
        now = max(doc["timestamp"] or "" for doc in docs)[:16]
        taken = memory.capture_all([_event(doc) for doc in docs], now=now)
        said = {one.id: doc["text"] for one, doc in zip(taken, docs, strict=True)}
        for plan in memory.consolidate(now=now).plans:
            for one in plan.kept:
                words = " / ".join(said.get(source, "") for source in one.draft.sources)
                yield Kept(text_key(one.draft.text), one.draft.text, one.home.path, words)
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
