"""What each part of recall is worth: the quality of recall with the part switched off, beside that of the whole.

Each conversation is written out as daily logs; parts are switched off by the setting `recall.without`.
"""

from __future__ import annotations

import platform
import statistics
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from bench.adapter import Logs
from bench.page import PAGE, put
from bench.quality import SHARED, _harness
from commonplace.model import RECALL_SWITCHES, Hits

SETS = {"locomo": "LoCoMo", "lme_pool": "LongMemEval pool", "madial_en": "MADial"}
K = 50  # hits that are asked for, as the other figures have it; ten of them count
MEASURED = tuple(name for name in RECALL_SWITCHES if name != "vector")  # no model is asked
ALWAYS = (
    "about",
    "agent",
    "question",
    "emphasis",
    "light",
    "members",
    "order",
    "spellings",
)  # these may change an answer without being a reason of any hit
PART = "ablation"
LIBRARIES = ("apsw", "PyStemmer")
WHOLE = ""  # the name under which nothing is switched off


class Quality(NamedTuple):
    """Means over the questions of a set, in percent."""

    recall: float  # r@10: the share of the labelled evidence among the first ten
    ndcg: float  # nDCG@10, binary


def run(names: tuple[str, ...] = tuple(SETS)) -> None:
    """Print the table, and write it to the page if all sets were measured; says so when the sets are not there."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: nothing was switched off")
        return
    harness = _harness()
    found: dict[str, dict[str, Quality]] = {}
    for name in names:
        found[name] = ablate(harness.Data(name, str(SHARED / "bench")), harness.score)
        print(f"{SETS[name]}: measured", file=sys.stderr, flush=True)
    table = "\n".join(rows(found))
    print(table)
    if names == tuple(SETS):
        write(PAGE, table)


def ablate(data: Any, score: Any, switches: tuple[str, ...] = MEASURED) -> dict[str, Quality]:
    """The quality of the whole (under an empty name) and without each part; `score` judges a ranking of ids.

    A part that is a reason of no hit and of no candidate is taken to change nothing, and the question is not asked
    again.
    """
    judged: dict[str, list[Quality]] = defaultdict(list)
    for space, docs in data.docs.items():
        queries = [query for query in data.queries if query["ns"] == space]
        logs = Logs(docs)
        answers = [logs.hits(query["question"], K, query.get("date")) for query in queries]
        whole = [_judged(score, logs.ids(hits), query) for hits, query in zip(answers, queries, strict=True)]
        judged[WHOLE] += whole
        for name in switches:
            logs.switch_off(name)
            for query, hits, before in zip(queries, answers, whole, strict=True):
                if name not in ALWAYS and name not in _parts(hits):
                    judged[name].append(before)
                    continue
                ids = logs.search(query["question"], K, query.get("date"))
                judged[name].append(_judged(score, ids, query))
        logs.close()
    return {name: Quality(*(100 * statistics.fmean(values) for values in zip(*all_of, strict=True)))
            for name, all_of in judged.items()}  # fmt: skip


def rows(found: dict[str, dict[str, Quality]]) -> list[str]:
    """The lines of the table: the whole, then what is gained (+) or lost (−) without each part."""
    heads = [f"{SETS[name]} {figure}" for name in found for figure in ("r@10", "nDCG@10")]
    lines = [f"| without | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    whole = [value for one in found.values() for value in one[WHOLE]]
    lines.append(f"| *nothing* | {' | '.join(f'{value:.2f}' for value in whole)} |")
    for name in next(iter(found.values())):
        if name != WHOLE:
            values = [value for one in found.values() for value in one[name]]
            changes = [_signed(value - all_of) for value, all_of in zip(values, whole, strict=True)]
            lines.append(f"| `{name}` | {' | '.join(changes)} |")
    return lines


def write(page: Path, table: str) -> None:
    """Put the table between its marks on the page, with what it was made with."""
    made = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    line = (
        f"Made by `make bench ARGS=ablation` with Python {platform.python_version()}, {made}; nothing is drawn by lot."
    )
    put(page, PART, f"{table}\n\n{line}")


def _judged(score: Any, ids: list[str], query: dict[str, Any]) -> Quality:
    figures = score(ids, query["relevant"])
    return Quality(figures["r@10"], figures["ndcg@10"])


def _parts(hits: Hits) -> set[str]:
    return {reason.name.rstrip("×") for hit in (*hits.hits, *hits.candidates) for reason in hit.reasons}


def _signed(change: float) -> str:
    return f"{change:+.2f}".replace("-", "−") if round(change, 2) else "0"
