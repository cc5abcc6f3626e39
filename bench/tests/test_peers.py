"""The bench of peers: what hits are worth, what the tables say, and what stands there of a peer that fails."""

from __future__ import annotations

import base64
import importlib
import os
import struct
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench import peers
from bench.page import PAGE
from bench.peers import catalog, driven, install, table
from bench.peers.catalog import Package, Peer
from bench.peers.driven import Answers
from bench.peers.drivers.job import Hits, Job, answer
from bench.peers.drivers.words import keywords
from bench.peers.figures import Figures, Middle, figures, found, middle
from bench.peers.install import NotInstalledError, Place, installed
from bench.peers.model import reply

DOCS = [
    {"id": "a", "session": "s1", "timestamp": "2025-11-01T09:00", "speaker": "Ada", "text": "Tea\nat four."},
    {"id": "b", "session": "s1", "timestamp": "2025-11-01T09:01", "speaker": None, "text": "Cake.", "caption": "a cat"},
    {"id": "c", "session": "s2", "timestamp": "2025-11-02T09:00", "speaker": "Bob", "text": "Rain. " * 600},
    {"id": "d", "session": "s3", "timestamp": "2025-11-03T09:00", "speaker": "Bob", "text": "Sun."},
]
TURNS = driven.turns(DOCS)
FIGURES = Figures(81.86, 94.0, 88.04, 0.0, Middle(12.34, 30.0), Middle(9.0, 20.0), 1.26, 38.4, 37.6)
FAKE = Peer("fake, notes", Package("fake", ("fake==1.2",)), "ask_fake.py", "turn")


def query(wanted: list[str], sessions: list[str]) -> dict[str, Any]:
    return {"ns": "x", "question": "Tea?", "relevant": wanted, "relevant_sessions": sessions}


def worth(hits: Hits, wanted: list[str], sessions: list[str]) -> Figures:
    return figures(Answers([hits], [1.0], [1.0]), [query(wanted, sessions)], TURNS, 5.0)


class Fake:
    """A memory that finds what was said in the session whose words are asked for."""

    processes = ()

    def __init__(self) -> None:
        self.closed = False
        self.indexed = 0

    def index(self) -> None:
        self.indexed += 1

    def ask(self, question: str, now: str) -> Hits:
        return [[turn["id"]] for turn in TURNS if question.rstrip("?") in turn["text"] and turn["day"] <= now]

    def close(self) -> None:
        self.closed = True


def test_every_peer_gets_the_same_words_on_one_line_with_who_said_them() -> None:
    assert [turn["text"] for turn in TURNS[:2]] == ["Ada: Tea at four.", "Cake. [image: a cat]"]
    assert (TURNS[0]["day"], TURNS[0]["time"], TURNS[0]["words"]) == ("2025-11-01", "09:00", "Tea at four.")


def test_a_driver_writes_down_the_hits_of_each_question_and_what_they_cost() -> None:
    memory = Fake()
    questions = [{"question": "Tea?", "now": "2025-11-30"}, {"question": "a", "now": "2025-11-30"}]
    answers = answer(memory, Job("", TURNS, questions, 2, {}, None))
    assert answers["hits"] == [[["a"]], [["a"], ["b"]]], "no more than were asked for"
    assert len(answers["wall"]) == len(answers["cpu"]) == 2
    assert answers["index"]["peak"] > 1
    assert memory.indexed == 1


def test_a_hit_that_shows_several_turns_counts_for_all_of_them() -> None:
    assert found([["a", "b"], ["d"]], ["b", "d", "c"]) == pytest.approx(2 / 3)
    assert worth([["a", "b"], ["d"]], ["b", "d"], ["s1"]).recall == 100


def test_only_the_first_ten_hits_count() -> None:
    others = [["d"]] * 9
    assert worth([*others, ["a"]], ["a"], ["s1"]).recall == 100
    assert worth([*others, ["d"], ["a"]], ["a"], ["s1"]).recall == 0


def test_a_session_is_found_among_the_first_five_that_hits_come_from() -> None:
    turns = [{"id": str(n), "session": f"s{n}", "words": "x"} for n in range(6)]
    for session, share in (("s4", 100.0), ("s5", 0.0)):
        hits = [["0"], ["0"], *([str(n)] for n in range(1, 6))]
        assert figures(Answers([hits], [1.0], [1.0]), [query(["0"], [session])], turns, 0.0).session == share


