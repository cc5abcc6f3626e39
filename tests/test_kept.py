"""What is kept of one state of the index is what the index says, and is let go when anything is written."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory
from commonplace.index import (
    AllOf,
    AnyOf,
    Filter,
    Index,
    TokenQuery,
    name_reader,
    open_index,
    postings,
    repeated_token_marker,
    snapshot_cache,
)
from commonplace.index import rows as index_rows
from commonplace.index.snapshot_cache import TextLengths, TokenBitmaps
from commonplace.index.sql import filter_condition
from commonplace.language.text import query_terms
from commonplace.model import Query
from commonplace.retrieval.recall import recall
from commonplace.retrieval.recall.entity_names import expand_aliases
from commonplace.retrieval.recall.lexical import Bm25Scorer
from tests.support.counting import runs_sql, sql_steps
from tests.support.indexes import WORDS, asked_of_the_database, change, made, rows, talk

wanted_of = st.recursive(
    st.sampled_from((*WORDS, *map(repeated_token_marker, WORDS), "nowhere")),
    lambda parts: (
        st.builds(AllOf, st.lists(parts, min_size=1, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(parts, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two hundred lines, some of them under a title, and forty captures of few words, with gaps between the rows."""
    chance = random.Random(4)
    said = [" ".join(chance.choices(WORDS, k=chance.randint(1, 4))) for _ in range(240)]
    memory = Memory.open(tmp_path_factory.mktemp("spoken"))
    for text in said[200:]:
        memory.capture(text)
    for page in range(4):
        path = Path(memory.root) / f"{page}.md"
        lines = "".join(f"- {text}\n" for text in said[page * 50 : page * 50 + 50])
        path.write_text("# Tea on a boat\n\n" * (page > 2) + lines, encoding="utf-8")
    memory.sync()
    (Path(memory.root) / "1.md").unlink()
    memory.sync()
    return memory.workspace.open_index()


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(wanted_of)
def test_ands_and_ors_of_kept_holders_find_what_the_full_text_finds(spoken: Index, wanted: TokenQuery) -> None:
    found = spoken.matching_rows(wanted)
    assert found == postings.find_matching_rows(spoken._db, wanted, -1)
    assert found == sorted(found)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.sets(st.integers(0, 9_000), max_size=30) | st.sets(st.integers(0, 90)), st.sampled_from((0, 1 << 31)))
def test_bits_are_rows_again_whether_few_or_many_are_set(places: set[int], first: int) -> None:
    ordered = sorted(places)
    assert snapshot_cache._bitmap_to_rows(snapshot_cache._positions_to_bitmap(ordered), first) == [
        first + place for place in ordered
    ]


CACHED: dict[str, Callable[[Index, list[int]], object]] = {
    "the rows of words": lambda index, _rows: index.matching_rows(AllOf(("tea", "milk"))),
    "the rows of each word": lambda index, rows: index.rows_by_token(["tea", "milk"], rows),
    "how many rows have a word": lambda index, _rows: index.document_frequency("tea"),
    "similar words": lambda index, _rows: index.similar_tokens("zeb", ("tea",)),
    "lengths": lambda index, rows: index.sort_by_length(rows),
    "turns": lambda index, rows: sorted(turn.text for turn in index.read_turns(rows, Filter())),
    "turns of a filter": lambda index, rows: [turn.text for turn in index.read_turns(rows, Filter(scopes=("",)))],
    "names of dialogues": lambda index, rows: index.dialogue_names(rows),
    "how much is written": lambda index, _rows: index.distinct_size(),
    "the newest rows": lambda index, _rows: index.newest_filtered_rows(Filter(), 9),
    "the newest rows of a filter": lambda index, _rows: index.newest_filtered_rows(Filter(scopes=("",)), 9),
    "the newest rows that mention a name": lambda index, _rows: index.newest_mentioning_rows(["ada"], Filter(), 9),
}


@pytest.mark.parametrize("what", CACHED)
def test_what_is_asked_again_runs_no_sql_until_something_is_written(what: str, tmp_path: Path) -> None:
    ask = CACHED[what]
    before = talk("Ada: Tea.", "Ben: Milk.", "No turn.") | {"a.md": "- tea and milk <!-- project: garden -->\n"}
    index = made(tmp_path, before)
    every = [row.row_id for row in rows(index)]
    answer = ask(index, every)
    assert not runs_sql(index, lambda: ask(index, every))
    assert ask(index, every) == answer
    change(index, {"b.md": "- tea, milk and a zebra\n"} | talk("Ada: Tea.", "Ada: Milk with tea.", "No turn."))
    every = [row.row_id for row in rows(index)]
    nothing_kept = open_index(str(tmp_path / "index.sqlite"), lambda _index: None)
    assert ask(index, every) == ask(nothing_kept, every) != answer


