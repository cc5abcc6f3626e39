"""Time phrases: agreement with another project's analyser, and with the phrases that were written for the tests."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.quality import SHARED
from commonplace.language import when
from commonplace.language.when.tokenizer import fold_time_word, load_time_lexicon

WRITTEN = Path(__file__).parents[1] / "tests/data/when"
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ru", "sv", "zh", "ja")  # in the order of the tables
Days = tuple[str, str] | None  # the first and the last day, or no time at all


class Row(Struct, frozen=True):
    """A text, the clock it is read by, and the days that the other analyser sees in it."""

    now: str
    query: str
    theirs: Days


class Case(Struct, frozen=True):
    """A question of ours and the half-open interval that a person wrote beside it; None: it names no time."""

    lang: str
    now: str
    query: str
    interval: tuple[str, str] | None


class Verdict(Struct, frozen=True):
    """Why we hold another reading of a query than theirs, with one clock as an example.

    `fair` says that theirs can be meant as well: such rows count against us.
    """

    query: str
    reason: str
    fair: bool
    now: str
    theirs: Days
    ours: Days


def run() -> None:
    """Print the agreement by language, the kinds of disagreement, and the share of our own phrases that are right."""
    cases = written()
    wrong = [case for case in cases if read(case) != expected(case)]
    print(f"our own phrases: {1 - len(wrong) / len(cases):.1%} of {len(cases)}")
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: agreement was not measured")
        return
    rows = golden(SHARED)
    differing = [row for row in rows if ours(row) != row.theirs]
    print(f"temporal_golden: {share(rows, differing)}; where theirs can be meant: {share(*fair(rows, differing))}")
    for language in LANGUAGES:
        of_it = [row for row in rows if language_of(row.query) == language]
        if of_it:
            print(f"  {language}: {share(of_it, [row for row in differing if row in of_it])}")
    known = verdicts()
    reasons = Counter(known[row.query].reason if row.query in known else "not listed" for row in differing)
    for reason, count in reasons.most_common():
        print(f"  {count} x {reason}")


def golden(shared: Path) -> list[Row]:
    """The rows of the other project's set; its ends are the last moments of days."""
    with gzip.open(shared / "bench/temporal_golden/golden.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Row(row["now"], row["query"], _days_of(row["range"])) for row in rows]


def verdicts() -> dict[str, Verdict]:
    """By query, why we read it otherwise."""
    listed = (_verdict(line) for line in _lines(WRITTEN / "disagreements.jsonl"))
    return {verdict.query: verdict for verdict in listed}


def written() -> list[Case]:
    """Our own questions with what they mean."""
    return [Case(**line) for line in _lines(WRITTEN / "phrases.jsonl")]


def ours(row: Row | Verdict) -> Days:
    """The days of the first time phrase that we find."""
    found = when.find_time_phrases(row.query, row.now)
    if not found:
        return None
    start, end = found[0].interval.start, found[0].interval.end
    last = end and (date.fromisoformat(end[:10]) - timedelta(days=end.endswith("T00:00"))).isoformat()
    return start[:10], last


def read(case: Case) -> list[tuple[str, str]]:
    """The intervals of all time phrases that we find in a question."""
    return [(phrase.interval.start, phrase.interval.end) for phrase in when.find_time_phrases(case.query, case.now)]


def expected(case: Case) -> list[tuple[str, str]]:
    """The interval that is written beside a question, to the minute; a date is its midnight."""
    if case.interval is None:
        return []
    first, last = (f"{edge}T00:00" if edge and "T" not in edge else edge for edge in case.interval)
    return [(first, last)]


def fair(rows: Iterable[Row], differing: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The rows, and the differing ones, without those whose reading we hold wrong."""
    known = verdicts()
    wrong = [row for row in differing if row.query in known and not known[row.query].fair]
    return [row for row in rows if row not in wrong], [row for row in differing if row not in wrong]


def share(rows: list[Row], differing: list[Row]) -> str:
    """How much agrees."""
    return f"{1 - len(differing) / len(rows):.1%} of {len(rows)}"


def language_of(query: str) -> str:
    """The language whose time words a text has most of; English if it has none."""
    words = [word for word in fold_time_word(query).split() if word in load_time_lexicon().words]
    if any("\u3040" <= sign <= "\u9fff" for sign in query):
        return "ja" if any("\u3040" <= sign <= "\u30ff" for sign in query) else "zh"
    bits = [{bit for x in load_time_lexicon().words[word].lexemes for bit in _bits(x.languages)} for word in words]
    return LANGUAGES[max(range(len(LANGUAGES)), key=lambda bit: (sum(bit in known for known in bits), -bit))]


def _bits(languages: int) -> Iterable[int]:
    return (bit for bit in range(len(LANGUAGES)) if languages >> bit & 1)


def _verdict(line: dict[str, Any]) -> Verdict:
    return Verdict(**(line | {"theirs": _days_of(line["theirs"]), "ours": _days_of(line["ours"])}))


def _days_of(edges: list[str] | None) -> Days:
    return (edges[0][:10], edges[1][:10]) if edges else None


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
