"""Golden questions: read as a person writes them, held against recall, compared with before; and receipts compared."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound
from commonplace.memory import diagnostics
from commonplace.memory.diagnostics import GOLDEN_RANKS_PATH
from commonplace.memory.open_workspace import OpenWorkspace
from commonplace.model import Hit, Reason, Receipt, ReceiptEntry, Record, Source
from commonplace.operations.parameters import RecallRequest
from commonplace.retrieval.pack.receipt import PartDifference, compare_receipts
from commonplace.storage import receipts
from commonplace.storage.workspace import parse_document
from commonplace.upkeep.review.golden_questions import (
    AnswerTarget,
    compare_ranks,
    parse_golden_questions,
    rank_expectations,
)
from tests.support.claim_grammar import run_cli
from tests.support.schemas import schema, validator

pytestmark = pytest.mark.usefixtures("claim_grammar")


PATH = "memory/golden.md"
NOTES = {
    "memory/2025-11-10.md": "# 2025-11-10\n\n## Retain\n- W @Ana: The boat is green. <!-- id: boat10 -->\n",
    "memory/2025-11-11.md": "# 2025-11-11\n\n## Retain\n- W @Ana: The harp has forty-seven strings. <!-- id: harp11 -->\n",
    "memory/2025-11-12.md": "# 2025-11-12\n\n## Retain\n- W @Ben: Tea at nine. <!-- id: tea12 · project: hall -->\n",
}
QUESTIONS = """# What my notebook must answer

Ask me before you change this.

## What colour is the boat?

- memory/2025-11-10.md#L4
- "BOAT is  green"