def test_the_state_is_read_once_in_a_snapshot(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    with index.snapshot():
        before = index.state()
        assert sql_steps(index, index.state) == 0
    change(index, {"a.md": "- tea\n- milk\n"})
    assert index.state() != before


def test_what_another_process_writes_is_looked_up_anew(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory, Memory.open(tmp_path) as other:
        memory.retain("The boat is blue.")
        index = memory.workspace.open_index()
        assert len(index.matching_rows("boat")) == 1
        other.retain("The boat is green.")
        with index.snapshot():
            assert len(index.matching_rows("boat")) == 2


def test_what_is_asked_in_the_midst_of_writing_is_not_kept(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})

    def write_and_break_off() -> None:
        with index.transaction():
            assert len(index.matching_rows("tea")) == index.document_frequency("tea") == 1
            index.drop_file("a.md")
            assert index.document_frequency("tea") == 0
            assert index.matching_rows("tea") == []
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_break_off()
    assert len(index.matching_rows("tea")) == 1


def test_of_words_that_very_many_hold_the_full_text_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "- tea\n" * 30 + "- tea and milk\n"})
    monkeypatch.setattr(snapshot_cache, "MAX_BITMAP_ROWS", 20)
    asked = asked_of_the_database(index, monkeypatch)
    both = AllOf(("tea", "milk"))
    assert [len(index.matching_rows(both)) for _ in range(3)] == [1, 1, 1]
    assert asked == ["tea", both, both, both]


def test_no_more_holders_are_kept_than_their_bound_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "".join(f"- {word}\n" for word in WORDS)})
    monkeypatch.setattr(snapshot_cache, "MAX_BITMAP_CACHE_BYTES", 2 * snapshot_cache.BITMAP_OVERHEAD_BYTES)
    kept = TokenBitmaps(index._db)
    asked = asked_of_the_database(index, monkeypatch)
    for word in ("tea", "milk", "tea", "boat", "tea", "milk"):
        assert len(kept.matching_rows(word)) == 1
    assert asked == ["tea", "milk", "boat", "milk"], "what was asked for lately stays"
    assert len(kept._bitmaps) == 2


def test_lengths_are_read_once_and_those_of_captures_stand_apart(
    spoken: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = sorted((row.token_count, row.row_id) for row in rows(spoken))
    kept, read = TextLengths(spoken._db), []
    real = postings.sort_rows_by_length

    def noted(db: Any, asked: list[int]) -> tuple[list[int], list[int]]:
        read.extend(asked)
        return real(db, asked)

    monkeypatch.setattr(postings, "sort_rows_by_length", noted)
    some = [row for _length, row in expected[::3]]
    for asked in (some, [row for _length, row in expected], some):
        ordered, lengths = kept.sort_by_length(asked)
        assert list(zip(lengths, ordered, strict=True)) == sorted(one for one in expected if one[1] in asked)
    assert sorted(read) == sorted(row for _length, row in expected)


def test_of_turns_no_more_are_kept_than_their_bound_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "- tea\n- milk <!-- project: garden -->\n"})
    every, shared = [row.row_id for row in rows(index)], Filter(scopes=("",))
    monkeypatch.setattr(index_rows, "MAX_DIALOGUE_CACHE_BYTES", 100)
    for _again in range(3):
        assert runs_sql(index, lambda: index.read_turns(every, shared))
        assert [turn.text for turn in index.read_turns(every, shared)] == ["tea"]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=4, unique=True), st.sets(st.integers(0, 250)))
def test_of_some_rows_those_that_hold_each_token_are_told(spoken: Index, tokens: list[str], places: set[int]) -> None:
    there = [row.row_id for row in rows(spoken)]
    some = [there[place] for place in places if place < len(there)] + [max(there) + 9, 9_999]
    told = spoken.rows_by_token(tokens, some)
    assert told is not None
    assert {token: set(held) for token, held in told.items()} == {
        token: set(spoken.matching_rows(token)) & set(some) for token in tokens
    }


def test_of_words_that_very_many_hold_no_holders_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "- tea\n" * 30 + "- milk\n"})
    monkeypatch.setattr(snapshot_cache, "MAX_BITMAP_ROWS", 20)
    everything = {row.row_id for row in rows(index)}
    assert index.rows_by_token(["milk"], everything) == {"milk": [max(everything)]}
    assert index.rows_by_token(["milk", "tea"], everything) is None


TALK = ["Ada: Where is the zebra?", *(f"Ben: The boat number {n} is green." for n in range(14))]


