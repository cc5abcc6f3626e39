"""`demo`: build a sample notebook, ask it five kinds of question, pack, explain, lose the index and get it back."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator

from commonplace.cli.options import argument_table
from commonplace.cli.render import TerminalStyle, hit_lines
from commonplace.cli.streams import print_result
from commonplace.errors import CommonplaceError
from commonplace.memory import Memory
from commonplace.model import Hits
from commonplace.storage import files

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "sample")
NOW = "2025-11-30T09:00"
QUESTIONS = (
    ("a fact", "Who is allergic to walnut, and where is the emergency pen?"),
    ("an entity", "Tell me about Haruki Onodera"),
    ("a time", "When does Runa travel to Trieste?"),
    ("an opinion", "Which drone strings does Runa prefer now?"),
    ("a decision", "To which date was the delivery of gurdy 17 moved?"),
)
TO_PACK = "What humidity must room 3 have once the heating is on?"
BUDGET = 300
HITS_PRINTED = 2
MARKER = ".commonplace-demo"
MARKER_TEXT = b"This folder was made by `commonplace demo`; play with it, and delete it at will.\n"


demo_arguments = argument_table("[folder=demo-workspace]  The folder; default: `demo-workspace`.")


def demo_run(options: Namespace) -> int:
    """Walk through the whole trip on the bundled sample."""
    folder = options.folder
    _copy_sample(folder)
    with Memory.open(folder) as memory:
        answers = _ask_questions(memory)
        packed = memory.pack(TO_PACK, budget_tokens=BUDGET, now=NOW)
        why, dump = memory.why(packed.receipt_id), memory.dump()
        _delete_index(memory)
        identical = _ask_questions(memory) == answers and memory.dump() == dump
        document = {
            "schema": "commonplace.demo.v1",
            "workspace": memory.root,
            "records": memory.status()["records"],
            "identical": identical,
            "answers": [
                {"kind": kind, "question": question, "citations": [hit.record.source.citation for hit in hits.hits]}
                for (kind, question), hits in zip(QUESTIONS, answers, strict=True)
            ],
            "pack_tokens": packed.tokens,
            "receipt": packed.receipt_id,
        }
        style = TerminalStyle(memory.environment)
    again = f"{document['records']} records; the answers are {'identical' if identical else 'DIFFERENT'}"
    lines = (
        *_answer_lines(answers, style),
        *(style.bold(f"## A pack of {BUDGET} tokens: {TO_PACK}"), "", *packed.text.split("\n"), ""),
        *(style.bold("## Why these lines"), "", *why.split("\n"), ""),
        *(style.bold("## The index was deleted and rebuilt from the files"), "", again),
    )
    message = f"the workspace is in {folder}: commonplace recall --workspace {folder} 'your question'"
    print_result(options, document, lines, [message])
    return 0 if identical else 1


def _copy_sample(folder: str) -> None:
    """A copy of the sample; an earlier copy is used as it is, any other folder that holds something is refused."""
    if os.path.exists(os.path.join(folder, MARKER)):
        return
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not files.list_folder_names(folder)):
        message = f"{folder!r} is neither an empty folder nor an earlier demo"
        raise CommonplaceError(message, path=folder, hint="name another folder: `commonplace demo FOLDER`")
    os.makedirs(folder, 0o700, exist_ok=True)
    for path in files.walk_paths(SAMPLE):
        if not path.endswith("/"):
            files.write_atomic(folder, path, files.read_file(SAMPLE, path), durable=False)
    files.create_file(folder, MARKER, MARKER_TEXT)  # last: half a copy is not taken for a demo


def _ask_questions(memory: Memory) -> tuple[Hits, ...]:
    return tuple(memory.recall(question, now=NOW) for _kind, question in QUESTIONS)


def _delete_index(memory: Memory) -> None:
    """Delete the index file, as a user may at any time; the next question rebuilds it."""
    path = str(memory.status()["index"])
    memory.close()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)


def _answer_lines(answers: tuple[Hits, ...], style: TerminalStyle) -> Iterator[str]:
    for (kind, question), hits in zip(QUESTIONS, answers, strict=True):
        yield from (style.bold(f"## {kind[0].upper()}{kind[1:]}: {question}"), "")
        for number, hit in enumerate(hits.hits[:HITS_PRINTED], 1):
            yield from hit_lines(number, hit, style)
        yield ""
