"""A new line is compared with the known ones before it is written: what it repeats, ends, contradicts, and what undoes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.capture import RetainResult
from commonplace.errors import BadArgument, NotFound
from commonplace.model import Record
from commonplace.operations.serializers import answer_json
from commonplace.storage.journal import Journal
from tests.support.claim_grammar import run_cli
from tests.support.counting import calls
from tests.support.schemas import validator

MARCH, MAY, JUNE = "2026-03-02T10:00", "2026-05-04T10:00", "2026-06-01T10:00"


def record_of(result: RetainResult) -> Record:
    assert result.record is not None
    return result.record


def effects(result: RetainResult) -> list[tuple[str, str]]:
    return [(one.record.id, one.effect) for one in result.met]


def current(memory: Memory, record: Record) -> Record:
    found = memory.workspace.synced_index().find(record.id)
    assert found is not None
    return found


def ledger(memory: Memory, op: str) -> list[dict[str, Any]]:
    entries = Journal(memory.root, "").read("ledger").entries
    return [entry.fields for entry in entries if entry.fields.get("op") == op]


def test_what_was_said_before_gains_support_and_no_second_line(memory: Memory) -> None:
    first = record_of(memory.retain("W @Zed: the editor server uses port 7443.", now=MARCH))
    text = Path(memory.root, first.source.path).read_bytes()
    again = memory.retain("W @Zed: the editor server uses port 7443.", now=MAY)
    assert record_of(again).id == first.id
    assert effects(again) == [(first.id, "supports")]
    assert Path(memory.root, first.source.path).read_bytes() == text
    assert not Path(memory.root, "memory/2026-05-04.md").exists()
    (entry,) = ledger(memory, "supported")
    assert (entry["record"], entry["sources"]) == (first.id, [again.capture_id])
    assert not any(isinstance(value, str) and "editor" in value for value in entry.values())


def test_the_contrary_in_the_same_words_is_a_line_of_its_own(memory: Memory) -> None:
    first = record_of(memory.retain("The alarm is on.", now=MARCH))
    second = memory.retain("The alarm is off.", now=MAY)
    assert record_of(second).id != first.id
    assert (first.id, "supports") not in effects(second)


@pytest.mark.parametrize("undone", ["capture", "record"])
def test_undo_takes_back_that_a_sentence_said_the_same(memory: Memory, undone: str) -> None:
    first = record_of(memory.retain("W @Zed: the editor server uses port 7443.", now=MARCH))
    second, third = (
        memory.retain("W @Zed: the editor server uses port 7443.", now=day).capture_id for day in (MAY, JUNE)
    )
    index = memory.workspace.synced_index()
    assert index.supporting_sources([first.id]) == {first.id: ((second, MAY), (third, JUNE))}
    assert memory.undo(first.id if undone == "record" else third, now=JUNE) == first.source.path
    assert index.supporting_sources([first.id]) == {first.id: ((second, MAY),)}
    assert index.supporting_sources([first.id], MAY[:10]) == {first.id: ((second, MAY),)}
    memory.undo(second, now="2026-06-02T10:00")
    assert index.supporting_sources([first.id]) == {}
    assert index.supporting_sources([first.id], JUNE[:10]) == {first.id: ((second, MAY),)}
    for name in (first.id, second, third):
        with pytest.raises(NotFound):
            memory.undo(name)
    assert memory.dump() == memory.workspace.dump_rebuilt_index()


@pytest.mark.parametrize(
    "more", [{"valid": "2026-05-01.."}, {"importance": 0.9}, {"scope": "falcon"}], ids=["valid", "importance", "scope"]
)
def test_what_is_said_again_with_more_is_a_line_of_its_own(memory: Memory, more: dict[str, Any]) -> None:
    scope = "heron" if "scope" in more else ""
    first = record_of(memory.retain("W @Zed: the editor server uses port 7443.", now=MARCH, scope=scope))
    again = memory.retain("W @Zed: the editor server uses port 7443.", now=MAY, **more)
    assert record_of(again).id != first.id


def test_what_happened_again_on_another_day_is_written_again(memory: Memory) -> None:
    first = memory.log("Deployed the shop to the test server.", now=MARCH)
    again = memory.log("Deployed the shop to the test server.", now=MAY)
    assert record_of(again).id != record_of(first).id


def test_a_cue_of_change_ends_what_it_contradicts(memory: Memory) -> None:
    old = record_of(memory.retain("W @Zed: the editor server uses port 7443.", now=MARCH))
    new = memory.retain("W @Zed: the editor server uses port 9443 now.", now=JUNE)
    assert effects(new) == [(old.id, "replaces")]
    assert record_of(new).supersedes == (old.id,)
    assert current(memory, old).superseded_by == record_of(new).id
    (met,) = new.met
    assert (met.old_value, met.new_value) == ("7443", "9443")


def test_a_retraction_ends_a_line_without_a_successor(memory: Memory) -> None:
    old = record_of(memory.retain("Mara works at Bosch.", now=MARCH))
    new = memory.retain("Mara no longer works at Bosch.", now=JUNE)
    assert current(memory, old).superseded_by == record_of(new).id
    assert current(memory, record_of(new)).superseded_by == ""


def test_another_value_without_a_cue_ends_nothing_and_is_reported(memory: Memory) -> None:
    old = record_of(memory.retain("The front door is painted green.", now=MARCH))
    new = memory.retain("The front door is painted blue.", now=JUNE)
    assert effects(new) == [(old.id, "follows")]
    assert record_of(new).supersedes == ()
    assert current(memory, old).superseded_by == ""


def test_what_arrives_late_does_not_hold_any_more(memory: Memory) -> None:
    new = record_of(memory.retain("The dashboards read from Postgres instead of DuckDB.", now=JUNE))
    old = memory.retain("The dashboards read from DuckDB.", now=MARCH)
    assert effects(old) == [(new.id, "is over")]
    assert record_of(old).valid_to == "2026-06-01"
    assert current(memory, new).superseded_by == ""


def test_nothing_is_ended_across_scopes(memory: Memory) -> None:
    old = record_of(memory.retain("The database listens on port 5433.", now=MARCH, scope="falcon"))
    new = memory.retain("The database listens on port 6543 now.", now=JUNE, scope="heron")
    shared = memory.retain("The database listens on port 6544 now.", now=JUNE)
    assert (new.met, shared.met) == ((), ())
    assert current(memory, old).superseded_by == ""
    for scope in ("heron", ""):
        with pytest.raises(BadArgument, match="scope"):
            memory.retain("W The database is gone.", now=JUNE, scope=scope, supersedes=(old.id,))


@pytest.mark.parametrize(
    "text",
    [
        "Does the staging database listen on 6543 now?",
        'The old wiki page says: "The staging database now listens on 6543."',
        "If the staging database listened on 6543 now, the tests would fail.",
        "The test database listens on 6543 now.",
    ],
)
def test_what_is_no_assertion_about_it_ends_nothing(memory: Memory, text: str) -> None:
    old = record_of(memory.retain("The staging database listens on 5433.", now=MARCH))
    memory.retain(text, now=JUNE)
    assert current(memory, old).superseded_by == ""
    assert memory.pending() == ()


@pytest.fixture
def contradicted(memory: Memory) -> tuple[Memory, Record, RetainResult]:
    """An agent that read the web contradicts the owner."""
    old = record_of(memory.retain("The staging database listens on port 5433.", now=MARCH))
    new = memory.retain("The staging database listens on port 6543 now.", now=JUNE, actor="tool")
    return memory, old, new


def test_the_less_trusted_ends_nothing_and_a_person_is_asked(
    contradicted: tuple[Memory, Record, RetainResult],
) -> None:
    memory, old, new = contradicted
    assert effects(new) == [(old.id, "conflicts")]
    assert current(memory, old).superseded_by == ""
    (item,) = memory.pending()
    assert (item.id, item.against, item.reason) == (new.met[0].pending, (old.id,), "conflict")
    for words in (
        old.id,
        "2026-03-02",
        "listens on port 5433",
        "approve: this holds since 2026-06-01",
        "reject: it is",
    ):
        assert words in item.why


def test_approving_lets_the_newer_line_hold_and_undo_brings_the_older_back(
    contradicted: tuple[Memory, Record, RetainResult],
) -> None:
    memory, old, new = contradicted
    decided = memory.approve(memory.pending()[0].id, now="2026-06-02T10:00")
    (hit,) = [
        one.record
        for one in memory.recall("staging database port", evidence="none").hits
        if "listens" in one.record.text
    ]
    assert (hit.trust, set(hit.supersedes)) == ("trusted", {old.id, record_of(new).id})
    assert memory.pending() == ()
    for change in reversed(decided.changes):
        memory.undo(change)
    assert current(memory, old).superseded_by == ""
    assert len(memory.pending()) == 1


def test_keeping_both_says_that_both_hold(contradicted: tuple[Memory, Record, RetainResult]) -> None:
    memory, old, new = contradicted
    memory.approve(memory.pending()[0].id, both=True, now="2026-06-02T10:00")
    (entry,) = ledger(memory, "both")
    assert set(entry["records"]) == {old.id, record_of(new).id}
    assert memory.pending() == ()
    assert current(memory, record_of(new)).superseded_by == ""


def test_the_answer_has_what_was_replaced_and_met(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    old = record_of(memory.retain("The retry limit is 3.", now=MARCH))
    new = memory.retain("The retry limit was raised from 3 to 5.", now=JUNE)
    shape = answer_json("kept", new)
    validator("commonplace.kept.v1").validate(shape)
    (replaced,) = shape["replaces"]
    assert (replaced["id"], replaced["old"], replaced["new"], shape["met"]) == (old.id, "3", "5", [])
    code, _out, err = run_cli(capsys, "--workspace", memory.root, "retain", "The retry limit is 7 now.")
    assert code == 0
    assert "replaces" in err
    assert record_of(new).id in err


def test_undoing_the_newer_line_brings_the_older_one_back(memory: Memory) -> None:
    old = record_of(memory.retain("The retry limit is 3.", now=MARCH))
    memory.retain("The retry limit was raised from 3 to 5.", now=JUNE)
    memory.undo("last")
    assert current(memory, old).superseded_by == ""


@pytest.mark.usefixtures("claim_grammar")
def test_consolidation_ends_a_number_of_talk_only_with_its_unit_and_a_cue(memory: Memory) -> None:
    said = ["[fact Ana] Ana weighs 60 kg.", "Hi! [fact Ana] Ana weighs 64 kg now.", "Hm! [fact Ana] Ana weighs 65 now."]
    for day, text in enumerate(said):
        memory.capture(text, ts=f"2026-03-0{day + 1}T10:00", session=f"s{day}")
        memory.consolidate(apply=True, now="2026-03-09T10:00", owner="Mara")
    lines = {
        record.text.strip("~")[-5:]: bool(record.superseded_by)
        for record in all_lines(memory)
        if "weighs" in record.text
    }
    assert lines == {"60 kg": True, "g now": False, "5 now": False}
    assert memory.pending() == ()


def all_lines(memory: Memory) -> list[Record]:
    index = memory.workspace.synced_index()
    rows = [row for path in index.files() for row in index.rows_of_file(path) if "episodes" not in path]
    return sorted((one.record for one in index.fetch(rows).values()), key=lambda record: record.time)


def test_the_lines_of_a_notebook_stay_as_they_are(memory: Memory) -> None:
    page = Path(memory.root, "notes.md")
    page.write_text("# Notes\n\n- The retry limit is 3.\n", encoding="utf-8")
    before = page.read_bytes()
    new = memory.retain("The retry limit is 5 now.", now=JUNE)
    assert [one.effect for one in new.met] == ["replaces"]
    assert page.read_bytes() == before
    memory.retain("The retry limit is 5 now, because of the slow proxy in Leeds.", now="2026-06-03T10:00")
    assert page.read_bytes() == before


def test_an_interrupted_repetition_is_finished_without_a_line(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.capture import retaining

    first = record_of(memory.retain("The retry limit is 3.", now=MARCH))

    class Stop(BaseException):
        pass

    def stop(*_args: Any, **_more: Any) -> None:
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(retaining, "_write_ledger_and_line", stop)
        with pytest.raises(Stop):
            memory.retain("The retry limit is 3.", now=JUNE)
    memory.close()
    with Memory.open(memory.root) as again:
        assert [entry["record"] for entry in ledger(again, "supported")] in ([], [first.id])
        assert not Path(memory.root, "memory/2026-06-01.md").exists()


def test_the_schema_names_every_effect() -> None:
    schema = json.loads(Path("docs/reference/schemas/commonplace.kept.v1.schema.json").read_text("utf-8"))
    from commonplace.truth.relations import Effect

    assert tuple(schema["properties"]["met"]["items"]["properties"]["effect"]["enum"]) == Effect.__args__  # type: ignore[attr-defined]


def test_lines_that_share_a_common_word_with_a_new_one_are_not_all_read(memory: Memory) -> None:
    old = record_of(memory.retain("W @Zed: the editor server uses port 7443.", now=MARCH))
    costs: list[int] = []
    for count, port in ((150, "8443"), (1_200, "9443")):
        lines = [
            f"- W Rack {place} of the servers uses a port for editor and Zed, and fan {place}.\n"
            for place in range(count)
        ]
        Path(memory.root, "memory/racks.md").write_text("## Retain\n" + "".join(lines))
        memory.sync()
        results: list[RetainResult] = []
        said = f"W @Zed: the editor server uses port {port} now."
        costs.append(calls(lambda said=said, results=results: results.append(memory.retain(said, now=MAY))))
        assert effects(results[0]) == [(old.id, "replaces")]
        old = record_of(results[0])
    assert costs[1] < 1.6 * costs[0]


def test_a_fuller_line_has_the_sources_of_the_thinner_one_which_stays_as_it_is(memory: Memory) -> None:
    said = memory.capture("The staging proxy runs in the cellar.", ts=MARCH).id
    kept = {"now": MARCH, "sources": (said,)}
    thinner = record_of(memory.retain("The staging proxy runs in the cellar.", **kept))
    text = Path(memory.root, thinner.source.path).read_bytes()
    fuller = record_of(memory.retain("The staging proxy runs in the cellar of the old house by the boiler.", now=MAY))
    assert [(one["record"], one["sources"]) for one in ledger(memory, "supported")] == [(fuller.id, [said])]
    assert Path(memory.root, thinner.source.path).read_bytes() == text
    assert current(memory, thinner).superseded_by == ""
    memory.retain("The proxy of the old house runs in the cellar by the boiler.", now=JUNE, actor="tool")
    assert len(ledger(memory, "supported")) == 1


def test_consolidation_gathers_the_sources_of_a_thinner_line(memory: Memory) -> None:
    said = memory.capture("My sister Ana works at Novartis.", ts=MARCH).id
    memory.consolidate(apply=True, now=MARCH)
    memory.capture("My sister Ana works at Novartis as a chemist in Basel.", ts=MAY)
    (plan,) = memory.consolidate(apply=True, now=MAY).plans
    (fuller,) = (claim for claim in plan.lines if "chemist" in claim.text)
    assert [one["sources"] for one in ledger(memory, "supported") if one["record"] == fuller.id] == [[said]]
