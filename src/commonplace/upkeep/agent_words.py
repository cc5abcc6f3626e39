"""Whether what an agent writes down is the owner's or about its own commands; else it may be a stranger's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, cached_property
from itertools import chain
from typing import NamedTuple

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.index import Index
from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    detect_language,
    ends_in_question_mark,
    equivalent_forms,
    is_light_word,
    is_stop_word,
    languages_of,
    match_labels,
    match_phrases,
    split_sentences,
    split_units,
    tokenize,
)
from commonplace.language.when import find_time_phrases
from commonplace.language.word_data import load_word_table
from commonplace.lazy import lazy_pattern
from commonplace.model import Capture, Interval, Problem, Record
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, decode_journal_line, parse_capture
from commonplace.storage.workspace import parse_retain_prefix
from commonplace.sync import unread_key
from commonplace.truth import Phrase, change_words_of, labels_of
from commonplace.upkeep.skills import judge_call, word_list

HELD_BACK = "an agent wrote it after it had read untrusted text; no automatic pack has it before it is approved"
ACTIVE_HOURS = 12  # where no session is named: those of this device in which something was captured since
MAX_MESSAGES, MAX_CALLS = 400, 200  # of a session, the newest, that are compared
MESSAGES_AT_ONCE = 3  # messages in a row that may say a statement together
MIN_STATED_SHARE, MAX_FOREIGN_SHARE = 0.3, 1 / 3  # of the content words: the owner's at least, only read at most
MIN_CONTRADICTED_SHARE = 0.75  # of the words of a clause, or all but one: what the owner said of just these holds
MIN_RUN_WORDS, MIN_RUN_SHARE = 2, 0.25  # content words of a statement about a command
MAX_UNIT_CHARS = 3
MAX_OUTPUT_CHARS = 6_000
COMMAND_TOOLS = word_list("shells") | word_list("edits") | {""}  # of a capture without a tool nobody knows better
MIN_PROSE_WORDS, MIN_PROSE_SHARE = 4, 0.25  # words of a line, and the share of function words among them
PROMPT_SIGNS = ("$ ", "% ", "> ")
RELATED_CHARS = 5  # equal first letters of words that may be forms of one
UNSPACED_WEIGHT = 0.25  # two characters of a script without spaces have four tokens
# Of a statement these only tell who said it, that it is a rule, or that it is new.
FRAME_LABELS = labels_of("decision rule preference modal explanation light lesson attribution strict_negation")
_CUTS, _NEGATIONS = labels_of("mark but"), labels_of("negation retraction instead")
BOUNDS = labels_of("strict_limit pole_height_up pole_height_down pole_amount_more pole_amount_less")
OPPOSITES = ("pole switch", "pole when", "pole amount", "pole whole")  # the beginnings of labels of opposite words
UNDATED = "2000-01-01T00:00"
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
# A word with its signs (`--retry`, `a.py`), also inside a script without spaces.
_WORD = lazy_pattern(
    rf"\d+(?:[.,]\d+)+(?![^\W{_UNSPACED}])|[@~/]?(?:--?)?[^\W{_UNSPACED}]+(?:[./@:+#'’=_-]+[^\W{_UNSPACED}]+)*"
)
_CHAT_SENTENCE_END = lazy_pattern(r"(?<=[.!?…？])\s+")  # the next begins in lower case
_SPECIFIC = lazy_pattern(r"\d|\w[./@:+#=_]\w|^[-@~/]|[^-][A-ZÀ-ÖØ-ÞА-Я]")
_ACRONYM = lazy_pattern(r"[A-Z]{2,4}$")  # `OK`, `DB`: of the agent's own, where it was not read either
_FULL_HOUR = lazy_pattern(r"^0?(\d{1,2})[:.]00$")
_DIGITS = lazy_pattern(r"\d+")
_ADDRESS = lazy_pattern(r"://|\w@\w|\w\.[\w-]+\.[a-z]{2,}(?:$|[:/])|^\d+(?:\.\d+){3}")


def read_session_words(root: str, index: Index, session: str, *, device: str, now: str) -> SessionWords:
    """What was said and read in a session; without one that has captures, in all of the device that were active within
    `ACTIVE_HOURS` before `now`."""
    rows, names = index.rows_of_session(session) if session else [], [session] if session else []
    if not rows and not index.find_captured_keys([unread_key(name) for name in names]):
        since = (datetime.fromisoformat(now) - timedelta(hours=ACTIVE_HOURS)).isoformat(timespec="minutes")
        rows = index.captures_between(since, f"{now}~", f"{JOURNAL_FOLDER}/captures-{device}-" if device else "")
        sessions = {indexed.record.session for indexed in index.fetch(rows).values()}
        rows = sorted({*rows, *(row for name in sessions - {""} for row in index.rows_of_session(name))})
        names = [*names, *sessions, *(f"{device} {day}" for day in {since[:10], now[:10]})]
    records = tuple(indexed.record for indexed in index.fetch(rows).values())
    return SessionWords(root, records, has_unread=bool(index.find_captured_keys([*map(unread_key, names)])))


class SessionWords:
    """What was said and read in the sessions that an agent's words may come from; `has_unread` if something untrusted
    was read that is no record."""

    def __init__(self, root: str, records: Sequence[Record], *, has_unread: bool) -> None:
        self._root = root
        self._messages = [one for one in records if one.actor == "owner" and one.trust == "trusted"][-MAX_MESSAGES:]
        self._foreign = [one for one in records if one.trust in ("untrusted", "quarantined")][-MAX_CALLS:]
        self._has_read_foreign = has_unread or bool(self._foreign)

    def holds_back(self, text: str, now: str, *, is_copied: bool = False) -> bool:
        """Whether an agent's text is to be held back: it `is_copied` from untrusted text, or such text was read, and
        not each sentence is the owner's, with every name and number, or about a command, its error or its fix, or is so
        together with the one before it, if it names nothing and has no word of what was read."""
        if not (is_copied or self._has_read_foreign):
            return False
        prefix, before = parse_retain_prefix(text), ""
        for sentence in split_sentences(text[prefix.start :] if prefix else text):
            words = StatementWords(sentence)
            is_plain = not words.specific and not words.count(self._call_tokens[2] - self._owner_tokens)
            readings = [sentence, *([f"{before}, {sentence}"] if before and is_plain else [])]
            if any(map(str.isalnum, sentence)) and not any(
                self._is_owners(one, now) or self._is_about_command(one) for one in readings
            ):
                return True
            before = sentence.rstrip(" .!。\n")
        return False

    def _is_owners(self, sentence: str, now: str) -> bool:
        """Whether the owner said what a sentence states, each name, number and time in it included."""
        for phrase in find_time_phrases(sentence, now):
            if any(phrase.interval == other or phrase.interval.start == other.start for other in self._owner_times):
                sentence = sentence.replace(phrase.phrase, " ")
        words = StatementWords(sentence)
        foreign = self._call_tokens[2] - self._owner_tokens
        specific = [one for one in words.specific if not _ACRONYM.match(one) or words.covers(foreign, [one])]
        if not words.covers(self._owner_tokens, specific) or words.is_foreign(foreign):
            return False
        for at in range(len(self._messages)):
            window = slice(max(0, at - MESSAGES_AT_ONCE + 1), at + 1)
            if words.share(frozenset().union(*self._message_tokens[window])) >= MIN_STATED_SHARE:
                stated = [one for message in self._messages[window] for one in _read_statements(message.text)]
                share = words.share({token for one in stated for token in one.tokens})
                if 2 * share >= MIN_STATED_SHARE and not words.contradicts(stated):
                    return True
        return False

    def _is_about_command(self, sentence: str) -> bool:
        """Whether a sentence is about what the agent itself ran: the words of a command and its error are in it, names
        and numbers are theirs or the owner's, addresses not the error's, and it has little of what was read."""
        words = StatementWords(sentence)
        commands, answers, others = self._call_tokens
        said = self._owner_tokens | commands
        known = said | answers
        foreign = others - known
        addresses = [word for word in words.specific if _ADDRESS.search(word)]
        signs = [word for word in words.specific if _SPECIFIC.search(word)]
        unknown = [word for word in words.specific if not words.covers(known, [word])]  # which it knows, or has read
        return (
            words.covers(said, addresses)
            and not any(words.covers(foreign, [word]) for word in unknown)
            and 2 * len(set(unknown).intersection(signs)) <= len(signs)
            and words.count(commands | answers) >= MIN_RUN_WORDS
            and words.share(known) >= MIN_RUN_SHARE
            and not words.is_foreign(foreign)
        )

    @cached_property
    def _message_tokens(self) -> list[frozenset[str]]:
        return [_tokens_of((one.text,)) for one in self._messages]

    @cached_property
    def _owner_tokens(self) -> frozenset[str]:
        return frozenset().union(*self._message_tokens)

    @cached_property
    def _owner_times(self) -> tuple[Interval, ...]:
        phrases = (find_time_phrases(one.text, one.time or UNDATED) for one in self._messages)
        return tuple(phrase.interval for found in phrases for phrase in found)

    @cached_property
    def _call_tokens(self) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """The tokens of the commands of the agent, of what these answered, and of what others wrote."""
        calls = [split_call_text(one) for one in map(self._read_capture, self._foreign) if one]
        commands, answers, others = (_tokens_of(text for call in calls for text in call[part]) for part in range(3))
        return commands, answers, others

    def _read_capture(self, record: Record) -> Capture | None:
        """The capture of a record, with the call of a tool; None if it cannot be read now."""
        source = record.source
        try:
            line = files.read_range(self._root, source.path, source.byte_start, source.byte_end - source.byte_start)
        except (NotFound, OutsideWorkspace):
            return None
        entry = decode_journal_line(line)
        return None if isinstance(entry, Problem) else parse_capture(entry.fields)


def split_call_text(capture: Capture) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The commands of an agent in a capture, what these answered, and what others wrote: all in the call of a tool that
    is no shell and changes no file, and lines of prose in an answer (what `cat` shows) that are about no failure. Where
    nobody kept its arguments, the command is what the text begins with, behind the sign of a prompt (`$ make`)."""
    tool, arguments = str(capture.detail.get("tool") or ""), capture.detail.get("arguments")
    output = capture.text[-MAX_OUTPUT_CHARS:]
    is_own = capture.type == "tool_result" and tool.rpartition("__")[2].lower() in COMMAND_TOOLS
    if is_own and not arguments and output.startswith(PROMPT_SIGNS):
        arguments, _, output = output[2:].partition("\n")
    elif not is_own or (tool and not arguments):
        return (), (), (output,)
    others = [line for line in output.split("\n") if _is_prose(line) and judge_call(line, None) is not False]
    return [str(arguments)] if arguments else [], [line for line in output.split("\n") if line not in others], others


