"""r@10 with the encoder of the extra `semantic`, beside the same tree without.

`python -m bench.acceptance.semantic [--part proof] [--sets locomo,madial_zh] [--ways logs,captured] [--quick]`. LoCoMo,
the pool of LongMemEval, MADial in English and Chinese, as daily logs and as captures; of the questions to work with, to
check with (`proof`), or `all`. The bound is judged of the daily logs, if all four sets were measured in full.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial

from bench.acceptance.measuring import WAYS, Figures, Report, run_command
from bench.acceptance.recall_quality import MEASURES, measure_set
from bench.embedded import Embedded
from commonplace.storage.settings import EXTRA_PROVIDER

SETS = ("locomo", "lme_pool", "madial_en", "madial_zh")
LEAST_MEAN_GAIN = 3.5  # points of r@10


def measure(given: argparse.Namespace) -> Figures:
    """By set and way the means without and with the encoder."""
    encoder = Embedded(EXTRA_PROVIDER)
    figures: Figures = {}
    for name in given.sets.split(","):
        for way in given.ways.split(","):
            for label, embedded in (("without", None), ("with", encoder)):
                part = "" if given.part == "all" else given.part
                found = measure_set(name, partial(WAYS[way], embedded=embedded), given.quick, part=part)
                figures[f"{name} {way} {label}"] = found["all"]
    return figures


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print each pair, and the mean gain of each way beside its bound."""
    for way in report.given.ways.split(","):
        gains = []
        for name in report.given.sets.split(","):
            before, after = ours[f"{name} {way} without"], ours[f"{name} {way} with"]
            gains.append(after["r@10"] - before["r@10"])
            label = f"{name} {way} {report.given.part} (n={after['n']})"
            for one in MEASURES:
                report.add(f"{label}: {one}", f"{before[one]} -> {after[one]}")
        is_whole = way == "logs" and report.given.sets == ",".join(SETS) and not report.given.quick
        if is_whole:
            report.at_least("the least gain of r@10", round(min(gains), 2), 0.01)
            report.at_least("the mean gain of r@10", round(statistics.mean(gains), 2), LEAST_MEAN_GAIN)
        else:
            report.add(f"{way}: the mean gain of r@10", round(statistics.mean(gains), 2))


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is measured."""
    parser.add_argument("--part", default="work", choices=("work", "proof", "all"), help="which questions")
    parser.add_argument("--sets", default=",".join(SETS), help="names, with commas")
    parser.add_argument("--ways", default="logs", help="`logs`, `captured` or both, with commas")


if __name__ == "__main__":
    sys.exit(run_command(__doc__, measure, judge, add_options))
