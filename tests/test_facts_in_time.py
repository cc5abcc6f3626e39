"""Facts on a day as they were known on a day: each rule by example, and generated questions against a plain reading."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from bench.acceptance.facts_in_time import compare
from commonplace import Memory
from commonplace.errors import BadArgument, NotFound
from commonplace.model import Record, Source
from commonplace.truth import Fact, FactLine, LineContext, SaidOrder, Statement, facts_at, find_faults, read_statements

DAYS = [f"2025-{month:02}-{day:02}" for month in range(1, 5) for day in range(1, 29)]


def line(name: str, value: str, said: str = "", **more: Any) -> FactLine:
    """A line of the day `said` that gives Mara's home; `more` are fields of its record or statement, or its order."""
    fields = {key: more.pop(key) for key in list(more) if key in Record.__struct_fields__}
    place = Source(f"memory/{said}.md", more.pop("line_number", 1), 1, 0, 1, "")
    record = Record(name, value, place, **{"time": said, "recorded": said, **fields})
    order = more.pop("order", SaidOrder(said, place.path, place.line_start))
    given = {"is_single_valued": True, "subject": "mara", "key": "lives_in", "value": value, **more}
    return FactLine(record, Statement(value, **given), order)


def shown(facts: tuple[Fact, ...]) -> list[tuple[str, str, str]]:
    return [(fact.value, fact.since, fact.until) for fact in facts]


ULM, BERN = line("a", "Ulm", "2025-01-10"), line("b", "Bern", "2025-03-01")


def test_the_first_value_is_open_to_the_past_and_ends_where_the_next_begins() -> None:
    assert shown(facts_at([BERN, ULM])) == [("Ulm", "", "2025-03-01"), ("Bern", "2025-03-01", "")]
    assert shown(facts_at([ULM, BERN], "2025-02-28")) == [("Ulm", "", "2025-03-01")]
    assert shown(facts_at([ULM, BERN], "2025-03-01")) == [("Bern", "2025-03-01", "")]
    assert facts_at([ULM, BERN])[0].ended_by == "b"


def test_what_was_recorded_later_was_not_known() -> None:
    late = line("b", "Bern", "2025-03-01", recorded="2025-06-01T10:00")
    assert shown(facts_at([ULM, late], "2025-04-01", "2025-05-31")) == [("Ulm", "", "")]
    assert shown(facts_at([ULM, late], "2025-04-01", "2025-06-01")) == [("Bern", "2025-03-01", "")]


def test_a_stated_start_and_a_stated_end_count() -> None:
    stated = line("b", "Bern", "2025-03-01", valid_from="2025-02-01", valid_to="2025-02-10")
    assert shown(facts_at([ULM, stated])) == [("Ulm", "", "2025-02-01"), ("Bern", "2025-02-01", "2025-02-10")]
    assert shown(facts_at([stated], "2025-02-10")) == [("Bern", "2025-02-01", "2025-02-10")]
    assert facts_at([stated], "2025-02-11") == ()
    over = line("c", "Trier", "2025-05-01", valid_to="2024-12-31")
    assert shown(facts_at([line("d", "Bonn", "2025-04-01"), over]))[1] == ("Trier", "", "2024-12-31")


def test_a_value_that_is_said_again_is_one_value_with_both_sources() -> None:
    again = line("c", "ulm", "2025-02-01", sources=("obs:1", "obs:2"))
    (ulm, bern) = facts_at([ULM, again, BERN])
    assert ([source.id for source in ulm.sources], ulm.support, bern.support) == (["a", "c"], 3, 1)
    back = line("d", "Ulm", "2025-04-01")
    assert shown(facts_at([ULM, BERN, back]))[2] == ("Ulm", "2025-04-01", "")


