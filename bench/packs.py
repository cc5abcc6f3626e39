"""Packs: the share of evidence inside a budget, beside taking hits in rank order, each line whole by itself.

A turn counts as shown when the line of a record that is it, or rests on it, is in the pack with at least half of the
tokens of the record's text; so does a turn with the same text as one that is shown. Both ways are counted so, by the
same counter of tokens, in the same frame. Rank order is the better of two: stop at the first line that does not fit, or
pass over it. What is among the hits at all is the most that any pack of them could show. `cited` counts a line with any
part of its text, `whole` none but whole ones; `answers` is the share of the words of the answer that the evidence has
and the lines of it show, where the set tells answers. `--every=4` takes every fourth question, `--half=dev` or
`--half=test` one half of the name spaces (questions, where there is one space only); what was tuned was tuned on `dev`.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from bench.adapter import Captured, Logs
from bench.quality import SHARED, _harness
from commonplace import Memory
from commonplace.language import tokens
from commonplace.language.text import is_stop_word
from commonplace.language.text import tokenize as text_tokens
from commonplace.model import Hit, Hits, Pack, Record
from commonplace.retrieval.pack import PackOptions
from commonplace.retrieval.pack.lines import frame_lines, make_pack_line

BUDGETS = (500, 1000, 2000)
ENOUGH = 0.5  # of the tokens of a text
HITS = 60  # as many as a pack chooses from
OPTIONS = PackOptions(count_tokens=tokens.count_tokens, automatic=False)
CITED = re.compile(r" \[[^\]]*\]$")

Shares = dict[str, float]  # record id: how much of its text is shown


def run(names: tuple[str, ...] = ("locomo", "lme_pool")) -> None:
    """Print a row for each set, way of keeping it and half; says so when the sets are not there."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: packs were not measured")
        return
    harness = _harness()
    for name in names:
        data = harness.Data(name, str(SHARED / "bench"))
        for label in ("daily logs", "captured"):
            for half, rows in sorted(measured(data, label).items()):
                print(f"{label}: {name} ({half}, n={len(rows)}): {summary(rows)}", flush=True)


def measured(data: Any, label: str) -> dict[str, list[dict[str, float]]]:
    """For each half the shares of evidence shown, question by question."""
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    asked = [query for query in data.select("all") if _option("half", "all") in ("all", data.part(query))]
    asked = asked[:: int(_option("every", "1"))]
    for space, docs in data.docs.items():
        kept = Logs(docs) if label == "daily logs" else Captured(docs, consolidated=True, evidence="auto")
        for query in asked:
            if query["ns"] == space:
                found[data.part(query)].append(_asked(kept, query, _answer(query, docs)))
        kept.close()
    return found


def summary(rows: list[dict[str, float]]) -> str:
    """Ours against rank order at each budget, how many lines the pack has, and the most that any choice could show."""
    parts = []
    for budget in BUDGETS:
        ranked = max(_mean(rows, f"{way} {budget}") for way in ("stop", "skip"))
        ours, lines = _mean(rows, f"ours {budget}"), _mean(rows, f"lines {budget}")
        more = [f"{way} {_mean(rows, f'{way} {budget}'):.1%}" for way in ("cited", "whole")]
        if any(f"answers {budget}" in row for row in rows):
            said, before = (_mean(rows, f"{way} {budget}") for way in ("answers", "answers ranked"))
            more.append(f"answers {said:.1%} against {before:.1%}")
        gain = f"{100 * (ours - ranked):+.1f}; {lines:.0f} lines"
        parts.append(f"{budget}: {ours:.1%} against {ranked:.1%} ({gain}, {', '.join(more)})")
    return " · ".join((*parts, f"among the hits: {_mean(rows, 'among'):.1%}"))


def _mean(rows: list[dict[str, float]], key: str) -> float:
    values = [row[key] for row in rows if key in row]
    return sum(values) / len(values)


