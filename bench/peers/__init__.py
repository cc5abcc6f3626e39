"""Memories of others that pip or npm installs, asked the same questions about the same conversations in the same run.

`make peers`, or `python -m bench peers`, installs each package, in the version that `catalog` names, into an
environment of its own in a folder that is kept (`--cache=FOLDER`), and gives every conversation to a process of its
own, one after another. `--peers=WORD,WORD` takes those whose names have one of the words, `--conversations=N` the first
N, `--questions=N` draws so many with a fixed seed, and `--set=NAME` takes other conversations than LoCoMo. The page in
docs/ is written when no peer was left out, and says how many questions were asked.

**What they get.** Every peer gets the same words of the same turns: `speaker: words`, what a picture shows included.
One that keeps files gets Markdown with a heading that has the day; one that keeps single memories gets one for each
turn. How it is filled and asked is what its own documentation says, and stands in its driver in `drivers/`.

**What comes back** is mapped to turns, so that one measure fits all. A hit that is a memory, an observation or a line
is one turn, told by the id that it was given with, by its place, or by its text; a passage is the turns of which it
has the whole text; a file is its session. What cannot be mapped is an error, not a miss. 50 hits are asked for.

**What is measured.** `r@10` is the share of the labelled turns that the first ten hits show. It favours long hits, so
`in 1,000 tokens` says what share is shown by the hits that fit there. Times are of warm searches in one process that
lives through a conversation, CPU with all processes that the peer starts and with the model's.
A peer that cannot be installed or asked stands in the table with the reason.

With a model: the peers that have or need vectors, and ours again, take them from the same MiniLM, which comes as a
package. The others ask a server on this machine that speaks OpenAI's form (`model`); ours runs it from its folder.
Our extra `semantic` has an encoder of its own, so its row stands beside ours without it, where nobody gets a model.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.page import PAGE, put
from bench.peers.catalog import MINILM, PEERS, Peer
from bench.peers.driven import NotAnsweredError, ask, turns
from bench.peers.figures import Figures, figures
from bench.peers.install import NotInstalledError, installed
from bench.peers.model import serving
from bench.peers.table import made_with, tables
from bench.quality import SHARED, _harness, option

CACHE = Path(tempfile.gettempdir()) / f"commonplace-peers-{os.getuid()}"
SET = "locomo"
SEED = 7

Spaces = dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]  # turns and questions of a conversation
Model = dict[str, Any] | str | None  # what drivers are told of it; a sentence where it cannot be had


def run() -> None:
    """Print the tables, and write them to the page if all were asked; says so when the sets are not there."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: no peer was asked")
        return
    data = _harness().Data(option("set") or SET, str(SHARED / "bench"))
    spaces = drawn(data, int(option("questions") or len(data.queries)), int(option("conversations") or len(data.docs)))
    peers = named(option("peers"))
    cache = Path(option("cache") or CACHE)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = {}
    with ExitStack() as stack:
        model = served(stack, cache) if any(peer.model for peer in peers) else None
        for peer in peers:
            found[peer] = measured(peer, cache, spaces, model)
            print(f"{peer.label}: {found[peer]}", file=sys.stderr, flush=True)
    asked = sum(len(queries) for _, queries in spaces.values())
    lines = [*tables(found), "", made_with((asked, len(data.queries)), (len(spaces), len(data.docs)))]
    print("\n".join(lines))
    if peers == PEERS and data.name == SET:
        put(PAGE, "peers", "\n".join(lines))


def named(words: str) -> tuple[Peer, ...]:
    """The peers of whose labels one of the words (with commas between) is a part; all without a word."""
    wanted = [word.casefold() for word in words.split(",") if word]
    return tuple(peer for peer in PEERS if not wanted or any(word in peer.label.casefold() for word in wanted))


def drawn(data: Any, questions: int, conversations: int) -> Spaces:
    """The first so many conversations, and so many questions about them, drawn evenly with a fixed seed."""
    spaces = list(data.docs)[:conversations]
    about = [query for query in data.queries if query["ns"] in spaces]
    taken = about if questions >= len(about) else random.Random(SEED).sample(about, questions)
    asked = {space: [query for query in taken if query["ns"] == space] for space in spaces}
    return {space: (data.docs[space], queries) for space, queries in asked.items() if queries}


def served(stack: ExitStack, cache: Path) -> Model:
    """The local model, until the stack is closed, or why there is none."""
    try:
        return stack.enter_context(serving(installed(MINILM, cache)))
    except NotInstalledError as error:
        return str(error)


def measured(peer: Peer, cache: Path, spaces: Spaces, model: Model = None) -> Figures | str:
    """The figures of a peer, or why there are none."""
    if peer.model and isinstance(model, str):
        return model
    try:
        place = installed(peer.package, cache)
        answers = ask(peer, place, spaces, model)
    except (NotInstalledError, NotAnsweredError) as error:
        return str(error)
    queries = [query for _, queries in spaces.values() for query in queries]
    return figures(answers, queries, [turn for docs, _ in spaces.values() for turn in turns(docs)], place.megabytes)
