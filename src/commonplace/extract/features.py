"""What a sentence shows: whether it is worth a line (numbers, labels, words), and the phrases that name its topic."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from math import log1p, log2, sqrt

from msgspec import Struct, structs

from commonplace.extract import clarity
from commonplace.language import text, when
from commonplace.language.word_data import load_shared_words, load_word_table
from commonplace.lazy import lazy_pattern

STEM_CHARS = 5  # characters that the forms of a longer word share
WORD_WEIGHT = 0.3  # of all words of a sentence together, in the root of their squares
MAX_CONTENT_WORDS, MANY_SENTENCES = 20, 12
_NAME = lazy_pattern(r"(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ][a-zß-ÿ]+")
_EXACT_VALUE = lazy_pattern(
    r"(?:/[\w.-]+)+|\w[\w-]*\.[a-zA-Z]{2,8}\b|\d{1,3}(?:\.\d{1,3}){3}|:\d{2,5}\b|v?\d+\.\d+|\w+_\w+|[€$£¥] ?\d|"
    r"\d+ ?(?:eur|euros?|k[gm]|m[gl]|[kmgt]b|ms)\b"
)
_EXACT_SIGN = lazy_pattern(r"[/_\d]|\.\w")  # every exact value has one
_VALUE_FORMS = {
    "path": r"(?:^|[\s(\"])[~.]?/[\w.-]",
    "host": r"(?i)\b[a-z][\w-]*(?:\.[\w-]+)+\b(?!\()",
    "address": r"\d{1,3}(?:\.\d{1,3}){3}",
    "port": r":\d{2,5}\b",
    "mail": r"\w@\w",
    "phone": r"\d[\d -]{7,}\d",
    "money": r"(?i)[€$£¥] ?\d|\d ?(?:eur|euros?|dollars?|usd|chf|k)\b",
    "clock": r"\b\d{1,2}[:h]\d{2}\b",
    "unit": r"(?i)\d ?(?:[gtmk]b|ms|[km]?hz|kwh?|v|m[gml]|kg|cm|c)\b",
    "identifier": r"\w_\w|[a-z][A-Z]|`",
    "colon": r":\s",
}
PART_CHARS = 4
Features = list[tuple[str, float]]


class SentencePosition(Struct, frozen=True):
    """Where a sentence is said: its number in its message, whose sentences and characters are counted, and to whom."""

    number: int
    sentences: int
    message_chars: int
    to_agent: bool


def sentence_features(sentence: str, position: SentencePosition) -> Features:
    """The numbers and labels of a sentence by name, then its words (`w:` before each), all with their weights."""
    language, units = text.detect_language(sentence), text.split_units(sentence)
    numbers = [(name, value) for name, value in _numbers(sentence, position, language, units) if value]
    by_listener = [(f"agent {name}", value) for name, value in numbers] if position.to_agent else []
    labels = [(f"label {label}", 1.0) for label in sorted(text.match_labels(sentence))]
    words = dict.fromkeys(_words(units))
    weight = WORD_WEIGHT / sqrt(max(len(words), 1))
    return [*numbers, *by_listener, *labels, *((f"w:{word}", weight) for word in words)]


def category_features(sentence: str) -> Features:
    """What shows of which category a sentence is: the same without its place, the forms of its values (`has path`), and
    the parts of its words."""
    position = SentencePosition(0, 0, 0, to_agent=False)
    shown = [one for one in sentence_features(sentence, position) if one[0] != "first"]
    forms = [(f"has {name}", 1.0) for name, form in _VALUE_FORMS.items() if re.search(form, sentence)]
    spaced = (f" {unit} " for unit in text.split_units(sentence))
    parts = dict.fromkeys(word[at : at + PART_CHARS] for word in spaced for at in range(len(word) - PART_CHARS + 1))
    weight = WORD_WEIGHT / sqrt(max(len(parts), 1))
    return [*shown, *forms, *((f"w:+{part}", weight) for part in parts)]


def _numbers(sentence: str, position: SentencePosition, language: str, units: list[str]) -> Iterator[tuple[str, float]]:
    content = len(units) - sum(map(text.stop_words(language).__contains__, units))
    amount = min(content, MAX_CONTENT_WORDS) / 10
    of_speaker, of_listener = (_has_person(table, sentence, units) for table in ("first", "second"))
    yield "chars", log1p(len(sentence)) / 5
    yield "content words", amount
    yield "content words of the speaker", amount * of_speaker
    yield "few content words", float(content < 3)
    yield "stop words", 1 - content / max(len(units), 1)
    yield "long", float(len(units) > 35)
    yield "speaker", float(of_speaker)
    yield "listener", float(of_listener)
    yield "listener alone", float(of_listener and not of_speaker)
    yield "nobody", float(not of_speaker and not of_listener)
    yield "names", min(len(_NAME.findall(sentence)), 3) / 2 if language != "de" else 0.0
    yield "digits", float(any(map(str.isdigit, sentence)))
    yield "exact value", float(bool(_EXACT_SIGN.search(sentence) and _EXACT_VALUE.search(sentence.lower())))
    yield "time", float(bool(when.find_time_phrases(sentence, clarity.ANY_DAY)))
    yield "question", float(text.ends_in_question_mark(sentence))
    yield "exclamation", float(sentence.endswith(("!", "！")))
    yield "message chars", log1p(position.message_chars) / 7
    yield "sentences", min(position.sentences, 15) / 10
    yield "many sentences", float(position.sentences >= MANY_SENTENCES)
    yield "first", float(position.number == 0)
    yield "last", float(position.number == position.sentences - 1)


def _words(units: list[str]) -> Iterator[str]:
    """The words, pairs of words, stems of long words, and how the sentence begins; a number is `#`."""
    words = ["#" if unit[0].isdigit() else unit for unit in units]
    yield from words
    yield from (f"{one} {other}" for one, other in pairwise(words))
    yield from (f"{word[:STEM_CHARS]}*" for word in words if len(word) > STEM_CHARS)
    if words:
        yield from (f"^{words[0]}", f"^{' '.join(words[:2])}")


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence has a word for who speaks."""
    return _has_person("first", sentence, text.split_units(sentence))


