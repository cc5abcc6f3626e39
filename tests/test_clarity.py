"""What can be understood by itself, and what is taken along so that it can."""

from __future__ import annotations

import pytest

from commonplace.extract.candidates import Candidate
from commonplace.extract.clarity import informative_words, is_unclear
from commonplace.model import Capture
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.claims import (
    MAX_PASSAGE_CHARS,
    Passage,
    complete_passage,
    make_claim,
    propose_claims,
)
from commonplace.upkeep.consolidate.duplicates import BlockedTexts
from commonplace.upkeep.consolidate.episodes import make_headline, select_salient_sentences
from commonplace.upkeep.consolidate.gate import judge_claim
from commonplace.upkeep.consolidate.history import Interaction

PETER = ("Peter",)


def hears(text: str, number: int = 1, speaker: str = "Peter", **known: object) -> Capture:
    known = {"type": "message", "actor": "owner", "origin": "trusted", "ts": "2025-11-10T09:00"} | known
    return Capture(id=f"obs:{number}", text=text, detail={"speaker": speaker}, **known)


def verdict(text: str, sort: str = "attribute", **known: object) -> str:
    known = {"id": "c1", "category": "event", "trust": "trusted", "speaker": "Peter"} | known
    return judge_claim(ClaimRecord(text=text, claim_type=sort, **known), BlockedTexts()).reason or "kept"


# What points at nothing.


@pytest.mark.parametrize(
    "text",
    [
        "Peter has played it for ten weeks.", "They moved the meeting to the small room.", "Peter loves the calm it brings.",
        "Peter: I'm amazed at how they carve the wood.", "This is on the shelf in the cellar.", "Peter bought one for the hallway.",
        "Peter never went back to that.", "She left the keys with the porter.", "Peter hummed this song all day.",
        "Peter enjoys listening to then during the commute.", "Peter had moved by then.",
        "Il est resté dans la cave.", "Er steht im Keller neben der Tür.", "Ella vive en la casa de arriba.", "它放在地下室的架子上。",
        "それは地下室の棚にあります。", "Peter is somewhere.", "Peter's old neighbours hummed this song.", "That is broken in the cellar.",
        "That lamp broke in the cellar.", "Peter cooks for her sister.", "Peter's sister wanted one.",
        "Peter wanted that, loudly in the garden.", "Peter ordered one too.", "This 4 euro lamp broke.",
        "It creaks badly. When the rain comes, the roof leaks.",
        "It creaks in the evening wind and the whole roof moves if a door slams.", "Peter paints fences with it.",
        "Peter loves the calm and order it brings.", 'With "Up" it rained all day.', "Often I saw them at dusk.",
        "Repaint it, the hinges rust.", "Peter: 它放在地下室的架子上。", "Nice. This Monster leaks.", "It’s on the shelf in the cellar.",
    ],
)  # fmt: skip
def test_a_pronoun_before_anything_it_could_point_to_is_unclear(text: str) -> None:
    assert is_unclear(text, PETER)
    assert verdict(text) == "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "Peter bought a violin and plays it daily.", "Lisbon was cold, and it rained.", "The porter has the keys, she lives below.",
        "Peter read \"Dune\" and loved it.", "It's important to water the fern.", "It rains in Bergen.", "It's Ana's turn to cook.",
        "This is Ana, the plumber.", "Peter keeps one of the old maps.", "Peter realized that the roof leaks.",
        "There are 3 keys for the shed.", "Il faut graisser la porte.", "Es gibt im Keller zwei Türen.",
        "Die Pumpe steht im Keller, sie tropft.", "La reunión es el lunes en la casa.", "地下室的钥匙在它的盒子里。",
        "Peter has a violin, it creaks.", "With Ana it rained hard.", "Peter came in, their lamp glows.",
        "It was really important to water the ferns.", "It's Ana's turn.", "Peter's uncle came in, it rained.",
        "Peter sells jam and bread here always.", "Peter sells bread of rye it leavens slowly.", "It's 7040, not 7004.",
        'On "Duneland" it rained.', "Heron: This boat leaks badly.", "Peter then moved to the brewery.",
    ],
)  # fmt: skip
def test_a_pronoun_behind_a_name_a_noun_or_a_figure_is_clear(text: str) -> None:
    assert not is_unclear(text, PETER)


def test_times_fillers_and_the_speaker_tell_nothing() -> None:
    assert informative_words("Peter is really starting next month (2025-12-01 – 2025-12-31).", PETER) == []
    assert informative_words("Peter is really starting next month at the brewery.", PETER) == ["brewery"]
    assert is_unclear("Peter is starting next month.", PETER)
    assert not is_unclear("Peter is starting at the brewery next month.", PETER)
    assert informative_words("Rosa waters ferns", ()) == ["rosa", "waters", "ferns"]
    assert informative_words("庭の鍵 (2025-12-01)") == ["庭", "の", "鍵"]
    assert informative_words("Peter swims on Friday.", PETER) == ["swims"]
    assert informative_words("Weber waters ferns", ("Peter Weber",)) == ["waters", "ferns"]


