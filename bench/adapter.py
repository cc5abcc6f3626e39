"""The product behind the harness's adapters: a conversation is written out as daily logs, or captured turn by turn."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.embedded import Embedded, write_settings
from commonplace import Memory
from commonplace.capture import Event
from commonplace.language.tokens import count_tokens
from commonplace.model import Evidence, Hit, Hits, Pack, PackItem, Record

AHEAD = 10  # lines of an answer in which the first that tells the truth is looked for


class Logs:
    """One name space as a workspace of daily logs; `search` returns document ids, best first."""

    def __init__(self, docs: list[dict[str, Any]], embedded: Embedded | None = None) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="commonplace-bench-"))
        self._ids = write_logs(self._root, docs)
        self._last = max((doc["timestamp"] or "" for doc in docs), default="")[:16]
        write_settings(self._root, embedded)
        self._memory = Memory.open(self._root)
        self._memory.sync()
        if embedded:
            embedded.fill(self._memory)

    def search(self, question: str, k: int, now: str | None) -> list[str]:
        """The ids of the hits."""
        return self.ids(self.hits(question, k, now))

    def hits(self, question: str, k: int, now: str | None) -> Hits:
        """Recall through the public library, without a sweep of unchanged files at each question."""
        return self._memory.recall(question, k=k, now=(now or self._last)[:16] or None, sync=False)

    def ids(self, hits: Hits) -> list[str]:
        """The documents that the hits are."""
        return [
            self._ids[hit.record.source.path, hit.record.source.line_start] for hit in hits.hits if self._known(hit)
        ]

    def pack(self, question: str, budget_tokens: int, now: str | None) -> Pack:
        """A pack for a question, without a sweep of unchanged files."""
        at = (now or self._last)[:16] or None
        return self._memory.pack(question, budget_tokens=budget_tokens, now=at, sync=False)

    def item_units(self, item: PackItem) -> list[str]:
        """The document that a line of a pack is."""
        place = item.source.path, item.source.line_start
        return [self._ids[place]] if place in self._ids else []

    def switch_off(self, part: str) -> None:
        """Go on without a part of recall, as a person would: by the settings."""
        self._memory.close()
        (self._root / "commonplace.toml").write_text(f'[recall]\nwithout = ["{part}"]\n', encoding="utf-8")
        self._memory = Memory.open(self._root)

    def _known(self, hit: Any) -> bool:
        return (hit.record.source.path, hit.record.source.line_start) in self._ids

    def close(self) -> None:
        """Remove the workspace."""
        self._memory.close()
        shutil.rmtree(self._root)


class Captured:
    """One name space as a workspace in which every turn was captured; `search` gives the turns that hits rest on."""

    def __init__(
        self,
        docs: list[dict[str, Any]],
        *,
        consolidated: bool,
        evidence: Evidence,
        embedded: Embedded | None = None,
    ) -> None:
        self._root = tempfile.mkdtemp(prefix="commonplace-day-")
        write_settings(Path(self._root), embedded)
        self._evidence = evidence
        self._last = max((doc["timestamp"] or "" for doc in docs), default="")[:16]
        self._memory = Memory.open(self._root)
        taken = self._memory.capture_all([event(doc) for doc in docs], now=self._last or "0001-01-01T00:00")
        self._ids = {one.id: doc["id"] for one, doc in zip(taken, docs, strict=True)}
        self.run = self._memory.consolidate(apply=True, now=self._last) if consolidated else None
        self._memory.sync()
        if embedded:
            embedded.fill(self._memory)

    def search(self, question: str, k: int, now: str | None) -> list[str]:
        """The turns behind the hits, best first."""
        return list(dict.fromkeys(turn for hit in self._hits(question, k, now) for turn in self.turns(hit)))[:k]

    def _hits(self, question: str, k: int, now: str | None) -> tuple[Hit, ...]:
        at = (now or self._last)[:16] or None
        return self._memory.recall(question, k=k, now=at, sync=False, evidence=self._evidence).hits

    @property
    def memory(self) -> Memory:
        """The memory that holds the turns."""
        return self._memory

    @property
    def last(self) -> str:
        """The minute of the last turn."""
        return self._last

    @property
    def captures(self) -> tuple[str, ...]:
        """The ids of the captured turns."""
        return tuple(self._ids)

    def turns(self, hit: Hit) -> list[str]:
        """The turns that a hit is, or rests on."""
        return self.units_of(hit.record)

    def units_of(self, record: Record) -> list[str]:
        """The turns that a record is, or rests on."""
        return self.units_named((record.id,) if record.is_evidence else record.sources)

    def units_named(self, sources: tuple[str, ...]) -> list[str]:
        """The turns with these ids of captures."""
        return [self._ids[source] for source in sources if source in self._ids]

    def pack(self, question: str, budget_tokens: int, now: str | None) -> Pack:
        """A pack for a question, without a sweep of unchanged files."""
        at = (now or self._last)[:16] or None
        return self._memory.pack(question, budget_tokens=budget_tokens, now=at, sync=False)

    def item_units(self, item: PackItem) -> list[str]:
        """The turns that a line of a pack is, or rests on."""
        record = self._memory.workspace.open_index().find(item.record_id)
        return self.units_of(record) if record else []

    def tokens_to(self, question: str, wanted: set[str], now: str | None) -> int | None:
        """The tokens of the lines up to the first that rests on a wanted turn; None if none of ten does."""
        spent = 0
        for hit in self._hits(question, AHEAD, now):
            spent += count_tokens(hit.record.text) + count_tokens(hit.record.source.citation)
            if wanted.intersection(self.turns(hit)):
                return spent
        return None

    def close(self) -> None:
        """Remove the workspace."""
        self._memory.close()
        shutil.rmtree(self._root)


def event(doc: dict[str, Any]) -> Event:
    detail = {"speaker": doc["speaker"]} if doc.get("speaker") else {}
    actor = "agent" if doc.get("speaker") == "assistant" else "owner"
    return Event(text=said(doc) or ".", ts=doc["timestamp"] or "", session=doc["session"], actor=actor, detail=detail)


def factory(docs: list[dict[str, Any]], embedded: Embedded | None = None, **_options: Any) -> Logs:
    """What the harness calls for each name space: daily logs."""
    return Logs(docs, embedded)


def captured(docs: list[dict[str, Any]], embedded: Embedded | None = None, **_options: Any) -> Captured:
    """The same for turns that were captured and consolidated: recall over evidence and records."""
    return Captured(docs, consolidated=True, evidence="auto", embedded=embedded)


def said(doc: dict[str, Any]) -> str:
    """The words of a turn, with what its picture shows, as an agent that sees it would write it down."""
    return doc["text"] + (f" [image: {doc['caption']}]" if doc.get("caption") else "")


def write_logs(root: Path, docs: list[dict[str, Any]]) -> dict[tuple[str, int], str]:
    """Write documents as dialogue lines under a heading per session, a file per day; (path, line) -> document id."""
    days: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for doc in docs:
        days[(doc["timestamp"] or "0001-01-01")[:10]][doc["session"]].append(doc)
    places: dict[tuple[str, int], str] = {}
    (root / "memory").mkdir(parents=True, exist_ok=True)
    for day, sessions in days.items():
        path = f"memory/{day}.md"
        lines = [f"# {day}"]
        for session, turns in sessions.items():
            lines += ["", f"## Session {_called(session, list(sessions))}, {day}", ""]
            for turn in turns:
                places[path, len(lines) + 1] = turn["id"]
                lines += _turn(turn)
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return places


def _called(session: str, of_the_day: list[str]) -> str:
    """The last part of the name of a session, with a number if others of the day end so too: each has a heading."""
    alike = [one for one in of_the_day if one.rsplit("/", 1)[-1] == session.rsplit("/", 1)[-1]]
    name = session.rsplit("/", 1)[-1]
    return f"{name}-{alike.index(session) + 1}" if len(alike) > 1 else name


def _turn(turn: dict[str, Any]) -> list[str]:
    first, *rest = [line.strip() for line in said(turn).split("\n") if line.strip()] or [""]
    time = (turn["timestamp"] or "T00:00")[11:16] or "00:00"
    speaker = f"{turn['speaker']}: " if turn.get("speaker") else ""
    return [f"- {time} {speaker}{first}", *(f"  {line}" for line in rest)]
