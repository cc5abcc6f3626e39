"""Build one lexicon of the time words of all languages, and split text into tokens with their possible meanings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from functools import cache, lru_cache
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from commonplace.language.word_data import load_time_words
from commonplace.lazy import lazy_pattern

TimeWordTable = dict[str, list[str]]  # by kind and value: the words, in a slot each for kinds that count
ALL_LANGUAGES = -1  # the languages of a numeral: every bit
ENGLISH_BIT = 1  # the bit of the first table
# Every time without a digit has a word of one of these kinds.
_TIME_TRIGGER_KINDS = frozenset(
    (
        *("month", "weekday", "weekdays", "season", "seasons", "holiday", "weekend", "weekdaypart", "daypart"),
        *("offset", "night", "hours", "unit", "half", "yearshift", "back", "lately", "gone"),
        *("decade", "decades", "decadeword"),
    )
)
_COMBINING_ACCENTS_PATTERN = lazy_pattern("[\u0300-\u036f]+")


class Lexeme(Struct, frozen=True):
    """One meaning of a word. `languages` has a bit for each language that has it; `weak` is 1 for a time only in
    company, 2 for a common verb, 3 for one that is a noun too; `dotted` says that an abbreviating dot may follow."""

    kind: str
    value: str = ""
    languages: int = ALL_LANGUAGES
    weak: int = 0
    dotted: bool = False


class LexiconEntry(Struct, frozen=True):
    """All meanings of a word, and their kinds."""

    lexemes: tuple[Lexeme, ...] = ()
    kinds: frozenset[str] = frozenset()


class TimeLexicon(Struct, frozen=True):
    """The lexicon of all languages: `words` by folded form, `phrases` by their first word, longest first; words that
    reveal a language and those that are a time only in another, with bits of languages; the longest word by its first
    character."""

    words: dict[str, LexiconEntry]
    phrases: dict[str, list[tuple[tuple[str, ...], LexiconEntry]]]
    language_cues: dict[str, int]
    false_friends: dict[str, int]
    longest_by_sign: dict[str, int]


class TriggerWords(Struct, frozen=True):
    """Words, and first characters of words in scripts without spaces, one of which every time without a digit has."""

    words: frozenset[str]
    signs: frozenset[str]


def make_entry(lexemes: Iterable[Lexeme]) -> LexiconEntry:
    """Return the entry with these meanings."""
    meanings = tuple(lexemes)
    return LexiconEntry(meanings, frozenset([lexeme.kind for lexeme in meanings]))


def fold_time_word(word: str) -> str:
    """Return a word without case and accents, as tables and text are compared."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", _COMBINING_ACCENTS_PATTERN.sub("", decomposed))


_OTHER_DAY_TRIGGER_KINDS = frozenset(
    (
        *("month", "weekday", "ago", "holiday", "gone", "unit weekend"),
        *("shift -1", "shift 1", "lap -1", "lap 1", "night -1"),
        *("offset -3", "offset -2", "offset -1", "offset 1", "offset 2", "offset 3"),
    )
)

# Words that seldom lead to another day, or only together with another trigger.
_WEAK_TRIGGERS = frozenset(
    ("back", "coming", "following", "her", "night", "plus", "previous", "sun", "upcoming", "week", "year", "years")
)


@cache
def _load_triggers(kinds: frozenset[str], excluded_words: frozenset[str] = frozenset()) -> TriggerWords:
    """Return the words of times of some kinds; made without the lexicon, since most texts have no time."""
    every = collect_triggers(load_time_words(), kinds)
    return TriggerWords(every.words - excluded_words, every.signs)


def collect_triggers(tables: Iterable[TimeWordTable], kinds: Set[str]) -> TriggerWords:
    """Return the words of some kinds in some tables."""
    words: set[str] = set()
    for table in tables:
        for key, slots in _table_lines(table):
            if key in kinds or key.partition(" ")[0] in kinds:
                for word in _fold_table_words("|".join(slots)).split("|"):
                    plain = word.lstrip("~").rstrip(".")
                    words.add(max(plain.split(), key=len) if " " in plain else plain)
    together = {word for word in words if "\u3040" <= word[0] <= "\u9fff"}
    return TriggerWords(frozenset(words - together), frozenset([word[0] for word in together]))


@cache
def load_time_lexicon() -> TimeLexicon:
    """Return the lexicon of times; building it takes a few milliseconds."""
    return build_lexicon(load_time_words())


