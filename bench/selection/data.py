"""Sentences to train with: labelled by worth, of the extraction corpus, of scripted weeks, asked for by questions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.acceptance.measuring import Figures, part_of
from bench.behaviour_parts.notebooks import rows
from commonplace.extract.features import SentencePosition
from commonplace.language.text import detect_language, is_stop_word, split_sentences, tokenize

FOLDER = Path(__file__).parent / "labels"
EXTRACTION = Path(__file__).parents[2] / "tests" / "data" / "extraction"
EXTRACTION_FILES = ("dev", "dev2", "train", "filing")  # the held-out half is never read here
SHARED_SETS, OWN_SETS = ("locomo", "lme_s_mini"), ("chats", "agent", "terse", "must_keep")
CATEGORY_SETS = ("filed",)  # sentences that are all worth a line
DATA = Path(__file__).parents[1] / "acceptance" / "data"
WEEKS = (DATA / "week_dev", DATA / "week_opened")
AGENT_SPEAKERS = ("", "user", "owner", "assistant", "tool")  # of a message to an agent
MAX_SENTENCES = 20  # of a turn


class Sentence(NamedTuple):
    """A sentence of a message, whether it is worth a line, and its category, if somebody labelled it."""

    source: str  # the set
    group: str  # what is held out together
    message: str
    text: str
    position: SentencePosition
    is_worth: bool
    category: str = ""


def spans_of(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a text, without the blanks around them."""
    found, start = [], 0
    for sentence in split_sentences(text):
        bare = sentence.strip()
        if bare:
            first = start + len(sentence) - len(sentence.lstrip())
            found.append((first, first + len(bare)))
        start += len(sentence)
    return found


def position_of(text: str, spans: list[tuple[int, int]], start: int, *, to_agent: bool) -> SentencePosition:
    """Where the sentence that begins at `start` stands in its message."""
    number = next((at for at, span in enumerate(spans) if span[0] >= start), 0)
    return SentencePosition(number, len(spans), len(text), to_agent)


def labelled(source: str) -> Iterator[Sentence]:
    """The sentences of a set that were labelled by worth; a torn one is worth no line of its own."""
    if source in SHARED_SETS:
        messages = {row["id"]: row | {"group": row["ns"]} for row in rows(source, "corpus.jsonl.gz")}
    else:
        messages = {row["id"]: row | {"group": row["session"]} for row in _read(FOLDER / f"{source}.messages.jsonl")}
    for row in _read(FOLDER / f"{source}.labels.jsonl"):
        if row["message"] in messages:
            message = messages[row["message"]]
            text, to_agent = message["text"], source not in ("locomo", "chats")
            position = position_of(text, spans_of(text), row["start"], to_agent=to_agent)
            words = text[row["start"] : row["end"]]
            is_worth, category = row["label"] == "keep", row.get("category", "")
            yield Sentence(source, message["group"], message["id"], words, position, is_worth, category)


def extraction(names: Iterable[str] = EXTRACTION_FILES) -> Iterator[Sentence]:
    """The sentences of the extraction corpus: those that a labelled memory quotes are worth a line."""
    for name in names:
        for row in _read(EXTRACTION / f"{name}.jsonl"):
            text, spans = row["text"], spans_of(row["text"])
            for start, end in spans:
                gold = [one for one in row["gold"] if _touches(text, one["quote"], start, end)]
                position = position_of(text, spans, start, to_agent=row["speaker"] in AGENT_SPEAKERS)
                category = gold[0]["category"] if gold else ""
                yield Sentence("extraction", row["id"], row["id"], text[start:end], position, bool(gold), category)


def asked(source: str, is_wanted: Callable[[Figures], bool]) -> Iterator[Sentence]:
    """The sentences of the turns of a set; worth a line is that of a turn which has most words of a wanted question
    about it. Turns that only other questions are about are left out."""
    queries = list(rows(source, "queries.jsonl.gz"))
    wanted: dict[str, list[str]] = defaultdict(list)
    others: set[str] = set()
    for query in queries:
        for turn in query["relevant"]:
            if is_wanted(query):
                wanted[turn].append(f"{query['question']} {query.get('answer') or ''}")
            else:
                others.add(turn)
    for row in rows(source, "corpus.jsonl.gz"):
        if row["speaker"] == "assistant" or row["id"] in others - set(wanted):
            continue
        spans = spans_of(row["text"])
        best = {_best_span(row["text"], spans, question) for question in wanted[row["id"]]} if spans else set()
        for span in spans[:MAX_SENTENCES]:
            position = position_of(row["text"], spans, span[0], to_agent=row["speaker"] in AGENT_SPEAKERS)
            yield Sentence(f"{source} asked", row["ns"], row["id"], row["text"][slice(*span)], position, span in best)


def work_questions(source: str) -> Callable[[Figures], bool]:
    """Whether a question of a set is one to work with."""
    spaces = len({query["ns"] for query in rows(source, "queries.jsonl.gz")})
    return lambda query: part_of(source, query, spaces=spaces) == "work"


def _best_span(text: str, spans: list[tuple[int, int]], question: str) -> tuple[int, int]:
    wanted = _content(question)

    def overlap(span: tuple[int, int]) -> float:
        words = _content(text[slice(*span)])
        return len(words & wanted) / (3 + len(words) ** 0.5)

    return max(spans, key=overlap)


def _content(text: str) -> set[str]:
    language = detect_language(text)
    return {token for token in tokenize(text, language) if not is_stop_word(token, language)}


def _touches(text: str, quote: str, start: int, end: int) -> bool:
    at = text.find(quote)
    return at >= 0 and at < end and start < at + len(quote)


def _read(path: Path) -> list[Figures]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def week(folder: Path) -> Iterator[Sentence]:
    """The owner's sentences of a scripted week: worth a line is that of a message which has most words of a fact."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for fact in _read(folder / "facts.jsonl"):
        for message in fact["messages"]:
            wanted[message].append(fact["text"])
    for row in _read(folder / "messages.jsonl"):
        spans = spans_of(row["text"]) if row["actor"] == "owner" else []
        best = {_best_span(row["text"], spans, fact) for fact in wanted[row["id"]]} if spans else set()
        for span in spans:
            position = position_of(row["text"], spans, span[0], to_agent=True)
            yield Sentence(folder.name, row["session"], row["id"], row["text"][slice(*span)], position, span in best)