def test_values_of_a_key_with_many_stay_side_by_side_until_they_are_taken_back() -> None:
    piano, chess, flute = (
        line(name, value, f"2025-0{month}-01", key="plays", is_single_valued=False)
        for month, (name, value) in enumerate([("p", "piano"), ("c", "chess"), ("f", "flute")], 1)
    )
    assert shown(facts_at([piano, chess])) == [("piano", "", ""), ("chess", "2025-02-01", "")]
    over = line("r", "piano", "2025-04-01", key="plays", is_single_valued=False, is_retraction=True)
    assert shown(facts_at([piano, chess, over])) == [("piano", "", "2025-04-01"), ("chess", "2025-02-01", "")]
    assert facts_at([piano, over])[0].end == "retracted"
    instead = line("f", "flute", "2025-03-01", key="plays", is_single_valued=False, given_up=("piano",))
    assert shown(facts_at([piano, chess, instead]))[0] == ("piano", "", "2025-03-01")
    written = line("f", "flute", "2025-03-01", key="plays", is_single_valued=False, supersedes=("c",))
    assert [fact.until for fact in facts_at([piano, chess, written])] == ["", "2025-03-01", ""]
    assert [fact.until for fact in facts_at([piano, chess, flute])] == ["", "", ""]


@pytest.mark.parametrize(
    "newer",
    [
        line("b", "Bern", "2025-03-01", trust="untrusted"),
        line("b", "Bern", "2025-03-01", scope="home"),
        line("b", "Bern", "2025-03-01", is_event=True),
        line("b", "Bern", "2025-01-10", line_number=2, order=SaidOrder("2025-01-10", "other.md", 2)),
        line("b", "Bern", "2025-03-01", order=SaidOrder()),
        line("b", "Bern", "2025-03-01", guard="past", valid_from="2019-01-01", valid_to="2019-12-31"),
        line("b", "Bern", "2025-03-01", subject="zoe"),
        line("b", "Bern", "2025-03-01", key="born_in"),
    ],
)
def test_what_ends_nothing(newer: FactLine) -> None:
    assert ("Ulm", "", "") in shown(facts_at([ULM, newer]))
    assert "Ulm" in {fact.value for fact in facts_at([ULM, newer], "2025-04-01")}


def test_what_was_said_in_talk_ends_a_value_only_by_a_number_with_its_unit_and_a_cue_or_by_what_it_names() -> None:
    assert shown(facts_at([ULM, line("b", "Bern", "2025-03-01", is_talk=True)]))[0] == ("Ulm", "", "")
    named = line("b", "Bern", "2025-03-01", is_talk=True, supersedes=("a",))
    assert shown(facts_at([ULM, named]))[0] == ("Ulm", "", "2025-03-01")

    def measured(text: str, said: str) -> FactLine:
        (statement,) = read_statements(text, LineContext("en", "Mara", is_talk=True))
        keyed = {"subject": "mara", "key": "commute", "value": text, "is_single_valued": True}
        return structs.replace(line(said, text, said), statement=structs.replace(statement, **keyed))

    before = measured("My commute takes 35 minutes by bus.", "2025-01-10")
    for text, until in (("now takes 55 minutes", "2025-03-01"), ("takes 55 minutes", "")):
        after = measured(f"My commute {text} by bus.", "2025-03-01")
        assert [fact.until for fact in facts_at([before, after])] == [until, ""]


def test_who_is_less_trusted_neither_ends_a_value_nor_takes_its_past() -> None:
    stranger = line("x", "Rome", "2025-01-01", trust="untrusted")
    assert shown(facts_at([stranger, ULM])) == [("Rome", "", "2025-01-10"), ("Ulm", "", "")]
    assert facts_at([stranger, line("y", "rome", "2025-02-01")])[0].trust == "trusted"


def test_a_line_that_was_only_seen_begins_on_no_known_day_and_a_line_is_one_source_of_a_value() -> None:
    seen = line("b", "Bern", "2025-03-01", order=SaidOrder("2025-03-01", "notes.md", 1, is_latest=True))
    assert shown(facts_at([ULM, seen])) == [("Ulm", "", ""), ("Bern", "", "")]
    assert shown(facts_at([seen, line("c", "Trier", "2025-04-01")]))[1] == ("Trier", "", "")
    assert len(facts_at([ULM, line("a", "Ulm", "2025-01-10")])[0].sources) == 1


def test_of_a_pair_that_both_hold_neither_ends_the_other() -> None:
    assert [fact.until for fact in facts_at([ULM, BERN], held_pairs={frozenset("ab")})] == ["", ""]