def build_lexicon(tables: Iterable[TimeWordTable]) -> TimeLexicon:
    """Return the tables of all languages as one lexicon."""
    entries: dict[str, LexiconEntry] = {}
    lexicon = TimeLexicon({}, {}, {}, {}, {})
    for number, table in enumerate(tables):
        for key, slots in _table_lines(table):
            if key in ("marks", "friend"):
                bits_by_word = lexicon.language_cues if key == "marks" else lexicon.false_friends
                for word in _fold_table_words(slots[0]).split("|"):
                    bits_by_word[word] = bits_by_word.get(word, 0) | 1 << number
            else:
                _add_lexemes(entries, key, slots, 1 << number)
    for word, entry in entries.items():
        if " " in word:
            parts = tuple(word.split())
            lexicon.phrases.setdefault(parts[0], []).append((parts, entry))
        else:
            lexicon.words[word] = entry
            lexicon.longest_by_sign[word[0]] = max(len(word), lexicon.longest_by_sign.get(word[0], 0))
    for phrases in lexicon.phrases.values():
        phrases.sort(key=lambda phrase: -len(phrase[0]))
    return lexicon


def _table_lines(table: TimeWordTable) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of a table, the compounds of a weekday and a part of the day, `Montagabend`, and of tens and
    units, `twenty-sixth`."""
    yield from ((key, slots) for key, slots in table.items() if key not in ("compound", "tens num", "tens ord"))
    yield from _compounds_of_tens(table)
    for key, slots in table.items() if "compound" in table else ():
        if key.startswith("daypart "):
            for number, weekday in enumerate(table["weekday"], 1):
                days = [day + table["compound"][0] for day in weekday.split("|") if " " not in day]
                words = "|".join(day + part for day in days for part in slots[0].split("|"))
                yield f"weekdaypart {number} {key.removeprefix('daypart ')}", [words]


def _compounds_of_tens(table: TimeWordTable) -> Iterator[tuple[str, list[str]]]:
    def words(kind: str, number: int) -> list[str]:
        slots = (*table.get(f"{kind} {number}", ()), *table.get(kind, ())[number - 1 : number])
        return "|".join(slots).split("|")

    kinds = [kind for kind in ("num", "ord") if f"tens {kind}" in table]
    for kind, ten, one in product(kinds, range(20, 100, 10), range(1, 10)):
        forms = table[f"tens {kind}"][0].split("|")
        parts = product(words("num", ten), words("num", one), words("ord", one), forms)
        made = {form.format(ten=tens, one=unit, nth=nth) for tens, unit, nth, form in parts if tens}
        if made:
            yield f"{kind} {ten + one}", ["|".join(sorted(made))]


def _fold_table_words(words: str) -> str:
    return fold_time_word(words).replace("-", " ").replace("'", " ")


def _add_lexemes(entries_by_word: dict[str, LexiconEntry], key: str, slots: list[str], bit: int) -> None:
    kind, _, value = key.partition(" ")
    kinds = frozenset((kind,))
    for number, slot in enumerate(slots, 1):
        plain = LexiconEntry((Lexeme(kind, value or str(number), bit),), kinds)
        for word in _fold_table_words(slot).split("|"):
            entry = plain
            if word[0] == "~":
                bare = word.lstrip("~")
                weak = Lexeme(kind, value or str(number), bit, len(word) - len(bare), bare[-1] == ".")
                entry = LexiconEntry((weak,), kinds)
                word = bare.rstrip(".")
            other = entries_by_word.get(word)
            entries_by_word[word] = entry if other is None else _merge_lexeme(other, entry.lexemes[0])


def _merge_lexeme(entry: LexiconEntry, lexeme: Lexeme) -> LexiconEntry:
    """Add a meaning to a word; an equal one of another language is merged with it."""
    meanings = {(x.kind, x.value): x for x in entry.lexemes}
    same = meanings.get((lexeme.kind, lexeme.value))
    if same is not None:
        languages, weak = same.languages | lexeme.languages, max(same.weak, lexeme.weak)
        lexeme = Lexeme(lexeme.kind, lexeme.value, languages, weak, same.dotted or lexeme.dotted)
    return make_entry({**meanings, (lexeme.kind, lexeme.value): lexeme}.values())


EMPTY_ENTRY = LexiconEntry()
MAX_NUMBER_DIGITS = 6  # a longer number is not a count of days
CENTURY_PIVOT = 50  # '50 to '99 are of the 20th century, '00 to '49 of this one
MAX_UNSPACED_WORD_CHARS = 9  # characters of a word in a script without spaces
_LETTER = r"[^\W\d_]"
_HAN_RANKS = frozenset("十百千")
_NUMBER_PREFIXES, _NUMBER_SUFFIXES = frozenset("#$€£@\\_+^"), frozenset("%°€$_")
_HYPHENS, SPACED_HYPHEN = "-–—~〜～", "apart"
_PUNCTUATION_ENTRIES = {
    **dict.fromkeys(_HYPHENS, make_entry([Lexeme("join")])),
    **dict.fromkeys(",，", make_entry([Lexeme("comma")])),
    ".": make_entry([Lexeme("dot")]),
    "#": make_entry([Lexeme("hash")]),
}
_SPACED_HYPHEN_ENTRY = make_entry([Lexeme("join", SPACED_HYPHEN)])
_YEAR_OR_NUMERIC_DATE_PATTERN = lazy_pattern(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)|(?<!\d)\d{1,2}[./]\d{1,2}(?!\d)")
_HAN_NUMBER_PATTERN = lazy_pattern("[〇一二三四五六七八九十百千两兩]+")
_UNSPACED = r"\u3005\u3007\u3040-\u30ff\u3400-\u9fff"
_TIME_TOKEN_PATTERN = lazy_pattern(
    r"(?P<link>https?://\S+|[\w.+-]{1,64}@[\w-][\w.-]+)"
    r"|(?P<stamp>(?<![A-Za-z\d])(?<![A-Za-z]-)\d{4}([-/])\d{1,2}\3\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.]\d+)?)?"
    r"(?:Z|[+-]\d{2}:?\d{2})?)?(?!\d|[-./]\d))"
    r"|(?P<reversed>(?<![\w./-])\d{1,2}(?:([./-])\d{1,2}\5\d{4}|/\d{1,2}/\d{2})(?!\w|[-./]\d))"
    r"|(?P<week>(?<!\w)\d{4}-?W\d{2}(?!\w))"
    r"|(?P<years>(?<![\w./-])(?:19|20)\d{2}/\d{2}(?![\w/]))"
    r"|(?P<yearmonth>(?<![\w./-])\d{4}-\d{2}(?!\w|[-./:]\d))"
    r"|(?P<clock>(?<![\w.:/-])(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d|[:./-]\d))"
    r"|(?P<daymonth>(?<![\w.:/-])(?:\d{1,2}\.\d{1,2}\.(?![.\d])|\d{1,2}/\d{1,2}(?![\w./-])))"
    r"|(?P<odd>\d+(?:[.:/]\d+)+(?:-\d+)*|\d+(?:-\d+){2,}|\d+(?:,\d{3})+(?!\d)|\d{7,})"
    r"|(?P<number>\d+)(?P<ordinal>(?:st|nd|rd|th|(?<=1)er|e|ème|[ºª°])(?!\w))?"
    r"|(?P<quarter>(?<!\w)[QqHh][1-4](?!\w))"
    rf"|(?P<together>[{_UNSPACED}]+)"
    rf"|(?P<word>(?:(?![{_UNSPACED}]){_LETTER})(?:(?![{_UNSPACED}]){_LETTER}|[\u0300-\u036f])*)"
    r"|(?P<sign>[\n_]|[^\w\s'’])"
)


class TimeToken(Struct, frozen=True):
    """A span of the text and its meanings, none for an unrelated word; `word` is empty for punctuation."""

    start: int
    end: int
    word: str = ""
    entry: LexiconEntry = EMPTY_ENTRY


def may_hold_time(text: str) -> bool:
    """Return whether a text has a digit or a trigger word; fast, and mostly it has not."""
    return any(map(str.isdecimal, text)) or has_trigger(text, _load_triggers(_TIME_TRIGGER_KINDS))


def may_name_other_day(text: str) -> bool:
    """Return whether a text may name a day, week, month … other than that on which it was said; much faster than
    `find_time_phrases`: whether it has a year, a numeric date or a word that leads to another day."""
    triggers = _load_triggers(_OTHER_DAY_TRIGGER_KINDS, _WEAK_TRIGGERS)
    return has_trigger(text, triggers) or _YEAR_OR_NUMERIC_DATE_PATTERN.search(text) is not None


def has_trigger(text: str, triggers: TriggerWords) -> bool:
    """Return whether a text has one of some words."""
    words = re.findall(r"\w+", fold_time_word(text))
    return not triggers.words.isdisjoint(words) or (not text.isascii() and not triggers.signs.isdisjoint(text))


def tokenize_times(text: str, lexicon: TimeLexicon) -> list[TimeToken]:
    """Return the tokens of a text; a phrase of several words is one token."""
    tokens: list[TimeToken] = []
    for match in _TIME_TOKEN_PATTERN.finditer(text):
        if not tokens or match.start() >= tokens[-1].end:  # the dot of an abbreviation is in its token already
            tokens.extend(_match_tokens(match, text, lexicon))
    return _drop_false_friends(_join_phrase_tokens(tokens, lexicon), lexicon)


def _match_tokens(match: re.Match[str], text: str, lexicon: TimeLexicon) -> Iterator[TimeToken]:
    kind, written, start = match.lastgroup or "", match.group(), match.start()
    if kind == "together":
        yield from _split_unspaced_run(written, start, lexicon)
    elif kind == "word":
        yield _word_token(written, match, lexicon)
    elif kind in ("number", "ordinal"):
        yield TimeToken(start, match.end(), "#", _number_entry(match, text))
    elif kind == "sign":
        yield TimeToken(start, match.end(), "", _punctuation_entry(match))
    elif kind == "daymonth":
        yield TimeToken(start, match.end(), "#", make_entry(_yearless_lexemes(written, text[:start].rstrip()[-1:])))
    else:
        yield TimeToken(start, match.end(), "#", make_entry(_numeric_lexemes(kind, written)))


def _word_token(written: str, match: re.Match[str], lexicon: TimeLexicon) -> TimeToken:
    folded = fold_time_word(written)
    entry = lexicon.words.get(folded)
    after = match.string[match.end() : match.end() + 2]
    if entry is None or (after[:1] == "." and after[1:].islower()):  # `monday.com` is not a day
        return TimeToken(match.start(), match.end(), folded)
    if written[0].isupper() and any(x.weak > 1 for x in entry.lexemes):
        # a verb does not begin with a capital, a month does
        entry = make_entry(replace(x, weak=min(x.weak, 1)) for x in entry.lexemes)
    dotted = after[:1] == "." and any(x.dotted for x in entry.lexemes)
    return TimeToken(match.start(), match.end() + dotted, folded, entry)


def _punctuation_entry(match: re.Match[str]) -> LexiconEntry:
    """Return the meanings of a punctuation mark; a hyphen next to a blank may separate rather than join."""
    written, around = match.group(), match.string[max(match.start() - 1, 0) : match.end() + 1]
    return (
        _SPACED_HYPHEN_ENTRY
        if written in _HYPHENS and around != around.strip()
        else _PUNCTUATION_ENTRIES.get(written, EMPTY_ENTRY)
    )


def _number_entry(match: re.Match[str], text: str) -> LexiconEntry:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    digits = match.group("number")
    if before == "#" and len(digits) <= MAX_NUMBER_DIGITS:
        return make_entry([Lexeme("hashed", str(int(digits)))])
    if before in _NUMBER_PREFIXES or (before.isascii() and before.isalpha()) or after in _NUMBER_SUFFIXES:
        return EMPTY_ENTRY
    value = int(digits)
    if before and before in "'’" and len(digits) == 2 and not after.isalpha():
        return make_entry([Lexeme("year", str(value + (1900 if value >= CENTURY_PIVOT else 2000)))])  # summer of '69
    if match.group("ordinal"):
        kinds = ("ord", "day", "ordday") if 1 <= value <= 31 else ("ord",)
        return make_entry(Lexeme(kind, str(value)) for kind in kinds if value)
    if after.isascii() and after.isalpha():
        return make_entry([Lexeme("num", str(value))])  # `3d ago`, but no `1990s`
    return _cardinal_entry(value, len(digits))


@lru_cache(1_000)
def _cardinal_entry(number: int, digit_count: int) -> LexiconEntry:
    lexemes = [Lexeme("num", str(number))]
    if digit_count <= 2 and 1 <= number <= 31:
        lexemes.append(Lexeme("day", str(number)))
    if digit_count <= 2 and 1 <= number <= 12:
        lexemes.append(Lexeme("monthnum", str(number)))
    if digit_count == 4 and number:
        lexemes.append(Lexeme("year", str(number), weak=int(not 1900 <= number < 2100)))
    return make_entry(lexemes)


def _numeric_lexemes(kind: str, written: str) -> tuple[Lexeme, ...]:
    if kind == "quarter":
        name = "quarter" if written[0] in "Qq" else "half"
        return (Lexeme(name, written[1], weak=int(name == "half")),) if name == "quarter" or written[1] in "12" else ()
    if kind == "reversed":
        return (_day_or_month_first_lexeme(written),)
    if kind == "clock":
        return (Lexeme("clock", written.replace("h", ":")),)
    if kind == "years":
        first = int(written[:4])
        return (Lexeme("years", str(first)),) if (first + 1) % 100 == int(written[5:]) else ()
    return (Lexeme(kind, written),) if kind in ("stamp", "week", "yearmonth") else ()


def _yearless_lexemes(written: str, sign_before: str) -> Iterator[Lexeme]:
    """Yield the meanings of `17.4.` and `17/4` as month and day; in English the month stands before a slash. Behind a
    word they may be numbers: `version 3.11.`"""
    first, second = written.strip(".").replace(".", "/").split("/")
    weak = int("/" in written or sign_before.isalnum())
    yield Lexeme("daymonth", f"{second}-{first}", ALL_LANGUAGES & ~ENGLISH_BIT, weak)
    if "/" in written:
        yield Lexeme("daymonth", f"{first}-{second}", ENGLISH_BIT, weak)


def _day_or_month_first_lexeme(written: str) -> Lexeme:
    """Return the date of `12/24/2024` or `24.12.2024`; month first with a slash, if both are possible."""
    first, second, year = (int(part) for part in re.split("[./-]", written))
    american = first <= 12 if "/" in written else second > 12
    month, day = (first, second) if american else (second, first)
    if year < 100:
        year += 1900 if year >= CENTURY_PIVOT else 2000
    return Lexeme("stamp", f"{year:04}-{month:02}-{day:02}")


def _split_unspaced_run(written: str, start: int, lexicon: TimeLexicon) -> Iterator[TimeToken]:
    """Split a run of characters into the longest words of the lexicon; any other character is a token of its own."""
    is_folded, place = fold_time_word(written) == written, 0  # and so is every piece of it
    while place < len(written):
        most = (
            min(MAX_UNSPACED_WORD_CHARS, lexicon.longest_by_sign.get(written[place], 0))
            if is_folded
            else MAX_UNSPACED_WORD_CHARS
        )
        length, entry = _longest_lexicon_match(written, place, lexicon, most)
        yield TimeToken(start + place, start + place + length, written[place : place + length], entry)
        place += length


def _longest_lexicon_match(written: str, index: int, lexicon: TimeLexicon, max_length: int) -> tuple[int, LexiconEntry]:
    for length in range(min(max_length, len(written) - index), 0, -1):
        entry = lexicon.words.get(fold_time_word(written[index : index + length]))
        if entry is not None:
            return length, entry
    number = _HAN_NUMBER_PATTERN.match(written, index)
    if number is None or len(number.group()) > MAX_NUMBER_DIGITS:
        return (number.end() - index if number else 1), EMPTY_ENTRY
    from commonplace.language.text import read_han_number

    digits = number.group()
    length = len(digits) if _HAN_RANKS.isdisjoint(digits) else 1
    return number.end() - index, _cardinal_entry(int(read_han_number(digits)), length)


def _join_phrase_tokens(time_tokens: list[TimeToken], lexicon: TimeLexicon) -> list[TimeToken]:
    joined: list[TimeToken] = []
    place, said = 0, {token.word for token in time_tokens}
    while place < len(time_tokens):
        token, used = time_tokens[place], 1
        for words, entry in lexicon.phrases.get(token.word, ()):
            length = _phrase_token_count(time_tokens, place, words) if words[-1] in said else 0
            if length:
                token, used = TimeToken(token.start, time_tokens[place + length - 1].end, " ", entry), length
                break
        joined.append(token)
        place += used
    return joined


def _phrase_token_count(time_tokens: list[TimeToken], index: int, phrase_words: tuple[str, ...]) -> int:
    """Return how many tokens a phrase covers from here on, hyphens included; 0 if it does not match."""
    after = index
    for number, word in enumerate(phrase_words):
        if number and after < len(time_tokens) and "join" in time_tokens[after].entry.kinds:  # a hyphen in a word
            after += time_tokens[after].start == time_tokens[after - 1].end
        if after >= len(time_tokens) or time_tokens[after].word != word:
            return 0
        after += 1
    return after - index


def _drop_false_friends(time_tokens: list[TimeToken], lexicon: TimeLexicon) -> list[TimeToken]:
    """Remove the meanings of false friends: `hier` is yesterday in French, and no time in a German text."""
    if not any(token.word in lexicon.false_friends for token in time_tokens):
        return time_tokens
    detected = 0
    for token in time_tokens:
        detected |= lexicon.language_cues.get(token.word, 0)
    return [
        TimeToken(token.start, token.end, token.word) if lexicon.false_friends.get(token.word, 0) & detected else token
        for token in time_tokens
    ]
