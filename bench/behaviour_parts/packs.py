"""Packs of several budgets with their receipts, and why lines are not among the answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.behaviour_parts.asking import Desk, Json
from bench.behaviour_parts.notebooks import build

NOTEBOOKS = (
    ("demo", 2, 5),
    ("locomo/conv-26/captured", 2, 0),
    ("locomo/conv-47/logs", 2, 0),
    ("vault/foam-docs", 3, 0),
)
BUDGETS = (1200, 100, 300, 600, 2000, 4000, 0)
CHOICES: tuple[Json, ...] = (
    {},
    {"automatic": True},
    {"core": False},
    {"automatic": True, "session": "conv-26/S19"},
    {"evidence": "only"},
    {"history": True, "k": 5},
    {"heard": "I was at the workshop and then came home."},
    {"automatic": True, "trust": ["trusted", "unknown"], "since": "last year"},
)


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Each pack with its receipt."""
    for name, every, some in NOTEBOOKS:
        if quick and not some:
            continue
        root, questions = build(desk, name)
        with desk.pipes(root) as pipes:
            for number, asked in enumerate(questions[::every]):
                if quick and number % some:
                    continue
                chosen = {"budget_tokens": BUDGETS[number % len(BUDGETS)], **CHOICES[number % len(CHOICES)]}
                pack = pipes.ask("pack", text=asked.text, now=asked.now, receipt=True, **chosen)
                yield f"{name} {number}", {"pack": pack, "receipt": pipes.ask("why")}
