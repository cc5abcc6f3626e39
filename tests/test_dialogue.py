"""What is found by what was said around it, and by the form of the question."""

from __future__ import annotations

import math
import tracemalloc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory
from commonplace.capture import Event
from commonplace.index import Dialogue, Filter, IndexedTurn, rows, session_name
from commonplace.index.rows import MAX_WHOLE_DIALOGUE_TURNS, NEIGHBOR_TURNS
from commonplace.index.store import SqliteIndex
from commonplace.language import text
from commonplace.model import Hit, Hits, Query
from commonplace.retrieval.recall import dialogue, trace_recall
from commonplace.retrieval.recall.dialogue import (
    AFTER_QUESTION_WEIGHT,
    MAX_DIALOGUES,
    MIN_DIALOGUE_TURNS,
    NEARBY_WEIGHTS,
)
from commonplace.retrieval.recall.lane_input import MIN_SCORED
from commonplace.retrieval.recall.query import EMPHASIS_BOOST, LIGHT_WEIGHT, parse_query
from commonplace.retrieval.recall.question_analysis import AnswerType, classify_answer_type, may_contain_answer
from commonplace.retrieval.recall.score_policy import HARDLY_LOWERED
from commonplace.retrieval.recall.scoring import (
    ADDRESSED_PENALTY,
    AGENT_WEIGHT,
    ANSWER_BOOST,
    ASKED_AGENT_WEIGHT,
    LENGTH_BOOST,
    log_length,
)

NOW = "2025-11-30T09:00"
SIZE = 15
FILLER = ("The bus was late.", "Rain again in the valley.", "Coffee is on the stove.", "Somebody rang the bell.")


pytestmark = pytest.mark.usefixtures("calm")


def log(root: str, day: str, turns: list[str]) -> None:
    path = Path(root, f"memory/{day}.md")
    path.parent.mkdir(exist_ok=True)
    lines = "\n".join(f"- 09:{n % 60:02} {turn}" for n, turn in enumerate(turns))
    path.write_text(f"# {day}\n\n## Talk, {day}\n\n{lines}\n", encoding="utf-8")


def padded(turns: list[str], size: int = SIZE + 5, who: str = "Ada") -> list[str]:
    """The turns behind so many others that the dialogue counts as one."""
    return [f"{who}: {FILLER[n % len(FILLER)]}" for n in range(size - len(turns))] + turns


def ask(memory: Memory, question: str, **options: object) -> Hits:
    return memory.recall(question, now=NOW, **options)


def reasons(hit: Hit) -> dict[str, float]:
    return {reason.name: reason.value for reason in hit.reasons}


def by_text(hits: Hits, text: str) -> Hit:
    return next(hit for hit in (*hits.hits, *hits.candidates) if hit.record.text == text)


def test_an_answer_that_shares_no_word_with_the_question_is_found_behind_it(memory: Memory) -> None:
    log(memory.root, "2025-11-01", padded(["Ada: Where did you put the spare key?", "Ben: Under the third flowerpot."]))
    hits = ask(memory, "where is the spare key?")
    answer = by_text(hits, "Ben: Under the third flowerpot.")
    asked = by_text(hits, "Ada: Where did you put the spare key?")
    assert reasons(answer)["answers"] == pytest.approx(AFTER_QUESTION_WEIGHT * reasons(asked)["lexical"], abs=1e-5)
    assert "lexical" not in reasons(answer)
    assert [hit.record.text for hit in hits.hits[:2]].count(answer.record.text) == 1


def test_one_good_line_promises_more_of_a_dialogue_than_many_poor_ones(memory: Memory) -> None:
    for day in range(1, MAX_DIALOGUES + 1):
        log(memory.root, f"2025-10-{day:02}", padded([f"Ada: The key of room {day}{n} is here." for n in range(4)]))
    log(memory.root, "2025-11-01", padded(["Ada: Where did you put the spare key?", "Ben: Under the third flowerpot."]))
    Path(memory.root, "notes.md").write_text("".join(f"- Spare part {n}.\n" for n in range(12)), encoding="utf-8")
    found = by_text(ask(memory, "where is the spare key?"), "Ben: Under the third flowerpot.")
    assert "answers" in reasons(found), "its dialogue was read, although there are only so many that are"


def test_only_a_question_lends_its_words_to_the_next_turn(memory: Memory) -> None:
    log(memory.root, "2025-11-01", padded(["Ada: I put the spare key away.", "Ben: Under the third flowerpot."]))
    assert "answers" not in reasons(by_text(ask(memory, "where is the spare key?"), "Ben: Under the third flowerpot."))


