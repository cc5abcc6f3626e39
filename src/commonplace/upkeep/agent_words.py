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
from commonplace.truth import LineContext, read_statements
from commonplace.upkeep.skills import judge_call, word_list

HELD_BACK = "an agent wrote it after it had read untrusted text; no automatic pack has it before it is approved"
ACTIVE_HOURS = 12  # where no session is named: those of this device in which something was captured since
MAX_MESSAGES, MAX_CALLS = 400, 200  # of a session, the newest, that are compared
MESSAGES_AT_ONCE = 3  # messages in a row that may say a statement together
MIN_STATED_SHARE = 0.45  # of the content words of a statement that the owner's words must have
MIN_RUN_WORDS, MIN_RUN_SHARE, MAX_FOREIGN_SHARE = 2, 0.25, 0.25  # of the content words of a statement about a command
MAX_UNIT_CHARS = 2
MAX_OUTPUT_CHARS = 6_000
COMMAND_TOOLS = word_list("shells") | word_list("edits") | {""}  # of a capture without a tool nobody knows better
MIN_PROSE_WORDS, MIN_PROSE_SHARE = 4, 0.25  # words of a line, and the share of function words among them
PROMPT_SIGNS = ("$ ", "% ", "> ")
OPPOSITES = ("pole switch", "pole when", "pole amount", "pole whole")  # the beginnings of labels of opposite words
UNDATED = "2000-01-01T00:00"
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
# A word with its signs (`--retry`, `a.py`), also inside a script without spaces.
_WORD = lazy_pattern(
    rf"\d+(?:[.,]\d+)+(?![^\W{_UNSPACED}])|[@~/]?(?:--?)?[^\W{_UNSPACED}]+(?:[./@:+#'’=_-]+[^\W{_UNSPACED}]+)*"
)
_QUESTION_END = lazy_pattern(r"(?<=[?？])\s+")
_SPECIFIC = lazy_pattern(r"\d|\w[./@:+#=_]\w|^[-@~/]|.[A-ZÀ-ÖØ-ÞА-Я]")
_OPENING = lazy_pattern(r"^\W*\w+(?: \w+)?, ")  # `no, …`
_DIGITS = lazy_pattern(r"\d+")
_ADDRESS = lazy_pattern(r"://|\w@\w|\w\.[\w-]+\.[a-z]{2,}(?:$|[:/])|^\d+(?:\.\d+){3}")


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
        self._has_read_foreign = has_unread or bool(self._foreign)

    def holds_back(self, text: str, now: str, *, is_copied: bool = False) -> bool:
        """Whether an agent's text is to be held back: it `is_copied` from untrusted text, or such text was read, and
        not each sentence is the owner's, with every name and number, or about a command, its error or its fix."""
        if not (is_copied or self._has_read_foreign):
            return False
        prefix = parse_retain_prefix(text)
        sentences = split_sentences(text[prefix.start :] if prefix else text)
        stated = [one for one in sentences if any(map(str.isalnum, one))]
        return not all(self._is_owners(one, now) or self._is_about_command(one) for one in stated)

    def _is_owners(self, sentence: str, now: str) -> bool:
        """Whether the owner said what a sentence states, each name, number and time in it included."""
        for phrase in find_time_phrases(sentence, now):
            if any(phrase.interval == other or phrase.interval.start == other.start for other in self._owner_times):
                sentence = sentence.replace(phrase.phrase, " ")
        words = StatementWords(sentence)
        foreign = words.count(self._call_tokens[2] - self._owner_tokens)
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
                if _is_same_side(sentence, said):
                    return True
        return False

    def _is_about_command(self, sentence: str) -> bool:
        """Whether a sentence is about what the agent itself ran: the words of a command and its error are in it, all
        names and numbers are theirs or the owner's, addresses not the error's, and it has little of what was read."""
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
            and words.count(foreign) <= MAX_FOREIGN_SHARE * len(words.content)
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
    """The commands of an agent in a capture, what these answered, and what others wrote.

    The call of a shell, or of a tool that changes files, has all of them; in that of any other tool all is others'.
    Where nobody kept its arguments, the command is what the text begins with, behind the sign of a prompt (`$ make`).
    Lines of prose in an answer are others' words (what `cat` shows), unless they are about a failure.
    """
    tool, arguments = str(capture.detail.get("tool") or ""), capture.detail.get("arguments")
    output = capture.text[-MAX_OUTPUT_CHARS:]
    is_own = capture.type == "tool_result" and tool.rpartition("__")[2].lower() in COMMAND_TOOLS
    if is_own and not arguments and output.startswith(PROMPT_SIGNS):
        arguments, _, output = output[2:].partition("\n")
    elif not is_own or (tool and not arguments):
        return (), (), (output,)
    others = [line for line in output.split("\n") if is_prose(line) and judge_call(line, None) is not False]
    return [str(arguments)] if arguments else [], [line for line in output.split("\n") if line not in others], others


def is_prose(line: str) -> bool:
    """Whether a line is a sentence, and no output of a program: it has as many function words as one."""
    language, found = detect_language(line), line.split()
    stop_words = sum(is_stop_word(word.strip(".,;:!?").lower(), language) for word in found)
    return len(found) >= MIN_PROSE_WORDS and stop_words >= MIN_PROSE_SHARE * len(found)


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
        """Whether all of these words are in a pool of tokens; of a number with a unit the number will do (`18s`)."""
        for word in wanted_words:
            digits = _DIGITS.findall(word)
            is_number = bool(digits) and sum(map(str.isalpha, word)) <= MAX_UNIT_CHARS
            tokens = digits if is_number else tokenize(word.lower(), self.language)
            if not all(self._is_in(token, pool) for token in tokens):
                return False
        return True

    def _is_in(self, token: str, pool: Collection[str]) -> bool:
        forms = equivalent_forms(token, (self.language,))
        return token in pool or any(one in pool for form in forms for one in stem_to_tokens(form, (self.language,)))


def _is_same_side(sentence: str, other_sentence: str) -> bool:
    """Whether what the one sentence negates, gives up (`not npm`) or turns round (on, off) does not hold in the
    other."""
    (holds, over), (other_holds, other_over) = _read_sides(sentence), _read_sides(other_sentence)
    labels, other_labels = match_labels(sentence), match_labels(_OPENING.sub("", other_sentence))
    if over or other_over:
        return over.isdisjoint(other_holds) and other_over.isdisjoint(holds)
    for group in OPPOSITES:
        sides = [{one for one in each if one.startswith(group)} for each in (labels, other_labels)]
        if all(sides) and sides[0].isdisjoint(sides[1]):
            return False
    return ("strict negation" in labels) == ("strict negation" in other_labels)


def _read_sides(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what holds in a sentence, and of what it says is over."""
    statements = read_statements(sentence, LineContext())
    over = frozenset(stem for one in statements for stem in one.given_up)
    return frozenset(token.stem for one in statements for token in one.tokens) - over, over


def _tokens_of(texts: Iterable[str]) -> frozenset[str]:
    """The tokens of texts, and each run of digits in them."""
    return frozenset(token for one in texts for token in (*tokenize(one, detect_language(one)), *_DIGITS.findall(one)))
