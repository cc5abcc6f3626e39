"""Whether `why-not` says what recall does: `python -m bench.acceptance.why_not_agrees [LINES]`.

Lines are drawn by lot from workspaces of the sets, the sample and a vault, with questions and filters. Of each line
recall is asked whether it is shown, and what `why-not` names as the reason is taken away: the filter is relaxed, the
better hit of the same captures is removed, more hits are asked for. Each change that it suggests must show the line.
Prints how many lines were lost where; exit code 1 if anything disagrees.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.behaviour_parts.asking import Desk
from bench.behaviour_parts.notebooks import build
from commonplace import Memory
from commonplace.index import Index
from commonplace.memory.recall import trace_request
from commonplace.operations.parameters import RecallRequest
from commonplace.retrieval.recall import RecallTrace
from commonplace.retrieval.recall.omissions import WhyNot, hits_repeating
from commonplace.retrieval.recall.pipeline import deduplicate_candidates

SEED = 20
NOTEBOOKS = ("demo", "locomo/conv-26/captured", "madial_zh/all/captured", "precision", "vault/foam-docs")
FILTERS: tuple[dict[str, Any], ...] = (
    {"k": 3},
    {"history": True, "all_scopes": True},
    {"evidence": "none"},
    {"evidence": "only"},
    {"since": "6 months ago", "until": "last month"},
    {"until": "2 years ago", "kinds": ("opinion",)},
    {"as_of": "5 months ago"},
    {"kinds": ("experience", "opinion"), "k": 5},
    {"categories": ("fact", "event")},
    {"trust": ("trusted",)},
    {"trust": ("untrusted",), "all_scopes": True},
    {"entities": ("Caroline",)},
    {"scope": "somewhere"},
)
DEEP = 1_000  # hits: the largest number that `why-not` looks at
FAR_OFF = 60  # hits from which a line near to the answer is drawn
RANKED = re.compile(r"rank (\d+) with [\d.]+; k is (\d+)$")
SHOWN = 5  # disagreements that are printed


class Case(NamedTuple):
    """A question with its arguments, and the line that is asked about."""

    text: str
    arguments: dict[str, Any]
    record_id: str


def run(lines: int = 1_000) -> None:
    """Draw so many lines, print what was found, and exit with 1 where anything disagrees."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="cpl-") as folder:
        desk = Desk(Path(folder))
        for name in NOTEBOOKS:
            notebook = build(desk, name)
            lost: Counter[str] = Counter()
            with Memory.open(notebook.root) as memory:
                questions = [(one.text, {"now": one.now, "scope": one.scope}) for one in notebook.asked]
                for case in draw_cases(memory, questions, -(-lines // len(NOTEBOOKS)), SEED):
                    told, found = check_case(memory, case)
                    lost[told.lost_at or "shown"] += 1
                    wrong += [f"{name}: {case}: {what}" for what in found]
            print(f"{name}: {sum(lost.values())} lines: {', '.join(f'{n} {at}' for at, n in sorted(lost.items()))}")
    print("\n".join([f"{len(wrong)} disagreements", *wrong[:SHOWN]]))
    raise SystemExit(1 if wrong else 0)


def draw_cases(memory: Memory, questions: list[tuple[str, dict[str, Any]]], count: int, seed: int) -> Iterator[Case]:
    """Questions by lot, half of them with a filter; a line of the workspace, one near to the answer, or a duplicate."""
    lot = random.Random(seed)
    memory.sync()
    index = memory.workspace.open_index()
    rows = sorted({row for path in index.files() for row in index.rows_of_file(path)})
    ids = sorted(row.record.id for row in index.fetch(rows).values())
    for _ in range(count):
        text, arguments = lot.choice(questions)
        arguments = {**arguments, **(lot.choice(FILTERS) if lot.random() < 0.5 else {})}
        trace = _trace(memory, Case(text, arguments, ""))
        deep = trace.retrace(k=FAR_OFF)
        near = [scored.hit.record.id for scored in deep.scored]
        repeated = [scored.hit.record.id for scored in trace.scored if scored.row_id in trace.choice.duplicates]
        yield Case(text, arguments, lot.choice(lot.choice([ids, near or ids, repeated or near or ids])))


def check_case(memory: Memory, case: Case) -> tuple[WhyNot, list[str]]:
    """What `why-not` says of the line, and where recall does something else."""
    told = memory.why_not(case.text, case.record_id, **case.arguments)
    index = memory.workspace.open_index()
    with index.snapshot():
        return told, [
            *_check_rank(memory, case, told),
            *_check_filters(memory, case, told),
            *_check_loss(memory, case, told),
        ]


def _check_rank(memory: Memory, case: Case, told: WhyNot) -> Iterator[str]:
    rank = _rank(_trace(memory, case), case)
    if told.rank != rank:
        yield f"rank {told.rank}, and recall says {rank}"
    if bool(rank) != (told.lost_at == ""):
        yield f"lost at {told.lost_at!r}, and its rank is {rank}"
    for change in told.changes:
        arguments = {"text": case.text, **case.arguments, **change.arguments}
        changed = Case(arguments.pop("text"), arguments, case.record_id)
        if _rank(_trace(memory, changed), case) != change.rank:
            yield f"{change} does not show it so"


def _check_filters(memory: Memory, case: Case, told: WhyNot) -> Iterator[str]:
    """Without the filters that are named it passes, and with any of them alone it does not."""
    rejected = [stage for stage in told.stages if stage.name == "filter" and not stage.passed]
    index, trace = memory.workspace.open_index(), _trace(memory, case)
    row_id = index.row_of_record(case.record_id)
    if not rejected and not _passes(index, trace, row_id):
        yield "no filter is named, and it does not pass"
    opening = {name: value for stage in rejected for name, value in stage.arguments.items()}
    if rejected and not _passes(index, trace.retrace(**opening), row_id):
        yield f"it does not pass with {opening}"
    for stage in rejected:
        others = {n: v for one in rejected if one is not stage for n, v in one.arguments.items()}
        others = {name: value for name, value in others.items() if name not in stage.arguments}
        if _passes(index, trace.retrace(**others), row_id):
            yield f"{stage.filter} stops it, and it passes with {others}"


def _check_loss(memory: Memory, case: Case, told: WhyNot) -> Iterator[str]:
    """What is said of a line that the filters let through: found or not, repeated or not, below the last hit or not."""
    opening = {n: v for one in told.stages if one.name == "filter" for n, v in one.arguments.items()}
    opened = _trace(memory, case).retrace(**opening)
    deep = opened.retrace(k=DEEP)
    stages = {stage.name: stage for stage in told.stages}
    found = "rank" in stages or "told" in stages
    if not found and _rank(deep, case):
        yield f"no lane found it, and it has rank {_rank(deep, case)} of {DEEP}"
    if "told" in stages:
        trace = next(
            (one for one in (opened, opened.retrace(k=100), deep) if case.record_id in _scored_ids(one)), opened
        )
        scored = next((one for one in trace.scored if one.hit.record.id == case.record_id), None)
        repeating = hits_repeating(scored, trace.choice) if scored else []
        if stages["told"].passed == bool(repeating):
            yield f"{stages['told'].says}, and it is {'a' if repeating else 'no'} duplicate"
        if repeating and (beside := stages["told"].beside) and beside.record_id != repeating[0].hit.record.id:
            yield f"{beside.record_id} is named, and it repeats {repeating[0].hit.record.id}"
        if repeating and not _is_shown_without(trace, case, repeating):
            yield "it is not shown without the hits that it repeats"
    if (rank := stages.get("rank")) and (ranked := RANKED.match(rank.says)):
        place, k = map(int, ranked.groups())
        ids = [one.hit.record.id for one in opened.retrace(k=k).choice.ranked]
        if ids[place - 1 : place] != [case.record_id]:
            yield f"{rank.says}, and {ids[place - 1 : place]} is there"
        if rank.passed != (place <= k == opened.query.k):
            yield f"{rank.says}, and that is {'not ' * rank.passed}enough"


def _is_shown_without(trace: RecallTrace, case: Case, repeating: list[Any]) -> bool:
    """Whether a line is ranked once the hits that it repeats are gone, and those that it repeats then, and so on."""
    left = list(trace.scored)
    while repeating:
        gone = {one.row_id for one in repeating}
        left = [one for one in left if one.row_id not in gone]
        mine = next(one for one in left if one.hit.record.id == case.record_id)
        choice = deduplicate_candidates(left)
        repeating = hits_repeating(mine, choice)
    return case.record_id in [one.hit.record.id for one in choice.ranked]


def _trace(memory: Memory, case: Case) -> RecallTrace:
    """The trace of a recall with the arguments of a case."""
    return trace_request(memory.workspace, RecallRequest(case.text, **{**case.arguments, "sync": False}))


def _rank(trace: RecallTrace, case: Case) -> int:
    ids = [hit.record.id for hit in trace.hits.hits]
    return ids.index(case.record_id) + 1 if case.record_id in ids else 0


def _scored_ids(trace: RecallTrace) -> set[str]:
    return {scored.hit.record.id for scored in trace.scored}


def _passes(index: Index, trace: RecallTrace, row_id: int) -> bool:
    required_rows = trace.parsed.required_rows
    is_named = required_rows is None or row_id in required_rows
    return is_named and row_id in index.token_counts([row_id], trace.parsed.record_filter)


if __name__ == "__main__":
    run(*map(int, sys.argv[1:2]))