def _has_person(table: str, sentence: str, units: list[str]) -> bool:
    spaced, unspaced = _person_words(table)
    return not spaced.isdisjoint(units) or (not sentence.isascii() and any(word in sentence for word in unspaced))


@cache
def _person_words(table: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of all languages for the speaker (`first`) or listener (`second`), and those not written in units."""
    words = " ".join(load_shared_words(f"{table}_person_words").values()).split()
    unspaced = tuple(word for word in words if word >= text.FIRST_EAST_ASIAN_CHAR)
    return frozenset(words).difference(unspaced), unspaced


MAX_TOPICS, MAX_PHRASE_WORDS, MAX_WORDS_COMPARED = 3, 3, 40  # the last with the rest of the notebook
MIN_RUN_CHARS, MAX_RUN_CHARS = 2, 6  # characters of a phrase in a script without spaces
# How much a phrase looks like a name of something, by what it is or what comes before it; a verb has least.
NAME_WEIGHT, DETERMINED_WEIGHT, GOVERNED_WEIGHT, OPEN_WEIGHT, INNER_WEIGHT, VERB_WEIGHT = 1.6, 1.2, 1.0, 0.6, 0.3, 0.1
MIN_NOUN_WEIGHT = 0.65  # on average where a word occurs; one with less is a verb or an adverb
RARITY_WEIGHT, KEPT_WEIGHT = 0.7, 2.0  # of how rare a word is elsewhere, and of a word in a sentence that is kept
POSSESSIVE, SUBJECT, VERB = "'s", "(subject)", "(verb)"  # what may govern a run of words beside a word
_IDLE_LABELS = frozenset(("ack", "filler", "hype", "laughter", "light", "offered"))  # of words that name no topic
_UNSPACED_RUN = lazy_pattern(r"[\u3400-\u9fff々]+|[\u30a1-\u30fa\u30fc]+")
_QUOTED_TITLE = lazy_pattern(r"[\"“„«][^\W_](?:[\w'’:,.-]* ){1,6}[\w'’]+[\"“”»]")
RarityOf = Callable[[str, int], float]  # of a token that so many messages at hand have, from 0 (common) to 1


class TopicSentence(Struct, frozen=True):
    """A sentence of a conversation, the id of its message, and whether it is kept."""

    message_id: str
    sentence: str
    is_kept: bool


class KnownNames(Struct, frozen=True):
    """Names in a conversation: those of its speakers, which are no topics, and those of its subjects, which are."""

    speakers: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()


class _TopicPhrase(Struct, frozen=True):
    """One to three words that may name a topic: as written, by their stems, and how much they look like a noun."""

    text: str
    stems: tuple[str, ...]
    weight: float


_Uses = list[tuple[TopicSentence, _TopicPhrase]]
_UsesByStems = dict[tuple[str, ...], _Uses]


def choose_topics(sentences: Iterable[TopicSentence], known_names: KnownNames, rarity_of: RarityOf) -> tuple[str, ...]:
    """The at most three phrases that name best what a conversation is about, in its words, best first: nouns that many
    messages have, and few outside this conversation."""
    uses: _UsesByStems = {}
    for one in sentences:
        for phrase in _find_phrases(one.sentence, known_names):
            uses.setdefault(phrase.stems, []).append((one, phrase))
    scores = {stems[0]: score for stems, of in uses.items() if len(stems) == 1 and (score := _score_word(of))}
    frequent = sorted(scores, key=lambda stem: -scores[stem])[:MAX_WORDS_COMPARED]
    for stem in frequent:
        scores[stem] *= rarity_of(stem, len({one.message_id for one, _ in uses[(stem,)]})) ** RARITY_WEIGHT
    topics: list[str] = []
    named: set[str] = set()
    for stem in sorted(frequent, key=lambda stem: -scores[stem]):
        widest = _widest_phrase(stem, uses) if len(topics) < MAX_TOPICS else ()
        if widest and named.isdisjoint(widest):
            named.update(widest)
            topics.append(Counter(phrase.text for _, phrase in uses[widest]).most_common(1)[0][0])
    return tuple(topics)


def _score_word(uses: _Uses) -> float:
    noun = sum(phrase.weight for _, phrase in uses) / len(uses)
    count = len({one.message_id for one, _ in uses})
    kept = KEPT_WEIGHT if any(one.is_kept for one, _ in uses) else 1.0
    return noun * (1 + log2(count)) * kept if noun >= MIN_NOUN_WEIGHT else 0.0


def _widest_phrase(stem: str, uses: _UsesByStems) -> tuple[str, ...]:
    """The stems of the phrase in which a word occurs at least every other time, else of the word alone; none for a word
    that only one sentence has and that is no clear noun. What comes once behind a word may be a verb."""
    own = uses[(stem,)]
    is_name = max(phrase.weight for _, phrase in own) >= NAME_WEIGHT
    options: list[tuple[int, float, int, tuple[str, ...]]] = []
    for stems, of in uses.items():
        if stem in stems and 2 * len(of) >= len(own):
            is_word, weight = len(stems) == 1, max(phrase.weight for _, phrase in of)
            least = NAME_WEIGHT if is_name or len(stems) > 2 else DETERMINED_WEIGHT if is_word else GOVERNED_WEIGHT
            is_repeated = len({one.sentence for one, _ in of}) > 1
            if is_repeated or (weight >= least and (is_name or stem == stems[-1])):
                options.append((0 if is_word else len(of), weight, len(stems), stems))
    return max(options, key=lambda option: option[:3], default=(0, 0.0, 0, ()))[3]


def _find_phrases(sentence: str, known_names: KnownNames) -> Iterator[_TopicPhrase]:
    """The phrases of content words in a sentence and their parts, its subjects and titles; no times and speakers."""
    said, language = clarity.analyze_text(sentence, known_names.speakers), text.detect_language(sentence)
    if not said.is_spaced:
        for run in _split_unspaced_runs(said.bare, language):
            yield _TopicPhrase(run, (run,), DETERMINED_WEIGHT)
        return
    said = structs.replace(said, languages=(*said.languages, language))
    own = tuple(part.casefold() for name in known_names.speakers for part in name.split())
    subjects = [subject.casefold().split() for subject in known_names.subjects]
    for run_words, governing in _split_runs(said, own, sorted(subjects, key=len, reverse=True)):
        yield from _phrases_of_run(run_words, governing, said.languages)
    for title in _QUOTED_TITLE.findall(sentence):
        stems = (stem for stem in text.tokenize(title, language) if not text.is_stop_word(stem, language))
        yield _TopicPhrase(title, tuple(stems), NAME_WEIGHT)


def _split_runs(
    analyzed: clarity.AnalyzedText, own_names: tuple[str, ...], subjects: list[list[str]]
) -> Iterator[tuple[list[clarity.WordToken], str]]:
    """The runs of content words, each with the word before it; a subject is a run that is governed by SUBJECT."""
    words = analyzed.word_tokens
    bare = [word.low.removesuffix("'s") for word in words]
    run: list[clarity.WordToken] = []
    governing, before, at = "", "", 0  # the words before the run and before the one at hand
    while at < len(words):
        size = next((len(subject) for subject in subjects if bare[at : at + len(subject)] == subject), 0)
        is_topical = not size and _may_name_topic(words[at], analyzed, own_names)
        if run and not (is_topical and words[at].follows_word):
            yield run, governing
            run = []
        if size:
            yield list(words[at : at + size]), SUBJECT
        elif is_topical:
            governing = governing if run else before if words[at].follows_word else ""
            run.append(words[at])
        at += max(size, 1)
        last = words[at - 1].low
        before = last if not size else POSSESSIVE if last.endswith(POSSESSIVE) else VERB
    if run:
        yield run, governing


def _may_name_topic(word: clarity.WordToken, analyzed: clarity.AnalyzedText, own_names: tuple[str, ...]) -> bool:
    """Whether a word is no function word, number or filler, and no name of a speaker, not even its beginning."""
    low, is_capital = word.low.removesuffix(POSSESSIVE), word.text[:1].isupper()
    return (
        (low.replace("-", "").isalpha() or (is_capital and low[-1:].isdigit()))  # `S22`
        and clarity.is_content_word(low, analyzed.reference_words, analyzed.languages)
        and not any(text.is_light_word(low, name) for name in analyzed.languages)
        and text.match_labels(low, analyzed.languages[0]).isdisjoint(_IDLE_LABELS)
        and not (is_capital and any(name.startswith(low) for name in own_names))
    )


def _phrases_of_run(
    run_words: list[clarity.WordToken], governing: str, languages: tuple[str, ...]
) -> Iterator[_TopicPhrase]:
    """The phrases in a run; of a subject only the whole and its last word."""
    size = len(run_words)
    spans = [(at, end) for at in range(size) for end in range(at + 1, min(at + MAX_PHRASE_WORDS, size) + 1)]
    for start, end in spans if governing != SUBJECT else {(0, size): 0, (size - 1, size): 0}:
        part = [word.text.lstrip(clarity.QUOTES) for word in run_words[start:end]]
        has_capitals = all(word[:1].isupper() for word in part)
        opens = any(word.opens_sentence for word in run_words[start:end])
        if governing == SUBJECT or (has_capitals and not opens and languages[0] != "de"):
            weight = NAME_WEIGHT
        elif languages[0] == "de":  # where nouns have a capital
            weight = (OPEN_WEIGHT if opens else DETERMINED_WEIGHT) if has_capitals else 0.0
        elif end < size:
            weight = INNER_WEIGHT
        else:  # `my choir` more than `we sang`
            determiners, prepositions, verbal = _governing_words(languages)
            weight = VERB_WEIGHT if not start and governing in verbal else OPEN_WEIGHT
            weight = GOVERNED_WEIGHT if governing in prepositions else weight
            weight = DETERMINED_WEIGHT if governing in determiners else weight
        stems = tuple((text.tokenize(word, languages[-1]) or [word])[0] for word in part)
        yield _TopicPhrase(" ".join(part).removesuffix("'s").removesuffix("’s"), stems, weight)


@lru_cache(maxsize=64)
def _governing_words(languages: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words before a noun, the prepositions, and the words before a verb."""
    reference, listed = clarity.reference_words_of(languages), defaultdict[str, set[str]](set)
    for name in languages:
        for label, lines in load_word_table(name, "change_words").items():
            listed[label].update(word for line in lines for word in line.split("|"))
    pointers = (reference["introducer"] | reference["pointer at times"]) - reference["conjunction"]
    determiners = pointers | listed["definite"] | listed["indefinite"]
    prepositions = (reference["preposition"] | listed["preposition"]) - listed["to"]
    verbal = (reference["subject"] | listed["first person"] | listed["auxiliary"] | listed["to"]) - determiners
    return determiners | {POSSESSIVE}, prepositions, verbal | {VERB}


def _split_unspaced_runs(bare: str, language: str) -> Iterator[str]:
    for match in _UNSPACED_RUN.finditer(bare):
        run, at = "", 0
        while at <= len(match[0]):
            size = next((n for n in (4, 3, 2, 1) if text.is_stop_word(match[0][at : at + n], language)), 0)
            if size or at == len(match[0]):
                if MIN_RUN_CHARS <= len(run) <= MAX_RUN_CHARS:
                    yield run
                run, at = "", at + max(size, 1)
            else:
                run, at = run + match[0][at], at + 1
