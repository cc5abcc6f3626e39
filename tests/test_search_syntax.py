"""What a person types into a search field: filters with known values and exact phrases; everything else is words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from commonplace import Memory
from commonplace.cli import main
from commonplace.model import SearchFilters
from commonplace.retrieval.recall.search_syntax import parse_search

NOW = "2025-11-30T09:00"
NAMES = ("path", "tag", "entity", "kind", "before", "after")
NOTES = {
    "MEMORY.md": "- Ana is allergic to nuts.\n",
    "memory/2025-11-10.md": "## Retain\n- O(c=0.8) @Ana: The low-tide ferry is too slow. #trip\n",
    "memory/2025-11-20.md": "## Retain\n- W @Ana: The ferry leaves at low tide, says [[Peter Novak]]. #trip #ferry\n",
    "notes/Trip-to-Bern.md": "# Trip to Bern\n\n- Pack the rain coat.\n- Low prices, high tide.\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    root = tmp_path_factory.mktemp("notebook")
    for path, written in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(written, encoding="utf-8")
    with Memory.open(root) as opened:
        yield opened


def read(memory: Memory, written: str) -> dict[str, Any]:
    """What a search is, without what it has nothing of."""
    return {name: value for name, value in structs.asdict(memory.search(written, now=NOW)).items() if value}


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("when does the ferry leave?", {"text": "when does the ferry leave?"}),
        ("tag:trip ferry", {"text": "ferry", "tags": ("trip",)}),
        ("ferry tag:#Trip, tag:ferry?", {"text": "ferry", "tags": ("Trip", "ferry")}),
        ('entity:"Peter Novak" ferry', {"text": "ferry", "entities": ("Peter Novak",)}),
        ("entity:peter-novak", {"entities": ("peter-novak",)}),
        ("kind:opinion kind:preference", {"kinds": ("opinion",), "categories": ("preference",)}),
        ("path:memory/2025-11 tide", {"text": "tide", "paths": ("memory/2025-11",)}),
        ("path:trip", {"paths": ("trip",)}),
        ("before:2025-11-20", {"until": "2025-11-19T23:59"}),
        ("after:2025-11-10", {"since": "2025-11-11T00:00"}),
        ('after:"last week"', {"since": "2025-11-24T00:00"}),
        ("after:2025-11-01 after:2025-11-10", {"since": "2025-11-11T00:00"}),
        ('"low tide" ferry', {"text": '"low tide" ferry', "phrases": ("low tide",)}),
        ("“low tide”", {"text": "“low tide”", "phrases": ("low tide",)}),
    ],
)
def test_what_is_known_is_a_filter(memory: Memory, written: str, read_as: dict[str, Any]) -> None:
    assert read(memory, written) == read_as


@pytest.mark.parametrize(
    "written",
    [
        *("tag:nothing", "tag: trip", "path:elsewhere", "path:/", "entity:Nobody", "kind:colour", "before:purple"),
        *("after:now:then", "tag:", "retag:trip", "https://tag:trip", 'a 6" board and an 8" one', '""', '"?"', '"open'),
        *("Tag:trip", "after:9999", "before:0001-01-01", "note:this"),
    ],
)
def test_everything_else_is_words(memory: Memory, written: str) -> None:
    assert read(memory, written) == {"text": written}


PARTS = st.one_of(st.text(), st.sampled_from([*(f"{name}:" for name in NAMES), '"', "“", " ", "trip", "2025-11-10"]))


@given(st.lists(PARTS).map("".join))
def test_any_text_can_be_read(memory: Memory, written: str) -> None:
    found = memory.search(written, now=NOW)
    assert memory.search(found.text, now=NOW).text == found.text  # nothing is left that would be a filter
    memory.recall(**structs.asdict(found), now=NOW, k=2)


@given(st.lists(PARTS).map("".join).filter(lambda text: not set(text) & set('"“”')))
def test_what_nobody_understands_is_left_as_it_is(written: str) -> None:
    assert parse_search(written, lambda _name, _value: {}) == SearchFilters(written)


def found(memory: Memory, written: str, **options: Any) -> list[str]:
    hits = memory.recall(**structs.asdict(memory.search(written, now=NOW)), now=NOW, **options)
    return [one.record.source.location for one in (*hits.hits, *hits.not_confident)]


def test_filters_and_phrases_hold(memory: Memory) -> None:
    assert found(memory, "ferry tag:trip after:2025-11-10") == ["memory/2025-11-20.md#L2"]
    assert found(memory, "ferry tag:trip tag:ferry") == ["memory/2025-11-20.md#L2"]
    assert set(found(memory, '"LOW TIDE"')) == {"memory/2025-11-10.md#L2", "memory/2025-11-20.md#L2"}
    assert found(memory, '"low-tide FERRY"') == ["memory/2025-11-10.md#L2"]
    assert found(memory, '"tide low"') == []
    assert found(memory, '"low high tide"') == []
    assert "MEMORY.md#L1" not in found(memory, "nuts path:memory/")
    assert found(memory, "nuts path:MEMORY") == ["MEMORY.md#L1"]
    assert found(memory, "kind:opinion") == ["memory/2025-11-10.md#L2"]


def test_filters_alone_list_what_they_let_through_the_newest_first(memory: Memory) -> None:
    assert found(memory, "tag:trip") == ["memory/2025-11-20.md#L2", "memory/2025-11-10.md#L2"]
    assert found(memory, "tag:trip", k=1) == ["memory/2025-11-20.md#L2"]
    assert found(memory, "before:2025-11-15 kind:opinion") == ["memory/2025-11-10.md#L2"]


@pytest.mark.parametrize(
    ("filters", "named"),
    [({"tags": ("ferry",)}, "tag"), ({"paths": ("notes",)}, "path"), ({"phrases": ("high tide",)}, "phrase")],
)
def test_why_not_names_the_filter_and_the_change_without_it(
    memory: Memory, filters: dict[str, tuple[str, ...]], named: str
) -> None:
    told = memory.why_not("slow ferry", "memory/2025-11-10.md#L2", now=NOW, **filters)
    assert [stage.filter for stage in told.stages if not stage.passed] == [named]
    assert told.changes[0].arguments == {next(iter(filters)): ()}


def test_the_command_reads_the_syntax_unless_told_not_to(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["recall", "--workspace", memory.root, "ferry tag:ferry"]
    assert main(asked) == 0
    assert capsys.readouterr().out.count("\n   lexical") == 1
    assert main([*asked, "--plain"]) == 0
    assert capsys.readouterr().out.count("\n   lexical") == 2
    assert main([*asked, "--kind", "opinion"]) == 0
    assert "lexical" not in capsys.readouterr().out


def test_what_a_host_hands_in_is_never_parsed(memory: Memory) -> None:
    from commonplace.serve.dispatch import run_operation

    words = {"text": 'tag:ferry "tide low" ferry', "now": NOW}
    assert len(run_operation(memory, "recall", words)["hits"]) > 1
    prompt = {"host": "openclaw", "event": {"prompt": words["text"]}}
    assert "The ferry leaves" in str(run_operation(memory, "prompt", prompt))
