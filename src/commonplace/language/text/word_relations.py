"""Related words (irregular forms, spelling variants, degrees, particles, character variants), and numbers in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import numeric

from msgspec import Struct

from commonplace.language.text.language_detection import is_stop_word
from commonplace.language.text.unicode import fold_name, strip_accents
from commonplace.language.word_data import (
    LANGUAGES,
    SHARED,
    load_shared_words,
    load_time_words,
    load_word_list,
    load_word_table,
)
from commonplace.lazy import lazy_pattern

_ORDINAL_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
MIN_NUMBER_WORD = 2  # one is an article in most languages
_HEBREW_PARTICLES = ("ה", "ב", "ל", "מ", "ש", "כ", "ו", "וה", "מה", "שה")
_ARABIC_ARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل")
_ARABIC_PARTICLES = (*_ARABIC_ARTICLES, "و", "ب", "ل", "ف")
MIN_STEM_LETTERS = 3  # of a word without its particle
COMMA_LANGUAGES = ("en", "zh", "ja", "ko", "th")  # what is 1,200.5 there is 1.200,5 elsewhere
SIGN_BY_WORD = {"dollar": "$", "euro": "€", "pound": "£", "pfund": "£", "percent": "%", "prozent": "%"}
ORDINAL_ENDINGS = ("st", "nd", "rd", "th", "er", "e", "eme", "o", "a")
MAX_ABBREVIATED_UNIT = 2  # letters of `km`
_CURRENCY = "$¢-¥฿\u20a0-\u20c0"
_FIGURE_PATTERN = lazy_pattern(rf"([{_CURRENCY}]?) ?(\d+(?:[.,:/'⁄]\d+)*)")
_UNIT_PATTERN = lazy_pattern(rf" ?([{_CURRENCY}%‰°])|[- ]?([^\W\d_]+(?:\.[^\W\d_]+)*)")
_HAN_NUMBER_PATTERN = lazy_pattern("[〇零一二三四五六七八九十百千两兩]+")
NUMBER_LINKS = ("and", "und", "y", "et", "e", "en", "och")  # between the words of one number
_HYPHENATED_WORD_PATTERN = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_KATAKANA_OFFSET = 0x60  # from a hiragana to the same katakana


def irregular_word_forms(word: str) -> tuple[str, ...]:
    """Return the other irregular forms and spellings of an English word, or of its base: `bought`, `Dr.`, `colour`."""
    groups = _irregular_form_groups()
    for base in (word, *_regular_bases(word)):
        if base in groups:
            return tuple(form for form in groups[base] if form != word)
    return ()


def equivalent_forms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return words that mean the same: a small number in digits or words (`3`, `three`, `2nd`, `second`), or another
    degree of an English adjective (`bigger`)."""
    number_languages = languages if word[:1].isdigit() else load_shared_words("number_words")
    counted = (other for name in number_languages for other in _number_variants(name).get(word, ()))
    degrees = _adjective_degree_groups().get(word, ()) if "en" in languages else ()
    return tuple(other for other in (*counted, *degrees) if other != word)


def particle_forms(word: str) -> tuple[str, ...]:
    """Return a Hebrew or Arabic word with and without the particles that are attached to it."""
    if not word or not "\u0590" <= word[0] <= "\u06ff":
        return ()
    particles = _HEBREW_PARTICLES if word[0] < "\u0600" else _ARABIC_PARTICLES
    bare = (word[len(one) :] for one in particles if word.startswith(one) and len(word) - len(one) >= MIN_STEM_LETTERS)
    return tuple(dict.fromkeys(form for stem in (word, *bare) for form in (stem, *(one + stem for one in particles))))


def strip_particle(word: str) -> str:
    """Return an Arabic word without its article; any other word unchanged."""
    article = next((one for one in _ARABIC_ARTICLES if word.startswith(one)), "")
    return word[len(article) :] if len(word) - len(article) >= MIN_STEM_LETTERS else word


def character_variants(word: str) -> tuple[str, ...]:
    """Return a run in the other kana, in simplified and in traditional characters."""
    simplified, traditional = _han_translation_tables()
    katakana = "".join(chr(ord(char) + _KATAKANA_OFFSET) if "ぁ" <= char <= "ゖ" else char for char in word)
    hiragana = "".join(chr(ord(char) - _KATAKANA_OFFSET) if "ァ" <= char <= "ヶ" else char for char in word)
    forms = (word.translate(simplified), word.translate(traditional), katakana, hiragana)
    return tuple(form for form in dict.fromkeys(forms) if form != word)


