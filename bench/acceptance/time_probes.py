"""Questions about times, each of a notebook of its own: which line must come first, or be among the hits, or must not.

`python -m bench.acceptance.time_probes [--data open|blind|both] [--failed]`. Each probe has lines of files, messages
that are captured at their times, a question with its clock, and what it expects: `first` is in the first hit, each of
`within` in one of the first ten, none of `absent` in the first. Probes of the blind list are counted, never printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, run_command, workspace
from bench.embedded import SETTINGS, Embedded
from commonplace import Memory
from commonplace.shapes import Json

DATA = Path(__file__).with_name("data")
OPEN, BLIND = "time_probes_open.json", "time_probes_blind.json"
LISTS = {"open": (OPEN,), "blind": (BLIND,), "both": (OPEN, BLIND)}
ACTORS = {"user": "owner", "assistant": "agent"}
FEWEST_RIGHT = 95.0  # per cent of the probes
QUICK_STEP = 5  # every which probe a sample has
K = 10


def measure(given: argparse.Namespace) -> Figures:
    """By the name of the list, whether each probe passes; of the open one also the texts of its hits."""
    figures: Figures = {}
    for name in LISTS[given.data]:
        probes = json.loads((DATA / name).read_text(encoding="utf-8"))[:: QUICK_STEP if given.quick else 1]
        outcomes = []
        for probe in probes:
            texts = ask(probe)
            outcome = {"language": probe["language"], "phenomenon": probe["phenomenon"], "right": passes(probe, texts)}
            outcomes.append(outcome if name == BLIND else outcome | {"id": probe["id"], "hits": texts})
        figures[name] = outcomes
    return figures


def ask(probe: Json, embedded: Embedded | None = None) -> list[str]:
    """The texts of the hits for the question of a probe, best first, in a notebook of its lines and messages."""
    with workspace(SETTINGS if embedded else "") as memory:
        write_notebook(memory, probe)
        if embedded:
            embedded.fill(memory)
        now = probe["now"].removesuffix("Z")[:16]
        return [hit.record.text for hit in memory.recall(probe["question"], k=K, now=now).hits]


def write_notebook(memory: Memory, probe: Json) -> None:
    """Write the lines of a probe into their files, and capture its messages at their times."""
    for line in probe.get("lines", ()):
        place = Path(memory.root, line["path"])
        place.parent.mkdir(parents=True, exist_ok=True)
        text = place.read_text(encoding="utf-8") if place.exists() else f"# {place.stem}\n\n"
        place.write_text(f"{text}- {line['text']}\n", encoding="utf-8")
    for one in probe.get("captures", ()):
        now = one["ts"].removesuffix("Z")[:16]
        speaker = "" if one["actor"] in ACTORS else one["actor"]
        memory.capture(
            one["text"],
            ts=now,
            now=now,
            actor=ACTORS.get(one["actor"], "owner"),
            session=one["session"],
            detail={"speaker": speaker} if speaker else None,
        )


def passes(probe: Json, texts: list[str]) -> bool:
    """Whether the hits are as a probe expects."""
    first = texts[0] if texts else ""
    found = all(any(words in text for text in texts) for words in probe.get("within", ()))
    return found and probe.get("first", "") in first and not any(words in first for words in probe.get("absent", ()))


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print the share of right answers by language, by phenomenon, and of all beside the bound."""
    for name, outcomes in ours.items():
        for key in ("language", "phenomenon"):
            groups = defaultdict(list)
            for one in outcomes:
                groups[one[key]].append(one["right"])
            shares = (f"{group} {sum(right)} of {len(right)}" for group, right in sorted(groups.items()))
            report.add(f"{name}: by {key}", ", ".join(shares))
        before = _share(base[name]) if base and name in base else None
        report.at_least(f"{name}: right, per cent of {len(outcomes)}", _share(outcomes), FEWEST_RIGHT, before)
        for one in outcomes if report.given.failed and name != BLIND else ():
            if not one["right"]:
                report.add(f"  {one['id']}", json.dumps(one["hits"], ensure_ascii=False, indent=1))


def _share(outcomes: list[Json]) -> float:
    return round(100 * sum(one["right"] for one in outcomes) / len(outcomes), 1)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", choices=tuple(LISTS), default="open", help="which list")
    parser.add_argument("--failed", action="store_true", help="the hits of the open probes that failed")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge, _add_options)


if __name__ == "__main__":
    sys.exit(main())
