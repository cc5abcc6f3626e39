"""A real day: conversations captured turn by turn and consolidated; recall over both beside recall over raw turns."""

from __future__ import annotations

import statistics
from typing import Any

from bench.adapter import Captured
from bench.quality import SHARED, _harness, summary
from commonplace.model import Evidence


def run(names: tuple[str, ...] = ("locomo", "lme_s_mini")) -> None:
    """Print the figures over raw turns alone, over both, and what was kept."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: a real day was not measured")
        return
    harness = _harness()
    for name in names:
        data = harness.Data(name, str(SHARED / "bench"))
        ways: tuple[tuple[str, bool, Evidence], ...] = (
            ("raw turns", False, "only"), ("records and turns", True, "auto"),
        )  # fmt: skip
        for label, consolidated, evidence in ways:
            made: list[Captured] = []

            def factory(docs: list[dict[str, Any]], **_options: Any) -> Captured:
                made.append(Captured(docs, consolidated=consolidated, evidence=evidence))  # noqa: B023 - called in this round
                return made[-1]  # noqa: B023 - called in this round

            print(f"{label}: {summary(harness.evaluate(factory, data, 'all', 50))}", flush=True)
            if consolidated:
                print(_kept(made))
        _print_tokens(data)


def _kept(made: list[Captured]) -> str:
    plans = [plan for adapter in made if adapter.run for plan in adapter.run.plans]
    counts = {
        name: sum(len(getattr(plan, name)) for plan in plans) for name in ("episodes", "kept", "pending", "skipped")
    }
    return f"  {sum(plan.capture_count for plan in plans)} captures: " + ", ".join(
        f"{n} {name}" for name, n in counts.items()
    )


def _print_tokens(data: Any) -> None:
    """Tokens to the first line that tells, of consolidated lines and of raw turns, where both have one."""
    pairs: list[tuple[int, int]] = []
    for space, docs in data.docs.items():
        raw, kept = (Captured(docs, consolidated=both, evidence="none" if both else "only") for both in (False, True))
        for query in data.queries:
            if query["ns"] == space:
                asked = query["question"], set(query["relevant"]), query.get("date")
                theirs, mine = raw.tokens_to(*asked), kept.tokens_to(*asked)
                if theirs is not None and mine is not None:
                    pairs.append((theirs, mine))
        raw.close()
        kept.close()
    if pairs:
        first, last = (statistics.mean(column) for column in zip(*pairs, strict=True))
        print(f"  tokens to the first line that tells (n={len(pairs)}): consolidated {last:.0f}, raw turns {first:.0f}")