def test_lines_that_name_who_said_them_are_no_dialogue_and_are_found_by_that_name(memory: Memory) -> None:
    said = [f"{turn.removeprefix('Ada: ')} <!-- by: Ada Kern · said: 2025-11-01 -->" for turn in padded([])]
    said += ["Where is the spare key? <!-- by: Ada Kern -->", "Under the third flowerpot. <!-- by: Ben Kern -->"]
    Path(memory.root, "notes.md").write_text("".join(f"- {line}\n" for line in said), encoding="utf-8")
    hits = ask(memory, "where is the spare key?")
    assert "Under the third flowerpot." not in [hit.record.text for hit in (*hits.hits, *hits.candidates)]
    answer = ask(memory, "Ben Kern").hits[0].record
    assert (answer.text, session_name(answer)) == ("Under the third flowerpot.", "")
    assert memory.workspace.open_index().session_names(Filter(history=True)) == ()


def test_turns_up_to_three_away_lend_some_of_their_words(memory: Memory) -> None:
    turns = ["Ada: The violin needs strings.", "Ben: Hm.", "Ada: I will go to Graz.", "Ben: Fine.", "Ada: Good night."]
    log(memory.root, "2025-11-01", padded(turns))
    hits = ask(memory, "violin strings")
    own = reasons(by_text(hits, turns[0]))["lexical"]
    for turn, weight in zip(turns[1:], NEARBY_WEIGHTS, strict=False):
        assert reasons(by_text(hits, turn))["near"] == pytest.approx(weight * own, abs=1e-5)
    assert "near" not in reasons(by_text(hits, turns[4]))


def test_a_turn_of_a_dialogue_about_the_matter_comes_before_its_like_elsewhere(memory: Memory) -> None:
    same = "Ada: The strings came on Monday."
    log(memory.root, "2025-11-01", padded([same, *(f"Ada: {line}" for line in FILLER)]))
    about = [f"Ben: My violin sounds {how} today." for how in ("warm", "thin", "bright", "dull")]
    log(memory.root, "2025-11-02", padded([same, *(f"Ada: {line}" for line in FILLER), *about], SIZE + 9))
    hits = [hit for hit in ask(memory, "strings of the violin").hits if hit.record.text == same]
    assert [hit.record.source.path for hit in hits] == ["memory/2025-11-02.md", "memory/2025-11-01.md"]
    assert reasons(hits[0])["session"] > reasons(hits[1]).get("session", 0)


@pytest.mark.parametrize(
    ("other", "size", "is_lent"),
    [("Ada", MIN_DIALOGUE_TURNS, True), ("Ada", MIN_DIALOGUE_TURNS - 1, False), ("assistant", SIZE, False)],
)
def test_only_long_talk_between_people_says_something_of_a_line(
    memory: Memory, other: str, size: int, is_lent: bool
) -> None:
    log(memory.root, "2025-11-01", padded([f"{other}: Where is the key?", "Ben: Under a flowerpot."], size, who=other))
    lent = {name for hit in ask(memory, "where is the key?").hits for name in reasons(hit)}
    assert ({"session", "answers"} <= lent) is is_lent
    assert lent.isdisjoint({"session", "near", "answers"}) is not is_lent


def test_lines_that_are_nobodys_turns_lend_nothing(memory: Memory) -> None:
    lines = [*(line for line in FILLER * 5), "Where is the spare key?", "Under the third flowerpot."]
    log(memory.root, "2025-11-01", lines)
    assert all(hit.record.text != "Under the third flowerpot." for hit in ask(memory, "where is the spare key?").hits)


def test_captures_of_a_session_are_a_dialogue_as_lines_of_a_log_are(memory: Memory) -> None:
    said = padded(["Where did you put the spare key?", "Under the third flowerpot."], who="")
    events = [
        Event(text=text.removeprefix(": "), ts=f"2025-11-01T09:{n:02}", session="s1", detail={"speaker": "AB"[n % 2]})
        for n, text in enumerate(said)
    ]
    memory.capture_all(events)
    memory.capture("The spare key of the shed is new.", session="s2", detail={"speaker": "Ada"})
    answer = by_text(ask(memory, "where is the spare key?"), "Under the third flowerpot.")
    assert "answers" in reasons(answer)