def test_what_does_not_fit_into_a_thousand_tokens_is_left_out() -> None:
    long = DOCS[2] | {"id": "long", "text": "x" * 4 * 990}
    turns = driven.turns([*DOCS, long])
    hits = [["long"], ["c"], ["d"]]
    row = figures(Answers([hits], [1.0], [1.0]), [query(["long", "c", "d"], ["s1"])], turns, 0.0)
    assert row.packed == pytest.approx(100 / 3), "998 tokens are spent, and the last costs nine"
    assert worth([["c"], ["d"]], ["c", "d"], ["s2"]).packed == 100, "900 and 9"
    assert worth([["c", "c"], ["d"]], ["c", "d"], ["s2"]).packed == 50, "a hit is as long as its turns together"


def test_a_question_without_a_hit_is_counted() -> None:
    answers = Answers([[], [["a"]]], [1.0, 1.0], [1.0, 1.0])
    assert figures(answers, [query(["a"], ["s1"])] * 2, TURNS, 0.0).empty == 50


def test_the_middle_and_the_slow_are_told() -> None:
    assert middle([float(n) for n in range(100, -1, -1)]) == (50.0, 95.0)


def test_answers_of_several_conversations_are_joined() -> None:
    answers = Answers()
    for peak in (30, 20):
        answers.add({"hits": [[["a"]]], "wall": [2.0], "cpu": [1.0], "index": {"wall": 3.0, "cpu": 2.0, "peak": peak}})
    assert answers == Answers([[["a"]]] * 2, [2.0] * 2, [1.0] * 2, 6.0, 4.0, 30)


def test_a_row_has_the_version_and_every_figure() -> None:
    assert table.rows({FAKE: FIGURES})[-1] == (
        "| fake 1.2, notes | turn | 81.9 | 94.0 | 88.0 | 0.0 | 12.3 / 30.0 | 9.0 / 20.0 | 1.3 | 38 | 38 |"
    )


def test_every_peer_is_pinned_and_has_a_driver() -> None:
    for peer in catalog.PEERS:
        assert (driven.DRIVERS / peer.driver).is_file()
        assert all(pinned.rpartition("==")[2] or "@" in pinned[1:] for pinned in peer.package.pinned)
    assert len({peer.label for peer in catalog.PEERS}) == len(catalog.PEERS)


def test_words_choose_the_peers() -> None:
    assert [peer.label for peer in peers.named("FTS5,BM25s")] == ["SQLite FTS5, porter, OR", "bm25s 0.3.16, Snowball"]
    assert peers.named("") == catalog.PEERS


def test_questions_are_drawn_by_a_seed_and_stay_with_their_conversation() -> None:
    data = SimpleNamespace(docs={"x": DOCS, "y": DOCS}, queries=[{"ns": "xy"[n % 2], "n": n} for n in range(100)])
    drawn = peers.drawn(data, 10, 2)
    assert drawn == peers.drawn(data, 10, 2)
    assert sum(len(queries) for _, queries in drawn.values()) == 10
    assert all(query["ns"] == space for space, (_, queries) in drawn.items() for query in queries)
    assert peers.drawn(data, 100, 1) == {"x": (DOCS, data.queries[::2])}


@pytest.mark.slow
def test_a_package_that_cannot_be_had_is_told_in_the_table(tmp_path: Path) -> None:
    absent = Peer("fake", Package("fake", ("./no-such-package-here",)), "ask_fts5.py", "turn")
    said = peers.measured(absent, tmp_path, {"x": (DOCS, [query(["a"], ["s1"])])})
    assert isinstance(said, str)
    assert said.startswith("fake cannot be installed: ERROR:")
    assert said in table.rows({absent: said})[-1]
    assert table.FAILED in table.rows({absent: said})[-1]


@pytest.mark.slow
def test_a_python_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotInstalledError, match=r"needs Python 9\.9"):
        installed(Package("fake", ("fake==1.2",), python=(9, 9)), tmp_path)


def test_a_driver_that_breaks_is_told_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ask_fake.py").write_text("raise LookupError('no | such turn')", encoding="utf-8")
    monkeypatch.setattr(driven, "DRIVERS", tmp_path)
    monkeypatch.setattr(peers, "installed", lambda *_given: Place((sys.executable,), tmp_path, 1.0))
    said = peers.measured(FAKE, tmp_path, {"x": (DOCS, [query(["a"], ["s1"])])})
    assert said == "LookupError: no | such turn"
    assert table.rows({FAKE: said})[-1].count("|") == len(table.HEADS) + 1


