"""Whether a line that a language model worded is supported by the captures that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product
from unicodedata import category, normalize

from msgspec import Struct

from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    UNSPACED_WORD_LISTS,
    find_numbers,
    fold_name,
    irregular_word_forms,
    is_part_or_compound,
    is_stop_word,
    languages_of,
    match_labels,
    split_sentences,
    stem_by_script,
    stem_to_tokens,
    strip_particle,
    tokenize,
    write_figures,
)
from commonplace.language.when import Direction, TimePhrase, calendar_words, find_time_phrases, has_right_weekday
from commonplace.lazy import lazy_pattern
from commonplace.truth import change_words_of, is_in_past, labels_of
from commonplace.upkeep.agent_words import StatementClause, StatementWords

MAX_LINE_CHARS = 400
MARKUP = ("<!--", "-->", "~~", "```")  # of an annotation, of a line that was replaced, of a block of code
JOINERS = "\u200c\u200d"  # invisible, but parts of words and of emoji
DIRECTIONS: tuple[Direction, ...] = ("past", "future")
OPEN_SIDES = {"since": "end", "after": "end", "until": "start", "before": "start"}
# By the side on which a time of a line is open: those of the times that support it.
ALLOWED_SIDES = {None: (None, "start", "end"), "start": (None, "start", "own day"), "end": (None, "end")}
COVER = "|"  # written over what is verified already: neither a word nor the end of a sentence
INFLECTED_NAMES = ("de", "ru")  # languages in which a name has other endings than a genitive
# Labels of words with which a line opens that names nobody (`Prefers tea`).
OPENINGS = ("preference", "decision", "life", "health", "relation", "rule", "modal", "attribution", "progress", "act",
            "money", "lesson", "recurring", "for later", "light")  # fmt: skip
NEGATIONS, DENIALS = ("strict negation",), ("strict negation", "strict limit", "prohibition")
MIN_SHARED_WORDS = 0.25  # of the content words of a line
MIN_CONTRADICTED_SHARE = 0.75  # of the words of a clause, or all but one
_NEGATIONS, _PAST_FORM = labels_of("negation retraction"), labels_of("past_form")
_EAST_ASIAN = "\u2e80-\uabff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u109f\u1780-\u17d3"
_WORD = lazy_pattern(rf"[{_EAST_ASIAN}]+|(?:(?![{_EAST_ASIAN}])[^\W_]|[{_MARKS}])+")
_ADDRESS = lazy_pattern(r"(?a:\w+(?:(?:://|[-./@:\\+#~=]+)\w+)*(?:\+\+|#)?)")
# What an address, a path, a version or another identifier has, and no other word.
_IDENTIFIER = lazy_pattern(r"[@_\\#=~]|\+\+|://|[^\W\d_]-?\d|\w\w\.[^\W\d_]{2}|\w/\w+/|[^\W\d].*/.*\d|\d.*/.*[^\W\d]")
_HIRAGANA = lazy_pattern("[\u3041-\u309f]+")
_CLAUSE = lazy_pattern(r"[^\s,;:.!?|，；：。！？、]+")
_SENTENCE_START = lazy_pattern(r"(?:^|[.!?…。！？])[\s\"'“”„«»()\[\]*_¿¡-]*$")


class CitedText(Struct, frozen=True):
    """A capture that a line cites: its id, who said it, its ISO time, and its words."""

    id: str
    speaker: str
    time: str
    text: str


def find_unsupported(line: str, cited: Sequence[CitedText], known_names: Sequence[str] = ()) -> str:
    """Why a line is not supported by what it cites, as a sentence for people; empty if it is.

    Each number with its unit, each date and each name must be in a capture, or follow from the day of one; names of
    speakers and `known_names` may be used too. The line must be in a language of the captures, share some of their
    words, and deny what they deny. Not verified are names in lower case or hiragana, those that begin a sentence and
    are words of the captures too (`Will`), and negations in languages without word lists. Raises ValueError for the
    time of a capture that is neither empty nor an ISO date or minute.
    """
    return _find_malformed(line, cited) or next(_Verification(line, cited, known_names).reasons(), "")


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """The span of a quotation in a text, white space folded on both sides; None if it is blank or not there."""
    words = quote.split()
    match = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return match.span() if match else None


def _find_malformed(line: str, cited: Sequence[CitedText]) -> str:
    mark = next((mark for mark in MARKUP if mark in line), "")
    if not line.strip() or not cited:
        return "it cites no capture" if line.strip() else "it is blank"
    if "\n" in line.strip() or mark:
        return f"it contains {mark!r}" if mark else "it has more than one line"
    if len(line) > MAX_LINE_CHARS:
        return f"it has {len(line)} characters, more than {MAX_LINE_CHARS}"
    joiners = {char for char in JOINERS for one in cited if char in one.text}
    hidden = next((c for c in line if not c.isprintable() and category(c) != "Zs" and c not in joiners), "")
    return f"it has the control or invisible character U+{ord(hidden):04X}" if hidden else ""


class _Verification:
    """A line, and all that its captures have to support it."""

    def __init__(self, line: str, cited: Sequence[CitedText], known_names: Sequence[str]) -> None:
        self._cited = [CitedText(one.id, one.speaker, one.time, normalize("NFKC", one.text)) for one in cited]
        self._line = normalize("NFKC", line)
        said = f" {COVER} ".join(one.text for one in self._cited)
        self._languages, languages = languages_of(self._line), languages_of(said)
        self._language = next((one for one in languages if one in self._languages), languages[0])
        self._times = self._read_times()
        rest = self._line
        for start, end in self._times:
            rest = rest[:start] + COVER * (end - start) + rest[end:]
        self._rest, self._cited_words = (write_figures(one, self._language) for one in (rest, said))
        self._names = [name for one in (*known_names, *(one.speaker for one in cited)) if (name := one.strip())]
        self._evidence = f" {COVER} ".join((self._cited_words, *self._names))
        self._folded = fold_name(self._evidence)
        self._words = frozenset(_WORD.findall(self._folded))

    def reasons(self) -> Iterator[str]:
        """Yield why the line is not supported, in the order in which it is verified."""
        numbers, known = (find_numbers(one, self._language) for one in (self._rest, self._cited_words))
        numbers = [one for one in numbers if one.value != "1" or one.written[-1].isdecimal()]  # one is an article
        values, unsaid = {one.value for one in known}, [span for span, follows in self._times.items() if not follows]
        missing = (number.written for number in numbers if number.value not in values)
        yield from (f"the number {written} is in none of its captures" for written in missing)
        yield from (f"the date {self._line[slice(*span)]!r} follows from none of its captures" for span in unsaid)
        names = chain(self._find_unknown_names(), self._find_unknown_runs())
        yield from (f"the name {name} is in none of its captures" for name in names)
        if set(self._languages).isdisjoint(name for one in self._cited for name in languages_of(one.text)):
            yield "it is in another language than its captures"
        yield from self._find_contradictions()
        for number in numbers:
            if not any(one.value == number.value and number.may_have_unit_of(one) for one in known):
                yield f"the number {number.written} has another unit in its captures than {number.unit}"
        named = set(tokenize(" ".join(self._names), self._language))
        words = {word for word in tokenize(self._rest, self._language) if word.isalpha() and word not in named}
        content = {word for word in words if not is_stop_word(word, self._language)}
        if len(content.intersection(tokenize(self._cited_words, self._language))) < MIN_SHARED_WORDS * len(content):
            yield "it speaks of something else than its captures"

    def _read_times(self) -> dict[tuple[int, int], bool]:
        """The spans of the times of the line, and whether each follows from its captures; without durations."""
        follows: dict[tuple[int, int], bool] = {}
        durations = set()
        for one, direction in product(self._cited, DIRECTIONS):
            if direction == "future" and all(follows.values()):
                continue
            for phrase in find_time_phrases(self._line, one.time, direction=direction):
                span = phrase.start, phrase.end
                follows[span] = follows.get(span, False) or self._follows(phrase, one, direction)
                if phrase.relation in ("in", "through") and phrase.named.start > one.time and self._has_measure(phrase):
                    durations.add(span)
        return {span: is_said for span, is_said in follows.items() if is_said or span not in durations}

    def _has_measure(self, phrase: TimePhrase) -> bool:
        """Whether a time that depends on the day counts units: `in two weeks`, `three years ago`."""
        return not phrase.stated and any(one.is_measure for one in find_numbers(phrase.phrase, self._language))

    def _follows(self, phrase: TimePhrase, own: CitedText, direction: Direction) -> bool:
        """Whether a time of the line, read on the day of a capture, is or contains one of that capture; what counts
        units is the same, or stands there word for word."""
        if not phrase.stated and re.search(rf"(?<!\w){re.escape(fold_name(phrase.phrase))}(?!\w)", fold_name(own.text)):
            return True
        span, side = phrase.interval if phrase.relation == "around" else phrase.named, OPEN_SIDES.get(phrase.relation)
        is_exact, allowed = self._has_measure(phrase), ALLOWED_SIDES[side]
        return has_right_weekday(phrase) and any(
            (is_exact and (span.start, span.end) == (start, end) and side == other)
            or (not is_exact and span.start <= start and end <= span.end and other in allowed)
            for start, end, other in _stated_times(own, direction)
        )

    def _find_unknown_names(self) -> Iterator[str]:
        """Yield the identifiers and the words that are written like names, or without capitals, in no capture."""
        for match in _ADDRESS.finditer(self._rest):
            if _IDENTIFIER.search(match[0]) and not self._is_known(match[0]):
                yield match[0]
        is_unspaced = self._language in UNSPACED_WORD_LISTS
        before, end = "", -1  # the last name, perhaps of several words
        for match in _WORD.finditer(self._rest):
            word, folded = match[0], fold_name(match[0])
            is_cased = word.lower() != word.upper()
            is_name = word != word.lower() or not is_cased or is_unspaced or folded in calendar_words(weak=False)
            if word == "I" or word.isdecimal() or not is_name or (is_unspaced and word >= FIRST_EAST_ASIAN_CHAR):
                continue
            opens = _SENTENCE_START.search(self._rest[: match.start()]) and self._is_ordinary(folded)
            if not opens and not (self._is_name_known(word, folded) if is_cased else self._is_word_known(word)):
                yield word
            is_joined = before and self._rest[end : match.start()] in (" ", "-") and self._language != "de"
            if is_joined and not self._is_known(f"{before} {word}"):
                yield f"{before} {word}"
            before, end = "" if opens or not is_cased else word, match.end()

    def _is_known(self, phrase: str) -> bool:
        """Whether words stand together in a capture or a known name, ignoring case and hyphens."""
        return bool(re.search(rf"(?<![\w.@]){re.escape(fold_name(phrase))}s?(?!\w|[.@]\w)", self._folded))

    def _is_name_known(self, word: str, folded: str) -> bool:
        """Whether a word is in the captures or known names; a function word or a month only with its capital."""
        if is_stop_word(folded, self._language) or folded in calendar_words(weak=True) - calendar_words(weak=False):
            return word in _WORD.findall(self._evidence) or (folded in self._words and word == folded)
        if not self._words.isdisjoint((folded, folded.removesuffix("s"), f"{folded}s")):
            return True
        (stem,), stems = stem_to_tokens(word.casefold(), (self._language,)), _word_stems(self._evidence, self._language)
        is_form = stem in stems and self._language in INFLECTED_NAMES
        return is_form or (self._language == "de" and is_part_or_compound(folded, stem, stems))

    def _is_ordinary(self, folded: str) -> bool:
        """Whether a word that opens a sentence needs no capital: a function word, a form of a word that the captures
        have in lower case, or what people say of somebody (`prefers`)."""
        language = self._language
        (stem,), forms = stem_to_tokens(folded, (language,)), irregular_word_forms(folded) if language == "en" else ()
        labels = match_labels(folded, language) | match_labels(stem if language == "en" else folded, language)
        return (
            is_stop_word(folded, language)
            or stem in _word_stems(self._cited_words, language, is_lower=True)
            or not self._words.isdisjoint(forms)
            or any(one.labels & _PAST_FORM for one in change_words_of(language).phrases(folded))
            or not labels.isdisjoint(OPENINGS)
        )

    def _is_word_known(self, word: str) -> bool:
        """Whether a word without capitals is a function word, or in the captures without its particle or ending."""
        stem = word[: max(2, len(word) - 2)] if "\uac00" <= word[0] <= "\ud7a3" else word + COVER  # of a Korean word
        bare = {strip_particle(word), *stem_by_script(word)}
        said = (form for one in self._words for form in (one, strip_particle(one), *stem_by_script(one)))
        tokens = set(tokenize(word, self._language)) - set(tokenize(self._evidence, self._language))
        is_said = not tokens or not bare.isdisjoint(said) or any(one.startswith(stem) for one in self._words)
        return is_said or is_stop_word(word, self._language)

    def _find_unknown_runs(self) -> Iterator[str]:
        """Yield the words in Han characters or katakana with a pair of characters that is in no capture."""
        is_unspaced = self._language in UNSPACED_WORD_LISTS
        for phrase in change_words_of(self._language).phrases(self._cover_names()) if is_unspaced else ():
            run = phrase.text
            pairs = map("".join, pairwise(run)) if len(run) > 1 else run
            is_word = not phrase.labels and run[0] >= FIRST_EAST_ASIAN_CHAR and not _HIRAGANA.match(run)
            if is_word and not all(pair in self._evidence for pair in pairs):
                yield run

    def _cover_names(self) -> str:
        text = self._rest
        for name in sorted(self._names, key=len, reverse=True):
            text = text.replace(name, COVER * len(name)) if len(name) > 1 else text
        return text

    def _find_contradictions(self) -> Iterator[str]:
        denies = not match_labels(self._line, self._language).isdisjoint(NEGATIONS)
        are_denied = any(not match_labels(one.text, self._language).isdisjoint(DENIALS) for one in self._cited)
        if denies and not are_denied:
            yield "it denies what none of its captures denies"
        theirs = [clause for one in self._cited for clause in _read_clauses(one.text, self._language)]
        for clause in _read_clauses(self._cover_names(), self._language) if are_denied else ():
            subject = (clause.denied - clause.holds) or clause.tokens  # what a negation is before
            rivals = [one for one in theirs if subject & one.tokens]
            if clause.is_denied and rivals and not any(subject & one.denied for one in rivals):
                yield "it denies what its captures say"
            most = max((len(subject & one.tokens) for one in rivals), default=0)
            nearest = [one for one in rivals if len(subject & one.tokens) == most]
            is_related = most >= min(MIN_CONTRADICTED_SHARE * len(subject), max(len(subject) - 1, 1))
            if not clause.is_denied and rivals and is_related and not any(clause.agrees_with(one) for one in nearest):
                yield "it says what its captures deny"


@lru_cache(256)
def _stated_times(cited_text: CitedText, direction: Direction) -> tuple[tuple[str, str, str | None], ...]:
    """The times in a capture, the start and end of each and the side on which it is open; and its day, if it has times
    of its own only as an end. What ends within a day, as a night does, counts as of its start."""
    phrases = find_time_phrases(cited_text.text, cited_text.time, direction=direction)
    times = []
    for phrase in phrases:
        start, end = phrase.named.start, phrase.named.end
        if direction == "past" or start <= cited_text.time or not is_in_past(cited_text.text, phrase.start, phrase.end):
            times.append((start, end if end.endswith("T00:00") else start, OPEN_SIDES.get(phrase.relation)))
    day = (f"{cited_text.time[:10]}T00:00", f"{cited_text.time[:10]}T23:59", "own day" if phrases else None)
    return (*times, day) if cited_text.time else tuple(times)


@lru_cache(256)
def _word_stems(text: str, language: str, *, is_lower: bool = False) -> frozenset[str]:
    """The stems of the words of a text without function words, or only of those in lower case."""
    words = {word.casefold() for word in _WORD.findall(text) if not is_lower or word.islower()}
    content = (word for word in words if not is_stop_word(word, language))
    return frozenset(stem for word in content for stem in stem_to_tokens(word, (language,)))


@lru_cache(256)
def _read_clauses(text: str, language: str) -> tuple[StatementClause, ...]:
    """The clauses of a text with what each says and denies; in Chinese and Japanese the pairs of characters."""
    if language not in UNSPACED_WORD_LISTS:
        return tuple(clause for sentence in split_sentences(text) for clause in StatementWords(sentence).clauses)
    clauses, nothing = [], frozenset[str]()
    for part in _CLAUSE.findall(text):
        pairs = frozenset(tokenize(_HIRAGANA.sub(" ", part), language))
        is_denied = any(phrase.labels & _NEGATIONS for phrase in change_words_of(language).phrases(part))
        held, denied = (nothing, pairs) if is_denied else (pairs, nothing)
        clauses.append(StatementClause(held, denied, is_denied, nothing))
    return tuple(clauses)
