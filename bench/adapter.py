"""The product behind the harness's adapter: each conversation is written out as daily logs and recalled by `Memory`."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from commonplace import Memory


class Adapter:
    """One name space as a workspace of daily logs; `search` returns document ids, best first."""

    def __init__(self, docs: list[dict[str, Any]]) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="commonplace-bench-"))
        self._ids = write_logs(self._root, docs)
        self._last = max((doc["timestamp"] or "" for doc in docs), default="")[:16]
        self._memory = Memory.open(self._root)
        self._memory.sync()

    def search(self, question: str, k: int, now: str | None) -> list[str]:
        """Recall through the public library, without a sweep of unchanged files at each question."""
        hits = self._memory.recall(question, k=k, now=(now or self._last)[:16] or None, sync=False).hits
        return [self._ids[hit.record.source.path, hit.record.source.line_start] for hit in hits if self._known(hit)]

    def _known(self, hit: Any) -> bool:
        return (hit.record.source.path, hit.record.source.line_start) in self._ids

    def close(self) -> None:
        """Remove the workspace."""
        self._memory.close()
        shutil.rmtree(self._root)


def factory(docs: list[dict[str, Any]], **_options: Any) -> Adapter:
    """What the harness calls for each name space."""
    return Adapter(docs)


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
            lines += ["", f"## Session {session.rsplit('/', 1)[-1]}, {day}", ""]
            for turn in turns:
                places[path, len(lines) + 1] = turn["id"]
                lines += _turn(turn)
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return places


def _turn(turn: dict[str, Any]) -> list[str]:
    first, *rest = [line.strip() for line in turn["text"].split("\n") if line.strip()] or [""]
    time = (turn["timestamp"] or "T00:00")[11:16] or "00:00"
    speaker = f"{turn['speaker']}: " if turn.get("speaker") else ""
    return [f"- {time} {speaker}{first}", *(f"  {line}" for line in rest)]
