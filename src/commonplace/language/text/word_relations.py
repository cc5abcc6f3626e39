"""Related words: irregular forms, spelling variants, numbers, degrees, particles, character variants, hyponyms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from commonplace.language.text.tokenizer import stem_to_token
from commonplace.language.text.unicode import strip_accents
from commonplace.language.word_data import load_hyponyms, load_shared_words, load_word_list, load_word_table

_ORDINAL_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
MIN_NUMBER_WORD = 2  # one is an article in most languages
_HEBREW_PARTICLES = ("ה", "ב", "ל", "מ", "ש", "כ", "ו", "וה", "מה", "שה")
_ARABIC_ARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل")
_ARABIC_PARTICLES = (*_ARABIC_ARTICLES, "و", "ب", "ل", "ف")
MIN_STEM_LETTERS = 3  # of a word without its particle
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
        pairs += [
            (word, f"{place}{_ORDINAL_SUFFIXES.get(place, 'th')}")
            for place, word in enumerate(forms["ordinal_words"], 1)
        ]
    return {one: (other,) for pair in pairs for one, other in (pair, pair[::-1])}


@cache
def _han_translation_tables() -> tuple[dict[int, str], dict[int, str]]:
    """Return tables to simplified and to traditional characters; of several traditional ones the first."""
    pairs = " ".join(load_word_list("zh", "character_variants")).split()
    return {ord(pair[0]): pair[1] for pair in pairs}, {ord(pair[1]): pair[0] for pair in reversed(pairs)}


def hyponym_tokens(word: str, language: str) -> tuple[str, ...]:
    """Return the tokens of the hyponyms of a folded word; none if it names no kind or its language has no list."""
    named = _hyponyms_by_stem(language).get(stem_to_token(word, language), ())
    return tuple(dict.fromkeys(token for words in named for token in _stem_hyponyms(words, language)))


@cache
def _hyponyms_by_stem(language: str) -> dict[str, tuple[str, ...]]:
    """Return the hyponyms of every kind by the stem of each of its names."""
    found: dict[str, tuple[str, ...]] = {}
    for names, words in load_hyponyms(language):
        for name in dict.fromkeys(
            stem_to_token(spelt, language) for one in names.split() for spelt in _accent_variants(one)
        ):
            found[name] = (*found.get(name, ()), words)
    return found


@cache
def _stem_hyponyms(words: str, language: str) -> tuple[str, ...]:
    others = (other for word in words.split() for other in (irregular_word_forms(word) if language == "en" else ()))
    return tuple(
        dict.fromkeys(
            stem_to_token(spelt, language) for word in (*words.split(), *others) for spelt in _accent_variants(word)
        )
    )


def _accent_variants(word: str) -> Iterator[str]:
    yield word
    yield strip_accents(word)
