"""The ablation bench measures what recall does without each part, and writes the table that the docs show."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import ablation
from bench.ablation import WHOLE, Quality, ablate, rows, write

pytestmark = pytest.mark.usefixtures("calm")


def doc(number: int, text: str, speaker: str = "user") -> dict[str, Any]:
    return {
        "id": f"d{number}",
        "session": "s1",
        "timestamp": f"2025-11-01T09:{number:02}",
        "speaker": speaker,
        "text": text,
    }


def query(question: str, wanted: str) -> dict[str, Any]:
    return {"ns": "a", "question": question, "relevant": [wanted], "date": "2025-11-30T09:00"}


DOCS = [doc(0, "Tea at four.", "assistant"), doc(1, "Tea at four."), doc(2, "You receive the box."), doc(3, "Cake.")]
DATA = SimpleNamespace(
    docs={"a": DOCS}, queries=[query("when is tea?", "d1"), query("who will recieve it?", "d2"), query("Cake?", "d3")]
)


def at_the_front(ranked: list[str], wanted: list[str]) -> dict[str, float]:
    """A measure for so few lines: whether the first is the one that is wanted."""
    return {"r@10": float(ranked[:1] == wanted), "ndcg@10": float(wanted[0] in ranked)}


def test_each_part_is_measured_switched_off() -> None:
    found = ablate(DATA, at_the_front)
    assert tuple(found) == (WHOLE, *ablation.MEASURED)
    assert found[WHOLE] == Quality(100.0, 100.0)
    assert found["agent"] == pytest.approx((200 / 3, 100.0)), "path and line put what the assistant said first"
    assert found["spellings"] == pytest.approx((200 / 3, 200 / 3))
    assert found["lexical"] == Quality(0.0, 0.0), "a line has no score but by its words"
    assert found["trust"] == found[WHOLE]


@pytest.mark.slow
def test_what_is_passed_over_is_what_asking_again_would_say(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    search = ablation.Logs.search
    monkeypatch.setattr(ablation.Logs, "search", lambda logs, *given: asked.append(given[0]) or search(logs, *given))
    quick = ablate(DATA, at_the_front)
    few = len(asked)
    monkeypatch.setattr(ablation, "ALWAYS", ablation.MEASURED)
    assert ablate(DATA, at_the_front) == quick
    assert few < len(asked) - few == len(ablation.MEASURED) * len(DATA.queries)


def test_the_table_has_the_whole_and_then_what_each_part_changes() -> None:
    found = {"locomo": {WHOLE: Quality(79.204, 63.4), "near": Quality(76.6, 63.4), "time": Quality(79.5, 62.0)}}
    assert rows(found) == [
        "| without | LoCoMo r@10 | LoCoMo nDCG@10 |",
        "|---|---|---|",
        "| *nothing* | 79.20 | 63.40 |",
        "| `near` | −2.60 | 0 |",
        "| `time` | +0.30 | −1.40 |",
    ]


def test_the_table_is_put_between_its_marks_and_again_in_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n<!-- ablation -->\n<!-- /ablation -->\n\nAfter.\n", encoding="utf-8")
    write(page, "| old |")
    write(page, "| new |")
    text = page.read_text(encoding="utf-8")
    assert text.startswith(
        "Before.\n\n<!-- ablation -->\n\n| new |\n\nMade by `make bench ARGS=ablation` with Python 3."
    )
    assert text.endswith("\n\n<!-- /ablation -->\n\nAfter.\n")
    assert "old" not in text


def test_a_page_without_the_marks_is_left_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- other -->\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no place for 'ablation'"):
        write(page, "| new |")
    assert page.read_text(encoding="utf-8") == "Before.\n<!-- other -->\n"


def test_the_page_tells_of_every_part_on_every_set() -> None:
    page = ablation.PAGE.read_text(encoding="utf-8")
    table = page.partition("<!-- ablation -->")[2].partition("<!-- /ablation -->")[0]
    lines = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE))
    assert tuple(lines) == ablation.MEASURED
    assert all(line.count("|") == 2 * len(ablation.SETS) - 1 for line in lines.values())