## How many strings has the harp?
- harp11
- k: 2
"""


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    root = tmp_path / "notes"
    for path, text in {**NOTES, PATH: QUESTIONS}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with Memory.open(root) as opened:
        yield opened


def write(memory: Memory, text: str, path: str = PATH) -> None:
    Path(memory.root, path).parent.mkdir(parents=True, exist_ok=True)
    Path(memory.root, path).write_text(text, encoding="utf-8")


def read(text: str) -> Any:
    return parse_golden_questions(PATH, text.encode())


def wanted(bullet: str) -> tuple[AnswerTarget, ...]:
    golden = read(f"## Q?\n- {bullet}\n")
    assert golden.problems == ()
    return golden.questions[0].expected[0].targets


def complaint(text: str) -> tuple[int, str]:
    (problem,) = read(text).problems
    assert (problem.code, problem.path) == ("bad-question", PATH)
    return problem.line, problem.message


def hit(name: str, text: str = "", line: int = 1, last: int = 0) -> Hit:
    return Hit(Record(name, text, Source("a.md", line, last or line, 0, 1, "d")), 1.0)


# The file, as a person writes it.


def test_a_heading_or_a_bullet_asks_and_the_bullets_below_it_say_what_must_be_found() -> None:
    golden = read("# Mine\n## One?\n- a.md#L3\nA remark.\n- b1\n\n* Q: Two?\n  * c.md\n  * k: 3\n  * scope: hall\n")
    assert golden.problems == ()
    one, two = golden.questions
    assert (one.text, one.line, [each.text for each in one.expected], one.k) == ("One?", 2, ["a.md#L3", "b1"], 0)
    assert (two.text, two.line, two.k, two.scope) == ("Two?", 7, 3, "hall")


def test_settings_above_the_first_question_hold_for_all_and_its_own_go_before() -> None:
    golden = read("- now: 2025-11-30T09:00\n- k: 4\n- a remark\n## One?\n- a1\n## Two?\n- a1\n- k: 2\n")
    assert [(one.k, one.now) for one in golden.questions] == [(4, "2025-11-30T09:00"), (2, "2025-11-30T09:00")]
    assert golden.problems == ()


@pytest.mark.parametrize(
    ("bullet", "expected"),
    [
        ("memory/2025-11-10.md#L12", (AnswerTarget("citation", "memory/2025-11-10.md", 12, 12),)),
        ("memory/a b.md#L2-L5", (AnswerTarget("citation", "memory/a b.md", 2, 5),)),
        ("`a.md#L2-5`", (AnswerTarget("citation", "a.md", 2, 5),)),
        ("[a.md#L2]", (AnswerTarget("citation", "a.md", 2, 2),)),
        ("[the log](a.md#L2)", (AnswerTarget("citation", "a.md", 2, 2),)),
        ("MEMORY.md", (AnswerTarget("citation", "MEMORY.md"),)),
        ("obs:tfvtx5jngtlapsnd", (AnswerTarget("id", "obs:tfvtx5jngtlapsnd"),)),
        ('"red  Pouch"', (AnswerTarget("text", "red pouch"),)),
        ("„rote Tasche“", (AnswerTarget("text", "rote tasche"),)),
        ('"now or never" or x1 or a.md#L1', (AnswerTarget("text", "now or never"), AnswerTarget("id", "x1"), AnswerTarget("citation", "a.md", 1, 1))),
        ("x1 <!-- why -->", (AnswerTarget("id", "x1"),)),
    ],
)  # fmt: skip
def test_a_bullet_is_a_citation_an_id_or_words_or_several(bullet: str, expected: tuple[AnswerTarget, ...]) -> None:
    assert wanted(bullet) == expected


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("## One?\n- red pouch\n", 2, "neither a citation"),
        ("## One?\n- a.md#12\n", 2, "neither a citation"),
        ("## One?\n- a.md#L5-L2\n", 2, "ends before"),
        ('## One?\n- "red\n', 2, "neither a citation|not closed"),
        ('## One?\n- ""\n', 2, "empty"),
        ('## One?\n- "red" and "blue"\n', 2, "stands `or`"),
        ("## One?\n- x1\n- k: none\n", 3, "`k` must be"),
        ("## One?\n- x1\n- k: 0\n", 3, "`k` must be"),
        ("## One?\n- x1\n- now: noon\n", 3, "not an ISO"),
        ("## One?\n- x1\n- scope:\n", 3, "says nothing"),
        ("## One?\n- x1\n- limit: 3\n", 3, "neither a citation"),
        ("## One?\n\nA remark.\n", 1, "nothing says"),
        (f"## One?\n- {'x or ' * 1000}y\n", 2, "more than 4000"),
        ("- Q:\n  - x1\n", 1, "no question"),
        ("# Title\n", 0, "asks nothing"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line_and_the_others_are_asked(
    text: str, line: int, says: str
) -> None:
    at, message = complaint(text)
    assert at == line
    assert any(part in message for part in says.split("|")), message
    if line:
        more = read(f"{text}## Another?\n- z9\n")
        assert [one.text for one in more.questions] == ["Another?"]
        assert len(more.problems) == 1


def test_the_same_question_twice_is_a_problem_but_not_with_another_scope() -> None:
    assert complaint("## One?\n- x1\n## One?\n- x2\n") == (3, "this is asked on line 1 already")
    assert len(read("## One?\n- x1\n## One?\n- x2\n- scope: hall\n").questions) == 2


def test_a_title_of_a_group_is_no_question() -> None:
    golden = read("## People\n### Who?\n- x1\n## Places\n- Q: Where?\n  - x2\n")
    assert ([one.text for one in golden.questions], golden.problems) == (["Who?", "Where?"], ())


def test_signs_that_close_a_heading_are_not_asked() -> None:
    golden = read("## Who? ##\n- x1\n## Who writes C#\n- x1\n")
    assert [one.text for one in golden.questions] == ["Who?", "Who writes C#"]


def test_front_matter_code_and_comments_ask_nothing() -> None:
    text = "---\ntitle: x\n- Q: a?\n---\n```\n## One?\n- x1\n```\n<!--\n## Two?\n- x1\n-->\n<!-- ## Three? -->\n## Four?\r\n- x1\r\n"
    golden = read(text)
    assert ([(one.text, one.line) for one in golden.questions], golden.problems) == ([("Four?", 14)], ())


@given(st.text(alphabet='#-* \n"“„orkQ:L1a.md`~<!>', max_size=80))
def test_whatever_the_file_holds_reading_it_raises_nothing(text: str) -> None:
    golden = read(text)
    assert golden.questions or golden.problems
    assert all(one.expected for one in golden.questions)


# Held against hits.


def test_everything_a_question_names_must_be_among_the_first_k() -> None:
    (question,) = read('## One?\n- x1 or x3\n- "green boat"\n').questions
    hits = (hit("x0"), hit("x2", "The Green  boat."), hit("x3"), hit("x1"))
    assert (rank_expectations(question, hits, 3).ranks, rank_expectations(question, hits, 3).rank) == ((3, 2), 3)
    assert (rank_expectations(question, hits, 2).ranks, rank_expectations(question, hits, 2).rank) == ((3, 2), 0)
    assert rank_expectations(question, hits[:1], 3).ranks == (0, 0)


@pytest.mark.parametrize(
    ("bullet", "rank"),
    [("a.md#L4", 1), ("a.md#L5", 1), ("a.md#L6", 0), ("a.md#L1-L4", 1), ("a.md", 1), ("b.md#L4", 0), ("b.md", 0)],
)
def test_a_citation_is_met_by_a_record_that_stands_on_one_of_its_lines(bullet: str, rank: int) -> None:
    (question,) = read(f"## One?\n- {bullet}\n").questions
    assert rank_expectations(question, (hit("x", line=4, last=5),), 10).rank == rank


def test_what_became_of_a_rank_has_a_word() -> None:
    told = [compare_ranks(*pair) for pair in ((1, None), (2, 2), (0, 0), (1, 2), (2, 1), (0, 1), (1, 0))]
    assert told == ["new", "same", "same", "better", "worse", "lost", "found again"]


# Through the notebook.


def test_every_question_is_asked_and_its_rank_told(memory: Memory) -> None:
    tested = memory.golden()
    assert [(one.question.text, one.rank, one.k) for one in tested.question_results] == [
        ("What colour is the boat?", 1, 10), ("How many strings has the harp?", 1, 2),
    ]  # fmt: skip
    assert (tested.is_passed, tested.missing, tested.problems) == (True, 0, ())


def test_a_scope_and_a_clock_of_a_question_are_used(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def rank(*settings: str) -> int:
        write(memory, "\n".join(("## When is tea?", "- tea12", *settings)))
        return memory.golden().question_results[0].rank

    assert (rank(), rank("- scope: hall"), rank("- scope: *")) == (0, 1, 1)
    write(memory, "## What was yesterday?\n- harp11\n- now: 2025-11-12\n")
    asked: list[str] = []
    real = diagnostics.outputs.recall_records
    monkeypatch.setattr(
        diagnostics.outputs,
        "recall_records",
        lambda workspace, given: asked.append(given.now) or real(workspace, given),
    )
    memory.golden()
    assert asked == ["2025-11-12T00:00"]


def test_an_anchored_citation_goes_with_its_line_and_is_a_problem_once_the_line_is_gone(memory: Memory) -> None:
    page = Path(memory.root) / "notes/tea.md"
    page.parent.mkdir()
    page.write_text("- Rain fell.\n- Ada drinks jasmine tea in the afternoon.\n", encoding="utf-8")
    anchored = memory.cite("notes/tea.md#L2")
    write(memory, f"## What does Ada drink?\n- {anchored}\n- k: 1\n")
    assert wanted(anchored) == (AnswerTarget("anchored", anchored),)
    for text in (
        "- Rain fell.\n- Ada drinks jasmine tea in the afternoon.\n",
        "- Snow.\n- Ice.\n- Rain fell.\n- Ada drinks jasmine tea in the afternoon.\n",
        "- Snow.\n- Ice.\n- Ada drinks jasmine tea in the late afternoon.\n",
    ):
        page.write_text(text, encoding="utf-8")
        (judged,) = memory.golden().question_results
        assert judged.rank == 1, text
        assert judged.question.expected[0].targets == (AnswerTarget("anchored", anchored),), "as it was written"
    page.write_text("- Snow.\n", encoding="utf-8")
    tested = memory.golden()
    (problem,) = tested.problems
    assert (tested.question_results, tested.is_passed, problem.line) == ((), False, 1)
    assert anchored in problem.message


def test_a_rank_below_k_is_told_but_is_not_found(memory: Memory) -> None:
    write(memory, "\n".join(f"- Ana sees the boat number {number}." for number in range(8)), "boats.md")
    write(memory, "## Ana sees the boat number 3\n- boat10\n")
    (one,) = memory.golden(k=1).question_results
    assert one.rank == 0
    assert one.ranks[0] > 1


def test_the_questions_are_never_recalled_as_knowledge(memory: Memory) -> None:
    write(memory, "## Where are the keys?\n- x1\n", "memory/golden/house.md")
    memory.sync()
    for question in ("What colour is the boat?", "Where are the keys?"):
        assert not any("golden" in one.record.source.path for one in memory.recall(question).hits)
    assert parse_document(PATH, QUESTIONS.encode()).records == ()
    assert parse_document("memory/golden-rules.md", b"- Be kind.\n").records
    assert memory.golden("memory/golden/house.md").problems == ()
    assert memory.check().problems == ()


def test_a_file_of_questions_among_the_notes_is_said_to_be_recalled(memory: Memory) -> None:
    write(memory, "## What colour is the boat?\n- boat10\n", "asked.md")
    tested = memory.golden("asked.md")
    assert [problem.code for problem in tested.problems] == ["golden-recalled"]
    assert tested.is_passed


def test_a_file_elsewhere_can_be_named_and_one_that_is_missing_is_said_to_be(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.txt").write_text(QUESTIONS)
    assert memory.golden(str(tmp_path / "mine.txt")).is_passed
    monkeypatch.chdir(tmp_path)
    assert memory.golden("mine.txt").is_passed
    Path(memory.root, PATH).unlink()
    with pytest.raises(NotFound) as raised:
        memory.golden()
    assert (raised.value.message, "write memory/golden.md" in raised.value.hint) == (
        f"no file of questions {PATH!r}",
        True,
    )


def test_remembered_ranks_show_what_became_better_or_worse(memory: Memory) -> None:
    write(memory, f"{QUESTIONS}\n## Who has a dog?\n- dog13\n")
    assert [one.verdict for one in memory.golden().question_results] == ["", "", ""]
    assert not Path(memory.root, GOLDEN_RANKS_PATH).exists()
    memory.golden(update=True)
    assert [one.verdict for one in memory.golden().question_results] == ["same", "same", "same"]
    write(memory, "# 2025-11-13\n\n## Retain\n- W @Ben: Ben has a dog. <!-- id: dog13 -->\n", "memory/2025-11-13.md")
    write(memory, "What colour is the boat?\n", "louder.md")
    write(memory, NOTES["memory/2025-11-11.md"].replace("harp11", "harp99"), "memory/2025-11-11.md")
    tested = memory.golden()
    assert [(one.verdict, one.before) for one in tested.question_results] == [
        ("worse", 1),
        ("lost", 1),
        ("found again", 0),
    ]
    write(memory, f"{QUESTIONS}\n## Whose dog?\n- dog13\n")
    assert memory.golden().question_results[-1].verdict == "new"


def test_what_is_remembered_holds_no_text_and_is_for_its_owner_only(memory: Memory) -> None:
    memory.golden(update=True)
    path = Path(memory.root, GOLDEN_RANKS_PATH)
    assert not any(word in path.read_text() for word in ("boat", "harp", "golden"))
    path.chmod(0o644)
    memory.golden(update=True)
    assert path.stat().st_mode & 0o777 == 0o600
    write(memory, "## Tea?\n- tea12\n", "memory/golden/tea.md")
    memory.golden("memory/golden/tea.md", update=True)
    assert [one.verdict for one in memory.golden().question_results] == ["same", "same"]
    assert memory.check().problems == ()


def test_remembered_ranks_that_cannot_be_read_stop_nothing(memory: Memory) -> None:
    memory.golden(update=True)
    Path(memory.root, GOLDEN_RANKS_PATH).write_text('{"ranks": 3}')
    tested = memory.golden(update=True)
    assert ([problem.code for problem in tested.problems], tested.is_passed) == (["bad-ranks"], True)
    assert [one.verdict for one in memory.golden().question_results] == ["same", "same"]


def test_a_question_that_cannot_be_asked_is_a_problem(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real = diagnostics.outputs.recall_records

    def recall(workspace: OpenWorkspace, request: RecallRequest) -> Any:
        if "harp" in request.text:
            raise BadArgument("too much")
        return real(workspace, request)

    monkeypatch.setattr(diagnostics.outputs, "recall_records", recall)
    tested = memory.golden()
    assert [(problem.code, problem.line) for problem in tested.problems] == [("bad-question", 10)]
    assert (len(tested.question_results), tested.is_passed) == (1, False)


# Two receipts.


def one(name: str, score: float = 0.0, why: str = "taken L2", **parts: float) -> ReceiptEntry:
    reasons = tuple(Reason(part.replace("_x", "×"), value) for part, value in parts.items())
    return ReceiptEntry(name, f"{name}.md#L1", why.startswith(("taken", "core")), why, score, reasons, 9)


def receipt(name: str, *considered: ReceiptEntry, **more: Any) -> Receipt:
    return structs.replace(Receipt(name, "2025-11-20T08:00", "d1", 100, 90, (), considered), **more)


def test_what_entered_left_moved_and_changed_is_told_with_the_parts_that_did_it() -> None:
    before = receipt(
        "r-a", one("core", why="core L2"), one("a", 3, lexical=3.0), one("b", 2, lexical=2.0), one("c", 1.5, lexical=1.5),
        one("d", 1, "cut by budget", lexical=1.0), one("z", 0.5, "ranked below k", lexical=0.5),
    )  # fmt: skip
    after = receipt(
        "r-b", one("core", why="core L2"), one("a", 2.5, lexical=2.5), one("d", 2.2, lexical=1.1, trust_x=2.0),
        one("b", 2, lexical=2.0), one("c", 1, "ranked below k", lexical=1.0), one("z", 0.4, "ranked below k", lexical=0.4),
    )  # fmt: skip
    compared = compare_receipts(before, after)
    told = [(x.record_id, x.change, x.before.rank, x.after.rank) for x in compared.differences]
    assert told == [("d", "entered", 4, 2), ("c", "left", 3, 4), ("b", "moved", 2, 3), ("a", "changed", 1, 1)]
    assert compared.differences[0].parts == (PartDifference("lexical", 1.0, 1.1), PartDifference("trust×", None, 2.0))
    assert compared.differences[1].after.reason == "ranked below k"
    assert (compared.unchanged, compared.same_question) == (1, True)


def test_a_record_that_one_receipt_does_not_know_was_not_considered() -> None:
    (gone,) = compare_receipts(receipt("r-a", one("a", 3, lexical=3.0)), receipt("r-b")).differences
    assert (gone.change, gone.after.reason, gone.citation) == ("left", "not considered", "a.md#L1")


def test_a_core_record_that_was_also_found_is_one_record() -> None:
    twice = receipt("r-a", one("a", why="core L2"), one("a", 3, "already in the pack", lexical=3.0))
    assert compare_receipts(twice, twice).unchanged == 1
    (moved,) = compare_receipts(twice, receipt("r-b", one("a", why="core L2"))).differences
    assert (moved.change, moved.before.rank, moved.before.reason) == ("moved", 1, "core L2")


def test_receipts_of_other_questions_or_scopes_are_told_apart() -> None:
    first = receipt("r-a")
    assert not compare_receipts(first, receipt("r-b", query_digest="d2")).same_question
    assert not compare_receipts(first, receipt("r-b", scope="hall")).same_question


def test_receipts_are_named_by_id_or_from_the_last_backwards(memory: Memory) -> None:
    for name in ("r-1", "r-2", "r-3"):
        receipts.append_receipt(memory.root, receipt(name), "desk")
    assert [memory.diff_receipts().before.id, memory.diff_receipts().after.id] == ["r-2", "r-3"]
    assert memory.diff_receipts("last~2", "r-2").before.id == "r-1"
    with pytest.raises(NotFound) as raised:
        memory.diff_receipts("last~3")
    assert raised.value.hint == "there are 3; every `pack` leaves one"
    with pytest.raises(BadArgument):
        memory.diff_receipts("last~x")


# The commands.


def shape(printed: str) -> Any:
    value = json.loads(printed)
    validator(value["schema"]).validate(value)
    assert set(value) == set(schema(value["schema"])["properties"])
    return value


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cpl(memory: Memory, capsys: pytest.CaptureFixture[str]) -> Command:
    return lambda *words: run_cli(capsys, "--workspace", memory.root, *words)


def test_the_command_ends_with_0_if_all_is_found_and_with_3_if_not(memory: Memory, cpl: Command) -> None:
    code, out, err = cpl("test")
    assert (code, out.split("\n")[0], err) == (0, "rank 1 of 10  What colour is the boat?", "2 of 2 questions found\n")
    write(memory, QUESTIONS.replace("harp11", "harp12"))
    code, out, err = cpl("test")
    assert (
        code,
        "missing       How many strings has the harp?\n    nowhere: harp12  [memory/golden.md#L11]" in out,
    ) == (3, True)
    write(memory, QUESTIONS.replace("harp11", "the harp"))
    code, out, err = cpl("test")
    assert (code, "memory/golden.md:11: bad-question: " in err, "1 of 1 question found" in err) == (3, True, True)


def test_the_command_says_what_changed(memory: Memory, cpl: Command) -> None:
    assert "the ranks are stored" in cpl("test", "--update")[2]
    write(memory, QUESTIONS.replace("harp11", "harp12"))
    code, out, err = cpl("test", PATH, "-k", "3")
    assert (code, "has the harp?  (lost: was rank 1)" in out, "1 of 2 questions found; 1 lost" in err) == (
        3,
        True,
        True,
    )


def test_what_the_commands_print_as_json_is_what_their_schemas_say(memory: Memory, cpl: Command) -> None:
    write(memory, f"{QUESTIONS}- k: x\n")
    printed = shape(cpl("test", "--json", "--update")[1])
    assert (printed["passed"], printed["found"], printed["questions"][0]["rank"]) == (False, 1, 1)
    assert [problem["line"] for problem in printed["problems"]] == [13]
    assert printed["questions"][0]["expected"][1] == {
        "written": '"BOAT is  green"',
        "line": 8,
        "rank": 1,
        "found": True,
    }
    for budget in ("60", "400"):
        assert cpl("pack", "the boat, the harp", "--budget", budget)[0] == 0
    compared = shape(cpl("diff-receipts", "--json")[1])
    assert (compared["before"]["budget_tokens"], compared["after"]["budget_tokens"]) == (60, 400)


def test_the_difference_of_two_receipts_is_told_in_words(memory: Memory, cpl: Command) -> None:
    then = one("a", 3, lexical=3.0), one("b", 2, lexical=2.0)
    now = one("b", 4, lexical=2.0, entity=2.0), one("c", 3.5, lexical=3.5), one("a", 3, "cut by budget", lexical=3.0)
    receipts.append_receipt(memory.root, receipt("r-1", *then), "desk")
    receipts.append_receipt(memory.root, receipt("r-2", *now), "desk")
    code, out, err = cpl("diff-receipts", "last~1", "last")
    assert (code, err) == (0, "")
    assert out == (
        "- r-1 of 2025-11-20T08:00: 90 of 100 tokens, 2 in\n"
        "+ r-2 of 2025-11-20T08:00: 90 of 100 tokens, 2 in\n"
        "entered\n"
        "  c.md#L1  c  rank — → 2, tokens — → 9, not considered → taken L2\n"
        "left\n"
        "  a.md#L1  a  rank 1 → 3, taken L2 → cut by budget\n"
        "moved\n"
        "  b.md#L1  b  rank 2 → 1\n"
        "      entity       — → 2.0000\n"
        "      = score      2.0000 → 4.0000\n"
        "0 lines unchanged\n"
    )
    assert cpl("diff-receipts", "r-1", "r-2", "r-3")[0] == 2
    assert cpl("diff-receipts", "r-9", "r-2")[0] == 1


def test_the_questions_are_read_and_never_written(memory: Memory) -> None:
    path = Path(memory.root, PATH)
    before = (path.read_bytes(), os.stat(path).st_mtime_ns)
    memory.golden(update=True)
    assert (path.read_bytes(), os.stat(path).st_mtime_ns) == before


def test_a_candidate_that_was_left_out_and_is_none_any_more_is_no_difference() -> None:
    before = receipt("r-a", one("a", 3, lexical=3.0), one("b", 2, "cut by budget", lexical=2.0))
    compared = compare_receipts(before, receipt("r-b", one("a", 3, lexical=3.0)))
    assert (compared.differences, compared.unchanged) == ((), 1)