def _is_prose(line: str) -> bool:
    language, found = detect_language(line), line.split()
    stop_words = sum(is_stop_word(word.strip(".,;:!?").lower(), language) for word in found)
    return len(found) >= MIN_PROSE_WORDS and stop_words >= MIN_PROSE_SHARE * len(found)


class StatementClause(NamedTuple):
    """The tokens of what a clause says and of what it denies; what is before a negation, and a bound, may be either."""

    holds: frozenset[str]
    denied: frozenset[str]
    is_denied: bool
    labels: frozenset[str]

    @property
    def tokens(self) -> frozenset[str]:
        """The tokens of all that it says."""
        return self.holds | self.denied

    def agrees_with(self, other: StatementClause) -> bool:
        """Whether both say, or both deny, a word that both have, and neither has only opposites of the other's."""
        if not (self.denied & other.denied if self.is_denied else self.holds & other.holds):
            return False
        for group in OPPOSITES:
            poles, others = ({one for one in labels if one.startswith(group)} for labels in (self.labels, other.labels))
            if poles and others and poles.isdisjoint(others):
                return False
        return True


class StatementWords:
    """The words of a sentence: those that say something (`content`), and of these names, numbers and identifiers
    (`specific`). What only frames a statement (who said it, that it is a rule or new) is no content."""

    def __init__(self, sentence: str) -> None:
        self._sentence, self.language = sentence, languages_of(sentence)[0]
        self.tokens = _tokens_of((sentence,))
        self._phrases = change_words_of(self.language).phrases(sentence)
        units = split_units(sentence)
        matches = match_phrases(sentence, self.language)
        frames = [units[one.start : one.end] for one in matches if one.label in FRAME_LABELS]
        self._frame = frozenset(chain(*frames))
        words = [match[0] for match in _WORD.finditer(sentence)]
        unspaced = [one for one in tokenize(sentence, self.language) if one >= FIRST_EAST_ASIAN_CHAR]
        self.words = tuple(dict.fromkeys((*words, *unspaced)))
        self.content = tuple(one for one in self.words if not self._is_light(one))
        self.specific = tuple(
            word
            for at, word in enumerate(words)
            if (_SPECIFIC.search(word) and not (at and len(word) <= MAX_UNIT_CHARS and words[at - 1][-1:].isdigit()))
            or (at and self.language != "de" and word[:1].isupper() and not self._is_light(word))
        )

    def share(self, pool: Collection[str]) -> float:
        """The share of the content words that are in a pool of tokens, or like one."""
        return self.count(pool) / max(1.0, sum(map(_weigh, self.content)))

    def count(self, pool: Collection[str]) -> float:
        """The number of content words that are in a pool of tokens, or like one."""
        return sum(_weigh(word) * self._find_share(word, pool, is_related=True) for word in self.content)

    def is_foreign(self, pool: Collection[str]) -> bool:
        """Whether too many words, for so much content, are in a pool of what was only read."""
        words = (one for one in self.words if not is_stop_word(one.lower(), self.language))
        found = sum(_weigh(one) * self._find_share(one, pool) for one in words)
        return found > 0 and found >= MAX_FOREIGN_SHARE * sum(map(_weigh, self.content))

    def covers(self, pool: Collection[str], wanted_words: Iterable[str]) -> bool:
        """Whether all of these words are in a pool of tokens; of a number with a unit the number will do (`18s`)."""
        for word in wanted_words:
            digits = _DIGITS.findall(_FULL_HOUR.sub(r"\1", word))
            parts = digits if digits and sum(map(str.isalpha, word)) <= MAX_UNIT_CHARS else [word]
            if not ("".join(parts) in pool or all(self._find_share(one, pool) == 1 for one in parts)):
                return False
        return True

    def contradicts(self, owner_statements: Sequence[StatementWords]) -> bool:
        """Whether a clause denies, or turns round (on, off), what the clauses of the owner say that share most words
        with it, or says what these deny."""
        theirs = [clause for one in owner_statements for clause in one.clauses]
        for clause in self.clauses:
            shared = [(clause.tokens & other.tokens, other) for other in theirs]
            most = max((len(tokens) for tokens, _other in shared), default=0)
            nearest = [(tokens, clause.agrees_with(other)) for tokens, other in shared if len(tokens) == most > 0]
            agreed = frozenset().union(*(tokens for tokens, agrees in nearest if agrees))
            enough = min(MIN_CONTRADICTED_SHARE * len(clause.tokens), max(len(clause.tokens) - 1, 1))
            if most >= enough and any(not agrees and tokens.isdisjoint(agreed) for tokens, agrees in nearest):
                return True
        return False

    @cached_property
    def clauses(self) -> tuple[StatementClause, ...]:
        """The clauses of the sentence that say something."""
        found = []
        negations = _labelled_words(self.language, "strict negation", "prohibition")
        for clause in self._clauses():
            negated = (at for at, one in enumerate(clause) if one.labels & _NEGATIONS or one.text.lower() in negations)
            at = next(negated, len(clause))
            before, after = self._read_phrases(clause[:at]), self._read_phrases(clause[at + 1 :])
            part = self._sentence[clause[0].start : clause[-1].end]
            labels = match_labels(part, self.language)
            is_denied = at < len(clause) or "prohibition" in labels
            is_bound = bool(labels & BOUNDS) and any(map(str.isdigit, chain(part, *before, *after)))
            holds = before | after if is_bound or not is_denied else before if after else frozenset()
            denied = before | after if is_denied or is_bound else frozenset[str]()
            found.append(StatementClause(holds, denied, is_denied, labels))
        return tuple(found)

    def _clauses(self) -> Iterator[list[Phrase]]:
        """The phrases between marks, and those behind what is given up (`instead of A for B`)."""
        clauses: list[list[Phrase]] = [[]]
        for phrase in self._phrases:
            is_end = phrase.labels & _CUTS or phrase.low in _labelled_words(self.language, "explanation")
            if is_end or ("preposition" in phrase.labels and any("instead" in one.labels for one in clauses[-1])):
                clauses.append([])
            clauses[-1].extend(() if is_end else (phrase,))
        return filter(None, clauses)

    def _read_phrases(self, phrases: Iterable[Phrase]) -> frozenset[str]:
        """The tokens of phrases that say something, numbers in digits."""
        words = [one.low for one in phrases if not self._is_light(one.low)]
        tokens = [token for word in words for token in tokenize(word, self.language)]
        return frozenset(next((one for one in equivalent_forms(token, ()) if one.isdigit()), token) for token in tokens)

    def _is_light(self, word: str) -> bool:
        if is_light_word(low := word.lower(), self.language):
            return True
        units = split_units(low)
        return all(
            unit in self._frame or is_stop_word(unit, self.language) or (len(unit) == 1 < len(units)) for unit in units
        )

    def _find_share(self, word: str, pool: Collection[str], *, is_related: bool = False) -> float:
        """The share of the tokens of a word that are in a pool, in the language of the sentence or that of programs."""
        forms = (low := word.lower(), *equivalent_forms(low, (self.language,)))
        readings = (tokenize(form, language) for form in forms for language in {self.language: "", "en": ""})
        return max(
            sum(one in pool or (is_related and _beginning(one) in pool) for one in tokens) / max(1, len(tokens))
            for tokens in readings
        )


