"""Kept lines of two trees for a reader who does not know of which tree each is: good, junk, wrong or torn.

`python -m bench.acceptance.read_lines --base DIR --sheet FILE` writes as many lines of each tree, in an order by their
digests, with what was said around them; FILE.key says of which tree each is. `--verdicts FILE ...` prints the shares of
the verdicts of readers, {"line", "verdict"}. The lines are of LoCoMo, of the haystacks of LongMemEval, and of sealed
messages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, run_command, workspace
from bench.adapter import event
from bench.behaviour_parts.notebooks import rows
from commonplace.shapes import Json

SEALED = Path(__file__).parent / "data" / "keep_blind" / "messages.jsonl"
SETS = ("locomo", "lme_s_mini", "sealed")
LINES_OF_A_SET = 100
MAX_WRONG, MAX_JUNK, MAX_TORN = 0.01, 0.14, 0.08
VERDICTS = ("good", "junk", "wrong", "torn")


def measure(given: argparse.Namespace) -> Figures:
    """The lines of each set, chosen by lot, with their captures and what was said before these."""
    return {} if given.verdicts else {name: _lines_of(name) for name in SETS}


def _lines_of(name: str) -> list[Json]:
    docs = _sealed_docs() if name == "sealed" else rows(name, "corpus.jsonl.gz")
    lines: list[Json] = []
    for space in sorted({doc["ns"] for doc in docs}):
        mine = [doc for doc in docs if doc["ns"] == space]
        before = {later["id"]: earlier for earlier, later in pairwise(mine)}
        with workspace() as memory:
            last = max(doc["timestamp"] for doc in mine)[:16]
            taken = memory.capture_all([event(doc) for doc in mine], now=last)
            unit = {one.id: doc for one, doc in zip(taken, mine, strict=True)}
            run = memory.consolidate(apply=True, now=last)
        for claim in (claim for plan in run.plans for claim in plan.lines):
            said = [unit[source] for source in claim.sources if source in unit]
            around = [*(before[doc["id"]] for doc in said[:1] if doc["id"] in before), *said]
            lines.append({"set": name, "text": claim.text, "said": [_shown(doc) for doc in around]})
    return sorted(lines, key=lambda line: _lot(line["text"]))[:LINES_OF_A_SET]


def _sealed_docs() -> list[Json]:
    messages = map(json.loads, SEALED.read_text(encoding="utf-8").splitlines())
    return [
        {**one, "ns": "sealed", "speaker": "assistant" if one["actor"] == "agent" else one["speaker"]}
        for one in messages
    ]


def _shown(doc: Json) -> str:
    return f"{doc['timestamp'][:16]} {doc.get('speaker') or 'owner'}: {doc['text'][:1500]}"


def _lot(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Write the sheet; or the shares of the verdicts beside their bounds."""
    given = report.given
    if not given.verdicts:
        both = [("ours", line) for lines in ours.values() for line in lines]
        both += [("base", line) for lines in (base or {}).values() for line in lines]
        both.sort(key=lambda pair: _lot(pair[0] + pair[1]["text"]))
        sheet = "".join(json.dumps({"line": at, **line}) + "\n" for at, (_tree, line) in enumerate(both))
        given.sheet.write_text(sheet, encoding="utf-8")
        key = [[tree, line["set"]] for tree, line in both]
        Path(f"{given.sheet}.key").write_text(json.dumps(key), encoding="utf-8")
        report.add("lines to read", len(both))
        return
    key = json.loads(Path(f"{given.sheet}.key").read_text(encoding="utf-8"))
    for path in given.verdicts:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            tree, name = key[row["line"]]
            counts[tree, name][row["verdict"]] += 1
            counts[tree, "all"][row["verdict"]] += 1
        report.add("reader", path.name)
        for name in (*SETS, "all"):
            shares, before = (_shares(counts[tree, name]) for tree in ("ours", "base"))
            bounds = {"good": before["good"], "junk": MAX_JUNK, "wrong": MAX_WRONG, "torn": MAX_TORN}
            for verdict in VERDICTS:
                figure = shares[verdict]
                if verdict == "good":
                    report.at_least(f"{name}: good", figure, bounds[verdict], before[verdict])
                elif name == "all":
                    report.at_most(f"{name}: {verdict}", figure, bounds[verdict], before[verdict])
                else:
                    report.add(f"{name}: {verdict}", f"{figure} (base {before[verdict]})")


def _shares(counts: Counter[str]) -> dict[str, float]:
    return {one: round(counts[one] / max(counts.total(), 1), 3) for one in VERDICTS}


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""

    def extend(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--sheet", type=Path, required=True, help="where the lines to be read stand")
        parser.add_argument("--verdicts", type=Path, nargs="*", default=[], help="what readers said of them")

    return run_command(__doc__, measure, judge, extend)


if __name__ == "__main__":
    sys.exit(main())
