"""Hostile texts through the encoder of the extra `semantic`, and through capture, embedding and recall with it.

`python -m bench.acceptance.hostile_texts [--sample N]`. Every text of the shared corpora (or every n-th), texts of a
megabyte, lone surrogates, NUL and characters of all planes by lot. Each must get a finite vector of unit length, be
captured or refused with a message, and be a question that is answered with vectors; every fifth also stands in a file.
Printed is by how much the peak of memory grows once the encoder has embedded an ordinary batch.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.acceptance.measuring import Report
from bench.acceptance.vectors_at_size import in_process
from bench.behaviour_parts.notebooks import SHARED
from bench.peers.drivers.job import most_held
from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.models.sentence_encoder import SentenceEncoder

BATCH, LONG = 64, 1_000_000
MAX_GROWTH_MB = 120  # to embed, and as much again to capture, index and ask
NOW = "2031-01-01T00:00"
SETTINGS = '[vectors]\nmode = "hybrid"\nprovider = "use"\n'
FIELDS = ("text", "markdown", "yaml", "regex")
PLANES = (
    *(range(0x20), range(0x80, 0x250), range(0x300, 0x370), range(0x590, 0x700), range(0xAC00, 0xD7A4)),
    *(range(0xD800, 0xE000), range(0xFB50, 0xFE00), range(0xFFF0, 0x10000), range(0x1F000, 0x1FB00)),
    *(range(0xE0000, 0xE0080), range(0x10FFF0, 0x110000)),
)


def corpus_texts() -> Iterator[str]:
    """The texts of all shared corpora."""
    for path in sorted(SHARED.glob("corpora/*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield from (row[name] for name in FIELDS if isinstance(row.get(name), str))
                if "b64" in row:
                    yield base64.b64decode(row["b64"]).decode("utf-8", "surrogateescape")


def made_texts(sample: int) -> list[str]:
    """Texts of a megabyte, of nothing, with NUL and lone surrogates, and characters of hostile planes by lot."""
    lot = random.Random(25)
    mixed = ["".join(chr(lot.choice(lot.choice(PLANES))) for _ in range(80)) for _ in range(300)][::sample]
    of_planes = ["".join(map(chr, plane)) for plane in PLANES]
    units = (
        "\ufdfa",
        "word ",
        "\U0010fff0",
        "e\u0301",
        "\u0301",
        "\0",
        "\ud800",
        "a",
        " ",
        "\u202e",
        "\U0001f469\u200d",
    )
    return ["", "\0", "a\0b", "\ud800", "\udfff x", *mixed, *of_planes, *(unit * (LONG // len(unit)) for unit in units)]


def embed_all(encoder: SentenceEncoder, texts: Sequence[str]) -> int:
    """Embed all texts in batches; how many have no finite vector of unit length."""
    import numpy as np

    bad = 0
    for start in range(0, len(texts), BATCH):
        lengths = np.linalg.norm(encoder.embed(texts[start : start + BATCH]), axis=1)
        bad += int((~(np.abs(lengths - 1) < 1e-3)).sum())
    return bad


def store_and_ask(root: Path, encoder: Any, texts: Sequence[str]) -> dict[str, int]:
    """Capture the texts, write them into files, embed all, ask each; how many were stored, refused, and answered."""
    (root / "commonplace.toml").write_text(SETTINGS, encoding="utf-8")
    counts: Counter[str] = Counter()
    with Memory.open(root) as memory:
        memory.workspace.open_embedder = lambda _seconds: encoder
        for number, text in enumerate(texts):
            if number % 5 == 0:
                (root / f"note-{number}.md").write_bytes(
                    f"# Of {number}\n\n- {text}\n".encode("utf-8", "surrogatepass")
                )
            try:
                memory.capture(text, session=f"s{number // 50}", now=NOW)
                counts["stored"] += 1
            except CommonplaceError as error:
                counts["refused"] += bool(error.message)
        counts["embedded"] = memory.embed().added
        for text in texts:
            try:
                hits = memory.recall(text, now=NOW, sync=False)
            except CommonplaceError as error:
                counts["questions refused"] += bool(error.message)
                continue
            counts["answered"] += 1
            counts["without vectors"] += any("vector" in note for note in hits.notes)
    return counts


def run(sample: int) -> dict[str, Any]:
    """All figures, in the process that this is."""
    os.fsync = lambda _descriptor: None
    texts = [*list(corpus_texts())[::sample], *made_texts(sample)]
    encoder = SentenceEncoder()
    encoder.embed(["word " * 400] * BATCH)
    before = most_held(os.getpid())
    bad = embed_all(encoder, texts)
    embedded = most_held(os.getpid())
    with tempfile.TemporaryDirectory(prefix="commonplace-hostile-") as folder:
        counts = store_and_ask(Path(folder), encoder, texts)
    peak = most_held(os.getpid())
    return {
        "texts": len(texts),
        "bad": bad,
        "before": before,
        "growth": embedded - before,
        "whole": peak - before,
        **counts,
    }


def judge(figures: dict[str, Any], report: Report) -> None:
    """Print the figures beside their bounds."""
    texts = figures["texts"]
    report.at_most(f"of {texts} texts without a vector of unit length", figures["bad"], 0)
    report.at_most(f"MB more than {figures['before']:.0f} to embed them", round(figures["growth"]), MAX_GROWTH_MB)
    report.add("captured", f"{figures['stored']}, refused with a message {figures.get('refused', 0)}")
    report.at_most("neither", texts - figures["stored"] - figures.get("refused", 0), 0)
    report.add("texts and contexts embedded", figures["embedded"])
    answered, refused = figures["answered"], figures.get("questions refused", 0)
    report.add("questions answered", f"{answered}, refused with a message {refused}")
    report.at_most("neither", texts - answered - refused, 0)
    report.at_most("answered without vectors", figures["without vectors"], 0)
    report.at_most("MB more in all, with capture and recall", round(figures["whole"]), 2 * MAX_GROWTH_MB)


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=1, help="every n-th text of the corpora")
    report = Report()
    judge(in_process(run, parser.parse_args().sample), report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