def test_a_driver_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_command: Any, timeout: float, **_options: Any) -> None:
        raise subprocess.TimeoutExpired("fake", timeout)

    monkeypatch.setattr(driven.subprocess, "run", hang)
    with pytest.raises(driven.NotAnsweredError, match="no answer within 3600 seconds"):
        driven.ask(FAKE, Place((sys.executable,), tmp_path, 1.0), {"x": (DOCS, [query(["a"], ["s1"])])}, None)


@pytest.mark.slow
def test_the_floor_and_ours_answer_through_the_same_protocol(tmp_path: Path) -> None:
    place = Place((sys.executable,), tmp_path, 1.0)
    for peer in peers.named("Commonplace,FTS5"):
        if not peer.model:
            answers = driven.ask(peer, place, {"x": (DOCS, [query(["a"], ["s1"])])}, None)
            assert answers.hits[0][0] == ["a"]
            assert answers.index_cpu > 0


@pytest.mark.slow
def test_ours_with_its_extra_finds_what_has_none_of_the_words(tmp_path: Path) -> None:
    place = Place((sys.executable,), tmp_path, 1.0)
    others = [DOCS[3] | {"id": str(n), "text": f"Sun {n}."} for n in range(20)]  # more than a question embeds by itself
    asked = query(["b"], ["s1"]) | {"question": "kitten"}
    plain, semantic = (peer for peer in peers.named("Commonplace") if not peer.model)
    assert driven.ask(plain, place, {"x": ([*DOCS, *others], [asked])}, None).hits == [[]]
    assert driven.ask(semantic, place, {"x": ([*DOCS, *others], [asked])}, None).hits[0][0] == ["b"]


def test_vectors_that_basic_memory_would_leave_out_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    async def call_tool(_name: str, arguments: dict[str, Any]) -> SimpleNamespace:
        asked.append(arguments)
        return SimpleNamespace(data="# Search Failed")

    monkeypatch.syspath_prepend(driven.DRIVERS)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    driver = importlib.import_module("ask_basic_memory")
    model = {"name": "m", "dimensions": 2, "url": "http://127.0.0.1"}
    job = Job(str(tmp_path), TURNS, [], 2, {"kind": "observation"}, model)
    monkeypatch.setattr(driver, "sqlite3", SimpleNamespace(Connection=SimpleNamespace()))
    with pytest.raises(RuntimeError, match="SQLite loads extensions"):
        driver.Notes(job)
    monkeypatch.setattr(driver.sqlite3.Connection, "enable_load_extension", None, raising=False)
    notes = driver.Notes(job)
    monkeypatch.setattr(notes, "_client", SimpleNamespace(call_tool=call_tool))
    with pytest.raises(RuntimeError, match="a search error: # Search Failed"):
        notes.ask("Tea?", "2025-11-30")
    notes._loop.close()
    assert [one["search_type"] for one in asked] == ["hybrid"]


def test_an_environment_is_made_once_and_again_for_other_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def pip(package: Package, folder: Path) -> None:
        made.append(" ".join(package.pinned))
        (folder / "lib/python3.11/site-packages/fake").mkdir(parents=True)
        (folder / "lib/python3.11/site-packages/fake/x.py").write_bytes(b"x" * 2_000_000)
        (folder / "lib/python3.11/site-packages/pip").mkdir()
        (folder / "lib/python3.11/site-packages/pip/x.py").write_bytes(b"x" * 2_000_000)

    monkeypatch.setattr(install, "_pip", pip)
    for pinned in (("fake==1",), ("fake==1",), ("fake==2",), ("fake==2", "more==1")):
        place = installed(Package("fake", pinned), tmp_path)
        assert place.megabytes == 2.0, "pip is not part of it"
    assert made == ["fake==1", "fake==2", "fake==2 more==1"]


def test_the_last_word_is_the_error() -> None:
    assert install.last_words("Traceback\nKeyError: 'x'\nbye\n") == "KeyError: 'x'"
    assert install.last_words("\n") == "no word"


