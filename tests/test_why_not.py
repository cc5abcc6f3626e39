"""Why a line is not among the answers: each stage tells the truth, and each change that is told shows the line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import commonplace
from bench.acceptance.why_not_agrees import check_case, draw_cases
from commonplace import Memory
from commonplace.cli import main
from commonplace.cli.diagnose import change_as_options
from commonplace.errors import BadArgument
from commonplace.language.text import QueryTerm
from commonplace.retrieval.recall.citations import format_anchored_citation
from commonplace.retrieval.recall.omissions import Stage, WhyNot, _matched_terms

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2025-11-30T09:00"
DATA = Path(commonplace.__file__).parent / "data"
SCHEMA = Path(__file__).parents[1] / "docs/reference/schemas/commonplace.why-not.v1.schema.json"
DAY = "memory/2025-11-01.md"
JOURNAL = ".memory/journal/captures-dev-2025-11.jsonl"
Book = Callable[..., Memory]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """Opens a notebook with a daily log of these bullets; the first stands on line 2."""
    opened: list[Memory] = []

    def write(bullets: str, path: str = DAY) -> Memory:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"## Retain\n{bullets}\n", encoding="utf-8")
        opened.append(Memory.open(tmp_path))
        return opened[-1]

    yield write
    for memory in opened:
        memory.close()


def stage(told: WhyNot, name: str) -> Stage:
    return next(one for one in told.stages if one.name == name)


def written(root: Path) -> dict[str, bytes]:
    """All files but the index, which every answer may bring up to date."""
    kept = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("index.sqlite"))
    return {str(path): path.read_bytes() for path in kept}


def options(told: WhyNot) -> list[str]:
    return [change_as_options(change) for change in told.changes]


def assert_each_change_shows_it(memory: Memory, text: str, told: WhyNot, **query: Any) -> None:
    for change in told.changes:
        asked = {"text": text, **query, **change.arguments}
        hits = memory.recall(asked.pop("text"), **asked).hits
        assert told.record
        assert [hit.record.id for hit in hits].index(told.record.id) + 1 == change.rank, change


# Not indexed.


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("memory/2025-11-02.md#L2", "no record and no file is called memory/2025-11-02.md; did you mean " + DAY),
        ("ghost", "no record and no file is called ghost"),
        (f"{DAY}#L1", "Retain"),
        (f"{DAY}#L4", "line 4 is empty; the nearest is at " + f"{DAY}#L3"),
        (f"{DAY}#L99", f"no such line: {DAY} has 5"),
        ("notes/.private/a.md#L1", "names that begin with a dot, like .private, are not read"),
        ("node_modules/a.md#L1", "files in node_modules are not read"),
        ("notes.txt#L1", "only names that end in .md are read"),
        ("drafts/a.md#L1", "the setting `ignore` names it"),
        ("../elsewhere.md#L1", "not indexed: "),
    ],
)
def test_a_line_that_is_not_indexed_says_why(reference: str, says: str, tmp_path: Path, book: Book) -> None:
    for path in ("notes/.private/a.md", "node_modules/a.md", "notes.txt", "drafts/a.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("The boat is green.\n", encoding="utf-8")
    (tmp_path / "commonplace.toml").write_text('ignore = ["drafts"]\n', encoding="utf-8")
    told = book("- W The boat is green.\n- W Tea at nine.\n\nSee above.").why_not("boat", reference)
    assert says in stage(told, "index").says
    if reference != f"{DAY}#L1":
        assert (told.lost_at, told.record, told.changes) == ("index", None, ())


def test_a_file_that_cannot_be_read_says_what_is_wrong_with_it(tmp_path: Path, book: Book) -> None:
    (tmp_path / "commonplace.toml").write_text("[files]\nmax_bytes = 1024\n", encoding="utf-8")
    (tmp_path / "long.md").write_text("The boat is green.\n" * 100, encoding="utf-8")
    told = book("- W Tea at nine.").why_not("boat", "long.md#L3")
    assert told.lost_at == "index"
    assert stage(told, "index").says.startswith("not indexed: long.md: ")
    assert "1024" in stage(told, "index").says


def test_a_whole_file_and_a_line_that_is_no_number_are_mistakes(book: Book) -> None:
    memory = book("- W The boat is green.")
    for reference in (DAY, f"{DAY}#Lx", f"{DAY}#L0"):
        with pytest.raises(BadArgument):
            memory.why_not("boat", reference)


# Filtered.

TEA = (
    "- W Tea for work. <!-- project: api_server -->\n"
    "- O @Ada: Prefers green tea. <!-- id: green1 -->\n"
    "- O @Ada: Prefers black tea. <!-- supersedes: green1 -->\n"
    "- W Tea is bad, says a page. <!-- origin: quarantined -->\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "query", "name", "change"),
    [
        (2, {"scope": "api-server"}, "scope", "--scope api_server"),
        (2, {}, "scope", "--scope api_server"),
        (3, {}, "superseded", "--history"),
        (3, {"as_of": "2025-11-02"}, "as-of", "without --as-of --history"),
        (3, {"known_at": "2025-10-01"}, "known-at", "without --known-at --history"),
        (4, {"kinds": ("world",)}, "kind", "--kind world --kind opinion"),
        (4, {"categories": ("plan",)}, "category", "--category plan --category preference"),
        (4, {"since": "2025-11-20"}, "time", "--since 2025-11-01"),
        (4, {"until": "2025-10-20"}, "time", "--until 2025-11-01"),
        (4, {"evidence": "only"}, "evidence", "--evidence auto"),
        (5, {}, "trust", "trust=('trusted', 'unknown', 'untrusted', 'quarantined')"),
    ],
)
def test_a_filter_is_named_with_the_value_that_lets_the_line_through(
    line: int, query: dict[str, Any], name: str, change: str, book: Book
) -> None:
    memory = book(TEA)
    told = memory.why_not("tea", f"{DAY}#L{line}", **query)
    assert (told.lost_at, told.rank) == ("filter", 0)
    assert [one.filter for one in told.stages if one.name == "filter"] == [name]
    assert options(told) == [change]
    assert_each_change_shows_it(memory, "tea", told, **query)


QUEUE = "memory/pending.md"


def test_what_waits_for_review_is_found_only_where_it_is_asked_for(tmp_path: Path, book: Book) -> None:
    item = "- person, Mirela: Mirela's birthday is 15 March (why: contradicts 14 May) <!-- id: doubt001 -->"
    (tmp_path / "memory").mkdir(exist_ok=True)
    (tmp_path / QUEUE).write_text(f"# Pending\n\n## Doubts\n\n{item}\n", encoding="utf-8")
    memory = book("- W Mirela's birthday is 14 May.\n")

    def found(**query: Any) -> set[str]:
        hits = memory.recall("Mirela's birthday", **query)
        return {hit.record.source.path for hit in (*hits.hits, *hits.not_confident)}

    assert found() == found(paths=("memory/",)) == found(all_scopes=True, history=True) == {DAY}
    assert found(paths=("pending",)) == found(paths=(QUEUE,)) == {QUEUE}
    for query in ({}, {"paths": ("memory/2025",)}, {"kinds": ("opinion",)}):
        told = memory.why_not("Mirela's birthday", f"{QUEUE}#L5", **query)
        assert told.lost_at == "filter"
        assert [one.says for one in told.stages if one.filter == "waits"] == ["waits for review: decide it in Review"]
        assert "--path memory/pending.md" in options(told)[0]
        assert_each_change_shows_it(memory, "Mirela's birthday", told, **query)
    packed = memory.pack("Mirela's birthday", paths=(QUEUE,), core=False)
    assert "15 March" not in packed.text
    assert {one.reason for one in memory.receipt(packed.receipt_id).considered} == {"waits for review"}
    assert "doubt001" in [one.id for one in memory.timeline(around="doubt001")]


def test_a_scope_that_is_nearly_that_of_the_line_is_said_to_be(book: Book) -> None:
    told = book(TEA).why_not("tea", f"{DAY}#L2", scope="api-server")
    assert "'api_server' (nearly 'api-server')" in stage(told, "filter").says
    assert told.notes == ("no record has the scope api-server; did you mean scope api_server?",)
    assert "nearly" not in stage(book(TEA).why_not("tea", f"{DAY}#L2", scope="garden"), "filter").says


def test_several_filters_are_all_named_and_lifted_together(book: Book) -> None:
    memory = book(TEA)
    told = memory.why_not("tea", f"{DAY}#L2", kinds=("opinion",), since="2025-11-20")
    assert [one.filter for one in told.stages if one.name == "filter"] == ["scope", "kind", "time"]
    assert options(told) == ["--kind opinion --kind world --since 2025-11-01 --scope api_server"]
    assert_each_change_shows_it(memory, "tea", told, kinds=("opinion",), since="2025-11-20")


def test_a_line_that_bears_no_such_entity_is_told_so(book: Book) -> None:
    memory = book("- W @Ada: Drinks tea.\n- W @Bruno: Drinks tea too.")
    told = memory.why_not("tea", f"{DAY}#L3", entities=("Ada",))
    assert stage(told, "filter").filter == "entity"
    assert options(told) == ["without --entity"]
    assert_each_change_shows_it(memory, "tea", told, entities=("Ada",))


def test_a_capture_is_let_through_with_evidence(book: Book) -> None:
    memory = book(TEA)
    taken = memory.capture("The kettle is blue.")
    for reference in (taken.id, f"{JOURNAL}#L1"):
        told = memory.why_not("kettle", reference, evidence="none")
        assert (stage(told, "filter").filter, options(told)) == ("evidence", ["--evidence auto"])
    told = memory.why_not("kettle", f"{JOURNAL}#L1")
    assert told.rank == 1


def test_an_episode_that_retells_a_capture_is_hidden_beside_it(book: Book, tmp_path: Path) -> None:
    memory = book(TEA)
    taken = memory.capture("The kettle is blue.")
    path = tmp_path / "memory/episodes/2025-11-01_kettle.md"
    path.parent.mkdir()
    path.write_text(f"# Kettle\n\n- The kettle is blue. <!-- from: {taken.id} -->\n", encoding="utf-8")
    told = memory.why_not("kettle", "memory/episodes/2025-11-01_kettle.md#L3")
    assert stage(told, "filter").filter == "retold"
    assert f"{JOURNAL}#L1" in stage(told, "filter").says
    assert options(told) == ["--evidence none"]
    assert_each_change_shows_it(memory, "kettle", told)


# Found or not, told already, ranked.


def test_without_a_shared_stem_the_words_are_told_and_one_of_the_line_is_offered(book: Book) -> None:
    memory = book("- W Another vessel lies in port.\n- W The boat is green.")
    told = memory.why_not("boats at anchor", f"{DAY}#L2")
    words = stage(told, "words").says
    assert (told.lost_at, stage(told, "lanes").passed) == ("words", False)
    assert words == (
        "shares no word with the question; not in the line: boats, anchor (nearest: another; in no record at all);"
        " the line's words: another, vessel, lies, in, port"
    )
    assert options(told) == ['"… another"']
    assert_each_change_shows_it(memory, "boats at anchor", told)


def test_a_word_that_is_read_as_another_says_as_which() -> None:
    terms = (QueryTerm("harbor", ("harbor",)), QueryTerm("harbor", ("harbour",), 0.5), QueryTerm("boats", ("boat",)))
    assert _matched_terms(terms, {"harbour", "boat"}) == {"harbor": "harbor (read as harbour)", "boats": "boats"}
    assert _matched_terms(terms, {"harbor"}) == {"harbor": "harbor"}


def test_words_in_the_titles_above_a_line_are_told_apart(book: Book) -> None:
    memory = book("The boat is green.", "notes/harbour.md")
    told = memory.why_not("retain a boat", "notes/harbour.md#L2")
    assert stage(told, "words").says == "shares boat; in the titles above it: retain"
    assert stage(memory.why_not("a boat", "notes/harbour.md#L2"), "words").says == "shares boat"


def test_a_citation_with_an_anchor_means_the_line_as_it_stands_now(book: Book) -> None:
    memory = book("- W The boat is green.")
    cited = format_anchored_citation(memory.show(f"{DAY}#L2"))
    moved = book("- W Tea at nine.\n- W The boat is green.")
    assert "~" in cited
    told = moved.why_not("boat", cited)
    assert told.record
    assert told.record.source.citation == f"{DAY}#L3"


def test_the_lanes_and_the_reasons_are_those_of_the_hit(book: Book) -> None:
    memory = book(TEA)
    told = memory.why_not("does Ada like tea?", f"{DAY}#L4")
    hit = next(hit for hit in memory.recall("does Ada like tea?").hits if hit.record.source.line_start == 4)
    assert stage(told, "rank").reasons == hit.reasons
    lanes = {one.name: one.value for one in stage(told, "lanes").reasons}
    assert lanes["lexical"] == next(one.value for one in hit.reasons if one.name == "lexical")
    assert {"entity", "kind"} <= lanes.keys()
    assert told.rank == 1
    assert told.changes == ()
    assert stage(told, "words").says.startswith("shares ada, tea")


def test_a_line_that_a_better_hit_tells_already_names_that_hit(book: Book) -> None:
    memory = book(TEA)
    taken = memory.capture("The kettle in the kitchen is blue today.", actor="agent")
    book(f"- W The kettle in the kitchen is blue. <!-- from: {taken.id} -->", "memory/2025-11-02.md")
    told = memory.why_not("is the kettle in the kitchen blue?", taken.id)
    lost, first = stage(told, "told"), memory.recall("is the kettle in the kitchen blue?").hits[0]
    assert (told.lost_at, told.rank) == ("told", 0)
    assert lost.beside
    assert (lost.beside.record_id, lost.beside.rank) == (first.record.id, 1)
    assert "memory/2025-11-02.md#L2" in lost.says
    assert options(told)[0] == "--evidence only"
    assert_each_change_shows_it(memory, "is the kettle in the kitchen blue?", told)


def test_a_line_behind_the_last_that_is_shown_is_told_beside_it(book: Book) -> None:
    memory = book("\n".join(f"- W Tea number {number} is {'very ' * number}good." for number in range(40)))
    ranked = memory.recall("tea", k=40).hits
    there = ranked[37].record.source.citation
    told = memory.why_not("tea", there)
    lost = stage(told, "rank")
    assert told.lost_at == "rank"
    assert lost.says.startswith("rank 38 with ")
    assert lost.reasons == ranked[37].reasons
    assert lost.beside
    assert (lost.beside.rank, lost.beside.record_id) == (10, ranked[9].record.id)
    assert lost.beside.reasons == ranked[9].reasons
    assert "-k 38" in options(told)
    assert any(change.word for change in told.changes)
    assert_each_change_shows_it(memory, "tea", told)


def test_a_line_that_many_match_better_is_found_at_depth(book: Book) -> None:
    memory = book(
        "\n".join(f"- W Tea {number}." for number in range(450)) + "\n- W Tea and a long list of other drinks."
    )
    told = memory.why_not("tea", f"{DAY}#L452", k=3)
    assert told.lost_at == "rank"
    assert stage(told, "rank").says.startswith("rank 451 ")
    assert options(told)[-1] == "-k 451"
    assert_each_change_shows_it(memory, "tea", told, k=3)


QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("what does Ada prefer?", {}),
    ("tea", {"k": 1}),
    ("tea for work", {"scope": "api-server", "k": 2}),
    ("black", {"history": True, "kinds": ("opinion",)}),
    ("what happened in November?", {"until": "2025-10-31"}),
    ("who is Ada?", {"k": 1}),
)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "query"), QUESTIONS)
def test_for_every_line_of_a_notebook_rank_and_changes_are_true(
    text: str, query: dict[str, Any], book: Book, tmp_path: Path
) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- Ada owns a green boat.\n- Boats need paint.\n", encoding="utf-8")
    memory = book(TEA)
    memory.capture("Ada asked for black tea at work.", session="s")
    hits = [hit.record.id for hit in memory.recall(text, **query).hits]
    references = [f"MEMORY.md#L{line}" for line in (3, 4)] + [f"{DAY}#L{line}" for line in (2, 3, 4, 5)]
    for reference in (*references, f"{JOURNAL}#L1"):
        told = memory.why_not(text, reference, **query)
        assert told.record, reference
        assert told.rank == (hits.index(told.record.id) + 1 if told.record.id in hits else 0)
        assert bool(told.rank) == (told.lost_at == "")
        assert told.rank or told.changes, reference
        assert_each_change_shows_it(memory, text, told, **query)


@pytest.mark.slow
def test_for_lines_by_lot_what_is_named_as_the_reason_is_the_reason(tmp_path: Path) -> None:
    """A sample of `python -m bench.acceptance.why_not_agrees`."""
    shutil.copytree(DATA / "sample", tmp_path / "w")
    questions = [
        (one["question"], {"now": one["now"], "scope": one.get("scope", "")})
        for one in json.loads((DATA / "sample_questions.json").read_text(encoding="utf-8"))
    ]
    with Memory.open(tmp_path / "w") as memory:
        lost = set()
        for case in draw_cases(memory, questions, 40, seed=1):
            told, wrong = check_case(memory, case)
            assert not wrong, case
            lost.add(told.lost_at)
    assert {"", "filter", "rank"} <= lost


def test_of_the_hits_of_one_capture_that_is_named_which_has_the_words_of_the_line(book: Book) -> None:
    memory = book(TEA)
    taken = memory.capture("The kettle on the kitchen shelf is blue today.", actor="agent")
    bullets = ("Kettle, kettle, kettle.", "The kettle on the kitchen shelf is blue.")
    book("\n".join(f"- W {text} <!-- from: {taken.id} -->" for text in bullets), "memory/2025-11-02.md")
    assert [hit.record.text for hit in memory.recall("kettle").hits] == list(bullets)
    told = stage(memory.why_not("kettle", taken.id), "told")
    assert told.beside
    assert (told.passed, told.beside.rank, told.beside.citation) == (False, 2, "memory/2025-11-02.md#L3")


# Packs.


def test_a_line_cut_by_the_budget_is_told_the_budget_that_holds_it(book: Book, tmp_path: Path) -> None:
    memory = book(
        "\n".join(
            f"- W Tea {number} grows in the {place} and is picked by hand in spring."
            for number, place in enumerate(("hills", "valley", "garden", "south", "north", "meadow", "shade", "sun"))
        )
    )
    last = memory.recall("tea", k=24).hits[-1].record
    before = written(tmp_path)
    told = memory.why_not("tea", last.id, budget_tokens=90)
    assert (told.lost_at, told.rank) == ("pack", 0)
    assert stage(told, "pack").says.startswith("cut by budget")
    budget = told.changes[0].arguments["budget_tokens"]
    assert options(told)[0] == f"--budget {budget}"
    assert written(tmp_path) == before
    items = [item.record_id for item in memory.pack("tea", budget_tokens=budget).items]
    assert items.index(last.id) + 1 == told.changes[0].rank
    assert last.id not in [item.record_id for item in memory.pack("tea", budget_tokens=budget - 20).items]
    for start in (50, 130):
        other = memory.why_not("tea", last.id, budget_tokens=start).changes[0].arguments["budget_tokens"]
        assert abs(other - budget) <= 20
    there = memory.why_not("tea", last.id, budget_tokens=budget)
    assert (there.rank, there.lost_at, there.changes) == (told.changes[0].rank, "", ())


def test_what_an_automatic_pack_refuses_enters_an_explicit_one(book: Book) -> None:
    memory = book(TEA)
    taken = memory.capture("The kettle is blue.", actor="tool")
    told = memory.why_not("kettle", taken.id, budget_tokens=800, automatic=True)
    assert stage(told, "pack").says.startswith("evidence: untrusted")
    assert options(told) == ["without --automatic"]
    with pytest.raises(BadArgument):
        memory.why_not("kettle", taken.id, automatic=True)


def test_what_an_automatic_pack_refuses_does_not_crowd_out_a_line(book: Book) -> None:
    memory = book("- W The kettle stands on the stove beside the window of the old kitchen.")
    for number in range(70):
        memory.capture(f"The kettle is kettle {number}.", actor="tool")
    told = memory.why_not("kettle", f"{DAY}#L2", budget_tokens=800, automatic=True)
    items = memory.pack("kettle", budget_tokens=800, automatic=True).items
    assert told.record
    assert told.rank == [item.record_id for item in items].index(told.record.id) + 1
    assert stage(told, "rank").passed is False


def test_a_pack_is_told_the_filter_too(book: Book) -> None:
    memory = book(TEA)
    told = memory.why_not("tea", f"{DAY}#L2", budget_tokens=800)
    assert stage(told, "pack").says.startswith("not among the ")
    assert options(told) == ["--scope api_server"]
    items = memory.pack("tea", budget_tokens=800, scope="api_server").items
    assert told.record
    assert [item.record_id for item in items].index(told.record.id) + 1 == told.changes[0].rank


# The command.


def test_the_command_prints_stages_and_changes_and_its_documented_shape(
    book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book(TEA).close()
    words = ("why-not", "tea", f"{DAY}#L2", "--scope", "api-server", "--workspace", str(tmp_path))
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "no  filter  scope: it is of 'api_server' (nearly 'api-server')" in printed.out
    assert "    --scope api_server  (rank " in printed.out
    assert "did you mean scope api_server?" in printed.err
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = Draft202012Validator(schema)
    cases = ([f"{DAY}#L2"], [f"{DAY}#L4"], ["ghost"], [f"{DAY}#L4", "-k", "1"], [f"{DAY}#L4", "--budget", "60"])
    for case in cases:
        assert main(("why-not", "tea", *case, "--json", "--workspace", str(tmp_path))) == 0
        shape = json.loads(capsys.readouterr().out)
        validator.validate(shape)
        assert set(shape) == set(schema["properties"])
        for one in shape["stages"]:
            assert set(one) == set(schema["properties"]["stages"]["items"]["properties"])


def test_a_question_without_a_line_is_a_mistake(book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book(TEA).close()
    assert main(("why-not", "tea", "--workspace", str(tmp_path))) == 2
    assert "a question and a line are needed" in capsys.readouterr().err
