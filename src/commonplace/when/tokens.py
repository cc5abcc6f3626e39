"""Text to tokens: words with what they can mean, numbers, dates in digits, and everything else as a barrier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from commonplace.when.lexicon import Entry, Lexeme, Lexicon, Telling, entry_of, fold, pointing, telling

NOTHING = Entry()
LONGEST_NUMBER = 6  # digits; more is no count of days
PIVOT = 50  # '50 to '99 are of the 20th century, '00 to '49 of this one
LONGEST_SIGN = 9  # characters of a word in a script without spaces
_LETTER = r"[^\W\d_]"
_HAN_NUMERALS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
_HAN_RANKS = {"十": 10, "百": 100, "千": 1000}
_STICKING, _STUCK = frozenset("#$€£@\\_+^"), frozenset("%°€$_")
_JOINS, APART = "-–—~〜～", "apart"
_SIGNS = {
    **dict.fromkeys(_JOINS, entry_of([Lexeme("join")])),
    **dict.fromkeys(",，", entry_of([Lexeme("comma")])),
    ".": entry_of([Lexeme("dot")]),
    "#": entry_of([Lexeme("hash")]),
}
_DASH = entry_of([Lexeme("join", APART)])


class Token(Struct, frozen=True):
    """A stretch of the text and its meanings; none if it only stands in the way (`word` is empty for a mere sign)."""

    start: int
    end: int
    word: str = ""
    entry: Entry = NOTHING


def may_hold_time(text: str) -> bool:
    """Whether a digit or a telling word is there at all: cheap, and mostly the answer is no."""
    return any(map(str.isdecimal, text)) or may_tell(text, telling())


def may_name_day(text: str) -> bool:
    """Whether a year, a date in figures or a word that leads to another day is there at all."""
    return may_tell(text, pointing()) or _dated().search(text) is not None


@cache
def _dated() -> re.Pattern[str]:
    return re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)|(?<!\d)\d{1,2}[./]\d{1,2}(?!\d)")


def may_tell(text: str, known: Telling) -> bool:
    """Whether one of some words is there at all."""
    words = re.findall(r"\w+", fold(text))
    return not known.words.isdisjoint(words) or (not text.isascii() and not known.signs.isdisjoint(text))


def read(text: str, book: Lexicon) -> list[Token]:
    """All tokens of a text, phrases of several words joined to one token."""
    tokens: list[Token] = []
    for match in _scanner().finditer(text):
        if not tokens or match.start() >= tokens[-1].end:  # the dot of an abbreviation is in its token already
            tokens.extend(_tokens(match, text, book))
    return _without_false_friends(_phrases(tokens, book), book)


@cache
def _scanner() -> re.Pattern[str]:
    together = r"\u3005\u3007\u3040-\u30ff\u3400-\u9fff"
    return re.compile(
        r"(?P<link>https?://\S+|[\w.+-]{1,64}@[\w-][\w.-]+)"
        r"|(?P<stamp>(?<![A-Za-z\d])(?<![A-Za-z]-)\d{4}([-/])\d{1,2}\3\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.]\d+)?)?"
        r"(?:Z|[+-]\d{2}:?\d{2})?)?(?!\d|[-./]\d))"
        r"|(?P<reversed>(?<![\w./-])\d{1,2}(?:([./-])\d{1,2}\5\d{4}|/\d{1,2}/\d{2})(?!\w|[-./]\d))"
        r"|(?P<week>(?<!\w)\d{4}-?W\d{2}(?!\w))"
        r"|(?P<years>(?<![\w./-])(?:19|20)\d{2}/\d{2}(?![\w/]))"
        r"|(?P<yearmonth>(?<![\w./-])\d{4}-\d{2}(?!\w|[-./:]\d))"
        r"|(?P<clock>(?<![\w.:/-])(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d|[:./-]\d))"
        r"|(?P<odd>\d+(?:[.:/]\d+)+(?:-\d+)*|\d+(?:-\d+){2,}|\d+(?:,\d{3})+(?!\d)|\d{7,})"
        r"|(?P<number>\d+)(?P<ordinal>(?:st|nd|rd|th|(?<=1)er|e|ème|[ºª°])(?!\w))?"
        r"|(?P<quarter>(?<!\w)[QqHh][1-4](?!\w))"
        rf"|(?P<together>[{together}]+)"
        rf"|(?P<word>(?:(?![{together}]){_LETTER})(?:(?![{together}]){_LETTER}|[\u0300-\u036f])*)"
        r"|(?P<sign>[\n_]|[^\w\s'’])"
    )


def _tokens(match: re.Match[str], text: str, book: Lexicon) -> Iterator[Token]:
    kind, written, start = match.lastgroup or "", match.group(), match.start()
    if kind == "together":
        yield from _split(written, start, book)
    elif kind == "word":
        yield _word(written, match, book)
    elif kind in ("number", "ordinal"):
        yield Token(start, match.end(), "#", _number(match, text))
    elif kind == "sign":
        yield Token(start, match.end(), "", _sign(match))
    else:
        yield Token(start, match.end(), "#", entry_of(_in_digits(kind, written)))


def _word(written: str, match: re.Match[str], book: Lexicon) -> Token:
    folded = fold(written)
    entry = book.words.get(folded)
    if entry is None or _is_domain(match):
        return Token(match.start(), match.end(), folded)
    if written[0].isupper() and any(x.weak > 1 for x in entry.lexemes):
        # a verb does not begin with a capital, a month does
        entry = entry_of(replace(x, weak=min(x.weak, 1)) for x in entry.lexemes)
    dotted = match.string[match.end() : match.end() + 1] == "." and any(x.dotted for x in entry.lexemes)
    return Token(match.start(), match.end() + dotted, folded, entry)


def _is_domain(match: re.Match[str]) -> bool:
    """`monday.com` is no day."""
    after = match.string[match.end() : match.end() + 2]
    return after[:1] == "." and after[1:].islower()


def _sign(match: re.Match[str]) -> Entry:
    """What a sign can mean; a hyphen with a blank beside it may part what it stands between."""
    written, around = match.group(), match.string[max(match.start() - 1, 0) : match.end() + 1]
    return _DASH if written in _JOINS and around != around.strip() else _SIGNS.get(written, NOTHING)


def _number(match: re.Match[str], text: str) -> Entry:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    digits = match.group("number")
    if before == "#" and len(digits) <= LONGEST_NUMBER:
        return entry_of([Lexeme("hashed", str(int(digits)))])
    if before in _STICKING or (before.isascii() and before.isalpha()) or after in _STUCK:
        return NOTHING
    value = int(digits)
    if before and before in "'’" and len(digits) == 2 and not after.isalpha():
        return entry_of([Lexeme("year", str(value + (1900 if value >= PIVOT else 2000)))])  # summer of '69
    if match.group("ordinal"):
        return _ordinal(value)
    if after.isascii() and after.isalpha():
        return entry_of([Lexeme("num", str(value))])  # `3d ago`, but no `1990s`
    return _countable(value, len(digits))


def _ordinal(value: int) -> Entry:
    return entry_of(Lexeme(kind, str(value)) for kind in ("ord", "day", "ordday") if 1 <= value <= 31)


@lru_cache(1_000)
def _countable(value: int, length: int) -> Entry:
    lexemes = [Lexeme("num", str(value))]
    if length <= 2 and 1 <= value <= 31:
        lexemes.append(Lexeme("day", str(value)))
    if length <= 2 and 1 <= value <= 12:
        lexemes.append(Lexeme("monthnum", str(value)))
    if length == 4 and value:
        lexemes.append(Lexeme("year", str(value), weak=int(not 1900 <= value < 2100)))
    return entry_of(lexemes)


def _in_digits(kind: str, written: str) -> tuple[Lexeme, ...]:
    if kind == "quarter":
        name = "quarter" if written[0] in "Qq" else "half"
        return (Lexeme(name, written[1], weak=int(name == "half")),) if name == "quarter" or written[1] in "12" else ()
    if kind == "reversed":
        return (_reversed(written),)
    if kind == "clock":
        return (Lexeme("clock", written.replace("h", ":")),)
    if kind == "years":
        first = int(written[:4])
        return (Lexeme("years", str(first)),) if (first + 1) % 100 == int(written[5:]) else ()
    return (Lexeme(kind, written),) if kind in ("stamp", "week", "yearmonth") else ()


def _reversed(written: str) -> Lexeme:
    """`12/24/2024` and `24.12.2024`: month first with a slash, day first else, where both are possible."""
    first, second, year = (int(part) for part in re.split("[./-]", written))
    american = first <= 12 if "/" in written else second > 12
    month, day = (first, second) if american else (second, first)
    if year < 100:
        year += 1900 if year >= PIVOT else 2000
    return Lexeme("stamp", f"{year:04}-{month:02}-{day:02}")


def _split(written: str, start: int, book: Lexicon) -> Iterator[Token]:
    """Cut a run of signs into the longest known words; what is unknown becomes barriers of one sign."""
    is_folded, place = fold(written) == written, 0  # and so is every piece of it
    while place < len(written):
        most = min(LONGEST_SIGN, book.longest.get(written[place], 0)) if is_folded else LONGEST_SIGN
        length, entry = _longest(written, place, book, most)
        yield Token(start + place, start + place + length, written[place : place + length], entry)
        place += length


def _longest(written: str, place: int, book: Lexicon, most: int) -> tuple[int, Entry]:
    for length in range(min(most, len(written) - place), 0, -1):
        entry = book.words.get(fold(written[place : place + length]))
        if entry is not None:
            return length, entry
    number = _han_number().match(written, place)
    if number is None or len(number.group()) > LONGEST_NUMBER:
        return (number.end() - place if number else 1), NOTHING
    digits = number.group()
    length = 1 if any(sign in _HAN_RANKS for sign in digits) else len(digits)
    return number.end() - place, _countable(_han_value(digits), length)


@cache
def _han_number() -> re.Pattern[str]:
    return re.compile("[〇一二三四五六七八九十百千两兩]+")


def _han_value(written: str) -> int:
    if not any(sign in _HAN_RANKS for sign in written):
        return int("".join(str(_HAN_NUMERALS[sign]) for sign in written))
    total = digit = 0
    for sign in written:
        if sign in _HAN_RANKS:
            total += (digit or 1) * _HAN_RANKS[sign]
            digit = 0
        else:
            digit = _HAN_NUMERALS[sign]
    return total + digit


def _phrases(tokens: list[Token], book: Lexicon) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        token, used = tokens[place], 1
        for words, entry in book.phrases.get(token.word, ()):
            length = _spoken(tokens, place, words)
            if length:
                token, used = Token(token.start, tokens[place + length - 1].end, " ", entry), length
                break
        joined.append(token)
        place += used
    return joined


def _spoken(tokens: list[Token], place: int, words: tuple[str, ...]) -> int:
    """How many tokens these words take from here on, hyphens between them included; 0 if others stand there."""
    after = place
    for number, word in enumerate(words):
        if number and after < len(tokens) and _is_hyphen(tokens, after):
            after += 1
        if after >= len(tokens) or tokens[after].word != word:
            return 0
        after += 1
    return after - place


def _is_hyphen(tokens: list[Token], place: int) -> bool:
    token = tokens[place]
    return "join" in token.entry.kinds and token.start == tokens[place - 1].end


def _without_false_friends(tokens: list[Token], book: Lexicon) -> list[Token]:
    """`hier` is yesterday in French only: where German shows elsewhere in the text, it is no time."""
    if not any(token.word in book.friends for token in tokens):
        return tokens
    shown = 0
    for token in tokens:
        shown |= book.marks.get(token.word, 0)
    return [
        Token(token.start, token.end, token.word) if book.friends.get(token.word, 0) & shown else token
        for token in tokens
    ]
