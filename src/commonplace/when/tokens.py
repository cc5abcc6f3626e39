"""Text to tokens: words with what they can mean, numbers, dates in digits, and everything else as a barrier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.when.lexicon import Lexeme, Lexicon, fold, lexicon

LONGEST_NUMBER = 6  # digits; more is no count of days
LONGEST_SIGN = 5  # characters of a word in a script without spaces
_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f])*")
_HAN_NUMERALS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
_HAN_RANKS = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = re.compile(r"[〇一二三四五六七八九十百千两兩]+(?![万萬億亿兆])")
_UNREADABLE = re.compile(r"[〇一二三四五六七八九十百千两兩]*[万萬億亿兆]+")
_JOINS = "-–—~〜～"


class Token(Struct, frozen=True):
    """A stretch of the text and its meanings; none if it only stands in the way (`word` is empty for a mere sign)."""

    start: int
    end: int
    word: str = ""
    lexemes: tuple[Lexeme, ...] = ()


def may_hold_time(text: str) -> bool:
    """Whether a digit or a telling word is there at all: cheap, and mostly the answer is no."""
    if any(map(str.isdecimal, text)):
        return True
    book = lexicon()
    words = _WORD.findall(text.lower() if text.isascii() else fold(text))
    return not book.telling.isdisjoint(words) or (not text.isascii() and not book.telling_signs.isdisjoint(text))


def read(text: str) -> list[Token]:
    """All tokens of a text, phrases of several words joined to one token."""
    book = lexicon()
    tokens: list[Token] = []
    for match in _scanner().finditer(text):
        if not tokens or match.start() >= tokens[-1].end:  # the dot of an abbreviation is in its token already
            tokens.extend(_tokens(match, text, book))
    return _without_false_friends(_phrases(tokens, book), book)


@cache
def _scanner() -> re.Pattern[str]:
    together = r"\u3040-\u30ff\u3400-\u9fff"
    return re.compile(
        r"(?P<link>https?://\S+|[\w.+-]{1,64}@[\w-][\w.-]+)"
        r"|(?P<stamp>(?<![A-Za-z\d])\d{4}([-/])\d{1,2}\3\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.]\d+)?)?"
        r"(?:Z|[+-]\d{2}:?\d{2})?)?(?!\d|[-./]\d))"
        r"|(?P<reversed>(?<![\w./-])\d{1,2}([./])\d{1,2}\5\d{4}(?!\w|[-./]\d))"
        r"|(?P<week>(?<!\w)\d{4}-?W\d{2}(?!\w))"
        r"|(?P<yearmonth>(?<![\w./-])\d{4}-\d{2}(?!\w|[-./:]\d))"
        r"|(?P<odd>\d+(?:[.:/]\d+)+(?:-\d+)*|\d+(?:-\d+){2,}|\d+(?:,\d{3})+(?!\d)|\d{7,})"
        r"|(?P<number>\d+)(?P<ordinal>(?:st|nd|rd|th|er|[ºª°])(?!\w))?"
        r"|(?P<quarter>(?<!\w)[QqHh][1-4](?!\w))"
        rf"|(?P<together>[{together}]+)"
        rf"|(?P<word>(?:(?![{together}]){_LETTER})(?:(?![{together}]){_LETTER}|[\u0300-\u036f])*)"
        r"|(?P<sign>\n|[^\w\s'’])"
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
        yield Token(start, match.end(), "", _sign(written))
    else:
        yield Token(start, match.end(), "#", _in_digits(kind, written))


def _word(written: str, match: re.Match[str], book: Lexicon) -> Token:
    folded = fold(written)
    lexemes = book.words.get(folded, ())
    if lexemes and written[0].isupper():
        # a verb does not begin with a capital, a month does
        lexemes = tuple(Lexeme(x.kind, x.value, x.languages, 1, x.dotted) if x.weak == 2 else x for x in lexemes)
    dotted = any(x.dotted for x in lexemes) and match.string[match.end() : match.end() + 1] == "."
    return Token(match.start(), match.end() + dotted, folded, lexemes)


def _number(match: re.Match[str], text: str) -> tuple[Lexeme, ...]:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    digits = match.group("number")
    if before in tuple("#$€£@\\_+^") or (before.isascii() and before.isalpha()) or after in tuple("%°€$_"):
        return ()
    value = int(digits)
    if match.group("ordinal"):
        return tuple(Lexeme(kind, str(value)) for kind in ("ord", "day", "ordday") if 1 <= value <= 31)
    if after.isascii() and after.isalpha():
        return (Lexeme("num", str(value)),)  # `3d ago`, but no `1990s`
    return _countable(value, len(digits))


def _countable(value: int, length: int) -> tuple[Lexeme, ...]:
    kinds = ["num"]
    if length <= 2 and 1 <= value <= 31:
        kinds += ["day", "monthnum"] if value <= 12 else ["day"]
    if length == 4 and value:
        usual = 1900 <= value < 2100
        return Lexeme("num", str(value)), Lexeme("year", str(value), weak=0 if usual else 1)
    return tuple(Lexeme(kind, str(value)) for kind in kinds)


def _in_digits(kind: str, written: str) -> tuple[Lexeme, ...]:
    if kind == "quarter":
        name = "quarter" if written[0] in "Qq" else "half"
        return (Lexeme(name, written[1], weak=int(name == "half")),) if name == "quarter" or written[1] in "12" else ()
    if kind == "reversed":
        first, second, year = (int(part) for part in re.split("[./]", written))
        american = "/" in written and first <= 12
        month, day = (first, second) if american else (second, first)
        return (Lexeme("stamp", f"{year:04}-{month:02}-{day:02}"),)
    return (Lexeme(kind, written),) if kind in ("stamp", "week", "yearmonth") else ()


def _sign(written: str) -> tuple[Lexeme, ...]:
    if written in _JOINS:
        return (Lexeme("join"),)
    return (Lexeme({",": "comma", "，": "comma", ".": "dot"}[written]),) if written in ",，." else ()


def _split(written: str, start: int, book: Lexicon) -> Iterator[Token]:
    """Cut a run of signs into the longest known words; what is unknown becomes barriers of one sign."""
    place = 0
    while place < len(written):
        length, lexemes = _longest(written, place, book)
        yield Token(start + place, start + place + length, written[place : place + length], lexemes)
        place += length


def _longest(written: str, place: int, book: Lexicon) -> tuple[int, tuple[Lexeme, ...]]:
    unreadable = _UNREADABLE.match(written, place)
    if unreadable:
        return unreadable.end() - place, ()
    for length in range(min(LONGEST_SIGN, len(written) - place), 0, -1):
        lexemes = book.words.get(fold(written[place : place + length]))
        if lexemes:
            return length, lexemes
    number = _HAN_NUMBER.match(written, place)
    if number is None or len(number.group()) > LONGEST_NUMBER:
        return (number.end() - place if number else 1), ()
    return number.end() - place, _countable(_han_value(number.group()), 1)


def _han_value(written: str) -> int:
    if not any(sign in _HAN_RANKS for sign in written):
        return int("".join(str(_HAN_NUMERALS[sign]) for sign in written))
    total, digit = 0, 1
    for number, sign in enumerate(written):
        if sign in _HAN_RANKS:
            total += digit * _HAN_RANKS[sign]
            digit = 0
        else:
            digit = _HAN_NUMERALS[sign]
        if sign in _HAN_RANKS and number + 1 < len(written) and written[number + 1] in _HAN_RANKS:
            digit = 1
    return total + digit


def _phrases(tokens: list[Token], book: Lexicon) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        token, used = tokens[place], 1
        for words, lexemes in book.phrases.get(token.word, ()):
            length = _spoken(tokens, place, words)
            if length:
                token, used = Token(token.start, tokens[place + length - 1].end, " ", lexemes), length
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
    return any(x.kind == "join" for x in token.lexemes) and token.start == tokens[place - 1].end


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
