"""The sentences of a text that name somebody, by the name or a part that nobody else has, or have an identifier."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from commonplace.extract.clarity import is_unclear
from commonplace.language import text
from commonplace.language.text import FIRST_EAST_ASIAN_CHAR
from commonplace.lazy import lazy_pattern

ConcernedSentences = Callable[[str], list[str]]  # those sentences of a text that a wish concerns
MIN_IDENTIFIER_CHARS = 4  # letters and digits; of fewer every text would have some
MIN_PHONE_DIGITS = 7
MIN_SHORT_DIGITS = 6  # of the end of a number that is looked for
MIN_NAME_PART_CHARS = 3
_TITLE_WORDS = (
    "mr mrs ms miss dr prof sir frau herr herrn fraulein mme mlle madame monsieur senor senora sr sra don dona"
)
TITLES = frozenset(_TITLE_WORDS.split())
_HONORIFICS = "さん|様|君|氏|先生|老师|女士|医生|太太|小姐"  # behind a name, in scripts without blanks
MAX_APPOSITION_WORDS = 4
_APPOSITION_EDGE = lazy_pattern(r"[,;:()\[\]„“”\"–—]")
_WORD = lazy_pattern(rf"[^\W_{FIRST_EAST_ASIAN_CHAR}-\U0010ffff]+|[^\W_]")
_NAME_SIGNS = (" ", "-", "_", "'", "’", "")  # between the words of a name
_GAP = r"[\W_]{0,3}"  # between the signs of an identifier, however it is written
_SPELLED_SIGN = r"[\W_]{1,3}(?:[^\W\d_]{2,7}[\W_]{1,3})?"  # `@` and `.` of an address, also `(at)` and `dot`


class NameSpellings(Struct, frozen=True):
    """The runs of folded words that name one bearer, those of them that count only where they are capitalised, and the
    longer names that begin so."""

    runs: tuple[tuple[str, ...], ...]
    only_capitalised: frozenset[tuple[str, ...]] = frozenset()
    longer: frozenset[tuple[str, ...]] = frozenset()


class _Word(Struct, frozen=True):
    """A word of a sentence: as written, folded, and whether only a blank, a hyphen or the stop of an abbreviation parts
    it from the word before."""

    written: str
    key: str
    is_joined: bool


def find_spellings(names: Sequence[str], sentences: Iterable[str]) -> NameSpellings:
    """How the bearer of some names is called in sentences: by each of the names, also with an initial, and by those
    words of one that name nobody else there, and nothing else."""
    unique = [*dict.fromkeys(sentences)]
    texts = [_split_words(one) for one in unique]
    folded = [own for name in names if (own := tuple(word.key for word in _split_words(name)))]
    runs = dict.fromkeys(folded)
    for own in folded if texts else ():
        parts = [one for one in own if one not in TITLES and len(one) >= MIN_NAME_PART_CHARS]
        for part in parts if len(own) > 1 else ():
            capitalised, lowered = _count_capitals(part, texts)
            if (capitalised > lowered or not lowered) and not _has_other_bearer(part, own, texts):
                runs[(part,)] = None
        if len(own) > 1:
            runs[(own[0][:1], *own[1:])] = None
    runs |= dict.fromkeys(_find_nicknames([one for one in folded if len(one) > 1], unique))
    singles = {run: _count_capitals(run[0], texts) for run in runs if len(run) == 1}
    ordinary = frozenset(run for run, (capitalised, lowered) in singles.items() if capitalised >= lowered > 0)
    return NameSpellings(tuple(runs), ordinary, frozenset(_find_longer_names(names, unique)))


def find_named_sentences(spellings: NameSpellings, message: str) -> list[str]:
    """The sentences that name the bearer, and those after them that cannot be understood without."""
    sentences = text.split_sentences(message, loosely=True)
    return with_dependents(sentences, [_names(spellings, one) for one in sentences])


def with_dependents(sentences: Sequence[str], are_concerned: Sequence[bool]) -> list[str]:
    """The sentences that are concerned, and those after them that are unclear without or go on: they have small letters
    alone, or a script whose languages leave subjects out, and name nobody."""
    found = list[str]()
    is_concerned = False
    for sentence, is_own in zip(sentences, are_concerned, strict=True):
        is_unspaced = max(sentence) >= FIRST_EAST_ASIAN_CHAR and not re.search(_HONORIFICS, sentence)
        goes_on = is_unspaced or (sentence[:1].islower() and sentence.islower())
        is_concerned = is_own or (is_concerned and (goes_on or is_unclear(sentence.strip())))
        found += [sentence] if is_concerned else []
    return found


def find_identifier_sentences(identifier: re.Pattern[str], message: str) -> list[str]:
    """The sentences that have an identifier; the whole text where one runs across their ends."""
    sentences = text.split_sentences(message, loosely=True)
    found = with_dependents(sentences, [_has_identifier(identifier, one) for one in sentences])
    return found or ([message] if _has_identifier(identifier, message) else [])


def identifier_pattern(words: str) -> re.Pattern[str] | None:
    """A pattern of a number, code or address, with any signs between its letters and digits; None for other words.

    A telephone number is one with and without its country: `0170 …`, `+49 170 …`.
    """
    signs = "".join(_WORD.findall(words))
    if len(signs) < MIN_IDENTIFIER_CHARS or not (any(map(str.isdigit, signs)) or "@" in words):
        return None
    if "@" in words:
        body = _SPELLED_SIGN.join(map(re.escape, re.split(r"[@.]", words.strip())))
    elif signs.isdigit() and len(signs) >= MIN_PHONE_DIGITS:
        return re.compile(_phone_pattern(words.strip(), signs))
    else:
        body = _GAP.join(map(re.escape, signs))
    return re.compile(rf"(?<![^\W_]){body}(?![^\W_])", re.IGNORECASE)


def short_form_pattern(words: str) -> re.Pattern[str] | None:
    """A pattern of the last digits of a long number where they stand alone; None for what is no such number."""
    digits = "".join(filter(str.isdigit, words))
    if len(digits) <= MIN_SHORT_DIGITS or any(map(str.isalpha, words)):
        return None
    ends = "|".join(_GAP.join(digits[-size:]) for size in range(len(digits) - 1, MIN_SHORT_DIGITS - 1, -1))
    return re.compile(rf"(?<!\w)(?:{ends})(?!\w)")


def _phone_pattern(written: str, digits: str) -> str:
    has_country = written.startswith(("+", "00"))
    bare = digits.lstrip("0")
    national = [bare[size:] for size in (1, 2, 3)] if has_country else [bare]
    bodies = "|".join(_GAP.join(one) for one in national if len(one) >= MIN_PHONE_DIGITS - 1)
    whole = _GAP.join(digits)
    prefix = rf"(?:(?:\+|00){_GAP}(?:\d{_GAP}){{1,3}}|0{_GAP})"
    optional = "" if has_country or digits.startswith("0") else "?"
    return rf"(?<![^\W_])(?:{whole}|{prefix}{optional}(?:{bodies}))(?![^\W_])"


def _has_identifier(identifier: re.Pattern[str], sentence: str) -> bool:
    languages = text.likely_languages(sentence)
    spoken = (text.write_number_words(sentence, language) for language in languages)
    return any(identifier.search(one) for one in dict.fromkeys((sentence, *spoken)))


def _names(spellings: NameSpellings, sentence: str) -> bool:
    words = _split_words(sentence)
    longer = {at for one in spellings.longer for at in _places_of(one, words)}
    is_cased = bool(words) and words[0].written[:1].isupper()  # else a name has no capital either
    return any(
        at not in longer and (run not in spellings.only_capitalised or not is_cased or words[at].written[:1].isupper())
        for run in spellings.runs
        for at in _places_of(run, words)
    )


def _find_nicknames(names: Sequence[tuple[str, ...]], sentences: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """What an apposition behind a name calls its bearer for short: `Beatrix Holm, everyone says Bea, drives …`."""
    for parts in ([_split_words(part) for part in _APPOSITION_EDGE.split(one)] for one in sentences):
        for before, apposition in pairwise(parts):
            tail, short = tuple(word.key for word in before), apposition[-1] if apposition else None
            beginnings = {key[:MIN_NAME_PART_CHARS] for name in names if tail[-len(name) :] == name for key in name}
            if short and len(apposition) <= MAX_APPOSITION_WORDS and short.written[:1].isupper():
                yield from [(short.key,)] if short.key[:MIN_NAME_PART_CHARS] in beginnings else []


def _find_longer_names(names: Iterable[str], sentences: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The names of others that begin with one of these, in a script without blanks: an honorific behind shows it."""
    unspaced = "|".join(re.escape(one) for one in names if max(one, default="") >= FIRST_EAST_ASIAN_CHAR)
    for sentence in sentences if unspaced else ():
        for match in re.finditer(rf"((?:{unspaced})([^\W_]{{1,2}}?))(?:{_HONORIFICS})", sentence):
            if not text.is_stop_word(match[2], text.detect_language(sentence)):
                yield tuple(match[1])