def test_a_capture_that_a_line_retells_is_no_source_of_its_own_and_support_counts_when_it_was_known() -> None:
    said = line("obs:1", "Ulm", "2025-01-10", actor="owner")
    kept = line("k", "Ulm", "2025-01-10", sources=("obs:1",), recorded="2025-01-12")
    again = line("obs:9", "Ulm", "2025-01-20", actor="owner", recorded="2025-02-01")
    (fact,) = facts_at([said, kept, again])
    assert ([one.id for one in fact.sources], fact.support) == (["k", "obs:9"], 2)
    (fact,) = facts_at([said, kept, again], known_day="2025-01-31")
    assert ([one.id for one in fact.sources], fact.support) == (["k"], 1)
    (fact,) = facts_at([said, kept, again], known_day="2025-01-11")
    assert ([one.id for one in fact.sources], fact.support) == (["obs:1"], 1)


def test_faults_are_two_open_values_overlaps_and_ends_before_beginnings() -> None:
    unordered = line("b", "Bern", "2025-03-01", order=SaidOrder())
    assert [(fault.code, [one.id for one in fault.records]) for fault in find_faults([ULM, unordered])] == [
        ("two-open", ["b", "a"])
    ]
    assert find_faults([ULM, BERN]) == ()
    first = line("a", "Ulm", "2025-01-10", valid_from="2025-01-01", valid_to="2025-03-31")
    second = line("b", "Bern", "2025-02-10", valid_from="2025-03-01", valid_to="2025-05-31")
    assert [fault.code for fault in find_faults([first, second])] == ["overlap"]
    early = line("c", "Trier", "2025-04-01", valid_from="2025-02-01")
    assert [fault.code for fault in find_faults([ULM, BERN, early])] == ["ends-before-beginning"]


def plain_reading(lines: list[FactLine], valid_day: str, known_day: str) -> set[tuple[str, frozenset[str]]]:
    """The values of one key on a day with the lines behind each: runs of one value, and the days from each to its end."""
    known = sorted((one for one in lines if one.record.recorded <= known_day), key=lambda one: one.order.time)
    first = next((one for one in known if not one.statement.is_retraction), None)
    found = set()
    for value in {one.statement.value for one in known}:
        runs: list[tuple[list[FactLine], str]] = [([], "9999")]
        for one in (
            known if lines[0].statement.is_single_valued else [one for one in known if one.statement.value == value]
        ):
            if one.statement.is_retraction or one.statement.value != value:
                runs = [*runs[:-1], (runs[-1][0], one.order.time), ([], "9999")]
            else:
                runs[-1][0].append(one)
        for run, end in runs:
            if run and (run[0] is first or run[0].order.time <= valid_day) and valid_day < end:
                found.add((value, frozenset(one.record.id for one in run)))
    return found


def generated_history(seed: int) -> list[FactLine]:
    """The lines of one key, each of a day of its own; some were recorded later than they were said."""
    chance = random.Random(seed)
    is_single = chance.random() < 0.6
    days = chance.sample(DAYS, chance.randint(1, 9))
    made = []
    for number, said in enumerate(days):
        late = chance.choice(DAYS)
        recorded = max(said, late) if chance.random() < 0.4 else said
        over = not is_single and chance.random() < 0.3
        value = chance.choice(["Ulm", "Bern", "Trier", "Rome"])
        made.append(line(f"l{number}", value, said, recorded=recorded, is_single_valued=is_single, is_retraction=over))
    return made


@pytest.mark.parametrize("seed", range(200))
def test_generated_questions_are_answered_like_a_plain_reading_and_a_list_that_stopped_there(seed: int) -> None:
    lines, chance = generated_history(seed), random.Random(-seed)
    for _question in range(50):
        valid_day, known_day = chance.choice(DAYS), chance.choice(DAYS)
        facts = facts_at(lines, valid_day, known_day)
        found = {(fact.value, frozenset(one.id for one in fact.sources)) for fact in facts}
        assert found == plain_reading(lines, valid_day, known_day), (valid_day, known_day)
        stopped = [one for one in lines if one.record.recorded <= known_day]
        assert facts == facts_at(stopped, valid_day)
        assert facts == facts_at(chance.sample(lines, len(lines)), valid_day, known_day)


# In a notebook.


