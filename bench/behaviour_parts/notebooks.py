"""The workspaces that are asked: the sets of benchmarks as captures or daily logs, the sample, vaults, a calendar."""

from __future__ import annotations

import gzip
import json
import os
import tarfile
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench.behaviour_parts.asking import NOW, Desk, Json

SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[3] / "shared"))
FEWEST_WORDS = 6  # of a line that a question is made of


class Asked(NamedTuple):
    """A question, its clock, its scope."""

    text: str
    now: str
    scope: str = ""


class Notebook(NamedTuple):
    """A workspace and what is asked of it."""

    root: Path
    asked: list[Asked]


def rows(*path: str) -> list[Json]:
    """The lines of a file of the benchmarks."""
    place = SHARED.joinpath("bench", *path)
    text = gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()
    return [json.loads(line) for line in text.decode().split("\n") if line]


def docs_of(name: str, space: str) -> list[Json]:
    """The units of one name space of a set."""
    return [doc for doc in rows(name, "corpus.jsonl.gz") if doc["ns"] == space]


def build(desk: Desk, name: str) -> Notebook:
    """The notebook of a name: SET/SPACE/captured, SET/SPACE/logs, demo, vault/NAME, precision."""
    kind, *rest = name.split("/")
    if kind == "demo":
        root = sample(desk)
        return Notebook(root, of_lines(root, 150))
    if kind == "vault":
        root = desk.workspace(name)
        with tarfile.open(SHARED / "corpora" / "vaults" / f"{rest[0]}.tar.gz") as packed:
            notes = [one for one in packed.getmembers() if one.isfile() and one.name.endswith(".md")]
            packed.extractall(root, notes, filter="data")
        return Notebook(root, of_lines(root, 150))
    if kind == "precision":
        return _beliefs(desk)
    space, way = rest
    docs = docs_of(kind, space)
    last = max(doc["timestamp"] or "" for doc in docs)[:16]
    root = desk.workspace(name)
    if way == "logs":
        write_logs(root, docs)
    else:
        with desk.pipes(root) as pipes:
            pipes.ask("ingest", entries=events(docs), format="jsonl", now=last)
            pipes.ask("consolidate", apply=True, now=last)
    queries = [query for query in rows(kind, "queries.jsonl.gz") if query["ns"] == space]
    asked = [Asked(query["question"], (query["date"] or last)[:16]) for query in queries]
    if kind == "lme_pool":
        asked += [Asked(one["question"], one["now"][:16]) for one in _updates()]
    return Notebook(root, asked)


def _updates() -> list[Json]:
    return rows("knowledge_update", "knowledge_update_dev.jsonl")


def _beliefs(desk: Desk) -> Notebook:
    root = desk.workspace("precision")
    with desk.pipes(root) as pipes:
        for belief in rows("precision", "beliefs.jsonl"):
            words = f"{belief['name'].replace('_', ' ')}: {belief['text']} {belief['why']}"
            pipes.ask("retain", text=words, scope=_scope(belief), now=belief["timestamp"][:16])
    cases = rows("precision", "cases.jsonl")
    return Notebook(root, [Asked(case["query"], "2026-10-05T09:00", _scope(case)) for case in cases])


def _scope(told: Json) -> str:
    named = [scope.partition(":")[2] for scope in told["scope"] if not scope.startswith("user:")]
    return named[0] if named else ""


def sample(desk: Desk, name: str = "demo") -> Path:
    """The workspace that `commonplace demo` makes."""
    root = desk.folder / name
    ran = desk.command(desk.folder, "demo", str(root))
    assert ran.code == 0, ran.err
    desk.fix_key(root)
    return root


def of_lines(root: Path, count: int) -> list[Asked]:
    """Questions from lines of a notebook, evenly picked: some words, a sentence, the whole line."""
    lines = [
        line.strip()
        for path in sorted(root.rglob("*.md"))
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n")
        if len(line.split()) >= FEWEST_WORDS
    ]
    return [
        Asked(_question(line.split(), number), NOW) for number, line in enumerate(lines[:: max(1, len(lines) // count)])
    ]


def _question(words: list[str], number: int) -> str:
    said = (
        " ".join(words[-4:]),
        f"What about {words[1]} {words[-2]} and {words[-1]}?",
        " ".join(words[:12]),
        f"when was {' '.join(words[2:5])}?",
        f"who is {words[2]} {words[3]}",
    )
    return said[number % len(said)]


def events(docs: list[Json]) -> list[Json]:
    """The units of a set as events."""
    return [_event(doc) for doc in docs]


def _event(doc: Json) -> Json:
    speaker = doc.get("speaker") or ""
    actor = "agent" if speaker == "assistant" else "owner"
    event = {"text": doc["text"] or ".", "ts": doc["timestamp"] or "", "session": doc["session"], "actor": actor}
    return event | ({"speaker": doc.get("name") or speaker} if speaker not in ("", "user", "assistant") else {})


def write_logs(root: Path, docs: list[Json]) -> None:
    """The units of a set as daily logs, a heading for each session."""
    days: dict[str, dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    for doc in docs:
        days[(doc["timestamp"] or "0001-01-01")[:10]][doc["session"]].append(doc)
    (root / "memory").mkdir()
    for day, sessions in days.items():
        lines = [f"# {day}"]
        for session, turns in sessions.items():
            lines += ["", f"## Session {session.rsplit('/', 1)[-1]}, {day}", ""]
            lines += [line for turn in turns for line in _turn(turn)]
        (root / "memory" / f"{day}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _turn(turn: Json) -> list[str]:
    first, *rest = [line.strip() for line in turn["text"].split("\n") if line.strip()] or [""]
    speaker = f"{turn['speaker']}: " if turn["speaker"] else ""
    return [f"- {turn['timestamp'][11:16] or '00:00'} {speaker}{first}", *(f"  {line}" for line in rest)]


def calendar(desk: Desk, first: int, last: int) -> Path:
    """A workspace with a line for each day of some years."""
    files: dict[str, Any] = defaultdict(str)
    for number in range((date(last + 1, 1, 1) - date(first, 1, 1)).days):
        day = (date(first, 1, 1) + timedelta(number)).isoformat()
        files[f"notes/{day[:4]}.md"] += f"- Swept the yard. <!-- valid: {day}..{day} -->\n"
    return desk.workspace("calendar", files)