def test_what_the_filter_hides_is_not_found_by_what_is_around_it(memory: Memory) -> None:
    said = padded(["Where did you put the spare key?"], who="")
    events = [
        Event(text=text.removeprefix(": "), ts=f"2025-11-01T09:{n:02}", session="s1", scope="home")
        for n, text in enumerate(said)
    ]
    hidden = Event(text="Under the third flowerpot.", ts="2025-11-01T09:59", session="s1", scope="office")
    memory.capture_all([*events, hidden])
    found = ask(memory, "where is the spare key?", scope="home")
    assert found.hits
    assert all(hit.record.scope == "home" for hit in (*found.hits, *found.candidates))


def test_what_the_filter_hides_lends_nothing_to_what_is_around_it(memory: Memory) -> None:
    asked = Event(
        text="Where did you put the spare key?", ts="2025-11-01T09:50", session="s1", scope="office", actor="agent"
    )
    answer = Event(text="Under the third flowerpot, I think.", ts="2025-11-01T09:51", session="s1", scope="home")
    rest = [
        Event(
            text=f"{FILLER[n % 4]} {n}",
            ts=f"2025-11-01T09:{n:02}",
            session="s1",
            scope="home",
            detail={"speaker": ("Ada", "Ben")[n % 2]},
        )
        for n in range(SIZE)
    ]
    memory.capture_all([*rest, asked, answer])
    memory.capture("The spare key of the shed.", session="s2", scope="home")
    found = ask(memory, "where is the spare key?", scope="home")
    assert answer.text not in {hit.record.text for hit in (*found.hits, *found.candidates)}
    assert answer.text in {hit.record.text for hit in ask(memory, "where is the spare key?", all_scopes=True).hits}


