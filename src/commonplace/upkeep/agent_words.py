"""Whether what an agent writes down is the owner's or about its own commands; else it may be a stranger's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.index import Index
from commonplace.language.text import (
    detect_language,
    ends_in_question_mark,
    equivalent_forms,
    is_light_word,
    is_stop_word,
    match_labels,
    split_sentences,
    stem_to_tokens,
    tokenize,
)
from commonplace.language.when import find_time_phrases
from commonplace.lazy import lazy_pattern
from commonplace.model import Capture, Interval, Problem, Record
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, decode_journal_line, parse_capture
from commonplace.storage.workspace import parse_retain_prefix
from commonplace.sync import unread_key
from commonplace.truth import LineContext, is_worded_alike, read_statements
from commonplace.upkeep.skills import judge_call, parse_call_steps, word_list

HELD_BACK = "an agent wrote it after it had read untrusted text; no automatic pack has it before it is approved"
ACTIVE_HOURS = 12  # where no session is named: those of this device in which something was captured since
MAX_MESSAGES, MAX_CALLS = 400, 200  # of a session, the newest, that are compared
MESSAGES_AT_ONCE = 3  # messages in a row that may say a statement together
MIN_STATED_SHARE = 0.6  # of the content words of a statement that the owner's words must have
MIN_RUN_WORDS, MIN_RUN_SHARE, MAX_FOREIGN_SHARE = 2, 0.4, 0.25  # of the content words of a statement about a command
MAX_OUTPUT_CHARS = 6_000
UNDATED = "2000-01-01T00:00"
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
# A word with its signs (`--retry`, `a.py`), also inside a script without spaces.
_WORD = lazy_pattern(
    rf"\d+(?:[.,]\d+)+(?![^\W{_UNSPACED}])|[@~/]?(?:--?)?[^\W{_UNSPACED}]+(?:[./@:+#'’=_-]+[^\W{_UNSPACED}]+)*"
)
_QUESTION_END = lazy_pattern(r"(?<=[?？])\s+")
_SPECIFIC = lazy_pattern(r"\d|\w[./@:+#=_]\w|^[-@~/]|.[A-ZÀ-ÖØ-ÞА-Я]")
_ADDRESS = lazy_pattern(r"://|\w@\w|\w\.[a-z]{2,}(?:$|[:/])|^\d+(?:\.\d+){3}")


def read_session_words(root: str, index: Index, session: str, *, device: str, now: str) -> SessionWords:
    """What was said and read in a session; without one that has captures, in all of the device in which something was
    captured within `ACTIVE_HOURS` before `now`."""
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
        self.has_foreign = has_unread or bool(self._foreign)

    def holds_back(self, text: str, now: str, *, is_copied: bool = False) -> bool:
        """Whether an agent's text is to be held back: it `is_copied` from untrusted text, or such text was read, and it
        is not `are_own`."""
        return (is_copied or self.has_foreign) and not self.are_own(text, now)

    def are_own(self, text: str, now: str) -> bool:
        """Whether each sentence of an agent's text is the owner's, with every name and number, or about a command of
        the agent, its error or its fix."""
        prefix = parse_retain_prefix(text)
        sentences = split_sentences(text[prefix.start :] if prefix else text)
        stated = [one for one in sentences if any(map(str.isalnum, one))]
        return all(self._is_owners(one, now) or self._is_about_command(one) for one in stated)

    def _is_owners(self, sentence: str, now: str) -> bool:
        """Whether the owner said what a sentence states, each name, number and time in it included."""
        for phrase in find_time_phrases(sentence, now):
            if any(phrase.interval == other or phrase.interval.start == other.start for other in self._owner_times):
                sentence = sentence.replace(phrase.phrase, " ")
        words = StatementWords(sentence)
        foreign = words.count(self._foreign_tokens - self._owner_tokens)
        if not words.covers(self._owner_tokens, words.specific) or foreign > MAX_FOREIGN_SHARE * len(words.content):
            return False
        for at in range(len(self._messages)):
            together = range(max(0, at - MESSAGES_AT_ONCE + 1), at + 1)
            stated = frozenset().union(*(self._message_tokens[one] for one in together))
            if words.share(stated) >= MIN_STATED_SHARE:
                said = max(
                    (one for message in together for one in self._statements(message)),
                    key=lambda one: words.share(frozenset(tokenize(one, words.language))),
                )
                if _is_same_side(sentence, said, words.language):
                    return True
        return False

    def _is_about_command(self, sentence: str) -> bool:
        """Whether a sentence is about what the agent itself ran: the words of a command and its error are in it, all
        names and numbers are theirs or the owner's, addresses not the error's, and it has little of what was read."""
        words = StatementWords(sentence)
        said = self._owner_tokens | self._command_tokens
        known = said | self._error_tokens
        addresses = [word for word in words.specific if _ADDRESS.search(word)]
        if not self._command_tokens or not words.covers(known, words.specific) or not words.covers(said, addresses):
            return False
        own = words.count(self._command_tokens | self._error_tokens)
        foreign = words.count(self._foreign_tokens - known)
        return (
            own >= MIN_RUN_WORDS
            and words.share(known) >= MIN_RUN_SHARE
            and foreign <= MAX_FOREIGN_SHARE * len(words.content)
        )

    def _statements(self, at: int) -> tuple[str, ...]:
        """The sentences of a message that state something: questions do not, unless they set a rule."""
        whole = split_sentences(self._messages[at].text)
        sentences = [one for sentence in whole for one in _QUESTION_END.split(sentence)]
        return tuple(one for one in sentences if not ends_in_question_mark(one) or "rule" in match_labels(one))

    @cached_property
    def _message_tokens(self) -> list[frozenset[str]]:
        return [_tokens_of(self._statements(at)) for at in range(len(self._messages))]

    @cached_property
    def _owner_tokens(self) -> frozenset[str]:
        return _tokens_of(one.text for one in self._messages)

    @cached_property
    def _owner_times(self) -> tuple[Interval, ...]:
        return tuple(
            phrase.interval for one in self._messages for phrase in find_time_phrases(one.text, one.time or UNDATED)
        )

    @cached_property
    def _calls(self) -> tuple[list[str], list[str], list[str]]:
        """The commands of the agent, what those that failed answered, and what else was read."""
        commands: list[str] = []
        errors: list[str] = []
        others: list[str] = []
        for capture in filter(None, map(self._read_capture, self._foreign)):
            tool, arguments = str(capture.detail.get("tool") or ""), capture.detail.get("arguments")
            is_command = tool.rpartition("__")[2].lower() in word_list("shells") | word_list("edits")
            exit_code = capture.detail.get("exit_code")
            worked = judge_call(capture.text, exit_code if isinstance(exit_code, int) else None)
            if is_command and (worked is False or parse_call_steps(tool, arguments)):
                commands.append(str(arguments))
            (errors if is_command and worked is False else others).append(capture.text[-MAX_OUTPUT_CHARS:])
        return commands, errors, others

    def _read_capture(self, record: Record) -> Capture | None:
        """The capture of a record, with the call of a tool; None if it cannot be read now."""
        source = record.source
        try:
            line = files.read_range(self._root, source.path, source.byte_start, source.byte_end - source.byte_start)
        except (NotFound, OutsideWorkspace):
            return None
        entry = decode_journal_line(line)
        return None if isinstance(entry, Problem) else parse_capture(entry.fields)

    @cached_property
    def _command_tokens(self) -> frozenset[str]:
        return _tokens_of(self._calls[0])

    @cached_property
    def _error_tokens(self) -> frozenset[str]:
        return _tokens_of(self._calls[1])

    @cached_property
    def _foreign_tokens(self) -> frozenset[str]:
        return _tokens_of(self._calls[2])


class StatementWords:
    """The words of a sentence: those that say something (`content`), and of these names, numbers and identifiers
    (`specific`)."""

    def __init__(self, sentence: str) -> None:
        self.language = detect_language(sentence)
        tokens = tokenize(sentence, self.language)
        self.content = tuple(
            dict.fromkeys(
                one for one in tokens if not is_stop_word(one, self.language) and not is_light_word(one, self.language)
            )
        )
        words = [match[0] for match in _WORD.finditer(sentence)]
        self.specific = tuple(
            word
            for at, word in enumerate(words)
            if _SPECIFIC.search(word) or (at and self.language != "de" and word[:1].isupper())
        )

    def share(self, pool: Collection[str]) -> float:
        """The share of the content words that are in a pool of tokens."""
        return self.count(pool) / max(1, len(self.content))

    def count(self, pool: Collection[str]) -> int:
        """The number of content words that are in a pool of tokens, in any form."""
        return sum(self._is_in(token, pool) for token in self.content)

    def covers(self, pool: Collection[str], wanted_words: Iterable[str]) -> bool:
        """Whether all of these words are in a pool of tokens."""
        return all(self._is_in(token, pool) for word in wanted_words for token in tokenize(word.lower(), self.language))

    def _is_in(self, token: str, pool: Collection[str]) -> bool:
        forms = equivalent_forms(token, (self.language,))
        return token in pool or any(one in pool for form in forms for one in stem_to_tokens(form, (self.language,)))


def _is_same_side(sentence: str, other_sentence: str, language: str) -> bool:
    """Whether what the one sentence negates or gives up (`not npm`) does not hold in the other."""
    (holds, over), (other_holds, other_over) = _read_sides(sentence), _read_sides(other_sentence)
    if over or other_over:
        return over.isdisjoint(other_holds) and other_over.isdisjoint(holds)
    return is_worded_alike(sentence, other_sentence, language)


def _read_sides(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what holds in a sentence, and of what it says is over."""
    statements = read_statements(sentence, LineContext())
    over = frozenset(stem for one in statements for stem in one.given_up)
    return frozenset(token.stem for one in statements for token in one.tokens) - over, over


def _tokens_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(token for one in texts for token in tokenize(one, detect_language(one)))