@pytest.mark.slow
def test_questions_to_a_notebook_are_answered_like_one_that_stopped_there(tmp_path: Path) -> None:
    asked, empty, wrong = compare(tmp_path, 1_000, seed=5, day_count=26)
    assert not wrong, "\n".join(wrong[:3])
    assert asked >= 1_000
    assert empty < asked / 2


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    opened = Memory.open(tmp_path)
    opened.retain("W @Mara: Mara lives in Ulm.", now="2025-01-10T09:00")
    opened.retain("W @Mara: Mara plays the piano.", now="2025-02-01T09:00")
    opened.retain("W @Mara: Mara lives in Bern.", now="2025-03-01T09:00")
    opened.retain("W @Mara: Mara no longer plays the piano.", now="2025-04-01T09:00")
    return opened


def known(memory: Memory, name: str = "Mara", **days: Any) -> list[tuple[str, str, str]]:
    return shown(memory.facts(name, now="2025-06-01T09:00", **days).facts)


def test_facts_of_a_name_hold_today_or_on_a_day_or_are_all(memory: Memory) -> None:
    assert known(memory) == [("Bern", "2025-03-01", "")]
    assert known(memory, "mara", as_of="2025-02-28") == [("Ulm", "", "2025-03-01"), ("piano", "", "2025-04-01")]
    assert known(memory, as_of="2025-02-28", known_at="2025-02-28") == [("Ulm", "", ""), ("piano", "", "")]
    assert known(memory, as_of="in February 2025") == known(memory, as_of="2025-02-28")
    assert len(known(memory, all_values=True)) == 3
    with pytest.raises(BadArgument, match="known_at"):
        known(memory, known_at="someday")
    with pytest.raises(NotFound, match="Marta"):
        known(memory, "Marta")


def test_facts_of_what_is_called_after_a_name_are_shown_where_it_has_none_itself(memory: Memory) -> None:
    memory.retain("W @Zed: The Zed server listens on port 7443.", now="2025-05-03T09:00")
    memory.retain("W @Zed: The Zed server listens on port 9443.", now="2025-05-04T09:00")
    assert known(memory, "Zed") == [("9443", "2025-05-04", "")]
    assert memory.facts("Zed").facts[0].subject == "zed server"


def test_facts_of_the_owner_are_in_lines_that_say_i_and_an_alias_is_the_name(memory: Memory) -> None:
    root = Path(memory.root)
    (root / "USER.md").write_text("- Name: Mara\n")
    (root / "memory/aliases.yaml").write_text("Mara: [Mimi]\n")
    memory.retain("I work at Bosch.", now="2025-05-01T09:00")
    memory.retain("Mimi speaks Dutch.", now="2025-05-02T09:00")
    values = {value for value, *_days in known(memory)}
    assert values == {value for value, *_days in known(memory, "Mimi")} == {"Bern", "Bosch", "Dutch"}


def test_facts_of_a_name_are_also_those_of_whom_somebody_calls_so(memory: Memory) -> None:
    memory.retain("My daughter Lena lives in Trier.", now="2025-05-03T09:00")
    memory.retain("W @Lena: Lena plays the flute.", now="2025-05-04T09:00")
    assert {value for value, *_days in known(memory, "Lena")} == {"Trier", "flute"}


def test_facts_keep_to_scope_and_trust(memory: Memory) -> None:
    memory.retain("W @Mara: Mara lives in Rome.", now="2025-05-01T09:00", scope="novel")
    memory.retain("W @Mara: Mara lives in Oslo.", now="2025-05-01T09:00", actor="tool")
    assert [value for value, *_days in known(memory)] == ["Bern", "Oslo"]
    assert known(memory, all_scopes=True)[-1] == ("Rome", "", "")
    assert [fact.trust for fact in memory.facts("Mara", now="2025-06-01T09:00").facts] == ["trusted", "untrusted"]


def test_what_the_ledger_says_supports_a_line_is_a_source_from_that_day_on(memory: Memory) -> None:
    (bern,) = memory.facts("Mara", now="2025-06-01T09:00").facts
    said = memory.capture("She does.", now="2025-05-01T09:00").id
    line = {"op": "supported", "ts": "2025-05-02T09:00", "record": bern.sources[0].id, "sources": [said]}
    memory.workspace.sync_source().journal.append(line, "ledger")
    assert memory.facts("Mara", now="2025-06-01T09:00").facts[0].support == 2
    assert memory.facts("Mara", now="2025-06-01T09:00", known_at="2025-05-01").facts[0].support == 1


