"""Tell what is said in a conversation from what is written down about somebody or something else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, takewhile
from unicodedata import combining, east_asian_width

from commonplace.language import text
from commonplace.language.word_data import load_shared_words
from commonplace.lazy import lazy_pattern
from commonplace.model import SPEECH_ACTS, SpeechAct
from commonplace.truth.change_words import change_words_of, labels_of

PRO_DROP_LANGUAGES = ("es", "zh", "ja")  # in which a sentence about its speaker needs no pronoun
UNSPACED = ("zh", "ja")
MIN_WIDTH_COLUMNS = 10  # columns; a Chinese or Japanese character is two wide and says about as much as two letters
MAX_PASSING_COLUMNS = 60  # a chore or a passing state that takes longer to tell is more than that
MAX_ASKING_COLUMNS = 100  # a question or request that is longer says what it rests on
REFERENCE_DAY = "2000-01-01"  # whether a text states a time does not depend on the day on which it is read
MIN_STATED_WORDS = 4  # words before the comma of a question or behind that of a request: so many state something
LASTING_LABELS = ("rule", "preference", "decision", "relation", "life", "health")  # what outlasts the words `not yet`
# What is requested in a sentence with one of them is no single act now.
STANDING_LABELS = ("rule", "preference", "decision", "health", "recurring", "explanation", "for later")
PASSING_LABELS = ("steer", "reaction", "laughter")  # a short sentence with one of them says nothing lasting
OPENING_LABELS = ("ack", "light", "leads in")  # what may come before a question or request
_WORD = lazy_pattern(r"[jJ](?=['’])|(?![jJ]\b)\b[^\W\d_]+\b(?!-\w)")  # not those of J-pop and Tu-95
# The signs of a name in languages in which every noun has a capital.
_FIGURE_OR_QUOTE = lazy_pattern(r"\d|[\"“«„]\w")
_NAME_OR_FIGURE = lazy_pattern(r"\d|[\"“«„「『]\w|(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ]\w")
# In chat the next sentence often begins in lower case.
_CHAT_SENTENCE_END = lazy_pattern(r"(?<=[.!?…؟])\s+|(?<=[。！？])|\n")
_CAPITALISED_NAME = lazy_pattern(r"(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ][a-zß-ÿ]")  # no acronym

_PAST, _CLAUSE_ENDS = labels_of("past_copula past_form"), labels_of("mark and but")

# `Joseph I is`, `Queen Victoria I was`, `Domènech i Montaner`
_NUMBERED_NAME = lazy_pattern(
    r"(?<=[^\W\d_] )I(?=[.,;]|$| (?:is|has|does)\b)|^(?:[A-Z][^\W\d_]+ ){2,}I(?= was\b)|(?<=[^\W\d_] )i(?= [A-Z])"
)


def is_written_statement(message: str) -> bool:
    """Whether a message is one sentence about somebody or something else, as one would write it down; else it is talk,
    as every message in a language that leaves the person to the verb."""
    if has_personal_words(message):
        return False
    sentences = [one for one in text.split_sentences(message) if one.strip()]
    if len(sentences) != 1 or text.ends_in_question_mark(sentences[0]):
        return False
    languages = text.likely_languages(message)
    return "en" in languages or not any(language in PRO_DROP_LANGUAGES for language in languages)


def classify_speech_act(message: str) -> SpeechAct:
    """What a message does that states nothing: it only asks, requests one act now, or is noise; empty for any other. A
    rule for later, a reason, and what stands before the comma of a question are statements."""
    from commonplace.extract.rules import is_standing_instruction

    if len(message) < MAX_PASSING_COLUMNS and is_acknowledgement(message):
        return "noise"
    acts = set[SpeechAct]()
    for sentence in filter(None, map(str.strip, _CHAT_SENTENCE_END.split(message))):
        acts.add(_sentence_act(sentence))
        if "" in acts:
            return ""
    act: SpeechAct = next((act for act in SPEECH_ACTS if act in acts), "noise")
    return "" if act == "request" and is_standing_instruction(message) else act


def _sentence_act(sentence: str) -> SpeechAct:
    width = column_width(sentence)
    if width > MAX_ASKING_COLUMNS:
        return ""
    units, marks = text.split_units(sentence), text.match_phrases(sentence)
    labels = {mark.label for mark in marks}
    act, is_german = _opening_act(units, marks), "de" in text.likely_languages(sentence)
    if act == "request":
        is_standing = not labels.isdisjoint(STANDING_LABELS) or _names_other_time(sentence)
        is_named = not is_german and _CAPITALISED_NAME.search(sentence)
        stated = sentence.partition(", ")[2]
        is_rest_stated = len(stated.split()) >= MIN_STATED_WORDS and not _sentence_act(stated)
        return "" if is_standing or is_named or is_rest_stated or any(map(str.isdigit, sentence)) else act
    if text.ends_in_question_mark(sentence):
        stated, comma, _asked = sentence.rpartition(", ")
        is_stated = comma and len(stated.split()) >= MIN_STATED_WORDS and not _sentence_act(stated)
        return "" if is_stated else "question"
    rest = _remaining_units(units, marks, (*OPENING_LABELS, *PASSING_LABELS, "transient"))
    is_specific = bool((_FIGURE_OR_QUOTE if is_german else _NAME_OR_FIGURE).search(sentence))
    if column_width(" ".join(rest.values())) < MIN_WIDTH_COLUMNS and not is_specific:
        return "noise"
    if act and labels.isdisjoint(("rule", "decision", "explanation")):
        return act
    is_passing = width < MAX_PASSING_COLUMNS and not labels.isdisjoint(PASSING_LABELS)
    return "noise" if is_passing and labels.isdisjoint(LASTING_LABELS) and not is_specific else ""


def _names_other_time(sentence: str) -> bool:
    """Whether a time is named that today is not in."""
    from commonplace.language import when

    phrases = when.find_time_phrases(sentence, REFERENCE_DAY)
    spans = ((phrase.interval.start[:10], phrase.interval.end or "9999") for phrase in phrases)
    return any(start > REFERENCE_DAY or end <= f"{REFERENCE_DAY}T00:00" for start, end in spans)


def _opening_act(units: Sequence[str], marks: Sequence[text.PhraseMatch]) -> SpeechAct:
    """What a sentence does by its first words, after an address; without spaces also by its last."""
    first = next(iter(_remaining_units(units, marks, OPENING_LABELS)), len(units))
    objects = {mark.start for mark in marks if mark.label == "object"}
    for mark in marks:
        is_last = mark.end == len(units)
        if mark.start > first and not (is_last and units[mark.start] >= text.FIRST_EAST_ASIAN_CHAR):
            continue
        if mark.label == "asks":
            return "question"
        is_act = mark.label == "act" and (is_last or mark.end in objects or units[mark.end].isdigit())
        if is_act or mark.label == "requests":
            return "request"
    return ""


def _remaining_units(
    units: Sequence[str], marks: Sequence[text.PhraseMatch], labels: tuple[str, ...]
) -> dict[int, str]:
    """The units in no phrase with one of the labels, by their places."""
    skipped = {at for mark in marks if mark.label in labels for at in range(mark.start, mark.end)}
    return {at: unit for at, unit in enumerate(units) if at not in skipped}


def column_width(message: str) -> int:
    """The number of columns that a text takes, with runs of blanks as one."""
    line = " ".join(message.split())
    if line.isascii():
        return len(line)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in line)


def is_acknowledgement(message: str, entities: Iterable[str] = ()) -> bool:
    """Whether a message is only acknowledgement, greeting, laughter, one repeated word, or has no words at all;
    `entities` may stand beside a greeting (`Thanks, Ana!`)."""
    words = text.split_units(message)
    if not any(char.isalnum() for char in message) or (len(set(words)) == 1 and len(words[0]) > 1):
        return True
    names = {word for name in entities for word in text.split_units(name)}
    is_filler = [word in names for word in words]
    acknowledged = False
    for mark in text.match_phrases(message, "all"):
        if mark.label in ("ack", "filler"):
            acknowledged |= mark.label == "ack"
            is_filler[mark.start : mark.end] = [True] * (mark.end - mark.start)
    return acknowledged and all(is_filler)


def is_transient_state(message: str) -> bool:
    """Whether a short text describes a state that will soon change, and states no rule or fact beside it."""
    if column_width(message) >= MAX_PASSING_COLUMNS:
        return False
    labels = text.match_labels(message)
    return "transient" in labels and not labels.intersection(LASTING_LABELS)


def has_personal_words(message: str) -> bool:
    """Whether a message has a word of any language for who speaks or who listens; with a capital inside it, it is a
    name (`the US`, `Jack Ma`), but for `I`."""
    spaced, unspaced = _personal_words()
    if "i" in message or "I" in message:
        message = _NUMBERED_NAME.sub(" ", message)
    first, *others = _WORD.findall(message) or [""]
    if first.lower() in spaced and not _begins_name(first, others):
        return True
    if not spaced.isdisjoint(word.lower() for word in others if word[0].islower() or word == "I"):
        return True
    return not message.isascii() and any(word in message for word in unspaced)


def _begins_name(first: str, following_words: list[str]) -> bool:
    """Whether the first word, before another with a capital, is of another language (`Mia Yim`) or of a title."""
    if not following_words or not following_words[0][0].isupper():
        return False
    if text.is_light_word(following_words[0].lower(), "en") or text.is_stop_word(following_words[0].lower(), "en"):
        return True  # every word of a title has a capital (`We Will Rock You`)
    tables = load_shared_words("first_person_words"), load_shared_words("second_person_words")
    languages = text.likely_languages(" ".join(following_words))
    return not any(first.lower() in table.get(language, "").split() for table in tables for language in languages)


@cache
def _personal_words() -> tuple[frozenset[str], tuple[str, ...]]:
    tables = load_shared_words("first_person_words"), load_shared_words("second_person_words")
    words = [
        (language in UNSPACED, one) for table in tables for language, line in table.items() for one in line.split()
    ]
    return frozenset(one for is_run, one in words if not is_run), tuple(one for is_run, one in words if is_run)


def is_in_past(message: str, start: int, end: int) -> bool:
    """Whether the clause before a time in a message, or behind one that opens its clause, is in the past tense, as far
    as its language has lists of such verbs: then `on Monday` was the last one."""
    ends = list(accumulate(map(len, text.split_sentences(message)), initial=0))
    sentence_start, sentence_end = max(at for at in ends if at <= start), min(at for at in ends if at > start)
    words = change_words_of(text.languages_of(message)[0])
    before = words.phrases(message[sentence_start:start])
    behind = words.phrases(message[end:sentence_end].lstrip(" ,，"))
    clauses = (takewhile(lambda word: not word.labels & _CLAUSE_ENDS, phrases) for phrases in (before[::-1], behind))
    clause = next(filter(None, map(list, clauses)), [])
    return any(word.labels & _PAST for word in clause)