def test_of_a_very_long_dialogue_only_what_is_near_a_match_is_read(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = padded(["Ada: Where is the spare key?", "Ben: Under the third flowerpot."], MAX_WHOLE_DIALOGUE_TURNS + 50)
    log(memory.root, "2025-11-01", [*turns, *(f"Ben: {line}" for line in FILLER * 5)])
    memory.sync()
    read: list[int] = []
    real = SqliteIndex.read_dialogues

    def counted(index: SqliteIndex, *asked: Any) -> list[Dialogue]:
        found = real(index, *asked)
        read.extend(sum(turn is not None for turn in one.turns) for one in found)
        return found

    monkeypatch.setattr(SqliteIndex, "read_dialogues", counted)
    hits = ask(memory, "where is the spare key?", sync=False)
    assert max(read) <= 2 * NEIGHBOR_TURNS + 1
    assert "answers" in reasons(by_text(hits, "Ben: Under the third flowerpot."))


# What is around a turn, reckoned plainly.


class Talk:
    """An index of a few dialogues."""

    def __init__(self, *said: Dialogue) -> None:
        self.said = said

    def dialogue_names(self, _rows: object) -> dict[int, str]:
        return {1: "talk"}

    def read_dialogues(self, *_asked: object) -> list[Dialogue]:
        return list(self.said)

    def read_turns(self, *_asked: object) -> list[IndexedTurn]:
        return []


talk = st.lists(
    st.none()
    | st.tuples(st.integers(0, 40), st.sampled_from("AB"), st.lists(st.integers(0, 2), min_size=3, max_size=3)),
    min_size=1,
    max_size=24,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(talk)
def test_what_is_around_a_turn_is_what_the_page_says_place_by_place(
    said: list[tuple[int, str, list[int]] | None],
) -> None:
    found = around(said)
    between_people = len({one[1] for one in said if one}) > 1
    score = dict(enumerate(sum(one[2]) * between_people if one else 0 for one in said))
    for at, one in enumerate(said):
        if one is None:
            continue
        away = enumerate(NEARBY_WEIGHTS, 1)
        near = sum(weight * (score.get(at - turns, 0) + score.get(at + turns, 0)) for turns, weight in away)
        assert found[at + 1].nearby_lines == pytest.approx(near)
        asked = said[at - 1] if at else None
        assert found[at + 1].after_question == pytest.approx(
            AFTER_QUESTION_WEIGHT * score[at - 1] if asked and asked[1] != one[1] else 0
        )


WORDS = [SimpleNamespace(idf=idf, frequency=2, weight=1.0) for idf in (1.0, 2.5, 0.7)]


def around(*talks: list[tuple[int, str, list[int]] | None]) -> dialogue.DialogueScores:
    """What is around the turns of dialogues, whose rows are counted from 1 on; a turn scores how many words it holds."""
    said = [one for talk in talks for one in talk]
    turns = [IndexedTurn(row, "", "", one[0], one[1], "", "What?") if one else None for row, one in enumerate(said, 1)]
    counts = [{row: one[2][word] for row, one in enumerate(said, 1) if one and one[2][word]} for word in range(3)]
    scores = {row: float(sum(one[2])) for row, one in enumerate(said, 1) if one and any(one[2])}
    measure = SimpleNamespace(
        terms=WORDS,
        record_count=50,
        average_length=11.0,
        scores=scores,
        term_counts=counts,
        score_rows=lambda *_rows: None,
    )
    parts = [turns[: len(talks[0])], turns[len(talks[0]) :]][: len(talks)]
    return dialogue.score_dialogues(Talk(*(Dialogue(tuple(part), SIZE) for part in parts)), measure, {1: 1.0}, Filter())


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(talk, talk)
def test_dialogues_that_are_measured_together_say_nothing_of_each_other(
    first: list[tuple[int, str, list[int]] | None], second: list[tuple[int, str, list[int]] | None]
) -> None:
    together = around(first, second)
    for talk, before in ((first, 0), (second, len(first))):
        alone = around(talk)
        assert [beside(together[row + before]) for row in alone] == [beside(alone[row]) for row in alone]


def beside(one: dialogue.TurnScores) -> tuple[float, float]:
    return one.nearby_lines, one.after_question


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(talk, talk)
def test_no_turn_gains_more_from_its_dialogue_than_the_dialogue_adds_at_the_most(
    first: list[tuple[int, str, list[int]] | None], second: list[tuple[int, str, list[int]] | None]
) -> None:
    found = around(first, second)
    lent = {row: one.session + one.nearby_lines + one.after_question for row, one in found.items()}
    assert dict(zip(found, found.context_scores(found), strict=True)) == pytest.approx(lent)
    assert found._context_scores[dialogue.NO_POSITION] == 0.0  # where what is alone has its place
    told = [(most, [row for row in group if row in found]) for most, group in found.bounds_by_dialogue()]
    assert sorted(row for _most, group in told for row in group) == sorted(found)
    for most, group in told:
        assert max((lent[row] for row in group), default=0.0) <= most + 1e-9


# Dialogues that were read are kept.


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the dialogues that are read from the database, as they are."""
    names: list[str] = []
    real = rows._read_dialogue_rows

    def counted(db: Any, asked: Any) -> dict[str, list[int]]:
        names.extend(asked)
        return real(db, asked)

    monkeypatch.setattr(rows, "_read_dialogue_rows", counted)
    return names


def said_of(memory: Memory, question: str, **choices: Any) -> list[tuple[str, float]]:
    return [(hit.record.text, hit.score) for hit in ask(memory, question, **choices).hits]


KEY = ["Ada: Where is the spare key?", "Ben: Under the third flowerpot."]


def test_a_dialogue_is_read_once_as_long_as_nothing_is_written(memory: Memory, read: list[str]) -> None:
    log(memory.root, "2025-11-01", padded(KEY))
    first = said_of(memory, "where is the spare key?")
    assert len(read) == 1
    assert said_of(memory, "where is the spare key?", sync=False) == first
    assert "Ben: Under the third flowerpot." in dict(said_of(memory, "who has the spare key?", sync=False))
    assert len(read) == 1
    log(memory.root, "2025-11-01", padded([KEY[0], "Ben: Upon the second shelf."]))
    assert "Ben: Upon the second shelf." in dict(said_of(memory, "where is the spare key?"))
    assert len(read) == 2


def test_the_shape_of_a_dialogue_is_made_once_and_let_go_with_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[weakref.ref[Dialogue]] = []
    real = dialogue._compute_dialogue_shape

    def noted(one: Dialogue) -> dialogue.DialogueShape:
        made.append(weakref.ref(one))
        return real(one)

    monkeypatch.setattr(dialogue, "_compute_dialogue_shape", noted)
    log(memory.root, "2025-11-01", padded(KEY))
    said_of(memory, "where is the spare key?")
    said_of(memory, "who has the spare key?", sync=False)
    assert len(made) == 1
    log(memory.root, "2025-11-01", padded([KEY[0], "Ben: Upon the second shelf."]))
    said_of(memory, "where is the spare key?")
    assert [one() is None for one in made] == [True, False]


def test_what_another_process_writes_is_read_anew(memory: Memory, read: list[str]) -> None:
    log(memory.root, "2025-11-01", padded(KEY))
    said_of(memory, "where is the spare key?")
    with Memory.open(memory.root) as other:
        log(memory.root, "2025-11-01", padded([KEY[0], "Ben: Upon the second shelf."]))
        other.sync()
    assert "Ben: Upon the second shelf." in dict(said_of(memory, "where is the spare key?", sync=False))
    assert len(read) == 2


def test_what_is_rolled_back_is_not_kept(memory: Memory) -> None:
    log(memory.root, "2025-11-01", padded(KEY))
    memory.sync()
    index = memory.workspace.open_index()
    (row,) = index.matching_rows("flowerpot")
    names = list(index.dialogue_names([row]).values())

    def last() -> str:
        (found,) = index.read_dialogues(names, [], Filter())
        return found.turns[-1].text

    def write_and_break_off() -> None:
        with index.transaction():
            index._db.execute("update records set text = 'Gone.' where rowid = ?", (row,))
            assert last() == "Gone."
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_break_off()
    assert last() == KEY[1]


def test_each_filter_gets_what_it_lets_through_of_a_dialogue_that_was_read(memory: Memory) -> None:
    log(memory.root, "2025-11-01", padded([*KEY, "Ben: A key hangs in the shed. <!-- project: garden -->"]))
    memory.sync()
    for scope in ("garden", "house", "", "garden"):
        for history in (False, True):
            hits = said_of(memory, "where is the spare key?", scope=scope, history=history, sync=False)
            assert ("Ben: A key hangs in the shed." in dict(hits)) is (scope == "garden")
            with Memory.open(memory.root) as fresh:
                again = said_of(fresh, "where is the spare key?", scope=scope, history=history, sync=False)
                assert again == hits


def test_of_a_very_long_dialogue_the_next_question_gets_other_parts(memory: Memory) -> None:
    violin = ["Ada: Where is my violin?", "Ben: Behind the piano."]
    log(memory.root, "2025-11-01", [*padded(KEY, MAX_WHOLE_DIALOGUE_TURNS), *padded(violin, MAX_WHOLE_DIALOGUE_TURNS)])
    assert KEY[1] in dict(said_of(memory, "where is the spare key?"))
    assert violin[1] in dict(said_of(memory, "where is my violin?", sync=False))


def test_no_more_is_kept_than_its_bound_allows(
    memory: Memory, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 4):
        log(memory.root, f"2025-11-0{day}", padded(KEY))
    answer = said_of(memory, "where is the spare key?")
    assert len(read) == 3
    assert said_of(memory, "where is the spare key?", sync=False) == answer
    assert len(read) == 3
    monkeypatch.setattr(rows, "MAX_DIALOGUE_CACHE_BYTES", 100)
    assert [said_of(memory, "where is the spare key?", sync=False) for _ in range(4)] == [answer] * 4
    assert len(read) == 15, "each question reads anew"


def test_dialogues_of_which_everything_is_hidden_take_no_more_either(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(memory.root, "2025-11-01", padded(KEY, MAX_WHOLE_DIALOGUE_TURNS))
    memory.sync()
    index = memory.workspace.open_index()
    names = list(index.dialogue_names(index.matching_rows("flowerpot")).values())
    monkeypatch.setattr(rows, "MAX_DIALOGUE_CACHE_BYTES", 20_000)
    tracemalloc.start()
    try:
        for year in range(1000, 1100):
            (found,) = index.read_dialogues(names, [], Filter(since=f"{year}-01-01T00:00", until=f"{year}-02-01T00:00"))
            assert not any(found.turns)
        grown, _most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 80_000  # of a hundred filters


@pytest.mark.parametrize(("matching", "says"), [(MIN_SCORED - 5, True), (MIN_SCORED, False)])
def test_where_enough_matches_a_name_alone_says_nothing(memory: Memory, matching: int, *, says: bool) -> None:
    log(memory.root, "2025-11-01", [*[f"Ada: Tea number {n}." for n in range(matching)], "Ben: Fine with me."])
    memory.sync()
    index = memory.workspace.open_index()
    (row,) = index.matching_rows("fine")
    found = trace_recall(index, Query(text="did Ben have tea?", now=NOW)).candidates
    assert found[row].speaks
    assert bool(found[row].entity) is says


# Words that stand together.


def test_words_that_stand_together_as_in_the_question_count_more(memory: Memory) -> None:
    apart = "The red one of the many that stand in the old barn is a nice warm coat."
    Path(memory.root, "a.md").write_text(f"- {apart}\n- The nice warm one that stands in the old barn is a red coat.\n")
    hits = ask(memory, "red coat").hits
    assert hits[0].record.text.endswith("a red coat.")
    assert reasons(hits[0])["close"] > 0
    assert "close" not in reasons(by_text(ask(memory, "red coat"), apart))


def test_words_that_a_line_repeats_thousands_of_times_are_counted_in_little_memory(memory: Memory) -> None:
    Path(memory.root, "a.md").write_text("- The red coat.\n- " + "red coat " * 3_000)
    assert len(ask(memory, "red").hits) == 2
    tracemalloc.start()
    try:
        assert all(reasons(hit)["close"] > 0 for hit in ask(memory, "red coat").hits)
        _held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 5_000_000  # of 9,000,000 pairs


@given(*[st.sets(st.integers(0, 30), max_size=8).map(sorted)] * 2)
def test_close_places_of_two_words_are_counted_as_if_each_pair_were_compared(here: list[int], there: list[int]) -> None:
    pairs = [abs(one - other) <= dialogue.MAX_LINE_DISTANCE for one in here for other in there]
    assert dialogue.count_close(here, there) == sum(pairs)


@given(st.lists(st.sampled_from("abc")))
def test_the_places_of_a_word_in_several_forms_ascend(tokens: list[str]) -> None:
    held = "".join(f" {token} " for token in tokens)
    places = [at for at, token in enumerate(tokens) if token in "ab"]
    assert dialogue.token_positions([" b ", " a "], held) == places


def test_two_words_of_one_form_do_not_stand_beside_themselves(memory: Memory) -> None:
    Path(memory.root, "a.md").write_text("- The mice are in the barn.\n- A mouse is in the barn.\n")
    hits = ask(memory, "mouse mice").hits
    assert len(hits) == 2
    assert all("close" not in reasons(hit) for hit in hits)


def test_a_word_written_as_a_name_a_figure_or_in_quotes_weighs_more(memory: Memory) -> None:
    Path(memory.root, "a.md").write_text("- the amber lamp\n- the copper lamp\n")
    for question in ('did the amber or "copper" one break?', "did amber or Copper break?"):
        assert ask(memory, question).hits[0].record.text == "the copper lamp"
    for question in ('did the "amber" or copper one break?', "did copper or Amber break?"):
        assert ask(memory, question).hits[0].record.text == "the amber lamp"


# The form of the question.


def test_the_kind_of_answer_is_told_by_the_words_of_the_question() -> None:
    assert classify_answer_type("When did Ada leave?") == "time"
    assert classify_answer_type("what year was it") == "time"
    assert classify_answer_type("How many keys are there?") == "count"
    assert classify_answer_type("What is the total weight of the keys?") == "count"
    assert classify_answer_type("what was the amount of it") == "count"
    assert classify_answer_type("How old was Ada when she left?") == "count"
    assert classify_answer_type("Where is the key?") == "place"
    assert classify_answer_type("Which old card games did Ada like?") == "name"
    assert classify_answer_type("What did Ada like?") == "any"


@pytest.mark.parametrize(
    ("question", "better", "worse", "reason", "value"),
    [
        (
            "when were keys cut?",
            "Keys were cut yesterday here.",
            "Keys were cut rather well.",
            "answer×",
            1 + ANSWER_BOOST,
        ),
        ("where were keys cut?", "Keys were cut in Bern.", "Keys were cut in town.", "answer×", 1 + ANSWER_BOOST),
        ("how many keys?", "Three keys hang there now.", "Some keys hang there now.", "answer×", 1 + ANSWER_BOOST),
    ],
)
def test_a_line_that_may_hold_the_answer_comes_first(
    memory: Memory, question: str, better: str, worse: str, reason: str, value: float
) -> None:
    Path(memory.root, "a.md").write_text(f"- {worse}\n- {better}\n")
    first, second = ask(memory, question).hits
    assert (first.record.text, second.record.text) == (better, worse)
    assert reasons(first)[reason] == pytest.approx(value)
    assert reason not in reasons(second)


@pytest.mark.parametrize(
    ("said", "answer", "holds"),
    [
        ("Yesterday.", "time", True),
        ("(last Maying)", "time", True),
        ("A mayor alast, ñago and ago_ too.", "time", False),
        ("On the 7th", "time", True),
        ("In ١٩٩٩!", "time", True),
        ("In 19999 or 199", "time", False),
        ("x2 and someone", "count", False),
        ("TWO of them", "count", True),
        ("Yesterday", "any", False),
        ("We went to Bern.", "name", True),
        ("We went to Bern.", "place", True),
        ("We went with Ada in May.", "place", False),
        ("We went in May.", "name", False),
        ("we read “Dune” and “Émile”", "name", True),
        ("ну это Москва", "name", True),
        ("Ada: Well. I'm here, as I was", "name", False),
    ],
)
def test_what_may_hold_an_answer_are_whole_words_in_any_script(said: str, answer: AnswerType, *, holds: bool) -> None:
    assert may_contain_answer(said, answer) is holds


def test_two_words_of_a_question_may_have_a_form_in_common(memory: Memory) -> None:
    log(memory.root, "2025-11-01", ["Ada: The doctor is Dr. Lee, and doctors know mice."])
    assert ask(memory, "doctor or Dr. Lee, doctors, mouse or mice").hits[0].record.speaker == "Ada"


def test_what_an_assistant_said_comes_last_unless_it_is_asked_for(memory: Memory) -> None:
    log(memory.root, "2025-11-01", ["assistant: A linen jacket for Graz.", "Ada: A linen jacket for Graz."])
    assert ask(memory, "linen jacket").hits[0].record.speaker == "Ada"
    last = ask(memory, "linen jacket").hits[1]
    assert reasons(last)["agent×"] == AGENT_WEIGHT
    asked = ask(memory, "which linen jacket did you suggest?").hits
    assert [hit.record.speaker for hit in asked] == ["assistant", "Ada"]
    assert [reasons(hit).get("agent×") for hit in asked] == [ASKED_AGENT_WEIGHT, None]
    memory.capture("A linen jacket for Bern.", actor="agent", session="s")
    (captured,) = (hit for hit in ask(memory, "linen jacket Bern").hits if hit.record.text.endswith("Bern."))
    assert reasons(captured)["agent×"] == AGENT_WEIGHT


def test_the_words_that_turn_to_the_assistant_are_not_what_is_looked_for(memory: Memory) -> None:
    log(
        memory.root,
        "2025-11-01",
        ["assistant: I suggested to take the tram.", "assistant: Add magnesium to the soil."],
    )
    log(memory.root, "2025-11-02", ["Ada: Magnesium is a metal."])
    for question in ("what have you suggested with magnesium?", "what did you suggest with magnesium?"):
        assert ask(memory, question).hits[0].record.text.endswith("to the soil.")


@pytest.mark.parametrize(
    "question",
    [
        "Can you suggest a linen jacket?",
        "Do you have any suggestions for my linen jacket?",
        "Would you recommend linen?",
    ],
)
def test_who_asks_for_something_new_does_not_ask_what_the_assistant_said(memory: Memory, question: str) -> None:
    log(memory.root, "2025-11-01", ["assistant: A linen jacket for Graz.", "Ada: A linen jacket for Graz."])
    hits = ask(memory, question).hits
    assert [hit.record.speaker for hit in hits] == ["Ada", "assistant"]
    assert reasons(hits[1])["agent×"] == AGENT_WEIGHT
    again = ask(memory, f"Could you tell me what you suggested: {question}").hits
    assert reasons(again[0])["agent×"] == ASKED_AGENT_WEIGHT


def test_a_request_weighs_no_more_than_a_question_of_what_was_said(memory: Memory) -> None:
    asked = parse_query(memory.workspace.open_index(), Query(text="Can you recommend a jacket?", now=NOW))
    assert {term.word: term.weight for term in asked.terms} == {"recommend": LIGHT_WEIGHT, "jacket": 1.0}


def test_a_line_that_says_more_comes_before_one_that_says_hardly_anything(memory: Memory) -> None:
    assert log_length(0) == 0
    assert log_length(math.ceil(math.e**4)) == 1
    Path(memory.root, "a.md").write_text("- Roses bloom.\n")
    (hit,) = ask(memory, "roses").hits
    assert reasons(hit)["length×"] == pytest.approx(1 + LENGTH_BOOST * log_length(2), abs=1e-6)


def test_what_was_kept_comes_before_what_an_episode_retells(memory: Memory) -> None:
    Path(memory.root, "memory/episodes").mkdir(parents=True)
    Path(memory.root, "memory/episodes/a.md").write_text("- Ana keeps the violin in Graz.\n")
    Path(memory.root, "memory/2025-11-01.md").write_text("- Ana keeps the violin in Graz.\n")
    first, second = ask(memory, "where is the violin of Ana?").hits
    assert first.record.source.path == "memory/2025-11-01.md"
    assert reasons(second)["evidence×"] == HARDLY_LOWERED


# Who talks, and who tells.


def test_who_asks_does_not_answer_himself(memory: Memory) -> None:
    asked = "Ada: Where did you put the spare key?"
    log(memory.root, "2025-11-01", padded([asked, "Ada: Under the third flowerpot.", "Ben: Yes."]))
    answer = by_text(ask(memory, "where is the spare key?"), "Ada: Under the third flowerpot.")
    assert "answers" not in reasons(answer)


def test_who_tells_a_story_names_its_times_and_asks_for_none_but_in_a_question(memory: Memory) -> None:
    log(memory.root, "2025-11-29", ["Ada: We tuned the violin."])
    story = "Yesterday it rained. The violin got wet. I am sad."
    assert all("time" not in reasons(hit) for hit in ask(memory, story).hits)
    for asked in ("Yesterday it rained. The violin got wet.", f"{story} What about the violin of yesterday?"):
        assert all("time" in reasons(hit) for hit in ask(memory, asked).hits)
        assert ask(memory, asked).hits


def test_light_words_are_known_by_their_stems_in_each_language_and_weigh_whole_where_there_are_no_others(
    memory: Memory,
) -> None:
    for word, language in (("days", "en"), ("Wochen", "de"), ("années", "fr"), ("недели", "ru"), ("semanas", "es")):
        assert text.is_light_word(text.fold_name(word), language), word
        assert not text.is_light_word("violin", language)
    index = memory.workspace.open_index()
    for question, weights in (("how many days?", {1.0}), ("how many days of violin?", {LIGHT_WEIGHT, 1.0})):
        assert {term.weight for term in parse_query(index, Query(text=question, now=NOW)).terms} == weights


@pytest.mark.parametrize(
    ("question", "emphasised"),
    [
        ("did we see the red Lamp of 1999?", {"lamp", "1999"}),
        ('did the "copper kettle" or the amber lamp break?', {"copper", "kettle"}),
        ("did the ‘copper’ or the amber lamp break?", {"copper"}),
        ("zerbrach der „kupferne kessel“ oder die lampe?", {"kupferne", "kessel"}),
        ("zerbrach der »kupferne kessel« oder die lampe?", {"kupferne", "kessel"}),
        ("la « bouilloire rouge » ou la lampe ?", {"bouilloire", "rouge"}),
        ("la «bouilloire» ou la «lampe» de cuivre ?", {"bouilloire", "lampe"}),
        ("sie sagte „der kessel fiel.“ und die lampe?", set()),
        ("it isn't the amber lamps' glass that broke", set()),
        ('"The lamp fell." "Nobody saw the lamp!" "Broken glass lay there."', set()),
        ('"The lamp fell." "Copper broke?" and then Glass', {"glass"}),
    ],
)
def test_names_figures_and_quoted_words_weigh_more_and_what_somebody_said_in_quotes_does_not(
    memory: Memory, question: str, emphasised: set[str]
) -> None:
    terms = parse_query(memory.workspace.open_index(), Query(text=question, now=NOW, without=("light",))).terms
    assert {term.word for term in terms if term.weight > 1} == emphasised
    assert {term.weight for term in terms} <= {1.0, EMPHASIS_BOOST}


@pytest.mark.parametrize(
    ("line", "question", "factor"),
    [
        ("Ben: Your violin sounds warm. I am glad.", "which violin does Ben have?", 1 - ADDRESSED_PENALTY),
        ("Ben: How warm! Is it a violin?", "which violin does Ben have?", 1 - ADDRESSED_PENALTY),
        ("Ben: My violin sounds warm. Is it a violin?", "which violin does Ben have?", 1.0),
        ("Ben: Your violin sounds warm. I am glad.", "which violin does Ada have?", 1.0),
        ("Ben: Your violin sounds warm. I am glad.", "which violin sounds warm?", 1.0),
        ("Ben: You should string your violin.", "what did Ben do with the violin?", 1 - ADDRESSED_PENALTY),
    ],
)
def test_what_who_is_asked_about_says_of_another_counts_less(
    memory: Memory, line: str, question: str, factor: float
) -> None:
    log(memory.root, "2025-11-01", padded([line, "Ada: Thanks."]))
    assert reasons(by_text(ask(memory, question), line)).get("addressed×", 1.0) == pytest.approx(factor)


def test_who_talks_to_an_assistant_says_of_himself_what_he_asks(memory: Memory) -> None:
    for day, other in (("2025-11-01", "assistant"), ("2025-11-02", "Ada")):
        log(memory.root, day, padded([f"Ben: Can you string my violin of {day}?", f"{other}: No."], who=other))
    hits = ask(memory, "which violin does Ben have?")
    told = {hit.record.source.path: "addressed×" in reasons(hit) for hit in hits.hits if "Ben" in hit.record.text}
    assert told == {"memory/2025-11-01.md": False, "memory/2025-11-02.md": True}
