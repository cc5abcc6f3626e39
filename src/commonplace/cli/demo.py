"""`demo`: build a sample notebook, ask it five kinds of question, pack, explain, lose the index and get it back."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from commonplace.cli.render import Ink, hit_lines, print_json, print_lines, say
from commonplace.errors import CommonplaceError
from commonplace.memory import Memory

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.model import Hits

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "sample")
NOW = "2025-11-30T09:00"
QUESTIONS = (
    ("a fact", "Who is allergic to walnut, and where is the emergency pen?"),
    ("an entity", "Tell me about Haruki Onodera"),
    ("a time", "When does Runa travel to Trieste?"),
    ("an opinion", "Which drone strings does Runa prefer now?"),
    ("a decision", "What did we decide about the price of Tapline 2.0?"),
)
TO_PACK = "What humidity must room 3 have once the heating is on?"
SHOWN = 2
MARKER = ".commonplace-demo"


def demo_arguments(parser: ArgumentParser) -> None:
    """Arguments of `demo`."""
    parser.add_argument("folder", nargs="?", default="demo-workspace", help="where to build it (demo-workspace)")


def demo_run(options: Namespace) -> int:
    """Walk through the whole trip on the bundled sample."""
    _copy_sample(options.folder)
    with Memory.open(options.folder) as memory:
        before = [memory.recall(question, now=NOW) for _kind, question in QUESTIONS]
        packed = memory.pack(TO_PACK, budget_tokens=300, now=NOW)
        if not options.json:
            _show(memory, before)
            print_lines(["", f"## A pack of 300 tokens: {TO_PACK}", "", *packed.text.split("\n")])
            print_lines(["", "## Why these lines", "", *memory.why(packed.receipt_id).split("\n")])
        _lose_index(memory)
        after = [memory.recall(question, now=NOW) for _kind, question in QUESTIONS]
        same = [_answers(hits) for hits in before] == [_answers(hits) for hits in after]
        records = memory.status()["records"]
    if options.json:
        print_json({"schema": "commonplace.demo.v1", "workspace": options.folder, "records": records, "same": same})
    else:
        print_lines(["", "## The index was deleted and rebuilt from the files", ""])
        print_lines([f"{records} records; the answers are {'identical' if same else 'DIFFERENT'}"])
        say(f"the notebook stays in {options.folder}: commonplace recall --workspace {options.folder} 'your question'")
    return 0 if same else 1


def _copy_sample(folder: str) -> None:
    """A copy of the sample; an earlier copy is used as it is, any other folder that holds something is refused."""
    marker = os.path.join(folder, MARKER)
    if os.path.exists(marker):
        return
    if os.path.isdir(folder) and os.listdir(folder):
        message = f"{folder!r} is not empty and not a demo"
        raise CommonplaceError(message, path=folder, hint="name another folder")
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    with open(marker, "x", encoding="utf-8") as file:
        file.write("This folder was made by `commonplace demo`; play with it, and delete it at will.\n")


def _lose_index(memory: Memory) -> None:
    """Delete the index file, as anyone may at any time; the next question builds it anew."""
    path = str(memory.status()["index"])
    memory.close()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)


def _show(memory: Memory, answers: list[Hits]) -> None:
    ink = Ink(memory.around)
    for (kind, question), hits in zip(QUESTIONS, answers, strict=True):
        print_lines(["", ink.bold(f"## {kind[0].upper()}{kind[1:]}: {question}"), ""])
        for number, hit in enumerate(hits.hits[:SHOWN], 1):
            print_lines(hit_lines(number, hit, ink))


def _answers(hits: Hits) -> list[tuple[str, str, float]]:
    return [(hit.record.id, hit.record.source.citation, hit.score) for hit in hits.hits]
