"""Whom or what a line is about: headings are names, and each class of fact stands in its own home."""

from __future__ import annotations

import pytest

from bench.extraction import extract_doubtful
from commonplace.extract import Claim, extract_claims
from commonplace.extract.state_claims import is_subject
from commonplace.model import Capture
from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.claims import assign_subject, propose_claims

RECEIPTS = (
    "I noticed that sometimes when I buy multiple items of the same product, like two pairs of jeans, it's hard to keep "
    "track of the total cost if the price isn't listed separately for each item."
)


def drafts(text: str) -> list[ClaimRecord]:
    detail = {"speaker": "Peter"}
    said = Capture(
        id="obs:1", ts="2025-11-10T09:00", text=text, type="message", actor="owner", origin="trusted", detail=detail
    )
    return list(propose_claims(said))


def filed(text: str) -> list[tuple[str, str]]:
    return [(draft.category, draft.entity) for draft in drafts(text)]


@pytest.mark.parametrize(
    "name",
    [
        "Ana", "staging DB", "the printer", "Ada Lovelace", "our landing page", "mom", "Datenbank", "仓库服务器",
        "language exchange class with Juan",
    ],
)  # fmt: skip
def test_names_and_short_noun_phrases_are_subjects(name: str) -> None:
    assert is_subject(name)


@pytest.mark.parametrize(
    "name",
    [
        "", "The", "Using", "speaking of", "write me an ansiblefile to", "curl -fsSL https", "the last time I did it", "my offer",
        "sometimes when I buy two pairs of jeans", "a leather strap", "each task", "Tuesday afternoon at 2:00 pm could",
        "huge fan of", "blue red green oak elm ash fir", "x = y", "it’s late", "the very long name of a thing that nobody would look for", "the",
    ],
)  # fmt: skip
def test_clauses_pieces_and_lone_openings_are_no_subjects(name: str) -> None:
    assert not is_subject(name)


@pytest.mark.parametrize(
    "text", ["I think sustainable tourism is the way of the future for me.", "I think Rust is overkill for my scripts."]
)
def test_an_opinion_stands_under_who_holds_it(text: str) -> None:
    assert filed(text) == [("preference", "Peter")]


def test_what_is_liked_by_somebody_else_stands_under_them() -> None:
    assert filed("Ana loves cycling along the river.") == [("person", "Ana")]


def claim(text: str, **known: object) -> Claim:
    values = {"claim_type": "attribute", "category": "tool", "kind": "world", "span": (0, len(text))} | known
    return Claim(text=text, **values)


def test_what_is_told_of_no_subject_is_of_who_says_i_and_no_state_of_a_thing() -> None:
    said = "speaking of showers, I took 10 minutes per shower"
    told = claim(said, entity="speaking of", attribute="time", value="10 minutes", entities=("speaking of",))
    found = assign_subject(told, "Peter", said)
    assert (found.entity, found.category, found.attribute, found.value) == ("Peter", "fact", "", "")
    assert found.entities == ("Peter",)


def test_what_is_told_of_no_subject_and_nobody_has_no_heading() -> None:
    said = "each of them listens on port 6432"
    found = assign_subject(claim(said, entity="each of them", entities=("each of them",)), "Peter", said)
    assert (found.entity, found.category, found.entities) == ("", "tool", ())


