"""Embedding that is killed goes on where it was; a changed encoder starts anew and never answers from mixed vectors.

`python -m bench.acceptance.embedding_killed [--notes N] [--kills N] [--encoder-kills N] [--points N]`. The command
`embed` with 10,000 notes, as a process that is killed (SIGKILL) at moments by lot, with a seeded encoder and, where it
is installed, with that of the extra; and with a small notebook, killed at calls that write the cache, halfway too.
After each kill every batch but the one in flight must be there, whole; at the end every text has its vectors once, and
the answers are those of a run that nobody killed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import apsw
from msgspec import Struct

from bench import notebook
from bench.acceptance.measuring import Report
from bench.embedded import Seeded
from bench.struck_files import NAME, Blow, StruckFiles, When
from commonplace import Memory
from commonplace import models as models_module
from commonplace.cli import main as run_commonplace
from commonplace.index import vector_store
from commonplace.model import Hit
from commonplace.models.sentence_encoder import VERSION, SentenceEncoder
from commonplace.retrieval.vectors import search
from commonplace.storage.settings import EXTRA_MODULE

NOTES, KILLS, ENCODER_KILLS, POINTS = 10_000, 20, 5, 100
FEW, FEW_TEXTS = 100, 40  # notes of the small notebook, and texts of its batches
QUESTIONS = 40
LOOK_S = 0.02  # between two looks at how far a process is
NOW = "2031-01-01T00:00"
SETTINGS = '[vectors]\nmode = "hybrid"\nprovider = "use"\n'
COVERAGE = re.compile(r"without vectors: (\d+) of \d+ records have one of ")
Answers = list[tuple[Hit, ...]]


class Encoder(Struct, frozen=True):
    """What stands in place of the encoder: a seeded one of this name and size, or that of the extra itself."""

    model: str = "seeded"
    dimensions: int = 512

    def open(self) -> Any:
        """The `Embedder`."""
        return SentenceEncoder() if self == OF_EXTRA else Seeded(self.model, self.dimensions)


OF_EXTRA = Encoder(f"use:{VERSION}")


class Logged:
    """An `Embedder` that writes down each batch that it is given, before it embeds it."""

    def __init__(self, encoder: Any, log: Path) -> None:
        self._encoder, self._log = encoder, log
        self.model, self.local, self.reads_context = encoder.model, encoder.local, encoder.reads_context

    def embed(self, texts: Sequence[str]) -> Any:
        """What the encoder makes of the texts."""
        if tuple(texts) != search.UNRELATED_TEXTS:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(f"{len(texts)} texts\n")
        return self._encoder.embed(texts)


def run_embed(root: Path, encoder: Encoder) -> int:
    """Run `commonplace embed` with the encoder in this process."""
    models_module.open_embedder = lambda _choice: Logged(encoder.open(), _log(root))
    return run_commonplace(("embed", "--workspace", str(root), "--json"))


def _log(root: Path) -> Path:
    return root / ".memory" / "embedded.log"


class Progress(Struct, frozen=True):
    """What a run did: whether it was killed, the batches that it began, and how many texts got vectors."""

    killed: bool
    batches: int
    texts: int

    def lost(self, batch_texts: int) -> int:
        """The batches that were begun and are not there."""
        return self.batches - -(-self.texts // batch_texts)


@contextmanager
def _progress_of(root: Path, encoder: Encoder) -> Iterator[list[Progress]]:
    """Measure the run of the block, which says last how it ended."""
    before = stored(root, encoder)
    _log(root).unlink(missing_ok=True)
    found: list[Any] = []
    yield found
    found[:] = [Progress(found[0], count_batches(root), stored(root, encoder) - before)]


def run_process(root: Path, encoder: Encoder, dies_at: int = 0) -> Progress:
    """Run the command as a process, and kill it some time after it has begun so many batches."""
    code = "import sys; from pathlib import Path; from bench.acceptance.embedding_killed import Encoder, run_embed\n"
    code += f"sys.exit(run_embed(Path({str(root)!r}), {encoder!r}))"
    with (
        _progress_of(root, encoder) as found,
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process,
    ):
        while dies_at and process.poll() is None:
            if count_batches(root) >= dies_at:
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors.decode()
        found.append(process.returncode != 0)
    return found[0]


def count_batches(root: Path) -> int:
    """How many batches the last run has begun."""
    return _log(root).read_text(encoding="utf-8").count("\n") if _log(root).exists() else 0


def stored(root: Path, encoder: Encoder) -> int:
    """How many texts have vectors of the encoder."""
    return len(rows(root, encoder))


def rows(root: Path, encoder: Encoder) -> dict[str, bytes]:
    """The vectors of each text; what has none or several is an AssertionError."""
    path = root / ".memory/vectors.sqlite"
    query = """select digest, vector from models join texts on model = models.id left join vectors
        on vectors.id = texts.id where name = ? and dimensions = ?"""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as db:
        if not db.execute("select count(*) from sqlite_master where name = 'texts'").fetchone()[0]:
            return {}  # killed while it was made
        made = db.execute(query, (encoder.model, encoder.dimensions)).fetchall()
        pairs = [db.execute(f"select count(*) from {name}").fetchone()[0] for name in ("texts", "vectors")]
    assert pairs[0] == pairs[1], f"{pairs[0]} texts and {pairs[1]} vectors"
    assert len(dict(made)) == len(made), "a text has its vectors twice"
    assert all(vector for _digest, vector in made), "a text has no vector"
    return dict(made)


def answers(root: Path, encoder: Encoder, mode: str = "hybrid") -> tuple[Answers, set[str]]:
    """What recall finds for the questions, and its notes."""
    with Memory.open(root) as memory:
        memory.workspace.vectors_mode = mode
        memory.workspace.open_embedder = lambda _seconds: encoder.open()
        hits = [memory.recall(text, now=NOW, sync=False) for text in notebook.questions(root, QUESTIONS, seed=2)]
    return [one.hits for one in hits], {note for one in hits for note in one.notes}


def workspace(folder: Path, notes: int) -> Path:
    """A notebook with its index, without vectors."""
    notebook.write(folder, notes)
    (folder / "commonplace.toml").write_text(SETTINGS, encoding="utf-8")
    with Memory.open(folder) as memory:
        memory.sync()
    return folder


def copied(source: Path, name: str) -> Path:
    """A copy beside it."""
    target = source.with_name(name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, copy_function=shutil.copy2)
    return target


def kill_at_moments(source: Path, encoder: Encoder, kills: int, report: Report) -> tuple[Path, Path]:
    """Kill at moments by lot, then finish; the workspace, and that of an undisturbed run."""
    lot, label = random.Random(25), f"{encoder.model}, {encoder.dimensions} numbers"
    whole, root = copied(source, "whole"), copied(source, "killed")
    all_at_once = run_process(whole, encoder)
    runs: list[Progress] = []
    while len(runs) < kills and (not runs or runs[-1].killed):
        runs.append(run_process(root, encoder, lot.randint(1, max(3 * all_at_once.batches // (2 * kills), 1))))
    last = run_process(root, encoder)
    report.add(f"{label}: kills while it embedded", f"{sum(run.killed for run in runs)}")
    report.at_most("batches lost by one kill", max(run.lost(search.EMBED_BATCH) for run in runs), 1)
    report.at_most("batches lost by the last run", last.lost(search.EMBED_BATCH), 0)
    _judge_end(root, whole, encoder, report)
    report.add("texts embedded by each run", f"{[run.texts for run in (*runs, last)]} of {all_at_once.texts}")
    return root, whole


def _judge_end(root: Path, whole: Path, encoder: Encoder, report: Report) -> None:
    ours, theirs = rows(root, encoder), rows(whole, encoder)
    with Memory.open(root) as memory:
        keys = memory.workspace.synced_index().all_vector_keys(with_context=True)
    report.at_most(f"of {len(keys)} texts without vectors, or with needless ones", len(keys.keys() ^ ours.keys()), 0)
    report.at_most("texts whose vectors differ from those of one run", sum(ours[key] != theirs[key] for key in ours), 0)
    (found, notes), (expected, _notes) = answers(root, encoder), answers(whole, encoder)
    differing = sum(one != other for one, other in zip(found, expected, strict=True))
    report.at_most(f"of {len(found)} answers that differ, or notes", differing + len(notes), 0)


def kill_at_calls(source: Path, encoder: Encoder, points: int, report: Report) -> None:
    """Kill at so many of the calls that write the cache, before, in or after one, then finish."""
    whole = copied(source, "few-whole")
    all_at_once = run_struck(whole, encoder, Blow())
    expected, problems, lost = rows(whole, encoder), 0, 0
    blows = [Blow(number, when) for number in range(1, all_at_once.calls + 1) for when in get_args(When)]
    chosen = random.Random(25).sample(blows, min(points, len(blows)))
    killed = 0
    for blow in chosen:
        root = copied(source, "few-killed")
        run, last = run_struck(root, encoder, blow).progress, run_struck(root, encoder, Blow()).progress
        killed += run.killed
        lost = max(lost, run.lost(FEW_TEXTS), last.lost(FEW_TEXTS) + 1)
        problems += rows(root, encoder) != expected or run.texts + last.texts != len(expected)
    report.at_least(
        f"killed at {len(chosen)} of {len(blows)} moments of {all_at_once.calls} calls", killed, points // 2
    )
    report.at_most("batches lost by one kill", lost, 1)
    report.at_most("caches that differ from that of one run", problems, 0)
    report.at_least("batches", all_at_once.progress.batches, 3)


class Struck(Struct, frozen=True):
    """A run in a process that may die at a call, and the calls of one that did not."""

    progress: Progress
    calls: int


def run_struck(root: Path, encoder: Encoder, blow: Blow) -> Struck:
    """Run the command in a fork of this process."""
    calls = root / ".memory" / "calls"
    with _progress_of(root, encoder) as found:
        process = os.fork()
        if not process:
            files = StruckFiles(blow)
            search.EMBED_BATCH = FEW_TEXTS
            connect = partial(apsw.Connection, vfs=NAME)
            vector_store.apsw = SimpleNamespace(**vars(apsw) | {"Connection": connect})
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            code = run_embed(root, encoder)
            calls.write_text(str(files.blow.calls), encoding="ascii")
            os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status in (0, -signal.SIGKILL), status
        found.append(status != 0)
    return Struck(found[0], 0 if found[0].killed else int(calls.read_text(encoding="ascii")))


def change_encoder(root: Path, old: Encoder, new: Encoder, report: Report) -> None:
    """Kill the embedding by another encoder about halfway: what is answered then, by either, and in the end."""
    label = f"from {old.model}, {old.dimensions} numbers, to {new.model}, {new.dimensions}"
    by_old, (by_words, _notes) = answers(root, old)[0], answers(root, new, "none")
    whole = copied(root, "changed")
    all_at_once = run_process(whole, new)
    expected = answers(whole, new)[0]
    run_process(root, new, all_at_once.batches // 2)
    part = stored(root, new)
    assert part < all_at_once.texts, "it was over before it was killed"
    found, notes = answers(root, new)
    report.add(f"{label}: texts with vectors after a kill", f"{part} of {all_at_once.texts}")
    report.at_most("answers meanwhile that are not those of words alone", _count_other(found, by_words), 0)
    report.add("a note says so", f"{sorted(notes)}", holds=len(notes) == 1 and _is_pause(*notes, part, old, new))
    again, _ = answers(root, old)
    report.at_most("answers of the old encoder that are not those of before", _count_other(again, by_old), 0)
    run_process(root, new)
    found, notes = answers(root, new)
    report.at_most(
        "answers in the end that are not those of one run, or notes", _count_other(found, expected) + len(notes), 0
    )
    report.at_least("answers that the new encoder changed", _count_other(found, by_old), 1)


def _count_other(found: Answers, expected: Answers) -> int:
    return sum(one != other for one, other in zip(found, expected, strict=True))


def _is_pause(note: str, part: int, old: Encoder, new: Encoder) -> bool:
    """Whether a note says why there are no vectors: how many have one or, of the same model, that its size differs."""
    if old.model == new.model:
        return f"now answers with {new.dimensions} numbers and not {old.dimensions}" in note
    matched = COVERAGE.match(note)
    return matched is not None and int(matched[1]) > 0 and abs(int(matched[1]) - part) <= part // 50


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--encoder-kills", type=int, default=ENCODER_KILLS, help="with the encoder of the extra")
    parser.add_argument("--points", type=int, default=POINTS, help="calls at which a small notebook is killed")
    given = parser.parse_args()
    report, seeded = Report(), Encoder()
    with tempfile.TemporaryDirectory(prefix="commonplace-killed-") as folder:
        kill_at_calls(workspace(Path(folder, "few"), FEW), seeded, given.points, report)
        source = workspace(Path(folder, "notes"), given.notes)
        if PathFinder.find_spec(EXTRA_MODULE) and given.encoder_kills:
            kill_at_moments(source, OF_EXTRA, given.encoder_kills, report)
        root, _whole = kill_at_moments(source, seeded, given.kills, report)
        other = Encoder("another")
        change_encoder(root, seeded, other, report)
        change_encoder(root, other, Encoder("another", 256), report)
        change_encoder(root, Encoder("another", 256), Encoder("another", 128), report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
