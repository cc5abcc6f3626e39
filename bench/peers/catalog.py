"""The peers: what is installed of each, how it is asked, and which others cannot be asked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).parents[2]
Registry = Literal["PyPI", "npm", "here"]


@dataclass(frozen=True)
class Package:
    """What one package manager installs into a folder of its own."""

    name: str  # of the folder
    pinned: tuple[str, ...] = ()
    registry: Registry = "PyPI"
    python: tuple[int, int] = (3, 11)  # the least that it needs

    @property
    def version(self) -> str:
        """The version of the first package; empty where there is none."""
        if self.registry == "here":
            return version(self.name) if self.pinned else ""
        return self.pinned[0].rpartition("=" if self.registry == "PyPI" else "@")[2]


@dataclass(frozen=True)
class Peer:
    """One row of a table: a package, the driver that asks it, and what a hit of it is."""

    name: str
    package: Package
    driver: str  # a file in drivers/
    unit: str  # what one hit shows
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    model: bool = False  # whether it asks the local model

    @property
    def label(self) -> str:
        """The name with the version, as the table has it."""
        head, _, rest = self.name.partition(", ")
        return f"{head} {self.package.version}".rstrip() + (f", {rest}" if rest else "")


OURS = Package("commonplace", (str(ROOT),), "here")
NOTHING = Package("python", (), "here")
BASIC_MEMORY = Package("basic-memory", ("basic-memory==0.23.2",), python=(3, 12))
BM25S = Package("bm25s", ("bm25s==0.3.16", "PyStemmer==3.1.0"))

PEERS = (
    Peer("Commonplace", OURS, "ask_commonplace.py", "turn"),
    Peer("SQLite FTS5, porter, OR", NOTHING, "ask_fts5.py", "turn"),
    Peer("bm25s, Snowball", BM25S, "ask_bm25s.py", "turn"),
    Peer("basic-memory, observations", BASIC_MEMORY, "ask_basic_memory.py", "turn", {"kind": "observation"}),
    Peer("basic-memory, notes", BASIC_MEMORY, "ask_basic_memory.py", "session", {"kind": "entity"}),
)

NOT_ASKED = {
    "letta 0.34.12": "an agent in a terminal, which searches its memory by a language model",
    "graphiti-core 0.31.2": "its graph is made by a language model and kept in Neo4j or FalkorDB",
    "hindsight-api 1.1.0": "a server whose memories are made by a language model",
    "cognee 1.6.5": "its graph is made by a language model, or by models that it downloads",
}
