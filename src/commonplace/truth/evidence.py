"""What a line rests on: the first source that changed, how sure an opinion is; what else states a replaced value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from msgspec import Struct, structs

from commonplace.index import AllOf, AnyOf, Filter, Index
from commonplace.language import text
from commonplace.language.text import FIRST_EAST_ASIAN_CHAR
from commonplace.lazy import lazy_pattern
from commonplace.model import CAPTURE_PREFIX, TRUSTS, Record
from commonplace.storage.workspace import ID_ALPHABET, QUEUE_PATH, is_valid_id
from commonplace.truth.relations import content_tokens

DERIVED_ID_CHARS = 12  # of a line without an `id:`
FIRST_CONFIDENCE = 0.8  # of an opinion that was kept without a `c=`, as of what is extracted
FIRST_WEIGHT = 4  # days of evidence that outweigh what was believed at first; each further day moves belief by less
MAX_QUEUE_LINES = 200  # of the last lines of the queue
ANY_RECORD = Filter()
# How a line of the queue names what it contradicts (`upkeep/consolidate/file_edits.py`)
_AGAINST = lazy_pattern(r"\[against ([a-z0-9, -]+)\]$")


class ChangedSource(Struct, frozen=True):
    """A source that changed: its id, what supersedes it (empty if it was removed), and the source that rests on it."""

    id: str
    superseded_by: str
    through: str


def names_record(source: str) -> bool:
    """Whether a source names a capture or a record, and no file, address or other thing."""
    if source.startswith(CAPTURE_PREFIX):
        return True
    is_derived = len(source) == DERIVED_ID_CHARS and set(source) <= set(ID_ALPHABET)
    return is_valid_id(source) and (is_derived or any(map(str.isdigit, source)))


def find_changed_source(record: Record, index: Index) -> ChangedSource | None:
    """The first source of a record that changed, or that rests on one that did; None if all are as they were. What the
    line itself, or another source of it, supersedes is no change: the line knows what replaced it."""
    visited = {record.id}
    pending = [(record, source, source) for source in record.sources]
    for line, source_id, through in pending:
        source = index.find(source_id)
        if source is None:  # where there are no captures, the journals are elsewhere
            is_gone = index.capture_count() > 0 and not index.find_captured_keys((source_id,))
            if is_gone if source_id.startswith(CAPTURE_PREFIX) else names_record(source_id):
                return ChangedSource(source_id, "", through)
            continue
        if source.superseded_by and source.superseded_by not in (line.id, *line.sources):
            return ChangedSource(source_id, source.superseded_by, through)
        if source.id not in visited:
            visited.add(source.id)
            pending += [(source, one, through) for one in source.sources]
    return None


def derive_confidence(first: float, days_for: int, days_against: int) -> float:
    """(4 · first + days for) / (4 + days for + days against), to two places."""
    return round((FIRST_WEIGHT * first + days_for) / (FIRST_WEIGHT + days_for + days_against), 2)


def derive_beliefs(index: Index, records: Sequence[Record]) -> tuple[Record, ...]:
    """The records; opinions that rest on something, or that something speaks for or against, with what is believed.

    For an opinion speak the days, after the first, of its sources and of those that the ledger says support it; against
    it, the days of what claims to replace it and does not, and of what waits for review. What is trusted less than the
    opinion, or belongs to another scope, does not count.
    """
    opinions = [one.id for one in records if one.kind == "opinion" and not one.is_evidence]
    if not opinions:
        return tuple(records)
    supporting, disputing = index.supporting_sources(opinions), find_disputes(index, opinions)
    derived = []
    for record in records:
        sources = [*record.sources, *(source for source, _time in supporting.get(record.id, ()))]
        disputes = [line for line in disputing.get(record.id, ()) if line.id != record.superseded_by]
        if record.id in opinions and (sources or disputes or record.confidence is not None):
            days = _days_of(_trusted_as(record, map(index.find, sources)))
            said = min(_days_of(map(index.find, record.sources)), default=record.time[:10])
            against = set()
            for line in _trusted_as(record, disputes):
                against |= _days_of(map(index.find, line.sources)) or _days_of([line])
            days_for, days_against = len(days - {said}), len(against)
            first = FIRST_CONFIDENCE if record.confidence is None else record.confidence
            believed = derive_confidence(first, days_for, days_against)
            record = structs.replace(record, believed=believed, days_for=days_for, days_against=days_against)
        derived.append(record)
    return tuple(derived)


def describe_belief(record: Record) -> str:
    """`believed 0.84 = (4 × 0.8 + 1) / (4 + 1 + 0): 1 day for it, 0 against`; empty without evidence."""
    days_for, days_against = record.days_for, record.days_against
    if record.believed is None or not (days_for or days_against):
        return ""
    first = FIRST_CONFIDENCE if record.confidence is None else record.confidence
    formula = f"({FIRST_WEIGHT} × {first:g} + {days_for}) / ({FIRST_WEIGHT} + {days_for} + {days_against})"
    days = "day" if days_for == 1 else "days"
    return f"believed {record.believed:g} = {formula}: {days_for} {days} for it, {days_against} against"


def find_disputes(
    index: Index, record_ids: Sequence[str], record_filter: Filter = ANY_RECORD
) -> dict[str, list[Record]]:
    """The records that contradict others, by their ids: those that claim to replace them, then pending items."""
    disputes: defaultdict[str, list[Record]] = defaultdict(list)
    pairs = index.supersession_claims(record_ids, record_filter)
    rows = index.fetch({row_id for _id, row_id in pairs})
    for record_id, row_id in pairs:
        disputes[record_id].append(rows[row_id].record)
    newest = index.rows_of_file(QUEUE_PATH)[-MAX_QUEUE_LINES:]
    for pending in index.fetch(index.token_counts(newest, record_filter)).values():
        against = _AGAINST.search(pending.record.text)
        for record_id in against[1].split(", ") if against else ():
            disputes[record_id].append(pending.record)
    return disputes


def _trusted_as(record: Record, others: Iterable[Record | None]) -> list[Record]:
    """Those of the others that are in the scope of a record and trusted no less."""
    least = TRUSTS.index(record.trust)
    return [one for one in others if one and one.scope == record.scope and TRUSTS.index(one.trust) >= least]


def _days_of(records: Iterable[Record | None]) -> set[str]:
    """The days of those records that are there and have one."""
    return {one.time[:10] for one in records if one and one.time}


MAX_ECHOES = 20
MAX_EXAMINED = 400  # records that have a word of the value
MIN_CODE_DIGITS = 4  # of a number that is hardly the value of anything else
MIN_TOLD = 0.6  # of the words of a sentence that another line has too, and of a stretch without blanks


class ReplacedValue:
    """The names and codes that an old sentence has and the new text lacks, and the words that they share, of which one
    is enough to say whose value such a name or code is; `query` is what a record must have that may state it."""

    def __init__(self, old_sentence: str, new_text: str) -> None:
        old, new = frozenset(content_tokens(old_sentence)), frozenset(content_tokens(new_text))
        fresh = (tokens for word, tokens in _read_words(new_text, old_sentence) if _is_distinctive(word, 1))
        self.new = [tokens for tokens in fresh if not tokens <= old]
        self.values: list[frozenset[str]] = []
        shared: set[str] = set()
        number_before = False  # what is behind it is its unit
        for position, (word, tokens) in enumerate(_read_words(old_sentence, new_text)):
            if tokens <= new:
                shared |= set() if number_before else tokens
            elif _is_distinctive(word, position):
                self.values.append(tokens)
            number_before = not tokens <= new and any(map(str.isdigit, word))
        self.shared = frozenset(shared)
        self.query = AllOf((AnyOf(tuple(sorted(frozenset().union(*self.values)))), AnyOf(tuple(sorted(shared)))))

    def is_stated_by(self, sentence: str) -> bool:
        """Whether a sentence gives this value to the same thing, and not the new one beside it."""
        tokens = frozenset(content_tokens(sentence))
        common = tokens & self.shared
        if len(common) <= any(map(_is_unspaced, common)) or any(_has_word(tokens, one) for one in self.new):
            return False
        return any(_has_word(tokens, one) for one in self.values)


def find_echoes(index: Index, replaced: Sequence[Record], new_text: str) -> list[Record]:
    """The records and captures that state a value of `replaced` ones that a new text gives up, and nothing else that no
    other line says; with a capture the lines that rest on such alone and share a word with the text."""
    known, new = {record.id for record in replaced}, frozenset(content_tokens(new_text))
    derived = (row.record for row in index.fetch(index.rows_derived_from([*known])).values())
    echoes = {one.id: one for one in derived if known.issuperset(one.sources) and new & {*content_tokens(one.text)}}
    for old in replaced:
        sentences = text.split_sentences(old.text, loosely=True)
        nearest = max(sentences, key=lambda one: len(new.intersection(content_tokens(one))), default="")
        value = ReplacedValue(nearest, new_text)
        rows = index.matching_rows(value.query, MAX_EXAMINED) if value.values and value.shared else ()
        for record in (row.record for row in index.fetch(rows).values() if not row.record.superseded_by):
            sentences = text.split_sentences(record.text, loosely=True)
            rest = [one for one in sentences if not value.is_stated_by(one)]
            if len(rest) < len(sentences) and _is_said_elsewhere(index, record, rest):
                echoes[record.id] = record
    return [one for record_id, one in echoes.items() if record_id not in known][:MAX_ECHOES]


def _is_said_elsewhere(index: Index, record: Record, sentences: Sequence[str]) -> bool:
    """Whether what else a record says is in lines that hold and were made of it, or the lesser part of what an agent or
    a tool says."""
    wanted = [words for one in sentences if len(words := frozenset(content_tokens(one))) > 1]
    if record.actor in ("agent", "tool") and 2 * sum(map(len, wanted)) < len(content_tokens(record.text)):
        return True
    lines = (row.record for row in index.fetch(index.rows_derived_from((record.id,))).values())
    told = [frozenset(content_tokens(one.text)) for one in lines if not one.superseded_by]
    return all(any(len(words & own) >= MIN_TOLD * len(words) for own in told) for words in wanted)


def _read_words(sentence: str, other_text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The words as written, with tokens; of a script without blanks the stretches that another text has or lacks."""
    language = text.detect_language(sentence)
    for word in sentence.split():
        pairs = enumerate(word[at : at + 2] in other_text for at in range(len(word) - 1))
        runs = ([at for at, _is_shared in run] for _is_shared, run in groupby(pairs, key=itemgetter(1)))
        for part in [word[run[0] : run[-1] + 2] for run in runs] if _is_unspaced(word) and word[1:] else [word]:
            stems = text.tokenize(part, language)
            if tokens := frozenset(one for one in stems if not text.is_stop_word(one, language)):
                yield part, tokens


def _has_word(sentence_tokens: frozenset[str], word_tokens: frozenset[str]) -> bool:
    """Whether the tokens of a sentence have a word; of a stretch without blanks, most of it."""
    least = len(word_tokens) * (MIN_TOLD if any(map(_is_unspaced, word_tokens)) else 1)
    return len(sentence_tokens & word_tokens) >= least


def _is_unspaced(word: str) -> bool:
    return max(word) >= FIRST_EAST_ASIAN_CHAR


def _is_distinctive(word: str, position: int) -> bool:
    """Whether a written word is a name (with a capital inside a sentence) or a code (with many digits, or letters)."""
    if digits := sum(map(str.isdigit, word)):
        return any(map(str.isalpha, word)) or (digits >= MIN_CODE_DIGITS and ":" not in word[:-1])
    return _is_unspaced(word) or (position > 0 and any(map(str.isupper, word[:2])))
