"""OpenClaw's own memory and ours over the same notes of the same workspace, asked the same questions in the same run.

`python -m bench beside-memory-core`. The notes are the conversations of LoCoMo, a note for each session, all in one
workspace, in the form and under the names that OpenClaw gives them when it saves a session. Each of the three `NAMINGS`
is a workspace of its own: names with the day that it was, which OpenClaw lets fade with its age; the same with all days
moved so that each conversation ended yesterday; and names without a day. A question is a hit at 6 if one of its notes
is among the first six notes that the hits lie in.

OpenClaw has no model here (`memory.search.provider: none`), and neither have we. It is asked in its warm gateway by the
tool that its agents use, we over our warm stdio; then both by their commands, a process for each question.
`--questions=N` draws so many with a fixed seed, `--searches=N` says how often each command is run, and `--cache=FOLDER`
where OpenClaw is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from bench.adapter import said
from bench.page import PAGE, put
from bench.peers import CACHE, drawn
from bench.peers.catalog import OPENCLAW
from bench.peers.drivers.gateway import Gateway
from bench.peers.drivers.job import Hits, Job, answer, most_held
from bench.peers.figures import middle
from bench.peers.install import installed
from bench.peers.table import machine
from bench.quality import SHARED, _harness, option

NAMINGS = {"dated": "names with their day", "moved": "the same, ended yesterday", "undated": "names without a day"}
SYSTEMS = ("Commonplace", "memory-core")
TOP, ASKED = (1, 3, 6, 10), 50
GATE = 0.94  # of the questions with a note among six, under names with and without a day
CHEAPER = 10  # times, by command
SEARCHES = 5
SET = "locomo"
COSTS = ("wall ms p50 / p95", "CPU ms p50 / p95", "index CPU s", "memory MB")
HEADS = ("memory", "notes", *(f"hit@{top}" for top in TOP), *COSTS)
COMMANDS = ("command", "CPU s", "wall s", "memory MB")


class Note(NamedTuple):
    """One session as a note."""

    path: str
    session: str
    text: str


class Cost(NamedTuple):
    """What one run of a command took: seconds of the processor and on the clock, megabytes at most."""

    cpu: float
    wall: float
    peak: float


class Asked(NamedTuple):
    """One system under one naming: for each question the sessions of its notes, best first, and what it cost."""

    notes: list[list[str]]
    answers: dict[str, Any]
    peak: float  # megabytes, of the process that was asked
    commands: list[Cost]


def run() -> None:
    """Print the tables, say whether the gates hold, and write the page if all questions were asked."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: nothing was asked")
        return
    data = _harness().Data(SET, str(SHARED / "bench"))
    total = len(data.queries)
    spaces = drawn(data, int(option("questions") or total), len(data.docs))
    queries = [query for _, asked in spaces.values() for query in asked]
    package = str(installed(OPENCLAW, Path(option("cache") or CACHE)).folder)
    found = {}
    for naming in NAMINGS:
        for system, one in beside(naming, list(data.docs.values()), queries, package):
            found[naming, system] = one
            print(f"{system}, {NAMINGS[naming]}: {shares(one.notes, queries)}", file=sys.stderr, flush=True)
    lines = page(found, queries, total)
    print("\n".join(lines))
    if len(queries) == total:
        put(PAGE, "beside", "\n".join(lines))


def beside(
    naming: str, conversations: list[list[dict]], queries: list[dict], package: str
) -> Iterator[tuple[str, Asked]]:
    """Both systems over one workspace; a question is put at the time that its set says, moved as the notes are."""
    with tempfile.TemporaryDirectory(prefix="commonplace-beside-") as name:
        folder = Path(name)
        notes = [note for docs in conversations for note in notes_of(docs, naming)]
        write(notes, folder / "workspace")
        moved = {docs[0]["ns"]: days_moved(docs, naming) for docs in conversations}
        questions = [{"question": one["question"], "now": _later(one["date"], moved[one["ns"]])} for one in queries]
        for system, opened in zip(SYSTEMS, (ours, theirs), strict=True):
            with opened(folder, package, {note.path: note.session for note in notes}) as memory:
                answers = answer(memory, Job(name, [], questions, ASKED, {}, None))
                most = sum(map(most_held, memory.processes))
            # Its command fails at times while a gateway writes, so both are run when nothing else is.
            searched = [cost(memory.command(one["question"]), memory.environment) for one in _few(questions)]
            notes_found = [list(dict.fromkeys(session for hit in hits for session in hit)) for hits in answers["hits"]]
            yield system, Asked(notes_found, answers, most, searched)