def _places_of(name: tuple[str, ...], sentence_words: Sequence[_Word]) -> Iterator[int]:
    """Where a name begins; the last one may have the ending of a genitive."""
    size = len(name)
    for at in range(len(sentence_words) - size + 1):
        here = sentence_words[at : at + size]
        keys = tuple(word.key for word in here)
        if (
            all(word.is_joined for word in here[1:])
            and keys[:-1] == name[:-1]
            and keys[-1] in (name[-1], name[-1] + "s")
        ):
            yield at


def _split_words(sentence: str) -> list[_Word]:
    words = list[_Word]()
    end = 0
    for match in _WORD.finditer(text.sanitize_line(sentence)):
        between = match.string[end : match.start()]
        is_short = bool(words) and (len(words[-1].key) == 1 or words[-1].key in TITLES)
        is_joined = bool(words) and (between in _NAME_SIGNS or (is_short and between in (".", ". ")))
        words.append(_Word(match[0], text.fold_name(match[0]), is_joined))
        end = match.end()
    return words


def _has_other_bearer(part: str, own: tuple[str, ...], texts: Iterable[Sequence[_Word]]) -> bool:
    """Whether a word of a name stands beside another name than the others of it: `Mrs Keller`, `Tom Keller`."""
    neighbours = Counter[str]()
    for words in texts:
        for at in _places_of((part,), words):
            if any(start <= at < start + len(own) for start in _places_of(own, words)):
                continue
            before = words[at - 1] if at and words[at].is_joined else None
            after = words[at + 1] if at + 1 < len(words) and words[at + 1].is_joined else None
            if before and not _fits(before, own):
                # The first word of a sentence has a capital without being a name.
                neighbours[before.key] += 2 if at > 1 or before.key in TITLES else 1
            if after and after.written[:1].isupper() and part != own[-1]:
                neighbours[after.key] += 2
            if after and after.key in own and after.written[:1].isupper():
                neighbours[after.key] += 2
    return any(count > 1 for count in neighbours.values())


def _fits(preceding: _Word, own: tuple[str, ...]) -> bool:
    """Whether a word before a part of a name says nothing of another bearer."""
    if preceding.key in TITLES:
        return preceding.key in own or not TITLES.intersection(own)
    if len(preceding.key) == 1:
        return any(one.startswith(preceding.key) for one in own) or not preceding.written.isupper()
    return not preceding.written[:1].isupper()


def _count_capitals(name: str, texts: Iterable[Sequence[_Word]]) -> tuple[int, int]:
    """How often a word has a capital, and how often it has none in a sentence that begins with one: it may be an
    ordinary word there, as in `The price rose`."""
    capitalised = lowered = 0
    for words in texts:
        for at in _places_of((name,), words):
            is_capital = words[at].written[:1].isupper()
            capitalised += is_capital
            lowered += not is_capital and words[0].written[:1].isupper()
    return capitalised, lowered