def test_turns_in_which_no_word_stands_are_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, talk(*TALK))
    looked: list[int] = []
    real = Bm25Scorer._count_terms

    def noted(measure: Bm25Scorer, tokens: dict[int, str], holders: Any) -> list[dict[int, int]]:
        looked.extend(tokens)
        return real(measure, tokens, holders)

    monkeypatch.setattr(Bm25Scorer, "_count_terms", noted)
    hits = recall(index, Query(text="where is the zebra?", now="2025-12-01T00:00"))
    assert len(hits.hits) + len(hits.candidates) == len(TALK)
    assert len(looked) == 1


def test_what_one_question_asks_for_again_and_again_is_unpacked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, {"a.md": "- tea\n- milk\n", "b.md": "- boat\n"})
    unpacked: list[int] = []
    real = snapshot_cache._bitmap_bytes
    monkeypatch.setattr(snapshot_cache, "_bitmap_bytes", lambda bits: unpacked.append(bits) or real(bits))
    everything = [row.row_id for row in rows(index)]
    told = index.rows_by_token(["tea", "milk"], everything)
    assert len(unpacked) == 4
    assert index.rows_by_token(["tea", "milk"], everything) == told
    assert len(unpacked) == 4
    assert index.rows_by_token(["milk"], everything) == {"milk": [everything[1]]}
    change(index, {"a.md": "- milk\n- tea\n", "b.md": "- boat\n"})
    everything = [row.row_id for row in rows(index)]
    (there,) = index.matching_rows("milk")
    assert index.rows_by_token(["milk"], everything) == {"milk": [there]}


def test_no_more_of_what_is_near_to_words_is_kept_than_its_bounds_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_reader, "MAX_CACHED_SIMILAR", 2)
    monkeypatch.setattr(name_reader, "MAX_SIMILAR_TOKENS", 1)
    index = made(tmp_path, {"a.md": "- harbour\n- harvest\n- boat\n"})
    kept_after: list[list[str]] = []
    for start in ("b", "har", "x", "b", "y"):
        index.similar_tokens(start, ())
        kept_after.append([start for (start,) in index._cache.similar_tokens])
    assert kept_after == [["b"], ["b"], ["b", "x"], ["x", "b"], ["b", "y"]]


def test_of_rows_only_those_that_bear_a_name_are_asked_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, talk("Ada: Tea?", "Ben: Milk.", "Ada: Ben has the boat.") | {"a.md": "- tea @Ada\n- milk\n"})
    everything = [row.row_id for row in rows(index)]
    asked: list[Any] = []
    real = postings.find_mentions_in_rows

    def noted(db: Any, keys: Any, some: Any) -> Any:
        asked.extend(some)
        return real(db, keys, some)

    expected = real(index._db, ["ada"], everything)
    monkeypatch.setattr(postings, "find_mentions_in_rows", noted)
    assert sorted(index.mentions_in_rows(["ada"], everything)) == sorted(expected)
    assert sorted(asked) == sorted({row for row, _key, _role in expected}) != sorted(everything)
    monkeypatch.setattr(snapshot_cache, "MAX_CACHED_ROW_IDS", 1)
    change(index, talk("Ada: Tea?", "Ben: Milk."))
    everything = [row.row_id for row in rows(index)]
    assert sorted(index.mentions_in_rows(["ada", "ben"], iter(everything))) == sorted(
        real(index._db, ["ada", "ben"], everything)
    )


def test_titles_are_looked_through_only_where_a_word_stands_in_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, {"a.md": "# The boat\n\n- tea\n", "b.md": "# Milk\n\n- tea\n"})
    looked: list[Sequence[str]] = []
    real = Bm25Scorer._count_in_texts

    def noted(measure: Bm25Scorer, texts: Sequence[str]) -> Any:
        looked.append(texts)
        return real(measure, texts)

    monkeypatch.setattr(Bm25Scorer, "_count_in_texts", noted)
    everything = [row.row_id for row in rows(index)]
    scores: list[int] = []
    for asked in ("tea", "tea boat"):
        measure = Bm25Scorer(index, query_terms(asked, ("en",)))
        measure.score_rows(index, everything, Filter())
        scores.append(len(set(measure.scores.values())))
    assert scores == [1, 2]
    assert len(looked) == 1


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from((*WORDS, "Tea, tea and Tea.")), min_size=1, max_size=3))
def test_a_line_is_measured_alike_whether_or_not_it_is_known_who_holds_a_word(spoken: Index, said: list[str]) -> None:
    terms = query_terms(" ".join(said), ("en",))
    there = [row.row_id for row in rows(spoken)]
    known, unknown = Bm25Scorer(spoken, terms), Bm25Scorer(spoken, terms)
    known.score_rows(spoken, there, Filter())
    nothing_kept = SimpleNamespace(rows_by_token=lambda *_asked: None, read_turns=spoken.read_turns)
    unknown.score_rows(cast("Index", nothing_kept), there, Filter())
    assert (known.scores, known.term_counts) == (unknown.scores, unknown.term_counts)
    assert [known.coverage(row) for row in there] == [unknown.coverage(row) for row in there]