def notes_of(docs: list[dict], naming: str) -> Iterator[Note]:
    """The sessions of a conversation as OpenClaw saves them."""
    sessions: dict[str, list[dict]] = {}
    for doc in docs:
        sessions.setdefault(doc["session"], []).append(doc)
    moved = days_moved(docs, naming)
    for session, turns in sessions.items():
        began = datetime.fromisoformat(turns[0]["timestamp"]) + timedelta(days=moved)
        slug = session.replace("/", "-").lower()
        name = f"memory/{slug}.md" if naming == "undated" else f"memory/{began:%Y-%m-%d}-{slug}.md"
        head = [f"# Session: {began:%Y-%m-%d %H:%M:%S} UTC", "", "- **Session Key**: agent:main:main"]
        about = [f"- **Session ID**: {slug}", "- **Source**: webchat", "", "## Conversation Summary", ""]
        words = [f"{turn['speaker']}: {' '.join(said(turn).split())}" for turn in turns]
        yield Note(name, session, "\n".join([*head, *about, *words]) + "\n")


def days_moved(docs: list[dict], naming: str) -> int:
    """By how many days the notes of a conversation are later than it was."""
    last = max(date.fromisoformat(doc["timestamp"][:10]) for doc in docs)
    return (date.today() - last).days - 1 if naming == "moved" else 0


def write(notes: list[Note], workspace: Path) -> None:
    """The notes as files."""
    (workspace / "memory").mkdir(parents=True)
    for note in notes:
        (workspace / note.path).write_text(note.text, encoding="utf-8")


class Theirs:
    """memory-core in its gateway; a hit is the note in which a passage lies."""

    def __init__(self, gateway: Gateway, sessions: dict[str, str]) -> None:
        self._gateway, self._sessions = gateway, sessions
        self.processes, self.environment = (gateway.number,), gateway.environment

    def index(self) -> None:
        """By its own command, in a process of its own."""
        self._gateway.index()

    def ask(self, question: str, now: str) -> Hits:
        """The notes of the passages; its clock is that of the machine."""
        return [[self._sessions[one["path"]]] for one in self._gateway.search(question, ASKED)]

    def command(self, question: str) -> list[str]:
        """A search from the shell."""
        return [*self._gateway.command, "memory", "search", question, "--json"]

    def close(self) -> None:
        """Nothing is open but the gateway."""


class Ours:
    """Commonplace over stdio; a hit is the note in which a line stands."""

    def __init__(self, engine: subprocess.Popen[str], workspace: Path, sessions: dict[str, str]) -> None:
        self.environment = dict(os.environ)
        self._engine, self._workspace, self._sessions = engine, workspace, sessions
        self.processes = (engine.pid,)

    def index(self) -> None:
        """As the first question would."""
        self._asked("sync")

    def ask(self, question: str, now: str) -> Hits:
        """The notes of the lines; a sweep of the files belongs to each question, as it does for an agent."""
        hits = self._asked("recall", text=question, k=ASKED, now=now)["hits"]
        return [[self._sessions[one["path"]]] for one in hits]

    def command(self, question: str) -> list[str]:
        """A search from the shell."""
        return [sys.executable, "-m", "commonplace", "--workspace", str(self._workspace), "--json", "recall", question]

    def _asked(self, method: str, **params: Any) -> dict[str, Any]:
        print(json.dumps({"id": 1, "method": method, "params": params}), file=self._engine.stdin, flush=True)
        given = json.loads(self._engine.stdout.readline())
        if "error" in given:
            raise RuntimeError(f"{method}: {given['error']['message']}")
        return given["result"]

    def close(self) -> None:
        """Nothing is open but the engine."""


@contextmanager
def theirs(folder: Path, package: str, sessions: dict[str, str]) -> Iterator[Theirs]:
    """OpenClaw over the workspace of a folder while the block runs."""
    gateway = Gateway(folder, package)
    try:
        yield Theirs(gateway, sessions)
    finally:
        gateway.close()


