"""The vector lane finds what says the same in other words, is one part of the score, and never stands in the way."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from commonplace import Memory
from commonplace.cli import main
from commonplace.errors import BadArgument, EmbedderUnavailable
from commonplace.index import Filter, open_index
from commonplace.index.vector_store import VectorStore
from commonplace.model import Hits
from commonplace.retrieval.recall.vector_lane import ENOUGH_MATCHED, LEAST_MATCHED
from commonplace.retrieval.vectors import search as asking_module
from commonplace.retrieval.vectors.search import VectorSearch, split_passages
from tests.support.vector_server import Server, ollama, serving, settings, vector

np = pytest.importorskip("numpy", reason="numpy is not installed: vectors are not tested")
NOW = "2025-11-30T09:00"
CAKE, BOAT, PARIS = "We baked a cake for the party.", "The boat is green.", "Ada met Bruno in Paris."
Book = Callable[..., Memory]


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMMONPLACE_WORKSPACE", "COMMONPLACE_DEVICE", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def book(root: Path, server: Server) -> Iterator[Book]:
    """A notebook of these lines, with vectors from the server; filled unless told otherwise."""
    made: list[Memory] = []

    def write(*lines: str, filled: bool = True, **choices: Any) -> Memory:
        (root / "commonplace.toml").write_text(settings(server.url, **choices), encoding="utf-8")
        if lines:
            (root / "note.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")
        made.append(Memory.open(root))
        if filled:
            made[-1].embed()
        return made[-1]

    yield write
    for memory in made:
        memory.close()


def texts(hits: Hits) -> list[str]:
    return [hit.record.text for hit in hits.hits]


def reasons(hits: Hits) -> list[dict[str, float]]:
    return [{reason.name: reason.value for reason in hit.reasons} for hit in hits.hits]


ALONE = (ENOUGH_MATCHED / LEAST_MATCHED) ** 2  # what the best has for its vector where words find nothing

# What it finds.


@pytest.mark.slow
def test_a_line_is_found_that_says_the_same_in_other_words(book: Book) -> None:
    hits = book(CAKE, BOAT, PARIS).recall("pudding")
    assert texts(hits)[0] == CAKE
    assert set(reasons(hits)[0]) == {"vector", "length×"}
    assert hits.notes == ()


def test_the_vectors_lead_where_words_find_little_and_the_words_where_they_find_enough(book: Book) -> None:
    stray = "The plumber came on Tuesday and left his tools below the stairs."
    memory = book(CAKE, stray, "Pudding was served on Tuesday.", BOAT)
    assert texts(memory.recall("welches vessel fuhr Tuesday hinaus aufs weite offene meer"))[0] == BOAT
    assert (
        texts(memory.recall("which tools did the plumber have below the stairs on Tuesday, and a dessert?"))[0] == stray
    )
    parts = reasons(memory.recall("plumber Tuesday dessert"))
    assert 1 < max(found.get("vector", 0.0) for found in parts) < ALONE, "words found some of it"


def test_the_lane_adds_to_what_words_find_and_shows_in_the_receipt(book: Book) -> None:
    memory = book(CAKE, BOAT, "A vessel for tea.")
    first, second = memory.recall("vessel").hits[:2]
    assert [first.record.text, second.record.text] == ["A vessel for tea.", BOAT]
    parts = {reason.name: reason.value for reason in first.reasons}
    assert parts["vector"] == 1, "words found all of it"
    assert "lexical" in parts
    memory.pack("vessel")
    assert "vector" in memory.receipt().lanes


def test_a_time_that_has_records_keeps_its_lead(book: Book) -> None:
    memory = book(filled=False)
    memory.capture(CAKE, ts="2025-11-10T09:00")
    memory.capture(BOAT, ts="2025-11-20T09:00")
    memory.capture("What happened on 10 November?", ts="2025-11-25T09:00")
    memory.embed()
    now = "2025-11-30T09:00"
    assert texts(memory.recall("whose vessel on 10 November?", now=now))[0] == CAKE
    assert texts(memory.recall("whose vessel?", now=now))[0] == BOAT
    found = memory.recall("What happened on 10 November?", now=now)
    assert texts(found)[0] == CAKE
    assert all("vector" not in parts for parts in reasons(found)), "nothing but a time is asked for"


def test_a_line_that_asks_another_counts_half_for_questions_are_alike_in_form(root: Path, book: Book) -> None:
    (root / "memory").mkdir()
    asked, told = "Ben: Is there a cake?", "Ada: There is a cake."
    log = f"# 2025-11-10\n\n## Talk\n- 09:00 {told}\n- 09:01 {asked}\n"
    (root / "memory/2025-11-10.md").write_text(log, encoding="utf-8")
    hits = book(filled=True).recall("pudding")
    near = {text: parts["vector"] for text, parts in zip(texts(hits), reasons(hits), strict=True)}
    assert near[asked] == pytest.approx(near[told] / 2, rel=0.02)


@pytest.mark.parametrize(("mode", "is_looked_at"), [("hybrid", True), ("none", False)])
def test_whether_a_line_asks_is_looked_at_only_if_vectors_found_it(
    root: Path, book: Book, mode: str, is_looked_at: bool
) -> None:
    (root / "memory").mkdir()
    log = "# 2025-11-10\n\n## Talk\n- 09:00 Ada: There is a cake.\n- 09:01 Ben: Is there a cake?\n"
    (root / "memory/2025-11-10.md").write_text(log, encoding="utf-8")
    explained = book(filled=mode != "none", mode=mode).explain("cake")
    assert len(explained.arithmetic) == 2
    assert any(" asks 1" in lines[0] for lines in explained.arithmetic) == is_looked_at


def test_captures_are_found_by_their_vectors_too(book: Book) -> None:
    memory = book(BOAT, filled=False)
    memory.capture("We baked a cake.")
    memory.capture("It rained.")
    assert memory.embed().texts == 3
    assert texts(memory.recall("pudding")) == ["We baked a cake."]


@pytest.mark.slow
def test_without_vectors_nothing_of_it_is_seen_or_loaded(root: Path, book: Book) -> None:
    book(CAKE, BOAT).recall("boat")
    (root / "commonplace.toml").unlink()
    code = (
        "import sys; from commonplace import Memory\n"
        "with Memory.open(sys.argv[1]) as memory: print([h.reasons for h in memory.recall('boat').hits])\n"
        "print([n for n in sys.modules if n.startswith(('numpy', 'commonplace.models', 'commonplace.retrieval.vectors', 'http'))])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)
    said, loaded = done.stdout.strip().split("\n")
    assert "lexical" in said
    assert "vector" not in said
    assert loaded == "[]"


def dialogue(*turns: str) -> str:
    return "# 2025-11-10\n\n## Talk\n" + "".join(f"- 09:{n:02} Ada: {turn}\n" for n, turn in enumerate(turns))


LONG = "The boat, the green vessel and the ship went out to sea. By the way, we baked a cake for the party."


def test_a_line_is_as_near_as_the_nearest_of_its_sentences(book: Book, server: Server) -> None:
    memory = book(LONG, "A cake on a boat.")
    of_the_whole, of_a_sentence = 1 / 6**0.5, 1 - 0.02 * np.log(2)
    assert of_the_whole < 0.5**0.5 < of_a_sentence
    hits = memory.recall("pudding")
    assert texts(hits) == [LONG, "A cake on a boat."]
    near = [found["vector"] for found in reasons(hits)]
    assert near == pytest.approx([ALONE, ALONE * 0.5**0.5 / of_a_sentence], rel=1e-3)
    assert set(server.texts) >= {LONG, LONG[:57].strip(), LONG[57:]}


def test_of_more_sentences_one_is_near_by_chance(book: Book) -> None:
    memory = book(f"{CAKE} {PARIS} Nobody said anything of it.", "Cake was all that they had that day.")
    long, short = (
        found["vector"] for found in sorted(reasons(memory.recall("pudding")), key=lambda one: one["vector"])
    )
    assert (long, short) == pytest.approx((ALONE * (1 - 0.02 * np.log(3)), ALONE), rel=1e-3)


def test_the_pieces_of_a_text_are_its_sentences_and_not_many() -> None:
    assert split_passages("") == [""]
    assert split_passages(CAKE) == [CAKE]
    assert split_passages(f"Hi! {CAKE} {PARIS} Bye.") == [f"Hi! {CAKE} {PARIS} Bye.", f"Hi! {CAKE}", f"{PARIS} Bye."]
    assert split_passages("Yes. No. Well.") == ["Yes. No. Well."]
    sentences = [f"This is the sentence with the number {number}." for number in range(100, 140)]
    whole, *pieces = split_passages(" ".join(sentences))
    assert whole == " ".join(pieces) == " ".join(sentences)
    assert [piece.count(".") for piece in pieces] == [3] * 13 + [1]


def test_who_speaks_is_left_out_of_what_is_compared(root: Path, book: Book, server: Server) -> None:
    (root / "memory").mkdir()
    (root / "memory/2025-11-10.md").write_text(dialogue("cake and tea", "no"), encoding="utf-8")
    memory = book(CAKE)
    memory.recall("What was Ada's pudding?")
    memory.recall("What was Bruno's pudding?")
    asked = [body["input"] for _path, _headers, body in server.asked[-2:]]
    assert asked == [["What was Ada's pudding?", "What was pudding?"], ["What was Bruno's pudding?"]]


def test_a_model_whose_cosines_are_all_high_is_treated_like_others(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    class High(Local):
        def embed(self, texts: list[str]) -> Any:
            found = super().embed(texts) + np.eye(1, 204, 203, dtype=np.float32) * 2  # four fifths in common
            return found / np.linalg.norm(found, axis=1, keepdims=True)

    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: High())
    memory = book(CAKE, BOAT, PARIS)
    (first, *others) = memory.recall("pudding").hits
    assert first.record.text == CAKE
    assert all(other.score < 0.02 * ALONE < ALONE < first.score for other in others)  # their cosines are 0.8 and 1


def test_what_is_hardly_alike_is_not_taken_for_alike_because_nothing_else_is(book: Book) -> None:
    memory = book("boat boat boat boat cake", PARIS)
    (first,) = memory.recall("pudding").hits
    cosine = 1 / 17**0.5
    assert {reason.name: reason.value for reason in first.reasons}["vector"] == pytest.approx(
        ALONE * cosine / 0.3, rel=0.02
    )


def test_what_is_embedded_of_a_turn_is_what_was_said_and_not_by_whom(root: Path, book: Book, server: Server) -> None:
    (root / "memory").mkdir()
    (root / "memory/2025-11-10.md").write_text(dialogue("cake and tea"), encoding="utf-8")
    book()
    assert "cake and tea" in server.texts


def test_all_known_of_a_name_stays_in_the_order_of_reading(root: Path, book: Book, server: Server) -> None:
    (root / "bank/entities").mkdir(parents=True)
    (root / "bank/entities/Ada.md").write_text("# Ada\n\nShe lives in a boat.\n", encoding="utf-8")
    hits = book(CAKE).recall("who is Ada?")
    assert {name for found in reasons(hits) for name in found} == {"about"}
    assert "who is Ada?" not in server.texts


def test_the_lane_can_be_switched_off_and_is_explained_like_any_part(root: Path, book: Book, server: Server) -> None:
    told = book(CAKE, BOAT).explain("pudding")
    assert any(line.startswith(("+ vector", "  vector")) for lines in told.arithmetic for line in lines)
    with (root / "commonplace.toml").open("a", encoding="utf-8") as file:
        file.write('[recall]\nwithout = ["vector"]\n')
    asked = len(server.asked)
    with Memory.open(root) as memory:
        assert texts(memory.recall("pudding")) == []
    assert len(server.asked) == asked


# Modes.


def test_fallback_joins_only_where_words_find_little(book: Book, server: Server) -> None:
    memory = book(CAKE, BOAT, "A boat for tea.", mode="fallback", more="min_primary_results = 2")
    asked = len(server.texts)
    assert all("vector" not in found for found in reasons(memory.recall("boat")))
    assert len(server.texts) == asked
    assert "vector" in reasons(memory.recall("pudding"))[0]
    assert "vector" in reasons(memory.recall("cake"))[0]  # one line is less than two


def test_a_question_is_embedded_once(book: Book, server: Server) -> None:
    memory = book(CAKE)
    for _again in range(3):
        memory.recall("pudding")
    memory.pack("pudding", automatic=True)
    assert server.texts.count("pudding") == 1


def test_a_question_is_the_mean_of_its_texts_and_only_the_last_are_kept() -> None:
    asked: list[list[str]] = []
    numbers = {"cake": [1.0, 0.0], "boat": [0.0, 1.0]}

    def embed(of: list[str]) -> Any:
        asked.append(of)
        return np.array([numbers.get(text, [0.6, 0.8]) for text in of], dtype=np.float32)

    asking = VectorSearch("", lambda: SimpleNamespace(model="m", embed=embed))
    asking_for = partial(asking._embed_question, asking._open_embedder())
    assert asking_for(("cake", "boat")) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert [*asking_for(("boat",)), *asking_for(("boat",))] == pytest.approx([0, 1, 0, 1])
    assert asked == [["cake", "boat"], ["boat"]], "what is asked twice goes once"
    for number in range(asking_module.MAX_CACHED_QUESTIONS):
        asking_for((str(number),))
    asking_for(("0",))
    asking_for(("boat",))
    assert asked[-1] == ["boat"], "the oldest was let go"


# Filters.

FILTERED = {
    "scope": ("A cake for the boat. <!-- project: boat -->", {}),
    "kind": ("A cake.", {"kinds": ("opinion",)}),
    "trust": ("A cake says a forum. <!-- origin: untrusted -->", {"trust": ("trusted",)}),
    "validity": ("A cake. <!-- valid: 2024-01-01..2024-02-01 -->", {"as_of": "2025-01-01"}),
    "time": ("A cake. <!-- valid: 2024-01-01..2024-02-01 -->", {"since": "2025-01-01"}),
    "entity": ("A cake.", {"entities": ("Ada",)}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILTERED)
def test_what_a_filter_hides_is_not_found_by_its_vector(name: str, book: Book) -> None:
    line, choices = FILTERED[name]
    memory = book(line, "@Ada is at home.")
    assert all("ake" not in text for text in texts(memory.recall("pudding", **choices)))
    opened = {"all_scopes": True} if name == "scope" else {}
    assert "ake" in texts(memory.recall("pudding", **opened))[0]


@pytest.mark.slow
def test_behind_many_lines_of_another_scope_the_nearest_of_this_one_are_found(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.retrieval.vectors.vector_index.MIN_MEASURED", 10)
    hidden = [f"cake {number} <!-- project: boat -->" for number in range(600)]
    memory = book(*hidden, "A pudding in a green ship.")
    assert texts(memory.recall("dessert")) == ["A pudding in a green ship."]


# Filling.


def test_filling_embeds_each_text_once_and_goes_on_where_it_broke_off(
    book: Book, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.retrieval.vectors.search.EMBED_BATCH", 2)
    lines = [f"cake {number}" for number in range(6)]
    memory = book(*lines, "cake 0", filled=False)
    heard: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        heard.append((done, total))
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.embed(stop)
    assert heard == [(2, 6), (4, 6)]
    paused = memory.recall("pudding")
    assert texts(paused) == []
    assert re.match(r"without vectors: [45] of 7 records have one of ollama:tiny;", paused.notes[0])
    filled = memory.embed()
    assert (filled.added, filled.texts, filled.dimensions, filled.model) == (2, 6, 204, "ollama:tiny")
    assert sorted(text for text in server.texts if "cake" in text) == lines
    assert memory.embed().added == 0


def test_until_all_texts_have_vectors_of_a_model_it_pauses(book: Book) -> None:
    memory = book(CAKE, BOAT, filled=False)
    hits = memory.recall("pudding")
    assert texts(hits) == []
    assert hits.notes == ("without vectors: 0 of 2 records have one of ollama:tiny; run `commonplace embed`",)
    memory.embed()
    assert texts(memory.recall("pudding"))[0] == CAKE


def test_another_model_pauses_and_going_back_costs_nothing(book: Book, root: Path, server: Server) -> None:
    book(CAKE, BOAT).close()
    written = (root / "commonplace.toml").read_text(encoding="utf-8")
    (root / "commonplace.toml").write_text(written.replace('"tiny"', '"huge"'), encoding="utf-8")
    with Memory.open(root) as memory:
        assert "0 of 2 records have one of ollama:huge" in memory.recall("pudding").notes[0]
        memory.embed()
        assert texts(memory.recall("pudding"))[0] == CAKE
    (root / "commonplace.toml").write_text(written, encoding="utf-8")
    sent = len(server.texts)
    with Memory.open(root) as memory:
        assert texts(memory.recall("pudding"))[0] == CAKE
    assert server.texts[sent:] == ["pudding"]


def test_new_lines_wait_for_the_command_where_an_endpoint_embeds(book: Book, root: Path, server: Server) -> None:
    memory = book(CAKE)
    with (root / "note.md").open("a", encoding="utf-8") as file:
        file.write(f"- {BOAT}\n")
    sent = len(server.texts)
    hits = memory.recall("pudding")
    assert texts(hits)[0] == CAKE
    assert hits.notes == ("1 of 2 records have a vector; run `commonplace embed`",)
    assert server.texts[sent:] == ["pudding"]
    memory.embed()
    assert memory.recall("pudding").notes == ()


class Local:
    """The server's vectors without a server, as a local model gives them."""

    local = True
    reads_context = False
    model = "local:tiny"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> Any:
        self.texts += texts
        found = np.array([vector(text) for text in texts], np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_a_model_gets_the_prefixes_that_it_was_trained_with(book: Book, root: Path, server: Server) -> None:
    book(CAKE, filled=False).close()
    path = root / "commonplace.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"tiny"', '"nomic-embed-text:latest"'), encoding="utf-8")
    with Memory.open(root) as memory:
        memory.embed()
        assert texts(memory.recall("pudding"))[0] == CAKE
    assert server.texts[-2:] == [f"search_document: {CAKE}", "search_query: pudding"]


def test_a_local_model_embeds_a_few_new_lines_when_it_is_asked(
    book: Book, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.retrieval.vectors.search.MAX_EMBEDDED_ON_DEMAND", 2)
    local = Local()
    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: local)
    memory = book(BOAT, filled=False)
    assert memory.recall("pudding").notes == ()
    (root / "note.md").write_text(f"- {BOAT}\n- {CAKE}\n", encoding="utf-8")
    assert texts(memory.recall("pudding"))[0] == CAKE
    (root / "note.md").write_text(f"- {BOAT}\n- {CAKE}\n- a\n- b\n- c\n", encoding="utf-8")
    assert memory.recall("pudding").notes == ("2 of 5 records have a vector; run `commonplace embed`",)


def test_a_rebuild_keeps_the_vectors(book: Book, root: Path, server: Server) -> None:
    memory = book(CAKE, BOAT)
    memory.rebuild()
    (root / ".memory/index.sqlite").unlink()
    sent = len(server.texts)
    assert texts(memory.recall("pudding"))[0] == CAKE
    assert server.texts[sent:] == ["pudding"]


def vectors_on_disk(root: Path) -> int:
    with sqlite3.connect(root / ".memory/vectors.sqlite") as db:
        return int(db.execute("select count(*) from vectors").fetchone()[0])


def test_the_vectors_of_texts_that_are_gone_are_dropped_at_the_next_filling(book: Book, root: Path) -> None:
    memory = book(CAKE, BOAT)
    assert texts(memory.recall("pudding"))[0] == CAKE
    (root / "note.md").write_text(f"- {BOAT}\n", encoding="utf-8")
    assert texts(memory.recall("pudding")) == []
    assert vectors_on_disk(root) == 2
    assert memory.embed().dropped == 1
    assert vectors_on_disk(root) == 1
    assert texts(memory.recall("ship")) == [BOAT]


def test_what_another_process_fills_and_drops_is_seen(book: Book, root: Path) -> None:
    memory = book(CAKE, BOAT)
    assert texts(memory.recall("pudding"))[0] == CAKE
    (root / "note.md").write_text(f"- {BOAT}\n- {PARIS}\n", encoding="utf-8")
    with Memory.open(root) as other:
        other.embed()
    hits = memory.recall("capital")
    assert texts(hits)[0] == PARIS
    assert hits.notes == ()
    assert memory.workspace.vector_search is not None
    assert memory.workspace.vector_search._vector_index is not None
    assert len(memory.workspace.vector_search._vector_index) == 2  # what was dropped is not kept in memory either


def test_what_is_quarantined_is_not_sent(book: Book, server: Server) -> None:
    book(CAKE, "A secret ship. <!-- origin: quarantined -->")
    assert "A secret ship." not in server.texts
    assert CAKE in server.texts


def test_the_cache_is_for_its_owner_only_and_a_broken_one_begins_anew(book: Book, root: Path) -> None:
    memory = book(CAKE)
    cache = root / ".memory/vectors.sqlite"
    assert cache.stat().st_mode & 0o777 == 0o600
    memory.close()
    for broken in (b"", b"no database at all" * 100):
        cache.write_bytes(broken)
        with Memory.open(root) as again:
            assert "0 of 1 records have one" in again.recall("pudding").notes[0]
            assert again.embed().added == 1


def test_a_cache_that_breaks_while_it_is_open_is_a_note_and_begins_anew(book: Book, root: Path) -> None:
    memory = book(CAKE, BOAT)
    memory.recall("pudding")
    cache = root / ".memory/vectors.sqlite"
    with cache.open("r+b") as file:
        file.write(os.urandom(cache.stat().st_size))
    assert texts(memory.recall("boat")) == [BOAT]
    assert memory.recall("boat").notes != ()
    memory.embed()
    assert texts(memory.recall("pudding"))[0] == CAKE


def test_embedding_is_refused_where_the_settings_want_none(root: Path) -> None:
    with Memory.open(root) as memory, pytest.raises(BadArgument, match="want no vectors"):
        memory.embed()


# What fails is a note.


def test_a_dead_endpoint_is_a_note_and_left_alone_for_a_while(
    book: Book, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = book(CAKE, BOAT)
    server.answer = lambda _body: (500, b"")
    hits = memory.recall("boat")
    assert texts(hits) == [BOAT]
    assert "answers 500" in hits.notes[0]
    memory.pack("boat")
    asked = len(server.asked)
    server.answer = ollama
    assert memory.recall("pudding").notes == hits.notes
    assert len(server.asked) == asked
    monkeypatch.setattr("commonplace.retrieval.vectors.search.RETRY_AFTER_S", 0.0)
    assert texts(memory.recall("pudding"))[0] == CAKE


def test_the_note_reaches_the_pack_and_the_receipt(book: Book, server: Server, root: Path) -> None:
    book(CAKE, BOAT).close()
    with (root / "commonplace.toml").open("a", encoding="utf-8") as file:
        file.write("[receipts]\nquery_text = true\n")
    server.answer = lambda _body: (500, b"")
    with Memory.open(root) as memory:
        assert "answers 500" in memory.pack("boat").notes[0]
        assert "answers 500" in memory.receipt().notes[0]


def test_an_endpoint_that_answers_with_zeros_is_a_note(book: Book, server: Server) -> None:
    memory = book(CAKE, BOAT)
    server.answer = lambda body: (200, ollama(body)[1].replace(b"1.0", b"0.0"))
    hits = memory.recall("ship")
    assert texts(hits) == []
    assert "nothing but zeros" in hits.notes[0]


def test_an_endpoint_that_changes_its_dimensions_is_a_note_until_it_is_filled(book: Book, server: Server) -> None:
    memory = book(CAKE, BOAT)
    server.answer = lambda body: (200, ollama(body)[1].replace(b".0]", b".0, 0.0]"))
    hits = memory.recall("ship")
    assert texts(hits) == []
    assert "205 numbers and not 204" in hits.notes[0]
    assert memory.embed().dimensions == 205
    assert texts(memory.recall("ship"))[0] == BOAT


def test_the_size_that_was_completed_last_is_used_also_when_an_endpoint_goes_back(book: Book, server: Server) -> None:
    memory = book(CAKE, BOAT)
    server.answer = lambda body: (200, ollama(body)[1].replace(b".0]", b".0, 0.0]"))
    memory.embed()
    server.answer = ollama
    memory.embed()
    assert (texts(memory.recall("ship"))[0], memory.recall("ship").notes) == (BOAT, ())


def test_vectors_of_another_size_are_never_stored_among_those_of_a_model(
    book: Book, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Longer(Local):
        def embed(self, texts: list[str]) -> Any:
            return np.pad(super().embed(texts), ((0, 0), (0, 8)))

    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: Local())
    book(CAKE).close()
    (root / "note.md").write_text(f"- {CAKE}\n- {BOAT}\n", encoding="utf-8")
    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: Longer())
    with Memory.open(root) as memory:
        hits = memory.recall("boat")
        assert texts(hits) == [BOAT]
        assert "now answers with 212 numbers and not 204" in hits.notes[0]
        assert vectors_on_disk(root) == 1
        assert memory.embed().added == 2
    with Memory.open(root) as memory:
        assert texts(memory.recall("ship"))[0] == BOAT


def test_a_filling_that_fails_is_an_error(book: Book, server: Server) -> None:
    memory = book(CAKE, filled=False)
    server.answer = lambda _body: (500, b"")
    with pytest.raises(EmbedderUnavailable, match="answers 500"):
        memory.embed()


def test_missing_numpy_is_a_note(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = book(CAKE, BOAT, filled=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    hits = memory.recall("boat")
    assert texts(hits) == [BOAT]
    assert hits.notes == (
        "without vectors: vectors need numpy, which is not installed (install the extra `vectors`: in the clone, `pipx install --force '.[vectors]'`)",
    )


# Explanations.


def test_why_not_sees_what_recall_saw(book: Book) -> None:
    memory = book(CAKE, BOAT)
    told = memory.why_not("pudding", "note.md#L1")
    assert told.rank == 1
    assert "vector" in {reason.name for stage in told.stages for reason in stage.reasons}


def test_the_command_fills_and_prints_its_documented_shape(
    book: Book, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book(CAKE, BOAT, filled=False).close()
    assert main(("embed", "--workspace", str(root), "--json")) == 0
    shape = (
        '{"schema":"commonplace.embedded.v1","model":"ollama:tiny","dimensions":204,"added":2,"dropped":0,"texts":2}'
    )
    assert capsys.readouterr().out.strip() == shape
    assert main(("embed", "--workspace", str(root))) == 0
    printed = capsys.readouterr()
    assert printed.out == "ollama:tiny, 204 numbers for each vector\n"
    assert printed.err == "0 texts embedded, 0 vectors dropped; 2 texts in all\n"


# The search itself.


@pytest.mark.slow
def test_the_search_by_signs_finds_nearly_all_of_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.retrieval.vectors.vector_index import VectorIndex, encode_vectors

    rng = np.random.default_rng(1)
    middles = rng.normal(size=(200, 384))
    vectors = (middles[rng.integers(0, 200, 20_000)] + 1.2 * rng.normal(size=(20_000, 384))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store = VectorStore(str(tmp_path / "vectors.sqlite"))
    model = store.get_or_add_model("random", 384)
    store.put_vectors(model, encode_vectors((f"t:{number:05}" for number in range(20_000)), vectors[:, None]))
    likeness = VectorIndex(store, model)
    found = agreed = 0
    for number in random.Random(1).sample(range(20_000), 40):
        asked = vectors[number] + 0.03 * rng.normal(size=384).astype(np.float32)
        asked /= np.linalg.norm(asked)
        probed = set(likeness._probe_slots(asked).tolist())
        apart = likeness._hamming_distances(asked)
        assert 2_000 <= len(probed) < 2_500
        assert probed == set(np.flatnonzero(apart <= max(apart[slot] for slot in probed)).tolist())
        nearest = np.argsort(-(vectors @ asked))[:10].tolist()
        found += len(probed.intersection(nearest))
        exact = [round(float(vectors[slot] @ asked), 3) for slot in nearest]
        measured = likeness._measure_cosines(asked, np.array(nearest))
        agreed += sum(abs(one - other) < 2e-3 for one, other in zip(exact, measured, strict=True))
    assert found >= 396  # of 400
    assert agreed == 400
    store.close()


@pytest.mark.parametrize(
    ("least", "share", "most", "measured"), [(50, 0.1, 400, 200), (500, 0.1, 900, 500), (50, 0.5, 300, 300)]
)
def test_a_share_of_the_vectors_is_measured_but_enough_and_not_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, share: float, most: int, measured: int
) -> None:
    from commonplace.retrieval.vectors import vector_index

    for name, value in (("MIN_MEASURED", least), ("SHARE_MEASURED", share), ("MAX_MEASURED", most)):
        monkeypatch.setattr(vector_index, name, value)
    vectors = np.random.default_rng(1).normal(size=(2_000, 384)).astype(np.float32)
    store = VectorStore(str(tmp_path / "vectors.sqlite"))
    model = store.get_or_add_model("random", 384)
    store.put_vectors(
        model, vector_index.encode_vectors((f"t:{number:05}" for number in range(2_000)), vectors[:, None])
    )
    probed = vector_index.VectorIndex(store, model)._probe_slots(vectors[0])
    assert measured <= len(probed) < measured + 100
    store.close()


def test_what_is_taken_in_bit_by_bit_is_what_is_read_at_once(tmp_path: Path) -> None:
    from commonplace.retrieval.vectors.vector_index import VectorIndex, encode_vectors

    rng = np.random.default_rng(1)
    counts = [1, 3, 2, 5, 1, 4]
    vectors = [rng.normal(size=(count, 100)).astype(np.float32) for count in counts]
    vectors = [of_one / np.linalg.norm(of_one, axis=1, keepdims=True) for of_one in vectors]
    store = VectorStore(str(tmp_path / "vectors.sqlite"))
    model = store.get_or_add_model("random", 100)
    likeness = VectorIndex(store, model)
    digests = {number: f"t:{number}" for number in range(6)}
    for first in (0, 2, 3):
        last = {0: 2, 2: 3, 3: 6}[first]
        store.put_vectors(
            model, encode_vectors((digests[number] for number in range(first, last)), vectors[first:last])
        )
        likeness.refresh()
    asked = vectors[3][2]
    whole = [float(of_one[0] @ asked) for of_one in vectors]
    pieces = [
        max(map(float, of_one[1:] @ asked), default=-1) - 0.02 * np.log(max(len(of_one) - 1, 1)) for of_one in vectors
    ]
    wanted = {number: max(one, two) for number, (one, two) in enumerate(zip(whole, pieces, strict=True))}
    for one in (likeness, VectorIndex(store, model)):
        assert one.cosines(asked, digests) == pytest.approx(wanted, abs=2e-3)
        assert next(one.nearest_texts(asked, 6)) == pytest.approx(
            {digests[row]: near for row, near in wanted.items()}, abs=2e-3
        )
    assert likeness.cosines(asked, {9: "t:3", 5: "t:1", 7: "t:3"}) == pytest.approx(
        {9: wanted[3], 5: wanted[1], 7: wanted[3]}, abs=2e-3
    )
    store.close()


def test_a_question_reads_no_vector_that_was_read_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That nothing was added is seen by the greatest number, and not by a look at all texts of the model."""
    store = VectorStore(str(tmp_path / "vectors.sqlite"))
    model = store.get_or_add_model("eye", 8)
    plans: list[str] = []

    def explain(_db: Any, query: str, values: tuple[int, ...]) -> list[Any]:
        plans.extend(row[3] for row in store._db.execute(f"explain query plan {query}", values))
        return []

    monkeypatch.setattr("commonplace.index.vector_store.sql.fetch_all", explain)
    assert store.read_signs(model, 7) == []
    assert plans == ["SEARCH texts USING INTEGER PRIMARY KEY (rowid>?)"]
    store.close()


def test_vectors_are_read_when_they_are_needed_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.retrieval.vectors.vector_index import VectorIndex, encode_vectors

    vectors = np.eye(8, dtype=np.float32)
    store = VectorStore(str(tmp_path / "vectors.sqlite"))
    model = store.get_or_add_model("eye", 8)
    store.put_vectors(model, encode_vectors((f"t:{number}" for number in range(8)), vectors[:, None]))
    read: list[int] = []
    whole = store.read_vectors
    monkeypatch.setattr(store, "read_vectors", lambda wanted: read.extend(wanted) or whole(wanted))
    likeness = VectorIndex(store, model)
    assert read == []
    for _again in range(2):
        assert likeness.cosines(vectors[3], {7: "t:3", 8: "t:4", 9: "unknown"}) == {7: 1.0, 8: 0.0}
    assert len(read) == 2
    assert [len(near) for near in likeness.nearest_texts(vectors[3], 1)] == [1, 7]  # equals are not parted
    store.close()


def test_half_precision_is_converted_exactly() -> None:
    from commonplace.retrieval.vectors.vector_index import _to_single

    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(-1, 64)
    assert np.array_equal(_to_single(finite), finite.astype(np.float32))


def test_records_of_one_text_share_its_vector(root: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (root / f"{name}.md").write_text(f"- {CAKE}\n", encoding="utf-8")
    with Memory.open(root) as memory:
        memory.sync()
    index = open_index(str(root / ".memory/index.sqlite"), lambda _index: None)
    ((digest, count),) = index.all_vector_keys(with_context=False).items()
    assert index.all_vector_keys(with_context=True) == {digest: 2}
    rows = [row for row, _digest in index.rows_with_digests([digest])]
    assert len(rows) == count == 2
    assert index.text_digests(rows) == dict.fromkeys(rows, digest)
    assert list(index.read_texts([digest, "t:none"])) == [(digest, CAKE, "")]
    assert set(index.token_counts(rows, Filter())) == set(rows)
    index.close()
