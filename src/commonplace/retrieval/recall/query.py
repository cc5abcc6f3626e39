"""Parse a query without a model: its terms, the entities and times it names, its intent, its record filter."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, permutations
from typing import TypeVar

from msgspec import Struct, structs

from commonplace.index import Filter, Index
from commonplace.language import text, when
from commonplace.language.when import SessionRange, TimePhrase
from commonplace.lazy import lazy_pattern
from commonplace.model import Interval, Query
from commonplace.retrieval.recall.entity_names import (
    EntityNames,
    correct_names,
    find_entity_names,
    resolve_required_entities,
)
from commonplace.retrieval.recall.filters import build_record_filter, parse_time_bound, similar_scope
from commonplace.retrieval.recall.lexical import expand_query_terms
from commonplace.retrieval.recall.question_analysis import (
    AnswerType,
    Intent,
    TemporalOrder,
    agent_cue_words,
    asks_about_agent,
    classify_answer_type,
    classify_intent,
    classify_temporal_order,
    find_question_cues,
    order_cue_words,
    remove_intent_cues,
    split_questions,
)
from commonplace.retrieval.recall.required_rows import find_required_rows
from commonplace.retrieval.shares import HALF, QUARTER, TENTH

MAX_QUESTION_SENTENCES = 2  # sentences of a question; who says more tells something
FIRST_MINUTE = "0001-01-01T00:00"
LIGHT_WEIGHT = QUARTER  # the weight of a word that a question is made with, and few answers turn on
HYPONYM_WEIGHT = QUARTER  # the weight of what is of a sort that the question names, against a word that was said
EMPHASIS_BOOST = 1 + HALF + TENTH  # the weight of a word written as a name, a figure or between quotes, against another
PLACE_HYPERNYM = "where"  # goes for the name of every sort of place
_WITHIN_SENTENCE = r"(?:(?<=[a-z,;:(] )|(?<=[a-z,;:(]['\"] ))"  # another word of the same sentence
_SENTENCE_ENDS = ".!?…。！？"  # what is between quotes and ends so was spoken; it is the name of nothing

Terms = tuple[text.QueryTerm, ...]
Mention = tuple[int, str, str]  # row, folded name, role
TimeReference = TypeVar("TimeReference", TimePhrase, SessionRange)
_QUERY_WORD = lazy_pattern(r"\w[\w.]*")


class TimeWindow(Struct, frozen=True):
    """A period that a query means; with `is_centered`, the nearer to its middle the better. With `is_approximate` the
    day in its middle is the most likely, and all of it is meant: `two weeks ago`. Where no year is said, `other` is the
    nearest on the other side of the clock, of which lines may tell."""

    interval: Interval
    is_centered: bool = False
    is_approximate: bool = False
    other: Interval | None = None


class SessionReference(Struct, frozen=True):
    """The sessions that a query means: their places from 1 on, among how many, and their names. One that is counted
    from the end, `our last conversation`, may be another than the asker believes: `is_on_topic` is whether half of what
    the words of the query weigh was said in it."""

    positions: tuple[int, ...] = ()
    count: int = 0
    names: frozenset[str] = frozenset()
    is_from_end: bool = False
    is_on_topic: bool = True


class Question(Struct, frozen=True):
    """One of several questions, none of which has only words of another: which of the words to search it has, without
    light ones, and which of the names."""

    terms: Terms
    entity_names: tuple[str, ...]


class ParsedQuery(Struct, frozen=True, kw_only=True):
    """A query taken apart.

    `terms` are the words to search; `entity_names` the folded names to look for, each with the name in the query that
    it is an alias of; `speakers` those of them that speak in dialogues;
    `time_windows` the periods that it means; `sessions` those that it names by their order; `required_rows` the rows
    with the entities, tags, paths and phrases that records must have (None: any); `reference_time` the minute at which
    records must hold to count as current. `has_only_cues` is true if it has only names, times and cues of its intent;
    `asks_about_agent` if it asks
    what the agent itself said. `past` is `first` or
    `previous` if it asks for a value that held then, or the last day of the period of which it asks. `order` is whether
    it asks for the last or the first of its like; `questions` are the single ones, if it asks several;
    `is_period_only` is true if it has nothing but times.
    """

    terms: Terms
    entity_names: EntityNames
    speakers: frozenset[str]
    time_windows: tuple[TimeWindow, ...]
    sessions: SessionReference
    record_filter: Filter
    required_rows: set[int] | None
    reference_time: str
    intent: Intent
    has_only_cues: bool
    asks_about_agent: bool
    answer_type: AnswerType
    notes: tuple[str, ...]
    disabled: frozenset[str] = frozenset()
    order: TemporalOrder = ""
    questions: tuple[Question, ...] = ()
    past: str = ""
    is_period_only: bool = False


def parse_query(index: Index, query: Query, languages: tuple[str, ...] = ("en",)) -> ParsedQuery:
    """Take a query apart. Raises BadArgument for a time that cannot be read."""
    record_filter = build_record_filter(query)
    asked = text.sanitize_line(query.question)
    written, misspelt = (asked, ()) if "spellings" in query.without else correct_names(index, asked)
    phrases = tuple(one for one in when.find_time_phrases(written, query.now) if not one.is_attribute)
    around = parse_time_bound("around", query.around, query.now)
    asked_times = _question_time_phrases(written, phrases)
    windows = tuple(map(_time_window, asked_times))
    windows += (TimeWindow(around, bool(around.start and around.end)),) if around else ()
    past = _classify_past(remove_phrases(written, phrases), windows, query.now)
    if past and not record_filter.as_of:
        record_filter = structs.replace(record_filter, history=True)
    ordinals = _question_time_phrases(written, when.find_session_ranges(written))
    numbered, sessions = _resolve_session_ordinals(index, record_filter, ordinals)
    counted = (one for one in numbered if one.first > 0)  # `our last conversation` asks for the last of its like too
    untimed = remove_phrases(written, (*phrases, *numbered))
    searched = remove_phrases(written, (*phrases, *numbered), keep_names=True)
    asked_for, notes = resolve_required_entities(index, query.entities)
    words_of_text = text.name_key(untimed).split(" ")
    names = find_entity_names(index, written)  # less those that are but a word of a time: `in May` is not about May
    entity_names = {key: name for key, name in names.items() if " " in name or name in words_of_text} | asked_for
    speaker_keys = index.speaker_keys(tuple(entity_names)) if entity_names else ()
    speakers = frozenset(entity_names[key] for key in speaker_keys)
    without = frozenset(query.without)
    spoken = (*languages, text.detect_language(untimed))
    words = _QueryWords(searched, untimed, languages, entity_names, has_time=bool(windows or numbered))
    terms = _drop_name_terms(words.content_terms, speakers) or (words.name_terms if entity_names else ())
    terms = terms or (() if entity_names or windows or numbered else text.query_terms(written, languages))
    terms = _add_alias_forms(terms, entity_names, spoken)
    said = when.session_triggers("say").words if numbered else frozenset()
    cues = agent_cue_words(written) | said | (frozenset() if "order" in without else order_cue_words(written))
    terms = terms if "light" in without else _downweight_light_terms(index, terms, cues, spoken)
    terms = terms if "emphasis" in without else _boost_emphasised_terms(terms, written)
    terms = terms if "spellings" in without else expand_query_terms(index, terms, written, spoken)
    questions = tuple(_parse_question(one, terms, entity_names, spoken) for one in split_questions(written))
    repeats = any(one <= other for one, other in permutations([frozenset(one.terms) for one in questions], 2))
    answer = classify_answer_type(written)
    terms = terms if "members" in without else _add_hyponyms(index, terms, answer, spoken, entity_names=entity_names)
    return ParsedQuery(
        terms=terms,
        entity_names=entity_names,
        speakers=speakers,
        time_windows=windows,
        sessions=sessions,
        record_filter=record_filter,
        required_rows=find_required_rows(index, query, asked_for),
        reference_time=record_filter.as_of or query.now,
        intent="any" if words.intent in without else words.intent,
        has_only_cues=words.has_only_cues and bool(entity_names or windows or numbered or words.intent != "any"),
        asks_about_agent=asks_about_agent(written),
        answer_type=answer,
        questions=() if len(questions) == 1 or repeats else questions,
        past=past,
        is_period_only=bool(windows) and not entity_names and words.intent == "any" and words.has_only_cues,
        order="" if "order" in without else classify_temporal_order(remove_phrases(written, (*phrases, *counted))),
        notes=(*misspelt, *notes, *_query_notes(index, query, record_filter)),
        disabled=without,
    )


def _parse_question(part: str, terms: Terms, entity_names: EntityNames, languages: tuple[str, ...]) -> Question:
    own, folded = {term.word for term in text.query_terms(part, languages)}, f" {text.name_key(part)} "
    asked = tuple(term for term in terms if term.word in own and term.weight >= HALF)
    named = tuple(key for key, name in entity_names.items() if f" {name} " in folded or f" {key} " in folded)
    return Question(asked, named)


def _time_window(phrase: TimePhrase) -> TimeWindow:
    interval = phrase.interval
    other = phrase.other if interval.start and interval.end else None
    return TimeWindow(interval, phrase.relation == "around", phrase.about, other)


def _classify_past(untimed_text: str, windows: tuple[TimeWindow, ...], now: str) -> str:
    """Which value a question about the past asks for: `first`, `previous`, or that of a day, the last of its period."""
    ended = [window.interval for window in windows if FIRST_MINUTE < window.interval.end <= now]
    if ended and len(ended) == len(windows):
        return max(ended, key=lambda interval: interval.end).last_day
    return next((cue for cue in find_question_cues(untimed_text) if cue in ("first", "previous")), "")


def _question_time_phrases(query_text: str, phrases: tuple[TimeReference, ...]) -> tuple[TimeReference, ...]:
    """The times that a query asks for: in a text of more than two sentences, which tells a story, those in its
    questions."""
    sentences = text.split_sentences(query_text) if phrases else []
    if len(sentences) <= MAX_QUESTION_SENTENCES:
        return phrases
    ends = tuple(accumulate(map(len, sentences)))
    return tuple(one for one in phrases if text.ends_in_question_mark(sentences[bisect_right(ends, one.start)]))


def _token_forms(phrase: str, languages: tuple[str, ...]) -> Iterable[str]:
    return (form for term in text.query_terms(phrase, languages) for form in term.forms)


def _resolve_session_ordinals(
    index: Index, record_filter: Filter, ordinals: tuple[SessionRange, ...]
) -> tuple[tuple[SessionRange, ...], SessionReference]:
    """Which of the phrases mean sessions that there are, of those the query may see, and these sessions."""
    if not ordinals:
        return (), SessionReference()
    order = index.session_names(Filter(scopes=record_filter.scopes, evidence=record_filter.evidence, history=True))
    resolved = tuple(one for one in ordinals if one.indexes(len(order)))
    positions = sorted({place for one in resolved for place in one.indexes(len(order))})
    names = frozenset(order[place] for place in positions)
    is_from_end = any(one.first < 0 for one in resolved)
    return resolved, SessionReference(tuple(place + 1 for place in positions), len(order), names, is_from_end)


def remove_phrases(query_text: str, phrases: Iterable[TimePhrase | SessionRange], *, keep_names: bool = False) -> str:
    """The text without the phrases; if a time has a name (`Christmas`), the name may stay."""
    remaining, position = "", 0
    for phrase in sorted(phrases, key=lambda phrase: phrase.start):
        name = phrase.name if keep_names and isinstance(phrase, TimePhrase) else ""
        remaining += f"{query_text[position : phrase.start]} {name} "
        position = max(position, phrase.end)
    return remaining + query_text[position:]


class _QueryWords:
    """The words of a query: its intent by its cue words, and the words that are left to search.

    `searched_text` is the query without its times, but with the names of feasts and decades; `untimed_text` is without
    those as well. A query that names a time (`has_time`) does not ask for everything about an entity.
    """

    def __init__(
        self,
        searched_text: str,
        untimed_text: str,
        languages: tuple[str, ...],
        entity_names: EntityNames,
        *,
        has_time: bool,
    ) -> None:
        intent = classify_intent(untimed_text)
        every = _content_terms(searched_text, languages)
        other = every if intent == "any" else _content_terms(remove_intent_cues(searched_text, intent), languages)
        without_times = every if untimed_text == searched_text else _content_terms(untimed_text, languages)
        times = {term.word for term in other} - {term.word for term in without_times}
        spoken_of = {word for name in entity_names.values() for word in name.split(" ")}
        if has_time and text.has_only_light_words(untimed_text, spoken_of):
            other = tuple(term for term in other if term.word in times)
        self.has_only_cues = not _drop_name_terms(other, (*entity_names.values(), *map(text.fold_name, times)))
        is_about = self.has_only_cues and entity_names and intent == "any" and not has_time
        self.intent: Intent = "about" if is_about else intent
        # Lines that hold an opinion say `prefers`; those that hold a decision or a procedure do not say that they do.
        self.content_terms = every if intent == "opinion" else other
        self.name_terms = tuple(term for term in every if not _drop_name_terms((term,), entity_names.values()))


def _content_terms(query_text: str, languages: tuple[str, ...]) -> Terms:
    """The words of a text less its function words, also where it has no others."""
    spoken = (*languages, text.detect_language(query_text))
    terms = text.query_terms(query_text, languages)
    return tuple(term for term in terms if not any(text.is_stop_word(term.word, name) for name in spoken))


def _downweight_light_terms(index: Index, terms: Terms, cues: frozenset[str], languages: tuple[str, ...]) -> Terms:
    """The words, with .25 of the weight for light ones, `suggest` in `what did you suggest` and `last` in `when last`
    (`cues`), and verbs like `mention` that no line has, beside others."""
    unknown = {one for one in terms if not any(map(index.document_frequency, one.forms))}
    light = {
        one
        for one in terms
        if one.word in cues or any(text.is_light_word(one.word, name, verbs=one in unknown) for name in languages)
    }
    if len(light) == len(terms):
        return terms
    return tuple(structs.replace(one, weight=one.weight * LIGHT_WEIGHT) if one in light else one for one in terms)


def _boost_emphasised_terms(terms: Terms, query_text: str) -> Terms:
    """The words, with 1.5 times the weight for those written as names, figures or between quotes."""
    phrases = [match[0] for match in _emphasis_pattern().finditer(query_text)]
    marked = {text.fold_name(word) for phrase in phrases for word in _QUERY_WORD.findall(phrase)}
    return tuple(
        structs.replace(term, weight=term.weight * EMPHASIS_BOOST) if text.fold_name(term.word) in marked else term
        for term in terms
    )


def _add_hyponyms(
    index: Index, terms: Terms, answer_type: AnswerType, languages: tuple[str, ...], *, entity_names: EntityNames
) -> Terms:
    """The terms, and after them the hyponyms of each that the question does not have itself: a line that answers `which
    pets?` has `dog`. A question with `where` whose other words are known also searches for places."""
    own = {form for term in terms for form in term.forms}
    words = dict.fromkeys(term.word for term in terms)
    if answer_type == "place" and any(map(index.document_frequency, own)):
        words[PLACE_HYPERNYM] = None
    own_forms = own.union(*(_token_forms(name, languages) for name in entity_names))
    hyponyms: list[text.QueryTerm] = []
    for word in words:
        forms = dict.fromkeys(form for name in dict.fromkeys(languages) for form in text.hyponym_tokens(word, name))
        fresh = tuple(form for form in forms if form not in own_forms)
        if any(map(index.document_frequency, fresh)):
            hyponyms.append(text.QueryTerm(word, fresh, HYPONYM_WEIGHT, is_hypernym=True))
            own_forms.update(fresh)
    return (*terms, *hyponyms)


def _add_alias_forms(terms: Terms, entity_names: EntityNames, languages: tuple[str, ...]) -> Terms:
    """The terms; those of a name also match the words of its aliases."""
    forms: dict[str, list[str]] = {}
    for key, name in entity_names.items():
        for word in name.split(" ") if key != name else ():
            forms.setdefault(word, []).extend(_token_forms(key, languages))
    aliases = {term: forms.get(text.fold_name(term.word), ()) for term in terms} if forms else {}
    return tuple(structs.replace(one, forms=tuple(dict.fromkeys((*one.forms, *aliases.get(one, ()))))) for one in terms)


def _drop_name_terms(terms: Terms, names: Iterable[str]) -> Terms:
    """The terms without those of names: speakers are matched as such; their names are not what they talk about."""
    words = {word for key in names for word in (*key.split(" "), key.replace(" ", ""))}
    return tuple(term for term in terms if text.fold_name(term.word) not in words)


def _query_notes(index: Index, query: Query, record_filter: Filter) -> Iterator[str]:
    """Notes if no record has the scope of the query, and if the period of its filter ends before it begins; records
    that always hold are found in that all the same."""
    if query.scope and not query.all_scopes and query.scope not in (scopes := index.scopes()):
        similar = similar_scope(query.scope, scopes)
        yield f"no record has the scope {query.scope}" + (f"; did you mean scope {similar}?" if similar else "")
    if record_filter.since and record_filter.until and record_filter.until <= record_filter.since:
        yield "`until` ends before `since` begins"


@cache
def _emphasis_pattern() -> re.Pattern[str]:
    """A capitalised word or a figure behind another word of the sentence, or a few words between quotes that are no
    whole sentence; an apostrophe within a word is no quote."""
    named = rf"{_WITHIN_SENTENCE}[\"'(]?(?:[A-Z]\w+|\d[\w.]*)"
    quoted = [_quoted_phrase_pattern(*pair) for pair in (('"“', '"”'), ("'‘", "'’"), ("„", '“”"'), ("»", "«"))]
    return re.compile("|".join((named, *quoted, _quoted_phrase_pattern("«", "»", r"\s?"))))


def _quoted_phrase_pattern(opening: str, closing: str, blank: str = "") -> str:
    inner = rf"[^\s{closing}][^{closing}]{{1,58}}[^\s{closing}{_SENTENCE_ENDS}]"
    return rf"(?<!\w)[{opening}]{blank}{inner}{blank}[{closing}](?!\w)"
