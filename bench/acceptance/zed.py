"""The Zed example in five ways, in either order of arrival, and 20 pairs of mixed trust.

`python -m bench.acceptance.zed [--quick]`. A port was 7443 in March and is 9443 since November. Of each way and order:
whether recall has the current one first, whether a pack has it alone or marks the earlier one, whether it was 7443 as
of May, and whether a rebuild gives the same. Of the pairs: the old line is replaced where the newer one is trusted at
least as much, and else stays, with one item in the queue.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from bench.acceptance.measuring import Figures, Report, add_line, all_records, run_command, workspace
from commonplace import Memory
from commonplace.model import TRUSTS, Record, Trust
from commonplace.shapes import pack_json

OLD, NEW = "7443", "9443"
DAYS = {OLD: "2026-03-10", NEW: "2026-11-03"}
QUESTION, NOW, MAY = "Which port does the admin console of Zed listen on?", "2026-11-20T09:00", "2026-05-15"
SENTENCE = "The admin console of Zed listens on port {}."
OTHERS = (  # lines around them
    ("2026-02-11", "The staging database of Yara runs in Frankfurt."),
    ("2026-06-18", "Zed needs a restart after each certificate."),
    ("2026-10-05", "The admin console of Wim has a dark theme."),
)


def retained(memory: Memory, value: str) -> None:
    """By the command `retain`."""
    memory.retain(f"W @Zed: The admin console listens on port {value}.", now=f"{DAYS[value]}T09:00")


def captured(memory: Memory, value: str) -> None:
    """By a message that is captured and consolidated."""
    day = DAYS[value]
    memory.capture(SENTENCE.format(value), ts=f"{day}T09:00", now=NOW, session=day)
    memory.consolidate(apply=True, now=NOW)


def by_hand(memory: Memory, value: str) -> None:
    """As a Retain bullet that a person types into the log of a day."""
    line = f"- W @Zed: The admin console listens on port {value}."
    add_line(memory, f"memory/{DAYS[value]}.md", "Retain", line)


def in_log(memory: Memory, value: str) -> None:
    """In the daily log of a host: a plain item below a heading of its own."""
    add_line(memory, f"memory/{DAYS[value]}.md", "Infrastructure", f"- {SENTENCE.format(value)}")


def imported(memory: Memory, value: str) -> None:
    """From an export of another memory program."""
    export = Path(memory.root, ".memory", f"export-{value}.json")
    export.parent.mkdir(exist_ok=True)
    statement = {"id": f"m{value}", "memory": SENTENCE.format(value), "created_at": f"{DAYS[value]}T09:00:00"}
    export.write_text(json.dumps({"results": [statement]}), encoding="utf-8")
    memory.import_from(str(export), system="mem0", mine=True, apply=True, now=NOW)
    memory.consolidate(apply=True, now=NOW)


WAYS: tuple[Callable[[Memory, str], None], ...] = (retained, captured, by_hand, in_log, imported)


class Side(NamedTuple):
    """One statement of a pair of mixed trust: how it is written, and how far it is trusted."""

    way: str
    trust: Trust


SIDES = (
    Side("owner", "trusted"),
    Side("agent", "unknown"),
    Side("tool", "untrusted"),
    Side("hand", "trusted"),
    Side("log", "trusted"),
)
TEXTS = (
    "@{name}: The metrics endpoint listens on port {value}.",
    "The {name} service is on port {value}.",
    "{name} lives in {place}.",
)
PLACES = ("Bern", "Basel")
NAMES = (
    *("Anton", "Berta", "Cosmo", "Dora", "Emil", "Frida", "Gustav", "Hilde", "Igor", "Jana"),
    *("Karlo", "Lotte", "Moritz", "Nadja", "Oskar", "Paula", "Quentin", "Rosa", "Stefan", "Thea"),
)


def measure(given: argparse.Namespace) -> Figures:
    """What each way and order gave, and each pair."""
    orders = ((OLD, NEW), (NEW, OLD))
    figures: Figures = {}
    for way, order in product(WAYS, orders[:1] if given.quick else orders):
        with workspace() as memory:
            for day, text in OTHERS:
                add_line(memory, f"memory/{day}.md", "Notes", f"- {text}")
            for value in order:
                way(memory, value)
                memory.sync()
            found = observe(memory)
            memory.rebuild()
            name = f"{way.__name__}, {'older' if order[0] == OLD else 'newer'} first"
            figures[name] = found | {"rebuilt": observe(memory) == found}
    figures["pairs"] = measure_pairs(given.quick)
    return figures


def observe(memory: Memory) -> Figures:
    """Whether the current value is first, in recall and in a pack, and which one held in May."""
    hits = memory.recall(QUESTION, now=NOW).hits
    past = memory.recall(QUESTION, now=NOW, as_of=MAY).hits
    return {
        "recall": _first_value([hit.record.text for hit in hits]) == NEW,
        "pack": _is_pack_right(memory),
        "May": _first_value([hit.record.text for hit in past]) == OLD,
        "hits": [hit.record.text for hit in hits],
        "hits in May": [hit.record.text for hit in past],
        "pack text": memory.pack(QUESTION, now=NOW).text,
    }


def _first_value(texts: list[str]) -> str:
    return next((found[0] for text in texts if (found := re.search(f"{OLD}|{NEW}", text))), "")


def _is_pack_right(memory: Memory) -> bool:
    """Whether a pack has the current value, and the older one only behind `earlier`, or in a marked line below it."""
    items = pack_json(memory.pack(QUESTION, now=NOW))["items"]
    current = next((place for place, item in enumerate(items) if _first_value([item["text"]]) == NEW), None)
    if current is None:
        return False
    for place, item in enumerate(items):
        if OLD not in item["text"]:
            continue
        is_earlier_value = bool(re.search(rf"{NEW}.*\bearlier\b.*{OLD}", item["text"], re.DOTALL))
        if not is_earlier_value and not (place > current and item.get("earlier_than")):
            return False
    return True


def measure_pairs(quick: bool) -> list[Figures]:
    """Of each pair, in a notebook of its own (what a tool said in the same words would lower the trust of others): what
    should happen to the old line, and what did."""
    found = []
    for number, (new, old) in list(enumerate(product(SIDES, SIDES[:4])))[:: 4 if quick else 1]:
        with workspace() as memory:
            texts = list(_texts(number, is_log="log" in (old.way, new.way)))
            record = _write(memory, old.way, texts[0], "2026-03-10")
            waiting = {item.id for item in memory.pending()}
            newer = _write(memory, new.way, texts[1], "2026-11-03")
            memory.sync()
            # an agent's words after a tool's wait for approval, and that is no contradiction
            items = [item for item in memory.pending() if item.id not in waiting and not item.is_held]
            is_replaced = _superseded(memory, record) and not _superseded(memory, newer)
            may_replace = TRUSTS.index(new.trust) >= TRUSTS.index(old.trust)
            right = is_replaced and not items if may_replace else len(items) == 1 and not _superseded(memory, record)
            pair = f"{old.way} ({old.trust}), then {new.way} ({new.trust}): {texts[0]!r} -> {texts[1]!r}"
            outcome = f"{'replaced' if is_replaced else 'not replaced'}, {len(items)} pending"
            found.append({"pair": pair, "right": right, "outcome": outcome})
    return found


def _texts(number: int, *, is_log: bool) -> Iterator[str]:
    """The two statements of a pair; in a log a name in front is no mark."""
    template = TEXTS[1 + number % 2] if is_log else TEXTS[number % len(TEXTS)]
    for value, place in zip((5100 + number, 6100 + number), PLACES, strict=True):
        yield template.format(name=NAMES[number], value=value, place=place)


def _write(memory: Memory, way: str, text: str, day: str) -> Record:
    """Write a line in one of the ways; the record that it is."""
    now = f"{day}T09:00"
    if way == "hand":
        add_line(memory, f"memory/{day}.md", "Retain", f"- W {text}")
    elif way == "log":
        memory.log(text, now=now)
    else:
        memory.retain(f"W {text}", actor={"owner": "owner", "agent": "agent", "tool": "tool"}[way], now=now)
    return next(
        record for record in all_records(memory) if text in record.text and record.source.path.endswith(f"{day}.md")
    )


def _superseded(memory: Memory, record: Record) -> bool:
    now = memory.workspace.synced_index().find(record.id)
    return now is not None and bool(now.superseded_by)


def judge(ours: Figures, _base: Figures | None, report: Report) -> None:
    """Print what each way gave."""
    pairs = ours.pop("pairs")
    for name, found in ours.items():
        for what in ("recall", "pack", "May", "rebuilt"):
            report.add(f"{name}: {what}", "right" if found[what] else "wrong", "right", holds=found[what])
        if not (found["recall"] and found["pack"] and found["May"]):
            report.add("  hits", found["hits"])
            report.add("  hits in May", found["hits in May"])
            report.add("  pack", found["pack text"])
    right = [pair for pair in pairs if pair["right"]]
    report.at_least(f"{len(pairs)} pairs of mixed trust, right", len(right), len(pairs))
    for pair in pairs:
        if not pair["right"]:
            report.add("  wrong", f"{pair['pair']}: {pair['outcome']}")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