def _read_statements(text: str) -> list[StatementWords]:
    """The sentences of a text that state something: questions do not, unless they set a rule."""
    sentences = split_sentences(_CHAT_SENTENCE_END.sub("\n", text))
    return [StatementWords(one) for one in sentences if not ends_in_question_mark(one) or "rule" in match_labels(one)]


@cache
def _labelled_words(language: str, *labels: str) -> frozenset[str]:
    return frozenset(word for one in labels for word in load_word_table(language, "labelled_phrases").get(one, ()))


def _weigh(word: str) -> float:
    """The weight of a content word; an identifier of several parts has twice that of a word."""
    return UNSPACED_WEIGHT if word >= FIRST_EAST_ASIAN_CHAR else 1.0 + (len(split_units(word)) > 1)


def _beginning(token: str) -> str:
    """By what related words are alike (`audit`, `auditors`): no token ends so."""
    return f"{token[:RELATED_CHARS]}*" if len(token) >= RELATED_CHARS and token.isalpha() else token


def _tokens_of(texts: Iterable[str]) -> frozenset[str]:
    """The tokens of texts, their beginnings, and each run of digits in them."""
    found = {token for one in texts for token in (*tokenize(one, detect_language(one)), *_DIGITS.findall(one))}
    return frozenset((*found, *map(_beginning, found)))
