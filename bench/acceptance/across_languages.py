"""Questions in one of four languages about notes in another: hit@1 and hit@5 with the extra `semantic`, and without.

`python -m bench.acceptance.across_languages`. The list was written blind: the scores are printed, by direction, and no
sentence. Beside it stand a plain FTS5 table, and the order of the vectors alone.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, run_command, workspace
from bench.embedded import SETTINGS, Embedded
from commonplace import Memory
from commonplace.shapes import Json
from commonplace.storage.settings import EXTRA_PROVIDER

DATA = Path(__file__).with_name("data") / "across_languages_blind.json"
NOW = "2026-11-20T09:00"
DEPTHS = {"hit@1": (1, 0.5), "hit@5": (5, 0.8)}  # how many hits count, and the bound

Search = Callable[[str], list[str]]  # of a question the notes that are found, best first


def measure(given: argparse.Namespace) -> Figures:
    """By way of searching and direction (`all`: of every one) the shares of `DEPTHS`."""
    listed = json.loads(DATA.read_text(encoding="utf-8"))
    notes, questions = listed["notes"], listed["questions"][:: 5 if given.quick else 1]
    encoder = Embedded(EXTRA_PROVIDER)
    with workspace() as without, workspace(SETTINGS) as with_vectors:
        for memory in (without, with_vectors):
            _write_notes(memory, notes)
        encoder.fill(with_vectors)
        searches: dict[str, Search] = {
            "FTS5": _search_fts5(notes),
            "without": lambda question: _search(without, question),
            "with": lambda question: _search(with_vectors, question),
            "vectors alone": _search_vectors(encoder, notes),
        }
        return {name: _shares(search, notes, questions) for name, search in searches.items()}


def _write_notes(memory: Memory, notes: list[Json]) -> None:
    """Each note as an item of the file of its language."""
    folder = Path(memory.root, "notes")
    folder.mkdir()
    for language in sorted({note["language"] for note in notes}):
        items = "".join(f"- {note['text']}\n" for note in notes if note["language"] == language)
        (folder / f"{language}.md").write_text(f"# {language}\n\n{items}", encoding="utf-8")
    memory.sync()


def _search(memory: Memory, question: str) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, k=5, now=NOW, sync=False).hits]


def _search_fts5(notes: list[Json]) -> Search:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table notes using fts5(text)")
    db.executemany("insert into notes values (?)", [(note["text"],) for note in notes])

    def search(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in question.replace('"', " ").split())
        return [text for (text,) in db.execute("select text from notes(?) order by rank limit 5", (words,))]

    return search


def _search_vectors(encoder: Embedded, notes: list[Json]) -> Search:
    vectors = encoder.embed([note["text"] for note in notes])
    return lambda question: [notes[at]["text"] for at in (-(vectors @ encoder.embed([question])[0])).argsort()[:5]]


def _shares(search: Search, notes: list[Json], questions: list[Json]) -> Json:
    by_id = {note["id"]: note for note in notes}
    places: dict[str, list[int]] = defaultdict(list)  # where the note stands among the hits; 0: it does not
    for question in questions:
        (note,) = (by_id[one] for one in question["relevant"])
        found = search(question["question"])
        place = found.index(note["text"]) + 1 if note["text"] in found else 0
        places["all"].append(place)
        places[f"{question['language']}>{note['language']}"].append(place)
    return {
        direction: {
            name: sum(0 < one <= depth for one in found) / len(found) for name, (depth, _least) in DEPTHS.items()
        }
        for direction, found in places.items()
    }


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print the shares of each way of searching; those with the extra beside their bounds."""
    for name, directions in ours.items():
        for depth, (_hits, least) in DEPTHS.items():
            others = ", ".join(f"{one} {share[depth]:.2f}" for one, share in sorted(directions.items()) if one != "all")
            report.add(f"{name}: {depth} by direction", others)
            whole = round(directions["all"][depth], 3)
            report.at_least(f"{name}: {depth}", whole, least) if name == "with" else report.add(
                f"{name}: {depth}", whole
            )


if __name__ == "__main__":
    sys.exit(run_command(__doc__, measure, judge))
