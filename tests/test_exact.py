"""The best line that has every word asked for is above those that only their factors lift."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Hit
from commonplace.retrieval.recall.lane_input import MIN_SCORED
from commonplace.retrieval.recall.scoring import FACTOR_SIGN, added_sum

EXACT_FACTOR = "exact" + FACTOR_SIGN
NOW = "2025-11-30T09:00"
ENGLISH = (
    "here are some ideas that people like in such a case, with 3 steps and 12 hints, so that on Monday in Berlin or"
    " Paris nobody has to worry about what comes next, because all of it was tried before by many others"
)
GERMAN = (
    "hier sind ein paar Ideen, die man in so einem Fall gern nimmt, mit 3 Schritten und 12 Hinweisen, damit am Montag"
    " in Berlin oder Paris niemand sich sorgen muss, was als Nächstes kommt, weil all das schon versucht wurde"
)
# A question, the line that has all its words, the two of them that a long answer has, and the one of many other lines.
PROBES = [
    ("what did you suggest for the leaking kitchen tap?", "A leaking kitchen tap.", "leaking tap", "kitchen", ENGLISH),
    ("how many hinges did you list for the cellar door?", "Hinges, cellar door.", "hinges cellar", "door", ENGLISH),
    ("which paint did you recommend for the garden fence?", "Paint, garden fence.", "paint fence", "garden", ENGLISH),
    ("when did you say the heating boiler is cleaned?", "Boiler, heating cleaned.", "boiler cleaned", "heating", ENGLISH),
    ("where did you tell me to buy walnut boards?", "Buy walnut boards.", "walnut boards", "buy", ENGLISH),
    ("how much did you say the violin strings cost?", "Violin strings, cost.", "violin strings", "cost", ENGLISH),
    ("which book did you mention about rye sourdough?", "Rye sourdough book.", "sourdough rye", "book", ENGLISH),
    ("what did you advise about the crooked bed shelf?", "Crooked bed shelf.", "shelf crooked", "bed", ENGLISH),
    ("was hast du zum tropfenden Hahn in der Küche gesagt?", "Küche: tropfender Hahn.", "Hahn tropfenden", "Küche", GERMAN),
    ("was hast du mir zu Geländer, Treppe, Keller geraten?", "Geländer, Treppe, Keller.", "Geländer Treppe", "Keller", GERMAN),
    ("welche Farbe hast du für den Zaun im Garten genannt?", "Garten: Zaun, Farbe.", "Zaun Farbe", "Garten", GERMAN),
    ("was hast du zu Sauerteig, Roggen und Mehl erzählt?", "Sauerteig, Roggen, Mehl.", "Sauerteig Roggen", "Mehl", GERMAN),
    ("was hast du zum Quietschen der Bremse am Rad gesagt?", "Rad: Bremse, Quietschen.", "Bremse Quietschen", "Rad", GERMAN),
    ("was hast du mir zum Schimmel am Fenster im Bad geraten?", "Bad: Schimmel, Fenster.", "Schimmel Fenster", "Bad", GERMAN),
    ("was hast du über die Dichtung der Tür vom Ofen gesagt?", "Ofen: Tür, Dichtung.", "Tür Dichtung", "Ofen", GERMAN),
    ("was hast du mir zu Saiten der Geige aus Darm empfohlen?", "Geige: Saiten, Darm.", "Saiten Darm", "Geige", GERMAN),
]  # fmt: skip


def ask(root: Path, question: str, lines: list[str]) -> tuple[Hit, ...]:
    log = root / "memory/2025-11-20.md"
    log.parent.mkdir()
    turns = "".join(f"- {9 + at // 60:02}:{at % 60:02} {line}\n" for at, line in enumerate(lines))
    log.write_text(f"## Log\n{turns}", encoding="utf-8")
    with Memory.open(root) as memory:
        return memory.recall(question, now=NOW).hits


def answers(words: str, filler: str, count: int) -> list[str]:
    """Long lines of an assistant that have two words of a question again and again."""
    one, other = words.split()
    again = f"{one}, {other}, {one}"
    return [f"assistant: {one.title()}, {again}; {filler}: {other}, {again}, {n}, {n + 100}." for n in range(count)]


@pytest.mark.parametrize("many", [1, MIN_SCORED + 10])
@pytest.mark.parametrize(("question", "exact", "words", "common", "filler"), PROBES)
def test_the_line_with_every_word_is_above_long_answers_with_some(
    tmp_path: Path, question: str, exact: str, words: str, common: str, filler: str, many: int
) -> None:
    others = [
        f"user: {word} {common} {n}." for n in range(many) for word in ["Red", "Old", "Blue", "Small", "Wide", "Green"]
    ]
    hits = ask(tmp_path, question, [*answers(words, filler, many), f"user: {exact}", *others])
    assert hits[0].record.text.endswith(exact)
    factors = [reason.value for reason in hits[0].reasons if reason.name.endswith(FACTOR_SIGN)]
    assert added_sum(hits[0].reasons) * math.prod(factors) == pytest.approx(hits[0].score, rel=3e-5)
    assert hits[0].score > hits[1].score


def test_the_line_with_every_word_is_raised_only_above_what_has_much_less_of_it(tmp_path: Path) -> None:
    question, exact, words, common, filler = PROBES[5]
    lines = [
        *answers(words, filler, 1),
        f"user: {exact}",
        *(f"user: {one} {common}." for one in ["Red", "Old", "Blue"]),
    ]
    (tmp_path / "a").mkdir()
    raised, lifted, *_rest = ask(tmp_path / "a", question, lines)
    assert EXACT_FACTOR in [reason.name for reason in raised.reasons]
    assert added_sum(lifted.reasons) < 0.8 * added_sum(raised.reasons)
    (tmp_path / "b").mkdir()
    lines[0] = f"{lines[0]} {common}."  # that has every word, too
    both = ask(tmp_path / "b", question, lines)
    assert both[0].record.text != raised.record.text
    assert EXACT_FACTOR not in [reason.name for hit in both for reason in hit.reasons]


def test_a_line_without_the_name_asked_for_has_not_every_word(tmp_path: Path) -> None:
    said = "I keep 4 bees and 12 geese behind the barn in the valley where it is warm"
    lines = ["Ada: We meet.", "Ben: Bees and geese, hives.", f"Ada: Bees, bees and geese, {said}, and some more bees."]
    lines += [f"Ben: {word} hives." for word in ["Red", "Old", "Blue"]]
    hits = ask(tmp_path, "how many bees and geese and hives has Ada?", lines)
    assert hits[0].record.speaker == "Ada"
    assert EXACT_FACTOR not in [reason.name for hit in hits for reason in hit.reasons]


def test_a_line_that_is_lowered_itself_is_not_raised(tmp_path: Path) -> None:
    """What an assistant said counts less where it is not asked for, whatever words it has."""
    _question, exact, words, common, filler = PROBES[0]
    long = answers(words, filler, 1)[0].removeprefix("assistant: ")
    others = [f"user: {word} {common}." for word in ["Red", "Old", "Blue", "Small", "Wide", "Green"]]
    hits = ask(tmp_path, "how is the leaking kitchen tap?", [f"user: {long}", f"assistant: {exact}", *others])
    assert hits[0].record.speaker == "user"
    assert added_sum(hits[0].reasons) < 0.8 * added_sum(hits[1].reasons)


def test_an_explanation_says_what_raised_a_line(tmp_path: Path) -> None:
    question, exact, words, common, filler = PROBES[5]
    others = [f"user: {word} {common}." for word in ["Red", "Old", "Blue"]]
    ask(tmp_path, question, [*answers(words, filler, 1), f"user: {exact}", *others])
    with Memory.open(tmp_path) as memory:
        told = memory.explain(question, now=NOW)
    assert any(line.startswith("× exact ") for line in told.arithmetic[0])
    assert any(line.startswith("exact ") for line in told.part_lines)
