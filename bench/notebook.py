"""A made notebook of any size, seeded, and questions about it such as people ask; speed is measured on it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

VOCABULARY = 40_000
PEOPLE = ("Alice", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo")
_WORDS = (
    "the and to of a in that is was for it with as on be at by this have from or had not are but what all were we when "
    "there can an your which their if will do each how them then she many some so these would other into has more her"
)
_MONTHS = "January February March April May June July August September October November December"
FUNCTION_WORDS = tuple(_WORDS.split(" "))
MONTHS = tuple(_MONTHS.split(" "))
LINES = 100  # of one day: three conversations, and what was kept
TALKS, TURNS = 3, 20
DAYS = 28 * 12  # of one year
COMMON, RARE = slice(0, 300), slice(5_000, 40_000)  # places in the vocabulary


class Language:
    """Seeded sentences of about 30 words: Zipf-like, every third a function word, now and then a figure."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words = [_word(number) for number in range(VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / (n + 3) for n in range(VOCABULARY)))

    def sentence(self) -> str:
        """One line of text."""
        rng = self.rng
        words = rng.choices(self.words, cum_weights=self._weights, k=rng.randint(14, 26))
        for place in range(len(words), 0, -2):
            words.insert(place, rng.choice(FUNCTION_WORDS))
        if rng.random() < 0.1:
            words.append(str(rng.randint(2, 9_999)))
        return " ".join(words)


def write(root: Path, records: int) -> None:
    """Daily logs with three conversations and forty kept lines each, `records` in all (rounded down to whole days)."""
    language = Language(1)
    for number in range(records // LINES):
        path = root / _path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_day(language, number)) + "\n", encoding="utf-8")


def lines(root: Path) -> Iterator[str]:
    """The texts of all records, as written, file by file."""
    for path in sorted(root.rglob("*.md")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.startswith("- "):
                yield line.partition(": ")[2]


def questions(root: Path, count: int, *, seed: int) -> list[str]:
    """Questions about lines that stand in the notebook: keywords, sentences with names and times, rare and common."""
    rng = random.Random(seed)
    language = Language(seed)
    files = sorted(root.rglob("*.md"))
    makers = (_keywords, _keywords, _who_said, _who_said, _when, _in_a_month, _rare, _common, _long)
    asked: list[str] = []
    for number in range(count):
        path = rng.choice(files)
        line = rng.choice([line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("- ")])
        asked.append(makers[number % len(makers)](_Line(line, path.stem), language, rng))
    return asked


class _Line:
    """What a question is made of: who says a line, on which day, and its words that tell something."""

    def __init__(self, line: str, day: str) -> None:
        head, _colon, text = line.partition(": ")
        self.person = head.split(" ")[-1].lstrip("@")
        self.day = day
        self.words = [word for word in text.split(" ") if word not in FUNCTION_WORDS and word.isalpha()]


def _keywords(line: _Line, _language: Language, rng: random.Random) -> str:
    return " ".join(rng.sample(line.words, 4))


def _who_said(line: _Line, _language: Language, rng: random.Random) -> str:
    first, second, third = rng.sample(line.words, 3)
    return f"What did {line.person} say about the {first} and the {second} of {third}?"


def _when(line: _Line, _language: Language, rng: random.Random) -> str:
    first, second = rng.sample(line.words, 2)
    return f"When did {line.person} {first} the {second}?"


def _in_a_month(line: _Line, _language: Language, rng: random.Random) -> str:
    first, second = rng.sample(line.words, 2)
    year, month, _day = line.day.split("-")
    return f"What happened with the {first} and {second} in {MONTHS[int(month) - 1]} {year}?"


def _rare(line: _Line, language: Language, rng: random.Random) -> str:
    common = rng.choice(language.words[COMMON])
    return f"Do you remember the {rng.choice(language.words[RARE])} with the {common} and {rng.choice(line.words)}?"


def _common(_line: _Line, language: Language, rng: random.Random) -> str:
    first, second = rng.sample(language.words[COMMON], 2)
    return f"Tell me about the {first} and the {second}"


def _long(line: _Line, _language: Language, rng: random.Random) -> str:
    words = rng.sample(line.words, 8)
    return f"Which {words[0]} of our {' '.join(words[1:5])} was it that {line.person} had {' and '.join(words[5:])}?"


def _path(number: int) -> str:
    year, day = divmod(number, DAYS)
    return f"memory/{year:02d}/{2000 + year}-{day // 28 + 1:02d}-{day % 28 + 1:02d}.md"


def _day(language: Language, number: int) -> Iterator[str]:
    rng = language.rng
    day = _path(number)[-13:-3]
    yield f"# {day}"
    for talk in range(TALKS):
        yield from ("", f"## Session {talk + 1}, {day}", "")
        speakers = rng.sample(PEOPLE, 2)
        for turn in range(TURNS):
            yield f"- {9 + talk:02d}:{turn:02d} {speakers[turn % 2]}: {language.sentence()}"
    yield from ("", "## Retain", "")
    for _ in range(LINES - TALKS * TURNS):
        yield f"- {rng.choice('WB')} @{rng.choice(PEOPLE)}: {language.sentence()}"


def _word(number: int) -> str:
    """A pronounceable word of its own for each number, shorter for the commoner ones."""
    letters = ""
    while number or len(letters) < 4:
        number, rest = divmod(number, 60)
        letters += "bcdfglmnprst"[rest // 5] + "aeiou"[rest % 5]
    return letters