@contextmanager
def ours(folder: Path, _package: str, sessions: dict[str, str]) -> Iterator[Ours]:
    """Our stdio over the workspace of a folder while the block runs."""
    workspace = folder / "workspace"
    command = [sys.executable, "-m", "commonplace", "--workspace", str(workspace), "serve", "--stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdout.readline()
        yield Ours(engine, workspace, sessions)
        engine.stdin.close()


def cost(command: list[str], environment: dict[str, str]) -> Cost:
    """What a command took as a whole process; RuntimeError if it failed."""
    began = perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command[-4:])} ended with {process.returncode}: {said.read()[-600:]!r}")
    scale = 1024 if sys.platform == "linux" else 1024**2
    return Cost(used.ru_utime + used.ru_stime, perf_counter() - began, used.ru_maxrss / scale)


def shares(notes: list[list[str]], queries: list[dict]) -> dict[int, float]:
    """For 1, 3, 6 and 10 the share of the questions with a note of theirs among the first so many."""
    return {
        top: round(
            sum(
                bool({*found[:top]} & {*query["relevant_sessions"]})
                for found, query in zip(notes, queries, strict=True)
            )
            / len(queries),
            4,
        )
        for top in TOP
    }


def page(found: dict[tuple[str, str], Asked], queries: list[dict], total: int) -> list[str]:
    """The tables, the gates, and what it was made with."""
    lines = [_row(HEADS), "|---" * len(HEADS) + "|"]
    lines += [
        _row(_cells(system, NAMINGS[naming], one, queries))
        for system in SYSTEMS
        for (naming, of), one in found.items()
        if of == system
    ]
    runs = {
        system: [cost for (_, of), one in found.items() if of == system for cost in one.commands] for system in SYSTEMS
    }
    lines += ["", _row(COMMANDS), "|---" * len(COMMANDS) + "|", *(_row(_command(*one)) for one in runs.items()), ""]
    lines += [f"* {said}" for said in gates(found, runs, queries)]
    few = f" --questions={len(queries)}" if len(queries) < total else ""
    made = f"Made by `python -m bench beside-memory-core{few}` with OpenClaw {OPENCLAW.version}"
    return [*lines, "", f"{made}, {len(queries)} of {total} questions about five conversations, on {machine()}."]


def gates(found: dict[tuple[str, str], Asked], runs: dict[str, list[Cost]], queries: list[dict]) -> list[str]:
    """What is asked of us, and whether it holds."""
    lines = []
    for naming in ("dated", "undated"):
        share = shares(found[naming, SYSTEMS[0]].notes, queries)[6]
        lines.append(f"hit@6 of ours, {NAMINGS[naming]}: {share:.3f}, {_held(share >= GATE)} (at least {GATE:.2f}).")
    mine, others = (median(cost.cpu for cost in runs[system]) for system in SYSTEMS)
    times = others / mine
    return [
        *lines,
        f"CPU of a search by command: {times:.0f} times less, {_held(times >= CHEAPER)} (at least {CHEAPER}).",
    ]


def _held(holds: bool) -> str:
    return "as asked" if holds else "less than asked"


def _cells(system: str, naming: str, one: Asked, queries: list[dict]) -> list[str]:
    hits = [f"{share:.3f}" for share in shares(one.notes, queries).values()]
    times = [" / ".join(f"{value:.1f}" for value in middle(one.answers[kind])) for kind in ("wall", "cpu")]
    return [system, naming, *hits, *times, f"{one.answers['index']['cpu']:.1f}", f"{one.peak:.0f}"]


def _command(system: str, runs: list[Cost]) -> list[str]:
    name = {SYSTEMS[0]: "`commonplace recall`", SYSTEMS[1]: "`openclaw memory search`"}[system]
    parts = zip(*runs, strict=True)
    cpu, wall, peak = (median(values) for values in parts)
    return [name, f"{cpu:.2f}", f"{wall:.2f}", f"{peak:.0f}"]


def _few(questions: list[dict]) -> list[dict]:
    return questions[:: max(len(questions) // int(option("searches") or SEARCHES), 1)][
        : int(option("searches") or SEARCHES)
    ]


def _later(moment: str, days: int) -> str:
    return (datetime.fromisoformat(moment) + timedelta(days=days)).isoformat()[:16]


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"
