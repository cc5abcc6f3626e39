"""Which of two values of one thing holds: the newer takes the place above, and hits show the others with their days.

In talk, of two numbers of one unit that a question asks for, the newer one comes before the older.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from msgspec import Struct, structs

from commonplace.index import Filter, Index, IndexedRecord, Replacement
from commonplace.language.text import (
    WORD_LIST_LANGUAGES,
    ends_in_question_mark,
    fold_name,
    sanitize_line,
    split_sentences,
    split_units,
    tokenize,
)
from commonplace.language.word_data import SHARED, load_shared_words, load_time_words, load_word_table
from commonplace.model import TRUSTS, Hit, OtherValue, Record, day_of
from commonplace.retrieval.recall.candidates import source_ids
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import find_question_cues
from commonplace.retrieval.recall.scoring import is_by_agent
from commonplace.retrieval.shares import MAX_EXCERPT_CHARS, QUARTER

RowChain = tuple[tuple[int, ...], ...]  # rows in the order in which they were said; that of a group is not known
MIN_COVERAGE = QUARTER  # of the weight of the question's words that each of two turns has


class ValueOrder(Struct, frozen=True):
    """The lines that give values of one thing, as chains of rows, the oldest first.

    `rows` has their records and `days` when these were said; `replacing` are the rows that replace others; `ended` has
    captures and lines that no longer hold `today`, with the day at which they ended. A question about the past, `past`,
    asks for the `first` value, the `previous` one, or that of a day.
    """

    chains: tuple[tuple[int, ...], ...] = ()
    past: str = ""
    rows: dict[int, IndexedRecord] = {}
    days: dict[int, str] = {}
    replacing: frozenset[int] = frozenset()
    ended: dict[int, str] = {}
    today: str = ""

    def exchange_places(self, row_ids: Sequence[int]) -> list[int]:
        """The rows, with those of each chain in the places that they hold together: the newest first, in a question
        about the past that of the time that it means."""
        places = {row_id: place for place, row_id in enumerate(row_ids)}
        ordered = list(row_ids)
        for chain in self.chains:
            rows = [row_id for row_id in self._newest_first(chain) if row_id in places]
            for row_id, place in zip(rows, sorted(map(places.__getitem__, rows)), strict=True):
                ordered[place], places[row_id] = row_id, place
        return ordered

    def _newest_first(self, chain: tuple[int, ...]) -> tuple[int, ...]:
        newest, *others = reversed(chain)
        if not self.past:
            return newest, *others
        if self.past == "first":
            return chain
        if self.past == "previous":
            return *others, newest
        held = next((row_id for row_id in reversed(chain) if self.days.get(row_id, "") <= self.past), newest)
        return held, *(row_id for row_id in reversed(chain) if row_id != held)

    def mark_hit(self, index: Index, row_id: int, hit: Hit) -> Hit:
        """The hit with the values before and after its own."""
        own = set(source_ids(hit.record))  # a record and its capture are no two values
        newest = [chain[-1] for chain in self.chains if row_id in chain[:-1]]
        later = [row for row in newest if own.isdisjoint(source_ids(self.rows[row].record)) or not own]
        earlier = index.earlier_values(row_id) if row_id in self.replacing else ()
        words = frozenset(split_units(hit.record.text) if earlier else ())
        # A line that says only a part of another replaces it so that the rest is not said any more.
        other = [one for one in earlier if not words.issubset(split_units(one.value))]
        other.sort(key=lambda one: one.id not in hit.record.supersedes[:1])  # then what states the same
        shown = tuple([structs.replace(one, value=_shorten_value(one.value)) for one in other])
        day, until = self.days.get(row_id, ""), self.ended.get(row_id) or _stated_end(hit.record, self.today)
        if not (later or shown or day or until):
            return hit
        newer, value = "", None
        if later:
            record, later_day = self.rows[later[0]].record, self.days.get(later[0], "")
            newer = record.id if day and later_day and not self.past else ""  # a list without days is no history
            value = OtherValue(_shorten_value(record.text), later_day, record.id)
        return structs.replace(hit, earlier=shown, later=value, earlier_than=newer, day=day, until=until)


NO_ORDER = ValueOrder()


def _stated_end(record: Record, today: str) -> str:
    """The last day of what one sentence said to hold until then, if that is over: whoever said it. Of several sentences
    nobody knows which of them ended."""
    from commonplace.language.when import find_time_phrases

    said = record.time or record.valid_from
    if not said or len(split_sentences(record.text, loosely=True)) != 1:
        return ""
    phrases = find_time_phrases(record.text, said, direction="future")
    ends = [one.interval.last_day for one in phrases if one.relation in ("until", "through")]
    return ends[0] if len(ends) == 1 and said[:10] <= ends[0] < today else ""


def order_values(
    index: Index, rows_by_id: dict[int, IndexedRecord], record_filter: Filter, *, today: str, past: str = ""
) -> ValueOrder:
    """The order of the values that records give of one thing on a day."""
    relations = index.relations_of(rows_by_id)
    captures = [row_id for row_id, row in rows_by_id.items() if row.record.is_evidence]
    replaced = index.replaced_captures(captures, today) if captures else {}
    ended = {row_id: end for row_id, (_later, end) in replaced.items() if end}
    ends = {row_id: day_of(row.record.valid_to) for row_id, row in rows_by_id.items()}
    ended |= {row_id: end for row_id, end in ends.items() if "" < end <= today}
    replacing = {row_id for row_id, held in relations.items() if held.replaces}
    replacing |= {row_id for row_id, row in rows_by_id.items() if row.record.supersedes}
    order = ValueOrder(past=past, replacing=frozenset(replacing), ended=ended, today=today)
    chains = _written_chains(index, {chain for held in relations.values() for chain in held.chains})
    chains |= _replacement_chains([one for held in relations.values() for one in (*held.replaced_by, *held.replaces)])
    chains |= {((row_id,), (later,)) for row_id, (later, _end) in replaced.items() if later}
    if not chains:
        return order
    every_row = {row_id for chain in chains for group in chain for row_id in group}
    others = index.token_counts(every_row - rows_by_id.keys(), record_filter)
    rows = {row_id: row for row_id, row in (rows_by_id | index.fetch(others)).items() if row_id in every_row}
    flat = {chain for groups in chains if len(chain := _flatten_chain(groups, rows)) > 1}
    by_place = sorted(flat, key=lambda chain: [_place_key(rows[row_id]) for row_id in chain])
    return structs.replace(order, chains=tuple(by_place), rows=rows, days=_days_said(index, rows))


def _written_chains(index: Index, chains: set[RowChain]) -> set[RowChain]:
    """The chains without lines that were made of talk, which are no values of one thing as a rule: of a line with
    captures one of these must be such a line itself."""
    if not chains:
        return chains
    rows = index.fetch({row_id for chain in chains for group in chain for row_id in group})
    captures = {row.record.id for row in rows.values() if row.record.is_evidence}
    written = {
        row_id
        for row_id, row in rows.items()
        if row.record.is_evidence or not row.record.sources or not captures.isdisjoint(row.record.sources)
    }
    return {tuple(tuple(row_id for row_id in group if row_id in written) for group in chain) for chain in chains}


def _replacement_chains(replacements: list[Replacement]) -> set[RowChain]:
    """Rows that replace each other, however indirectly, as chains in the order in which they were said."""
    chain_of: dict[int, set[int]] = {}
    said: dict[int, str] = {}
    for one in replacements:
        rows = chain_of.get(one.older, {one.older}) | chain_of.get(one.newer, {one.newer})
        chain_of |= dict.fromkeys(rows, rows)
        said[one.newer] = max(one.order_key, said.get(one.newer, ""))
    return {tuple((row,) for row in sorted(rows, key=lambda row: said.get(row, ""))) for rows in chain_of.values()}


def share_marks(hits: list[Hit]) -> list[Hit]:
    """Hits that are one thing, each with the marks of the first that has any: a capture is as old as its record."""
    marked = next((hit for hit in hits if hit.later or hit.until or hit.earlier), None)
    if marked is None:
        return hits
    marks = {name: getattr(marked, name) for name in ("later", "earlier_than", "day", "until")}
    return [hit if hit.later or hit.until or hit.earlier else structs.replace(hit, **marks) for hit in hits]


def _days_said(index: Index, rows: dict[int, IndexedRecord]) -> dict[int, str]:
    """The day at which each row was said, by the newest capture behind it, its own date, or when it was recorded."""
    newest = index.newest_sources(rows)
    days = ((row_id, newest[row_id].time if row_id in newest else "") for row_id in rows)
    return {row_id: day_of(day or rows[row_id].record.time or rows[row_id].record.recorded) for row_id, day in days}


def _flatten_chain(groups: Iterable[Iterable[int]], rows: dict[int, IndexedRecord]) -> tuple[int, ...]:
    """The rows of a chain in order; what is trusted less than something older takes no part."""
    chain: list[int] = []
    rank = 0
    for group in groups:
        for row_id in sorted((row_id for row_id in group if row_id in rows), key=lambda row: _place_key(rows[row])):
            if (trust := TRUSTS.index(rows[row_id].record.trust)) >= rank:
                chain.append(row_id)
                rank = trust
    return tuple(chain)


def _place_key(row: IndexedRecord) -> tuple[str, int, str]:
    return row.record.source.path, row.record.source.byte_start, row.record.id


def _shorten_value(text: str) -> str:
    line = sanitize_line(text).strip().rstrip(".。")
    return line if len(line) <= MAX_EXCERPT_CHARS else f"{line[: MAX_EXCERPT_CHARS - 1].rstrip()}…"


Measure = tuple[str, str]  # a number with its unit in a turn: the number in figures, and both as they are written


class Turn(Struct, frozen=True):
    """A hit as a turn of talk: its position, when and by whom it was said, and what it measures, by unit."""

    position: int
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
            for unit, (number, _text) in self.measures.items()
            if unit in other.measures and other.measures[unit][0] != number
        ]
        return max(later, key=lambda found: found[0].time, default=None)


def find_later_values(
    hits: list[Hit], parsed: ParsedQuery, units: frozenset[str], coverage: Callable[[int], float]
) -> dict[int, tuple[int, OtherValue]]:
    """By the place of an older turn the place of a newer one with another number of a unit that is asked for;
    `coverage` is that of the hit at a place."""
    turns: list[Turn] = []
    for place, record in enumerate([hit.record for hit in hits]):  # those that were said, and not by an agent
        is_said = record.is_evidence or record.form == "dialogue" or bool(record.sources)
        if coverage(place) >= MIN_COVERAGE and is_said and not is_by_agent(record.speaker, record.actor):
            every = [record, *(one.record for one in hits[place].merged if one.record.is_evidence)]
            measures = _find_measures("\n".join(one.text for one in every), units, parsed)
            turns += [Turn(place, every[-1].time, record.speaker, record.id, measures)] if measures else []
    later: dict[int, tuple[int, OtherValue]] = {}
    for turn in turns:
        if found := turn.find_later(turns):
            newer, unit = found
            value = OtherValue(newer.measures[unit][1], day_of(newer.time), newer.record_id)
            later[turn.position] = newer.position, value
    return later


def asked_units(parsed: ParsedQuery, question: str) -> frozenset[str]:
    """The stems of what a question counts; the units of time if it asks how long. None of a question about the past,
    or for the first or last of its like."""
    if parsed.past or parsed.order:
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
                found[unit] = number, written
    return found


@cache
def _time_units() -> frozenset[str]:
    units = ((kind, words) for table in load_time_words() for kind, words in table.items())
    words = [word for kind, words in units if kind.startswith("unit ") for word in words]
    return frozenset(tokenize(" ".join(words).replace("|", " ").replace("~", " ")))


@cache
def _number_words() -> dict[str, str]:
    words = load_shared_words("number_words").values()
    return {word: str(number) for some in words for number, word in enumerate(some.split())}


@cache
def _measure_pattern() -> re.Pattern[str]:
    numbers = "|".join(sorted(map(re.escape, _number_words()), key=len, reverse=True))
    number = rf"(?P<number>\d+(?:[.,:\-–]\d+)*|\b(?:{numbers})\b)(?:st|nd|rd|th)?"
    return re.compile(rf"(?i){number}\s+(?P<first>[^\W\d_][\w'-]*)(?:\s+(?P<second>[^\W\d_][\w'-]*))?")


# whether two captures say the same

# Labels of words without which a sentence says something else, and so of no mere function words.
_DECISIVE_LABELS = ("strict ", "pole ")


def content_tokens(tokens: Iterable[str], language: str) -> tuple[str, ...]:
    """The tokens without function words of the language that change nothing."""
    ignored = _empty_tokens(language)
    return tuple([token for token in tokens if token not in ignored])


def is_same_content(record: Record, other_record: Record) -> bool:
    """Whether captures with equal content words say the same: by one speaker, both or neither a question, and of the
    same times, which words like `today` mean only on one day."""
    from commonplace.language.when import find_time_phrases

    pair = record, other_record
    one, other = ((one.speaker, one.actor, one.scope, one.trust, ends_in_question_mark(one.text)) for one in pair)
    if one != other:
        return False
    times, other_times = ([phrase.interval for phrase in find_time_phrases(one.text, one.time)] for one in pair)
    return record.time == other_record.time or times == other_times


@cache
def _empty_tokens(language: str) -> frozenset[str]:
    """The tokens of function words that change nothing: no pronouns, negations, or words with an opposite."""
    labels = load_word_table(language, "labelled_phrases").items() if language in WORD_LIST_LANGUAGES else ()
    decisive = [phrase for label, phrases in labels if label.startswith(_DECISIVE_LABELS) for phrase in phrases]
    decisive += [load_shared_words("second_person_words").get(language, "")]
    decisive += [
        word
        for kind in ("pointer", "pointer at times")
        for word in load_word_table(language, "deictic_words").get(kind, ())
    ]
    words = " ".join(load_word_table(SHARED, "function_words").get(language, ()))
    return frozenset(tokenize(words, language)).difference(tokenize(" ".join(decisive), language))
