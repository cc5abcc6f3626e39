"""What consolidation costs as a notebook grows: calls, SQL steps and looks at a file are counted, not seconds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import structs

from commonplace import Memory, truth
from commonplace.capture import Event
from commonplace.extract import clarity
from commonplace.index.postings import FIRST_CAPTURE_ROW
from commonplace.language import text
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import edits, parse_document
from commonplace.truth import Vocabulary, relations
from commonplace.upkeep.consolidate import existing_records
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, read_claim_statements
from commonplace.upkeep.consolidate.duplicates import find_duplicate, required_terms
from commonplace.upkeep.consolidate.existing_records import ExistingRecords
from commonplace.upkeep.consolidate.file_edits import AddedLine, FileEdits, apply_file_edits
from commonplace.upkeep.consolidate.history import LedgerHistory
from tests.support.claim_grammar import hear, keep, lines_of, why_skipped
from tests.support.counting import calls, sql_steps

pytestmark = pytest.mark.usefixtures("claim_grammar")


def a_draft(says: str, number: int = 0, **more: Any) -> ClaimRecord:
    said = {"claim_type": "decision", "category": "preference", "kind": "world", "trust": "trusted", "actor": "owner"}
    return ClaimRecord(id=f"c{number:05}", text=says, time="2025-11-10T09:00", **(said | more))


def the_shelf(opened: Memory) -> ExistingRecords:
    return ExistingRecords(opened.workspace.synced_index(), LedgerHistory(Journal(opened.root, "dev")))


# what is looked up


def test_captures_stand_behind_all_records_whatever_came_first(memory: Memory) -> None:
    for round_ in range(3):
        hear(memory, f"[preference Ana] Ana likes tea of sort {round_}.", session=f"s{round_}")
        keep(memory)
    for rebuilt in (False, True):
        if rebuilt:
            memory.rebuild()
        index = memory.workspace.synced_index()
        evidence = {row: index.fetch([row])[row].record.is_evidence for row in all_rows(memory)}
        assert evidence == {row: row >= FIRST_CAPTURE_ROW for row in evidence}
        assert sum(evidence.values()) == 3
        telling = {row for row, one in index.fetch(evidence).items() if " tea " in one.tokens + one.context}
        assert index.records_with_tokens(("tea",)) == sorted(row for row in telling if row < FIRST_CAPTURE_ROW)


def all_rows(opened: Memory) -> list[int]:
    return [row for (row,) in opened.workspace.open_index()._db.execute("select rowid from records")]


def all_ids(opened: Memory) -> list[str]:
    return [one for (one,) in opened.workspace.open_index()._db.execute("select id from records")]


def test_a_draft_costs_the_same_however_many_captures_say_its_words(memory: Memory) -> None:
    hear(memory, "[preference Ana] Ana likes green tea.")
    keep(memory)
    costs = []
    for number in (10, 400):
        memory.capture_all([Event(text=f"Ana likes green tea {n}", session=f"s{number}") for n in range(number)])
        place = the_shelf(memory)
        draft = a_draft("Ana likes green tea", entity="Ana", entities=("Ana",), attribute="colour", value="tea")

        def look(place: ExistingRecords = place, draft: ClaimRecord = draft) -> None:
            assert [one.text for one in place.find_similar(draft)] == ["Ana likes green tea"]

        look()
        costs.append((sql_steps(memory.workspace.open_index(), look), calls(look)))
    assert costs[0][1] == costs[1][1]
    assert costs[1][0] < 1.5 * costs[0][0]  # the full text has a few more pieces to look into


def test_a_word_that_no_line_has_is_not_looked_up(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    hear(memory, "[preference Ana] Ana likes green tea.")
    keep(memory)
    place = the_shelf(memory)
    asked: list[tuple[str, ...]] = []
    holding = place.index.records_with_tokens
    monkeypatch.setattr(
        place.index, "records_with_tokens", lambda tokens: asked.append(tuple(tokens)) or holding(tokens)
    )
    for number in range(20):
        place.find_similar(a_draft(f"Ana likes green tea, coffee and water {number}", number))
    assert asked  # for the words that lines have
    assert {("coffe",), ("water",)}.isdisjoint(asked)


SAYINGS = st.lists(
    st.sampled_from(["Ana", "likes", "loves", "tea", "green", "not", "in", "Rome", "7", "8", "she", "always", "cake"]),
    min_size=2,
    max_size=7,
).map(" ".join)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(SAYINGS, min_size=1, max_size=40), SAYINGS, st.sampled_from([3, 1_000]))
def test_what_says_the_same_is_among_what_is_looked_at(kept: list[str], said: str, many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (truth, relations):
            patch.setattr(module, "MANY_HOLDERS", many)
        place = ExistingRecords(Empty(), Nothing())
        for number, line in enumerate(dict.fromkeys(kept)):
            place.add(a_draft(line, number))
        draft = a_draft(said, 99_999)
        assume(text.tokenize(said) and not all(text.is_stop_word(word, "en") for word in text.tokenize(said)))
        all_of = list(place._claims_by_id.values())
        assert bool(find_duplicate(draft, place.find_similar(draft))) == bool(find_duplicate(draft, all_of))


def test_of_very_many_lines_one_with_another_word_for_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth, "MANY_HOLDERS", 1)
    place = ExistingRecords(Empty(), Nothing())
    for number, line in enumerate(("Ana loves green tea", "Ana loves red tea", "Ana has green tea")):
        place.add(a_draft(line, number))
    near = place.find_similar(a_draft("Ana enjoys green tea", 99_999))
    assert [one.text for one in near] == ["Ana loves green tea", "Ana has green tea"]


class Empty:
    """An index without a record."""

    def find(self, _record_id: str) -> None:
        return None

    def records_with_tokens(self, _tokens: object) -> list[int]:
        return []

    def outlines(self, _rows: object) -> list[object]:
        return []

    def document_frequency(self, _token: str) -> int:
        return 0

    def rows_with_signatures(self, _signatures: object, _scope: str) -> list[int]:
        return []


class Nothing:
    """A ledger without a line."""

    def __init__(self) -> None:
        self.record_by_words: dict[str, str] = {}


def test_of_very_many_lines_only_those_that_hold_every_needed_word_are_read(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = [f"{one}{two}" for one in ("red", "blue", "grey", "pale", "dark") for two in ("tea", "cup", "hat", "bag")]
    for thing in things:
        hear(memory, f"[preference Ana] Ana likes her {thing} from Rome.")
    keep(memory)
    monkeypatch.setattr(relations, "MANY_HOLDERS", 10)
    monkeypatch.setattr(existing_records, "MAX_SIMILAR_RECORDS", 2)
    place = the_shelf(memory)
    read: list[int] = []
    outlines = place.index.outlines
    monkeypatch.setattr(place.index, "outlines", lambda rows: read.append(len(rows)) or outlines(rows))
    assert [one.text for one in place.find_similar(a_draft("Ana likes her greycup from Rome"))] == [
        "Ana likes her greycup from Rome"
    ]
    assert max(read) < 10
    assert required_terms("Ana likes her greycup from Rome") >= {"ana", "greycup", "rome"}
    hear(memory, "[preference Ana] Ana likes her greycup, from Rome.", session="s2")
    assert why_skipped(keep(memory)) == ["duplicate"]


def test_lines_of_episodes_take_no_place_of_lines_in_their_homes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(existing_records, "MAX_SIMILAR_RECORDS", 2)
    hear(memory, "[preference Ana] Ana likes green tea.")
    keep(memory)
    lines = "".join(f"- Ana likes green tea <!-- id: epis{number} -->\n" for number in range(6))
    page = memory.root + "/memory/episodes/2025-01-01-a.md"
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"# Tea\n\n## Details\n{lines}")
    place = the_shelf(memory)
    (kept,) = (record.id for record in lines_of(memory, "memory/semantic/preferences.md", "Ana"))
    assert [one.id for one in place.find_similar(a_draft("Ana likes green tea a lot"))] == [kept]


def test_the_value_that_a_person_wrote_counts_however_many_lines_of_ours_name_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(memory.root + "/notes.md", "w", encoding="utf-8") as file:
        file.write("- Ana's port is 6431\n")
    for number in range(8):
        hear(memory, f"[note Ana] Ana saw bird {number}.", f"2025-11-1{number}T09:00", f"s{number}")
    keep(memory)
    hear(memory, "Ana's port is 6432.", "2025-11-21T09:00", "late")
    keep(memory)
    stated = [
        record
        for record in map(memory.workspace.synced_index().find, all_ids(memory))
        if record and "port" in record.text
    ]
    assert {record.text.strip("~"): bool(record.superseded_by) for record in stated if not record.is_evidence} == {
        "Ana's port is 6431": True,
        "Ana's port is 6432": False,
    }


def test_a_statement_costs_the_same_however_often_its_value_changed(memory: Memory) -> None:
    costs = []
    for often in (10, 200):
        place = the_shelf(memory)
        for number in range(often):
            one = stated(number)
            for other in place.find_similar(one):
                place.remove(other.id)
            place.add(one)
        last = stated(99_999)
        assert [other.id for other in place.find_similar(last)] == [f"c{often - 1:05}"]
        costs.append(calls(lambda place=place, last=last: place.find_similar(last)))
    assert costs[1] < 1.1 * costs[0]


def stated(number: int) -> ClaimRecord:
    draft = a_draft(f"Ana's port is {number}.", number, entity="Ana", entities=("Ana",))
    return structs.replace(draft, statements=read_claim_statements(draft, Vocabulary()))


def test_the_words_of_a_text_are_made_once_however_many_are_near() -> None:
    relations.content_tokens.cache_clear()
    find_duplicate(a_draft("Ana likes green tea"), [a_draft(f"Ana likes tea number {n}", n) for n in range(30)])
    assert relations.content_tokens.cache_info().misses == 31


# what is written


def a_page(sections: int) -> bytes:
    return "".join(f"## Name {n}\n- likes tea <!-- id: old{n:05} -->\n\n" for n in range(sections)).encode()


def test_what_a_line_costs_does_not_grow_with_the_headings_of_its_file() -> None:
    def costs(size: int) -> int:
        added = {f"Name {n}": [f"- likes cake {n}"] for n in range(size)}
        return calls(lambda: edits.append_under_headings(a_page(size), added))

    assert costs(400) < 2.2 * costs(200)


def test_a_file_is_looked_through_once_however_many_of_its_lines_are_struck(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    newline = edits.detect_newline
    monkeypatch.setattr(edits, "detect_newline", lambda data: looks.append(len(data)) or newline(data))
    for struck in (2, 40):
        looks.clear()
        over = {f"old{n:05}": "2025-01-01..2025-02-01" for n in range(struck)}
        sheet = FileEdits(
            "memory/semantic/preferences.md",
            added=[AddedLine("New", "new00001", "- x <!-- id: new00001 -->")],
            validity_by_id=over,
        )
        after = apply_file_edits(a_page(50), sheet, lambda _record: True)
        assert after.count(b"~~likes tea~~") == struck
        assert len(looks) == 3  # for what is added, for what goes, for the history


LINES = st.lists(
    st.sampled_from(["- one", "- two\n  more", "text", "", "## Head", "- drei ü"]), min_size=1, max_size=12
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_lines_are_changed_at_once_as_they_are_one_by_one(
    lines: list[str], newline: str, whole: bool, data: st.DataObject
) -> None:
    page = (newline.join("\n".join(lines).split("\n")) + (newline if whole else "")).encode()
    sources = [record.source for record in parse_document("a.md", page).records]
    ways = st.sampled_from([None, "- new", "- new\n  lines"] if newline == "\n" else [None, "- new"])
    changes = [(source, data.draw(ways)) for source in sources if data.draw(st.booleans())]
    after = page
    for source, line in sorted(changes, key=lambda change: -change[0].byte_start):
        after = edits.change_lines(after, [(source, line)])
    assert edits.change_lines(page, changes) == after


def test_lines_below_headings_that_differ_in_case_alone_are_all_kept() -> None:
    added = {"Ana": ["- one"], "ANA": ["- two"]}
    assert edits.append_under_headings(b"## Ana\n- zero\n", added) == b"## Ana\n- zero\n- one\n- two\n"
    assert edits.append_under_headings(b"", added) == b"## Ana\n- one\n- two\n"


# the whole


def an_event(number: int) -> Event:
    return Event(
        text=f"[preference N{number % 50}] N{number % 50} likes thing{number} and tea. N{number}'s colour is red.",
        ts=f"2025-11-{number % 10 + 1:02}T09:{number % 60:02}",
        session=f"s{number // 10}",
    )


@pytest.mark.slow
def test_four_times_as_many_captures_cost_hardly_more_than_four_times_as_much(tmp_path_factory: Any) -> None:
    def costs(size: int) -> tuple[int, int]:
        with Memory.open(tmp_path_factory.mktemp("n")) as opened:
            opened.capture_all([an_event(number) for number in range(size)])
            opened.sync()
            opened.consolidate()  # nothing is compiled or planned for the first time
            steps = sql_steps(opened.workspace.open_index(), opened.consolidate)
            clarity.analyze_text.cache_clear()  # it knows all texts of the smaller notebook by now, and not of the larger
            return steps, calls(lambda: opened.consolidate(apply=True))

    small, large = costs(60), costs(240)
    assert large[1] < 4.6 * small[1], (small, large)
    assert large[0] < 5 * small[0], (small, large)
