"""Lists of traps and updates: what ends a line by mistake, and which changes are seen.

`python -m bench.acceptance.traps [FILE…] [--quick]`; by default the lists in `data`. Each item is written into a
workspace of its own, the old line and then the new one at their dates: by `retain` where it is written, by `capture`
and `consolidate` where it is talk; a written line of another person is a line of dialogue. For each item: whether the
old line was ended (something supersedes it, or its validity ends), whether an item waits in the queue, and whether the
newer stands above the older in recall for a question that is made of the words they share. Items of a file whose name
contains `blind` are counted, and never printed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, add_line, all_records, run_command, workspace
from commonplace import Memory
from commonplace.model import Record
from commonplace.shapes import Json

DATA = Path(__file__).with_name("data")
QUICK_STEP = 5  # every which item a sample has
MOST_ENDED = {False: 0, True: 1}  # traps of an open and of a blind list
FEWEST_REPLACED = {"en and de": 70.0, "fr, es, zh and ja": 50.0}  # per cent of the updates with a cue
FEWEST_IN_ORDER, FEWEST_BLIND = 70.0, 75.0
WITHOUT_SPACES = ("zh", "ja")


def measure(given: argparse.Namespace) -> Figures:
    """What became of each item of each list, by the name of the file."""
    paths = given.lists or sorted(DATA.glob("truth_*.jsonl"))
    figures: Figures = {}
    for path in paths:
        items = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        figures[path.name] = [item | observe(item) for item in items[:: QUICK_STEP if given.quick else 1]]
    return figures


def observe(item: Json, settings: str = "") -> Json:
    """Whether the old line of an item was ended, one is pending, and the newer is above it; with these settings."""
    with workspace(settings) as memory:
        old_ids = write_side(memory, item, "old")
        before = {record.id: record for record in _lines_of(memory, old_ids)}
        waiting = len(memory.pending())
        new_ids = write_side(memory, item, "new")
        pending = len(memory.pending()) - waiting
        after = _lines_of(memory, old_ids)
        lost = [one for one in before if one not in {record.id for record in after}]
        return {
            "ended": bool(lost) or any(_is_ended(record, before.get(record.id), new_ids) for record in after),
            "pending": pending > 0,
            "in_order": _is_in_order(memory, item, old_ids, new_ids),
        }


def write_side(memory: Memory, item: Json, name: str) -> set[str]:
    """Write one of the two lines of an item at its date; the ids of the line or capture."""
    side = item[name]
    now = f"{side['date']}T09:00"
    speaker = "" if side["said_by"] in ("", "owner") else side["said_by"]
    if item["via"] == "talk":
        taken = memory.capture(
            side["text"],
            ts=now,
            now=now,
            session=f"{name}-{side['date']}",
            scope=side["scope"],
            detail={"speaker": speaker} if speaker else None,
        )
        memory.consolidate(apply=True, now=_days_after(side["date"], 1))
        return {taken.id}
    if speaker:
        path, line = f"memory/{side['date']}.md", f"- 09:00 {speaker}: {side['text']}"
        if side["scope"]:
            line += f" <!-- project: {side['scope']} -->"
        add_line(memory, path, f"Session, {side['date']}", line)
        return {one.id for one in all_records(memory) if one.source.path == path and one.speaker == speaker}
    record = memory.retain(side["text"], now=now, scope=side["scope"]).record
    return {record.id} if record else set()


def _lines_of(memory: Memory, ids: set[str]) -> list[Record]:
    """The records with these ids, and the lines of Markdown that rest on them; episodes tell only what was said."""
    index = memory.workspace.synced_index()
    named = [record for one in sorted(ids) if (record := index.find(one))]
    resting = [
        one for one in all_records(memory) if ids.intersection(one.sources) and "/episodes/" not in one.source.path
    ]
    return list({record.id: record for record in (*named, *resting)}.values())


def _is_ended(record: Record, before: Record | None, new_ids: set[str]) -> bool:
    """Whether something supersedes a line, or its validity was ended."""
    if new_ids.intersection(record.sources):
        return False  # it holds, and rests on the new one too
    return bool(record.superseded_by) or bool(record.valid_to and before and not before.valid_to)


def _is_in_order(memory: Memory, item: Json, old_ids: set[str], new_ids: set[str]) -> bool:
    """Whether the newer is among the hits, and above the older, for a question of the words that both share."""
    scope = {item["old"]["scope"], item["new"]["scope"]}
    arguments = {"scope": scope.pop()} if len(scope) == 1 else {"all_scopes": True}
    hits = memory.recall(question(item), now=_days_after(item["new"]["date"], 7), **arguments).hits
    named = [{hit.record.id, *hit.record.sources} for hit in hits]
    new = next((place for place, names in enumerate(named) if names & new_ids), None)
    old = next((place for place, names in enumerate(named) if names & old_ids and not names & new_ids), None)
    return new is not None and (old is None or new < old)


def question(item: Json) -> str:
    """The words that the old and the new text share, in the order of the old one; all of the old if there are none."""
    old, new = item["old"]["text"], item["new"]["text"]
    if item["lang"] in WITHOUT_SPACES:
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        shared = [old[block.a : block.a + block.size] for block in blocks if block.size > 1]
    else:
        words = set(re.findall(r"\w+", new.casefold()))
        shared = [word for word in re.findall(r"\w+", old) if word.casefold() in words]
    return " ".join(shared) or old


def _days_after(day: str, days: int) -> str:
    return f"{date.fromisoformat(day) + timedelta(days)}T09:00"


def judge(ours: Figures, _base: Figures | None, report: Report) -> None:
    """Print the counts of each list beside their bounds, and the items that failed of an open one."""
    for name, items in ours.items():
        is_blind = "blind" in name
        keep = [item for item in items if item["expect"] == "keep"]
        if keep:
            ended = [item for item in keep if item["ended"]]
            report.at_most(f"{name}: {len(keep)} traps, ended", len(ended), MOST_ENDED[is_blind])
            report.add(f"{name}: {len(keep)} traps, pending", sum(item["pending"] for item in keep))
            _print_groups(report, name, "ended", ended)
            _print_items(report, "ended", [] if is_blind else ended)
        updates = [item for item in items if item["expect"] != "keep"]
        if updates:
            _judge_updates(report, name, updates, is_blind=is_blind)


def _judge_updates(report: Report, name: str, updates: list[Json], *, is_blind: bool) -> None:
    cued = [item for item in updates if item["expect"] == "replace"]
    for languages, bound in FEWEST_REPLACED.items():
        of = [item for item in cued if (item["lang"] in ("en", "de")) == (languages == "en and de")]
        if of:
            share = _share(of, "ended")
            report.add(
                f"{name}: {len(of)} with a cue, {languages}: replaced, per cent",
                share,
                "" if is_blind else f">= {bound:g}",
                holds=is_blind or share >= bound,
            )
            for via in ("written", "talk"):
                some = [item for item in of if item["via"] == via]
                report.add(f"  {via}: replaced", f"{sum(item['ended'] for item in some)} of {len(some)}")
    if order := [item for item in updates if item["expect"] == "order"]:
        share = _share(order, "ended", "pending", "in_order")
        bound_text = "" if is_blind else f">= {FEWEST_IN_ORDER:g}"
        report.add(
            f"{name}: {len(order)} without a cue: in order, per cent",
            share,
            bound_text,
            holds=is_blind or share >= FEWEST_IN_ORDER,
        )
    seen = _share(updates, "ended", "pending", "in_order")
    bound_text = f">= {FEWEST_BLIND:g}" if is_blind else ""
    holds = not is_blind or seen >= FEWEST_BLIND
    report.add(f"{name}: {len(updates)} replaced, pending or in order, per cent", seen, bound_text, holds=holds)
    missed = [item for item in updates if not (item["ended"] or item["pending"] or item["in_order"])]
    unreplaced = [item for item in cued if not item["ended"]]
    _print_groups(report, name, "not seen", missed)
    _print_groups(report, name, "not replaced", unreplaced)
    if not is_blind:
        _print_items(report, "not seen", missed)
        _print_items(report, "not replaced", [item for item in unreplaced if item not in missed])


def _share(items: list[Json], *names: str) -> float:
    return round(100 * sum(any(item[name] for name in names) for item in items) / max(len(items), 1), 1)


def _print_groups(report: Report, name: str, what: str, items: list[Json]) -> None:
    """How many of each group and language, most first."""
    counts = Counter(f"{item['group']} {item['lang']}" for item in items)
    if counts:
        report.add(f"{name}: {what}", ", ".join(f"{group} {number}" for group, number in counts.most_common()))


def _print_items(report: Report, what: str, items: list[Json]) -> None:
    for item in items:
        report.add(f"  {what}: {item['id']} {item['via']}", f"{item['old']['text']!r} -> {item['new']['text']!r}")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(
        __doc__,
        measure,
        judge,
        lambda parser: parser.add_argument("lists", nargs="*", type=Path, help="lists of items"),
    )


if __name__ == "__main__":
    sys.exit(main())
