"""The probes of the suites by words alone, and with the encoder of the extra: what passes without must pass with it.

`python -m bench.acceptance.probes_with_vectors [--suites words,times] [--quick]`. The suites are `words` (other forms
of one word, and identifiers in parts, each in a notebook of three lines), `morphology` and `scripts` (all lines in one
notebook), `times`, and `needles` in haystacks. Probes of a blind list are counted, never printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import at_size
from bench.acceptance import time_probes
from bench.acceptance.measuring import ROOT, Figures, Report, run_command, workspace
from bench.embedded import SETTINGS, Embedded
from commonplace import Memory
from commonplace.storage.settings import EXTRA_PROVIDER

PROBES = ROOT / "tests/data/probes"
ASIDE = ("The gardener comes on Tuesday.", "Snow is expected.")  # the lines beside that of a word
NOW = "2025-11-30T09:00"
RANK = 5
RECORDS = (1_000, 10_000)  # of a haystack
QUICK_STEP = 10  # every which probe a sample has

Outcomes = dict[str, bool]  # of each probe, by what it asks, whether it passes


def measure(given: argparse.Namespace) -> Figures:
    """By suite the outcomes of its probes `without` the encoder and `with` it."""
    encoder = Embedded(EXTRA_PROVIDER)
    step = QUICK_STEP if given.quick else 1
    return {
        name: {label: dict(SUITES[name](embedded, step)) for label, embedded in (("without", None), ("with", encoder))}
        for name in given.suites.split(",")
    }


def _words(embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    for row in _rows("words")[::step]:
        with workspace(SETTINGS if embedded else "") as memory:
            _write_log(memory, [ASIDE[0], row["line"], ASIDE[1]], embedded)
            hits = memory.recall(row["query"], now=NOW).hits
            yield f"{row['query']} -> {row['line']}", bool(hits) and hits[0].record.text == row["line"]


def _morphology(embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    return _among_all("morphology", embedded, step)


def _scripts(embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    return _among_all("scripts", embedded, step)


def _among_all(name: str, embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    rows = _rows(name)
    with workspace(SETTINGS if embedded else "") as memory:
        _write_log(memory, [row["line"] for row in rows], embedded)
        for row in [row for row in rows if "query" in row][::step]:
            hits = memory.recall(row["query"], k=RANK, now=NOW, sync=False).hits
            yield f"{row['query']} -> {row['line']}", row["line"] in [hit.record.text for hit in hits]


def _times(embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    for name in (time_probes.OPEN, time_probes.BLIND):
        probes = json.loads((time_probes.DATA / name).read_text(encoding="utf-8"))[::step]
        for number, probe in enumerate(probes):
            label = probe["id"] if name == time_probes.OPEN else f"blind {number}"
            yield label, time_probes.passes(probe, time_probes.ask(probe, embedded))


def _needles(embedded: Embedded | None, step: int) -> Iterator[tuple[str, bool]]:
    for records in RECORDS[: 1 if step > 1 else None]:
        with workspace(SETTINGS if embedded else "") as memory:
            needles = at_size.write(Path(memory.root), records, seed=7)
            memory.sync()
            if embedded:
                embedded.fill(memory)
            for needle in needles[::step]:
                for asked in (needle.keywords, needle.question):
                    scoped = needle.scope == at_size.UNTOUCHED
                    yield f"{records}: {asked}", at_size.is_found(memory, needle, asked, scoped=scoped)


SUITES = {"words": _words, "morphology": _morphology, "scripts": _scripts, "times": _times, "needles": _needles}


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(row) for row in (PROBES / f"{name}.jsonl").read_text(encoding="utf-8").split("\n") if row]


def _write_log(memory: Memory, lines: list[str], embedded: Embedded | None) -> None:
    log = Path(memory.root, "memory/2025-11-20.md")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("## Log\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")
    memory.sync()
    if embedded:
        embedded.fill(memory)


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print for each suite how many pass without and with the encoder, and each probe that only passes without."""
    for name, outcomes in ours.items():
        without, with_vectors = outcomes["without"], outcomes["with"]
        lost = [probe for probe, passes in without.items() if passes and not with_vectors[probe]]
        passed = f"{sum(without.values())} -> {sum(with_vectors.values())} of {len(without)}"
        report.add(f"{name}: probes that pass without -> with", passed)
        for probe in lost:
            report.add(f"  {name}: lost", probe)
        report.at_most(f"{name}: probes that pass without and fail with", len(lost), 0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is measured."""
    parser.add_argument("--suites", default=",".join(SUITES), help="names, with commas")


if __name__ == "__main__":
    sys.exit(run_command(__doc__, measure, judge, add_options))
