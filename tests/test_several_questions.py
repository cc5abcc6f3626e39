"""Several questions in one sentence: the line that answers each is among the first hits."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Query
from commonplace.retrieval.recall import trace_recall
from commonplace.retrieval.recall.lane_input import MIN_SCORED
from commonplace.retrieval.recall.question_analysis import split_questions
from commonplace.retrieval.recall.scoring import FACTOR_SIGN, added_sum

NOW = "2025-11-30T09:00"
NAMES = "Alma Bodo Carl Dora Emil Frida Gero Hilde Ivo Jana Kurt Lea Moritz Nele Otto"
# A question, what answers each part, what has much of the first part, and what has a word of another.
PROBES = [
    ("What is the number of Ada's new phone and where does Tom work?", ["The number of Ada's new phone is 555 0134.", "Tom has his work at the mill."], "Ada's new phone came with {}.", ["Tom met {}.", "Work on the {} side."]),
    ("Which winter tyres did we buy for the van, and who is my landlord?", ["Winter tyres that we buy for the van: Nokian.", "Landlord: Imhof."], "New winter tyres for the van of {}.", ["A landlord sued {}.", "{} wrote to a landlord."]),
    ("when is the dentist in Graz open, and what is the router password?", ["The dentist in Graz is open from nine.", "The router password is tulip."], "The dentist in Graz saw {}.", ["{} forgot a password.", "{} has a router."]),
    ("who painted the green kitchen door and how old is Nora?", ["Ruth painted the green kitchen door.", "Nora is nine years old."], "The green kitchen door belongs to {}.", ["Nora met {}.", "An old coat of {}."]),
    ("Where is the spare key for the wine cellar, who repairs the piano?", ["The spare key for the wine cellar is behind the clock.", "Pavel repairs the piano."], "A wine cellar key for {}.", ["{} plays the piano.", "{} repairs the roof."]),
    ("What did the vet say about the cat's teeth? And when does the museum open?", ["The vet did say the cat's teeth are fine.", "The museum opens at eleven."], "The cat's teeth bit {}.", ["{} likes the museum.", "{} opens the window."]),
    ("how many bees are in the blue hive and which bank has the safe?", ["In the blue hive are 9000 bees.", "The safe is at the Ruhla bank."], "The bees stung {} at the hive.", ["{} went to the bank.", "A safe journey to {}."]),
    ("who bakes the wedding cake with cherries, where is the choir, and when is the tax due?", ["Lund bakes the wedding cake with cherries.", "The choir is in the crypt.", "The tax is due in June."], "A wedding cake with cherries for {}.", ["{} has joined the old village choir.", "{} hates that tax.", "Much praise is due to {}."]),
    ("Was ist die Nummer von Adas neuem Telefon und wo arbeitet Tom?", ["Die Nummer von Adas neuem Telefon ist 555 0134.", "Tom arbeitet in der Mühle."], "Adas neues Telefon kam mit {}.", ["Tom traf {}.", "{} arbeitet nachts."]),
    ("Wann hat der Zahnarzt in Graz offen, und wer ist mein Vermieter?", ["Der Zahnarzt in Graz hat ab neun offen.", "Vermieter: Imhof."], "Der Zahnarzt in Graz sah {}.", ["Ein Vermieter klagte gegen {}.", "{} schrieb dem Vermieter."]),
    ("Wer hat die grüne Küchentür gestrichen und wie alt ist Nora?", ["Ruth hat die grüne Küchentür gestrichen.", "Nora ist neun und nicht alt."], "Die grüne Küchentür gehört {}.", ["Nora traf {}.", "Ein alter Mantel von {}."]),
    ("Wie heißt das Passwort vom neuen Router im Keller, und wann öffnet das Museum?", ["Das Passwort vom neuen Router im Keller ist Tulpe.", "Das Museum öffnet um elf."], "Der neue Router im Keller gehört {}.", ["{} mag das Museum.", "{} öffnet das Fenster."]),
    ("Wo ist der Schlüssel zum Weinkeller der Oma und wer repariert das Klavier?", ["Der Schlüssel zum Weinkeller der Oma hängt hinter der Uhr.", "Pavel repariert das Klavier."], "Den Weinkeller der Oma erbte {}.", ["{} spielt Klavier.", "{} repariert das Dach."]),
    ("Welche Winterreifen haben wir am roten Auto und wer mietet die Garage?", ["Am roten Auto sind Winterreifen von Nokian.", "Die Garage mietet Imhof."], "Das rote Auto gehört {}.", ["{} baut eine Garage.", "{} mietet ein Boot."]),
    ("Was sagte der Tierarzt zu den Zähnen der Katze? Und welche Bank hat den Safe?", ["Der Tierarzt sagte, die Zähne der Katze sind gut.", "Den Safe hat die Bank in Ruhla."], "Der Tierarzt sah die Katze von {}.", ["{} ging zur Bank.", "{} knackte einen Safe."]),
    ("Wer backt die Torte mit Kirschen zur Hochzeit, wo probt der Chor und wann ist die Steuer fällig?", ["Lund backt die Torte mit Kirschen zur Hochzeit.", "Der Chor probt in der Krypta.", "Die Steuer ist im Juni fällig."], "Eine Torte mit Kirschen zur Hochzeit von {}.", ["{} kam in den Chor.", "{} probt das Stück.", "{} hasst die Steuer.", "Die Miete von {} ist fällig."]),
    ("Où est la clé de la vieille cave et qui répare le piano ?", ["La clé de la vieille cave est derrière l'horloge.", "Pavel répare le piano."], "La vieille cave est à {}.", ["{} joue du piano.", "{} répare le toit."]),
    ("¿Dónde está la llave del sótano viejo y quién repara el piano?", ["La llave del sótano viejo está en el cajón.", "Pavel repara el piano."], "El sótano viejo es de {}.", ["{} toca el piano.", "{} repara el techo."]),
]  # fmt: skip


def notebook(root: Path, answers: list[str], around: str, beside: list[str], *, many: int = 0) -> Memory:
    names = [*NAMES.split(" "), *(f"N{number}" for number in range(many))]
    lines = [template.format(name) for template in (around, *beside) for name in names]
    (root / "notes.md").write_text("".join(f"- {line}\n" for line in (*lines, *answers)), encoding="utf-8")
    return Memory.open(root)


@pytest.mark.parametrize("many", [0, MIN_SCORED])
@pytest.mark.parametrize(("question", "answers", "around", "beside"), PROBES)
def test_what_answers_each_of_several_questions_is_among_the_first(
    tmp_path: Path, question: str, answers: list[str], around: str, beside: list[str], many: int
) -> None:
    with notebook(tmp_path, answers, around, beside, many=many) as memory:
        hits = memory.recall(question, now=NOW).hits
    assert {*answers} <= {hit.record.text for hit in hits[: len(answers) + 1]}
    for hit in hits:
        factors = [reason.value for reason in hit.reasons if reason.name.endswith(FACTOR_SIGN)]
        assert added_sum(hit.reasons) * math.prod(factors) == pytest.approx(hit.score, rel=3e-5)


def test_what_answers_one_of_several_questions_has_its_name(tmp_path: Path) -> None:
    """The name of a speaker is not searched for as a word."""
    log = tmp_path / "memory/2025-11-20.md"
    log.parent.mkdir()
    turns = [
        "Ada: Bees, hives, honey and wax I sell.",
        "Ada: I paint.",
        "Ben: I paint doors, but seldom, to be honest.",
    ]
    turns += [f"Ada: Bees and hives and honey {name} wants." for name in NAMES.split(" ")]
    turns += [f"Cyd: {name} can paint." for name in NAMES.split(" ")]
    log.write_text("## Log\n" + "".join(f"- 09:{at:02} {turn}\n" for at, turn in enumerate(turns)), encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        hits = memory.recall("which bees, hives, honey and wax has Ada, and what does Ben paint?", now=NOW).hits
    assert [hit.record.speaker for hit in hits[:2]] == ["Ada", "Ben"]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what is new, and who came? Why?", ["what is new, and", "who came?", "Why?"]),
        ("who came? where? when? why?", ["who came?", "where?", "when? why?"]),
        ("quando è la cena della mia amica? dove lavora?", ["quando è la cena della mia amica?", "dove lavora?"]),
        ("wat is het nummer? waar werkt hij?", ["wat is het nummer?", "waar werkt hij?"]),
        ("кто мой врач? где ключ?", ["кто мой врач?", "где ключ?"]),
    ],
)
def test_a_text_is_divided_before_question_words(question: str, parts: list[str]) -> None:
    assert split_questions(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "what did Ada say about bread and butter?",
        "which is larger, the cat or the dog?",
        "I met Ada, who lives in Graz",
        "tell me when the dentist is and who my landlord is",
        "where is the house in which Ada lives?",
        "was sagte Ada zu Brot und Butter?",
        "谁来了，什么时候？",
    ],
)
def test_what_asks_one_thing_is_not_divided(question: str) -> None:
    assert split_questions(question) == [question]


def test_a_question_without_words_of_its_own_is_not_asked_apart(tmp_path: Path) -> None:
    with notebook(tmp_path, ["Ada moved to Graz."], "Ada met {}.", []) as memory:
        index = memory.workspace.synced_index()
        for asked, count in (("where did Ada move and why?", 0), ("where did Ada move and who met Nele?", 2)):
            assert len(trace_recall(index, Query(text=asked, now=NOW)).parsed.questions) == count
