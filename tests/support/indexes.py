"""Indexes made of texts, what they hold, and what is read from them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from commonplace.index import FileRow, Filter, Index, IndexedRecord, IndexedTurn, TokenQuery, open_index, postings
from commonplace.language.text import QueryTerm
from commonplace.retrieval.recall import lexical
from commonplace.storage.workspace import parse_document
from commonplace.sync.index_entries import prepare_document
from commonplace.truth import Vocabulary

INDEX = ".memory/index.sqlite"
WORDS = ("tea", "milk", "boat", "harbour", "zebra")
Held = list[tuple[IndexedRecord, Counter[str], Counter[str]]]


def put(index: Index, written: dict[str, str]) -> None:
    for path, text in written.items():
        if path in index.files():
            index.drop_file(path)
        document = parse_document(path, text.encode())
        row = FileRow(path, path, document.digest, (0, 0, 0, 0), document.role, document.title)
        index.put_file(prepare_document(document, row, Vocabulary()).to_file_entries())


def made(folder: Path, written: dict[str, str]) -> Index:
    """An index of these files, which need not be on disk."""

    def build(index: Index) -> None:
        put(index, written)
        index.reconcile()

    return open_index(str(folder / "index.sqlite"), build)


def change(index: Index, written: dict[str, str], *gone: str) -> int:
    with index.transaction():
        for path in gone:
            index.drop_file(path)
        put(index, written)
        return index.reconcile()


def rows(index: Index) -> list[IndexedRecord]:
    return [row for path in index.files() for row in index.fetch(index.rows_of_file(path)).values()]


def talk(*lines: str, heading: str = "Talk") -> dict[str, str]:
    said = "".join(f"- 09:{minute:02d} {line}\n" for minute, line in enumerate(lines))
    return {"memory/2025-11-01.md": f"# 2025-11-01\n\n## {heading}\n\n{said}"}


def bm25(held: Held, terms: tuple[QueryTerm, ...]) -> dict[int, float]:
    """Every row scored by the formula as printed, one after the other, from its own tokens."""
    average = sum(row.token_count for row, _text, _titles in held) / len(held)
    scores: dict[int, float] = {}
    for term in terms:
        counts = {
            row.row_id: sum(text[form] + lexical.TITLE_WEIGHT * titles[form] for form in term.forms)
            for row, text, titles in held
        }
        holding = max(sum(1 for _row, text, titles in held if text[form] or titles[form]) for form in term.forms)
        idf = term.weight * math.log(1 + (len(held) - holding + 0.5) / (holding + 0.5)) if holding else 0.0
        for row, _text, _titles in held:
            count = counts[row.row_id]
            if count:
                norm = lexical.K1 * (1 - lexical.B + lexical.B * row.token_count / average)
                scores[row.row_id] = scores.get(row.row_id, 0.0) + idf * count * (lexical.K1 + 1) / (count + norm)
    return scores


def read_by(index: Index, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows whose tokens are read from here on."""
    read: list[int] = []
    turns = index.read_turns

    def noted(asked: Iterable[int], only: Filter) -> list[IndexedTurn]:
        read.extend(asked := list(asked))
        return turns(asked, only)

    monkeypatch.setattr(index, "read_turns", noted)
    return read


def asked_of_the_database(index: Index, monkeypatch: pytest.MonkeyPatch) -> list[TokenQuery]:
    """What the full text is asked for from here on."""
    asked: list[TokenQuery] = []
    real = postings.find_matching_rows

    def noted(db: Any, wanted: TokenQuery, at_most: int) -> list[int]:
        asked.append(wanted)
        return real(db, wanted, at_most)

    monkeypatch.setattr(postings, "find_matching_rows", noted)
    return asked
