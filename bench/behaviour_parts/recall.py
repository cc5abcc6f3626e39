"""Answers to the questions of the sets, of the sample and of vaults, with and without filters and parts of recall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.behaviour_parts.asking import Desk, Json, Pipes
from bench.behaviour_parts.notebooks import Asked, Notebook, build

# Which notebook; every how many of its questions are asked, and every how many of these in the quick sample (0: none).
NOTEBOOKS = (
    ("demo", 1, 3),
    ("vault/foam-docs", 1, 4),
    ("vault/kepano", 1, 0),
    ("precision", 1, 2),
    ("madial_zh/all/captured", 1, 3),
    ("madial_zh/all/logs", 1, 0),
    ("madial_en/all/captured", 1, 0),
    ("fact_consolidation/6k/captured", 1, 0),
    ("fact_consolidation/64k/logs", 2, 0),
    ("locomo/conv-26/captured", 1, 4),
    ("locomo/conv-26/logs", 2, 0),
    ("locomo/conv-41/captured", 1, 0),
    ("locomo/conv-41/logs", 2, 0),
    ("locomo/conv-43/captured", 1, 0),
    ("locomo/conv-43/logs", 2, 0),
    ("locomo/conv-47/captured", 1, 0),
    ("locomo/conv-47/logs", 2, 0),
    ("locomo/conv-49/captured", 1, 0),
    ("locomo/conv-49/logs", 2, 0),
    ("lme_pool/lme/captured", 1, 0),
    ("lme_pool/lme/logs", 2, 0),
)
FILTERS: tuple[Json, ...] = (
    {"k": 3},
    {"history": True},
    {"evidence": "none"},
    {"evidence": "only", "k": 20},
    {"since": "6 months ago", "until": "last month"},
    {"as_of": "5 months ago"},
    {"kinds": ["experience", "opinion"]},
    {"categories": ["fact", "event", "preference"]},
    {"trust": ["trusted"]},
    {"k": 50, "all_scopes": True},
    {"around": "3 months ago"},
    {"entities": ["Caroline"]},
    {"scope": "code", "history": True},
    {"trust": ["untrusted", "unknown"], "since": "2 years ago"},
)
SWITCHES = (
    *("about", "lexical", "session", "near", "window", "answers", "close", "entity", "kind", "time", "event", "vector"),
    *("order", "absent", "addressed", "agent", "answer", "length", "question", "retells", "speaker", "confidence"),
    *("ended", "evidence", "form", "importance", "recent", "trust", "emphasis", "light", "members", "sides"),
    "spellings",
)
SWITCHED = {"demo": (5, 40), "locomo/conv-26/captured": (7, 20)}  # how many questions without each part; how far apart
PLAIN = 2  # every how many questions is one with a filter


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Each answer under the name of its notebook and the number of its question."""
    for name, every, some in NOTEBOOKS:
        if quick and not some:
            continue
        notebook = build(desk, name)
        with desk.pipes(notebook.root) as pipes:
            for number, asked in enumerate(notebook.asked[::every]):
                if not quick or number % some == 0:
                    chosen = FILTERS[number // PLAIN % len(FILTERS)] if number % PLAIN else {}
                    yield f"{name} {number}", _answer(pipes, asked, chosen)
        if name in SWITCHED:
            yield from _without(desk, notebook, name, quick)


def _without(desk: Desk, notebook: Notebook, name: str, quick: bool) -> Iterator[tuple[str, Any]]:
    """The same questions without parts of recall, as the settings say."""
    count, apart = SWITCHED[name]
    settings = notebook.root / "commonplace.toml"
    with desk.pipes(notebook.root) as pipes:
        for number, switch in enumerate(SWITCHES):
            if quick and number % 5:
                continue
            settings.write_text(f'[recall]\nwithout = ["{switch}"]\n', encoding="utf-8")
            for place in range(0, count * apart, apart):
                asked = notebook.asked[place % len(notebook.asked)]
                yield f"{name} without {switch} {place}", _answer(pipes, asked, {})
    settings.unlink()


def _answer(pipes: Pipes, asked: Asked, chosen: Json) -> Json:
    scope = {"scope": asked.scope} if asked.scope else {}
    return pipes.ask("recall", text=asked.text, now=asked.now, **(scope | chosen))