def _asked(kept: Logs | Captured, query: dict[str, Any], answer: set[str]) -> dict[str, float]:
    memory, now = kept._memory, (query.get("date") or kept._last)[:16] or None
    hits = memory.recall(query["question"], k=HITS, now=now, sync=False)
    relevant = set(query["relevant"])
    turns = turns_of_hits(kept, hits)
    row: dict[str, float] = {"among": found_in(dict.fromkeys(turns, 1.0), turns, relevant, ENOUGH)}
    for budget in BUDGETS:
        packed = memory.pack(query["question"], budget_tokens=budget, now=now, sync=False)
        records = {hit.record.id: hit.record for hit in hits.hits} | beside(memory, packed, turns)
        shares = text_shares(packed, records)
        shown_turns = turns | {name: set(turns_of(kept, records[name])) for name in records.keys() - turns.keys()}
        for way, enough in (("ours", ENOUGH), ("cited", 0.0), ("whole", 1.0)):
            row[f"{way} {budget}"] = found_in(shares, shown_turns, relevant, enough)
        row[f"lines {budget}"] = len(packed.items)
        ranked = {way: in_rank_order(hits, budget, way == "stop") for way in ("stop", "skip")}
        row |= {f"{way} {budget}": found_in(taken, turns, relevant, ENOUGH) for way, taken in ranked.items()}
        if answer:
            ours = (CITED.sub("", item.text) for item in packed.items if shown_turns[item.record_id] & relevant)
            others = (records[name].text for name in ranked["skip"] if turns[name] & relevant)
            row[f"answers {budget}"] = _told(answer, ours)
            row[f"answers ranked {budget}"] = _told(answer, others)
    return row


def _answer(query: dict[str, Any], docs: list[dict[str, Any]]) -> set[str]:
    """The words of the answer that its evidence has; none where the set tells no answer."""
    said = " ".join(doc["text"] for doc in docs if doc["id"] in query["relevant"])
    return {word for word in _words(str(query.get("answer") or "")) if not is_stop_word(word, "en")} & _words(said)


def _told(answer: set[str], texts: Iterable[str]) -> float:
    """The share of the words of an answer in some texts."""
    return len(answer & _words(" ".join(texts))) / len(answer)


def _words(text: str) -> set[str]:
    return set(text_tokens(text))


def beside(memory: Memory, packed: Pack, turns: dict[str, set[str]]) -> dict[str, Record]:
    """The lines of a pack that are no hits: what stands beside those."""
    index = memory.workspace.open_index()
    found = (index.find(item.record_id) for item in packed.items if item.record_id not in turns)
    return {record.id: record for record in found if record}


def in_rank_order(hits: Hits, budget: int, stop: bool) -> Shares:
    """Whole lines, each with its own citation, until the frame with them is full."""
    room, taken = budget - tokens.count_tokens(frame_lines(())), {}
    for hit in hits.hits:
        line = make_pack_line(hit, OPTIONS)
        cost = tokens.count_tokens(line.render(line.body) + "\n")
        if cost <= room:
            room -= cost
            taken[hit.record.id] = 1.0
        elif stop:
            break
    return taken


def text_shares(packed: Pack, records: dict[str, Record]) -> Shares:
    """How much of the text of each record a pack shows."""
    return {item.record_id: _share(item.text, item.layer, records.get(item.record_id)) for item in packed.items}


def found_in(shares: Shares, turns: dict[str, set[str]], relevant: set[str], enough: float) -> float:
    """The share of the relevant turns of which enough is shown."""
    told = {turn for record_id, share in shares.items() if share >= enough for turn in turns.get(record_id, ())}
    return len(told & relevant) / len(relevant)


def _share(text: str, layer: str, record: Record | None) -> float:
    if layer == "L2" or record is None:
        return 1.0
    line = make_pack_line(Hit(record, 0.0), OPTIONS)
    body = CITED.sub("", text.removeprefix("- "))
    for lead in (
        line.prefix,
        f"{line.date_prefix}{line.labels}{line.title_prefix}{line.speaker_prefix}",
        f"{line.labels}{line.speaker_prefix}",
    ):
        if lead and body.startswith(lead):
            body = body.removeprefix(lead)
            break
    return min(tokens.count_tokens(body) / tokens.count_tokens(line.body), 0.99)


def turns_of_hits(kept: Logs | Captured, hits: Hits) -> dict[str, set[str]]:
    """Record id: the turns that it is or rests on, and those with the same text."""
    alike: dict[str, set[str]] = defaultdict(set)
    for hit in hits.hits:
        alike[_text(hit.record)].update(turns_of(kept, hit.record))
    return {hit.record.id: alike[_text(hit.record)] for hit in hits.hits}


def turns_of(kept: Logs | Captured, record: Record) -> Iterable[str]:
    """The turns that a record is, or rests on."""
    if isinstance(kept, Captured):
        return kept.turns(Hit(record, 0.0))
    place = record.source.path, record.source.line_start
    return [kept._ids[place]] if place in kept._ids else []


def _text(record: Record) -> str:
    return " ".join(record.text.split())


def _option(name: str, default: str) -> str:
    return next((word.partition("=")[2] for word in sys.argv[1:] if word.startswith(f"--{name}=")), default)
