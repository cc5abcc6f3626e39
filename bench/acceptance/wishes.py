"""Wishes of an owner, each carried out by the command that a guide names for it: what must go, and what must stay.

`python -m bench.acceptance.wishes [--data open|blind|both] [--show ID]`. Each wish has a workspace of its own: its
lines stand in their files, its messages are captured at their times and consolidated, then the wish is carried out
and its questions are asked, by `recall` and as an automatic and an explicit pack. Gone is what is in no hit and no
line of a pack, or, of what was replaced or has ended, only in lines that are marked so; what stays is in the answer
to one of the questions. Wishes of the blind list are counted by kind, and never printed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, all_records, run_command, workspace
from commonplace import Memory
from commonplace.model import Hit, Pack, Record
from commonplace.shapes import Json

DATA = Path(__file__).with_name("data")
OPEN, BLIND = "wishes_open.json", "wishes_blind.json"
LISTS = {"open": (OPEN,), "blind": (BLIND,), "both": (OPEN, BLIND)}
PLAIN = ("supersede", "expire", "near_people", "purge_person", "language")
ADVERSARIAL = ("half_compound", "name_inside_name", "obfuscated")
MARKED = ("supersede", "expire", "language")  # the kinds whose old values may be shown as what they are
FEWEST_PLAIN = 95.0
QUICK_STEP = 5  # every which wish a sample has
K = 10
_EARLIER = re.compile(r"\(earlier: .*\)")
_UNTIL = re.compile(r"\(until \d{4}-\d\d-\d\d\)")


def measure(given: argparse.Namespace) -> Figures:
    """What became of each wish of each list, by the name of the file."""
    figures: Figures = {}
    for name in LISTS[given.data]:
        wishes = json.loads((DATA / name).read_text(encoding="utf-8"))
        if given.show:
            wishes = [wish for wish in wishes if wish["id"] == given.show and name != BLIND]
        outcomes = [observe(wish) | {"id": wish["id"], "kind": wish["kind"]} for wish in wishes[:: _step(given)]]
        sealed = ("left", "missing", "selected") if name == BLIND else ()
        figures[name] = [{key: value for key, value in one.items() if key not in sealed} for one in outcomes]
    return figures


def _step(given: argparse.Namespace) -> int:
    return QUICK_STEP if given.quick and not given.show else 1


def observe(wish: Json) -> Json:
    """Whether all is gone that must go, whether all is there that must stay, and the lines that show otherwise."""
    with workspace() as memory:
        captured = write_notebook(memory, wish)
        day = max(date.fromisoformat(one["ts"][:10]) for one in wish["setup"]) + timedelta(days=1)
        now = f"{day}T03:00"
        memory.consolidate(apply=True, now=now)
        selected = carry_out(memory, wish["action"], captured, now)
        answers = list(_answers(memory, wish))
    may_show_earlier = wish["kind"] in MARKED
    lines = [
        _EARLIER.sub("", text) if may_show_earlier else text
        for text, is_marked in answers
        if not (may_show_earlier and is_marked)
    ]
    left = {word: [text for text in lines if contains(text, word)] for word in wish["gone"]}
    missing = [word for word in wish["stays"] if not any(contains(text, word) for text, _marked in answers)]
    return {
        "gone": not any(left.values()),
        "stays": not missing,
        "left": {word: sorted(set(texts)) for word, texts in left.items() if texts},
        "missing": missing,
        "selected": selected,
    }


def write_notebook(memory: Memory, wish: Json) -> list[str]:
    """Write the lines of a wish into their files, and capture its messages at their times; the ids of the captures."""
    for line in wish["lines"]:
        place = Path(memory.root, line["path"])
        place.parent.mkdir(parents=True, exist_ok=True)
        text = place.read_text(encoding="utf-8") if place.exists() else f"# {place.stem.title()}\n\n"
        place.write_text(f"{text}- {line['text']}\n", encoding="utf-8")
    return [
        memory.capture(one["text"], ts=one["ts"], now=one["ts"], actor=one["actor"], session=one["session"]).id
        for one in wish["setup"]
    ]


def carry_out(memory: Memory, action: Json, captured: list[str], now: str) -> list[str]:
    """Do what a wish says, and return what a wish to forget selected, each with its reason."""
    match action["verb"]:
        case "forget":
            parts = {name: action[name] for name in ("query", "entity", "session", "since", "until") if name in action}
            references = _holders(memory, captured, action["containing"])[:1] if "containing" in action else []
            forgotten = memory.forget(tuple(references), **parts, apply=True, now=now)
            return [f"{one.reason}: {one.record.text}" for one in forgotten.selected]
        case "replace":
            memory.retain(action["text"], supersedes=tuple(_holders(memory, captured, action["containing"])), now=now)
        case "retain":
            memory.retain(action["text"], valid=action["valid"], now=now)
        case "edit":
            place = Path(memory.root, action["path"])
            text = place.read_text(encoding="utf-8")
            place.write_text(text.replace(action["old"], action["new"]), encoding="utf-8")
            memory.sync()
        case _:
            pass
    return []


def _holders(memory: Memory, captured: list[str], words: str) -> list[str]:
    """The ids of what has these words: the captures, then the lines of the notebook, but no episode that retells it."""
    index = memory.workspace.synced_index()
    captures = [record for one in captured if (record := index.find(one))]
    records = [one for one in all_records(memory) if "/episodes/" not in one.source.path]
    return [one.id for one in (*captures, *records) if words.casefold() in one.text.casefold()]


def _answers(memory: Memory, wish: Json) -> Iterator[tuple[str, bool]]:
    """The text of each hit and of each line of a pack for each question, and whether it is marked as what held once."""
    now = wish["asked_at"]
    for question in wish["questions"]:
        hits = memory.recall(question, k=K, now=now).hits
        yield from ((hit.record.text, _is_marked(hit, now)) for hit in hits)
        for is_automatic in (True, False):
            yield from _pack_lines(memory, memory.pack(question, automatic=is_automatic, now=now), now)


def _is_marked(hit: Hit, now: str) -> bool:
    return bool(hit.earlier_than or hit.later or hit.until or _has_ended(hit.record, now))


def _pack_lines(memory: Memory, pack: Pack, now: str) -> Iterator[tuple[str, bool]]:
    index = memory.workspace.open_index()
    for item in pack.items:
        record = index.find(item.record_id)
        is_ended = bool(record and _has_ended(record, now)) or _UNTIL.search(item.text)
        is_marked = bool(item.earlier_than or item.later or is_ended)
        yield item.text, is_marked


def _has_ended(record: Record, now: str) -> bool:
    return bool(record.superseded_by) or bool(record.valid_to and record.valid_to < now)


def contains(text: str, words: str) -> bool:
    """Whether a text has these words, not as a part of longer ones; case is ignored."""
    pattern = re.escape(words.casefold())
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", pattern) else ""
    after = r"(?![a-z0-9])" if re.search(r"[a-z0-9]$", pattern) else ""
    return re.search(f"{before}{pattern}{after}", text.casefold()) is not None


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print the shares of each kind, and those of the plain and the adversarial kinds beside the bound."""
    for name, outcomes in ours.items():
        before = (base or {}).get(name, [])
        for kind in (*PLAIN, *ADVERSARIAL):
            _print_shares(report, f"{name}: {kind}", [one for one in outcomes if one["kind"] == kind], before)
        plain = [one for one in outcomes if one["kind"] in PLAIN]
        if plain:
            _print_shares(report, f"{name}: the plain kinds", plain, before)
            report.at_least(f"{name}: the plain kinds, both, per cent", _share(plain), FEWEST_PLAIN)
        adversarial = [one for one in outcomes if one["kind"] in ADVERSARIAL]
        _print_shares(report, f"{name}: the adversarial kinds", adversarial, before)
        for one in outcomes if report.given.show or report.given.failed else ():
            if name != BLIND and (report.given.show or not (one["gone"] and one["stays"])):
                report.add(f"  {one['id']}", json.dumps(one, ensure_ascii=False, indent=1))


def _print_shares(report: Report, name: str, outcomes: list[Json], before: list[Json]) -> None:
    if outcomes:
        parts = (f"{part} {_share(outcomes, part):g}" for part in ("gone", "stays"))
        shares = f"{', '.join(parts)}, both {_share(outcomes):g} per cent"
        same = [one for one in before if one["id"] in {other["id"] for other in outcomes}]
        report.add(f"{name}, {len(outcomes)}", shares + (f" (base both {_share(same):g})" if same else ""))


def _share(outcomes: list[Json], *names: str) -> float:
    return round(
        100 * sum(all(one[name] for name in names or ("gone", "stays")) for one in outcomes) / len(outcomes), 1
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", choices=tuple(LISTS), default="both", help="which list")
    parser.add_argument("--show", metavar="ID", help="the details of one wish of the open list")
    parser.add_argument("--failed", action="store_true", help="the details of the open wishes that failed")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge, _add_options)


if __name__ == "__main__":
    sys.exit(main())
