"""The words and patterns of each language, as data; `load_grammar` gives those of one language."""

from __future__ import annotations

from functools import cache
from typing import Literal

from msgspec import Struct, json

from commonplace.extract.claims import ClaimType
from commonplace.language.word_data import read_language_data
from commonplace.model import Category

LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
RuleRow = tuple[ClaimType, Category | Literal[""], str, str, str]
"""A rule: sort, category, about, attribute and pattern; `about` is `I` for what is said of the speaker; an empty
category is told by the content."""


class Grammar(Struct, frozen=True):
    """One language: `words` are the lists that patterns name as `<name>`; its rules are tried in order."""

    words: dict[str, str]
    rules: tuple[RuleRow, ...]
    spaced: bool = True
    relations: tuple[str, ...] = ()  # with the names as written: groups rel and name


class GrammarFile(Struct, frozen=True):
    """A grammar as its file has it, each pattern on several lines."""

    words: dict[str, list[str]]
    rules: list[tuple[ClaimType, Category | Literal[""], str, str, list[str]]]
    relations: list[list[str]] = []
    spaced: bool = True


@cache
def load_grammar(language: str) -> Grammar:
    """The tables of a language; no file of another is read."""
    file = json.decode(read_language_data(f"claim_rules/{language}"), type=GrammarFile)
    return Grammar(
        {name: "".join(lines) for name, lines in file.words.items()},
        tuple((*row[:4], "".join(row[4])) for row in file.rules),
        file.spaced,
        tuple(map("".join, file.relations)),
    )


@cache
def language_marker_words(language: str) -> frozenset[str]:
    """Words that indicate the language of a short message that has too few function words."""
    return frozenset(_MARKER_WORDS[language].split())


_MARKER_WORDS = {
    "en": "please use never always the and of for with but that you i'm it's we're don't",
    "de": """
    antworte schreib bitte immer nie danke keine heute morgen gestern läuft hat nichts geholfen gebracht neustart
    entschieden beschlossen statt mag esse trinke wohne arbeite finde glaube fehler behoben weil bin habe projekt
    heisst heißt gerade lieber ja nein doch kein einen
""",
    "fr": """
    n' j' c' l' d' qu' s' rien changé décidé choisi réponds écris toujours jamais merci aujourd'hui demain hier
    redémarrer est était habite travaille préfère déteste trouve pense crois erreur corrigé réglé projet s'appelle
    oui non désormais chez depuis adore ça
""",
    "es": """
    creo hemos decidido usar siempre nunca contesta responde gracias hoy ayer mañana reiniciar sirvió es son
    está vivo trabajo prefiero odio arreglado proyecto llama soy tengo muy demasiado ahora puerto servidor nos
    español que
""",
}