def _regular_bases(word: str) -> Iterator[str]:
    """Yield the words that a regular ending may have been attached to: `drives`, `driving`, `swimming`."""
    for ending in ("ing", "s"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            yield from (stem, stem + "e")
            if stem[-1] == stem[-2]:
                yield stem[:-1]
    if word.endswith("ies"):
        yield word[:-3] + "y"


@cache
def _irregular_form_groups() -> dict[str, tuple[str, ...]]:
    forms = load_word_table("en", "word_forms")
    groups = [tuple(group.split()) for group in (*forms["irregular_forms"], *forms["spelling_variants"])]
    return {form: group for group in groups for form in group}


@cache
def _adjective_degree_groups() -> dict[str, tuple[str, ...]]:
    """Return all degrees of an adjective by each of them."""
    forms = load_word_table("en", "word_forms")
    groups = [tuple(group.split()) for group in forms["irregular_degrees"]]
    groups += [(word, *_regular_degrees(word + word[-1])) for word in " ".join(forms["doubling_adjectives"]).split()]
    groups += [(word, *_regular_degrees(word)) for word in " ".join(forms["gradable_adjectives"]).split()]
    return {form: group for group in groups for form in group}


def _regular_degrees(word: str) -> tuple[str, str]:
    stem = word.removesuffix("e")
    stem = stem[:-1] + "i" if stem.endswith("y") else stem
    return stem + "er", stem + "est"


@cache
def _number_variants(language: str) -> dict[str, tuple[str, ...]]:
    """Return the digits for the word of a number in a language, and the word for its digits."""
    words = load_shared_words("number_words").get(language, "").split()
    pairs = [(word, str(number)) for number, word in enumerate(words) if number >= MIN_NUMBER_WORD]
    if language == "en":
        forms = load_word_table("en", "word_forms")
        pairs += [(word, str(10 * place)) for place, word in enumerate(forms["tens_words"], 3)]
        ordinals = enumerate(forms["ordinal_words"], 1)
        pairs += [(word, f"{place}{_ORDINAL_SUFFIXES.get(place, 'th')}") for place, word in ordinals]
    return {one: (other,) for pair in pairs for one, other in (pair, pair[::-1])}


class StatedNumber(Struct, frozen=True):
    """A number in a text: as compared (`1200` for `1,200`, `3` for `three` and `3rd`), as written, and its unit: a
    measure (`$`, `km`, `unit year`), or the next word."""

    value: str
    written: str
    unit: str = ""
    is_measure: bool = False

    def may_have_unit_of(self, number: StatedNumber) -> bool:
        """Return whether the units of two numbers are the same, as far as they are known."""
        is_comparable = self.unit and number.unit and (self.is_measure or number.is_measure)
        return not is_comparable or self.unit == number.unit


def find_numbers(text: str, language: str) -> list[StatedNumber]:
    """Return the numbers in a text, in NFKC: first the figures, then those in words of its language, ordinals too."""
    found = [(_read_figure(match[2], language), *match.span(2), match[1]) for match in _FIGURE_PATTERN.finditer(text)]
    found += [(str(value), start, end, "") for value, start, end in _find_number_words(text, language)]
    return [
        StatedNumber(value, sign + text[start:end], *((sign, True) if sign else _read_unit(text, end, language)))
        for value, start, end, sign in found
    ]


def write_number_words(text: str, language: str) -> str:
    """Return a text with the numbers that are words of a language as figures: `zero one, forty-two` as `0 1, 42`."""
    for value, start, end in reversed(_find_number_words(text, language)):
        text = f"{text[:start]}{value}{text[end:]}"
    return text


def write_figures(text: str, language: str) -> str:
    """Return a text with the numerals of Chinese and Japanese as figures, a colon in French times of day, and no blanks
    in figures of languages that group digits by them."""
    if language in ("zh", "ja"):
        return _HAN_NUMBER_PATTERN.sub(lambda match: match[0] if match[0] == "一" else read_han_number(match[0]), text)
    if language not in COMMA_LANGUAGES:
        text = re.sub(r"(?<=\d)[ \u202f](?=\d{3}(?!\d))", "", text)
    return re.sub(r"(?<=\d)h(?=\d\d(?!\d))", ":", text)


def read_han_number(written: str) -> str:
    """Return a Chinese or Japanese numeral in figures."""
    values = [2 if sign == "两" else round(numeric(sign)) for sign in written]
    if max(values) < 10:
        return "".join(map(str, values))
    total = digit = 0
    for value in values:
        total, digit = (total + (digit or 1) * value, 0) if value >= 10 else (total, value)
    return str(total + digit)


def _read_figure(figure: str, language: str) -> str:
    """Return a figure as compared: without thousands separators, full hours and amounts as integers."""
    thousands, point = ",." if language in COMMA_LANGUAGES else ".,"
    if re.fullmatch(rf"[1-9]\d{{0,2}}(?:[{thousands}']\d{{3}})+(?:[{point}]\d+)?", figure):
        figure = figure.replace(thousands, "").replace("'", "")
    figure = re.sub(r"[.:]00$|^0(?=\d[:.]\d)", "", figure.replace(",", "."))
    return figure if figure.isascii() else "".join(f"{numeric(c):g}" if c.isdecimal() else c for c in figure)


def _read_unit(text: str, end: int, language: str) -> tuple[str, bool]:
    """Return the unit behind a number, and whether it is one for certain; empty if a word of grammar follows."""
    match = _UNIT_PATTERN.match(text, end)
    if match is None or match[1]:
        return (match[1], True) if match else ("", False)
    word, measures = fold_name(match[2]).replace(".", ""), _measure_words(language)
    if language in ("zh", "ja"):
        found = next((measures[word[:size]] for size in range(len(word), 0, -1) if word[:size] in measures), "")
        return found, bool(found)
    found = SIGN_BY_WORD.get(word.removesuffix("s"), "") or measures.get(word, "")
    if found or word in ORDINAL_ENDINGS or is_stop_word(word, language):
        return found, bool(found)
    return word, len(word) <= MAX_ABBREVIATED_UNIT


@cache
def _measure_words(language: str) -> dict[str, str]:
    """Return the words for units of time and for the halves of a day, with what they mean."""
    table = load_time_words()[LANGUAGES.index(language)] if language in LANGUAGES else {}
    return {
        fold_name(word.strip("~.")): kind.replace("units", "unit")
        for kind, slots in table.items()
        if kind.startswith(("unit ", "units ", "meridiem "))
        for word in slots[0].split("|")
    }


def _find_number_words(text: str, language: str) -> list[tuple[int, int, int]]:
    """Return the numbers that a text has in words of a language, in order, each with its span: `forty-two`, `third`,
    `dos mil`, `zweiundvierzig`; none in a language without a list."""
    values = _number_word_values(language)
    found: list[tuple[int, int, int]] = []
    end, is_linked = -1, False  # of the last number, or of `and` behind it
    for start, stop, word in _split_number_words(text, language) if values else ():
        follows = bool(found) and text[end:start] == " "
        if follows and word in NUMBER_LINKS:
            end, is_linked = stop, True
        for part in _number_word_patterns(language)[0].findall(word) if word not in NUMBER_LINKS else ():
            number, first, _ = found[-1] if follows else (0, 0, 0)
            joined = _continue_number(number, values[part], is_linked or "-" not in word)
            if joined:
                found[-1] = (joined, first, stop)
            else:
                found.append((values[part], start, stop))
            end, is_linked, follows = stop, False, True
    return found


def _split_number_words(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield the words that consist of number words, of hyphenated words the parts that do, and links, with spans."""
    whole = _number_word_patterns(language)[1]
    for match in _HYPHENATED_WORD_PATTERN.finditer(text):
        word = strip_accents(match[0].casefold())
        is_number = whole.fullmatch(word) or word in NUMBER_LINKS
        for part in (match,) if is_number else re.compile("[^-]+").finditer(text, *match.span()):
            word = strip_accents(part[0].casefold())
            if whole.fullmatch(word) or word in NUMBER_LINKS:
                yield *part.span(), word


def _continue_number(number: int, value: int, is_linked: bool) -> int:
    """Return the number that goes on with another word (`forty` and `two`, `two` and `thousand`); 0 if it does not."""
    digits = len(str(value))
    low = number % value if value else 0
    if value >= 100 and value == 10 ** (digits - 1) and low:
        return number - low + low * value
    is_between = value < 20 and number % 20 == 0 < number % 100  # soixante-douze
    is_reversed = is_linked and number < 10 and 20 <= value < 100  # zweiundvierzig
    fits = number % 10**digits == 0 or is_between or is_reversed
    return number + value if number and fits else 0


@cache
def _number_word_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of one number word, and of a word that consists of some."""
    one = "|".join(map(re.escape, sorted(_number_word_values(language), key=len, reverse=True)))
    return re.compile(one), re.compile(rf"(?:-?(?:(?:{'|'.join(NUMBER_LINKS)})-?)?(?:{one}))+")


@cache
def _number_word_values(language: str) -> dict[str, int]:
    """Return the numbers of a language by their words, ordinals and inflected forms included, without accents."""
    found = {word: value for value, word in enumerate(load_shared_words("number_words").get(language, "").split())}
    large = " ".join(load_word_table(SHARED, "large_number_words").get(language, ())).split()
    table = load_time_words()[LANGUAGES.index(language)] if found else {}
    forms = load_word_table(language, "word_forms") if language == "en" else {}
    for slots in (table.get("num", ())[1:], table.get("ord", ())[1:], forms.get("ordinal_words", ())[1:]):
        found |= {word: value for value, words in enumerate(slots, 2) for word in strip_accents(words).split("|")}
    return found | dict(zip(large[::2], map(int, large[1::2]), strict=True))


@cache
def _han_translation_tables() -> tuple[dict[int, str], dict[int, str]]:
    """Return tables to simplified and to traditional characters; of several traditional ones the first."""
    pairs = " ".join(load_word_list("zh", "character_variants")).split()
    return {ord(pair[0]): pair[1] for pair in pairs}, {ord(pair[1]): pair[0] for pair in reversed(pairs)}
