"""A notebook of at most 20 records: what nothing in the question found comes last, marked as not confident."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import structs

from commonplace import Memory
from commonplace.cli import main
from commonplace.cli.render import TerminalStyle, hit_lines
from commonplace.memory.recall import recall_for_pack, trace_for_reader
from commonplace.operations.parameters import PackRequest, RecallRequest
from commonplace.retrieval.recall.score_policy import MAX_LISTED_NOTEBOOK
from commonplace.serve.mcp.rendering import answer_text
from commonplace.shapes import hits_json

NOW = "2026-05-01T09:00"
LINES = (
    ("2026-01-02", "- W @Peter: Lives in Bremen."),
    ("2026-03-02", "- W @Ana: Plays the harp."),
    ("2026-03-02", "- O(c=0.9) @Ana: Prefers tea."),
    ("2026-02-01", "- B The boiler was mended. <!-- origin: untrusted -->"),
)
Book = Callable[..., Memory]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """Opens a notebook of logs with these lines, each a day and what is below `Retain`."""
    opened: list[Memory] = []

    def write(*lines: tuple[str, str]) -> Memory:
        (tmp_path / "memory").mkdir()
        for day in dict(lines):
            kept = "\n".join(line for said, line in lines if said == day)
            (tmp_path / f"memory/{day}.md").write_text(f"# {day}\n\n## Retain\n\n{kept}\n", encoding="utf-8")
        opened.append(Memory.open(tmp_path))
        return opened[-1]

    yield write
    for memory in opened:
        memory.close()


def listed(memory: Memory, question: str = "who plays the harp?", **arguments: object) -> tuple[list[str], list[str]]:
    """The texts of the hits, and of what is not confident."""
    hits = memory.recall(question, now=NOW, **arguments)
    return [hit.record.text for hit in hits.hits], [hit.record.text for hit in hits.not_confident]


def test_what_nothing_found_comes_last_the_newest_first(book: Book) -> None:
    others = ["@Ana: Prefers tea.", "The boiler was mended.", "@Peter: Lives in Bremen."]
    memory = book(*LINES)
    assert listed(memory) == (["@Ana: Plays the harp."], others)
    assert listed(memory, "zebras") == ([], ["@Ana: Plays the harp.", *others])


def test_hits_and_others_are_at_most_k(book: Book) -> None:
    memory = book(*LINES)
    assert listed(memory, k=2) == (["@Ana: Plays the harp."], ["@Ana: Prefers tea."])
    assert listed(memory, k=1) == (["@Ana: Plays the harp."], [])


def test_what_only_repeats_another_is_listed_once(book: Book) -> None:
    memory = book(*LINES[1:3])
    for minute in range(2):
        memory.capture("The boiler was mended.", ts=f"2026-02-01T09:0{minute}", session=f"s{minute}", now=NOW)
    assert listed(memory)[1] == ["@Ana: Prefers tea.", "The boiler was mended."]


def test_headings_are_listed_only_if_the_question_finds_them(book: Book) -> None:
    memory = book(*LINES[:1])
    Path(memory.workspace.root, "contacts.md").write_text("# Contacts\n\n## Ana\n", encoding="utf-8")
    assert listed(memory, "zebras") == ([], ["@Peter: Lives in Bremen."])
    assert listed(memory, "where is Ana?") == (["Ana"], ["@Peter: Lives in Bremen."])


def test_the_hits_and_the_confidence_are_the_same_with_and_without_them(book: Book) -> None:
    memory = book(*LINES)
    trace = trace_for_reader(memory.workspace, RecallRequest("who plays the harp?", now=NOW))
    assert structs.replace(trace, unmatched=()).hits == structs.replace(trace.hits, not_confident=())
    assert trace.hits.not_confident
    assert all(hit.score == 0 and not hit.reasons for hit in trace.hits.not_confident)


def test_of_more_records_than_are_few_none_is_listed(book: Book) -> None:
    lines = [(f"2026-01-{day:02}", f"- W Number {day} is green.") for day in range(1, 9)]
    memory = book(*lines, *LINES)  # beside 12 lines the index has 11 headings
    assert memory.workspace.synced_index().counts()["records"] > MAX_LISTED_NOTEBOOK
    assert listed(memory) == (["@Ana: Plays the harp."], [])
    assert listed(memory, kinds=("opinion",)) == ([], ["@Ana: Prefers tea."])  # the filter leaves few


def test_a_filter_withholds_it_here_too(book: Book) -> None:
    memory = book(*LINES)
    assert "The boiler was mended." not in listed(memory, trust=("trusted",))[1]
    assert listed(memory, until="2026-01-31")[1] == ["@Peter: Lives in Bremen."]
    assert listed(memory, entities=("Peter",)) == (["@Peter: Lives in Bremen."], [])
    assert listed(memory, scope="elsewhere", shared=False) == ([], [])


def test_what_was_replaced_or_hidden_is_not_listed(book: Book) -> None:
    newer = ("2026-04-02", "- W Moved to Ulm. <!-- supersedes: 7f3k9q -->")
    memory = book(*LINES, ("2026-01-03", "- W Lives in Rome. <!-- id: 7f3k9q -->"), newer)
    assert "Lives in Rome." not in listed(memory, k=20)[1]
    assert "Moved to Ulm." in listed(memory, k=20)[1]
    memory.forget((memory.recall("Bremen", now=NOW).hits[0].record.id,), apply=True, now=NOW)
    assert all("Bremen" not in text for texts in listed(memory, k=20) for text in texts)


def test_none_of_them_enters_a_pack(book: Book) -> None:
    memory = book(*LINES)
    for automatic in (False, True):
        packed = memory.pack("who plays the harp?", now=NOW, automatic=automatic, standing=False)
        assert [item.text for item in packed.items] == ["- @Ana: Plays the harp. [memory/2026-03-02.md#L5]"]
        assert recall_for_pack(memory.workspace, PackRequest("harp", now=NOW, automatic=automatic)).not_confident == ()


def test_why_not_names_the_stage_that_lost_it(book: Book) -> None:
    memory = book(*LINES)
    told = memory.why_not("who plays the harp?", "memory/2026-01-02.md#L5", now=NOW)
    assert (told.rank, told.lost_at) == (0, "words")


def test_every_interface_marks_them(book: Book, capsys: pytest.CaptureFixture[str]) -> None:
    memory = book(*LINES)
    answer = hits_json(memory.recall("who plays the harp?", now=NOW))
    assert [one["text"] for one in answer["not_confident"]] == listed(memory)[1]
    text = answer_text(json.loads(json.dumps(answer)))
    assert text.count("(not confident)") == 3
    assert "\n2. (not confident) " in text
    main(["--workspace", str(memory.workspace.root), "recall", "zebras"])
    shown = capsys.readouterr()
    assert shown.out.count("(not confident)") == 4
    assert "no confident match (confidence 0.00)" in shown.err


def test_the_mark_does_not_depend_on_the_score(book: Book) -> None:
    memory = book(*LINES)
    style = TerminalStyle(memory.environment)
    hit = structs.replace(memory.recall("harp", now=NOW).hits[0], score=0.0)
    assert "(not confident)" not in hit_lines(1, hit, style)[0]
    assert "(not confident)" in hit_lines(1, structs.replace(hit, score=1.0), style, is_match=False)[0]
