"""Every part of the score has a name, can be switched off, decides something, and adds up to what is printed."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import commonplace
from bench.adapter import Logs
from bench.quality import _harness
from bench.queries import write_notebook as write_odd
from bench.speed import write_notebook
from commonplace import Memory
from commonplace.errors import BadSettings
from commonplace.index.store import SqliteIndex
from commonplace.model import RECALL_SWITCHES, Hit, Hits, Query, Reason
from commonplace.retrieval.recall import recall, trace_recall
from commonplace.retrieval.recall.dialogue import score_proximity
from commonplace.retrieval.recall.lane_input import MIN_SCORED
from commonplace.retrieval.recall.score_policy import POLICY
from commonplace.retrieval.recall.scoring import ANSWER_FEATURES, FACTOR_SIGN, PRIORS, SCORE_PARTS, format_arithmetic

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2025-11-30T09:00"
DATA = Path(commonplace.__file__).parent / "data"
ROUNDING = 3e-5  # as the page says: of the score, or of 1 where the score is less
FILLER = ("The bus was late.", "Rain again in the valley.", "Coffee is on the stove.", "Somebody rang the bell.")


# An example for each part: which line comes before which, and only thanks to it.


class Example(NamedTuple):
    """A question to a notebook, and a line (its text or its place) that the part brings before another, or to the
    front."""

    question: str
    first: str
    pages: dict[str, str]
    second: str = ""


def talk(*turns: str) -> str:
    """A log with one dialogue, filled up so that it counts as one."""
    said = [*turns, *(f"{('Ada', 'Ben')[n % 2]}: {FILLER[n % 4]}" for n in range(20 - len(turns)))]
    lines = "\n".join(f"- 09:{n:02} {turn}" for n, turn in enumerate(said))
    return f"# Log\n\n## Talk\n\n{lines}\n"


def notes(*lines: str) -> dict[str, str]:
    return {"notes/a.md": "".join(f"- {line}\n" for line in lines)}


def two(first: str, second: str) -> dict[str, str]:
    """Two logs of which the first comes first where nothing else decides."""
    return {"memory/2025-11-01.md": first, "memory/2025-11-02.md": second}


HERS = "Ada: My violin sounds warm."
NOVEMBER_1, NOVEMBER_2 = "memory/2025-11-01.md#L5", "memory/2025-11-02.md#L5"  # the first turns of two logs
STRINGS, VIOLIN, KEY = "Ada: The strings came on Monday.", "Ben: My violin sounds warm.", "Ben: Where is the spare key?"
OTHER = [f"Ada: {line}" for line in FILLER]
TEA = "Ada has her tea at four."
TEA_1, TEA_2 = f"{TEA} Then 1 cup of chai in 1 gulp.", f"{TEA} Then 2 cups of chai in 2 gulps."
BOTH = "tea barn mill valley road house lemon"
BARN = "The nice warm one of all those many that hang in the old barn behind the mill in the valley"

EXAMPLES = {
    "about": Example("who is Ada?", "A poet's child.", {"bank/entities/Ada.md": "# Ada\n\nA poet's child.\n", "notes/a.md": "Ada and Ada.\n"}),
    "lexical": Example("tea", "Tea, tea and tea.", notes("Somebody drank some tea behind the old barn that night.", "Tea, tea and tea.")),
    "session": Example("strings of the violin", NOVEMBER_2, two(talk(STRINGS), talk(STRINGS, *OTHER, *[VIOLIN] * 4)), NOVEMBER_1),
    "near": Example("strings of the violin", NOVEMBER_2, two(talk(STRINGS, *OTHER, HERS), talk(STRINGS, OTHER[0], HERS, *OTHER[1:])), NOVEMBER_1),
    "answers": Example("where is the spare key?", "Ada: Under a flowerpot.", {"memory/2025-11-01.md": talk(KEY, "Ada: Under a flowerpot.", *OTHER[:3], "Ben: A key.")}, "Ben: A key."),
    "close": Example("red coat", f"{BARN} is a red coat.", notes("The red one of the many is a nice warm coat.", f"{BARN} is a red coat.")),
    "entity": Example("which roses did Bruno plant?", "@Bruno: Planted the roses.", {"2025-11-01": "- W Bruno planted the roses.\n- W @Bruno: Planted the roses."}),
    "kind": Example("what does Ada think about jasmine tea?", "@Ada: Jasmine tea is the best.", {"2025-11-01": "- B @Ada: Ada drank jasmine tea, tea again and tea.\n- O @Ada: Jasmine tea is the best."}),
    "time": Example("what happened to the roses last week?", "Roses were sold.", {"2025-11-01": "- W Roses were cut.", "2025-11-20": "- W Roses were sold."}),
    "event": Example("what happened to the roses on 4 May 2025?", "Roses were cut on 4 May 2025.", {"2025-11-01": "- W Roses, roses.\n- W Roses were cut on 4 May 2025."}),
    "order": Example("when did Ada last have tea?", TEA_2, {"2025-01-01": f"- W {TEA_1}", "2025-11-01": f"- W {TEA_2}"}, TEA_1),
    "addressed": Example("which violin has Ben?", NOVEMBER_2, two(talk("Ben: Your violin is red."), talk("Ben: Good. My violin is red.")), NOVEMBER_1),
    "agent": Example("when is tea?", "user: Tea at four.", {"memory/2025-11-01.md": "## Talk\n- 09:00 assistant: Tea at four.\n- 09:01 user: Tea at four.\n"}),
    "answer": Example("when were keys cut?", "Keys were cut yesterday here.", notes("Keys were cut rather well.", "Keys were cut yesterday here.")),
    "length": Example("roses", "Roses bloom behind the old barn in the valley.", notes("Roses bloom.", "Roses bloom behind the old barn in the valley.", f"{BARN} and {BARN} and {BARN}.")),
    "speaker": Example("what did Bruno say of the roses?", "Bruno: I like roses.", {"memory/2025-11-01.md": "## Talk\n- 09:00 Ada: Roses, roses and roses.\n- 09:01 Bruno: I like roses.\n"}),
    "confidence": Example("when is tea?", TEA_2, {"2025-11-01": f"- O(c=0.1) {TEA_1}\n- O(c=0.9) {TEA_2}"}),
    "ended": Example("when is tea?", TEA_2, {"2025-11-01": f"- W {TEA_1} <!-- valid: 2025-01-01..2025-11-29 -->\n- W {TEA_2}"}),
    "evidence": Example("where is the violin?", "notes/a.md#L1", {"memory/episodes/a.md": "- The violin is in Graz.\n", "notes/a.md": "- The violin is in Graz.\n"}),
    "file": Example("when is tea?", "USER.md#L1", {"A.md": "- Tea at four.\n", "USER.md": "- Tea at four.\n"}),
    "form": Example("the tea at four", "Tea at four.", {"notes/a.md": "# Notes\n\n## Tea at four\n\n## More\n\nTea at four.\n"}),
    "importance": Example("when is tea?", TEA_2, {"2025-11-01": f"- W {TEA_1} <!-- importance: 0.4 -->\n- W {TEA_2} <!-- importance: 0.6 -->"}),
    "recent": Example("which opinion on tea?", TEA_2, {"2025-10-01": f"- O {TEA_1}", "2025-11-01": f"- O {TEA_2}"}),
    "trust": Example("when is tea?", TEA_2, {"2025-11-01": f"- W {TEA_1} <!-- origin: untrusted -->\n- W {TEA_2}"}),
    "emphasis": Example('did the amber or "copper" one break?', "the copper lamp", notes("the amber lamp", "the copper lamp")),
    "light": Example("how many days was the barn open", "notes/a.md#L2", notes("Many days go by, many days.", "The barn is open."), "notes/a.md#L1"),
    "members": Example("which pets does the miller keep", "At work the miller keeps a dog.", notes("At home the miller keeps a ledger.", "At work the miller keeps a dog.")),
    "spellings": Example("where did I recieve tea?", "You receive it.", notes("You receive it.")),
}  # fmt: skip


def is_shown(root: Path, example: Example, without: str = "") -> bool:
    """Whether the line comes before the other to somebody whose settings switch a part off."""
    for name, body in example.pages.items():
        path = root / (f"memory/{name}.md" if re.fullmatch(r"\d{4}-\d\d-\d\d", name) else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"## Retain\n{body}\n" if path.stem == name else body, encoding="utf-8")
    (root / "commonplace.toml").write_text(f"[recall]\nwithout = {json.dumps([without] if without else [])}\n")
    with Memory.open(root) as memory:
        hits = memory.recall(example.question, k=30, now=NOW).hits
    order = [name for hit in hits for name in (hit.record.text, hit.record.source.citation)]
    if example.first not in order or not example.second:
        return example.first in order[:2]
    return example.second not in order or order.index(example.first) < order.index(example.second)


ELSEWHERE = ("vector", "retells")  # in test_vectors.py and test_evidence.py


def test_every_part_that_can_be_switched_off_has_an_example_and_is_a_function_of_a_table() -> None:
    assert (
        *SCORE_PARTS,
        *ANSWER_FEATURES,
        *PRIORS,
        "emphasis",
        "light",
        "members",
        "spellings",
    ) == RECALL_SWITCHES
    assert tuple(EXAMPLES) == tuple(name for name in RECALL_SWITCHES if name not in ELSEWHERE)
    for function in (*SCORE_PARTS.values(), *ANSWER_FEATURES.values(), *PRIORS.values()):
        assert function.formula, function


def test_the_policy_table_has_the_parts_that_change_no_figure_of_the_benchmarks() -> None:
    """What is 0 on all sets is there, and only that; an example here or elsewhere shows what each is for."""
    page = (Path(__file__).parents[1] / "docs/benchmarks.md").read_text(encoding="utf-8")
    table = page.partition("| without |")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in table.split("\n")]
    assert set(POLICY) == {name for name, *figures in rows if figures and set(figures) == {"0"}}
    assert set(POLICY) <= {*EXAMPLES, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.parametrize("part", EXAMPLES)
def test_each_part_brings_a_line_to_the_front_that_is_not_there_without_it(part: str, tmp_path: Path) -> None:
    example = EXAMPLES[part]
    assert is_shown(tmp_path, example)
    assert not is_shown(tmp_path, example, without=part)


# Switched off by the settings.


def test_a_name_that_is_no_part_is_an_error_with_the_one_that_is_meant(tmp_path: Path) -> None:
    for written, told in (("sesion", "did you mean 'session'?"), ("xyz", "known names: about, lexical")):
        (tmp_path / "commonplace.toml").write_text(f'[recall]\nwithout = ["near", "{written}"]\n')
        with pytest.raises(BadSettings, match=re.escape(told)):
            Memory.open(tmp_path)


def asked_without(root: Path, *without: str) -> Hits:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/2025-11-01.md").write_text(EXAMPLES["answers"].pages["memory/2025-11-01.md"])
    (root / "commonplace.toml").write_text(f"[recall]\nwithout = {json.dumps(without)}\n")
    with Memory.open(root) as memory:
        return memory.recall("where is the spare key?", now=NOW)


def test_a_lane_of_which_nothing_counts_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    dialogue, pairs = SqliteIndex.read_dialogues, score_proximity
    monkeypatch.setattr(SqliteIndex, "read_dialogues", lambda *given: read.append("dialogue") or dialogue(*given))
    monkeypatch.setattr(
        "commonplace.retrieval.recall.lanes.score_proximity", lambda *given: read.append("close") or pairs(*given)
    )
    asked_without(tmp_path, "session", "near")
    assert set(read) == {"dialogue", "close"}
    read.clear()
    found = asked_without(tmp_path, "session", "near", "answers", "close")
    assert read == []
    assert [hit.record.text for hit in found.hits] == [KEY, "Ben: A key."], "what matches is found all the same"
    assert {"lexical"} <= {reason.name for reason in found.hits[0].reasons}


@pytest.mark.parametrize("part", ["entity", "kind", "time", "close"])
def test_a_lane_that_is_switched_off_finds_nothing(part: str, tmp_path: Path) -> None:
    example = EXAMPLES[part]
    is_shown(tmp_path, example)
    with Memory.open(tmp_path) as memory:
        index = memory.workspace.open_index()
        for without, finds in (((), True), ((part,), False)):
            query = Query(text=example.question, now=NOW, without=without)
            found = trace_recall(index, query).candidates.values()
            assert any(getattr(strengths, part) for strengths in found) is finds


def test_what_is_switched_off_does_not_choose_what_is_scored_either(tmp_path: Path) -> None:
    said = [f"user: Somebody had tea in garden number {n}." for n in range(2 * MIN_SCORED)] + [
        "assistant: Tea, tea, tea."
    ]
    talks = "".join(f"## Talk {number}\n- 09:00 {turn}\n" for number, turn in enumerate(said))  # too short to lend
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-11-01.md").write_text(talks)
    with Memory.open(tmp_path) as memory:
        index = memory.workspace.open_index()
        for without, speaker in ((), "user"), (("agent",), "assistant"):
            hits = recall(index, Query(text="tea", now=NOW, without=without)).hits
            assert hits[0].record.speaker == speaker


def test_without_about_a_question_for_a_name_is_one_for_a_word(tmp_path: Path) -> None:
    is_shown(tmp_path, EXAMPLES["about"])
    with Memory.open(tmp_path) as memory:
        index = memory.workspace.open_index()
        whole, words = (recall(index, Query(text="who is Ada?", now=NOW, without=off)).hits for off in ((), ("about",)))
    assert [reason.name for reason in whole[0].reasons] == ["about"]
    assert {"lexical", "length×"} <= {reason.name for reason in words[0].reasons}


# The reasons make up the score.


def remade(hit: Hit) -> float:
    """The score by the reasons alone."""
    added = sum(reason.value for reason in hit.reasons if not reason.name.endswith(FACTOR_SIGN))
    return added * math.prod(reason.value for reason in hit.reasons if reason.name.endswith(FACTOR_SIGN))


def sample_hits(root: Path) -> Iterator[Hits]:
    shutil.copytree(DATA / "sample", root)
    with Memory.open(root) as memory:
        for asked in json.loads((DATA / "sample_questions.json").read_text(encoding="utf-8")):
            yield memory.recall(asked["question"], k=20, now=asked["now"], scope=asked.get("scope", ""))
        for question in ("who is Runa?", "what did we decide?", "opinions", "last week", "how do I tune a drone?"):
            yield memory.recall(question, k=20, now=NOW, history=True, all_scopes=True)


def generated_hits(root: Path) -> Iterator[Hits]:
    lines = write_notebook(root, files=20, lines=30)
    write_odd(root)
    draw = random.Random(20251130)
    with Memory.open(root) as memory:
        for _ in range(60):
            words = " ".join(draw.sample(draw.choice(lines).split(" "), 3))
            yield memory.recall(
                f"when did {draw.choice(('Alice', 'Bruno', 'Ada'))} say {words}?", now="2000-12-01T09:00"
            )


def conversation_hits(harness: ModuleType, shared: Path) -> Iterator[Hits]:
    data = harness.Data("locomo", str(shared / "bench"))
    space = min(data.docs)
    logs = Logs(data.docs[space])
    for query in [query for query in data.queries if query["ns"] == space][:80]:
        yield logs.hits(query["question"], 10, query.get("date"))
    logs.close()


def assert_remade(answers: Iterator[Hits], least: int) -> None:
    """A thousand hits drawn at random, or as many as there are."""
    hits = [hit for found in answers for hit in (*found.hits, *found.candidates)]
    drawn = random.Random(20251121).sample(hits, min(len(hits), 1_000))
    assert len(drawn) >= least
    for hit in drawn:
        assert remade(hit) == pytest.approx(hit.score, abs=ROUNDING * max(1.0, hit.score)), hit


@pytest.mark.slow
def test_the_reasons_of_a_thousand_random_hits_make_up_their_scores(tmp_path: Path) -> None:
    assert_remade(sample_hits(tmp_path / "sample"), 1_000)
    assert_remade(generated_hits(tmp_path / "generated"), 1_000)


@pytest.mark.slow
def test_the_reasons_of_a_thousand_hits_of_other_peoples_talk_make_up_their_scores(shared: Path) -> None:
    assert_remade(conversation_hits(_harness(), shared), 1_000)


# The arithmetic that is printed.


def printed(memory: Memory, question: str, **choices: object) -> Iterator[tuple[Hit, list[str]]]:
    told = memory.explain(question, now=NOW, **choices)
    yield from zip(told.hits.hits, map(list, told.arithmetic), strict=True)


ASKED = (
    *("who is allergic to walnut?", "which drone strings does Runa prefer now?", "what did we decide on the price?"),
    *(
        "who is Runa?",
        "Tapline last week",
        "when does the workshop open?",
        "how do I tune a drone?",
        "roof around Nov 12",
    ),
    *("what did Kaya say about varnish in October?", "what does Runa think?", "how many strings did you suggest?"),
)


@pytest.mark.slow
@pytest.mark.parametrize("question", ASKED)
def test_the_lines_of_an_explanation_work_out_to_the_score(question: str, tmp_path: Path) -> None:
    shutil.copytree(DATA / "sample", tmp_path / "w")
    with Memory.open(tmp_path / "w") as memory:
        for hit, (found, *lines) in printed(memory, question, k=20, history=True, all_scopes=True):
            assert found.startswith("found: ")
            total = 0.0
            for line in lines[:-1]:
                sign, name, value = line[0], *line[2:].split()[:2]
                total = total * float(value) if sign == FACTOR_SIGN else total + float(value)
                assert name + (FACTOR_SIGN if sign == FACTOR_SIGN else "") in {reason.name for reason in hit.reasons}
            assert lines[-1] == f"= {'score':<12} {hit.score:.6f}"
            assert total == pytest.approx(hit.score, abs=ROUNDING * max(1.0, hit.score))


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [name for name in EXAMPLES if name not in ("emphasis", "light", "members", "spellings")]
)
def test_an_explanation_has_a_line_for_each_part_and_says_what_it_is(part: str, tmp_path: Path) -> None:
    example = EXAMPLES[part]
    is_shown(tmp_path, example)
    with Memory.open(tmp_path) as memory:
        told = memory.explain(example.question, k=30, now=NOW)
    lines = [line for lines in told.arithmetic for line in lines if line[2:].startswith(f"{part} ")]
    assert lines
    assert any(line.startswith(f"{part:<12} = ") for line in told.part_lines)


def test_an_explanation_says_how_the_question_was_read(tmp_path: Path) -> None:
    write = {"memory/2025-11-20.md": "## Retain\n- O @Ada: Ada prefers tea.\n", "notes/a.md": "Water.\n"}
    for name, body in write.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(body)
    (tmp_path / "commonplace.toml").write_text('[recall]\nwithout = ["near", "close"]\n')
    with Memory.open(tmp_path) as memory:
        told = memory.explain("when did Ada prefer tea or zebras last week?", now=NOW)
    assert told.query_lines == (
        "searched: 2 records of 2.5 tokens on average",
        "words and their weights (– is in no record): ada 1.109035 · prefer 0.693147 · tea 0.693147 · zebras –",
        "names: ada",
        "time: 2025-11-17T00:00 to 2025-11-24T00:00",
        "asked for: opinion",
        "the answer may be: a time",
        "switched off: close, near",
    )


@pytest.mark.slow
def test_an_explanation_is_of_the_hits_that_recall_gives_and_says_what_it_found(tmp_path: Path) -> None:
    shutil.copytree(DATA / "sample", tmp_path / "w")
    with Memory.open(tmp_path / "w") as memory:
        told = memory.explain("who is allergic to walnut?", k=4, now=NOW)
        assert told.hits == memory.recall("who is allergic to walnut?", k=4, now=NOW)
        worked = trace_recall(memory.workspace.open_index(), told.hits.query, ("en",))
        best = max(worked.lane_input.matches.values())
        assert f"(BM25 {best:.6f} of {best:.6f})" not in told.arithmetic[0][0], (
            "another record matches better by words alone"
        )
        assert f"of {best:.6f}".rstrip("0") + ")" in told.arithmetic[0][0]
        row = memory.workspace.open_index().row_of_record(told.hits.hits[0].record.id)
        first = worked.choice.ranked[0]
        assert first.row_id == row
        assert f"close {first.signals.close:.6f}".rstrip("0") in told.arithmetic[0][0]
        assert f"({first.indexed_record.token_count} tokens)" in told.arithmetic[0][0]


def test_arithmetic_puts_signs_between_what_is_added_and_what_multiplies() -> None:
    reasons = (Reason("lexical", 0.5), Reason("near", 0.25), Reason("length×", 1.2))
    assert format_arithmetic(reasons, 0.9) == [
        "  lexical      0.500000",
        "+ near         0.250000",
        "× length       1.200000",
        "= score        0.900000",
    ]


TOOLS = "# TOOLS.md\n\n## Network\n\n| Service | Port |\n|---|---|\n| printer | 9100 |\n| scanner | 6566 |\n"
COMMAND = "# tar\n\n- Create an archive:\n\n`tar cf out.tar in`\n\n- Extract an archive:\n\n```sh\ntar xf in.tar\n```\n"


def test_a_short_line_of_a_host_file_and_an_announced_command_are_found_among_many_longer_lines(tmp_path: Path) -> None:
    rumours = [
        f"- The port that printer {number} opens is in the settings, and so is its timezone.\n" for number in range(60)
    ]
    rumours += [
        f"- Nobody in the office knows which timezone the clock of machine {number} is set to.\n"
        for number in range(60)
    ]
    files = {
        "a.md": "".join(rumours),
        "TOOLS.md": TOOLS,
        "USER.md": "# User\n\n- **Timezone:** Europe/Zurich\n",
        "tar.md": COMMAND,
    }
    for name, body in files.items():
        (tmp_path / name).write_text(body)
    with Memory.open(tmp_path) as memory:
        for question, answer in (
            ("which port has the scanner?", "scanner | 6566"),
            ("which timezone has the user?", "Europe/Zurich"),
            ("how to extract an archive", "tar xf in.tar"),
            ("how to create an archive", "tar cf out.tar in"),
        ):
            assert answer in memory.recall(question).hits[0].record.text, question
            assert answer in memory.pack(question).text