def test_a_line_without_an_annotation_begins_and_ends_on_the_days_that_its_words_state(memory: Memory) -> None:
    memory.retain("Mara lives in Trier since 10 May 2025.", now="2025-05-12T09:00")
    assert known(memory, as_of="2025-05-09") == [("Bern", "2025-03-01", "2025-05-10")]
    assert known(memory, as_of="2025-05-11") == [("Trier", "2025-05-10", "")]
    Path(memory.root, "ada.md").write_text(
        "# Ada\n\n- Ada works at Bosch until 3 May 2025.\n- Ada plays chess since Monday.\n"
    )
    found = memory.facts("Ada", now="2025-06-01T09:00", all_values=True).facts
    assert shown(found[:1]) == [("Bosch", "", "2025-05-03")]
    assert found[1].since == "", "nobody knows which Monday it was"


def test_lint_finds_two_open_values_and_lines_that_are_replaced(memory: Memory) -> None:
    Path(memory.root, "homes.md").write_text("# Homes\n\n- Mara: Trier\n")
    (two_open,) = memory.facts_lint(now="2025-06-01T09:00")
    assert (two_open.code, two_open.subject, two_open.key) == ("two-open", "mara", "lives_in")
    assert two_open.citations == ("homes.md#L3", "memory/2025-03-01.md#L4")
    for day, sentence in (("2025-05-01", "Ada plays chess."), ("2025-05-02", "Ada no longer plays chess.")):
        Path(memory.root, f"memory/{day}.md").write_text(f"# {day}\n\n- {sentence}\n")
    (_two_open, replaced) = memory.facts_lint(now="2025-06-01T09:00")
    assert (replaced.code, replaced.message) == ("replaced", "chess is taken back, since 2025-05-02")
    assert replaced.citations == ("memory/2025-05-02.md#L3", "memory/2025-05-01.md#L3")


def test_lint_finds_lines_without_a_key_that_contradict_each_other(memory: Memory) -> None:
    for path, colour in (("a.md", "red"), ("b.md", "green")):
        Path(memory.root, path).write_text(f"# Notes\n\n- The front door is painted {colour} now.\n")
    (fault,) = (one for one in memory.facts_lint(now="2025-06-01T09:00") if one.code == "conflict")
    assert sorted(fault.citations) == ["a.md#L3", "b.md#L3"]
    assert "may be older or newer" in fault.message
    for path, day in (("a.md", "2025-05-01"), ("b.md", "2025-05-02")):
        Path(memory.root, path).rename(Path(memory.root, f"memory/{day}.md"))
    assert [one.code for one in memory.facts_lint(now="2025-06-01T09:00")] == ["replaced"]


def test_what_is_decided_later_was_not_known(memory: Memory) -> None:
    before = known(memory, as_of="2025-03-10", known_at="2025-03-10")
    ulm, bern = (fact.sources[0].id for fact in memory.facts("Mara", all_values=True).facts if fact.key == "lives_in")
    journal = memory.workspace.sync_source().journal
    journal.append({"op": "both", "ts": "2025-05-01T09:00", "records": [ulm, bern]}, "ledger")
    assert known(memory, as_of="2025-03-10", known_at="2025-03-10") == before
    assert {"Ulm", "Bern"} <= {value for value, *_days in known(memory, as_of="2025-03-10", known_at="2025-05-01")}


def test_what_a_line_superseded_later_it_did_not_supersede_before(memory: Memory) -> None:
    for path, line in (("01-05", "Mara plays the flute. <!-- id: aaaa -->"), ("03-05", "Mara plays the cello.")):
        Path(memory.root, f"memory/2025-{path}.md").write_text(f"- {line}\n")
    before = known(memory, as_of="2025-03-10", known_at="2025-03-10")
    newer = next(one.sources[0].id for one in memory.facts("Mara", all_values=True).facts if one.value == "cello")
    Path(memory.root, "memory/2025-03-05.md").write_text(
        f"- Mara plays the cello. <!-- id: {newer} · supersedes: aaaa · valid: 2025-03-05.. -->\n"
    )
    line = {"op": "superseded", "ts": "2025-05-01T09:00", "record": newer, "records": ["aaaa"]}
    memory.workspace.sync_source().journal.append(line, "ledger")
    assert ("flute", "", "2025-03-05") in known(memory, as_of="2025-03-01")
    assert ("flute", "", "") in before
    assert known(memory, as_of="2025-03-10", known_at="2025-03-10") == before