def test_of_a_large_index_neither_holders_nor_lengths_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "MAX_CACHED_ROW_IDS", 3)
    index = made(tmp_path, {"a.md": "- tea\n- tea and milk\n"})
    asked = asked_of_the_database(index, monkeypatch)
    wanted = AllOf(("tea", "milk"))
    assert len(index.matching_rows(wanted)) == 1
    assert asked == ["tea", "milk"]
    change(index, {"a.md": "- tea\n- tea and milk\n- boat\n- zebra\n"})
    asked.clear()
    assert len(index.matching_rows(wanted)) == 1
    everything = [row.row_id for row in rows(index)]
    assert index.rows_by_token(["tea"], everything) is None
    assert sorted(index.sort_by_length(everything)[0]) == sorted(everything)
    assert asked == [wanted]
    assert not index._cache.text_lengths._lengths_by_row[0]


def test_nothing_that_was_kept_of_a_row_is_told_of_another_that_has_its_number(tmp_path: Path) -> None:
    index = made(tmp_path, talk("Ada: Tea.", "Ben: Milk with tea."))
    before = [row.row_id for row in rows(index)]
    lengths, names = index.sort_by_length(before), index.dialogue_names(before)
    change(index, {}, "memory/2025-11-01.md")
    change(index, talk("Ada: Tea with milk and milk.", "Ben: Boat.", heading="Later"))
    assert [row.row_id for row in rows(index)] == before
    assert index.sort_by_length(before) != lengths
    after = index.dialogue_names(before)
    assert after
    assert set(names.values()).isdisjoint(after.values())


def test_names_and_dialogues_are_reckoned_to_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, folder in ((index_rows.MAX_WHOLE_DIALOGUE_TURNS, "whole_dialogues"), (1, "long_dialogue_rows")):
        monkeypatch.undo()
        monkeypatch.setattr(index_rows, "MAX_WHOLE_DIALOGUE_TURNS", most)
        index = made(tmp_path / folder, talk("Ada: Tea?", "Ben: Milk."))
        everything, kept_turns = [row.row_id for row in rows(index)], index._cache.dialogues
        index.read_turns(everything, Filter())
        monkeypatch.setattr(index_rows, "MAX_DIALOGUE_CACHE_BYTES", kept_turns._bytes)
        names = sorted(set(index.dialogue_names(everything).values()))
        assert kept_turns._names_by_row
        index.read_turns((), Filter())
        assert not kept_turns._names_by_row
        index.read_turns(everything, Filter())
        index.read_dialogues(names, everything, Filter())
        assert getattr(kept_turns, f"_{folder}")
        index.read_turns((), Filter())
        assert not getattr(kept_turns, f"_{folder}")


def test_the_newest_rows_that_were_handed_out_may_be_changed(tmp_path: Path) -> None:
    index = made(tmp_path, talk("Ada: Tea.", "Ben: Milk.", "Ada: A boat."))
    newest = index.newest_filtered_rows(Filter(), 9)
    assert index.newest_filtered_rows(Filter(), 2) == newest[:2]
    there = len(newest)
    newest.clear()
    assert len(index.newest_filtered_rows(Filter(), 9)) == there


def test_of_rows_no_more_are_kept_than_their_bound_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "MAX_CACHED_RESULTS", 2)
    index = made(tmp_path, talk("Ada: Tea.", "Ben: Milk."))
    read = []
    for at_most in (1, 2, 1, 3, 1, 2):
        read.append(runs_sql(index, lambda at_most=at_most: index.newest_filtered_rows(Filter(), at_most)))
        assert len(index.newest_filtered_rows(Filter(), at_most)) == at_most
    assert read == [True, True, False, True, False, True], "what was asked for lately stays"


def test_a_filter_is_put_into_words_once_and_of_no_names_no_page_is_looked_for() -> None:
    assert filter_condition(Filter(scopes=("",))) is filter_condition(Filter(scopes=("",)))
    assert expand_aliases(cast("Index", None), ()) == {}


def test_no_more_frequencies_are_kept_than_their_bound_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "".join(f"- {word}\n" for word in WORDS)})
    monkeypatch.setattr(name_reader, "MAX_CACHED_FREQUENCIES", 2)
    assert [index.document_frequency(word) for word in (*WORDS, *WORDS)] == [1] * 10
    assert len(index._cache.frequencies) <= 3