@pytest.mark.parametrize("word", ["ox", "she'd", "others", "every", "without", "although", "lately", "from"])
def test_short_words_and_those_that_point_or_join_tell_nothing(word: str) -> None:
    assert informative_words(f"Rosa waters ferns {word}") == ["rosa", "waters", "ferns"]


def test_whom_a_candidate_is_known_to_be_about_stands_for_the_pronoun() -> None:
    assert verdict("She left the keys with the porter.", entities=("Ana",)) == "kept"
    assert verdict("She left the keys with the porter.", entities=("Peter",)) == "unclear"


# What is taken along.

UNCLEAR = "I started playing it last year."


def completed(text: str, sentence: str = UNCLEAR, **asked: str) -> tuple[str, tuple[str, ...]]:
    """The line of a sentence of a message, and the captures that it is from."""
    start = text.index(sentence)
    candidate = Candidate((start, start + len(sentence)))
    return complete_passage(Passage(hears(text), candidate, **asked), "Peter")


def test_an_unclear_sentence_brings_the_one_before_it() -> None:
    before = "My uncle Leo gave me his violin."
    assert completed(f"Hello Kim! {before} {UNCLEAR}") == (f"{before} {UNCLEAR}", ("obs:1",))
    assert verdict(UNCLEAR) == "unclear"
    assert verdict(f"{before} {UNCLEAR}") == "kept"


@pytest.mark.parametrize(
    "before",
    ["Thanks a lot!", "Do you know the violin of my uncle Leo?", "She gave it to me.", f"My uncle Leo has a violin{' and a bow' * 40}."],
)  # fmt: skip
def test_what_acknowledges_asks_is_unclear_or_too_long_is_not_taken_along(before: str) -> None:
    assert completed(f"{before} {UNCLEAR}")[0] == UNCLEAR


def test_a_line_with_the_sentence_before_it_has_a_greatest_length() -> None:
    before = f"My uncle Leo has a violin {'x' * MAX_PASSAGE_CHARS}"[: MAX_PASSAGE_CHARS - len(UNCLEAR) - 2] + "."
    assert completed(f"{before} {UNCLEAR}")[0] == f"{before} {UNCLEAR}"
    assert completed(f"My {before} {UNCLEAR}")[0] == UNCLEAR


def test_a_clear_sentence_stays_as_it_is() -> None:
    said = "I moved to Trieste last month."
    assert completed(f"My uncle Leo gave me his violin. {said}", said)[0] == said
    assert completed("My uncle Leo gave me\n his  violin.", "My uncle Leo gave me\n his  violin.")[0] == (
        "My uncle Leo gave me his violin."
    )


def test_an_unclear_answer_brings_the_question_that_somebody_else_asked() -> None:
    asked = {"question": "When did you start with the violin of Leo?", "asked_in": "obs:0"}
    assert completed(UNCLEAR, **asked) == (f"{asked['question']} {UNCLEAR}", ("obs:1", "obs:0"))
    assert completed(UNCLEAR, question="When did you start with it?", asked_in="obs:0") == (UNCLEAR, ("obs:1",))
    assert completed(f"Thanks a lot! {UNCLEAR}", **asked) == (UNCLEAR, ("obs:1",)), "it is no answer to the question"
    clear = "I moved to Trieste last month."
    assert completed(clear, clear, **asked) == (clear, ("obs:1",))


def answered(question: Capture, answer: str = "We decided to keep it in the cellar.") -> tuple[str, tuple[str, ...]]:
    claim = list(propose_claims((question, hears(answer, 2))))[-1]
    return claim.text, claim.sources


def test_the_question_is_the_last_sentence_of_another_before() -> None:
    asked, answer = "Nice. Where does your sister keep the violin?", "We decided to keep it in the cellar."
    line = "Where does your sister keep the violin? We decided to keep it in the cellar."
    for known in ({"speaker": "Ana"}, {"speaker": "", "actor": "agent"}):
        assert answered(hears(asked, **known)) == (line, ("obs:2", "obs:1"))
    alone = (answer, ("obs:2",))
    assert answered(hears(asked)) == alone
    assert answered(hears(f"{asked} I wonder.", speaker="Ana")) == alone
    assert answered(hears(asked, speaker="Ana", origin="untrusted")) == alone
    assert answered(hears("", speaker="Ana")) == alone


# Summaries.


def test_a_summary_tells_no_sentence_that_cannot_be_understood() -> None:
    capture = hears(f"My uncle Leo gave me his violin. {UNCLEAR}")
    spans = ((0, 32), (33, len(capture.text)))
    proposed = [make_claim(Passage(capture, Candidate(span)), "Owner", Vocabulary()) for span in spans]
    interaction = Interaction("", "", (capture,))
    told = select_salient_sentences(interaction, proposed, lambda _capture, _sentence: True)
    assert all(not is_unclear(one.sentence, PETER) for one in told)
    assert make_headline(interaction, told).summary.startswith("Peter: My uncle Leo")