def test_a_peer_of_keywords_gets_the_question_without_stop_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[Job] = []
    nothing = {"hits": [[]], "wall": [1.0], "cpu": [1.0], "index": {"wall": 1.0, "cpu": 1.0, "peak": 1.0}}
    monkeypatch.setattr(driven, "_driven", lambda _peer, _place, job: got.append(job) or nothing)
    asked = query(["a"], ["s1"]) | {"question": "When is the tea?"}
    for peer in (FAKE, replace(FAKE, keywords=True)):
        driven.ask(peer, Place((), tmp_path, 1.0), {"x": (DOCS, [asked])}, None)
    assert [job.questions[0]["question"] for job in got] == ["When is the tea?", "tea"]
    assert keywords("Is it?") == ["is", "it"], "what has nothing else is asked as it is"


def test_the_model_answers_with_lists_and_in_base64() -> None:
    model = SimpleNamespace(embed=lambda texts: np.array([[len(text), 0.5] for text in texts], np.float32))
    assert [one["embedding"] for one in reply(model, {"input": ["a", "bc"]})["data"]] == [[1.0, 0.5], [2.0, 0.5]]
    packed = reply(model, {"input": "abc", "encoding_format": "base64"})["data"][0]["embedding"]
    assert struct.unpack("<2f", base64.b64decode(packed)) == (3.0, 0.5)


def test_a_memory_with_a_model_is_measured_with_the_process_of_the_model() -> None:
    with subprocess.Popen([sys.executable, "-c", "input(sum(range(10**6)))"], stdin=-1, stdout=-1, text=True) as model:
        model.stdout.read(1)
        questions = [{"question": "Tea?", "now": "2025-11-30"}]
        alone = answer(Fake(), Job("", TURNS, questions, 2, {}, None))
        both = answer(Fake(), Job("", TURNS, questions, 2, {}, {"process": model.pid}))
        model.communicate("\n")
    assert both["index"]["peak"] > alone["index"]["peak"] + 3


def test_peers_with_a_model_have_a_table_of_their_own() -> None:
    lines = table.tables({FAKE: FIGURES, replace(FAKE, model=True): "no model"})
    assert [line for line in lines if line.startswith("| fake")] == [
        table.rows({FAKE: FIGURES})[-1],
        table.rows({FAKE: "no model"})[-1],
    ]
    assert sum(line.startswith("| memory") for line in lines) == 2
    assert all(f"* {name}: {reason}." in lines for name, reason in catalog.NOT_ASKED.items())
    assert not any("MiniLM, which" in line for line in table.tables({FAKE: FIGURES}))


def test_the_line_below_says_what_was_left_out() -> None:
    assert table.made_with((200, 786), (3, 5)).startswith(
        'Made by `make peers ARGS="--conversations=3 --questions=200"` with 200 of 786 questions about 3 of 5 conv'
    )
    assert table.made_with((786, 786), (5, 5)).startswith("Made by `make peers` with 786 of 786 questions")


@pytest.mark.slow
def test_without_the_model_those_that_need_it_are_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "MINILM", Package("minilm", ("./no-such-package-here",)))
    with ExitStack() as stack:
        why = peers.served(stack, tmp_path)
    assert peers.measured(replace(FAKE, model=True), tmp_path, {}, why) == why
    assert isinstance(why, str)
    assert why.startswith("minilm cannot be installed")


@pytest.mark.slow
def test_the_page_is_written_only_if_all_were_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = SimpleNamespace(name="locomo", docs={"x": DOCS}, queries=[query(["a"], ["s1"])])
    page = tmp_path / "page.md"
    page.write_text("<!-- peers -->\n<!-- /peers -->\n", encoding="utf-8")
    (tmp_path / "bench").mkdir()
    asked = ["--peers=FTS5", f"--cache={tmp_path}"]
    for name, value in (("SHARED", tmp_path), ("PAGE", page), ("measured", lambda *_given: FIGURES)):
        monkeypatch.setattr(peers, name, value)
    monkeypatch.setattr(peers, "_harness", lambda: SimpleNamespace(Data=lambda *_given: data))
    monkeypatch.setattr(peers, "served", lambda *_given: None)
    monkeypatch.setattr(sys, "argv", ["bench", "peers", *asked])
    peers.run()
    assert "|" not in page.read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["bench", "peers", asked[1]])
    peers.run()
    assert all(f"| {peer.label} |" in page.read_text(encoding="utf-8") for peer in catalog.PEERS)


@pytest.mark.slow
def test_the_page_has_a_row_for_every_peer_in_its_version() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("<!-- peers -->")[2].partition("<!-- /peers -->")[0]
    assert [peer.label for peer in catalog.PEERS if f"\n| {peer.label} | {peer.unit} |" not in page] == []
