"""Whether each sentence of each kept line, white space folded, stands in one of the captures that the line is from.

`python -m bench.acceptance.verbatim`: all lines of LoCoMo and of the pool of LongMemEval (dev).
"""

from __future__ import annotations

import argparse
import sys

from bench.acceptance.measuring import Figures, Report, run_command
from bench.adapter import Captured, said
from bench.behaviour_parts.notebooks import rows
from commonplace.language.text import sanitize_line, split_sentences

SETS = ("locomo", "lme_pool")


def measure(given: argparse.Namespace) -> Figures:
    """Of each set the number of lines, and those of which a sentence stands in none of their captures."""
    figures: Figures = {}
    for name in SETS:
        docs, lines, other = rows(name, "corpus.jsonl.gz"), 0, []
        for space in sorted({doc["ns"] for doc in docs})[: 1 if given.quick else None]:
            mine = {doc["id"]: doc for doc in docs if doc["ns"] == space}
            store = Captured([*mine.values()], consolidated=True, evidence="auto")
            assert store.run is not None
            for claim in (claim for plan in store.run.plans for claim in plan.lines):
                texts = [sanitize_line(said(mine[turn])) for turn in store.units_named(claim.sources)]
                sentences = [sentence.strip() for sentence in split_sentences(claim.text)]
                lines += 1
                if not all(any(sentence in text for text in texts) for sentence in sentences):
                    other.append(claim.text)
            store.close()
        figures[name] = {"lines": lines, "other": other}
    return figures


def judge(ours: Figures, _base: Figures | None, report: Report) -> None:
    """No line may have other words."""
    for name, figure in ours.items():
        lines, other = figure["lines"], figure["other"]
        report.at_most(f"{name}: of {lines} lines, with other words than their captures", len(other), 0)
        for line in other:
            report.add("  ", line)


def main() -> int:
    """Measure and judge; 1 when a line has other words."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
