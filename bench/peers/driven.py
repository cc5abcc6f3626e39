"""Give one peer the conversations, each to a process of its own, and take back the hits and what they cost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.adapter import said
from bench.peers.catalog import ROOT, Peer
from bench.peers.drivers.job import Job, Turn
from bench.peers.drivers.words import keywords
from bench.peers.install import Place, last_words

DRIVERS = Path(__file__).with_name("drivers")
K = 50
PATIENCE = 3_600  # seconds for one conversation
# For products of matrices: threads that wait for each other are counted as work where others use the machine as well.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "CI": "1",
    **ONE_THREAD,
    "NO_COLOR": "1",
}
KEPT = ("PATH", "LANG", "LC_ALL", "SSL_CERT_FILE")  # of our environment; nothing else is handed on


class NotAnsweredError(Exception):
    """A peer that did not do its job; the message is its last word."""


@dataclass
class Answers:
    """What a peer answered: for every question its hits, each the ids of the turns that it shows, and the cost."""

    hits: list[list[list[str]]] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)  # milliseconds
    cpu: list[float] = field(default_factory=list)
    index_wall: float = 0.0  # seconds, over all conversations
    index_cpu: float = 0.0
    peak: float = 0.0  # megabytes, of the largest process

    def add(self, found: dict[str, Any]) -> None:
        """Take in what one driver wrote."""
        self.hits += found["hits"]
        self.wall += found["wall"]
        self.cpu += found["cpu"]
        self.index_wall += found["index"]["wall"]
        self.index_cpu += found["index"]["cpu"]
        self.peak = max(self.peak, found["index"]["peak"])


def turns(docs: list[dict[str, Any]]) -> list[Turn]:
    """The documents of a conversation as every peer gets them: the same words, on one line."""
    found = []
    for doc in docs:
        words = " ".join(said(doc).split())
        day, _, time = (doc["timestamp"] or "0001-01-01T00:00")[:16].partition("T")
        about = {"id": doc["id"], "session": doc["session"], "speaker": doc["speaker"] or "", "words": words}
        text = f"{doc['speaker']}: {words}" if doc.get("speaker") else words
        found.append(about | {"day": day, "time": time, "text": text})
    return found


def ask(peer: Peer, place: Place, spaces: dict[str, tuple[list, list]], model: dict[str, Any] | None) -> Answers:
    """The answers to all questions, in the order of the conversations; NotAnsweredError says what went wrong."""
    answers = Answers()
    for docs, queries in spaces.values():
        last = max(doc["timestamp"] or "" for doc in docs)[:16]
        questions = [
            {"question": _put(peer, one["question"]), "now": (one.get("date") or last)[:16]} for one in queries
        ]
        with tempfile.TemporaryDirectory(prefix="commonplace-peers-") as name:
            folder = Path(name) / "work"
            folder.mkdir()
            options = dict(peer.options) | {"package": str(place.folder)}
            job = Job(str(folder), turns(docs), questions, K, options, model if peer.model else None)
            answers.add(_driven(peer, place, job))
    return answers


def _put(peer: Peer, question: str) -> str:
    """The question as the peer gets it: as it is, or its keywords."""
    return " ".join(keywords(question)) if peer.keywords else question


def _driven(peer: Peer, place: Place, job: Job) -> dict[str, Any]:
    """What the driver of a peer wrote about one job."""
    around = job.root.parent
    (around / "job.json").write_text(json.dumps(asdict(job)), encoding="utf-8")
    (around / "home").mkdir()
    nice = ("nice", "-n", "2") if shutil.which("nice") else ()
    runs = (sys.executable,) if place.command[0].endswith("node") and peer.driver.endswith(".py") else place.command
    files = (DRIVERS / peer.driver, around / "job.json", around / "answers.json")
    command = [*nice, *runs, *map(str, files)]
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment = kept | OFFLINE | {"HOME": str(around / "home"), "TMPDIR": str(around), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, cwd=around, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotAnsweredError(f"gave no answer within {PATIENCE} seconds") from error
    if done.returncode:
        raise NotAnsweredError(last_words(done.stderr))
    return json.loads((around / "answers.json").read_text(encoding="utf-8"))
