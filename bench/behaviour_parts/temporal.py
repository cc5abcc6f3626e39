"""What time words mean: the days that stand between them in a calendar, in ten languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.behaviour_parts.asking import Desk
from bench.behaviour_parts.notebooks import calendar, rows


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """For each phrase the first and last day and how many there are, or how it is refused; and a question with it."""
    root = calendar(desk, 2023, 2027)
    with desk.pipes(root) as pipes:
        for number, row in enumerate(rows("temporal_golden", "golden.jsonl.gz")):
            if quick and number % 10:
                continue
            words = row["query"] or "today"
            found = pipes.ask("timeline", since=words, until=words, now=row["now"][:16], at_most=400)
            if "records" in found:
                days = [record["valid_from"] for record in found["records"]]
                found = {"days": len(days), "first": days[:1], "last": days[-1:]}
            answer = pipes.ask("recall", text=f"was the yard swept {words}?", now=row["now"][:16], k=2)
            yield f"{number} {words}", {"time": found, "answer": answer}
