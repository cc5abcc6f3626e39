"""Recall beside vectors, of a server whose vectors say which words a text has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from bench.behaviour_parts.asking import Desk, Json, read
from bench.behaviour_parts.notebooks import of_lines, sample
from tests.support.vector_server import serving, settings

NUMBERS = 64
QUESTIONS = 40
WAYS: tuple[tuple[str, str], ...] = (
    ("hybrid", ""),
    ("fallback", "min_primary_results = 8"),
    ("hybrid", "timeout_ms = 9000"),
)


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Answers and packs in each way, before and after the texts have vectors."""
    root = sample(desk)
    asked = of_lines(root, QUESTIONS)
    with serving(_answer) as server:
        for number, (mode, more) in enumerate(WAYS[:1] if quick else WAYS):
            (root / "commonplace.toml").write_text(settings(server.url, mode=mode, more=more), encoding="utf-8")
            if number == 0:
                yield "nothing embedded", read(desk.command(root, "--json", "recall", asked[0].text).out)
            yield f"{number} embed", read(desk.command(root, "--json", "embed").out)
            with desk.pipes(root) as pipes:
                for place, one in enumerate(asked):
                    yield f"{number} {mode} {place}", pipes.ask("recall", text=one.text, now=one.now)
                yield f"{number} {mode} pack", pipes.ask("pack", text=asked[0].text, now=asked[0].now)


def _answer(body: Json) -> tuple[int, bytes]:
    """What Ollama answers."""
    vectors = [_vector(text) for text in body["input"]]
    return 200, json.dumps({"model": body["model"], "embeddings": vectors}).encode()


def _vector(text: str) -> list[float]:
    counts = [0.0] * NUMBERS
    for word in text.lower().split() or [text]:
        counts[crc32(word.encode()) % NUMBERS] += 1.0
    return counts
