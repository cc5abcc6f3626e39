"""In talk, of two numbers of one unit that a question asks for, the newer one comes before the older."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from msgspec import Struct

from commonplace.language.text import fold_name, split_sentences, tokenize
from commonplace.language.word_data import load_number_words, load_time_words
from commonplace.model import Hit, OtherValue
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import find_question_cues
from commonplace.retrieval.recall.scoring import is_by_agent

MIN_COVERAGE = 0.25  # of the weight of the question's words that each of two turns has


class Measure(Struct, frozen=True):
    """A number with its unit in a turn: the number in figures, and both as they are written."""

    number: str
    text: str


class Turn(Struct, frozen=True):
    """A hit as a turn of talk: when and by whom it was said, and what it measures, by unit."""

    time: str
    speaker: str
    record_id: str
    measures: dict[str, Measure]

    def find_later(self, others: Iterable[Turn]) -> tuple[Turn, str] | None:
        """The newest of the turns that has another number of one unit, and the unit."""
        later = [
            (other, unit)
            for other in others
            if other.time > self.time and (not (self.speaker and other.speaker) or self.speaker == other.speaker)
            for unit, measure in self.measures.items()
            if unit in other.measures and other.measures[unit].number != measure.number
        ]
        return max(later, key=lambda found: found[0].time, default=None)


def find_later_values(
    hits: list[Hit], parsed: ParsedQuery, units: frozenset[str], coverage: Callable[[int], float]
) -> dict[int, tuple[int, OtherValue]]:
    """By the place of an older turn the place of a newer one with another number of a unit that is asked for.

    `coverage` is the share of the question's weight that the hit at a place has.
    """
    turns = {place: _read_turn(hit, units, parsed) for place, hit in enumerate(hits) if coverage(place) >= MIN_COVERAGE}
    places = {turn.record_id: place for place, turn in turns.items() if turn is not None}
    measured = [turn for turn in turns.values() if turn is not None and turn.measures]
    later: dict[int, tuple[int, OtherValue]] = {}
    for turn in measured:
        if found := turn.find_later(measured):
            newer, unit = found
            value = OtherValue(newer.measures[unit].text, newer.time[:10], newer.record_id)
            later[places[turn.record_id]] = places[newer.record_id], value
    return later


def _read_turn(hit: Hit, units: frozenset[str], parsed: ParsedQuery) -> Turn | None:
    """The turn that a hit is, or was made from; None of what was not said, or was said by an agent."""
    record = hit.record
    is_said = record.is_evidence or record.form == "dialogue" or bool(record.sources)
    if not is_said or is_by_agent(record.speaker, record.actor):
        return None
    every = [record, *(one.record for one in hit.merged if one.record.is_evidence)]
    text = "\n".join(one.text for one in every)
    return Turn(every[-1].time, record.speaker, record.id, _find_measures(text, units, parsed))


def asked_units(parsed: ParsedQuery, question: str) -> frozenset[str]:
    """The stems of what a question counts; the units of time if it asks how long. None of a question about the past,
    for the first or last of its like, or about two things."""
    if parsed.past or parsed.order or parsed.comparison:
        return frozenset()
    if parsed.answer_type == "count":
        return frozenset(tokenize(question))
    return _time_units() if "duration" in find_question_cues(question) else frozenset()


def _find_measures(text: str, units: frozenset[str], parsed: ParsedQuery) -> dict[str, Measure]:
    """The numbers whose unit is asked for, by unit: in sentences with another word of the question."""
    found: dict[str, Measure] = {}
    forms = {form for term in parsed.terms if not term.is_hypernym for form in term.forms}
    for sentence in split_sentences(text):
        words = forms.intersection(tokenize(sentence))
        for match in _measure_pattern().finditer(sentence) if words else ():
            first, second = tokenize(match["first"])[:1], tokenize(match["second"] or "")[:1]
            unit = next((stem for stem in (*first, *second) if stem in units), "")
            if unit and unit not in found and words != {unit}:
                written = match[0] if unit not in first or not second else match[0].rsplit(" ", 1)[0]
                number = _number_words().get(fold_name(match["number"]), match["number"])
                found[unit] = Measure(number, written)
    return found


@cache
def _time_units() -> frozenset[str]:
    words = [
        word
        for table in load_time_words()
        for kind, words in table.items()
        if kind.startswith("unit ")
        for word in words
    ]
    return frozenset(tokenize(" ".join(words).replace("|", " ").replace("~", " ")))


@cache
def _number_words() -> dict[str, str]:
    return {word: str(number) for words in load_number_words().values() for number, word in enumerate(words.split())}


@cache
def _measure_pattern() -> re.Pattern[str]:
    numbers = "|".join(sorted(map(re.escape, _number_words()), key=len, reverse=True))
    number = rf"(?P<number>\d+(?:[.,:\-–]\d+)*|\b(?:{numbers})\b)(?:st|nd|rd|th)?"
    return re.compile(rf"(?i){number}\s+(?P<first>[^\W\d_][\w'-]*)(?:\s+(?P<second>[^\W\d_][\w'-]*))?")
