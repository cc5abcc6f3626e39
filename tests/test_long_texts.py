"""Texts of a megabyte without a blank, or with nothing else, take memory that is a small multiple of their size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonplace import Memory, model
from commonplace.language.text import tokenize
from commonplace.language.text.tokenizer import MAX_CHUNK_CHARS
from commonplace.retrieval.recall import VectorSource, explain, pipeline, trace_recall

NOW = "2031-01-01T00:00"
CHARS = 60_000
HAN, ACCENTED, HIDDEN = "漢字", "e\u0301", "\u202e"
EXPANDED = "\ufdfa"  # 18 characters when it is normalized


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A notebook in which everything was used once."""
    with Memory.open(tmp_path) as opened:
        opened.capture("The boat is green.", session="s", now=NOW)
        opened.recall("boat", now=NOW)
        opened.pack("boat", automatic=True, now=NOW)
        yield opened


def of(unit: str) -> str:
    return unit * (CHARS // len(unit))


def held(act: Callable[[], object]) -> int:
    """How many bytes an act holds at most."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("unit", "most"), [(HAN, 175), (ACCENTED, 175), ("word ", 175)])
def test_a_long_line_is_indexed_in_so_many_bytes_a_character(memory: Memory, unit: str, most: int) -> None:
    Path(memory.workspace.root, "note.md").write_text(f"- {of(unit)}\n", encoding="utf-8")
    assert held(memory.sync) < most * CHARS
    assert memory.workspace.open_index().counts()["records"] == 1


def test_a_text_without_blanks_is_split_in_little_memory_and_loses_nothing_but_a_pair_at_each_cut() -> None:
    assert held(lambda: tokenize(of(HAN))) < 90 * CHARS
    text = of(HAN)[: 2 * MAX_CHUNK_CHARS]
    assert tokenize(text) == 2 * tokenize(text[:MAX_CHUNK_CHARS])


def test_hidden_characters_are_looked_through_in_little_memory(memory: Memory) -> None:
    assert held(lambda: memory.capture(f"boat {of(HIDDEN)}", session="s", now=NOW)) < 40 * CHARS


@pytest.mark.parametrize("choices", [{}, {"automatic": True}], ids=["asked", "automatic"])
def test_only_the_beginning_of_a_question_is_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, choices: dict[str, bool]
) -> None:
    monkeypatch.setattr(model, "MAX_QUESTION_CHARS", 100)
    assert held(lambda: memory.recall(of(EXPANDED), now=NOW)) < 60 * CHARS
    assert held(lambda: memory.pack(of(EXPANDED), now=NOW, **choices)) < 60 * CHARS


def test_no_stage_of_recall_gets_more_than_the_beginning_of_a_question(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, list[str]] = {"vectors": [], "detect_language": [], "query_terms": []}
    monkeypatch.setattr(model, "MAX_QUESTION_CHARS", 100)
    for module, name in ((pipeline, "detect_language"), (explain, "query_terms")):
        function = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, name=name, do=function: seen[name].append(given[0]) or do(*given)
        )
    vectors = VectorSource("hybrid", 0, lambda _index, texts: seen["vectors"].extend(texts) or (None, ()))
    trace = trace_recall(memory.workspace.synced_index(), model.Query("boat " * 100, now=NOW), vectors=vectors)
    (hit,) = trace.list_unmatched().hits.hits
    explain.distinguishing_words(trace, hit.record)
    assert {name: max(map(len, texts)) for name, texts in seen.items()} == dict.fromkeys(seen, 100)
