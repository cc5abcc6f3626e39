"""A real day: conversations captured turn by turn and consolidated; recall over both beside recall over raw turns."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from typing import Any

from bench.quality import SHARED, _harness, summary
from commonplace import Memory
from commonplace.capture import Event
from commonplace.model import Evidence, Hit
from commonplace.tokens import count

AHEAD = 10  # lines of an answer in which the first that tells the truth is looked for


class Adapter:
    """One name space as a workspace in which every turn was captured; `search` gives the turns that hits rest on."""

    def __init__(self, docs: list[dict[str, Any]], *, consolidated: bool, evidence: Evidence) -> None:
        self._root = tempfile.mkdtemp(prefix="commonplace-day-")
        self._evidence = evidence
        self._last = max((doc["timestamp"] or "" for doc in docs), default="")[:16]
        self._memory = Memory.open(self._root)
        taken = self._memory.capture_all([_event(doc) for doc in docs], now=self._last or "0001-01-01T00:00")
        self._ids = {one.id: doc["id"] for one, doc in zip(taken, docs, strict=True)}
        self.run = self._memory.consolidate(apply=True, now=self._last) if consolidated else None
        self._memory.sync()

    def search(self, question: str, k: int, now: str | None) -> list[str]:
        """The turns behind the hits, best first."""
        return list(dict.fromkeys(turn for hit in self._hits(question, k, now) for turn in self.turns(hit)))[:k]

    def _hits(self, question: str, k: int, now: str | None) -> tuple[Hit, ...]:
        at = (now or self._last)[:16] or None
        return self._memory.recall(question, k=k, now=at, sync=False, evidence=self._evidence).hits

    def turns(self, hit: Hit) -> list[str]:
        """The turns that a hit is, or rests on."""
        sources = (hit.record.id,) if hit.record.is_evidence else hit.record.sources
        return [self._ids[source] for source in sources if source in self._ids]

    def tokens_to(self, question: str, wanted: set[str], now: str | None) -> int | None:
        """The tokens of the lines up to the first that rests on a wanted turn; None if none of ten does."""
        spent = 0
        for hit in self._hits(question, AHEAD, now):
            spent += count(hit.record.text) + count(hit.record.source.citation)
            if wanted.intersection(self.turns(hit)):
                return spent
        return None

    def close(self) -> None:
        """Remove the workspace."""
        self._memory.close()
        shutil.rmtree(self._root)


def _event(doc: dict[str, Any]) -> Event:
    detail = {"speaker": doc["speaker"]} if doc.get("speaker") else {}
    actor = "agent" if doc.get("speaker") == "assistant" else "owner"
    return Event(text=doc["text"] or ".", ts=doc["timestamp"] or "", session=doc["session"], actor=actor, detail=detail)


def run(names: tuple[str, ...] = ("locomo", "lme_s_mini")) -> None:
    """Print the figures over raw turns alone, over both, and what was kept."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: a real day was not measured")
        return
    harness = _harness()
    for name in names:
        data = harness.Data(name, str(SHARED / "bench"))
        for label, consolidated, evidence in (("raw turns", False, "only"), ("records and turns", True, "auto")):
            made: list[Adapter] = []

            def factory(docs: list[dict[str, Any]], **_options: Any) -> Adapter:
                made.append(Adapter(docs, consolidated=consolidated, evidence=evidence))  # noqa: B023
                return made[-1]  # noqa: B023

            print(f"{label}: {summary(harness.evaluate(factory, data, 'all', 50))}", flush=True)
            if consolidated:
                print(_kept(made))
        _print_tokens(data)


def _kept(made: list[Adapter]) -> str:
    plans = [plan for adapter in made if adapter.run for plan in adapter.run.plans]
    counts = {
        name: sum(len(getattr(plan, name)) for plan in plans) for name in ("episodes", "kept", "pending", "skipped")
    }
    return f"  {sum(plan.captures for plan in plans)} captures: " + ", ".join(
        f"{n} {name}" for name, n in counts.items()
    )


def _print_tokens(data: Any) -> None:
    """Tokens to the first line that tells, of consolidated lines and of raw turns, where both have one."""
    pairs: list[tuple[int, int]] = []
    for space, docs in data.docs.items():
        raw, kept = (Adapter(docs, consolidated=both, evidence="none" if both else "only") for both in (False, True))
        for query in data.queries:
            if query["ns"] == space:
                asked = query["question"], set(query["relevant"]), query.get("date")
                found = raw.tokens_to(*asked), kept.tokens_to(*asked)
                if None not in found:
                    pairs.append(found)  # type: ignore[arg-type]
        raw.close()
        kept.close()
    if pairs:
        mine, theirs = (statistics.mean(pair[at] for pair in pairs) for at in (1, 0))
        print(
            f"  tokens to the first line that tells (n={len(pairs)}): consolidated {mine:.0f}, raw turns {theirs:.0f}"
        )