def test_a_thing_with_a_name_keeps_its_heading() -> None:
    said = "my staging DB listens on port 6432"
    told = claim(said, entity="staging DB", attribute="port", value="6432")
    assert assign_subject(told, "Peter", said) is told


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I plan to sell my handmade crafts, like candles and soaps.", "plan"),
        ("I usually use my cashback earnings to offset my household expenses or save up for future purchases.", "fact"),
        ("I recently purchased a refillable bottle that has eliminated my need for plastic ones, a game-changer.", "event"),
        ("My mom and I made some dinner together last night!", "event"),
        ("My goal is to give kids a loving home.", "plan"),
        ("I just changed the strings on my guitar last Sunday.", "event"),
        ("I found a good deal on Lufthansa for $850 return from Bern to Oslo.", "event"),
        (RECEIPTS, "lesson"),
        ("I'm moving to Vancouver for university and I'm trying to finalize my accommodation.", "plan"),
    ],
)  # fmt: skip
def test_what_somebody_does_did_or_plans_is_no_taste_no_choice_and_no_other_person(text: str, category: str) -> None:
    assert [one.category for one in extract_claims(text, speaker="Peter", now="2025-11-10T09:00")] == [category]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I always struggle with procrastination.", "preference"),
        ("I prefer winding down by 9:30 pm to prepare for a good night's sleep.", "preference"),
        ("I met Rachel, an old colleague from my previous company.", "person"),
        ("I decided to upgrade my bike's pedals to clipless pedals today.", "decision"),
        ("I report to Anneliese Vogt, who in turn reports to nobody as far as I can tell.", "person"),
    ],
)
def test_tastes_choices_and_people_stay_what_they_are(text: str, category: str) -> None:
    assert category in [one.category for one in extract_claims(text, speaker="Peter", now="2025-11-10T09:00")]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I've got a lot of papers and office supplies scattered all over the place.", "decision"),
        ("I'm going for a minimalist style, and my coffee table has a glass top.", "decision"),
        ("I picked up some fresh pasta and a jar of sauce last Thursday.", "decision"),
        ("I'm moving to Vancouver for university next fall.", "decision"),
        ("I've been living in the States for 5 years, so I'm still getting used to it.", "lesson"),
        ("The flight numbers and schedule aren't fixed yet, but the layover helps.", "lesson"),
        ("I'll try troubleshooting the issue first and see if that resolves the problem.", "lesson"),
        (
            "The beats sound more crisp and detailed, and I'm picking up on melodies that I didn't notice before.",
            "preference",
        ),
        ("I found a festival celebrating an ancient ritual that I've never heard of before!", "preference"),
        ("I think the last time I did it was back in April when I took it to the shop.", "preference"),
    ],
)
def test_words_that_only_look_like_a_choice_a_fix_or_an_opinion_make_none(text: str, category: str) -> None:
    assert category not in [one.category for one in extract_claims(text, speaker="Peter", now="2025-11-10T09:00")]


@pytest.mark.parametrize(
    "text",
    [
        "We bought the oak desk over the glass one, it lasts.",
        "I'm moving everything to Postgres.",
        "I picked the night train.",
    ],
)
def test_choices_of_the_same_shape_are_still_read(text: str) -> None:
    assert [one.category for one in extract_doubtful(text, speaker="Peter", now="2025-11-10T09:00")] == ["decision"]


def test_a_relation_that_is_over_says_so() -> None:
    found = [
        one.text for one in extract_claims("I caught up with my former manager, Rachel, at lunch.", speaker="Peter")
    ]
    assert "Peter's former manager is Rachel." in found


def test_somebody_is_a_friend_from_somewhere() -> None:
    found = [one.text for one in extract_claims("I saw my friend from college, David, yesterday.", speaker="Peter")]
    assert "Peter's friend is David." in found


def test_what_leads_over_to_a_subject_is_no_part_of_what_is_said() -> None:
    text = (
        "By the way, speaking of showers, I used to take 10-15 minutes per shower, but I've been trying to save water."
    )
    assert extract_claims(text, speaker="Peter") == ()


def test_what_stands_in_quotation_marks_is_not_told_by_the_speaker() -> None:
    text = 'I just finished episode 12 of the "My Favorite Murder" podcast.'
    assert [one.text for one in extract_claims(text, speaker="Peter")] == [
        'Peter just finished episode 12 of the "My Favorite Murder" podcast.'
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "I recently got a pair of Sony headphones that I use for my daily commute.",
            "Peter: I recently got a pair of Sony headphones that I use for my daily commute.",
        ),
        (
            "I just moved to a new apartment that's a bit farther away, so I've been spending a lot of time alone.",
            "Peter: I just moved to a new apartment that's a bit farther away, so I've been spending a lot of time alone.",
        ),
        (
            "I just finished listening to 'Sapiens: A Brief History of Humankind' by Yuval Noah Harari.",
            "Peter: I just finished listening to 'Sapiens: A Brief History of Humankind' by Yuval Noah Harari.",
        ),
    ],
)
def test_a_clause_that_hangs_on_what_it_leaves_out_takes_its_sentence_along(text: str, line: str) -> None:
    assert line in [draft.text for draft in drafts(text)]


def test_a_clause_that_says_all_by_itself_stays_as_it_is() -> None:
    assert "Peter won the chess cup last week (2025-11-03 – 2025-11-09)." in [
        draft.text for draft in drafts("I'm so delighted that I won the chess cup last week.")
    ]
